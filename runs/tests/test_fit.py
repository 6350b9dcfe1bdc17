"""Fit to start: pure parts in milliseconds, then the routes on real rows of health, inventory and fabric."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.slurm.client import expand
from health.monitoring.facts import FACTS
from health.monitoring.images.states import Held
from runs.fit.criteria import CRITERIA, FAIL, OK, UNKNOWN, WARN
from runs.fit.facts import BurnIn, Facts, Floor, LinkState, Rail
from runs.fit.verdict import Launch, Verdict, choices_of, verdict_of
from runs.machines.hostlists import Host, compressed, forms, in_order

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
GOOD_CELLS = {
    "ib.port": "o", "nvlink.links": "o", "ib.counters": "o", "nvlink.errors": "o", "hca.link_quality": ".",
    "hca.wire_errors": ".", "clock.offset": "o",
}  # fmt: skip
VERSIONS = {"driver": "535.129.03", "kernel": "5.15.0-91", "os": "Ubuntu 22.04"}


def machine(number: int, *, unit: int = 1, **more: Any) -> Facts:
    """A good one: two rails, each on the leaf of its unit."""
    told: dict[str, Any] = {
        "gpus": 8, "versions": VERSIONS, "cells": GOOD_CELLS,
        "rails": tuple(Rail(rail, f"leaf-u{unit}-r{rail}", rail) for rail in (1, 2)),
        "links": (LinkState("mlx5_0", "correct", "ok"),), "burn_in": BurnIn(NOW - timedelta(days=3), True),
    }  # fmt: skip
    return Facts(number, f"hgx-a{unit:02}-{number:02}", "xe9680", **(told | more))


# Units 1 and 2 make a pod, unit 3 is of another.
FLOOR = Floor(
    {f"leaf-u{unit}-r{rail}": frozenset({f"spine-p{1 if unit < 3 else 2}"}) for unit in (1, 2, 3) for rail in (1, 2)}
)


def verdict(chosen: list[Facts], others: list[Facts] = [], **more: Any) -> Verdict:  # noqa: B006  (never changed)
    return verdict_of(chosen, others, FLOOR, now=NOW, titles=FACTS, **more)


def line(found: Verdict, criterion: str) -> tuple[str, str]:
    row = next(row for row in found.lines if row.id == criterion)
    return row.state, row.text


# ---- the criteria ----
def test_a_set_of_good_machines_is_fit() -> None:
    found = verdict([machine(n) for n in range(4)], [machine(9)])
    assert (found.state, found.out, found.spares) == ("fit", (), 1)
    assert found.sentence == "All 4 machines are fit to start."
    assert {row.state for row in found.lines} == {OK, "not_asked", "not_run"}


@pytest.mark.parametrize(
    ("criterion", "state", "words", "change"),
    [
        ("service", FAIL, "it is in repair, REP-2044", {"state": "repair", "ticket": "REP-2044"}),
        ("service", FAIL, "it is not in the golden set", {"golden": False}),
        ("service", FAIL, "a check fails: GPU 4 is missing", {"worst": "fail", "failing": "GPU 4 is missing"}),
        ("service", UNKNOWN, "it is unreachable", {"reachability": "unreachable"}),
        ("service", UNKNOWN, "it is late", {"reachability": "late"}),
        ("versions", FAIL, "GPU driver 535.183.01, others 535.129.03",
         {"versions": VERSIONS | {"driver": "535.183.01"}}),
        ("versions", UNKNOWN, "its driver is not known", {"versions": {}}),
        ("versions", UNKNOWN, "Kernel is not known", {"versions": {"driver": "535.129.03", "os": "Ubuntu 22.04"}}),
        ("links", FAIL, "mlx5_9: too many errors", {"links": (LinkState("mlx5_9", "correct", "bad"),)}),
        ("links", FAIL, "mlx5_9: slower than both ends can", {"links": (LinkState("mlx5_9", "slow", "ok"),)}),
        ("links", FAIL, "400 of 200", {"cells": GOOD_CELLS | {"ib.port": "f"}, "said": {"ib.port": "400 of 200"}}),
        ("links", UNKNOWN, "ib.port gave no answer", {"cells": GOOD_CELLS | {"ib.port": "u"}}),
        ("links", UNKNOWN, "nobody counts", {"cells": GOOD_CELLS | {"ib.counters": "."}, "links": ()}),
        ("rails", FAIL, "rail 2 ends at leaf-u1-r3, which carries rail 3",
         {"rails": (Rail(1, "leaf-u1-r1", 1), Rail(2, "leaf-u1-r3", 3))}),
        ("rails", UNKNOWN, "no leaf is known for rail 2", {"rails": (Rail(1, "leaf-u1-r1", 1), Rail(2, "", None))}),
        ("clock", FAIL, "the clock is +0.9 s off",
         {"cells": GOOD_CELLS | {"clock.offset": "f"}, "said": {"clock.offset": "the clock is +0.9 s off"}}),
        ("clock", UNKNOWN, "its clock was not compared", {"cells": GOOD_CELLS | {"clock.offset": "u"}}),
        ("burn_in", FAIL, "did not pass: GPU 2 computes wrong", {"burn_in": BurnIn(NOW, False, "GPU 2 computes wrong")}),
        ("launch", FAIL, "the launch check found it bad", {"bad_at_launch": "the launch check found it bad"}),
    ],
)  # fmt: skip
def test_what_keeps_a_machine_out(criterion: str, state: str, words: str, change: dict[str, Any]) -> None:
    """A failure and what is not known alike: unknown is never fit."""
    found = verdict([machine(1), machine(2), machine(3), replace(machine(4), **change)])
    assert found.state == "not_fit" and [each.name for each in found.out] == ["hgx-a01-04"]
    reason = found.out[0].reasons[0]
    assert (reason.criterion, reason.state) == (criterion, state) and words in reason.text
    assert "1 of 4 machines must stay out. hgx-a01-04: " in found.sentence
    if criterion != "launch":
        told, text = line(found, criterion)
        assert told == state and "hgx-a01-04" in text


@pytest.mark.parametrize(
    ("criterion", "words", "change"),
    [
        ("burn_in", "no burn-in is known", {"burn_in": None}),
        ("burn_in", "23 days ago", {"burn_in": BurnIn(NOW - timedelta(days=23), True)}),
        ("free", "a job runs on it", {"allocation": "allocated"}),
        ("free", "not known whether", {"allocation": "unknown"}),
        ("clock", "the clock is off", {"cells": GOOD_CELLS | {"clock.offset": "w"}}),
        ("links", "errors are counted", {"links": (LinkState("mlx5_1", "correct", "watch"),)}),
    ],
)
def test_what_only_warns(criterion: str, words: str, change: dict[str, Any]) -> None:
    found = verdict([machine(1), replace(machine(2), **change)])
    state, text = line(found, criterion)
    assert (found.state, found.out, state) == ("fit", (), WARN) and words in text


@pytest.mark.parametrize(
    ("criterion", "change"),
    [
        ("rails", {"rails": ()}),
        ("clock", {"cells": GOOD_CELLS | {"clock.offset": "."}}),
        ("versions", {"versions": {}}),
    ],
)
def test_what_is_known_of_no_machine_leaves_nobody_out_and_is_never_fit(criterion: str, change: dict[str, Any]) -> None:
    found = verdict([replace(machine(n), **change) for n in (1, 2)])
    assert (found.state, found.out) == ("unknown", ())
    assert found.sentence.startswith("Not known whether the 2 machines are fit:")
    state, text = line(found, criterion)
    assert state == UNKNOWN and text.startswith("known of no machine")


def test_an_image_that_nobody_reads_is_not_known_and_the_set_is_not_called_fit() -> None:
    found = verdict([machine(1), machine(2)], image="kestrel:2026-11-06")
    assert found.state == "unknown" and not found.out
    assert line(found, "image") == (UNKNOWN, "known of no machine: which images lie on it is not read")


THERE = Held(("sha256:" + "a" * 64, "sha256:" + "c" * 64))


@pytest.mark.parametrize(
    ("own", "state", "words"),
    [
        (Held(), FAIL, "the image is not there"),
        (Held((), "docker: the command hung and was stopped"), UNKNOWN, "docker: the command hung"),
        (Held(("sha256:" + "b" * 64,)), FAIL, "another image of this name: bbbbbbbbbbbb, others cccccccccccc"),
        (None, UNKNOWN, "is not read"),
    ],
)
def test_a_machine_without_the_image_or_with_another_of_its_name_stays_out(
    own: Held | None, state: str, words: str
) -> None:
    """The third machine loaded the image from a file: it has no digest of a registry, and is the same image."""
    loaded = machine(3, image=Held(THERE.identities[1:]))
    chosen = [machine(1, image=THERE), machine(2, image=THERE), loaded, machine(4, image=own)]
    spares = [machine(8, image=own), machine(9, unit=3, image=THERE)]
    found = verdict(chosen, spares, image="kestrel:2026-11-06")
    assert [each.name for each in found.out] == ["hgx-a01-04"] and line(found, "image")[0] == state
    reason = found.out[0].reasons[0]
    assert (reason.criterion, reason.state) == ("image", state) and words in reason.text
    stands_in = found.out[0].replacement
    assert stands_in is not None and stands_in.id == 9, "a spare without the image stands in for nobody"
    assert verdict(chosen, spares).state == "fit", "whoever names no image is not kept out by one"


def test_between_two_versions_as_frequent_the_golden_machines_decide() -> None:
    other = VERSIONS | {"driver": "535.183.01"}
    golden = [machine(7, versions=other), machine(8, versions=other)]
    found = verdict([machine(1), replace(machine(2), versions=other)], golden)
    assert [each.name for each in found.out] == ["hgx-a01-01"]


def test_a_name_that_no_machine_has_stays_out() -> None:
    found = verdict([machine(1), machine(2)], [machine(9)], lost=("hgx-z99-01",))
    (out,) = found.out
    assert (out.name, out.machine, out.reasons[0].text) == ("hgx-z99-01", None, "it is not in the inventory")
    assert out.replacement is not None and found.state == "not_fit"
    assert line(found, "service")[0] == UNKNOWN
    replaced = choices_of([machine(1), machine(2)], found)[0]
    assert [each.name for each in replaced.machines] == ["hgx-a01-01", "hgx-a01-02", "hgx-a01-09"]


def test_nothing_is_not_fit() -> None:
    assert verdict([]).state == "unknown"


# ---- replacements ----
def broken(number: int, unit: int = 1) -> Facts:
    return machine(number, unit=unit, state="repair")


def test_a_spare_on_the_leaf_goes_before_one_in_the_pod() -> None:
    others = [machine(20, unit=2), machine(30, unit=3), machine(19)]
    (out,) = verdict([machine(1), broken(2)], others).out
    assert (out.replacement and out.replacement.name, out.distance, out.note) == ("hgx-a01-19", "leaf", "")


def test_no_spare_on_the_leaf() -> None:
    """The nearest of the pod stands in, and the answer says why it is not nearer."""
    (out,) = verdict([machine(1), broken(2)], [machine(30, unit=3), machine(20, unit=2)]).out
    assert (out.replacement and out.replacement.name, out.distance) == ("hgx-a02-20", "pod")
    assert out.note == "no spare on the leaf"
    (out,) = verdict([machine(1), broken(2)], [machine(30, unit=3)]).out
    assert (out.distance, out.note) == ("anywhere", "no spare on the leaf, none in the pod")


def test_no_spare_at_all_is_said_and_the_others_can_start() -> None:
    chosen = [machine(1), broken(2), machine(3)]
    found = verdict(chosen)
    (out,) = found.out
    assert (out.replacement, out.note) == (None, "no golden machine of its model is idle and fit")
    assert [choice.id for choice in choices_of(chosen, found)] == ["reduced"]
    assert line(found, "spares")[0] == WARN


@pytest.mark.parametrize(
    "change",
    [
        {"golden": False}, {"allocation": "allocated"}, {"allocation": "unknown"}, {"state": "drained"},
        {"worst": "fail"}, {"versions": VERSIONS | {"driver": "1"}}, {"reachability": "unreachable"},
        {"cells": GOOD_CELLS | {"ib.port": "u"}}, {"model": "other"},
    ],
)  # fmt: skip
def test_who_is_not_fit_or_not_idle_stands_in_for_nobody(change: dict[str, Any]) -> None:
    (out,) = verdict([machine(1), machine(2), broken(3)], [replace(machine(19), **change)]).out
    assert out.replacement is None


def test_each_spare_is_used_once_and_where_it_is_nearest() -> None:
    """The one of unit 2 goes to unit 2, although unit 1 is asked first."""
    chosen = [broken(1), broken(2, unit=2), machine(3)]
    found = verdict(chosen, [machine(20, unit=2), machine(30, unit=3)])
    assert {each.name: each.replacement and each.replacement.name for each in found.out} == {
        "hgx-a01-01": "hgx-a03-30", "hgx-a02-02": "hgx-a02-20",
    }  # fmt: skip
    replaced = choices_of(chosen, found)[0]
    assert [each.name for each in replaced.machines] == ["hgx-a03-30", "hgx-a02-20", "hgx-a01-03"]
    assert found.spares == 0 and found.wanted == (1, 1)


def test_a_launch_check_that_runs_decides_nothing_yet() -> None:
    found = verdict([machine(1), machine(2)], launch=Launch("running", "round 1"))
    assert found.state == "fit" and line(found, "launch") == ("running", "round 1")


def test_511_machines_are_evaluated_in_a_moment() -> None:
    import time

    chosen = [machine(n, unit=1 + n % 3) for n in range(490)]
    chosen[::50] = [broken(each.id, 1 + each.id % 3) for each in chosen[::50]]
    begun = time.process_time()
    found = verdict(chosen, [machine(n, unit=1 + n % 3) for n in range(490, 511)])
    assert len(found.out) == 10 and all(each.distance == "leaf" for each in found.out)
    assert time.process_time() - begun < 0.5


def test_every_criterion_has_a_title_of_its_own() -> None:
    assert len({each.title for each in CRITERIA}) == len(CRITERIA) == len({each.id for each in CRITERIA})


# ---- host lists ----
names = st.lists(
    st.from_regex(r"[a-z]{1,3}(-?[a-z]?[0-9]{1,3}){0,4}(-[a-z])?", fullmatch=True), min_size=1, max_size=40, unique=True
)


@given(names)
def test_a_host_list_leads_back_to_the_same_names(told: list[str]) -> None:
    assert expand(compressed(told)) == set(told)


def test_neighbours_are_written_as_ranges_the_last_at_the_end_of_the_name() -> None:
    whole = [f"hgx-a{rack:02}-{u:02}" for rack in range(1, 9) for u in range(1, 5)]
    assert compressed(whole) == "hgx-a[01-08]-[01-04]"
    assert compressed(["gpu-1-ib", "n8", "n08", "n9"]) == "gpu-1-ib,n08,n[8-9]"
    left = compressed(set(whole) - {"hgx-a03-02"})
    assert left == "hgx-a03-[01,03-04],hgx-a[01-02,04-08]-[01-04]"


def expanded(text: str) -> list[str]:
    """What Slurm makes of a hostlist with one bracket a name."""
    found = []
    for head, inside in re.findall(r"([^,\[\]]+)(?:\[([^\]]*)\])?", text):
        for part in inside.split(",") if inside else [None]:
            low, _, high = (part or "").partition("-")
            numbers = range(int(low), int(high or low) + 1) if part else [None]
            found += [head if n is None else f"{head}{n:0{len(low)}d}" for n in numbers]
    return found


@given(st.lists(st.from_regex(r"(hgx-[ab][0-9]-|gpu)[0-9]{1,3}|login", fullmatch=True), unique=True))
def test_a_hostlist_of_slurm_names_the_same_machines_in_the_same_order(names: list[str]) -> None:
    assert expanded(in_order(names)) == names


def test_the_four_forms_say_the_same_hosts_in_the_same_order() -> None:
    hosts = [Host("hgx-a01-02", 8, "leaf-1"), Host("hgx-a01-01", 4, "leaf-2")]
    told = forms(hosts, run="kestrel-8", left_out=["hgx-a01-03"])
    assert told["slurm"] == "hgx-a01-[02,01]"
    assert told["mpi"] == "hgx-a01-02 slots=8\nhgx-a01-01 slots=4\n"
    for words in ("--nnodes=2", "--nproc-per-node=4", "--rdzv-id=kestrel-8", "--rdzv-endpoint=hgx-a01-02:29500"):
        assert words in told["torchrun"]
    as_json = json.loads(told["json"])
    assert as_json["gpus"] == 12 and as_json["left_out"] == ["hgx-a01-03"]
    assert as_json["hosts"][1] == {"node": 1, "host": "hgx-a01-01", "gpus": 4, "leaf": "leaf-2"}
