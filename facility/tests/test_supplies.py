"""From what a BMC tells of its power supplies to what is found of them."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from facility.findings.models import Finding
from facility.history import tables
from facility.meters import machines
from facility.meters.models import MeterState
from facility.overview import sums
from facility.tests.conftest import Hall
from health.checks.measured import measured
from health.checks.parsers.bmc import parse_bmc

pytestmark = pytest.mark.django_db
WORKS: dict[str, Any] = {"Status": {"State": "Enabled", "Health": "OK"}, "LineInputVoltage": 230}
DARK: dict[str, Any] = {"Status": {"State": "Enabled", "Health": "OK"}, "LineInputVoltage": 0}
OFFLINE: dict[str, Any] = {"Status": {"State": "UnavailableOffline", "Health": "OK"}}
FAILED: dict[str, Any] = {"Status": {"State": "Enabled", "Health": "Critical"}}
ABSENT: dict[str, Any] = {"Status": {"State": "Absent"}}


@pytest.fixture
def bmc(hall: Hall) -> Bmc:
    hall.tell_all()
    return Bmc(hall)


class Bmc:
    """Of the first machine: what it answers is taken as a sweep does, and the site is added up."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.machine = hall.machines[0]

    def answers(self, *supplies: dict[str, Any] | None, watts: float | None = 1_400) -> set[str]:
        """By slot, None is not listed. What is found then."""
        listed = [
            {"Name": f"PS{n} Status", "MemberId": f"PSU.Slot.{n}", "PowerInputWatts": watts if told is WORKS else None}
            | told
            for n, told in enumerate(supplies, 1)
            if told is not None
        ]
        power = {"PowerControl": [{"PowerConsumedWatts": 8_400}], "PowerSupplies": listed}
        rows = measured(parse_bmc({"PowerState": "On"}, power=power), None)
        machines.take([(self.machine.pk, timezone.now(), rows)])
        sums.add_up_site(self.hall.site.pk, timezone.now())
        found = Finding.objects.filter(closed_at=None, subject_id=self.machine.device_id, subject_kind="machine")
        return set(found.values_list("kind", flat=True)) & {"redundancy.lost", "psu.idle"}

    def text(self) -> str:
        return Finding.objects.get(kind="redundancy.lost", closed_at=None).text


@pytest.mark.parametrize("dead", [DARK, OFFLINE, FAILED, ABSENT])
def test_supplies_that_a_bmc_says_are_dead_cost_redundancy_and_give_it_back(bmc: Bmc, dead: dict[str, Any]) -> None:
    assert bmc.answers(*[WORKS] * 6) == set()
    assert bmc.answers(dead, dead, dead, WORKS, WORKS, WORKS) == {"redundancy.lost"}
    assert "without PSU.1, PSU.2, PSU.3" in bmc.text()
    assert bmc.answers(dead, WORKS, WORKS, WORKS, WORKS, WORKS) == set()


def test_lost_redundancy_is_over_where_a_bmc_tells_states_and_no_watts(bmc: Bmc) -> None:
    assert bmc.answers(DARK, DARK, DARK, WORKS, WORKS, WORKS, watts=None) == {"redundancy.lost"}
    assert bmc.answers(None, None, None, WORKS, WORKS, WORKS, watts=None) == {"redundancy.lost"}
    assert bmc.answers(*[WORKS] * 6, watts=None) == set()


def test_bays_that_were_never_filled_are_no_dead_supplies(bmc: Bmc) -> None:
    assert bmc.answers(*[WORKS] * 6, *[ABSENT] * 6) == set()


@pytest.mark.parametrize("gone", [ABSENT, None])
def test_a_supply_that_was_taken_out_is_not_idle_any_more(bmc: Bmc, gone: dict[str, Any] | None) -> None:
    assert bmc.answers({**WORKS, "PowerInputWatts": 0}, *[WORKS] * 5) == {"psu.idle"}
    assert bmc.answers(OFFLINE, *[WORKS] * 5) == {"psu.idle"}  # it is there, and nobody knows what it carries
    assert bmc.answers(gone, *[WORKS] * 5) == set()


def test_a_supply_that_is_missing_beside_others_without_a_state_stays_as_it_was(bmc: Bmc) -> None:
    assert bmc.answers({**WORKS, "PowerInputWatts": 0}, *[WORKS] * 5) == {"psu.idle"}
    assert bmc.answers(None, *[{"PowerInputWatts": 1_400}] * 5) == {"psu.idle"}


def test_what_a_bmc_says_of_its_supplies_has_no_history(bmc: Bmc) -> None:
    tables.maintain()
    bmc.answers(DARK, *[WORKS] * 5)
    told = MeterState.objects.select_related("layout").get(meter__device_id=bmc.machine.device_id)
    assert told.memory == {"works": {"PSU.1": False, **{f"PSU.{n}": True for n in range(2, 7)}}}
    assert not [point for point in told.layout.points if point[2] in ("works", "absent")]
