"""The probe's commands about network cards, GPU-direct and PCIe, for what a machine of a model has."""

from __future__ import annotations

import re

from drivers import shell
from inventory.specs.device_model import DeviceModelSpec, Slot

_PORT = "/sys/class/infiniband/*/ports/*"
_COUNTERS = (
    "symbol_error", "link_error_recovery", "link_downed", "port_rcv_errors", "port_rcv_remote_physical_errors",
    "local_link_integrity_errors", "excessive_buffer_overrun_errors", "port_xmit_discards",
)  # fmt: skip
_HARDWARE_COUNTERS = ("local_ack_timeout_err", "rnr_nak_retry_err")
IB_COUNTERS = " ".join(
    (
        "grep -sH .",
        *(f"{_PORT}/counters/{name}" for name in _COUNTERS),
        *(f"{_PORT}/hw_counters/{name}" for name in _HARDWARE_COUNTERS),
    )
)
# The last file is on every machine: an output that does not end with it was cut off.
LAST_CARD_FILE = "/proc/sys/kernel/ostype"
CARD_FILES = " ".join(
    (
        "grep -sH .",
        "/sys/class/infiniband_verbs/uverbs*/ibdev /sys/class/infiniband_mad/umad*/ibdev",
        "/sys/bus/pci/devices/*/infiniband/*/node_type",
        f"{_PORT}/link_layer {_PORT}/pkeys/[0-7]",
        "/sys/class/infiniband/*/device/net/*/mtu /sys/class/infiniband/*/device/net/*/operstate",
        LAST_CARD_FILE,
    )
)
END_OF_BRIDGES = "end of bridges"
BRIDGES = (
    f"lspci -D -d ::0604 -vv | grep -e ^[0-9a-f] -e Access.Control -e ACSCtl -e access.denied; echo {END_OF_BRIDGES}"
)
GPU_PEERS = "nvidia-smi topo -p2p n"
MODULES = "lsmod"
PCI_DEVICES = "lspci -nn -D"


def card_commands(spec: DeviceModelSpec) -> list[tuple[int, str]]:
    """(seconds, command). What takes long or only some sites have is asked where the model's `expected` says so."""
    rails = [slot for slot in spec.slots_of("hca") if slot.rail is not None and slot.device]
    commands: list[tuple[int, str]] = []
    if spec.gpu and spec.gpu.count > 1 and spec.gpu.gpu_nvlink:
        commands.append((6, GPU_PEERS))
    if any(slot.device for slot in spec.slots_of("hca")):
        commands.append((5, CARD_FILES))
    if rails:
        commands.append((5, IB_COUNTERS))
    if wants_gpu_direct(spec):
        commands += [(5, MODULES), (10, BRIDGES)]
    if links := pci_links_command(spec):
        commands.append((5, links))
    if spec.expected.get("pcie_switches"):
        commands.append((10, PCI_DEVICES))
    if rails and spec.expected.get("transceiver_firmware"):
        commands.append((60, flint_command(rails)))
    return commands


def wants_gpu_direct(spec: DeviceModelSpec) -> bool:
    """GPUs with rail cards move data straight between the two, unless the model says `gpu_direct: none`."""
    has_rails = any(slot.rail is not None for slot in spec.slots_of("hca"))
    return bool(spec.gpu and spec.gpu.count) and has_rails and spec.expected.get("gpu_direct") != "none"


def pci_links_command(spec: DeviceModelSpec) -> str:
    """Width and speed of the PCIe links of the network cards and of the slots that name theirs; nvidia-smi tells those
    of the GPUs."""
    named = [slot for slot in spec.slots if slot.pcie and slot.kind not in ("gpu", "hca")]
    addresses = [slot.pci for slot in (*spec.slots_of("hca"), *named) if slot.pci]
    files = [f"/sys/bus/pci/devices/{shell.word(address)}/*_link_*" for address in addresses]
    numbers = [drive_number(slot.name) for slot in named if slot.kind == "nvme" and not slot.pci]
    files += [f"/sys/class/nvme/nvme{number}/device/*_link_*" for number in numbers if number is not None]
    return " ".join(("grep -sH .", *files)) if files else ""


def drive_number(slot: str) -> int | None:
    """3 of `NVMe 3`; the kernel numbers the drives the same."""
    last = (slot.split() or [""])[-1]
    return int(last) if re.fullmatch(r"[0-9]{1,4}", last) else None


def flint_command(cards: list[Slot]) -> str:
    """Asks each card and its transceiver, after a line with the card's name."""
    names = " ".join(shell.operand(card.device) for card in cards if card.device)
    optic = 'flint -d "$d" --linkx --downstream_device_ids 1 query'
    return f'for d in {names}; do echo CARD: "$d"; flint -d "$d" query; {optic}; done'
