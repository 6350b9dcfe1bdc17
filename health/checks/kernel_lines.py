"""Checks of the kernel log's other lines: known to be bad, marked as bad by a person, not judged by anybody so far."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from health.checks.context import Context
from health.checks.kernel_events import MAX_LINES, event_key
from health.checks.kernel_rules import KernelRule, is_judged, kernel_rules, shape_of, without_secrets
from health.checks.kernel_start import TROUBLE
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, info, ok, warn
from health.checks.parsers.kernel_lines import bodies, body_of
from health.checks.parsers.kernel_log import KernelLog, stamp_of
from health.checks.verdicts import Verdict

HOUR_S = 3600.0
SHOWN_SHAPES = 20
# A log that is flooded says the same over and over; what is older was judged when it was new.
LOOKED_AT = 10_000
# A report of the firmware (GHES) is some forty lines; the next one begins like this.
_REPORT_CHARS, _NEXT_REPORT = 6_000, "Hardware error from APEI"


@dataclass(frozen=True)
class _Seen:
    line: str
    at_us: int | None
    at_s: float | None
    end: int = 0


@dataclass(frozen=True)
class _About:
    """The slot a line is about, or the machine and what the line calls the device; `is_named` where that is a name the
    kernel gave (sdb, dm-0)."""

    part: str
    device: str
    is_named: bool = False


@check(
    "dmesg.known",
    family="dmesg",
    title="Lines of the kernel log that are known to be bad",
    needs="kernel_log",
    kind="event",
    each=False,
    classes=(
        "nvme.failing", "disk.readonly", "disk.error", "disk.pool", "memory.uncorrectable", "kernel.crash",
        "kernel.stuck", "kernel.marked", "cpu.throttled", "pcie.error", "hca.failing", "gpu.hung", "driver.version",
        "hardware.error", "system.limits", "hca.driver", "hca.link", "gpu.bus", "gpu.reset", "driver.down",
        "fabricmanager.down", "gpu.memory",
    ),
    source="health/checks/data/kernel_rules.csv",
)  # fmt: skip
def known(log: KernelLog, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """One finding per kind of line and part: the newest line, how often, and what a person marked as bad."""
    text = log.text
    rules = [rule for rule in kernel_rules() if rule.may_be_in(text)]
    matches = ((rule, *each) for rule in rules for each in _matches(rule, text, x).items())
    told = [(about.part, _told(rule, about, seen, x, text)) for rule, about, seen in matches]
    told += [(MACHINE, outcome) for outcome in _marked(text, x)]
    yield from told
    if MACHINE not in dict(told):
        yield MACHINE, ok("no line about the machine is known to be bad")


def _matches(rule: KernelRule, text: str, x: Context) -> dict[_About, list[_Seen]]:
    """The lines of a rule by the device they are about."""
    found: dict[_About, list[_Seen]] = defaultdict(list)
    for begin, end in _spans_with(rule.markers, text):
        line = text[begin:end]
        if match := rule.find(body_of(line)):
            found[_about(_named(rule, text, end) or match, x)].append(_seen(line, end))
    return found


def _named(rule: KernelRule, text: str, at: int) -> re.Match[str] | None:
    """The line after it, of the same report, that says which device it is about."""
    if rule.named_by is None:
        return None
    report = text[at : at + _REPORT_CHARS].partition(_NEXT_REPORT)[0]
    return rule.named_by.search(report)


def _is_healed(rule: KernelRule, rest: str, about: _About, x: Context) -> bool:
    """Whether a later line takes back the last one about this device."""
    if rule.healed_by is None or rule.verdict is not Verdict.WARN:
        return False
    lines = (body_of(line) for line in rest.splitlines())
    return any((match := rule.heals(line)) is not None and _about(match, x) == about for line in lines)


def _spans_with(pieces: Iterable[str], text: str) -> list[tuple[int, int]]:
    """Where the lines stand that hold one of the pieces; the others of a long log cost a search, no step each."""
    spans: set[tuple[int, int]] = set()
    for piece in pieces:
        at = text.find(piece)
        while at >= 0:
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            spans.add((text.rfind("\n", 0, at) + 1, end))
            at = text.find(piece, end)
    return sorted(spans)


def _seen(line: str, end: int = 0) -> _Seen:
    at_us, clock_s = stamp_of(line)
    return _Seen(line.strip(), at_us, at_us / 1e6 if at_us is not None else clock_s, end)


def _about(match: re.Match[str], x: Context) -> _About:
    told = {name: value for name, value in match.groupdict().items() if value}
    address = told.get("pci") or told.get("pci2") or told.get("pci3")
    slot = None
    if "nvme" in told:
        slot = x.spec.slot(f"NVMe {int(told['nvme'])}")
    elif "hca" in told:
        slot = x.spec.slot(f"HCA {told['hca']}")
    elif address:
        slot = x.spec.slot_by_pci(address)
    device = " ".join(value for name, value in sorted(told.items()))
    return _About(slot.name if slot else MACHINE, "" if slot else device[:60], slot is None and "dev" in told)


def _told(rule: KernelRule, about: _About, seen: list[_Seen], x: Context, text: str) -> Outcome:
    newest, slot = seen[-1], x.spec.slot(about.part)
    verdict, often = rule.verdict, _within_an_hour(seen)
    fault_class = rule.other_class if about.is_named and rule.other_class else rule.fault_class
    healed = _is_healed(rule, text[newest.end :], about, x)
    if healed:
        verdict = Verdict.INFO
    if rule.warn_at and often >= rule.warn_at:
        verdict = Verdict.WARN
    if rule.fail_at and rule.fault_class and often >= rule.fail_at:
        verdict = Verdict.FAIL
    if rule.rail_only and (slot is not None or about.device) and (slot is None or slot.rail is None):
        verdict = Verdict.INFO
    message = f"{rule.meaning}: {body_of(newest.line)[:200]}"
    message += f"; seen {len(seen)} times" if len(seen) > 1 else ""
    message += "; a later line takes it back" if healed else ""
    name = f"{rule.name}:{about.device}" if about.device else rule.name
    outcome = _outcome(verdict, message, fault_class, name, about.part, seen, x)
    told = verdict in (Verdict.FAIL, Verdict.WARN)
    return replace(outcome, action=rule.action if told and rule.action else outcome.action)


def _outcome(
    verdict: Verdict, message: str, fault_class: str | None, name: str, part: str, seen: list[_Seen], x: Context
) -> Outcome:
    newest = seen[-1]
    return Outcome(
        verdict,
        message,
        fault_class if verdict in (Verdict.FAIL, Verdict.WARN) else None,
        x.advice(fault_class) if verdict in (Verdict.FAIL, Verdict.WARN) else "",
        value=float(len(seen)),
        excerpt="\n".join(each.line for each in seen[-MAX_LINES:]),
        observed={"rule": name.partition(":")[0], "count": len(seen)},
        at_us=newest.at_us,
        event_key=event_key(x, newest.at_us, name, part),
    )


def _within_an_hour(seen: list[_Seen]) -> int:
    """How many of them in the hour before the newest; lines without a stamp count."""
    last = seen[-1].at_s
    return sum(last is None or each.at_s is None or 0 <= last - each.at_s <= HOUR_S for each in seen)


def _marked(text: str, x: Context) -> Iterator[Outcome]:
    """What a person marked as bad, by the shape of the line."""
    bad = x.kernel_lines.bad
    if not bad:
        return
    found: dict[str, list[_Seen]] = defaultdict(list)
    for line, body in bodies(text):
        if (shape := shape_of(body)) in bad:
            found[shape].append(_seen(line))
    for shape, seen in found.items():
        mark = bad[shape]
        message = f"{mark.reason}: {body_of(seen[-1].line)[:200]}"
        message += f"; seen {len(seen)} times" if len(seen) > 1 else ""
        yield _outcome(mark.verdict, message, "kernel.marked", shape[:60], MACHINE, seen, x)


@check(
    "dmesg.unknown",
    family="dmesg",
    title="Kernel log lines not yet triaged",
    needs="kernel_log",
    source="health/checks/data/kernel_allow.csv and what people accepted for the model and its image",
    limits={"kernel_unknown_kinds_warn": 10, "kernel_unknown_plain_kinds_warn": 100},
)
def not_judged(log: KernelLog, x: Context, me: CheckDeclaration) -> Outcome:
    """What is neither harmless nor known to be bad is listed by its shape, for a person to accept or to mark as bad.

    A few are told; many at once are a machine that does something else than its like, and warn. A kernel or a driver of
    another version has dozens of lines of its own, so kinds in which no word of trouble stands are told, and warn only
    when there are very many.
    """
    decided = x.kernel_lines
    counts: Counter[str] = Counter()
    example: dict[str, str] = {}
    troubling: set[str] = set()
    for line, body in bodies("\n".join(log.text.splitlines()[-LOOKED_AT:])):
        if is_judged(body):
            continue
        shape = shape_of(body)
        if shape not in decided.accepted and shape not in decided.bad:
            counts[shape] += 1
            example.setdefault(shape, without_secrets(line.strip()))
            troubling |= {shape} if TROUBLE.search(body) else set()
    if not counts:
        return ok(f"every kind of line is known ({min(log.lines, LOOKED_AT)} lines)")
    order = sorted(counts, key=lambda shape: (shape not in troubling, -counts[shape]))
    shown = [{"shape": shape, "line": example[shape][:400], "count": counts[shape]} for shape in order[:SHOWN_SHAPES]]
    kinds = f"{len(counts)} kind{'s' if len(counts) > 1 else ''} of line not yet triaged"
    many = len(troubling) >= x.limit(me, "kernel_unknown_kinds_warn")
    many = many or len(counts) >= x.limit(me, "kernel_unknown_plain_kinds_warn")
    say = warn if many else info
    return say(
        f"{kinds}, {len(troubling)} of them with a word of trouble, first: {shown[0]['line']}",
        value=float(len(counts)),
        action="Accept each kind for this model and image, or mark it as bad.",
        excerpt="\n".join(example[shape] for shape in order[:MAX_LINES]),
        observed={"kinds": len(counts), "troubling": len(troubling), "lines": shown},
    )
