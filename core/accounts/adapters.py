"""How people sign in: accounts are made by an administrator or by single sign-on, never by self sign-up."""

from __future__ import annotations

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from core.models import User


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return False

    def clean_password(self, password: str, user: User | None = None) -> str:
        if user is not None and getattr(user, "must_change_password", False) and user.check_password(password):
            raise ValidationError("Choose another password than the one-time password.")
        return str(super().clean_password(password, user))

    def set_password(self, user: User, password: str) -> None:
        user.must_change_password = False
        super().set_password(user, password)


class SocialAccountAdapter(DefaultSocialAccountAdapter):
    """Single sign-on may create the account; it has no role until an administrator grants one."""

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return True
