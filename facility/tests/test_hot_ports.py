"""Ports that are too warm are told with their rack and height; whoever reads counters tells them."""

from __future__ import annotations

from datetime import datetime

import pytest
from django.utils import timezone

from facility.findings.models import Finding
from facility.overview import hot_ports
from facility.tests.conftest import Hall
from inventory.models import Device
from inventory.power import warm_ports
from inventory.power.warm_ports import WarmPort, WarmPorts

pytestmark = pytest.mark.django_db


def test_a_port_above_the_limit_is_a_finding_with_rack_and_height_until_it_cools(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch = Device.objects.filter(kind="switch", placement__half_units__isnull=False).order_by("name").first()
    assert switch is not None
    told = [WarmPort(switch.pk, switch.name, "17", 74.0), WarmPort(switch.pk, switch.name, "18", 71.0)]
    too_old: set[int] = set()

    def tells(site: int, above: float, now: datetime) -> WarmPorts:
        return WarmPorts([port for port in told if port.temperature_c > above], frozenset(too_old))

    monkeypatch.setattr(warm_ports.warm_ports, "_values", [tells])
    hot_ports.look_at(hall.site.pk, timezone.now())
    found = Finding.objects.filter(kind="port.hot", closed_at=None).order_by("part")
    assert [(each.part, each.rack_id) for each in found] == [
        ("17", switch.placement.rack_id), ("18", switch.placement.rack_id),
    ]  # fmt: skip
    unit = (switch.placement.half_units.lower + 1) // 2
    assert f"in {switch.placement.rack.name} U{unit} has 74 °C" in found[0].text
    told[:] = told[:1]
    hot_ports.look_at(hall.site.pk, timezone.now())
    assert [each.part for each in Finding.objects.filter(closed_at=None)] == ["17"]
    told.clear()
    too_old.add(switch.pk)
    hot_ports.look_at(hall.site.pk, timezone.now())
    assert Finding.objects.filter(closed_at=None).exists(), "what was told of it is too old"
    too_old.clear()
    hot_ports.look_at(hall.site.pk, timezone.now())
    assert not Finding.objects.filter(closed_at=None).exists()
