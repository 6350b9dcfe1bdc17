"""Reads of why a run is slow: its reference, the shape of its curve, what changed then, whose readings stand out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from django.db.models import Q

from runs.models import RunRank, StepPiece, TrainingRun
from runs.pace.packed import unpack
from runs.pace.recognition import NONE, Shape, recognise
from runs.pace.throughput import FLOPS_A_PARAMETER, peak_of, tokens_per_s, utilisation
from runs.queries import curve

RECENT = 4096
"""Last steps that are looked through one by one; of what lies before the medians of neighbours are enough."""
WHOLE_POINTS = 1500
SEEN_LATE = timedelta(minutes=30)
"""A version or a state is seen at the next check of its machine, at the latest so long after it changed."""
SEEN_SOON = timedelta(minutes=2)
"""What a log or the fabric's manager reports with a time of its own."""
FRESH = timedelta(minutes=30)
GOOD_STEPS = 100
RATE_STEPS = 200
"""Last steps that tokens per second are taken from."""
MOST_EVENTS = 500
SHOWN_CHECKS = ("gpu.clocks", "gpu.throttle", "gpu.pcie", "gpu.temperature", "hca.pcie", "cpu.throttle", "gdr.module")
"""Checks whose present verdict on a machine may explain a slow rank."""


class Reference(NamedTuple):
    kind: str
    """`reported`, `last_good_run` or `own`."""
    seconds: float | None
    run: int | None = None


class Seen(NamedTuple):
    """A shape with the moments of its change."""

    shape: Shape
    at: datetime | None = None
    until: datetime | None = None
    known_s: float = 0.0
    """How exactly `at` is known."""


# ---- what it is measured by ----
def last_good(run: TrainingRun) -> TrainingRun | None:
    """The newest earlier run of the same name (or an earlier attempt) that went at its own pace."""
    same = Q(name=run.name) if run.name else Q(key=run.key)
    earlier = TrainingRun.objects.filter(same, site=run.site_id, started_at__lt=run.started_at)
    earlier = earlier.filter(baseline_s__gt=0, recent_s__gt=0, steps__gte=GOOD_STEPS).exclude(pk=run.pk)
    for other in earlier.order_by("-started_at", "-pk")[:20]:
        if other.recent_s is not None and other.baseline_s is not None and other.recent_s <= other.baseline_s * 1.05:
            return other
    return None


def reference_of(run: TrainingRun) -> Reference:
    if run.expected_step_s:
        return Reference("reported", run.expected_step_s)
    other = last_good(run)
    if other is not None and other.world_size == run.world_size and _same_work(run, other):
        return Reference("last_good_run", other.baseline_s, other.pk)
    return Reference("own", run.baseline_s)


def _same_work(run: TrainingRun, other: TrainingRun) -> bool:
    """Steps of other batches are no measure."""
    one, two = tokens_a_step(run), tokens_a_step(other)
    return not one or not two or abs(one / two - 1) < 0.02


def tokens_a_step(run: TrainingRun) -> float | None:
    piece = StepPiece.objects.filter(run=run, tokens__gt=0).order_by("-number").only("tokens", "count").first()
    return piece.tokens / piece.count if piece is not None else None


# ---- the shape ----
def shape_of(run: TrainingRun, reference: Reference) -> Seen:
    """Of the whole run first, thinned where it is long; then of its last steps, for what thinning hides."""
    told = reference.seconds if reference.kind != "own" else None
    if run.steps > RECENT:
        whole = curve(run, None, None, WHOLE_POINTS)
        found = recognise(whole["median_s"], told)
        if found != NONE:
            return _placed(run, found, whole["at"])
    ends, spans = _last_steps(run, RECENT)
    found = recognise(spans, told)
    return Seen(found, _moment(ends, found.at), _moment(ends, found.until))


def _last_steps(run: TrainingRun, count: int) -> tuple[list[datetime], list[float]]:
    pieces = StepPiece.objects.filter(run=run).order_by("-number").values_list("packed", flat=True)
    found = [unpack(bytes(packed)) for packed in pieces[: count // 1024 + 1]]
    steps = [step for piece in reversed(found) for step in piece][-count:]
    return [datetime.fromtimestamp(step.at, UTC) for step in steps], [step.seconds for step in steps]


def _moment(ends: Sequence[datetime], place: int | None) -> datetime | None:
    return ends[min(place, len(ends) - 1)] if place is not None and ends else None


def _placed(run: TrainingRun, found: Shape, ends: Sequence[datetime]) -> Seen:
    """The change of a thinned curve, looked for once more among the steps around it."""
    at, until = _moment(ends, found.at), _moment(ends, found.until)
    if at is None or found.at is None or found.name != "step":
        return Seen(found, at, until)
    low, high = ends[max(0, found.at - 3)], ends[min(len(ends) - 1, found.at + 2)]
    near = curve(run, low, high, WHOLE_POINTS)
    again = recognise(near["median_s"])
    if again.name == "step" and again.at is not None:
        return Seen(found, near["at"][again.at], until)
    return Seen(found, at, until, (high - low).total_seconds())


# ---- how much ----
class Rate(NamedTuple):
    tokens_per_s: float | None
    utilisation: float | None


def rate_of(run: TrainingRun) -> Rate:
    """Tokens per second over the last steps, and what share of the GPUs' FLOPs the model uses."""
    packed = StepPiece.objects.filter(run=run).order_by("-number").values_list("packed", flat=True).first()
    steps = unpack(bytes(packed))[-RATE_STEPS:] if packed is not None else []
    rate = tokens_per_s(sum(step.tokens for step in steps), sum(step.seconds for step in steps))
    flops = run.flops_per_token or (run.parameters * FLOPS_A_PARAMETER if run.parameters else None)
    if not rate or not flops:
        return Rate(rate, None)
    rank = RunRank.objects.filter(run=run, machine__isnull=False).select_related("machine__device__model").first()
    model = rank.machine.device.model if rank is not None and rank.machine is not None else None
    gpu = model.gpu_type or str((model.spec.get("gpu") or {}).get("type", "")) if model is not None else ""
    gpus = run.world_size or RunRank.objects.filter(run=run).count()
    return Rate(rate, utilisation(flops, rate, gpus, peak_of(gpu)))
