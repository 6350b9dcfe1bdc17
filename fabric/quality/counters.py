"""The counters of a port: what they are called by each tool, how far they count, and one reading of them. Pure.

The plain counters of InfiniBand are small and stop at their top (InfiniBand Architecture Specification, PortCounters):
link-downed ends at 255, symbol errors at 65,535. Newer ports count the same things in 64 bits, and the tools do not
always say which of the two they printed, so a value exactly at the small top is taken for one that stopped there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple


class Counter(NamedTuple):
    """One thing that is counted. `top` is where the small form of the counter stops; None: it has only a large one."""

    name: str
    title: str
    top: int | None
    aliases: tuple[str, ...]


COUNTERS: tuple[Counter, ...] = (
    Counter("symbol_errors", "symbol errors", 65_535, ("symbolerrorcounter", "symbolerrors", "symbolerror")),
    Counter(
        "link_recoveries", "link error recoveries", 255,
        ("linkerrorrecoverycounter", "linkrecovers", "linkerrorrecovery", "linkrecoveries"),
    ),
    Counter("link_downed", "link downed", 255, ("linkdownedcounter", "linkdowned", "linkdown", "linkdowncounter")),
    Counter("receive_errors", "receive errors", 65_535, ("portrcverrors", "rcverrors", "receiveerrors")),
    Counter(
        "remote_errors", "receive remote physical errors", 65_535,
        ("portrcvremotephysicalerrors", "rcvremotephyserrors", "rcvremotephysicalerrors"),
    ),
    Counter(
        "relay_errors", "receive switch relay errors", 65_535,
        ("portrcvswitchrelayerrors", "rcvswrelayerrors", "rcvswitchrelayerrors"),
    ),
    Counter(
        "discards", "transmit discards", 65_535,
        ("portxmitdiscards", "portxmitdiscard", "xmtdiscards", "xmitdiscards"),
    ),
    Counter(
        "integrity_errors", "local link integrity errors", 15,
        ("locallinkintegrityerrors", "linkintegrityerrors"),
    ),
    Counter(
        "overruns", "excessive buffer overruns", 15,
        ("excessivebufferoverrunerrors", "excbufoverrunerrors", "excessivebuffererrors"),
    ),
    Counter(
        "fec_corrected", "blocks corrected by FEC", None,
        ("fec_corrected", "portfeccorrectableblockcounter", "feccorrectableblockcounter", "portfeccorrectedblocks"),
    ),
    Counter(
        "fec_uncorrected", "blocks FEC could not correct", None,
        ("fec_uncorrected", "portfecuncorrectableblockcounter", "fecuncorrectableblockcounter"),
    ),
    Counter("transmit_words", "words sent", 2**32 - 1, ("portxmitdata", "xmtdata", "xmitdata")),
    Counter("receive_words", "words received", 2**32 - 1, ("portrcvdata", "rcvdata")),
)  # fmt: skip
BY_NAME = {counter.name: counter for counter in COUNTERS}
WORD_BYTES = 4  # the data counters count in words of four bytes

_FILLER = re.compile(r"[^a-z0-9]|extended$|^infiniband")


def _plain(name: str) -> str:
    return _FILLER.sub("", _FILLER.sub("", name.lower()))


_ALIASES = {_plain(alias): counter.name for counter in COUNTERS for alias in (counter.name, *counter.aliases)}


def known_counters(raw: Mapping[str, int]) -> dict[str, int]:
    """The counters among what a tool printed, by our names. Negative values are no counts and are left out.

    Where a tool gives the small and the large form of one counter, the larger value is the better count.
    """
    found: dict[str, int] = {}
    for name, value in raw.items():
        ours = _ALIASES.get(_plain(name))
        if ours is not None and value >= 0:
            found[ours] = max(value, found.get(ours, 0))
    return found


@dataclass(frozen=True, slots=True)
class Reading:
    """The counters of one port at one time, by our names; what was not told is not in them.

    `raw_ber`, `effective_ber` and `symbol_ber` are as the port itself reports them, before and after error correction.
    `quiet`: a tool that lists only ports above its thresholds looked at all ports and did not list this one.
    """

    at: datetime
    counters: Mapping[str, int] = field(default_factory=dict)
    raw_ber: float | None = None
    effective_ber: float | None = None
    symbol_ber: float | None = None
    port_c: float | None = None
    optic_c: float | None = None
    quiet: bool = False


def at_top(name: str, value: int) -> bool:
    """Whether a value is where the small form of its counter stops."""
    return BY_NAME[name].top == value
