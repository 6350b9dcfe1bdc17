"""Checks of what happened, read from the kernel log: GPU and NVSwitch errors, memory errors, narrow links."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from health.checks.context import Context
from health.checks.levels import Rung
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, warn
from health.checks.one_link import told_by
from health.checks.parsers.kernel_log import KernelLog, LimitedLink, SXid, Xid
from health.checks.verdicts import Verdict
from health.checks.xid import FELL_OFF_BUS, Meaning, decode, decode_sxid, recovery_value
from inventory.specs.device_model import normalise_pci

INCIDENT_S = 60.0
DAY_S = 86_400.0
BURST_S = {13: 15.0, 31: 180.0}
TOO_OFTEN = 5
MAX_LINES = 6
_SM = re.compile(r"GPC (\d+), TPC (\d+)")
_APP = "an application's own fault: "


@dataclass(frozen=True)
class Incident:
    """All codes of one GPU within a minute: `lead` is the worst of them."""

    xids: tuple[Xid, ...]
    lead: Xid
    meaning: Meaning


def when(event: object) -> float | None:
    """Seconds on whichever clock the line has; None for a line without a stamp."""
    at_us, clock_s = getattr(event, "at_us", None), getattr(event, "clock_s", None)
    return at_us / 1e6 if at_us is not None else clock_s


def incidents(xids: Sequence[Xid]) -> list[Incident]:
    """Group the reports of one GPU. Lines without a stamp belong to what stands before them."""
    groups: list[list[Xid]] = []
    begun: float | None = None
    for xid in xids:
        at = when(xid)
        if not groups or (at is not None and begun is not None and not 0 <= at - begun <= INCIDENT_S):
            groups.append([])
            begun = at
        begun = at if begun is None else begun
        groups[-1].append(xid)
    return [_incident(group) for group in groups]


def _incident(group: list[Xid]) -> Incident:
    decoded = [(xid, decode(xid)) for xid in group]
    lead, meaning = min(decoded, key=lambda pair: (pair[1].verdict.rank, pair[0].code != FELL_OFF_BUS))
    action, rung = meaning.action, meaning.rung
    asked = [(each, value) for each, value in decoded if recovery_value(each)]
    if asked and asked[-1][0] is not lead:
        action = f"{asked[-1][1].action} (asked for by Xid 154)"
        rung = max(rung, asked[-1][1].rung)
    return Incident(tuple(group), lead, replace(meaning, action=action, rung=rung))


@check(
    "gpu.xid",
    family="dmesg",
    title="GPU errors in the kernel log (Xid)",
    part="gpu",
    needs="kernel_log",
    kind="event",
    each=False,
    classes=(
        "gpu.bus", "gpu.memory", "gpu.hung", "gpu.power", "gpu.reset", "gpu.firmware", "gpu.suspect", "nvlink.error",
    ),
    source="health/checks/data/xid.csv",
)  # fmt: skip
def xid(log: KernelLog, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """All codes of a GPU within a minute are one incident led by the worst; applications' faults count in bursts."""
    by_part: dict[str, list[Xid]] = defaultdict(list)
    for each in log.xids:
        slot = x.gpu_slot_at(each.address)
        by_part[slot.name if slot else MACHINE].append(each)
    serials = {normalise_pci(address): serial for address, serial in log.serials}
    for part, reports in by_part.items():
        for address in dict.fromkeys(normalise_pci(each.address) for each in reports):
            own = [each for each in reports if normalise_pci(each.address) == address]
            serial = serials.get(address, "")
            yield from ((part, outcome) for outcome in _judge_gpu(own, part, serial, x))
    for slot in x.gpu_slots:
        if slot.name not in by_part:
            yield slot.name, ok("no GPU error in the kernel log")


def _judge_gpu(xids: Sequence[Xid], part: str, serial: str, x: Context) -> Iterator[Outcome]:
    """One outcome per leading code: the newest incident, and how often it was seen."""
    by_code: dict[int, list[Incident]] = defaultdict(list)
    for incident in incidents(xids):
        by_code[incident.lead.code].append(incident)
    for found in by_code.values():
        yield _told(found, part, serial, x)


def _told(found: list[Incident], part: str, serial: str, x: Context) -> Outcome:
    newest = found[-1]
    lead, meaning = newest.lead, newest.meaning
    recent = _within_a_day(found)
    verdict, text, action, rung = meaning.verdict, meaning.text, meaning.action, meaning.rung
    if meaning.burst:
        again = len(_bursts(each for incident in recent for each in incident.xids if each.code == lead.code)) > 1
        suspect = again and _same_place(recent, lead.code)
        verdict = Verdict.WARN if suspect else Verdict.INFO
        text = text if suspect else _APP + text
    elif verdict is Verdict.FAIL and len(recent) >= TOO_OFTEN:
        action = f"{len(recent)} times within a day: no more resets, a person decides. {action}"
        rung = Rung.TICKET
    others = sorted({each.code for each in newest.xids} - {lead.code})
    message = f"{text} ({lead.address or 'which one is not said'}), reported without an Xid"
    if not lead.in_words:
        message = f"Xid {lead.code} on {lead.address}: {text}"
    message += f" (MIG instance {lead.mig_instance})" if lead.mig_instance else ""
    message += f", with Xid {', '.join(map(str, others))}" if others else ""
    message += f"; seen {len(found)} times" if len(found) > 1 else ""
    message += f"; board serial {serial}" if serial else ""
    return Outcome(
        verdict,
        message,
        meaning.fault_class,
        action,
        value=float(lead.code),
        excerpt="\n".join([lead.line, *(each.line for each in newest.xids if each is not lead)][:MAX_LINES]),
        observed={"codes": sorted({each.code for each in newest.xids}), "address": lead.address, "serial": serial},
        at_us=lead.at_us,
        event_key=event_key(x, lead.at_us, lead.code, part),
        rung=rung,
    )


