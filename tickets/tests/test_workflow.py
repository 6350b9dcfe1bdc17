"""The workflow as a pure function: what the table allows, what it never allows, and that the drawing shows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from health.checks.faults import FAULT_CLASSES
from health.checks.responses import Response
from tickets import texts
from tickets.runbooks.language import Facts
from tickets.runbooks.shipped import shipped, slug_of
from tickets.runbooks.steps import written as written_steps
from tickets.workflow import (
    ACTIVE,
    TRANSITIONS,
    NotAllowed,
    Status,
    TicketEvent,
    allowed,
    kept,
    may,
    next_status,
)

DRAWING = Path(__file__).parents[2] / "docs" / "tickets.md"
PEOPLE = [
    {"technician": False, "operator": False, "mine": False},
    {"technician": True, "operator": False, "mine": False},
    {"technician": True, "operator": False, "mine": True},
    {"technician": True, "operator": True, "mine": False},
    {"technician": True, "operator": True, "mine": True},
]
EVENT_OF = {"take": "take", "release": "release", "verify": "verify", "close": "close", "reopen": "reopen"}


def walk(events: list[TicketEvent]) -> list[Status]:
    """The states a ticket goes through; an event that is not allowed leaves it where it is."""
    path = [Status.OPEN]
    for event in events:
        path.append(next_status(path[-1], event) if allowed(path[-1], event) else path[-1])
    return path


@given(st.lists(st.sampled_from(TicketEvent), max_size=60))
def test_a_ticket_closes_only_on_a_proof_or_by_an_operator(events: list[TicketEvent]) -> None:
    path = walk(events)
    for before, event, after in zip(path, events, path[1:], strict=False):
        if before != Status.CLOSED and after == Status.CLOSED:
            assert event in (TicketEvent.PASS, TicketEvent.RESOLVED, TicketEvent.CLOSE)
        if event == TicketEvent.VERIFY and before != Status.CLOSED:
            assert after != Status.CLOSED, "Resolve and verify never closes by itself"


@given(st.lists(st.sampled_from(TicketEvent), max_size=60))
def test_a_ticket_is_verified_only_after_somebody_took_it(events: list[TicketEvent]) -> None:
    taken = False
    path = walk(events)
    for event, after in zip(events, path[1:], strict=False):
        taken = (taken or event == TicketEvent.TAKE) and after not in (Status.OPEN, Status.CLOSED)
        assert after not in (Status.IN_WORK, Status.VERIFYING) or taken


@given(st.sampled_from(Status))
def test_every_state_can_end_and_a_closed_one_can_come_back(status: Status) -> None:
    reached = {status}
    while True:
        more = {to for (start, _), to in TRANSITIONS.items() if start in reached} - reached
        if not more:
            break
        reached |= more
    assert reached == set(Status)


@given(st.text(max_size=12), st.text(max_size=12))
def test_words_that_are_no_state_or_event_are_refused(status: str, event: str) -> None:
    if status not in list(Status) or event not in list(TicketEvent):
        with pytest.raises(NotAllowed):
            next_status(status, event)


def test_a_step_that_is_not_in_the_table_says_why() -> None:
    with pytest.raises(NotAllowed, match="a ticket that is in work cannot take"):
        next_status("in_work", "take")


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("who", PEOPLE, ids=lambda who: "+".join(k for k, v in who.items() if v) or "viewer")
def test_nobody_is_offered_what_the_workflow_refuses(status: Status, who: dict[str, bool]) -> None:
    offered = may(status, **who, has_slot=True)
    for action, event in EVENT_OF.items():
        assert action not in offered or allowed(status, event)
    if not who["operator"]:
        assert not {"close", "reopen"} & set(offered)
    if not who["technician"]:
        assert offered == []
    if {"step", "swap", "verify"} & set(offered):
        assert status == Status.IN_WORK and (who["mine"] or who["operator"])


def test_a_part_without_a_slot_is_not_swapped() -> None:
    assert "swap" not in may("in_work", technician=True, operator=False, mine=True, has_slot=False)


def test_the_drawing_shows_the_table() -> None:
    drawn = set(re.findall(r"^\s+(\w+) --> (\w+): (\w+)", DRAWING.read_text(), re.MULTILINE))
    assert drawn == {(start.value, end.value, event.value) for (start, event), end in TRANSITIONS.items()}


def test_verifying_counts_as_open() -> None:
    assert Status.VERIFYING in ACTIVE and Status.CLOSED not in ACTIVE


@given(st.integers(0, 200), st.integers(0, 20), st.integers(1, 20))
def test_the_first_and_the_latest_are_kept_and_no_more(count: int, first: int, latest: int) -> None:
    ids = list(range(count))
    left, gone = kept(ids, first, latest)
    assert sorted(left + gone) == ids and len(left) <= first + latest
    assert left[:first] == ids[:first] and (not ids or left[-1] == ids[-1])


# ---- wording ----


def test_titles_are_plain_words() -> None:
    assert texts.title("gpu.gone", "GPU 4", "hgx-a17-03") == "Replace GPU 4 in hgx-a17-03"
    assert texts.title("hca.link", "HCA mlx5_9", "m1") == "Clean or replace the cable on HCA mlx5_9 of m1"
    assert texts.title("gpu.reset", "GPU 1", "m1") == "Check GPU 1 in m1"
    assert texts.title("quantum.decay", "flux 1", "m1") == "Repair flux 1 in m1"


def test_every_fault_class_has_a_title_of_its_own_family_and_steps_that_end_in_a_verification() -> None:
    for fault_class in FAULT_CLASSES:
        assert not texts.title(fault_class, "GPU 4", "m1").startswith("Repair GPU 4"), fault_class
        assert texts.priority(fault_class) in ("P1", "P2", "P3")
        written = written_steps(shipped()[FAULT_CLASSES[fault_class].steps], Facts())
        steps = texts.steps(written, "m1", "SXM 7")
        assert steps[2:-1] == written, "every written step reaches the ticket, in its order"
        assert [step.kind for step in steps].count("verify") == 1 and steps[-1].kind == "verify"
        assert [step.kind for step in steps].count("scan") == 1, "scanning means the machine's label"
        assert sum("ind the machine" in step.title for step in steps) == 0, "the first step says it already"
        assert all(step.kind in ("check", "scan", "swap", "reseat", "clean", "verify") for step in steps)


@pytest.mark.parametrize("fault_class", ["quantum.decay", "reported.coolant"])
@pytest.mark.parametrize(
    ("response", "urgency"), [("ticket", "P3"), ("cordon", "P2"), ("drain", "P2"), ("drain_now", "P1")]
)
def test_an_unknown_or_reported_class_is_as_urgent_as_its_response(
    fault_class: str, response: str, urgency: str
) -> None:
    assert texts.priority(fault_class, Response(response)) == urgency
    assert texts.priority("gpu.gone", Response(response)) == texts.priority("gpu.gone"), "a known class says it itself"


def test_a_cable_is_not_swapped_like_a_part() -> None:
    for fault_class in ("hca.link", "hca.rate"):
        for step in written_steps(shipped()[slug_of(fault_class)], Facts()):
            assert step.kind != "swap" or "cable" not in step.title.lower().split("if")[0]


def test_every_way_provisioning_fails_has_words_and_steps() -> None:
    from provisioning.steps import FailureClass

    for failure in FailureClass:
        assert texts.PROVISIONING_STEPS[failure]
        assert f"provisioning.{failure}" in texts.TITLES
