"""What machines of runs share with others, in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.db.models import Case, F, IntegerField, Q, QuerySet, Value, When

from inventory.models import Port, StrandEnd
from inventory.queries.cables import switch_ends
from provisioning.conf import config
from provisioning.engines import WAY, way_of
from provisioning.limits.models import ProvisioningLimits
from provisioning.limits.starts import Candidate, Kind, Share
from provisioning.steps import StepName, Way

RACK = "machine__device__placement__rack_id"


def none_of(site_id: int) -> ProvisioningLimits:
    """Those of a site that set none."""
    return ProvisioningLimits(site_id=site_id)


def stage_limits(site_ids: Sequence[int]) -> list[dict[str, timedelta]]:
    """Of each site the limits of stages that are not the usual ones."""
    rows = ProvisioningLimits.objects.filter(pk__in=site_ids).values_list("pk", "stages_s")
    own = {site: {stage: timedelta(seconds=after) for stage, after in stages_s.items()} for site, stages_s in rows}
    return [own.get(site, {}) for site in site_ids]


def candidates(rows: QuerySet[Any]) -> list[Candidate]:
    """Machines of runs, in the order of `rows`. Two statements, four where a site limits switches."""
    names = (
        "pk",
        "run_id",
        "run__limit",
        "run__site_id",
        "machine_id",
        "step",
        RACK,
        *(f"run__{name}" for name in WAY),
    )
    found = list(rows.values_list(*names))
    limits = {each.pk: each for each in ProvisioningLimits.objects.all()}
    by_switch = [machine for _, _, _, site, machine, *_ in found if site in limits and limits[site].a_switch]
    switches = switches_of(by_switch) if by_switch else {}
    a_rack = config().limit_a_rack

    def shares(site: int, machine: int, step: str, way: Way, rack: int | None) -> Iterable[Share]:
        own = limits.get(site) or none_of(site)
        if rack is not None:
            yield Share(Kind.RACK, rack, own.a_rack or a_rack)
        if own.a_switch and machine in switches:
            yield Share(Kind.SWITCH, switches[machine], own.a_switch)
        if own.a_mirror and way.fetches(StepName(step)):
            yield Share(Kind.MIRROR, site, own.a_mirror)

    return [
        Candidate(pk, run, limit, tuple(shares(site, machine, step, way_of(*way), rack)))
        for pk, run, limit, site, machine, step, rack, *way in found
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
    leads_to = switch_ends(cables)
    return {machine: leads_to[cable].device_id for cable, machine in cables.items() if cable in leads_to}
