"""Reads of runs that join, each in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.db.models import F, Prefetch, Q, QuerySet
from django.utils import timezone

from inventory.models import Installation, Machine, Port
from inventory.power.queries import site_graph
from provisioning import alike
from provisioning.boot import disks
from provisioning.engines import ENGINES
from provisioning.models import LogLine, Run, RunMachine, Step
from provisioning.steps import BY_NAME, FailureClass, Status, StepName

LOG_PAGE = 500
ALIKE_WITHIN = timedelta(hours=1)
HANGS_AFTER = 2
"""Silent looks in a row."""


def runs() -> QuerySet[Run]:
    """Runs with what their totals need."""
    return Run.objects.prefetch_related(
        Prefetch("machines", queryset=RunMachine.objects.only("pk", "run_id", "status"), to_attr="statuses")
    ).order_by("-id")


def machines_of_runs() -> QuerySet[RunMachine]:
    """Machines of runs with all of their steps and what was kept of their failures."""
    return RunMachine.objects.select_related("machine__device").prefetch_related("steps", "evidence")


def runs_with_machines() -> QuerySet[Run]:
    """Runs with their machines, each with the step at which it stands (`current`, a list of one)."""
    here = Prefetch("steps", queryset=Step.objects.filter(name=F("run_machine__step")), to_attr="current")
    machines = RunMachine.objects.select_related("machine__device").prefetch_related(here).order_by("pk")
    return runs().prefetch_related(Prefetch("machines", queryset=machines, to_attr="shown"))


def boot_disks(machines: Iterable[Machine]) -> dict[int, list[disks.Match] | disks.NoDisk]:
    """Where the system goes on machines whose device model says so, or why nowhere; one statement, none without such.

    `machines` with their device models.
    """
    rules = {machine.pk: _disk_rule(machine) for machine in machines}
    rules = {pk: rule for pk, rule in rules.items() if rule}
    if not rules:
        return {}
    serials: dict[int, dict[str, str]] = defaultdict(dict)
    rows = Installation.objects.filter(device__machine__in=rules, during__endswith=None, component__kind="nvme")
    for pk, slot, serial in rows.values_list("device__machine", "slot", "component__serial"):
        serials[pk][slot] = serial
    found: dict[int, list[disks.Match] | disks.NoDisk] = {}
    for pk, rule in rules.items():
        try:
            found[pk] = disks.matches_of(rule, serials[pk])
        except disks.NoDisk as error:
            found[pk] = error
    return found


def second_card(machine: Machine) -> str:
    """The MAC address of the Ethernet port that stands in for the boot port: the first other one, of the same speed
    where the boot port is in the inventory. Empty where none is known. One statement."""
    ports = Port.objects.filter(device_id=machine.pk, kind=Port.Kind.ETHERNET.value).exclude(mac="")
    found = list(ports.order_by("pk").values_list("mac", "speed_gbps"))
    speeds = {speed for mac, speed in found if mac.lower() == machine.boot_mac}
    others = (
        mac.lower() for mac, speed in found if mac.lower() != machine.boot_mac and (not speeds or speed in speeds)
    )
    return next(others, "") if machine.boot_mac else ""


def installed_by(machine_id: int) -> tuple[str, str]:
    """The engine that installed a machine last, and what; both empty for one that none did."""
    installing = [
        engine.slug for engine in ENGINES.values() if {StepName.INSTALL_DATA, StepName.DEPLOY} & {*engine.way.steps}
    ]
    done = RunMachine.objects.filter(machine_id=machine_id, status=Status.DONE.value, run__engine__in=installing)
    return done.order_by("-pk").values_list("run__engine", "run__image").first() or ("", "")


def _disk_rule(machine: Machine) -> dict[str, Any]:
    expected = (machine.device.model.spec or {}).get("expected") or {}
    rule = expected.get("boot_disks")
    return rule if isinstance(rule, dict) else {}


def log_after(run_machine_id: int, after: int, limit: int = LOG_PAGE) -> list[LogLine]:
    """Log lines with a number above `after`, oldest first."""
    return list(LogLine.objects.filter(run_machine_id=run_machine_id, n__gt=after).order_by("n")[:limit])


def troubles_alike(site_id: int, like: RunMachine | None = None) -> list[alike.Alike]:
    """What machines of a site's runs fail or hang at alike: those that failed within the hour, and that hang now.

    `like`: only those that could be of one kind with it.
    """
    failed = Q(status=Status.FAILED.value, finished_at__gte=timezone.now() - ALIKE_WITHIN)
    hangs = Q(status=Status.RUNNING.value, silent_looks__gte=HANGS_AFTER)
    rows = RunMachine.objects.filter(failed | hangs, run__site_id=site_id).order_by("-pk")
    if like is not None:
        rows = rows.filter(Q(failure_class=like.failure_class) | Q(failure_class=""), step=like.step)
    names = ("pk", "machine_id", "machine__device__name", "machine__device__placement__rack__name")
    found = list(_troubles(rows.values_list(*names, "step", "status", "failure_class")))
    return alike.groups(_with_feeds(site_id, found))


def _troubles(rows: Iterable[tuple[int, int, str, str | None, str, str, str]]) -> Iterable[alike.Trouble]:
    for pk, machine_id, name, rack, step, status, failure in rows:
        at = StepName(step)
        kind = FailureClass(failure) if status == Status.FAILED.value else BY_NAME[at].failure
        yield alike.Trouble(pk, machine_id, name, at, kind, rack or "")


def _with_feeds(site_id: int, troubles: Sequence[alike.Trouble]) -> list[alike.Trouble]:
    """With the power feeds of those without power, where they are so many that it may be the feed."""
    dark = [trouble for trouble in troubles if trouble.failure is FailureClass.NO_POWER]
    if len(dark) < alike.LEAST:
        return list(troubles)
    devices = dict(Machine.objects.filter(pk__in=[each.machine_id for each in dark]).values_list("pk", "device_id"))
    graph = site_graph(site_id)

    def feeds(trouble: alike.Trouble) -> frozenset[str]:
        device = graph.devices.get(devices[trouble.machine_id])
        return frozenset(graph.feeds[feed].name for feed in graph.feeds_of(device)) if device else frozenset()

    return [replace(each, feeds=feeds(each)) if each.failure is FailureClass.NO_POWER else each for each in troubles]


def alike_with(row: RunMachine) -> alike.Alike | None:
    """The group that a machine which failed belongs to; None when it is alone with it."""
    groups = troubles_alike(row.run.site_id, row)
    return next((each for each in groups if any(trouble.run_machine == row.pk for trouble in each.troubles)), None)
