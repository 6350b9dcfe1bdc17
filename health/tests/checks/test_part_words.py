"""What checks say to people: parts by what is printed on the chassis, as otherwise two people look at two places, and
what to do."""

from __future__ import annotations

import re

import pytest

from health.checks.verdicts import Verdict
from health.tests.checks.hosts import host
from health.tests.checks.test_score import CASES, said_of

QUOTES = {"gpu.diagnostic"}
"""Checks that repeat what a tool says in its own words, behind the part it is about."""
SAYS_TO_DO = re.compile(r"^(?!Check the evidence)[A-Z][^.]* \w")
"""A sentence of several words, and not one that leaves the reader alone."""
NAMES = sorted({str(case.get("host", "small")) for case in CASES.values()})


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_no_message_names_a_part_by_a_number_that_is_not_on_the_chassis(name: str) -> None:
    relabelled = [slot for slot in host(name).model.slots if slot.text != slot.name]
    bare = re.compile("|".join(rf"(?<!\()\b{re.escape(slot.name)}\b" for slot in relabelled) or r"(?!)")
    said = {
        (finding.check, finding.message, finding.action)
        for each, case in CASES.items()
        if case.get("host", "small") == name
        for finding in said_of(each)
        if finding.check not in QUOTES
    }
    assert [row for row in said if bare.search(row[1]) or bare.search(row[2])] == []


def test_the_hosts_of_the_corpus_have_parts_that_the_chassis_calls_otherwise() -> None:
    assert sum(any(slot.text != slot.name for slot in host(name).model.slots) for name in NAMES) > len(NAMES) / 2


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_failure_and_warning_says_what_to_do(name: str) -> None:
    idle = {
        (finding.check, finding.message)
        for each, case in CASES.items()
        if case.get("host", "small") == name
        for finding in said_of(each)
        if finding.verdict in (Verdict.FAIL, Verdict.WARN) and not SAYS_TO_DO.search(finding.action)
    }
    assert idle == set()
