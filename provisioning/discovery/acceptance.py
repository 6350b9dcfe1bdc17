"""What was found is taken over into the inventory: before that nothing of it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from access.models import AccessKind, Endpoint
from inventory.kinds import Scope
from provisioning.discovery import queries
from provisioning.discovery.matching import ACCEPTABLE, ACCEPTED, Finding, Found
from provisioning.discovery.models import DiscoveredBmc, Discovery
from provisioning.intake.services import AcceptRefused, exchange, open_bmcs, write_machines

USUAL_PORT = 443
MACS = ("bmc_mac", "boot_mac")


@transaction.atomic
def accept(discovery_id: int, numbers: Sequence[int] | None, *, scope: Scope, actor: str) -> int:
    """Take over these BMCs, or all that match (None); returns how many. All of them or none.

    Of two that are exchanged either number takes both. Written are addresses, serials and UUID of the machine, and the
    serials of its parts where the inventory has none. A password that came with a delivery opens its BMC from then on.
    Raises AcceptRefused.
    """
    discovery = Discovery.objects.select_for_update().select_related("site").get(pk=discovery_id)
    rows = queries.answered(discovery)
    found = {each.bmc.number: each for each in queries.findings(discovery, rows)}
    open_rows = {row.number: row for row in rows if row.accepted_at is None}
    wanted = [n for n in open_rows if found[n].finding in ACCEPTED] if numbers is None else list(numbers)
    chosen = _with_others(wanted, found)
    reasons = {number: why for number in chosen if (why := _why_not(number, open_rows, found, chosen))}
    if reasons:
        raise AcceptRefused(reasons)
    _write(discovery, [found[number] for number in chosen], scope, actor)
    _reach(discovery, [found[number] for number in chosen])
    _keep([open_rows[number] for number in chosen], found, actor)
    return len(chosen)


def _with_others(numbers: Sequence[int], found: Mapping[int, Found]) -> list[int]:
    others = [found[n].other for n in numbers if n in found and found[n].finding is Finding.EXCHANGED]
    return list(dict.fromkeys([*numbers, *(number for number in others if number is not None)]))


def _why_not(number: int, rows: Mapping[int, DiscoveredBmc], found: Mapping[int, Found], chosen: Sequence[int]) -> str:
    if number not in rows:
        return "no such BMC, or it was taken over"
    each = found[number]
    if each.finding not in ACCEPTABLE or each.planned is None:
        return each.text or each.finding.value
    machines = Counter(found[n].planned.id for n in chosen if n in found and found[n].planned)  # type: ignore[union-attr]
    return f"two BMCs are {each.planned.name}" if machines[each.planned.id] > 1 else ""


def _write(discovery: Discovery, chosen: Sequence[Found], scope: Scope, actor: str) -> None:
    """Two machines that are exchanged give up their MACs first, because each is one machine's only.

    Raises AcceptRefused.
    """
    swapped = [each for each in chosen if each.finding is Finding.EXCHANGED and set(MACS) & set(each.changes)]
    for rows in (
        [(each, dict.fromkeys(MACS)) for each in swapped],
        [(each, fields) for each in chosen if (fields := _fields(each))],
    ):
        named = [(each.bmc.number, each.planned.name, fields) for each, fields in rows if each.planned]
        write_machines(discovery.site, named, scope=scope, actor=actor)


def _fields(each: Found) -> dict[str, Any]:
    """What acceptance writes of one; the plan's UUID is taken away where none was told."""
    fields: dict[str, Any] = {**each.changes, **({"parts": list(each.parts)} if each.parts else {})}
    return fields | ({"system_uuid": None} if fields.get("system_uuid") == "" else {})


def _reach(discovery: Discovery, chosen: Sequence[Found]) -> None:
    """Where its BMC is asked from now on: an own port, and the password that came with the machine."""
    machines = [each.planned.id for each in chosen if each.planned is not None]
    if discovery.port != USUAL_PORT:
        Endpoint.objects.bulk_create(
            [Endpoint(machine_id=pk, kind=AccessKind.REDFISH, port=discovery.port) for pk in machines],
            update_conflicts=True,
            unique_fields=["machine", "kind"],
            update_fields=["port"],
        )
    by_number = {each.bmc.number: each for each in chosen}
    for each in chosen:
        other = by_number.get(each.other or 0)
        if each.planned and other and other.planned and each.bmc.number < other.bmc.number:
            exchange(each.planned.id, other.planned.id)
    open_bmcs(machines)


def _keep(rows: Sequence[DiscoveredBmc], found: Mapping[int, Found], actor: str) -> None:
    now = timezone.now()
    for row in rows:
        planned = found[row.number].planned
        row.machine_id = planned.id if planned else None
        row.accepted_at, row.accepted_by = now, actor
    DiscoveredBmc.objects.bulk_update(rows, ["machine", "accepted_at", "accepted_by"])
