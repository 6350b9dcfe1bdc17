"""Answers that wait in a mailbox: read by IMAP, each taken in as `replies` says, then marked as seen.

What could not be taken in for a reason of ours is flagged and left for a person, so that it is not tried every minute;
where the database or the mail server is away, the mail stays as it is for the next round.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import unquote, urlsplit

import structlog
from django.conf import settings
from django.core.cache import cache
from django.utils import timezone
from imapclient import FLAGGED, SEEN, IMAPClient
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from core.work.alone import NOT_OF_ONE
from tickets.messages.mail import letters, replies

log = structlog.get_logger(__name__)

PORTS = {"imaps": 993, "imap+tls": 143, "imap": 143}
"""By scheme: TLS from the start, STARTTLS, and neither."""
TIMEOUT_S = 15
TOTAL_S = 40.0
"""Seconds of one round; what is left waits for the next."""
MOST = 200
"""Mails of one round."""
STATE = "tickets.mailbox"


class NoMailbox(ValueError):
    """The address of the settings is none of a mailbox."""


@dataclass(frozen=True)
class Mailbox:
    """A folder of an account at a mail server."""

    scheme: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"

    @classmethod
    def of(cls, url: str) -> Mailbox:
        """Of `imaps://user:password@host:993/INBOX`, its parts percent-encoded. Raises NoMailbox."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise NoMailbox("its host or port cannot be read") from None
        if parts.scheme not in PORTS:
            raise NoMailbox(f"it begins with none of {', '.join(f'{scheme}://' for scheme in PORTS)}")
        if not (parts.hostname and parts.username and parts.password):
            raise NoMailbox("it needs a user, a password and a host")
        folder = unquote(parts.path.strip("/")) or "INBOX"
        user, password = unquote(parts.username), unquote(parts.password)
        if not (user + password).isascii():  # imaplib would say so with the password in its words
            raise NoMailbox("IMAP takes user and password in ASCII letters only")
        return cls(parts.scheme, parts.hostname, port or PORTS[parts.scheme], user, password, folder)


@dataclass(frozen=True)
class Standing:
    """How the last round went. `message` says why it failed; `read_at` is when the last good one was."""

    tried_at: datetime | None = None
    read_at: datetime | None = None
    message: str = ""
    host: str = ""


def standing() -> Standing:
    """How the mailbox of the settings stands; without a host where none is set."""
    if not settings.MAIL_IMAP_URL:
        return Standing()
    known = cache.get(STATE)
    return replace(known if isinstance(known, Standing) else Standing(), host=_host())


def fetch() -> int:
    """Take in what is new in the mailbox of the settings; returns how many mails that were."""
    if not settings.MAIL_IMAP_URL:
        return 0
    taken, message = 0, ""
    try:
        taken = _read(Mailbox.of(settings.MAIL_IMAP_URL))
    except NoMailbox as error:
        message = f"RACKSIDE_MAIL_IMAP_URL is no address of a mailbox: {error}."
    except (IMAPClientError, OSError) as error:
        message = f"The mailbox could not be read: {str(error)[:200] or type(error).__name__}"
    now = timezone.now()
    read_at = standing().read_at if message else now
    cache.set(STATE, Standing(now, read_at, message), None)
    if message:
        log.warning("mailbox_not_read", reason=message)
    return taken


def _host() -> str:
    try:
        return Mailbox.of(settings.MAIL_IMAP_URL).host
    except NoMailbox:
        return ""


def _read(box: Mailbox) -> int:
    """Raises IMAPClientError and OSError."""
    ends = time.monotonic() + TOTAL_S
    taken = 0
    with IMAPClient(box.host, box.port, ssl=box.scheme == "imaps", timeout=TIMEOUT_S) as server:
        if box.scheme == "imap+tls":
            server.starttls()
        server.login(box.user, box.password)
        server.select_folder(box.folder)
        new = sorted(server.search(["UNSEEN", "UNFLAGGED"]))[:MOST]  # a server limits how long a line may be
        sizes = server.fetch(new, ["RFC822.SIZE"]) if new else {}
        for number in new:
            if time.monotonic() > ends:
                break
            taken += _take(server, number, int(sizes.get(number, {}).get(b"RFC822.SIZE", 0)))
    return taken


def _take(server: IMAPClient, number: int, size: int) -> bool:
    """One mail; whether it was taken in. It is marked only afterwards: a worker that dies here loses none."""
    if size > letters.MOST_BYTES:
        return _set_aside(server, number, f"it has {size >> 20} MB")
    try:
        raw = server.fetch([number], ["BODY.PEEK[]"]).get(number, {}).get(b"BODY[]")
    except IMAPClientAbortError:  # the connection is gone, not the mail
        raise
    except IMAPClientError as error:
        return _set_aside(server, number, str(error))
    if raw is None:  # somebody else took it away meanwhile
        return False
    try:
        replies.receive(raw)
    except NOT_OF_ONE:
        raise
    except ValueError as error:
        return _set_aside(server, number, str(error))
    except Exception as error:
        log.exception("mail_not_taken_in")
        return _set_aside(server, number, type(error).__name__)
    server.add_flags([number], [SEEN])
    return True


def _set_aside(server: IMAPClient, number: int, reason: str) -> bool:
    log.warning("mail_set_aside", uid=number, reason=reason)
    server.add_flags([number], [FLAGGED])
    return False
