"""Write the records of one kind, or all of a site, to files that can be imported again."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.counts import counted
from core.models import Site
from inventory.transfer import archive
from inventory.transfer.export import FORMATS, export
from inventory.transfer.imports import kind_of
from inventory.transfer.problems import FileRefused
from inventory.transfer.readers import FORMATS as READ_BACK


class Command(BaseCommand):
    help = "Write all records of a kind as CSV, YAML, JSON or XLSX; or all kinds into a folder or a zip file."
    requires_system_checks: list[str] = []  # noqa: RUF012  (as Django has it)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("kind", help="such as racks, devices, cables; or all")
        parser.add_argument("file", type=Path, help="its ending says the format; for all: a folder, or x.zip")
        parser.add_argument("--site", default="", help="slug of the site, all of them if empty")
        parser.add_argument("--format", choices=READ_BACK, default="csv", help="of the files of all kinds")

    def handle(self, *args: Any, kind: str, file: Path, site: str, format: str, **options: Any) -> None:
        sites = _sites(site)
        if kind == "all":
            if file.suffix.lower() == ".zip":
                with file.open("wb") as out:
                    names = archive.write_zip(out, sites, format)
            else:
                names = archive.write_folder(file, sites, format)
            self.stdout.write(f"{file}: {counted(len(names), 'file')}")
            return
        file_format = file.suffix.lower().lstrip(".").replace("yml", "yaml")
        if file_format not in FORMATS:
            raise CommandError(f"{file.name}: a file ends in {', '.join(FORMATS)}")
        try:
            found = kind_of(kind)
        except FileRefused as error:
            raise CommandError(str(error)) from error
        rows = found.limited(sites).order_by(*found.order)
        with file.open("wb") as out:
            for piece in export(found, file_format, rows):
                out.write(piece)
        self.stdout.write(f"{file}: {rows.count()} {found.title}")


def _sites(slug: str) -> list[int] | None:
    """The site's id in a list; None for all sites."""
    if not slug:
        return None
    found = list(Site.objects.filter(slug=slug).values_list("pk", flat=True))
    if not found:
        raise CommandError(f"there is no site {slug!r}")
    return found
