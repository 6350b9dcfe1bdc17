"""`manage.py create_admin`: the first administrator of an installation, with a one-time password."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from core.models import Role, User
from core.services import ensure_user


class Command(BaseCommand):
    help = "Create an administrator; prints JSON {login, password}. The password must be changed at first sign-in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--username", default="admin")
        parser.add_argument("--one-time", action="store_true", help="Do nothing when any administrator exists.")

    def handle(self, *args: Any, username: str, one_time: bool, **options: Any) -> None:
        if one_time and User.objects.filter(is_superuser=True, is_active=True).exists():
            self.stdout.write(json.dumps({"login": None, "password": None}))
            return
        user, password = ensure_user(username, role=Role.ADMIN)
        if password is not None:
            User.objects.filter(pk=user.pk).update(must_change_password=True)
        self.stdout.write(json.dumps({"login": username, "password": password}))
