"""Routes of this room: the floor map, machines, faults, sweeps, pools and the catalogue of checks."""

from __future__ import annotations

from django.urls import path
from rest_framework.routers import BaseRouter

from health.api import actions, active, kernel, policy, remediation, responses, scheduler
from health.api.catalogue import CatalogueDetailView, CatalogueView, MatrixCsvView, MatrixView
from health.api.faults import FaultViewSet, PoolViewSet, checks
from health.api.fleet import GoldenViewSet, drift, lemons
from health.api.floor import elevation, elevations, floor
from health.api.machines import MachineViewSet
from health.api.reports import ReportSourceViewSet, ReportsView
from health.api.responses import fault_classes
from health.api.sweeps import SweepViewSet
from health.api.timeline import timeline
from health.api.trends import availability, trends, trends_csv
from health.api.watchdog import watchdog


def register(router: BaseRouter) -> None:
    router.register("machines", MachineViewSet, basename="machine")
    router.register("faults", FaultViewSet, basename="fault")
    router.register("sweeps", SweepViewSet, basename="sweep")
    router.register("pools", PoolViewSet, basename="pool")
    policy.register(router)
    responses.register(router)
    active.register(router)
    kernel.register(router)
    router.register("health/report-sources", ReportSourceViewSet, basename="report-source")
    router.register("health/golden", GoldenViewSet, basename="golden")
    scheduler.register(router)
    actions.register(router)
    remediation.register(router)


urlpatterns = [
    path("floor/", floor, name="floor"),
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
    path("health/automation/", remediation.automation_of_site, name="automation"),
    path("health/automation/kill/", remediation.KillView.as_view(), name="automation-kill"),
    path("health/automation/release/", remediation.ReleaseView.as_view(), name="automation-release"),
    path("health/automation/close-breaker/", remediation.CloseBreakerView.as_view(), name="close-breaker"),
    path("health/automation/limits/", remediation.LimitsView.as_view(), name="automation-limits"),
    path("health/remedies/", remediation.remedies, name="remedies"),
    path("health/plan/", remediation.plan, name="remediation-plan"),
    path("health/stuck/", remediation.stuck, name="stuck"),
    path("health/reports/", ReportsView.as_view(), name="reports"),
    path("health/lemons/", lemons, name="lemons"),
    path("health/drift/", drift, name="drift"),
    path("health/trends/", trends, name="trends"),
    path("health/trends.csv", trends_csv, name="trends-csv"),
    path("health/availability/", availability, name="availability"),
    path("health/watchdog/", watchdog, name="watchdog"),
    path("machines/<int:pk>/remedies/", actions.remedies_of_machine, name="machine-remedies"),
    path("machines/<int:pk>/timeline/", timeline, name="machine-timeline"),
]
