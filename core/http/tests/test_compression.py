"""Texts go out compressed, also those that are made while they are sent; pictures do not."""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import Iterator

import pytest
from django.contrib.staticfiles import finders
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import Client, RequestFactory

from core.http.compression import CompressionMiddleware
from core.http.streams import PIECE_BYTES, streamed
from core.models import Role, Site
from core.services import ensure_user

TEXT = b"rack A05, position 21: hgx-a05-01\n" * 100


def answer(response: HttpResponseBase, accept: str = "gzip, br") -> HttpResponse:
    request: HttpRequest = RequestFactory().get("/", headers={"Accept-Encoding": accept})
    return CompressionMiddleware(lambda _: response)(request)  # type: ignore[return-value]


@pytest.mark.parametrize(
    "kind", ["application/json", "text/csv; charset=utf-8", "application/x-ndjson", "image/svg+xml"]
)
def test_a_text_is_sent_compressed_where_the_client_takes_that(kind: str) -> None:
    packed = answer(HttpResponse(TEXT, content_type=kind))
    assert packed.headers["Content-Encoding"] == "gzip" and gzip.decompress(packed.content) == TEXT
    assert len(packed.content) < len(TEXT) / 5 and "Accept-Encoding" in packed.headers["Vary"]
    for accept in ("identity", "br, gzip;q=0"):
        plain = answer(HttpResponse(TEXT, content_type=kind), accept)
        assert "Content-Encoding" not in plain.headers and plain.content == TEXT


def test_what_is_made_while_it_is_sent_is_compressed_piece_by_piece() -> None:
    made = []

    def pieces() -> Iterator[str]:
        for number in range(50):
            made.append(number)
            yield "".join(random.choices("0123456789abcdef", k=PIECE_BYTES))  # as dense as serials are

    async def sent() -> bytes:
        packed = answer(streamed(pieces(), "text/csv", "racks.csv"))
        parts = aiter(packed.streaming_content)  # type: ignore[attr-defined]
        got = await anext(parts)
        got += await anext(parts)
        assert len(made) < 50, "all of it was made before the first piece left"
        return got + b"".join([part async for part in parts])

    assert len(gzip.decompress(asyncio.run(sent()))) == 50 * PIECE_BYTES


@pytest.mark.parametrize("kind", ["image/png", "image/jpeg", "application/pdf", "application/zip", "font/woff2"])
def test_what_is_packed_already_is_sent_as_it_is(kind: str) -> None:
    assert "Content-Encoding" not in answer(HttpResponse(TEXT, content_type=kind)).headers


@pytest.mark.django_db
def test_an_answer_of_the_api_is_compressed_and_its_tag_is_taken_back(client: Client) -> None:
    Site.objects.bulk_create(Site(slug=f"site-{number}", name=f"Site {number}") for number in range(20))
    client.force_login(ensure_user("vera", role=Role.VIEWER)[0])
    packed = client.get("/api/sites/", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["Content-Encoding"] == "gzip"
    seen = packed.headers["ETag"]
    assert client.get("/api/sites/", headers={"Accept-Encoding": "gzip", "If-None-Match": seen}).status_code == 304


def test_the_files_of_the_dashboard_were_compressed_when_they_were_built(client: Client) -> None:
    index = finders.find("index.html")
    if index is None:
        pytest.skip("the dashboard is not built")
    with open(index, encoding="utf-8") as file:
        script = next(part.split('"')[0] for part in file.read().split('src="') if part.startswith("/static/assets/"))
    for encoding in ("br", "gzip"):
        sent = client.get(script, headers={"Accept-Encoding": encoding})
        assert sent.status_code == 200 and sent.headers["Content-Encoding"] == encoding
