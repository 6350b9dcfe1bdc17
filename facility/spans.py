"""Spans of time that a route is asked for."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import NamedTuple

from rest_framework import serializers
from rest_framework.exceptions import ValidationError


class SpanQuery(serializers.Serializer):
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField(required=False, help_text="Now, if it is not given.")


class Longest(NamedTuple):
    """How long a span may be, and how a person says that."""

    time: timedelta
    words: str

    def check(self, begin: date, end: date) -> None:
        """Raises ValidationError for a span that ends before it begins, or is longer. Times are with times."""
        if not timedelta() < end - begin <= self.time:
            raise ValidationError({"begin": [f"It is before the end, and {self.words} before it at most."]})

    def end_of(self, begin: datetime, end: datetime | None, now: datetime) -> datetime:
        """The end that was asked for; now, if there was none, or a later one. Raises as `check` does."""
        end = min(end or now, now)
        self.check(begin, end)
        return end
