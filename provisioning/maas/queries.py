"""How regions are reached, and what is expected of machines: for many at once in a fixed number of queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from core.outgoing.binding import Purpose
from core.outgoing.gate import Gate
from drivers.maas.client import MaasClient
from provisioning.deployers.hardware import Expected
from provisioning.deployers.queries import expected_of, kept_trust_of, login_of, sites_of
from provisioning.maas.models import MaasMachine, MaasRegion

ERASE: dict[str, tuple[str, ...]] = {
    MaasRegion.Erase.NONE: (),
    MaasRegion.Erase.QUICK: ("erase", "quick_erase"),
    MaasRegion.Erase.SECURE: ("erase", "secure_erase"),
    MaasRegion.Erase.FULL: ("erase",),
}
"""The options of MAAS's `release`; without a kind, `erase` writes over everything."""


NO_KEY = "none:none:none"


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
        trust = kept_trust_of(self.authorities)
        return MaasClient(self.url, self.api_key, trust=trust, timeout_s=timeout_s, total_s=total_s, gate=self.gate)


def enabled_regions() -> Sequence[int]:
    return list(MaasRegion.objects.filter(enabled=True).order_by("pk").values_list("pk", flat=True))


def has_region(site_id: int) -> bool:
    return MaasRegion.objects.filter(pk=site_id, enabled=True).exists()


def target_of(region: MaasRegion) -> MaasTarget:
    """The region itself. One whose key may not be used has a closed gate, which says why."""
    login = login_of(region, Purpose.MAAS)
    return MaasTarget(
        region.pk, region.url, login.secret or NO_KEY, region.authorities, login.gate, region.series,
        tuple(region.commissioning_scripts), ERASE[region.erase], region.enlist,
    )  # fmt: skip


def targets(machine_ids: Iterable[int], *, hardware: Iterable[int] = ()) -> dict[int, MaasTarget]:
    """By machine, of those whose site has a region that is enabled; for `hardware` with what is expected of it."""
    machines = sites_of(machine_ids)
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
