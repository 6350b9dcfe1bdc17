"""How a source takes ports out of use. One function per kind of source that can; the others cannot.

An order is safe to give twice: the source is told what should be, not what should change.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from drivers.https import ApplianceError, BadStatus, SignInRefused
from drivers.ufm import UfmClient
from fabric.discovery.models.seen import SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.readers import SourceUnreadable
from fabric.discovery.services.ufm import client_of
from fabric.facts import SeenPort
from fabric.ports.models import PortAction

Order = Callable[[FabricSource, Sequence[SeenPort], str, bool], None]
"""Source, ports, `isolate` or `disable`, and whether they are to be out of use. Raises one of the two below."""


class ControlRefused(Exception):
    """The source answered that it will not, with its reason."""


class ControlSilent(Exception):
    """The source did not answer: what it did is not known."""


_orders: dict[str, Order] = {}


def can_take_out(kind: str) -> Callable[[Order], Order]:
    """Register the order of a kind of source."""

    def register(order: Order) -> Order:
        _orders[kind] = order
        return order

    return register


def controls(source: FabricSource) -> bool:
    return source.kind in _orders


def order_ports(source: FabricSource, ports: Sequence[SeenPort], action: str, *, out: bool) -> None:
    """Take ports out of use, or back into use. Raises ControlRefused or ControlSilent."""
    if not controls(source):
        raise ControlRefused(f"{source.name} cannot disable ports.")
    _orders[source.kind](source, ports, action, out)


@can_take_out(FabricSource.Kind.UFM)
def order_ufm(source: FabricSource, ports: Sequence[SeenPort], action: str, out: bool) -> None:
    """Tell UFM which ports are unhealthy. Only ports of switches: UFM names those of adapters by another GUID, and one
    end is enough to take a link out of use."""
    guids = {port.guid for port in ports}
    seen = SeenNode.objects.filter(source=source, guid__in=guids, kind="switch", during__endswith=None)
    switches = set(seen.values_list("guid", flat=True))
    names = [f"{port.guid}_{port.port}" for port in ports if port.guid in switches]
    if not names:
        raise ControlRefused("neither end is a port of a switch that was seen")
    try:
        asyncio.run(_tell_ufm(client_of(source), names, action, out))
    except (SignInRefused, SourceUnreadable) as error:
        raise ControlRefused(str(error)) from error
    except BadStatus as error:
        if error.status >= 500:
            raise ControlSilent(str(error)) from error
        raise ControlRefused(str(error)) from error
    except ApplianceError as error:
        raise ControlSilent(str(error)) from error


async def _tell_ufm(client: UfmClient, names: Sequence[str], action: str, out: bool) -> None:
    async with client:
        if not out:
            await client.stop_isolating(names)
        elif action == PortAction.Action.DISABLE:
            await client.stop_discovering(names)
        else:
            await client.isolate(names)
