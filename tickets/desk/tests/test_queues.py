"""Whose queue a ticket stands in, by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from health.checks.faults import FAULT_CLASSES
from health.remediation.models import SHARED_CAUSES
from provisioning.steps import FailureClass
from tickets.desk.rules.queues import BY_HAND, OF_CAUSES, OF_CLASSES, Queue, Rule, Subject, queue_of

FAILURES = [f"provisioning.{each}" for each in FailureClass]
CLASSES = [*FAULT_CLASSES, *FAILURES, "fabric.swapped", "person.report", "x.new"]


@pytest.mark.parametrize(
    ("ticket", "queue"),
    [
        (Subject("gpu.gone"), "hands"),
        (Subject("disk.full"), "own"),
        (Subject("nvswitch.fatal"), "vendor"),
        (Subject("hca.fabric"), "network"),
        (Subject("provisioning.dhcp_failed", source="provisioning"), "network"),
        (Subject("provisioning.part_missing", source="provisioning"), "vendor"),
        (Subject("provisioning.bmc_refuses", source="provisioning"), "own"),
        (Subject("provisioning.no_power", source="provisioning"), "hands"),
        (Subject("fabric.switch_down", subject="switch", source="fabric"), "network"),
        (Subject("fabric.link", subject="cable", source="fabric"), "hands"),
        (Subject("incident.shared", source="incident", subject="place", cause="rollout"), "own"),
        (Subject("incident.shared", source="incident", subject="switch", cause="switch"), "network"),
        (Subject("incident.shared", source="incident", subject="place", cause="feed"), "hands"),
        (Subject("cooling.lost", source="incident", subject="place", cause="cooling"), "hands"),
        (Subject("nobody.knows"), "hands"),
        (Subject("provisioning.nobody_knows", source="provisioning"), "hands"),
    ],
)
def test_the_rule_sends_it_where_it_belongs(ticket: Subject, queue: str) -> None:
    assert queue_of(ticket) == queue


def test_the_tables_name_only_what_there_is() -> None:
    assert {*OF_CLASSES, *BY_HAND} <= set(FAULT_CLASSES)
    assert set(OF_CAUSES) == set(SHARED_CAUSES)


def test_a_site_may_say_otherwise_and_its_first_rule_that_fits_counts() -> None:
    rules = [Rule("gpu.thermal", Queue.OWN), Rule("gpu.*", Queue.VENDOR)]
    assert queue_of(Subject("gpu.thermal"), rules) == "own"
    assert queue_of(Subject("gpu.gone"), rules) == "vendor"
    assert queue_of(Subject("nvme.gone"), rules) == "hands"


@given(st.sampled_from(CLASSES), st.sampled_from(list(Queue)))
def test_a_site_has_the_last_word_about_every_class(fault_class: str, queue: Queue) -> None:
    assert queue_of(Subject(fault_class), [Rule("*", queue)]) == queue
    assert queue_of(Subject(fault_class), [Rule(fault_class, queue)]) == queue
