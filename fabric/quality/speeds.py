"""Bits per second of a link from its width and speed as the tools name them. Pure."""

from __future__ import annotations

import re

# Signalling per lane in Gb/s (InfiniBand roadmap and architecture specification).
LANE_GBPS = {
    "SDR": 2.5, "DDR": 5.0, "QDR": 10.0, "FDR10": 10.3125, "FDR": 14.0625, "EDR": 25.78125, "HDR": 53.125,
    "NDR": 106.25, "XDR": 212.5,
}  # fmt: skip
_WIDTH = re.compile(r"(\d{1,2})x", re.IGNORECASE)
_GBPS = re.compile(r"(\d+(?:\.\d+)?) ?(?:gbps|gb/s|g)?", re.IGNORECASE)


def link_gbps(width: str, speed: str) -> float | None:
    """Gb/s on the wire of a link such as 4x NDR; None when one of the two is not known.

    A speed in Gb/s per lane, as some tools print it, is taken as it is.
    """
    lanes = _WIDTH.fullmatch(width.strip())
    if lanes is None:
        return None
    name = speed.strip().upper()
    lane = LANE_GBPS.get(name)
    if lane is None and (number := _GBPS.fullmatch(speed.strip())):
        lane = float(number.group(1))
    return None if not lane else int(lanes.group(1)) * lane
