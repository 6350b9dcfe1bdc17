"""What a reference in a query or a body of any route means: an id or a name, wherever one names a record of a kind.

In a query digits are an id first, as links of the dashboard have them, and a name where nothing has that id; the filter
`rack_name=12` asks for the name alone.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q

from core.accounts.scope import visible_site_ids
from core.models import Role
from core.openapi.references import Find, Name, called, names, words
from inventory.kinds.kind import KINDS, Kind
from inventory.kinds.resolve import id_of

Near = Mapping[str, Sequence[str]]
"""What stands beside a reference and narrows it down, by part of the key: `site=ams1` beside `room=Hall 1`."""


def ids_of(kind: Kind, texts: Iterable[str], visible: list[int] | None, near: Near | None = None) -> list[int]:
    """The ids that texts mean, in their order: one query, one for ports written with their device, and one more for
    each name that several have.

    Raises ValueError for what nothing that may be seen has, and for a name that several have.
    """
    asked = list(dict.fromkeys(texts))
    numbers = [number for text in asked if (number := id_of(text)) is not None]
    rows = kind.limited(visible)
    named: dict[str, list[int]] = defaultdict(list)
    ids = set()
    meant = Q(pk__in=numbers) | Q(**{f"{kind.label_path}__in": asked})
    if kind.name == "ports":
        named |= _with_device(kind, [text for text in asked if " " in text], visible)
    for pk, label in rows.filter(meant).order_by().values_list("pk", kind.label_path):
        named[str(label)].append(pk)
        ids.add(pk)
    found = []
    for text in asked:
        number, several = id_of(text), named[text]
        if number in ids and number is not None:
            found.append(number)
        else:
            found.append(several[0] if len(several) == 1 else _the_one(kind, text, several, near or {}))
    return found


def _with_device(kind: Kind, texts: list[str], visible: list[int] | None) -> dict[str, list[int]]:
    """Ports written with their device, `leaf-a01-r1 20/1`: the name of a device, or its id, has no blank. One query."""
    if not texts:
        return {}
    pairs = {text: text.split(" ", 1) for text in texts}
    devices = {device for device, _ in pairs.values()}
    numbers = [number for text in devices if (number := id_of(text)) is not None]
    of_those = Q(device__name__in=devices) | Q(device_id__in=numbers)
    rows = kind.limited(visible).filter(of_those, name__in={port for _, port in pairs.values()}).order_by()
    found = list(rows.values_list("pk", "name", "device__name", "device_id"))
    return {
        text: [pk for pk, name, *its in found if name == port and (device in its or id_of(device) in its)]
        for text, (device, port) in pairs.items()
    }


def _the_one(kind: Kind, text: str, several: list[int], near: Near) -> int:
    one = kind.title.removesuffix("s")
    if not several:
        raise ValueError(f"There is no {one} {text!r}.")
    rows = kind.queryset().filter(pk__in=several)
    for part in kind.parts[:-1]:
        if values := near.get(part.name):
            numbers = [number for value in values if (number := id_of(value)) is not None]
            fits = Q(**{f"{part.path}__in": values})
            rows = rows.filter(fits | Q(**{f"{part.id_path}__in": numbers}) if part.id_path else fits)
    left = list(rows.values_list("pk", flat=True)[:2])
    if len(left) != 1:
        how = " or ".join(part.name for part in kind.parts[:-1]) or "id"
        raise ValueError(f"Several {kind.title} are named {text!r}: give its id, or its {how} beside it.")
    return int(left[0])


def names_of(kind: Kind, texts: Sequence[str], visible: list[int] | None) -> list[str]:
    """Texts with the name for each id; what is a name, or nothing, stays as it is. One query."""
    numbers = [number for text in texts if (number := id_of(text)) is not None]
    rows = kind.limited(visible).filter(Q(pk__in=numbers) | Q(**{f"{kind.label_path}__in": texts})).order_by()
    known = dict(rows.values_list("pk", kind.label_path))
    return [text if text in known.values() else known.get(id_of(text) or 0, text) for text in texts]


def beside(query: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """What a query says of the parts of keys: its parameters without a lookup."""
    parts = {part.name for kind in KINDS.values() for part in kind.parts[:-1]}
    return {name: [text for text in texts if text] for name, texts in query.items() if name in parts}


# ---- words of the routes of all rooms ----

KIND_OF = {
    "site": "sites", "room": "rooms", "row": "rows", "rack": "racks", "device": "devices", "machine": "devices",
    "switch": "devices", "model": "device-models", "cable": "cables", "contact": "contacts",
    "feed": "power-feeds", "panel": "power-panels", "storage": "storage-places", "old_storage": "storage-places",
    "sites": "sites", "racks": "racks", "devices": "devices", "machines": "devices", "models": "device-models",
    "pairs": "devices", "ports": "ports", "stock": "stock", "a_rack": "racks", "b_rack": "racks", "a_row": "rows",
    "b_row": "rows",
}  # fmt: skip
CALLED = {
    "sites": "slug", "device-models": "slug", "cables": "label", "stock": "part number",
    "ports": "name, also with its device (`leaf-a01-r1 20/1`)",
}  # fmt: skip
"""What names a record of a kind, where it is not just its name."""


def _finder(kind: str) -> Find:
    def find(names: Sequence[str], roles: Mapping[int | None, Role], near: Mapping[str, Sequence[str]]) -> list[int]:
        return ids_of(KINDS[kind], names, visible_site_ids(dict(roles)), near)

    return find


def _namer(kind: str) -> Name:
    def name(texts: Sequence[str], roles: Mapping[int | None, Role]) -> list[str]:
        return names_of(KINDS[kind], texts, visible_site_ids(dict(roles)))

    return name


def register() -> None:
    """Safe to call again."""
    words.update({word: _finder(kind) for word, kind in KIND_OF.items()})
    called.update({word: CALLED[kind] for word, kind in KIND_OF.items() if kind in CALLED})
    # Some routes take the slug, the name or the label.
    names.update({word: _namer(KIND_OF[word]) for word in ("site", "model", "device", "machine", "cable")})
