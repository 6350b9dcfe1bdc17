"""The check of what a BMC's log says: what was asserted and never taken back."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.counts import counted
from health.checks.bmc import not_heard
from health.checks.context import Context
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, info, ok, unknown
from health.checks.one_link import told_by
from health.checks.parsers.bmc_log import BmcLog, LogEntry
from health.checks.verdicts import Verdict
from inventory.specs.device_model import DeviceModelSpec, normalise_pci

_DATA = Path(__file__).resolve().parent / "data"
_BUS = re.compile(r"bus (\d+) device (\d+) function (\d+)")
_NUMBERS = {
    "psu": re.compile(r"(?i)psu\.slot\.(\d+)|power supply (\d+)|\bps(?:u)?\s?(\d+)"),
    "fan": re.compile(r"(?i)fan\.\D*(\d+\w?)|fan\s*(\d+\w?)"),
    "dimm": re.compile(r"(?i)dimm\.socket\.([a-z]\d+)|dimm[ _.#-]?([a-z]\d+)"),
    "gpu": re.compile(r"(?i)gpu_sxm_(\d+)"),
    "drive": re.compile(r"(?i)disk\.bay\.(\d+)|(?:disk|drive)\s+(\d+)|bay (\d+)"),
}
_IN_SLOT = re.compile(r"(?i)\b(?:at|in|on) (?:pcie? )?slot (\d+)\b")
_SLOTS = {"psu": "PSU {}", "dimm": "DIMM {}", "drive": "NVMe {}"}
# Of these a later entry tells how it is now: over the critical limit, then only over the warning limit.
_LEVELS = frozenset({"temperature"})
_LOOK_UP = "Find the entry's code in the vendor's list of event messages and do what it says for the part it names."


@dataclass(frozen=True)
class LogRule:
    """A row of sel.csv, with the message ids that vendors have for it."""

    name: str
    ids: re.Pattern[str] | None
    text: re.Pattern[str] | None
    subject: str
    verdict: Verdict
    fault_class: str | None
    meaning: str

    def says(self, entry: LogEntry) -> bool:
        return self.text is not None and self.text.search(entry.message) is not None

    def has_id(self, entry: LogEntry) -> bool:
        return bool(self.ids and entry.message_id and self.ids.fullmatch(entry.message_id))


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def message_ids(folder: Path = _DATA / "message_ids") -> dict[str, str]:
    """Rule to a pattern of the message ids that stand for it, of all vendors together: the ids name their vendor."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.csv")):
        for row in _rows(path):
            found.setdefault(row["rule"], []).append(row["ids"])
    return {rule: "|".join(patterns) for rule, patterns in found.items()}


@cache
def log_rules() -> tuple[LogRule, ...]:
    rows, ids = _rows(_DATA / "sel.csv"), message_ids()
    if unknown := ids.keys() - {row["rule"] for row in rows}:
        raise ValueError(f"message ids of rules that sel.csv does not have: {', '.join(sorted(unknown))}")
    return tuple(
        LogRule(
            name=row["rule"],
            ids=re.compile(ids[row["rule"]]) if row["rule"] in ids else None,
            text=re.compile(row["text"]) if row["text"] else None,
            subject=row["subject"],
            verdict=Verdict(row["verdict"]),
            fault_class=row["fault_class"] or None,
            meaning=row["meaning"],
        )
        for row in rows
    )


