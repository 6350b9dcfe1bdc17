"""The probe script run by a real /bin/sh with made-up tools, and the reading of its answer."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from health.checks import Expectation, evaluate, layout
from health.checks.probes.script import (
    KERNEL_LOG,
    OUTPUT_CAP_BYTES,
    Output,
    ProbeError,
    ProbeReport,
    parse_probe,
    probe_commands,
    probe_script,
)
from health.tests.checks.samples import MODEL, SAMPLES, XE9680

SHELLS = list(
    {Path(shell).resolve(): shell for shell in ("/bin/dash", "/bin/bash", "/bin/sh") if Path(shell).exists()}.values()
)
"""Each that is here, once: on Debian `sh` is dash."""


def tool(folder: Path, name: str, body: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder of tools that print the samples, first in PATH."""
    give = f'/bin/cat "{SAMPLES}/'
    tool(
        tmp_path,
        "nvidia-smi",
        f'case "$*" in "-q -x") {give}gpus.xml" ;; "nvlink -s") {give}nvlinks.txt" ;; '
        f'"nvlink -e") {give}nvlink_errors.txt" ;; "topo -p2p n") {give}peers.txt" ;; *) {give}topology.txt" ;; esac',
    )
    tool(tmp_path, "nvme", f'case "$1" in list) {give}nvme_list.json" ;; *) {give}nvme0_smart.json" ;; esac')
    tool(tmp_path, "df", f'case "$*" in *" -i "*) {give}df_inodes.txt" ;; *) {give}df.txt" ;; esac')
    for name, file in (
        ("ibstat", "ibstat.txt"),
        ("dmesg", "kernel.log"),
        ("docker", "docker_info.json"),
        ("chronyc", "chrony.txt"),
        ("lsmod", "lsmod.txt"),
        ("dmidecode", "dmidecode.txt"),
        ("lsblk", "lsblk.json"),
        ("dpkg-query", "packages.txt"),
    ):
        tool(tmp_path, name, f'{give}{file}"')
    tool(tmp_path, "lspci", f'case "$*" in *-vv) {give}bridges.txt" ;; *) {give}lspci.txt" ;; esac')
    tool(tmp_path, "ofed_info", "echo MLNX_OFED_LINUX-23.10-1.1.9.0:")
    tool(tmp_path, "stat", 'echo "1759913590:/sys/fs/pstore"')
    tool(
        tmp_path,
        "grep",
        f'case "$*" in -e*|btime*) exec /bin/grep "$@" ;; *buddyinfo*) {give}state_files.txt" ;; '
        f'*infiniband_verbs*) {give}card_files.txt" ;; '
        f'*infiniband*) {give}ib_counters.txt" ;; *bus/pci*) {give}pci_links.txt" ;; '
        f'*) {give}kernel_files.txt" ;; esac',
    )
    optic = f'sed -n "/^Downstream/,/^FW B/p" "{SAMPLES}/flint.txt" | head -5'
    card = f'sed -n "/^CARD: $2/,/^Security/p" "{SAMPLES}/flint.txt" | tail -n +2'
    tool(tmp_path, "flint", f'case "$*" in *linkx*) {optic} ;; *) {card} ;; esac')
    tool(
        tmp_path,
        "systemctl",
        f'case "$1" in --failed) {give}failed_units.txt" ;; *) {give}fabric_manager.txt" ;; esac',
    )
    tool(
        tmp_path,
        "cat",
        f'case "$*" in /proc/meminfo) {give}meminfo.txt" ;; /proc/mounts) {give}mounts.txt" ;; '
        f'*os-release) {give}release.txt" ;; *) /bin/cat "$@" ;; esac',
    )
    return tmp_path


