"""Reads of the floor in a fixed number of statements: machines, and of each BMC who it is, not what it is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from django.db.models import Q

from health.machines.lifecycle import State
from health.models import MachineHealth
from provisioning.discovery.hardware import Machine
from provisioning.discovery.matching import Bmc, Finding, Found, Plan, found
from provisioning.discovery.models import DiscoveredBmc, Discovery
from provisioning.discovery.queries import plan_of
from provisioning.discovery.states import ANSWERS, WORDS, BmcState
from provisioning.floor.places import Floor, Listed, Seen, floor_of, newest
from provisioning.intake.matching import matched
from provisioning.intake.models import Delivery, DeliveryItem
from provisioning.intake.queries import item_of

TOLD = ("serial", "uuid", "vendor", "model", "bmc_mac", "macs", "switch", "switch_port")


def floor(site_id: int) -> Floor:
    """What is known of each place of a site. Twelve statements."""
    plan = plan_of(site_id, parts=False)
    sources = Delivery.objects.filter(site_id=site_id).exists() or Discovery.objects.filter(site_id=site_id).exists()
    return floor_of(plan.machines, _settled(site_id), _seen(site_id, plan), _listed(site_id, plan), sources=sources)


def _settled(site_id: int) -> set[int]:
    """Accepted from a delivery or a discovery, or past their first run."""
    here = Q(machine__device__site_id=site_id)
    past = MachineHealth.objects.filter(here).exclude(state=State.NEW.value).values_list("machine_id")
    listed = DeliveryItem.objects.filter(here, accepted_at__isnull=False).values_list("machine_id")
    read = DiscoveredBmc.objects.filter(here, accepted_at__isnull=False).values_list("machine_id")
    return {pk for (pk,) in past.union(listed, read)}


def _listed(site_id: int, plan: Plan) -> list[Listed]:
    """Rows that nobody took over, each list beside the plan as its own page shows it."""
    rows = DeliveryItem.objects.filter(delivery__site_id=site_id, accepted_at=None).order_by("-delivery_id", "number")
    found_on: list[Listed] = []
    for delivery, items in groupby(rows, key=lambda row: row.delivery_id):
        found_on += [Listed(delivery, each) for each in matched([item_of(row) for row in items], plan.machines)]
    return found_on


# ---- discoveries ----


def _seen(site_id: int, plan: Plan) -> list[Seen]:
    """What the newest discovery that asked an address says of it, the newest discovery first."""
    columns = ("pk", "discovery_id", "state", "reason", "address", "mac", "hostname", "parts_differ", "accepted_at")
    rows = (
        DiscoveredBmc.objects.filter(discovery__site_id=site_id, state__in=[*ANSWERS, BmcState.UNREACHABLE])
        .order_by("address", "-discovery_id")
        .distinct("address")
        .values(*columns, *(f"told__{name}" for name in TOLD))
    )
    read = [(row, _bmc(row)) for row in rows]
    answers = [bmc for row, bmc in read if row["state"] != BmcState.UNREACHABLE]
    means = {each.bmc.number: each for each in (*found(answers, plan), *_silent(read, plan))}
    return newest(
        Seen(
            row["discovery_id"], BmcState(row["state"]), means[row["pk"]], row["parts_differ"],
            row["accepted_at"] is not None,
        )
        for row, _ in read
    )  # fmt: skip


def _bmc(row: Mapping[str, object]) -> Bmc:
    told = {name: row[f"told__{name}"] for name in TOLD}
    machine = Machine(**{**told, "macs": tuple(told["macs"] or ())}) if told["serial"] is not None else None  # type: ignore[arg-type]
    state = BmcState(str(row["state"]))
    reason = "" if state is BmcState.READ else WORDS[state]
    return Bmc(
        int(str(row["pk"])), str(row["address"]), str(row["mac"]), str(row["hostname"]), machine,
        whole=state is BmcState.READ, reason=reason,
    )  # fmt: skip


def _silent(read: Sequence[tuple[Mapping[str, object], Bmc]], plan: Plan) -> Iterator[Found]:
    """Addresses at which nothing answers, with the machine whose BMC the plan has there."""
    by_address = {machine.bmc_ip: machine for machine in plan.machines if machine.bmc_ip}
    by_mac = {machine.bmc_mac: machine for machine in plan.machines if machine.bmc_mac}
    for row, bmc in read:
        if row["state"] == BmcState.UNREACHABLE:
            yield Found(bmc, Finding.UNREAD, by_mac.get(bmc.mac) or by_address.get(bmc.address))
