"""Many failures at once: which are alike, what explains them best, and which open incident they belong to. Pure.

Alike are faults of one class and code: Xid 79 on three machines, not three kinds of trouble behind one switch. Only
alike faults have a common cause. What a cause explains is measured both ways: how many of its machines are affected,
and how many of the affected are its machines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from health.machines.limits import Limits
from health.remediation.types import Cause

# Loss of contact has many messages (refused, no route, timed out) for one dead switch: the class alone is alike.
CONTACT = "machine.unreachable"
BY_CLASS_ALONE = frozenset({CONTACT, "bmc.unreachable", "bmc.password"})
SITE = "site"
"""No known common cause; every machine of the site hangs on it."""
# Where two causes explain the same machines equally well, the one nearer to the machine leads.
_ORDER = ("switch", "management", "feed", "cooling", "rack", "rollout", "row", "room", SITE)
CODE_CHARS = 120
# What else fails with a feed or a cooling unit of which meters say that it fails, by the class of that incident.
FOLLOWS = {
    "feed.lost": frozenset({"psu.lost", "psu.redundancy", "gpu.power", CONTACT, "bmc.unreachable"}),
    "cooling.lost": frozenset({"inlet.hot", "gpu.thermal", "gpu.throttled", "cpu.throttled", "nvme.hot", CONTACT}),
}
OF_SUPPLY = frozenset({"psu.lost", "psu.redundancy"})
"""What shows first of a feed that fails, often before its meters are known to say so."""
_XID = re.compile(r"\b(S?Xid):? (\d+)", re.IGNORECASE)
# Numbers, addresses and names with a number in them: what differs from one GPU, port or machine to the next.
_VARIES = re.compile(r"[\w.:/-]*\d[\w.:/%-]*")


@dataclass(frozen=True, slots=True, order=True)
class Alike:
    """What faults have to share to be one trouble: their class, and their code (see `code_of`)."""

    fault_class: str
    code: str = ""

    def __str__(self) -> str:
        return f"{self.fault_class}: {self.code}" if self.code else self.fault_class


def classes_of(kind: Alike) -> frozenset[str]:
    """Classes of the faults that an incident of this kind is about."""
    return FOLLOWS.get(kind.fault_class, frozenset({kind.fault_class}))


def is_about(kind: Alike, other: Alike) -> bool:
    """Whether a fault of the `other` kind belongs to an incident of this one: alike, or following from its cause."""
    return kind == other or other.fault_class in FOLLOWS.get(kind.fault_class, ())


def alike(fault_class: str, message: str) -> Alike:
    """The kind of trouble that a fault with this message is."""
    return Alike(fault_class, "" if fault_class in BY_CLASS_ALONE else code_of(message))


def code_of(message: str) -> str:
    """`Xid 79` where the message names one, else its shape: the words without numbers and names."""
    named = _XID.search(message)
    if named is not None:
        return f"{'SXid' if named[1].lower() == 'sxid' else 'Xid'} {named[2]}"
    return " ".join(_VARIES.sub("#", message).split())[:CODE_CHARS]


@dataclass(frozen=True, slots=True)
class Shared:
    """Machines with alike faults and their best explanation.

    share     of the cause's machines that are affected
    explains  share of the affected that are the cause's machines
    also      other causes with exactly these machines, which explain it equally well
    """

    cause: Cause
    machines: frozenset[int]
    share: float = 1.0
    explains: float = 1.0
    also: tuple[Cause, ...] = ()


def mass_failure(failing: int | None, pool_size: int | None, limits: Limits) -> bool:
    """Whether alike faults on so many machines of a pool at once are a mass failure. Unknown numbers make it one."""
    if failing is None or not pool_size or pool_size < 0:
        return True
    return failing >= limits.suspicious_machines and failing > limits.suspicious_share * pool_size


def is_cause(affected: int, size: int, limits: Limits) -> bool:
    """Whether something with `size` machines, of which so many fail alike, is a common cause and no chance."""
    return affected > limits.cause_machines and affected >= limits.cause_share * size


def shared_causes(
    affected: Iterable[int],
    members: Mapping[Cause, frozenset[int]],
    limits: Limits,
    is_mass: Callable[[frozenset[int]], bool],
) -> list[Shared]:
    """The causes of alike faults on these machines, the one that explains most first; no machine is explained twice.

    `members` are all machines of each cause. A mass failure is one incident: when no cause explains most of it, its
    cause is the site. Below that, what no cause explains is chance, and each machine stands for itself.
    """
    left = frozenset(affected)
    found: list[Shared] = []
    while left:
        best = _best(left, members, limits)
        if is_mass(left) and (best is None or best.explains < limits.cause_explains):
            site = Cause(SITE, "")
            size = len(members.get(site, left) | left)
            found.append(Shared(site, left, len(left) / size, 1.0, _partly(left, members, limits)))
            break
        if best is None:
            break
        found.append(best)
        left -= best.machines
    return found


def _best(left: frozenset[int], members: Mapping[Cause, frozenset[int]], limits: Limits) -> Shared | None:
    candidates = _candidates(left, members, limits)
    if not candidates:
        return None
    cause, hit = candidates[0]
    of = members[cause]
    equal = tuple(other for other, same in candidates[1:] if same == hit and members[other] == of)
    return Shared(cause, hit, len(hit) / len(of), len(hit) / len(left), equal)


def _candidates(
    left: frozenset[int], members: Mapping[Cause, frozenset[int]], limits: Limits
) -> list[tuple[Cause, frozenset[int]]]:
    """Every cause that counts as one with the machines it explains, the best first.

    The best has the largest overlap of its machines with the affected (Dice: 1 when they are the same machines). At
    equality the narrower one leads, then the one nearer to the machine.
    """
    hits = ((cause, left & of, of) for cause, of in members.items() if cause.kind != SITE and of)
    counting = [(cause, hit, of) for cause, hit, of in hits if is_cause(len(hit), len(of), limits)]
    counting.sort(key=lambda row: (-2 * len(row[1]) / (len(left) + len(row[2])), len(row[2]), _rank(row[0])))
    return [(cause, hit) for cause, hit, _ in counting]


def _rank(cause: Cause) -> tuple[int, str]:
    return (_ORDER.index(cause.kind) if cause.kind in _ORDER else len(_ORDER), cause.key)


_PARTLY = 3


def _partly(left: frozenset[int], members: Mapping[Cause, frozenset[int]], limits: Limits) -> tuple[Cause, ...]:
    """What explains a part of a mass failure without a known common cause, the best first."""
    return tuple(cause for cause, _ in _candidates(left, members, limits)[:_PARTLY])


# ---- which incident it is ----


@dataclass(frozen=True, slots=True)
class Known:
    """An open incident of alike faults; `machines` are those that did not recover yet.

    One that is not suspected any more does not grow: what fails now is counted without its machines. Where that alone
    has its cause, it goes on as a new suspicion, unless a person lifted it.
    """

    id: int
    cause: Cause
    machines: frozenset[int]
    grows: bool = True


@dataclass(frozen=True, slots=True)
class Follow:
    """What to do about one explanation: go on with an incident (None: open one), and end those that it swallows."""

    shared: Shared
    incident: int | None
    ends: tuple[int, ...] = ()


def follow(known: Sequence[Known], found: Sequence[Shared]) -> list[Follow]:
    """One incident for each explanation: the oldest that is about the same cause or the same machines goes on, one that
    grows before one that does not.

    A failure that grows from a rack to its row stays one incident, whose cause becomes the row. Incidents that nothing
    found is about stay as they are.
    """
    free = sorted(known, key=lambda each: (not each.grows, each.id))
    steps = []
    for shared in found:
        same = [each for each in free if each.cause == shared.cause or each.machines & shared.machines]
        free = [each for each in free if each not in same]
        steps.append(Follow(shared, same[0].id if same else None, tuple(each.id for each in same[1:])))
    return steps
