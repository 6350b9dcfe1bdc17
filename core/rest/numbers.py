"""Numbers of requests that can be kept and answered: neither infinite nor none, and of the query whole ones."""

from __future__ import annotations

import math
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request


class FloatField(serializers.FloatField):
    """DRF's takes the texts `inf` and `nan`, which JSON cannot tell again."""

    def to_internal_value(self, data: Any) -> float:
        number = super().to_internal_value(data)
        if not math.isfinite(number):
            self.fail("invalid")
        return number


def number_of(request: Request, name: str) -> int:
    """A whole number of the query. Raises ValidationError, also where it is not given."""
    text = request.query_params.get(name, "")
    if not (text.isascii() and text.isdecimal()) or len(text) > 18:
        raise ValidationError({name: ["A number is needed."]})
    return int(text)
