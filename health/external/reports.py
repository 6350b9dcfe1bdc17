"""What other systems say of machines: their bodies read and checked, and what of it changes. Pure.

A result is a verdict of one check on one part of one machine. The key of a place is `CHECK<tab>PART`; an entry of it is
`[code, at]`, the verdict's code and its time in microseconds since 1970. A newer result wins whatever order they come
in, the same one twice changes nothing, and an unknown never hides a fail.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from health.checks.reported import PREFIX
from health.monitoring.merge import CODES

MACHINE = "machine"
MOST_RESULTS = 50_000
MOST_PLACES = 500
"""Checks times parts that one source may report of one machine."""
AHEAD_US = 60 * 1_000_000
"""A clock may be wrong by so much; what lies further ahead is refused."""
CHECK = re.compile(r"[A-Za-z0-9_.:-]{1,39}")
NOT_IN_CLASS = re.compile(r"[^a-z0-9_.-]+")
FAIL, UNKNOWN, OK = CODES["fail"], CODES["unknown"], CODES["ok"]

Entry = list[int]
Entries = dict[str, Entry]


class Result(NamedTuple):
    """One result as it counts; `machine` is a name, an id or a serial."""

    position: int
    machine: str
    check: str
    part: str
    code: int
    at: int
    message: str = ""
    fault_class: str = ""
    value: float | None = None
    evidence: Any = None

    @property
    def key(self) -> str:
        return f"{self.check}\t{self.part}"


class Problem(NamedTuple):
    """A result that is refused: its position in the request from 0, a code and the reason in words."""

    position: int
    code: str
    reason: str


class NotReadable(ValueError):
    """The body as a whole is not what this route reads."""


class Refused(Exception):
    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


@dataclass(frozen=True)
class Rules:
    """What a source may say: `checks` are the only ones allowed (empty: any); times in microseconds since 1970."""

    now: int
    stale_after: int
    checks: frozenset[str] = frozenset()

    @property
    def oldest(self) -> int:
        return self.now - self.stale_after


# ---- bodies ----


def rows_of(body: Any, kind: str) -> list[Any]:
    """The results in a body, not yet checked. Raises NotReadable."""
    if kind == "alertmanager":
        rows = [_of_alert(alert) for alert in _listed(body, "alerts")]
    elif isinstance(body, dict) and "results" not in body and "check" in body:
        rows = [body]
    else:
        rows = body if isinstance(body, list) else _listed(body, "results")
    if len(rows) > MOST_RESULTS:
        raise NotReadable(f"At most {MOST_RESULTS} results in a request.")
    return rows


def _listed(body: Any, name: str) -> list[Any]:
    if not isinstance(body, dict) or not isinstance(body.get(name), list):
        raise NotReadable(f"Send a list of results, or an object with a list `{name}`.")
    return list(body[name])


SEVERITIES = {
    "warning": "warn",
    "warn": "warn",
    "minor": "warn",
    "info": "info",
    "informational": "info",
    "none": "info",
}
"""Severities of alerts that are no failure; every other one is."""


def _of_alert(alert: Any) -> Any:
    """An alert of Alertmanager as a result: its labels name machine, check and part, its state is the verdict."""
    if not isinstance(alert, dict):
        return alert
    labels, notes = _texts(alert.get("labels")), _texts(alert.get("annotations"))
    firing = alert.get("status") == "firing"
    if not firing and alert.get("status") != "resolved":
        return {"verdict": alert.get("status"), "machine": _machine_of(labels), "check": labels.get("alertname")}
    verdict = SEVERITIES.get(labels.get("severity", "").lower(), "fail") if firing else "ok"
    message = notes.get("summary") or notes.get("description") or notes.get("message") or labels.get("alertname", "")
    return {
        "machine": _machine_of(labels),
        "check": labels.get("alertname"),
        "part": labels.get("part") or MACHINE,
        "verdict": verdict,
        "message": message,
        "fault_class": labels.get("fault_class"),
        "evidence": {"labels": labels, "annotations": notes, "source": str(alert.get("generatorURL") or "")},
    }


def _texts(value: Any) -> dict[str, str]:
    return {str(name): str(text) for name, text in value.items()} if isinstance(value, dict) else {}


def _machine_of(labels: Mapping[str, str]) -> str | None:
    """The machine an alert is about; of `instance` the port is cut off, as it is the exporter's."""
    named = labels.get("machine") or labels.get("node") or labels.get("nodename") or labels.get("host")
    return named or labels.get("instance", "").rpartition(":")[0] or labels.get("instance")


