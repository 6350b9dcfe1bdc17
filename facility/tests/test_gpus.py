"""From where a GPU says that its clocks fall to what is found of it."""

from __future__ import annotations

import pytest
from django.utils import timezone

from facility.findings.models import Finding
from facility.meters import machines
from facility.meters.models import MeterState
from facility.overview import sums
from facility.tests.conftest import Hall
from health.checks.measured import measured
from health.checks.parsers.gpus import Gpu, GpuReport

pytestmark = pytest.mark.django_db


def found_near(hall: Hall, *, margin_c: int | None) -> list[str]:
    """What is found of a GPU at 79 °C, so many degrees from its limit; it slows two beyond it."""
    hall.tell_all()
    gpu = Gpu(index=0, temperature_c=79, temperature_tlimit_c=margin_c, slowdown_tlimit_c=-2)
    machines.take([(hall.machines[0].pk, timezone.now(), measured(None, GpuReport((gpu,))))])
    sums.add_up_site(hall.site.pk, timezone.now())
    return list(Finding.objects.filter(kind="gpu.near", closed_at=None).values_list("text", flat=True))


def test_a_gpu_is_near_by_its_own_limit_and_by_the_sites_where_it_tells_none(hall: Hall) -> None:
    assert found_near(hall, margin_c=8) == []
    (text,) = found_near(hall, margin_c=1)
    assert "79 °C; 82 °C is where clocks fall" in text
    assert found_near(hall, margin_c=None) == [], "84 °C is the site's"


def test_where_its_clocks_fall_is_no_value_with_a_history(hall: Hall) -> None:
    found_near(hall, margin_c=8)
    told = MeterState.objects.select_related("layout").get(meter__device=hall.machines[0].device)
    assert told.memory["slowdown_c"] == 89 and told.layout.points == [["gpu", "GPU0", "temperature_c"]]
