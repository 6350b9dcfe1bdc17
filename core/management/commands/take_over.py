"""`manage.py take_over REASON`: let a restored or copied instance act on the hall."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.audit.actor import system_user
from core.instance import state


class Command(BaseCommand):
    help = "Let a paused instance act. Be sure that the original does not run any more."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("reason", help="Why, for the history; such as: the old server is gone.")

    def handle(self, *args: Any, reason: str, **options: Any) -> None:
        if not reason.strip():
            raise CommandError("Say why.")
        try:
            row = state.take_over(reason, actor=f"command:take_over by {system_user()}")
        except state.NotPaused:
            raise CommandError("This instance is not paused.") from None
        self.stdout.write(f"taken over: identity {row.identity}")
