"""`manage.py pause REASON`: send nothing to the outside world until somebody takes the instance over."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.audit.actor import system_user
from core.instance import state


class Command(BaseCommand):
    help = "Pause this instance: no webhook, mail, remedy, scheduler write, power action or switch write leaves it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("reason", help="Why; shown on every page.")

    def handle(self, *args: Any, reason: str, **options: Any) -> None:
        if not reason.strip():
            raise CommandError("Say why.")
        state.pause(reason, actor=f"command:pause by {system_user()}")
        self.stdout.write("paused")
