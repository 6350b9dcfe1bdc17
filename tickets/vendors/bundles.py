"""Bundles: a durable job that reads all sources once, and follows the vendor's own collection to its end.

    order(case, by="olga")        # a worker does the rest, in turns of less than a minute

What was read is kept with each turn, so a worker that dies costs only its own turn. That the BMC was told to collect is
written down before it is told: after a crash nobody tells it twice, and the collection is missing with that reason.
"""

from __future__ import annotations

import tempfile
from datetime import datetime, timedelta
from typing import IO, Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.kinds import Lease, LostLease, Progress, Work
from core.work.queue import after_commit
from core.work.rules import Backoff
from drivers.bmc.collections import Ordered, Stand
from health.machines.services import kill_switch
from tickets.models import Ticket
from tickets.services.news import announce_case
from tickets.vendors import collection, manifest
from tickets.vendors.manifest import Piece
from tickets.vendors.models import BundleFile, CaseBundle, VendorCase

POLL_S = 15.0
COLLECTION_S = 30 * 60.0
"""A SupportAssist collection takes five to fifteen minutes; one that is longer under way is missing."""
COLLECTION_SOURCE = "BMC: collection of its vendor"
ACTOR = "vendor cases"


class BundleRefused(Exception):
    """No bundle was ordered; the text says why."""


def _give_up(row: CaseBundle, reason: str, **more: Any) -> bool:
    return WORK.finish(row, status=CaseBundle.Status.FAILED, message=reason[:300], finished_at=timezone.now(), **more)


WORK = Work(
    name="vendor bundle",
    model=CaseBundle,
    open=Q(status__in=CaseBundle.OPEN),
    hold=Lease(120),
    due="due_at",
    attempts="attempts",
    most=3,
    retry=Backoff(10, 60),
    reason="message",
    taken=lambda row, now: {"status": CaseBundle.Status.RUNNING},
    give_up=_give_up,
    progress="progress",
    task="tickets.vendors.tasks.make_bundle",
    every_s=15,
)


def order(case: VendorCase, *, by: str) -> CaseBundle:
    """A new bundle, unless one is being made: then that one. In the caller's transaction."""
    row, made = CaseBundle.objects.get_or_create(
        case=case, status__in=CaseBundle.OPEN, defaults={"created_by": by, "created_at": timezone.now()}
    )
    if made:
        after_commit(WORK.task, row.pk, robust=True)
    return row


def make(bundle_id: int) -> str:
    """One turn. Returns what the bundle is after it, or `busy`."""
    row = WORK.take(bundle_id)
    if row is None:
        return "busy"
    case = VendorCase.objects.select_related("ticket__device__model", "ticket__cable", "machine__device").get(
        pk=row.case_id
    )
    try:
        with WORK.heartbeat(row, 5) as progress:
            if _through(row, case, progress):
                return _finish(row, case)
    except LostLease:
        return "busy"
    except Exception as error:  # also the time that a task may take: else it would be begun anew for ever
        WORK.fail(row, str(error) or type(error).__name__)
        raise
    WORK.put_back(row, row.collection.get("message", ""), after_s=POLL_S, uncounted=True)
    return CaseBundle.Status.RUNNING


def _through(row: CaseBundle, case: VendorCase, progress: Progress) -> bool:
    """What is not there yet; False while the BMC still collects."""
    if not row.files.exists():
        progress.tell("reading", 0, 3)
        _keep(row, collection.of_records(case))
    if case.machine_id is None:
        return True
    if not row.files.filter(Q(name__startswith="redfish") | Q(name__startswith="host")).exists():
        progress.tell("asking BMC and host", 1, 3)
        _keep(row, collection.of_machine(case.machine_id))
    progress.tell("vendor's collection", 2, 3)
    return _collected(row, case.machine_id, case.site_id, timezone.now())


def _keep(row: CaseBundle, pieces: list[Piece]) -> None:
    BundleFile.objects.bulk_create(
        [
            BundleFile(
                bundle=row, name=each.name, source=each.source, at=each.at, content=each.content, reason=each.reason,
                scrubbed=each.scrubbed,
            )
            for each in collection.named(pieces).values()
        ],
        ignore_conflicts=True,
    )  # fmt: skip


