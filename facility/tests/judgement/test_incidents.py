"""What is proposed: one incident for one cause, and steps from the gentlest to the last."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from facility.judgement.incidents import Machine, Site, failing_feeds, incidents
from facility.judgement.kinds import KINDS, SEVERITIES, Finding, worst_first

MACHINES = {
    n: Machine(
        n, f"hgx-{n}", "D" if n <= 6 else "E", (n % 3,), n, frozenset({1 if n <= 6 else 3, 2}), frozenset({7}), 500
    )
    for n in range(1, 9)
}
SITE = Site(MACHINES, {1: "d-a", 2: "d-b", 3: "e-a"})


def of_machine(kind: str, n: int, **values: object) -> Finding:
    return Finding(kind, "machine", n, f"hgx-{n}", "", values, n)


RISE = Finding("rise.fast", "rack", 2, "D02", "", {"row": "D"}, 2)
LEAK = Finding("leak", "cooling_unit", 7, "cdu-1", "", {"valve": "V1", "manifold": "m1", "racks": [1, 2]})
ROPE = Finding("leak", "rack", 2, "D02", "", {"racks": [2]}, 2, part="Rope")
LOST = Finding("feed.lost", "feed", 1, "d-a", "")


def test_every_kind_has_a_severity_and_a_line_for_the_technician() -> None:
    assert all(kind.severity in SEVERITIES and kind.title and kind.todo.endswith(".") for kind in KINDS.values())
    assert all(key == kind.key for key, kind in KINDS.items())
    with pytest.raises(ValueError, match="no kind of finding"):
        Finding("no.such", "rack", 1, "D01", "")


def test_the_same_finding_has_the_same_key_and_another_part_another_one() -> None:
    one = of_machine("psu.idle", 1)
    assert one.key == replace(one, text="other words").key != replace(one, part="PSU 2").key


# ---- one incident ----


def test_a_dead_feed_is_one_incident_with_all_its_machines_and_findings() -> None:
    found = incidents(
        [LOST, *(of_machine("psu.idle", n, feed=1) for n in range(1, 7)), of_machine("inlet.hot", 3)], SITE
    )
    assert [each.key for each in found] == ["feed:1", "subject:machine:3"]
    assert (found[0].machines, len(found[0].findings)) == ((1, 2, 3, 4, 5, 6), 7)
    assert found[0].title == "d-a, 6 machines: Feed carries nothing and 1 more"


def test_a_meter_that_is_silent_because_its_feed_is_dead_is_of_that_incident() -> None:
    of_feed, elsewhere = (Finding("value.unknown", "pdu", pk, f"pdu-{pk}", "") for pk in (21, 22))
    found = incidents([LOST, of_feed, elsewhere], replace(SITE, feed_of_pdu={21: 1, 22: 3}))
    assert [each.key for each in found] == ["feed:1", "subject:pdu:22"]
    assert of_feed in found[0].findings


def test_most_machines_of_a_feed_with_an_idle_supply_are_a_failing_feed_though_it_says_nothing() -> None:
    four = [of_machine("psu.idle", n, feed=1) for n in range(1, 5)]
    assert failing_feeds(four, SITE) == {1: frozenset(range(1, 7))}
    assert failing_feeds(four[:3], SITE) == {}
    assert [each.key for each in incidents(four[:1], SITE)] == ["subject:machine:1"]


def test_a_leak_is_one_incident_of_its_unit_with_what_gets_hot_behind_it() -> None:
    found = incidents([LEAK, RISE, of_machine("gpu.near", 1), of_machine("psu.idle", 2, feed=1)], SITE)
    assert [each.key for each in found] == ["cooling_unit:7", "subject:machine:2"]
    assert len(found[0].machines) == 8


def test_a_leak_of_a_rack_or_a_room_takes_the_machines_that_stand_there() -> None:
    placed = replace(SITE, machines={n: each._replace(room_id=1) for n, each in MACHINES.items()})
    in_rack, in_hall = (replace(ROPE, subject_kind=kind, subject_id=pk) for kind, pk in (("rack", 2), ("room", 1)))
    found = incidents([in_rack, in_hall], placed)
    assert [(each.key, each.machines) for each in found] == [
        ("subject:rack:2", (2,)), ("subject:room:1", tuple(MACHINES)),
    ]  # fmt: skip


def test_racks_of_one_row_that_heat_up_are_one_incident_when_no_unit_says_why() -> None:
    found = incidents(
        [RISE, replace(RISE, subject_id=3, rack_id=3), of_machine("air.class", 4), of_machine("air.class", 8)], SITE
    )
    assert [(each.key, each.machines) for each in found] == [("row:D", (1, 2, 3, 4, 5, 6)), ("subject:machine:8", (8,))]


FINDINGS = st.lists(
    st.one_of(
        st.builds(of_machine, st.sampled_from(["psu.idle", "inlet.hot", "gpu.near", "cap.wrong"]), st.integers(1, 9)),
        st.builds(lambda n: of_machine("psu.idle", n, feed=1), st.integers(1, 8)),
        st.builds(lambda row: replace(RISE, values={"row": row}), st.sampled_from(["D", "E", ""])),
        st.just(LEAK), st.just(LOST),
        st.builds(lambda n: Finding("phase.imbalance", "pdu", n, f"pdu-{n}", ""), st.integers(1, 9)),
    )
)  # fmt: skip


@given(FINDINGS)
def test_each_finding_is_in_exactly_one_incident_and_keys_are_unique(given_findings: list[Finding]) -> None:
    found = incidents(given_findings, SITE)
    inside = [each for incident in found for each in incident.findings]
    assert sorted(each.key for each in inside) == sorted(each.key for each in given_findings)
    assert len({each.key for each in found}) == len(found)


# ---- steps ----


def steps(*given_findings: Finding, site: Site = SITE) -> list[str]:
    return [step.action for step in incidents(given_findings, site)[0].steps]


def test_steps_go_from_no_new_jobs_to_the_feed() -> None:
    assert steps(RISE) == ["stop_new_jobs", "limit_power", "shut_down", "feed_off"]


def test_a_leak_begins_with_its_valve_and_the_machines_behind_it() -> None:
    (incident,) = incidents([LEAK], SITE)
    first = incident.steps[0]
    assert (first.action, first.text, first.machines, first.order) == ("close_valve", "Close valve V1.", (1, 2), 1)
    assert [each.action for each in incident.steps][-1] == "feed_off"


def test_a_leak_without_a_unit_begins_with_finding_the_water_and_one_without_a_place_ends_there() -> None:
    (incident,) = incidents([ROPE], SITE)
    first = incident.steps[0]
    assert (first.action, first.machines) == ("close_valve", (2,))
    assert first.text == "Find where the water at Rope of D02 comes from, and close its valve."
    assert steps(replace(ROPE, subject_kind="meter", values={"racks": []})) == ["close_valve"]


def test_a_feed_that_is_dead_is_not_switched_off() -> None:
    assert steps(LOST) == ["stop_new_jobs", "limit_power", "shut_down"]


def test_without_a_wanted_limit_nothing_is_capped() -> None:
    uncapped = replace(SITE, machines={n: each._replace(capped_w=None) for n, each in MACHINES.items()})
    assert "limit_power" not in steps(RISE, site=uncapped)


def test_findings_that_are_work_for_a_technician_have_no_steps() -> None:
    assert all(not each.steps for each in incidents([of_machine("cap.wrong", 1), of_machine("inlet.hot", 2)], SITE))


def test_machines_are_shut_down_by_priority_and_so_many_at_a_time() -> None:
    (incident,) = incidents([RISE], replace(SITE, at_once=2))
    step = next(each for each in incident.steps if each.action == "shut_down")
    assert step.machines == (3, 6, 1, 4, 2, 5)
    assert step.text == "Shut down 6 machines in order of priority, 2 at a time."


def test_a_power_cap_says_for_each_machine_which_limit() -> None:
    (incident,) = incidents([RISE], SITE)
    step = next(each for each in incident.steps if each.action == "limit_power")
    assert step.watts == dict.fromkeys(range(1, 7), 500) and step.text == "Limit the GPUs of 6 machines to 500 W."


def test_each_step_says_how_it_is_undone_and_only_the_feed_is_not_reversible() -> None:
    (incident,) = incidents([RISE], SITE)
    assert all(step.undo for step in incident.steps)
    assert [step.action for step in incident.steps if not step.reversible] == ["feed_off"]


def test_the_worst_comes_first() -> None:
    listed = worst_first([of_machine("inlet.hot", 1), of_machine("air.class", 2)])
    assert [each.kind for each in listed] == ["air.class", "inlet.hot"]
