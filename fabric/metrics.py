"""Prometheus metrics of the fabric: the age of each source's newest good look, links by state, findings by kind."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from fabric.models import FabricLink, FabricSource, Finding


def collect() -> Iterator[Metric]:
    """Three statements."""
    labels = ["site", "source"]
    age = GaugeMetricFamily(
        "rackside_fabric_discovery_age_seconds", "Age of the last good discovery run.", labels=labels
    )
    good = GaugeMetricFamily(
        "rackside_fabric_source_ok",
        "1 when the newest discovery run of the source is trusted.",
        labels=[*labels, "state"],
    )
    now = timezone.now()
    for source in FabricSource.objects.filter(enabled=True).select_related("site").order_by("pk"):
        named = [source.site.slug, source.name]
        if source.last_good_at is not None:
            age.add_metric(named, (now - source.last_good_at).total_seconds())
        good.add_metric([*named, source.state], float(source.state == FabricSource.State.OK))
    yield age
    yield good
    links = GaugeMetricFamily("rackside_fabric_links", "Links by state.", labels=[*labels, "state"])
    rows = FabricLink.objects.values_list("source__site__slug", "source__name", "state").order_by()
    for site, name, state, count in rows.annotate(Count("pk")):
        links.add_metric([site, name, state], count)
    yield links
    findings = GaugeMetricFamily(
        "rackside_fabric_findings", "Findings that are not closed.", labels=["site", "kind", "state"]
    )
    alive = Finding.objects.exclude(state=Finding.State.CLOSED).values_list("site__slug", "kind", "state").order_by()
    for site, kind, state, count in alive.annotate(Count("pk")):
        findings.add_metric([site, kind, state], count)
    yield findings
