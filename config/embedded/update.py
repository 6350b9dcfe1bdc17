"""Bringing the database of an instance up to the code: migrations, with a backup before the first change."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from pathlib import Path

from config.embedded.backups.backup import write_backup
from config.embedded.instance import ROOT, Instance


def fingerprint(paths: Iterable[Path], *words: str) -> str:
    """A hash over files (name and content) and words: what a step depends on."""
    digest = hashlib.sha256("\0".join(words).encode())
    for path in sorted(paths):
        digest.update(str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path.name).encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def own_migrations() -> list[Path]:
    """Of the rooms, and of the parts of `core` that keep tables of their own."""
    return [path for pattern in ("*/migrations/*.py", "*/*/migrations/*.py") for path in ROOT.glob(pattern)]


def migrations_fingerprint() -> str:
    """Changes when a migration of ours changes, or any locked package (which may bring its own)."""
    return fingerprint([*own_migrations(), ROOT / "requirements.lock"])


def migrate(instance: Instance, *, backup_first: bool) -> None:
    """Apply migrations when there may be new ones; an existing database is backed up before, where asked."""
    wanted = migrations_fingerprint()
    if instance.folder.is_done("migrate", wanted):
        return
    if backup_first and "migrate" in instance.folder.read_record("done"):
        with instance.progress.step("Backup before the update") as step:
            target = instance.folder.backups / f"before-update-{time.strftime('%Y%m%d-%H%M%S')}.tar"
            target.parent.mkdir(mode=0o700, exist_ok=True)
            write_backup(instance, target, passphrase=None)
            step.note(str(target))
    with instance.progress.step("Migrating the database"):
        # Its checks read every page and form, and are those of the tests: a third of a second of a first start.
        instance.manage("migrate", "migrate", "--noinput", "--skip-checks")
    instance.folder.mark_done("migrate", wanted)
