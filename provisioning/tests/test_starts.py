"""Which waiting machines start: fair between runs, within what racks, switches and boot servers bear. Pure."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.limits.starts import Candidate, Kind, Share, UnderWay, next_ones
from provisioning.services import queue

RACK, SWITCH = Share(Kind.RACK, 1, 2), Share(Kind.SWITCH, 7, 3)
SHARES = st.sampled_from([RACK, Share(Kind.RACK, 2, 1), SWITCH, Share(Kind.SWITCH, 8, 1), Share(Kind.MIRROR, 1, 5)])
WAITING = st.lists(st.tuples(st.integers(1, 4), st.sets(SHARES, max_size=3)), max_size=40)


@given(WAITING, st.integers(0, 20), st.integers(1, 6))
def test_no_limit_is_passed_and_nobody_waits_without_one(
    rows: list[tuple[int, set[Share]]], most: int, limit: int
) -> None:
    waiting = [Candidate(number, run, limit, tuple(shares)) for number, (run, shares) in enumerate(rows)]
    now = UnderWay(most)
    started = set(next_ones(waiting, now))
    assert len(started) <= most
    assert max(Counter(each.run for each in waiting if each.id in started).values(), default=0) <= limit
    used = Counter(share for each in waiting if each.id in started for share in each.shares)
    assert all(count <= share.most for share, count in used.items())
    assert not [each for each in waiting if each.id not in started and now.has_room(each)]


def test_a_small_run_is_not_behind_a_large_one_and_order_within_a_run_is_kept() -> None:
    large = [Candidate(number, 1, 100) for number in range(20)]
    small = [Candidate(100 + number, 2, 100) for number in range(2)]
    assert next_ones([*large, *small], UnderWay(6)) == [0, 100, 1, 101, 2, 3]


def test_who_shares_what_is_full_lets_the_next_ones_pass() -> None:
    behind = [Candidate(number, 1, 9, (SWITCH,)) for number in range(5)]
    other = [Candidate(9, 1, 9, (RACK,))]
    assert next_ones([*behind, *other], UnderWay(64)) == [0, 1, 2, 9]


def test_looks_asked_for_together_are_one_message_and_those_at_certain_machines_are_all_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[object] = []
    patch = monkeypatch.setattr
    patch(queue, "enqueue", lambda task, *args, countdown=None, **_: sent.append((task, args, countdown)))
    known: set[str] = set()
    patch(queue.cache, "add", lambda key, *_: not (key in known or known.add(key)))
    patch(queue.time, "time", lambda: 1000.1)
    for _ in range(50):
        queue.enqueue_look()
        queue.enqueue_look(0.2)
        queue.enqueue_fill()
    queue.enqueue_look(5)
    queue.enqueue_look(slow=True)
    assert len(sent) == 4, "one now, one in five seconds, one of the slow, and one to start machines"
    queue.enqueue_look(early=(7,))
    queue.enqueue_look(early=(7,))
    assert len(sent) == 6


def test_without_the_cache_every_look_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: object) -> bool:
        raise ConnectionError("no broker")

    sent: list[object] = []
    monkeypatch.setattr(queue.cache, "add", away)
    monkeypatch.setattr(queue, "enqueue", lambda *args, **_: sent.append(args))
    queue.enqueue_look()
    queue.enqueue_look()
    assert len(sent) == 2


@given(WAITING, st.integers(0, 20), st.integers(1, 6))
def test_who_still_waits_is_told_a_full_limit_and_who_could_start_none(
    rows: list[tuple[int, set[Share]]], most: int, limit: int
) -> None:
    waiting = [Candidate(number, run, limit, tuple(shares)) for number, (run, shares) in enumerate(rows)]
    now = UnderWay(most)
    assert all(bool(now.held_by(each)) != now.has_room(each) for each in waiting)
    started = set(next_ones(waiting, now))
    for each in waiting:
        if each.id not in started:
            held_by = now.held_by(each)
            assert held_by and all(now.used(share) >= share.most for share in held_by)
    assert sum(now.used(share) for share in now.shares() if share.kind is Kind.RUN) == now.used(now.all_runs)
