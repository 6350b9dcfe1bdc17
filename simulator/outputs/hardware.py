"""What is plugged in, by the tools that list it: `lspci`, `flint`, `mst status`, `lsblk`, `zpool status`."""

from __future__ import annotations

import json
from typing import Any

from simulator.plan import HcaPlan
from simulator.state import Machine

# Buses of the PCIe switches of an HGX machine: one above each pair of GPUs.
_SWITCH_BUSES = (0x15, 0x47, 0x97, 0xC7)
_KINDS = {
    "InfiniBand": ("Infiniband controller [0207]", "MT2910 Family [ConnectX-7] [15b3:1021]", "MT_0000000838"),
    "Ethernet": ("Ethernet controller [0200]", "MT2892 Family [ConnectX-6 Dx] [15b3:101d]", "MT_0000000359"),
}
_DRIVE_BYTES = 3_840_755_982_336
_OPTIC = "47.171.0001"
POOL = "raid"


def lspci(machine: Machine, args: list[str]) -> str:
    """`lspci -nn -D`; a GPU that left the bus is listed with revision ff, as the kernel remembers it."""
    rows = dict(_bridges(machine))
    there = {gpu.slot for gpu in machine.listed_gpus()}
    for gpu in machine.plan.gpus:
        revision = "a1" if gpu.slot in there else "ff"
        rows[gpu.pci] = f"3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev {revision})"
    for hca in machine.plan.hcas:
        kind, name, _ = _KINDS[hca.link_layer]
        rows[hca.pci] = f"{kind}: Mellanox Technologies {name}"
    with_domain = any(word.startswith("-") and "D" in word for word in args)
    shown = {address if with_domain else address.removeprefix("0000:"): row for address, row in sorted(rows.items())}
    return "".join(f"{address} {row}\n" for address, row in shown.items())


def bridges(machine: Machine) -> str:
    """`lspci -D -d ::0604 -vv`: the PCIe bridges with their access control, what else it says of them left out."""
    words = "SrcValid{0} TransBlk- ReqRedir{0} CmpltRedir{0} UpstreamFwd{0} EgressCtrl- DirectTrans-"
    control = words.format("+" if machine.fault("acs_on") else "-")
    can = "ACSCap:\tSrcValid+ TransBlk+ ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans+"
    return "".join(
        f"{address} {kind.replace(' [0604]', '')} (prog-if 00 [Normal decode])\n"
        f"\tCapabilities: [148 v1] Access Control Services\n\t\t{can}\n\t\tACSCtl:\t{control}\n\n"
        for address, kind in sorted(_bridges(machine))
    )


def _bridges(machine: Machine) -> list[tuple[str, str]]:
    """The ports of the switches that the model has, spread over their buses; two root ports where it names none."""
    rows = [(f"0000:{bus:02x}:01.0", "PCI bridge [0604]: Intel Corporation Device [8086:352a] (rev 04)")
            for bus in (0x14, 0x96)]  # fmt: skip
    for wanted in machine.plan.facts.expected.get("pcie_switches") or ():
        for number in range(int(wanted["ports"])):
            port, bus = divmod(number, len(_SWITCH_BUSES))
            place = _SWITCH_BUSES[bus] + (port > 0)
            kind = f"Broadcom / LSI PEX890xx PCIe Gen 5 Switch [{wanted['id']}] (rev b0)"
            rows.append((f"0000:{place:02x}:{max(port - 1, 0):02x}.0", f"PCI bridge [0604]: {kind}"))
    return rows


def flint(machine: Machine, args: list[str]) -> tuple[int, str]:
    """`flint -d DEVICE query`, or with `--linkx` of the transceiver in its cage."""
    device = args[args.index("-d") + 1] if "-d" in args[:-1] else ""
    hca = next((each for each in machine.plan.hcas if device in (each.device, each.pci)), None)
    if hca is None:
        return 1, f"-E- Cannot open Device: {device}. No such file or directory.\n"
    return 0, _optic(machine) if "--linkx" in args else _image(machine, hca)


