"""What a launcher reports of its run: the body read and checked. Pure.

One report speaks for the ranks of one machine. Columns keep it small: a rank's steps are lists of equal length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any, NamedTuple

from runs.collection import places
from runs.pace.packed import Timed

MOST_STEPS = 100_000
MOST_RANKS = 1024
"""Of one machine in one report."""
MOST_WORLD = 1_000_000
AHEAD_S = 60.0
"""A clock may be wrong by so much."""
BEHIND_S = 2 * 3600.0
"""Steps older than this are not taken: a reporter keeps an hour of them."""
LONGEST_ERROR = 16_384
LONGEST_STEP_S = 86_400.0


class NotReadable(ValueError):
    """Why a body is refused, beginning with the place in it."""


class Rank(NamedTuple):
    rank: int
    local_rank: int
    gpu: str
    """PCI address, or index as CUDA or nvidia-smi counts; empty: not told."""
    clock_mhz: float | None = None
    power_w: float | None = None
    temperature_c: float | None = None
    """Of the GPU, read just now; None: not told."""


class Pace(NamedTuple):
    """What a rank's steps of this report come to, in seconds."""

    rank: int
    step: int
    at: float
    step_s: float
    compute_s: float | None
    wait_s: float | None


class Ended(NamedTuple):
    rank: int
    at: float
    error: str
    """The end of its traceback; empty: it ended as it should."""


@dataclass(frozen=True)
class Report:
    key: str
    attempt: int
    about: Mapping[str, Any]
    """name, user, job, launcher, logs, image, world_size, the model's numbers, settings: what was told of them."""
    machine: str
    ranks: Sequence[Rank] = ()
    paces: Sequence[Pace] = ()
    steps: Mapping[int, Sequence[Timed]] = field(default_factory=dict)
    """By rank, oldest first."""
    ended: Sequence[Ended] = ()
    too_old: int = 0
    """Steps that were not taken."""
    checkpoint: tuple[int, float] | None = None
    """Step and moment (seconds since 1970) of the newest one that is written."""


TEXTS = {"name": 120, "user": 64, "job": 64, "launcher": 32, "logs": 500, "image": 330}
NUMBERS = {"parameters": 1e16, "flops_per_token": 1e18, "expected_step_s": LONGEST_STEP_S}
"""Of the model: the largest that is taken."""
READINGS = {"clock_mhz": 10_000.0, "power_w": 5_000.0, "temperature_c": 200.0}
MOST_SETTINGS = 100
SETTING = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,79}")


def report_of(body: Any, now: float) -> Report:
    """Read a body at this moment (seconds since 1970). Raises NotReadable."""
    run = _object(body, "run")
    key = _text(run.get("id"), "run.id", 120)
    if not key:
        raise NotReadable("run.id: what the launcher calls the run")
    attempt = _whole(run.get("attempt", 0), "run.attempt", 0, 1_000_000)
    about: dict[str, Any] = {
        name: _text(run[name], f"run.{name}", most) for name, most in TEXTS.items() if run.get(name) is not None
    }
    if run.get("world_size") is not None:
        about["world_size"] = _whole(run["world_size"], "run.world_size", 1, MOST_WORLD)
    about |= {name: _number(run[name], f"run.{name}", 0, most) for name, most in NUMBERS.items() if run.get(name)}
    if run.get("settings") is not None:
        about["settings"] = _settings(run["settings"])
    if about.get("logs"):
        try:
            about["logs"] = places.checked(about["logs"])
        except places.NoPattern as error:
            raise NotReadable(f"run.logs: {error}") from error
    machine = _text(body.get("machine"), "machine", 64)
    if not machine:
        raise NotReadable("machine: the name of the machine that reports")
    paces, steps, too_old = _steps(_list(body, "steps", MOST_RANKS), now)
    return Report(
        key,
        attempt,
        about,
        machine,
        [_rank(row, f"ranks[{index}]") for index, row in enumerate(_list(body, "ranks", MOST_RANKS))],
        paces,
        steps,
        [_ended(row, f"ended[{index}]", now) for index, row in enumerate(_list(body, "ended", MOST_RANKS))],
        too_old,
        _checkpoint(body.get("checkpoint"), now),
    )


def _checkpoint(row: Any, now: float) -> tuple[int, float] | None:
    if row is None:
        return None
    if not isinstance(row, dict):
        raise NotReadable("checkpoint: an object with step, at")
    step = _whole(row.get("step"), "checkpoint.step", 0, 2**62)
    return step, _number(row.get("at"), "checkpoint.at", 0, now + AHEAD_S)


def _rank(row: Any, where: str) -> Rank:
    if not isinstance(row, dict):
        raise NotReadable(f"{where}: an object with rank, local_rank, gpu")
    rank = _whole(row.get("rank"), f"{where}.rank", 0, MOST_WORLD)
    return Rank(
        rank,
        _whole(row.get("local_rank", 0), f"{where}.local_rank", 0, MOST_RANKS),
        _text(row.get("gpu", ""), f"{where}.gpu", 60),
        *(
            _number(row[name], f"{where}.{name}", 0, most) if row.get(name) is not None else None
            for name, most in READINGS.items()
        ),
    )


