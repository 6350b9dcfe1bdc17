"""What the counters of both its ends say of a link: ok, watch, bad or unknown, with every measure behind it. Pure.

An error is counted by the port that receives it, so a bad end names the direction: the far transmitter, the cable, or
its own receiver. What was not read, is too old, or stands at the top of its counter is unknown; unknown never counts
as ok and never hides what is bad.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from fabric.quality.counters import BY_NAME, Reading
from fabric.quality.rates import Rate
from fabric.quality.thresholds import WINDOWS, Thresholds


class State(StrEnum):
    """The worst first."""

    BAD = "bad"
    UNKNOWN = "unknown"
    WATCH = "watch"
    OK = "ok"


WORST_FIRST = tuple(State)


class Measure(NamedTuple):
    """One thing that was measured at one end: its value, the limit it is held against, and what follows.

    `value` is None where nothing can be said. `window` is empty for what is read at once, such as a temperature.
    """

    name: str
    end: str
    state: State
    value: float | None
    limit: float | None
    window: str
    text: str


@dataclass(frozen=True, slots=True)
class End:
    """One port of a link: how people call it, its newest reading, and its rates by window."""

    name: str
    reading: Reading | None
    rates: Mapping[str, Rate] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """`reason` is the worst measure in words; `ber` the worst estimate or report of the two ends, where there is one.

    `ber_below`: no error was seen, the rate is below that number.
    """

    state: State
    reason: str
    measures: tuple[Measure, ...]
    ber: float | None = None
    ber_below: bool = False

    def at_worst(self) -> tuple[Measure, ...]:
        return tuple(measure for measure in self.measures if measure.state is self.state)


def judge(gbps: float | None, ends: tuple[End, End], now: datetime, limits: Thresholds | None = None) -> Judgement:
    """Judge a link of `gbps` on the wire (None: not known) by its two ends."""
    limits = limits or Thresholds()
    measures: list[Measure] = []
    bers: list[Ber] = []
    for end in ends:
        measures += _end(end, now, limits)
        told = _ber(end, gbps, limits)
        if told is not None and _is_fresh(end, now, limits):
            bers.append(told)
            measures.append(_judge_ber(end.name, told, limits))
    measures.sort(key=lambda measure: WORST_FIRST.index(measure.state))
    worst = measures[0]
    reason = "" if worst.state is State.OK else worst.text
    ber = max((each for each in bers if each.kind), key=lambda each: (not each.below, each.value), default=None)
    return Judgement(
        worst.state, reason, tuple(measures), ber.value if ber else None, ber_below=ber.below if ber else False
    )


def _is_fresh(end: End, now: datetime, limits: Thresholds) -> bool:
    return end.reading is not None and (now - end.reading.at).total_seconds() <= limits.fresh_s


def _end(end: End, now: datetime, limits: Thresholds) -> Iterator[Measure]:
    if end.reading is None:
        yield Measure("reading", end.name, State.UNKNOWN, None, None, "", f"{end.name}: its counters were not read")
        return
    age = (now - end.reading.at).total_seconds()
    if age > limits.fresh_s:
        text = f"{end.name}: its counters were last read {age / 60:.0f} minutes ago"
        yield Measure("reading", end.name, State.UNKNOWN, age, limits.fresh_s, "", text)
        return
    yield from _temperatures(end, end.reading, limits)
    if not end.rates:
        once = "read once; rates need a second reading"
        text = f"{end.name}: {once if end.reading.at >= now else 'its counters were not reported this time'}"
        yield Measure("reading", end.name, State.UNKNOWN, None, None, "", text)
        return
    yield _downs(end, limits)
    yield _symbols(end, limits)
    yield from _others(end, limits)


def _longest(end: End, at_least_s: float = 0, at_most: str = "1d") -> tuple[str, Rate] | None:
    """The longest window up to `at_most` that covers enough."""
    names = list(WINDOWS)
    for window in reversed(names[: names.index(at_most) + 1]):
        rate = end.rates.get(window)
        if rate is not None and rate.seconds >= at_least_s:
            return window, rate
    return None


def _not_told(name: str, end: End) -> Measure:
    if end.reading is not None and end.reading.quiet:
        text = f"{end.name}: {BY_NAME[name].title} are below what its tool lists"
        return Measure(name, end.name, State.OK, None, None, "", text)
    text = f"{end.name}: {BY_NAME[name].title} are not reported"
    return Measure(name, end.name, State.UNKNOWN, None, None, "", text)


def _saturated(name: str, end: End, window: str) -> Measure:
    top = BY_NAME[name].top
    text = (
        f"{end.name}: {BY_NAME[name].title} stand at {top}, the top of the counter: cannot be evaluated until cleared"
    )
    return Measure(name, end.name, State.UNKNOWN, None, None, window, text)


def _step(value: float, watch: float | None, bad: float | None) -> tuple[State, float | None]:
    """The state of a value and the limit it reached, or the first one it did not."""
    if bad is not None and value >= bad:
        return State.BAD, bad
    if watch is not None and value >= watch:
        return State.WATCH, watch
    return State.OK, watch if watch is not None else bad


def _downs(end: End, limits: Thresholds) -> Measure:
    window, rate = _longest(end) or ("", Rate(0))
    count = rate.counts.get("link_downed")
    if count is None:
        return _not_told("link_downed", end)
    state, limit = _step(count, limits.downs_watch_per_day, limits.downs_bad_per_day)
    if "link_downed" in rate.saturated and state is not State.BAD:
        return _saturated("link_downed", end, window)
    text = f"{end.name}: went down {_times(count)} in {_span(rate.seconds)}"
    return Measure("link_downed", end.name, state, count, limit, window, text)


def _symbols(end: End, limits: Thresholds) -> Measure:
    """Errors an hour over up to an hour, and a burst of many a second in the newest window."""
    name = "symbol_errors"
    short, newest = next(iter(end.rates.items()))
    per_s = newest.per_s(name)
    if per_s is None:
        return _not_told(name, end)
    if per_s >= limits.symbol_errors_bad_per_s:
        text = f"{end.name}: {per_s:.0f} symbol errors a second"
        return Measure(name, end.name, State.BAD, per_s, limits.symbol_errors_bad_per_s, short, text)
    window, rate = _longest(end, limits.ber_after_s, "1h") or (short, newest)
    count, per_h = rate.counts.get(name), rate.per_h(name)
    if per_h is None or count is None:
        return _not_told(name, end)
    bad = limits.symbol_errors_bad_per_h if rate.seconds >= limits.ber_after_s else None
    state, limit = _step(per_h, limits.symbol_errors_watch_per_h, bad)
    if name in rate.saturated and state is not State.BAD:
        return _saturated(name, end, window)
    text = f"{end.name}: {count} symbol errors in {_span(rate.seconds)}"
    return Measure(name, end.name, state, per_h, limit, window, text)


class Rule(NamedTuple):
    """A counter judged by its rate: per how many seconds (0: its plain count), over which longest window, and words."""

    counter: str
    per_s: int
    window: str
    watch: str
    bad: str
    words: str


RULES = (
    Rule("link_recoveries", 60, "5m", "recoveries_watch_per_min", "", "link recoveries a minute"),
    Rule("receive_errors", 1, "5m", "receive_errors_watch_per_s", "", "receive errors a second"),
    Rule("integrity_errors", 0, "1h", "", "integrity_bad", "local link integrity errors"),
    Rule("overruns", 0, "1h", "", "overruns_bad", "excessive buffer overruns"),
    Rule(
        "fec_uncorrected",
        3600,
        "1h",
        "uncorrected_watch_per_h",
        "uncorrected_bad_per_h",
        "uncorrectable blocks an hour",
    ),
)


def _others(end: End, limits: Thresholds) -> Iterator[Measure]:
    """Counters that not every port has: what is not told, or stopped counting, is passed over."""
    for rule in RULES:
        found = _longest(end, at_most=rule.window)
        if found is None:
            continue
        window, rate = found
        count = rate.counts.get(rule.counter)
        if count is None or (rule.counter in rate.saturated and not count):
            continue
        value = count / rate.seconds * rule.per_s if rule.per_s else float(count)
        watch, bad = (getattr(limits, name) if name else None for name in (rule.watch, rule.bad))
        state, limit = _step(value, watch, bad)
        yield Measure(rule.counter, end.name, state, value, limit, window, f"{end.name}: {value:.3g} {rule.words}")


JUDGED = ("symbol_errors", "link_downed", *(rule.counter for rule in RULES))


def signature(end: End) -> tuple[object, ...]:
    """All of an end that it is judged by, but its name: ends with the same signature are judged the same."""
    reading = end.reading
    if reading is None:
        return ()
    return (
        reading.at, reading.quiet, reading.raw_ber, reading.effective_ber, reading.symbol_ber, reading.port_c,
        reading.optic_c,
        *[
            (window, rate.seconds, rate.saturated, *map(rate.counts.get, JUDGED))
            for window, rate in end.rates.items()
        ],
    )  # fmt: skip


MEASURES = (
    "ber", "raw_ber", "symbol_errors", "link_downed", *(rule.counter for rule in RULES), "port_c", "optic_c", "reading",
)  # fmt: skip
"""What the measures of a link are called."""


class Ber(NamedTuple):
    """A bit error rate, how it is known (`effective`, `symbol`, `estimated`), and over which window."""

    value: float
    kind: str
    window: str
    below: bool = False
    raw: float | None = None


def _ber(end: End, gbps: float | None, limits: Thresholds) -> Ber | None:
    """The bit error rate after correction: as the port reports it, else symbol errors over the bits that moved.

    The wire of a link carries bits at its full rate whether it is used or not.
    """
    if end.reading is None:
        return None
    raw = end.reading.raw_ber
    for kind, value in (("effective", end.reading.effective_ber), ("symbol", end.reading.symbol_ber)):
        if value is not None:
            return Ber(value, kind, "", raw=raw)
    found = _longest(end, limits.ber_after_s, "1h")
    if gbps is None or found is None:
        return Ber(0, "", "", raw=raw) if raw is not None else None
    window, rate = found
    errors = rate.counts.get("symbol_errors")
    if errors is None or "symbol_errors" in rate.saturated:
        return Ber(0, "", "", raw=raw) if raw is not None else None
    bits = gbps * 1e9 * rate.seconds
    return Ber(max(errors, 1) / bits, "estimated", window, below=errors == 0, raw=raw)


def _judge_ber(name: str, ber: Ber, limits: Thresholds) -> Measure:
    state, limit = _step(ber.value, limits.ber_watch, limits.ber_bad)
    if ber.below:
        state, limit = State.OK, limits.ber_watch  # no error at all: the bound says how long was looked, nothing worse
    raw_state, raw_limit = _step(ber.raw or 0, limits.raw_ber_watch, limits.raw_ber_bad)
    if WORST_FIRST.index(raw_state) < WORST_FIRST.index(state) or not ber.kind:
        text = f"{name}: bit error rate {ber.raw:.1e} before correction"
        return Measure("raw_ber", name, raw_state, ber.raw, raw_limit, "", text)
    sign = "below " if ber.below else ""
    text = f"{name}: bit error rate {sign}{ber.value:.1e} ({ber.kind})"
    return Measure("ber", name, state, ber.value, limit, ber.window, text)


def _temperatures(end: End, reading: Reading, limits: Thresholds) -> Iterator[Measure]:
    """Heat alone makes no link bad: the cure is the air, not the cable."""
    told = (
        ("port_c", "port", reading.port_c, limits.port_hot_c),
        ("optic_c", "optic", reading.optic_c, limits.optic_hot_c),
    )
    for name, what, celsius, hot in told:
        if celsius is not None:
            state, limit = _step(celsius, hot, None)
            yield Measure(name, end.name, state, celsius, limit, "", f"{end.name}: {what} at {celsius:.0f} °C")


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def _span(seconds: float) -> str:
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.0f} hours"
