"""How full each limit is now, and which machines wait for it. A fixed number of statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.models import Site
from inventory.models import Device, Rack
from provisioning.conf import config
from provisioning.limits.queries import candidates
from provisioning.limits.starts import Kind, Share, UnderWay
from provisioning.models import Run, RunMachine
from provisioning.steps import Status, StepName

MOST_WAITING = 2000
"""Machines that wait are read in the order of their runs; as many as a run may have."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A machine that a limit holds."""

    run_machine: int
    run: int
    machine: int
    name: str


@dataclass(frozen=True, slots=True)
class Use:
    """A limit that has machines under way, or holds some; `waiting` in the order of their runs."""

    share: Share
    name: str
    under_way: int
    waiting: tuple[Waiting, ...]

    @property
    def is_full(self) -> bool:
        return self.under_way >= self.share.most


def under_way() -> UnderWay:
    """Who takes room now: not a machine whose BMC has not said a word yet, which would take that of another.

    The lock of those who start machines first, where somebody is started by it.
    """
    running = RunMachine.objects.filter(status=Status.RUNNING.value).exclude(
        step=StepName.IDENTITY.value, silent_looks__gt=0
    )
    now = UnderWay(config().limit_all_runs)
    for machine in candidates(running):
        now.add(machine)
    return now


def use_at(site: Site, run_id: int | None = None) -> list[Use]:
    """The limits that concern a site, those that hold most machines first. `run_id`: only what holds machines of it."""
    now = under_way()
    waits = RunMachine.objects.filter(status=Status.WAITING.value, run__site=site).order_by("pk")
    waits = waits if run_id is None else waits.filter(run_id=run_id)
    held: dict[Share, list[int]] = defaultdict(list)
    for machine in candidates(waits[:MOST_WAITING]):
        for share in now.held_by(machine):
            held[share].append(machine.id)
    shares = {*held} if run_id is not None else {*held, *now.shares()}
    names = _names(site, shares)
    machines = _waiting({pk for ids in held.values() for pk in ids})
    found = [
        Use(share, names[share], now.used(share), tuple(machines[pk] for pk in held[share] if pk in machines))
        for share in shares
        if share in names
    ]
    widest = list(Kind)
    return sorted(
        found,
        key=lambda each: (
            -len(each.waiting), not each.is_full, -each.under_way, widest.index(each.share.kind), each.name,
        ),
    )  # fmt: skip


def _waiting(ids: Iterable[int]) -> dict[int, Waiting]:
    rows = RunMachine.objects.filter(pk__in=ids).values_list("pk", "run_id", "machine_id", "machine__device__name")
    return {row[0]: Waiting(*row) for row in rows}


def _names(site: Site, shares: Iterable[Share]) -> Mapping[Share, str]:
    """What people call them; those of other sites are left out."""
    ids: dict[Kind, list[int]] = defaultdict(list)
    for share in shares:
        ids[share.kind].append(share.id)
    named: dict[Kind, Mapping[int, str]] = {
        Kind.ALL_RUNS: {0: ""},
        Kind.RUN: {run.pk: str(run) for run in Run.objects.filter(site=site, pk__in=ids[Kind.RUN])},
        Kind.RACK: dict(Rack.objects.filter(room__site=site, pk__in=ids[Kind.RACK]).values_list("pk", "name")),
        Kind.SWITCH: dict(Device.objects.filter(site=site, pk__in=ids[Kind.SWITCH]).values_list("pk", "name")),
        Kind.MIRROR: {site.pk: ""},
    }
    return {share: named[share.kind][share.id] for share in shares if share.id in named[share.kind]}
