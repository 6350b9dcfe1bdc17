"""BMCs that were found, beside what the inventory plans. Pure.

Who a machine is says its service tag or serial, then its UUID. Where it stands says the switch port that its BMC hears
by LLDP, then the MAC of its BMC, which the plan has for one place. Where the two name different machines, somebody
mixed something up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from uuid import UUID

from provisioning.discovery.hardware import Machine
from provisioning.discovery.parts import Compared, Expected
from provisioning.discovery.parts import compared as compared_parts
from provisioning.identity import both_orders
from provisioning.intake.lists import Item
from provisioning.intake.matching import Match, Planned
from provisioning.intake.matching import compared as compared_item

SwitchPort = tuple[str, str]
"""A switch and its port, in small letters."""
BODY = ("serial", "service_tag", "system_uuid")
"""What goes with the machine when two are exchanged; its MACs as well where the switch port says so."""


class Finding(StrEnum):
    """How a found BMC stands to the plan, problems first."""

    EXCHANGED = "exchanged"
    MOVED = "moved"
    TAKEN = "taken"
    DIFFERS = "differs"
    TWICE = "twice"
    UNKNOWN = "unknown"
    PARTS = "parts"
    UNREAD = "unread"
    FITS = "fits"
    SAME = "same"


ACCEPTED = (Finding.FITS, Finding.SAME)
"""Accepted with all others; the next two one by one, because somebody should have read them."""
ACCEPTABLE = (*ACCEPTED, Finding.PARTS, Finding.EXCHANGED)


@dataclass(frozen=True, slots=True)
class Bmc:
    """One BMC of a discovery. `machine` None: nothing was read, and `reason` says why; `whole`: it let us in."""

    number: int
    address: str
    mac: str = ""
    hostname: str = ""
    machine: Machine | None = None
    whole: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the inventory has: machines, the switch port of each BMC, and what each should be made of."""

    machines: tuple[Planned, ...] = ()
    ports: Mapping[int, SwitchPort] = field(default_factory=dict)
    expected: Mapping[int, Expected] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    """`changes` and `parts` are what acceptance would write to `planned`; `other` is the other one of an exchange."""

    bmc: Bmc
    finding: Finding
    planned: Planned | None = None
    text: str = ""
    evidence: tuple[str, ...] = ()
    changes: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[dict[str, str], ...] = ()
    other: int | None = None


def found(bmcs: Sequence[Bmc], plan: Plan) -> list[Found]:
    """Each BMC with what it means, in the order given."""
    view = _View(bmcs, plan)
    return [replace(view.one(bmc), evidence=view.evidence(bmc)) for bmc in bmcs]


