"""Prometheus metrics of power and cooling: what is measured now, as it was read; nothing is copied from Prometheus."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from facility.findings.models import Finding
from facility.meters.models import Meter
from facility.meters.rounds import is_fresh, shown_state

SUMS = {
    "power_w": ("rackside_rack_power_watts", "What a rack draws, where all of it is measured."),
    "limit_w": ("rackside_rack_power_limit_watts", "What a rack may draw."),
    "inlet_c": ("rackside_rack_inlet_celsius", "The warmest inlet of a rack."),
    "hottest_gpu_c": ("rackside_rack_hottest_gpu_celsius", "The hottest GPU of a rack."),
    "slowed": ("rackside_rack_slowed_gpus", "GPUs of a rack whose clocks are held down, where all of them tell."),
}
AT_LEAST = {"power_w": "at_least", "slowed": "slowed_at_least"}
"""Which of them may be a lower bound, and what says so: a series that is too low now and then is no series."""


def collect() -> Iterator[Metric]:
    """Two statements. A value that is not known, or too old, is not told."""
    now = timezone.now()
    labels = ["site", "room", "rack"]
    families = {name: GaugeMetricFamily(*told, labels=labels) for name, told in SUMS.items()}
    pue = GaugeMetricFamily("rackside_site_pue", "What a site takes by what its machines draw.", labels=["site"])
    age = GaugeMetricFamily("rackside_meter_age_seconds", "Age of what a meter told last.", labels=["site", "meter"])
    good = GaugeMetricFamily("rackside_meter_ok", "1 when a meter tells all its values now.", labels=["site", "meter"])
    meters = (
        Meter.objects.filter(enabled=True).exclude(kind=Meter.Kind.MACHINE).select_related("told", "site", "rack__room")
    )
    for meter in meters.order_by("pk"):
        told = getattr(meter, "told", None)
        named = [meter.site.slug, meter.name]
        if meter.kind in Meter.ASKED:
            good.add_metric(named, float(told is not None and shown_state(meter, now) == Meter.State.OK))
            if told is not None:
                age.add_metric(named, (now - told.at).total_seconds())
        elif told is not None and is_fresh(told.at, meter.period_s, now):
            if meter.kind == Meter.Kind.RACK and meter.rack is not None:
                for name, family in families.items():
                    value = told.memory.get(name)
                    if value is not None and not told.memory.get(AT_LEAST.get(name, "")):
                        family.add_metric([meter.site.slug, meter.rack.room.name, meter.rack.name], value)
            elif meter.kind == Meter.Kind.SITE and told.memory.get("pue") is not None:
                pue.add_metric([meter.site.slug], told.memory["pue"])
    yield from families.values()
    yield from (pue, age, good)
    findings = GaugeMetricFamily("rackside_power_findings", "Open findings.", labels=["site", "kind"])
    rows = Finding.objects.filter(closed_at=None).values_list("site__slug", "kind").order_by().annotate(Count("pk"))
    for site, kind, count in rows:
        findings.add_metric([site, kind], count)
    yield findings
