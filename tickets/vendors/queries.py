"""Reads of cases: lists, one in full, what a letter needs, what is overdue, what is to be ordered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from inventory.parts.queries import spares
from tickets.models import Evidence, PartSwap, Step, TicketChange
from tickets.vendors import letters, reorder
from tickets.vendors.models import CaseBundle, VendorCase, VendorContact
from tickets.vendors.states import OWED, State, Vendor, allowed, days_overdue

FAILURES_OVER = timedelta(days=180)
EVIDENCE_LINES = 12
WORDS = {Vendor.HPE: "HPE", Vendor.NVIDIA: "NVIDIA", Vendor.GENERIC: "the vendor"}


def vendor_word(vendor: str) -> str:
    known = Vendor(vendor)
    return WORDS.get(known, known.value.title())


def cases() -> QuerySet[VendorCase]:
    return VendorCase.objects.select_related("ticket", "machine__device", "vendor_return").order_by("-pk")


def overdue(rows: QuerySet[VendorCase]) -> QuerySet[VendorCase]:
    """The failed part should be back with the vendor, and is not. The longest overdue first."""
    late = rows.filter(state__in=OWED, return_owed=True, return_due__lt=timezone.localdate())
    return late.order_by("return_due", "pk")


def contact_of(case: VendorCase) -> VendorContact | None:
    rows = VendorContact.objects.select_related("credential", "login")
    return rows.filter(site_id=case.site_id, vendor=case.vendor).first()


def hosts_of(contact: VendorContact) -> list[str]:
    hosts = (urlsplit(url).hostname or "" for url in (contact.url, contact.token_url))
    return list(dict.fromkeys(host for host in hosts if host))


# ---- one case ----


def facts(case: VendorCase) -> letters.Facts:
    """What the letter of a case is written from. Four queries."""
    ticket, contact = case.ticket, contact_of(case)
    evidence = Evidence.objects.filter(ticket=ticket).exclude(verdict="ok").order_by("-id")
    steps = Step.objects.filter(ticket=ticket).exclude(done_at=None).order_by("number")
    model = ticket.device.model.name if ticket.device is not None else ""
    return letters.Facts(
        key=ticket.key,
        service_tag=case.service_tag,
        product_number=str((ticket.device.custom or {}).get("product_number", "")) if ticket.device is not None else "",
        model=model,
        part=case.part,
        part_number=case.old_part_number,
        serial=case.old_serial,
        symptom=case.symptom,
        contact=contact.called_back if contact is not None else "",
        firmware={},
        evidence=[f"{row.at:%Y-%m-%d %H:%M} UTC {row.message}" for row in evidence[:EVIDENCE_LINES]],
        tried=list(steps.values_list("title", flat=True)),
    )


def detail(case: VendorCase, *, technician: bool, operator: bool) -> dict[str, Any]:
    """One case in full. A fixed number of queries."""
    vendor = Vendor(case.vendor)
    form, contact = letters.FORMS[vendor], contact_of(case)
    told = letters.write(vendor, facts(case))
    events = allowed(case.state, vendor=case.vendor, denials=case.denials)
    hands = {"arrive", "return"}
    may = [event for event in events if operator or (technician and event in hands)]
    bundles = [bundle_row(row) for row in case.bundles.order_by("-pk")[:5]]
    return item(case) | {
        "symptom": case.symptom,
        "text": case.text,
        "dispatch": case.dispatch,
        "raw_status": case.raw_status,
        "new_part_number": case.new_part_number,
        "component": case.component_id,
        "new_component": case.new_component_id,
        "return_owed": case.return_owed,
        "denials": case.denials,
        "opened_by": case.opened_by,
        "form": {"title": form.title, "text": form.text, "collection": form.collection},
        "missing": list(told.missing),
        "channel": contact.channel if contact is not None else "hand",
        "sends": bool(contact and contact.enabled),
        "may": may,
        "may_edit": technician and case.state in (State.DRAFT, State.DENIED),
        "changes": list(case.changes.values("id", "at", "actor", "event", "state", "text")),
        "bundles": bundles,
        "messages": list(case.messages.values("id", "kind", "channel", "status", "error", "created_at", "sent_at")),
    }


def item(case: VendorCase) -> dict[str, Any]:
    """One case in a list; its relations are there already."""
    machine = case.machine
    return {
        "id": case.pk,
        "site": case.site_id,
        "ticket": case.ticket.key,
        "machine": {"id": machine.pk, "name": machine.device.name} if machine is not None else None,
        "vendor": case.vendor,
        "state": case.state,
        "number": case.number,
        "title": case.title,
        "part": case.part,
        "service_tag": case.service_tag,
        "old_serial": case.old_serial,
        "old_part_number": case.old_part_number,
        "new_serial": case.new_serial,
        "carrier": case.carrier,
        "tracking": case.tracking,
        "return_tracking": case.return_tracking,
        "warranty_until": case.warranty_until,
        "cost": case.cost,
        "currency": case.currency,
        "return_due": case.return_due,
        "days_overdue": days_overdue(case.state, case.return_due, timezone.localdate(), owed=case.return_owed),
        "vendor_return": case.vendor_return_id,
        "version": case.version,
        "opened_at": case.opened_at,
        "updated_at": case.updated_at,
        "closed_at": case.closed_at,
    }


def bundle_row(row: CaseBundle) -> dict[str, Any]:
    manifest = row.manifest
    return {
        "id": row.pk,
        "status": row.status,
        "progress": row.progress,
        "message": row.message,
        "created_at": row.created_at,
        "created_by": row.created_by,
        "finished_at": row.finished_at,
        "size": manifest.get("size", 0),
        "files": [{"name": each["name"], "size": each["size"]} for each in manifest.get("files", [])],
        "missing": [{"name": each["name"], "reason": each["reason"]} for each in manifest.get("missing", [])],
    }


# ---- what to order ----

Key = tuple[int, str, str]  # site, vendor, part number


def stock_advice(visible: list[int] | None, *, site: int | None = None) -> list[dict[str, Any]]:
    """For each part number of a site that lies there, has a minimum or failed: what is there, what is coming, how many
    failed, what to order. Five queries."""
    rows = spares(visible, site=site)
    names = {row["site"]: row["site_name"] for row in rows}
    have: Counter[Key] = Counter()
    least: Counter[Key] = Counter()
    kinds: dict[Key, str] = {}
    for row in rows:
        key = (row["site"], row["vendor"], row["part_number"])
        have[key] += row["have"]
        least[key] += row["minimum"]
        kinds[key] = row["kind"]
    failed = _failures(visible, site, kinds)
    coming = _coming(visible, site)
    lead = _lead_days(visible, site)
    days = FAILURES_OVER / timedelta(days=1)
    found = []
    for key in sorted(kinds, key=lambda each: (each[0], kinds[each], each[1], each[2])):
        pk, vendor, number = key
        lead_days = lead.get((pk, letters.vendor_of(vendor).value), VendorContact().lead_days)
        advice = reorder.advise(
            failures=failed[key], days=days, lead_days=lead_days, have=have[key], coming=coming[key], minimum=least[key]
        )
        found.append(
            {
                "site": pk, "site_name": names.get(pk, ""), "kind": kinds[key], "vendor": vendor, "part_number": number,
                "have": have[key], "coming": coming[key], "minimum": least[key], "failures": failed[key],
                "days": int(days), "lead_days": lead_days, "wanted": advice.wanted, "order": advice.order,
                "why": advice.why,
            }
        )  # fmt: skip
    return found


def _of_sites(rows: QuerySet, path: str, visible: list[int] | None, site: int | None) -> QuerySet:
    rows = rows if visible is None else rows.filter(**{f"{path}__in": visible})
    return rows if site is None else rows.filter(**{path: site})


def _failures(visible: list[int] | None, site: int | None, kinds: dict[Key, str]) -> Counter[Key]:
    """Parts taken out for a ticket, and counted parts taken for one, by site and part number."""
    since = timezone.now() - FAILURES_OVER
    swaps = PartSwap.objects.filter(at__gte=since).exclude(old_component=None).exclude(old_component__part_number="")
    columns = ("ticket__site_id", "old_component__vendor", "old_component__part_number", "old_component__kind")
    found: Counter[Key] = Counter()
    for *key, kind, count in (
        _of_sites(swaps, "ticket__site_id", visible, site).values_list(*columns).annotate(Count("pk")).order_by()
    ):
        known: Key = (key[0], key[1], key[2])
        found[known] += count
        kinds.setdefault(known, kind)
    by_number = {(pk, number): (pk, vendor, number) for pk, vendor, number in kinds}
    taken = TicketChange.objects.filter(at__gte=since, data__has_keys=["stock", "part_number", "quantity"])
    for pk, data in _of_sites(taken, "ticket__site_id", visible, site).values_list("ticket__site_id", "data"):
        key = by_number.get((pk, data["part_number"]))
        if key is not None:
            found[key] += int(data["quantity"])
    return found


def _coming(visible: list[int] | None, site: int | None) -> Counter[Key]:
    """Parts that a vendor has shipped and that did not arrive."""
    rows = VendorCase.objects.filter(state=State.SHIPPED.value).exclude(component=None)
    rows = _of_sites(rows, "site_id", visible, site).select_related("component")
    return Counter(
        (row.site_id, row.component.vendor, row.new_part_number or row.component.part_number)
        for row in rows if row.component is not None
    )  # fmt: skip


def _lead_days(visible: list[int] | None, site: int | None) -> dict[tuple[int, str], int]:
    rows = _of_sites(VendorContact.objects.all(), "site_id", visible, site)
    return {(pk, vendor): days for pk, vendor, days in rows.values_list("site_id", "vendor", "lead_days")}


def matching(visible: Iterable[int] | None, vendor: str, number: str) -> list[VendorCase]:
    """Cases by the vendor's number of them, or of their shipment. More than one: nobody may guess which."""
    rows = VendorCase.objects.filter(Q(number=number) | Q(dispatch=number), vendor=vendor)
    return list(rows if visible is None else rows.filter(site_id__in=visible))