class _View:
    """The plan and the BMCs by what each is known by."""

    def __init__(self, bmcs: Sequence[Bmc], plan: Plan) -> None:
        self.plan = plan
        self.by_id = {machine.id: machine for machine in plan.machines}
        self.by_serial = {serial: machine for machine in plan.machines for serial in machine.serials}
        self.by_uuid = {UUID(machine.uuid): machine for machine in plan.machines if machine.uuid}
        self.by_mac = {machine.bmc_mac: machine for machine in plan.machines if machine.bmc_mac}
        self.by_address = {machine.bmc_ip: machine for machine in plan.machines if machine.bmc_ip}
        self.by_port = {port: self.by_id[pk] for pk, port in plan.ports.items() if pk in self.by_id}
        self.who = {bmc.number: self._who(bmc) for bmc in bmcs}
        self.where = {bmc.number: self._where(bmc) for bmc in bmcs}
        self.same: dict[tuple[str, str], list[Bmc]] = defaultdict(list)
        for bmc in bmcs:
            for key in _identities(bmc):
                self.same[key].append(bmc)
        self.crossed: dict[tuple[int, int], Bmc] = {}
        for bmc in bmcs:
            who, where = self.who[bmc.number], self.where[bmc.number]
            if who is not None and where is not None and who.id != where.id and not self._twin(bmc):
                self.crossed.setdefault((who.id, where.id), bmc)
        self.met = {machine.id for machine in (*self.who.values(), *self.where.values()) if machine is not None}

    # ---- who and where ----

    def _who(self, bmc: Bmc) -> Planned | None:
        if bmc.machine is None:
            return None
        return self.by_serial.get(bmc.machine.serial) or self._by_uuid(bmc.machine.uuid)

    def _by_uuid(self, text: str) -> Planned | None:
        if not text:
            return None
        as_told, swapped = both_orders(UUID(text))
        return self.by_uuid.get(as_told) or self.by_uuid.get(swapped)

    def _where(self, bmc: Bmc) -> Planned | None:
        return self.by_port.get(self._seen_at(bmc)) or self.by_mac.get(self._mac(bmc))

    @staticmethod
    def _seen_at(bmc: Bmc) -> SwitchPort:
        told = bmc.machine
        return (told.switch.lower(), told.switch_port.lower()) if told and told.switch else ("", "")

    @staticmethod
    def _mac(bmc: Bmc) -> str:
        return bmc.mac or (bmc.machine.bmc_mac if bmc.machine else "")

    def evidence(self, bmc: Bmc) -> tuple[str, ...]:
        """What the finding rests on, one sentence each."""
        told = bmc.machine
        name = f" ({bmc.hostname})" if bmc.hostname else ""
        lines = [f"lease of {bmc.address} for {bmc.mac}{name}"] if bmc.mac else []
        if told is not None:
            who = [f"serial {told.serial}" if told.serial else "", f"UUID {told.uuid}" if told.uuid else ""]
            by = "its BMC says" if bmc.whole else "its BMC says before anybody signs in"
            lines += [f"{by}: {', '.join(filter(None, who))}"] if any(who) else []
            seen = f"seen on {told.switch} port {told.switch_port}"
            lines.append(seen if told.switch else "place not known: its BMC reports no switch port by LLDP")
        return (*lines, bmc.reason) if bmc.reason else tuple(lines)

    # ---- what it means ----

    def one(self, bmc: Bmc) -> Found:
        who, where = self.who[bmc.number], self.where[bmc.number]
        if twin := self._twin(bmc):
            return Found(bmc, Finding.TWICE, who, twin)
        if who is None and where is None:
            if not bmc.whole:
                return Found(bmc, Finding.UNREAD, None, bmc.reason or "nothing was read of it")
            return Found(bmc, Finding.UNKNOWN, None, "neither its serial, its UUID nor its place is planned")
        if who is None:
            assert where is not None
            return self._stranger(bmc, where)
        if where is not None and where.id != who.id:
            return self._elsewhere(bmc, who, where)
        port, planned_port = self._seen_at(bmc), self.plan.ports.get(who.id)
        if port[0] and planned_port and port != planned_port:
            return Found(bmc, Finding.MOVED, who, f"seen on {_port(port)}, planned on {_port(planned_port)}")
        return self._compared(bmc, who)

    def _twin(self, bmc: Bmc) -> str:
        """Another BMC before this one that says it is the same machine: a second address, or a serial given twice."""
        for key in _identities(bmc):
            first = self.same[key][0]
            if first.number != bmc.number:
                one = bool(self._mac(bmc)) and self._mac(bmc) == self._mac(first)
                return f"{first.address} is the same BMC" if one else f"{first.address} has the same {key[0]} {key[1]}"
        return ""

    def _stranger(self, bmc: Bmc, where: Planned) -> Found:
        """Nobody planned who it is, and its place is known."""
        serial = bmc.machine.serial if bmc.machine else ""
        if serial and where.serials:
            return Found(
                bmc, Finding.TAKEN, where, f"{where.name} is planned there with {where.serials[0]}, found is {serial}"
            )
        return self._compared(bmc, where)

    def _elsewhere(self, bmc: Bmc, who: Planned, where: Planned) -> Found:
        other = self.crossed.get((where.id, who.id))
        seen = self._seen_at(bmc)
        how = f"seen on {_port(seen)}" if self.by_port.get(seen) else f"its BMC has {self._mac(bmc)}"
        first = self.crossed.get((who.id, where.id)) is bmc  # a second one that says so is not half of it
        if other is None or not (first and bmc.whole and other.whole):
            return Found(
                bmc, Finding.MOVED, who,
                f"{how}, which is planned for {where.name} at {where.place_text}; {who.name} at {who.place_text}",
            )  # fmt: skip
        by_port = self.by_port.get(seen) is not None
        return Found(
            bmc, Finding.EXCHANGED, where, f"{who.name} and {where.name} are exchanged: {how}",
            changes=_exchange(bmc, who, where, macs=by_port), other=other.number,
        )  # fmt: skip

    def _compared(self, bmc: Bmc, planned: Planned) -> Found:
        told = bmc.machine or Machine()
        item = Item(0, told.serial, told.model if bmc.whole else "", self._mac(bmc), told.macs)
        result = compared_item(item, planned)
        if result.match is Match.DIFFERS:
            return Found(bmc, Finding.DIFFERS, planned, result.text)
        if why := _another_machine(told, planned) or self._address_of_another(bmc, planned):
            return Found(bmc, Finding.DIFFERS, planned, why)
        changes = dict(result.changes)
        if len(told.macs) != 1:
            changes.pop("boot_mac", None)  # which of several it starts from is for somebody who knows
        if told.uuid and not planned.uuid:
            changes["system_uuid"] = told.uuid
        if bmc.address != planned.bmc_ip:
            changes["bmc_ip"] = bmc.address
        parts = self._parts(bmc, planned)
        if bmc.machine is None:  # a lease alone does not say that a BMC has the address
            return Found(bmc, Finding.UNREAD, planned, bmc.reason)
        if not bmc.whole:
            return Found(bmc, Finding.FITS if changes else Finding.UNREAD, planned, bmc.reason, changes=changes)
        finding = Finding.PARTS if parts.problems else Finding.FITS if changes or parts.write else Finding.SAME
        text = "; ".join(parts.problems) or (f"not reported: {', '.join(parts.not_told)}" if parts.not_told else "")
        return Found(bmc, finding, planned, text, changes=changes, parts=parts.write)

    def _address_of_another(self, bmc: Bmc, planned: Planned) -> str:
        """An address that the plan has for a machine which was not found at another one now."""
        other = self.by_address.get(bmc.address)
        if other is None or other.id == planned.id or other.id in self.met:
            return ""
        return f"its address {bmc.address} is planned for {other.name}, which was not found"

    def _parts(self, bmc: Bmc, planned: Planned) -> Compared:
        expected = self.plan.expected.get(planned.id)
        return compared_parts(bmc.machine.parts, expected) if bmc.machine and bmc.whole and expected else Compared()


