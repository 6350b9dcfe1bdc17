"""Reading registers of a Modbus/TCP device at a bounded rate. Typed, no Django.

    async with ModbusSession("10.4.0.30", unit=1) as meter:
        words = await meter.read("holding", 3000, 4)
        power = decoded(words[:2], "float32", "big")

Nothing is ever written: a device on this protocol asks nobody for a password.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Self

from drivers.gate import Gate, resolved

if TYPE_CHECKING:
    from pymodbus.client import AsyncModbusTcpClient

# It logs every frame of what it then raises; the reason stands in our error.
logging.getLogger("pymodbus").setLevel(logging.CRITICAL)

PORT = 502
TIMEOUT_S = 3.0
TOTAL_S = 30.0
"""Seconds that all questions of one session may take."""
MOST_WORDS = 125
"""Registers of one answer; the protocol has no more."""
PAUSE_S = 0.02
"""Between two questions: many meters sit behind a gateway with a serial line."""
Function = Literal["holding", "input"]
Order = Literal["big", "little"]
Type = Literal["int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
WORDS: dict[Type, int] = {
    "int16": 1, "uint16": 1, "int32": 2, "uint32": 2, "int64": 4, "uint64": 4, "float32": 2, "float64": 4,
}  # fmt: skip
"""Registers of a number."""
REFUSALS = {
    1: "it knows no such function",
    2: "it has no such register",
    3: "it gives no such number of registers",
    4: "it failed at it",
    6: "it is busy",
    10: "its gateway has no path to the unit",
    11: "the unit behind its gateway does not answer",
}


class ModbusError(Exception):
    """The device gave no usable answer."""


class Unreachable(ModbusError):
    """No connection, or no answer in time."""


class Refused(ModbusError):
    """It answered that it does not give these registers; `code` is the protocol's."""

    def __init__(self, code: int) -> None:
        super().__init__(REFUSALS.get(code, f"it refused with code {code}"))
        self.code = code


class ModbusSession:
    """One unit of a device. Raises ModbusError's family; OSError where the gate refuses its address or its name has
    none."""

    def __init__(
        self, host: str, *, port: int = PORT, unit: int = 1, gate: Gate | None = None,
        timeout_s: float = TIMEOUT_S, total_s: float = TOTAL_S,
    ) -> None:  # fmt: skip
        self.host, self.port, self.unit, self.gate = host, port, unit, gate
        self.timeout_s, self.total_s = timeout_s, total_s
        self._ends = 0.0
        self._client: AsyncModbusTcpClient | None = None

    async def __aenter__(self) -> Self:
        from pymodbus.client import AsyncModbusTcpClient  # loaded by those alone who ask a device

        _, where = await resolved(self.host, self.port, self.gate)
        self._ends = time.monotonic() + self.total_s
        self._client = AsyncModbusTcpClient(
            str(where[0]), port=self.port, timeout=self.timeout_s, retries=0, reconnect_delay=0
        )
        if not await self._client.connect():
            self._client.close()
            raise Unreachable(f"no connection to {self.host}:{self.port} within {self.timeout_s:g} s")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            self._client.close()

    async def read(self, function: Function, address: int, count: int) -> list[int]:
        """So many registers from this address on, counted from 0 as the protocol does."""
        from pymodbus.exceptions import ModbusException

        if self._client is None:
            raise RuntimeError("ModbusSession is used outside its `async with`")
        if not 1 <= count <= MOST_WORDS:
            raise ValueError(f"from 1 to {MOST_WORDS} registers at once")
        left = self._ends - time.monotonic()
        if left <= 0:
            raise Unreachable(f"its registers took longer than {self.total_s:g} s")
        ask = self._client.read_holding_registers if function == "holding" else self._client.read_input_registers
        try:
            async with asyncio.timeout(min(left, self.timeout_s)):
                answer = await ask(address, count=count, device_id=self.unit)
        except (ModbusException, OSError, TimeoutError) as error:
            # The library also gives up a connection with an answer that is of another question.
            raise Unreachable(
                f"no answer within {self.timeout_s:g} s: is it there, and is {self.unit} its unit?"
            ) from error
        if answer.isError():
            raise Refused(int(getattr(answer, "exception_code", 0)))
        if len(answer.registers) != count:
            raise ModbusError(f"it gave {len(answer.registers)} registers of {count}")
        await asyncio.sleep(PAUSE_S)
        return list(answer.registers)


def decoded(words: Sequence[int], kind: Type, order: Order) -> float | None:
    """The number in these registers, each with its high byte first; `order` big: the high word first. None for what
    stands for *not measured*: the least signed number, or all bits of an unsigned one."""
    from pymodbus.client import AsyncModbusTcpClient

    number = AsyncModbusTcpClient.convert_from_registers(
        list(words), AsyncModbusTcpClient.DATATYPE[kind.upper()], word_order=order
    )
    assert isinstance(number, int | float)
    bits = 16 * len(words)
    if (kind.startswith("int") and number == -(2 ** (bits - 1))) or (kind.startswith("uint") and number == 2**bits - 1):
        return None
    return number
