"""Bringing the database of an instance up to the code: migrations, with a backup before the first change."""

from __future__ import annotations

import time

from config.embedded.backups.backup import write_backup
from config.embedded.empty_database import migrations_fingerprint
from config.embedded.instance import Instance


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
