"""`manage.py dhcp_servers INTERFACE`: list the DHCP servers that answer on a network, and complain of foreign ones."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from provisioning.boot import offers


class Command(BaseCommand):
    help = "Ask for an address as an unknown machine, list the DHCP servers that offer one, and take none. Needs root."
    requires_system_checks: list[str] = []  # noqa: RUF012 -- as the base class has it

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("interface", help="The network card in the boot network: eth1.")
        parser.add_argument("--ours", action="append", default=[], help="Address of a server that may answer.")
        parser.add_argument("--seconds", type=float, default=5.0, help="How long to wait for offers.")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = offers.ask(options["interface"], options["seconds"])
        except OSError as error:
            raise CommandError(f"{options['interface']}: {error}") from error
        foreign = [each.server for each in found if each.server not in options["ours"]]
        for each in found:
            kind = "foreign" if each.server in foreign else "ours"
            boots = f", boots {each.boot_file}" if each.boot_file else ""
            self.stdout.write(f"{each.server} ({kind}): offers {each.address or 'no address'}{boots}")
        if foreign:
            raise CommandError(f"second DHCP server on {options['interface']}: {', '.join(foreign)}")
        self.stdout.write("no other DHCP server answers")
