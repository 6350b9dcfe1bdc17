"""What OpenAPI says about the routes of kinds: bodies and answers from the declarations, every status code."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, Field, create_model

from core.openapi.schema import Schema
from inventory.kinds.cable_ends import CableConnector
from inventory.kinds.kind import KINDS, Kind
from inventory.kinds.records import PartKind
from inventory.kinds.values import all_names, names_on_request

TYPES: dict[str, Any] = {
    "text": str, "integer": int, "number": float, "boolean": bool, "date": str, "datetime": str, "choice": str,
    "list": list[str], "object": dict[str, Any], "reference": int,
}  # fmt: skip


class PlaceAnswer(BaseModel):
    """Where a device is mounted; of one in a bay, where its parent is."""

    site: str
    room: str
    row: str
    rack: str
    rack_id: int
    u: float | None = Field(description="The lowest unit, 5.5 the upper half of U5; null at a side.")
    height_u: float | None
    face: Literal["both", "front", "rear"]
    column: Literal["full", "left", "right"]
    side: str = Field(description="The side slot of a zero-U device, such as rear-left.")
    text: str = Field(description="The way there in words.")


class InstalledAnswer(BaseModel):
    device: int
    device_name: str
    slot: str
    since: AwareDatetime
    by: str
    ticket: str


class DevicePartAnswer(BaseModel):
    id: int
    slot: str
    kind: PartKind
    vendor: str
    part_number: str
    serial: str
    attributes: dict[str, Any]
    condition: Literal["good", "suspect", "rma", "scrapped"]


class PluggedCableAnswer(BaseModel):
    id: int
    label: str
    status: Literal["planned", "connected", "to_move", "removed"]


class CableConnectorAnswer(BaseModel):
    """Where a lane of a connector ends; all null where it is not plugged in."""

    port: int | None
    port_name: str | None
    device: int | None
    device_name: str | None
    kind: str | None
    cage: int | None
    connector: int = Field(description="The connector on this side, from 1.")
    lane: int = Field(description="The same on both sides: what is linked.")
    serial: str = Field(description="Printed on the connector.")


EXTRAS: dict[str, Any] = {
    "place": PlaceAnswer | None, "installed": InstalledAnswer | None, "cable": PluggedCableAnswer | None,
    "parts": list[DevicePartAnswer],
    "a": list[CableConnectorAnswer], "b": list[CableConnectorAnswer], "device_name": str | None,
}  # fmt: skip
"""Types of the extras of kinds, by name."""


class RowOutcomeAnswer(BaseModel):
    row: int
    key: str
    id: int | None
    outcome: str
    changes: dict[str, list[Any]]
    errors: list[dict[str, str]]


class DryRunAnswer(BaseModel):
    """What a write would do."""

    dry_run: bool
    counts: dict[str, int]
    rows: list[RowOutcomeAnswer]


@lru_cache
def answer_model(name: str) -> type[BaseModel]:
    """A record as it is read."""
    kind = KINDS[name]
    fields: dict[str, Any] = {
        each: (_type_of(kind, each), Field(description=_help_of(kind, each))) for each in all_names(kind)
    }
    for each in names_on_request(kind):
        fields[each] = (EXTRAS[each], Field(default_factory=list, description=_help_of(kind, each)))
    return create_model(kind.class_name, **fields)


def _type_of(kind: Kind, name: str) -> Any:
    if name == "id":
        return int
    if name in kind.computed:
        return _maybe(TYPES[kind.computed[name].type], kind.computed[name].nullable)
    if name in kind.extra_names and name in EXTRAS:
        return EXTRAS[name]
    field = kind.fields.get(name)
    if field is not None:
        known: Any = Literal[tuple(field.choices)] if field.type == "choice" else TYPES[field.type]
        return _maybe(known, field.nullable or field.where)
    return str | None


def _maybe(type_: Any, nullable: bool) -> Any:
    return type_ | None if nullable else type_


def _help_of(kind: Kind, name: str) -> str:
    if name in kind.computed:
        return kind.computed[name].help
    if name in kind.fields:
        return kind.fields[name].help
    return next((extra.help for extra in kind.extras if name in extra.names), "")


ACTIONS = (
    "list", "retrieve", "create", "update", "partial_update", "destroy", "bulk_put", "bulk_update", "bulk_destroy",
)  # fmt: skip
WRITES = ("create", "update", "partial_update", "bulk_put", "bulk_update")


class KindSchema(Schema):
    """Bodies from the pydantic records, answers from what a kind can tell."""

    view: Any

    @property
    def _kind(self) -> Kind:
        kind: Kind = self.view.kind
        return kind

    @property
    def _own(self) -> bool:
        """One of the actions that all kinds have."""
        return getattr(self.view, "action", None) in ACTIONS

    def get_operation_id(self) -> str:
        name = self._kind.name.replace("-", "_")
        return f"{name}_{self.view.action}"

    def get_tags(self) -> list[str]:
        return [self._kind.name]

    def _ref(self, model: type[BaseModel], direction: str = "response") -> dict[str, Any]:
        component: Any = self.resolve_serializer(model, direction)  # type: ignore[arg-type]  # its pydantic extension
        reference: dict[str, Any] = component.ref
        return reference

    def get_request_serializer(self) -> Any:
        if not self._own:
            return super().get_request_serializer()
        kind, action = self._kind, self.view.action
        if action in ("create", "update"):
            one = self._ref(kind.record, "request")
            many = {"type": "array", "items": one, "maxItems": 20000}
            return {"application/json": {"oneOf": [one, many]} if action == "create" else one}
        if action == "partial_update":
            return {"application/json": self._ref(kind.patch, "request")}
        if action in ("bulk_put", "bulk_update"):
            return {"application/json": {"type": "array", "items": self._ref(kind.line, "request"), "maxItems": 20000}}
        if action == "bulk_destroy":
            key = {"anyOf": [{"type": "integer", "minimum": 1}, self._ref(kind.line, "request")]}
            return {"application/json": {"type": "array", "items": key, "maxItems": 20000}}
        return None

    def get_response_serializers(self) -> Any:
        if not self._own:
            return super().get_response_serializers()
        action = self.view.action
        one = self._ref(answer_model(self._kind.name))
        many = {"type": "array", "items": one}
        told = self._ref(DryRunAnswer)
        answers: dict[str, dict[str, Any]] = {
            "list": {"200": one},  # the page around it is the paginator's
            "retrieve": {"200": one},
            "create": {"201": {"oneOf": [one, many]}, "200": told},
            "update": {"200": {"anyOf": [one, told]}},
            "partial_update": {"200": {"anyOf": [one, told]}},
            "destroy": {"204": None, "200": told},
            "bulk_put": {"200": {"anyOf": [many, told]}},
            "bulk_update": {"200": {"anyOf": [many, told]}},
            "bulk_destroy": {"204": None, "200": told},
        }
        return answers[action]

    def _is_list_view(self, serializer: Any = None) -> bool:
        return self.view.action == "list" if self._own else super()._is_list_view(serializer)

    def _get_parameters(self) -> list[dict[str, Any]]:
        found = super()._get_parameters()
        if self._own:
            known = {each["name"] for each in found}
            found += [each for each in self._more_parameters() if each["name"] not in known]
        return found

    def _more_parameters(self) -> list[dict[str, Any]]:
        def query(name: str, type_: str, words: str) -> dict[str, Any]:
            return {"name": name, "in": "query", "required": False, "schema": {"type": type_}, "description": words}

        more = [] if "destroy" in self.view.action else [
            query("fields", "string", "Answer with these fields only, commas between."),
            query("omit", "string", "Answer without these fields."),
        ]  # fmt: skip
        if self.view.action not in ("list", "retrieve"):
            more.append(query("dry_run", "boolean", "Only report what the write would do."))
        return more


__all__ = ["CableConnector", "KindSchema", "answer_model"]
