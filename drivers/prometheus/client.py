"""A Prometheus server, or what speaks its HTTP API (Thanos, Mimir, VictoriaMetrics). Read only.

    async with PrometheusClient("https://prometheus.example", authorization="Bearer ..", trust=trust_of("")) as server:
        answer = await server.query_range('DCGM_FI_DEV_SM_CLOCK{gpu="0"}', start=1.7e9, end=1.7e9 + 600, step_s=15)

A question is a POST with a form, for it may be longer than an address.
"""

from __future__ import annotations

import base64
import ssl
from typing import Self

from drivers.gate import Gate
from drivers.https import BadStatus, HttpsSession
from drivers.prometheus.answers import MOST_SERIES, Answer, QueryRefused, matrix_of, refusal

MOST_POINTS = 11_000
"""Of a series in one answer: Prometheus refuses more."""
MOST_BYTES = 24 << 20
"""A metric of 4,088 GPUs over ten points is 3 MB."""
LATER_S = 3.0


def basic(username: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


class PrometheusClient:
    """One server. Use as an async context manager. Every method raises ApplianceError's family, nothing else.

    `authorization` is the whole header; `total_s` bounds one question: the server is told to give it up by then, which
    is an error of that question, and a little later so do we. `gate` decides about the address of every connection.
    """

    def __init__(
        self,
        url: str,
        *,
        authorization: str = "",
        trust: ssl.SSLContext,
        timeout_s: float = 10,
        total_s: float = 30,
        most_bytes: int = MOST_BYTES,
        most_series: int = MOST_SERIES,
        gate: Gate | None = None,
    ) -> None:
        self.most_series, self.total_s = most_series, total_s
        headers = {"Accept-Encoding": "identity"}  # so that the bound of bytes is one of memory, too
        if authorization:
            headers["Authorization"] = authorization
        self._https = HttpsSession(
            url,
            headers=headers,
            trust=trust,
            timeout_s=timeout_s,
            total_s=total_s + LATER_S,
            most_bytes=most_bytes,
            gate=gate,
        )

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    async def query_range(self, query: str, *, start: float, end: float, step_s: float) -> Answer:
        """The series of a query at each `step_s` from `start` to `end` (seconds since 1970), both ends included.

        Series above the bound are left out, and a warning says so. Raises ValueError for more points than one answer
        has.
        """
        if step_s <= 0 or end < start or (end - start) / step_s >= MOST_POINTS:
            raise ValueError(f"from 1 to {MOST_POINTS:,} points")
        form = {
            "query": query, "start": f"{start:.3f}", "end": f"{end:.3f}", "step": f"{step_s:g}",
            "timeout": f"{self.total_s:g}s",
            "limit": str(self.most_series),  # of Prometheus 3; others pass it over
        }  # fmt: skip
        try:
            said = (await self._https.send("POST", "/api/v1/query_range", form=form)).value
        except BadStatus as error:
            if isinstance(error.body, dict) and error.body.get("error"):
                raise QueryRefused(refusal(error.body)) from error
            raise
        return matrix_of(said, self.most_series)
