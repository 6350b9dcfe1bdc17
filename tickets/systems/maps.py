"""The map of a site: how a ticket's fields and states are called in the other system. Pure.

Jira: {project, issue_type, priority: {P1: Highest, …}, status: {in_work: In Progress, closed: Done},
back: {Done: verify}, extra: {…}}.
ServiceNow: {urgency: {P1: 1, …}, impact: {…}, status: {in_work: 2, closed: 6}, back: {6: verify}, close_code,
extra: {field: value}}.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tickets.models.tickets import PRIORITIES
from tickets.workflow import Status

ACTIONS = ("take", "release", "verify")
"""What a state that somebody sets there may do here. Only a verification closes a ticket."""
STATUSES = tuple(status.value for status in Status)
Text = dict[str, str]


class Map(BaseModel):
    """What both have: the name of each state there, empty where it stays as it is; what is done here when somebody sets
    a state there; fields that always get a value."""

    model_config = ConfigDict(extra="forbid")
    status: Text = Field(default_factory=dict)
    back: Text = Field(default_factory=dict)
    extra: dict[str, Any] = Field(default_factory=dict)

    def action(self, status: str) -> str:
        """What a state there does here; empty where nothing is to be done."""
        return next((action for name, action in self.back.items() if same(name, status)), "")

    def states(self) -> list[str]:
        """Every state there that the map names."""
        return sorted({*self.status.values(), *self.back})


class JiraMap(Map):
    project: str = Field(pattern=r"^[A-Z][A-Z0-9_]{0,40}$")
    issue_type: str = Field(min_length=1, max_length=100)
    priority: Text = Field(default_factory=dict)

    def fields(self, ticket: Told) -> dict[str, Any]:
        fields: dict[str, Any] = {
            **self.extra,
            "project": {"key": self.project},
            "issuetype": {"name": self.issue_type},
            "summary": one_line(ticket.headline, 250),
            "description": ticket.text,
        }
        if name := self.priority.get(ticket.priority):
            fields["priority"] = {"name": name}
        return fields

    def on_move(self, status: str) -> dict[str, Any]:
        return {}

    def to_check(self) -> dict[str, Any]:
        return {"project": self.project, "issue_type": self.issue_type, "priorities": list(self.priority.values())}


class ServiceNowMap(Map):
    urgency: Text = Field(default_factory=dict)
    impact: Text = Field(default_factory=dict)
    close_code: str = Field(default="", max_length=100)

    def fields(self, ticket: Told) -> dict[str, Any]:
        fields = {**self.extra, "short_description": one_line(ticket.headline, 160), "description": ticket.text}
        for name, table in (("urgency", self.urgency), ("impact", self.impact)):
            if value := table.get(ticket.priority):
                fields[name] = value
        return fields

    def on_move(self, status: str) -> dict[str, Any]:
        """An incident is resolved with a code and a note, or not at all."""
        if status != Status.CLOSED:
            return {}
        return {"close_code": self.close_code or "Solution provided", "close_notes": "Verified and closed by Rackside."}

    def to_check(self) -> dict[str, Any]:
        return {"extra": self.extra}


class Told(BaseModel):
    """A ticket as it is told."""

    key: str
    title: str
    text: str
    priority: str

    @property
    def headline(self) -> str:
        return f"{self.key} {self.title}"


AnyMap = JiraMap | ServiceNowMap
KINDS: dict[str, type[AnyMap]] = {"jira": JiraMap, "servicenow": ServiceNowMap}


def read(kind: str, given: Any) -> AnyMap:
    """Raises ValueError with a line for each thing that is wrong."""
    try:
        found = KINDS[kind].model_validate(given)
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, each['loc'])) or 'the map'}: {each['msg']}" for each in error.errors()]
        raise ValueError("; ".join(lines)) from error
    unknown = sorted(set(found.status) - set(STATUSES))
    for name in ("priority", "urgency", "impact"):
        unknown += sorted(set(getattr(found, name, {})) - set(PRIORITIES))
    if wrong := sorted(set(found.back.values()) - set(ACTIONS)):
        raise ValueError(f"back: {', '.join(wrong)} is none of {', '.join(ACTIONS)}")
    if unknown:
        raise ValueError(f"no status or priority of a ticket: {', '.join(unknown)}")
    return found


def same(one: str, other: str) -> bool:
    """States are told apart by their letters, as Jira does, not by their case."""
    return one.casefold() == other.casefold()


def one_line(text: str, letters: int) -> str:
    return " ".join(text.split())[:letters]
