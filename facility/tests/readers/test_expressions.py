"""A facility meter is read from a real Prometheus, an expression for each value."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.prometheus.answers import Answer as Told
from drivers.prometheus.answers import Series
from drivers.tests.ports import free_ports
from drivers.tests.prometheus import PrivatePrometheus
from facility.facts import OF_A_SITE, Part, Quantity
from facility.readers import BadSettings, Unreachable, check, read
from facility.readers.expressions import value_of
from facility.readers.settings import Expression

BEGAN = float(int(time.time()) - 3_600)
NOW = BEGAN + 1_800


@pytest.fixture(scope="module")
def server() -> Iterator[PrivatePrometheus]:
    at = [BEGAN + 15 * index for index in range(121)]
    with PrivatePrometheus(
        [
            ("site_kw", {}, [(each, 1_500.0) for each in at]),
            ("it_watts", {"hall": "1"}, [(each, 600_000.0) for each in at]),
            ("it_watts", {"hall": "2"}, [(each, 500_000.0) for each in at]),
            ("broken", {}, [(each, math.nan) for each in at]),
            ("below", {}, [(each, -4.0) for each in at]),
            ("ended", {}, [(each, 7.0) for each in at if each <= NOW - 200]),
            ("gone", {}, [(each, 7.0) for each in at[:10]]),
        ]
    ) as running:
        yield running


def asked(server: PrivatePrometheus, expression: str, **more: Any) -> tuple[float | None, str]:
    value = {"part": "total", "name": "site", "quantity": "power_w", "expression": expression, **more}
    answer = asyncio.run(
        read("prometheus", "127.0.0.1", server.port, None, {"scheme": "http", "values": [value]}, now=NOW)
    )
    (found,) = answer.values
    assert (found.part, found.name, found.quantity) == (Part.TOTAL, "site", Quantity.POWER_W)
    return found.value, found.reason


def test_an_expression_gives_one_value_in_the_unit_of_its_quantity(server: PrivatePrometheus) -> None:
    assert asked(server, "site_kw", scale=1000) == (1_500_000, "")
    assert asked(server, "sum(it_watts)") == (1_100_000, "")
    assert asked(server, "scalar(site_kw) * 1000") == (1_500_000, "")


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("it_watts", "the expression gives 2 series, not one"),
        ("nothing_such", "the expression gives nothing now: the series ended, or never was"),
        ("gone", "the expression gives nothing now: the series ended, or never was"),
        ("ended", "it was measured 210 s ago"),
        ("broken", "the expression gives NaN, which is no number"),
        ("below", "-4 cannot be: power_w is from 0 to 5e+08"),
        ("site_kw / 0", "inf cannot be: power_w is from 0 to 5e+08"),
    ],
)
def test_what_is_no_single_number_of_now_is_unknown_with_its_reason(
    server: PrivatePrometheus, expression: str, reason: str
) -> None:
    assert asked(server, expression) == (None, reason)


def test_an_expression_that_the_server_refuses_costs_no_other(server: PrivatePrometheus) -> None:
    values = [
        {"part": "total", "name": "site", "quantity": "power_w", "expression": "sum("},
        {"part": "total", "name": "it", "quantity": "power_w", "expression": "sum(it_watts)"},
    ]
    told = {"scheme": "http", "values": values}
    answer = asyncio.run(read("prometheus", "127.0.0.1", server.port, None, told, now=NOW))
    assert [each.value for each in answer.values] == [None, 1_100_000]
    assert "parse error" in answer.values[0].reason


def test_a_server_that_is_not_there_is_unreachable() -> None:
    (port,) = free_ports(1)
    value = {"part": "total", "quantity": "power_w", "expression": "up"}
    with pytest.raises(Unreachable, match="/api/v1/query_range"):
        asyncio.run(read("prometheus", "127.0.0.1", port, None, {"scheme": "http", "values": [value]}))


@pytest.mark.parametrize(
    ("settings", "place"),
    [
        ({"values": []}, "values"),
        ({"values": [{"part": "total", "quantity": "power_w", "expression": " "}]}, "values.0.expression"),
        ({"values": [{"part": "total", "quantity": "power_w", "expression": "up"}], "path": "no"}, "path"),
        ({"values": [{"part": "total", "quantity": "power_w", "expression": "up"}], "stale_s": 1}, "stale_s"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_their_place(settings: dict[str, Any], place: str) -> None:
    with pytest.raises(BadSettings) as refused:
        check("prometheus", settings)
    assert refused.value.place == place


def test_an_answer_that_may_not_be_whole_is_no_sum() -> None:
    point = Expression(part=Part.TOTAL, name="it", quantity=Quantity.POWER_W, expression="sum(it_watts)")
    told = Told([Series({}, [(NOW, 5.0)])], ["store 2 did not answer"])
    assert value_of(point, told, None, NOW, 120).reason == "the answer may not be whole: store 2 did not answer"


def test_a_sample_from_the_future_is_of_a_clock_apart() -> None:
    point = Expression(part=Part.TOTAL, name="it", quantity=Quantity.POWER_W, expression="it_watts")
    told, stamps = Told([Series({}, [(NOW, 5.0)])]), Told([Series({}, [(NOW, NOW + 900)])])
    assert value_of(point, told, stamps, NOW, 120).reason == "the clocks are apart: it is reported as of 900 s from now"


@given(st.floats(), st.floats(1e-12, 1e12))
def test_any_sample_is_a_number_that_can_be_or_a_reason(sample: float, scale: float) -> None:
    point = Expression(part=Part.TOTAL, name="it", quantity=Quantity.POWER_W, expression="x", scale=scale)
    found = value_of(point, Told([Series({}, [(NOW, sample)])]), None, NOW, 120)
    low, high = OF_A_SITE[Quantity.POWER_W]
    assert (found.value is None and found.reason) or (found.value is not None and low <= found.value <= high)
