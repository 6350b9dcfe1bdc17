"""Connectors of cables in the database: out of ports and into them. Plans of cabling stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from inventory.kinds import sql


class Plugged(NamedTuple):
    """One lane of one connector. `port` is None where nothing is plugged in."""

    cable: int
    side: str  # A or B
    number: int
    serial: str
    lane: int
    port: int | None


Connectors = dict[tuple[int, str, int], int]  # cable, side and number to the connector's id


def unplug(cables: Sequence[int]) -> Connectors:
    """Take cables out of their ports. Returns the connectors that stay, because a change set plans with them."""
    if not cables:
        return {}
    sql.execute(
        "DELETE FROM inventory_strandend e USING inventory_connector n "
        "WHERE n.id = e.connector_id AND e.change_set_id IS NULL AND n.cable_id = ANY(%s)",
        list(cables),
    )
    sql.execute(
        "DELETE FROM inventory_connector n WHERE n.cable_id = ANY(%s) "
        "AND NOT EXISTS (SELECT FROM inventory_strandend e WHERE e.connector_id = n.id)",
        list(cables),
    )
    rows = sql.execute(
        "SELECT id, cable_id, side, number FROM inventory_connector WHERE cable_id = ANY(%s)", list(cables)
    )
    return {(cable, side, number): pk for pk, cable, side, number in rows}


def plug_in(ends: Iterable[Plugged], there: Connectors) -> None:
    """Put connectors on cables and into ports; connectors that are `there` already are used again."""
    serials: dict[tuple[int, str, int], str] = {}
    lanes: list[tuple[tuple[int, str, int], int, int]] = []
    for end in ends:
        key = (end.cable, end.side, end.number)
        serials[key] = serials.get(key) or end.serial
        if end.port is not None:
            lanes.append((key, end.lane, end.port))
    kept = [key for key in serials if key in there]
    fresh = [key for key in serials if key not in there]
    sql.update("inventory_connector", ["serial"], [{"id": there[key], "serial": serials[key]} for key in kept])
    ids = there | dict(zip(fresh, sql.new_ids("inventory_connector", len(fresh)), strict=True))
    sql.insert(
        "inventory_connector",
        ["id", "cable_id", "side", "number", "serial"],
        [
            {"id": ids[key], "cable_id": key[0], "side": key[1], "number": key[2], "serial": serials[key]}
            for key in fresh
        ],
    )
    if lanes:
        sql.execute(
            "INSERT INTO inventory_strandend (connector_id, lane, port_id) "
            "SELECT * FROM unnest(%s::bigint[], %s::smallint[], %s::bigint[])",
            [ids[key] for key, _, _ in lanes],
            [lane for _, lane, _ in lanes],
            [port for _, _, port in lanes],
        )
        sql.analyze_if_grown("inventory_strandend", len(lanes))
