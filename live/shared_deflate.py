"""uvicorn's WebSockets, where a frame that goes to many sockets is compressed once: `--ws live.shared_deflate:Sockets`.

Each socket would otherwise compress the same news with a memory of its own, which is a third of the time that a frame
takes to reach 500 of them, and 32 kB for each. Without that memory (`server_no_context_takeover`, RFC 7692) the same
text is the same bytes for all that agreed on the same window.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.extensions.permessage_deflate import PerMessageDeflate, ServerPerMessageDeflateFactory
from websockets.frames import Frame, Opcode

WINDOW_BITS = 12
END = b"\x00\x00\xff\xff"
"""What a sync flush ends with, and a message leaves out."""
KEPT, LARGEST = 64, 256 * 1024
"""Frames that are kept compressed, and bytes of one: a site has one at a time, and slow sockets are some behind.
What one socket missed in an hour is its own, and may be megabytes."""


@lru_cache(maxsize=KEPT)
def deflated(data: bytes, window_bits: int) -> bytes:
    encoder = zlib.compressobj(wbits=-window_bits)
    return (encoder.compress(data) + encoder.flush(zlib.Z_SYNC_FLUSH)).removesuffix(END)


class SharedDeflate(PerMessageDeflate):
    """The extension on one socket."""

    def encode(self, frame: Frame) -> Frame:
        whole = frame.fin and frame.opcode in (Opcode.TEXT, Opcode.BINARY)
        if not (whole and self.local_no_context_takeover and len(frame.data) <= LARGEST):
            return super().encode(frame)
        data = deflated(bytes(frame.data), self.local_max_window_bits)
        return Frame(frame.opcode, data, frame.fin, True, frame.rsv2, frame.rsv3)


class SharedDeflateFactory(ServerPerMessageDeflateFactory):
    """Agrees with a client on the extension; it may ask for a smaller window."""

    def __init__(self) -> None:
        super().__init__(
            server_no_context_takeover=True,
            server_max_window_bits=WINDOW_BITS,
            client_max_window_bits=WINDOW_BITS,
        )

    def process_request_params(self, params: Any, accepted_extensions: Sequence[Any]) -> Any:
        answer, agreed = super().process_request_params(params, accepted_extensions)
        return answer, SharedDeflate(
            agreed.remote_no_context_takeover,
            agreed.local_no_context_takeover,
            agreed.remote_max_window_bits,
            agreed.local_max_window_bits,
        )


class Sockets(WebSocketsSansIOProtocol):
    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.conn.available_extensions:
            self.conn.available_extensions = [SharedDeflateFactory()]
