"""The checks: what a machine's outputs mean. Pure: no Django, no database, no network, no clock.

    findings = evaluate(report, bmc, expectation, unreachable=None)

The rules are in the modules imported below, one declaration and one function each; docs/checks.md lists them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from health.checks import bmc as _bmc
from health.checks import card_modules as _card_modules
from health.checks import host as _host
from health.checks import host_modules as _host_modules
from health.checks.amd import amd_counters
from health.checks.context import Context
from health.checks.engine import OWN_READINGS, judge, parts_of
from health.checks.gpu_counters import gpu_counters
from health.checks.gpu_links import link_counters_by_part
from health.checks.ib_counters import counters_by_part
from health.checks.interfaces import carrier_changes
from health.checks.leftovers import blocked
from health.checks.model import (
    MACHINE,
    CheckDeclaration,
    Earlier,
    Expectation,
    ExpectedComponent,
    Finding,
    declared,
    of_another_make,
)
from health.checks.parsers.bmc import BmcReport
from health.checks.parsers.bmc_log import BmcLog
from health.checks.per_model import per_model
from health.checks.probes.script import ProbeReport, probe_commands
from health.checks.reuse import Memory
from health.checks.sources import Reading, identify, read
from inventory.specs.device_model import DeviceModelSpec

# Changes whenever a check is added, removed or moved, so that stored verdicts keep pointing at what they meant.
CHECKS_VERSION = "2026.11.28"

# Importing a module declares its checks; they are shown machine first, BMC last.
_MODULES = (_host, *_host_modules.MODULES, *_card_modules.MODULES, _bmc)
_SUBJECTS = (
    "machine", "gpu", "nvlink", "xgmi", "pcie", "nvswitch", "fabricmanager", "imex", "ib", "hca", "net", "flint",
    "gdr", "psb", "disk", "nvme", "memory", "docker", "kubernetes", "clock", "cpu", "system", "slurm", "dmesg", "bmc",
)  # fmt: skip
_CATALOGUE = tuple(sorted(declared(), key=lambda each: _SUBJECTS.index(each.id.partition(".")[0])))
_PLACES = {each.id: place for place, each in enumerate(_CATALOGUE)}

__all__ = [
    "CHECKS_VERSION",
    "MACHINE",
    "BmcLog",
    "BmcReport",
    "CheckDeclaration",
    "Earlier",
    "Expectation",
    "ExpectedComponent",
    "Finding",
    "Memory",
    "catalogue",
    "counters_of",
    "evaluate",
    "layout",
    "plan_of",
    "readings_of",
]


def catalogue() -> list[CheckDeclaration]:
    """Every check, in the order they are shown."""
    return list(_CATALOGUE)


@dataclass(frozen=True)
class Plan:
    """How a sweep judges the machines of one model: its checks, those that only a saved output would feed, and every
    (check, part) that gets a verdict from each report, in a fixed order."""

    checks: tuple[CheckDeclaration, ...]
    optional: tuple[CheckDeclaration, ...]
    layout: tuple[tuple[str, str], ...]

    def checks_of(self, readings: Container[str]) -> Sequence[CheckDeclaration]:
        """The checks of a look: where an output came that no sweep asks for, those it feeds as well."""
        more = [each for each in self.optional if each.needs in readings]
        return sorted((*self.checks, *more), key=lambda each: _PLACES[each.id]) if more else self.checks


@per_model
def plan_of(spec: DeviceModelSpec) -> Plan:
    """The checks that the probe of a machine of this model feeds."""
    tools = (identify(command) for _, command in probe_commands(spec))
    asked = OWN_READINGS | {each.reading for each in tools if each}
    fed = (_fed_by(asked, each) for each in _CATALOGUE)
    checks = tuple(each for each in fed if each and parts_of(each, spec))
    optional = tuple(each for each in _CATALOGUE if each.optional and each not in checks)
    return Plan(checks, optional, tuple((each.id, part) for each in checks for part in parts_of(each, spec)))


def _fed_by(asked: Container[str], declaration: CheckDeclaration) -> CheckDeclaration | None:
    """The check, or its rule for parts of another make, whichever these readings feed."""
    if declaration.needs in asked:
        return declaration
    others = (each for each in of_another_make() if each.id == declaration.id)
    return next((each for each in others if each.needs in asked), None)


def layout(spec: DeviceModelSpec) -> tuple[tuple[str, str], ...]:
    """The (check, part) that every report of this model has a verdict for, in a fixed order."""
    return plan_of(spec).layout


def evaluate(
    report: ProbeReport | None,
    bmc: BmcReport | None,
    expectation: Expectation,
    *,
    unreachable: str | None = None,
    bmc_log: BmcLog | None = None,
    heard: Mapping[str, Reading] | None = None,
    memory: Memory | None = None,
) -> list[Finding]:
    """Judge one look at a machine. Never raises.

    `report` is None when the machine was not heard; `unreachable` says why. `bmc` is None when the BMC was not asked,
    `BmcReport.unreachable(reason)` when it gave no answer. Every check that was fed gives one finding per part, ok
    included (an event check one per incident); what was not heard is unknown. `bmc_log` is what the BMC's logs still
    say; `heard` the readings of the report, where the caller has them already. With the `memory` they were read with, a
    check whose every input is the one of the last look says again what it said.
    """
    reason = unreachable or (None if report else "no report")
    readings = dict(heard) if heard is not None else readings_of(report) if report else {}
    readings["reach"] = Reading("reach", "", data=reason)
    readings["bmc"] = Reading("bmc", "", data=bmc)
    readings["bmc_profile"] = Reading("bmc_profile", "", data=expectation.bmc_profile)
    if bmc_log is not None or "bmc_log" not in readings:
        readings["bmc_log"] = Reading("bmc_log", "", data=bmc_log)
    remembers = memory is not None and memory.judges(report, expectation)
    x = Context(
        expectation,
        readings,
        bmc=bmc,
        unreachable=reason,
        boot_id=report.boot_id if report else "",
        machine_time=report.time if report else None,
        clock_ahead_s=report.clock_ahead_s if report else None,
        watch=remembers,
    )
    checks = plan_of(expectation.model).checks_of(readings)
    if memory is None or not remembers:
        return [finding for each in checks for finding in judge(each, x)]
    return _judged_with(memory, checks, x)


def _judged_with(memory: Memory, checks: Sequence[CheckDeclaration], x: Context) -> list[Finding]:
    findings: list[Finding] = []
    for each in checks:
        said = memory.said(each.id)
        if said is None:
            x.asked = set()
            said = judge(each, x)
            memory.remember(each.id, x.asked, said)
        findings += said
    memory.done()
    return findings


def counters_of(report: ProbeReport, heard: Mapping[str, Reading], spec: DeviceModelSpec) -> dict[str, dict[str, int]]:
    """The counters of a report by part and name, for `Earlier` of a later look. A part without any is left out."""
    x = Context(Expectation(spec), heard, boot_id=report.boot_id, machine_time=report.time)
    found: dict[str, dict[str, int]] = {part: gpu_counters(gpu) for part, gpu in x.gpu_in.items()}

    def told(name: str) -> Any:
        reading = heard.get(name)
        return reading.data if reading else None

    leftovers, files = told("leftovers"), told("state_files")
    for more in (
        link_counters_by_part(told("nvlink_errors") or (), x),
        counters_by_part(told("ib_counters") or (), spec),
        {MACHINE: blocked(leftovers, report.time)} if leftovers is not None else {},
        {MACHINE: carrier_changes(files)} if files is not None else {},
        amd_counters(x),
    ):
        for part, counters in more.items():
            found.setdefault(part, {}).update(counters)
    return {part: counters for part, counters in found.items() if counters}


def readings_of(report: ProbeReport, memory: Memory | None = None) -> dict[str, Reading]:
    """Each output of a report read by its tool. Of two outputs that feed one reading the readable one counts.

    With `memory` those that are the same as at the last look are not read again.
    """
    readings: dict[str, Reading] = {}
    for reading in memory.readings(report) if memory is not None else _read(report):
        held = readings.get(reading.name)
        if held is None or (held.trouble and not reading.trouble):
            readings[reading.name] = reading
    return readings


def _read(report: ProbeReport) -> Iterator[Reading]:
    for output in report.outputs.values():
        tool = identify(output.command)
        if tool is not None:
            yield read(tool, output)
