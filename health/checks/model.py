"""What a check is, what it is given and what it says. Frozen values, no behaviour beyond construction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from health.checks.families import FAMILIES
from health.checks.faults import FAULT_CLASSES
from health.checks.levels import Rung, Severity
from health.checks.verdicts import Verdict
from inventory.specs.device_model import DeviceModelSpec

MACHINE = "machine"
NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class ExpectedComponent:
    """The component the inventory has in a slot; empty where it is not known."""

    serial: str = ""
    uuid: str = ""
    part_number: str = ""
    guid: str = ""


@dataclass(frozen=True)
class BadLine:
    """A person's mark on a kind of kernel line: how bad it is, and why."""

    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class KernelLines:
    """What people decided about kinds of kernel lines for this model and image, by `kernel_rules.shape_of`.

    Owner and expiry are the caller's: what has expired is not handed in.
    """

    accepted: Set[str] = frozenset()
    bad: Mapping[str, BadLine] = field(default_factory=dict)


@dataclass(frozen=True)
class Earlier:
    """Counters of an earlier look at the same machine: at which of its own seconds, and by slot and name.

    `boot_id` is the boot they were counted in, empty where it is not known: most counters start again with a boot.
    """

    at: float
    counters: Mapping[str, Mapping[str, int]]
    boot_id: str = ""


@dataclass(frozen=True)
class ProfileRead:
    """What a BMC told last beside the profile of its model; `age_s` None: it was never read.

    `differences` are sentences about the first of `count`; `problem` is why the last try told nothing.
    """

    age_s: float | None = None
    count: int = 0
    differences: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Expectation:
    """What a machine should be.

    `thresholds` override the model's by name, which override the checks' own; `thresholds_of` override them all for one
    check, by its id. `serial` is the machine's own (its service tag). `restarted_at` is when it last started without
    anybody here having asked for it, in its own seconds. `bmc_profile` is None where its model has none.
    """

    model: DeviceModelSpec
    components: Mapping[str, ExpectedComponent] = field(default_factory=dict)
    machine_name: str = ""
    serial: str = ""
    thresholds: Mapping[str, float] = field(default_factory=dict)
    thresholds_of: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    bmc_expected: bool = True
    earlier: Earlier | None = None
    kernel_lines: KernelLines = field(default_factory=KernelLines)
    restarted_at: float | None = None
    bmc_profile: ProfileRead | None = None


@dataclass(frozen=True)
class Outcome:
    """What a rule says of one part; the engine adds the rest. `at_us` and `event_key` only for what happened.

    `rung`: remediation starts no lower than here, whatever the fault class says.
    """

    verdict: Verdict
    message: str
    fault_class: str | None = None
    action: str = ""
    value: float | None = None
    excerpt: str = ""
    observed: Mapping[str, Any] = field(default_factory=dict, hash=False)
    at_us: int | None = None
    event_key: str | None = None
    rung: Rung = Rung.NOTE


def ok(message: str, *, value: float | None = None, observed: Mapping[str, Any] = NOTHING) -> Outcome:
    """The same as Outcome(Verdict.OK, ...) at an eighth of the time, as a report has hundreds: what an outcome that is
    ok never has is left to the class."""
    outcome = object.__new__(Outcome)
    told = outcome.__dict__
    told["verdict"], told["message"], told["value"], told["observed"] = Verdict.OK, message, value, observed
    return outcome


def info(message: str, **more: Any) -> Outcome:
    return Outcome(Verdict.INFO, message, **more)


def warn(message: str, fault_class: str | None = None, **more: Any) -> Outcome:
    return _with_advice(Verdict.WARN, message, fault_class, more)


def fail(message: str, fault_class: str, **more: Any) -> Outcome:
    return _with_advice(Verdict.FAIL, message, fault_class, more)


def unknown(message: str, **more: Any) -> Outcome:
    return Outcome(Verdict.UNKNOWN, message, **more)


def _with_advice(verdict: Verdict, message: str, fault_class: str | None, more: dict[str, Any]) -> Outcome:
    if fault_class and not more.get("action"):
        more["action"] = FAULT_CLASSES[fault_class].advice
    return Outcome(verdict, message, fault_class, **more)


@dataclass(frozen=True)
class Finding:
    """One verdict on one part of a machine.

    `part` is a slot's name, a mount point, or `machine`. `kind` is level (a state now) or event (what happened: boot
    id, time and code in `event_key`, microseconds since boot in `event_at_us`, or since 1970 where `event_log` is the
    BMC's). `observed` holds what was read, as the serial of a part that differs.
    """

    check: str
    part: str
    verdict: Verdict
    message: str
    action: str = ""
    fault_class: str | None = None
    precedence: int = 3
    kind: str = "level"
    event_key: str | None = None
    event_at_us: int | None = None
    event_log: str = "kernel"
    value: float | None = None
    command: str = ""
    exit_status: int | None = None
    excerpt: str = ""
    observed: Mapping[str, Any] = field(default_factory=dict, hash=False)
    start_rung: int = 0

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Finding:
        """The same as calling the class, at a fifth of the time: a report has hundreds. `observed` must be given; the
        other fields that are not are the class's."""
        finding = object.__new__(cls)
        finding.__dict__.update(fields)
        return finding


