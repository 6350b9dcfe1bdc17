"""Read a file of records of one kind, or all files of an archive."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.audit.actor import system_user
from core.models import Site
from inventory.kinds import Report, Scope
from inventory.transfer.archive import import_archive, read_archive
from inventory.transfer.imports import MODES, import_file, kind_of
from inventory.transfer.problems import FileRefused

TOLD = 50


class Command(BaseCommand):
    help = (
        "Create or change records from a CSV, YAML or JSON file, or from a folder or zip file with one for each kind: "
        "all of them or, when one is wrong, none."
    )
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", help="such as racks, devices, cables; or all")
        parser.add_argument("file", type=Path, help="for all: a folder or a zip file with files such as racks.csv")
        parser.add_argument("--site", default="", help="slug of the site of rows that name none")
        parser.add_argument("--mode", choices=MODES, default="upsert")
        parser.add_argument("--dry-run", action="store_true", help="say what would change, write nothing")

    def handle(self, *args: Any, kind: str, file: Path, site: str, mode: str, dry_run: bool, **options: Any) -> None:
        try:
            how: dict[str, Any] = {
                "scope": Scope.everything(_site(site)), "actor": system_user(), "mode": mode, "dry_run": dry_run,
            }  # fmt: skip
            if kind == "all":
                reports = import_archive(read_archive(file), **how)
            else:
                reports = [import_file(kind_of(kind), file.name, file.read_bytes(), **how)]
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from error
        except FileRefused as error:
            lines = [f"row {row}: {field}: {reason}" for row, (field, reason, _) in error.problems[:TOLD]]
            raise CommandError("\n".join([*lines, "refused; nothing was written"])) from error
        for report in reports:
            self._refuse(report)
        for report in reports:
            counts = ", ".join(f"{count} {name}" for name, count in report.counts.items() if count)
            self.stdout.write(f"{report.kind}: {counts}" + ("; nothing was written" if dry_run else ""))

    def _refuse(self, report: Report) -> None:
        if not report.ok:
            lines = [
                f"{report.kind} row {row.number} ({row.key}): {error.field}: {error.reason}"
                for row in report.errors()[:TOLD] for error in row.errors
            ]  # fmt: skip
            raise CommandError("\n".join([*lines, report.message or "refused; nothing was written"]))


def _site(slug: str) -> int | None:
    if not slug:
        return None
    found = Site.objects.filter(slug=slug).values_list("pk", flat=True).first()
    if found is None:
        raise CommandError(f"there is no site {slug!r}")
    return found
