"""Find things by the first letters of what is printed on them. Rooms above add what they own with `register_provider`.

Names of devices also match in the middle (`17-03` finds hgx-a17-03). Identifiers are found in any of their spellings:
GUIDs with and without 0x or colons, MACs with colons, dashes or none, GPU UUIDs with and without `GPU-`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from django.db import connection

from inventory.queries import place_line, units_text
from inventory.queries.place import device_path
from inventory.slot_text import slot_text

LIMIT = 8  # of each kind
MOST = 30  # together: more is no answer but a list, and the lists of the API are better at that
AMONG = 100  # of each kind, among which the further words of a query choose
MIN_LETTERS = 2


class Found(NamedTuple):
    """One result; `url` is the dashboard's page for it. `rank` orders the results and is not told."""

    kind: str
    id: int
    title: str
    subtitle: str
    url: str
    rank: int = 1  # 0: exactly what was asked for; 1: begins so; 2: has it somewhere


TOLD = Found._fields[:-1]

Provider = Callable[[str, list[int] | None, int], Iterable[Found]]
_providers: dict[str, Provider] = {}


def register_provider(name: str, provider: Provider) -> None:
    """Add a source of results: called with the query, the visible site ids (None: all) and how many are wanted."""
    _providers[name] = provider


def search(query: str, sites: list[int] | None, limit: int = LIMIT) -> list[dict[str, Any]]:
    """Results of every provider, at most `limit` of each, exact matches first. Nothing for less than two letters.

    Of several words one is looked for, and the others must stand in what is found: `a05 hall 1` is rack A05 of Hall 1.
    """
    query = " ".join(query.split())
    if not MIN_LETTERS <= len(query) <= 100 or "\x00" in query:
        return []
    found = list(_found(query, sites, limit))
    words = query.lower().split()
    if len(words) > 1:
        told = max(words, key=_tells)
        known = {(result.kind, result.id) for result in found}
        more = _found(told, sites, max(AMONG, limit)) if len(told) >= MIN_LETTERS else ()
        said = (result for result in more if all(_says(result, word) for word in words))
        found += [result for result in said if (result.kind, result.id) not in known]
    wanted = query.lower()

    def order(result: Found) -> int:
        return -1 if result.title.lower() == wanted else result.rank

    return [dict(zip(TOLD, result, strict=False)) for result in sorted(found, key=order)[: max(MOST, limit)]]


