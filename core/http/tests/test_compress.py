"""Answers of the API are compressed; pages with a CSRF token and streams are not; tags keep working."""

from __future__ import annotations

import gzip
import json

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from core.http.compress import CompressionMiddleware
from core.http.etags import ETagMiddleware, compressed, etag_of, match, none_match

BODY = json.dumps([{"name": f"hgx-a{n:02}-01", "state": "ready"} for n in range(200)]).encode()


def ask(path: str, answer: HttpResponse | StreamingHttpResponse, **headers: str) -> HttpResponse:
    inner = ETagMiddleware(lambda request: answer)
    request: HttpRequest = RequestFactory().get(path, headers={"Accept-Encoding": "gzip, br", **headers})
    found: HttpResponse = CompressionMiddleware(inner)(request)
    return found


def test_an_answer_of_the_api_is_compressed_and_reads_the_same() -> None:
    answer = ask("/api/floor/", HttpResponse(BODY, content_type="application/json"))
    assert answer.headers["Content-Encoding"] == "gzip" and "Accept-Encoding" in answer.headers["Vary"]
    assert len(answer.content) < len(BODY) / 5 and gzip.decompress(answer.content) == BODY


def test_who_does_not_take_gzip_gets_it_plain() -> None:
    answer = ask("/api/floor/", HttpResponse(BODY, content_type="application/json"), **{"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in answer.headers and answer.content == BODY


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/accounts/login/", "text/html; charset=utf-8"), ("/api/docs/", "text/html"), ("/api/photo/", "image/jpeg")],
)
def test_pages_with_a_csrf_token_and_pictures_are_left_as_they_are(path: str, kind: str) -> None:
    assert "Content-Encoding" not in ask(path, HttpResponse(BODY, content_type=kind)).headers


def test_a_stream_is_left_as_it_is() -> None:
    answer = ask("/api/cables/export/", StreamingHttpResponse(iter([BODY]), content_type="text/csv"))
    assert "Content-Encoding" not in answer.headers and answer.streaming


def test_the_tag_of_a_compressed_answer_serves_reads_and_writes() -> None:
    sent = ask("/api/floor/", HttpResponse(BODY, content_type="application/json")).headers["ETag"]
    assert sent == compressed(etag_of(BODY)) != etag_of(BODY)
    assert match(sent, etag_of(BODY)) and not match(sent, etag_of(b"else")) and not none_match(sent, etag_of(BODY))
    again = ask("/api/floor/", HttpResponse(BODY, content_type="application/json"), **{"If-None-Match": sent})
    assert again.status_code == 304 and "Content-Encoding" not in again.headers
