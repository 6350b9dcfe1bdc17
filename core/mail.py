"""Outgoing mail: sent as the settings say, unless the instance is paused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import structlog
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from core.instance import state

log = structlog.get_logger(__name__)


class UnlessPaused(BaseEmailBackend):
    """A restored copy writes to nobody: people would get the mail of two instances."""

    def __init__(self, **options: Any) -> None:
        super().__init__(fail_silently=bool(options.get("fail_silently")))
        self.options = options

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        if state.is_paused():
            log.warning("mail_not_sent_while_paused", messages=len(email_messages))
            return 0
        return int(get_connection(settings.EMAIL_SENT_BY, **self.options).send_messages(email_messages) or 0)
