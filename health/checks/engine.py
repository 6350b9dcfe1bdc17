"""Running declarations over readings: one finding per part, and unknown wherever nothing was heard.

Nothing here raises. A rule that meets something its author did not think of costs its own verdict (unknown, with the
reason), never the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from health.checks.context import Context
from health.checks.faults import FAULT_CLASSES, Precedence
from health.checks.levels import Rung
from health.checks.model import MACHINE, CheckDeclaration, Finding, Outcome, unknown
from health.checks.parsers.gpus import Gpu
from health.checks.per_model import per_model
from health.checks.sources import Reading, drive_reading
from health.checks.verdicts import Verdict
from inventory.specs.device_model import DeviceModelSpec

EXCERPT_CHARS = 600
ROOT_MOUNT = "/"
# Readings that come with every report or from the collector itself, not from a command.
OWN_READINGS = frozenset({"reach", "bmc", "bmc_log", "bmc_profile"})
# Readings whose outputs may tell only some of it.
_PARTIAL = frozenset({"bmc", "dmi", "memory", "release", "state_files"})


@per_model
def _parts_by_kind(spec: DeviceModelSpec) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {MACHINE: (MACHINE,), "mount": (ROOT_MOUNT,)}
    for slot in spec.slots:
        found[slot.kind] = (*found.get(slot.kind, ()), slot.name)
    return found


def parts_of(declaration: CheckDeclaration, spec: DeviceModelSpec) -> tuple[str, ...]:
    """The parts that always get a verdict, in the model's order."""
    return _parts_by_kind(spec).get(declaration.part, ())


def judge(declaration: CheckDeclaration, x: Context, *, fed_only: bool = False) -> list[Finding]:
    """The findings of one check. With `fed_only` a check whose command was not run says nothing."""
    if declaration.needs == "drive":
        return _judge_drives(declaration, x, fed_only)
    reading = x.fed_by(declaration.needs)
    if reading is None:
        if fed_only:
            return []
        return _unheard(declaration, x, None, _not_heard(x))
    if fed_only and not _has_fields(declaration, x, reading):
        return []
    if reading.trouble:
        judged = declaration.on_trouble(reading.trouble, x) if declaration.on_trouble else None
        if judged:
            return [_finding(declaration, MACHINE, judged, reading)]
        return _unheard(declaration, x, reading, reading.trouble)
    try:
        said = list(_ask(declaration, x, reading))
    except Exception as error:  # see the module's docstring
        return _unheard(declaration, x, reading, f"the check could not be computed ({type(error).__name__}: {error})")
    if doubt := _doubt_of(reading):
        said = [(part, _doubted(outcome, doubt)) for part, outcome in said]
    findings = [_finding(declaration, part, outcome, reading) for part, outcome in said]
    told = {part for part, _ in said}
    one_part = getattr(reading.data, "of_one_part", False)  # an output of one card says nothing of the others
    silent = [part for part in parts_of(declaration, x.spec) if part not in told and not (one_part and told)]
    return findings + [_finding(declaration, part, unknown("the output does not report"), reading) for part in silent]


def _judge_drives(declaration: CheckDeclaration, x: Context, fed_only: bool) -> list[Finding]:
    """Each drive has a reading of its own."""
    findings: list[Finding] = []
    names = {drive_reading(slot.name.split()[-1]): slot.name for slot in x.spec.slots_of(declaration.part)}
    fed = [name for name in x.readings if name.startswith(drive_reading(""))]
    for name in dict.fromkeys([*(names if not fed_only else ()), *fed]):
        reading = x.readings.get(name)
        number = name.partition(":")[2]  # a disk that is no NVMe drive has no slot, and no number
        part = names.get(name, f"NVMe {number}" if number.isdecimal() else MACHINE)
        if reading is None or reading.trouble:
            outcome = unknown(reading.trouble if reading else _not_heard(x))
        else:
            try:
                outcome = lead(declaration.rule(reading.data, x, declaration))
                doubt = _doubt_of(reading)
                outcome = _doubted(outcome, doubt) if doubt else outcome
            except Exception as error:  # see the module's docstring
                outcome = unknown(f"the check could not be computed ({type(error).__name__}: {error})")
        findings.append(_finding(declaration, part, outcome, reading))
    return findings


