"""Numbers of requests that can be kept and answered: neither infinite nor none."""

from __future__ import annotations

import math
from typing import Any

from rest_framework import serializers


class FloatField(serializers.FloatField):
    """DRF's takes the texts `inf` and `nan`, which JSON cannot tell again."""

    def to_internal_value(self, data: Any) -> float:
        number = super().to_internal_value(data)
        if not math.isfinite(number):
            self.fail("invalid")
        return number
