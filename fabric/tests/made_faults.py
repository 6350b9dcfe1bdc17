"""Faults for made fabrics. Each picks its victims at random, apart from other faults' unless they may overlap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from fabric.facts import DeviceRole, PlannedPort
from fabric.tests.made import Fault, Made, Plug, Socket

SLOWER = {"XDR": "NDR", "NDR": "HDR", "HDR": "EDR", "EDR": "FDR"}
TRIES = 200  # random picks before all are looked through


def inject(fabric: Made, kind: str, *, overlapping: bool = False, **how: int) -> Fault | None:
    """Make one fault of a kind of FAULTS; None, and nothing done, when the fabric has no room for it.

    `how`: `size` of a cycle, `count` of the switches with factory names.
    """
    fault = FAULTS[kind](_Field(fabric, overlapping), **how)
    if fault is not None:
        fabric.faults.append(fault)
        fabric.touched.update(fault.devices, fault.cables)
    return fault


def inject_all(fabric: Made, kinds: Iterable[str], *, overlapping: bool = False) -> list[Fault]:
    """Make a fault of each kind that has room."""
    return [fault for kind in kinds if (fault := inject(fabric, kind, overlapping=overlapping)) is not None]


class _Field:
    """Picks what a fault may take."""

    def __init__(self, fabric: Made, overlapping: bool) -> None:
        self.fabric = fabric
        self.overlapping = overlapping
        self.devices = fabric.plan.devices

    def plugs(self, number: int) -> list[Plug]:
        """Some plugs of lit cables, in switches, of different cables and of one width; empty when there are too few."""
        fabric = self.fabric
        everything = list(fabric.plugs)
        tried = [fabric.random.choice(everything) for _ in range(TRIES)]
        chosen: dict[str, Plug] = {}
        width = 0
        for round_ in (tried, fabric.random.sample(everything, len(everything))):
            for plug in round_:
                socket = fabric.plugs[plug]
                if plug[0] in chosen or not self._usable(plug) or (width and len(socket or ()) != width):
                    continue
                chosen[plug[0]], width = plug, len(socket or ())
                if len(chosen) == number:
                    return list(chosen.values())
            if len(everything) > 20 * TRIES:
                break
        return []

    def _usable(self, plug: Plug) -> bool:
        fabric, socket = self.fabric, self.fabric.plugs[plug]
        if socket is None or not self._is_switch(socket[0].device):
            return False
        sockets = [fabric.plugs[other] for other in fabric.bodies[plug[0]]]
        devices = {port.device for socket in sockets for port in socket or ()}
        if None in sockets or devices & fabric.dead or not devices <= set(self.devices):
            return False
        return self.overlapping or not (devices | {plug[0]}) & fabric.touched

    def _is_switch(self, device: str) -> bool:
        return device in self.devices and self.devices[device].role is DeviceRole.SWITCH

    def labels(self, body: str) -> list[str]:
        """The links of a cable."""
        if not self.fabric.shape.twins and not self.fabric.shape.breakouts:
            return [body]
        return [label for label, ((one, _), _) in self.fabric.lanes.items() if one[0] == body]

    def free(self, width: int) -> Socket | None:
        """A free socket of a switch that is on, that no plan needs."""
        switches = [name for name in self.devices if self._is_switch(name) and name not in self.fabric.dead]
        if not self.overlapping:
            switches = [name for name in switches if name not in self.fabric.touched]
        self.fabric.random.shuffle(switches)
        for name in switches:
            for first in range(1, self.fabric.shape.radix + 1, width):
                socket = tuple(PlannedPort(name, first + lane) for lane in range(width))
                if not any(port in self.fabric.taken or port in self.fabric.planned_at for port in socket):
                    return socket
        return None

    def groups(self, role: DeviceRole, number: int) -> list[list[str]]:
        """Some machines or switches that are on, of one tier, each as the names of its nodes."""
        fabric = self.fabric
        nodes: dict[tuple[str, str], list[str]] = {}
        for device in self.devices.values():
            if device.role is role:
                nodes.setdefault((device.tier, device.group), []).append(device.name)
        tiers = sorted({tier for tier, _ in nodes})
        fabric.random.shuffle(tiers)
        for tier in tiers:
            free = [names for (its, _), names in nodes.items() if its == tier and self._untouched(names)]
            if len(free) >= number:
                return fabric.random.sample(free, number)
        return []

    def _untouched(self, names: Sequence[str]) -> bool:
        """Dead devices, and those with a part in another fault, are left alone even where faults may overlap: of them
        nobody could say what is true. So are their neighbours' cables that were moved."""
        fabric = self.fabric
        if set(names) & (fabric.dead | fabric.touched):
            return False
        return not any(self._moved(name) for name in names)

    def _moved(self, device: str) -> bool:
        ports = range(1, (self.fabric.shape.radix if self._is_switch(device) else 1) + 1)
        bodies = {plug[0] for n in ports if (plug := self.fabric.taken.get(PlannedPort(device, n)))}
        cables = [self.fabric.planned_at.get(PlannedPort(device, n)) for n in ports]
        planned = {cable.body or cable.label for cable in cables if cable is not None}
        return bodies != planned or bool((bodies | planned) & self.fabric.touched)


