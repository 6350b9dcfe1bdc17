"""What happens in a site's MAAS without us: its events go into the logs of runs, and machines that somebody marks
broken or fixed there become events here."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.alone import alone
from core.work.locks import only_here
from drivers.https import ApplianceError
from drivers.maas.shapes import Event, Machine
from drivers.maas.states import Status as MaasStatus
from live.events import emit
from provisioning.deployers.decisions import Kind
from provisioning.maas import writes
from provisioning.maas.models import MaasMachine, MaasRegion
from provisioning.maas.queries import MaasTarget, enabled_regions, target_of
from provisioning.models import RunMachine
from provisioning.services.progress import changing
from provisioning.steps import Status

log = structlog.get_logger(__name__)
LOCK = 7_210_405
READ_S = 40.0
ACTOR = "maas"


@dataclass(frozen=True, slots=True)
class Read:
    """`newest`: the event up to which it was read."""

    events: Sequence[Event]
    newest: int | None
    broken: Sequence[Machine]


def follow() -> None:
    """Each region that is enabled, by one worker at a time; one that fails does not keep the others."""
    for region_id in enabled_regions():
        with alone("maas_not_followed", region=region_id), only_here(LOCK, region_id) as mine:
            if mine:
                follow_one(region_id)


def follow_one(region_id: int) -> None:
    region = MaasRegion.objects.select_related("credential").get(pk=region_id)
    try:
        told = asyncio.run(_read(target_of(region), region.last_event_id))
    except (ApplianceError, TimeoutError) as error:
        said = str(error) or f"no answer within {READ_S:g} s"
        MaasRegion.objects.filter(pk=region_id).update(
            state=MaasRegion.State.FAILED, message=said[:500], tried_at=timezone.now()
        )
        return
    with transaction.atomic():
        _into_logs(region_id, told.events)
        _compare_broken(region, told.broken)
        now = timezone.now()
        MaasRegion.objects.filter(pk=region_id).update(
            last_event_id=told.newest, state=MaasRegion.State.GOOD, message="", tried_at=now, last_good_at=now
        )
    writes.plan(region_id)
    writes.deliver(region_id)


async def _read(target: MaasTarget, after: int | None) -> Read:
    """What is new since the last event; of a region that is read for the first time nothing is."""
    async with asyncio.timeout(READ_S), target.client() as client:
        events = await client.events(after=after)
        newest = max((event.id for event in events), default=after)
        broken = await client.machines(status="broken")
        return Read(events if after is not None else [], newest, broken)


def _into_logs(region_id: int, events: Iterable[Event]) -> None:
    by_record: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        by_record[event.system_id].append(event)
    rows = RunMachine.objects.filter(
        status=Status.RUNNING.value, run__engine="maas", machine__maas__region_id=region_id,
        machine__maas__system_id__in=list(by_record),
    )  # fmt: skip
    for pk, system_id in rows.order_by("run_id", "pk").values_list("pk", "machine__maas__system_id"):
        with changing(pk, actor=ACTOR) as progress:
            for event in by_record[system_id]:
                what = f"{event.kind}: {event.description}" if event.description else event.kind
                progress.log(f"MAAS: {what}")


def _compare_broken(region: MaasRegion, broken: Sequence[Machine]) -> None:
    """Tell of machines that became broken, or are not any more, by somebody else than us."""
    by_id = {machine.system_id: machine for machine in broken}
    concerned = Q(system_id__in=list(by_id)) | Q(status=MaasStatus.BROKEN)
    rows = MaasMachine.objects.select_for_update(of=("self",)).filter(concerned, region=region)
    for row in rows.select_related("machine__device").order_by("pk"):
        seen = by_id.get(row.system_id)
        if (seen is None) == (row.status != MaasStatus.BROKEN):
            continue
        ours = row.wanted == (Kind.MARK_BROKEN if seen is not None else Kind.MARK_FIXED)
        row.status = seen.status if seen is not None else MaasStatus.READY
        row.status_text = seen.said[:300] if seen is not None else "not broken any more"
        row.seen_at = timezone.now()
        row.save(update_fields=["status", "status_text", "seen_at"])
        if not ours:
            _tell(region, row, is_broken=seen is not None)


def _tell(region: MaasRegion, row: MaasMachine, *, is_broken: bool) -> None:
    emit(
        "maas.machine_broken" if is_broken else "maas.machine_fixed",
        site_id=region.pk,
        subject=f"machine:{row.machine_id}",
        data={"machine": row.machine_id, "name": row.machine.device.name, "system_id": row.system_id,
              "text": row.status_text},
        actor=ACTOR,
    )  # fmt: skip
