"""JSON that would break a parser or the database is refused, not a fault of the server."""

from __future__ import annotations

import io

import pytest
from rest_framework.exceptions import ParseError

from core.http import parsers


def parsed(text: str) -> object:
    return parsers.JSONParser().parse(io.BytesIO(text.encode()), "application/json", {"encoding": "utf-8"})


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_json_nested_without_end_is_refused(opening: str) -> None:
    with pytest.raises(ParseError, match="nested too deep"):
        parsed(opening * 100_000)


@pytest.mark.parametrize("text", [r'{"name": "\ud800"}', r'{"\uDC00": 1}', r'[{"a": ["x\udfff"]}]'])
def test_half_a_character_is_refused(text: str) -> None:
    with pytest.raises(ParseError, match="half a character"):
        parsed(text)


def test_characters_of_two_halves_and_written_backslashes_are_read() -> None:
    assert parsed(r'["\ud83d\ude00", "\\ud800"]') == ["\U0001f600", "\\ud800"]


def test_a_body_that_is_too_large_is_refused_whatever_its_header_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parsers, "MOST_BYTES", 10)
    with pytest.raises(parsers.BodyTooLarge):
        parsed('"12345678901"')
