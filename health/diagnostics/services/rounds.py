"""Which tests come next in a run. They follow from the tests so far, so a worker that takes over decides the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from health.diagnostics.bisect import MEMBERS, PASS, UNKNOWN, Group, Trial, conclude, next_round
from health.diagnostics.catalogue import kinds_of
from health.diagnostics.models import ActiveRun, ActiveStep
from health.diagnostics.services.candidates import Candidate, leaf_of_each, rails

PAIRS, GROUPS = "pairs", "groups"
WHOLE = "whole"
"""The level of a test of all machines at once, before anything is taken apart."""
BANDWIDTH, LATENCY = "bandwidth", "latency"
Places = Mapping[str, str]


def tracks(run: ActiveRun, some: Sequence[Candidate]) -> list[tuple[str, str, Places]]:
    """(kind of step, adapter, leaf of each machine) of every plan that a run over groups follows, in their order."""
    if run.kind == GROUPS:
        return [(GROUPS, "", leaf_of_each(some))]
    tools = [BANDWIDTH, LATENCY] if run.options["latency"] else [BANDWIDTH]
    by_adapter = rails(some)
    return [(tool, adapter, places) for tool in tools for adapter, places in sorted(by_adapter.items())]


def next_steps(run: ActiveRun, some: Sequence[Candidate], steps: Sequence[ActiveStep]) -> list[ActiveStep]:
    """The steps of the next round, not saved; none when the run is over. `some` are the machines it still has."""
    if run.kind in (PAIRS, GROUPS):
        return _of_groups(run, some, steps)
    return _of_machines(run, some, steps)


def _of_machines(run: ActiveRun, some: Sequence[Candidate], steps: Sequence[ActiveStep]) -> list[ActiveStep]:
    """Every kind once on each machine; what did not pass is run a second time before the next kind."""
    there = {each.machine_id for each in some}
    repeated = {step.repeats_id for step in steps}
    again = [
        step
        for step in steps
        if step.verdict not in ("", PASS)
        and step.attempts  # what was never begun would be refused again
        and step.repeats_id is None
        and step.pk not in repeated
        and step.machine_ids[0] in there
    ]
    if again:
        return [_step(run, number, step.kind, step.machine_ids, repeats=step) for number, step in enumerate(again, 1)]
    done = {step.kind for step in steps}
    kind = next((kind for kind, _ in kinds_of(run.kind, run.options) if kind not in done), None)
    if kind is None:
        return []
    return [_step(run, number, kind, [each.machine_id]) for number, each in enumerate(some, 1)]


def _of_groups(run: ActiveRun, some: Sequence[Candidate], steps: Sequence[ActiveStep]) -> list[ActiveStep]:
    """The next round of every plan; latency begins when all plans of bandwidth are over. Of a run of the whole set what
    all machines did together comes first: the search begins only where that did not pass."""
    ids = {each.name: each.machine_id for each in some}
    if run.kind == GROUPS and run.options.get(WHOLE):
        whole = next((step for step in steps if step.level == WHOLE), None)
        if whole is None:
            together = Group(WHOLE, tuple(ids))
            return [] if run.left_out else [_step(run, 1, GROUPS, list(ids.values()), group=together)]
        if whole.verdict == PASS or not whole.attempts:
            return []
    drafts: list[ActiveStep] = []
    for kind, adapter, places in tracks(run, some):
        if kind == LATENCY and any(draft.kind == BANDWIDTH for draft in drafts):
            break
        own = own_steps(steps, kind, adapter)
        groups = _given(run, places, ids) if run.pairs and not own else next_round(places, trials(own))
        for group in groups:
            if all(name in ids for name in group.runs_on):
                on = [ids[name] for name in group.runs_on]
                drafts.append(_step(run, len(drafts) + 1, kind, on, adapter=adapter, group=group))
    return drafts


def _given(run: ActiveRun, places: Places, ids: Mapping[str, int]) -> tuple[Group, ...]:
    """Round 1 of a run that was told its pairs."""
    names = {pk: name for name, pk in ids.items() if name in places}
    pairs = [(names[a], names[b]) for a, b in run.pairs if a in names and b in names]
    return tuple(Group(MEMBERS, pair, (), pair) for pair in pairs)


def own_steps(steps: Sequence[ActiveStep], kind: str, adapter: str) -> list[ActiveStep]:
    """The steps of one plan."""
    return [step for step in steps if (step.kind, step.adapter) == (kind, adapter) and step.level != WHOLE]


def trials(steps: Sequence[ActiveStep]) -> list[Trial]:
    """Steps of one plan as it knows them. Rounds are counted by the plan: those it had no part in are none of its."""
    order = {number: position for position, number in enumerate(sorted({step.round for step in steps}), 1)}
    return [
        Trial(Group(step.level, tuple(step.about), tuple(step.partners)), order[step.round], step.verdict or UNKNOWN)
        for step in steps
    ]


def conclusions(run: ActiveRun, some: Sequence[Candidate], steps: Sequence[ActiveStep]) -> dict[str, Any]:
    """What the plans of a run over groups say, by adapter and tool."""
    found: dict[str, Any] = {}
    for kind, adapter, places in tracks(run, some):
        own = own_steps(steps, kind, adapter)
        if own:
            said = asdict(conclude(places, trials(own)))
            found[f"{adapter} {kind}".strip()] = {name: said[name] for name in ("bad", "switches", "undecided")}
    return found


def _step(
    run: ActiveRun,
    number: int,
    kind: str,
    machine_ids: Sequence[int],
    *,
    adapter: str = "",
    group: Group | None = None,
    repeats: ActiveStep | None = None,
) -> ActiveStep:
    return ActiveStep(
        run=run,
        round=run.rounds + 1,
        number=number,
        kind=kind,
        machine_ids=list(machine_ids),
        adapter=adapter,
        level=group.level if group else "",
        about=list(group.about) if group else [],
        partners=list(group.partners) if group else [],
        repeats=repeats,
    )
