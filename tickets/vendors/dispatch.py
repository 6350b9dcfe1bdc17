"""Sends what is written down: by mail, by a signed POST, to Dell TechDirect. Durable, and safe to do twice.

A worker that died may have sent: a second mail carries the same Message-ID, a second POST the same `webhook-id`, and
before a dispatch is made a second time TechDirect is asked for one that has our reference.
"""

from __future__ import annotations

import asyncio
import json
from email.utils import formatdate
from smtplib import SMTPException
from typing import Any

import structlog
from django.core.mail import EmailMessage
from django.db.models import Q
from django.utils import timezone

from access.logins import opened
from core.outgoing.binding import Purpose, Refused
from core.webhooks.delivery import Letter, Outcome, new_session, send
from core.work.kinds import Lease, Work
from core.work.rules import Backoff
from drivers.https import ApplianceError
from drivers.ticket_systems.techdirect import Dispatch, NotDispatched, Part, Stand, TechDirect, meaning
from health.machines.services import kill_switch
from tickets.vendors import bundles, messages, queries, services
from tickets.vendors.models import CaseMessage, VendorContact
from tickets.vendors.states import Event, State

log = structlog.get_logger(__name__)

MAIL_BYTES = 20 << 20
"""A bundle above this is not attached: most mail servers refuse it."""
ATTACHED_BYTES = 8 << 20
STATUS_EVERY_S = 15 * 60.0
STOPPED_S = 60.0
HTTP_S = 20.0
TECHDIRECT_S = 45.0
Kind = CaseMessage.Kind


class NotSent(Exception):
    """Trying again changes nothing; the text says why."""


class TryLater(Exception):
    """It may go later."""


def _give_up(row: CaseMessage, reason: str, **more: Any) -> bool:
    ours = WORK.finish(row, status=CaseMessage.Status.FAILED, error=reason[:300], **more)
    if ours and row.kind != Kind.STATUS:
        with services.editing(row.case_id) as change:
            change.note(f"not sent over {row.channel}: {reason[:300]}. Send it by hand.")
    return ours


WORK = Work(
    name="message to a vendor",
    model=CaseMessage,
    open=Q(status="waiting"),
    hold=Lease(120),
    due="due_at",
    attempts="attempts",
    most=8,
    retry=Backoff(30, 3600, factor=3, jitter=0.2),
    reason="error",
    taken=lambda row, now: {"began_at": row.began_at or now},
    give_up=_give_up,
    task=messages.TASK,
    every_s=30,
)


def send_message(message_id: int) -> str:
    """One try. Returns what came of it."""
    before = CaseMessage.objects.filter(pk=message_id).values_list("began_at", flat=True).first()
    row = WORK.take(message_id, CaseMessage.objects.select_related("case__ticket"))
    if row is None:
        return "busy"
    if row.kind == Kind.STATUS and row.case.state == State.CLOSED:
        WORK.finish(row, status=CaseMessage.Status.SENT, error="")
        return "over"
    contact = queries.contact_of(row.case)
    if contact is None or not contact.enabled or contact.channel != row.channel:
        return _ended(row, NotSent(f"{row.channel} is switched off for this vendor"))
    stopped = kill_switch.why_stopped(row.case.site_id, by_person=row.kind != Kind.STATUS)
    if stopped:
        WORK.put_back(row, stopped, after_s=STOPPED_S, uncounted=True)
        return "stopped"
    try:
        answer = _CHANNELS[VendorContact.Channel(row.channel)](row, contact, again=before is not None)
    except (NotSent, TryLater) as error:
        return _ended(row, error)
    try:
        return _sent(row, answer)
    except services.CaseRefused as error:
        return _ended(row, NotSent(str(error)))


