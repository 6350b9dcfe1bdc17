"""What a look means: its diagnosis against the plan, whether it may be believed, and the lives of findings.

`compare` reads and decides without writing; `store` writes all of it in the caller's transaction, the source's row
locked. A look that is not believed (empty, truncated, partial, held back) changes the source's state and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from fabric.discovery.models.seen import SeenLink as SeenLinkRow
from fabric.discovery.models.sources import Capture, Discovery, FabricSource
from fabric.discovery.services import seen_rows
from fabric.discovery.services.guard import vanished
from fabric.discovery.services.readers import Look
from fabric.discovery.services.states import finish, told
from fabric.facts import Completeness, Problem, Seen, SeenLink, SeenPort
from fabric.planned import Planned
from fabric.reconcile.compared import Compared, LinkState
from fabric.reconcile.compared import compare as compare_links
from fabric.reconcile.diagnose import Diagnosis, Settings, diagnose
from fabric.wiring import hooks
from fabric.wiring.queries.plans import plan_of
from fabric.wiring.services import findings, names
from fabric.wiring.services.words import cage_of

UNBELIEVED = {
    Completeness.EMPTY: (FabricSource.State.EMPTY, "the source answered with nothing: no data"),
    Completeness.TRUNCATED: (FabricSource.State.TRUNCATED, "the answer breaks off"),
    Completeness.PARTIAL: (FabricSource.State.PARTIAL, "a part of the answer is missing, or its ends disagree"),
}
MOST_PROBLEMS = 50


@dataclass(frozen=True)
class Outcome:
    """One look beside its plan. With `held_back` nothing else of it is stored."""

    look: Look
    planned: Planned
    state: FabricSource.State
    held_back: str = ""
    diagnosis: Diagnosis | None = None
    links: list[Compared] = field(default_factory=list)


def compare(source: FabricSource, look: Look, *, believed: bool = False) -> Outcome:
    """Diagnose a look. `believed`: a person says that what vanished is gone, so the guard lets it pass."""
    planned, prices = plan_of(source)
    if look.wiring is not Completeness.COMPLETE:
        state, why = UNBELIEVED[look.wiring]
        first = f": {look.problems[0].where}: {look.problems[0].text}" if look.problems else ""
        return Outcome(look, planned, state, f"{why}{first}")
    passed_over(source, look.seen)
    if not believed:
        gone = vanished(source, look.seen, planned.plan)
        if gone:
            return Outcome(look, planned, FabricSource.State.HELD_BACK, gone)
    share = 1.0 if believed or source.last_good_at else source.guard_percent / 100
    diagnosis = diagnose(
        planned.plan, look.seen, settings=Settings(guard_share=share), known=planned.known, prices=prices,
        cage_of=cage_of(planned),
    )  # fmt: skip
    if diagnosis.held_back and not believed:
        return Outcome(look, planned, FabricSource.State.HELD_BACK, diagnosis.held_back, diagnosis)
    links = compare_links(planned.plan, look.seen, diagnosis.names)
    return Outcome(look, planned, FabricSource.State.OK, "", diagnosis, links)


def passed_over(source: FabricSource, seen: Seen) -> None:
    """Put links that were taken out of use on purpose, and that the subnet manager therefore does not look at, back as
    they were last seen: they are neither missing nor free. At most two statements."""
    ends = hooks.disabled_links()(source)
    if not ends:
        return
    lit = {end for link in seen.links for end in (link.a, link.b)}
    guids = {end.guid for pair in ends for end in pair}
    rows = SeenLinkRow.objects.filter(source=source, during__endswith=None, a_guid__in=guids, b_guid__in=guids)
    for a_guid, a, b_guid, b, width, speed in rows.values_list(
        "a_guid", "a_port", "b_guid", "b_port", "width", "speed"
    ):
        link = SeenLink(SeenPort(a_guid, a), SeenPort(b_guid, b), width, speed)
        if frozenset((link.a, link.b)) in ends and link.a not in lit and link.b not in lit:
            seen.links.append(link)


def store(source: FabricSource, discovery: Discovery, outcome: Outcome) -> None:
    """Write a look: what was seen, links, findings and names, and the end of the discovery."""
    left_out = [
        Problem("plan", 0, f"{label} ends in a port that has a link already: left out")
        for label in outcome.planned.left_out
    ]
    problems = [told(problem) for problem in [*outcome.look.problems, *left_out][:MOST_PROBLEMS]]
    if outcome.held_back or outcome.diagnosis is None:
        discovery.problems, discovery.held_back = problems, outcome.held_back[:500]
        finish(source, discovery, Discovery.Status.HELD_BACK, outcome.state, outcome.held_back)
        return
    at = moment(source, discovery.capture)
    nodes = seen_rows.store_nodes(source.pk, outcome.look.seen, outcome.diagnosis.names, outcome.planned, at)
    links = seen_rows.store_seen_links(source.pk, outcome.look.seen, at)
    seen_rows.store_links(source.pk, outcome.links, outcome.planned, at)
    lives = findings.follow(source, discovery, outcome.diagnosis, outcome.planned, at)
    names.propose(source, outcome.diagnosis, outcome.look.seen, outcome.planned, at)
    discovery.counts = counts(outcome) | {
        "nodes_changed": nodes.began + nodes.ended,
        "links_changed": links.began + links.ended,
        **lives,
    }
    discovery.problems = problems
    source.last_good_at = at
    source.save(update_fields=["last_good_at"])
    message = f"{problems[0]['where']}: {problems[0]['text']}" if problems else ""
    finish(source, discovery, Discovery.Status.DONE, FabricSource.State.OK, message)


def counts(outcome: Outcome) -> dict[str, Any]:
    """What the diagnosis counts, and the links by their state."""
    states = {state.value: 0 for state in LinkState}
    for link in outcome.links:
        states[link.state.value] += 1
    told_by = dict(outcome.diagnosis.counts) if outcome.diagnosis is not None else {}
    seen = outcome.look.seen
    return told_by | {
        "planned": len(outcome.planned.plan.cables),
        "nodes": len(seen.nodes),
        "links": len(seen.links),
        "states": states,
    }


def moment(source: FabricSource, capture: Capture | None) -> datetime:
    """When a look holds from: the time of its capture, always later than what is stored already."""
    at = capture.at if capture is not None else timezone.now()
    newest = SeenLinkRow.objects.filter(source=source).order_by("-id").values_list("during", flat=True).first()
    latest = max(filter(None, (source.last_good_at, newest.lower if newest else None)), default=None)
    return at if latest is None or at > latest else latest + timedelta(microseconds=1)
