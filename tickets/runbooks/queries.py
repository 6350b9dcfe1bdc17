"""Reads of runbooks: those of a site, one with its versions, and what a ticket shows of the one it follows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.db.models import Count, F, Model, Q, QuerySet

from core.models import User
from health.models import MachineHealth
from inventory.power.queries import cords_of
from tickets.runbooks import facts as facts_about
from tickets.runbooks import steps as rules
from tickets.runbooks.document import Runbook, RunbookStep, digest, plain, read
from tickets.runbooks.language import Facts, render
from tickets.runbooks.models import RunbookDraft, RunbookVersion, StepOutcome, StepRun, StepSign, TicketRunbook
from tickets.runbooks.shipped import shipped

M = TypeVar("M", bound=Model)
WOULD: dict[str, str] = {
    "drain": "Drains {machine}: it leaves service, its jobs end first.",
    "led_on": "Switches the locating LED of {machine} on.",
    "power_off": "Asks the BMC of {machine} to shut it down, by force after 90 s, and waits until it shows Off.",
    "power_on": "Asks the BMC of {machine} to switch it on, and waits until it shows On.",
}
"""What pressing a step's button would do: shown before anybody presses it."""


# ---- of a site ----


def _at(rows: QuerySet[M], site_id: int | None) -> QuerySet[M]:
    """Rows of a site; without a site there are none, only what is shipped."""
    return rows.none() if site_id is None else rows.filter(site_id=site_id)


@dataclass(frozen=True)
class Current:
    """The runbook that a new ticket would get. `row` is None for a shipped one that no ticket followed yet."""

    slug: str
    runbook: Runbook
    origin: str
    row: RunbookVersion | None

    @property
    def number(self) -> int | None:
        return self.row.number if self.row else None


def current_of(slug: str, latest: RunbookVersion | None) -> Current | None:
    """The latest version, or the shipped one where the site has none of its own or it was shipped with another text."""
    here = shipped().get(slug)
    if latest is None:
        return Current(slug, here, "shipped", None) if here else None
    if latest.origin == "shipped" and here is not None and digest(plain(here)) != latest.digest:
        return Current(slug, here, "shipped", None)
    return Current(slug, read(latest.document), latest.origin, latest)


def latest_versions(site_id: int | None, slugs: Iterable[str] | None = None) -> dict[str, RunbookVersion]:
    """By slug. One query."""
    rows = _at(RunbookVersion.objects.all(), site_id).order_by("slug", "-number").distinct("slug")
    return {row.slug: row for row in (rows if slugs is None else rows.filter(slug__in=list(slugs)))}


def current(site_id: int | None, slug: str) -> Current | None:
    return current_of(slug, latest_versions(site_id, [slug]).get(slug))


def runbooks_of(site_id: int | None) -> list[dict[str, Any]]:
    """All runbooks of a site, by title; without a site the shipped ones. Two queries."""
    latest = latest_versions(site_id)
    drafts = set(_at(RunbookDraft.objects.all(), site_id).values_list("slug", flat=True))
    found = (current_of(slug, latest.get(slug)) for slug in {*shipped(), *latest})
    rows = [_item(each, each.slug in drafts) for each in found if each]
    rows += [_only_draft(slug) for slug in drafts - set(latest) - set(shipped())]
    return sorted(rows, key=lambda row: row["title"].lower())


def _item(each: Current, draft: bool) -> dict[str, Any]:
    return {
        "slug": each.slug,
        "title": each.runbook.title,
        "summary": each.runbook.summary,
        "role": each.runbook.role,
        "minutes": each.runbook.minutes,
        "steps": len(each.runbook.steps),
        "origin": each.origin,
        "number": each.number,
        "draft": draft,
    }


def _only_draft(slug: str) -> dict[str, Any]:
    empty = {"summary": "", "role": "technician", "minutes": None, "steps": 0, "origin": "site", "number": None}
    return {"slug": slug, "title": slug, **empty, "draft": True}


def runbook_in_full(site_id: int | None, slug: str) -> dict[str, Any] | None:
    """One runbook with its draft and its history; None when there is none. Two queries."""
    versions = list(versions_of(site_id, slug))
    draft = _at(RunbookDraft.objects.filter(slug=slug), site_id).select_related("saved_by").first()
    found = current_of(slug, versions[0] if versions else None)
    if found is None and draft is None:
        return None
    row = _item(found, draft is not None) if found else _only_draft(slug)
    return row | {
        "document": plain(found.runbook) if found else None,
        "shipped": slug in shipped(),
        "draft": _draft(draft),
        "versions": [version_item(each) for each in versions],
    }


