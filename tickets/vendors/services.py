"""Every write of cases with vendors. Each is one transaction with the ticket locked first, then the case."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.models import Credential, User
from core.outgoing.binding import Purpose, hosts_from
from inventory.models import Component, Installation, StoragePlace
from inventory.parts import life
from inventory.services import Refused
from provisioning.returns.models import ReturnedMachine
from tickets.models import PartSwap, Ticket
from tickets.services.changes import Change, changing
from tickets.services.news import announce_case
from tickets.vendors import bundles, letters, messages, queries
from tickets.vendors.models import TEXT_LIMIT, CaseChange, VendorCase, VendorContact
from tickets.vendors.states import (
    NEEDS_REASON,
    OPEN,
    OWED,
    Event,
    NotAllowed,
    State,
    Vendor,
    next_state,
    return_due,
)

DRAFTED = ("title", "symptom", "text", "part", "service_tag", "old_serial", "old_part_number", "warranty_until")
"""What is edited before a case is sent; afterwards it is what the vendor was told."""
FACTS = (
    "number", "dispatch", "carrier", "tracking", "return_tracking", "return_due", "return_owed", "new_serial",
    "new_part_number", "cost", "currency", "raw_status", "text",
)  # fmt: skip
"""What an event may bring along."""


class CaseRefused(Exception):
    """Nothing was changed; the text is a sentence for a person."""


class CaseRace(CaseRefused):
    """Somebody changed the case since the caller read it."""


@dataclass
class CaseEdit:
    """A locked case in the middle of a change, with its ticket's."""

    case: VendorCase
    on: Change
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def actor(self) -> str:
        return self.on.by.display_name() if self.on.by else self.on.room

    def note(self, text: str, event: str = "", **data: Any) -> None:
        """A line in the case's timeline; those that move it stand in the ticket's as well."""
        case = self.case
        CaseChange.objects.create(
            case=case, user=self.on.by, actor=self.actor[:150], event=event, state=case.state, text=text, data=data,
            at=timezone.now(),
        )  # fmt: skip
        if event:
            self.on.note(f"Case with {queries.vendor_word(case.vendor)}: {text}", case=case.pk)


@contextmanager
def editing(
    case_id: int, *, by: User | None = None, version: int | None = None, room: str = "vendor cases"
) -> Iterator[CaseEdit]:
    """Change one case. Raises VendorCase.DoesNotExist, CaseRace for another version than the one the caller saw."""
    number = VendorCase.objects.values_list("ticket__number", flat=True).get(pk=case_id)
    with transaction.atomic(), changing(number, by=by, room=room) as change:
        case = (
            VendorCase.objects.select_for_update(of=("self",))
            .select_related("component", "new_component")
            .get(pk=case_id)
        )
        if version is not None and version != case.version:
            raise CaseRace("The case changed meanwhile.")
        edit = CaseEdit(case, change)
        yield edit
        case.version += 1
        case.updated_at = timezone.now()
        case.save()
        announce_case(case, change.actor)


# ---- opening ----


def open_case(number: int, *, by: User, vendor: str = "", symptom: str = "") -> VendorCase:
    """A draft for the ticket's part, filled from what is known. Raises CaseRefused while another one is open."""
    with transaction.atomic(), changing(number, by=by, room="vendor cases") as change:
        ticket = change.ticket
        if VendorCase.objects.filter(ticket=ticket, state__in=OPEN).exists():
            raise CaseRefused(f"{ticket.key} has an open case: close it first.")
        case = VendorCase(
            site_id=ticket.site_id, ticket=ticket, machine_id=ticket.machine_id, opened_by=by.get_username(),
            part=ticket.part, vendor=vendor or _vendor(ticket), symptom=symptom or ticket.summary or ticket.title,
        )  # fmt: skip
        if ticket.device is not None:
            case.service_tag = ticket.device.service_tag or ticket.device.serial
            case.warranty_until = ticket.device.warranty_until
        _identify(case, ticket)
        case.vendor_return = _open_return(ticket)
        letter = letters.write(Vendor(case.vendor), queries.facts(case))
        case.title, case.text = letter.title, letter.text
        case.opened_at = case.updated_at = timezone.now()
        case.save()
        edit = CaseEdit(case, change)
        edit.note("opened as a draft", event="open")
        announce_case(case, change.actor)
        contact = queries.contact_of(case)
        if contact is not None and contact.bundle_by_rule:
            bundles.order(case, by="rule")
        return case


