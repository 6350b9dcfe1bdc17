"""The one place that quotes for a shell, and what is made with it: active checks and remedies, run by real shells."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from typing import Any

import pytest

from drivers import shell
from health.diagnostics import commands, jobs, ways
from health.diagnostics.catalogue import BURN_IN, KINDS, OptionsRefused, options_of
from health.remediation.executors import Job, host
from health.tests.hostile import ACTIVE, CANARY, ODD, SHELLS, run_in, sandbox

__all__ = ["sandbox"]
ROOT = Path(__file__).parents[2]


# ---- the one place that quotes ----


@pytest.mark.parametrize("with_shell", SHELLS)
@pytest.mark.parametrize("value", [*ACTIVE, *ODD, "", "plain"])
def test_a_word_is_one_word_to_a_real_shell_or_is_refused(value: str, with_shell: str) -> None:
    try:
        quoted = shell.word(value)
    except shell.UnsafeWord:
        assert any(ord(letter) < 32 for letter in value)
        return
    said = subprocess.run([with_shell, "-c", f"printf '%s|' {quoted} end"], capture_output=True, check=True).stdout
    assert said.decode() == f"{value}|end|"


@pytest.mark.parametrize("value", ["", "-rf", "--help", "a\nb", "a\0b"])
def test_an_operand_is_no_option_and_not_nothing(value: str) -> None:
    with pytest.raises(shell.UnsafeWord):
        shell.operand(value)


def test_nothing_but_the_one_place_quotes_for_a_shell() -> None:
    """`shlex.split`, which reads, is everybody's; so are the virtual hall and the launcher, which send nothing."""
    rooms = ("drivers", "core", "inventory", "access", "health", "fabric", "provisioning", "tickets", "live")
    found = []
    for room in rooms:
        for path in (ROOT / room).rglob("*.py"):
            if path == ROOT / "drivers" / "shell.py" or "tests" in path.parts:
                continue
            for node in ast.walk(ast.parse(path.read_text())):
                quotes = isinstance(node, ast.Attribute) and node.attr in ("quote", "join")
                if quotes and isinstance(node.value, ast.Name) and node.value.id == "shlex":  # type: ignore[attr-defined]
                    found.append(str(path.relative_to(ROOT)))
                if isinstance(node, ast.ImportFrom) and node.module == "shlex":
                    found.append(str(path.relative_to(ROOT)))
    assert found == []


# ---- active checks ----


@pytest.mark.parametrize("kind", [*KINDS], ids=lambda kind: kind.id)
def test_no_option_of_an_active_check_takes_a_text(kind: Any) -> None:
    for value in (*ACTIVE, *ODD, "10", 10.5, None, [1]):
        for name in (*kind.options, *kind.switches):
            with pytest.raises(OptionsRefused, match=name):
                options_of(kind.id, {name: value})
        with pytest.raises(OptionsRefused):
            options_of(kind.id, {str(value): 1})
        with pytest.raises(OptionsRefused):
            options_of(str(value), {})
        with pytest.raises(OptionsRefused):
            options_of(BURN_IN, {"kinds": [str(value)]})


@pytest.mark.parametrize("with_shell", SHELLS)
@pytest.mark.parametrize("value", [*ACTIVE, *ODD])
def test_past_the_check_an_active_check_runs_its_tool_or_nothing(value: str, with_shell: str, sandbox: Path) -> None:
    made: list[commands.Command] = []
    options: dict[str, Any] = {name: value for kind in KINDS for name in (*kind.options, *kind.switches)}
    pairs = {"port": 18515, "seconds": 2, "gpu_direct": True}
    for make in (
        lambda: ways.commands_of(ways.Way(), [value, "b"], 8)[0],
        lambda: ways.commands_of(ways.Way(ways.MPI), [value, "b"], 8)[0],
        lambda: ways.commands_of(ways.Way(ways.TORCHRUN, ways.TORCH), [value, "b"], 8)[0],
        lambda: commands.of_pair(value, 0, pairs),
        lambda: commands.of_pair("mlx5_0", 0, pairs, server=value),
        lambda: commands.of_pair("mlx5_0", 0, options),
        *(lambda kind=kind: commands.of_machine(kind.id, options, 8) for kind in KINDS if kind.needs == "machine"),
        lambda: commands.of_machine("stress", {"seconds": 1}, value),  # type: ignore[arg-type]
    ):
        try:
            made.append(make())
        except ValueError:
            continue
    for command in made:
        calls = run_in(sandbox, command.line, with_shell)
        assert len(calls) == 1, command.line
    for act in (jobs.look, jobs.stop, jobs.tidy):
        with pytest.raises(ValueError, match="no name of a job"):
            act(value)
        assert CANARY not in [path.name for path in sandbox.rglob("*")]


# ---- remedies ----


@pytest.mark.parametrize("with_shell", SHELLS)
@pytest.mark.parametrize("kind", host.WORK)
def test_a_remedy_is_made_of_one_name_and_refuses_every_other(kind: str, with_shell: str, sandbox: Path) -> None:
    shape, command = host.WORK[kind]
    for value in (*ACTIVE, *ODD):
        assert not shape.fullmatch(value), value
        try:
            line = command(value)
        except shell.UnsafeWord:
            continue
        calls = run_in(sandbox, line, with_shell)
        assert {call[0] for call in calls} <= {"systemctl", "modprobe", "mountpoint", "mount"}
        assert all(len(call) <= 3 for call in calls)


def test_a_remedy_with_a_hostile_name_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "run", lambda *args, **more: pytest.fail("something was sent"))
    for kind in host.WORK:
        for value in (*ACTIVE, *ODD):
            answer = host.RestartService().send(Job(1, "restart_service", "1", {kind: value}))
            assert "is no" in answer.text
