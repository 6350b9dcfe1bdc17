"""What the log of a BMC that names no message ids (drivers/tests/ilo_log.py) means to the check of logs."""

from __future__ import annotations

import json

from drivers.tests import ilo_log
from health.checks.bmc_log import still_open
from health.checks.parsers.bmc_log import entry_of, parse_bmc_log
from health.tests.checks.samples import MODEL


def test_entries_without_message_ids_are_read_with_severity_and_time() -> None:
    entries = parse_bmc_log(json.dumps(ilo_log.collection(ilo_log.entries())))
    assert [entry.severity for entry in entries] == ["ok", "critical", "ok", "critical", "ok", "critical"]
    assert entries[1].at == "2026-05-02T08:15:02Z"
    assert entries[1].message == ilo_log.LINK + "down"


def test_what_is_critical_stays_open_and_what_the_bmc_repaired_by_itself_is_not() -> None:
    entries = [*parse_bmc_log(json.dumps(ilo_log.collection(ilo_log.entries()))), entry_of(ilo_log.later())]
    assert {entry.severity for entry in still_open(entries, MODEL)} == {"critical"}
