"""A mail that came in, taken apart: who wrote it, to which ticket, the new text without what it quotes. Pure."""

from __future__ import annotations

import contextlib
import email.policy
import re
from collections.abc import Iterable
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import InvalidHeaderDefect
from email.message import EmailMessage
from hashlib import sha256
from html.parser import HTMLParser
from typing import Any

from mailparser_reply import EmailReplyParser

LANGUAGES = ["en", "de", "es", "fr", "it", "nl", "pl", "pt"]
MOST_BYTES = 30 * 2**20
MOST_LETTERS = 10_000
MOST_FILES = 10
MARK_ABOVE = re.compile(r"^[>\s]*-- Answer above this line", re.MULTILINE)
WHERE_TOKENS_STAND = ("To", "Cc", "Delivered-To", "X-Original-To", "In-Reply-To", "References")


@dataclass(frozen=True)
class File:
    name: str
    content: bytes


@dataclass(frozen=True)
class Letter:
    """`marks` is where the token of a ticket may stand; `automatic`: no person wrote it."""

    message_id: str
    sender: str
    marks: str
    text: str
    files: tuple[File, ...]
    automatic: bool
    left_out: int = 0


def read(raw: bytes) -> Letter:
    """Raises ValueError for what is no mail."""
    mail = message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    sender = _sender(mail)
    message_id = _header(mail, "Message-ID").strip() or f"<{sha256(raw).hexdigest()}@unnamed>"
    marks = " ".join(_header(mail, name) for name in WHERE_TOKENS_STAND)
    files = list(_files(mail))
    return Letter(
        message_id[:255], sender, marks, new_text(_body(mail)), tuple(files[:MOST_FILES]), _is_automatic(mail),
        max(0, len(files) - MOST_FILES),
    )  # fmt: skip


def _sender(mail: EmailMessage) -> str:
    """The one address it comes from. Of `tina@here <eve@there>` the mail server judges the second and a lenient reader
    the first: what is not exactly one clean address is refused, with ValueError."""
    with contextlib.suppress(IndexError, AttributeError):  # of the parser of addresses, for what nobody should send
        given = mail.get_all("From", [])
        if len(given) == 1 and len(given[0].addresses) == 1:
            address = given[0].addresses[0]
            if address.domain and not any(isinstance(defect, InvalidHeaderDefect) for defect in given[0].defects):
                return str(address.addr_spec).lower()
    raise ValueError("it has no sender that can be told")


def _header(mail: EmailMessage, name: str) -> str:
    """All headers of a name in one; what cannot be decoded is as good as none."""
    try:
        return " ".join(str(value) for value in mail.get_all(name, []))
    except (ValueError, IndexError, AttributeError):  # of the parser of addresses, for what nobody should send
        return ""


def _is_automatic(mail: EmailMessage) -> bool:
    """Notes that somebody is away, and mails that could not be delivered: answering them would go on for ever."""
    said = _header(mail, "Auto-Submitted").strip().lower()
    bulk = _header(mail, "Precedence").strip().lower() in ("bulk", "junk", "list", "auto_reply")
    return said not in ("", "no") or bulk or mail.get_content_type() == "multipart/report"


def _body(mail: EmailMessage) -> str:
    part = mail.get_body(preferencelist=("plain", "html"))
    if part is None:
        return ""
    try:
        text = str(part.get_content())
    except (LookupError, KeyError, ValueError):  # an encoding that nobody has
        payload: Any = part.get_payload(decode=True)
        text = bytes(payload or b"").decode("utf-8", "replace")
    return text if part.get_content_type() == "text/plain" else text_of_html(text)


def _files(mail: EmailMessage) -> Iterable[File]:
    for part in mail.iter_attachments():
        payload: Any = part.get_payload(decode=True)
        if payload:
            yield File(part.get_filename() or "attachment", bytes(payload))


def new_text(body: str) -> str:
    """What its writer wrote: without the mail it answers and without the signature."""
    body = body.replace("\r\n", "\n").replace("\0", "")
    if found := MARK_ABOVE.search(body):
        body = body[: found.start()]
    replies = EmailReplyParser(languages=LANGUAGES).read(body).replies
    text = str(replies[0].body if replies else "").strip()
    return text if len(text) <= MOST_LETTERS else text[: MOST_LETTERS - 1] + "…"


class _Text(HTMLParser):
    """The text of a page; a quoted mail and what is not shown are left out."""

    HIDDEN = ("style", "script", "head", "blockquote", "title")
    LINES = ("p", "div", "br", "li", "tr")

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.hidden += tag in self.HIDDEN
        if tag in self.LINES:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in self.HIDDEN and self.hidden > 0

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def text_of_html(page: str) -> str:
    parser = _Text()
    parser.feed(page)
    return re.sub(r"\n\s*\n\s*\n+", "\n\n", "".join(parser.parts))
