"""What differs between two runs: machines, versions, links, settings, size, speed. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

MOST = 50
"""Machines named in one row; the rest is a number."""
SAME = 0.02
"""Speeds that differ less are the same."""


@dataclass(frozen=True)
class Side:
    """One run, as far as it is known. Facts of machines as they were while it ran."""

    world_size: int = 0
    step_s: float | None = None
    tokens_a_step: float | None = None
    machines: frozenset[str] = frozenset()
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By machine: {fact: value}."""
    links: Mapping[str, str] | None = field(default_factory=dict)
    """Links of its machines that had trouble while it ran: {link: what}; None: no fabric is read."""
    faults: Mapping[str, str] = field(default_factory=dict)
    """By machine and slot."""
    settings: Mapping[str, str] = field(default_factory=dict)


class Difference(NamedTuple):
    """`subject` is `size`, `speed`, `machines`, `software`, `links`, `faults` or `settings`."""

    subject: str
    name: str
    now: str
    before: str
    machines: tuple[str, ...] = ()
    """Whom it concerns, where not all."""


def differences(now: Side, before: Side, titles: Mapping[str, str] | None = None) -> list[Difference]:
    """What differs, in the order in which a person would look: what may have made it slow first."""
    return [
        *_speed(now, before),
        *_size(now, before),
        *_machines(now, before),
        *_software(now, before, titles or {}),
        *_troubles("links", now.links or {}, before.links or {}),
        *_troubles("faults", now.faults, before.faults),
        *_settings(now.settings, before.settings),
    ]


def not_known(now: Side, before: Side) -> list[str]:
    """Subjects that cannot be compared, because nothing was reported of one of the runs."""
    known = {
        "speed": now.step_s and before.step_s,
        "software": now.facts and before.facts,
        "links": now.links is not None and before.links is not None,
        "settings": now.settings and before.settings,
    }
    return [subject for subject, both in known.items() if not both]


def _speed(now: Side, before: Side) -> list[Difference]:
    if not now.step_s or not before.step_s or abs(now.step_s / before.step_s - 1) <= SAME:
        return []
    return [Difference("speed", "Time of a step", f"{now.step_s:.3g} s", f"{before.step_s:.3g} s")]


def _size(now: Side, before: Side) -> list[Difference]:
    found = []
    if now.world_size and before.world_size and now.world_size != before.world_size:
        found.append(Difference("size", "World size", f"{now.world_size:,}", f"{before.world_size:,}"))
    one, other = now.tokens_a_step, before.tokens_a_step
    if one and other and abs(one / other - 1) > SAME:
        found.append(Difference("size", "Tokens of a step", f"{one:,.0f}", f"{other:,.0f}"))
    return found


def _machines(now: Side, before: Side) -> list[Difference]:
    new, gone = sorted(now.machines - before.machines), sorted(before.machines - now.machines)
    if not new and not gone:
        return []
    return [Difference("machines", "Machines", _named(new), _named(gone), tuple(new[:MOST]))]


def _software(now: Side, before: Side, titles: Mapping[str, str]) -> list[Difference]:
    """Facts whose usual value differs, and machines that differ from the usual value only in this run."""
    found = []
    names = sorted({name for side in (now, before) for facts in side.facts.values() for name in facts})
    for name in sorted(names, key=lambda one: list(titles).index(one) if one in titles else len(titles)):
        one, other = _usual(now.facts, name), _usual(before.facts, name)
        title = titles.get(name, name)
        if one is None or other is None:
            continue
        if one != other:
            found.append(Difference("software", title, one, other))
        then = {facts[name] for facts in before.facts.values() if name in facts}
        odd: dict[str, list[str]] = {}
        for machine, facts in now.facts.items():
            value = facts.get(name, one)
            if value != one and value not in then:
                odd.setdefault(value, []).append(machine)
        found += [
            Difference("software", title, value, other, tuple(sorted(machines)[:MOST]))
            for value, machines in sorted(odd.items())
        ]
    return found


def _usual(facts: Mapping[str, Mapping[str, str]], name: str) -> str | None:
    counts = Counter(told[name] for told in facts.values() if name in told)
    return min(counts, key=lambda value: (-counts[value], value)) if counts else None


def _troubles(subject: str, now: Mapping[str, str], before: Mapping[str, str]) -> list[Difference]:
    new = [Difference(subject, name, now[name], before.get(name, "")) for name in sorted(now)]
    over = [Difference(subject, name, "", before[name]) for name in sorted(before) if name not in now]
    return [one for one in (*new, *over) if one.now != one.before][:MOST]


def _settings(now: Mapping[str, str], before: Mapping[str, str]) -> list[Difference]:
    if not now or not before:
        return []  # not reported is no difference
    names = sorted(name for name in {*now, *before} if now.get(name) != before.get(name))
    return [Difference("settings", name, now.get(name, ""), before.get(name, "")) for name in names]


def _named(machines: Sequence[str]) -> str:
    more = f" and {len(machines) - 8} more" if len(machines) > 8 else ""
    return ", ".join(machines[:8]) + more
