"""Files that are sent while they are made: an answer's memory does not grow with the fleet."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse
from rest_framework.renderers import BaseRenderer

PIECE_BYTES = 65536


class CsvRenderer(BaseRenderer):
    """Names the media type for content negotiation; the view writes the text itself."""

    media_type = "text/csv"
    format = "csv"


def sent_in_pieces(
    parts: Iterator[bytes | str], content_type: str, *, status: int = 200, headers: Mapping[str, str] | None = None,
    size: int = PIECE_BYTES,
) -> StreamingHttpResponse:  # fmt: skip
    """An answer that is made while it is sent. Under ASGI Django would make a list of a plain iterator first."""
    return StreamingHttpResponse(in_threads(parts, size), status=status, content_type=content_type, headers=headers)


def streamed(parts: Iterable[bytes | str], content_type: str, filename: str) -> StreamingHttpResponse:
    """A file to be saved under this name."""
    return sent_in_pieces(
        iter(parts), content_type, headers={"Content-Disposition": f'attachment; filename="{filename}"'}
    )


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
