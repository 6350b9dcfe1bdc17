"""Prometheus metrics of provisioning: one query each."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric

from provisioning.models import Run, RunMachine
from provisioning.steps import Status


def collect() -> Iterator[Metric]:
    runs = GaugeMetricFamily("rackside_runs", "Provisioning runs by status.", labels=["status"])
    counts = dict(Run.objects.values_list("status").annotate(Count("pk")).order_by())
    for status in Status:
        runs.add_metric([status.value], counts.get(status.value, 0))
    yield runs
    machines = GaugeMetricFamily(
        "rackside_run_machines",
        "Machines in provisioning runs by status and boot failure class.",
        labels=["status", "failure"],
    )
    rows = RunMachine.objects.values_list("status", "failure_class").annotate(Count("pk")).order_by()
    for status, failure, count in rows:
        machines.add_metric([status, failure], count)
    yield machines
