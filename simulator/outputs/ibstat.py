"""`ibstat`: every HCA with its one port, in the tool's order (by device name as text)."""

from __future__ import annotations

import zlib

from simulator.plan import HcaPlan
from simulator.state import Machine

_CA_TYPES = {"InfiniBand": "MT4129", "Ethernet": "MT4125"}


def ibstat(machine: Machine, device: str = "") -> tuple[int, str]:
    """Exit status and output; of one device when it is named."""
    hcas = [hca for hca in sorted(machine.plan.hcas, key=lambda hca: hca.device) if device in ("", hca.device)]
    if not hcas:
        return 255, f"ibpanic: [4711] main: '{device}' IB device can't be found: No such file or directory\n"
    return 0, "".join(_hca(machine, hca) for hca in hcas)


def lid_of(hca: HcaPlan) -> int:
    """The LID a subnet manager would give this port: any number, the same every time."""
    return 100 + zlib.crc32(hca.guid.encode()) % 48000


def _hca(machine: Machine, hca: HcaPlan) -> str:
    infiniband = hca.link_layer == "InfiniBand"
    down = machine.fault("hca_down", hca.slot)
    slow = machine.fault("hca_rate", hca.slot)
    firmware = machine.fault("wrong_hca_firmware", hca.slot)
    rate = hca.speed_gbps
    if slow:
        rate = int(slow.params["rate"]) or rate // 2
    if down:
        rate = 10 if infiniband else 40
    node_guid = int(machine.part(hca.slot).uuid, 16)
    card_guid = node_guid - int(hca.pci.rpartition(".")[2])
    # The GUID of an Ethernet port is made from its MAC, with the local bit set (real captures show the same).
    port_guid = node_guid if infiniband else (node_guid ^ (0x02 << 56)) & ~0xFFFF000000 | 0xFFFE000000
    rows = {
        "State": "Down" if down else "Active",
        "Physical state": "Polling" if down else "LinkUp",
        "Rate": rate,
        "Base lid": lid_of(hca) if infiniband and not down else 65535 if infiniband else 0,
        "LMC": 0,
        "SM lid": 1 if infiniband and not down else 0,
        "Capability mask": "0xa751e848" if infiniband else "0x00010000",
        "Port GUID": f"0x{port_guid:016x}",
        "Link layer": hca.link_layer,
    }
    return (
        f"CA '{hca.device}'\n\tCA type: {_CA_TYPES.get(hca.link_layer, 'MT4129')}\n\tNumber of ports: 1\n"
        f"\tFirmware version: {firmware.params['version'] if firmware else hca.firmware}\n\tHardware version: 0\n"
        f"\tNode GUID: 0x{node_guid:016x}\n\tSystem image GUID: 0x{card_guid:016x}\n\tPort 1:\n"
        + "".join(f"\t\t{key}: {value}\n" for key, value in rows.items())
    )
