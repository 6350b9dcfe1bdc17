"""The score over the corpus: nothing missed, nothing invented, the part named (samples/corpus/README.md)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from health.checks import BmcLog, BmcReport, Earlier, Expectation, Finding, catalogue, evaluate, readings_of
from health.checks.context import Context
from health.checks.engine import judge
from health.checks.model import of_another_make
from health.checks.parsers.bmc import parse_bmc
from health.checks.probes.script import Output, ProbeReport
from health.checks.saved.examination import Saved, examine, read_saved
from health.checks.sources import Reading
from health.checks.verdicts import Verdict
from health.tests.checks.hosts import INSTEAD, OUTPUTS, Host, host
from health.tests.checks.samples import BOOT, REPORT_TIME, SAMPLES, sample
from inventory.specs.device_model import DeviceModelSpec

CASES: dict[str, dict[str, Any]] = {
    name: case or {}
    for path in sorted((SAMPLES / "corpus").glob("*.yaml"))
    for name, case in yaml.safe_load(path.read_text(encoding="utf-8")).items()
}


def changed(text: str, how: Mapping[str, Any]) -> str:
    """The output with the changes of a case made. Raises ValueError for a change that finds nothing."""
    text = str(how.get("text", text))
    for key in ("change", "last", "all"):
        for old, new in how.get(key, {}).items():
            if old not in text:
                raise ValueError(f"{old!r} is not in the output")
            before, _, after = text.rpartition(old)
            text = {"change": text.replace(old, new, 1), "all": text.replace(old, new), "last": before + new + after}[
                key
            ]
    if "in_last" in how:
        mark, pattern, new = how["in_last"]
        before, found, after = text.rpartition(mark)
        after, times = re.subn(pattern, new, after, count=0 if mark == "<gpu id" else 1)
        if not found or not times:
            raise ValueError(f"{pattern!r} finds nothing behind {mark!r}")
        text = before + found + after
    if "drop" in how:
        text, times = re.subn(how["drop"], "", text)
        if not times:
            raise ValueError(f"{how['drop']!r} finds nothing")
    if "cut" in how:
        if how["cut"] not in text:
            raise ValueError(f"{how['cut']!r} is not in the output")
        text = text.partition(how["cut"])[0]
    times, again = how.get("repeat", (0, ""))
    return str(how.get("before", "")) + text + str(how.get("add", "")) + times * str(again)


@cache
def said_of(name: str) -> list[Finding]:
    """What is said of a case of the corpus, judged once for all tests of it."""
    return findings_of(CASES[name])


def findings_of(case: Mapping[str, Any]) -> list[Finding]:
    """What is said of a case."""
    if "saved" in case:
        return examined(case)
    home = host(case.get("host", "small"))
    texts, exits, resources = dict(home.texts), {}, home.bmc
    for name, how in (case.get("outputs") or {case["of"]: case} if "of" in case or "outputs" in case else {}).items():
        if name == "bmc":
            resources = json.loads(changed(json.dumps(resources), how))
            continue
        command, healthy = OUTPUTS[name]
        text = texts.pop(command, None)
        texts.pop(INSTEAD.get(name, ""), None)
        texts[command] = changed(sample(healthy) if text is None else text, how)
        exits[command] = how.get("exit", 0)
    if "only" in case:
        texts = {OUTPUTS[name][0]: texts[OUTPUTS[name][0]] for name in case["only"]}
    outputs = {command: Output(command, exits.get(command, 0), 5, text) for command, text in texts.items()}
    report = ProbeReport(BOOT, 86_400.0, REPORT_TIME, outputs)
    bmc = bmc_of(resources) if resources and "only" not in case else None
    earlier = Earlier(REPORT_TIME - 600.0, case["earlier"]) if "earlier" in case else None
    expectation = Expectation(home.model, earlier=earlier)
    if home.whole and "only" not in case and case.get("of") not in INSTEAD:
        log = None if "racadm lclog view" in texts else BmcLog()
        return evaluate(report, bmc, expectation, bmc_log=log)
    if "bmc" in home.model.model:
        return [
            each
            for each in evaluate(None, bmc, expectation)
            if each.check.startswith("bmc.") and each.check != "bmc.log"
        ]
    return _fed(report, bmc, expectation, home)


def examined(case: Mapping[str, Any]) -> list[Finding]:
    """What `examine` says of files saved under these names; the command of a lone one may be told."""
    spec = DeviceModelSpec.load(case["model"]) if "model" in case else host("small").model
    with TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in case["saved"]]
        for file, text in zip(files, case["saved"].values(), strict=True):
            file.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
        return examine([read_saved(Saved(file, case.get("command"), case.get("exit"))) for file in files], spec)


def bmc_of(resources: Mapping[str, Any]) -> BmcReport:
    return parse_bmc(**resources)


def _fed(report: ProbeReport, bmc: BmcReport | None, expectation: Expectation, home: Host) -> list[Finding]:
    """What the outputs that are there say, as `examine` judges them."""
    readings = readings_of(report) | ({"bmc": Reading("bmc", "", data=bmc)} if bmc else {})
    x = Context(expectation, readings, bmc=bmc, boot_id=report.boot_id, machine_time=report.time)
    return [finding for each in (*catalogue(), *of_another_make()) for finding in judge(each, x, fed_only=True)]


@dataclass
class Score:
    expected: int = 0
    told: int = 0
    placed: int = 0
    alarms: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def figures(self) -> str:
        recall, precision = self.told / self.expected, self.right / max(1, self.alarms)
        part = self.placed / max(1, self.told)
        return f"recall {recall:.1%}, precision {precision:.1%}, part named {part:.1%}"


def score() -> Score:
    total = Score()
    for name, case in CASES.items():
        try:
            _count(name, case, said_of(name), total)
        except Exception as error:
            total.expected += len(case.get("expect", ()))
            total.wrong.append(f"{name}: not evaluated: {type(error).__name__}: {error}")
    return total


def _count(name: str, case: Mapping[str, Any], findings: list[Finding], total: Score) -> None:
    """Alarms are fails, unknowns and warnings. An expected one is right; a consequence that may be told counts for
    neither side."""
    alarms = [each for each in findings if each.verdict not in (Verdict.OK, Verdict.INFO)]
    wanted = [line.split("|") for line in case.get("expect", ())]
    right: set[int] = set()
    for check, part, *judged in wanted:
        total.expected += 1
        alike = [each for each in alarms if each.check == check and _judged_so(each, judged)]
        there = [each for each in alike if fnmatchcase(each.part, part)]
        total.told += bool(alike)
        total.placed += bool(there)
        right |= {id(each) for each in there}
        if not there:
            said = [f"{each.part} {each.verdict} {each.fault_class or ''}" for each in findings if each.check == check]
            total.wrong.append(
                f"{name}: {'elsewhere' if alike else 'missed'}: {check}|{part}|{'|'.join(judged)}; said {said}"
            )
    alarms = [each for each in alarms if id(each) in right or not _allowed(each, case.get("may", ()))]
    total.alarms += len(alarms)
    total.right += sum(id(each) in right for each in alarms)
    total.wrong += [
        f"{name}: invented: {each.check}|{each.part}|{each.verdict}|{each.fault_class or ''}: {each.message}"
        for each in alarms
        if id(each) not in right
    ]


def _judged_so(finding: Finding, judged: list[str]) -> bool:
    verdict, fault_class = [*judged, "*"][:2]
    return fnmatchcase(str(finding.verdict), verdict) and fnmatchcase(finding.fault_class or "", fault_class)


def _allowed(finding: Finding, patterns: Any) -> bool:
    said = f"{finding.check}|{finding.part}|{finding.verdict}"
    return any(fnmatchcase(said, pattern) for pattern in patterns)


def test_the_score_over_the_corpus_misses_nothing_and_invents_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    total = score()
    with capsys.disabled():
        print(f"\n{len(CASES)} cases, {total.expected} expected: {total.figures}")
    assert len(CASES) >= 120
    shown = "\n".join(total.wrong)
    assert total.told == total.expected, shown
    assert total.right >= 0.98 * total.alarms, shown
    assert total.placed >= 0.98 * total.told, shown
