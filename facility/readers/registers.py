"""Registers of a Modbus meter by the map in its settings: which are asked together, and what they say. Pure, but for
`read`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from drivers.meters.modbus import MOST_WORDS, WORDS, Function, ModbusSession, Refused, decoded
from facility.facts import Measured, measured
from facility.readers.answers import Answer, NotKnown
from facility.readers.settings import Modbus, Register, scaled

REFUSED = " register "
UNMEASURED = "its registers say that it is not measured"


class Block(NamedTuple):
    """Registers that are asked at once: without a gap, as many meters refuse what they do not have."""

    function: Function
    address: int
    words: int
    registers: tuple[Register, ...]


def blocks(registers: Sequence[Register]) -> Iterator[Block]:
    """Neighbours together, in the order of their addresses."""
    kept: list[Register] = []
    end = 0
    for each in sorted(registers, key=lambda each: (each.function, each.address)):
        width = WORDS[each.type]
        begins_anew = kept and (
            each.function != kept[0].function
            or each.address > end
            or max(end, each.address + width) - kept[0].address > MOST_WORDS
        )
        if begins_anew:
            yield _block(kept, end)
            kept = []
        end = max(end, each.address + width) if kept else each.address + width
        kept.append(each)
    if kept:
        yield _block(kept, end)


def _block(registers: list[Register], end: int) -> Block:
    first = registers[0]
    return Block(first.function, first.address, end - first.address, tuple(registers))


def value_of(register: Register, words: Sequence[int]) -> Measured:
    """What a register says in the unit of its quantity."""
    number = decoded(words, register.type, register.order)
    if number is None:
        return measured(register.part, register.name, register.quantity, None, UNMEASURED)
    return measured(register.part, register.name, register.quantity, scaled(number, register))


async def read(meter: ModbusSession, settings: Modbus) -> Answer:
    """Every value of the map, in its order. One that the meter refuses is unknown and costs no other; raises
    ModbusError where it does not answer, and NotKnown where it refuses all."""
    found: dict[tuple[str, str, str], Measured] = {}
    for block in blocks(settings.registers):
        for each in await _of_block(meter, block):
            found[each.part, each.name, each.quantity] = each
    if all(REFUSED in each.reason for each in found.values()):
        raise NotKnown(f"unit {meter.unit} answers, and gives none of these: {next(iter(found.values())).reason}")
    return Answer("", [found[each.part, each.name, each.quantity] for each in settings.registers])


async def _of_block(meter: ModbusSession, block: Block) -> list[Measured]:
    try:
        words = await meter.read(block.function, block.address, block.words)
    except Refused as error:
        if len(block.registers) > 1 and error.code in (2, 3):  # one of them is not there: which?
            alone = [Block(each.function, each.address, WORDS[each.type], (each,)) for each in block.registers]
            return [value for each in alone for value in await _of_block(meter, each)]
        reason = f"{block.function}{REFUSED}{block.address}: {error}"
        return [measured(each.part, each.name, each.quantity, None, reason) for each in block.registers]
    return [value_of(each, words[each.address - block.address :][: WORDS[each.type]]) for each in block.registers]
