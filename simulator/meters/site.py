"""The meter of the whole site over Modbus/TCP: holding registers, the high word first.

A real one sits at the transformer, so its total is IT, what cools it, and losses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pymodbus.client import ModbusTcpClient
from pymodbus.constants import ExcCodes
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from simulator.heat.answers import SiteNow
from simulator.machine.doors import DoorError

UNIT = 1
REGISTERS: tuple[dict[str, Any], ...] = (
    {"part": "total", "name": "site", "quantity": "power_w", "address": 0, "type": "float32"},
    {"part": "total", "name": "it", "quantity": "power_w", "address": 2, "type": "float32"},
    {"part": "total", "name": "cooling", "quantity": "power_w", "address": 4, "type": "float32"},
    {"part": "total", "name": "site", "quantity": "energy_kwh", "address": 6, "type": "uint32"},
)
"""What stands where; all of `function` holding, `order` big."""
WORDS = 8


def words(now: SiteNow) -> list[int]:
    """The registers from address 0 on."""
    kinds = ModbusTcpClient.DATATYPE
    told = [(value, kinds.FLOAT32) for value in (now.site_w, now.it_w, now.cooling_w)]
    told.append((int(now.site_kwh) % 2**32, kinds.UINT32))
    return [word for value, kind in told for word in ModbusTcpClient.convert_to_registers(value, kind)]


class SiteMeter:
    """`now` returns what it measures; while `silent` it answers as a gateway does whose meter is dead."""

    def __init__(self, now: Callable[[], SiteNow], silent: Callable[[], bool]) -> None:
        self._now, self._silent = now, silent
        self._server: ModbusTcpServer | None = None

    async def start(self, address: str, port: int) -> int:
        """Listen there; returns the port. Raises DoorError."""
        device = SimDevice(
            id=UNIT, simdata=[SimData(0, values=[0] * WORDS, datatype=DataType.UINT16)], action=self._read
        )
        server = ModbusTcpServer(device, address=(address, port))
        try:
            await server.serve_forever(background=True)
        except RuntimeError as error:
            raise DoorError(f"Modbus at {address} port {port}: {error}") from error
        self._server = server
        listening: Any = server.transport
        return int(listening.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        if self._server is not None:
            await self._server.shutdown()  # type: ignore[no-untyped-call]

    async def _read(
        self, function: int, start: int, address: int, count: int, registers: list[int], wanted: Any
    ) -> ExcCodes | None:
        if wanted is not None:
            return ExcCodes.ILLEGAL_FUNCTION
        if self._silent():
            return ExcCodes.GATEWAY_NO_RESPONSE
        registers[:WORDS] = words(self._now())
        return None
