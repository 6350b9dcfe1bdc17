"""Writes of runbooks: which one a ticket follows, drafts, versions, choices, and what became of a ticket's steps.

The services of tickets call this; nothing here calls them.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.models import User
from inventory.models import DeviceModel, Machine
from inventory.slot_text import slot_text
from tickets.runbooks import facts as facts_about
from tickets.runbooks import queries
from tickets.runbooks.document import Problem, Refused, Runbook, digest, plain, read
from tickets.runbooks.language import Facts
from tickets.runbooks.models import (
    RunbookChoice,
    RunbookDraft,
    RunbookVersion,
    StepOutcome,
    StepRun,
    StepSign,
    TicketRunbook,
)
from tickets.runbooks.shipped import shipped, slug_of
from tickets.runbooks.steps import Choice, StepText, blocked, pick, unproven, written

RESERVED = ("preview", "language", "failing-steps")
"""Names of routes beside those of the runbooks."""
VERSIONS_SINCE = datetime(2026, 1, 1, tzinfo=UTC)
"""What the versions of drafts are counted from."""


class DraftConflict(Exception):
    """Somebody saved the draft, or published a version, since it was read."""


class NothingToPublish(Exception):
    """The document is that of the newest version; the message says so."""


# ---- which runbook ----


@dataclass(frozen=True)
class Planned:
    """The steps of a ticket that is being opened, and the version they come from."""

    version: RunbookVersion
    steps: list[StepText]


def steps_for(machine: Machine, fault_class: str, part: str, label: str = "") -> Planned:
    """The steps for a fault on a part of a machine, in the newest version of the runbook that its site gives it."""
    site_id = machine.device.site_id
    rows = RunbookChoice.objects.filter(site_id=site_id)
    choices = [Choice(row.slug, row.fault_class, row.role, row.device_model_id) for row in rows]
    usual = slug_of(fault_class)
    slug = pick(choices, fault_class=fault_class, role=machine.role, model=machine.device.model_id, usual=usual)
    version = newest(site_id, slug) or newest(site_id, usual)
    assert version is not None, f"{usual} is shipped"
    words = facts_about.words(machine=machine.device.name, part=slot_text(part, label), fault_class=fault_class)
    return Planned(version, written(read(version.document), Facts(words)))


def newest(site_id: int, slug: str) -> RunbookVersion | None:
    """The newest version, which is written down for a shipped runbook that no ticket followed yet."""
    found = queries.current(site_id, slug)
    if found is None or found.row is not None:
        return found.row if found else None
    return _write(site_id, slug, found.runbook, origin="shipped")


def _write(site_id: int, slug: str, runbook: Runbook, *, origin: str, **more: Any) -> RunbookVersion:
    """The next version. Whoever is slower of two takes what the other wrote, when it is the same."""
    document = plain(runbook)
    for _ in range(3):
        latest = RunbookVersion.objects.filter(site_id=site_id, slug=slug).order_by("-number").first()
        if latest is not None and latest.digest == digest(document) and latest.origin == origin:
            return latest
        number = latest.number + 1 if latest else 1
        row = RunbookVersion(
            site_id=site_id, slug=slug, number=number, origin=origin, title=runbook.title, document=document,
            digest=digest(document), published_at=timezone.now(), **more,
        )  # fmt: skip
        RunbookVersion.objects.bulk_create([row], ignore_conflicts=True)
        written_row = RunbookVersion.objects.get(site_id=site_id, slug=slug, number=number)
        if written_row.digest == row.digest and written_row.origin == origin:
            return written_row
    raise DraftConflict(f"{slug} is being published by somebody else.")


def follow(ticket_id: int, version: RunbookVersion) -> None:
    """Keep the version a ticket was opened with, or was given instead."""
    TicketRunbook.objects.update_or_create(ticket_id=ticket_id, defaults={"version": version})


# ---- editing ----


@transaction.atomic
def save_draft(site_id: int, slug: str, document: dict[str, Any], *, version: int, by: User) -> RunbookDraft:
    """Keep what is being edited, right or wrong. `version` is the one that was read, 0 for a new draft. Raises
    DraftConflict, and Refused for a name that is a route."""
    _need_name(slug)
    draft = _draft_as_read(site_id, slug, version)
    if draft is None:
        return RunbookDraft.objects.create(
            site_id=site_id, slug=slug, document=document, version=_first_version(), saved_by=by,
            saved_at=timezone.now(),
        )  # fmt: skip
    draft.document, draft.version, draft.saved_by, draft.saved_at = document, version + 1, by, timezone.now()
    draft.save()
    return draft


def _first_version() -> int:
    """Of a new draft: beyond those of every draft before it, so that who read one that was discarded does not end this
    one. Seconds, because nobody saves oftener than that."""
    return int((timezone.now() - VERSIONS_SINCE).total_seconds())


def _need_name(slug: str) -> None:
    if slug in RESERVED:
        raise Refused([Problem("slug", f"{slug} is a route of its own: take another name")])


def _draft_as_read(site_id: int, slug: str, version: int) -> RunbookDraft | None:
    """The draft, locked, when it is the one that was read; `version` 0: there was none. Raises DraftConflict."""
    draft = RunbookDraft.objects.select_for_update().filter(site_id=site_id, slug=slug).first()
    if draft is None and version:
        raise DraftConflict("Somebody published or discarded this draft since you read it.")
    if draft is not None and draft.version != version:
        raise DraftConflict(f"{draft.saved_by.username} saved a draft since you read it.")
    return draft


@transaction.atomic
def drop_draft(site_id: int, slug: str, *, version: int) -> None:
    """End a draft as it was read; one that is gone already is no error. Raises DraftConflict."""
    if RunbookDraft.objects.filter(site_id=site_id, slug=slug).exists():
        _drop(_draft_as_read(site_id, slug, version))


def _drop(draft: RunbookDraft | None) -> None:
    if draft is not None:
        draft.delete()


@transaction.atomic
def publish(
    site_id: int, slug: str, document: Any, *, note: str, by: User, draft: int = 0, number: int | None = None
) -> RunbookVersion:
    """Make a new version and end the draft; open tickets keep theirs. `draft` is the draft's version as it was read, 0
    for none; `number` that of the runbook, 0 for one as shipped, None where any will do. Raises Refused,
    NothingToPublish and DraftConflict."""
    _need_name(slug)
    runbook = read(document)
    edited = _draft_as_read(site_id, slug, draft)
    now = queries.current(site_id, slug)
    if number is not None and number != (now.number if now and now.origin == "site" else 0):
        raise DraftConflict("Somebody published this runbook, or went back to the shipped text, since you read it.")
    if now is not None and digest(plain(now.runbook)) == digest(plain(runbook)):
        raise NothingToPublish(f"{runbook.title} is the same as its newest version.")
    if now is not None and now.row is None:
        newest(site_id, slug)  # so that history and difference begin with what was shipped
    row = _write(site_id, slug, runbook, origin="site", note=note, published_by=by)
    _drop(edited)
    return row


@transaction.atomic
def back_to_shipped(site_id: int, slug: str, *, note: str, by: User, draft: int = 0) -> RunbookVersion:
    """Make the shipped text the newest version, which follows Rackside's own from then on, and end the draft, of which
    `draft` is the version as it was read. Raises NothingToPublish and DraftConflict."""
    edited = _draft_as_read(site_id, slug, draft)
    here = shipped().get(slug)
    now = queries.current(site_id, slug)
    if here is None or now is None or now.origin == "shipped":
        raise NothingToPublish(f"{slug} is as it was shipped." if here else f"{slug} is not shipped with Rackside.")
    row = _write(site_id, slug, here, origin="shipped", note=note, published_by=by)
    _drop(edited)
    return row


def choose(
    site_id: int, slug: str, *, fault_class: str = "", role: str = "", device_model: DeviceModel | None = None
) -> RunbookChoice:
    """Let a site give faults another runbook. Raises Refused for one that is not published there."""
    if queries.current(site_id, slug) is None:
        raise Refused([Problem("slug", f"{slug} is not published at this site")])
    row, _ = RunbookChoice.objects.update_or_create(
        site_id=site_id, fault_class=fault_class, role=role, device_model=device_model, defaults={"slug": slug}
    )
    return row


# ---- the steps of a ticket ----


def why_not(ticket: Any, row: Any, *, by: User, proving: bool) -> str:
    """Why a step may not be ticked now; empty when it may. A swap is recorded whatever the machine does: it has
    happened, and `marked` says what it was done in."""
    version = queries.version_of(ticket) if row.key and row.kind != "swap" else None
    known = read(version.document).step(row.key) if version else None
    if version is None or known is None or not (known.needs_off or known.runs or known.sign):
        return ""
    found = _followed(ticket, version)
    if why := blocked(found.runbook, found.standings, row.number, found.facts):
        return why
    missing = unproven(known, found.standing(row.number), by.pk) if proving else ""
    return f"Step {row.number}: {missing}." if missing else ""


def _followed(ticket: Any, version: RunbookVersion) -> queries.Followed:
    return queries.followed(ticket, version, words={}, led="", steps=queries.steps_of(ticket))


def marked(ticket: Any, row: Any, *, done: bool, skipped: bool) -> str:
    """Write down what became of a step, and forget of one that is open again what the machine did for it. Returns what
    the timeline should say besides: a part was swapped in a machine that was not seen off."""
    if not row.key:
        return ""
    if not done:
        forget([row])
    version = queries.version_of(ticket)
    if version is None:
        return ""
    _outcomes(ticket.pk, version.pk, [row.key], "skipped" if skipped else "done" if done else "undone")
    if done and not skipped and row.kind == "swap":
        found = _followed(ticket, version)
        if blocked(found.runbook, found.standings, row.number, found.facts):
            return f"Step {row.number} was done although the machine was not seen off."
    return ""


def _outcomes(ticket_id: int, version_id: int, keys: list[str], outcome: str) -> None:
    StepOutcome.objects.bulk_create(
        StepOutcome(ticket_id=ticket_id, version_id=version_id, step_key=key, outcome=outcome, at=timezone.now())
        for key in keys
    )


def repeat_from(ticket: Any, number: int) -> int:
    """The step to begin again with when a verification failed after step `number`: hands go in again, so the machine is
    switched off again before. What was done in vain is written down, what was signed or seen is over."""
    version = queries.version_of(ticket)
    if version is None:
        return number
    steps = list(ticket.steps.order_by("number"))
    runbook = read(version.document)
    off = [each.number for each in steps if _is_power_off(runbook, each.key) and each.number < number]
    first = off[-1] if off else number
    again = [each for each in steps if each.number >= first]
    in_vain = [each.key for each in again if each.key and each.done_at and each.kind != "verify"]
    _outcomes(ticket.pk, version.pk, in_vain, "failed")
    forget(again)
    return first


def _is_power_off(runbook: Runbook, key: str) -> bool:
    known = runbook.step(key)
    return known is not None and known.runs == "power_off"


def forget(steps: list[Any]) -> None:
    """Of steps that are open again: what the machine did for them, and who signed."""
    StepRun.objects.filter(step__in=steps).delete()
    StepSign.objects.filter(step__in=steps).delete()