def _vendor(ticket: Ticket) -> str:
    """Who repairs it under warranty, as the inventory says, else who made it."""
    device = ticket.device
    if device is None:
        return Vendor.GENERIC.value
    told = letters.vendor_of(device.support_vendor) if device.support_vendor else Vendor.GENERIC
    return (told if told is not Vendor.GENERIC else letters.vendor_of(device.model.vendor)).value


def _identify(case: VendorCase, ticket: Ticket) -> None:
    """The failed part: the one that a technician took out for this ticket, else the one that sits there."""
    swap = PartSwap.objects.filter(ticket=ticket).exclude(old_component=None).select_related("old_component").first()
    part = swap.old_component if swap is not None else None
    if part is None and ticket.machine_id is not None:
        sits = Installation.objects.filter(device_id=ticket.machine_id, slot=ticket.part, during__endswith=None)
        part = next((row.component for row in sits.select_related("component")), None)
    if part is not None:
        case.component, case.old_part_number = part, part.part_number
        case.old_serial = (swap.old_serial if swap is not None else "") or part.serial


def _open_return(ticket: Ticket) -> Any:
    rows = ReturnedMachine.objects.filter(machine_id=ticket.machine_id, outcome="").select_related("vendor_return")
    row = rows.first() if ticket.machine_id is not None else None
    return row.vendor_return if row is not None else None


def link_return(machine_ids: list[int], return_id: int) -> int:
    """Open cases of these machines learn of the request they are on; returns how many."""
    rows = VendorCase.objects.filter(machine_id__in=machine_ids, state__in=OPEN, vendor_return=None)
    return rows.update(vendor_return_id=return_id, updated_at=timezone.now())


# ---- drafting ----


def edit(case_id: int, *, by: User, version: int | None = None, rewrite: bool = False, **fields: Any) -> VendorCase:
    """Change a draft; `rewrite`: title and text anew from the facts. Raises CaseRefused once it was sent."""
    with editing(case_id, by=by, version=version) as change:
        case = change.case
        if case.state not in (State.DRAFT, State.DENIED):
            raise CaseRefused(f"The vendor has it: a case that is {case.state} is not edited.")
        for name, value in fields.items():
            if name in DRAFTED:
                setattr(case, name, value)
        if rewrite:
            letter = letters.write(Vendor(case.vendor), queries.facts(case))
            case.title, case.text = letter.title, letter.text
        change.note("text written anew" if rewrite else f"changed {', '.join(sorted(fields)).replace('_', ' ')}")
        return case


# ---- events ----


def move(
    case_id: int,
    event: Event,
    *,
    by: User | None = None,
    reason: str = "",
    storage: int | None = None,
    version: int | None = None,
    room: str = "vendor cases",
    **facts: Any,
) -> VendorCase:
    """One step of the case. `storage`: where a part that arrives is laid.

    Raises CaseRefused for what its state does not allow, what lacks a reason, and for a letter that its vendor would
    send back; inventory.services.Refused for a part that cannot go where it should.
    """
    if event in NEEDS_REASON and not reason.strip():
        raise CaseRefused("Say why.")
    with editing(case_id, by=by, version=version, room=room) as change:
        case = change.case
        try:
            after = next_state(case.state, event, vendor=case.vendor, denials=case.denials)
        except NotAllowed as error:
            raise CaseRefused(str(error)) from error
        for name in FACTS:
            if name in facts:
                setattr(case, name, facts[name])
        _need_own_number(case)
        _BY_EVENT.get(event, _nothing)(change, storage)
        case.state = after.value
        if after is State.CLOSED:
            case.closed_at = timezone.now()
        change.note(_said(case, event, reason.strip()), event=event.value, reason=reason.strip(), **_plain(facts))
        return case