# ---- results ----


def read(rows: Sequence[Any], rules: Rules) -> tuple[list[Result], list[Problem]]:
    """The results that are well formed and in time, and what is wrong with the others."""
    good: list[Result] = []
    bad: list[Problem] = []
    times: dict[Any, int] = {}
    for index, row in enumerate(rows):
        try:
            good.append(_result(index, row, rules, times))
        except Refused as error:
            bad.append(Problem(index, error.code, error.reason))
    return good, bad


def _result(index: int, row: Any, rules: Rules, times: dict[Any, int]) -> Result:
    if type(row) is not dict:
        raise Refused("invalid", "A result is an object.")
    machine, check, verdict = row.get("machine"), row.get("check"), row.get("verdict")
    if type(machine) is int:
        machine = str(machine)
    if type(machine) is not str or not machine:
        raise Refused("required", "machine: give its name, id or serial.")
    if type(check) is not str or not CHECK.fullmatch(check):
        raise Refused("invalid", "check: 1 to 39 letters, digits, dots, colons, dashes or underlines.")
    if rules.checks and check not in rules.checks:
        raise Refused("permission_denied", f"check: this source may not report {check}.")
    code = CODES.get(verdict) if type(verdict) is str else None
    if code is None:
        raise Refused("invalid", "verdict: one of fail, unknown, warn, info, ok.")
    part = row.get("part") or MACHINE
    if type(part) is not str or len(part) > 60 or not part.isprintable():
        raise Refused("invalid", "part: at most 60 printable characters.")
    at = _time(row.get("at"), rules, times)
    if code == OK:
        return Result(index, machine, check, part, code, at)
    return _with_words(Result(index, machine, check, part, code, at), row)


def _with_words(result: Result, row: Mapping[str, Any]) -> Result:
    """What is only kept of a verdict that is not ok."""
    message, value, named = row.get("message"), row.get("value"), row.get("fault_class")
    if message is not None and type(message) is not str:
        raise Refused("invalid", "message: a text.")
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
        raise Refused("invalid", "value: a number.")
    if named is not None and type(named) is not str:
        raise Refused("invalid", "fault_class: a text.")
    klass = fault_class(named or result.check) if result.code == FAIL else ""
    return result._replace(message=message or "", value=value, fault_class=klass, evidence=row.get("evidence"))


def fault_class(name: str) -> str:
    """The class of a reported fault: always one of `reported.`, so that automation leaves it to a person."""
    plain = NOT_IN_CLASS.sub("-", name.lower().removeprefix(PREFIX)).strip("-.")
    return f"{PREFIX}{plain or 'check'}"[:60]


def _time(at: Any, rules: Rules, times: dict[Any, int]) -> int:
    """Microseconds since 1970 of a time; without one it is now. `times` remembers those of this request."""
    if at is None:
        return rules.now
    known = times.get(at) if type(at) in (str, int, float) else None
    if known is None:
        known = _parsed(at)
        if known > rules.now + AHEAD_US:
            raise Refused("invalid", "at: lies in the future; is that clock right?")
        if known < rules.oldest:
            raise Refused("invalid", "at: too old to say anything; see stale_after_s of this source.")
        times[at] = known = min(known, rules.now)
    return known


