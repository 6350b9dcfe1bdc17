"""`backup`, `restore`, `upgrade`, `status` and `manage`: what is done with a data folder besides running it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from config import processes
from config.embedded.backups.backup import version, write_backup
from config.embedded.backups.restore import restore as restore_backup
from config.embedded.data_folder import is_alive
from config.embedded.instance import ROOT, Instance
from config.embedded.progress import LaunchError
from config.embedded.update import migrate

PASSPHRASE_VARIABLE = "RACKSIDE_BACKUP_PASSPHRASE"


def read_passphrase(file: Path | None) -> str | None:
    """From the file given, or the environment; None when there is neither."""
    if file is None:
        return os.environ.get(PASSPHRASE_VARIABLE) or None
    try:
        text = file.read_text().strip()
    except OSError as error:
        raise LaunchError(f"The passphrase file {file} cannot be read: {error.strerror}.") from error
    if not text:
        raise LaunchError(f"The passphrase file {file} is empty.")
    return text


def backup(instance: Instance, target: Path, *, passphrase_file: Path | None) -> None:
    """Write a backup of a running or stopped instance."""
    passphrase = read_passphrase(passphrase_file)
    target = target.absolute()
    with instance.reached(), instance.progress.step("Backup") as step:
        manifest = write_backup(instance, target, passphrase=passphrase)
        rows = sum(manifest["tables"].values())
        files = sum(name.startswith("files/") for name in manifest["members"])
        step.note(f"{target.stat().st_size / 1e6:.1f} MB, {rows} rows, {files} files")
    instance.progress.line(f"\n  Written to {target}")
    if passphrase:
        instance.progress.line("  It contains the keys, sealed: without your passphrase they are lost.")
    else:
        instance.progress.line(
            "  It does not contain the keys. Keep a copy of them in another safe place:\n"
            f"  {instance.folder.path / 'secrets'}\n"
            "  Without it the credentials (SSH keys, BMC passwords) in the backup cannot be read."
        )


def restore(
    instance: Instance, source: Path, *, replace: bool, passphrase_file: Path | None, keys: Path | None, new_keys: bool
) -> None:
    """Restore a backup into a stopped or fresh data folder."""
    passphrase = read_passphrase(passphrase_file)
    manifest = restore_backup(
        instance, source, replace=replace, passphrase=passphrase, keys_from=keys, new_keys=new_keys
    )
    instance.progress.line(
        f"\n  Restored what was written at {manifest['written_at']}.\n"
        f"  Start it: ./rackside run --data {instance.folder.path}"
    )


def upgrade(instance: Instance) -> None:
    """Back up and migrate a stopped instance. ./rackside has installed the packages and built the dashboard before."""
    if not instance.folder.path.exists():
        raise LaunchError(f"There is no data folder {instance.folder.path}.", "Give the folder with --data DIR.")
    owner = instance.folder.owner()
    if owner is not None:
        raise LaunchError(
            f"The instance runs (process {owner}) with the code it was started with.",
            "Stop it with Ctrl-C (or SIGTERM to that process), then say ./rackside upgrade again.",
        )
    with instance.opened():
        migrate(instance, backup_first=True)
    instance.progress.line(f"\n  {instance.folder.path} is at Rackside {version()}. Start it: ./rackside run")


def manage(instance: Instance, words: list[str]) -> int:
    """Run manage.py with the instance's environment, its services started for the time when they are not running."""
    with instance.reached():
        environment = instance.environment()
        process = subprocess.Popen(processes.manage(*words), env=environment, cwd=ROOT)
        while process.poll() is None:
            with contextlib.suppress(KeyboardInterrupt):  # it reaches the command too, which decides what it means
                time.sleep(0.05)
        return process.returncode


def status(instance: Instance) -> int:
    """Say what runs, with memory and processor time; exit status 3 when nothing does."""
    folder, line = instance.folder, instance.progress.line
    record = folder.read_record("instance")
    owner = folder.owner() if folder.path.exists() else None
    if owner is None:
        line(f"Not running: {folder.path}" if folder.path.exists() else f"No data folder {folder.path}")
        return 3
    if not record.get("children"):
        line(f"Starting or stopping (process {owner}): {folder.path}")
        return 0
    line(f"{record['url']}   {folder.path}   process {owner}, up {(time.time() - record['started_at']) / 60:.0f} min")
    total = 0.0
    troubles = {each["name"]: each for each in record.get("troubles", [])}
    for name, pid in {"supervisor": owner, **record["children"]}.items():
        memory, seconds, count = use_of([pid] if pid == owner else [pid, *descendants(pid)])
        total += memory
        state = "up" if is_alive(pid) else "gone"
        line(f"  {name:<18} {state:<5} {memory:7.0f} MB  {seconds:8.1f} s CPU  {count} processes")
        if name in troubles:
            for words in trouble_words(troubles[name], time.time()):
                line(f"  {'':<18} {words}")
    line(f"  {'together':<18} {'':<5} {total:7.0f} MB")
    return 0


def trouble_words(trouble: dict[str, Any], now: float) -> list[str]:
    """What became of a process that ended: a line, and in a crash loop what it said last."""
    age = f"{max(0, now - trouble['at']):.0f} s ago"
    if not trouble["loop"]:
        return [f"restarted: it {trouble['how']} {age}"]
    said = [f"| {each}" for each in trouble["said"]]
    return [f"CRASH LOOP: it {trouble['how']} {age}, {trouble['deaths']} times in a row; its log ends with", *said]


def use_of(pids: list[int]) -> tuple[float, float, int]:
    """Memory (proportional share, MB), processor time (s) and number of these processes."""
    memory = ticks = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
            for text in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                if text.startswith("Pss:"):
                    memory += int(text.split()[1]) / 1024
        except OSError:
            continue
    return memory, ticks / os.sysconf("SC_CLK_TCK"), len(pids)


def descendants(pid: int) -> list[int]:
    """Children of a process, their children and so on."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [each for child in children for each in (int(child), *descendants(int(child)))]
