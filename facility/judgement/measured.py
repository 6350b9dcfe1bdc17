"""The planned graph of the inventory with measured loads on it.

Where power goes when a feed dies, the inventory says; how much, the meters say. `inventory.power.failures.fail` works
on this graph as on the planned one. Watts are taken as volt-amperes, as in the planned graph.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple

from facility.judgement.readings import MachineReading, OutletReading, Readings, Sum, SupplyReading, added, best, total
from inventory.power.graph import NOTHING, Inlet, Loads, PoweredDevice, PowerGraph

Method = Literal["outlets", "bmc", "supplies", "planned", "none"]
WEIGHT_W = 1.0  # of a device of which nobody knows any draw


class Drawn(NamedTuple):
    """What a device draws now, and who says so."""

    watts: float | None
    method: Method

    @property
    def measured_w(self) -> float | None:
        return None if self.method == "planned" else self.watts


class MeasuredGraph(PowerGraph):
    """Loads are measured: a PDU's own meter first, then outlets, BMC and supplies of what hangs on it.

    What nobody measured counts as planned with `assume_planned`, which is a guess from above, and else as nothing,
    which is a lower bound. The sums of `*_now` never hold planned watts, and say how much of them is known.
    """

    def __init__(self, graph: PowerGraph, readings: Readings, *, assume_planned: bool = False) -> None:
        super().__init__(graph.feeds.values(), graph.pdus.values(), graph.devices.values(), graph.panels.values())
        self.plan = graph
        self.readings = readings
        self.assume_planned = assume_planned

    # ---- what a device draws ----

    @cached_property
    def outlets(self) -> dict[int, OutletReading]:
        """The outlet that an inlet's cord goes to."""
        found = (outlet for pdu in self.readings.pdus.values() for outlet in pdu.outlets)
        return {outlet.inlet_id: outlet for outlet in found if outlet.inlet_id is not None}

    @cached_property
    def supplies(self) -> dict[int, SupplyReading]:
        """The supply behind an inlet."""
        told = (*self.readings.machines.values(), *self.readings.others.values())
        found = (supply for device in told for supply in device.supplies)
        return {supply.inlet_id: supply for supply in found if supply.inlet_id is not None}

    @cached_property
    def drawn(self) -> dict[int, Drawn]:
        """By device. Outlets are metered to 1-2 %, BMCs to about 5 %, so outlets come first."""
        return {device.id: self._drawn(device) for device in self.devices.values()}

    def _drawn(self, device: PoweredDevice) -> Drawn:
        told = self.readings.machines.get(device.id) or self.readings.others.get(device.id)
        machine = told or MachineReading(device.id)
        at_outlets = total(self._outlet_w(inlet.id) for inlet in device.inlets).value
        if at_outlets is not None:
            return Drawn(at_outlets, "outlets")
        if machine.power_w is not None:
            return Drawn(machine.power_w, "bmc")
        if device.measured_w is not None:
            return Drawn(device.measured_w, "bmc")
        by_supplies = total(supply.carries_w for supply in machine.supplies).value
        if by_supplies is not None:
            return Drawn(by_supplies, "supplies")
        return Drawn(device.planned_w, "none" if device.planned_w is None else "planned")

    def _outlet_w(self, inlet_id: int) -> float | None:
        outlet = self.outlets.get(inlet_id)
        return outlet.power_w if outlet else None

    def _supply_w(self, inlet_id: int) -> float | None:
        supply = self.supplies.get(inlet_id)
        return supply.carries_w if supply else None

    def now_w(self, device: PoweredDevice) -> Sum:
        """With what sits in its bays: a chassis that is measured holds those already."""
        own = self.drawn[device.id].measured_w
        if own is not None:
            return total([own])
        return total([None, *(self.drawn[each.id].measured_w for each in self._in_bays.get(device.id, ()))])

    def draw_w(self, device: PoweredDevice, *, measured: bool = True) -> float:
        """What is measured; with `assume_planned` the planned draw where it is not."""
        if self.supplied(device) is not device:
            return 0.0
        now = self.now_w(device)
        if now.value is not None or not self.assume_planned:
            return now.at_least
        bays = sum(self.drawn[each.id].watts or 0.0 for each in self._in_bays.get(device.id, ()))
        return (device.planned_w or 0.0) + bays

    # ---- which way it draws it ----

    @cached_property
    def inlets_w(self) -> dict[int, dict[int, float]]:
        """Device to its corded inlets with their watts: as its outlets or its supplies measure them, else evenly.

        A device without any measured draw has the planned one here, as a weight: how much it counts, its PDUs say.
        """
        found = {}
        for device in self.devices.values():
            corded = [inlet.id for inlet in device.inlets if inlet.pdu_id is not None]
            measured = [_split(corded, self._outlet_w), _split(corded, self._supply_w)]
            draw = self.draw_w(device) or device.planned_w or WEIGHT_W
            even = {inlet: draw / len(corded) for inlet in corded}
            found[device.id] = next((each for each in measured if each is not None), even)
        return found

    @cached_property
    def _raw_w(self) -> dict[int, float]:
        """PDU to the sum of its devices' weights."""
        raw: dict[int, float] = defaultdict(float)
        for device in self.devices.values():
            for inlet in device.inlets:
                if inlet.pdu_id is not None:
                    for pdu in self.way(inlet.pdu_id)[0]:
                        raw[pdu] += self.inlets_w[device.id][inlet.id]
        return raw

    @cached_property
    def _factors(self) -> dict[int, float]:
        """PDU to what its devices' weights are multiplied by, so that they add up to what its meter says.

        A load that no inventory knows is so taken to have the cords of those it knows: it moves when they move.
        """
        factors = {}
        for pdu in self.pdus:
            metered = next((each for each in self.way(pdu)[0] if self.metered_w(each) is not None), None)
            if metered is not None and self._raw_w.get(metered):
                factors[pdu] = (self.metered_w(metered) or 0.0) / self._raw_w[metered]
        return factors

    def _share_w(self, device: PoweredDevice, inlet: Inlet) -> float:
        factor = self._factors.get(inlet.pdu_id or 0)
        if factor is not None:
            return self.inlets_w[device.id][inlet.id] * factor
        counts = self.assume_planned or self.now_w(device).known
        return self.inlets_w[device.id][inlet.id] if counts else 0.0

    def shares(
        self, device: PoweredDevice, dead: frozenset[int] = NOTHING, *, measured: bool = True
    ) -> Iterator[tuple[int, float]]:
        """PDU and watts for each inlet that is live; those share evenly what the dead ones carried."""
        carried = [
            (inlet.pdu_id, self._share_w(device, inlet), bool(dead) and self.feed_of(inlet) in dead)
            for inlet in device.inlets
            if inlet.pdu_id is not None
        ]
        live = [(pdu, watts) for pdu, watts, died in carried if not died]
        if live:
            moved = sum(watts for _, watts, died in carried if died) / len(live)
            yield from ((pdu, watts + moved) for pdu, watts in live)

    @cached_property
    def assumed(self) -> list[int]:
        """Devices that count with their planned draw, because neither they nor all PDUs behind them are measured."""
        if not self.assume_planned:
            return []
        return [
            device.id
            for device in self.devices.values()
            if self.drawn[device.id].method == "planned"
            and any((inlet.pdu_id or 0) not in self._factors for inlet in self.supplied(device).inlets)
        ]

    def stays_w(self, feed_id: int) -> float:
        """What its PDUs measure without any device that the inventory has on them: nobody knows where it would go."""
        return sum(
            self.metered_w(pdu) or 0.0 for pdu in self.pdus_of(feed_id) if not self._raw_w.get(pdu)
        )  # fmt: skip

    @cached_property
    def planned(self) -> Loads:
        """What `fail` starts from: metered, and else the shares of devices."""
        loads = self.loads()
        for pdu in self.pdus:
            metered = self.metered_w(pdu)
            if metered is not None:
                loads.pdus[pdu] = metered
        for feed in self.feeds:
            loads.feeds[feed] = sum(loads.pdus[pdu] for pdu in self.pdus_of(feed))
        return loads

    @cached_property
    def measured(self) -> Loads:
        return self.planned

    # ---- sums that say what is known ----

    @cached_property
    def _pdus_of(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for pdu in self.pdus.values():
            if pdu.feed_id is not None:
                found[pdu.feed_id].append(pdu.id)
        return found

    def pdus_of(self, feed_id: int) -> list[int]:
        """PDUs that hang on the feed itself, not behind another PDU."""
        return self._pdus_of.get(feed_id, [])

    def metered_w(self, pdu_id: int) -> float | None:
        """What the PDU itself says, at its inlets or by its phases."""
        reading = self.readings.pdus.get(pdu_id)
        if reading is None:
            return None
        at_inlets = total(reading.inlets_w).value
        return at_inlets if at_inlets is not None else total(phase.power_w for phase in reading.phases).value

    def pdu_now(self, pdu_id: int) -> Sum:
        """At its inlets; by phases; at all of its outlets; by the devices that hang on it."""
        reading = self.readings.pdus.get(pdu_id)
        by_devices = added(self._measured_shares(pdu_id))
        if reading is None:
            return by_devices
        return best(
            total(reading.inlets_w),
            total(phase.power_w for phase in reading.phases),
            total(outlet.power_w for outlet in reading.outlets),
            by_devices,
        )

    def _measured_shares(self, pdu_id: int) -> Iterator[Sum]:
        """By device. What only a BMC measures is taken to come evenly over its cords, as in the planned graph."""
        for device in self.devices_behind.get(pdu_id, ()):
            here = [
                self.inlets_w[device.id][inlet.id]
                for inlet in device.inlets
                if inlet.pdu_id is not None and pdu_id in self.way(inlet.pdu_id)[0]
            ]
            if here:
                now = self.now_w(device)
                yield now._replace(at_least=sum(here) if now.known else 0.0)

    def feed_now(self, feed_id: int) -> Sum:
        return added(self.pdu_now(pdu) for pdu in self.pdus_of(feed_id))

    def panel_now(self, panel_id: int) -> Sum:
        return added(self.feed_now(feed) for feed in self.feeds_of_panel(panel_id))

    @cached_property
    def _devices_in(self) -> dict[int, list[PoweredDevice]]:
        found: dict[int, list[PoweredDevice]] = defaultdict(list)
        for device in self.devices.values():
            if device.rack_id is not None:
                found[device.rack_id].append(device)
        return found

    def devices_in(self, rack_id: int) -> list[PoweredDevice]:
        return self._devices_in.get(rack_id, [])

    @cached_property
    def _pdus_in(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for pdu in self.pdus.values():
            if pdu.rack_id is not None:
                found[pdu.rack_id].append(pdu.id)
        return found

    def pdus_in(self, rack_id: int) -> list[int]:
        return self._pdus_in.get(rack_id, [])

    def rack_now(self, rack_id: int) -> Sum:
        """By its PDUs where these feed this rack and nothing else does; by its devices otherwise."""
        devices, pdus = self.devices_in(rack_id), self.pdus_in(rack_id)
        if not devices and not pdus:
            return Sum(0.0, 1, 1)  # nothing stands in it
        by_devices = added(self.now_w(each) for each in devices if self.supplied(each) is each)
        if pdus and self._keeps_to_itself(rack_id, set(pdus)):
            first = [pdu for pdu in pdus if not set(self.way(pdu)[0][1:]) & set(pdus)]
            by_pdus = added(self.pdu_now(pdu) for pdu in first)
            return by_pdus if by_pdus.value is not None else best(by_devices, by_pdus)
        return by_devices

    # ---- watts to plan with ----

    def rack_w(self, rack_id: int) -> Sum:
        """As `rack_now`; with `assume_planned` what is not measured counts as planned, and is known."""
        now = self.rack_now(rack_id)
        if now.value is not None or not self.assume_planned:
            return now
        devices = [each for each in self.devices_in(rack_id) if self.supplied(each) is each]
        return self._assumed(now, sum(self.draw_w(each) for each in devices), devices)

    def feed_w(self, feed_id: int) -> Sum:
        now = self.feed_now(feed_id)
        if now.value is not None or not self.assume_planned:
            return now
        return self._assumed(now, self.planned.feeds[feed_id], self.devices_on.get(feed_id, []))

    def pdu_w(self, pdu_id: int) -> Sum:
        now = self.pdu_now(pdu_id)
        if now.value is not None or not self.assume_planned:
            return now
        return self._assumed(now, self.planned.pdus[pdu_id], self.devices_behind.get(pdu_id, []))

    def _assumed(self, now: Sum, watts: float, devices: list[PoweredDevice]) -> Sum:
        known = sum(self.drawn[each.id].watts is not None for each in devices)
        return Sum(max(now.at_least, watts), known, len(devices))

    # ---- pieces ----

    def _keeps_to_itself(self, rack_id: int, pdus: set[int]) -> bool:
        behind = {device.id for pdu in pdus for device in self.devices_behind.get(pdu, ())}
        inside = self.devices_in(rack_id)
        outside = {inlet.pdu_id for device in inside for inlet in self.supplied(device).inlets} - pdus - {None}
        return not outside and behind <= {device.id for device in inside}

    def racks_now(self, racks: Iterable[int]) -> Sum:
        return added(self.rack_now(rack) for rack in racks)

    # ---- names ----

    def rack_name(self, rack_id: int | None) -> str:
        facts = self.readings.racks.get(rack_id or 0)
        return facts.name if facts else f"rack {rack_id}"

    def room_of(self, rack_id: int | None) -> int | None:
        facts = self.readings.racks.get(rack_id or 0)
        return facts.room_id if facts else None


def _split(inlets: list[int], measure: Callable[[int], float | None]) -> dict[int, float] | None:
    """None unless every one of them is measured."""
    values = {inlet: measure(inlet) for inlet in inlets}
    known = {inlet: value for inlet, value in values.items() if value is not None}
    return known if known and len(known) == len(values) else None
