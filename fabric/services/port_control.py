"""How a source takes ports out of use. One function per kind of source that can; the others cannot.

An order is safe to give twice: the source is told what should be, not what should change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fabric.facts import SeenPort
from fabric.models import FabricSource

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
        raise ControlRefused(f"{source.name} cannot take ports out of use.")
    _orders[source.kind](source, ports, action, out)
