"""Cables between two ports. Cables of several strands come from fleet files."""

from __future__ import annotations

from typing import Any

from core.models import Site
from inventory.models import Cable, Connector, Port, StrandEnd
from inventory.services.refusals import Refused, refusing


def create_cable(site: Site, fields: dict[str, Any], a: Port, b: Port) -> Cable:
    """Lay a cable from port a to port b. Raises Refused when a port has one, or both are the same."""
    _ports_fit(site, a, b)
    with refusing():
        cable = Cable.objects.create(site=site, **fields)
        _plug(cable, a, b)
    return cable


def update_cable(cable: Cable, fields: dict[str, Any], a: Port | None = None, b: Port | None = None) -> Cable:
    """Change a cable; with ports, both its ends move there. Raises Refused."""
    with refusing():
        cable = Cable.objects.select_for_update().get(pk=cable.pk)
        for name, value in fields.items():
            setattr(cable, name, value)
        cable.save()
        if a is not None and b is not None:
            _ports_fit(cable.site, a, b)
            StrandEnd.objects.filter(connector__cable=cable, change_set=None).delete()
            cable.connectors.all().delete()
            _plug(cable, a, b)
    return cable


def remove_cable(cable: Cable) -> None:
    cable.delete()


def _plug(cable: Cable, a: Port, b: Port) -> None:
    sides = Connector.objects.bulk_create([Connector(cable=cable, side=side) for side in "AB"])
    StrandEnd.objects.bulk_create(
        StrandEnd(connector=side, port=port) for side, port in zip(sides, (a, b), strict=True)
    )


def _ports_fit(site: Site, a: Port, b: Port) -> None:
    if a.pk == b.pk:
        raise Refused("b", "A cable has two different ports.")
    for field, port in (("a", a), ("b", b)):
        if port.device.site_id != site.pk:
            raise Refused(field, "The port is at another site.")
    kinds = {a.kind, b.kind}
    power = {str(Port.Kind.POWER_IN), str(Port.Kind.POWER_OUTLET)}
    if (kinds & power and kinds != power) or ("infiniband" in kinds and len(kinds) > 1):
        raise Refused("b", f"A cable cannot join {a.kind} and {b.kind}.")
