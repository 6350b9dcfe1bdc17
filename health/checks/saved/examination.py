"""Verdicts on outputs saved in files, with the parsers and rules of the sweeps: no database, network or service.

    python -m health.checks.saved.examination FILE_OR_FOLDER --model dell-xe9680-h100
    manage.py examine FILE_OR_FOLDER --model my-model.yaml --command "nvidia-smi -q -x" --exit-status 0 --json

Which command made an output is told by --command, by a manifest.json in the folder, by what the output holds or by the
file's name. Only checks that the given outputs feed are told. Exit status: 0 when nothing is worse than info, 1 when
there is any fail, unknown or warn, 2 when an output is of no known command or the call is wrong.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from health.checks import Expectation, Finding, catalogue
from health.checks.context import Context
from health.checks.engine import judge
from health.checks.model import of_another_make
from health.checks.parsers.redfish import report_of
from health.checks.probes.script import Output
from health.checks.saved.signs import command_of, exit_status_of, manifest_entries
from health.checks.sources import TOOLS, Reading, identify, read
from health.checks.verdicts import Verdict, worst
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec, shipped_models

MAX_BYTES = 64 * 1024 * 1024
MANIFEST = "manifest.json"
REDFISH = "redfish"


class ExamineError(Exception):
    """What keeps an output from being judged at all; the text says what is known."""


@dataclass(frozen=True)
class Saved:
    """A saved output and what is told about it."""

    path: Path
    command: str | None = None
    exit_status: int | None = None


def saved_outputs(path: Path, command: str | None, exit_status: int | None) -> list[Saved]:
    """The outputs at a path: a file, or the files of a folder (its manifest's when it has one)."""
    if path.is_file():
        return [Saved(path, command, exit_status)]
    if not path.is_dir():
        raise ExamineError(f"{path}: no such file or folder")
    manifest = path / MANIFEST
    if manifest.is_file():
        try:
            entries = manifest_entries(manifest.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ExamineError(f"{manifest}: {error}") from error
        return [Saved(path / name, told or command, status) for name, told, status in entries]
    files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
    if not files:
        raise ExamineError(f"{path}: the folder is empty")
    return [Saved(each, command, exit_status) for each in files]


def read_saved(saved: Saved) -> Reading:
    """Read one output. Raises ExamineError when it is of no known command or cannot be opened."""
    try:
        with saved.path.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise ExamineError(f"{saved.path}: {error.strerror or error}") from error
    command = saved.command or command_of(str(saved.path), text)
    tool = identify(command) if command else None
    if command is None or tool is None:
        said = f"no parser knows the output of {command!r}" if command else "no parser knows this output"
        raise ExamineError(f"{saved.path}: {said}; known are: {', '.join(each.name for each in TOOLS)}")
    status = saved.exit_status if saved.exit_status is not None else exit_status_of(saved.path.name) or 0
    return read(tool, Output(command, status, 0, text))


def examine(readings: Sequence[Reading], spec: DeviceModelSpec) -> list[Finding]:
    """Judge readings as one machine's; a second output of the same command is judged as another look of its own.

    Redfish resources are the exception: a BMC tells of itself in several, which are one report.
    """
    readings = [each for each in readings if each.name != REDFISH] + _of_bmc(readings)
    looks: list[dict[str, Reading]] = []
    for reading in readings:
        look = next((each for each in looks if reading.name not in each), None)
        if look is None:
            looks.append(look := {})
        look[reading.name] = reading
    return [finding for look in looks for finding in _judge(look, spec)]


def _of_bmc(readings: Sequence[Reading]) -> list[Reading]:
    """The BMC's reading out of its resources; one that could not be read leaves its part of the report untold."""
    saved = [each for each in readings if each.name == REDFISH]
    whole = [each.data for each in saved if not each.trouble]
    if not whole:
        return [replace(each, name="bmc") for each in saved[:1]]
    return [Reading("bmc", saved[0].command, 0, report_of(whole))]


def _judge(readings: dict[str, Reading], spec: DeviceModelSpec) -> Iterator[Finding]:
    x = Context(Expectation(spec, bmc_expected=False), readings)
    for declaration in (*catalogue(), *of_another_make()):
        yield from judge(declaration, x, fed_only=True)


def as_json(findings: Sequence[Finding]) -> str:
    names = ("check", "part", "verdict", "message", "action")
    rows = [{name: str(getattr(finding, name)) for name in names} for finding in _sorted(findings)]
    return json.dumps(rows, indent=1, ensure_ascii=False)


def _sorted(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (finding.verdict.rank, finding.precedence))


def as_text(findings: Sequence[Finding], spec: DeviceModelSpec) -> str:
    """Parts with something to say first, worst first; then who is ok."""
    by_part: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_part[finding.part].append(finding)
    order = sorted(by_part, key=lambda part: worst(f.verdict for f in by_part[part]).rank)
    lines = [_summary(findings, spec), ""]
    fine: list[str] = []
    for part in order:
        said = [finding for finding in _sorted(by_part[part]) if finding.verdict is not Verdict.OK]
        if not said:
            fine.append(part)
            continue
        lines.append(_title(part, spec))
        for finding in said:
            lines.append(f"  {finding.verdict:<8}{finding.check}: {finding.message}")
            if finding.action:
                lines.append(f"          do: {finding.action}")
        quiet = len(by_part[part]) - len(said)
        lines.extend([f"  ok      {quiet} other checks"] if quiet else [])
        lines.append("")
    lines.extend(_fine(fine, by_part, spec))
    return "\n".join(lines).rstrip() + "\n"


def _fine(parts: Sequence[str], by_part: dict[str, list[Finding]], spec: DeviceModelSpec) -> Iterator[str]:
    """One line per part that is ok, with the checks that passed."""
    for part in parts:
        checks = dict.fromkeys(finding.check for finding in by_part[part])
        detail = f": {by_part[part][0].message}" if len(by_part[part]) == 1 else f": {', '.join(checks)}"
        slot = spec.slot(part)
        yield f"{slot.text if slot else part:<20} ok{detail}"


def _title(part: str, spec: DeviceModelSpec) -> str:
    slot = spec.slot(part)
    return ", ".join(word for word in (slot.text, slot.pci) if word) if slot else part


def _summary(findings: Sequence[Finding], spec: DeviceModelSpec) -> str:
    counts = {verdict: sum(finding.verdict is verdict for finding in findings) for verdict in Verdict}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    return f"{spec.vendor} {spec.name}: {told or 'nothing to evaluate'}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("path", metavar="FILE_OR_FOLDER", help="a saved output, or a folder of them")
    parser.add_argument("--model", required=True, help=f"a YAML file, or one of: {', '.join(shipped_models())}")
    parser.add_argument("--command", dest="tool_command", metavar="COMMAND", help="the command that made the output")
    parser.add_argument("--exit-status", type=int, metavar="N", help="the exit status it had")
    parser.add_argument("--json", action="store_true", help="a list of {check, part, verdict, message, action}")


def run(path: str, model: str, command: str | None, exit_status: int | None, *, as_list: bool) -> int:
    """Print the verdicts and return the exit status."""
    try:
        spec = DeviceModelSpec.load(model)
        saved = saved_outputs(Path(path), command, exit_status)
    except (DeviceModelError, ExamineError) as error:
        print(error, file=sys.stderr)
        return 2
    readings, strange = [], 0
    for each in saved:
        try:
            readings.append(read_saved(each))
        except ExamineError as error:
            print(error, file=sys.stderr)
            strange += 1
    findings = examine(readings, spec)
    if readings or as_list:
        sys.stdout.write(as_json(findings) + "\n" if as_list else as_text(findings, spec))
    if strange:
        return 2
    return int(worst(f.verdict for f in findings) not in (Verdict.OK, Verdict.INFO))


def main(arguments: Sequence[str] | None = None) -> int:
    summary, _, rest = (__doc__ or "").partition("\n")
    parser = argparse.ArgumentParser(
        prog="examine", description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser)
    told = parser.parse_args(arguments)
    return run(told.path, told.model, told.tool_command, told.exit_status, as_list=told.json)


if __name__ == "__main__":
    sys.exit(main())
