"""From series over time to the steps of a run. Pure.

Prometheus knows a counter at some moments, not each step. Between two moments at which it grew, the steps are laid
out evenly; what each took is told by a query of its own, or is the counter's mean over so long that one step, or one
scrape, more or less makes no difference. Nothing is made up: where points are missing for longer than a few scrapes no
step is laid out, and where a counter falls (the run began again from a checkpoint) counting begins anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from drivers.prometheus.answers import Series
from runs.metrics.kinds import KINDS, LOSS, SECONDS, STEP, TOKENS
from runs.pace.packed import Timed

GAP = 4
"""Points in a row that may be missing: a scrape or two that failed."""
SMOOTH = 50
"""A mean over so many steps, or points, is wrong by at most 2 %."""
LOOK_BACK = 60
"""Points before the first new one that are asked for, so that a mean has its length: more than SMOOTH."""
FASTEST = 1000.0
"""Steps a second. A counter that jumps by more was set (a checkpoint was loaded), and made no steps."""
MOST_STEPS = 200_000
"""Of one reading."""
PAUSE = 4.0
"""No mean reaches over an interval whose steps took so many times longer: a checkpoint, a hang."""
MOST_TOKENS = 2**31 - 1
EXACT_S = 0.0005
"""Ends of steps are stored in milliseconds."""


class Known(NamedTuple):
    """The last step that is stored: its number, and when it ended (seconds since 1970)."""

    step: int
    at: float


@dataclass
class Found:
    steps: list[Timed] = field(default_factory=list)
    seen: float | None = None
    """The newest moment at which the run's counter was there, grown or not; None: at none."""
    cut: bool = False
    """There are more steps than one reading takes; the rest follows `seen`."""


class _Grown(NamedTuple):
    """A moment at which the counter was seen to have grown to this."""

    at: float
    step: int


def steps_of(answers: Mapping[str, Sequence[Series]], step_s: float, known: Known | None = None) -> Found:
    """The steps that ended after the known one, from the answers by kind; `step_s` is the distance of their points.

    However a span is cut into readings, the steps are the same, as long as each begins LOOK_BACK points before.
    """
    count = _together(answers.get(STEP, ()), STEP, max)
    if not count:
        return Found()
    spans = _together(answers.get(SECONDS, ()), SECONDS, median)
    losses, tokens = losses_of(answers.get(LOSS, ())), _together(answers.get(TOKENS, ()), TOKENS, max)
    found = Found(seen=max(count))
    grown: list[_Grown] = []
    before: tuple[float, int] | None = None
    for at in sorted(count):
        step = int(count[at])
        if before is not None and (step < before[1] or at - before[0] > GAP * step_s * 1.001):
            grown, before = [], None
        if before is None:
            # Since when it stands at the first value is not known, but where the stored steps end there.
            if known is not None and step == known.step and at >= known.at - EXACT_S:
                grown = [_Grown(known.at, step)]
        elif step > before[1]:
            if grown and (step - before[1]) / (at - before[0]) > FASTEST:
                grown = []
            elif grown:
                _lay_out(found.steps, grown, at, step, step_s, spans.get(at), losses.get(at), tokens, known)
            grown.append(_Grown(at, step))
        before = (at, step)
        if len(found.steps) >= MOST_STEPS:
            found.seen, found.cut = at, True
            break
    return found


def _lay_out(
    steps: list[Timed],
    grown: Sequence[_Grown],
    at: float,
    step: int,
    step_s: float,
    seconds: float | None,
    loss: float | None,
    tokens: Mapping[float, float],
    known: Known | None,
) -> None:
    """The steps since the counter last grew, evenly; the loss is that of the last one."""
    last = grown[-1]
    if known is not None and at <= known.at + EXACT_S:
        return
    number, span = step - last.step, at - last.at
    each = seconds if seconds is not None else _mean(grown, at, step, step_s)
    used = tokens.get(at, 0.0) - tokens.get(last.at, math.inf)
    share = min(MOST_TOKENS, round(used / number)) if used > 0 else 0
    for index in range(1, number + 1):
        ended = last.at + span * index / number
        if known is None or ended > known.at + EXACT_S:
            steps.append(Timed(last.step + index, ended, each, loss if index == number else None, share))


def _mean(grown: Sequence[_Grown], at: float, step: int, step_s: float) -> float:
    """Seconds of a step, over as few steps before this moment as make it exact."""
    later, found = _Grown(at, step), math.inf
    for one in reversed(grown):
        if (later.at - one.at) / (later.step - one.step) > PAUSE * found:
            break
        later, found = one, (at - one.at) / (step - one.step)
        if at - one.at >= SMOOTH * min(found, step_s):
            break
    return found


def losses_of(series: Sequence[Series]) -> dict[float, float]:
    """Median of the numbers at each moment; NaN where there is none but NaN or infinity: then the loss is no number."""
    by_moment: dict[float, list[float]] = {}
    for one in series:
        for at, value in one.points:
            by_moment.setdefault(at, []).append(value)
    kind = KINDS[LOSS]
    return {
        at: median(numbers)
        if (numbers := [value for value in values if kind.least <= value <= kind.most])
        else math.nan
        for at, values in by_moment.items()
    }


def _together(series: Sequence[Series], kind: str, of: Callable[[list[float]], float]) -> dict[float, float]:
    """One value a moment where a query tells of several series, such as one a rank."""
    least, most = KINDS[kind].least, KINDS[kind].most
    by_moment: dict[float, list[float]] = {}
    for one in series:
        for at, value in one.points:
            if least <= value <= most:  # neither NaN nor infinite
                by_moment.setdefault(at, []).append(value)
    return {at: of(values) for at, values in by_moment.items()}


# ---- GPUs ----
class Gpu(NamedTuple):
    machine: str
    """Its name without domain and port."""
    names: tuple[str, ...]
    """PCI address or index, what is more exact first."""


def short(machine: str) -> str:
    """Its name without port and domain, as it is compared."""
    return machine.partition(":")[0].split(".", 1)[0].lower()


def readings_of(
    series: Sequence[Series], kind: str, machine_label: str, gpu_label: str, step_s: float
) -> dict[Gpu, float]:
    """The median of each GPU over the points; a series that ends two points before the others is of the past.

    MIG slices of a GPU are told with the same labels: the median of all.
    """
    least, most = KINDS[kind].least, KINDS[kind].most
    newest = max((one.points[-1][0] for one in series if one.points), default=0.0)
    by_gpu: dict[Gpu, list[float]] = {}
    for one in series:
        machine = short(one.labels.get(machine_label, ""))
        names = tuple(name for label in ("pci_bus_id", gpu_label) if (name := one.labels.get(label, "")))
        if not machine or not names or not one.points or one.points[-1][0] < newest - 2 * step_s:
            continue
        by_gpu.setdefault(Gpu(machine, names), []).extend(value for _, value in one.points if least <= value <= most)
    return {gpu: median(values) for gpu, values in by_gpu.items() if values}
