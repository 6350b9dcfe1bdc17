"""Random histories (1,000 in every change, 10,000 with --all) in which no promise of remediation is broken, and proof
that each guard is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import pytest

from health.checks.levels import Rung
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.monitoring import damping
from health.remediation import budgets, by_hand, ladder, planner, records
from health.remediation.records import Decision, What
from health.remediation.remedies import BY_NAME
from health.remediation.types import Action, ActionState, IncidentView, MachineView
from health.tests.remediation.histories import History
from tests.effort import examples

SHARDS, PER_SHARD = 2, max(500, examples(500))  # in fewer some remedy is never seen to fail
FIND_WITHIN = 1500  # histories that must be enough to see that a guard is missing


@pytest.mark.parametrize("shard", [0, *(pytest.param(each, marks=pytest.mark.slow) for each in range(1, SHARDS))])
def test_no_history_breaks_a_promise(shard: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(shard * PER_SHARD, (shard + 1) * PER_SHARD):
        site = History(seed).run()
        assert not site.broken_promises, (seed, site.broken_promises)
        seen.update(f"{a.remedy} {a.state}" for box in site.boxes for a in box.actions if a.incident > 1)
        seen["drains"] += len(site.drains)
        seen["by hand"] += sum(site.calls[key] for key in site.by_hand)
    # Histories in which nothing happens prove nothing.
    assert seen["drains"] > PER_SHARD / 4 and seen["by hand"] > PER_SHARD / 10
    for remedy in BY_NAME:
        assert seen[f"{remedy} confirmed"] > 10, remedy
        assert seen[f"{remedy} cancelled"], remedy
        assert seen[f"{remedy} failed"], remedy
        assert seen[f"{remedy} ambiguous"] or BY_NAME[remedy].idempotent, remedy


# ---- each guard is needed ----

Mutant = Callable[[pytest.MonkeyPatch], object]


def without_guard(name: str) -> Mutant:
    return lambda patch: patch.delitem(budgets.GUARDS, name)


def _ladder(change: Callable[[MachineView], MachineView]) -> Mutant:
    """The ladder sees a machine that is not quite the one there is."""
    real = ladder.next_rung

    def blind(machine: MachineView, *rest: object) -> ladder.Choice:
        return real(change(machine), *rest)  # type: ignore[arg-type]

    return lambda patch: patch.setattr(ladder, "next_rung", blind)


def _limits(**said: int) -> Mutant:
    real = ladder.next_rung

    def generous(machine: MachineView, start: Rung, incident: int, limits: Limits, now: datetime) -> ladder.Choice:
        return real(machine, start, incident, replace(limits, **said), now)

    return lambda patch: patch.setattr(ladder, "next_rung", generous)


def _standing(change: Callable[[MachineView], MachineView]) -> Mutant:
    real = planner._standing
    return lambda patch: patch.setattr(planner, "_standing", lambda machine: real(change(machine)))


def _incident(**said: object) -> Callable[[MachineView], MachineView]:
    def change(machine: MachineView) -> MachineView:
        incident: IncidentView | None = machine.incident and replace(machine.incident, **said)  # type: ignore[arg-type]
        return replace(machine, incident=incident)

    return change


def _send_anything_again(action: Action, world: records.World, limits: records.Limits) -> Decision:
    decision = records.settle(action, world, limits) if action.state is ActionState.SENT else None
    if decision and decision.what is What.WAIT and not records.lease_lives(action, world.now):
        return Decision(What.SEND, "again")
    return decision or Decision(What.CANCEL, "not sent")


def _repeats_anything(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(records, "after_crash", _send_anything_again)
    patch.setattr(records, "before_repeat", lambda *_, **__: None)


def _believes_old_reports(action: Action, passed: bool, report_at: object) -> Action:
    open_end = action.state is ActionState.CONFIRMED and action.verified is None
    return replace(action, verified=passed) if open_end else action


def _send_checks_nothing(*names: str) -> Mutant:
    """`before_send` with some of its questions answered as if all were well."""
    real = records.before_send
    fine = {"killed": False, "breaker_open": False, "held_by": (), "state": State.DRAINED}

    def blind(action: Action, world: records.World, **said: object) -> object:
        return real(action, world, **said | {name: fine[name] for name in names})  # type: ignore[arg-type]

    return lambda patch: patch.setattr(records, "before_send", blind)


def _never_late(action: Action, world: records.World) -> Decision:
    return Decision(What.WAIT, "for ever")


def _fearless(patch: pytest.MonkeyPatch) -> None:
    """Accepts the first rung again and again."""
    patch.setattr(ladder, "_in_order", lambda start, tried: (start, "again"))


def _ignores_holds(patch: pytest.MonkeyPatch) -> None:
    _send_checks_nothing("held_by")(patch)
    patch.setattr(planner, "_not_now", lambda *_: None)


MUTANTS: dict[str, tuple[Mutant, str]] = {
    "kill": (without_guard("kill"), "kill switch on"),
    "breaker": (without_guard("breaker"), "breaker open"),
    "clock": (without_guard("clock"), "clock jumped"),
    "stale": (without_guard("stale"), "stale numbers"),
    "dry run": (without_guard("dry_run"), "nobody turned on"),
    "checks": (without_guard("checks"), "not trusted"),
    "pool": (without_guard("pool"), "out by our doing"),
    "rates": (without_guard("rates"), "drain"),
    "common cause": (without_guard("common_cause"), "others of"),
    "power": (without_guard("power"), "power action"),
    "windows": (without_guard("windows"), "outside its hours"),
    "reboots": (_limits(reboots_7d=99), "third reboot"),
    "lemon": (_limits(remediations_7d=99), "sixth remediation"),
    "shared power": (_ladder(lambda m: replace(m, shares_power=False)), "shared shelf"),
    "one rung once": (_fearless, "used twice"),
    "one open action": (
        _standing(lambda m: replace(m, records=tuple(a for a in m.records or () if not a.open))),
        "two open actions",
    ),
    "readable records": (_standing(lambda m: replace(m, records=m.records or ())), "nobody can read"),
    "verification first": (
        _standing(
            lambda m: replace(
                m, records=tuple(replace(a, verified=False) if a.verified is None else a for a in m.records or ())
            )
        ),
        "before the last action was verified",
    ),
    "awake": (lambda p: p.setattr(records, "may_call", lambda *_, **__: True), "called on|called while"),
    "second look": (_standing(_incident(confirmed=True)), "second check"),
    "shared incident": (_standing(_incident(shared=False)), "of a shared cause"),
    "rest after undrain": (lambda p: p.setattr(damping, "rests_until", lambda *_: None), "undrained"),
    "jobs": (lambda p: p.setattr(records, "busy", lambda *_, **__: None), "called while a job runs"),
    "kill at sending": (_send_checks_nothing("killed"), "sent with the kill switch"),
    "breaker at sending": (_send_checks_nothing("breaker_open"), "sent with the circuit breaker"),
    "state at sending": (_send_checks_nothing("state"), "sent to a machine"),
    "holds": (_ignores_holds, "somebody holds"),
    "never twice": (_repeats_anything, "sent twice"),
    "newer report": (lambda p: p.setattr(records, "verified", _believes_old_reports), "old report"),
    "by hand": (lambda p: p.setattr(by_hand, "refusal", lambda *_: None), "by hand"),
    "tests under load": (lambda p: p.setattr(records, "tests_of", lambda held_by: []), "during a test"),
    "shared power by hand": (lambda p: p.setattr(ladder, "no_power_cycle", lambda machine: ""), "shelf by hand"),
    "asked again": (lambda p: p.setattr(records, "before_repeat", lambda *_, **__: None), "sent "),
    "deadline": (lambda p: p.setattr(records, "_late", _never_late), "hangs"),
}


def breaks(words: str, careless: str = "") -> list[str]:
    """The promises broken in the first history that breaks one of these; empty when none does within the limit."""
    for seed in range(FIND_WITHIN):
        broken = History(seed, careless=careless).run().broken_promises
        if any(word in promise for promise in broken for word in words.split("|")):
            return broken
    return []


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTANTS)
def test_without_a_guard_a_promise_breaks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mutant, words = MUTANTS[name]
    mutant(monkeypatch)
    assert breaks(words)


def test_there_is_a_mutant_for_every_guard() -> None:
    assert {name.replace(" ", "_") for name in MUTANTS} >= set(budgets.GUARDS)


def test_a_service_that_needs_no_verification_breaks_a_promise() -> None:
    assert breaks("without a verification", "trusting")
