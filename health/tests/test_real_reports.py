"""The real probe, parsers and checks through the whole write path: faults as they show, and rubbish."""

from __future__ import annotations

import base64
import json
import random
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from pytest_django.fixtures import Settings

from health.models import CurrentVerdict, Fault, MachineReport
from health.monitoring.merge import WORDS
from health.monitoring.queries.verdicts import words
from health.monitoring.services.sweeps import observation_store
from health.monitoring.services.sweeps.stored import Observation
from health.tests import factories as make
from health.tests.real import NOW, Twin, twins
from live.models import Event
from tests.effort import examples

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock(settings: Settings) -> Iterator[None]:
    settings.CONFIRM_DELAY_S = 15
    with make.clock_at(datetime.fromtimestamp(NOW, UTC)):
        yield


def test_a_healthy_machine_has_a_verdict_for_everything_and_all_are_well() -> None:
    (twin,) = twins()
    observation_store.record([twin.look()])
    bad = CurrentVerdict.objects.exclude(verdict="info").values_list("check_id", "part", "verdict", "message")
    assert list(bad) == []
    assert make.health(twin.machine).cell == "available"
    report = MachineReport.objects.get()
    assert len(bytes(report.verdicts)) == len(twin.look().layout)


def test_one_dead_gpu_is_exactly_one_fault_to_repair() -> None:
    (twin,) = twins()
    observation_store.record([twin.look()])
    twin.inject("gpu_off_bus", "GPU 5", after_s=10)
    for after_s in (20, 40, 320):
        observation_store.record([twin.look(after_s)])
    leading = Fault.objects.filter(led_by=None)
    assert [fault.slot for fault in leading] == ["GPU 5"]
    assert leading.get().fault_class == "gpu.gone" and leading.get().status == "confirmed"
    assert Event.objects.filter(kind="fault.confirmed").count() == 1
    assert make.health(twin.machine).state == "drained"
    seen_by = {evidence.check_id for evidence in leading.get().all_evidence()}
    assert len(seen_by) >= 2, seen_by


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "slot", "leading"),
    [
        ("gpu_ecc", "GPU 2", {"GPU 2"}),
        ("gpu_remap_failed", "GPU 2", {"GPU 2"}),
        ("nvlink_down", "GPU 1", {"GPU 1"}),
        ("gpu_overheat", "GPU 3", {"GPU 3"}),
        ("hca_down", "HCA mlx5_10", {"HCA mlx5_10"}),
        ("hca_rate", "HCA mlx5_3", {"HCA mlx5_3"}),
        ("disk_full", "", {"/"}),
        ("nvme_failing", "NVMe 3", {"NVMe 3"}),
        ("docker_dead", "", {"machine"}),
        ("binary_junk", "", {"machine"}),
    ],
)
def test_each_fault_of_the_hall_is_one_fault_to_repair(fault: str, slot: str, leading: set[str]) -> None:
    (twin,) = twins()
    observation_store.record([twin.look()])
    twin.inject(fault, slot, after_s=10)
    for after_s in (20, 40, 320):
        observation_store.record([twin.look(after_s)])
    confirmed = Fault.objects.filter(status="confirmed", led_by=None)
    assert [f.slot for f in confirmed] == list(leading), [str(f) for f in Fault.objects.all()]


def test_a_command_that_hangs_leaves_the_rest_of_the_report() -> None:
    (twin,) = twins()
    observation_store.record([twin.look()])
    twin.inject("command_hangs", after_s=10)
    observation_store.record([twin.look(20)])
    verdicts = words(MachineReport.objects.get())
    gpus = {word for (check, _), word in verdicts.items() if check.startswith("gpu.memory")}
    assert "ok" not in gpus and verdicts["docker.engine", "machine"] == "ok"
    assert make.health(twin.machine).reachability == "reachable" and make.health(twin.machine).worst in (
        "unknown",
        "fail",
    )


@pytest.mark.parametrize("late_s", [0, 30], ids=["in time", "the session stays open"])
def test_a_command_that_hangs_is_no_wrong_clock(late_s: float) -> None:
    (twin,) = twins()
    twin.inject("command_hangs", after_s=10)
    (clock,) = [f for f in twin.look(20, late_s=late_s).findings if f.check == "clock.offset"]
    assert str(clock.verdict) == "ok", clock.message
    twin.inject("clock_skew", after_s=60, seconds=42.0)
    clocks = [f for f in twin.look(70, late_s=late_s).findings if f.check == "clock.offset"]
    assert any("+42 s off the collector" in f.message or "42.0" in f.message for f in clocks), clocks