@check(
    "bmc.log",
    family="BMC",
    title="The BMC's log holds nothing that is still wrong",
    needs="bmc_log",
    kind="event",
    each=False,
    classes=(
        "psu.lost", "psu.redundancy", "fan.failed", "inlet.hot", "memory.uncorrectable", "cpu.missing",
        "cpu.throttled", "pcie.error", "nvme.failing", "nvme.gone", "leak.detected", "kernel.stuck",
        "gpu.memory",
    ),
    source="health/checks/data/sel.csv",
)  # fmt: skip
def bmc_log(log: BmcLog | Sequence[LogEntry] | None, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """What was asserted and not taken back by a later entry; an entry no row knows counts by its severity.

    Of what the BMC also measures (power supplies, fans, air) its sensors tell the state now: then the log is history.
    """
    if log is None:
        heard = x.bmc is not None and not x.bmc.error
        yield MACHINE, unknown("the BMC's logs were not read") if heard else not_heard(x.bmc, x)
        return
    entries = log.entries if isinstance(log, BmcLog) else log
    trouble = log.trouble if isinstance(log, BmcLog) else ""
    untold = [entry for entry in entries if entry.severity is None and not rule_of(entry)]
    told: set[str] = set()
    for entry in still_open(entries, x.spec):
        rule = rule_of(entry)
        part = _part(rule.subject if rule else "", entry, x.spec)
        told.add(part)
        yield part, _outcome(rule, entry, part, x)
    if untold:
        told.add(MACHINE)
        yield MACHINE, unknown(f"entry {untold[0].id or '?'} is cut off")
    if trouble:
        told.add(MACHINE)
        yield MACHINE, unknown(trouble)
    if isinstance(log, BmcLog) and not log.has_log and not trouble:
        yield MACHINE, info("the BMC offers no log")
    elif MACHINE not in told:
        yield MACHINE, ok(f"nothing about the machine is wrong in {counted(len(entries), 'entry', 'entries')}")


def still_open(entries: Sequence[LogEntry], spec: DeviceModelSpec) -> list[LogEntry]:
    """The entries that say something, less those that a later one of the same thing took back; oldest first.

    A lesser entry does not stand for a worse one before it (a corrected error after one that was not), but where a
    level is told the last one counts. What is deasserted, resolved or repaired takes back its own state only.
    """
    open_ones: dict[tuple[str, str, str], LogEntry] = {}
    for entry in entries:
        rule = rule_of(entry)
        part = _part(rule.subject if rule else "", entry, spec)
        subject = rule.name.partition(".")[0] if rule else entry.message_id or entry.message
        thing = (subject, _place(rule, entry, part))
        key = (*thing, entry.state)
        if entry.cleared:
            open_ones.pop(key, None)
        elif entry.is_well_again:
            open_ones = {each: one for each, one in open_ones.items() if one.sensor != entry.sensor}
        elif rule and rule.verdict is Verdict.OK:
            open_ones = {each: one for each, one in open_ones.items() if each[:2] != thing}
        elif rule or entry.severity in ("warning", "critical"):
            before = open_ones.get(key)
            if before is None or subject in _LEVELS or _rank(entry) <= _rank(before):
                open_ones[key] = entry
    return list(open_ones.values())


def _rank(entry: LogEntry) -> int:
    rule = rule_of(entry)
    return rule.verdict.rank if rule else Verdict.WARN.rank if entry.severity == "critical" else Verdict.INFO.rank


def rule_of(entry: LogEntry) -> LogRule | None:
    """The first rule whose text the message holds; by its id only where the message fits none: the same number stands
    for other messages in other generations of a BMC."""
    rules = log_rules()
    return next((rule for rule in rules if rule.says(entry)), next((r for r in rules if r.has_id(entry)), None))


def _place(rule: LogRule | None, entry: LogEntry, part: str) -> str:
    """What an entry is about, so that a later one of the same thing can take it back."""
    return f"{part} {_number(rule.subject, entry) or entry.sensor}" if rule else part


def _number(subject: str, entry: LogEntry) -> str | None:
    pattern = _NUMBERS.get(subject)
    found = pattern.search(entry.fqdd) or pattern.search(entry.message) if pattern else None
    return next((group for group in found.groups() if group), None) if found else None


def _part(subject: str, entry: LogEntry, spec: DeviceModelSpec) -> str:
    if subject == "pci" and (found := _BUS.search(entry.message)):
        bus, device, function = (int(number) for number in found.groups())
        if bus < 256 and device < 32 and function < 8:
            slot = spec.slot_by_pci(normalise_pci(f"{bus:02x}:{device:02x}.{function:x}") or "")
            return slot.name if slot else MACHINE
    if subject == "pci" and (place := _IN_SLOT.search(entry.message)):
        return _labelled(f"Slot {place.group(1)}", spec)
    if on_board := _number("gpu", entry):
        return _labelled(f"SXM {on_board}", spec)
    number = _number(subject, entry)
    slot = spec.slot(_SLOTS[subject].format(number.upper())) if number and subject in _SLOTS else None
    return slot.name if slot else MACHINE


def _labelled(label: str, spec: DeviceModelSpec) -> str:
    """The slot with this on its label; a card of two ports is one of two slots, so neither is named."""
    return next((slot.name for slot in spec.slots if slot.label == label), MACHINE)


def _outcome(rule: LogRule | None, entry: LogEntry, part: str, x: Context) -> Outcome:
    said = f"{entry.message_id} {entry.message}".strip()
    line = " ".join(word for word in (entry.at, entry.severity or "", said, entry.fqdd) if word)
    if rule is None:
        verdict, fault_class = Verdict.WARN if entry.severity == "critical" else Verdict.INFO, None
    else:
        verdict, fault_class = rule.verdict, rule.fault_class
    slot = x.spec.slot(part)
    if rule is not None and rule.name == "pci.degraded" and slot is not None and (told := told_by(slot, x)):
        return info(f"{said} ({entry.at}); {told} reports its link now", excerpt=line)
    if rule is not None and verdict is not Verdict.INFO and _is_measured(rule, x):
        return info(f"{said} ({entry.at}); the sensors of the BMC show the state now", excerpt=line)
    if verdict is Verdict.INFO:
        return info(f"{said} ({entry.at})", excerpt=line)
    return Outcome(
        verdict,
        f"{said} ({entry.at})",
        fault_class,
        x.advice(fault_class, _LOOK_UP),
        excerpt=line,
        observed={"id": entry.id, "message_id": entry.message_id, "at": entry.at},
        event_key=f"bmc:{entry.id}:{entry.at}:{entry.message_id}:{part}",
        at_us=entry.read_us,
    )


def _is_measured(rule: LogRule, x: Context) -> bool:
    """Whether a sensor that was read in the same look tells what this kind of entry is about."""
    if x.bmc is None or x.bmc.error:
        return False
    told = {
        "psu": x.bmc.supplies,
        "presence": x.bmc.supplies,
        "redundancy": x.bmc.redundancy,
        "fan": x.bmc.fans,
        "temperature": x.bmc.temperatures,
    }
    return told.get(rule.name.partition(".")[0]) is not None