def event_key(x: Context, at_us: int | None, code: object, part: str) -> str | None:
    """The same line read again has the same key; None for a line without a monotonic stamp."""
    return f"{x.boot_id}:{at_us}:{code}:{part}" if at_us is not None else None


def _within_a_day(found: list[Incident]) -> list[Incident]:
    last = when(found[-1].lead)
    return [each for each in found if last is None or (at := when(each.lead)) is None or last - at <= DAY_S]


def _bursts(xids: Iterable[Xid]) -> list[Xid]:
    """The first line of each burst: lines closer than the code's window are one failure told many times."""
    first: list[Xid] = []
    last: float | None = None
    for each in xids:
        at = when(each)
        if not first or (at is not None and last is not None and at - last > BURST_S.get(each.code, INCIDENT_S)):
            first.append(each)
        last = at if at is not None else last
    return first


def _same_place(found: list[Incident], code: int) -> bool:
    """Whether one processor of the GPU shows up in two incidents; a page fault has no place but the GPU."""
    if code != 13:
        return True
    seen: dict[str, int] = defaultdict(int)
    for incident in found:
        for place in {m.group() for each in incident.xids if (m := _SM.search(each.detail))}:
            seen[place] += 1
    return any(count > 1 for count in seen.values())


@check(
    "nvswitch.sxid",
    family="dmesg",
    title="NVSwitch errors in the kernel log (SXid)",
    needs="kernel_log",
    kind="event",
    classes=("nvswitch.fatal",),
    source="health/checks/data/sxid.csv",
)
def sxid(log: KernelLog, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Fatal fails, others are told. A link that goes down because its GPU left the bus is the GPU's fault."""
    groups: dict[tuple[str, int], list[SXid]] = defaultdict(list)
    for each in log.sxids:
        groups[each.address, each.code].append(each)
    gone = [at for each in log.xids if each.code == FELL_OFF_BUS and (at := when(each)) is not None]
    for (address, code), reports in groups.items():
        newest, meaning = reports[-1], decode_sxid(reports[-1])
        at, verdict, note = when(newest), meaning.verdict, ""
        if at is not None and any(0 <= at - lost <= INCIDENT_S for lost in gone):
            verdict, note = min(verdict, Verdict.WARN, key=lambda v: -v.rank), "; a GPU had just left the bus"
        yield Outcome(
            verdict,
            f"SXid {code} on NVSwitch {address}: {meaning.text}: {newest.detail}{note}",
            meaning.fault_class,
            meaning.action,
            value=float(code),
            excerpt="\n".join(each.line for each in reports[-MAX_LINES:]),
            at_us=newest.at_us,
            event_key=event_key(x, newest.at_us, code, address),
        )
    if not groups:
        yield ok("no NVSwitch error in the kernel log")


@check(
    "memory.errors",
    family="memory",
    title="Memory errors in the kernel log (EDAC)",
    needs="kernel_log",
    kind="event",
    classes=("memory.uncorrectable",),
    source="Linux kernel documentation, EDAC",
    limits={"memory_corrected_warn": 1000},
)
def memory(log: KernelLog, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """One uncorrectable error fails; corrected ones are told, and many of them warn."""
    for places, uncorrected in (
        ([e for e in log.memory_errors if e.uncorrected], True),
        ([e for e in log.memory_errors if not e.uncorrected], False),
    ):
        if not places:
            continue
        newest, count = places[-1], sum(each.count for each in places)
        say = fail if uncorrected else warn if count >= x.limit(me, "memory_corrected_warn") else info
        said = f"{'uncorrectable' if uncorrected else 'corrected'} memory error, {count} in the log: {newest.place}"
        watch = "Find the DIMM in the BMC's log and watch it; replace it when the errors go on."
        extra = {"fault_class": "memory.uncorrectable"} if uncorrected else {"action": watch if say is warn else ""}
        yield say(
            said,
            **extra,
            value=count,
            excerpt=newest.line,
            at_us=newest.at_us,
            event_key=event_key(x, newest.at_us, "UE" if uncorrected else "CE", MACHINE),
        )
    if not log.memory_errors:
        yield ok("no memory error in the kernel log")


@check(
    "hca.pcie",
    family="PCIe",
    title="Network cards got their PCIe bandwidth",
    part="hca",
    needs="kernel_log",
    kind="event",
    each=False,
    classes=("hca.pcie",),
    source="mlx5_core's own message at start",
)
def card_link(log: KernelLog, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """The driver says at start when a card has fewer lanes or a lower speed than it could; a rail card must not. Where
    the link as it is now is told by another check this is history."""
    seen: dict[str, LimitedLink] = {}
    for each in log.limited_links:
        slot = x.spec.slot_by_pci(each.address)
        seen[slot.name if slot and slot.kind == "hca" else MACHINE] = each
    for part, each in seen.items():
        slot = x.spec.slot(part)
        device = f" ({slot.device})" if slot and slot.device else ""
        said = f"{each.address}{device} has {each.found}, it could do {each.capable}"
        on_rail = slot is not None and slot.rail is not None
        more = {"excerpt": each.line, "at_us": each.at_us, "event_key": event_key(x, each.at_us, "pcie", part)}
        if slot is not None and (told := told_by(slot, x)):
            yield part, info(f"{said}; {told} reports its link now", **more)  # type: ignore[arg-type]
        else:
            yield part, fail(said, "hca.pcie", **more) if on_rail else info(said, **more)  # type: ignore[arg-type]
    for slot in x.spec.slots_of("hca"):
        if slot.name not in seen:
            yield slot.name, ok("no narrow PCIe link in the kernel log")
