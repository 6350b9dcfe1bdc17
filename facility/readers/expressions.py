"""Values of a Prometheus server, an expression each. Pure, but for `read`."""

from __future__ import annotations

import math

from drivers.prometheus.answers import Answer as Told
from drivers.prometheus.answers import QueryRefused
from drivers.prometheus.client import PrometheusClient
from facility.facts import Measured, measured
from facility.plausible import age_trouble
from facility.readers.answers import Answer
from facility.readers.settings import Expression, Prometheus, scaled


def value_of(point: Expression, told: Told, stamps: Told | None, now: float, stale_s: float) -> Measured:
    """What an answer at one moment says. `stamps`: what `timestamp()` of the expression gave, the moment of the sample
    where the expression is a plain one."""
    value, reason = _single(told)
    if not reason and stamps is not None:
        stamp, _ = _single(stamps)
        reason = age_trouble(stamp, now, most_s=stale_s) if stamp is not None else ""
    if reason or value is None:
        return measured(point.part, point.name, point.quantity, None, reason)
    return measured(point.part, point.name, point.quantity, scaled(value, point))


def _single(told: Told) -> tuple[float | None, str]:
    if told.warnings:
        return None, f"the answer may not be whole: {told.warnings[0][:200]}"
    series = [each for each in told.series if each.points]
    if len(series) > 1:
        return None, f"the expression gives {len(series)} series, not one"
    if not series:
        return None, "the expression gives nothing now: the series ended, or never was"
    value = series[0].points[-1][1]
    return (None, "the expression gives NaN, which is no number") if math.isnan(value) else (value, "")


async def read(server: PrometheusClient, settings: Prometheus, now: float) -> Answer:
    """Every value, in the order of the settings. An expression that the server refuses is unknown and costs no other;
    raises ApplianceError where it does not answer."""
    return Answer("", [await _value(server, point, settings.stale_s, now) for point in settings.values])


async def _value(server: PrometheusClient, point: Expression, stale_s: float, now: float) -> Measured:
    try:
        told = await server.query_range(point.expression, start=now, end=now, step_s=1)
    except QueryRefused as error:
        return measured(point.part, point.name, point.quantity, None, str(error))
    try:
        stamps = await server.query_range(f"timestamp({point.expression})", start=now, end=now, step_s=1)
    except QueryRefused:  # a scalar, or what only looks like an expression in brackets
        stamps = None
    return value_of(point, told, stamps, now, stale_s)