def _doubt_of(reading: Reading) -> str:
    """Why what is fine in this output is not believed, or nothing."""
    return "parts of the output are no text" if reading.is_mangled else reading.doubt


def _doubted(outcome: Outcome, doubt: str) -> Outcome:
    fine = outcome.verdict in (Verdict.OK, Verdict.INFO) and outcome.at_us is None
    return unknown(doubt) if fine else outcome


def _not_heard(x: Context) -> str:
    return f"unreachable: {x.unreachable}" if x.unreachable else "the report does not hold the output it needs"


def _has_fields(declaration: CheckDeclaration, x: Context, reading: Reading) -> bool:
    """Whether an output that gives only some fields (a form of nvidia-smi, one Redfish resource) gives one that this
    check reads."""
    if declaration.needs == "infiniband" and "firmware" in declaration.fields:
        return reading.data is None or reading.data.has_firmware
    if declaration.needs == "rocm" and reading.data is not None:
        return any(getattr(gpu, name) is not None for gpu in reading.data.gpus for name in declaration.fields)
    if declaration.needs == "kernel_files" and reading.data is not None and not reading.data.whole:
        return any(getattr(reading.data, name) for name in declaration.fields)
    if declaration.needs in _PARTIAL and reading.data is not None and declaration.fields:
        return any(getattr(reading.data, name, None) is not None for name in declaration.fields)
    if declaration.needs != "gpus" or x.gpus is None or x.gpus.complete or not declaration.fields:
        return True
    return any(
        getattr(gpu, name) is not None or name in gpu.not_applicable or name in gpu.unread
        for gpu in x.gpus.gpus
        for name in declaration.fields
    )


def _ask(declaration: CheckDeclaration, x: Context, reading: Reading) -> Iterator[tuple[str, Outcome]]:
    rule: Any = declaration.rule
    data = x.data_of(reading)
    if not declaration.each:
        yield from rule(data, x, declaration)
    elif declaration.part == MACHINE:
        yield from ((MACHINE, outcome) for outcome in _merged(declaration, rule(data, x, declaration)))
    elif declaration.part == "gpu" and declaration.needs == "gpus":
        placed = x.gpu_in
        for slot in x.gpu_slots:
            gpu: Gpu | None = placed.get(slot.name)
            outcome = unknown(f"nvidia-smi does not list this GPU ({slot.pci or slot.text})")
            yield slot.name, _of_gpu(gpu, declaration, x) if gpu else outcome
        for stray in x.stray_gpus:
            if stray.address:
                yield f"GPU at {stray.address}", _of_gpu(stray, declaration, x)
    else:
        for slot in x.spec.slots_of(declaration.part):
            for outcome in _merged(declaration, rule(slot, data, x, declaration)):
                yield slot.name, outcome


def _of_gpu(gpu: Gpu, declaration: CheckDeclaration, x: Context) -> Outcome:
    """One GPU's outcome; what is wrong shows the fields it was judged by, out of a document of thousands of lines."""
    outcome = lead(declaration.rule(gpu, x, declaration))
    if outcome.verdict not in (Verdict.FAIL, Verdict.WARN) or outcome.excerpt:
        return outcome
    told = {name: getattr(gpu, name) for name in declaration.fields}
    lines = [f"{name}: {value}" for name, value in told.items() if value is not None]
    return replace(outcome, excerpt="\n".join([f"GPU {gpu.address}", *lines]) if lines else "")


def _merged(declaration: CheckDeclaration, said: Outcome | Iterable[Outcome]) -> list[Outcome]:
    """Levels of one part are one outcome; events stay apart, each has its own time."""
    if declaration.kind == "event" and not isinstance(said, Outcome):
        return list(said)
    return [lead(said)]


