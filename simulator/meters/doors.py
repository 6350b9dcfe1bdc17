"""Where the meters of a hall answer, and the list of them for whoever wants to ask them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from aiohttp import web

from simulator.heat import answers
from simulator.heat.plan import CoolingPlan, HeatPlan
from simulator.heat.room import Room
from simulator.identity import appliance_context
from simulator.meters.agents import Agents, SnmpAccess
from simulator.meters.cooling import CoolingUnits, resources
from simulator.meters.site import REGISTERS, UNIT, SiteMeter
from simulator.meters.tables import MAKERS, entity_sensors
from simulator.meters.tables.rows import Rows

PER_BLOCK = 250
LIQUID_CLASS = "W17"
"""Of what the coolers are made for: the units hold 16 °C."""
SITE = "site"


@dataclass(frozen=True)
class MeterDoors:
    """Addresses by `slice`: PDUs from 127.S.250.1 on, cooling units from 127.S.253.1, sensors of rooms from
    127.S.253.201, the site's meter at 127.S.253.251. Without one all are on 127.0.0.1. Port 0: one of the kernel's."""

    slice: int | None = None
    snmp_port: int = 0
    redfish_port: int = 0
    modbus_port: int = 0

    @classmethod
    def in_slice(cls, number: int) -> MeterDoors:
        return cls(number, snmp_port=1161, redfish_port=8443, modbus_port=1502)

    def pdu(self, number: int) -> str:
        return self._at(250 + number // PER_BLOCK, number % PER_BLOCK + 1)

    def unit(self, number: int) -> str:
        return self._at(253, number + 1)

    def sensors(self, number: int) -> str:
        return self._at(253, number + 201)

    def site(self) -> str:
        return self._at(253, 251)

    def _at(self, third: int, last: int) -> str:
        return "127.0.0.1" if self.slice is None else f"127.{self.slice}.{third}.{last}"


@dataclass(frozen=True)
class MeterAccess:
    """Who may ask. Cooling units take the login of the BMCs."""

    snmp: SnmpAccess = field(default_factory=SnmpAccess)
    username: str = "root"
    password: str = field(default="calvin", repr=False)

    @classmethod
    def of(cls, secret: str, username: str, password: str) -> MeterAccess:
        """One secret for SNMP: community, and both passwords of version 3."""
        return cls(SnmpAccess(secret, password=secret, privacy=secret), username, password)


@dataclass(frozen=True)
class MeterRow:
    """A meter for the service: `kind` in its words, `device` as the inventory calls it where it is a device there,
    `access` which login it takes, `options` what only its kind needs."""

    kind: str
    name: str
    device: str
    rack: str
    room: str
    host: str
    port: int
    access: str
    options: dict[str, Any] = field(default_factory=dict)


def meter_rows(plan: HeatPlan, doors: MeterDoors) -> list[MeterRow]:
    """All meters of a plan and where they will answer: known without a running hall, where no port is 0."""
    rows = [
        MeterRow("snmp_pdu", pdu.name, pdu.name, pdu.rack, "", doors.pdu(number), doors.snmp_port, "snmp")
        for number, pdu in enumerate(plan.pdus)
    ]
    rows += [
        MeterRow("snmp_sensors", _sensors_name(room), "", "", room, doors.sensors(number), doors.snmp_port, "snmp")
        for number, room in enumerate(_rooms(plan))
    ]
    rows += [
        MeterRow(
            "redfish_cooling", unit.name, "", "", unit.room, doors.unit(number), doors.redfish_port, "bmc",
            {"plumbing": plumbing(unit), "liquid_class": LIQUID_CLASS},
        )
        for number, unit in enumerate(plan.cooling)
    ]  # fmt: skip
    registers = [{**each, "function": "holding", "order": "big"} for each in REGISTERS]
    options = {"unit": UNIT, "registers": registers}
    return [*rows, MeterRow("modbus", SITE, "", "", "", doors.site(), doors.modbus_port, "none", options)]


def plumbing(unit: CoolingPlan) -> dict[str, Any]:
    """What hangs behind each manifold, under which a detector lies, and the valve to close. Nobody can ask for that."""
    return {
        "racks": {rack: [rack] for rack in unit.racks},
        "manifold_of": {rack: rack for rack in unit.racks},
        "valve_of": {rack: f"V-{rack}" for rack in unit.racks},
        "main_valve": f"V-{unit.name}",
    }


class Meters:
    """All of a room, answering. `folder` holds a certificate for a moment."""

    def __init__(
        self, room: Room, folder: Path, seed: str, clock: Callable[[], float], *,
        doors: MeterDoors | None = None, access: MeterAccess | None = None,
    ) -> None:  # fmt: skip
        self._room, self._folder, self._seed, self._clock = room, folder, seed, clock
        self._access = access or MeterAccess()
        self.agents = Agents(self._access.snmp, clock)
        self._frozen: dict[str, Rows] = {}
        self._units: dict[tuple[str, int], str] = {}
        self._runner: web.AppRunner | None = None
        self._site = SiteMeter(lambda: answers.site(room, clock()), lambda: self._silent(SITE))
        self.rows = meter_rows(room.plan, doors or MeterDoors())
        room.meter_names |= {row.name for row in self.rows}

    async def start(self) -> None:
        """Open every door. Raises DoorError."""
        application = CoolingUnits(self._access.username, self._access.password, self._resources).application()
        self._runner = web.AppRunner(application, handle_signals=False, access_log=None, shutdown_timeout=0.5)
        await self._runner.setup()
        self.rows = [replace(row, port=await self._open(row, self._runner)) for row in self.rows]

    async def _open(self, row: MeterRow, runner: web.AppRunner) -> int:
        """The port it answers on."""
        if row.kind == "modbus":
            return await self._site.start(row.host, row.port)
        if row.kind == "redfish_cooling":
            context = appliance_context(self._seed, row.name, row.host, self._folder)
            site = web.TCPSite(runner, row.host, row.port, ssl_context=context)
            await site.start()
            bound: Any = site._server
            port = int(bound.sockets[0].getsockname()[1])
            self._units[row.host, port] = row.name
            return port
        tables = self._pdu if row.kind == "snmp_pdu" else self._monitor
        return self.agents.open(row.name, row.host, row.port, lambda: tables(row.name), lambda: self._silent(row.name))

    async def stop(self) -> None:
        self.agents.close()
        await self._site.stop()
        if self._runner is not None:
            await self._runner.cleanup()

    def to_json(self) -> list[dict[str, Any]]:
        return [asdict(row) for row in self.rows]

    def changed(self) -> None:
        """A fault came or went: nothing that was told before counts."""
        self.agents.forget()

    # ---- what they tell ----

    def _silent(self, name: str) -> bool:
        """By its own fault; and the electronics of a PDU live on its feed."""
        if self._room.of("meter_silent", name):
            return True
        pdu = self._room.pdus.get(name)
        if pdu is None or pdu.feed_on:
            return False
        return not any(fault.params["agents_stay"] for fault in self._room.of("feed_off", pdu.plan.feed))

    def _pdu(self, name: str) -> Rows:
        frozen = bool(self._room.of("values_frozen", name))
        if not frozen:
            self._frozen.pop(name, None)
        elif name in self._frozen:
            return self._frozen[name]
        maker = MAKERS[self._room.pdus[name].plan.vendor]
        rows = maker(answers.pdu(self._room, name, self._clock()))
        if frozen:
            self._frozen[name] = rows
        return rows

    def _monitor(self, name: str) -> Rows:
        """Before and behind each row of the room."""
        self._room.at(self._clock())
        told = []
        rows: dict[str, list[Any]] = {}
        for rack in self._room.racks.values():
            if _sensors_name(rack.plan.room) == name:
                rows.setdefault(rack.plan.row, []).append(rack)
        for row, racks in rows.items():
            cold = sum(rack.air_c for rack in racks) / len(racks)
            hot = sum(rack.returning_c for rack in racks) / len(racks)
            wave = 20 * (answers.ripple(f"{name}{row}", self._clock()) - 1)
            humid = sum(rack.humidity_percent for rack in racks) / len(racks)
            told += [(f"Row {row} cold aisle", cold + 0.5 + wave, humid), (f"Row {row} hot aisle", hot + wave, 25.0)]
        return entity_sensors.rows(name, told)

    def _resources(self, address: str, port: int) -> dict[str, Any] | None:
        name = self._units[address, port]
        if self._silent(name):
            return None
        unit = self._room.units[name].plan
        return resources(name, unit.capacity_w, answers.unit(self._room, name, self._clock()))


def _rooms(plan: HeatPlan) -> list[str]:
    return list(dict.fromkeys(rack.room for rack in plan.racks))


def _sensors_name(room: str) -> str:
    return f"sensors {room}".strip()
