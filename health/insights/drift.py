"""Which machines differ from most others of their model, fact by fact. Pure; nobody has to write an expectation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

# Fewer machines, or a smaller share of one value, and "the majority" says nothing.
LEAST_MACHINES = 5
LEAST_SHARE = 0.6


@dataclass(frozen=True)
class Deviant:
    """A machine with another value than most."""

    machine_id: int
    value: str


@dataclass(frozen=True)
class Drift:
    """One fact of one model. `majority` is None when no value has the majority, or too few machines tell the fact;
    then `machines` is empty and `values` says what there is. `share` is that of the most frequent value, 0 to 1.
    `golden` is what the golden machines of the model tell, by value; empty where there is none."""

    model: str
    fact: str
    reported: int
    majority: str | None
    share: float
    values: Mapping[str, int]
    golden: Mapping[str, int]
    machines: tuple[Deviant, ...]


def drift_of(facts: Iterable[tuple[int, str, Mapping[str, str]]], golden: Collection[int] = frozenset()) -> list[Drift]:
    """(machine id, model, its facts) to one row per model and fact, those with deviants first, then by name. `golden`:
    ids of the machines that others are compared with."""
    by_fact: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for machine_id, model, told in facts:
        for fact, value in told.items():
            by_fact[model, fact][machine_id] = value
    rows = [_judged(model, fact, values, golden) for (model, fact), values in by_fact.items()]
    return sorted(rows, key=lambda row: (not row.machines, row.majority is not None, row.model, row.fact))


def _judged(model: str, fact: str, values: Mapping[int, str], golden: Collection[int]) -> Drift:
    counts = Counter(values.values())
    # A tie must not depend on the order in which machines were read.
    value, count = min(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    share = count / len(values)
    clear = len(values) >= LEAST_MACHINES and share >= LEAST_SHARE
    others = tuple(Deviant(pk, told) for pk, told in sorted(values.items()) if told != value) if clear else ()
    best = _spread(Counter(told for pk, told in values.items() if pk in golden))
    return Drift(model, fact, len(values), value if clear else None, share, _spread(counts), best, others)


def _spread(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent first."""
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
