"""Routes of this room: the floor map, machines, faults, sweeps, pools and the catalogue of checks."""

from __future__ import annotations

from django.urls import path
from rest_framework.routers import BaseRouter

from health.diagnostics import api as active
from health.diagnostics import ways_api
from health.external.api import ReportSourceViewSet, ReportsView
from health.insights.api.fleet import GoldenViewSet, drift, lemons
from health.insights.api.trends import availability, trends, trends_csv
from health.machines.api import PoolViewSet
from health.monitoring.api import kernel, policy, responses
from health.monitoring.api.faults import FaultViewSet, checks
from health.monitoring.api.responses import fault_classes
from health.monitoring.api.sweeps import SweepViewSet
from health.monitoring.api.watchdog import watchdog
from health.monitoring.images import api as images_api
from health.overview.api.catalogue import CatalogueDetailView, CatalogueView, MatrixCsvView, MatrixView
from health.overview.api.floor import elevation, elevations, floor
from health.overview.api.layers import floor_layers, floor_values
from health.overview.api.machines import MachineViewSet
from health.overview.api.past import floor_at, floor_strip, machine_at
from health.overview.api.timeline import timeline
from health.remediation.api import actions, automation
from health.schedulers import api as scheduler
from health.schedulers import board_api as scheduler_board


def register(router: BaseRouter) -> None:
    router.register("machines", MachineViewSet, basename="machine")
    router.register("faults", FaultViewSet, basename="fault")
    router.register("sweeps", SweepViewSet, basename="sweep")
    router.register("pools", PoolViewSet, basename="pool")
    policy.register(router)
    responses.register(router)
    active.register(router)
    ways_api.register(router)
    kernel.register(router)
    router.register("health/report-sources", ReportSourceViewSet, basename="report-source")
    router.register("health/golden", GoldenViewSet, basename="golden")
    scheduler.register(router)
    scheduler_board.register(router)
    actions.register(router)
    automation.register(router)


urlpatterns = [
    path("floor/", floor, name="floor"),
    path("floor/at/", floor_at, name="floor-at"),
    path("floor/strip/", floor_strip, name="floor-strip"),
    path("floor/layers/", floor_layers, name="floor-layers"),
    path("floor/values/", floor_values, name="floor-values"),
    path("racks/<int:pk>/elevation/", elevation, name="rack-elevation"),
    path("racks/elevations/", elevations, name="rack-elevations"),
    path("checks/", checks, name="checks"),
    path("health/fault-classes/", fault_classes, name="fault-classes"),
    path("health/active-checks/", active.active_checks, name="active-checks"),
    path("health/catalogue/", CatalogueView.as_view(), name="catalogue"),
    path("health/catalogue/<path:check>/", CatalogueDetailView.as_view(), name="catalogue-check"),
    path("health/matrix/", MatrixView.as_view(), name="matrix"),
    path("health/matrix.csv", MatrixCsvView.as_view(), name="matrix-csv"),
    path("health/scheduler/disagreements/", scheduler.disagreements, name="scheduler-disagreements"),
    path("health/scheduler/machines/<str:name>/check/", scheduler.check, name="scheduler-check"),
    path("scheduler/partitions/", scheduler_board.partitions, name="scheduler-partitions"),
    path("scheduler/floor/", scheduler_board.floor, name="scheduler-floor"),
    path("health/automation/", automation.automation_of_site, name="automation"),
    path("health/automation/kill/", automation.KillView.as_view(), name="automation-kill"),
    path("health/automation/release/", automation.ReleaseView.as_view(), name="automation-release"),
    path("health/automation/close-breaker/", automation.CloseBreakerView.as_view(), name="close-breaker"),
    path("health/automation/limits/", automation.LimitsView.as_view(), name="automation-limits"),
    path("health/remedies/", automation.remedies, name="remedies"),
    path("health/plan/", automation.plan, name="remediation-plan"),
    path("health/stuck/", automation.stuck, name="stuck"),
    path("health/reports/", ReportsView.as_view(), name="reports"),
    path("health/lemons/", lemons, name="lemons"),
    path("health/drift/", drift, name="drift"),
    path("health/images/", images_api.images, name="images"),
    path("health/images/machines/", images_api.image_machines, name="image-machines"),
    path("health/trends/", trends, name="trends"),
    path("health/trends.csv", trends_csv, name="trends-csv"),
    path("health/availability/", availability, name="availability"),
    path("health/watchdog/", watchdog, name="watchdog"),
    path("machines/<int:pk>/remedies/", actions.remedies_of_machine, name="machine-remedies"),
    path("machines/<int:pk>/at/", machine_at, name="machine-at"),
    path("machines/<int:pk>/timeline/", timeline, name="machine-timeline"),
]
