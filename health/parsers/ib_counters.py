"""The error counters of RDMA ports as the kernel shows them: files of /sys/class/infiniband, one value a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from health.parsers import ParseError

WHERE = "/sys/class/infiniband"
_VALUE = re.compile(r"(?:^|/)(\w+)/ports/(\d+)/(?:hw_)?counters/(\w+)[:=](\d{1,20})\s*$")
_LAYER = re.compile(r"(?:^|/)(\w+)/ports/(\d+)/link_layer[:=](\w+)\s*$")


@dataclass(frozen=True)
class PortCounters:
    """Counters by name of one port, and the layer it speaks."""

    device: str
    port: int
    values: Mapping[str, int]
    link_layer: str | None = None


def parse_ib_counters(text: str) -> tuple[PortCounters, ...]:
    """`PATH:VALUE` as grep prints it, or `PATH=VALUE`."""
    values: dict[tuple[str, int], dict[str, int]] = {}
    layers: dict[tuple[str, int], str] = {}
    for line in text.splitlines():
        if found := _VALUE.search(line):
            values.setdefault((found.group(1), int(found.group(2))), {})[found.group(3)] = int(found.group(4))
        elif found := _LAYER.search(line):
            layers[found.group(1), int(found.group(2))] = found.group(3)
    if not values:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(WHERE, f"no counter in the output: {first[:200]}")
    return tuple(PortCounters(*key, counters, layers.get(key)) for key, counters in values.items())