Rule = Callable[..., "Outcome | Iterable[Any]"]


@dataclass(frozen=True)
class CheckDeclaration:
    """A row of the catalogue.

    family    what an operator asks for by name (health.checks.families)
    part      gpu, hca, nvme, psu (one verdict per slot of that kind), mount, or machine
    needs     the reading it is fed with (health.checks.sources)
    fields    of Gpu it reads, for forms of nvidia-smi that give only some
    optional  the probe never asks for it: judged when its output is there, no verdict otherwise
    severity  of its worst fault class, and start_rung of the class with the lowest, unless it says otherwise
    """

    id: str
    family: str
    title: str
    part: str
    needs: str
    kind: str
    fault_classes: tuple[str, ...]
    advice: str
    source: str
    thresholds: Mapping[str, float] = field(default_factory=dict, hash=False)
    fields: tuple[str, ...] = ()
    optional: bool = False
    each: bool = True
    severity: Severity = Severity.NOTE
    start_rung: Rung = Rung.NOTE
    rule: Rule = field(default=lambda: (), compare=False, repr=False)
    on_trouble: Callable[[str, Any], Outcome | None] | None = field(default=None, compare=False, repr=False)


_DECLARED: dict[str, CheckDeclaration] = {}


def check(
    check_id: str,
    *,
    family: str,
    title: str,
    part: str = MACHINE,
    needs: str,
    source: str,
    classes: tuple[str, ...] = (),
    kind: str = "level",
    limits: Mapping[str, float] | None = None,
    fields: tuple[str, ...] = (),
    optional: bool = False,
    each: bool = True,
    severity: Severity | None = None,
    start_rung: Rung | None = None,
    on_trouble: Callable[[str, Any], Outcome | None] | None = None,
) -> Callable[[Rule], Rule]:
    """Declare a check over the rule below it; the rule's docstring is its explanation in the catalogue.

    `on_trouble` may judge why the output could not be read (a tool that says its driver is gone tells something);
    it gets the reason and the context.

    With `each` the rule is called once per part and returns one or several outcomes, of which the worst leads:
    `(gpu, x)` for GPUs read from nvidia-smi, `(slot, reading, x)` for other slots, `(reading, x)` for the machine.
    Without, it is called once as `(reading, x)` and yields (part, outcome).
    """

    def declare(rule: Rule) -> Rule:
        if check_id in _DECLARED:
            raise ValueError(f"check {check_id} is declared twice")
        if family not in FAMILIES:
            raise ValueError(f"check {check_id} is of no known family: {family}")
        lost = [name for name in classes if name not in FAULT_CLASSES]
        if lost:
            raise ValueError(f"check {check_id} names unknown fault classes: {', '.join(lost)}")
        _DECLARED[check_id] = CheckDeclaration(
            id=check_id,
            family=family,
            title=title,
            part=part,
            needs=needs,
            kind=kind,
            fault_classes=classes,
            advice=" ".join((rule.__doc__ or "").split()),
            source=source,
            thresholds=dict(limits or {}),
            fields=fields,
            optional=optional,
            each=each,
            severity=severity or _severity(classes),
            start_rung=start_rung if start_rung is not None else _start_rung(classes),
            rule=rule,
            on_trouble=on_trouble,
        )
        return rule

    return declare


_OF_ANOTHER_MAKE: dict[tuple[str, str], CheckDeclaration] = {}


def also(
    check_id: str,
    *,
    needs: str,
    source: str,
    classes: tuple[str, ...] = (),
    fields: tuple[str, ...] = (),
    each: bool = True,
    on_trouble: Callable[[str, Any], Outcome | None] | None = None,
) -> Callable[[Rule], Rule]:
    """A second rule of a check for parts of another make, fed with another reading: the same meaning, part and limits.

    A machine has the rule whose reading its probe asks for. `classes` are those of this rule, of the check's.
    """

    def declare(rule: Rule) -> Rule:
        base = _DECLARED[check_id]
        lost = sorted(set(classes) - set(base.fault_classes))
        if lost:
            raise ValueError(f"check {check_id} has not the fault classes {', '.join(lost)}")
        _OF_ANOTHER_MAKE[check_id, needs] = replace(
            base, needs=needs, source=source, fields=fields, each=each, rule=rule, on_trouble=on_trouble
        )
        return rule

    return declare


def of_another_make() -> list[CheckDeclaration]:
    """All second rules, each under the id of its check."""
    return list(_OF_ANOTHER_MAKE.values())


def _severity(classes: tuple[str, ...]) -> Severity:
    order = list(Severity)
    return min((FAULT_CLASSES[name].severity for name in classes), key=order.index, default=Severity.NOTE)


def _start_rung(classes: tuple[str, ...]) -> Rung:
    return min((FAULT_CLASSES[name].start_rung for name in classes), default=Rung.NOTE)


def declared() -> list[CheckDeclaration]:
    """All checks declared so far, in the order of their modules."""
    return list(_DECLARED.values())
