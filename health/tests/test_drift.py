"""Facts of a machine, the majority of a fleet, and what differs from it."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from health.checks import readings_of
from health.insights.drift import LEAST_MACHINES, LEAST_SHARE, drift_of
from health.insights.queries.drift import drift, fact_changes
from health.models import FactChange, MachineFacts
from health.monitoring.facts import FACTS, command_line_digest, facts_of, merged
from health.monitoring.services.sweeps import carryover
from health.monitoring.services.sweeps.carryover import Leaving
from health.tests import factories as make
from health.tests.checks.samples import bmc, healthy, report


def fleet(*values: str, fact: str = "driver") -> list[tuple[int, str, dict[str, str]]]:
    return [(number, "model-a", {fact: value}) for number, value in enumerate(values)]


def test_the_facts_of_a_report_are_told_by_name() -> None:
    told = facts_of(readings_of(report(healthy())), bmc())
    assert told["driver"] == "550.90.07"
    assert told["kernel"] == "6.5.0-1007-nvidia"
    assert told["hca_firmware_infiniband"] == "28.39.1002"
    assert told["bios"] == "1.7.6"
    assert told.keys() <= FACTS.keys()


def test_parts_that_differ_make_a_value_of_their_own() -> None:
    texts = healthy()
    texts["nvidia-smi -q -x"] = texts["nvidia-smi -q -x"].replace("96.00.99.00.01", "96.00.74.00.01", 1)
    assert facts_of(readings_of(report(texts)), None)["vbios"] == "96.00.74.00.01, 96.00.99.00.01"


def test_machines_that_were_started_the_same_way_have_the_same_command_line() -> None:
    one = command_line_digest("BOOT_IMAGE=/vmlinuz-6.5 root=UUID=aa ro iommu=pt")
    assert one == command_line_digest("BOOT_IMAGE=/vmlinuz-6.5 root=UUID=bb ro iommu=pt")
    assert one != command_line_digest("BOOT_IMAGE=/vmlinuz-6.5 root=UUID=aa ro iommu=off")


def test_what_a_look_does_not_tell_keeps_its_value_and_is_no_change() -> None:
    after, changes = merged({"driver": "1", "kernel": "6.5"}, {"driver": "2", "bios": "1.7"})
    assert after == {"driver": "2", "kernel": "6.5", "bios": "1.7"}
    assert changes == [("driver", "1", "2")]


def test_who_differs_from_most_is_named() -> None:
    (row,) = drift_of(fleet("a", "a", "b", "a", "a"))
    assert (row.majority, row.share, row.values) == ("a", 0.8, {"a": 4, "b": 1})
    assert [(each.machine_id, each.value) for each in row.machines] == [(2, "b")]


@pytest.mark.parametrize("values", [("a", "a", "a", "b"), ("a", "a", "b", "b", "c"), ("a", "b", "a", "b", "a", "b")])
def test_few_machines_or_no_clear_majority_say_nothing(values: tuple[str, ...]) -> None:
    (row,) = drift_of(fleet(*values))
    assert row.majority is None and row.machines == ()


def test_models_and_facts_are_judged_apart() -> None:
    rows = [*fleet("a", "a", "a", "a", "a"), *((n, "model-b", {"driver": "b"}) for n in range(10, 15))]
    assert [(row.model, row.majority) for row in drift_of(rows)] == [("model-a", "a"), ("model-b", "b")]


@given(st.lists(st.sampled_from("abc"), min_size=1, max_size=30))
def test_a_majority_is_large_and_everybody_else_is_named(values: list[str]) -> None:
    (row,) = drift_of(fleet(*values))
    if row.majority is None:
        assert len(values) < LEAST_MACHINES or row.share < LEAST_SHARE
    else:
        assert len(row.machines) + row.values[row.majority] == len(values)
        assert row.majority not in {each.value for each in row.machines}
    assert drift_of(reversed(fleet(*values))) == [row]


@pytest.mark.django_db
def test_a_look_stores_facts_and_what_changed_and_the_query_finds_who_differs(django_assert_num_queries: Any) -> None:
    machines = make.make_machines(6)
    at = timezone.now()
    with django_assert_num_queries(2):
        carryover.store([(machine.pk, at, Leaving(facts={"driver": "535"})) for machine in machines])
    carryover.store([(machines[0].pk, at, Leaving(facts={"driver": "550"}))])
    assert MachineFacts.objects.get(pk=machines[0].pk).facts == {"driver": "550"}
    change = FactChange.objects.get()
    assert (change.machine_id, change.fact, change.before, change.after) == (machines[0].pk, "driver", "535", "550")
    site = machines[0].device.site_id
    with django_assert_num_queries(1):
        (row,) = drift([site])
    assert [each.machine_id for each in row.machines] == [machines[0].pk]
    assert drift([site], model="another") == [] and drift([]) == []
    (told,) = fact_changes(machines[0].pk, at, timezone.now())
    assert (told["title"], told["before"], told["after"]) == ("GPU driver", "535", "550")


@pytest.mark.django_db
def test_facts_that_stay_are_not_written_again(django_assert_num_queries: Any) -> None:
    (machine,) = make.make_machines(1)
    leaving = Leaving(facts={"driver": "535"})
    carryover.store([(machine.pk, timezone.now(), leaving)])
    with django_assert_num_queries(1):
        carryover.store([(machine.pk, timezone.now(), leaving)])
