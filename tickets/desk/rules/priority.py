"""How urgent a ticket is by what it costs now, and why in one line. Pure: no database, no clock.

P1  something is in danger; or work is hurt and nothing stands in for it; or many GPUs are out
P2  GPUs are out, work is hurt, or the next failure would take a machine down
P3  it can wait

What is not known never makes a ticket less urgent: until it is known who is hurt, the severity of the class of fault
stands as the least.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MANY_GPUS = 32
"""Four machines of eight: a rack."""


@dataclass(frozen=True)
class Redundancy:
    """How many of a machine's parts of a kind work, and how many it cannot do without."""

    what: str
    working: int
    needed: int
    of: int

    @property
    def left(self) -> int:
        """How many more may fail."""
        return max(self.working - self.needed, 0)


@dataclass(frozen=True)
class Facts:
    """What a ticket costs now. None: not known."""

    severity: str = "P2"
    """The priority that the class of its worst fault has by itself."""
    danger: bool = False
    """Whatever runs there may be damaged: its jobs are stopped at once."""
    machines_out: int = 0
    gpus_out: int = 0
    jobs_hurt: int | None = 0
    spare_machines: int | None = None
    """Idle machines of the same kind in its room."""
    room: str = ""
    redundancy: Redundancy | None = None
    spare_parts: int | None = None
    """Good ones of the part to swap, at the site; None: no part is to be swapped."""


@dataclass(frozen=True)
class Ranked:
    priority: str
    line: str


def rank(facts: Facts) -> Ranked:
    """The priority, and the line that explains it: `P1: 8 GPUs out, 1 job hurt, no spare in Hall 1`."""
    cost = by_cost(facts)
    priority = cost if facts.jobs_hurt is not None else min(cost, facts.severity)
    return Ranked(priority, f"{priority}: {', '.join(reasons(facts))}")


def by_cost(facts: Facts) -> str:
    """From what is known alone."""
    hurt = bool(facts.jobs_hurt)
    if facts.danger or facts.gpus_out >= MANY_GPUS:
        return "P1"
    if hurt and not facts.spare_machines:
        return "P1"
    thin = facts.redundancy is not None and facts.redundancy.left == 0
    return "P2" if hurt or facts.gpus_out or facts.machines_out or thin else "P3"


def reasons(facts: Facts) -> Iterator[str]:
    """Of the line, the dearest first; never none."""
    if facts.danger:
        yield "what runs there is in danger"
    if facts.gpus_out:
        on = f" on {facts.machines_out} machines" if facts.machines_out > 1 else ""
        yield f"{counted(facts.gpus_out, 'GPU')} out{on}"
    elif facts.machines_out:
        yield f"{counted(facts.machines_out, 'machine')} out"
    else:
        yield "no GPU out"
    if facts.jobs_hurt is None:
        yield "jobs not known"
    elif facts.jobs_hurt:
        yield f"{counted(facts.jobs_hurt, 'job')} hurt"
    if facts.machines_out and facts.jobs_hurt != 0:
        yield _spare_machines(facts)
    if facts.redundancy is not None:
        yield _redundancy(facts.redundancy)
    if facts.spare_parts is not None:
        yield f"{counted(facts.spare_parts, 'spare part')} here" if facts.spare_parts else "no spare part here"


def _spare_machines(facts: Facts) -> str:
    where = f" in {facts.room}" if facts.room else " at the site"
    if facts.spare_machines is None:
        return f"spares{where} not known"
    return f"{counted(facts.spare_machines, 'spare')}{where}" if facts.spare_machines else f"no spare{where}"


def _redundancy(found: Redundancy) -> str:
    works = f"{found.working} of {found.of} {found.what}s work"
    return f"{works}, {counted(found.left, 'more')} may fail" if found.left else f"{works}, none more may fail"


def counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 or word == "more" else f"{count} {word}s"
