"""Tags, custom fields and contacts of NetBox, and their values on other rows. Pure."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Set as AbstractSet
from typing import Any

from inventory.netbox.findings import Findings
from inventory.netbox.snapshot import Mapped, Row, Snapshot, plain, remains, value_of

KINDS = {
    "dcim.device": "devices",
    "dcim.rack": "racks",
    "dcim.cable": "cables",
    "dcim.location": "rooms",
}
"""Records that have custom fields in both."""
TYPES = {
    "text": "text", "longtext": "text", "integer": "integer", "decimal": "number", "boolean": "boolean",
    "date": "date", "datetime": "text", "url": "url", "select": "choice", "multiselect": "choices",
    "object": "text", "multiobject": "text",
}  # fmt: skip
FIELD_USED = {
    "type", "label", "object_types", "required", "description", "validation_minimum", "validation_maximum",
    "validation_regex", "choice_set", "ui_visible", "ui_editable", "weight", "search_weight", "filter_logic",
    "data_type", "is_cloneable",
}  # fmt: skip
CONTACT_USED = {"email", "phone", "description", "group", "groups", "comments"}
MAX_TEXT = 2000


class Labels:
    """`of` gives a row its tags, custom values and contact in our form."""

    def __init__(self, snapshot: Snapshot, findings: Findings) -> None:
        self.snapshot, self.findings = snapshot, findings
        self.types: dict[str, dict[str, str]] = defaultdict(dict)  # kind -> field of NetBox -> our type
        self.contacts: dict[tuple[str, int], Row] = {}
        self._fields = self._read_fields()
        self._roles = self._assign()

    # ---- declarations ----

    def tags(self) -> list[Mapped]:
        made = []
        for row in self.snapshot.rows("extras/tags"):
            colour = str(row.get("color") or "").lower()
            fields = {
                "name": plain(row["name"], 50),
                "colour": f"#{colour}" if re.fullmatch(r"[0-9a-f]{6}", colour) else "",
                "description": plain(row.get("description"), 200),
            }
            made.append(Mapped("tags", "extras/tags", row["id"], fields))
        return made

    def custom_fields(self) -> list[Mapped]:
        return self._fields

    def _read_fields(self) -> list[Mapped]:
        made = []
        for row in self.snapshot.rows("extras/custom-fields"):
            said = row.get("object_types") or row.get("content_types") or []
            kinds = sorted(KINDS[each] for each in said if each in KINDS)
            type_ = TYPES.get(str(value_of(row.get("type"))))
            lost = sorted(set(said) - set(KINDS))
            if lost:
                self.findings.left(
                    "extras/custom-fields", row, f"no custom fields here on {', '.join(lost)}", "object_types"
                )
            if type_ is None or not kinds:
                if type_ is None:
                    self.findings.left(
                        "extras/custom-fields", row, f"no field of type {value_of(row.get('type'))} here", "type"
                    )
                continue
            made.append(self._field(row, type_, kinds))
        return made

    def _field(self, row: Row, type_: str, kinds: list[str]) -> Mapped:
        choices: list[str] = []
        if type_ in ("choice", "choices"):
            found = self.snapshot.get("extras/custom-field-choice-sets", row.get("choice_set")) or {}
            choices = [str(pair[0]) for pair in found.get("extra_choices") or []]
            if found.get("base_choices") or not choices or any("," in each for each in choices):
                self.findings.changed(
                    "extras/custom-fields", row, "its choices are not a list of its own: it became a text", "type"
                )
                type_, choices = "text", []
        if value_of(row.get("type")) in ("object", "multiobject", "datetime"):
            self.findings.changed("extras/custom-fields", row, "its values became texts", "type")
        fields: Row = {
            "name": str(row["name"]).lower(),
            "title": plain(row.get("label") or row["name"], 60),
            "help": plain(row.get("description"), 200),
            "type": type_,
            "kinds": kinds,
            "choices": choices,
        }
        if type_ in ("integer", "number"):
            fields |= {"minimum": row.get("validation_minimum"), "maximum": row.get("validation_maximum")}
        if row.get("validation_regex"):
            self.findings.left("extras/custom-fields", row, "set the pattern here again", "validation_regex")
        if row.get("required"):
            self.findings.left("extras/custom-fields", row, "not required here until you say so", "required")
        for name in remains(row, FIELD_USED):
            self.findings.left("extras/custom-fields", row, "a custom field has no such setting here", name)
        for kind in kinds:
            self.types[kind][row["name"]] = type_
        return Mapped("custom-fields", "extras/custom-fields", row["id"], fields)

    def contact_rows(self) -> list[Mapped]:
        made = []
        for row in self.snapshot.rows("tenancy/contacts"):
            fields = {
                "site": None,
                "name": plain(row["name"], 100),
                "role": plain(self._roles.get(row["id"]), 60),
                "email": plain(row.get("email"), 254),
                "phone": plain(row.get("phone"), 40),
                "note": plain(row.get("description") or row.get("comments"), 200),
            }
            made.append(Mapped("contacts", "tenancy/contacts", row["id"], fields))
            for name in remains(row, CONTACT_USED):
                self.findings.left("tenancy/contacts", row, "a contact has no such field here", name)
        return made

    def _assign(self) -> dict[int, str]:
        """The first contact of each device, rack and location, and the roles contacts were assigned in."""
        roles: dict[int, str] = {}
        for row in self.snapshot.rows("tenancy/contact-assignments"):
            kind = str(row.get("object_type") or row.get("content_type"))
            contact = row.get("contact") or {}
            if row.get("role"):
                roles.setdefault(contact["id"], row["role"]["name"])
            if kind not in ("dcim.device", "dcim.rack", "dcim.location"):
                self.findings.left("tenancy/contact-assignments", row, f"a {kind} has no contact here")
            elif (kind, row["object_id"]) in self.contacts:
                self.findings.left("tenancy/contact-assignments", row, "one contact each; the first is kept")
            else:
                self.contacts[kind, row["object_id"]] = contact
        return roles

    # ---- values on other rows ----

    def of(
        self, kind: str, endpoint: str, row: Row, *, tags: bool = True, leave: AbstractSet[str] = frozenset()
    ) -> Row:
        """Tags, custom values and contact of a row, as fields of ours."""
        fields: Row = {"custom": self._values(kind, endpoint, row, leave)}
        if tags:
            fields["tags"] = sorted({plain(tag["name"], 50) for tag in row.get("tags") or []})
        elif row.get("tags"):
            self.findings.left(endpoint, row, f"{kind} have no tags here", "tags")
        content_type = next((name for name, ours in KINDS.items() if ours == kind), "")
        if kind != "cables":
            contact = self.contacts.get((content_type, row["id"]))
            fields["contact"] = plain(contact["name"], 100) if contact else None
        return fields

    def no_custom(self, endpoint: str, row: Row) -> None:
        """Tell the values of a row of which we keep none."""
        for name, value in (row.get("custom_fields") or {}).items():
            if value not in (None, "", []):
                self.findings.left(endpoint, row, "custom field of a record that has none here", f"cf_{name}")
        if row.get("tags"):
            self.findings.left(endpoint, row, "tag of a record that has none here", "tags")

    def _values(self, kind: str, endpoint: str, row: Row, leave: AbstractSet[str]) -> Row:
        values: Row = {}
        for name, value in (row.get("custom_fields") or {}).items():
            if name in leave:
                continue
            type_ = self.types[kind].get(name)
            if type_ is None:
                if value not in (None, "", []):
                    self.findings.left(endpoint, row, "this custom field was not imported", f"cf_{name}")
                continue
            values[name.lower()] = None if value in (None, "", []) else _plain_value(type_, value)
        return values


def _plain_value(type_: str, value: Any) -> Any:
    if type_ == "choices":
        return sorted(str(value_of(each)) for each in value) if isinstance(value, list) else [str(value)]
    if type_ == "choice":
        return str(value_of(value))
    if type_ == "number":
        return float(value) if isinstance(value, str) else value
    if type_ == "text" and not isinstance(value, str):
        rows = value if isinstance(value, list) else [value]
        value = ", ".join(str(each.get("display") or each) if isinstance(each, dict) else str(each) for each in rows)
    return value.replace("\x00", "")[:MAX_TEXT] if isinstance(value, str) else value
