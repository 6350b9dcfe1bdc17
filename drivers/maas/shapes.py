"""What MAAS answers, as typed values. Pure; whatever cannot be read raises NotJson with the field that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from drivers.https import NotJson
from drivers.maas.states import SCRIPT_FAILED, Means, meaning

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Disk:
    """A physical block device. `size` in bytes."""

    name: str
    serial: str
    size: int


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine as MAAS has it. `macs` are those of its physical interfaces, in lower case; `memory_mib` and `cpus`
    (threads) are 0 before it was commissioned. `commissioned` is the number of its newest commissioning, 0 for none."""

    system_id: str
    hostname: str
    status: int
    status_name: str
    status_message: str
    hardware_uuid: str
    serial: str
    macs: frozenset[str]
    cpus: int
    memory_mib: int
    disks: tuple[Disk, ...]
    commissioned: int
    locked: bool
    owner: str
    power_state: str

    @property
    def means(self) -> Means:
        return meaning(self.status)

    @property
    def said(self) -> str:
        """Its state in MAAS's words, with what MAAS says about it."""
        message = self.status_message.strip()
        return self.status_name if message in ("", self.status_name) else f"{self.status_name}: {message}"


@dataclass(frozen=True, slots=True)
class Event:
    """One line of MAAS's log of a machine."""

    id: int
    system_id: str
    level: str
    kind: str
    description: str


@dataclass(frozen=True, slots=True)
class Version:
    version: str
    capabilities: tuple[str, ...]


def _object(value: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise NotJson(f"MAAS's answer has no {what} that can be read")
    return value


def _objects(value: Any, what: str) -> list[Mapping[str, Any]]:
    if not isinstance(value, list):
        raise NotJson(f"MAAS's answer has no list of {what}")
    return [_object(each, what) for each in value]


def _text(row: Mapping[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _number(row: Mapping[str, Any], key: str) -> int:
    value = row.get(key)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63 else 0


def _needed(row: Mapping[str, Any], key: str, kind: type, what: str) -> Any:
    value = row.get(key)
    if not isinstance(value, kind) or isinstance(value, bool) or value == "":
        raise NotJson(f"MAAS's answer has a {what} without a readable {key}")
    return value


def machine_of(value: Any) -> Machine:
    row = _object(value, "machine")
    info = row.get("hardware_info")
    interfaces = _objects(row.get("interface_set") or [], "interfaces")
    disks = _objects(row.get("physicalblockdevice_set") or [], "disks")
    return Machine(
        system_id=_needed(row, "system_id", str, "machine"),
        hostname=_needed(row, "hostname", str, "machine"),
        status=_needed(row, "status", int, "machine"),
        status_name=_text(row, "status_name") or f"status {row['status']}",
        status_message=_text(row, "status_message"),
        hardware_uuid=_text(row, "hardware_uuid"),
        serial=_text(info, "system_serial") if isinstance(info, dict) else "",
        macs=frozenset(
            _text(each, "mac_address").lower() for each in interfaces if _text(each, "type") in ("", "physical")
        )
        - {""},
        cpus=_number(row, "cpu_count"),
        memory_mib=_number(row, "memory"),
        disks=tuple(Disk(_text(each, "name"), _text(each, "serial"), _number(each, "size")) for each in disks),
        commissioned=_number(row, "current_commissioning_result_id"),
        locked=row.get("locked") is True,
        owner=_text(row, "owner"),
        power_state=_text(row, "power_state"),
    )


def machines_of(value: Any) -> list[Machine]:
    return [machine_of(each) for each in _objects(value, "machines")]


def failed_scripts(value: Any, number: int) -> list[str]:
    """The scripts of one commissioning that failed, each as `name: failed (exit 1)`, from `nodes/ID/results/`."""
    found = []
    for group in _objects(value, "results"):
        if _number(group, "id") == number:
            found += [_failure(each) for each in _objects(group.get("results") or [], "scripts")]
    return [text for text in found if text]


def _failure(row: Mapping[str, Any]) -> str:
    word = SCRIPT_FAILED.get(_number(row, "status"), "")
    exit_status = row.get("exit_status")
    code = f" (exit {exit_status})" if word and isinstance(exit_status, int) else ""
    return f"{_text(row, 'name') or 'a script'}: {word}{code}" if word else ""


def events_of(value: Any) -> list[Event]:
    """In the order of their ids."""
    rows: Iterable[Mapping[str, Any]] = _objects(_object(value, "events").get("events"), "events")
    events = [
        Event(
            id=_needed(row, "id", int, "event"),
            system_id=_text(row, "node"),
            level=_text(row, "level"),
            kind=_text(row, "type"),
            description=_text(row, "description"),
        )
        for row in rows
    ]
    return sorted(events, key=lambda event: event.id)


def version_of(value: Any) -> Version:
    row = _object(value, "version")
    told = row.get("capabilities")
    capabilities = tuple(each for each in told if isinstance(each, str)) if isinstance(told, list) else ()
    return Version(_needed(row, "version", str, "version"), capabilities)
