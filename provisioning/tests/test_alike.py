"""Many machines that fail alike are one cause: one group, and one ticket."""

from __future__ import annotations

from provisioning.alike import LEAST, Alike, Trouble, groups
from provisioning.steps import FailureClass, StepName

NO_BMC, IDENTITY = FailureClass.NO_BMC, StepName.IDENTITY


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
    (group,) = groups([*(trouble(number, "A17") for number in range(4)), trouble(9, "A18")])
    assert "A17" not in group.cause


def test_another_step_or_failure_is_another_cause_and_a_machine_counts_once() -> None:
    others = [Trouble(n, n, f"m{n}", StepName.SSH, FailureClass.NO_SSH) for n in range(10, 13)]
    found = groups([*(trouble(n) for n in range(4)), trouble(3), *others])
    assert [(group.step, len(group.troubles)) for group in found] == [(IDENTITY, 4), (StepName.SSH, 3)]
    assert isinstance(found[0], Alike)
