"""An Arista switch over eAPI: JSON-RPC at /command-api, read only.

    async with EapiClient("https://10.0.1.3", "admin", password, pinned=None) as switch:
        document = await switch.capture()

Source: Arista EOS "eAPI" guide, runCmds version 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drivers.https import ApplianceError, PasswordClient


class CommandFailed(ApplianceError):
    """The switch took the request and one of its commands failed."""


class EapiClient(PasswordClient):
    """One switch."""

    async def run(self, commands: Sequence[str]) -> list[dict[str, Any]]:
        """The answers to commands, one each, as JSON. Raises CommandFailed with the switch's own words."""
        call = {
            "jsonrpc": "2.0", "method": "runCmds", "id": "rackside",
            "params": {"version": 1, "cmds": list(commands), "format": "json"},
        }  # fmt: skip
        value = (await self._https.send("POST", "/command-api", body=call)).value
        if not isinstance(value, dict):
            raise ApplianceError("/command-api: the answer is not JSON-RPC")
        if isinstance(value.get("error"), dict):
            raise CommandFailed(str(value["error"].get("message") or value["error"]))
        result = value.get("result")
        if not isinstance(result, list) or len(result) != len(commands):
            raise ApplianceError(f"/command-api: {len(commands)} commands, and not as many answers")
        return result

    async def capture(self) -> dict[str, Any]:
        """Name, chassis, neighbours and port states in one document, as `fabric.formats.eapi.read` takes it."""
        name, version, neighbours, status = await self.run(
            ["show hostname", "show version", "show lldp neighbors detail", "show interfaces status"]
        )
        return {
            "switch": name.get("hostname", ""),
            "mac": version.get("systemMacAddress", ""),
            "neighbors": neighbours.get("lldpNeighbors"),
            "status": status.get("interfaceStatuses"),
        }
