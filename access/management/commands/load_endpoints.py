"""`manage.py load_endpoints FILE`: override addresses and ports of many machines, from a JSON list."""

import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from access.services import EndpointRow, EndpointsRefused, load_endpoints
from core.counts import counted

KEYS = {field.name for field in fields(EndpointRow)}


class Command(BaseCommand):
    help = 'Load [{"machine": NAME, "kind": "ssh"|"redfish", "address": IP, "port": N, "credential": NAME}, ...].'

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="A JSON file, or - for standard input.")
        parser.add_argument("--site", required=True, help="Slug of the site the machines belong to.")

    def handle(self, *args: Any, file: str, site: str, **options: Any) -> None:
        text = sys.stdin.read() if file == "-" else Path(file).read_text()
        try:
            rows = json.loads(text)
        except ValueError as error:
            raise CommandError(f"{file} is not JSON: {error}") from error
        if not isinstance(rows, list) or not all(
            isinstance(row, dict) and {"machine", "kind"} <= set(row) <= KEYS for row in rows
        ):
            raise CommandError(f"{file}: want a list of objects with machine and kind, and at most {sorted(KEYS)}")
        try:
            count = load_endpoints((EndpointRow(**row) for row in rows), site_slug=site)
        except EndpointsRefused as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{counted(count, 'endpoint')} loaded")