# ---- rubbish ----


def pack(text: bytes) -> str:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return base64.b64encode(packer.compress(text) + packer.flush()).decode()


def unpack(out: str) -> bytes:
    return zlib.decompressobj(31).decompress(base64.b64decode(out))


def rubbish(rng: random.Random, size: int) -> bytes:
    """Bytes, text, markup or numbers that mean nothing."""
    kind = rng.randrange(5)
    if kind == 0:
        return rng.randbytes(size)
    if kind == 1:
        return bytes(rng.choice(b"abcdefghij \n\t:.,|%/") for _ in range(size))
    if kind == 2:
        return b"<" * (size % 2000) + rng.randbytes(20) + b"</log>"
    if kind == 3:
        return json.dumps([rng.choice([None, -1, 1e308, "\x00", {"a": []}]) for _ in range(size % 50)]).encode()
    return b"\x00\xff\xfe" * (size // 3)


def broken_document(answer: bytes, rng: random.Random) -> bytes:
    """A whole answer that is not a probe document any more."""
    kind = rng.randrange(6)
    if kind == 0:
        return answer[: rng.randrange(len(answer) - 3)]
    if kind == 1:
        return rubbish(rng, rng.randrange(1, 5000))
    document = json.loads(answer)
    if kind == 2:
        document[rng.choice(["boot_id", "uptime_s", "time", "outputs", "rackside_probe"])] = rng.choice(
            [None, "", {}, "x" * 100, -1, True, 1e300]
        )
        if document["boot_id"] == "x" * 100 or document["rackside_probe"] is True:
            document["outputs"] = None
    elif kind == 3:
        rng.choice(document["outputs"])["out"] = rng.choice(["%%%", "AAAA", None, 7, pack(b"x")[:-8]])
    elif kind == 4:
        document["outputs"] = [rng.choice([None, 1, "text", [], {}])]
    else:
        document["complete"] = rng.choice([False, None, "yes", 1.5])
    return json.dumps(document).encode()


def meaningless_outputs(answer: bytes, rng: random.Random) -> tuple[bytes, set[str]]:
    """A proper document, some of whose outputs are rubbish; and the commands they belong to."""
    document = json.loads(answer)
    spoilt = rng.sample(document["outputs"], rng.randint(1, len(document["outputs"])))
    for output in spoilt:
        output["out"] = pack(rubbish(rng, rng.randrange(1, 3000)))
        output["exit"] = rng.choice([0, 0, 0, 1, 124, 127, 139, -11])
    return json.dumps(document).encode(), {output["command"] for output in spoilt}


@pytest.mark.slow
def test_malformed_reports_crash_no_shard_and_are_never_read_as_ok() -> None:
    fleet = twins(4)
    answers = {twin.machine.pk: twin.answer() for twin in fleet}
    rng = random.Random(20_260_302)
    observation_store.record([twin.look() for twin in fleet])
    for number in range(examples(8)):  # four machines each
        after_s, looks, expectations = 10.0 * (number + 1), [], []
        for twin in fleet:
            answer = answers[twin.machine.pk]
            if rng.random() < 0.5:
                look = twin.look(after_s, broken_document(answer, rng))
                assert not look.heard, "a broken document was read as a report"
                spoilt: set[str] | None = None
            else:
                stdout, spoilt = meaningless_outputs(answer, rng)
                look = twin.look(after_s, stdout)
                assert look.heard
            looks.append(look)
            expectations.append((twin, spoilt, look))
        assert observation_store.record(looks) >= 0
        for twin, spoilt, look in expectations:
            assert_never_ok(twin, spoilt, look)


def assert_never_ok(twin: Twin, spoilt: set[str] | None, look: Observation) -> None:
    ok = {(f.check, f.part, f.command) for f in look.findings if str(f.verdict) == "ok"}
    report = MachineReport.objects.get(machine=twin.machine)
    stored = {key for key, word in words(report).items() if word == "ok"}
    assert report.checked_at == look.at
    if spoilt is None:
        assert not ok and not stored
    else:
        assert not {found for found in ok if found[2] in spoilt}, "rubbish was read as ok"
        assert stored <= {(check, part) for check, part, _ in ok}
    health = make.health(twin.machine)
    assert health.worst in ("fail", "unknown") and health.cell not in ("available", "allocated")
    assert set(bytes(report.verdicts)) <= set(WORDS)
