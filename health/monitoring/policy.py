"""What decisions of people about checks come to on one machine, and what a silence does to stored verdicts. Pure.

Of thresholds the nearest scope wins, name by name: model, then model of one site, then site, then machine. A silence
hides one check, or one part of it, and nothing else: the verdict is worked out and aged as ever, and only then shown as
`info`, with what it really is beside it. What is only observed keeps its verdict. Neither opens a fault; events that
happen meanwhile are remembered with their row, so that they count as new when the decision ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from health.checks.model import BadLine, KernelLines
from health.checks.verdicts import Verdict
from health.monitoring.merge import CODES, WORDS, Before, Changed, Key, Layout, Merged, Row

# Worst of these is shown as information while it is silenced; information and ok need no silence.
SILENCED = ("fail", "unknown", "warn")
MAX_MUTED_EVENTS = 50
_SUFFIX = " (silenced until "
_MARKS = ("silenced_verdict", "silence", "until")
_EVENTS = "muted_events"


@dataclass(frozen=True)
class Place:
    """Where a machine stands among the scopes."""

    machine_id: int
    site_id: int
    model_id: int


@dataclass(frozen=True)
class Scope:
    """Machines that a decision is for; all that is given has to fit."""

    site_id: int | None = None
    model_id: int | None = None
    machine_id: int | None = None

    def fits(self, place: Place) -> bool:
        return (
            self.machine_id in (None, place.machine_id)
            and self.model_id in (None, place.model_id)
            and self.site_id in (None, place.site_id)
        )

    @property
    def nearness(self) -> int:
        """The larger the nearer: all machines of a model, of a model at a site, of a site, one machine."""
        if self.machine_id is not None:
            return 3
        if self.model_id is None:
            return 2
        return 0 if self.site_id is None else 1


@dataclass(frozen=True)
class Decided:
    """One decision as stored; `part` is of silences, `thresholds` of overrides."""

    id: int
    check: str
    scope: Scope
    expires_at: datetime | None = None
    ended_at: datetime | None = None
    part: str = ""
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)

    def holds(self, place: Place, now: datetime) -> bool:
        return self.ended_at is None and (self.expires_at is None or self.expires_at > now) and self.scope.fits(place)


@dataclass(frozen=True)
class Quiet:
    """The silence or audit mode that a place is under."""

    id: int
    until: datetime | None


@dataclass(frozen=True)
class MachinePolicy:
    """Everything decided about the checks of one machine, at one moment."""

    thresholds_of: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    silenced: Mapping[Key, Quiet] = field(default_factory=dict)
    """By (check, part), part empty for all of them."""
    observe_only: Mapping[str, Quiet] = field(default_factory=dict)
    """By check."""
    kernel_lines: Mapping[str, KernelLines] = field(default_factory=dict)
    """By image."""

    def silence_of(self, check: str, part: str) -> Quiet | None:
        return self.silenced.get((check, part)) or self.silenced.get((check, ""))

    def mutes(self, check: str, part: str) -> bool:
        """Whether what fails here may open no fault."""
        return check in self.observe_only or self.silence_of(check, part) is not None

    def kernel_lines_of(self, image: str) -> KernelLines:
        return self.kernel_lines.get(image, KernelLines())


NO_POLICY = MachinePolicy()


@dataclass(frozen=True)
class JudgedLine:
    """A person's judgement of a kind of kernel line; `verdict` is None where it was accepted."""

    site_id: int
    model_id: int
    image: str
    shape: str
    verdict: str | None = None
    reason: str = ""
    expires_at: datetime | None = None


def policy_of(
    place: Place,
    now: datetime,
    *,
    overrides: Iterable[Decided] = (),
    silences: Iterable[Decided] = (),
    observed: Iterable[Decided] = (),
    kernel_lines: Mapping[str, KernelLines] | None = None,
) -> MachinePolicy:
    """What holds on this machine now; decisions that ended, expired or are of other machines count for nothing."""
    thresholds: dict[str, dict[str, float]] = {}
    for each in sorted((o for o in overrides if o.holds(place, now)), key=lambda o: (o.scope.nearness, o.id)):
        thresholds.setdefault(each.check, {}).update(each.thresholds)
    return MachinePolicy(
        thresholds_of=thresholds,
        silenced=_by_key(silences, place, now),
        observe_only={check: quiet for (check, _), quiet in _by_key(observed, place, now).items()},
        kernel_lines=kernel_lines or {},
    )


def _by_key(decisions: Iterable[Decided], place: Place, now: datetime) -> dict[Key, Quiet]:
    """Of several on one place the one that lasts longest is told."""
    found: dict[Key, Quiet] = {}
    for each in decisions:
        if each.holds(place, now):
            held = found.get((each.check, each.part))
            if held is None or (held.until is not None and (each.expires_at is None or each.expires_at > held.until)):
                found[each.check, each.part] = Quiet(each.id, each.expires_at)
    return found


