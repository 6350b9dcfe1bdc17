"""What makes a machine part of a cluster: container runtime, kubelet, IMEX domain, packages."""

from __future__ import annotations

import json
from typing import Any

from simulator.outputs.host import is_active
from simulator.services import dead
from simulator.state import Machine


def crictl(machine: Machine) -> tuple[int, str]:
    """`crictl info`"""
    if "containerd" in dead(machine):
        socket = "unix:///run/containerd/containerd.sock"
        return 1, f'FATA[0000] validate service connection: dial "{socket}": connect: no such file or directory\n'
    conditions = [
        {"type": name, "status": True, "reason": "", "message": ""} for name in ("RuntimeReady", "NetworkReady")
    ]
    return 0, json.dumps({"status": {"conditions": conditions}, "lastCNILoadStatus": "OK"}, indent=2) + "\n"


def kubelet(machine: Machine) -> tuple[int, str]:
    """`systemctl is-active kubelet`, and its health page with the status."""
    status, word = is_active(machine, ["kubelet"])
    return (0, f"{word}ok 200\n") if status == 0 else (7, f"{word} 000\n")


def imex(machine: Machine) -> tuple[int, str]:
    """`nvidia-imex-ctl -N -j` of a domain of which all other nodes are well."""
    count = int((machine.plan.expected.get("imex") or {}).get("nodes") or 1)
    down = "nvidia-imex" in dead(machine)
    nodes: dict[str, Any] = {}
    for node in range(count):
        lost = down and node == 0
        links = {str(other): {"status": "DISCONNECTED" if down and 0 in (node, other) else "CONNECTED"}
                 for other in range(count)}  # fmt: skip
        nodes[str(node)] = {"status": "UNAVAILABLE" if lost else "READY", "host": f"10.9.0.{node + 1}",
                            "version": "570.133.20", "connections": links}  # fmt: skip
    return 0, json.dumps({"nodes": nodes, "status": "DEGRADED" if down else "UP"}) + "\n"


def packages(machine: Machine) -> tuple[int, str]:
    """`dpkg-query -W NAME...; ofed_info -s`, as the model wants them."""
    told = machine.plan.expected.get("packages") or {}
    rows = "".join(f"{name}\t{version}\n" for name, version in told.items())
    ofed = machine.plan.expected.get("ofed_version")
    return 0, rows + (f"MLNX_OFED_LINUX-{ofed}:\n" if ofed else "")
