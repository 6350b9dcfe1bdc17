"""Rails: which adapter port serves which GPU, the leaf at its far end, and cables to the leaf of another rail.

The number of a rail is not that of the mlx5 device: the device model tells it for GPUs and adapters alike. What a leaf
carries is known from the majority of the rail ports that end at it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any, NamedTuple

from inventory.cabling.facts import Cabling, PortInfo, read
from inventory.cabling.walk import trace
from inventory.models import Device, Port, Switch

LEAST_PORTS = 2  # a leaf with a single cable has no majority


class RailPort(NamedTuple):
    id: int
    rail: int
    name: str
    slot: str


def machine_rails(machine: Device) -> list[dict[str, Any]]:
    """The answer of `/api/machines/ID/rails/`, by rail and port. Five queries; `machine` comes with its model."""
    ports = [
        RailPort(pk, rail or 0, name, slot)
        for pk, rail, name, slot in Port.objects.filter(device=machine, rail__isnull=False)
        .order_by("rail", "id")
        .values_list("id", "rail", "name", "slot")
    ]
    gpus: dict[int, dict[str, Any]] = {}
    for slot in machine.model.spec.get("slots", []):
        if slot.get("kind") == "gpu" and slot.get("rail") is not None:
            gpus.setdefault(slot["rail"], slot)
    cabling = read([port.id for port in ports])
    far = {port.id: _far_end(port.id, cabling) for port in ports}
    tiers = _tiers(info.device_id for info in far.values() if info)
    return [
        {
            "rail": port.rail,
            "gpu_slot": gpus.get(port.rail, {}).get("name"),
            "gpu_label": gpus.get(port.rail, {}).get("label"),
            "hca_slot": port.slot,
            "port": port.name,
            "port_id": port.id,
            "far": _far(far[port.id], tiers),
        }
        for port in ports
    ]


def rail_report(site_id: int) -> dict[str, Any]:
    """Rail ports of a site that end at a leaf of another rail. Five queries whatever the size of the site."""
    ports = {
        port: (rail or 0, name, machine, machine_name)
        for port, rail, name, machine, machine_name in Port.objects.filter(
            device__site_id=site_id, rail__isnull=False, device__kind="machine"
        )
        .exclude(device__status="retired")
        .order_by("device__name", "rail", "id")
        .values_list("id", "rail", "name", "device_id", "device__name")
    }
    cabling = read(list(ports))
    far = {port: _far_end(port, cabling) for port in ports}
    tiers = _tiers(info.device_id for info in far.values() if info)
    seen: dict[int, Counter[int]] = defaultdict(Counter)
    for port, (rail, *_) in ports.items():
        info = far[port]
        if info is not None and info.device_id in tiers:
            seen[info.device_id][rail] += 1
    majorities = {leaf: majority(rails) for leaf, rails in seen.items()}
    known = {leaf: most for leaf, most in majorities.items() if most is not None}
    names = {info.device_id: info.device for info in far.values() if info}
    return {
        "checked": len(ports),
        "uncabled": sum(info is None for info in far.values()),
        "leaves": [{"id": leaf, "name": names[leaf], "rail": known[leaf]} for leaf in sorted(known)],
        "without_majority": [
            {"id": leaf, "name": names[leaf], "rails": {str(rail): count for rail, count in sorted(rails.items())}}
            for leaf, rails in seen.items()
            if leaf not in known
        ],
        "wrong": [
            {
                "machine": {"id": machine, "name": machine_name},
                "port": name,
                "port_id": port,
                "rail": rail,
                "far": _far(info, tiers),
                "leaf_rail": known[info.device_id],
            }
            for port, (rail, name, machine, machine_name) in ports.items()
            if (info := far[port]) is not None and known.get(info.device_id, rail) != rail
        ],
    }


def majority(rails: Counter[int]) -> int | None:
    """The rail of more than half of a leaf's cables; None where there is none, or too few cables to tell."""
    total = sum(rails.values())
    rail, count = rails.most_common(1)[0]
    return rail if total >= LEAST_PORTS and 2 * count > total else None


def _far_end(port: int, cabling: Cabling) -> PortInfo | None:
    """The one port at the far end, through panels and breakouts; None where the way is lost or ends at several."""
    if port not in cabling.ports:
        return None
    ends = list(trace(port, cabling.facts).out.ends())
    return cabling.ports[ends[0]] if len(ends) == 1 else None


def _tiers(device_ids: Any) -> dict[int, str]:
    return dict(Switch.objects.filter(pk__in=set(device_ids)).values_list("device_id", "tier"))


def _far(info: PortInfo | None, tiers: dict[int, str]) -> dict[str, Any] | None:
    if info is None:
        return None
    return {
        "device": info.device,
        "device_id": info.device_id,
        "port": info.name,
        "port_id": info.id,
        "tier": tiers.get(info.device_id),
    }


def leaves_of(device_ids: list[int]) -> dict[int, dict[str, str]]:
    """By machine: the slot of each rail port, and the name of the leaf at its far end; empty where the way is lost.

    In the order of the rails. Four queries however many machines.
    """
    ports = list(
        Port.objects.filter(device_id__in=device_ids, rail__isnull=False)
        .order_by("device_id", "rail", "id")
        .values_list("id", "device_id", "slot")
    )
    cabling = read([port for port, _, _ in ports])
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for port, device, slot in ports:
        far = _far_end(port, cabling)
        found[device][slot] = far.device if far else ""
    return dict(found)


def leaves_by_rail(device_ids: list[int]) -> dict[int, dict[int, str]]:
    """By machine: rail to the name of the leaf at its far end, of the rails whose way is known. Four queries however
    many machines."""
    ports = list(
        Port.objects.filter(device_id__in=device_ids, rail__isnull=False)
        .order_by("device_id", "rail", "id")
        .values_list("id", "device_id", "rail")
    )
    cabling = read([port for port, _, _ in ports])
    found: dict[int, dict[int, str]] = defaultdict(dict)
    for port, device, rail in ports:
        if far := _far_end(port, cabling):
            found[device].setdefault(rail or 0, far.device)
    return dict(found)


def rails_crossed(device_ids: list[int]) -> list[dict[str, Any]]:
    """By rail: the leaves at which the rail ports of these machines end, with how many of the machines each serves, and
    how many rail ports end nowhere. Five queries however many machines."""
    ports = list(
        Port.objects.filter(device_id__in=device_ids, rail__isnull=False)
        .order_by("rail", "id")
        .values_list("id", "device_id", "rail")
    )
    cabling = read([port for port, _, _ in ports])
    machines: dict[int, dict[tuple[int, str], set[int]]] = defaultdict(lambda: defaultdict(set))
    nowhere: Counter[int] = Counter()
    for port, device, rail in ports:
        far = _far_end(port, cabling)
        leaves = machines[rail or 0]
        if far is None:
            nowhere[rail or 0] += 1
        else:
            leaves[far.device_id, far.device].add(device)
    return [
        {
            "rail": rail,
            "leaves": [
                {"id": leaf, "name": name, "machines": len(within)}
                for (leaf, name), within in sorted(leaves.items(), key=lambda each: (-len(each[1]), each[0][1]))
            ],
            "uncabled": nowhere[rail],
        }
        for rail, leaves in sorted(machines.items())
    ]
