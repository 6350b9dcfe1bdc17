"""Ask many machines at once, over SSH and at their BMCs, and hand out what they answer in small batches as it comes.

The questions run in an event loop of their own, which stands still between two batches: the caller judges and stores
one meanwhile. Nothing here reads or writes the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils import timezone

from access.bmc import BmcResult, ask_many
from access.queries import BmcTarget
from drivers.ssh import Limits, SshResult, SshTarget, run_many
from health.monitoring.services.sweeps.lines import Lines, lines

BMC_TIMEOUT_S = 5
BMC_TOTAL_S = 20
BATCH = 16
BATCH_S = 1.0
"""A batch is handed out when it is full, its first answer is so old, or those left have been quiet."""
QUIET_S, QUIET_SHARE = 0.3, 0.15
"""Once others answered, those left are waited for so long after the last answer, or for that share of its time.

Who is left behind is asked again at once, by the slow lane and with patience: too short a wait costs one more question.
"""
GRACE_S = 0.1
"""Those who were quiet until the others' batch went out are listened to for so long once it is stored."""
LONGEST_S = 90.0
"""No question takes so long: its own limits end it before."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many are asked at once, and how long those are waited for that keep everybody waiting.

    `first_s`: seconds until the first answer. With `waits_for_all` every question runs into its own limit instead.
    With `keeps` the connections stay open for the next look.
    """

    sessions: int = 64
    bmcs: int = 32
    first_s: float = 15.0
    waits_for_all: bool = False
    keeps: bool = False


PATIENT = Pace(sessions=256, bmcs=256, waits_for_all=True)
"""For those of whom it is known that they may hang: each runs into its own limit, and none holds another's place."""


@dataclass(frozen=True, slots=True)
class Questions:
    """Whom to ask what: SSH targets by script with the limits of that script, BMCs, and cursors of logs that are due.

    `machine_ids` are all of whom an answer is expected, those without any address too.
    """

    machine_ids: Sequence[int]
    scripts: Mapping[str, tuple[Limits, Sequence[SshTarget]]]
    bmcs: Sequence[BmcTarget]
    logs: Mapping[int, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Answer:
    """All that came of one machine. `at` is when SSH answered, or now where it was not asked."""

    machine_id: int
    ssh: SshResult | None = None
    bmc: BmcResult | None = None
    at: datetime = field(default_factory=timezone.now)

    @property
    def took_s(self) -> float:
        return max(self.ssh.elapsed_s if self.ssh else 0.0, self.bmc.elapsed_s if self.bmc else 0.0)

    @property
    def kept_waiting(self) -> str:
        """Where its time was over, in words; empty when everything asked was answered or refused."""
        failure = self.ssh.failure if self.ssh else None
        if failure is not None and failure.timed_out:
            return str(failure)
        return f"BMC: {self.bmc.failure}" if self.bmc is not None and self.bmc.timed_out else ""


class Asking:
    """One look at many machines: iterate for batches of whole answers.

    Afterwards `unanswered` are the machines that were not waited for any longer, and `answered_s` the seconds until the
    last answer.
    """

    def __init__(self, questions: Questions, pace: Pace) -> None:
        self.questions, self.pace = questions, pace
        self.answered_s = 0.0
        self._quiet_s = 0.0
        asked_ssh = {t.machine_id for _, targets in questions.scripts.values() for t in targets}
        asked_bmc = {target.machine_id for target in questions.bmcs}
        self._parts = {pk: (pk in asked_ssh) + (pk in asked_bmc) for pk in questions.machine_ids}
        self._open = {pk: Answer(pk) for pk in questions.machine_ids}
        self._news: asyncio.Queue[Answer] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def unanswered(self) -> list[int]:
        return sorted(self._open)

    def __iter__(self) -> Generator[list[Answer], None, None]:
        with lines(keeps=self.pace.keeps) as open_lines:
            open_lines.run(self._begin(open_lines))
            while batch := open_lines.run(self._batch()):
                yield batch

    async def _begin(self, open_lines: Lines) -> None:
        self._began = asyncio.get_running_loop().time()
        for pk in [pk for pk, parts in self._parts.items() if not parts]:
            self._news.put_nowait(Answer(pk))
        for script, (limits, targets) in self.questions.scripts.items():
            self._tasks.append(asyncio.create_task(self._ask_ssh(script, limits, targets, open_lines)))
        self._tasks.append(asyncio.create_task(self._ask_bmcs(open_lines)))

    async def _ask_ssh(self, script: str, limits: Limits, targets: Sequence[SshTarget], open_lines: Lines) -> None:
        results = run_many(targets, script, concurrency=self.pace.sessions, limits=limits, kept=open_lines.ssh)
        async for result in results:
            if result.target.machine_id is not None:
                self._news.put_nowait(Answer(result.target.machine_id, ssh=result))

    async def _ask_bmcs(self, open_lines: Lines) -> None:
        async for result in ask_many(
            self.questions.bmcs,
            concurrency=self.pace.bmcs,
            timeout_s=BMC_TIMEOUT_S,
            total_s=BMC_TOTAL_S,
            logs=self.questions.logs,
            kept=open_lines.bmcs,
        ):
            self._news.put_nowait(Answer(result.target.machine_id, bmc=result))

    async def _batch(self) -> list[Answer]:
        """The next whole answers; none when nobody is left who is worth waiting for."""
        loop = asyncio.get_running_loop()
        found: list[Answer] = []
        ends = gives_up = loop.time() + self._patience_s()
        while self._open and len(found) < BATCH:
            try:
                async with asyncio.timeout_at(min(ends, gives_up)):
                    news = await self._news.get()
            except TimeoutError:
                break
            whole = self._add(news)
            if whole is not None:
                now = loop.time()
                self.answered_s, self._quiet_s = now - self._began, 0.0
                ends = ends if found else now + BATCH_S
                gives_up = now + self._patience_s()
                found.append(whole)
        for task in self._tasks:
            if task.done():
                task.result()  # a fault of ours, not of a machine: it must not look like one that is silent
        self._quiet_s = loop.time() - self._began - self.answered_s
        return found

    def _patience_s(self) -> float:
        """How long to wait for the next answer, less what those left were quiet for while the questions ran."""
        if self.pace.waits_for_all:
            return LONGEST_S
        if not self.answered_s:
            return self.pace.first_s
        return max(max(QUIET_S, QUIET_SHARE * self.answered_s) - self._quiet_s, GRACE_S)

    def _add(self, news: Answer) -> Answer | None:
        """The machine's answer once all of its parts are in."""
        held = self._open.get(news.machine_id)
        if held is None:
            return None
        held = replace(held, ssh=news.ssh or held.ssh, bmc=news.bmc or held.bmc, at=news.at if news.ssh else held.at)
        self._parts[news.machine_id] -= 1
        if self._parts[news.machine_id] > 0:
            self._open[news.machine_id] = held
            return None
        del self._open[news.machine_id]
        return held
