"""The script `./rackside`: its help, and what it installs before it becomes a command."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from config.embedded.instance import ROOT


def script() -> ModuleType:
    loader = SourceFileLoader("rackside_script", str(ROOT / "rackside"))
    spec = spec_from_loader("rackside_script", loader)
    assert spec is not None
    module = module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    module.progress_module = module.load_by_path("progress")  # type: ignore[attr-defined]
    return module


@pytest.mark.parametrize(
    "command", ["demo", "run", "test", "bench", "backup", "restore", "upgrade", "status", "manage"]
)
def test_the_help_of_a_command_answers_at_once_and_imports_nothing_of_the_service(command: str) -> None:
    """The variable is inherited by whatever the script turns into, so nothing is imported unseen."""
    asked = [sys.executable, "-S", str(ROOT / "rackside"), command, "--help"]
    environment = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1"}
    done = subprocess.run(asked, capture_output=True, text=True, env=environment)
    assert done.returncode == 0 and done.stdout.startswith(f"usage: rackside {command}")
    imported = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "argparse" in imported
    assert not {name for name in imported if name.split(".")[0] in ("celery", "django", "psycopg", "config")}


def test_the_script_runs_on_a_bare_python_and_explains_itself() -> None:
    bare = [sys.executable, "-I", "-S", str(ROOT / "rackside")]
    done = subprocess.run([*bare, "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "demo" in done.stdout and len(done.stdout.splitlines()) < 20
    wrong = subprocess.run([str(ROOT / "rackside"), "dmeo"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "no command 'dmeo'" in wrong.stderr


def test_a_failing_install_shows_its_last_lines_and_a_hint() -> None:
    module = script()
    progress = module.progress_module.Progress(io.StringIO())
    with pytest.raises(module.progress_module.LaunchError) as failed, progress.step("Packages") as step:
        module.run(step, [sys.executable, "-c", "print('ERROR: THESE PACKAGES DO NOT MATCH THE HASHES'); exit(3)"])
    assert "| ERROR: THESE PACKAGES" in failed.value.what
    assert "other files than the lock names" in failed.value.todo


def test_of_installs_beside_each_other_the_first_that_fails_ends_the_others_and_is_the_one_that_is_shown() -> None:
    module = script()
    progress = module.progress_module.Progress(io.StringIO())
    began = time.monotonic()
    slow = module.begin([sys.executable, "-c", "import time; print('Collecting a'); time.sleep(60)"])
    fails = module.begin([sys.executable, "-c", "print('No space left on device'); exit(1)"])
    with pytest.raises(module.progress_module.LaunchError) as failed, progress.step("Packages") as step:
        module.finish(step, slow, fails)
    assert "| No space left" in failed.value.what and failed.value.todo == "The disk is full."
    assert slow.returncode != 0 and time.monotonic() - began < 20


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_the_shares_of_a_lock_hold_every_package_once_with_its_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text()
    found = script().requirements(text)
    assert sorted("\n".join(found).split()) == sorted(re.sub(r"(?m)^#.*", "", text).split())
    assert all("--hash=sha256:" in each for each in found)


def npm_that(does: str, module: Any, frontend: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dashboard's folder and an npm of our own."""
    npm = frontend.parent / "npm"
    npm.write_text(f"#!/bin/sh\n{does}\n")
    npm.chmod(0o755)
    monkeypatch.setattr(module, "ROOT", frontend.parent)
    monkeypatch.setattr(module, "FRONTEND", frontend)
    monkeypatch.setattr(module, "need_npm", lambda: str(npm))


def test_the_dashboard_is_built_when_its_sources_changed_and_not_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = script()
    frontend = tmp_path / "frontend"
    (frontend / "src").mkdir(parents=True)
    (frontend / "package-lock.json").write_text("{}")
    (frontend / "src" / "main.ts").write_text("1")
    npm_that("echo $1 >> ../ran\nmkdir -p node_modules dist", module, frontend, monkeypatch)
    progress = module.progress_module.Progress(io.StringIO())
    ran = tmp_path / "ran"

    def build() -> list[str]:
        ran.write_text("")
        with module.dashboard(progress, dev=False):
            pass
        return ran.read_text().split()

    for change, expected in (("1", ["ci", "run"]), ("1", []), ("2", ["run"])):
        (frontend / "src" / "main.ts").write_text(change)
        assert build() == expected
    (frontend / "package-lock.json").write_text("{ }")
    assert build() == ["ci", "run"]


def test_a_failed_install_of_python_packages_ends_the_build_of_the_dashboard_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = script()
    frontend = tmp_path / "frontend"
    frontend.mkdir()
    (frontend / "package-lock.json").write_text("{}")
    npm_that("sleep 60", module, frontend, monkeypatch)
    began = time.monotonic()
    with (
        pytest.raises(OSError, match="no space"),
        module.dashboard(module.progress_module.Progress(io.StringIO()), False),
    ):
        raise OSError("no space")
    assert time.monotonic() - began < 20


def test_packages_are_installed_only_when_the_lock_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script()
    (tmp_path / ".venv").mkdir()
    for name in ("requirements.lock", "requirements-dev.lock"):
        (tmp_path / name).write_text(f"django==5.2\n{name.removesuffix('.lock')}==1\n")
    installed: list[str] = []
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(module, "is_usable", lambda python: True)
    monkeypatch.setattr(module, "begin", lambda command: installed.extend(Path(command[-1]).read_text().split()))
    monkeypatch.setattr(module, "finish", lambda step, *processes, show: None)
    progress = module.progress_module.Progress(io.StringIO())
    runtime, both = ["django==5.2", "requirements==1"], ["django==5.2", "requirements-dev==1"]
    for dev, expected in ((False, runtime), (False, []), (True, both), (True, [])):
        installed.clear()
        module.prepare_python(progress, dev)
        assert installed == expected
    module.prepare_python(progress, dev=False)
    assert installed == []  # the dev lock contains the runtime lock
