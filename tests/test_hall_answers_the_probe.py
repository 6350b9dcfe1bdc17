"""The probe the service sends and the virtual hall that answers it know each other."""

from __future__ import annotations

import time

import pytest

from health.checks.parsers.disks import parse_df
from health.checks.probes.script import NOT_FOUND, ProbeError, parse_probe, probe_commands, probe_script
from inventory.specs.device_model import DeviceModelSpec
from simulator.faults import inject
from simulator.machine.shell import execute
from simulator.plan import sample_plan
from simulator.state import Machine, first_state

MODEL = "dell-xe9680-h100"
SPEC = DeviceModelSpec.load(MODEL)


@pytest.fixture
def machine() -> Machine:
    plan = sample_plan(1, model=MODEL).machines[0]
    return Machine(plan, first_state(plan, time.time(), "6f0ad9e6-0000-4000-8000-000000000001"))


def test_the_hall_knows_every_command_of_the_probe(machine: Machine) -> None:
    report = parse_probe(execute(machine, probe_script(SPEC), time.time()).text.encode())
    assert list(report.outputs) == [command for _, command in probe_commands(SPEC)]
    for output in report.outputs.values():
        assert output.exit_status == 0, output.command
        assert output.exit_status != NOT_FOUND
        assert output.text
    assert report.boot_id == machine.state.boot_id
    tables = [output.text for output in report.outputs.values() if output.command.startswith("df ")]
    assert all({mount.path for mount in parse_df(text)} >= {"/", "/raid"} for text in tables)


def test_binary_junk_is_no_report(machine: Machine) -> None:
    inject(machine, "binary_junk", time.time())
    raw = execute(machine, probe_script(SPEC), time.time()).text.encode("utf-8", "surrogateescape")
    with pytest.raises(ProbeError):
        parse_probe(raw)
