import re
from typing import Any

from rest_framework.exceptions import ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request


class PagePagination(PageNumberPagination):
    """`?page=&page_size=`, 50 rows unless asked otherwise, 1,000 at most: more is refused, not cut off in silence."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 1000

    def get_page_size(self, request: Request) -> int:
        asked = request.query_params.get(self.page_size_query_param)
        if asked is None:
            return self.page_size
        if not re.fullmatch(r"[0-9]{1,6}", asked) or not 1 <= int(asked) <= self.max_page_size:
            raise ValidationError({"page_size": [f"A whole number from 1 to {self.max_page_size:,}."]})
        return int(asked)

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """As OpenAPI 3.1 has it: all four are there, and the first page has none before it."""
        told: dict[str, Any] = super().get_paginated_response_schema(schema)
        for name in ("next", "previous"):
            told["properties"][name] = {"type": ["string", "null"], "format": "uri"}
        return told | {"required": ["count", "next", "previous", "results"]}
