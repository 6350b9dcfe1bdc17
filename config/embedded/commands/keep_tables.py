"""Keep the tables of an empty database for the next one: `python -m config.embedded.commands.keep_tables`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from config.embedded.commands.suites import services
from config.embedded.empty_database import NAME, OF_ONE_INSTANCE, kept_file
from config.embedded.instance import Instance
from config.embedded.progress import Progress, errors_as_exit_status


def keep(instance: Instance) -> None:
    """Migrate the empty database of an instance and keep its tables; those of other migrations go."""
    instance.manage("migrate", "migrate", "--noinput", "--skip-checks")
    postgres, kept = instance.postgres, kept_file(Path(sys.prefix))
    command = [
        postgres.binary("pg_dump"), f"--dbname={postgres.url}", "--no-owner", "--no-privileges", "--inserts",
        "--rows-per-insert=1000", *(f"--exclude-table-data={name}" for name in OF_ONE_INSTANCE),
    ]  # fmt: skip
    said = subprocess.run(command, check=True, capture_output=True).stdout
    # Lines of psql itself, which keep it from obeying what a dump holds.
    sql = b"\n".join(line for line in said.split(b"\n") if not line.startswith(b"\\"))
    unfinished = kept.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(sql)
    for old in kept.parent.glob(f"{NAME}-*"):
        if old != unfinished:
            old.unlink(missing_ok=True)
    unfinished.rename(kept)


if __name__ == "__main__":
    progress = Progress()
    with errors_as_exit_status(progress), services(progress) as instance:
        keep(instance)
