import re
from typing import Any

from django.core.paginator import Page, Paginator
from rest_framework.exceptions import ValidationError
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request


class SteadyPaginator(Paginator):  # type: ignore[type-arg]  # takes its type only in the stubs
    """Pages of rows that may be written to between the two statements: how many there are, and which.

    Django cuts the last page at the count. A row that came in front in between then pushed out one that had been there
    all the time: the reader saw it go and come back. Here the rows found say where the list ends.
    """

    def page(self, number: int | str) -> Page[Any]:
        number = self.validate_number(number)
        before = (number - 1) * self.per_page
        rows = list(self.object_list[before : before + self.per_page]) if self.count else []
        if rows:
            seen = before + len(rows)
            self.count = seen if len(rows) < self.per_page else max(self.count, seen)
        return Page(rows, number, self)


class PagePagination(PageNumberPagination):
    """`?page=&page_size=`, 50 rows unless asked otherwise, 1,000 at most: more is refused, not cut off in silence."""

    django_paginator_class = SteadyPaginator
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
