"""`manage.py set_credential NAME`: store a secret machines or BMCs are reached with; it is read from standard input."""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.models import Credential
from core.services import rotate_credentials, set_credential


class Command(BaseCommand):
    help = "Store a credential, the secret read from standard input; or --rotate all to the first configured key."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="'ssh' and 'bmc' are the defaults of every machine.")
        parser.add_argument("--kind", choices=Credential.Kind.values, default="password")
        parser.add_argument("--username", default="root")
        parser.add_argument("--rotate", action="store_true")

    def handle(self, *args: Any, name: str | None, kind: str, username: str, rotate: bool, **options: Any) -> None:
        if rotate:
            self.stdout.write(f"{rotate_credentials()} credentials encrypted with the first key")
            return
        secret = sys.stdin.read().rstrip("\n") if name else ""
        if not name or not secret:
            raise CommandError("Give a name and send the secret on standard input.")
        set_credential(name, kind=kind, username=username, secret=secret)
        self.stdout.write(f"stored {name}")
