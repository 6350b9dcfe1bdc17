"""A facility meter is read by Modbus/TCP from a real server, by a map of its registers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymodbus.server import ModbusTcpServer
from pymodbus.simulator import DataType, SimData, SimDevice

from drivers.meters import modbus
from drivers.meters.modbus import MOST_WORDS, WORDS, ModbusSession, Type, decoded
from drivers.tests.ports import free_ports
from facility.facts import LIMITS, Measured, Part, Quantity
from facility.readers import Answer, BadSettings, NotKnown, Unreachable, check, read
from facility.readers.registers import blocks, value_of
from facility.readers.settings import Register

SITE = {"part": "total", "name": "site", "quantity": "power_w", "address": 0}
UNIT = 7


def site_meter() -> SimDevice:
    """Total power as a float of kW, energy as 64 bits of Wh with the low word first, what IT draws in tenths of kW, a
    temperature below zero, a value that is not measured, a register of another table, and NaN."""
    return SimDevice(
        id=UNIT,
        simdata=[
            SimData(0, values=1_234.5, datatype=DataType.FLOAT32),
            SimData(2, values=[0x9ABC, 0x5678, 0x1234, 0x0000], datatype=DataType.REGISTERS),
            SimData(6, values=9_871, datatype=DataType.UINT16),
            SimData(7, values=-5, datatype=DataType.INT16),
            SimData(8, values=0x8000, datatype=DataType.REGISTERS),
            SimData(9, values=[0x7FC0, 0], datatype=DataType.REGISTERS),
            SimData(11, values=-20.0, datatype=DataType.FLOAT32),
            SimData(100, values=231, datatype=DataType.UINT16),
        ],
    )


@asynccontextmanager
async def serving(device: SimDevice) -> AsyncIterator[int]:
    (port,) = free_ports(1)
    server = ModbusTcpServer(device, address=("127.0.0.1", port))
    await server.listen()
    try:
        yield port
    finally:
        await server.shutdown()


def asked(registers: list[dict[str, Any]], unit: int = UNIT, **more: Any) -> Answer:
    async def run() -> Answer:
        async with serving(site_meter()) as port:
            return await read("modbus", "127.0.0.1", port, None, {"unit": unit, "registers": registers}, **more)

    return asyncio.run(run())


def at(address: int, kind: str, quantity: str = "power_w", name: str = "site", **more: Any) -> dict[str, Any]:
    return {"part": "total", "name": name, "quantity": quantity, "address": address, "type": kind, **more}


def test_a_meter_is_read_by_the_types_orders_and_scales_of_its_map() -> None:
    answer = asked(
        [
            at(0, "float32", scale=1000),
            at(2, "int64", "energy_kwh", order="little", scale=0.001),
            at(6, "uint16", name="it", scale=100),
            {**at(7, "int16", "temperature_c", "outside"), "part": "sensor"},
        ]
    )
    assert answer.values == [
        Measured(Part.TOTAL, "site", Quantity.POWER_W, 1_234_500.0),
        Measured(Part.TOTAL, "site", Quantity.ENERGY_KWH, 0x1234_5678_9ABC * 0.001),
        Measured(Part.TOTAL, "it", Quantity.POWER_W, 987_100.0),
        Measured(Part.SENSOR, "outside", Quantity.TEMPERATURE_C, -5.0),
    ]


@pytest.mark.parametrize(
    ("register", "reason"),
    [
        (at(8, "int16"), "its registers say that it is not measured"),
        (at(9, "float32"), "nan cannot be: power_w is from 0 to 5e+08"),
        (at(11, "float32"), "-20 cannot be: power_w is from 0 to 5e+08"),
        (at(500, "uint16"), "holding register 500: it has no such register"),
    ],
)
def test_what_cannot_be_is_unknown_with_its_reason_and_costs_no_other(register: dict[str, Any], reason: str) -> None:
    first, second = asked([register, at(6, "uint16", name="it", scale=100)]).values
    assert (first.value, first.reason) == (None, reason)
    assert second.value == 987_100


def test_a_register_that_is_not_there_beside_one_that_is_does_not_hide_it() -> None:
    there, gone = asked([at(100, "uint16", name="it"), at(101, "uint16")]).values
    assert (there.value, gone.value) == (231, None)
    assert gone.reason == "holding register 101: it has no such register"


def test_a_device_that_gives_none_of_the_registers_is_another_meter() -> None:
    with pytest.raises(NotKnown, match="unit 9 answers, and gives none of these: holding register 0: it failed at it"):
        asked([at(0, "float32")], unit=9)
    with pytest.raises(NotKnown, match="it has no such register"):
        asked([at(500, "uint16"), at(501, "uint16", name="it")])


def test_a_meter_that_is_not_there_or_takes_too_long_is_unreachable() -> None:
    (port,) = free_ports(1)
    with pytest.raises(Unreachable, match="no connection"):
        asyncio.run(read("modbus", "127.0.0.1", port, None, {"registers": [SITE]}))

    async def slow() -> None:
        async with serving(site_meter()) as port, ModbusSession("127.0.0.1", port=port, unit=UNIT, total_s=0) as meter:
            await meter.read("holding", 0, 1)

    with pytest.raises(modbus.Unreachable, match="took longer than 0 s"):
        asyncio.run(slow())


def test_a_server_that_takes_connections_and_says_nothing_is_unreachable() -> None:
    async def run() -> None:
        async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()

        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            async with ModbusSession("127.0.0.1", port=port, timeout_s=0.2) as meter:
                await meter.read("input", 0, 1)
        finally:
            server.close()

    with pytest.raises(modbus.Unreachable, match=r"no answer within 0\.2 s"):
        asyncio.run(run())


def test_an_address_that_the_gate_refuses_is_not_asked() -> None:
    class Nowhere:
        def check(self, address: str, port: int) -> None:
            raise OSError(f"{address} is not allowed")

    with pytest.raises(Unreachable, match="is not allowed"):
        asked([at(0, "float32")], gate=Nowhere())


@pytest.mark.parametrize(
    ("settings", "place", "said"),
    [
        ({}, "registers", "Field required"),
        ({"registers": []}, "registers", "at least 1"),
        ({"registers": [SITE], "unit": 300}, "unit", "less than or equal to 255"),
        ({"registers": [SITE | {"type": "int12"}]}, "registers.0.type", "'int16'"),
        ({"registers": [SITE, SITE | {"name": "it", "scale": 0}]}, "registers.1.scale", "other than 0"),
        ({"registers": [SITE | {"scale": float("nan")}]}, "registers.0.scale", "finite"),
        ({"registers": [SITE | {"part": "moon"}]}, "registers.0.part", "'inlet'"),
        ({"registers": [SITE | {"quantity": "power_kw"}]}, "registers.0.quantity", "'power_w'"),
        ({"registers": [SITE | {"address": 65_535, "type": "int32"}]}, "registers.0", "behind the last register"),
        ({"registers": [SITE, SITE | {"address": 9}]}, "", "total site power_w is set twice, by entries 0 and 1"),
        ({"registers": [SITE | {"adress": 3}]}, "registers.0.adress", "not permitted"),
        ({"registers": 5}, "registers", "list"),
    ],
)
def test_a_map_that_cannot_be_is_refused_with_place_and_reason(settings: dict[str, Any], place: str, said: str) -> None:
    with pytest.raises(BadSettings) as refused:
        check("modbus", settings)
    assert refused.value.place == place and said in refused.value.reason


def test_settings_come_back_with_what_was_not_told() -> None:
    (register,) = check("modbus", {"registers": [SITE]})["registers"]
    assert register == {**SITE, "type": "uint16", "order": "big", "function": "holding", "scale": 1.0}


REGISTERS = st.lists(
    st.builds(
        Register,
        part=st.just(Part.TOTAL), name=st.just("site"), quantity=st.sampled_from(list(LIMITS)),
        address=st.integers(0, 400), type=st.sampled_from(sorted(WORDS)),
        function=st.sampled_from(["holding", "input"]),
    ),
    min_size=1, max_size=40,
)  # fmt: skip


@given(REGISTERS)
def test_blocks_hold_every_register_once_without_a_gap_and_within_one_answer(registers: list[Register]) -> None:
    found = list(blocks(registers))
    assert sorted(id(each) for block in found for each in block.registers) == sorted(map(id, registers))
    for block in found:
        asked_for = {each.address + n for each in block.registers for n in range(WORDS[each.type])}
        assert asked_for == set(range(block.address, block.address + block.words))
        assert block.words <= MOST_WORDS
        assert {each.function for each in block.registers} == {block.function}


@given(st.sampled_from(sorted(WORDS)), st.sampled_from(["big", "little"]), st.data(), st.floats(1e-6, 1e6))
def test_any_words_are_a_number_that_can_be_or_a_reason(
    kind: Type, order: Any, data: st.DataObject, scale: float
) -> None:
    words = data.draw(st.lists(st.integers(0, 0xFFFF), min_size=WORDS[kind], max_size=WORDS[kind]))
    register = Register(part=Part.OUTLET, quantity=Quantity.POWER_W, address=0, type=kind, order=order, scale=scale)
    found = value_of(register, words)
    low, high = LIMITS[Quantity.POWER_W]
    assert (found.value is None and found.reason) or (found.value is not None and low <= found.value <= high)


def test_the_least_and_the_most_of_a_type_stand_for_not_measured() -> None:
    assert decoded([0x8000], "int16", "big") is None
    assert decoded([0xFFFF, 0xFFFF], "uint32", "big") is None
    assert decoded([0xFFFE], "uint16", "big") == 65_534
    assert decoded([0x0001, 0x0000], "int32", "little") == 1
