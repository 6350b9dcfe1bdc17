"""Reads of what two runs are compared by: machines, versions as they were then, links, faults, settings."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Q
from django.utils import timezone

from fabric.discovery.models.seen import SeenNode
from fabric.quality.models.events import FabricEvent
from health.monitoring.facts import FACTS
from health.monitoring.models.facts import FactChange, MachineFacts
from health.monitoring.models.faults import Fault
from runs.causes.faults import ENDS, SLOWS
from runs.models import RunRank, TrainingRun
from runs.slowness.comparison import Difference, Side, differences, not_known
from runs.slowness.queries import tokens_a_step

MOST_ROWS = 20_000
MOST_EVENTS = 2000


def compare(run: TrainingRun, other: TrainingRun) -> tuple[list[Difference], list[str]]:
    """What differs, and the subjects that cannot be compared."""
    now, before = side_of(run), side_of(other)
    return differences(now, before, FACTS), not_known(now, before)


def side_of(run: TrainingRun) -> Side:
    rows = RunRank.objects.filter(run=run).order_by().values_list("machine_id", "machine_name", "machine__device_id")
    ranks = list(rows.distinct())
    names = {pk: name for pk, name, _ in ranks if pk is not None}
    devices = {device: name for _, name, device in ranks if device is not None}
    end = run.ended_at or timezone.now()
    return Side(
        run.world_size,
        run.recent_s,
        tokens_a_step(run),
        frozenset(name for _, name, _ in ranks),
        _facts(names, end),
        _links(run, devices, end),
        _faults(run, names, end),
        dict(run.settings),
    )


def _facts(names: dict[int, str], end: datetime) -> dict[str, dict[str, str]]:
    """The facts of machines now, with what changed after the run undone."""
    told = MachineFacts.objects.filter(machine_id__in=list(names)).values_list("machine_id", "facts")
    found = {pk: dict(facts) for pk, facts in told}
    later = FactChange.objects.filter(machine_id__in=list(names), at__gt=end).order_by("-at", "-pk")
    for pk, fact, before in later.values_list("machine_id", "fact", "before")[:MOST_ROWS]:
        found.setdefault(pk, {})[fact] = before
    return {names[pk]: facts for pk, facts in found.items()}


def _links(run: TrainingRun, devices: dict[int, str], end: datetime) -> dict[str, str] | None:
    """How often links of the run's machines went wrong while it ran; None where no fabric is read."""
    nodes = dict(SeenNode.objects.filter(device_id__in=list(devices)).values_list("guid", "device_id"))
    if not nodes:
        return None
    events = FabricEvent.objects.filter(
        site=run.site_id, at__range=(run.started_at, end), guid__in=list(nodes), severity__in=["critical", "minor"]
    )
    counts: dict[tuple[str, str], int] = {}
    for guid, port, name in events.order_by("at").values_list("guid", "port", "name")[:MOST_EVENTS]:
        device = nodes[guid]
        key = (f"{devices[device] if device is not None else guid} port {port}", name)
        counts[key] = counts.get(key, 0) + 1
    found: dict[str, str] = {}
    for (link, name), count in sorted(counts.items()):
        found[link] = "; ".join(part for part in (found.get(link, ""), f"{name}: {count}") if part)
    return found


def _faults(run: TrainingRun, names: dict[int, str], end: datetime) -> dict[str, str]:
    """Faults that were open while it ran and may end a run or make it slow."""
    rows = Fault.objects.filter(
        Q(cleared_at=None) | Q(cleared_at__gte=run.started_at),
        machine_id__in=list(names),
        opened_at__lte=end,
        led_by=None,
        fault_class__in=[*ENDS, *SLOWS],
    )
    told = rows.order_by("opened_at").values_list("machine_id", "slot", "message")[:MOST_EVENTS]
    return {f"{names[pk]} {slot}": message for pk, slot, message in told}