def _ended(row: CaseMessage, error: Exception) -> str:
    if row.kind == Kind.STATUS:  # to ask how far it is goes on until the case is over, whatever is in the way now
        WORK.put_back(row, str(error), after_s=STATUS_EVERY_S, uncounted=True)
    elif isinstance(error, NotSent):
        _give_up(row, str(error))
        return "failed"
    else:
        WORK.fail(row, str(error))
    return "later"


def _sent(row: CaseMessage, answer: dict[str, Any]) -> str:
    """It is out. What was answered is applied first: a worker that dies between the two asks again and learns it."""
    stand = answer.pop("stand", None)
    if stand is not None:
        _apply(row, stand)
    if row.kind == Kind.STATUS:
        WORK.put_back(row, "", after_s=STATUS_EVERY_S, uncounted=True, answer=answer)
        return "asked"
    ours = WORK.finish(row, status=CaseMessage.Status.SENT, sent_at=timezone.now(), error="", answer=answer)
    if ours:
        with services.editing(row.case_id) as change:
            change.note(f"sent over {row.channel}", message=row.pk)
            if stand is not None and row.channel == VendorContact.Channel.TECHDIRECT:
                messages.watch(change.case)
    return "sent"


# ---- mail ----


def by_mail(row: CaseMessage, contact: VendorContact, *, again: bool) -> dict[str, Any]:
    told = row.content
    mail = EmailMessage(
        subject=f"{told['title']} [{told['reference']}]",
        body=told["text"],
        to=[contact.mail_to],
        reply_to=[contact.mail] if contact.mail else None,
        headers={"Message-ID": f"<{row.message}@rackside>", "Date": formatdate(row.created_at.timestamp())},
    )
    name, content, why = _bundle(told["bundle"], MAIL_BYTES)
    if content:
        mail.attach(name, content, "application/zip")
    elif why:
        mail.body += f"\n\n{why}"
    try:
        if not mail.send():
            raise TryLater("the mail was not sent: this instance is paused")
    except (SMTPException, OSError) as error:
        raise TryLater(f"the mail server: {str(error) or type(error).__name__}"[:300]) from error
    return {"attached": bool(content)}


def _bundle(bundle_id: int | None, most: int) -> tuple[str, bytes, str]:
    """Name and bytes of the zip; or nothing, and a sentence where it is too large."""
    row = bundles.CaseBundle.objects.filter(pk=bundle_id, status="done").first() if bundle_id is not None else None
    if row is None:
        return "", b"", ""
    with bundles.packed(row) as packed:
        content = packed.read(most + 1)
    if len(content) > most:
        return "", b"", f"The bundle is larger than {most >> 20} MiB and is sent on request."
    return f"case-{row.case_id}-bundle.zip", content, ""


# ---- signed HTTP ----


def by_http(row: CaseMessage, contact: VendorContact, *, again: bool) -> dict[str, Any]:
    """Standard Webhooks: the receiver knows the sender by the signature, and a second try by the same `webhook-id`."""
    assert contact.credential is not None
    try:
        login = opened(contact.credential, Purpose.VENDOR, site=contact.site_id).at(contact.url)
    except Refused as error:
        raise NotSent(str(error)) from error
    shown = _manifest(row.content["bundle"])
    body = json.dumps({"kind": row.kind, **row.content, "bundle": shown}, separators=(",", ":")).encode()
    letter = Letter(row.pk, contact.pk, contact.url, str(row.message), body, (login.secret,), HTTP_S, row.attempts)

    async def posted() -> Outcome:
        async with new_session(login.gate) as session:
            return await send(session, letter)

    outcome = asyncio.run(posted())
    if outcome.ok:
        return {"status": outcome.status, "stand": _told(outcome.excerpt)}
    final = outcome.status is not None and 400 <= outcome.status < 500 and outcome.status not in (408, 409, 425, 429)
    raise (NotSent if final else TryLater)(outcome.error)


def _manifest(bundle_id: int | None) -> dict[str, Any] | None:
    row = bundles.CaseBundle.objects.filter(pk=bundle_id).first() if bundle_id is not None else None
    return row.manifest if row is not None else None