def versions_of(site_id: int | None, slug: str) -> Iterable[RunbookVersion]:
    rows = _at(RunbookVersion.objects.filter(slug=slug), site_id).select_related("published_by")
    return rows.order_by("-number")


def version_item(row: RunbookVersion) -> dict[str, Any]:
    return {
        "id": row.pk,
        "number": row.number,
        "origin": row.origin,
        "title": row.title,
        "note": row.note,
        "published_by": row.published_by.display_name() if row.published_by else None,
        "published_at": row.published_at,
    }


def _draft(row: RunbookDraft | None) -> dict[str, Any] | None:
    if row is None:
        return None
    saved_by = row.saved_by.display_name()
    return {"document": row.document, "version": row.version, "saved_by": saved_by, "saved_at": row.saved_at}


def preview(runbook: Runbook, states: Mapping[str, bool | None]) -> dict[str, Any]:
    """How a ticket would show it, on a machine that is so; of the words their names stand there."""
    names = {name: f"[{name.replace('_', ' ')}]" for name in ("machine", "part", "serial", "part_number", "place")}
    facts = Facts(names | {"feeds": "[feeds]", "advice": "[advice]"}, states)
    return {"safety": rules.said(runbook.safety, facts), "steps": [_rendered(step, facts) for step in runbook.steps]}


def _rendered(step: RunbookStep, facts: Facts) -> dict[str, Any]:
    return {
        "key": step.key,
        "kind": step.kind,
        "title": render(step.title, facts),
        "html": rules.said(step.text, facts),
        "verifies": render(step.verifies, facts),
        "runs": step.runs,
        "needs_off": step.needs_off,
        "sign": step.sign,
        "role": step.role,
    }


# ---- of a ticket ----


@dataclass(frozen=True)
class Followed:
    """A ticket's runbook with what is so now."""

    version: RunbookVersion
    runbook: Runbook
    facts: Facts
    runs: Mapping[int, StepRun]
    standings: Sequence[rules.Standing]
    signs: Mapping[int, Sequence[StepSign]]

    def standing(self, number: int) -> rules.Standing:
        return next(row for row in self.standings if row.number == number)


def version_of(ticket: Any) -> RunbookVersion | None:
    """The version a ticket follows; None where it has no runbook."""
    row = TicketRunbook.objects.filter(ticket_id=ticket.pk).select_related("version").first()
    return row.version if row else None


def steps_of(ticket: Any) -> list[Any]:
    """A ticket's steps with what the machine does of them, in one statement: of two, the second could tell of a machine
    that was seen off and the first of a step that is not done, and a person would be asked to do it by hand."""
    return list(ticket.steps.select_related("step_run__asked_by").order_by("number"))


def followed(
    ticket: Any, version: RunbookVersion, *, words: Mapping[str, str], led: str, steps: Sequence[Any]
) -> Followed:
    """What a ticket follows, as it stands now. Two queries, where `steps` come from `steps_of`."""
    runs = {step.pk: run for step in steps if (run := getattr(step, "step_run", None)) is not None}
    signs: dict[int, list[StepSign]] = defaultdict(list)
    for sign in StepSign.objects.filter(step__ticket_id=ticket.pk).select_related("by").order_by("pk"):
        signs[sign.step_id].append(sign)
    health = MachineHealth.objects.filter(pk=ticket.machine_id).first()
    states = facts_about.states(
        health, runs.values(), led=led, fault_class=ticket.fault_class, serial=words.get("serial", "")
    )
    standings = [
        rules.Standing(
            step.number, step.key, step.done_at is not None, runs[step.pk].state if step.pk in runs else "",
            tuple((sign.kind, sign.by_id) for sign in signs[step.pk]),
        )
        for step in steps
    ]  # fmt: skip
    facts = Facts(words, states)
    return Followed(version, read(version.document), facts, runs, standings, signs)


def ticket_words(ticket: Any, *, part: str, place: str, component: Mapping[str, Any] | None) -> dict[str, str]:
    """What is filled into the texts of a ticket's runbook. Two queries."""
    cords = cords_of(ticket.site_id, ticket.machine_id) if ticket.machine_id is not None else []
    return facts_about.words(
        machine=ticket.about[1], part=part, fault_class=ticket.fault_class, place=place, cords=cords,
        serial=str((component or {}).get("serial") or ""),
        part_number=str((component or {}).get("part_number") or ""),
    )  # fmt: skip


