"""What one machine, or one device model, does wrong costs that one its verdicts and nobody else anything."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from drivers.ssh import SshResult, SshTarget
from health import metrics
from health.checks import evaluate as evaluate_checks
from health.checks import reuse
from health.checks.probes.script import parse_probe, probe_script
from health.machines.specs import slot_names, slot_of, usable, why_unusable
from health.models import CurrentVerdict, Fault, MachineHealth, SweepShard
from health.monitoring.services import watchdog as services
from health.monitoring.services.sweeps import observation, observation_store, sweep_runs
from health.monitoring.services.sweeps.sessions import Answer
from health.monitoring.watchdog import judge
from health.overview.queries import matrix, racks
from health.services import request_sweep
from health.tests import factories as make
from inventory.models import Device, DeviceModel
from inventory.specs.device_model import DeviceModelSpec
from simulator.machine.shell import execute
from simulator.plan import sample_plan
from simulator.state import Machine as Twin
from simulator.state import first_state

pytestmark = pytest.mark.django_db
MODEL = "dell-xe9680-h100"
MANY = 24


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def seldom(cases: Mapping[str, Any], *slow: str) -> list[Any]:
    """Parameters of a test that sweeps a fleet for each: these with `--all` only."""
    return [pytest.param(case, id=name, marks=pytest.mark.slow if name in slow else ()) for name, case in cases.items()]


BROKEN: dict[str, dict[str, Any]] = {
    "a hostile adapter": {"slots": [{"name": "HCA 0", "kind": "hca", "device": "x; touch y", "rail": 1}]},
    "an unknown key": {"colour": "red"},
    "a list for a mapping": {"expected": ["x"]},
    "a number for a list": {"slots": 7},
    "nothing at all": {"kind": None, "name": None},
    "a number of 400 digits": {"psu_count": 10**399},
    "400 levels": {"expected": deep(400)},
    "an address twice": {"slots": [{"name": n, "kind": "hca", "pci": "0000:9b:00.0"} for n in ("A", "B")]},
}


@pytest.fixture(autouse=True)
def nothing_queued(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def probe_answer() -> bytes:
    plan = sample_plan(1, model=MODEL).machines[0]
    twin = Twin(plan, first_state(plan, timezone.now().timestamp(), "6f0ad9e6-0000-4000-8000-000000000001"))
    return execute(twin, probe_script(DeviceModelSpec.load(MODEL)), timezone.now().timestamp()).text.encode()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[int, bytes]:
    """What machines answer over SSH, by id; all others as a healthy one. No network is touched."""
    given: dict[int, bytes] = {}
    healthy = probe_answer()

    class Asked:
        unanswered: tuple[int, ...] = ()
        answered_s = 0.0

        def __init__(self, questions: Any, pace: Any) -> None:
            self.ids = questions.machine_ids

        def __iter__(self) -> Iterator[list[Answer]]:
            yield [Answer(pk, said(pk)) for pk in self.ids]

    def said(pk: int) -> SshResult:
        return SshResult(SshTarget("10.0.0.1", 22, "root", "", machine_id=pk), None, 0, given.get(pk, healthy))

    monkeypatch.setattr(observation, "Asking", Asked)
    return given


@pytest.fixture
def machines() -> list[Any]:
    """A shard of machines, three of them of another model with the same spec; none has a BMC that is asked."""
    made = make.make_machines(MANY)
    other = DeviceModel.objects.get(pk=made[0].device.model_id)
    other.pk, other.slug = None, "other-box"
    DeviceModel(**{f.attname: getattr(other, f.attname) for f in DeviceModel._meta.concrete_fields}).save()
    Device.objects.filter(pk__in=[m.pk for m in made[:3]]).update(model=DeviceModel.objects.get(slug="other-box"))
    return made


def break_model(change: dict[str, Any], slug: str = "other-box") -> None:
    """Past every check, straight into the table."""
    spec = DeviceModel.objects.get(slug=slug).spec
    DeviceModel.objects.filter(slug=slug).update(spec=spec | change)


def alarms() -> set[tuple[str, str]]:
    """Kind and name of what the watchdog's metrics say is wrong."""
    return {
        (sample.labels["kind"], sample.labels["name"])
        for family in metrics._watchdog()
        for sample in family.samples
        if sample.value
    }


def swept(machines: list[Any]) -> SweepShard:
    (sweep,) = request_sweep([m.pk for m in machines], "manual", actor="olga")
    shard: SweepShard = sweep.shards.get()
    assert sweep_runs.run(shard.pk) == "done"
    shard.refresh_from_db()
    return shard


def heard(machines: list[Any]) -> set[int]:
    rows = MachineHealth.objects.filter(reachability="reachable", machine_id__in=[m.pk for m in machines])
    return set(rows.values_list("machine_id", flat=True))


