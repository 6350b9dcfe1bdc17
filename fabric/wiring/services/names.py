"""Names by place: proposed by each look, decided by people, written where that is possible and turned on.

What touches the fabric is recorded before it acts (`writing_at`), so that a worker that died leaves a trace, and the
next look tells whether the name is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.errors import Conflict
from core.work.kinds import Lease, Work
from core.work.queue import after_commit
from fabric.discovery.models.seen import SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.facts import Seen
from fabric.planned import Planned
from fabric.reconcile.diagnose import Diagnosis
from fabric.reconcile.proposals import Proposed, reports
from fabric.reconcile.proposals import propose as propose_names
from fabric.wiring.models.names import NameProposal
from health.machines.services import kill_switch
from inventory.papers.devices import natural
from live.events import emit

Writer = Callable[[FabricSource, str, str], str]
"""Gives a GUID a name; returns why it could not, empty when it did. Raises nothing."""

State = NameProposal.State
WORK = Work(
    name="fabric name",
    model=NameProposal,
    open=Q(state=State.APPROVED),
    # Telling the fabric a name twice does no harm, so what a worker that died began is begun again.
    hold=Lease(600, column="writing_at", heard=True),
    reason="message",
)
OPEN = (State.PROPOSED, State.APPROVED, State.WRITTEN, State.FAILED)
DECIDED = (State.APPROVED, State.WRITTEN)
COLUMNS = (
    "reported", "proposed", "device", "agreeing", "asked", "margin", "certain", "evidence", "state", "last_seen_at",
)  # fmt: skip


def propose(source: FabricSource, diagnosis: Diagnosis, seen: Seen, planned: Planned, at: datetime) -> None:
    """Bring the proposals of a source up to a look. Two reads and two writes, none where nothing changed."""
    rows = {row.guid: row for row in NameProposal.objects.select_for_update().filter(source=source, state__in=OPEN)}
    rejected = set(NameProposal.objects.filter(source=source, state=State.REJECTED).values_list("guid", "proposed"))
    new, changed = [], []
    for found in propose_names(planned.plan, seen, diagnosis.names):
        row = rows.pop(found.guid, None)
        if reports(found):
            if row is not None:
                row.state, row.last_seen_at = State.CONFIRMED, at
                changed.append(row)
        elif row is None:
            if (found.guid, found.name) not in rejected:
                row = NameProposal(source=source, guid=found.guid, first_seen_at=at, last_seen_at=at)
                _describe(row, found, planned)
                new.append(row)
        elif _describe(row, found, planned):
            row.last_seen_at = at
            changed.append(row)
    for row in rows.values():
        row.state = State.GONE
    NameProposal.objects.bulk_create(new)
    if changed or rows:
        NameProposal.objects.bulk_update([*changed, *rows.values()], COLUMNS, batch_size=2000)


def _describe(row: NameProposal, found: Proposed, planned: Planned) -> bool:
    """Write what was found into a row; returns whether that changed it. Another name asks for a new decision."""
    if row.proposed and row.proposed != found.name:
        row.state = State.PROPOSED
    before = (row.reported, row.proposed, row.agreeing, row.asked, row.margin)
    device = planned.devices.get(found.name)
    row.reported, row.proposed = found.reported.replace("\0", "�")[:128], found.name
    row.agreeing, row.asked, row.margin, row.certain = found.agreeing, found.asked, found.margin, found.certain
    row.device_id = device.id if device is not None else None
    row.evidence = {
        "text": f"{found.agreeing} of {found.asked} neighbours agree",
        "second": found.second,
        "factory_name": found.factory,
    }
    return before != (row.reported, row.proposed, row.agreeing, row.asked, row.margin)


@transaction.atomic
def approve(rows: Sequence[NameProposal], *, by: str, unsure: bool = False) -> list[NameProposal]:
    """Approve names, all or none. Raises Conflict for one that is decided already, or unsure without `unsure`."""
    locked = list(NameProposal.objects.select_for_update().filter(pk__in=[row.pk for row in rows]).order_by("pk"))
    for row in locked:
        if row.state not in (State.PROPOSED, State.FAILED):
            raise Conflict(f"{row.proposed} is {row.state} already.", "invalid_transition")
        if not row.certain and not unsure:
            text = row.evidence.get("text", "")
            raise Conflict(f"{row.proposed} is not sure ({text}, margin {row.margin}): approve it by itself.", "unsure")
    now = timezone.now()
    for row in locked:
        row.state, row.decided_at, row.decided_by, row.message = State.APPROVED, now, by, ""
        row.writing_at = None  # whoever still writes a name that was approved before says nothing of this one
    NameProposal.objects.bulk_update(locked, ["state", "decided_at", "decided_by", "message", "writing_at"])
    _tell(locked)
    for source_id in sorted({row.source_id for row in locked}):
        _write_back_soon(source_id)
    return locked


@transaction.atomic
def reject(row: NameProposal, *, by: str, reason: str) -> NameProposal:
    """The same name is not proposed again for this switch. Raises Conflict for one that is decided already."""
    row = NameProposal.objects.select_for_update().get(pk=row.pk)
    if row.state not in (State.PROPOSED, State.FAILED, State.APPROVED):
        raise Conflict(f"{row.proposed} is {row.state} already.", "invalid_transition")
    row.state, row.decided_at, row.decided_by, row.reason = State.REJECTED, timezone.now(), by, reason
    row.save(update_fields=["state", "decided_at", "decided_by", "reason"])
    _tell([row])
    return row


def _tell(rows: Iterable[NameProposal]) -> None:
    for source_id in sorted({row.source_id for row in rows}):
        source = FabricSource.objects.get(pk=source_id)
        data = {"source": source.pk, "names": [row.pk for row in rows if row.source_id == source_id]}
        emit("names.changed", site_id=source.site_id, subject=f"source:{source.pk}", data=data)


def node_name_map(source: FabricSource) -> str:
    """`0xGUID "name"` of every switch that reports its name or got one that was approved, for --node-name-map."""
    approved = dict(
        NameProposal.objects.filter(source=source, state__in=[*DECIDED, State.CONFIRMED])
        .order_by("id").values_list("guid", "proposed")
    )  # fmt: skip
    undecided = NameProposal.objects.filter(source=source, state__in=[State.PROPOSED, State.FAILED])
    open_guids = set(undecided.values_list("guid", flat=True))
    nodes = SeenNode.objects.filter(source=source, during__endswith=None, kind="switch").exclude(name="")
    named = {guid: name for guid, name in nodes.values_list("guid", "name") if guid not in open_guids}
    lines = sorted((named | approved).items(), key=lambda pair: (natural(pair[1]), pair[0]))
    return "".join(f'0x{guid} "{_quotable(name)}"\n' for guid, name in lines)


def _quotable(name: str) -> str:
    """The format knows no escapes."""
    return " ".join(name.replace('"', "'").split())


# ---- writing back ----


def _write_back_soon(source_id: int) -> None:
    source = FabricSource.objects.get(pk=source_id)
    if writes_names(source):
        after_commit("fabric.wiring.tasks.write_names", source_id)


def writes_names(source: FabricSource) -> bool:
    """Only UFM takes names, and only where an operator turned it on: `write_names` of the source's options."""
    return source.kind == FabricSource.Kind.UFM and source.options.get("write_names") is True


