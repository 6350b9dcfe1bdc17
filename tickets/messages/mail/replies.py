"""Answers by mail: one from somebody with an account, to a mail about a ticket they may work on, is their comment.

Both must hold: the token of the ticket, which only those have who got a mail about it, and the sender's address. Each
mail counts once, by its Message-ID.
"""

from __future__ import annotations

import io

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.files import subjects
from core.models import User
from inventory.attachments import Upload, UploadsRefused, attach
from tickets.desk.people import may_work_on
from tickets.messages.mail import letters, tokens
from tickets.messages.models import InboundMail
from tickets.models.tickets import Ticket
from tickets.services.work import comment

BY_MAIL = "(by mail)"


def receive(raw: bytes) -> InboundMail:
    """Take one mail in: a comment with its attachments, or a row that says why not. Raises ValueError for no mail."""
    letter = letters.read(raw)
    try:
        with transaction.atomic():
            known = InboundMail.objects.filter(message_id=letter.message_id).first()
            return known or _take_in(letter)
    except IntegrityError:  # the same mail at the same moment
        return InboundMail.objects.get(message_id=letter.message_id)


def _take_in(letter: letters.Letter) -> InboundMail:
    row = InboundMail(message_id=letter.message_id, sender=letter.sender, status=InboundMail.Status.REFUSED)
    ticket, user, row.reason = _who_and_where(letter)
    row.ticket, row.at = ticket, timezone.now()
    row.save()
    if ticket is None or user is None:
        return row
    left_out = _attach(ticket, letter, user)
    text = letter.text or f"{len(letter.files)} attachments"
    comment(ticket.number, by=user, text="\n\n".join([text, *left_out, BY_MAIL]))
    row.status = InboundMail.Status.COMMENT
    row.save(update_fields=["status"])
    return row


def _who_and_where(letter: letters.Letter) -> tuple[Ticket | None, User | None, str]:
    """The ticket and the writer, or the reason against it."""
    number = tokens.number_in(letter.marks)
    ticket = Ticket.objects.filter(number=number).first() if number is not None else None
    if letter.automatic:
        return None, None, "It was sent by a program, not by a person."
    if ticket is None:
        return None, None, "It answers no mail about a ticket."
    writers = list(User.objects.filter(email__iexact=letter.sender, is_active=True)[:2])
    if len(writers) != 1:
        return None, None, "No account has this address." if not writers else "Several accounts have this address."
    if not may_work_on(writers[0], ticket):
        return None, None, "The account of this address may not comment on the ticket."
    if not letter.text and not letter.files:
        return None, None, "It says nothing that is new."
    return ticket, writers[0], ""


def _attach(ticket: Ticket, letter: letters.Letter, user: User) -> list[str]:
    """Attach the files that may be; returns a line for each that was left out."""
    lines = [f"{letter.left_out} more attachments were left out."] if letter.left_out else []
    for file in letter.files:
        try:
            with transaction.atomic():
                upload = Upload(io.BytesIO(file.content), file.name)
                attach(subjects()["ticket"], ticket, [upload], by=user.get_username())
        except UploadsRefused as refused:
            lines.append(f"{file.name[:120]} was left out: {refused.refused[1]}")
    return lines