def dressed(ticket: Any, answer: dict[str, Any], steps: Sequence[Any], *, user: User, operator: bool) -> dict[str, Any]:
    """The answer of a ticket with its runbook: its head, and every step as it is true now."""
    rows = [row | {"html": "", "verifies": "", "run": None, "sign": None} for row in answer["steps"]]
    version = version_of(ticket)
    if version is None:
        return answer | {"steps": rows, "runbook": None}
    words = ticket_words(ticket, part=answer["part_text"], place=answer["place"]["text"], component=answer["component"])
    found = followed(ticket, version, words=words, led=answer["led"], steps=steps)
    by_number = {step.number: step for step in steps}
    dressed_rows = [_dressed_step(found, row, by_number[row["number"]], user=user, operator=operator) for row in rows]
    return answer | {"steps": dressed_rows, "runbook": _head(found, ticket.site_id)}


def _head(found: Followed, site_id: int) -> dict[str, Any]:
    newest = current(site_id, found.version.slug)
    newer = newest is not None and digest(plain(newest.runbook)) != found.version.digest
    return {
        "slug": found.version.slug,
        "number": found.version.number,
        "newer": newer,
        "title": found.runbook.title,
        "role": found.runbook.role,
        "minutes": found.runbook.minutes,
        "people": found.runbook.people,
        "safety": rules.said(found.runbook.safety, found.facts),
        "tools": list(found.runbook.tools),
        "parts": list(found.runbook.parts),
    }


def _dressed_step(found: Followed, row: dict[str, Any], step: Any, *, user: User, operator: bool) -> dict[str, Any]:
    if step.key == rules.VISIT_STATE:
        wants_drain = found.facts.states.get("in_service") is True and found.facts.states.get("hot") is not True
        return row | {
            "title": render(rules.STATE_TITLE, found.facts),
            "detail": render(rules.STATE_TEXT, found.facts),
            "run": _run(found, step, "drain", operator) if wants_drain or step.pk in found.runs else None,
        }
    known = found.runbook.step(step.key)
    if known is None:
        return row
    standing = found.standing(step.number)
    waits = row["waits"] or (
        "" if standing.done else rules.blocked(found.runbook, found.standings, step.number, found.facts)
    )
    return row | {
        "title": render(known.title, found.facts),
        "detail": render(known.text, found.facts),
        "html": rules.said(known.text, found.facts),
        "verifies": render(known.verifies, found.facts),
        "waits": waits,
        "run": _run(found, step, known.runs, operator) if known.runs else None,
        "sign": _sign(found, step, known, user) if known.sign else None,
    }


def _run(found: Followed, step: Any, runs: str, operator: bool) -> dict[str, Any]:
    row = found.runs.get(step.pk)
    return {
        "runs": runs,
        "state": row.state if row else "",
        "text": row.text if row else "",
        "would": WOULD[runs].format(machine=found.facts.words.get("machine", "the machine")),
        "asked_by": row.asked_by.display_name() if row else None,
        "asked_at": row.asked_at if row else None,
        "may": operator or runs != "drain",
    }


def _sign(found: Followed, step: Any, known: RunbookStep, user: User) -> dict[str, Any]:
    signs = [sign for sign in found.signs.get(step.pk, ()) if sign.kind == known.sign]
    first = signs[0] if signs else None
    return {
        "kind": known.sign,
        "by": first.by.display_name() if first else None,
        "at": first.at if first else None,
        "tag": first.tag if first else "",
        "missing": rules.unproven(known, found.standing(step.number), user.pk),
    }


# ---- for insight ----


def failing_steps(site_ids: Sequence[int], since: datetime) -> list[Any]:
    """How often each step of each runbook was done, passed over, opened again, or done in vain. One query."""
    rows = StepOutcome.objects.filter(ticket__site_id__in=site_ids, at__gte=since)
    named = rows.annotate(slug=F("version__slug")).values("slug", "step_key")
    counted = named.annotate(
        done=Count("pk", filter=Q(outcome="done")),
        skipped=Count("pk", filter=Q(outcome="skipped")),
        undone=Count("pk", filter=Q(outcome="undone")),
        failed=Count("pk", filter=Q(outcome="failed")),
    )
    return list(counted.order_by("-failed", "-skipped", "slug", "step_key"))
