"""What UFM reports beside the wiring: events, alarms, and readings of ports that are no counters."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from fabric.facts import SeenPort
from fabric.formats.common import padded
from fabric.formats.ufm import port_of

Row = Mapping[str, Any]

_OBJECT = re.compile(r"(?:0x)?\b([0-9a-fA-F]{16})(?:_(\d{1,3}))?\b")
_BER = {
    "raw": ("raw_ber", "Raw_BER", "raw_ber_per_lane"),
    "effective": ("eff_ber", "effective_ber", "Effective_BER"),
    "symbol": ("symbol_ber", "Symbol_BER"),
}
_TIMES = ("%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True, slots=True)
class UfmEvent:
    """One event or alarm. `at` is None when UFM's time cannot be read; `guid` and `port` where it is about one."""

    id: int
    at: datetime | None
    type: str  # UFM's number of the kind of event, as text
    name: str
    severity: str
    category: str
    object_name: str
    object_path: str
    text: str
    guid: str = ""
    port: int | None = None
    count: int | None = None
    standing: bool = False  # an alarm: it holds until what it tells of is over, and its time and count may grow


@dataclass(frozen=True, slots=True)
class PortReading:
    """What is measured at a port and does not count up: temperature of the plug, bit error ratios, FEC in use."""

    temperature_c: float | None = None
    ber: dict[str, float] = field(default_factory=dict)  # raw, effective, symbol
    fec: str = ""


def read_events(rows: Sequence[Row] | None, zone: tzinfo = UTC) -> list[UfmEvent]:
    """Events or alarms, oldest first. UFM writes its own local time without saying which: `zone` is the source's."""
    found = [event for row in rows or () if (event := _event(row, zone)) is not None]
    return sorted(found, key=lambda event: event.id)


def alarms_without_event(rows: Sequence[Row] | None, events: Sequence[UfmEvent], zone: tzinfo = UTC) -> list[UfmEvent]:
    """Alarms whose event UFM no longer lists: it forgets events sooner than what still stands."""
    told = {(event.type, event.guid, event.port) for event in events}
    alarms = [replace(alarm, standing=True) for alarm in read_events(rows, zone)]
    return [alarm for alarm in alarms if (alarm.type, alarm.guid, alarm.port) not in told]


def _event(row: Row, zone: tzinfo) -> UfmEvent | None:
    number = str(row.get("id", ""))
    if not number.isdecimal():
        return None
    name, path = (
        str(row.get("object_name") or row.get("related_object_name") or ""),
        str(row.get("object_path") or row.get("related_object_path") or ""),
    )
    text = str(row.get("description") or row.get("reason") or "")
    guid, at_port = _about(name, path, text)
    counted = str(row.get("event_count", row.get("counter")))
    return UfmEvent(
        id=int(number),
        at=_time(str(row.get("timestamp") or ""), zone),
        type=str(row.get("event_type") or row.get("type") or ""),
        name=str(row.get("name") or ""),
        severity=str(row.get("severity") or ""),
        category=str(row.get("category") or ""),
        object_name=name,
        object_path=path,
        text=text,
        guid=guid,
        port=at_port,
        count=int(counted) if counted.isdecimal() else None,
    )


def _about(*places: str) -> tuple[str, int | None]:
    """The GUID, and the port where it is told, from the first place that has one."""
    for place in places:
        match = _OBJECT.search(place)
        if match:
            return padded(match[1]), int(match[2]) if match[2] else None
    return "", None


def _time(text: str, zone: tzinfo) -> datetime | None:
    for form in _TIMES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC if form.endswith("Z") else zone)
        except ValueError:
            continue
    return None


def read_readings(rows: Sequence[Row] | None) -> dict[SeenPort, PortReading]:
    """Temperature, bit error ratios and FEC of each port that tells any of them, from `resources/ports`."""
    found = {}
    for row in rows or ():
        end = port_of(row)
        reading = _reading(row)
        if end is not None and reading != PortReading():
            found[end] = reading
    return found


def _reading(row: Row) -> PortReading:
    info = row.get("cable_info")
    inner = info.get("temperature") if isinstance(info, dict) else None
    temperature = _number(row.get("cable_temperature"))
    ber = {
        name: value
        for name, keys in _BER.items()
        if (value := next((n for key in keys if (n := _number(row.get(key))) is not None), None)) is not None
    }
    fec = str(row.get("fec_mode") or row.get("active_fec_mode") or row.get("fec") or "")
    return PortReading(temperature if temperature is not None else _number(inner), ber, fec)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(str(value).strip().rstrip("Cc°").strip())
    except ValueError:
        return None
    return number if math.isfinite(number) else None
