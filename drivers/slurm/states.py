"""What Slurm's words for the state of a node mean. Pure.

A node has one base state and any number of flags. The base alone says whether jobs have it; a flag never takes that
back. Source: `enum node_states` and `NODE_STATE_*` of slurm/slurm.h.in, and `node_state_string` of
src/common/slurm_protocol_defs.c, Slurm 22.05 to 24.11 (BLOCKED from 24.11, EXTERNAL from 25.05); the marks are those
of sinfo(1) under NODE STATE CODES. A word in none of these tables is of a later Slurm, and means that nobody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from drivers.scheduler import MachineState

# Base states, in the long and the short form of sinfo.
BUSY_BASES = frozenset({"allocated", "alloc", "mixed", "mix"})
IDLE_BASES = frozenset({"idle"})
DEAD_BASES = frozenset({"down", "error", "future", "futr"})
UNKNOWN_BASES = frozenset({"unknown", "unk", "end"})

# Flags with an effect.
WORKS = frozenset({"completing", "comp"})
"""Jobs have it, whatever its base: their processes and the epilog still run."""
CLOSES = frozenset({"drain", "fail", "blocked", "block"})
"""No new job starts there. DRAIN and FAIL are an administrator's."""
OUT = frozenset({"powered_down", "pow_dn", "powering_down", "powr_dn", "power_down", "power_drain", "invalid_reg",
                 "inval", "dynamic_future", "reboot_issued"})  # fmt: skip
"""It cannot run a job now: off, going off, starting again, or registered with less than it should have."""
SILENCES = frozenset({"not_responding", "no_respond"})
# Flags that say nothing about whether jobs run there or may start.
ASIDE = frozenset({"cloud", "reserved", "resv", "res", "planned", "plnd", "maintenance", "maint", "powering_up",
                   "powr_up", "power_up", "reboot_requested", "reboot_cancel", "cancel_reboot", "dynamic_norm",
                   "perfctrs", "npc", "net", "undrain", "resume", "external"})  # fmt: skip
# Words that stand for a base with a flag.
TOGETHER: dict[str, tuple[str, str]] = {
    "drained": ("idle", "drain"),
    "draining": ("allocated", "drain"),
    "drng": ("allocated", "drain"),
    "failing": ("allocated", "fail"),
    "failg": ("allocated", "fail"),
}
BASES = BUSY_BASES | IDLE_BASES | DEAD_BASES | UNKNOWN_BASES
FLAGS = WORKS | CLOSES | OUT | SILENCES | ASIDE
MARKS = {
    "*": "not_responding",
    "~": "powered_down",
    "#": "powering_up",
    "!": "power_down",
    "%": "powering_down",
    "$": "maint",
    "@": "reboot_requested",
    "^": "reboot_issued",
    "-": "planned",
}
_MARK = re.compile(r"[*~#!%$@^-]+$")

# How the reasons begin that slurmctld and slurmd write by themselves (src/slurmctld, 22.05). Every other is a person's
# or a program's of his, such as NHC's.
BY_ITSELF = (
    "not responding", "node unexpectedly rebooted", "low realmemory", "low socket*core*thread count", "low cpus",
    "low tmpdisk", "gres/", "prolog error", "epilog error", "kill task failed", "batch job complete failure",
    "duplicate jobid", "no network address found", "resumetimeout reached", "suspendtimeout reached",
    "powered down after suspendtimeout", "reboot asap", "reboot timed out", "reboot complete",
)  # fmt: skip


def state_words(words: str | Iterable[str]) -> tuple[str, ...]:
    """`IDLE+DRAIN`, `down*` or ["IDLE", "DRAIN"] as words in lower case, a mark behind one as its flag."""
    found: list[str] = []
    for each in [words] if isinstance(words, str) else [str(word) for word in words]:
        for text in each.strip().lower().split("+"):
            marks = _MARK.search(text)
            word = text[: marks.start()] if marks else text
            found += [word] if word else []
            found += [MARKS[mark] for mark in (marks.group() if marks else "")]
    return tuple(dict.fromkeys(found))


def judged(words: Sequence[str]) -> tuple[MachineState, bool, bool]:
    """State, whether it is closed to new jobs, whether Slurm hears it.

    Jobs come first: ALLOCATED or MIXED is busy beside any flag. Then comes what nobody knows, then what keeps it from
    running anything.
    """
    said = {part for word in words for part in TOGETHER.get(word, (word,))}
    closed, answers = bool(said & CLOSES), not said & SILENCES
    bases = said & BASES
    if said & (BUSY_BASES | WORKS):
        state = MachineState.ALLOCATED
    elif said - BASES - FLAGS or not bases or bases & UNKNOWN_BASES:
        state = MachineState.UNKNOWN
    elif said & (DEAD_BASES | OUT):
        state = MachineState.DOWN
    else:
        state = MachineState.DRAINED if closed else MachineState.IDLE
    return state, closed, answers


def by_itself(reason: str) -> bool:
    """Whether Slurm wrote this reason, and nobody decided anything."""
    return reason.strip().lower().startswith(BY_ITSELF)
