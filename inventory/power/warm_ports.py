"""Ports of switches that are warm, told by whoever reads their counters."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from core.registry import AllOffered


class WarmPort(NamedTuple):
    """A port of a switch, the hotter of port and optic."""

    device_id: int
    device: str
    port: str
    temperature_c: float


warm_ports = AllOffered[Callable[[int, float], list[WarmPort]]]()
"""Each lists the ports of a site that are warmer than so many °C."""