def sources_to_write() -> list[int]:
    """Sources with approved names to be written."""
    rows = FabricSource.objects.filter(
        pk__in=WORK.due_rows().values("source"), kind=FabricSource.Kind.UFM, enabled=True
    )
    return [source.pk for source in rows if writes_names(source)]


def write_back(source_id: int, write: Writer | None = None) -> int:
    """Give the fabric the approved names, one by one; returns how many it took. Safe to run twice.

    The kill switch is asked before each: a hall of switches takes many minutes. What it stops stays approved.
    """
    source = FabricSource.objects.select_related("credential").get(pk=source_id)
    if not writes_names(source):
        return 0
    put = write or _ufm_writer()
    written = 0
    for row in WORK.due_rows(rows=source.name_proposals.all()):
        if why := kill_switch.why_run_stopped(source.site_id, by=row.decided_by, begun_at=row.decided_at):
            _note_stopped(row.pk, why)
            continue
        mine = WORK.take(row.pk)
        if mine is None:
            continue
        problem = put(source, mine.guid, mine.proposed)
        _note_written(mine, problem)
        written += not problem
    return written


@transaction.atomic
def _note_stopped(pk: int, why: str) -> None:
    row = NameProposal.objects.select_for_update().get(pk=pk)
    if row.state == State.APPROVED and row.message != why[:500]:
        row.message = why[:500]
        row.save(update_fields=["message"])
        _tell([row])


@transaction.atomic
def _note_written(row: NameProposal, problem: str) -> None:
    """What came of a name; nothing when it was rejected meanwhile, or another worker took it over."""
    if problem:
        ours = WORK.finish(row, state=State.FAILED, message=problem[:500], writing_at=None)
    else:
        ours = WORK.finish(row, state=State.WRITTEN, message="", writing_at=None, written_at=timezone.now())
    if ours:
        _tell([row])


def _ufm_writer() -> Writer:
    from fabric.discovery.services.ufm import write_name

    return write_name
