"""Ports of switches that are warm, told by whoever reads their counters."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from core.registry import AllOffered


class WarmPort(NamedTuple):
    """A port of a switch, the hotter of port and optic."""

    device_id: int
    device: str
    port: str
    temperature_c: float


class WarmPorts(NamedTuple):
    """The ports that are warm now, and the devices of which nobody knows: what was told of them is too old."""

    ports: list[WarmPort]
    not_known: frozenset[int] = frozenset()


warm_ports = AllOffered[Callable[[int, float, datetime], WarmPorts]]()
"""Each tells which ports of a site are warmer than so many °C now."""