def _fault(kind: str, text: str, plugs: Sequence[Plug]) -> Fault:
    return Fault(kind, text, cables=tuple(plug[0] for plug in plugs))


def _circle(field: _Field, size: int, kind: str) -> Fault | None:
    """Each plug of some cables sits where the next belongs."""
    plugs = field.plugs(size)
    if not plugs:
        return None
    sockets = [field.fabric.plugs[plug] for plug in plugs]
    for plug in plugs:
        field.fabric.put(plug, None)
    for plug, socket in zip(plugs, [*sockets[1:], sockets[0]], strict=True):
        field.fabric.put(plug, socket)
    return _fault(kind, f"{size} cables in a circle", plugs)


def _swap(field: _Field) -> Fault | None:
    return _circle(field, 2, "swap")


def _cycle(field: _Field, size: int = 3) -> Fault | None:
    return _circle(field, size, "cycle")


def _wrong_port(field: _Field) -> Fault | None:
    plugs = field.plugs(1)
    socket = field.free(len(field.fabric.plugs[plugs[0]] or ())) if plugs else None
    if socket is None:
        return None
    field.fabric.put(plugs[0], socket)
    return _fault("wrong_port", f"in {socket[0].device} port {socket[0].port}", plugs)


def _chain(field: _Field) -> Fault | None:
    """One cable sits in another's port, and the other hangs beside it."""
    plugs = field.plugs(2)
    if not plugs:
        return None
    socket = field.fabric.plugs[plugs[1]]
    field.fabric.put(plugs[1], None)
    field.fabric.put(plugs[0], socket)
    return _fault("chain", "one in the other's port, the other loose", plugs)


def _missing(field: _Field) -> Fault | None:
    plugs = field.plugs(1)
    if not plugs:
        return None
    field.fabric.put(plugs[0], None)
    return _fault("missing", "loose", plugs)


def _extra(field: _Field) -> Fault | None:
    """A cable nobody planned, between two free ports."""
    fabric, name = field.fabric, f"extra{len(field.fabric.faults) + 1}"
    for side in "ab":
        socket = field.free(1)
        if socket is None:
            _forget(fabric, name)
            return None
        fabric.put((name, side), socket)
    fabric.lanes[name] = (((name, "a"), 0), ((name, "b"), 0))
    return Fault("extra", "between two free ports", cables=(name,))


def _forget(fabric: Made, body: str) -> None:
    for plug in fabric.bodies.pop(body, []):
        fabric.put(plug, None)
        del fabric.plugs[plug]


def _dead(field: _Field, role: DeviceRole, kind: str) -> Fault | None:
    groups = field.groups(role, 1)
    if not groups:
        return None
    field.fabric.dead.update(groups[0])
    return Fault(kind, "off", devices=tuple(groups[0]))


