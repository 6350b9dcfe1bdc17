"""Reads of ranks that stand out from their run: by what GPUs and links show, and by what checks say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, NamedTuple

from django.db.models import Q
from django.utils import timezone

from fabric.quality.models.quality import LinkQuality
from health.monitoring.models.verdicts import CurrentVerdict, Sample
from health.monitoring.samples import values
from health.monitoring.services.sweeps.stored import read_layouts
from inventory.models import DeviceModel
from inventory.slot_text import slot_texts
from runs.models import GpuReading, RunRank, TrainingRun
from runs.pace.readings import Reading, odd_ones

FRESH = timedelta(minutes=30)
"""Readings of checks count so long,"""
MEASURED_FRESH = timedelta(minutes=10)
"""and those of Prometheus, which come every two minutes."""
MOST = 500
LINKS_A_MACHINE = 32
REPORTED = ("clock_mhz", "power_w", "temperature_c")
"""By the launcher, or by Prometheus where it does not report them."""
TENSOR = "tensor_active"
SHOWN_CHECKS = (
    "gpu.clocks", "gpu.throttle", "gpu.pcie", "gpu.temperature", "gpu.power_limit", "hca.pcie", "cpu.throttle",
    "cpu.frequency", "cpu.governor", "gdr.module",
)  # fmt: skip
"""Checks whose present verdict on a machine may explain a slow rank."""


class Outlier(NamedTuple):
    kind: str
    """Of `runs.pace.readings.KINDS`; `check` for what a check says."""
    rank: int
    machine: int | None
    machine_name: str
    slot_text: str
    text: str


class Rank(NamedTuple):
    rank: int
    machine: int | None
    machine_name: str
    slot: str
    device: int | None
    model: int | None
    readings: tuple[float | None, ...]


class Chassis:
    """What a device model says of its slots, read once for all machines of it."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.words = slot_texts(spec)
        self.rails = {slot["name"]: slot.get("rail") for slot in spec.get("slots", ())}
        self.ports = {port["name"]: self.rails.get(port.get("slot")) for port in spec.get("ports", ())}


def outliers(run: TrainingRun) -> list[Outlier]:
    """The farthest from the median first, then what checks say. A fixed number of statements."""
    ranks, active = _ranks(run)
    models = DeviceModel.objects.filter(pk__in={rank.model for rank in ranks if rank.model is not None})
    kinds = {model.pk: Chassis(model.spec) for model in models}
    by_rank = {rank.rank: rank for rank in ranks}
    odd = odd_ones([*_reported(ranks), *active, *_sampled(run, ranks), *_link_counters(ranks, kinds)])
    found = [_outlier(one.kind, by_rank[one.rank], kinds, one.text) for one in odd]
    return found + _verdicts(run, ranks, kinds, {(one.machine, one.slot_text) for one in found})


def without_readings(run: TrainingRun) -> tuple[int, int]:
    """Ranks of whose GPU neither clock nor power is known, and all ranks. Two statements."""
    ranks, _ = _ranks(run)
    return sum(all(value is None for value in rank.readings[:2]) for rank in ranks), len(ranks)


def _ranks(run: TrainingRun) -> tuple[list[Rank], list[Reading]]:
    """With what was reported of their GPUs, or else what Prometheus says; and how busy tensor cores are."""
    rows = RunRank.objects.filter(run=run).order_by("rank")
    names = ("rank", "machine_id", "machine_name", "slot", "machine__device_id", "machine__device__model_id", *REPORTED)
    return _with_measured(run, [Rank._make((*row[:6], row[6:])) for row in rows.values_list(*names)])


def _outlier(kind: str, rank: Rank, kinds: Mapping[int, Chassis], text: str) -> Outlier:
    words = kinds[rank.model].words if rank.model is not None else {}
    return Outlier(kind, rank.rank, rank.machine, rank.machine_name, words.get(rank.slot, rank.slot), text)


