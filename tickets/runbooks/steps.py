"""The steps of a visit: what a ticket shows, and when one may be ticked. Pure.

A runbook says what to do about the part; every visit has besides it a look at the machine's state, its label, and the
verification.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tickets.runbooks.document import Runbook, RunbookStep
from tickets.runbooks.language import Facts, render
from tickets.runbooks.markdown import escaped, html

VISIT_STATE = "visit-state"
VISIT_LABEL = "visit-label"
VISIT_VERIFY = "visit-verify"
LED = "The picture says what its locating LED does."
"""A step is written once, the LED may be switched at any time: its state has one source, the ticket's `led`."""
STATE_TITLE = (
    "{% if drained %}The machine is out of service{% else %}{% if in_service %}The machine is in service{% else %}"
    "Check whether the machine is out of service{% endif %}{% endif %}"
)
STATE_TEXT = (
    "{% if in_service %}{% if hot %}It stays in service: this can be repaired while jobs run. {% else %}"
    "Have it drained before you begin, the repair needs it out. {% endif %}{% endif %}Look for {{ machine }}. " + LED
)


@dataclass(frozen=True)
class StepText:
    """One step of a ticket; `kind` is check, scan, reseat, clean, swap (another part goes in, whose serial is recorded
    with this step) or verify. `key` finds it in the ticket's runbook."""

    kind: str
    title: str
    detail: str = ""
    key: str = ""


def written(runbook: Runbook, facts: Facts) -> list[StepText]:
    """The runbook's steps as they are kept with a ticket: what they say is rendered anew whenever it is read."""
    return [
        StepText(step.kind, render(step.title, facts), render(step.text, facts), step.key) for step in runbook.steps
    ]


def said(text: str, facts: Facts) -> str:
    """Text of a runbook as it is true now, as safe HTML."""
    return html(render(text, facts, escaped)) if text else ""


@dataclass(frozen=True)
class Standing:
    """A step of a ticket as it stands. `run`: the state of what the machine runs, empty when it was not asked."""

    number: int
    key: str
    done: bool
    run: str = ""
    signs: tuple[tuple[str, int], ...] = ()
    """(kind, user) of each sign-off."""


def blocked(runbook: Runbook, steps: Sequence[Standing], number: int, facts: Facts) -> str:
    """Why hands must not begin a step yet; empty when they may."""
    row = next((step for step in steps if step.number == number), None)
    known = runbook.step(row.key) if row else None
    if row is None or known is None or not known.needs_off:
        return ""
    before = [step for step in steps if step.number < number and _runs(runbook, step) == "power_off"]
    if not before:
        return ""
    last = before[-1]
    if not last.done:
        return f"Step {last.number} first: the machine has to be seen off before hands go in."
    if last.run == "seen" and facts.states.get("off") is not True:
        return f"The machine was off and is not seen off any more: do step {last.number} again."
    return ""


def _runs(runbook: Runbook, step: Standing) -> str:
    known = runbook.step(step.key)
    return known.runs if known else ""


def unproven(step: RunbookStep, standing: Standing, by: int) -> str:
    """What is missing before this person may tick the step without a reason; empty when nothing is."""
    if step.runs == "power_off" and standing.run != "seen":
        return "the machine was not seen off: press Power off and wait, or say why not"
    if step.sign == "lockout" and not any(kind == "lockout" for kind, _ in standing.signs):
        return "the lock and its tag number are not recorded"
    if step.sign == "second_person":
        signers = [user for kind, user in standing.signs if kind == "second_person"]
        if not signers:
            return "a second person has not confirmed it"
        if by in signers:
            return "who confirmed it as the second person cannot tick it too"
    return ""


@dataclass(frozen=True)
class Choice:
    """A site's choice of a runbook; an empty field means any."""

    slug: str
    fault_class: str = ""
    role: str = ""
    model: int | None = None


def pick(choices: Sequence[Choice], *, fault_class: str, role: str, model: int, usual: str) -> str:
    """The slug of the choice that says most about this fault: its class before the model before the role."""
    fits = [
        choice
        for choice in choices
        if choice.fault_class in ("", fault_class) and choice.role in ("", role) and choice.model in (None, model)
    ]
    best = max(fits, key=lambda it: (bool(it.fault_class), it.model is not None, bool(it.role)), default=None)
    return best.slug if best else usual
