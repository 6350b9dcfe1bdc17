"""The pure core of durable work: whatever workers and clocks do, one at a time has it, and it comes to an end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from core.work.rules import Backoff, Policy, Standing, no_less

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
WORKERS = st.sampled_from(["ann", "bob", "cy"])


class Crashes(RuleBasedStateMachine):
    """Workers take a piece, are slow, die, fail and finish in any order, each by what it read when it took it."""

    @initialize(
        most=st.one_of(st.none(), st.integers(1, 4)), counts_losses=st.booleans(), lease_s=st.integers(1, 60)
    )  # fmt: skip
    def begin(self, most: int | None, counts_losses: bool, lease_s: int) -> None:
        self.policy = Policy(lease_s, Backoff(5, 40), most, counts_losses)
        self.piece = Standing()
        self.now = START
        self.hands: dict[str, datetime] = {}
        self.finished = self.most_seen = 0

    def is_mine(self, worker: str) -> bool:
        return not self.piece.over and self.hands.get(worker) is not None and self.piece.until == self.hands[worker]

    @rule(seconds=st.integers(1, 100))
    def time_passes(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(worker=WORKERS)
    def takes(self, worker: str) -> None:
        if not self.policy.is_due(self.piece, self.now):
            return
        before = self.piece.until
        self.piece = self.policy.claimed(self.piece, self.now)
        assert self.piece.until is not None and (before is None or self.piece.until > before), "no two leases are alike"
        self.hands[worker] = self.piece.until

    @rule(worker=WORKERS)
    def renews(self, worker: str) -> None:
        if self.is_mine(worker):
            before = self.piece.until
            self.piece = self.policy.renewed(self.piece, self.now)
            assert before is not None and self.piece.until is not None and self.piece.until >= before
            self.hands[worker] = self.piece.until

    @rule(worker=WORKERS)
    def dies(self, worker: str) -> None:
        self.hands.pop(worker, None)

    @rule(worker=WORKERS)
    def fails(self, worker: str) -> None:
        if self.is_mine(worker):
            was_last = self.policy.is_last(self.piece.attempts)
            self.piece = self.policy.failed(self.piece, self.now)
            assert self.piece.over is was_last
            assert was_last or (self.piece.due_at is not None and self.piece.due_at > self.now)

    @rule(worker=WORKERS)
    def is_stopped(self, worker: str) -> None:
        if self.is_mine(worker):
            tries = self.piece.attempts
            self.piece = self.policy.put_back(self.piece, self.now, after_s=15, uncounted=True)
            assert self.piece.attempts == max(0, tries - 1)

    @rule(worker=WORKERS)
    def finishes(self, worker: str) -> None:
        if self.is_mine(worker):
            self.finished += 1
            self.piece = Standing(self.piece.attempts, over=True)

    @invariant()
    def one_worker_at_most_may_write_and_it_ends_once(self) -> None:
        assert sum(self.is_mine(worker) for worker in self.hands) <= 1
        assert self.finished <= 1

    @precondition(lambda self: not self.piece.over)
    @invariant()
    def what_is_open_is_due_sooner_or_later(self) -> None:
        later = max(self.now, self.piece.until or self.now, self.piece.due_at or self.now)
        assert self.policy.is_due(self.piece, later)
        assert later - self.now <= timedelta(seconds=self.policy.lease_s + 60 + self.policy.retry.longest_s)


TestCrashes = Crashes.TestCase


@given(st.integers(1, 200), st.floats(0.1, 100), st.floats(1, 5), st.floats(100, 10_000), st.floats(0, 0.5))
def test_waiting_grows_up_to_the_longest(
    tries: int, first_s: float, factor: float, longest_s: float, jitter: float
) -> None:
    steady = Backoff(first_s, longest_s, factor)
    assert first_s <= steady.after_s(tries) <= steady.after_s(tries + 1) <= longest_s
    seconds = Backoff(first_s, longest_s, factor, jitter).after_s(tries)
    assert (1 - jitter) * steady.after_s(tries) <= seconds <= (1 + jitter) * steady.after_s(tries) * 1.000001


@given(st.lists(st.tuples(st.sampled_from(["reading", "storing"]), st.integers(0, 9))))
def test_within_a_stage_progress_never_goes_back(told: list[tuple[str, int]]) -> None:
    now: dict[str, object] = {}
    for stage, done in told:
        after = no_less(now, {"done": done, "total": 9, "stage": stage})
        assert after["stage"] != now.get("stage") or after["done"] >= now["done"]  # type: ignore[operator]
        now = after


def test_a_worker_that_was_lost_counts_where_tries_do_not() -> None:
    policy = Policy(60, Backoff(15, 600), 3, counts_losses=True)
    piece = policy.claimed(Standing(), START)
    assert piece.attempts == 0
    lost = policy.claimed(piece, START + timedelta(seconds=61))
    assert lost.attempts == 1
    assert policy.claimed(policy.put_back(lost, START, after_s=0), START).attempts == 1
