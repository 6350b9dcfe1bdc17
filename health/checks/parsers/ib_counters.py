"""The error counters of RDMA ports as the kernel shows them: files of /sys/class/infiniband, one value a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from health.checks.parsers import LONGEST_LINE, ParseError

WHERE = "/sys/class/infiniband"
_FILE = re.compile(r"(?:^|/)(\w+)/ports/(\d+)/(?:(?:hw_)?counters/(\w+)|link_layer)$")
_COUNT = re.compile(r"\d{1,20}")
_WORD = re.compile(r"\w+")


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
        path, _, said = line.rstrip().replace("=", ":").rpartition(":")
        port, counter = _file(path[:LONGEST_LINE])
        if port and counter and _COUNT.fullmatch(said):
            values.setdefault(port, {})[counter] = int(said)
        elif port and not counter and _WORD.fullmatch(said):
            layers[port] = said
    if not values:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(WHERE, f"no counter in the output: {first[:200]}")
    return tuple(PortCounters(*key, counters, layers.get(key)) for key, counters in values.items())


@lru_cache(maxsize=4096)
def _file(path: str) -> tuple[tuple[str, int] | None, str]:
    """((device, port), counter) of a file, no counter for that of the layer."""
    found = _FILE.search(path)
    return ((found.group(1), int(found.group(2))), found.group(3) or "") if found else (None, "")
