"""`manage.py token USER`: make an API token and print it; it is stored as a hash only."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.models import Role, User
from core.services import make_token


class Command(BaseCommand):
    help = "Make an API token for a user; prints it once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--name", default="", help="What the token is for.")
        parser.add_argument("--role", choices=Role.values, default=Role.ADMIN, help="Upper limit of its rights.")

    def handle(self, *args: Any, username: str, name: str, role: str, **options: Any) -> None:
        user = User.objects.filter(username=username, is_active=True).first()
        if user is None:
            raise CommandError(f"There is no active user {username}.")
        _, plain = make_token(user, name=name, role=role)
        self.stdout.write(plain)