def _image(machine: Machine, hca: HcaPlan) -> str:
    old = machine.fault("wrong_hca_firmware", hca.slot)
    firmware = str(old.params["version"]) if old else hca.firmware
    guid = hca.guid.removeprefix("0x")
    return (
        f"Image type:            FS4\nFW Version:            {firmware}\nFW Release Date:       30.11.2023\n"
        f"Product Version:       {firmware}\n"
        "Rom Info:              type=UEFI version=14.32.12 cpu=AMD64,AARCH64\n"
        "                       type=PXE version=3.7.201 cpu=AMD64\n"
        "Description:           UID                GuidsNumber\n"
        f"Base GUID:             {guid}        16\nBase MAC:              {guid[:6]}{guid[-6:]}            16\n"
        "Image VSD:             N/A\nDevice VSD:            N/A\n"
        f"PSID:                  {_KINDS[hca.link_layer][2]}\nSecurity Attributes:   secure-fw\n"
    )


def _optic(machine: Machine) -> str:
    version = machine.plan.facts.expected.get("transceiver_firmware") or _OPTIC
    return (
        "Downstream device ID 1 :\nFW Factory Version:     00.00.0000\nInformation block is:   FW image A is present\n"
        f"FW A Version:           {version}\nFW B Version:           00.00.0000\n"
    )


def mst_status(machine: Machine) -> str:
    rows = "".join(
        f"/dev/mst/mt{4129 if hca.link_layer == 'InfiniBand' else 4125}_pciconf{number}"
        f"         - PCI configuration cycles access.\n"
        f"                                   domain:bus:dev.fn={hca.pci} addr.reg=88 data.reg=92 cr_bar.gw_offset=-1\n"
        "                                   Chip revision is: 00\n"
        for number, hca in enumerate(machine.plan.hcas)
    )
    head = "MST modules:\n------------\n    MST PCI module is not loaded\n    MST PCI configuration module loaded\n\n"
    return f"{head}MST devices:\n------------\n{rows}\n"


def lsblk(machine: Machine) -> str:
    """`lsblk -J -b`: the first drive holds the system, the others the pool."""
    rows = []
    for number, _ in enumerate(machine.plan.nvmes):
        name = f"nvme{number}n1"
        row: dict[str, Any] = {"name": name, "maj:min": f"259:{number * 4}", "rm": False, "size": _DRIVE_BYTES,
                               "ro": False, "type": "disk", "mountpoints": [None]}  # fmt: skip
        mounts = ("/boot/efi", "/") if number == 0 else (None,)
        row["children"] = [
            {"name": f"{name}p{part}", "maj:min": f"259:{number * 4 + part}", "rm": False,
             "size": 1_127_219_200 if mount == "/boot/efi" else _DRIVE_BYTES - 2_000_000_000, "ro": False,
             "type": "part", "mountpoints": [mount]}
            for part, mount in enumerate(mounts, start=1)
        ]  # fmt: skip
        rows.append(row)
    return json.dumps({"blockdevices": rows}, indent=3) + "\n"


def zpool_status(machine: Machine) -> str:
    """`zpool status`: all drives but the first in one pool."""
    drives = [f"nvme{number}n1" for number in range(1, len(machine.plan.nvmes))]
    if not drives:
        return "no pools available\n"
    names = [POOL, "  raidz1-0", *(f"    {drive}" for drive in drives)]
    rows = "".join(f"\t{name:<14}ONLINE       0     0     0\n" for name in names)
    return (
        f"  pool: {POOL}\n state: ONLINE\n"
        "  scan: scrub repaired 0B in 00:41:07 with 0 errors on Sun Nov  8 01:05:08 2026\n"
        f"config:\n\n\tNAME          STATE     READ WRITE CKSUM\n{rows}\nerrors: No known data errors\n"
    )
