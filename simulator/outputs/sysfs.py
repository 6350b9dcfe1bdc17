"""What the kernel tells of network cards: port counters, PCIe links, device nodes, partition keys and interfaces (read
with `grep -s . PATTERN...`), and `lsmod`."""

from __future__ import annotations

import functools
import re
import zlib

from simulator.plan import HcaPlan
from simulator.state import Machine

_PORT_COUNTERS = (
    "symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors",
    "local_link_integrity_errors", "excessive_buffer_overrun_errors", "port_xmit_discards",
)  # fmt: skip
_HARDWARE_COUNTERS = ("local_ack_timeout_err", "rnr_nak_retry_err", "out_of_sequence")
# GT/s of a lane by generation of PCIe.
_SPEEDS = {3: "8.0", 4: "16.0", 5: "32.0"}


def grep(machine: Machine, args: list[str]) -> tuple[int, str]:
    """`grep [-sHr] . PATH...` over the files below, with the shell's patterns in the paths."""
    words = [word for word in args if not word.startswith("-")]
    if words[:1] != ["."] or len(words) < 2:
        return 2, "grep: only `grep -s . FILE...` of the kernel's own files is here\n"
    known = files(machine)
    lines = [f"{path}:{value}\n" for word in words[1:] for path, value in matching(word, known)]
    return (0 if lines else 2), "".join(lines)


def matching(word: str, known: dict[str, str]) -> list[tuple[str, str]]:
    """The files that a path with the shell's patterns stands for."""
    if not any(sign in word for sign in "*?["):
        return [(word, known[word])] if word in known else []
    return [(path, known[path]) for path in _expanded(word, tuple(known))]


@functools.lru_cache(maxsize=4096)
def _expanded(word: str, paths: tuple[str, ...]) -> list[str]:
    """Those of the paths that a word with the shell's `*`, `?` and `[...]` means, none of which reaches over a slash.

    Kept: most machines have the same files, and each is asked for twenty patterns.
    """
    parts = re.split(r"(\*|\?|\[[^]]*\])", word)
    kinds = {"*": "[^/]*", "?": "[^/]"}
    pattern = re.compile("".join(kinds.get(part, part if part.startswith("[") else re.escape(part)) for part in parts))
    return [path for path in paths if pattern.fullmatch(path)]


def has(paths: list[str]) -> bool:
    """Whether these are files of this module."""
    return any(path.startswith(("/sys/class/infiniband", "/sys/bus/pci/devices/")) for path in paths)


def lsmod(machine: Machine) -> str:
    """The modules that GPUs and network cards need, with the sizes of driver 535 on Ubuntu 22.04."""
    rows = [("mlx5_ib", 458752, 0, ""), ("ib_core", 483328, 1, "mlx5_ib"), ("mlx5_core", 2039808, 1, "mlx5_ib")]
    if machine.plan.gpus:
        rows += [
            ("nvidia_peermem", 16384, 0, ""),
            ("nvidia_uvm", 1540096, 4, ""),
            ("nvidia", 56823808, 310, "nvidia_uvm,nvidia_peermem"),
        ]
    head = "Module                  Size  Used by\n"
    return head + "".join(f"{name:<19} {size:>8}  {users}{f' {by}' if by else ''}\n" for name, size, users, by in rows)


def files(machine: Machine) -> dict[str, str]:
    """Every file by its path, with its one line."""
    found: dict[str, str] = {"/proc/sys/kernel/ostype": "Linux"}
    for number, hca in enumerate(machine.plan.hcas):
        found |= _counters(machine, hca)
        found |= _pcie(machine, hca)
        found |= _nodes(machine, hca, number)
        found |= _port(machine, hca)
    return found


def _nodes(machine: Machine, hca: HcaPlan, number: int) -> dict[str, str]:
    verbs = {f"/sys/class/infiniband_verbs/uverbs{number}/ibdev": hca.device}
    return {
        **(verbs if machine.fault("hca_no_node", hca.slot) is None else {}),
        f"/sys/class/infiniband_mad/umad{number}/ibdev": hca.device,
        f"/sys/bus/pci/devices/{hca.pci}/infiniband/{hca.device}/node_type": "1: CA",
    }


def _port(machine: Machine, hca: HcaPlan) -> dict[str, str]:
    """Partition keys, and the interface: rails carry IP over InfiniBand, the other cards are not plugged in."""
    card, infiniband = f"/sys/class/infiniband/{hca.device}", hca.link_layer == "InfiniBand"
    pkey, mtu = machine.fault("wrong_pkey", hca.slot), machine.fault("wrong_mtu", hca.slot)
    keys = [str(pkey.params["pkey"]) if pkey else "0xffff", *(["0x0000"] * 7 if infiniband else [])]
    interface = f"{card}/device/net/{'ib' if infiniband else 'eth'}{hca.device.rpartition('_')[2]}"
    return {
        **{f"{card}/ports/1/pkeys/{place}": key for place, key in enumerate(keys)},
        f"{interface}/mtu": str(mtu.params["mtu"] if mtu else 4092 if infiniband else 1500),
        f"{interface}/operstate": "up" if infiniband else "down",
    }


def _counters(machine: Machine, hca: HcaPlan) -> dict[str, str]:
    """Small numbers that stay as they are, as on a port that came up once and has been well since."""
    port = f"/sys/class/infiniband/{hca.device}/ports/1"
    seed = zlib.crc32(f"{machine.plan.serial} {hca.device}".encode())
    values = dict.fromkeys((*_PORT_COUNTERS, *_HARDWARE_COUNTERS), 0)
    values["link_downed"] = seed % 3 + int(machine.fault("hca_down", hca.slot) is not None)
    values["port_xmit_discards"] = seed % 40
    found = {f"{port}/counters/{name}": str(values[name]) for name in _PORT_COUNTERS}
    found |= {f"{port}/hw_counters/{name}": str(values[name]) for name in _HARDWARE_COUNTERS}
    return found | {f"{port}/link_layer": hca.link_layer}


def _pcie(machine: Machine, hca: HcaPlan) -> dict[str, str]:
    device = f"/sys/bus/pci/devices/{hca.pci}"
    infiniband = hca.link_layer == "InfiniBand"
    speed = f"{_SPEEDS[5 if infiniband else 4]} GT/s PCIe"
    return {
        f"{device}/current_link_speed": speed,
        f"{device}/current_link_width": "16",
        f"{device}/max_link_speed": speed,
        f"{device}/max_link_width": "16",
    }