def _need_own_number(case: VendorCase) -> None:
    others = VendorCase.objects.filter(site_id=case.site_id, vendor=case.vendor, number=case.number)
    if case.number and others.exclude(pk=case.pk).exists():
        raise CaseRefused(f"Another case has the number {case.number}.")


def _nothing(change: CaseEdit, storage: int | None) -> None: ...


def _send(change: CaseEdit, storage: int | None) -> None:
    """Write down what is sent before it is; without an enabled channel a person has sent it."""
    case = change.case
    form = letters.FORMS[Vendor(case.vendor)]
    missing = letters.missing(Vendor(case.vendor), queries.facts(case))
    if missing:
        raise CaseRefused(f"{queries.vendor_word(case.vendor)} also wants: {'; '.join(missing)}.")
    if not case.text.strip():
        raise CaseRefused("The text is empty.")
    if len(case.text) > form.text or len(case.title) > form.title:
        raise CaseRefused(f"The title has at most {form.title} letters and the text {form.text}.")
    again = case.state == State.DENIED
    messages.order(case, "ask_again" if again else "open", by=change.on.actor)


def _ship(change: CaseEdit, storage: int | None) -> None:
    case = change.case
    contact = queries.contact_of(case)
    days = contact.return_days if contact is not None else VendorContact().return_days
    if case.return_owed and case.return_due is None:
        case.return_due = return_due(timezone.localdate(), days)


def _deny(change: CaseEdit, storage: int | None) -> None:
    change.case.denials += 1


def _arrive(change: CaseEdit, storage: int | None) -> None:
    """The new part is a part of the inventory from now on, on a shelf, for the swap to take it from there."""
    case = change.case
    old = case.component
    if not case.new_serial or old is None:
        return
    shelf = StoragePlace.objects.filter(pk=storage, site_id=case.site_id).first() if storage is not None else None
    if storage is not None and shelf is None:
        raise Refused("storage", "The site has no such storage place.")
    number = case.new_part_number or old.part_number
    part, made = Component.objects.select_for_update(of=("self",)).get_or_create(
        vendor=old.vendor, part_number=number, serial=case.new_serial,
        defaults={"site_id": case.site_id, "kind": old.kind, "storage": shelf},
    )  # fmt: skip
    if part.site_id != case.site_id:
        raise Refused("new_serial", f"{case.new_serial} is a part of another site.")
    if part.pk == old.pk:
        raise Refused("new_serial", f"{case.new_serial} is the failed part itself.")
    case.new_component, case.new_part_number = part, number
    if (
        not made
        and shelf is not None
        and not Installation.objects.filter(component=part, during__endswith=None).exists()
    ):
        life.store(part.pk, shelf.pk, by=change.on.actor, reason=f"arrived for {case.ticket.key}")


def _return(change: CaseEdit, storage: int | None) -> None:
    """The failed part leaves storage. Refused while it still sits in a machine."""
    part = change.case.component
    if part is not None and part.condition != Component.Condition.RMA:
        life.set_condition(part.pk, "rma", by=change.on.actor, reason=f"sent back for {change.case.ticket.key}")


def _close(change: CaseEdit, storage: int | None) -> None:
    """Closing ends what waits: nothing is sent for a case that is over."""
    if change.case.state in OWED:
        change.case.return_owed = False  # whoever closes it says why nothing goes back
    messages.withdraw(change.case)


_BY_EVENT = {
    Event.SEND: _send, Event.ASK_AGAIN: _send, Event.SHIP: _ship, Event.DENY: _deny, Event.ARRIVE: _arrive,
    Event.RETURN: _return, Event.CLOSE: _close,
}  # fmt: skip


