"""What a look at a machine takes over from the last one: outputs that are the same, and what they were found to mean.

An output is known again by its digest, exit status included, and then neither unpacked nor parsed unless a rule asks
for it. What a check said is said again as long as everything it asked for is the same. `Context` notes what each rule
asks for while it judges, so this holds for any rule, without a list of who needs what:

* an output: the same digest; one that appears or is gone is another output. Of what nvidia-smi tells of the GPUs, which
  differs at every look, the fields that were asked for: the same values, GPU by GPU;
* whether it was reached, the time, the counters of an earlier look, when the machine was started, what the BMC says or
  said: never the same, so a check that asked for one of these is judged anew at every look;
* the model, parts, serial, limits, decided kernel lines and the boot: where one of these differs, everything is
  forgotten.

Only a check that found everything well is remembered: what is not well is judged, and shown, as it is now.

A memory lives in its process, so other code never meets it. Nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import fields
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from health.checks.context import NEVER_THE_SAME
from health.checks.model import Expectation, Finding
from health.checks.probes.script import Output, ProbeReport
from health.checks.sources import Reading, identify, read
from health.checks.tool import Tool
from health.checks.verdicts import Verdict
from health.checks.watched import GPUS, is_key, values_of
from inventory.specs.device_model import DeviceModelSpec

T = TypeVar("T")
H = TypeVar("H", bound=Hashable)
_Rows = tuple[tuple[str, str, float | None] | Finding, ...]
"""Part, words and value of each finding where they differ in nothing else; whole findings otherwise."""
_OF_EVERY_LOOK = frozenset({NEVER_THE_SAME, "reach", "bmc", "bmc_log", "bmc_profile"})
_CHANGING = frozenset({"earlier", "restarted_at", "bmc_profile"})
_UNREAD: Any = object()


class KnownOutput:
    """What is kept of one output of the last look. Its text is not, and what was parsed of it only where it was asked
    for again."""

    __slots__ = ("data", "digest", "doubt", "exit_status", "is_mangled", "name", "told", "trouble")

    def __init__(self, output: Output, reading: Reading) -> None:
        self.digest, self.exit_status, self.name = output.digest, output.exit_status, reading.name
        self.trouble, self.doubt, self.is_mangled = reading.trouble, reading.doubt, reading.is_mangled
        self.data: Any = _UNREAD
        self.told: dict[Callable[[Any], Any], Any] = {}

    def is_same(self, output: Output) -> bool:
        return bool(output.digest) and output.digest == self.digest and output.exit_status == self.exit_status


class KnownReading(Reading):
    """A reading whose output is kept in mind; of one that is the same as at the last look (no `data` given) it is read
    only when it is asked for."""

    def __init__(self, known: KnownOutput, tool: Tool, output: Output, data: Any = _UNREAD) -> None:
        given = {"name": known.name, "command": output.command, "exit_status": output.exit_status}
        given |= {"trouble": known.trouble, "doubt": known.doubt, "is_mangled": known.is_mangled}
        given |= {"_known": known, "_tool": tool, "_output": output}
        if data is not _UNREAD:
            given["data"] = data
        self.__dict__.update(given)

    @cached_property
    def data(self) -> Any:  # type: ignore[override]
        known: KnownOutput = self.__dict__["_known"]
        if known.trouble:
            return None
        if known.data is _UNREAD:
            known.data = read(self.__dict__["_tool"], self.__dict__["_output"]).data
        return known.data

    @cached_property
    def text(self) -> str:  # type: ignore[override]
        text: str = self.__dict__["_output"].text
        return text

    def told(self, ask: Callable[[Any], T]) -> T:
        told = self.__dict__["_known"].told
        if ask not in told:
            told[ask] = ask(self.data)
        answer: T = told[ask]
        return answer


class Said:
    """The findings of one check, and what it asked for: little more than the words is kept."""

    __slots__ = ("asked", "common", "rows")

    def __init__(self, asked: frozenset[Hashable], findings: Sequence[Finding]) -> None:
        self.asked = asked
        common = _common(findings[0])
        if all(_common(each) == common for each in findings):
            self.common = _shared_fields(common)
            self.rows: _Rows = _shared(tuple((each.part, each.message, each.value) for each in findings))
        else:
            self.common, self.rows = common, tuple(findings)

    def findings(self) -> list[Finding]:
        common = self.common
        return [
            row
            if isinstance(row, Finding)
            else Finding.of({**common, "part": row[0], "message": row[1], "value": row[2]})
            for row in self.rows
        ]


def _common(finding: Finding) -> dict[str, Any]:
    """What the findings of a check share: all but part, words and value."""
    return {name: value for name, value in finding.__dict__.items() if name not in ("part", "message", "value")}


def _shared_fields(common: dict[str, Any]) -> Mapping[str, Any]:
    if common["observed"]:
        return common
    return _fields(tuple((name, value) for name, value in common.items() if name != "observed"))


@lru_cache(maxsize=4096)
def _fields(items: tuple[tuple[str, Hashable], ...]) -> Mapping[str, Any]:
    return {**dict(items), "observed": {}}


@lru_cache(maxsize=16_384)
def _shared(value: H) -> H:
    """One object for all that are equal: most machines ask for the same, and are told the same."""
    return value


class Memory:
    """What one process remembers of one machine. `readings_of` begins a look with it, `evaluate` goes on."""

    def __init__(self) -> None:
        self._outputs: dict[str, KnownOutput] = {}
        self._said: dict[str, Said] = {}
        self._gpus: dict[Hashable, Any] = {}
        """What checks asked for of the GPUs, with the values of the last look."""
        self._gpu_reading: Reading | None = None
        self._model: DeviceModelSpec | None = None
        self._basis: tuple[Any, ...] = ()
        self._report: ProbeReport | None = None

    @property
    def digests(self) -> Mapping[str, bytes]:
        """Of the outputs of the last look by command, for `parse_probe`."""
        return {command: known.digest for command, known in self._outputs.items()}

    def readings(self, report: ProbeReport) -> list[Reading]:
        """Each output of a report read, or known again. What was said of the others is forgotten first."""
        before, said = self._outputs, self._said
        self._outputs, self._said, self._report, self._gpu_reading = {}, {}, None, None
        changed: set[Hashable] = {known.name for command, known in before.items() if command not in report.outputs}
        found: list[Reading] = []
        for command, output in report.outputs.items():
            tool = identify(command)
            if tool is None:
                continue
            known = before.get(command)
            if known is not None and known.is_same(output):
                found.append(KnownReading(known, tool, output))
            else:
                reading = read(tool, output)
                known = KnownOutput(output, reading)
                changed.add(known.name)
                found.append(KnownReading(known, tool, output, reading.data))
            self._outputs[command] = known
        if list(before) != list(self._outputs):
            said = {}  # of two outputs that feed one reading, the first that is readable counts
        changed |= self._changed_gpus(changed, [reading for reading in found if reading.name == GPUS])
        self._said = {check: each for check, each in said.items() if changed.isdisjoint(each.asked)}
        self._report = report
        return found

    def _changed_gpus(self, changed: Set[Hashable], told: Sequence[Reading]) -> set[Hashable]:
        """Which of the fields that were asked for are other ones now: all of them where it is not plain who tells."""
        self._gpu_reading = told[0] if len(told) == 1 else None
        if GPUS not in changed and self._gpu_reading is not None:
            return set()
        before, self._gpus = self._gpus, values_of(self._gpus, self._gpu_reading)
        return {key for key, value in before.items() if key not in self._gpus or self._gpus[key] != value}

    def judges(self, report: ProbeReport | None, expectation: Expectation) -> bool:
        """Whether this look may take something over: it is the one whose outputs were read last. Where the machine
        should be something else than at the last look, or was started anew, nothing is left to take over."""
        if report is None or report is not self._report:
            return False
        basis = (report.boot_id, *(getattr(expectation, name) for name in _STEADY))
        if self._model is not expectation.model or basis != self._basis:
            self._said, self._model, self._basis = {}, expectation.model, basis
        return True

    def done(self) -> None:
        """The look is over: what it read goes with it."""
        self._report = self._gpu_reading = None

    def said(self, check: str) -> list[Finding] | None:
        """What the check says as long as nothing it asked for changed; None: ask it."""
        found = self._said.get(check)
        return found.findings() if found is not None else None

    def remember(self, check: str, asked: Set[Hashable], findings: Sequence[Finding]) -> None:
        """Keep what a check said, if all of it is well and stays so while what it asked for does."""
        if not findings or not _OF_EVERY_LOOK.isdisjoint(asked):
            return
        if any(each.verdict is not Verdict.OK for each in findings):
            return
        keys = {key: None for key in asked if is_key(key)}
        values = values_of(keys, self._gpu_reading)
        if len(values) == len(keys):
            self._gpus |= values
            self._said[check] = Said(_shared(frozenset(asked)), findings)


_STEADY = tuple(each.name for each in fields(Expectation) if each.name not in _CHANGING | {"model"})
