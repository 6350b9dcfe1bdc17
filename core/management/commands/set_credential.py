"""`manage.py set_credential NAME --for KIND`: store a secret that other services are reached with, from standard input.

The secret goes to services of that kind only, at the hosts that are named here; see docs/operations.md.
"""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.models import Credential, Site
from core.outgoing.binding import Purpose
from core.services import bind_credential, rotate_credentials, set_credential


class Command(BaseCommand):
    help = "Store a credential, the secret read from standard input; or --rotate all to the first configured key."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", help="'ssh' and 'bmc' are the defaults of every machine.")
        parser.add_argument("--kind", choices=Credential.Kind.values, default="password")
        parser.add_argument("--username", default="root")
        parser.add_argument(
            "--for", dest="purpose", choices=list(Purpose), default="", help="what it opens; known for 'ssh' and 'bmc'"
        )
        parser.add_argument(
            "--host", dest="hosts", action="append", metavar="HOST",
            help="10.0.0.0/8, 10.0.0.5, ufm.example.org or *.example.org; several times; a password needs one",
        )  # fmt: skip
        parser.add_argument("--site", metavar="SLUG", help="only for this site, whose administrators may use it")
        parser.add_argument("--bind", action="store_true", help="change --for, --host and --site, not the secret")
        parser.add_argument("--rotate", action="store_true")

    def handle(self, *args: Any, name: str | None, rotate: bool, bind: bool, **given: Any) -> None:
        if rotate:
            self.stdout.write(f"{rotate_credentials()} credentials encrypted with the first key")
            return
        if not name:
            raise CommandError("Give a name and send the secret on standard input.")
        try:
            self._store(name, bind, given)
        except (ValueError, Credential.DoesNotExist) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"stored {name}")

    def _store(self, name: str, bind: bool, given: dict[str, Any]) -> None:
        site = Site.objects.filter(slug=given["site"]).first() if given["site"] else None
        if given["site"] and site is None:
            raise CommandError(f"There is no site {given['site']}.")
        binding = {"purpose": given["purpose"], "hosts": given["hosts"], "site": site}
        if bind:
            bind_credential(name, **binding)
            return
        secret = sys.stdin.read().rstrip("\n")
        if not secret:
            raise CommandError("Give a name and send the secret on standard input.")
        set_credential(name, kind=given["kind"], username=given["username"], secret=secret, **binding)