def _said(case: VendorCase, event: Event, reason: str) -> str:
    """The line of the timeline."""
    part = case.new_part_number or case.old_part_number or "the part"
    words = {
        Event.SEND: "sent", Event.ASK_AGAIN: "asked again", Event.DENY: "denied", Event.CLOSE: "closed",
        Event.ACCEPT: f"accepted as {case.number}" if case.number else "accepted",
        Event.SHIP: f"{part} shipped" + (f" with {case.carrier} {case.tracking}".rstrip() if case.tracking else ""),
        Event.ARRIVE: f"{part} arrived" + (f", serial {case.new_serial}" if case.new_serial else ""),
        Event.RETURN: f"{case.old_serial or 'the failed part'} returned"
        + (f" with {case.return_tracking}" if case.return_tracking else ""),
    }[event]  # fmt: skip
    return f"{words}: {reason}" if reason else words


def _plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, bool) else str(value) for name, value in facts.items() if name in FACTS}


# ---- what vendors' systems say ----


def answered(case_id: int, event: Event | None, *, room: str, text: str = "", **facts: Any) -> bool:
    """What a vendor's system says of a case: an event where it means one, else only its own words and numbers.

    An event that the case has behind it changes nothing, for systems repeat themselves. Returns whether it moved.
    """
    case = VendorCase.objects.get(pk=case_id)
    told = {name: value for name, value in facts.items() if name in FACTS and value not in ("", None)}
    if event is not None:
        try:
            next_state(case.state, event, vendor=case.vendor, denials=case.denials)
        except NotAllowed:
            event = None
    if event is not None:
        move(case_id, event, room=room, reason=text or f"so says {room}", **told)
        return True
    if any(getattr(case, name) != value for name, value in told.items()):
        with editing(case_id, room=room) as change:
            for name, value in told.items():
                setattr(change.case, name, value)
            _need_own_number(change.case)
            change.note(text[:TEXT_LIMIT] or f"{room}: {told.get('raw_status') or ', '.join(sorted(told))}")
    return False


# ---- how a site reaches its vendors ----

SECRETS = {"credential": ("username", "secret"), "login": ("login_name", "login_secret")}


@transaction.atomic
def save_contact(contact: VendorContact, fields: Mapping[str, Any]) -> VendorContact:
    """Secrets are kept encrypted, bound to the host of the address; one that is kept goes to no other host, and is
    forgotten when no address is of that host any more.

    Raises ValueError for a host that is none.
    """
    if contact.pk is not None:
        contact = VendorContact.objects.select_for_update(of=("self",)).get(pk=contact.pk)
    plain = {name: value for name, value in fields.items() if name not in sum(SECRETS.values(), ())}
    for name, value in plain.items():
        setattr(contact, name, value)
    enabled, contact.enabled = contact.enabled, False  # until its secrets are there, for the database looks
    contact.save()
    hosts, forgotten = queries.hosts_of(contact), []
    for column, (name, secret) in SECRETS.items():
        kept = getattr(contact, column)
        if fields.get(secret):
            username = str(fields.get(name) or (kept.username if kept else ""))
            setattr(contact, column, _keep(contact, column, username, str(fields[secret]), hosts))
        elif kept is not None and kept.hosts != hosts_from(hosts):
            setattr(contact, column, None)
            forgotten.append(kept)
    contact.enabled = enabled
    contact.save()
    for row in forgotten:
        row.delete()
    return contact


def _keep(contact: VendorContact, column: str, username: str, secret: str, hosts: list[str]) -> Credential:
    name = f"{Purpose.VENDOR.value} {contact.pk} {column}"
    row = Credential.objects.select_for_update().filter(name=name).first() or Credential(name=name)
    row.kind, row.username, row.site_id = Credential.Kind.PASSWORD, username, contact.site_id
    row.purpose, row.hosts = Purpose.VENDOR.value, hosts_from(hosts)
    row.set_secret(secret)
    row.save()
    return row


@transaction.atomic
def remove_contact(contact: VendorContact) -> None:
    """It is gone, with its secrets."""
    kept = [row for row in (contact.credential, contact.login) if row is not None]
    contact.delete()
    for row in kept:
        row.delete()
