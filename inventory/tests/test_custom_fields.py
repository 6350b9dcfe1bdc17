"""Custom fields: what may stand in them, and patterns that nobody can make slow."""

from __future__ import annotations

import re
import time
from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from inventory.custom_fields import FieldDefinition, check_definition, validate_custom
from inventory.patterns import PatternRefused, pattern
from tests.effort import examples


def field(type_: str, **more: object) -> FieldDefinition:
    return FieldDefinition("it", type_, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("definition", "given_value", "kept"),
    [
        (field("text"), "  door 3 ", "door 3"),
        (field("text", pattern="[A-Z]{2}-\\d+"), "AB-12", "AB-12"),
        (field("integer"), "12", 12),
        (field("integer"), 12.0, 12),
        (field("number"), "1.5", 1.5),
        (field("number", minimum=Decimal(0), maximum=Decimal(2)), 2, 2),
        (field("boolean"), "Yes", True),
        (field("boolean"), False, False),
        (field("date"), "2027-03-01", "2027-03-01"),
        (field("date"), date(2027, 3, 1), "2027-03-01"),
        (field("url"), "https://example.net/a?b=1", "https://example.net/a?b=1"),
        (field("choice", choices=("a", "b")), "b", "b"),
        (field("choices", choices=("a", "b", "c")), "c; a", ["a", "c"]),
        (field("choices", choices=("a", "b", "c")), ["c", "a", "c"], ["a", "c"]),
    ],
)
def test_a_value_is_kept_in_its_type(definition: FieldDefinition, given_value: object, kept: object) -> None:
    clean, errors = validate_custom([definition], {"it": given_value}, {})
    assert errors == {}
    assert clean == {"it": kept}
    assert type(clean["it"]) is type(kept)
    assert validate_custom([definition], clean, clean) == (clean, {})  # what was kept can be given again


@pytest.mark.parametrize(
    ("definition", "bad"),
    [
        (field("text"), 5),
        (field("text"), "x" * 2001),
        (field("text"), "a\x00b"),
        (field("text", pattern="[a-z]+"), "abc1"),
        (field("integer"), "1.5"),
        (field("integer"), True),
        (field("integer"), 2**60),
        (field("integer"), "1_000"),
        (field("number"), "nan"),
        (field("number"), float("inf")),
        (field("number"), [1]),
        (field("number", minimum=Decimal("0.5")), 0.4),
        (field("number", maximum=Decimal(10)), 11),
        (field("boolean"), "maybe"),
        (field("boolean"), 2),
        (field("date"), "2026-02-30"),
        (field("date"), "20260301"),
        (field("date"), datetime(2026, 3, 1, 4)),
        (field("url"), "javascript:alert(1)"),
        (field("url"), "https://"),
        (field("url"), "http://[bad"),
        (field("choice", choices=("a", "b")), "c"),
        (field("choices", choices=("a", "b")), "a;c"),
        (field("choices", choices=("a", "b")), 3),
        (field("choices", choices=("a", "b")), [["a"]]),
    ],
)
def test_a_value_that_does_not_fit_is_refused_with_its_field_and_keeps_nothing(
    definition: FieldDefinition, bad: object
) -> None:
    clean, errors = validate_custom([definition], {"it": bad}, {})
    assert list(errors) == ["it"]
    assert errors["it"]
    assert clean == {}


def test_what_is_not_given_stays_and_empty_takes_away() -> None:
    fields = [
        FieldDefinition("a", "text"),
        FieldDefinition("b", "integer"),
        FieldDefinition("c", "choices", choices=("x",)),
    ]
    clean, errors = validate_custom(fields, {"b": None, "c": []}, {"a": "stays", "b": 3, "c": ["x"], "abolished": 1})
    assert (clean, errors) == ({"a": "stays", "abolished": 1}, {})


def test_required_means_there_is_a_value_afterwards() -> None:
    fields = [FieldDefinition("owner", "text", required=True)]
    assert validate_custom(fields, {}, {}) == ({}, {"owner": "This field is required."})
    assert validate_custom(fields, {}, {"owner": "netops"})[1] == {}
    assert "owner" in validate_custom(fields, {"owner": ""}, {"owner": "netops"})[1]
    assert (
        "owner" in validate_custom(fields, {"owner": "   "}, {})[1] or validate_custom(fields, {"owner": "   "}, {})[0]
    )


