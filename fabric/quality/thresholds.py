"""The limits by which a link is judged, each with its unit and its source. Pure.

A site may override any of them by name; `from_options` refuses names that do not exist and numbers that are none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from typing import Any


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits; a measure at its limit has reached it."""

    symbol_errors_watch_per_h: float = 10
    symbol_errors_bad_per_h: float = 120
    symbol_errors_bad_per_s: float = 10
    downs_watch_per_day: int = 1
    downs_bad_per_day: int = 2
    recoveries_watch_per_min: float = 5
    receive_errors_watch_per_s: float = 10
    integrity_bad: int = 1
    overruns_bad: int = 1
    uncorrected_watch_per_h: float = 1
    uncorrected_bad_per_h: float = 10
    ber_watch: float = 1e-14
    ber_bad: float = 1e-12
    raw_ber_watch: float = 1e-5
    raw_ber_bad: float = 1e-4
    ber_after_s: float = 600
    port_hot_c: float = 80
    optic_hot_c: float = 75
    fresh_s: float = 1800


SOURCES: dict[str, str] = {
    "symbol_errors_watch_per_h": "a twelfth of what is bad",
    "symbol_errors_bad_per_h": "120 in an hour: the error rate of 1e-12 that InfiniBand allows, and NVSentinel's limit",
    "symbol_errors_bad_per_s": "NVSentinel, health monitor of network adapters",
    "downs_watch_per_day": "one loss of the link in a day",
    "downs_bad_per_day": "a second loss of the link in a day",
    "recoveries_watch_per_min": "NVSentinel, health monitor of network adapters",
    "receive_errors_watch_per_s": "NVSentinel, health monitor of network adapters",
    "integrity_bad": "NVSentinel: any increase",
    "overruns_bad": "NVSentinel: any increase",
    "uncorrected_watch_per_h": "a block that error correction could not save is a lost packet",
    "uncorrected_bad_per_h": "ours",
    "ber_watch": "cables are tested to 1e-15; ours leaves one decade",
    "ber_bad": "InfiniBand Architecture Specification: 1e-12",
    "raw_ber_watch": "ours: before correction PAM4 links live with 1e-8 to 1e-6",
    "raw_ber_bad": "the code of 400 Gb/s links corrects up to about 2e-4",
    "ber_after_s": "below ten minutes too few bits have moved to tell 1e-14 from 1e-12",
    "port_hot_c": "ours",
    "optic_hot_c": "ours: 5 K above 70 °C, the case limit of most optical modules",
    "fresh_s": "without a reading for so long nothing is known of a link",
}

WINDOWS: dict[str, timedelta] = {
    "5m": timedelta(minutes=5),
    "1h": timedelta(hours=1),
    "1d": timedelta(days=1),
}
"""The windows of the rates, the shortest first."""


class ThresholdError(ValueError):
    """A limit that does not exist, or that is no positive number."""


def from_options(options: Mapping[str, Any]) -> Thresholds:
    """The limits with some replaced. Raises ThresholdError."""
    known = {field.name: field.type for field in fields(Thresholds)}
    for name, value in options.items():
        if name not in known:
            raise ThresholdError(f"There is no limit {name}.")
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
            raise ThresholdError(f"{name} is a number above 0.")
    return replace(Thresholds(), **options)
