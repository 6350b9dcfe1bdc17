"""Random histories of machines through the real services: what must hold whatever happens in whichever order."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import pairwise
from math import floor
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from health.machines.cells import Condition, cell
from health.models import Fault, Hold, LifecycleChange, MachineHealth, Verification
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation_store
from health.remediation.services import drains
from health.services import (
    InvalidTransition,
    NotReady,
    change_state,
    lift_hold,
    place_hold,
    request_verification,
    return_to_service,
)
from health.tests import factories as make
from live.models import Event
from tests.effort import examples

MACHINES, SHARE = 4, 0.5
WHICH = st.integers(0, MACHINES - 1)
DEEDS = st.one_of(
    st.tuples(st.just("look"), WHICH, st.sampled_from(["well", "gone", "xid", "docker", "silent", "all"])),
    st.tuples(st.just("look"), WHICH, st.sampled_from(["well", "gone", "xid"])),
    st.tuples(st.just("step"), WHICH, st.sampled_from(["start_repair", "release", "escalate", "drain"])),
    st.tuples(st.just("verify"), WHICH, st.sampled_from(["well", "gone", "xid", "silent"])),
    st.tuples(st.just("hold"), WHICH, st.just("person:olga")),
    st.tuples(st.just("lift"), WHICH, st.just("person:olga")),
    st.tuples(st.just("return"), WHICH, st.just("")),
    st.tuples(st.just("drain_waiting"), WHICH, st.just("")),
)


def findings(word: str, second: int) -> tuple[make.Finding, ...]:
    xid = make.xid(at_us=second * 1_000_000)
    return {
        "well": (),
        "gone": (make.gone(),),
        "xid": (xid,),
        "docker": (make.docker_down(),),
        "all": (xid, make.gone(), make.nvlink(), make.docker_down()),
        "silent": (),
    }[word]


class Histories(TestCase):
    @given(st.lists(DEEDS, min_size=1, max_size=14))
    @settings(max_examples=examples(10), deadline=None, suppress_health_check=list(HealthCheck))
    def test_no_history_breaks_what_the_room_promises(self, history: list[tuple[str, int, str]]) -> None:
        with (
            patch("celery.app.task.Task.apply_async"),
            make.clock_at(make.START),
        ):
            self.play(history)

    def play(self, history: list[tuple[str, int, str]]) -> None:
        machines = [m.pk for m in make.make_machines(MACHINES, share=SHARE)]
        for pk in machines:
            observation_store.record([make.look(pk)])
        by_hand = 0
        for second, (deed, which, what) in enumerate(history, start=1):
            by_hand += self.do(deed, machines[which], what, 20 * second)
            self.check(by_hand)

    def do(self, deed: str, machine: int, what: str, second: int) -> int:
        """Do one thing; returns how many machines a person took out of service by it."""
        before = make.health(machine).state
        try:
            if deed == "look":
                look = make.look(machine, *findings(what, second), at=second, heard=what != "silent")
                observation_store.record([look])
            elif deed == "step":
                change_state(machine, what, reason="test", actor="olga")
            elif deed == "verify":
                self.verify(machine, what, second)
            elif deed == "hold":
                place_hold(machine, owner=what, reason="test", actor="olga", drain=True)
            elif deed == "lift":
                lift_hold(machine, owner=what, reason="test", actor="olga")
            elif deed == "return":
                return_to_service(machine, reason="test", actor="olga")
            else:
                drains.drain_waiting()
        except (InvalidTransition, NotReady):
            pass
        by_a_person = deed in ("step", "hold") and before == "ready" and make.health(machine).state != "ready"
        return int(by_a_person)

    def verify(self, machine: int, what: str, second: int) -> None:
        faults = Fault.objects.filter(machine_id=machine, led_by=None).exclude(status="cleared")
        asked = request_verification(
            machine, fault_ids=[fault.pk for fault in faults], owner="ticket:REP-1", actor="tina"
        )
        at = make.START + timedelta(seconds=second)
        Verification.objects.filter(pk=asked.pk).update(
            requested_at=at - timedelta(seconds=1), deadline_at=at - timedelta(milliseconds=1)
        )
        claimed = verifications.WORK.take(asked.pk)
        assert claimed is not None
        look = make.look(machine, *findings(what, second), at=at, heard=what != "silent", boot_id=f"boot-{second}")
        verifications.decide(claimed, look)

    def check(self, by_hand: int) -> None:
        drained_by_us = Counter(
            LifecycleChange.objects.filter(
                transition__event="drain", actor__in=["sweep", "automation", "verification"]
            ).values_list("machine_id", flat=True)
        )
        out = 0
        for health in MachineHealth.objects.select_related("machine"):
            faults = Fault.objects.filter(machine_id=health.pk).exclude(status="cleared")
            if health.state == "ready":
                assert not Hold.objects.filter(
                    machine_id=health.pk, lifted_at=None, owner__startswith="fault:"
                ).exists()
                confirmed = faults.filter(status="confirmed", led_by=None)
                assert all(fault.drain in ("over_budget", "dry_run", "stopped") for fault in confirmed)
            out += health.state != "ready"
            leading = faults.filter(led_by=None)
            assert len({(f.slot if f.slot in make.SLOTS else f.fault_class) for f in leading}) == leading.count()
            for fault in faults:
                assert fault.led_by is None or fault.led_by.status != "cleared"
                assert fault.status != "confirmed" or fault.led_by_id or fault.announced_at
            condition = Condition(
                state=health.state,
                reachability=health.reachability,
                worst=health.worst,
                suspected=leading.exists(),
                confirmed=faults.filter(status="confirmed").exists(),
            )
            assert health.cell == cell(condition) and health.open_faults == leading.count()
            steps = list(
                LifecycleChange.objects.filter(machine_id=health.pk)
                .order_by("id")
                .values_list("transition__from_state", "transition__to_state")
            )
            assert all(left[1] == right[0] for left, right in pairwise(steps))
            assert steps[-1][1] == health.state
        assert out <= floor(SHARE * MACHINES) + by_hand or not drained_by_us
        announced = Event.objects.filter(kind="fault.confirmed").values_list("subject", flat=True)
        assert len(announced) == len(set(announced))
