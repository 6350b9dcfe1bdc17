"""Files that are sent while they are made: an answer's memory does not grow with the fleet."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from rest_framework.renderers import BaseRenderer

PIECE_BYTES = 65536


class CsvRenderer(BaseRenderer):
    """Names the media type for content negotiation; the view writes the text itself."""

    media_type = "text/csv"
    format = "csv"


def streamed(parts: Iterable[bytes | str], content_type: str, filename: str) -> StreamingHttpResponse:
    """A file to be saved under this name. Under ASGI Django would make a list of a plain iterator before it sends."""
    answer = StreamingHttpResponse(in_threads(iter(parts)), content_type=content_type)
    answer.headers["Content-Disposition"] = f'attachment; filename="{filename}"'
    return answer


async def in_threads(parts: Iterator[bytes | str], size: int = PIECE_BYTES) -> AsyncIterator[bytes]:
    """A synchronous iterator, read where the database may be used, some thousand bytes at a time."""

    def some() -> bytes:
        piece = bytearray()
        for part in parts:
            piece += part.encode() if isinstance(part, str) else part
            if len(piece) >= size:
                break
        return bytes(piece)

    while piece := await sync_to_async(some)():
        yield piece
