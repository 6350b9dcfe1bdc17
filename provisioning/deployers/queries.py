"""How a site's MAAS or Ironic is opened, and what is expected of machines: for many in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from access.logins import Login, closed, opened
from core.outgoing.binding import Purpose, Refused
from core.outgoing.permits import permit
from drivers.https import trust_of
from inventory.models import Component, Installation, Machine
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec
from provisioning.deployers.hardware import Expected
from provisioning.deployers.models import Deployer

kept_trust_of = lru_cache(maxsize=32)(trust_of)


def login_of(row: Deployer, purpose: Purpose) -> Login:
    """What opens it. Where it may not be used the gate is closed, which says why. Who stored none asks without."""
    try:
        if row.credential is None:
            return Login("", "", permit(None, None, row.url, site=row.pk))
        return opened(row.credential, purpose, site=row.pk).at(row.url)
    except Refused as error:
        return closed(str(error))


def sites_of(machine_ids: Iterable[int]) -> dict[int, int]:
    return dict(Machine.objects.filter(pk__in=list(machine_ids)).values_list("pk", "device__site_id"))


def expected_of(machine_ids: Iterable[int]) -> dict[int, Expected]:
    ids = list(machine_ids)
    if not ids:
        return {}
    serials: dict[int, set[str]] = defaultdict(set)
    rows = Installation.objects.filter(
        device__machine__in=ids, during__endswith=None, component__kind=Component.Kind.NVME
    ).exclude(component__serial="")
    for pk, serial in rows.values_list("device__machine", "component__serial"):
        serials[pk].add(serial.upper())
    machines = Machine.objects.filter(pk__in=ids).select_related("device__model")
    return {machine.pk: _expected(machine, frozenset(serials[machine.pk])) for machine in machines}


def _expected(machine: Machine, serials: frozenset[str]) -> Expected:
    spec, unread = None, ""
    try:
        spec = DeviceModelSpec.from_dict(machine.device.model.spec) if machine.device.model.spec else None
    except DeviceModelError as error:
        unread = str(error)
    told = spec.expected if spec is not None else {}
    return Expected(
        cpus=told.get("cpus"),
        memory_gib=told.get("memory_gib"),
        nvme=len([slot for slot in spec.slots_of("nvme") if slot.required is not False]) if spec is not None else 0,
        nvme_serials=serials,
        boot_mac=machine.boot_mac,
        unread=unread,
    )
