"""The fabric at any time, and what changed between two times, from the ranges that rows held."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection

MOST_CHANGES = 10_000
AT = """
SELECT l.source_id, l.a_guid, l.a_port, coalesce(a.name, ''), a.device_id, coalesce(a.description, ''),
    l.b_guid, l.b_port, coalesce(b.name, ''), b.device_id, coalesce(b.description, ''), l.width, l.speed,
    lower(l.during), upper(l.during), count(*) OVER ()
FROM fabric_seenlink l
LEFT JOIN fabric_seennode a ON a.source_id = l.source_id AND a.guid = l.a_guid AND a.during @> %(at)s::timestamptz
LEFT JOIN fabric_seennode b ON b.source_id = l.source_id AND b.guid = l.b_guid AND b.during @> %(at)s::timestamptz
WHERE l.source_id = ANY(%(sources)s) AND l.during @> %(at)s::timestamptz
    AND (%(device)s::bigint IS NULL OR a.device_id = %(device)s OR b.device_id = %(device)s)
ORDER BY l.source_id, l.a_guid, l.a_port LIMIT %(most)s OFFSET %(skip)s
"""
LINKS_CHANGED = """
SELECT l.source_id, l.a_guid, l.a_port, l.b_guid, l.b_port, l.width, l.speed,
    l.during @> %(since)s::timestamptz, l.during @> %(until)s::timestamptz, lower(l.during), upper(l.during)
FROM fabric_seenlink l
WHERE l.source_id = ANY(%(sources)s)
    AND (l.during @> %(since)s::timestamptz) <> (l.during @> %(until)s::timestamptz)
ORDER BY l.source_id, l.a_guid, l.a_port LIMIT %(most)s
"""
NODES_CHANGED = """
SELECT n.source_id, n.guid, n.kind, n.description, n.name, n.device_id,
    n.during @> %(since)s::timestamptz, n.during @> %(until)s::timestamptz, lower(n.during), upper(n.during)
FROM fabric_seennode n
WHERE n.source_id = ANY(%(sources)s)
    AND (n.during @> %(since)s::timestamptz) <> (n.during @> %(until)s::timestamptz)
ORDER BY n.source_id, n.guid LIMIT %(most)s
"""
NAMES_AT = """
SELECT DISTINCT ON (n.source_id, n.guid) n.source_id, n.guid, n.name, n.device_id, n.description
FROM fabric_seennode n
WHERE n.source_id = ANY(%(sources)s) AND n.guid = ANY(%(guids)s) AND lower(n.during) <= %(until)s
ORDER BY n.source_id, n.guid, lower(n.during) DESC
"""
Row = dict[str, Any]


class LinkRow(NamedTuple):
    source: int
    a_guid: str
    a_port: int
    b_guid: str
    b_port: int
    width: str
    speed: str
    before: bool
    after: bool
    since: datetime
    until: datetime | None


def links_at(
    source_ids: list[int], at: datetime, device_id: int | None, *, most: int, skip: int
) -> tuple[int, list[Row]]:
    """How many links there were at a time, and a page of them. One statement."""
    asked = {"sources": source_ids, "at": at, "device": device_id, "most": most, "skip": skip}
    rows = _rows(AT, asked)
    total = rows[0][-1] if rows else 0
    return total, [
        {
            "source": row[0],
            "a": {"guid": row[1], "port": row[2], "device": row[3], "device_id": row[4], "reported": row[5]},
            "b": {"guid": row[6], "port": row[7], "device": row[8], "device_id": row[9], "reported": row[10]},
            "width": row[11],
            "speed": row[12],
            "since": row[13],
            "until": row[14],
        }
        for row in rows
    ]


def changes(source_ids: list[int], since: datetime, until: datetime) -> Row:
    """What differs between two times: links come, gone, moved at one end, of another rate; nodes come, gone, renamed.

    What came and went again in between does not show. Three statements.
    """
    asked = {"sources": source_ids, "since": since, "until": until, "most": MOST_CHANGES + 1}
    links = [LinkRow(*row) for row in _rows(LINKS_CHANGED, asked)]
    nodes = _rows(NODES_CHANGED, asked)
    guids = sorted({guid for link in links for guid in (link.a_guid, link.b_guid)})
    names: dict[tuple[int, str], tuple[str, int | None, str]] = {}
    if guids:
        for source, guid, *more in _rows(NAMES_AT, {**asked, "guids": guids}):
            names[source, guid] = (more[0], more[1], more[2])
    return {
        "from": since,
        "to": until,
        "cut_off": len(links) > MOST_CHANGES or len(nodes) > MOST_CHANGES,
        "links": _links(links[:MOST_CHANGES], names),
        "nodes": _nodes(nodes[:MOST_CHANGES]),
    }


def _links(rows: list[LinkRow], names: dict[tuple[int, str], tuple[str, int | None, str]]) -> Row:
    """A link moved when one of its ends stayed in its port and the other did not."""

    def end(source: int, guid: str, port: int) -> Row:
        name, device_id, reported = names.get((source, guid), ("", None, ""))
        return {"guid": guid, "port": port, "device": name, "device_id": device_id, "reported": reported}

    def link(row: LinkRow) -> Row:
        return {
            "source": row.source,
            "a": end(row.source, row.a_guid, row.a_port),
            "b": end(row.source, row.b_guid, row.b_port),
            "width": row.width,
            "speed": row.speed,
            "at": row.since if row.after else row.until,
        }

    gone = {row: None for row in rows if row.before}
    come = {row: None for row in rows if row.after}
    by_ends = {(row.source, *row[1:5]): row for row in gone}
    rated = [(before, row) for row in come if (before := by_ends.get((row.source, *row[1:5]))) is not None]
    for before, after in rated:
        del gone[before], come[after]
    at_port: dict[tuple[int, str, int], LinkRow] = {}
    for row in gone:
        at_port[row.source, row.a_guid, row.a_port] = at_port[row.source, row.b_guid, row.b_port] = row
    moved = []
    for row in list(come):
        ends = ((row.source, row.a_guid, row.a_port), (row.source, row.b_guid, row.b_port))
        before = next((at_port[each] for each in ends if at_port.get(each) in gone), None)
        if before is not None:
            del gone[before], come[row]
            moved.append((before, row))
    return {
        "come": [link(row) for row in come],
        "gone": [link(row) for row in gone],
        "moved": [{"before": link(before), "after": link(after)} for before, after in moved],
        "rate": [{"before": link(before), "after": link(after)} for before, after in rated],
    }


def _nodes(rows: Iterable[tuple[Any, ...]]) -> Row:
    def node(row: tuple[Any, ...]) -> Row:
        source, guid, kind, description, name, device_id, _, after, since, until = row
        return {
            "source": source, "guid": guid, "kind": kind, "reported": description, "device": name,
            "device_id": device_id, "at": since if after else until,
        }  # fmt: skip

    before = {(row[0], row[1]): row for row in rows if row[6]}
    after = {(row[0], row[1]): row for row in rows if row[7]}
    both = before.keys() & after.keys()
    return {
        "come": [node(row) for key, row in after.items() if key not in both],
        "gone": [node(row) for key, row in before.items() if key not in both],
        "changed": [{"before": node(before[key]), "after": node(after[key])} for key in sorted(both)],
    }


def _rows(sql: str, params: Row) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()
