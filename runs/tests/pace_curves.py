"""Curves of step times as runs have them, by shape: seeded, with noise and outliers."""

from __future__ import annotations

import random
from collections.abc import Callable

STEP_S = 2.4


def plain(rng: random.Random, count: int, *, sigma: float | None = None) -> list[float]:
    """Speeds around 1 as an ordinary run has them: noise, and a rare slow step."""
    sigma = rng.uniform(0.004, 0.014) if sigma is None else sigma
    speeds = [rng.gauss(1.0, sigma) for _ in range(count)]
    for _ in range(rng.randint(0, 3)):
        speeds[rng.randrange(count)] *= rng.uniform(0.3, 0.9)
    return speeds


def steady(rng: random.Random, count: int, strength: float) -> list[float]:
    return [speed * (1 - strength) for speed in plain(rng, count)]


def step(rng: random.Random, count: int, strength: float) -> list[float]:
    at = round(count * rng.uniform(0.12, 0.88))
    return [speed * (1 - strength if index >= at else 1) for index, speed in enumerate(plain(rng, count))]


def lower_stretch(rng: random.Random, count: int, strength: float) -> list[float]:
    at = round(count * rng.uniform(0.15, 0.4))
    end = at + round(count * rng.uniform(0.2, 0.4))
    return [speed * (1 - strength if at <= index < end else 1) for index, speed in enumerate(plain(rng, count))]


def decline(rng: random.Random, count: int, strength: float) -> list[float]:
    start = count * rng.choice([0.0, rng.uniform(0, 0.4)])
    bend = rng.uniform(0.8, 1.4)
    return [
        speed * (1 - strength * max(0.0, (index - start) / (count - start)) ** bend)
        for index, speed in enumerate(plain(rng, count))
    ]


def regular_dips(rng: random.Random, count: int, strength: float) -> list[float]:
    period = rng.randint(20, max(21, count // 7))
    length, phase = rng.randint(1, max(1, min(4, period // 8))), rng.randrange(period)
    return [
        speed * (1 - strength * rng.uniform(0.8, 1.1) if (index + phase) % period < length else 1)
        for index, speed in enumerate(plain(rng, count))
    ]


def random_dips(rng: random.Random, count: int, strength: float) -> list[float]:
    speeds = plain(rng, count)
    for _ in range(max(8, rng.randint(count // 120, count // 50))):
        at = rng.randrange(count)
        for index in range(at, min(count, at + rng.randint(1, 5))):
            speeds[index] *= 1 - strength * rng.uniform(0.7, 1.1)
    return speeds


def saw_tooth(rng: random.Random, count: int, strength: float) -> list[float]:
    period = rng.randint(14, max(15, count // 6))
    speeds, left, length = [], 0, period
    for speed in plain(rng, count):
        if left >= length:
            left, length = 0, round(period * rng.uniform(0.92, 1.08))
        speeds.append(speed * (1 - strength * left / length))
        left += 1
    return speeds


def oscillation(rng: random.Random, count: int, strength: float) -> list[float]:
    at = round(count * rng.uniform(0.15, 0.75))
    speeds, low, left = [], True, 0
    for index, speed in enumerate(plain(rng, count)):
        if index >= at:
            if left <= 0:
                low, left = not low, rng.randint(1, 3)
            left -= 1
        depth = strength * (1.0 if low else 0.25) * rng.uniform(0.9, 1.1) if index >= at else 0.0
        speeds.append(speed * (1 - depth))
    return speeds


def noise(rng: random.Random, count: int, strength: float) -> list[float]:
    speeds, held, left = [], 1.0, 0
    hold = rng.choice([1, 1, 3])
    for speed in plain(rng, count, sigma=0.004):
        if left <= 0:
            held, left = 1 - rng.uniform(0, strength), rng.randint(1, hold)
        left -= 1
        speeds.append(speed * held)
    return speeds


CURVES: dict[str, tuple[Callable[[random.Random, int, float], list[float]], tuple[float, ...]]] = {
    # shape: (its generator, strengths)
    "none": (lambda rng, count, strength: plain(rng, count, sigma=strength), (0.004, 0.009, 0.014)),
    "low-tenth": (steady, (0.08, 0.1, 0.15)),
    "low-third": (steady, (0.25, 0.3, 0.4)),
    "low-most": (steady, (0.6, 0.7, 0.8)),
    "step": (step, (0.05, 0.12, 0.3, 0.6)),
    "decline": (decline, (0.06, 0.12, 0.25)),
    "regular-dips": (regular_dips, (0.15, 0.4, 0.8)),
    "random-dips": (random_dips, (0.15, 0.4, 0.8)),
    "saw-tooth": (saw_tooth, (0.06, 0.12, 0.25)),
    "oscillation": (oscillation, (0.25, 0.45, 0.7)),
    "noise": (noise, (0.09, 0.11)),
}


def curve(shape: str, seed: int, count: int, strength: float) -> list[float]:
    """Seconds of each step."""
    rng = random.Random(f"{shape} {seed} {count} {strength}")
    make, _ = CURVES[shape]
    return [STEP_S / max(speed, 0.02) for speed in make(rng, count, strength)]
