"""JSON of answers: byte for byte what DRF's renderer says, only sooner."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from ipaddress import ip_address
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import ErrorDetail
from rest_framework.renderers import JSONRenderer as Drf
from rest_framework.serializers import Serializer
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from core.models import Role
from core.rest.renderers import JSONRenderer


class Pair(NamedTuple):
    a: int
    b: str


VALUES: dict[str, Any] = {
    "nothing": None,
    "plain": {"a": [1, 2.5, True, None, "text"], "b": {}},
    "letters": 'Größe › 17\u2028\u2029 \u007f "\\ \n\t \x01 😀',
    "times": [
        datetime(2026, 3, 2, 12, tzinfo=UTC),
        datetime(2026, 3, 2, 12, 0, 0, 120, tzinfo=UTC),
        datetime(2026, 3, 2, 12, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        datetime(2026, 3, 2, 12),
        date(2026, 3, 2),
        time(12, 30),
        timedelta(seconds=90),
    ],
    "numbers": [Decimal("1.50"), 0.1, 1.0, 2**53, 2**70, -5],
    "others": [UUID(int=5), ip_address("10.0.0.1"), gettext_lazy("Yes"), Role.ADMIN, ErrorDetail("no", "code"), b"raw"],
    "containers": [
        (1, 2),
        Pair(1, "x"),
        OrderedDict(b=1, a=2),
        ReturnDict(serializer=Serializer()),
        ReturnList(serializer=Serializer()),
    ],
    "keys": {1: "a", "b": 2},
}


@pytest.mark.parametrize("name", VALUES)
def test_what_is_said_is_what_drf_says(name: str) -> None:
    assert JSONRenderer().render(VALUES[name]) == Drf().render(VALUES[name])


def test_an_indent_is_kept() -> None:
    wanted = "application/json; indent=2"
    assert JSONRenderer().render({"a": 1}, wanted, {}) == Drf().render({"a": 1}, wanted, {}) == b'{\n  "a": 1\n}'


def test_what_no_json_can_say_is_still_refused() -> None:
    with pytest.raises(TypeError):
        JSONRenderer().render({"a": object()})
