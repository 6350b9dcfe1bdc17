"""Reads of why a run is slow: its reference, the shape of its curve, what changed then, whose readings stand out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from fabric.discovery.models.seen import SeenLink, SeenNode
from fabric.quality.models.events import FabricEvent
from fabric.quality.models.quality import LinkQuality
from health.monitoring.facts import FACTS
from health.monitoring.models.facts import FactChange
from health.monitoring.models.faults import Fault
from health.monitoring.models.verdicts import CurrentVerdict, Sample
from health.monitoring.samples import values
from health.monitoring.services.sweeps.stored import read_layouts
from inventory.models.components import Installation
from inventory.slot_text import slot_texts
from runs.causes.faults import ENDS, SLOWS
from runs.models import RunRank, StepPiece, TrainingRun
from runs.pace.attribution import Attribution, Candidate, attribute
from runs.pace.packed import unpack
from runs.pace.readings import Reading, odd_ones
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


# ---- what changed then ----
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


# ---- who stands out ----
class Outlier(NamedTuple):
    kind: str
    """Of `runs.pace.readings.KINDS`; `check` for what a check says."""
    rank: int
    machine: int | None
    machine_name: str
    slot_text: str
    text: str


def outliers(run: TrainingRun) -> list[Outlier]:
    """Ranks whose GPU or link differs from the run's median, and what checks say of their machines now."""
    ranks = list(RunRank.objects.filter(run=run).select_related("machine__device__model").order_by("rank"))
    by_rank = {rank.rank: rank for rank in ranks}
    odd = odd_ones([*_reported(ranks), *_sampled(run, ranks), *_link_counters(ranks)])
    found = [_outlier(one.kind, by_rank[one.rank], one.text) for one in odd]
    return found + _verdicts(run, ranks, {(one.machine, one.slot_text) for one in found})


def _outlier(kind: str, rank: RunRank, text: str) -> Outlier:
    words = slot_texts(rank.machine.device.model.spec) if rank.machine is not None else {}
    return Outlier(kind, rank.rank, rank.machine_id, rank.machine_name, words.get(rank.slot, rank.slot), text)


def _reported(ranks: Iterable[RunRank]) -> list[Reading]:
    return [
        Reading(rank.rank, kind, value)
        for rank in ranks
        for kind in ("clock_mhz", "power_w", "temperature_c")
        if (value := getattr(rank, kind)) is not None
    ]


def _sampled(run: TrainingRun, ranks: Sequence[RunRank]) -> list[Reading]:
    """Temperatures that the last check of each machine read, for ranks whose launcher reports none."""
    wanted = {(rank.machine_id, rank.slot): rank.rank for rank in ranks if rank.slot and rank.temperature_c is None}
    until = run.ended_at or timezone.now()
    rows = Sample.objects.filter(
        machine_id__in={machine for machine, _ in wanted}, at__range=(max(run.started_at, until - FRESH), until)
    )
    newest = (
        rows.order_by("machine_id", "-at").distinct("machine_id").values_list("machine_id", "layout_id", "verdicts")
    )
    samples = list(newest)
    layouts = read_layouts({layout for _, layout, _ in samples})
    found = []
    for machine, layout, packed in samples:
        places = layouts[layout]
        for (check, part), value in zip(places, values(bytes(packed), len(places)), strict=False):
            if check == "gpu.temperature" and value is not None and (machine, part) in wanted:
                found.append(Reading(wanted[machine, part], "temperature_c", value))
    return found


def _link_counters(ranks: Sequence[RunRank]) -> list[Reading]:
    """Of the link of the HCA on each rank's rail."""
    devices = {rank.machine.device_id: rank.machine.device for rank in ranks if rank.machine is not None}
    rails = {}
    for rank in ranks:
        if rank.machine is not None:
            slots = {slot["name"]: slot.get("rail") for slot in rank.machine.device.model.spec.get("slots", ())}
            rails[rank.machine.device_id, slots.get(rank.slot)] = rank.rank
    ends = Q(link__a_port__device_id__in=list(devices)) | Q(link__b_port__device_id__in=list(devices))
    rows = LinkQuality.objects.filter(ends).select_related("link__a_port", "link__b_port")
    found: list[Reading] = []
    for row in rows[: len(devices) * 32]:
        for port in (row.link.a_port, row.link.b_port) if row.link is not None else ():
            if port is None or port.device_id not in devices:
                continue
            spec = devices[port.device_id].model.spec
            slot = next((one.get("slot") for one in spec.get("ports", ()) if one["name"] == port.name), None)
            rail = next((one.get("rail") for one in spec.get("slots", ()) if one["name"] == slot), None)
            if rail is not None and (whose := rails.get((port.device_id, rail))) is not None:
                found.append(Reading(whose, "symbol_errors", row.errors_1h))
                found.append(Reading(whose, "link_downs", float(row.downs)))
    return found


def _verdicts(run: TrainingRun, ranks: Iterable[RunRank], known: set[tuple[int | None, str]]) -> list[Outlier]:
    """What checks say now: of a run that has ended it says nothing."""
    if run.ended_at is not None:
        return []
    at = {(rank.machine_id, rank.slot): rank for rank in ranks if rank.machine_id is not None}
    any_of = {machine: each for (machine, _), each in reversed(at.items())}
    rows = CurrentVerdict.objects.filter(
        machine_id__in=list(any_of), check_id__in=SHOWN_CHECKS, verdict__in=["fail", "warn"]
    )
    found = []
    for row in rows.order_by("machine_id", "check_id", "part")[:MOST_EVENTS]:
        exact = at.get((row.machine_id, row.part))
        if exact is None and row.check_id.startswith("gpu."):
            continue  # of a GPU that no rank of this run uses
        outlier = _outlier("check", exact or any_of[row.machine_id], row.message)
        if (outlier.machine, outlier.slot_text) not in known:
            found.append(outlier)
    return found
