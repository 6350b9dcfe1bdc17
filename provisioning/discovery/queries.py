"""Reads of discoveries, each in a fixed number of statements."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Count, Q, QuerySet

from access.models import AccessKind, Endpoint
from inventory.models import DeviceModel, Installation, Port, StrandEnd
from inventory.queries.cables import switch_ends
from provisioning.discovery.hardware import Machine
from provisioning.discovery.matching import Bmc, Found, Plan, SwitchPort, found
from provisioning.discovery.models import DiscoveredBmc, Discovery
from provisioning.discovery.parts import Expected, Slot, compared
from provisioning.discovery.states import ANSWERS, OPEN, WORDS, BmcState
from provisioning.intake.matching import Planned
from provisioning.intake.queries import planned


def discoveries() -> QuerySet[Discovery]:
    """With how many addresses each has, how many were asked, and behind how many a BMC stands."""
    return (
        Discovery.objects.select_related("site", "source")
        .annotate(
            addresses=Count("bmcs"),
            asked=Count("bmcs", filter=~Q(bmcs__state__in=OPEN)),
            found=Count("bmcs", filter=Q(bmcs__state__in=ANSWERS)),
            accepted=Count("bmcs", filter=Q(bmcs__accepted_at__isnull=False)),
        )
        .order_by("-id")
    )


def answered(discovery: Discovery) -> list[DiscoveredBmc]:
    """Those that have something to be shown: a BMC, or a lease that nobody answers for."""
    return list(discovery.bmcs.filter(Q(state__in=ANSWERS) | (Q(state=BmcState.UNREACHABLE) & ~Q(mac=""))))


def findings(discovery: Discovery, rows: Sequence[DiscoveredBmc]) -> list[Found]:
    """What each row means now, in the order given."""
    return found([bmc_of(row) for row in rows], plan_of(discovery.site_id))


def bmc_of(row: DiscoveredBmc) -> Bmc:
    state = BmcState(row.state)
    reason = "" if state is BmcState.READ else WORDS[state]
    detail = f" ({row.reason})" if row.reason and row.reason != reason and state is not BmcState.READ else ""
    told = Machine.of_document(row.told) if row.told else None
    return Bmc(
        row.number, row.address, row.mac, row.hostname, told, whole=state is BmcState.READ, reason=reason + detail
    )


def plan_of(site_id: int, *, parts: bool = True) -> Plan:
    """Seven statements; five without what each machine is made of."""
    overrides = dict(
        Endpoint.objects.filter(machine__device__site_id=site_id, kind=AccessKind.REDFISH)
        .exclude(address=None)
        .values_list("machine_id", "address")
    )
    machines = [replace(each, bmc_ip=overrides.get(each.id) or each.bmc_ip) for each in planned(site_id)]
    return Plan(tuple(machines), _ports(site_id), _expected(machines) if parts else {})


def parts_differ(site_id: int, rows: Sequence[DiscoveredBmc]) -> dict[int, str]:
    """In which parts these BMCs differ from who they are, by the id of the row. Seven statements at most, and of parts
    only those of these machines are read."""
    read = [row for row in rows if row.state == BmcState.READ and row.told]
    if not read:
        return {}
    who = {
        row.pk: each.planned
        for row, each in zip(read, found([bmc_of(row) for row in read], plan_of(site_id, parts=False)), strict=True)
    }
    expected = _expected([machine for machine in who.values() if machine is not None])
    differ = {}
    for row in read:
        machine = who[row.pk]
        if machine is not None and machine.id in expected:
            told = Machine.of_document(row.told or {}).parts
            differ[row.pk] = "; ".join(compared(told, expected[machine.id]).problems)[:500]
    return differ


def _ports(site_id: int) -> dict[int, SwitchPort]:
    """The switch port that the cable of each BMC leads to, in the plan as it is."""
    near = StrandEnd.objects.filter(
        port__device__site_id=site_id, port__kind=Port.Kind.BMC, change_set=None, port__device__kind="machine"
    ).values_list("connector__cable_id", "port__device_id")
    cables = dict(near)
    return {cables[cable]: (end.device.lower(), end.port.lower()) for cable, end in switch_ends(cables).items()}


def _expected(machines: Iterable[Planned]) -> dict[int, Expected]:
    """What the model of each machine has, and the serials of its parts as the inventory knows them."""
    plan = list(machines)
    models = {
        model.pk: _of_model(model.spec, model.gpu_type or "")
        for model in DeviceModel.objects.filter(pk__in={machine.model_id for machine in plan})
    }
    installed: dict[int, dict[str, str]] = defaultdict(dict)
    rows = Installation.objects.filter(device__in=[machine.id for machine in plan], during__endswith=None)
    for device, slot, serial in rows.values_list("device_id", "slot", "component__serial"):
        installed[device][slot] = serial
    return {
        machine.id: replace(models[machine.model_id], installed=installed[machine.id])
        for machine in plan
        if machine.model_id in models
    }


def _of_model(spec: dict[str, Any], gpu_type: str) -> Expected:
    slots = tuple(
        Slot(slot["name"], slot["kind"], slot.get("label") or "", slot.get("pci") or "")
        for slot in spec.get("slots", ())
    )
    return Expected(slots, gpu_type)
