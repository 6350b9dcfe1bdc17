"""Write the records of one kind to a file that can be imported again."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from inventory.transfer.export import FORMATS, export
from inventory.transfer.imports import kind_of
from inventory.transfer.problems import FileRefused


class Command(BaseCommand):
    help = "Write all records of a kind as CSV, YAML, JSON or XLSX."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", help="such as racks, devices, cables")
        parser.add_argument("file", type=Path, help="its ending says the format")
        parser.add_argument("--site", default="", help="slug of the site, all of them if empty")

    def handle(self, *args: Any, kind: str, file: Path, site: str, **options: Any) -> None:
        file_format = file.suffix.lower().lstrip(".").replace("yml", "yaml")
        if file_format not in FORMATS:
            raise CommandError(f"{file.name}: a file ends in {', '.join(FORMATS)}")
        try:
            found = kind_of(kind)
        except FileRefused as error:
            raise CommandError(str(error)) from error
        rows = found.queryset().order_by(*found.order)
        if site and found.site:
            path = "slug" if found.site == "id" else f"{found.site.removesuffix('_id')}__slug"
            rows = rows.filter(**{path: site})
        with file.open("wb") as out:
            for piece in export(found, file_format, rows):
                out.write(piece)
        self.stdout.write(f"{file}: {rows.count()} {found.title}")