def _found(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    return (result for provider in _providers.values() for result in provider(query, sites, limit))


def _tells(word: str) -> tuple[bool, bool, int]:
    """How much a word says of the one thing that is meant: names have digits, `hall` and `gpu` have none."""
    return len(word) >= MIN_LETTERS, any(map(str.isdigit, word)), len(word)


def _says(result: Found, word: str) -> bool:
    """Whether a word of what is told of it begins so: `1` is meant of Hall 1, and not of a serial with a 1 in it."""
    told = f"{result.kind} {result.title} {result.subtitle}".lower()
    return any(each.startswith(word) for each in re.findall(r"[^\s·›–]+", told))


# ---- spellings ----


_ADDRESS = re.compile(r"[0-9]{1,3}(\.[0-9]{0,3}){1,3}|[0-9a-fA-F]{1,4}:[0-9a-fA-F:.]*")


def _rank(query: str, *printed: str) -> int:
    """How well what is printed on something answers a query."""
    wanted = query.lower()
    texts = [text.lower() for text in printed if text]
    return 0 if wanted in texts else (1 if any(text.startswith(wanted) for text in texts) else 2)


def _like(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def starts(text: str) -> str:
    """The pattern of LIKE for what begins with these letters."""
    return _like(text) + "%"


def _hex_digits(query: str) -> str | None:
    """The digits of a GUID or MAC in any spelling; None when it is neither (or too short to mean anything)."""
    digits = re.sub(r"[:.\-]", "", query.lower().removeprefix("0x"))
    return digits if 4 <= len(digits) <= 16 and re.fullmatch(r"[0-9a-f]+", digits) else None


def _mac_start(digits: str) -> str:
    return ":".join(digits[at : at + 2] for at in range(0, len(digits), 2)) + "%"


def _rows(sql: str, params: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def visible(column: str) -> str:
    """The condition that a row is of one of the `sites` of a query; of all where they are NULL."""
    return f"(%(sites)s::bigint[] IS NULL OR {column} = ANY(%(sites)s::bigint[]))"


# ---- devices and where they stand ----


class Placed(NamedTuple):
    """A device with what is printed on it; `place` is that of the device whose bay it sits in, if it is in one."""

    id: int
    name: str
    kind: str
    serial: str
    asset_tag: str
    service_tag: str
    site: str
    rack: str | None
    row: str
    room: str
    units: Any  # ranges of half units and of faces
    faces: Any
    side_slot: str
    bay: str
    parent: str

    @property
    def url(self) -> str:
        """Its page."""
        return device_path(self.kind, self.id)

    def place(self, face: str = "") -> str:
        if self.rack is None:
            return f"{self.site} › not mounted"
        units, faces = (span and (span.lower, span.upper) for span in (self.units, self.faces))
        bay = f"bay {self.bay} of {self.parent}" if self.parent else ""
        return place_line(self.room, self.row, self.rack, units_text(units, faces, self.side_slot, face), bay)


PLACED = """
SELECT d.id, d.name, d.kind, d.serial, d.asset_tag, d.service_tag, s.name, k.name, coalesce(o.name, ''),
    r.name, p.half_units, p.faces, p.side_slot, d.bay, coalesce(h.name, '')
FROM inventory_device d JOIN core_site s ON s.id = d.site_id
LEFT JOIN inventory_placement own ON own.device_id = d.id
LEFT JOIN inventory_device h ON h.id = d.parent_id
LEFT JOIN inventory_placement p ON p.device_id = CASE WHEN own.id IS NULL THEN d.parent_id ELSE d.id END
LEFT JOIN inventory_rack k ON k.id = p.rack_id
LEFT JOIN inventory_room r ON r.id = k.room_id
LEFT JOIN inventory_row o ON o.id = k.row_id
WHERE d.id = ANY(%(ids)s)
"""


def placed(ids: Iterable[int]) -> dict[int, Placed]:
    wanted = list(ids)
    return {row[0]: Placed(*row) for row in _rows(PLACED, {"ids": wanted})} if wanted else {}


# ---- providers ----

DEVICES = f"""
SELECT d.id FROM inventory_device d
WHERE d.status <> 'retired' AND {visible("d.site_id")} AND d.id IN (
    SELECT id FROM inventory_device
    WHERE upper(name) LIKE %(part)s OR upper(serial) LIKE %(start)s OR upper(asset_tag) LIKE %(start)s
    UNION ALL
    SELECT id FROM inventory_device WHERE service_tag <> '' AND upper(service_tag) LIKE %(start)s
    UNION ALL
    SELECT device_id FROM inventory_machine
    WHERE bmc_mac LIKE %(mac)s OR boot_mac LIKE %(mac)s OR system_uuid::text LIKE lower(%(start)s)
    UNION ALL
    (SELECT device_id FROM inventory_addressclaim
        WHERE host(address) LIKE %(address)s AND {visible("site_id")} ORDER BY host(address) LIMIT %(limit)s)
    UNION ALL
    SELECT device_id FROM inventory_switch WHERE node_guid LIKE %(guid)s
)
ORDER BY upper(d.name) <> %(upper)s AND upper(d.serial) <> %(upper)s AND upper(d.asset_tag) <> %(upper)s
        AND upper(d.service_tag) <> %(upper)s
        AND (%(address)s::text IS NULL OR NOT EXISTS (SELECT FROM inventory_addressclaim c
            WHERE c.device_id = d.id AND host(c.address) = %(exact)s)),
    upper(d.name) NOT LIKE %(start)s, d.kind <> 'machine', d.name LIMIT %(limit)s
"""


def find_devices(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    upper, digits = query.upper(), _hex_digits(query)
    params = {
        "sites": sites,
        "start": starts(upper),
        "part": "%" + starts(upper),
        "mac": _mac_start(digits) if digits else None,
        "guid": f"0x{digits}%" if digits else None,
        "exact": query.lower(),
        "upper": upper,
        "address": starts(query.lower()) if _ADDRESS.fullmatch(query) else None,
        "limit": limit,
    }
    ids = [pk for (pk,) in _rows(DEVICES, params)]
    devices = placed(ids)
    for pk in ids:
        device = devices[pk]
        subtitle = f"{device.place()} · {device.serial}" if device.serial else device.place()
        printed = (device.name, device.serial, device.asset_tag, device.service_tag)
        yield Found(device.kind, pk, device.name, subtitle, device.url, _rank(query, *printed))


RACKS = f"""
SELECT k.id, k.name, k.serial, k.asset_tag, r.name, s.name FROM inventory_rack k
JOIN inventory_room r ON r.id = k.room_id JOIN core_site s ON s.id = r.site_id
WHERE (upper(k.name) LIKE %(start)s OR upper(k.asset_tag) LIKE %(start)s OR upper(k.serial) LIKE %(start)s)
    AND {visible("r.site_id")}
ORDER BY upper(k.name) <> %(upper)s, k.name LIMIT %(limit)s
"""


def find_racks(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    name = re.sub(r"^rack\s+", "", query, flags=re.IGNORECASE)
    params = {"sites": sites, "start": starts(name.upper()), "upper": name.upper(), "limit": limit}
    for pk, rack, serial, tag, room, site in _rows(RACKS, params):
        about = " · ".join(text for text in (f"{site} › {room}", tag, serial) if text)
        yield Found("rack", pk, rack, about, f"/racks/{pk}", _rank(name, rack, tag, serial))


COMPONENTS = f"""
SELECT c.id, c.kind, c.serial, c.part_number, coalesce(c.attributes->>'uuid', c.attributes->>'guid', ''),
    d.id, d.name, i.slot,
    coalesce(jsonb_path_query_first(m.spec, '$.slots[*] ? (@.name == $slot).label', jsonb_build_object('slot', i.slot))
        #>> '{{}}', '')
FROM inventory_component c
LEFT JOIN inventory_installation i ON i.component_id = c.id AND upper_inf(i.during)
LEFT JOIN inventory_device d ON d.id = i.device_id
LEFT JOIN inventory_devicemodel m ON m.id = d.model_id
WHERE c.id IN (
    (SELECT id FROM inventory_component
        WHERE upper(serial) LIKE %(start)s AND {visible("site_id")} LIMIT %(limit)s)
    UNION ALL (SELECT id FROM inventory_component
        WHERE attributes ? 'uuid' AND {visible("site_id")}
            AND (upper(attributes->>'uuid') LIKE %(start)s OR upper(attributes->>'uuid') LIKE %(uuid)s)
        LIMIT %(limit)s)
    UNION ALL (SELECT id FROM inventory_component
        WHERE attributes ? 'guid' AND upper(attributes->>'guid') LIKE %(guid)s AND {visible("site_id")}
        LIMIT %(limit)s)
)
ORDER BY upper(c.serial) <> %(upper)s, c.serial, c.id LIMIT %(limit)s
"""


def find_components(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    upper, digits = query.upper(), _hex_digits(query)
    params = {
        "sites": sites,
        "start": starts(upper),
        "upper": upper,
        "uuid": starts("GPU-" + upper) if len(query) >= 4 else None,
        "guid": f"0X{digits.upper()}%" if digits else None,
        "limit": limit,
    }
    for pk, kind, serial, part_number, identity, device, name, slot, label in _rows(COMPONENTS, params):
        where = f"{name} {slot_text(slot, label)}" if device else "in stock"
        about = f"{kind.upper()} {part_number}".strip()
        rank = _rank(query, serial, identity, identity.removeprefix("GPU-"))
        yield Found("component", pk, serial or identity, f"{about} · {where}", f"/components/{pk}", rank)


_PORTS_WHERE = "SELECT p.id FROM inventory_port p JOIN inventory_device d ON d.id = p.device_id WHERE"
PORTS = f"""
SELECT id, name, guid, mac, device_id FROM inventory_port WHERE id IN (
    ({_PORTS_WHERE} p.guid <> '' AND p.guid LIKE %(guid)s AND {visible("d.site_id")} LIMIT %(limit)s)
    UNION ALL ({_PORTS_WHERE} p.mac <> '' AND p.mac LIKE %(mac)s AND {visible("d.site_id")} LIMIT %(limit)s)
)
ORDER BY id LIMIT %(limit)s
"""


def find_ports(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    digits = _hex_digits(query)
    if digits is None:
        return
    params = {"sites": sites, "guid": f"0x{digits}%", "mac": _mac_start(digits), "limit": limit}
    rows = _rows(PORTS, params)
    devices = placed({row[4] for row in rows})
    for pk, port, guid, mac, device_id in rows:
        device = devices[device_id]
        title = guid if guid.startswith(f"0x{digits}") else mac
        subtitle = f"{device.name} {port} · {device.place('rear')}"
        yield Found("port", pk, title, subtitle, f"/ports/{pk}", _rank(digits, _hex_digits(title) or ""))


CABLES = f"""
SELECT c.id, c.label, c.type, array_agg(DISTINCT n.serial) FILTER (WHERE n.serial <> ''),
    array_agg(e.text ORDER BY n.side, n.number, e.lane)
FROM (SELECT * FROM inventory_cable k WHERE k.id IN (
          (SELECT c.id FROM inventory_cable c WHERE upper(c.label) LIKE %(start)s AND {visible("c.site_id")}
           ORDER BY c.label LIMIT %(limit)s)
          UNION ALL
          (SELECT c.id FROM inventory_connector p JOIN inventory_cable c ON c.id = p.cable_id
           WHERE p.serial <> '' AND upper(p.serial) LIKE %(start)s AND {visible("c.site_id")} LIMIT %(limit)s)
      )) c
LEFT JOIN inventory_connector n ON n.cable_id = c.id
LEFT JOIN LATERAL (
    SELECT d.name || ' ' || p.name AS text, s.lane FROM inventory_strandend s
    JOIN inventory_port p ON p.id = s.port_id JOIN inventory_device d ON d.id = p.device_id
    WHERE s.connector_id = n.id AND s.change_set_id IS NULL
) e ON true
GROUP BY c.id, c.label, c.type ORDER BY upper(c.label) <> %(upper)s, c.label LIMIT %(limit)s
"""


def find_cables(query: str, sites: list[int] | None, limit: int) -> Iterable[Found]:
    upper = query.upper()
    rows = _rows(CABLES, {"sites": sites, "start": starts(upper), "upper": upper, "limit": limit})
    for pk, label, kind, serials, texts in rows:
        subtitle = " – ".join(text for text in texts if text)
        yield Found("cable", pk, label, f"{kind} · {subtitle}", f"/cables/{pk}", _rank(query, label, *(serials or ())))


register_provider("devices", find_devices)
register_provider("racks", find_racks)
register_provider("cables", find_cables)
register_provider("components", find_components)
register_provider("ports", find_ports)
