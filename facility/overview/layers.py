"""What the floor of machines can be coloured by, out of what meters told last."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from facility.facts import Part, Quantity
from facility.findings.limits import limits_of
from facility.judgement.gpus import Band, band, worst
from facility.judgement.limits import SiteLimits
from facility.judgement.machines import slowed_gpus
from facility.meters.models import Meter
from facility.overview.air import Models, caps_of, models_of, slows_at_c
from facility.overview.last import Last, last_of, machine_reading
from health.overview.queries.layers import Layer, Rows, Source
from inventory.models import Room


def _machines(room: int, now: datetime) -> list[Last]:
    return _machines_of(_site_of(room), now)


def _machines_of(site: int, now: datetime) -> list[Last]:
    return [each for each in last_of(site, now) if each.kind == Meter.Kind.MACHINE]


def _site_of(room: int) -> int:
    return int(Room.objects.values_list("site_id", flat=True).get(pk=room))


def _inlets(room: int, now: datetime) -> Rows:
    return _rows((each, each.inlet_c) for each in _machines(room, now))


def _rises(room: int, now: datetime) -> Rows:
    return _rows((each, each.delta_t_c) for each in _machines(room, now))


def _slowed(room: int, now: datetime) -> Rows:
    told = [(each, machine_reading(each)) for each in _machines(room, now)]
    wanted_w = caps_of(models_of(reading.model for _, reading in told))
    return _rows((each, slowed_gpus(reading, wanted_w.get(reading.model), SiteLimits())) for each, reading in told)


def _rows(values: Iterable[tuple[Last, float | None]]) -> Rows:
    return [
        (each.device_id, round(value, 1)) for each, value in values if value is not None and each.device_id is not None
    ]


def _bands(room: int, now: datetime) -> Rows:
    """Of machines whose GPUs tell; the words are those of the layer's order."""
    site = _site_of(room)
    machines, limits = _machines_of(site, now), limits_of(site)
    models = models_of(each.model for each in machines)
    return [
        (each.device_id, BAND_WORDS[found])
        for each in machines
        if each.device_id is not None and (found := _band(each, models, limits)) != "unknown"
    ]


def _band(machine: Last, models: Models, limits: SiteLimits) -> Band:
    slowdown_c = slows_at_c(machine.slowdown_c, machine.model, models)
    return worst(
        band(told.get(Quantity.TEMPERATURE_C), limits, slowdown_c) for told in machine.parts(Part.GPU).values()
    )


BAND_WORDS: dict[Band, str] = {
    "great": "Great", "good": "Good", "warm": "Warm", "near": "Near throttling", "slows": "Throttling",
}  # fmt: skip
LAYERS = (
    Source(Layer("inlet", "Inlet air", "number", "°C"), _inlets),
    Source(Layer("rise", "Rise of the air (ΔT)", "number", "°C"), _rises),
    Source(Layer("gpu_band", "Hottest GPU by band", "word", order=tuple(BAND_WORDS.values())), _bands),
    Source(Layer("slowed", "Slowed GPUs", "number", "GPUs"), _slowed),
)
