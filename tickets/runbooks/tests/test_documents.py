"""What a runbook is, and the shipped ones."""

from __future__ import annotations

from typing import Any

import pytest

from health.checks.faults import FAULT_CLASSES
from tickets.runbooks.document import Refused, differences, digest, plain, read
from tickets.runbooks.language import Facts
from tickets.runbooks.power import GENTLE_S, GIVE_UP_S, Shown, decide, input_watts
from tickets.runbooks.shipped import shipped, slug_of
from tickets.runbooks.steps import Choice, Standing, blocked, pick, unproven, written

ASKED_FOR = (
    "reseat", "clean-optic", "swap-optic", "swap-cable", "swap-gpu", "swap-baseboard", "swap-psu", "swap-nvme",
    "swap-dimm", "swap-fan", "swap-hca", "power-drain", "re-rack", "inspect", "firmware",
)  # fmt: skip
NAMES = {"machine": "m1", "part": "SXM 7 (GPU 4)"}


def small(**more: Any) -> dict[str, Any]:
    step = {"key": "look", "kind": "check", "title": "Look at {{ part }}"}
    return {"title": "Small", "minutes": 5, "steps": [step], **more}


def one(step: dict[str, Any]) -> dict[str, Any]:
    return small(steps=[{**small()["steps"][0], **step}])


def two_steps(second: dict[str, Any], first: dict[str, Any] | None = None) -> dict[str, Any]:
    off = {"key": "off", "kind": "check", "title": "Off", "runs": "power_off"}
    return small(steps=[first or off, {"key": "hands", "kind": "reseat", "title": "Reseat", **second}])


def test_the_shipped_runbooks_are_there_and_every_class_of_fault_has_one() -> None:
    assert set(ASKED_FOR) <= set(shipped())
    for name, known in FAULT_CLASSES.items():
        assert known.steps in shipped(), name
    assert slug_of("a.class.of.tomorrow") == "inspect"


@pytest.mark.parametrize("slug", sorted(shipped()))
def test_a_shipped_runbook_has_no_holes_and_hands_go_in_only_after_off(slug: str) -> None:
    runbook = shipped()[slug]
    steps = written(runbook, Facts(NAMES))
    assert steps and not [step for step in steps if "{" in step.title + step.detail]
    seen_off = False
    for step in runbook.steps:
        seen_off = seen_off or step.runs == "power_off"
        if "seen off" in runbook.safety and step.kind == "swap":
            assert step.needs_off and seen_off, f"{slug}: hands go in at {step.key}"


def test_a_ticket_that_says_replace_has_a_step_that_replaces() -> None:
    for name, known in FAULT_CLASSES.items():
        if known.ticket.startswith("Replace"):
            assert "swap" in {step.kind for step in shipped()[known.steps].steps}, name


def test_a_step_names_the_part_and_what_is_printed_beside_it() -> None:
    assert "Reseat SXM 7 (GPU 4)" in [step.title for step in written(shipped()["swap-gpu"], Facts(NAMES))]


@pytest.mark.parametrize(
    ("document", "place", "reason"),
    [
        ({"title": "x", "steps": small()["steps"]}, "minutes", "Field required"),
        (small(minutes=0), "minutes", "greater than or equal to 1"),
        (small(colour="red"), "colour", "Extra inputs"),
        (small(steps=[]), "steps", "at least 1 item"),
        (small(safety="ok\n  {{ nobody }}"), "safety line 2, column 3", "'nobody' is no word"),
        (one({"title": "{% if x %}"}), "steps.1.title line 1, column 1", "no state"),
        (one({"kind": "scan"}), "steps.1.kind", "Input should be"),
        (one({"kind": "swap", "runs": "power_off"}), "steps.1", "of the kind check"),
        (two_steps({"needs_off": True}, small()["steps"][0]), "steps.2.needs_off", "no step before"),
        (two_steps({"key": "off"}), "steps.2.key", "there is a step off"),
        ([], "document", "valid dictionary"),
        (None, "document", "valid dictionary"),
    ],
)  # fmt: skip
def test_a_document_that_cannot_be_followed_is_refused_with_place_and_reason(
    document: Any, place: str, reason: str
) -> None:
    with pytest.raises(Refused) as error:
        read(document)
    assert [problem.place for problem in error.value.problems] == [place]
    assert reason in error.value.problems[0].reason


def test_everything_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(Refused) as error:
        read(small(safety="{{ a }}", steps=[{"key": "a", "kind": "check", "title": "{{ b }}", "text": "{% if c %}"}]))
    assert len(error.value.problems) == 3


def test_the_difference_of_two_versions_is_told_field_by_field() -> None:
    before = plain(read(two_steps({})))
    after = plain(read(two_steps({"needs_off": True}) | {"minutes": 9, "tools": ["torch"]}))
    after["steps"].append({**after["steps"][0], "key": "again"})
    rows = {row.place: (row.before, row.after) for row in differences(before, after)}
    assert rows["minutes"] == ("5", "9") and rows["tools"] == ("", "torch")
    assert rows["step hands: needs_off"] == ("no", "yes")
    assert rows["order of steps"] == ("off, hands", "off, hands, again")
    assert rows["step again: title"] == ("", "Off")
    assert differences(before, before) == [] and digest(before) != digest(after)