def why(machine: Any) -> tuple[str, str]:
    row = CurrentVerdict.objects.get(machine_id=machine.pk, check_id="machine.reachable")
    return row.verdict, row.message


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", seldom(BROKEN, "an unknown key", "a list for a mapping", "a number for a list", "400 levels")
)
def test_a_spec_that_cannot_be_used_makes_its_own_machines_unknown_and_all_others_are_heard(
    change: dict[str, Any], machines: list[Any], answers: dict[int, bytes]
) -> None:
    break_model(change)
    assert swept(machines).reachable == MANY - 3
    assert heard(machines) == {m.pk for m in machines[3:]}
    verdict, message = why(machines[0])
    assert verdict == "unknown"
    assert message.startswith("the device model other-box's spec cannot be used: ")
    assert any(word in message for word in (*change, "device", "cannot be read (TypeError: "))
    assert not CurrentVerdict.objects.filter(machine_id=machines[5].pk, verdict="unknown").exists()


def test_a_spec_that_breaks_later_hides_no_fail_and_clears_nothing(
    machines: list[Any], answers: dict[int, bytes]
) -> None:
    observation_store.record([make.look(machines[0], make.xid(), at=timezone.now())])
    before = set(CurrentVerdict.objects.filter(machine_id=machines[0].pk, verdict="fail").values_list("check_id"))
    open_faults = Fault.objects.filter(machine_id=machines[0].pk).exclude(status="cleared").count()
    assert before and open_faults
    break_model({"colour": "red"})
    for _ in range(2):
        swept(machines[:1])
    after = set(CurrentVerdict.objects.filter(machine_id=machines[0].pk, verdict="fail").values_list("check_id"))
    assert after == before
    assert Fault.objects.filter(machine_id=machines[0].pk).exclude(status="cleared").count() == open_faults
    assert make.health(machines[0]).unknown_count > 0


def test_a_notice_names_the_model_its_field_and_its_machines_and_goes_when_it_is_mended(
    machines: list[Any], answers: dict[int, bytes]
) -> None:
    site = machines[0].device.site_id

    def told() -> list[Any]:
        return [each for each in judge(services.signs([site]), timezone.now()) if each.kind == "device_model"]

    assert told() == []
    break_model({"psu_count": -1})
    (problem,) = told()
    assert ("device_model", "other-box") in alarms()
    assert problem.name == "other-box" and "psu_count" in problem.text and "3 machines" in problem.text
    services.look()
    assert any("other-box" in notice["text"] for notice in services.notices_of(site))
    break_model({"psu_count": 6})
    assert told() == []


UNREADABLE = {
    "400 digits": "9" * 400,
    "5000 digits": "9" * 5000,
    "300 levels": "[" * 300 + "]" * 300,
    "2000 levels": "[" * 2000 + "]" * 2000,
}


@pytest.mark.slow
@pytest.mark.parametrize("value", seldom(UNREADABLE, "400 digits", "300 levels"))
def test_a_stored_spec_that_cannot_be_read_is_told_by_the_watchdog_and_blinds_nobody_else(
    value: str, machines: list[Any], answers: dict[int, bytes]
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE inventory_devicemodel SET spec = jsonb_set(spec, '{{psu_count}}', '{value}') WHERE slug = %s",
            ["other-box"],
        )
    site = machines[0].device.site_id
    (problem,) = [each for each in judge(services.signs([site]), timezone.now()) if each.kind == "device_model"]
    assert "other-box's spec cannot be used: cannot be read (" in problem.text
    assert swept(machines).reachable == MANY - 3
    assert "cannot be read (" in why(machines[0])[1]
    stored = DeviceModel.objects.get(slug="other-box").spec
    assert usable(stored) is None and slot_of(stored, "GPU 0") is None
    assert isinstance(slot_names(stored), frozenset)


