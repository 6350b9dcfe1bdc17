"""What machines of runs share with others, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When

from inventory.models import Port, StrandEnd
from provisioning.conf import config
from provisioning.limits.models import ProvisioningLimits
from provisioning.limits.starts import Candidate, Kind, Share
from provisioning.steps import StepName, fetches

COLUMNS = ("pk", "run_id", "run__limit", "run__site_id", "machine_id", "step")
RACK = "machine__device__placement__rack_id"


def none_of(site_id: int) -> ProvisioningLimits:
    """Those of a site that set none."""
    return ProvisioningLimits(site_id=site_id)


def stage_limits(site_ids: Sequence[int]) -> dict[str, timedelta]:
    """Limits of stages that are not the usual ones; of several sites the longest, so that none is late too early."""
    found: dict[str, timedelta] = {}
    for stages_s in ProvisioningLimits.objects.filter(pk__in=site_ids).values_list("stages_s", flat=True):
        for stage, seconds in stages_s.items():
            found[stage] = max(found.get(stage, timedelta(0)), timedelta(seconds=seconds))
    return found


def candidates(rows: QuerySet[Any]) -> list[Candidate]:
    """Machines of runs, in the order of `rows`. Two statements, four where a site limits switches."""
    found = list(rows.values_list(*COLUMNS, RACK))
    limits = {each.pk: each for each in ProvisioningLimits.objects.all()}
    by_switch = [machine for _, _, _, site, machine, *_ in found if site in limits and limits[site].a_switch]
    switches = switches_of(by_switch) if by_switch else {}
    a_rack = config().limit_a_rack

    def shares(site: int, machine: int, step: str, rack: int | None) -> Iterable[Share]:
        own = limits.get(site) or none_of(site)
        if rack is not None:
            yield Share(Kind.RACK, rack, own.a_rack or a_rack)
        if own.a_switch and machine in switches:
            yield Share(Kind.SWITCH, switches[machine], own.a_switch)
        if own.a_mirror and fetches(StepName(step)):
            yield Share(Kind.MIRROR, site, own.a_mirror)

    return [
        Candidate(pk, run, limit, tuple(shares(site, machine, step, rack)))
        for pk, run, limit, site, machine, step, rack in found
    ]


def switches_of(machine_ids: Iterable[int]) -> Mapping[int, int]:
    """The switch to which the cable of each machine's boot port leads in the plan, else that of its BMC. A machine
    without such a cable is not there. Two statements."""
    is_boot = Q(port__mac=F("port__device__machine__boot_mac")) & ~Q(port__mac="")
    near = (
        StrandEnd.objects.filter(is_boot | Q(port__kind=Port.Kind.BMC), change_set=None)
        .filter(port__device_id__in=list(machine_ids))
        .annotate(is_boot=Case(When(is_boot, then=Value(1)), default=Value(0), output_field=IntegerField()))
        .order_by("is_boot")
        .values_list("connector__cable_id", "port__device__machine__pk")
    )
    cables = dict(near)
    far = StrandEnd.objects.filter(connector__cable_id__in=cables, change_set=None, port__device__kind="switch")
    leads_to = dict(far.values_list("connector__cable_id", "port__device_id"))
    return {machine: leads_to[cable] for cable, machine in cables.items() if cable in leads_to}
