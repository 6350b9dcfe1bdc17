"""How the official client reaches the server: over connections that a gate let through, in bounded time and size.

Apart from `api`, because it is made of urllib3's classes, which are loaded with the first cluster that is read.
"""

from __future__ import annotations

import ssl
import time
from typing import Any

from urllib3 import HTTPResponse, PoolManager, Timeout
from urllib3.exceptions import HTTPError

from drivers.gate import Gate
from drivers.gated_pools import gated_pools

CHUNK_BYTES = 256 * 1024


class TooMuch(HTTPError):
    """The answer is larger, or takes longer, than allowed."""


class Pools(PoolManager):
    """Each answer is read whole before the client sees it, so that nothing of it is read without a bound."""

    def __init__(self, context: ssl.SSLContext, timeout_s: float, until: float, most_bytes: int) -> None:
        super().__init__(num_pools=1, ssl_context=context)
        self.timeout_s, self.until, self.most_bytes = timeout_s, until, most_bytes

    def urlopen(self, method: str, url: str, redirect: bool = True, **options: Any) -> Any:  # type: ignore[override]
        """Redirects are not followed, and nothing is tried again: a write may have been carried out."""
        options |= {"timeout": Timeout(self._left(), self._left()), "retries": False, "preload_content": False}
        answer = super().urlopen(method, url, redirect=False, **options)
        try:
            body = self._read(answer)
        finally:
            answer.close()
        return HTTPResponse(body, answer.headers, answer.status, reason=answer.reason, preload_content=True)

    def _left(self) -> float:
        left = min(self.timeout_s, self.until - time.monotonic())
        if left <= 0:
            raise TooMuch("no whole answer in time")
        return left

    def _read(self, answer: Any) -> bytes:
        parts: list[bytes] = []
        size = 0
        while part := answer.read1(CHUNK_BYTES, decode_content=True):
            parts.append(part)
            size += len(part)
            if size > self.most_bytes:
                raise TooMuch(f"the answer is larger than {self.most_bytes} bytes")
            self._left()
        return b"".join(parts)


def pools(context: ssl.SSLContext, gate: Gate | None, timeout_s: float, until: float, most_bytes: int) -> Pools:
    made = Pools(context, timeout_s, until, most_bytes)
    if gate is not None:
        made.pool_classes_by_scheme = gated_pools(gate)
    return made