def lead(said: Outcome | Iterable[Outcome]) -> Outcome:
    """One outcome of several: the worst leads, the others of note are told in its message."""
    if isinstance(said, Outcome):
        return said
    outcomes = list(said)
    if not outcomes:
        return unknown("the output does not report")
    first = outcomes[0] if len(outcomes) == 1 else min(outcomes, key=_rank)
    if first.verdict is Verdict.OK or len(outcomes) == 1:
        return first
    outcomes.sort(key=_rank)
    noted = [outcome for outcome in outcomes if outcome.verdict is not Verdict.OK]
    observed: dict[str, Any] = {}
    for outcome in reversed(noted):
        observed.update(outcome.observed)
    return Outcome(
        first.verdict,
        _joined([outcome.message for outcome in noted]),
        first.fault_class,
        first.action,
        first.value,
        "\n".join(dict.fromkeys(outcome.excerpt for outcome in noted if outcome.excerpt)),
        observed,
        rung=max((_rung_of(outcome) for outcome in noted if outcome.verdict is Verdict.FAIL), default=Rung.NOTE),
    )


def _rung_of(outcome: Outcome) -> Rung:
    known = FAULT_CLASSES.get(outcome.fault_class or "")
    return max(outcome.rung, known.start_rung) if known else outcome.rung


def _rank(outcome: Outcome) -> int:
    return outcome.verdict.rank


def _joined(messages: list[str]) -> str:
    """One sentence; the identifier that all messages begin with is said once."""
    subject = messages[0].partition(": ")[0] + ": "
    rest = [message.removeprefix(subject) for message in messages[1:]]
    return "; ".join(dict.fromkeys([messages[0], *rest]))


def _unheard(declaration: CheckDeclaration, x: Context, reading: Reading | None, reason: str) -> list[Finding]:
    outcome = unknown(reason)
    return [_finding(declaration, part, outcome, reading) for part in parts_of(declaration, x.spec)]


def _text_tells(verdict: Verdict, text: str) -> bool:
    """Whether the output as it came is the evidence: it could not be understood, or it is short enough to read."""
    return verdict is Verdict.UNKNOWN or (verdict in (Verdict.FAIL, Verdict.WARN) and len(text) <= EXCERPT_CHARS)


def _finding(declaration: CheckDeclaration, part: str, outcome: Outcome, reading: Reading | None) -> Finding:
    """What a rule said, with where it came from."""
    told: dict[str, Any] = {
        "check": declaration.id,
        "part": part,
        "verdict": outcome.verdict,
        "message": outcome.message,
        "kind": declaration.kind,
        "event_log": "bmc" if declaration.needs == "bmc_log" else "kernel",
        "value": outcome.value,
        "observed": outcome.observed,
    }
    if reading is not None:
        told["command"], told["exit_status"] = reading.command, reading.exit_status
    if outcome.verdict is not Verdict.OK:  # most are: nothing more to tell
        told.update(_of_note(declaration, outcome, reading))
    return Finding.of(told)


def _of_note(declaration: CheckDeclaration, outcome: Outcome, reading: Reading | None) -> dict[str, Any]:
    """The fields of a finding that is not ok."""
    excerpt = outcome.excerpt
    if not excerpt and reading and _text_tells(outcome.verdict, reading.text):
        excerpt = reading.text.strip()
    known = FAULT_CLASSES.get(outcome.fault_class) if outcome.fault_class else None
    failed = outcome.verdict is Verdict.FAIL
    return {
        "action": outcome.action,
        "fault_class": outcome.fault_class if failed else None,
        "precedence": int(known.precedence) if known else int(Precedence.DEGRADED),
        "event_key": outcome.event_key,
        "event_at_us": outcome.at_us,
        "excerpt": excerpt[:EXCERPT_CHARS],
        "start_rung": int(max(_rung_of(outcome), declaration.start_rung)) if failed else int(Rung.NOTE),
    }
