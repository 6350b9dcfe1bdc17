"""A small fleet whose racks have two PDUs, each with a meter."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from core.models import Site
from facility.facts import Measured, Part, Quantity
from facility.history import tables
from facility.meters import services
from facility.meters.models import Meter
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Device, Machine
from tests.kept_rows import load_fleet
from tests.roles import as_role  # noqa: F401  (a fixture)

WATTS = 8_400.0
"""Of each machine, where a test says nothing else."""


class Hall:
    """What the meters of a site tell, which a test changes."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.machines = list(
            Machine.objects.filter(device__site=site).select_related("device").order_by("device__name")
        )
        self.pdus = list(Device.objects.filter(site=site, kind="pdu").order_by("name"))

    def meter(self, device: Device, kind: str = Meter.Kind.SNMP_PDU) -> Meter:
        found, _ = Meter.objects.get_or_create(
            device=device,
            defaults={"site": self.site, "name": device.name, "kind": kind, "address": "10.9.9.9", "state": "ok"},
        )
        return found

    def tell(self, device: Device, values: list[Measured], at: datetime | None = None, kind: str = "snmp_pdu") -> None:
        meter = self.meter(device, kind)
        services.store([services.Told(meter.pk, at or timezone.now(), values, 30)])

    def tell_machine(self, machine: Machine, at: datetime | None = None, **told: Any) -> None:
        self.tell(machine.device, machine_values(told), at, Meter.Kind.MACHINE)

    def tell_pdu(self, name: str, watts: float | None, *more: Measured, at: datetime | None = None) -> None:
        device = next(each for each in self.pdus if each.name == name)
        inlet = Measured(Part.INLET, "I1", Quantity.POWER_W, watts, "" if watts is not None else "no answer")
        self.tell(device, [inlet, *more], at)

    def tell_all(self, at: datetime | None = None, inlet_c: float = 22.0) -> None:
        """Every machine and PDU well."""
        for machine in self.machines:
            self.tell_machine(machine, at, watts=WATTS, inlet_c=inlet_c)
        racks = {device.name: device.name.removeprefix("pdu-")[:-2] for device in self.pdus}
        for device in self.pdus:
            beside = [each for each in self.machines if f"-{racks[device.name]}-" in each.device.name]
            self.tell_pdu(device.name, len(beside) * WATTS / 2, *phases(30.0, 30.0, 30.0), at=at)


def phases(*amperes: float | None) -> list[Measured]:
    return [
        Measured(Part.PHASE, f"L{n}", Quantity.CURRENT_A, value, "" if value is not None else "not available")
        for n, value in enumerate(amperes, 1)
    ]


def machine_values(told: Mapping[str, Any]) -> list[Measured]:
    """By word: watts, inlet_c, exhaust_c, gpu_c, gpu_w, cap_w, psus, fans_w, slowed_hot, slowed_braked,
    slowed_capped."""
    inlet, watts = told.get("inlet_c", 22.0), told.get("watts", WATTS)
    supplies = told.get("psus", [watts / 6] * 6 if watts is not None else [])
    points: list[tuple[Part, str, Quantity, float | None]] = [
        (Part.MACHINE, "", Quantity.POWER_W, watts),
        (Part.MACHINE, "", Quantity.SLOWED_HOT, told.get("slowed_hot", 0.0)),
        (Part.MACHINE, "", Quantity.SLOWED_BRAKED, told.get("slowed_braked", 0.0)),
        (Part.SENSOR, "inlet", Quantity.TEMPERATURE_C, inlet),
        (Part.SENSOR, "exhaust", Quantity.TEMPERATURE_C, told.get("exhaust_c", None if inlet is None else inlet + 15)),
        *((Part.SUPPLY, f"PSU.{n}", Quantity.POWER_W, each) for n, each in enumerate(supplies, 1)),
    ]
    if "slowed_capped" in told:
        points.append((Part.MACHINE, "", Quantity.SLOWED_CAPPED, told["slowed_capped"]))
    if "fans_w" in told:
        points.append((Part.FAN, "all", Quantity.POWER_W, told["fans_w"]))
    for n in range(8):
        points += [
            (Part.GPU, f"GPU{n}", Quantity.TEMPERATURE_C, told.get("gpu_c", 62.0)),
            (Part.GPU, f"GPU{n}", Quantity.POWER_W, told.get("gpu_w", 610.0)),
            (Part.GPU, f"GPU{n}", Quantity.POWER_LIMIT_W, told.get("cap_w", 700.0)),
        ]
    return [Measured(*point, "" if point[3] is not None else "the BMC does not tell it") for point in points]


@pytest.fixture
def hall(db: None, tmp_path: Path) -> Hall:
    path = tmp_path / "small.yaml"
    path.write_text(fleet_file(20))
    load_fleet(path)
    tables.maintain(timezone.now() - timedelta(hours=3))
    tables.maintain()
    return Hall(Site.objects.get())
