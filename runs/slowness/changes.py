"""Reads of what changed on a run's machines, links and software around a moment."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import groupby

from django.db.models import Q

from fabric.discovery.models.seen import SeenLink, SeenNode
from fabric.quality.models.events import FabricEvent
from health.monitoring.facts import FACTS
from health.monitoring.models.facts import FactChange
from health.monitoring.models.faults import Fault
from inventory.models.components import Installation
from runs.causes.faults import ENDS, SLOWS
from runs.models import HandOver, RunRank, TrainingRun
from runs.pace.attribution import Attribution, Candidate, attribute

SEEN_LATE = timedelta(minutes=30)
"""A version or a state is seen at the next check of its machine, at the latest so long after it changed."""
SEEN_SOON = timedelta(minutes=2)
"""What a log or the fabric's manager reports with a time of its own."""
HANDED = timedelta(minutes=15)
"""From a hand-over until the run goes on."""
MOST_EVENTS = 500


def changes(run: TrainingRun, moment: datetime, known_s: float = 0.0) -> Attribution:
    """What changed on the run's machines, links and software around a moment. A fixed number of statements."""
    near = timedelta(seconds=known_s) + timedelta(minutes=5)
    since, until = moment - near, moment + near + SEEN_LATE
    names = _machines(run)
    told = [
        *_faults(names, since, until),
        *_software(names, since, until),
        *_parts(names, since, until),
        *_links(run, names, since, until),
        *_other_runs(run, names, since, until),
        *_hand_overs(run, since, until),
    ]
    return attribute(moment.timestamp(), told, known_s)


def _machines(run: TrainingRun) -> dict[int, tuple[str, int]]:
    """Name and device of each machine of the run."""
    rows = RunRank.objects.filter(run=run, machine__isnull=False).order_by().distinct()
    told = rows.values_list("machine_id", "machine__device__name", "machine__device_id")
    return {pk: (name, device) for pk, name, device in told if pk is not None}


def _faults(names: dict[int, tuple[str, int]], since: datetime, until: datetime) -> list[Candidate]:
    rows = Fault.objects.filter(
        machine_id__in=list(names), opened_at__range=(since, until), led_by=None, fault_class__in=[*ENDS, *SLOWS]
    )
    return [
        Candidate(
            "fault",
            (fault.opened_at - (SEEN_SOON if fault.kind == "event" else SEEN_LATE)).timestamp(),
            fault.opened_at.timestamp(),
            fault.message,
            fault.machine_id,
            names[fault.machine_id][0],
        )
        for fault in rows.order_by("opened_at", "pk")[:MOST_EVENTS]
    ]


def _software(names: dict[int, tuple[str, int]], since: datetime, until: datetime) -> list[Candidate]:
    """The same change on many machines is one."""
    rows = FactChange.objects.filter(machine_id__in=list(names), at__range=(since, until))
    rows = rows.order_by("fact", "before", "after", "at")
    found = []
    for (fact, before, after), group in groupby(rows[: MOST_EVENTS * 8], lambda one: (one.fact, one.before, one.after)):
        some = list(group)
        text = f"{FACTS.get(fact, fact)} changed from {before} to {after}"
        alone = len({one.machine_id for one in some}) == 1
        name = names[some[0].machine_id][0] if alone else f"{len(some)} machines"
        first, last = some[0].at, some[-1].at
        machine = some[0].machine_id if alone else None
        found.append(Candidate("software", (first - SEEN_LATE).timestamp(), last.timestamp(), text, machine, name))
    return found


def _parts(names: dict[int, tuple[str, int]], since: datetime, until: datetime) -> list[Candidate]:
    machines = {device: (pk, name) for pk, (name, device) in names.items()}
    rows = Installation.objects.filter(device_id__in=list(machines), during__startswith__range=(since, until))
    found = []
    for row in rows.select_related("component")[:MOST_EVENTS]:
        at = row.during.lower
        pk, name = machines[row.device_id]
        text = f"{row.component} was installed in {row.slot}"
        found.append(Candidate("part", (at - SEEN_SOON).timestamp(), at.timestamp(), text, pk, name))
    return found


def _links(run: TrainingRun, names: dict[int, tuple[str, int]], since: datetime, until: datetime) -> list[Candidate]:
    """Events of the run's own links and leaves, and links that came back narrower or slower."""
    machines = {device: (pk, name) for pk, (name, device) in names.items()}
    nodes = dict(
        SeenNode.objects.filter(device_id__in=list(machines), during__endswith=None).values_list("guid", "device_id")
    )
    if not nodes:
        return []
    ours = Q(a_guid__in=list(nodes)) | Q(b_guid__in=list(nodes))
    links = SeenLink.objects.filter(ours, Q(during__endswith=None) | Q(during__endswith__gte=since))
    whose: dict[tuple[str, int], int | None] = {}
    leaves = set()
    found = []
    for link in links[: len(names) * 64]:
        own = nodes.get(link.a_guid) or nodes.get(link.b_guid)
        for guid, port in ((link.a_guid, link.a_port), (link.b_guid, link.b_port)):
            whose[guid, port] = own
            if guid not in nodes:
                leaves.add(guid)
        if own is not None and link.during.lower and since <= link.during.lower <= until:
            machine, name = machines[own]
            at, text = link.during.lower, f"a link came back as {link.width} {link.speed}".rstrip()
            found.append(Candidate("link", (at - SEEN_LATE).timestamp(), at.timestamp(), text, machine, name))
    events = FabricEvent.objects.filter(
        site=run.site_id, at__range=(since, until), guid__in=[*nodes, *leaves], severity__in=["critical", "minor"]
    )
    for event in events.order_by("at", "pk")[:MOST_EVENTS]:
        own = nodes.get(event.guid) or whose.get((event.guid, event.port or 0))
        pk, name = machines[own] if own is not None else (None, event.device_name)
        at = event.at.timestamp()
        text = f"{event.name or event.text} on port {event.port}" if event.port is not None else event.name
        found.append(Candidate("link", at - SEEN_SOON.total_seconds(), at, text, pk, name))
    return found


def _other_runs(
    run: TrainingRun, names: dict[int, tuple[str, int]], since: datetime, until: datetime
) -> list[Candidate]:
    """Runs that began on the same machines."""
    rows = RunRank.objects.filter(machine_id__in=list(names), run__started_at__range=(since, until)).exclude(run=run)
    told = rows.order_by().values_list("run_id", "run__name", "run__key", "run__started_at").distinct()
    return [
        Candidate("run", started.timestamp(), started.timestamp(), f"run {name or key} began on the same machines")
        for _, name, key, started in told[:20]
    ]


def _hand_overs(run: TrainingRun, since: datetime, until: datetime) -> list[Candidate]:
    """Machines that were replaced on purpose. The run goes on with the other one from a little later on."""
    rows = HandOver.objects.filter(run=run, at__range=(since - HANDED, until))
    return [
        Candidate(
            "machine",
            row.at.timestamp(),
            (row.at + HANDED).timestamp(),
            f"replaced {row.left_name}" if row.came_name else "left the run, nobody came for it",
            row.came_id or row.left_id,
            row.came_name or row.left_name,
        )
        for row in rows
    ]