def _with_measured(run: TrainingRun, ranks: Sequence[Rank]) -> tuple[list[Rank], list[Reading]]:
    """What Prometheus says where nobody reports it, and how busy tensor cores are."""
    until = run.ended_at or timezone.now()
    fresh = GpuReading.objects.filter(run=run, at__range=(until - MEASURED_FRESH, until + MEASURED_FRESH))
    told = {rank: readings for rank, *readings in fresh.values_list("rank", *REPORTED, TENSOR)}
    found, active = [], []
    for rank in ranks:
        *measured, busy = told.get(rank.rank, (None, None, None, None))
        both = zip(rank.readings, measured, strict=True)
        found.append(rank._replace(readings=tuple(own if own is not None else other for own, other in both)))
        if busy is not None:
            active.append(Reading(rank.rank, TENSOR, busy))
    return found, active


def _reported(ranks: Sequence[Rank]) -> list[Reading]:
    return [
        Reading(rank.rank, kind, value)
        for rank in ranks
        for kind, value in zip(REPORTED, rank.readings, strict=True)
        if value is not None
    ]


def _sampled(run: TrainingRun, ranks: Sequence[Rank]) -> list[Reading]:
    """Temperatures that the last check of each machine read, for ranks whose launcher reports none."""
    wanted = {(rank.machine, rank.slot): rank.rank for rank in ranks if rank.slot and rank.readings[-1] is None}
    until = run.ended_at or timezone.now()
    rows = Sample.objects.filter(
        machine_id__in={machine for machine, _ in wanted}, at__range=(max(run.started_at, until - FRESH), until)
    )
    newest = rows.order_by("machine_id", "-at").distinct("machine_id")
    samples = list(newest.values_list("machine_id", "layout_id", "verdicts"))
    layouts = read_layouts({layout for _, layout, _ in samples})
    found = []
    for machine, layout, packed in samples:
        places = layouts[layout]
        for (check, part), value in zip(places, values(bytes(packed), len(places)), strict=False):
            if check == "gpu.temperature" and value is not None and (machine, part) in wanted:
                found.append(Reading(wanted[machine, part], "temperature_c", value))
    return found


def _link_counters(ranks: Sequence[Rank], kinds: Mapping[int, Chassis]) -> list[Reading]:
    """Of the link of the HCA on each rank's rail."""
    models = {rank.device: rank.model for rank in ranks if rank.device is not None and rank.model is not None}
    on_rail = {
        (rank.device, kinds[rank.model].rails.get(rank.slot)): rank.rank for rank in ranks if rank.model is not None
    }
    ends = Q(link__a_port__device_id__in=list(models)) | Q(link__b_port__device_id__in=list(models))
    names = ("errors_1h", "downs", "link__a_port__device_id", "link__a_port__name", "link__b_port__device_id",
             "link__b_port__name")  # fmt: skip
    found: list[Reading] = []
    rows = LinkQuality.objects.filter(ends).values_list(*names)[: len(models) * LINKS_A_MACHINE]
    for errors, downs, *both in rows:
        for device, port in (both[:2], both[2:]):
            model = models.get(device)
            rail = kinds[model].ports.get(port) if model is not None else None
            whose = on_rail.get((device, rail)) if rail is not None else None
            if whose is not None:
                found += [Reading(whose, "symbol_errors", errors), Reading(whose, "link_downs", float(downs))]
    return found


def _verdicts(
    run: TrainingRun, ranks: Sequence[Rank], kinds: Mapping[int, Chassis], known: set[tuple[int | None, str]]
) -> list[Outlier]:
    """What checks say now: of a run that has ended it says nothing."""
    if run.ended_at is not None:
        return []
    at = {(rank.machine, rank.slot): rank for rank in ranks if rank.machine is not None}
    any_of = {machine: each for (machine, _), each in reversed(at.items())}
    rows = CurrentVerdict.objects.filter(
        machine_id__in=list(any_of), check_id__in=SHOWN_CHECKS, verdict__in=["fail", "warn"]
    )
    found = []
    told = rows.order_by("machine_id", "check_id", "part").values_list("machine_id", "check_id", "part", "message")
    for machine, check, part, message in told[:MOST]:
        exact = at.get((machine, part))
        if exact is None and check.startswith("gpu."):
            continue  # of a GPU that no rank of this run uses
        outlier = _outlier("check", exact or any_of[machine], kinds, message)
        if (outlier.machine, outlier.slot_text) not in known:
            found.append(outlier)
    return found
