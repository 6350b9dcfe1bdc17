"""The fleet that NetBox itself was measured with, in the fake: 511 machines, 1,236 devices, 10,698 cables.

`python -m inventory.netbox.tests.large_site` serves it until its standard input closes, and prints its address.
"""

from __future__ import annotations

import sys
from typing import Any

from inventory.netbox.tests.content import Content
from inventory.netbox.tests.fake_netbox import FakeNetBox, To

MACHINES, LEAFS, SPINES = 511, 128, 64


def interfaces(pattern: str, count: int, kind: str) -> list[dict[str, Any]]:
    return [{"name": pattern.format(number), "type": kind} for number in range(1, count + 1)]


def psus(count: int, watts: int) -> list[dict[str, Any]]:
    return [{"name": f"PSU{n}", "type": "iec-60320-c20", "maximum_draw": watts} for n in range(1, count + 1)]


def device_type(name: str, height: float, **lists: Any) -> dict[str, Any]:
    slug = f"bench-{name.lower().replace(' ', '-')}"
    data = {"manufacturer": "Bench", "model": name, "slug": slug, "u_height": float(height), "is_full_depth": True}
    return data | {key.replace("_", "-"): rows for key, rows in lists.items()}


def twin_ports() -> list[dict[str, Any]]:
    return [{"name": f"{c}/{lane}", "type": "infiniband-ndr"} for c in range(1, 33) for lane in (1, 2)]


TYPES = {
    "gpu": device_type(
        "GPU 8", 6,
        interfaces=[
            {"name": "bmc", "type": "1000base-t", "mgmt_only": True},
            *interfaces("ib{}", 8, "infiniband-ndr"), *interfaces("eth{}", 2, "100gbase-x-qsfp28"),
        ],
        power_ports=psus(6, 3000),
        inventory_items=[{"name": f"GPU {n}", "role": "gpu", "manufacturer": "NVIDIA", "part_id": "H100"}
                         for n in range(8)],
    ),
    "ib": device_type(
        "Twin 64", 1, power_ports=psus(2, 1700),
        interfaces=[*twin_ports(), {"name": "mgmt0", "type": "1000base-t", "mgmt_only": True}],
    ),
    "eth": device_type(
        "Eth 64", 2, power_ports=psus(2, 800),
        interfaces=[*interfaces("swp{}", 64, "100gbase-x-qsfp28"),
                    {"name": "mgmt0", "type": "1000base-t", "mgmt_only": True}],
    ),
    "mgmt": device_type(
        "Copper 48", 1, power_ports=psus(2, 150),
        interfaces=[*interfaces("swp{}", 48, "1000base-t"), *interfaces("up{}", 4, "10gbase-x-sfpp")],
    ),
    "pdu": device_type(
        "Rack PDU", 0, power_ports=psus(1, 22000),
        power_outlets=[{"name": f"Outlet {n}", "type": "iec-60320-c19", "power_port": "PSU1"} for n in range(1, 25)],
        interfaces=[{"name": "Network", "type": "1000base-t", "mgmt_only": True}],
    ),
}  # fmt: skip


class LargeSite:
    def __init__(self, netbox: FakeNetBox) -> None:
        self.content = Content(netbox)
        self.types = {key: self.content.device_type(data) for key, data in TYPES.items()}
        self.site = self.content.site("Bench")
        self.hall = self.content.location(self.site, "Hall")
        self.used: dict[tuple[int, str], int] = {}
        self.racks = [self._rack(number) for number in range(132)]

    def _rack(self, number: int) -> To:
        row = self.content.word("dcim/rack-groups", f"R{number // 16 + 1}")
        role = self.content.word("dcim/rack-roles", "Compute" if number < LEAFS else "Network")
        return self.content.rack(self.site, self.hall, f"B{number + 1:03}", u_height=48, group=row, role=role)

    def device(self, name: str, kind: str, role: str, rack: int, position: float | None) -> To:
        return self.content.device(name, self.types[kind], role, self.site, rack=self.racks[rack], position=position,
                                   face="front" if position else None)  # fmt: skip

    def next(self, device: To, pattern: str) -> To:
        """The next free port of a device."""
        number = self.used[device.id, pattern] = self.used.get((device.id, pattern), 0) + 1
        name = pattern.format(number) if "{}" in pattern else f"{(number + 1) // 2}/{2 - number % 2}"
        return self.content.port(device, name)

    def fill(self) -> None:
        mgmt = [self.device(f"mgmt-{n + 1}", "mgmt", "Mgmt ToR", n, 48.0) for n in range(132)]
        top = [self.device(f"mgmt-agg-{n + 1}", "eth", "Mgmt aggregation", 131, 1.0 + 2 * n) for n in range(3)]
        for number, switch in enumerate(mgmt):
            self.cable(self.content.port(switch, "up1"), self.next(top[number // 44], "swp{}"))
        leafs = [self.device(f"leaf-{n + 1}", "ib", "IB leaf", n, 47.0) for n in range(LEAFS)]
        tors = [self.device(f"tor-{n + 1}", "eth", "ToR", n, 45.0) for n in range(LEAFS)]
        spines = [self.device(f"spine-{n + 1}", "ib", "IB spine", 128 + n % 4, 10.0 + n // 4) for n in range(SPINES)]
        cores = [self.device(f"agg-{n + 1}", "eth", "Aggregation", 128 + n % 3, 30.0 + 2 * (n // 3)) for n in range(6)]
        self._machines(leafs, tors, mgmt)
        for number, leaf in enumerate(leafs):
            for step in range(32):
                spine = spines[(number % 2) * 32 + step]
                self.cable(self.next(leaf, ""), self.next(spine, ""), type="smf-os2")
        for number, tor in enumerate(tors):
            for step in range(2):
                self.cable(self.next(tor, "swp{}"), self.next(cores[(number * 2 + step) % 6], "swp{}"))
        for switch in (*leafs, *spines, *tors, *cores, *top):
            rack = self.content.netbox.row(switch)["rack"].id - 1
            self.cable(self.content.port(switch, "mgmt0"), self.next(mgmt[rack], "swp{}"), type="cat6")
        for number in range(264):
            pdu = self.device(f"pdu-{number + 1}", "pdu", "PDU", number // 2, None)
            self.cable(self.content.port(pdu, "Network"), self.next(mgmt[number // 2], "swp{}"), type="cat6")

    def _machines(self, leafs: list[To], tors: list[To], mgmt: list[To]) -> None:
        for number in range(MACHINES):
            rack, unit = number // 4, number // 32
            machine = self.device(f"gpu-{number + 1:03}", "gpu", "GPU server", rack, 1.0 + 6 * (number % 4))
            for rail in range(8):
                port = self.content.port(machine, f"ib{rail + 1}")
                self.cable(port, self.next(leafs[unit * 8 + rail], ""), type="smf-os2", label=f"B-{number}-{rail}")
            for eth in range(2):
                self.cable(
                    self.content.port(machine, f"eth{eth + 1}"), self.next(tors[rack], "swp{}"), type="dac-passive"
                )
            bmc = self.content.port(machine, "bmc")
            self.content.netbox.row(bmc)["mac_address"] = f"0A:BE:00:00:{number // 256:02X}:{number % 256:02X}"
            self.cable(bmc, self.next(mgmt[rack], "swp{}"), type="cat6")

    def cable(self, a: To, b: To, **fields: Any) -> None:
        self.content.cable(a, b, **fields)


def main() -> None:
    with FakeNetBox() as netbox:
        LargeSite(netbox).fill()
        print(netbox.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
