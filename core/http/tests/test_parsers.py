"""JSON that would break a parser or the database is refused, not a fault of the server."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rest_framework.exceptions import ParseError, UnsupportedMediaType

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


PARSERS = (parsers.JSONParser, parsers.FormParser, parsers.MultiPartParser)


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize("charset", ["utf-16", "utf-7", "latin-1", "no-such-charset"])
def test_a_body_that_is_not_utf_8_is_refused_before_it_is_read(parser: Any, charset: str) -> None:
    body = io.BytesIO(r'{"name": "\u0000"}'.encode("utf-16"))
    with pytest.raises(UnsupportedMediaType):
        parser().parse(body, "application/json", {"encoding": charset})
    assert body.tell() == 0


@pytest.mark.parametrize("charset", ["UTF-8", "utf8", "us-ascii"])
def test_every_name_of_utf_8_is_read(charset: str) -> None:
    assert parsers.JSONParser().parse(io.BytesIO(b'{"a": 1}'), "application/json", {"encoding": charset}) == {"a": 1}
