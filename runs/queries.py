"""Reads of training runs: the list, the curve of a run, its ranks, where one of them stands."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import connection
from django.db.models import Aggregate, Count, F, FloatField, Max, Min, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from inventory.cabling.trace import trace_ports
from inventory.models import Installation, Port
from inventory.queries.place import place_of
from inventory.slot_text import slot_texts
from runs.models import HandOver, RunRank, StepPiece, TrainingRun
from runs.pace.packed import unpack

MOST_STEPS_READ = 65_536
"""Steps that are unpacked for one curve; a longer span is drawn from the figures of whole pieces."""
MOST_POINTS = 2000
SHORT = 2
"""Pieces of a run whose pace is drawn step by step: of more, the pieces' own figures are enough."""

PROMISED = timedelta(hours=2)
"""A machine that was named for a run is that run's for so long; then it runs there, or was not needed."""


def engaged(site_id: int) -> QuerySet[Any]:
    """Ids of machines that a live run has, or that were named for one: no spares of another."""
    live = RunRank.objects.filter(run__site_id=site_id, run__ended_at=None, machine__isnull=False)
    named = HandOver.objects.filter(run__site_id=site_id, at__gt=timezone.now() - PROMISED, came__isnull=False)
    return live.values_list("machine_id", flat=True).union(named.values_list("came_id", flat=True))


def with_sizes(rows: QuerySet[TrainingRun]) -> QuerySet[TrainingRun]:
    """Runs with the numbers of their ranks and machines."""
    of_run = RunRank.objects.filter(run=OuterRef("pk")).order_by().values("run")
    return rows.annotate(
        ranks_count=Coalesce(Subquery(of_run.annotate(count=Count("pk")).values("count")), 0),
        machines_count=Coalesce(
            Subquery(of_run.annotate(count=Count("machine_name", distinct=True)).values("count")), 0
        ),
    )


