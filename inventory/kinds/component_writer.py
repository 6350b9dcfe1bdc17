"""Parts span tables: the part, and the installation that says which slot it sits in now.

A part is known by its vendor, part number and serial; one whose serial nobody knows by the slot it sits in.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inventory.kinds import sql
from inventory.kinds.batch import Line
from inventory.kinds.retirement import close_installations, standing
from inventory.kinds.writer import Writer
from inventory.models import Device, Installation

OUT_OF_USE = ("rma", "scrapped")


def load_installed(components: Iterable[int]) -> dict[int, dict[str, Any]]:
    """Where each part sits now: one query."""
    rows = Installation.objects.filter(component_id__any=list(components), during__endswith=None)
    return {
        component: {
            "device": device, "device_name": name, "slot": slot,
            "installed": {
                "device": device, "device_name": name, "slot": slot, "since": during.lower, "by": by, "ticket": ticket,
            },
        }
        for component, device, name, slot, during, by, ticket in rows.values_list(
            "component_id", "device_id", "device__name", "slot", "during", "by", "ticket"
        )
    }  # fmt: skip


class ComponentWriter(Writer):
    # ---- what is there ----

    def known_by(self) -> tuple[str, ...]:
        return (*super().known_by(), "device")

    def identity(self, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        if values.get("serial"):
            return tuple(values.get(name) or "" for name in self.kind.key)
        if values.get("device") is not None and values.get("slot"):
            return (values["device"], values["slot"])
        return None

    def find(self, lines: Sequence[Line]) -> dict[int, int]:
        named = [line for line in lines if line.given.get("serial")]
        seated = [line for line in lines if line.given.get("device") is not None and line.given.get("slot")]
        stored: dict[tuple[Any, ...], int] = {}
        if named:
            rows = self.kind.limited(self.batch.scope.visible).filter(
                serial__any=sorted({line.given["serial"] for line in named})
            )
            stored |= {tuple(values): pk for pk, *values in rows.values_list("pk", *self.kind.key)}
        if seated:
            rows = Installation.objects.filter(
                device_id__any=sorted({line.given["device"] for line in seated}), during__endswith=None
            )
            for device, slot, component, serial in rows.values_list(
                "device_id", "slot", "component_id", "component__serial"
            ):
                stored[device, slot, "any"] = component
                if not serial:
                    stored[device, slot] = component
        found = {line.number: pk for line in lines if (pk := self._match(line, stored)) is not None}
        if self.batch.mode != "create":
            told = {*named, *seated}
            found |= self._nameless([line for line in lines if line not in told])
        return found

    def _nameless(self, lines: Sequence[Line]) -> dict[int, int]:
        """Parts in stock without a serial are told apart by nothing: as many rows as there are such parts are those."""
        if not lines:
            return {}
        rows = self.kind.limited(self.batch.scope.visible).filter(serial="")
        rows = rows.exclude(pk__in=Installation.objects.filter(during__endswith=None).values("component_id"))
        alike: dict[tuple[Any, ...], list[int]] = defaultdict(list)
        for pk, *values in rows.order_by("-pk").values_list("pk", "site_id", "kind", *self.kind.key[:2], "attributes"):
            alike[(*values[:4], sql.as_json(values[4]))].append(pk)
        found = {}
        for line in lines:
            given = line.given
            key = (given.get("site"), given.get("kind"), given.get("vendor") or "", given.get("part_number") or "")
            same = alike.get((*key, sql.as_json(given.get("attributes") or {})))
            if same:
                found[line.number] = same.pop()
        return found

    def _match(self, line: Line, stored: dict[tuple[Any, ...], int]) -> int | None:
        """By serial; a row without one, and one for a part of unknown serial, by its slot."""
        slot = (line.given.get("device"), line.given.get("slot"))
        if not line.given.get("serial"):
            return stored.get((*slot, "any"))
        return stored.get(self.identity(line.given) or ()) or stored.get(slot)

    # ---- the plan ----

    def gather(self) -> None:
        ids: set[Any] = {line.after_or("device") for line in self.batch.good} - {None}
        rows = Device.objects.filter(pk__any=sorted(ids)).values_list("pk", "name", "model__spec__slots")
        self.slots = {pk: (name, {slot["name"]: slot["kind"] for slot in slots or ()}) for pk, name, slots in rows}
        now = Installation.objects.filter(device_id__any=sorted(ids), during__endswith=None)
        self.seated = {
            (device, slot): (component, serial)
            for device, slot, component, serial in now.values_list(
                "device_id", "slot", "component_id", "component__serial"
            )
        }
        before: set[Any] = {line.before.get("device") for line in self.batch.good} - {None}
        sql.lock("inventory_device", ids | before)

    def merge(self, line: Line) -> None:
        if "device" in line.given and line.given["device"] is None:
            line.given.setdefault("slot", None)
        if line.given.get("serial") == "" and line.before.get("serial"):
            del line.given["serial"]  # a file that does not know the serial does not take it away
        if line.left_site is not None:
            line.given.setdefault("storage", None)
            if line.before["device"] is not None and "device" not in line.given:
                line.refuse("site", f"it sits in {line.before['device_name']}: take it out first", "in_use")
        super().merge(line)
        after = line.after
        after["slot"] = after["slot"] or None
        if (after["device"] is None) != (after["slot"] is None):
            name = "slot" if after["device"] is not None else "device"
            line.refuse(name, "a slot is named together with the device it is in", "required")
        if after["kind"] is None and after["device"] is not None and after["slot"] is not None:
            name, slots = self.slots[after["device"]]
            after["kind"] = slots.get(after["slot"])
            if after["kind"] is None:
                line.refuse("slot", f"{name} has no slot {after['slot']!r}", "unknown_reference")
        if after["kind"] is None and not line.errors:
            line.refuse("kind", "this field is needed", "required")
        if not line.new:
            line.changed = [name for name in self.kind.fields if after[name] != line.before[name]]

    def check(self) -> None:
        super().check()
        moving = [line for line in self.batch.good if line.new or {"device", "slot"} & set(line.changed)]
        leaving = {line.id for line in moving if not line.new}
        taken = {place: line for place, line in self.seated.items() if line[0] not in leaving}
        coming: dict[tuple[Any, Any], Line] = {}
        for line in moving:
            if line.after["device"] is None:
                continue
            place = (line.after["device"], line.after["slot"])
            self._check_slot(line, *place)
            other = coming.setdefault(place, line)
            if place in taken:
                line.refuse("slot", f"{taken[place][1] or 'a part of unknown serial'} sits there", "overlap")
            elif other is not line:
                line.refuse("slot", f"row {other.number} goes there too", "overlap")
        for line in self.batch.good:
            if line.after["device"] is not None and line.given.get("storage") is not None:
                line.refuse("storage", "an installed part lies on no shelf")
            if line.after["device"] is not None and line.after["condition"] in OUT_OF_USE:
                line.refuse("condition", "what was sent back or scrapped sits nowhere: take it out first")

    def _check_slot(self, line: Line, device: int, slot: str) -> None:
        name, slots = self.slots[device]
        if slot not in slots:
            line.refuse("slot", f"{name} has no slot {slot!r}", "unknown_reference")
        elif slots[slot] != line.after["kind"]:
            line.refuse("slot", f"{slot} is for a part of kind {slots[slot]}, not {line.after['kind']}")

    # ---- the statements ----

    def insert(self, lines: Sequence[Line]) -> None:
        super().insert(lines)
        self._install([line for line in lines if line.after["device"] is not None])

    def update(self, lines: Sequence[Line]) -> None:
        moved = [line for line in lines if {"device", "slot"} & set(line.changed)]
        out = {line.id: line.before["device"] for line in moved if line.before["device"] is not None and line.id}
        if out:
            stood = standing(list(out.values()))
            close_installations("component_id", {pk: stood[device] for pk, device in out.items()})
        super().update(lines)
        self._install([line for line in moved if line.after["device"] is not None])

    def _install(self, lines: Sequence[Line]) -> None:
        """Put parts into slots; the ports on them take over GUID and MAC."""
        if not lines:
            return
        rows = [
            {
                "component_id": line.id, "device_id": line.after["device"], "slot": line.after["slot"],
                "by": self.batch.actor[:150], "ticket": "",
                "guid": str(line.after["attributes"].get("guid", "")),
                "mac": str(line.after["attributes"].get("mac", "")),
            }
            for line in lines
        ]  # fmt: skip
        sql.execute(
            "INSERT INTO inventory_installation (component_id, device_id, slot, during, by, ticket) "
            "SELECT n.component_id, n.device_id, n.slot, tstzrange(greatest(clock_timestamp(), "
            "(SELECT max(upper(i.during)) FROM inventory_installation i WHERE i.component_id = n.component_id), "
            "(SELECT max(upper(i.during)) FROM inventory_installation i "
            "WHERE i.device_id = n.device_id AND i.slot = n.slot)), NULL), n.by, '' "
            "FROM jsonb_to_recordset(%s::jsonb) AS n (component_id bigint, device_id bigint, slot text, by text)",
            sql.as_json(rows),
        )
        sql.analyze_if_grown("inventory_installation", len(rows))
        sql.execute(
            "UPDATE inventory_port p SET guid = n.guid, mac = n.mac "
            "FROM jsonb_to_recordset(%s::jsonb) AS n (device_id bigint, slot text, guid text, mac text) "
            "WHERE p.device_id = n.device_id AND p.slot = n.slot AND p.kind IN ('infiniband', 'ethernet') "
            "AND (p.guid, p.mac) IS DISTINCT FROM (n.guid, n.mac)",
            sql.as_json(rows),
        )