def _exchanged(field: _Field, role: DeviceRole, kind: str) -> Fault | None:
    """Two boxes of one tier stand in each other's place, with the names they brought."""
    groups = field.groups(role, 2)
    if not groups:
        return None
    guids = field.fabric.guids
    for one, other in zip(*groups, strict=True):
        guids[one], guids[other] = guids[other], guids[one]
    return Fault(kind, "in each other's place", devices=(*groups[0], *groups[1]))


def _factory_names(field: _Field, count: int = 0) -> Fault | None:
    """Switches report what the factory called them; all, unless a count is given."""
    fabric = field.fabric
    names = [name for name in field.devices if field._is_switch(name)]
    chosen = fabric.random.sample(names, min(count, len(names)) or len(names))
    fabric.factory.update(fabric.guids[name] for name in chosen)
    return Fault("factory_names", f"{len(chosen)} switches")


def _renamed(field: _Field, kind: str, machines: int, name: str = "") -> Fault | None:
    groups = field.groups(DeviceRole.ADAPTER, machines)
    if not groups:
        return None
    fabric = field.fabric
    name = name or field.devices[groups[-1][0]].group
    for node in groups[0]:
        adapter = node.removeprefix(field.devices[node].group)
        fabric.reports[fabric.guids[node]] = f"{name}{adapter}"
    return Fault(
        kind,
        f"{field.devices[groups[0][0]].group} says {name}",
        devices=tuple(node for group in groups for node in group),
    )


def _stranger(field: _Field) -> Fault | None:
    """A machine nobody planned, in a free port of a switch."""
    fabric, socket = field.fabric, field.free(1)
    if socket is None:
        return None
    name = f"stranger{len(fabric.strangers) + 1:02} mlx5_0"
    guid = f"9c05910aff{len(fabric.strangers) + 1:05x}0"
    fabric.strangers[name], fabric.reports[guid] = guid, name
    fabric.put((name, "a"), (PlannedPort(name, 1),))
    fabric.put((name, "b"), socket)
    fabric.lanes[name] = (((name, "a"), 0), ((name, "b"), 0))
    return Fault("stranger", f"{name} in {socket[0].device} port {socket[0].port}", (name,), (name,))


def _weak(field: _Field, kind: str) -> Fault | None:
    plugs = field.plugs(1)
    if not plugs:
        return None
    speed = field.fabric.shape.speed
    rate = ("4x", SLOWER[speed]) if kind == "slow_link" else ("1x", speed)
    for label in field.labels(plugs[0][0]):
        field.fabric.rates[label] = rate
    return _fault(kind, "".join(rate), plugs)


def _errors(field: _Field) -> Fault | None:
    plugs = field.plugs(1)
    socket = field.fabric.plugs[plugs[0]] if plugs else None
    if not socket:
        return None
    field.fabric.errors[socket[0]] = {"SymbolErrorCounter": 4242}
    return _fault("errors", "symbol errors", plugs)


FAULTS: dict[str, Callable[..., Fault | None]] = {
    "swap": _swap,
    "cycle": _cycle,
    "wrong_port": _wrong_port,
    "chain": _chain,
    "missing": _missing,
    "extra": _extra,
    "dead_machine": lambda field: _dead(field, DeviceRole.ADAPTER, "dead_machine"),
    "dead_switch": lambda field: _dead(field, DeviceRole.SWITCH, "dead_switch"),
    "exchanged_machines": lambda field: _exchanged(field, DeviceRole.ADAPTER, "exchanged_machines"),
    "exchanged_switches": lambda field: _exchanged(field, DeviceRole.SWITCH, "exchanged_switches"),
    "factory_names": _factory_names,
    "misnamed": lambda field: _renamed(field, "misnamed", 1, "localhost"),
    "duplicate_name": lambda field: _renamed(field, "duplicate_name", 2),
    "stranger": _stranger,
    "slow_link": lambda field: _weak(field, "slow_link"),
    "narrow_link": lambda field: _weak(field, "narrow_link"),
    "errors": _errors,
}
CABLING = ("swap", "cycle", "wrong_port", "chain", "missing", "extra")
