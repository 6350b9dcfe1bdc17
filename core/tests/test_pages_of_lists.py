"""A page of a list that is written to while it is read: what the count says and what the rows are belong together."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.paginator import EmptyPage

from core.rest.pagination import SteadyPaginator


class Written:
    """A list, the newest first, to which rows come in once they were counted."""

    ordered = True

    def __init__(self, rows: list[str], then: list[str]) -> None:
        self.rows, self.then = rows, then

    def count(self) -> int:
        counted, self.rows = len(self.rows), self.then
        return counted

    def __getitem__(self, part: slice) -> list[str]:
        return self.rows[part]


@pytest.mark.parametrize(
    ("rows", "then", "number", "shown", "count"),
    [
        (["a"], ["b", "a"], 1, ["b", "a"], 2),
        (["d", "c", "b", "a"], ["e", "d", "c", "b", "a"], 2, ["b", "a"], 5),
        (["b", "a"], ["c", "b", "a"], 1, ["c", "b", "a"], 3),
        (["b", "a"], ["a"], 1, ["a"], 1),
        (["c", "b", "a"], ["c", "b", "a"], 1, ["c", "b", "a"], 3),
        ([], ["a"], 1, [], 0),
        (["d", "c", "b", "a"], ["c", "b", "a"], 2, [], 4),
    ],
)
def test_a_row_that_comes_in_while_a_page_is_read_pushes_none_out(
    rows: list[str], then: list[str], number: int, shown: list[str], count: int
) -> None:
    listed: Any = Written(rows, then)
    page = SteadyPaginator(listed, 3).page(number)
    assert (list(page), page.paginator.count) == (shown, count)


def test_the_next_page_is_there_as_long_as_the_count_says_so() -> None:
    pages = SteadyPaginator(list("abcdefg"), 3)
    assert [list(pages.page(number)) for number in (1, 2, 3)] == [list("abc"), list("def"), ["g"]]
    assert [pages.page(number).has_next() for number in (1, 2, 3)] == [True, True, False]
    with pytest.raises(EmptyPage):
        pages.page(4)
