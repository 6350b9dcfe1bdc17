"""The token by which an answer to a mail finds its ticket: its number and a part of an HMAC nobody else can make."""

from __future__ import annotations

import re

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

REPLY_ABOVE = "-- Answer above this line to comment on the ticket --"
_TOKEN = re.compile(r"rep-(\d{1,18})-([0-9a-f]{16})")


def _mark(number: int) -> str:
    return salted_hmac("tickets.messages.reply", str(number), algorithm="sha256").hexdigest()[:16]


def token_of(number: int) -> str:
    """Such as `rep-2041-1f2e3d4c5b6a7988`."""
    return f"rep-{number}-{_mark(number)}"


def number_in(text: str) -> int | None:
    """The number of the ticket whose token stands in a text; None without one that is right."""
    for number, mark in _TOKEN.findall(text.lower()):
        if constant_time_compare(mark, _mark(int(number))):
            return int(number)
    return None


def mail_domain() -> str:
    return str(settings.DEFAULT_FROM_EMAIL).rpartition("@")[2].strip("> ") or "localhost"


def reply_address(number: int) -> str:
    """`desk+rep-2041-…@example.org` where answers come in, by the setting MAIL_REPLY_TO; empty where none do."""
    name, _, domain = str(settings.MAIL_REPLY_TO).rpartition("@")
    return f"{name}+{token_of(number)}@{domain}" if name else ""
