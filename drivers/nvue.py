"""A Cumulus Linux switch over NVUE's REST API, read only.

    async with NvueClient("https://10.0.1.4:8765", "cumulus", password, pinned=None) as switch:
        document = await switch.capture()

Source: NVIDIA Cumulus Linux 5 user guide, "NVUE API"; `rev=applied` is the configuration in force with its state.
"""

from __future__ import annotations

import base64
from typing import Any, Self

from drivers.https import ApplianceError, HttpsSession


class NvueClient:
    """One switch. Use as an async context manager. Every method raises ApplianceError's family, nothing else."""

    def __init__(
        self, base_url: str, username: str, password: str, pinned: bytes | None = None, timeout_s: float = 10
    ) -> None:
        login = base64.b64encode(f"{username}:{password}".encode()).decode()
        self._https = HttpsSession(
            base_url, headers={"Authorization": f"Basic {login}"}, pinned=pinned, timeout_s=timeout_s, total_s=60
        )

    @property
    def fingerprint(self) -> bytes | None:
        """SHA-256 of the certificate that this session trusts."""
        return self._https.fingerprint

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    async def get(self, path: str) -> dict[str, Any]:
        """One resource below /nvue_v1, of the applied revision."""
        value = (await self._https.send("GET", f"/nvue_v1/{path}", params={"rev": "applied"})).value
        if not isinstance(value, dict):
            raise ApplianceError(f"{path}: the answer is not a JSON object")
        return value

    async def capture(self) -> dict[str, Any]:
        """Name, chassis and interfaces in one document, as `fabric.formats.nvue.read` takes it."""
        system, platform = await self.get("system"), await self.get("platform")
        return {
            "switch": system.get("hostname", ""),
            "mac": platform.get("system-mac", ""),
            "interfaces": await self.get("interface"),
        }