def kernel_lines_by_image(lines: Iterable[JudgedLine], now: datetime) -> dict[tuple[int, int], dict[str, KernelLines]]:
    """What checks are given, by (site, model) and image: an acceptance that expired is none."""
    accepted: dict[tuple[int, int, str], set[str]] = {}
    bad: dict[tuple[int, int, str], dict[str, BadLine]] = {}
    for line in lines:
        key = (line.site_id, line.model_id, line.image)
        if line.verdict is not None:
            bad.setdefault(key, {})[line.shape] = BadLine(Verdict(line.verdict), line.reason)
        elif line.expires_at is not None and line.expires_at > now:
            accepted.setdefault(key, set()).add(line.shape)
    found: dict[tuple[int, int], dict[str, KernelLines]] = {}
    for site_id, model_id, image in accepted.keys() | bad.keys():
        key = (site_id, model_id, image)
        lines_of = KernelLines(frozenset(accepted.get(key, ())), bad.get(key, {}))
        found.setdefault((site_id, model_id), {})[image] = lines_of
    return found


# ---- what is stored under a silence ----


def unveiled(before: Before) -> Before:
    """What is stored, with every silenced verdict as what it really is."""
    if not any(is_veiled(row) for row in before.rows.values()):
        return before
    rows = {key: as_it_is(row) for key, row in before.rows.items()}
    packed = bytes(
        CODES[rows[key].verdict] if key in rows else code
        for key, code in zip(before.layout, before.packed, strict=False)
    )
    return Before(rows, before.layout, packed)


def is_veiled(row: Row) -> bool:
    return bool(row.observed) and "silenced_verdict" in (row.observed or {})


def as_shown(row: Row, policy: MachinePolicy) -> Row:
    """A stored verdict as it is shown under these decisions, whatever it was stored under."""
    row = as_it_is(row)
    return _veiled(row, policy.silence_of(*row.key))


def without_marks(observed: Mapping[str, Any]) -> dict[str, Any]:
    """What another system says it observed, without words that only a silence writes."""
    return {name: value for name, value in observed.items() if name not in (*_MARKS, _EVENTS)}


def as_it_is(row: Row) -> Row:
    """A stored verdict as what it really is."""
    if not is_veiled(row):
        return row
    observed = dict(row.observed or {})
    verdict = str(observed["silenced_verdict"])
    left = {name: value for name, value in observed.items() if name not in _MARKS}
    return replace(row, verdict=verdict, message=row.message.rpartition(_SUFFIX)[0] or row.message, observed=left)


def veiled(merged: Merged, shown_before: Before, layout: Layout, policy: MachinePolicy) -> Merged:
    """The merged verdicts as they are stored and shown: silenced ones as information.

    `merged` was worked out from `unveiled(shown_before)`; what changed is told as it is shown.
    """
    was = {key for key, row in shown_before.rows.items() if is_veiled(row)}
    if not policy.silenced and not was:
        return merged
    rows = {key: _veiled(row, policy.silence_of(*key)) for key, row in merged.rows.items()}
    now = {key for key, row in rows.items() if is_veiled(row)}
    packed = bytes(CODES["info"] if key in now else code for key, code in zip(layout, merged.packed, strict=True))
    counts = Counter(merged.counts)
    for key in now:
        counts[merged.rows[key].verdict] -= 1
        counts["info"] += 1
    changes = [change for change in merged.changes if (change.check_id, change.part) not in was | now]
    words = {key: WORDS[code] for key, code in zip(layout, packed, strict=True)}
    changes += _turned(was | now, words | {key: row.verdict for key, row in rows.items()}, rows, shown_before)
    return replace(merged, rows=rows, packed=packed, counts=counts, changes=tuple(changes))


def _veiled(row: Row, silence: Quiet | None) -> Row:
    if silence is None or row.verdict not in SILENCED or silence.until is None:
        return row
    until = silence.until.strftime("%Y-%m-%d %H:%M UTC")
    marks = {"silenced_verdict": row.verdict, "silence": silence.id, "until": silence.until.isoformat()}
    message = f"{row.message}{_SUFFIX}{until})"
    return replace(row, verdict="info", message=message, observed={**(row.observed or {}), **marks})


def _turned(
    keys: Iterable[Key], words: Mapping[Key, str], rows: Mapping[Key, Row], shown_before: Before
) -> list[Changed]:
    """Changes of places that a silence covers or covered, as they are shown; what was not heard is no change."""
    turned, quiet = [], shown_before.packed_words
    for key in sorted(keys):
        held, row, after = shown_before.rows.get(key), rows.get(key), words.get(key, "ok")
        before = held.verdict if held else quiet.get(key, "unknown")
        if before != after and (row is not None or after == "ok"):
            turned.append(Changed(*key, before, after, row.message if row else ""))
    return turned


# ---- events that happened while nothing was to come of them ----


def muted_events(row: Row | None) -> frozenset[str]:
    """Keys of events of this place that opened no fault because of a decision."""
    return frozenset((row.observed or {}).get(_EVENTS) or ()) if row is not None else frozenset()


def remembering(merged: Merged, events: Mapping[Key, Sequence[str]]) -> Merged:
    """The merged rows with the muted events of their places."""
    rows = dict(merged.rows)
    for key, keys in events.items():
        if keys and key in rows:
            rows[key] = replace(rows[key], observed={**(rows[key].observed or {}), _EVENTS: list(keys)})
    return replace(merged, rows=rows)


def marks(observed: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a stored verdict's page says of its silence: {verdict, silence, until}; None where there is none."""
    if "silenced_verdict" not in observed:
        return None
    return {
        "verdict": observed["silenced_verdict"],
        "silence": observed.get("silence"),
        "until": observed.get("until"),
    }
