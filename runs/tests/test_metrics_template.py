"""Queries with places: what is refused when they are stored, and that no value gets out of its quotes."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.metrics.kinds import KINDS, SHIPPED
from runs.metrics.template import FIELDS, NoTemplate, NotKnown, checked, filled

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
LITERAL = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)


def literal(text: str) -> str:
    """The value of a text as PromQL reads it: its escapes are those of Go, and these are Python's as well."""
    assert "\n" not in text
    return str(ast.literal_eval(text))


@given(TEXT)
def test_whatever_a_run_is_called_the_text_holds_just_that(name: str) -> None:
    query = filled('a{name="{name}", x="y"} + b{name!="{name}"}', {"name": name})
    texts = LITERAL.findall(query)
    assert [literal(text) for text in texts] == [name, "y", name]
    assert LITERAL.sub('""', query) == 'a{name="", x=""} + b{name!=""}'


@given(st.lists(TEXT, min_size=1, max_size=5), TEXT)
def test_a_regular_expression_matches_those_that_were_told_and_nobody_else(names: list[str], other: str) -> None:
    query = filled('a{host=~"({machines})([.:].*)?"}', {"machines": names})
    (text,) = LITERAL.findall(query)
    pattern = re.compile(literal(text), re.DOTALL)
    assert all(pattern.fullmatch(name) and pattern.fullmatch(f"{name}.example.org") for name in names)
    if not any(other == name or other.startswith((f"{name}.", f"{name}:")) for name in names):
        assert not pattern.fullmatch(other)


def test_a_value_in_single_quotes_is_escaped_for_these() -> None:
    assert filled("""a{n='{name}'}""", {"name": """it's "x"\\"""}) == """a{n='it\\'s "x"\\\\'}"""


def test_a_comment_with_a_quote_in_it_is_passed_over() -> None:
    text = 'a{n="{name}"} # isn\'t {job}\n + b'
    assert filled(checked(text, of_gpu=False), {"name": "x"}) == 'a{n="x"} # isn\'t {job}\n + b'


@pytest.mark.parametrize(
    ("text", "of_gpu", "why"),
    [
        ('a{n="{colour}"}', False, "{colour} is not known; known are job, run"),
        ("a{job={job}}", False, "put {job} within quotes"),
        ("a{n=`{job}`}", False, "back quotes"),
        ('a{n="{job}', False, "not closed"),
        ('a{n="{machines}"}', True, "behind =~"),
        ('a{n=~"{job}"}', True, "known are machines"),
        ('a{n=~"{machines}"}', False, "known are job"),
        ("a" * 2001, False, "2,000 characters"),
        ("a\x00", False, "control characters"),
    ],
)
def test_what_cannot_be_filled_is_refused_when_it_is_stored(text: str, of_gpu: bool, why: str) -> None:
    with pytest.raises(NoTemplate, match=re.escape(why)):
        checked(text, of_gpu=of_gpu)


def test_braces_that_are_no_places_stay() -> None:
    text = 'a{n=~"x{2,3}|y{2}",m="{{range}}"}'.replace("{{range}}", "{Range}")
    assert filled(checked(text, of_gpu=False), {}) == text


def test_a_query_that_names_what_a_run_has_not_is_not_sent() -> None:
    with pytest.raises(NotKnown, match=r"\{job\}, which is not known of this run"):
        filled(SHIPPED["step"], {"job": ""})


def test_the_shipped_queries_can_be_stored_and_filled() -> None:
    told = dict.fromkeys(FIELDS, "7") | {"machines": ["a", "b.c"]}
    for kind, row in KINDS.items():
        assert checked(row.query, of_gpu=row.of_gpu) == row.query, kind
        assert "{job}" not in filled(row.query, told)
    assert filled(SHIPPED["clock_mhz"], {"machines": ["a", "b.c"]}) == (
        'DCGM_FI_DEV_SM_CLOCK{Hostname=~"(a|b\\\\.c)([.:].*)?"}'
    )