def _collected(row: CaseBundle, machine_id: int, site_id: int, now: datetime) -> bool:
    """One step towards the vendor's collection; True when it is there, or is missing for good."""
    kept = row.collection
    state = kept.get("state", "")
    if state in ("done", "missing"):
        return True
    if not state:
        stopped = kill_switch.why_stopped(site_id, by_person=kill_switch.is_person(row.created_by))
        if stopped:
            return _lost(row, stopped)
        _remember(row, state="asked", at=now.isoformat())
        told = collection.order_collection(machine_id)
        if not isinstance(told, Ordered):
            return _lost(row, told)
        _remember(row, state="running", name=told.name, task=told.task, place=told.place)
        return _fetched(row, machine_id) if told.place else False
    if state == "asked":
        return _lost(row, "the BMC was told to collect, and what it answered was lost")
    stand = collection.follow_collection(machine_id, kept["task"])
    if isinstance(stand, Stand) and stand.well:
        _remember(row, place=stand.place)
        return _fetched(row, machine_id)
    if isinstance(stand, Stand) and stand.over:
        return _lost(row, stand.message)
    said = stand if isinstance(stand, str) else f"{stand.percent or 0} %: {stand.message}"
    if now - datetime.fromisoformat(kept["at"]) > timedelta(seconds=COLLECTION_S):
        return _lost(row, f"not over after {COLLECTION_S / 60:.0f} minutes ({said})")
    _remember(row, message=said[:300])
    return False


def _fetched(row: CaseBundle, machine_id: int) -> bool:
    content = collection.fetch_collection(machine_id, row.collection["place"])
    if isinstance(content, str):
        return _lost(row, content)
    name = row.collection["name"]
    _keep(row, [Piece(name, COLLECTION_SOURCE, timezone.now(), content, scrubbed=False)])
    _remember(row, state="done", message="")
    return True


def _lost(row: CaseBundle, reason: str) -> bool:
    name = row.collection.get("name") or "vendor/collection"
    _keep(row, [collection.missing(name, COLLECTION_SOURCE, reason)])
    _remember(row, state="missing", message=reason[:300])
    return True


def _remember(row: CaseBundle, **more: Any) -> None:
    """Written at once, for the next turn may be another worker's. Raises LostLease where that one has it already."""
    row.collection = {**row.collection, **more}
    if not WORK.mine(row).update(collection=row.collection):
        raise LostLease


def _finish(row: CaseBundle, case: VendorCase) -> str:
    """All is here or named as missing: the manifest is written."""
    now = timezone.now()
    pieces = manifest.fitting(pieces_of(row))
    told = manifest.manifest(about(case), pieces, now)
    with transaction.atomic():
        Ticket.objects.select_for_update().get(pk=case.ticket_id)
        for each in pieces:
            if each.reason:
                row.files.filter(name=each.name).update(content=b"", reason=each.reason[:300])
        done = {"done": 1, "total": 1, "stage": "done"}
        WORK.finish(row, status=CaseBundle.Status.DONE, manifest=told, progress=done, message="", finished_at=now)
        announce_case(case, ACTOR)
    return CaseBundle.Status.DONE


def about(case: VendorCase) -> dict[str, Any]:
    return {
        "case": case.pk, "number": case.number, "ticket": case.ticket.key, "machine": case.ticket.about[1],
        "service_tag": case.service_tag, "vendor": case.vendor, "part": case.part, "serial": case.old_serial,
    }  # fmt: skip


def pieces_of(row: CaseBundle) -> list[Piece]:
    return [
        Piece(each.name, each.source, each.at, bytes(each.content), each.reason, each.scrubbed)
        for each in row.files.order_by("pk")
    ]


def packed(row: CaseBundle) -> IO[bytes]:
    """The zip of a bundle that is done, as a file at its beginning."""
    target = tempfile.TemporaryFile()  # noqa: SIM115  (the caller closes it)
    manifest.pack(target, row.manifest, pieces_of(row))
    target.seek(0)
    return target


def prune() -> int:
    """Remove old bundles; what was in them stands in no manifest any more. Returns how many."""
    old = CaseBundle.objects.filter(created_at__lt=timezone.now() - settings.KEPT["vendor_bundles"])
    ids = list(old.exclude(status__in=CaseBundle.OPEN).values_list("pk", flat=True))
    CaseBundle.objects.filter(pk__in=ids).delete()
    return len(ids)
