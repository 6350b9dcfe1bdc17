"""Which shape a run's curve of step times has: a step, a decline, saw teeth, dips. Pure.

All is done on speeds, shares of a reference: 1 as fast, 0.5 half as fast. Medians, quantiles and limits instead of
means: single slow steps are in every curve. The shapes and what they mean stand in `runs.pace.meanings`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from runs.pace.meanings import LOW_BANDS
from runs.pace.shapes import Sums, running_median, split

LEAST = 60
"""Fewer points have no shape."""
WARM_UP = 10
"""First points that are left out: compiling, caches."""
BLOCKS = 48
LOW = 0.95
"""A steady level below this share of a told reference is low."""
STEP, DECLINE = 0.03, 0.035
"""Smallest fall of the level that counts as a step, and as a decline."""
NOISE = 0.0195
"""Scatter (as a standard deviation) from which a curve is noisy; ordinary runs have 0.5 to 1.5 %."""
NOISE_FROM = 0.9
"""A noisy curve whose middle lies lower is low first of all."""
OSCILLATION = 0.12
"""Width between the slow and the fast tenth of neighbouring steps."""
DIP = 0.05
"""A point that lies so far below its neighbourhood is in a dip."""
LEAST_DIPS = 4
MOST_STARTS = 200
DIPS_COST = 0.0025
"""Irregular dips that cost a smaller share of the time are not worth an answer."""
TOOTH = 0.03
SIGMA = 1.4826
"""From the median of absolute differences to a standard deviation."""


class Shape(NamedTuple):
    name: str
    """A key of `meanings.MEANINGS`; `none` where the curve is ordinary."""
    at: int | None = None
    """Index of the point from which on it is so; None: all along."""
    until: int | None = None
    """Index of the first point that is right again; None: it goes on."""
    speed: float = 1.0
    """The level while it is so, as a share of the level that it should have."""
    period: float | None = None
    """Points from one dip or tooth to the next."""


NONE = Shape("none")


def recognise(seconds: Sequence[float], reference: float | None = None) -> Shape:
    """The shape of step times in their order, equally spaced.

    `reference`: seconds of a step as it should be, where that is known from elsewhere (the last good run, the model's
    numbers); without it the run's own best stretch is the measure, and what is low from its start cannot show.
    """
    skip = min(WARM_UP, len(seconds) // 10)
    spans = [value for value in seconds[skip:] if value > 0]
    if len(spans) < LEAST or len(spans) != len(seconds) - skip:
        return NONE
    block = max(5, len(spans) // BLOCKS)
    best = sorted(median(spans[at : at + block]) for at in range(0, len(spans) - block + 1, block))
    own = median(best[: max(2, len(best) // 5)])
    speeds = [own / value for value in spans]
    level = running_median(speeds, max(9, len(speeds) // 12 | 1))
    found = _oscillation(speeds, block) or _teeth(speeds) or _levels(_without_dips(speeds, level), block)
    share = median(speeds) * reference / own if reference else 1.0
    if found is None and share < NOISE_FROM:
        found = _low(share)
    found = found or _noise(speeds, level) or _low(share) or _dips(speeds, level) or NONE
    return found._replace(
        at=found.at + skip if found.at is not None else None,
        until=found.until + skip if found.until is not None else None,
    )


# ---- fast: between neighbouring steps ----
def _oscillation(speeds: Sequence[float], block: int) -> Shape | None:
    """From some point on the steps jump between fast and slow, and on the whole are slower than before."""
    size = max(block, 20)
    parts = [speeds[at : at + size] for at in range(0, len(speeds) - size + 1, size)]
    wild = [_width(part) >= OSCILLATION and _crossings(part) >= size * 0.15 for part in parts]
    start, end = _longest(wild)
    calm = [part for part, is_wild in zip(parts, wild, strict=True) if not is_wild]
    if end - start < 2 or (end - start) * 10 < len(parts) or not calm:
        return None
    if median(map(_width, parts[start:end])) < 2 * median(map(_width, calm)):
        return None  # as wild all along: steps of unequal length
    during = median(value for part in parts[start:end] for value in part)
    usual = median(map(median, calm))
    if during > usual * (1 - STEP):
        return None
    until = end * size if end < len(parts) else None
    return Shape("oscillation", _edge(speeds, start * size, size, usual), until, during / usual)


def _edge(speeds: Sequence[float], around: int, size: int, usual: float) -> int:
    """The first point near this one that leaves the usual level."""
    for at in range(max(0, around - size), min(len(speeds), around + size)):
        if speeds[at] < usual * (1 - OSCILLATION / 2) and median(speeds[at : at + 8]) < usual * (1 - STEP):
            return at
    return around


def _noise(speeds: Sequence[float], level: Sequence[float]) -> Shape | None:
    """Everywhere between 90 and 100 % without any order."""
    rest = [value / usual for value, usual in zip(speeds, level, strict=True)]
    scatter = SIGMA * median(abs(value - 1) for value in rest)
    # Uniform noise has no tails: its quantiles lie nearer together than those of dips and outliers.
    ordered = sorted(rest)
    low, high = ordered[len(rest) // 20], ordered[-1 - len(rest) // 20]
    if scatter < NOISE or high - low > 0.16:
        return None
    return Shape("noise", speed=median(speeds) / ordered_share(speeds, 0.95))


def _dips(speeds: Sequence[float], level: Sequence[float]) -> Shape | None:
    """Short slow stretches: at equal distances, or whenever something else is about."""
    rest = [value / usual for value, usual in zip(speeds, level, strict=True)]
    scatter = SIGMA * median(abs(value - 1) for value in rest)
    limit = 1 - max(DIP, 4.5 * scatter)
    starts, lost, last = [], 0.0, -9
    for at, value in enumerate(rest):
        if value < limit:
            if at - last > 2:
                starts.append(at)
            last = at
            lost += 1 / value - 1
    if len(starts) < LEAST_DIPS:
        return None
    cost = lost / len(rest)
    period = _period_of(starts, len(rest))
    if period is not None:
        return Shape("regular-dips", speed=1 / (1 + cost), period=period)
    many = len(starts) > LEAST_DIPS and cost >= DIPS_COST
    return Shape("random-dips", speed=1 / (1 + cost)) if many else None


def _period_of(starts: Sequence[int], count: int) -> float | None:
    """The distance of dips that come at equal distances; single other ones may lie between them."""
    some = starts[:MOST_STARTS]
    span = count if len(some) == len(starts) else some[-1]
    for gap in sorted({after - before for hop in (1, 2, 3) for before, after in zip(some, some[hop:], strict=False)}):
        slack = max(1, round(gap * 0.02))
        known = {start + more for start in some for more in range(-slack, slack + 1)}
        linked = sum(start + gap in known for start in some)
        if gap > 3 and linked >= max(3, (span / gap - 1) * 0.7) and linked + 1 >= len(some) * 0.55:
            return float(gap)
    return None


# ---- slow: the level over the whole curve ----
def _levels(speeds: Sequence[float], block: int) -> Shape | None:
    """A step down that stays, a stretch that is lower, or a decline: whichever leaves the least unexplained."""
    blocks = [median(speeds[at : at + block]) for at in range(0, len(speeds) - block + 1, block)]
    count = len(blocks)
    total = Sums(blocks)
    flat = total.error(0, count)
    noise = median(abs(after - before) for before, after in pairwise(blocks)) ** 2 * count
    step = split(total, 2, 2) or (flat, 2)
    pair = min(
        (total.error(0, at) + total.error(at, end) + total.error(end, count), at, end)
        for at in range(2, count - 2)
        for end in range(at + 2, count - 1)
    )
    ramp = min((_ramp_error(blocks, start), start) for start in range(0, count * 4 // 5))
    best = min(step[0], pair[0], ramp[0])
    if best > flat * 0.5 or flat <= noise:
        return None
    before, after = total.mean(0, step[1]), total.mean(step[1], count)
    fall = 1 - median(blocks[-3:]) / median(blocks[ramp[1] : ramp[1] + 3])
    stairs = min(step[0], pair[0] * 1.6)
    if ramp[0] <= stairs * 0.9 and fall >= DECLINE:
        return Shape("decline", ramp[1] * block if ramp[1] else None, None, 1 - fall)
    if step[0] <= pair[0] * 2.5:
        if after > before * (1 - STEP):
            return None
        return Shape("step", _split(speeds, step[1] * block, block), None, after / before)
    first, middle, last = (total.mean(*span) for span in ((0, pair[1]), (pair[1], pair[2]), (pair[2], count)))
    if middle <= first * (1 - STEP):
        back = last > middle * (1 + STEP)
        until = _split(speeds, pair[2] * block, block) if back else None
        return Shape("step", _split(speeds, pair[1] * block, block), until, (middle if back else last) / first)
    if last <= middle * (1 - STEP):
        return Shape("step", _split(speeds, pair[2] * block, block), None, last / middle)
    return None


def _ramp_error(blocks: Sequence[float], start: int) -> float:
    """What a level that is flat until here and then falls evenly leaves unexplained."""
    count = len(blocks)
    times = [max(0, at - start) for at in range(count)]
    mean_t, mean_v = sum(times) / count, sum(blocks) / count
    spread = sum((time - mean_t) ** 2 for time in times)
    slope = sum((time - mean_t) * (value - mean_v) for time, value in zip(times, blocks, strict=True)) / spread
    if slope >= 0:
        return float("inf")
    return sum((value - mean_v - slope * (time - mean_t)) ** 2 for time, value in zip(times, blocks, strict=True))


def _split(speeds: Sequence[float], around: int, block: int) -> int:
    """The point near this one that parts two levels best."""
    low, high = max(0, around - 2 * block), min(len(speeds), around + 2 * block)
    found = split(Sums(speeds[low:high]))
    return low + found[1] if found is not None else around


def _low(share: float) -> Shape | None:
    if share >= LOW:
        return None
    return Shape(next(name for least, name in LOW_BANDS if share >= least), speed=share)


# ---- saw teeth ----
def _teeth(speeds: Sequence[float]) -> Shape | None:
    """Speed that falls evenly and returns at once, again and again."""
    period = _tooth_length(speeds)
    if period is None:
        return None
    near = max(1, period // 5)
    rise = [
        median(speeds[at : at + near]) - median(speeds[at - near : at]) for at in range(near, len(speeds) - near + 1)
    ]
    resets: list[int] = []
    order = sorted(range(len(rise)), key=lambda at: -rise[at])
    for at in order[: len(order) // 2]:
        if rise[at] > 0 and all(abs(at - other) >= period * 0.6 for other in resets):
            resets.append(at)
    strong = rise[resets[len(resets) // 3]] if resets else 0.0
    ends = sorted(at + near for at in resets if rise[at] >= strong * 0.5)
    if len(ends) < 3 or strong < TOOTH * 0.6:
        return None
    bins: list[list[float]] = [[] for _ in range(min(10, max(4, period // 2)))]
    for start, end in pairwise(ends):
        if end - start > period * 1.5:
            continue
        for at in range(start, end):
            bins[(at - start) * len(bins) // (end - start)].append(speeds[at])
    if any(len(one) < 3 for one in bins):
        return None
    profile = [median(one) for one in bins]
    fall = profile[0] - profile[-1]
    if fall < TOOTH or _straightness(profile) < 0.95:
        return None
    gaps = [after - before for before, after in pairwise(ends)]
    return Shape("saw-tooth", speed=median(speeds) / profile[0], period=float(median(gaps)))


def _tooth_length(speeds: Sequence[float]) -> int | None:
    """The distance at which a curve resembles itself most, from its autocorrelation."""
    usual = median(speeds)
    low, high = ordered_share(speeds, 0.01), ordered_share(speeds, 0.99)
    rest = [min(max(value, low), high) - usual for value in speeds]
    squeeze = max(1, len(rest) // 600)
    rest = [sum(rest[at : at + squeeze]) / squeeze for at in range(0, len(rest) - squeeze + 1, squeeze)]
    mean = sum(rest) / len(rest)
    rest = [value - mean for value in rest]
    power = sum(value * value for value in rest)
    if power <= 0:
        return None
    likeness: list[float] = []
    for lag in range(1, len(rest) // 3):
        found = sum(map(_product, rest, rest[lag:]))
        likeness.append(found / power * len(rest) / (len(rest) - lag))
    below = next((lag for lag, value in enumerate(likeness) if value < 0), None)
    if below is None or below + 1 >= len(likeness):
        return None
    peak = max(range(below, len(likeness)), key=lambda lag: likeness[lag])
    if likeness[peak] < 0.2:
        return None
    # Of several teeth together the first that is as good.
    first = next(lag for lag in range(below, len(likeness)) if likeness[lag] >= likeness[peak] * 0.85)
    while first + 1 < len(likeness) and likeness[first + 1] > likeness[first]:
        first += 1
    return (first + 1) * squeeze if (first + 1) * squeeze >= 8 else None


def _product(one: float, other: float) -> float:
    return one * other


def _straightness(profile: Sequence[float]) -> float:
    """1 where it falls evenly from first to last, 0 where it does not fall."""
    count = len(profile)
    mean_t, mean_v = (count - 1) / 2, sum(profile) / count
    both = sum((at - mean_t) * (value - mean_v) for at, value in enumerate(profile))
    spread = sum((at - mean_t) ** 2 for at in range(count)) * sum((value - mean_v) ** 2 for value in profile)
    return float(-both / spread**0.5) if spread > 0 else 0.0


# ---- robust helpers ----
def ordered_share(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def _width(part: Sequence[float]) -> float:
    ordered = sorted(part)
    tenth = len(part) // 10
    return ordered[-1 - tenth] - ordered[tenth]


def _crossings(part: Sequence[float]) -> int:
    """How often it goes from the upper third of its width to the lower third or back."""
    ordered = sorted(part)
    tenth = len(part) // 10
    third = (ordered[-1 - tenth] - ordered[tenth]) / 3
    low, high = ordered[tenth] + third, ordered[-1 - tenth] - third
    side, count = 0, 0
    for value in part:
        now = 1 if value >= high else -1 if value <= low else side
        count += side not in (0, now)
        side = now
    return count


def _longest(flags: Sequence[bool]) -> tuple[int, int]:
    """Start and end of the longest stretch that is true, one exception at a time forgiven."""
    best, start, end = (0, 0), None, 0
    for at, flag in enumerate(flags):
        if flag:
            start = at if start is None or at - end > 1 else start
            end = at + 1
            best = max(best, (start, end), key=lambda span: span[1] - span[0])
    return best


def _without_dips(speeds: Sequence[float], level: Sequence[float]) -> list[float]:
    return [usual if value < usual * (1 - DIP) else value for value, usual in zip(speeds, level, strict=True)]
