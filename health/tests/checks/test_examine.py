"""`examine`: verdicts on saved outputs, run as a person runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from health.checks.saved import examination
from health.checks.saved.signs import command_of, exit_status_of
from health.tests.checks.samples import CASES, SAMPLES, sample, spoiled
from inventory.specs.device_model import shipped_models

ROOT = Path(__file__).resolve().parents[3]
MODEL = str(SAMPLES / "model.yaml")


def examined(capsys: pytest.CaptureFixture[str], path: Path | str, *more: str, model: str = MODEL) -> tuple[int, Any]:
    status = examination.main([str(path), "--model", model, "--json", *more])
    said = capsys.readouterr()
    return status, json.loads(said.out) if said.out else said.err


@pytest.mark.parametrize("start", [["manage.py", "examine"], ["-m", "health.checks.saved.examination"]])
def test_it_runs_with_an_empty_environment(start: list[str], tmp_path: Path) -> None:
    (tmp_path / "ibstat.txt").write_text(spoiled(CASES["ib.port"]))
    done = subprocess.run(
        [sys.executable, *start, str(tmp_path / "ibstat.txt"), "--model", MODEL],
        cwd=ROOT, env={}, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "Slot 1 (HCA mlx5_0), 0000:22:00.0" in done.stdout
    assert "fail    ib.port: mlx5_0 port 1: Down, Polling" in done.stdout
    assert "do: Reseat and clean" in done.stdout


def test_it_loads_nothing_of_the_service(tmp_path: Path) -> None:
    """Django, REST framework and Celery cost six times what the verdicts cost."""
    (tmp_path / "ibstat.txt").write_text(spoiled(CASES["ib.port"]))
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "manage.py", "examine", str(tmp_path / "ibstat.txt"), "--model", MODEL],
        cwd=ROOT, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr[-2000:]
    modules = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line}
    loaded = {name.split(".")[0] for name in modules}
    assert "health" in loaded
    assert not loaded & {"django", "rest_framework", "celery", "psycopg", "asyncssh", "config"}
    assert {name for name in modules if name.startswith("core")} <= {"core", "core.counts"}, "a pure word or two"


@pytest.mark.parametrize("check", sorted(c for c, case in CASES.items() if case["command"] != "bmc"))
def test_a_sample_is_recognised_judged_and_tells_only_of_what_was_given(
    check: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[check]
    if case.keys() & {"components", "unreachable", "earlier", "restarted_s", "differences"}:
        return
    path = tmp_path / case["sample"]
    path.write_text(sample(case["sample"]))
    status, rows = examined(capsys, path)
    assert status == 0
    assert {row["verdict"] for row in rows} <= {"ok", "info"}
    path.write_text(spoiled(case))
    status, rows = examined(capsys, path)
    assert status == 1
    loud = [row for row in rows if row["verdict"] not in ("ok", "info")]
    wanted = {"check": check, "part": case["part"], "verdict": case.get("verdict", "fail")}
    assert wanted in [{key: row[key] for key in wanted} for row in loud]
    assert all(set(row) == {"check", "part", "verdict", "message", "action"} for row in rows)


def test_an_output_no_parser_knows_is_an_error_that_says_what_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").write_text("bought two more racks\n")
    status = examination.main([str(tmp_path / "notes.txt"), "--model", MODEL])
    said = capsys.readouterr()
    assert status == 2
    assert said.out == ""
    assert "no parser knows this output" in said.err
    assert "nvidia-smi -q -x" in said.err
    assert examination.main([str(tmp_path / "notes.txt"), "--model", MODEL, "--command", "lshw -json"]) == 2
    assert "lshw -json" in capsys.readouterr().err


def test_an_output_that_cannot_be_read_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "q.xml").write_text(sample("gpus.xml")[:3000])
    status, rows = examined(capsys, tmp_path / "q.xml")
    assert status == 1
    assert {row["verdict"] for row in rows} == {"unknown"}
    (tmp_path / "out").write_text("junk")
    status, rows = examined(capsys, tmp_path / "out", "--command", "nvidia-smi topo -m")
    assert (status, {row["verdict"] for row in rows}) == (1, {"unknown"})


def test_an_error_exit_without_data_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("")
    _, rows = examined(capsys, tmp_path / "out", "--command", "ibstat", "--exit-status", "255")
    assert {(row["verdict"], row["message"]) for row in rows} == {("unknown", "exit status 255 and no output")}


def test_a_folder_is_one_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("gpus.xml", "ibstat.txt", "df.txt", "nvlinks.txt", "topology.txt", "kernel.log", "docker_info.json"):
        (tmp_path / name).write_text(sample(name))
    status, rows = examined(capsys, tmp_path)
    assert status == 0
    assert {row["check"] for row in rows} >= {"gpu.count", "ib.port", "disk.space", "nvlink.links", "gpu.xid"}


def test_a_manifest_tells_commands_and_exit_statuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "one").write_text("failed\n")
    (tmp_path / "two").write_text("")
    files = [
        {"file": "one", "command": "systemctl is-active nvidia-fabricmanager", "exit_status": 3},
        {"file": "two", "command": "sudo /usr/bin/nvidia-smi -q -x", "exit_status": 9},
    ]
    (tmp_path / "manifest.json").write_text(json.dumps({"files": files}))
    status, rows = examined(capsys, tmp_path)
    assert status == 1
    said = {row["check"]: (row["verdict"], row["message"]) for row in rows}
    assert said["fabricmanager"] == ("fail", "nvidia-fabricmanager is failed")
    assert said["gpu.ecc"] == ("unknown", "exit status 9 and no output")
    (tmp_path / "manifest.json").write_text('{"files": [{}]}')
    assert examination.main([str(tmp_path), "--model", MODEL]) == 2
    assert "manifest.json" in capsys.readouterr().err


def test_two_outputs_of_one_command_are_two_looks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ibstat-1.txt").write_text(sample("ibstat.txt"))
    (tmp_path / "ibstat-2.txt").write_text(spoiled(CASES["ib.port"]))
    _, rows = examined(capsys, tmp_path)
    verdicts = [row["verdict"] for row in rows if (row["check"], row["part"]) == ("ib.port", "HCA mlx5_0")]
    assert sorted(verdicts) == ["fail", "ok"]


@pytest.mark.parametrize("model", shipped_models())
def test_every_shipped_model_can_be_named(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "df.txt").write_text(sample("df.txt"))
    status, rows = examined(capsys, tmp_path / "df.txt", model=model)
    assert status == 0
    assert rows


def test_a_wrong_model_or_path_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert examination.main([str(SAMPLES / "df.txt"), "--model", "no-such-model"]) == 2
    assert "dell-xe9680-h100" in capsys.readouterr().err
    assert examination.main([str(tmp_path / "nothing"), "--model", MODEL]) == 2
    assert examination.main([str(tmp_path), "--model", MODEL]) == 2
    assert "empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("nvidia-smi-q-x.xml", "nvidia-smi -q -x"),
        ("smi_qx.out", "nvidia-smi -q -x"),
        ("gpu17.nvidia-smi-q.txt", "nvidia-smi -q"),
        ("topo.txt", "nvidia-smi topo -m"),
        ("nvlink-s.txt", "nvidia-smi nvlink -s"),
        ("nvlink-e.txt", "nvidia-smi nvlink -e"),
        ("ibstat.rc255.txt", "ibstat"),
        ("ibstatus-gpu3.txt", "ibstatus"),
        ("dmesg.log", "dmesg"),
        ("journalctl-k.txt", "dmesg"),
        ("df.txt", "df"),
        ("docker-info.json", "docker info"),
        ("fabricmanager.txt", "systemctl is-active nvidia-fabricmanager"),
        ("nvme-smart-log-0.json", "nvme smart-log"),
    ],
)
def test_a_file_that_holds_nothing_is_known_by_its_name(name: str, command: str) -> None:
    assert command_of(f"/somewhere/{name}", "") == command


def test_what_a_file_holds_counts_more_than_its_name() -> None:
    assert command_of("dmesg.txt", sample("ibstat.txt")) == "ibstat"


@pytest.mark.parametrize(
    ("name", "status"), [("a.rc9.txt", 9), ("x.exit-255.0.txt", 255), ("plain.txt", None), ("src12.txt", None)]
)
def test_a_name_can_carry_the_exit_status(name: str, status: int | None) -> None:
    assert exit_status_of(name) == status


def test_the_worst_part_stands_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = sample("gpus.xml").replace("<persistence_mode>Enabled", "<persistence_mode>Disabled", 1)
    (tmp_path / "q.xml").write_text(text.replace("31 C", "95 C"))
    examination.main([str(tmp_path / "q.xml"), "--model", MODEL])
    said = capsys.readouterr().out
    assert said.startswith("Sample Two GPUs: 1 fail, 1 warn, ")
    assert said.index("SXM 2 (GPU 1)") < said.index("SXM 1 (GPU 0)")
