"""What a runbook is: a document with its steps, refused with place and reason where it cannot be followed. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import orjson
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from tickets.runbooks.language import TemplateError, parse

STEP_KINDS = ("check", "reseat", "clean", "swap")
"""What a runbook's own steps are. The label check and the verification come with every visit."""
RUNS = ("drain", "led_on", "power_off", "power_on")
SIGNS = ("", "second_person", "lockout")
ROLES = ("technician", "operator")
MOST_STEPS = 40
SLUG = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"

Line = Annotated[str, StringConstraints(strip_whitespace=True, max_length=160)]
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=4000)]
Key = Annotated[str, StringConstraints(pattern=SLUG, max_length=40)]


class Problem(NamedTuple):
    """`place` is a path in the document, such as `steps.2.text line 3, column 5`."""

    place: str
    reason: str


class Refused(ValueError):
    """A document that is no runbook."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(f"{problem.place}: {problem.reason}" for problem in problems))
        self.problems = list(problems)


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class RunbookStep(_Shape):
    """One step. `runs`: what the machine does itself, watched until it was seen; `needs_off`: hands go in, so the
    machine must have been seen off; `sign`: a second person confirms it, or a lock with its tag number is hung."""

    key: Key
    kind: Literal["check", "reseat", "clean", "swap"]
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=120)]
    text: Text = ""
    verifies: Line = ""
    runs: Literal["", "drain", "led_on", "power_off", "power_on"] = ""
    needs_off: bool = False
    sign: Literal["", "second_person", "lockout"] = ""
    role: Literal["technician", "operator"] = "technician"

    @model_validator(mode="after")
    def _run_by_a_machine(self) -> RunbookStep:
        if self.runs and self.kind != "check":
            raise ValueError("a step that the machine runs is of the kind check")
        if self.runs and (self.sign or self.needs_off):
            raise ValueError("a step that the machine runs needs no sign-off and no hands: make two steps of it")
        return self


class Runbook(_Shape):
    """A whole runbook. `minutes` is what it takes a practised pair of hands."""

    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
    summary: Line = ""
    role: Literal["technician", "operator"] = "technician"
    minutes: Annotated[int, Field(ge=1, le=1440)]
    people: Annotated[int, Field(ge=1, le=6)] = 1
    safety: Text = ""
    tools: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    parts: Annotated[tuple[Line, ...], Field(max_length=20)] = ()
    steps: Annotated[tuple[RunbookStep, ...], Field(min_length=1, max_length=MOST_STEPS)]

    def step(self, key: str) -> RunbookStep | None:
        return next((step for step in self.steps if step.key == key), None)


def read(document: Any) -> Runbook:
    """The runbook. Raises Refused with everything that is wrong."""
    try:
        found = Runbook.model_validate(document)
    except ValidationError as error:
        problems = [_problem(row) for row in error.errors(include_url=False)]
        inner = [problem for problem in problems if not _follows_from(problem, problems)]
        raise Refused(inner) from error
    if problems := [*_wrong_templates(found), *_wrong_order(found)]:
        raise Refused(problems)
    return found


def _problem(row: Mapping[str, Any]) -> Problem:
    place = ".".join(str(part + 1) if isinstance(part, int) else str(part) for part in row["loc"]) or "document"
    return Problem(place, str(row["msg"]).removeprefix("Value error, "))


def _follows_from(problem: Problem, problems: Sequence[Problem]) -> bool:
    """A list counts only its valid rows: that it is too short then says nothing new."""
    return any(other.place.startswith(f"{problem.place}.") for other in problems)


def _wrong_templates(found: Runbook) -> Iterator[Problem]:
    texts = [("safety", found.safety)]
    for number, step in enumerate(found.steps, start=1):
        texts += [(f"steps.{number}.{name}", getattr(step, name)) for name in ("title", "text", "verifies")]
    for place, text in texts:
        try:
            parse(text)
        except TemplateError as error:
            yield Problem(f"{place} line {error.line}, column {error.column}", error.reason)


def _wrong_order(found: Runbook) -> Iterator[Problem]:
    keys: set[str] = set()
    off = False
    for number, step in enumerate(found.steps, start=1):
        if step.key in keys:
            yield Problem(f"steps.{number}.key", f"there is a step {step.key} before it")
        keys.add(step.key)
        off = step.runs == "power_off" or (off and step.runs != "power_on")
        if step.needs_off and not off:
            yield Problem(f"steps.{number}.needs_off", "no step before it powers the machine off")


def plain(found: Runbook) -> dict[str, Any]:
    """The document as it is stored and shown."""
    return found.model_dump(mode="json")


def digest(document: Mapping[str, Any]) -> str:
    """Tells two documents apart."""
    return hashlib.sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()[:32]


class Difference(NamedTuple):
    """One field that differs between two versions; of lists and steps each by itself."""

    place: str
    before: str
    after: str


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[Difference]:
    """What changed, field by field; steps are told apart by their keys, and their order is a field of its own."""
    rows = [
        Difference(name, _text(before.get(name)), _text(after.get(name)))
        for name in Runbook.model_fields
        if name != "steps"
    ]
    old, new = ({step["key"]: step for step in document.get("steps", ())} for document in (before, after))
    rows.append(Difference("order of steps", ", ".join(old), ", ".join(new)))
    for key in [*old, *(key for key in new if key not in old)]:
        for name in RunbookStep.model_fields:
            if name != "key":
                sides = [_text(side.get(key, {}).get(name)) for side in (old, new)]
                rows.append(Difference(f"step {key}: {name}", *sides))
    return [row for row in rows if row.before != row.after]


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return "\n".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)
