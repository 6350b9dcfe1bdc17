"""How regions are reached, and what is expected of machines: for many at once in a fixed number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from access.logins import Login, closed, opened
from core.outgoing.binding import Purpose, Refused
from core.outgoing.gate import Gate
from drivers.https import trust_of
from drivers.maas.client import MaasClient
from inventory.models import Component, Installation, Machine
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec
from provisioning.maas.hardware import Expected
from provisioning.maas.models import MaasMachine, MaasRegion

_trusts = lru_cache(maxsize=32)(trust_of)
ERASE: dict[str, tuple[str, ...]] = {
    MaasRegion.Erase.NONE: (),
    MaasRegion.Erase.QUICK: ("erase", "quick_erase"),
    MaasRegion.Erase.SECURE: ("erase", "secure_erase"),
    MaasRegion.Erase.FULL: ("erase",),
}
"""The options of MAAS's `release`; without a kind, `erase` writes over everything."""


@dataclass(frozen=True, slots=True)
class MaasTarget:
    """What the client of a site's region needs, and MAAS's record of one machine where it is known."""

    region: int
    url: str
    api_key: str = field(repr=False)
    authorities: str
    gate: Gate
    series: str = "jammy"
    scripts: tuple[str, ...] = ()
    erase: tuple[str, ...] = ()
    enlists: bool = False
    system_id: str = ""
    hostname: str = ""
    expected: Expected = field(default_factory=Expected)

    def client(self, timeout_s: float = 8, total_s: float = 30) -> MaasClient:
        """Raises ApplianceError for a key that is none."""
        trust = _trusts(self.authorities)
        return MaasClient(self.url, self.api_key, trust=trust, timeout_s=timeout_s, total_s=total_s, gate=self.gate)


def enabled_regions() -> Sequence[int]:
    return list(MaasRegion.objects.filter(enabled=True).order_by("pk").values_list("pk", flat=True))


def has_region(site_id: int) -> bool:
    return MaasRegion.objects.filter(pk=site_id, enabled=True).exists()


def target_of(region: MaasRegion) -> MaasTarget:
    """The region itself. One whose key may not be used has a closed gate, which says why."""
    try:
        if region.credential is None:
            raise Refused("No API key is stored.")
        login = opened(region.credential, Purpose.MAAS, site=region.pk).at(region.url)
    except Refused as error:
        login = closed(str(error))
        login = Login("", "none:none:none", login.gate)
    return MaasTarget(
        region.pk, region.url, login.secret, region.authorities, login.gate, region.series,
        tuple(region.commissioning_scripts), ERASE[region.erase], region.enlist,
    )  # fmt: skip


def targets(machine_ids: Iterable[int], *, hardware: Iterable[int] = ()) -> dict[int, MaasTarget]:
    """By machine, of those whose site has a region that is enabled; for `hardware` with what is expected of it."""
    machines = dict(Machine.objects.filter(pk__in=list(machine_ids)).values_list("pk", "device__site_id"))
    rows = MaasRegion.objects.filter(pk__in=set(machines.values()), enabled=True).select_related("credential")
    regions = {row.pk: target_of(row) for row in rows}
    known = {row.machine_id: row for row in MaasMachine.objects.filter(machine_id__in=machines)}
    expected = expected_of(hardware)
    found = {}
    for pk, site_id in machines.items():
        if site_id in regions:
            record = known.get(pk)
            same = record is not None and record.region_id == site_id
            found[pk] = replace(
                regions[site_id],
                system_id=record.system_id if record and same else "",
                hostname=record.hostname if record and same else "",
                expected=expected.get(pk, Expected()),
            )
    return found


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