def test_what_was_never_read_is_never_stored_as_nothing(machines: list[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE inventory_devicemodel SET spec = %s::jsonb", ["[" * 2000 + "]" * 2000])
    model = DeviceModel.objects.get(slug="other-box")
    with pytest.raises(ValueError, match="cannot be read"):
        model.save()


def test_pages_and_matrix_show_machines_whose_model_cannot_be_used(machines: list[Any]) -> None:
    break_model({"slots": [{"name": "GPU 0"}]})
    stored = DeviceModel.objects.get(slug="other-box").spec
    assert usable(stored) is None and slot_names(stored) == {"GPU 0"}
    assert "slots.0.kind" in why_unusable("other-box", stored)
    model = DeviceModel.objects.get(slug="other-box")
    assert matrix._of_models({model.pk}, {"machine.reachable": 0, "gpu.ecc": 1}) == {model.pk: ["u", "."]}
    assert racks._gpu_slots({"other-box"}) == {"other-box": []}


@pytest.mark.slow
def test_a_parser_that_raises_costs_one_reading_of_one_machine(
    machines: list[Any], answers: dict[int, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of the machines that are read, and only while its outputs are: the next look has all of them."""
    good = reuse.read
    raised: list[Any] = []

    def read(tool: Any, output: Any) -> Any:
        if output.command == "ibstat" and not raised:
            raised.append(output)
            raise RuntimeError("a parser nobody guarded")
        return good(tool, output)

    monkeypatch.setattr(reuse, "read", read)
    assert swept(machines).reachable == MANY - 1
    (row,) = CurrentVerdict.objects.filter(check_id="machine.reachable", verdict="unknown")
    assert row.message == "its answer could not be evaluated (RuntimeError: a parser nobody guarded)"
    assert swept(machines).reachable == MANY
    assert not CurrentVerdict.objects.filter(check_id="machine.reachable", verdict="unknown").exists()


@pytest.mark.slow
def test_a_judge_that_raises_for_one_machine_leaves_it_unknown_and_the_others_judged(
    machines: list[Any], answers: dict[int, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    good = evaluate_checks

    def evaluate(report: Any, bmc: Any, expectation: Any, **more: Any) -> Any:
        if expectation.machine_name == machines[7].device.name:
            raise ZeroDivisionError("a check nobody guarded")
        return good(report, bmc, expectation, **more)

    monkeypatch.setattr(observation, "evaluate", evaluate)
    assert swept(machines).reachable == MANY - 1
    assert why(machines[7])[1] == "its answer could not be evaluated (ZeroDivisionError: a check nobody guarded)"


def document(**changes: Any) -> bytes:
    return json.dumps(json.loads(probe_answer()) | changes).encode()


def with_output(text: bytes, command: str = "nvidia-smi -q -x") -> bytes:
    found = json.loads(probe_answer())
    for row in found["outputs"]:
        if row["command"] == command:
            row["out"] = base64.b64encode(gzip.compress(text)).decode()
    return json.dumps(found).encode()


def hostile_answers() -> dict[str, bytes]:
    many = [{"command": str(n), "exit": 0, "ms": 0, "out": ""} for n in range(5000)]
    return {
        "junk": bytes(range(256)) * 64,
        "deep JSON": b'{"rackside_probe": 1, "outputs": ' + b"[" * 200_000,
        "a bomb": with_output(b"\0" * 200_000_000),
        "a NUL in the boot id": document(boot_id="a\0b"),
        "a surrogate in the boot id": document(boot_id="\ud800"),
        "numbers without an end": document(uptime_s=10**400),
        "no list": document(outputs={"a": 1}),
        "too many outputs": document(outputs=many),
    }


def test_a_hostile_answer_makes_its_machine_unheard_and_no_other(
    machines: list[Any], answers: dict[int, bytes]
) -> None:
    given = hostile_answers()
    hostile = dict(zip(given, machines[3:], strict=False))
    answers |= {hostile[name].pk: answer for name, answer in given.items()}
    assert swept(machines).reachable == MANY - len(hostile)
    assert heard(machines) == {each.pk for each in machines if each not in hostile.values()}
    for name, machine in hostile.items():
        verdict, message = why(machine)
        assert verdict in ("fail", "unknown") and "could not be" in message, name


ODD_OUTPUTS = {
    "XML without an end": (b"<nvidia_smi_log>" + b"<a>" * 100_000, "nvidia-smi -q -x"),
    "XML that grows": (
        b'<!DOCTYPE x [<!ENTITY a "' + b"a" * 1000 + b'"><!ENTITY b "' + b"&a;" * 1000 + b'">]><nvidia_smi_log>'
        + b"&b;" * 100 + b"</nvidia_smi_log>",
        "nvidia-smi -q -x",
    ),
    "deep JSON": (b"[" * 500_000, "nvme list -o json"),
    "binary": (bytes(range(256)) * 4000, "ibstat"),
    "one long line": (b"x" * 3_000_000, "docker info --format json"),
    "huge numbers": (b'{"Devices": [{"PhysicalSize": 1e999, "Firmware": 1' + b"0" * 5000 + b"}]}", "nvme list -o json"),
}  # fmt: skip


@pytest.mark.slow
def test_a_hostile_output_costs_its_own_checks_and_not_the_others(
    machines: list[Any], answers: dict[int, bytes]
) -> None:
    hostile = dict(zip(ODD_OUTPUTS, machines[3:], strict=False))
    for name, (text, command) in ODD_OUTPUTS.items():
        answers[hostile[name].pk] = with_output(text, command)
        assert parse_probe(answers[hostile[name].pk]).outputs
    assert swept(machines).reachable == MANY
    bad = CurrentVerdict.objects.filter(verdict__in=["unknown", "fail"])
    for name, (_, command) in ODD_OUTPUTS.items():
        of_machine = bad.filter(machine_id=hostile[name].pk)
        assert of_machine.filter(command=command).exists(), name
        assert not of_machine.exclude(command=command).exclude(command="").exists(), name
    assert not bad.exclude(machine_id__in=[each.pk for each in hostile.values()]).exists()


def test_what_cannot_be_stored_of_one_machine_is_told_and_the_others_are_stored(machines: list[Any]) -> None:
    looks = [make.look(m, at=timezone.now()) for m in machines[:8]]
    object.__setattr__(looks[4], "boot_id", "a\0b")
    observation_store.record(looks)
    assert heard(machines) == {m.pk for m in machines[:8]} - {machines[4].pk}
    assert why(machines[4]) == ("unknown", "what it answered could not be stored (DataError)")
