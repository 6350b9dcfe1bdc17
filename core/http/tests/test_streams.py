"""Files are sent while they are made."""

from __future__ import annotations

import ast
import asyncio
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.http.streams import PIECE_BYTES, in_threads, streamed
from inventory.kinds import KINDS
from inventory.transfer import export
from inventory.transfer.export import FORMATS, Record

ROOT = Path(__file__).parents[3]
ROOMS = ("core", "inventory", "access", "health", "fabric", "provisioning", "tickets", "config")
ROWS = 20_000


class Rows:
    """Racks as they come from the database, counted as they are taken."""

    def __init__(self, count: int) -> None:
        self.count, self.taken = count, 0

    def __iter__(self) -> Iterator[Record]:
        names = KINDS["racks"].fields
        for number in range(self.count):
            self.taken += 1
            yield dict.fromkeys(names) | {"name": f"A{number:06}", "asset_tag": "x" * 80}


@pytest.fixture(autouse=True)
def no_fields_of_a_site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "custom_names", lambda kind: [])


@pytest.mark.parametrize("file_format", ["csv", "yaml", "json"])
def test_the_first_piece_is_sent_long_before_the_last_row_is_read(file_format: str) -> None:
    rows = Rows(ROWS)
    answer = streamed(FORMATS[file_format][1](KINDS["racks"], rows), "text/plain", "racks")

    async def first() -> bytes:
        return await anext(aiter(answer.streaming_content))  # type: ignore[arg-type]

    assert len(asyncio.run(first())) >= PIECE_BYTES / 2
    assert 0 < rows.taken < ROWS / 5


@pytest.mark.slow
@pytest.mark.parametrize("file_format", list(FORMATS))
def test_memory_does_not_grow_with_the_rows(file_format: str) -> None:
    def peak(count: int) -> int:
        tracemalloc.start()
        for _ in FORMATS[file_format][1](KINDS["racks"], Rows(count)):
            pass
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(100)  # imports
    few, many = peak(500), peak(2_500)
    assert many < few + 1024 * 1024


@pytest.mark.slow
def test_every_streamed_answer_goes_through_threads() -> None:
    """Django makes a list of a plain iterator under ASGI: the whole file would be in memory before the first byte."""
    making = set()
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "StreamingHttpResponse":
                making.add(name)
    # The feed is an asynchronous generator, and never ends.
    assert making == {"core/http/streams.py", "core/feed/api.py"}


def test_pieces_are_joined_and_texts_encoded() -> None:
    async def all_of() -> list[bytes]:
        return [piece async for piece in in_threads(iter(["ä", b"b", "c"]), size=3)]

    assert asyncio.run(all_of()) == ["äb".encode(), b"c"]
