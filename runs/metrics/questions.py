"""Questions to one Prometheus, several at once, within a time; what one of them lacks costs the others nothing."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from drivers.https import ApplianceError, CertificateChanged, SignInRefused, Unreachable
from drivers.prometheus.answers import Series
from drivers.prometheus.client import PrometheusClient
from runs.metrics.kinds import STEP

AT_ONCE = 4
DOWN = (Unreachable, SignInRefused, CertificateChanged)
"""Of the server, not of a question: the next ones need not be asked."""


class Question(NamedTuple):
    """Queries by kind over one span, in seconds since 1970."""

    queries: Mapping[str, str]
    start: float
    end: float
    step_s: float


@dataclass
class Told:
    """What came of a question: series by kind, and what is missing in words."""

    answers: dict[str, Sequence[Series]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    failed: str = ""
    """Why the server itself gave nothing."""


def ask(client: PrometheusClient, questions: Sequence[Question], within_s: float) -> list[Told]:
    """An answer for each, in their order. Never raises for what the server does."""
    return asyncio.run(_ask(client, questions, within_s))


async def _ask(client: PrometheusClient, questions: Sequence[Question], within_s: float) -> list[Told]:
    gate, until = asyncio.Semaphore(AT_ONCE), time.monotonic() + within_s
    down: list[str] = []

    async def one(question: Question) -> Told:
        async with gate:
            return await _one(client, question, down, until)

    try:
        async with client:
            return list(await asyncio.gather(*map(one, questions)))
    except ApplianceError as error:
        return [Told(failed=str(error)) for _ in questions]


async def _one(client: PrometheusClient, question: Question, down: list[str], until: float) -> Told:
    told = Told()
    for kind, query in question.queries.items():
        if down:
            told.failed = down[0]
            break
        try:
            async with asyncio.timeout(until - time.monotonic()):
                answer = await client.query_range(query, start=question.start, end=question.end, step_s=question.step_s)
        except TimeoutError:
            down.append("no time was left to ask it: the server answers too slowly")
        except DOWN as error:
            down.append(str(error))
        except ApplianceError as error:
            told.problems.append(f"{kind}: {error}")
        else:
            told.answers[kind] = answer.series
            told.problems += [f"{kind}: {text}" for text in answer.warnings]
        if kind not in told.answers and down:
            told.failed = down[0]
            break
        if kind == STEP and not told.answers.get(STEP):
            break  # without its steps nothing of the rest has a place
    return told
