"""How urgent a ticket is by what it costs, and the line that says why."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tickets.desk.rules.priority import MANY_GPUS, Facts, Redundancy, rank
from tickets.models import PRIORITIES

OUT = Facts(machines_out=1, gpus_out=8, room="Hall 1")
PSU = Redundancy("PSU", working=4, needed=4, of=6)


@pytest.mark.parametrize(
    ("facts", "line"),
    [
        (replace(OUT, jobs_hurt=1, spare_machines=0), "P1: 8 GPUs out, 1 job hurt, no spare in Hall 1"),
        (replace(OUT, jobs_hurt=1, spare_machines=2), "P2: 8 GPUs out, 1 job hurt, 2 spares in Hall 1"),
        (OUT, "P2: 8 GPUs out"),
        (replace(OUT, spare_parts=0), "P2: 8 GPUs out, no spare part here"),
        (replace(OUT, machines_out=4, gpus_out=32), "P1: 32 GPUs out on 4 machines"),
        (replace(OUT, danger=True), "P1: what runs there is in danger, 8 GPUs out"),
        (Facts(), "P3: no GPU out"),
        (Facts(redundancy=PSU), "P2: no GPU out, 4 of 6 PSUs work, none more may fail"),
        (replace(OUT, jobs_hurt=None, severity="P1"), "P1: 8 GPUs out, jobs not known, spares in Hall 1 not known"),
        (Facts(jobs_hurt=None, severity="P3"), "P3: no GPU out, jobs not known"),
    ],
)
def test_the_line_says_what_it_costs(facts: Facts, line: str) -> None:
    assert rank(facts).line == line and line.startswith(rank(facts).priority)


counts = st.integers(0, 200)
redundancies = st.none() | st.builds(
    lambda working, needed, more: Redundancy("PSU", working, needed, working + more), counts, counts, counts
)
facts_of_any_kind = st.builds(
    Facts,
    severity=st.sampled_from(PRIORITIES),
    danger=st.booleans(),
    machines_out=counts,
    gpus_out=counts,
    jobs_hurt=st.none() | counts,
    spare_machines=st.none() | counts,
    room=st.sampled_from(["", "Hall 1"]),
    redundancy=redundancies,
    spare_parts=st.none() | counts,
)


@given(facts_of_any_kind)
def test_every_ticket_has_a_priority_and_a_line_that_fits(facts: Facts) -> None:
    found = rank(facts)
    assert found.priority in PRIORITIES and found.line.startswith(f"{found.priority}: ")
    assert len(found.line) <= 200


@given(facts_of_any_kind)
def test_what_is_not_known_never_makes_it_less_urgent(facts: Facts) -> None:
    unknown = rank(replace(facts, jobs_hurt=None)).priority
    assert unknown <= facts.severity and unknown <= rank(replace(facts, jobs_hurt=0)).priority
    assert rank(replace(facts, spare_machines=None)).priority <= rank(facts).priority


@given(facts_of_any_kind, counts)
def test_what_costs_more_is_never_less_urgent(facts: Facts, more: int) -> None:
    was = rank(facts).priority
    assert rank(replace(facts, gpus_out=facts.gpus_out + more)).priority <= was
    assert rank(replace(facts, danger=True)).priority == "P1"
    assert rank(replace(facts, gpus_out=MANY_GPUS + more)).priority == "P1"
    if facts.jobs_hurt is not None:
        assert rank(replace(facts, jobs_hurt=facts.jobs_hurt + more)).priority <= was
    if facts.spare_machines is not None:
        assert rank(replace(facts, spare_machines=facts.spare_machines + more)).priority >= was