def _settings(told: Any) -> dict[str, str]:
    """Variables and versions that make a difference, such as NCCL_*: names with short texts."""
    if not isinstance(told, dict) or len(told) > MOST_SETTINGS:
        raise NotReadable(f"run.settings: an object of at most {MOST_SETTINGS} names")
    for name in told:
        if not SETTING.fullmatch(name):
            raise NotReadable(f"run.settings: {name[:80]!r} is no name of a setting")
    return {name: _text(value, f"run.settings.{name}", 200) for name, value in sorted(told.items())}


def _ended(row: Any, where: str, now: float) -> Ended:
    if not isinstance(row, dict):
        raise NotReadable(f"{where}: an object with rank, at, error")
    at = _number(row.get("at"), f"{where}.at", now - BEHIND_S, now + AHEAD_S)
    error = row.get("error", "")
    if not isinstance(error, str):
        raise NotReadable(f"{where}.error: a text")
    return Ended(_whole(row.get("rank"), f"{where}.rank", 0, MOST_WORLD), at, error[-LONGEST_ERROR:].replace("\0", ""))


def _steps(rows: list[Any], now: float) -> tuple[list[Pace], dict[int, list[Timed]], int]:
    paces, steps, too_old, total = [], {}, 0, 0
    for index, row in enumerate(rows):
        where = f"steps[{index}]"
        if not isinstance(row, dict):
            raise NotReadable(f"{where}: an object with rank, step, at, seconds")
        rank = _whole(row.get("rank"), f"{where}.rank", 0, MOST_WORLD)
        numbers = _column(row, where, "step", required=True)
        total += len(numbers)
        if total > MOST_STEPS:
            raise NotReadable(f"{where}: at most {MOST_STEPS:,} steps in a report")
        found, old = _timed(row, where, numbers, now)
        too_old += old
        if rank in steps:
            raise NotReadable(f"{where}.rank: rank {rank} twice")
        steps[rank] = found
        if found:
            told = {name: _median(row, where, name, len(numbers)) for name in ("compute", "wait")}
            typical = median(step.seconds for step in found)
            paces.append(Pace(rank, found[-1].step, found[-1].at, typical, told["compute"], told["wait"]))
    return paces, steps, too_old


def _timed(row: dict[str, Any], where: str, numbers: list[Any], now: float) -> tuple[list[Timed], int]:
    size = len(numbers)
    ends = _column(row, where, "at", size=size, required=True)
    spans = _column(row, where, "seconds", size=size, required=True)
    losses = _column(row, where, "loss", size=size) or [None] * size
    tokens = _column(row, where, "tokens", size=size) or [0] * size
    broken = set(_places(row.get("nan", []), f"{where}.nan", size))
    found, old = [], 0
    for index in range(size):
        place = f"{where}[{index}]"
        at = _number(ends[index], f"{place}.at", 0, now + AHEAD_S)
        if at < now - BEHIND_S:
            old += 1
            continue
        loss = losses[index]
        if loss is not None and not isinstance(loss, (int, float)):
            raise NotReadable(f"{place}.loss: a number or null")
        found.append(
            Timed(
                _whole(numbers[index], f"{place}.step", 0, 2**62),
                at,
                _number(spans[index], f"{place}.seconds", 0, LONGEST_STEP_S),
                math.nan if index in broken else float(loss) if loss is not None else None,
                _whole(tokens[index], f"{place}.tokens", 0, 2**31 - 1),
            )
        )
    return sorted(found, key=lambda step: step.at), old


def _places(values: Any, where: str, size: int) -> list[int]:
    """Places in the columns of a row, such as those whose loss is no number: JSON has none for NaN."""
    if not isinstance(values, list) or len(values) > size:
        raise NotReadable(f"{where}: a list of places in step")
    return [_whole(value, where, 0, size - 1) for value in values]


def _median(row: dict[str, Any], where: str, name: str, size: int) -> float | None:
    values = _column(row, where, name, size=size)
    told = [_number(value, f"{where}.{name}", 0, LONGEST_STEP_S) for value in values if value is not None]
    return median(told) if told else None


def _column(row: dict[str, Any], where: str, name: str, *, size: int = -1, required: bool = False) -> list[Any]:
    values = row.get(name)
    if values is None and not required:
        return []
    if not isinstance(values, list) or (size >= 0 and len(values) != size):
        raise NotReadable(f"{where}.{name}: a list as long as step")
    return values


def _object(body: Any, name: str) -> dict[str, Any]:
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, dict):
        raise NotReadable(f"{name}: an object with id, attempt, name, user, job, launcher, world_size")
    return value


def _list(body: dict[str, Any], name: str, most: int) -> list[Any]:
    value = body.get(name, [])
    if not isinstance(value, list) or len(value) > most:
        raise NotReadable(f"{name}: a list of at most {most:,}")
    return value


def _text(value: Any, where: str, most: int) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # job ids come as numbers
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        raise NotReadable(f"{where}: a text of at most {most} characters")
    return value.strip()


def _whole(value: Any, where: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise NotReadable(f"{where}: a whole number from {least:,} to {most:,}")
    return value


def _number(value: Any, where: str, least: float, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise NotReadable(f"{where}: a number")
    if not least <= value <= most:
        raise NotReadable(f"{where}: {value} is not between {least:.0f} and {most:.0f}")
    return float(value)
