"""A worker that dies after any write, or any call, and then another one: nothing is sent twice, and life goes on."""

from __future__ import annotations

from itertools import count
from random import Random

import pytest

from health.checks.levels import Rung
from health.machines.lifecycle import State
from health.machines.limits import Limits
from health.remediation.planner import Rules
from health.remediation.remedies import REMEDIES
from health.remediation.types import Switches
from health.tests.remediation.promises import CHECKS, Box
from health.tests.remediation.world import Site
from tests.effort import examples

SEEDS = range(examples(4))
TICK_S, TICKS = 130.0, 900
SETTLED = (State.READY, State.TRIAGE)


def site_with_a_fault(rung: Rung, seed: int, careless: str = "") -> tuple[Site, Box]:
    """A site where everything is allowed, and one drained machine that needs this rung first."""
    site = Site(Random(seed), 4, careless)
    site.share, site.pools_on = 1.0, True
    modes = {(check, remedy.name): True for check in CHECKS for remedy in REMEDIES}
    site.rules = Rules(Switches(modes), Limits(), ())
    for other in site.boxes:
        other.state, other.incident, other.drained_by_us, other.broken, other.causes = (
            State.READY,
            None,
            False,
            False,
            (),
        )
    box = site.boxes[0]
    site.fail(box)
    assert box.incident is not None
    object.__setattr__(box.incident, "start_rung", rung)
    object.__setattr__(box.incident, "confirmed", True)
    object.__setattr__(box.incident, "shared", False)
    box.state, box.drain, box.drained_by_us, box.actions, box.shares_power = State.DRAINED, "ours", True, [], False
    return site, box


def die_after(site: Site, box: Box, pauses: int, owner: str) -> bool:
    """A worker that dies after so many writes and calls; whether it lived that long."""
    worker = site.work(box, owner)
    for _ in range(pauses):
        try:
            next(worker)
        except StopIteration:
            return False
    return True


def live_on(site: Site, box: Box) -> None:
    """Ticks, and a person who closes the breaker, until the machine is settled or too much time went by."""
    for tick in range(TICKS):
        if (box.state in SETTLED and not box.open and box.incident is None) or box.state is State.TRIAGE:
            return
        site.broken_breaker, site.breaker_closed_at = "", site.now
        site.pass_time(TICK_S)
        for _ in site.work(box, f"tick{tick}"):
            pass


@pytest.mark.parametrize("rung", [Rung(number) for number in range(1, 6)])
def test_wherever_a_worker_dies_the_machine_comes_back_or_is_a_person_s(rung: Rung) -> None:
    deaths = 0
    for seed in SEEDS:
        for first in count(1):
            site, box = site_with_a_fault(rung, seed)
            if not die_after(site, box, first, "first"):
                break
            for second in (1, 2, 3, 4):
                site, box = site_with_a_fault(rung, seed)
                die_after(site, box, first, "first")
                site.pass_time(125)
                die_after(site, box, second, "second")
                live_on(site, box)
                assert not site.broken_promises, (seed, first, second, site.broken_promises)
                assert box.state in SETTLED, (seed, first, second, box)
                assert not box.open
                deaths += 1
    assert deaths > len(SEEDS) * 4


def test_a_service_that_calls_before_it_writes_does_it_twice() -> None:
    broken = []
    for seed in SEEDS:
        site, box = site_with_a_fault(Rung.REBOOT, seed, "late_sent")
        die_after(site, box, 2, "first")
        live_on(site, box)
        broken += site.broken_promises
    assert any("carried out twice" in promise for promise in broken), broken