# ---- the curve ----
def curve(run: TrainingRun, since: datetime | None, until: datetime | None, points: int) -> dict[str, Any]:
    """Step times and loss between two moments in at most so many points, as columns. Two statements."""
    pieces = StepPiece.objects.filter(run=run)
    if since is not None:
        pieces = pieces.filter(ended_at__gte=since)
    if until is not None:
        pieces = pieces.filter(started_at__lte=until)
    size = pieces.aggregate(pieces=Count("pk"), steps=Sum("count"), first=Min("number"))
    if (size["steps"] or 0) <= MOST_STEPS_READ:
        rows = _of_steps(pieces, since, until)
        return {"baseline_s": run.baseline_s, "exact": len(rows) <= points, **_columns(_thinned(rows, points))}
    together = -(-size["pieces"] // points)
    return {
        "baseline_s": run.baseline_s,
        "exact": together == 1,
        **_columns(_of_pieces(pieces, size["first"], together)),
    }


class Middle(Aggregate):
    """The median, as one of the values."""

    function = "percentile_disc"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


def _of_pieces(pieces: QuerySet[StepPiece], first: int, together: int) -> list[Row]:
    """So many neighbouring pieces as one row each, put together in the database: a year has 30,000."""
    told = (
        pieces.order_by()
        .annotate(part=(F("number") - first) / together)
        .values("part")
        .annotate(
            end=Max("ended_at"),
            middle=Middle("median_s"),
            least=Min("least_s"),
            most=Max("most_s"),
            losses=ArrayAgg("loss", filter=Q(loss__isnull=False), order_by="-number"),
            steps=Sum("count"),
        )
        .order_by("part")
        .values_list("end", "middle", "least", "most", "losses", "steps")
    )
    return [
        (end.timestamp(), middle, least, most, losses[0] if losses else None, steps)
        for end, middle, least, most, losses, steps in told
    ]


Row = tuple[float, float, float, float, float | None, int]
"""End (seconds since 1970), median, least and most seconds of a step, loss, steps."""


def _of_steps(pieces: QuerySet[StepPiece], since: datetime | None, until: datetime | None) -> list[Row]:
    low = since.timestamp() if since is not None else float("-inf")
    high = until.timestamp() if until is not None else float("inf")
    figures = ("packed", "ended_at", "median_s", "least_s", "most_s", "loss", "count")
    rows: list[Row] = []
    for packed, end, *whole in pieces.order_by("number").values_list(*figures):
        if packed:
            told = [step for step in unpack(bytes(packed)) if low <= step.at <= high]
            rows += [(step.at, step.seconds, step.seconds, step.seconds, step.loss, 1) for step in told]
        else:  # its single steps are not kept any more
            rows.append((end.timestamp(), *whole))
    return rows


def _thinned(rows: Sequence[Row], points: int) -> list[Row]:
    """Neighbours put together; the least and the most stay, so that one slow step in thousands is still seen."""
    size = -(-len(rows) // points) if points else 1
    if size <= 1:
        return list(rows)
    found: list[Row] = []
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        losses = [row[4] for row in part if row[4] is not None]
        found.append(
            (
                part[-1][0],
                median(row[1] for row in part),
                min(row[2] for row in part),
                max(row[3] for row in part),
                losses[-1] if losses else None,
                sum(row[5] for row in part),
            )
        )
    return found


def _columns(rows: Sequence[Row]) -> dict[str, list[Any]]:
    return {
        "at": [datetime.fromtimestamp(row[0], UTC) for row in rows],
        "median_s": [round(row[1], 5) for row in rows],
        "least_s": [round(row[2], 5) for row in rows],
        "most_s": [round(row[3], 5) for row in rows],
        "loss": [row[4] if row[4] is None or row[4] == row[4] else None for row in rows],
        "steps": [row[5] for row in rows],
    }


SPARKS = """
SELECT run_id, percentile_disc(0.5) WITHIN GROUP (ORDER BY median_s)
FROM (
    SELECT run_id, median_s, ntile(%s) OVER (PARTITION BY run_id ORDER BY number) AS part
    FROM runs_steppiece WHERE run_id = ANY(%s)
) AS piece
GROUP BY run_id, part ORDER BY run_id, part
"""
SPARK_POINTS = 40


def sparklines(runs: Sequence[TrainingRun]) -> dict[int, list[float]]:
    """The pace of each of these runs in few points, as shares of its baseline: 1 at its own pace, 0.5 at half of it.

    Two statements: figures of pieces, put together in the database, and for short runs the steps themselves.
    """
    by_run: dict[int, list[float]] = {}
    with connection.cursor() as cursor:
        cursor.execute(SPARKS, [SPARK_POINTS, [run.pk for run in runs]])
        for run_id, seconds in cursor.fetchall():
            by_run.setdefault(run_id, []).append(seconds)
    short = [run_id for run_id, spans in by_run.items() if len(spans) <= SHORT]
    by_run |= {run_id: [] for run_id in short}
    pieces = StepPiece.objects.filter(run__in=short).order_by("run", "number")
    for run_id, packed, median_s in pieces.values_list("run_id", "packed", "median_s"):
        by_run[run_id] += [step.seconds for step in unpack(bytes(packed))] if packed else [median_s]
    found = {}
    for run in runs:
        spans = by_run.get(run.pk, [])
        base = run.baseline_s or (median(spans) if spans else 0.0)
        size = max(1, -(-len(spans) // SPARK_POINTS))
        parts = [median(spans[start : start + size]) for start in range(0, len(spans), size)]
        found[run.pk] = [round(base / part, 3) for part in parts if part > 0]
    return found


# ---- ranks ----
def ranks_of(run: TrainingRun) -> QuerySet[RunRank]:
    return RunRank.objects.filter(run=run).order_by("rank")


def rank_of(run: TrainingRun, rank: int) -> RunRank | None:
    return RunRank.objects.filter(run=run, rank=rank).select_related("machine__device__model").first()


def chain_of(rank: RunRank) -> dict[str, Any]:
    """From a rank to the place: machine, GPU, its HCA, the switch port it leads to. A fixed number of statements."""
    if rank.machine is None:
        return {"place": None, "gpu": "", "serial": rank.serial, "hca": "", "hca_port": None} | NO_FAR_END
    device = rank.machine.device
    slots = {slot["name"]: slot for slot in device.model.spec.get("slots", ())}
    words = slot_texts(device.model.spec)
    gpu = slots.get(rank.slot)
    hca = nearest_hca(device.model.spec, gpu) if gpu is not None else None
    port = _port_on(device.model.spec, device.pk, hca["name"]) if hca is not None else None
    return {
        "place": place_of(device.pk, rank.slot)["text"],
        "gpu": words.get(rank.slot, rank.slot),
        "hca": words[hca["name"]] if hca is not None else "",
        "hca_port": port,
        "serial": rank.serial or _serial_in(device.pk, rank.slot),
    } | (_far_end(port) if port is not None else NO_FAR_END)


def nearest_hca(spec: dict[str, Any], gpu: dict[str, Any]) -> dict[str, Any] | None:
    """The card a GPU reaches the fabric by: that of its rail; where the model tells no rails, the one whose PCI address
    is closest, for what hangs on one switch is numbered together."""
    cards = [slot for slot in spec.get("slots", ()) if slot["kind"] == "hca"]
    rail = gpu.get("rail")
    if rail is not None:
        return next((card for card in cards if card.get("rail") == rail), None)
    at = _bus(gpu)
    told = [(abs(bus - at), card) for card in cards if at is not None and (bus := _bus(card)) is not None]
    return min(told, key=lambda each: each[0], default=(0, None))[1]


def _bus(slot: dict[str, Any]) -> int | None:
    """Domain and bus of a PCI address as a number."""
    domain, bus = (slot.get("pci") or ":").split(":")[:2]
    return int(domain, 16) << 8 | int(bus, 16) if domain and bus else None


def _serial_in(device: int, slot: str) -> str:
    """The serial of the part that is in a slot now."""
    rows = Installation.objects.filter(device_id=device, slot=slot, during__endswith=None)
    return rows.values_list("component__serial", flat=True).first() or ""


def _port_on(spec: dict[str, Any], device: int, slot: str) -> int | None:
    names = [port["name"] for port in spec.get("ports", ()) if port.get("slot") == slot]
    return Port.objects.filter(device_id=device, name__in=names).order_by("pk").values_list("pk", flat=True).first()


NO_FAR_END: dict[str, Any] = {"cable": None, "switch_port": None}


def _far_end(port: int) -> dict[str, Any]:
    """The first cable from this port, and the port that the way leads to."""
    found = trace_ports([port])
    if not found:
        return NO_FAR_END
    cable = next((hop["cable"] for hop in found[0]["hops"] if hop.get("cable")), None)
    told = {"cable": {"id": cable["id"], "name": cable["label"]} if cable else None}
    for end in found[0]["ends"][:1]:
        place = end["place"]["text"]
        told["switch_port"] = {"port": end["id"], "name": end["name"], "device": end["device"]["name"], "place": place}
    return NO_FAR_END | told
