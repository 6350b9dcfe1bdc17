from typing import Any

from rest_framework.pagination import PageNumberPagination


class PagePagination(PageNumberPagination):
    """`?page=&page_size=`, 50 rows unless asked otherwise, 1,000 at most."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 1000

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """As OpenAPI 3.1 has it: all four are there, and the first page has none before it."""
        told: dict[str, Any] = super().get_paginated_response_schema(schema)
        for name in ("next", "previous"):
            told["properties"][name] = {"type": ["string", "null"], "format": "uri"}
        return told | {"required": ["count", "next", "previous", "results"]}
