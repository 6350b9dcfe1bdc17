"""What a finding keeps for the technician: its moves in words, with place, cage and lane, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fabric.facts import DeviceRole, PlannedDevice, PlannedPort
from fabric.planned import Planned
from fabric.reconcile.diagnose import Diagnosis
from fabric.reconcile.diagnose import Finding as Diagnosed
from fabric.reconcile.kept import keep
from fabric.reconcile.moves import Move
from fabric.reconcile.sockets import first_of
from fabric.reconcile.words import CageOf, Socketing, Spots, drain_words, move_words, no_cage
from inventory.queries.place import place_line


def spots_of(planned: Planned, otherwise: CageOf = no_cage) -> Spots:
    """Where ports are, by the cages and lanes of the inventory, and `otherwise` for switches it does not have."""
    return Spots(planned.plan, first_of(cage_of(planned), otherwise))


def cage_of(planned: Planned) -> CageOf:
    """The cages and lanes of the inventory."""

    def socket(device: PlannedDevice, port: int) -> Socketing | None:
        known = planned.ports.get(PlannedPort(device.name, port))
        if known is None or known.cage is None or device.role is not DeviceRole.SWITCH:
            return None
        return Socketing(known.cage, known.lane or 1, planned.lanes(device.name, known.cage))

    return socket


def detail(found: Diagnosed, diagnosis: Diagnosis, planned: Planned) -> dict[str, Any]:
    """`Finding.detail`: JSON values only, alike for alike findings, so that a change of it is a change."""
    by_number = {move.n: move for move in diagnosis.moves} if found.moves else {}
    moves = [by_number[number] for number in found.moves if number in by_number]
    components = {move.component for move in moves}
    return {
        "moves": move_dicts(moves, planned, diagnosis.cage_of),
        "cabling": keep((each for each in diagnosis.plan.components if each.number in components), moves),
        "ports": [end_dict(port, planned) for port in found.ports],
        "checks": [_plain(check) for check in found.checks],
        "evidence": _plain(found.evidence),
    }


def move_dicts(moves: Iterable[Move], planned: Planned, otherwise: CageOf = no_cage) -> list[dict[str, Any]]:
    """Steps as `move_dict` has them, numbered from 1."""
    spots = spots_of(planned, otherwise)
    return [move_dict(number, move, planned, spots) for number, move in enumerate(moves, start=1)]


def move_dict(number: int, move: Move, planned: Planned, spots: Spots) -> dict[str, Any]:
    """One step. `take_from` None: insert the hanging plug; `put_into` None: pull it and let it hang.

    `cable` is the planned label it fulfils, empty for one that is taken out; `printed` what may stand on
    the label of the cable that is there now; `before` says what to drain.
    """
    return {
        "n": number,
        "kind": str(move.kind),
        "cable": move.cable,
        "cables": list(move.cables),
        "printed": list(move.printed),
        "take_from": end_dict(move.take_from, planned) if move.take_from else None,
        "put_into": end_dict(move.put_into, planned) if move.put_into else None,
        "takes": [end_dict(port, planned) for port in move.takes],
        "puts": [end_dict(port, planned) for port in move.puts],
        "stays": end_dict(move.stays, planned),
        "drains": [[end_dict(end, planned) for end in link] for link in move.drains],
        "before": drain_words(move, spots),
        "text": move_words(move, spots),
    }


def end_dict(end: PlannedPort, planned: Planned) -> dict[str, Any]:
    """A port as a hand finds it, and where. Of a device that nobody knows only its name."""
    device, port = planned.devices.get(end.device), planned.ports.get(end)
    place = planned.plan.devices[end.device].place if end.device in planned.plan.devices else None
    socket = None
    if port is not None and port.cage is not None:
        socket = Socketing(port.cage, port.lane or 1, planned.lanes(end.device, port.cage))
    text = ""
    if place is not None and place.rack:
        text = place_line(place.room, place.row, place.rack, "" if place.u is None else f"U{place.u:g}")
    return {
        "device": end.device,
        "port": end.port,
        "device_id": device.id if device else None,
        "port_id": port.id if port else None,
        "port_name": port.name if port else "",
        "cage": port.cage if port else None,
        "lane": port.lane if port else None,
        "half": socket.part if socket else "",
        "place": text,
        "rack_id": device.rack_id if device else None,
    }


def _plain(value: Any) -> Any:
    """As JSON gives it back: texts, numbers, lists and objects with text keys."""
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        ordered = sorted(value) if isinstance(value, set | frozenset) else value
        return [_plain(each) for each in ordered]
    if value is None or isinstance(value, bool | int | float):
        return value
    return str(value).replace("\0", "�")
