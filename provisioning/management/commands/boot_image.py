"""`manage.py boot_image NAME INSTALLER.iso`: make the boot image of virtual media of a site's installer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from provisioning.conf import config
from provisioning.media import images
from provisioning.models import BootMedium


class Command(BaseCommand):
    help = "Make the boot image of virtual media of an installer's ISO, once for all machines; needs xorriso."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="As a run asks for it: ubuntu-24.04.")
        parser.add_argument("iso", type=Path, help="The installer's ISO: Ubuntu Server 22.04 or newer, Debian 12.")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = config().boot_images
        if folder is None:
            raise CommandError("RACKSIDE_BOOT_IMAGES names no folder")
        try:
            card = images.prepare(options["iso"], options["name"], folder)
        except images.ImageError as error:
            raise CommandError(str(error)) from error
        used = list(BootMedium.objects.filter(closed_at=None).values_list("file", flat=True))
        for path in images.unused(folder, used):
            path.unlink(missing_ok=True)
        self.stdout.write(f"{card.name}: {card.family}, {card.size / 1e6:.0f} MB, {card.file}")