def _parsed(at: Any) -> int:
    if type(at) is str:
        try:
            moment = datetime.fromisoformat(at)
        except ValueError:
            raise Refused("invalid", "at: a time such as 2026-03-02T12:00:00Z, or seconds since 1970.") from None
        if moment.tzinfo is None:
            raise Refused("invalid", "at: a time needs its zone, such as Z.")
        return micros(moment)
    if type(at) in (int, float) and 0 <= at < 1e11:
        return int(at * 1_000_000)
    raise Refused("invalid", "at: a time such as 2026-03-02T12:00:00Z, or seconds since 1970.")


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def micros(moment: datetime) -> int:
    delta = moment - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def moment_of(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1_000_000, UTC)


# ---- what changes ----


@dataclass
class Folded:
    """What the results of one machine made of its entries."""

    entries: Entries
    before: dict[str, int] = field(default_factory=dict)
    """Places that were heard of anew, with the code they had; a place never heard of is not in it."""
    newest: dict[str, Result] = field(default_factory=dict)
    """The result that decided, of every place heard of anew."""
    repeated: int = 0
    refused: list[Problem] = field(default_factory=list)

    @property
    def changed(self) -> list[str]:
        """Places whose verdict is another than before; ok of a place never heard of is none."""
        return [key for key in self.newest if self.entries[key][0] != self.before.get(key, OK)]


def fold(entries: Mapping[str, Entry], results: Iterable[Result]) -> Folded:
    """Enter the results of one source about one machine. Older ones and repeats lose."""
    folded = Folded(dict(entries))
    held = folded.entries
    for result in results:
        key = f"{result.check}\t{result.part}"
        known = held.get(key)
        if known is None:
            if len(held) >= MOST_PLACES:
                text = f"At most {MOST_PLACES} checks and parts of one machine from one source."
                folded.refused.append(Problem(result.position, "invalid", text))
                continue
            held[key] = [result.code, result.at]
            folded.newest[key] = result
            continue
        code, at = known
        if result.at <= at:
            folded.repeated += 1
            continue
        if key not in folded.newest:
            folded.before[key] = code
        # What was a fail stays one while the source does not know: only a verdict ends it.
        kept = FAIL if code == FAIL and result.code == UNKNOWN else result.code
        held[key] = [kept, result.at]
        if kept == result.code:
            folded.newest[key] = result
    return folded


def without_overlap(requests: Sequence[Collection[int]]) -> list[list[int]]:
    """Split requests, each the machines it speaks of, so that those of a part have no machine in common.

    Gives the places of the requests, part by part. Of one machine the requests keep their order.
    """
    parts: list[list[int]] = []
    first_free: dict[int, int] = {}
    for place, machines in enumerate(requests):
        part = max((first_free.get(machine, 0) for machine in machines), default=0)
        first_free.update(dict.fromkeys(machines, part + 1))
        if part == len(parts):
            parts.append([])
        parts[part].append(place)
    return parts


@dataclass(frozen=True)
class Expired:
    """Entries of one machine once those not heard of are seen as what they are."""

    entries: Entries
    silent: tuple[str, ...]
    """Places that were something else and are unknown now."""
    gone: tuple[str, ...]
    """Places nobody will speak of again."""


def expire(entries: Mapping[str, Entry], oldest: int, *, forget_ok: bool) -> Expired:
    """Make unknown what was last said before `oldest`; a fail stays a fail.

    `forget_ok`: a source that speaks only of trouble (alerts) says nothing more of what is well, which is forgotten.
    """
    left: Entries = {}
    silent, gone = [], []
    for key, (code, at) in entries.items():
        if at >= oldest or code in (FAIL, UNKNOWN):
            left[key] = [code, at]
        elif code == OK and forget_ok:
            gone.append(key)
        else:
            left[key] = [UNKNOWN, at]
            silent.append(key)
    return Expired(left, tuple(silent), tuple(gone))


def next_expiry(entries: Mapping[str, Entry], stale_after: int) -> int | None:
    """When the first of these entries is due to be unknown, in microseconds since 1970; None: never."""
    waiting = [at for code, at in entries.values() if code not in (FAIL, UNKNOWN)]
    return min(waiting) + stale_after if waiting else None
