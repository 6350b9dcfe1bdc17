"""Step lines of common trainers: how long a step took, its loss, and whether it still is a number.

Megatron-LM and its DeepSpeed forks, NeMo, torchtitan, timm, Hugging Face Trainer, nanoGPT, DeepSpeed's pipeline
engine, litGPT and plain loops.
Another trainer is a row of the table below.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

NUMBER = r"[-+]?(?:\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?|nan|NaN|NAN|inf|Inf|INF)"


class Step(NamedTuple):
    """`cost` is what the step took: seconds, or seconds a token where only the rate is printed. None: not told."""

    number: int | None
    """Of the line, from 1."""
    iteration: int | None
    cost: float | None
    loss: float | None
    grad_norm: float | None
    waited: float | None = None
    """Share of the step spent waiting for data."""

    @property
    def is_nan(self) -> bool:
        return any(value is not None and not math.isfinite(value) for value in (self.loss, self.grad_norm))


TRAINERS: dict[str, tuple[str, str]] = {
    # name: (a text that every such line holds, the pattern)
    "megatron": (
        "elapsed time per iteration",
        r"iteration +(?P<iteration>\d+)/.*?elapsed time per iteration \((?P<unit>ms|s)\): *(?P<time>{n})",
    ),
    "torchtitan": (
        " tps: ",
        r"step: *(?P<iteration>\d+) +loss: *(?P<loss>{n})(?: +grad_norm: *(?P<grad>{n}))?.*? tps: *(?P<rate>{n})",
    ),
    "nemo": (
        "train_step_timing in s",
        r"train_step_timing in s[:=] *(?P<time>{n})",
    ),
    "timm": (
        "Data: ",
        r"Train: \d+ \[ *(?P<iteration>\d+)/.*?Loss: *(?P<loss>{n}).*?Time: *(?P<time>{n})s.*?Data: *(?P<wait>{n})",
    ),
    "plain": (
        "loss ",
        r"^step (?P<iteration>\d+) (?:\| )?loss (?P<loss>{n})(?: \| step_time)? (?P<time>{n})s"
        r"(?:$| \| data_wait (?P<wait>{n})s| \|)",
    ),
    "trainer": (
        "'loss': ",
        r"\{{'loss': '?(?P<loss>{n})'?(?:, 'grad_norm': '?(?P<grad>{n})'?)?.*?'epoch': '?(?P<epoch>{n})",
    ),
    "deepspeed": (
        "iter time (s): ",
        r"steps: *(?P<iteration>\d+) +loss: *(?P<loss>{n}) +iter time \(s\): *(?P<time>{n})",
    ),
    "nanogpt": (
        ": loss ",
        r"(?:iter|step) (?P<iteration>\d+): loss (?P<loss>{n}),.*?time:? *(?P<time>{n}) ?(?P<unit>ms|s)",
    ),
}
_TIMERS = re.compile(rf"time \(ms\) \|.*?batch[- ]generator: *({NUMBER})")
_FIELDS = {
    "megatron": {"loss": re.compile(rf"loss: *({NUMBER})"), "grad": re.compile(rf"grad norm: *({NUMBER})")},
    "nemo": {
        "loss": re.compile(rf"reduced_train_loss[:=] *({NUMBER})"),
        "iteration": re.compile(r"global_step[:=] *(\d+)"),
    },
}
"""Fields that come and go, or stand in any order: Megatron leaves the loss out where it is no number."""
_COMPILED: dict[str, re.Pattern[str]] = {}
MARKS = tuple(mark for mark, _ in TRAINERS.values())
WAITING = "time (ms) |"


def number_of(text: str | None) -> float | None:
    if text is None:
        return None
    return float(text.replace(",", "")) if text.strip(",") else None


def step_of(number: int, text: str) -> Step | None:
    """The step that a line tells of, or None."""
    for name, (mark, pattern) in TRAINERS.items():
        if mark not in text:
            continue
        if name not in _COMPILED:
            _COMPILED[name] = re.compile(pattern.format(n=NUMBER))
        found = _COMPILED[name].search(text)
        if found:
            return _step(number, name, text, found.groupdict())
    return None


def is_step(data: bytes) -> bool:
    """Whether a line as it stands in the file tells of a step or its timers: a quarter of the cost of reading it."""
    for mark, pattern in _IN_BYTES:
        if mark in data:
            return pattern.search(data) is not None
    return WAITING.encode() in data


_IN_BYTES = tuple((mark.encode(), re.compile(pattern.format(n=NUMBER).encode())) for mark, pattern in TRAINERS.values())


def _step(number: int, name: str, text: str, said: dict[str, str | None]) -> Step:
    cost = number_of(said.get("time"))
    if cost is not None and said.get("unit") == "ms":
        cost /= 1000
    waits = number_of(said.get("wait"))
    waited = min(1.0, waits / cost) if waits is not None and cost else None
    rate = number_of(said.get("rate"))
    if rate:
        cost = 1 / rate
    for field, pattern in _FIELDS.get(name, {}).items():
        found = pattern.search(text)
        said[field] = found[1] if found else None
    iteration = said.get("iteration")
    loss, grad = number_of(said.get("loss")), number_of(said.get("grad"))
    return Step(number, int(iteration) if iteration else None, cost, loss, grad, waited)


def waited_s(text: str) -> float | None:
    """Seconds of one iteration spent in the batch generator, from Megatron's line of timers."""
    if WAITING not in text:
        return None
    found = _TIMERS.search(text)
    seconds = number_of(found[1]) if found else None
    return seconds / 1000 if seconds is not None else None