# ---- hands go in ----


def standing(number: int, key: str, *, done: bool = False, run: str = "") -> Standing:
    return Standing(number, key, done, run)


def test_hands_wait_until_the_machine_was_seen_off_and_still_is() -> None:
    runbook = read(two_steps({"needs_off": True}))
    off, hands = standing(3, "off"), standing(4, "hands")
    assert "Step 3 first" in blocked(runbook, [off, hands], 4, Facts())
    seen = standing(3, "off", done=True, run="seen")
    assert blocked(runbook, [seen, hands], 4, Facts(states={"off": True})) == ""
    for state in (False, None):
        assert "not seen off any more" in blocked(runbook, [seen, hands], 4, Facts(states={"off": state}))
    passed_over = standing(3, "off", done=True)
    assert blocked(runbook, [passed_over, hands], 4, Facts()) == "", "somebody gave a reason, and it is on record"


def test_a_step_with_a_sign_off_is_not_ticked_by_one_person_alone() -> None:
    second = read(two_steps({"sign": "second_person"})).steps[1]
    row = standing(4, "hands")
    assert "second person has not" in unproven(second, row, 1)
    signed = Standing(4, "hands", False, "", (("second_person", 2),))
    assert unproven(second, signed, 1) == "" and "cannot tick it too" in unproven(second, signed, 2)
    lock = read(two_steps({"sign": "lockout"})).steps[1]
    assert "tag number" in unproven(lock, row, 1)
    assert unproven(lock, Standing(4, "hands", False, "", (("lockout", 1),)), 1) == ""


def test_power_off_is_proven_by_being_seen() -> None:
    off = read(two_steps({})).steps[0]
    for state in ("", "queued", "asked", "failed"):
        assert "not seen off" in unproven(off, standing(3, "off", run=state), 1)
    assert unproven(off, standing(3, "off", run="seen"), 1) == ""


@pytest.mark.parametrize(
    ("choices", "slug"),
    [
        ([], "usual"),
        ([Choice("a", role="compute")], "a"),
        ([Choice("a", role="compute"), Choice("b", model=7)], "b"),
        ([Choice("a", role="compute", model=7), Choice("b", fault_class="gpu.gone")], "b"),
        ([Choice("a", fault_class="gpu.bus"), Choice("b", role="storage"), Choice("c", model=8)], "usual"),
    ],
)
def test_what_says_most_about_a_fault_is_chosen(choices: list[Choice], slug: str) -> None:
    assert pick(choices, fault_class="gpu.gone", role="compute", model=7, usual="usual") == slug


# ---- power ----


def test_off_is_asked_gently_then_by_force_and_given_up_at_last() -> None:
    on = Shown("on")
    assert decide("off", on, ordered="", age_s=0).order == "graceful_off"
    assert decide("off", on, ordered="graceful_off", age_s=GENTLE_S - 1) == decide(
        "off", on, ordered="graceful_off", age_s=1
    )
    assert decide("off", on, ordered="graceful_off", age_s=GENTLE_S).order == "off"
    assert decide("off", on, ordered="off", age_s=GENTLE_S).order == "", "an order is given once"
    assert decide("off", on, ordered="off", age_s=GIVE_UP_S).failed
    assert decide("on", Shown("poweringon"), ordered="on", age_s=5).order == ""


@pytest.mark.parametrize("state", ["on", "poweringoff", "unknown", ""])
def test_nothing_but_the_bmcs_own_word_is_off(state: str) -> None:
    assert not decide("off", Shown(state, 0.0), ordered="off", age_s=10).seen


def test_supplies_that_still_draw_power_deny_the_bmcs_word() -> None:
    assert decide("off", Shown("off", 80.0), ordered="off", age_s=5, rated_w=10_000).seen
    denied = decide("off", Shown("off", 4_000.0), ordered="off", age_s=5, rated_w=10_000)
    assert not denied.seen and "too much" in denied.text
    assert decide("off", Shown("off", None), ordered="off", age_s=5, rated_w=10_000).seen, "where none is told"


def test_input_power_is_read_from_the_older_and_the_newer_tree() -> None:
    assert input_watts({"PowerSupplies": [{"PowerInputWatts": 30}, {"PowerInputWatts": 31.5}]}, None) == 61.5
    newer = {"PowerSupplies": [{"Metrics": {"InputPowerWatts": {"Reading": 40}}}, {"Metrics": {}}]}
    assert input_watts(None, newer) == 40
    assert input_watts({"PowerSupplies": [{"Name": "PSU"}]}, {"PowerSupplies": {"@odata.id": "/x"}}) is None
