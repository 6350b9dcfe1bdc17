"""A Cumulus Linux switch over NVUE's REST API, read only.

    async with NvueClient("https://10.0.1.4:8765", "cumulus", password, pinned=None) as switch:
        document = await switch.capture()

Source: NVIDIA Cumulus Linux 5 user guide, "NVUE API"; `rev=applied` is the configuration in force with its state.
"""

from __future__ import annotations

from typing import Any

from drivers.https import ApplianceError, PasswordClient


class NvueClient(PasswordClient):
    """One switch."""

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