def _told(text: str) -> Stand | None:
    """A receiver that answers `{"number": ".."}` has given the case its number."""
    try:
        number = json.loads(text).get("number")
    except (ValueError, AttributeError, RecursionError):
        return None
    return Stand(number[:60], "received") if isinstance(number, str) and number.strip() else None


# ---- Dell TechDirect ----


def by_techdirect(row: CaseMessage, contact: VendorContact, *, again: bool) -> dict[str, Any]:
    try:
        client = techdirect(contact)
    except Refused as error:
        raise NotSent(str(error)) from error

    asked_for = _dispatch(row, contact) if row.kind == Kind.OPEN else None

    async def asked() -> Stand:
        async with asyncio.timeout(TECHDIRECT_S), client:
            return await _techdirect(client, row, asked_for, again=again)

    try:
        stand = asyncio.run(asked())
    except NotDispatched as error:
        raise NotSent(str(error)) from error
    except (ApplianceError, TimeoutError) as error:
        raise TryLater(str(error) or f"no answer within {TECHDIRECT_S:g} s") from error
    return {"code": stand.code, "status": stand.status, "dps": stand.dps, "stand": stand}


def techdirect(contact: VendorContact) -> TechDirect:
    """Raises Refused for credentials that may not go there."""
    assert contact.credential is not None
    assert contact.login is not None
    client = opened(contact.credential, Purpose.VENDOR, site=contact.site_id)
    login = opened(contact.login, Purpose.VENDOR, site=contact.site_id).at(contact.url)
    ours = client.at(contact.token_url)
    return TechDirect(
        contact.url, contact.token_url, (ours.username, ours.secret), (login.username, login.secret), gate=login.gate
    )  # fmt: skip


def _dispatch(row: CaseMessage, contact: VendorContact) -> Dispatch:
    told, account = row.content, contact.account
    name, content, _ = _bundle(told["bundle"], ATTACHED_BYTES)
    return Dispatch(
        service_tag=told["service_tag"],
        note=told["text"],
        parts=[Part(told["part_number"], told["serial"])],
        account={key: value for key, value in account.items() if isinstance(value, str)},
        contact=(told["contact"]["name"], told["contact"]["phone"], told["contact"]["mail"]),
        address={key: str(value) for key, value in (account.get("ship_to") or {}).items()},
        reference=f"{told['reference']}-{told['case']}",  # a ticket may have a second case
        attachments=[(name, "application/zip", content)] if content else (),
    )


async def _techdirect(client: TechDirect, row: CaseMessage, asked: Dispatch | None, *, again: bool) -> Stand:
    """A first try that may have arrived is looked for by our reference before a dispatch is made a second time."""
    told = row.content
    if row.kind == Kind.STATUS:
        return await client.status(row.case.number)
    if asked is None:
        return await client.resubmit(told["number"], told["text"], [Part(told["part_number"], told["serial"])])
    if again and (found := await client.find(asked.service_tag, asked.reference)) is not None:
        return found
    return await client.create(asked)


def _apply(row: CaseMessage, stand: Stand) -> None:
    """What TechDirect, or a receiver, says of a dispatch."""
    event = {"accepted": Event.ACCEPT, "shipped": Event.SHIP, "denied": Event.DENY, "": None}[meaning(stand)]
    services.answered(
        row.case_id, event, room="TechDirect" if row.channel == "techdirect" else "the vendor", text=stand.reason,
        number=stand.code, dispatch=stand.dps, raw_status=stand.status[:100], carrier=stand.carrier[:40],
        tracking=stand.tracking[:80],
    )  # fmt: skip


_CHANNELS = {
    VendorContact.Channel.MAIL: by_mail,
    VendorContact.Channel.HTTP: by_http,
    VendorContact.Channel.TECHDIRECT: by_techdirect,
}
