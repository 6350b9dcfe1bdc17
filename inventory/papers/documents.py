"""Documents for other programs: Prometheus, Ansible, the InfiniBand tools. Pure: rows in, plain values or text out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from inventory.papers.devices import DeviceRow, natural

PREFIX = "__meta_rackside_"


# ---- Prometheus HTTP service discovery ----


def prometheus_targets(rows: Iterable[DeviceRow], *, port: int, address: str = "primary") -> list[dict[str, Any]]:
    """Target groups as Prometheus' HTTP service discovery takes them: one per device, every label a text.

    `address`: primary (the name where no address is known), bmc (devices without one are left out) or name.
    """
    groups = []
    for row in rows:
        host = {"primary": row.primary_ip or row.name, "bmc": row.bmc_ip, "name": row.name}[address]
        if host:
            groups.append(
                {"targets": [f"[{host}]:{port}" if ":" in host else f"{host}:{port}"], "labels": _labels(row)}
            )
    return groups


def _labels(row: DeviceRow) -> dict[str, str]:
    known = {
        "id": str(row.id),
        "name": row.name,
        "kind": row.kind,
        "machine": row.name if row.kind == "machine" else "",
        "site": row.site,
        "room": row.room,
        "row": row.row,
        "rack": row.rack,
        "u": "" if row.u is None else f"{row.u:g}",
        "model": row.model,
        "vendor": row.vendor,
        "serial": row.serial,
        "asset_tag": row.asset_tag,
        "status": row.status,
        "role": row.role,
        "pool": f"{row.site}/{row.role}/{row.model}" if row.role else "",
        "gpu_count": str(row.gpu_count) if row.gpu_count else "",
        "gpu_type": row.gpu_type,
        "fabric": row.fabric,
        "tier": row.tier,
        # With commas around, as other discoveries have lists: a relabelling asks for .*,leaf,.*
        "rails": f",{','.join(map(str, row.rails))}," if row.rails else "",
        "tags": f",{','.join(row.tags)}," if row.tags else "",
    }
    known |= {f"custom_{re.sub('[^a-zA-Z0-9_]', '_', name)}": _text(value) for name, value in row.custom.items()}
    return {f"{PREFIX}{name}": value for name, value in known.items() if value}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f",{','.join(map(str, value))}," if isinstance(value, list) else str(value)


# ---- Ansible ----


def ansible_inventory(rows: Sequence[DeviceRow]) -> dict[str, Any]:
    """The answer of an inventory script to --list: `_meta.hostvars`, and groups by what the devices are and where.

    Sites hold rooms and rooms racks; kinds, models, roles, tiers and tags stand beside them. A name that two sites use
    is told apart by its site.
    """
    names = host_names(rows)
    groups = _Groups()
    for row in rows:
        host = names[row.id]
        site = groups.add("site", row.site)
        if row.rack:
            room, rack = groups.add("room", row.site, row.room), groups.add("rack", row.site, row.room, row.rack)
            groups.nest(site, room)
            groups.nest(room, rack)
            groups.put(rack, host)
        else:
            groups.put(site, host)
        for kind, word in (("kind", row.kind), ("model", row.model), ("role", row.role), ("tier", row.tier)):
            if word:
                groups.put(groups.add(kind, word), host)
        for tag in row.tags:
            groups.put(groups.add("tag", tag), host)
    hostvars = {names[row.id]: host_vars(row) for row in rows}
    return {"_meta": {"hostvars": hostvars}, **groups.finished()}


def host_names(rows: Iterable[DeviceRow]) -> dict[int, str]:
    rows = list(rows)
    often = Counter(row.name for row in rows)
    return {row.id: row.name if often[row.name] == 1 else f"{row.name}.{row.site}" for row in rows}


def host_vars(row: DeviceRow) -> dict[str, Any]:
    """What a playbook may use. All but the address stands in `rackside`, out of the way of a site's own variables."""
    facts = {
        "id": row.id,
        "url": row.url,
        "kind": row.kind,
        "status": row.status,
        "site": row.site,
        "room": row.room,
        "row": row.row,
        "rack": row.rack,
        "u": row.u,
        "face": row.face,
        "model": row.model,
        "vendor": row.vendor,
        "role": row.role,
        "fabric": row.fabric,
        "tier": row.tier,
        "serial": row.serial,
        "asset_tag": row.asset_tag,
        "bmc_ip": row.bmc_ip,
        "boot_mac": row.boot_mac,
        "gpu_count": row.gpu_count,
        "rails": row.rails,
        "tags": row.tags,
        "custom": row.custom,
    }
    return ({"ansible_host": row.primary_ip} if row.primary_ip else {}) | {"rackside": facts}


class _Groups:
    """Groups with names that Ansible takes: letters, digits and underscores, no two alike."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, ...], str] = {}
        self._groups: dict[str, dict[str, list[str]]] = {}

    def add(self, *key: str) -> str:
        if key not in self._names:
            plain = "_".join(re.sub(r"[^A-Za-z0-9]+", "_", word).strip("_").lower() or "none" for word in key)
            name, number = plain, 1
            while name in self._groups:  # Hall 1 and Hall-1 are two rooms
                number += 1
                name = f"{plain}_{number}"
            self._names[key] = name
            self._groups[name] = {"hosts": [], "children": []}
        return self._names[key]

    def put(self, group: str, host: str) -> None:
        self._groups[group]["hosts"].append(host)

    def nest(self, group: str, child: str) -> None:
        children = self._groups[group]["children"]
        if child not in children[-1:] and child not in children:
            children.append(child)

    def finished(self) -> dict[str, dict[str, list[str]]]:
        return {
            name: {key: values for key, values in group.items() if values}
            for name, group in sorted(self._groups.items())
        }


# ---- InfiniBand tools ----


def node_name_map(rows: Iterable[DeviceRow], adapters: Iterable[tuple[str, str]] = ()) -> str:
    """Lines of `0xGUID "name"` as infiniband-diags and opensm read with --node-name-map, by name.

    Switches whose GUID is not known stand in comments. `adapters` are pairs of GUID and name of machines' adapters.
    """
    rows = list(rows)
    named = [(row.node_guid, row.name) for row in rows if row.node_guid]
    unknown = [("", row.name) for row in rows if not row.node_guid]
    lines = [f'{guid.lower()} "{_quotable(name)}"' for guid, name in _by_name([*named, *adapters])]
    lines += [f"# {_quotable(name)}: no GUID is known" for _, name in _by_name(unknown)]
    return "".join(f"{line}\n" for line in lines)


def _by_name(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(set(pairs), key=lambda pair: (natural(pair[1]), pair[0]))


def _quotable(name: str) -> str:
    """The format knows no escapes: a name ends at the next quotation mark, and the line with it."""
    return re.sub(r"\s+", " ", name.replace('"', "'")).strip()
