"""Writing what was seen: nodes and links with the time they held, and every link as it is now, in bulk.

Each table takes one statement to read what stands and at most three to change it, whatever the size of the fabric;
nothing is written where nothing changed. The caller holds the source's row locked, in a transaction.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

from fabric.facts import Plan, Seen
from fabric.planned import Planned
from fabric.reconcile.compared import Compared

OPEN_NODES = """
SELECT id, guid, kind, description, ports, system_guid, name, device_id FROM fabric_seennode
WHERE source_id = %s AND upper(during) IS NULL
"""
OPEN_LINKS = """
SELECT id, a_guid, a_port, b_guid, b_port, width, speed FROM fabric_seenlink
WHERE source_id = %s AND upper(during) IS NULL
"""
END = "UPDATE {table} SET during = tstzrange(lower(during), %s) WHERE id = ANY(%s) AND lower(during) < %s"
FORGET = "DELETE FROM {table} WHERE id = ANY(%s) AND lower(during) >= %s"
ADD_NODES = """
INSERT INTO fabric_seennode (source_id, during, guid, kind, description, ports, system_guid, name, device_id)
SELECT %s, tstzrange(%s, NULL), * FROM unnest(
    %s::text[], %s::text[], %s::text[], %s::int[], %s::text[], %s::text[], %s::bigint[])
"""
ADD_LINKS = """
INSERT INTO fabric_seenlink (source_id, during, a_guid, a_port, b_guid, b_port, width, speed)
SELECT %s, tstzrange(%s, NULL), * FROM unnest(
    %s::text[], %s::int[], %s::text[], %s::int[], %s::text[], %s::text[])
"""
LINK_COLUMNS = """
    key, cable_id, state, a_name, a_number, a_guid, a_port_id, b_name, b_number, b_guid, b_port_id, width, speed, tier,
    rail"""
LINK_TYPES = (
    "%s::text[], %s::bigint[], %s::text[], %s::text[], %s::int[], %s::text[], %s::bigint[], %s::text[], %s::int[], "
    "%s::text[], %s::bigint[], %s::text[], %s::text[], %s::text[], %s::int[]"
)
LINKS_NOW = f"SELECT id, {LINK_COLUMNS} FROM fabric_fabriclink WHERE source_id = %s"
ADD_LINKS_NOW = f"""
INSERT INTO fabric_fabriclink (source_id, since, {LINK_COLUMNS}) SELECT %s, %s, * FROM unnest({LINK_TYPES})
"""
CHANGE_LINKS_NOW = f"""
UPDATE fabric_fabriclink l SET
    cable_id = n.cable_id, a_name = n.a_name, a_number = n.a_number, a_guid = n.a_guid, a_port_id = n.a_port_id,
    b_name = n.b_name, b_number = n.b_number, b_guid = n.b_guid, b_port_id = n.b_port_id, width = n.width,
    speed = n.speed, tier = n.tier, rail = n.rail, state = n.state,
    since = CASE WHEN l.state = n.state THEN l.since ELSE %s END
FROM unnest({LINK_TYPES}) n ({LINK_COLUMNS})
WHERE l.source_id = %s AND l.key = n.key
"""
DROP_LINKS_NOW = "DELETE FROM fabric_fabriclink WHERE id = ANY(%s)"


class LinkRow(NamedTuple):
    """A row of `FabricLink`, in the order of its columns."""

    key: str
    cable_id: int | None
    state: str
    a_name: str
    a_number: int
    a_guid: str
    a_port_id: int | None
    b_name: str
    b_number: int
    b_guid: str
    b_port_id: int | None
    width: str
    speed: str
    tier: str
    rail: int | None


class Changed(NamedTuple):
    """How many rows began, and how many ended."""

    began: int
    ended: int


def store_nodes(source_id: int, seen: Seen, names: Mapping[str, str], planned: Planned, at: datetime) -> Changed:
    """Open rows of nodes that are gone or report otherwise end at `at`, and new ones begin."""
    now = {}
    for node in seen.nodes.values():
        name = names.get(node.guid, "")
        device = planned.devices.get(name)
        now[node.guid] = (
            node.guid, node.kind.value, _text(node.description, 128), node.ports, node.system_guid, name,
            device.id if device else None,
        )  # fmt: skip
    return _store("fabric_seennode", source_id, OPEN_NODES, ADD_NODES, now.values(), at)


def store_seen_links(source_id: int, seen: Seen, at: datetime) -> Changed:
    now = {(*link.a, *link.b, link.width[:6], link.speed[:12]) for link in seen.links}
    return _store("fabric_seenlink", source_id, OPEN_LINKS, ADD_LINKS, now, at)


def store_links(source_id: int, compared: Iterable[Compared], planned: Planned, at: datetime) -> Changed:
    """Every link as it is now; `since` moves only where the state changes."""
    rows = {row.key: row for row in (_link_row(each, planned) for each in compared)}
    stands: dict[str, tuple[int, tuple[Any, ...]]] = {}
    for id_, *values in _read(LINKS_NOW, [source_id]):
        stands[values[0]] = (id_, tuple(values))
    new = [row for key, row in rows.items() if key not in stands]
    changed = [row for key, row in rows.items() if key in stands and stands[key][1] != row]
    gone = [id_ for key, (id_, _) in stands.items() if key not in rows]
    with connection.cursor() as cursor:
        if gone:
            cursor.execute(DROP_LINKS_NOW, [gone])
        if changed:
            cursor.execute(CHANGE_LINKS_NOW, [at, *_columns(changed), source_id])
        if new:
            cursor.execute(ADD_LINKS_NOW, [source_id, at, *_columns(new)])
    return Changed(len(new), len(gone))


def _link_row(each: Compared, planned: Planned) -> LinkRow:
    a, b = planned.ports.get(each.a), planned.ports.get(each.b)
    return LinkRow(
        each.key, planned.cables.get(each.key), each.state.value,
        each.a.device, each.a.port, each.a_guid, a.id if a else None,
        each.b.device, each.b.port, each.b_guid, b.id if b else None,
        each.width[:6], each.speed[:12], tiers(planned.plan, each.a.device, each.b.device), rail(planned.plan, each),
    )  # fmt: skip


def tiers(plan: Plan, a: str, b: str) -> str:
    """`leaf-spine`, whichever end was written first; empty where a device is not planned."""
    devices = plan.devices.get(a), plan.devices.get(b)
    return "-".join(sorted(device.tier for device in devices if device is not None and device.tier))


def rail(plan: Plan, each: Compared) -> int | None:
    """The rail of the adapter end, else of the leaf at an end."""
    for name in (each.a.device, each.b.device):
        device = plan.devices.get(name)
        if device is not None and device.rail is not None:
            return device.rail
    return None


def _store(
    table: str, source_id: int, open_rows: str, add: str, now: Iterable[tuple[Hashable, ...]], at: datetime
) -> Changed:
    wanted = dict.fromkeys(now)
    ended = []
    for id_, *values in _read(open_rows, [source_id]):
        row = tuple(values)
        if row in wanted:
            del wanted[row]
        else:
            ended.append(id_)
    new = list(wanted)
    with connection.cursor() as cursor:
        if ended:
            cursor.execute(END.format(table=table), [at, ended, at])
            cursor.execute(FORGET.format(table=table), [ended, at])
        if new:
            cursor.execute(add, [source_id, at, *_columns(new)])
    return Changed(len(new), len(ended))


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def _read(sql: str, params: list[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def _text(text: str, most: int) -> str:
    return text.replace("\0", "�")[:most]