def run_script(script: str, tools: Path, shell: str = "/bin/sh", **more: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {"PATH": f"{tools}:/usr/bin:/bin", "HOME": str(tools)}
    return subprocess.run(
        [shell, "-c", script], env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, **more
    )


def probed(tools: Path, shell: str = "/bin/sh") -> ProbeReport:
    answer = run_script(probe_script(MODEL), tools, shell)
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == b""
    return parse_probe(answer.stdout)


def only_commands(seconds: dict[str, int]) -> str:
    """The script with nothing but these commands."""
    prelude = probe_script(MODEL).partition("\nrun ")[0]
    return "\n".join([prelude, *(f"run {limit} '{command}'" for command, limit in seconds.items()), "finish", ""])


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_brings_every_output_home(tools: Path, shell: str) -> None:
    report = probed(tools, shell)
    assert list(report.outputs) == [command for _, command in probe_commands(MODEL)]
    assert report.outputs["nvidia-smi -q -x"].text == (SAMPLES / "gpus.xml").read_text()
    assert abs(report.time - time.time()) < 30
    assert report.uptime_s > 0
    assert report.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    findings = evaluate(report, None, Expectation(MODEL, bmc_expected=False))
    assert {str(f.verdict) for f in findings} == {"ok", "info"}
    assert {(f.check, f.part) for f in findings} >= set(layout(MODEL))


def test_commands_stand_in_lines_that_can_be_found_again() -> None:
    """As they are; and once more as JSON tells them, where that is another text."""
    lines = [line for line in probe_script(XE9680).splitlines() if line.startswith("run ")]
    for line, (seconds, command) in zip(lines, probe_commands(XE9680), strict=True):
        told = json.dumps(command)[1:-1]
        assert line == f"run {seconds} '{command}'" + (f" '{told}'" if told != command else "")


def test_a_command_that_hangs_is_stopped_and_the_others_still_run(tools: Path) -> None:
    tool(tools, "ibstat", "echo begun; sleep 60")
    begun = time.monotonic()
    answer = run_script(only_commands({"ibstat": 1, "chronyc -n tracking": 5}), tools)
    report = parse_probe(answer.stdout)
    assert time.monotonic() - begun < 10
    assert (report.outputs["ibstat"].exit_status, report.outputs["ibstat"].text) == (124, "begun\n")
    assert report.outputs["ibstat"].ms >= 900
    assert report.outputs["chronyc -n tracking"].exit_status == 0


@pytest.mark.slow
def test_the_other_commands_of_a_tool_that_hung_are_not_waited_for(tools: Path) -> None:
    tool(tools, "nvidia-smi", "sleep 60")
    begun = time.monotonic()
    script = only_commands({"nvidia-smi -q -x": 1, "nvidia-smi topo -m": 9, "nvidia-smi nvlink -s": 9, "ibstat": 5})
    report = parse_probe(run_script(script, tools).stdout)
    assert time.monotonic() - begun < 8
    assert [output.exit_status for output in report.outputs.values()] == [124, 124, 124, 0]
    assert report.outputs["nvidia-smi topo -m"].text == "not run: nvidia-smi hung before\n"


@pytest.mark.slow
def test_a_command_that_ignores_the_signal_is_killed(tools: Path) -> None:
    tool(tools, "ibstat", "trap '' TERM; echo begun; while :; do sleep 1; done")
    begun = time.monotonic()
    report = parse_probe(run_script(only_commands({"ibstat": 1}), tools).stdout)
    assert time.monotonic() - begun < 15
    assert report.outputs["ibstat"].exit_status == 124
    left = subprocess.run(["pgrep", "-f", str(tools / "ibstat")], capture_output=True, text=True)
    assert left.stdout == "", "nothing of it stays on the machine"


def test_a_tool_that_is_missing_exits_127(tools: Path) -> None:
    # one that no system has: this one may have the real ibstat
    report = parse_probe(run_script(only_commands({"no-such-tool": 5, "ibstat": 5}), tools).stdout)
    assert [output.exit_status for output in report.outputs.values()] == [127, 0]


def test_exit_status_and_standard_error_come_along(tools: Path) -> None:
    tool(tools, "systemctl", "echo failed; echo trouble >&2; exit 3")
    output = probed(tools).outputs["systemctl is-active nvidia-fabricmanager"]
    assert output.exit_status == 3
    assert sorted(output.text.split()) == ["failed", "trouble"]


def test_binary_junk_survives_the_way(tools: Path) -> None:
    tool(tools, "ibstat", "head -c 3000 /dev/urandom")
    output = probed(tools).outputs["ibstat"]
    assert "\ufffd" in output.text


def test_an_output_is_cut_at_its_end_and_the_kernel_log_at_its_front(tools: Path) -> None:
    much = "head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last"
    tool(tools, "ibstat", much)
    tool(tools, "dmesg", much)
    report = probed(tools)
    assert len(report.outputs["ibstat"].text) == OUTPUT_CAP_BYTES
    assert report.outputs["ibstat"].text.endswith("x")
    assert len(report.outputs[KERNEL_LOG].text) == OUTPUT_CAP_BYTES
    assert report.outputs[KERNEL_LOG].text.endswith("\nlast\n")


@pytest.mark.slow
def test_a_command_cannot_read_the_sessions_input(tools: Path) -> None:
    tool(tools, "ibstat", "cat; echo done")
    assert probed(tools).outputs["ibstat"].text == "done\n"


def test_nothing_is_left_behind(tools: Path) -> None:
    """Only its own folder is looked for: other machines' probes may run beside this one."""
    tool(tools, "mktemp", f"/usr/bin/mktemp \"$@\" | tee -a '{tools}/made'")
    probed(tools)
    made = [Path(line) for line in (tools / "made").read_text().splitlines()]
    assert len(made) == 1 and made[0].name.startswith("rackside.")
    assert not made[0].exists()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_child_that_ends_with_the_traps_of_the_script_leaves_its_folder_alone(tools: Path, shell: str) -> None:
    """bash runs them in a child that is signalled before it has its own: one probe of 150 lost its folder."""
    prelude = probe_script(MODEL).partition("\nrun ")[0]
    (at_the_end,) = re.findall(r"^trap '(.*)' EXIT$", prelude, re.MULTILINE)
    script = f"{prelude}\n({at_the_end})\n[ -d $work ] && echo; echo there $work\n"
    said = run_script(script, tools, shell).stdout.decode()
    assert "\nthere /" in said
    assert not Path(said.split()[-1]).exists(), "the script itself removes it"


@pytest.mark.slow
def test_without_root_the_commands_go_through_sudo_when_that_is_allowed(tools: Path) -> None:
    tool(tools, "id", "echo 1000")
    tool(tools, "sudo", f'[ "$1" = -n ] && shift; echo "$@" >>{tools}/asked; exec "$@"')
    report = probed(tools)
    assert report.outputs[KERNEL_LOG].exit_status == 0
    assert f" {KERNEL_LOG}\n" in (tools / "asked").read_text()
    tool(tools, "sudo", "exit 1")
    assert probed(tools).outputs[KERNEL_LOG].exit_status == 0


# ---- the answer ----


def document(**changes: Any) -> bytes:
    packed = base64.b64encode(gzip.compress(b"hello\n")).decode()
    whole = {
        "rackside_probe": 1,
        "boot_id": "b",
        "uptime_s": 12.5,
        "time": 1.7e9,
        "outputs": [{"command": "ibstat", "exit": 0, "ms": 3, "out": packed}],
        "complete": True,
    }
    return json.dumps(whole | changes).encode()


def test_an_answer_is_read_and_a_banner_before_it_skipped() -> None:
    for answer in (document(), b"Welcome to gpu-17\n\n" + document() + b"\n"):
        assert parse_probe(answer, received_at=5.0).outputs["ibstat"].text == "hello\n"
    assert parse_probe(document(), received_at=5.0).received_at == 5.0


@pytest.mark.parametrize(
    ("asked_at", "received_at", "spent_ms", "time", "ahead_s"),
    [
        (100.0, 101.0, 900, 100.95, 0.0),
        (100.0, 101.0, 900, 143.0, 42.0),
        (100.0, 101.0, 900, 58.9, -42.0),
        (100.0, 145.0, 44_000, 144.5, 0.0),
        (100.0, 145.0, 500, 100.6, 0.0),
        (100.0, 145.0, 44_000, 100.0, -44.0),
        (None, 145.0, 44_000, 103.0, -42.0),
        (100.0, 101.0, 10**9, 101.0, 0.0),
    ],
    ids=["right", "ahead", "behind", "a command hung", "the answer was long on its way", "read at the start",
         "only the end is known", "a time that cannot be"],
)  # fmt: skip
def test_a_clock_is_off_only_by_what_no_moment_of_the_look_explains(
    asked_at: float | None, received_at: float, spent_ms: int, time: float, ahead_s: float
) -> None:
    outputs = {"uptime": Output("uptime", 0, spent_ms, "")}
    look = ProbeReport("boot", 1.0, time, outputs, received_at=received_at, asked_at=asked_at)
    assert look.clock_ahead_s == pytest.approx(ahead_s)


def test_nobody_told_when_so_nothing_is_said_of_the_clock() -> None:
    assert ProbeReport("boot", 1.0, 100.0, {}).clock_ahead_s is None


def bomb() -> str:
    return base64.b64encode(gzip.compress(b"\0" * (OUTPUT_CAP_BYTES + 2))).decode()


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"Permission denied\n",
        os.urandom(2000),
        document()[:-5],
        document() + document(),
        document(rackside_probe=2),
        document(complete=False),
        document(complete=1),
        document(boot_id=""),
        document(boot_id=7),
        document(uptime_s="long"),
        document(time=None),
        document(time=float("inf")),
        document(outputs={}),
        document(outputs=[7]),
        document(outputs=[{"command": "x", "exit": "0", "ms": 1, "out": ""}]),
        document(outputs=[{"command": "x", "exit": 2**40, "ms": 1, "out": ""}]),
        document(outputs=[{"command": "x", "exit": 0, "ms": 1, "out": "!!"}]),
        document(outputs=[{"command": "x", "exit": 0, "ms": 1, "out": base64.b64encode(b"plain").decode()}]),
        document(
            outputs=[{"command": "x", "exit": 0, "ms": 1, "out": base64.b64encode(gzip.compress(b"hi")[:-6]).decode()}]
        ),
        document(outputs=[{"command": "x", "exit": 0, "ms": 1, "out": bomb()}]),
        b'{"rackside_probe"' + b"[" * 100_000,
        b" " * (33 * 1024 * 1024),
    ],
)
def test_anything_else_is_refused_with_a_reason(answer: bytes) -> None:
    with pytest.raises(ProbeError) as caught:
        parse_probe(answer)
    assert 0 < len(caught.value.reason) < 400
