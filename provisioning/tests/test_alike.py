"""Many machines that fail alike are one cause: one group, and one ticket."""

from __future__ import annotations

from provisioning.alike import COMMON, LEAST, Alike, Trouble, groups
from provisioning.steps import FailureClass, StepName

NO_BMC, NO_POWER, IDENTITY = FailureClass.NO_BMC, FailureClass.NO_POWER, StepName.IDENTITY


def trouble(number: int, rack: str = "", **more: object) -> Trouble:
    return Trouble(number, number, f"gpu-{number:03}", IDENTITY, NO_BMC, rack, **more)  # type: ignore[arg-type]


def test_so_many_alike_are_one_group_and_fewer_are_none() -> None:
    assert groups(trouble(number) for number in range(LEAST - 1)) == []
    (group,) = groups(trouble(number) for number in range(8))
    assert group.names == [f"gpu-{number:03}" for number in range(8)]
    assert "8 machines fail alike at identity" in group.text and "management network" in group.cause


def test_a_rack_that_all_are_in_is_named_first() -> None:
    (group,) = groups(trouble(number, "A17") for number in range(4))
    assert group.cause.startswith("all are in rack A17")


def test_a_rack_whose_switch_is_off_is_one_cause_beside_bmcs_that_are_dead_elsewhere() -> None:
    rack = [trouble(number, "A17") for number in range(8)]
    dead = [trouble(10 + number, f"B{number:02}") for number in range(4)]
    first, second = groups([*rack, *dead])
    assert first.names == [each.name for each in rack] and first.cause.startswith("all are in rack A17")
    assert len(second.troubles) == 4 and "rack" not in second.cause
    (alone,) = groups([*rack, trouble(20, "A18")])
    assert len(alone.troubles) == 8, "one that is dead in another rack is not of that cause"


def test_many_racks_alike_have_one_cause_above_them() -> None:
    (group,) = groups(trouble(10 * rack + number, f"A{rack:02}") for rack in range(LEAST) for number in range(LEAST))
    assert len(group.troubles) == LEAST * LEAST and group.cause == COMMON[NO_BMC]


def test_a_dark_feed_takes_all_machines_on_it_and_no_others() -> None:
    def dark(number: int, *feeds: str) -> Trouble:
        return Trouble(number, number, f"gpu-{number:03}", StepName.POWER_ON, NO_POWER, "", frozenset(feeds))

    on_it = [dark(number, "A-07") for number in range(6)]
    first, second = groups([*on_it, *(dark(10 + number, f"B-{number}") for number in range(3))])
    assert first.feed == "A-07" and first.names == [each.name for each in on_it]
    assert "power feed A-07" in first.cause and not second.feed and "power feed A-07" not in second.cause
    assert groups([dark(1, "A-07"), dark(2, "A-07")]) == []


def test_another_step_or_failure_is_another_cause_and_a_machine_counts_once() -> None:
    others = [Trouble(n, n, f"m{n}", StepName.SSH, FailureClass.NO_SSH) for n in range(10, 13)]
    found = groups([*(trouble(n) for n in range(4)), trouble(3), *others])
    assert [(group.step, len(group.troubles)) for group in found] == [(IDENTITY, 4), (StepName.SSH, 3)]
    assert isinstance(found[0], Alike)
