"""How an update of firmware goes on, from what its task and the inventory say. Pure.

A task that stands still may be done: BMCs are known to stop at 99 %, and to forget their tasks when they restart into
the firmware they just wrote. So what counts in the end is the version that the inventory tells.
"""

from __future__ import annotations

from dataclasses import dataclass

STILL_S = 15 * 60
"""Without any progress for so long a task hangs; writing a BIOS stands at one percentage for some minutes."""
GONE_S = 10 * 60
"""How long a BMC may need to come back with its new firmware."""
START_S = 20 * 60
"""How long a machine may need to its self-test's end, where the inventory tells what is in force."""
DONE = frozenset({"Completed"})
BAD = frozenset({"Exception", "Killed", "Cancelled", "Interrupted", "Suspended"})


@dataclass(frozen=True, slots=True)
class Going:
    text: str


@dataclass(frozen=True, slots=True)
class Written:
    """The image is written; `in_force` when the inventory tells the wanted version."""

    in_force: bool


@dataclass(frozen=True, slots=True)
class Broken:
    text: str


def follow(
    state: str | None,
    percent: int | None,
    message: str,
    *,
    in_force: bool,
    still_s: float,
    starts: bool = False,
    scale: float = 1.0,
) -> Going | Written | Broken:
    """`state` None: the BMC does not know the task any more. `still_s`: seconds without a change of state and percent.
    `in_force`: the inventory tells the wanted version now. `starts`: the machine is restarted afterwards, which shows
    what a task that is gone did to firmware that waits for a start. `scale` multiplies the limits."""
    if state in DONE:
        return Written(in_force)
    if in_force:
        return Written(in_force=True)
    if state is None:
        if still_s < GONE_S * scale:
            return Going("the BMC does not know the task any more: waiting for its firmware")
        if starts:
            return Written(in_force=False)
        return Broken("the BMC lost the task of the update, and the version is the one from before")
    at = f"at {percent} %" if percent is not None else f"in the state {state}"
    if state in BAD:
        return Broken(message or f"the update ended {at} with {state}")
    if still_s >= STILL_S * scale:
        return Broken(f"the update hangs {at}: no progress for {round(still_s / 60)} minutes")
    return Going(f"{percent} % written" if percent is not None else state.lower())