def test_a_name_that_is_no_field_is_refused() -> None:
    assert list(validate_custom([], {"colour": "red"}, {})[1]) == ["colour"]


@pytest.mark.parametrize(
    ("definition", "wrong"),
    [
        (field("choice"), "choices"),
        (field("choices", choices=("a", "a")), "choices"),
        (field("choices", choices=("a;b",)), "choices"),
        (field("text", choices=("a",)), "choices"),
        (field("text", pattern="(a"), "pattern"),
        (field("text", pattern="(a)\\1"), "pattern"),
        (field("integer", pattern="a"), "pattern"),
        (field("text", minimum=Decimal(1)), "minimum"),
        (field("number", minimum=Decimal(2), maximum=Decimal(1)), "maximum"),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused_with_its_field(definition: FieldDefinition, wrong: str) -> None:
    assert list(check_definition(definition)) == [wrong]


def test_a_sound_definition_has_no_errors() -> None:
    assert check_definition(field("text", pattern="[a-z]+")) == {}
    assert check_definition(field("number", minimum=Decimal(1), maximum=Decimal(1))) == {}


# ---- patterns ----

PATTERNS = [
    "abc", "a*", "(a|b)*c", "(?i)rack-[a-f]{2,3}", "\\d{3}", "[^x]+", "a?b+?c{0,2}", "^ab$", "\\bab\\b.*", "(?:ab)+|c",
    "[\\w-]+", "\\S+\\s\\S+", ".+", "", "(?s).+", "[A-Z]{2}(-\\d{1,4})?", "(a*)*", "(|a)+b", "\\Aab\\Z",
    "[]a]+", "[^]]+", "[[a]+", "\\W+", "\\D\\d",
]  # fmt: skip


@settings(max_examples=examples(300), deadline=None)
@given(st.sampled_from(PATTERNS), st.text(alphabet="abcxAB-1 \n_\u00fc\u0661\u00a0[]", max_size=8))
def test_a_pattern_means_what_it_means_in_python(text: str, subject: str) -> None:
    # $ of Python also matches before a last line break, which no value ends with after stripping.
    # A word boundary is one of ASCII.
    assume("\\b" not in text or subject.isascii())
    expected = re.compile(text.replace("$", "\\Z")).fullmatch(subject) is not None
    assert pattern(text).matches(subject) is expected


@settings(max_examples=examples(200), deadline=None)
@given(st.text(alphabet="ab()|*+?.{}12,[]^$\\w", max_size=24), st.sampled_from(["a", "ab", "b1"]))
def test_no_pattern_takes_more_than_its_share_of_a_longer_text(text: str, unit: str) -> None:
    """Ten times the text takes about ten times as long; what is not linear takes a hundred times, or for ever."""
    try:
        made = pattern(text)
    except PatternRefused:
        return
    times = []
    for length in (20_000, 200_000):
        subject = unit * (length // len(unit)) + "!"
        started = time.perf_counter()
        made.matches(subject)
        times.append(time.perf_counter() - started)
    assert times[1] < 0.05 + 40 * times[0]
    assert times[1] < 2


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("(a", "missing ), unterminated subpattern at position 0"),
        ("(a{1000}){1000}", "too large"),
        ("(?=a)b", "looking ahead or behind"),
        ("(?m)^a$", "of the flags only"),
        ("(?x)a", "of the flags only"),
    ],
)
def test_a_refused_pattern_says_where_and_why(text: str, why: str) -> None:
    with pytest.raises(PatternRefused) as refused:
        pattern(text)
    assert why in str(refused.value)


@pytest.mark.parametrize("text", ["(a+)+$", "(a|aa)+$", "(.*a){12}$", "\\w*\\w*\\w*\\w*\\w*\\w*!"])
def test_no_pattern_can_be_made_slow_by_a_text(text: str) -> None:
    started = time.perf_counter()
    assert pattern(text).matches("a" * 1000 + "-") is False
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize(
    "text", ["(a", "(a)\\1", "(?=a)b", "(?<!a)b", "a{1000}{1000}", "(?>a)", "a++", "(?i:a)", "[z-a]"]
)
def test_a_pattern_that_cannot_be_matched_letter_by_letter_is_refused(text: str) -> None:
    with pytest.raises(PatternRefused):
        pattern(text)