def _another_machine(told: Machine, planned: Planned) -> str:
    """Serial and UUID that do not belong together: a board was changed, or a number mistyped."""
    if told.serial and planned.serials and told.serial not in planned.serials:
        return f"its serial is {told.serial}, planned is {planned.serials[0]}"
    if told.uuid and planned.uuid:
        known, seen = UUID(planned.uuid), UUID(told.uuid)
        if known not in both_orders(seen):
            return f"its UUID is {seen}, planned is {known}"
    return ""


def _exchange(bmc: Bmc, who: Planned, where: Planned, *, macs: bool) -> dict[str, str]:
    """What the record of the place gets: the machine that stands there."""
    told = bmc.machine or Machine()
    changes = {"serial": told.serial or next(iter(who.serials), "")}
    if who.service_tag or where.service_tag:
        changes["service_tag"] = who.service_tag
    if told.uuid or where.uuid:
        changes["system_uuid"] = told.uuid
    if bmc.address != where.bmc_ip:
        changes["bmc_ip"] = bmc.address
    if macs:
        changes |= {"bmc_mac": bmc.mac or told.bmc_mac or who.bmc_mac, "boot_mac": who.boot_mac}
    return {name: value for name, value in changes.items() if value or name in BODY}


def _identities(bmc: Bmc) -> Iterable[tuple[str, str]]:
    if bmc.machine is not None:
        yield from (("serial", bmc.machine.serial),) if bmc.machine.serial else ()
        yield from (("UUID", bmc.machine.uuid),) if bmc.machine.uuid else ()


def _port(port: SwitchPort) -> str:
    return f"{port[0]} port {port[1]}"
