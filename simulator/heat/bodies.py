"""What stands in a room, each with its state: machines, racks, PDUs, cooling units. `Room` moves them on."""

from __future__ import annotations

import zlib
from collections import defaultdict
from typing import NamedTuple

from simulator.heat import air, cooling
from simulator.heat.machines import Asked, Drawn, Sizes
from simulator.heat.plan import CoolingPlan, DevicePlan, FeedPlan, PduPlan, RackPlan

POWER_FACTOR = 0.98


class Doing(NamedTuple):
    """What the hall knows of a machine: switched on, how much of its GPUs works, supplies that are broken, and the
    power limit that somebody set for its GPUs."""

    on: bool = True
    load: float = 0.0
    lost: frozenset[str] = frozenset()
    limit_w: float | None = None


class Outlet(NamedTuple):
    pdu: PduState
    number: int


class PduState:
    """A PDU: watts and kWh of each outlet, banks whose breaker is off."""

    def __init__(self, plan: PduPlan, feed: FeedPlan | None, kept: list[float] | None) -> None:
        self.plan, self.feed = plan, feed
        self.feed_on = True
        self.off_banks: set[int] = set()
        self.watts = [0.0] * len(plan.outlets)
        first = [2000.0 + zlib.crc32(f"{plan.name}{n}".encode()) % 4000 for n in range(len(plan.outlets))]
        self.energy_kwh = kept if kept is not None and len(kept) == len(first) else first
        self.over_s: dict[int, float] = defaultdict(float)

    @property
    def outlet_v(self) -> float:
        return self.feed.outlet_v if self.feed else 230.0

    def live(self, outlet: int) -> bool:
        return self.feed_on and outlet % self.plan.banks not in self.off_banks

    def bank_a(self, bank: int) -> float:
        return sum(self.watts[bank :: self.plan.banks]) / (self.outlet_v * POWER_FACTOR)


class Body:
    """A machine or switch in its place, with its temperatures."""

    def __init__(self, plan: DevicePlan, rack: RackPlan) -> None:
        self.plan = plan
        self.span = air.Span(plan.low, plan.high)
        self.sizes = Sizes(plan.planned_w, plan.gpus, plan.gpu_limit_w, switch=plan.kind == "switch")
        self.warmer_c = air.warmer_at(self.span, rack.height_u)
        self.inlet_c = self.exhaust_c = self.gpu_c = cooling.AIR_C
        self.share = 0.0
        self.sources: list[tuple[Body, float]] = []
        self.cords: dict[str, Outlet] = {}
        self.live: tuple[tuple[str, Outlet], ...] = ()
        self.asked = Asked()
        self.limit_w: float | None = None
        self.fault_load = 0.0
        self.carrying: tuple[str, ...] = ()
        self.idle: frozenset[str] = frozenset()
        self.now = Drawn(0.0, 0.0, 0.0, 0.0, False, False)
        self.load = 0.0

    @property
    def cap_w(self) -> float | None:
        """The lower one of what a person set and what is wrong with it."""
        return min((each for each in (self.asked.cap_w, self.limit_w) if each is not None), default=None)

    @property
    def dark(self) -> bool:
        """It has cords, and none of them carries anything."""
        return bool(self.cords) and not self.live


class RackState:
    def __init__(self, plan: RackPlan, bodies: list[Body]) -> None:
        self.plan, self.bodies = plan, bodies
        self.air_c = self.returning_c = cooling.AIR_C
        self.flow_share = 1.0
        self.watts = 0.0
        self.humidity_percent = cooling.HUMIDITY_PERCENT


class UnitState:
    def __init__(self, plan: CoolingPlan, racks: list[RackState]) -> None:
        self.plan, self.racks = plan, racks
        self.water_c = cooling.WATER_C
        self.returning_c = cooling.WATER_C
        self.flow = cooling.flow(plan.pumps, frozenset(), 100, 0)
        self.warmer_c = 0.0
        self.humidity_percent = cooling.HUMIDITY_PERCENT

    @property
    def heat_w(self) -> float:
        return sum(rack.watts for rack in self.racks)

    def full_lpm(self) -> float:
        """Through the manifold of one rack, with everything open."""
        return cooling.litres_per_minute(self.plan.capacity_w / max(1, len(self.racks)))

    def lpm(self) -> float:
        return sum(self.full_lpm() * rack.flow_share for rack in self.racks)
