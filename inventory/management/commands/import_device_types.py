"""Take device types of the NetBox community library as device models."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.audit.actor import system_user
from inventory.device_types import TypeFile, read_type_files
from inventory.device_types.convert import KINDS
from inventory.kinds import Report, Scope, write


class Command(BaseCommand):
    help = "Import device type files (YAML) of the NetBox library, or whole folders of them, as device models."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="files, or folders of vendors' folders")
        parser.add_argument("--kind", choices=KINDS, help="what they all are, instead of what their parts say")
        parser.add_argument("--skip-bad", action="store_true", help="take the good files although others are wrong")
        parser.add_argument("--dry-run", action="store_true", help="say what would change, write nothing")

    def handle(
        self, *args: Any, paths: list[Path], kind: str | None, skip_bad: bool, dry_run: bool, **options: Any
    ) -> None:
        files = list(read_type_files(paths, kind=kind))
        bad = [file for file in files if file.conversion.model is None]
        for file in files:
            self._tell(file, loud=int(options["verbosity"]) > 1)
        if bad and not skip_bad:
            raise CommandError(f"{len(bad)} of {len(files)} files are wrong; nothing was changed")
        good = [file for file in files if file.conversion.model is not None]
        rows = [{"spec": file.conversion.model} for file in good]
        report = write("device-models", rows, scope=Scope.everything(), actor=system_user(), dry_run=dry_run)
        self._refuse(report, good)
        counts = ", ".join(f"{number} {what}" for what, number in report.counts.items() if number)
        left = sum(remark.lost for file in good for remark in file.conversion.remarks)
        self.stdout.write(f"{len(good)} device models: {counts or 'none'}" + (" (dry run)" if dry_run else ""))
        if left:
            self.stdout.write(
                f"{left} things they say have no home here; they are kept in the models (-v 2 lists them)"
            )

    def _tell(self, file: TypeFile, *, loud: bool) -> None:
        for problem in file.conversion.problems:
            self.stderr.write(f"{file.path}: {problem.field}: {problem.reason}")
        if loud:
            for remark in file.conversion.remarks:
                self.stdout.write(f"{file.path}: {remark.field}: {remark.reason}")

    def _refuse(self, report: Report, files: list[TypeFile]) -> None:
        """Raises CommandError when the write was refused."""
        if report.code:
            raise CommandError(report.message)
        for row in report.errors():
            for error in row.errors:
                self.stderr.write(f"{files[row.number - 1].path}: {error.field}: {error.reason}")
        if not report.ok:
            raise CommandError("nothing was changed")
