"""What the kernel shows of the present state: `grep -sH . /proc/buddyinfo ...`, and which remote mounts answer."""

from __future__ import annotations

from simulator.outputs.sysfs import matching
from simulator.state import Machine

_SPEEDS = {3: "8.0", 4: "16.0", 5: "32.0"}
_REMOTE = (("nfs4", "/home"),)


def has(paths: list[str]) -> bool:
    return paths[:1] == ["/proc/buddyinfo"]


def grep(machine: Machine, paths: list[str]) -> tuple[int, str]:
    """The files of the list that are here, in its order, a line each."""
    known = _files(machine)
    lines = [f"{path}:{line}\n" for word in paths for path, text in matching(word, known) for line in text.split("\n")]
    return 0, "".join(lines)


def _files(machine: Machine) -> dict[str, str]:
    found = {"/proc/buddyinfo": _buddyinfo(machine), "/proc/mdstat": _mdstat(machine)}
    for name, speed in _interfaces(machine).items():
        found |= _interface(machine, f"/sys/class/net/{name}", name, speed)
    for hca in machine.plan.hcas:
        place = f"/sys/class/infiniband/{hca.device}/device/net/eth{hca.device.rpartition('_')[2]}"
        found |= _interface(machine, place, hca.device, hca.speed_gbps)
        infiniband = hca.link_layer == "InfiniBand"
        narrow = machine.fault("pcie_narrow", hca.slot)
        found |= _link(hca.pci, 5 if infiniband else 4, 16, int(narrow.params["width"]) if narrow else 16)
    for gpu in machine.plan.gpus:
        found |= _link(gpu.pci, machine.plan.facts.pcie_gen or 5, machine.plan.facts.pcie_width or 16)
    for number, nvme in enumerate(machine.plan.nvmes):
        narrow = machine.fault("nvme_narrow", nvme.slot)
        found[f"/sys/class/nvme/nvme{number}/address"] = f"0000:{0x61 + number:02x}:00.0"
        place = f"/sys/class/nvme/nvme{number}/device"
        found |= _link_files(place, 4, 4, int(narrow.params["width"]) if narrow else 4)
    return {**found, "/proc/sys/kernel/ostype": "Linux"}


def _interfaces(machine: Machine) -> dict[str, int]:
    """The interfaces that the model says must be up, with their speeds."""
    named = machine.plan.expected.get("interfaces") or {}
    return {name: int((each or {}).get("speed_gbps") or 25) for name, each in named.items()}


def _interface(machine: Machine, place: str, name: str, speed_gbps: int) -> dict[str, str]:
    down = any(f.name == "interface_down" and f.params["name"] == name for f in machine.state.faults)
    told = {
        "operstate": "down" if down else "up",
        "carrier": "0" if down else "1",
        "carrier_changes": "3" if down else "2",
    }
    if not down:
        told |= {"speed": str(speed_gbps * 1000), "duplex": "full"}
    return {f"{place}/{what}": value for what, value in told.items()}


def _link(pci: str, generation: int, width_max: int, width: int | None = None) -> dict[str, str]:
    return _link_files(f"/sys/bus/pci/devices/{pci}", generation, width_max, width or width_max) if pci else {}


def _link_files(place: str, generation: int, width_max: int, width: int) -> dict[str, str]:
    speed = f"{_SPEEDS.get(generation, '32.0')} GT/s PCIe"
    return {
        f"{place}/current_link_speed": speed, f"{place}/current_link_width": str(width),
        f"{place}/max_link_speed": speed, f"{place}/max_link_width": str(width_max),
        f"{place}/../max_link_speed": "32.0 GT/s PCIe", f"{place}/../max_link_width": str(width_max),
    }  # fmt: skip


def _buddyinfo(machine: Machine) -> str:
    crumbs = machine.fault("memory_fragmented") is not None
    whole = "   4318   3209   2406   1803   1205    804    402    201    101   2000 240000 "
    small = " 24318000 3209000   2406   1803   1205    804    402    201    101      0      3 "
    rows = ["Node 0, zone      DMA      1      1      0      0      0      1      1      1      0      1      3 "]
    rows += [f"Node {node}, zone   Normal{small if crumbs and node == 0 else whole}" for node in (0, 1)]
    return "\n".join(rows)


def _mdstat(machine: Machine) -> str:
    lost = machine.fault("raid_degraded") is not None
    members = "sdb2[1](F) sda2[0]" if lost else "sdb2[1] sda2[0]"
    if not lost:
        return "Personalities : \nunused devices: <none>"
    state = "      468718592 blocks super 1.2 [2/1] [U_]"
    return f"Personalities : [raid1] \nmd0 : active raid1 {members}\n{state}\nunused devices: <none>"


def remote_mounts(machine: Machine) -> str:
    """What the probe's round over the remote mounts prints; one that does not answer takes its 4 s."""
    hung = {str(fault.params["mount"]) for fault in machine.state.faults if fault.name == "mount_hangs"}
    every = dict.fromkeys([*(path for _, path in _REMOTE), *hung])
    return "".join(f"{'hangs' if p in hung else 'answers'} nfs4 {p}\n" for p in every) + "end of remote mounts\n"
