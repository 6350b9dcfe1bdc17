"""What MAAS answers, as typed values. Pure; whatever cannot be read raises NotJson with the field that is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from drivers.https import Reader, number, text
from drivers.maas.states import SCRIPT_FAILED, Means, meaning

_MAAS = Reader("MAAS")


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


def machine_of(value: Any) -> Machine:
    row = _MAAS.row(value, "machine")
    info = row.get("hardware_info")
    interfaces = _MAAS.rows(row.get("interface_set") or [], "interfaces")
    disks = _MAAS.rows(row.get("physicalblockdevice_set") or [], "disks")
    return Machine(
        system_id=_MAAS.needed(row, "system_id", str, "machine"),
        hostname=_MAAS.needed(row, "hostname", str, "machine"),
        status=_MAAS.needed(row, "status", int, "machine"),
        status_name=text(row, "status_name") or f"status {row['status']}",
        status_message=text(row, "status_message"),
        hardware_uuid=text(row, "hardware_uuid"),
        serial=text(info, "system_serial") if isinstance(info, dict) else "",
        macs=frozenset(
            text(each, "mac_address").lower() for each in interfaces if text(each, "type") in ("", "physical")
        )
        - {""},
        cpus=number(row, "cpu_count"),
        memory_mib=number(row, "memory"),
        disks=tuple(Disk(text(each, "name"), text(each, "serial"), number(each, "size")) for each in disks),
        commissioned=number(row, "current_commissioning_result_id"),
        locked=row.get("locked") is True,
        owner=text(row, "owner"),
        power_state=text(row, "power_state"),
    )


def machines_of(value: Any) -> list[Machine]:
    return [machine_of(each) for each in _MAAS.rows(value, "machines")]


def failed_scripts(value: Any, commissioning: int) -> list[str]:
    """The scripts of one commissioning that failed, each as `name: failed (exit 1)`, from `nodes/ID/results/`."""
    found = []
    for group in _MAAS.rows(value, "results"):
        if number(group, "id") == commissioning:
            found += [_failure(each) for each in _MAAS.rows(group.get("results") or [], "scripts")]
    return [each for each in found if each]


def _failure(row: Mapping[str, Any]) -> str:
    word = SCRIPT_FAILED.get(number(row, "status"), "")
    exit_status = row.get("exit_status")
    code = f" (exit {exit_status})" if word and isinstance(exit_status, int) else ""
    return f"{text(row, 'name') or 'a script'}: {word}{code}" if word else ""


def events_of(value: Any) -> list[Event]:
    """In the order of their ids."""
    rows: Iterable[Mapping[str, Any]] = _MAAS.rows(_MAAS.row(value, "events").get("events"), "events")
    events = [
        Event(
            id=_MAAS.needed(row, "id", int, "event"),
            system_id=text(row, "node"),
            level=text(row, "level"),
            kind=text(row, "type"),
            description=text(row, "description"),
        )
        for row in rows
    ]
    return sorted(events, key=lambda event: event.id)


def version_of(value: Any) -> Version:
    row = _MAAS.row(value, "version")
    told = row.get("capabilities")
    capabilities = tuple(each for each in told if isinstance(each, str)) if isinstance(told, list) else ()
    return Version(_MAAS.needed(row, "version", str, "version"), capabilities)
