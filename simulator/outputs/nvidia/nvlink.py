"""`nvidia-smi nvlink -s` and `-e`, and `nvidia-smi topo -m` and `-p2p`."""

from __future__ import annotations

from simulator.plan import GpuPlan, HcaPlan
from simulator.state import Machine

_LEGEND = """
Legend:

  X    = Self
  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)
  NODE = Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node
  PHB  = Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)
  PXB  = Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)
  PIX  = Connection traversing at most a single PCIe bridge
  NV#  = Connection traversing a bonded set of # NVLinks

NIC Legend:

"""
_PEER_LEGEND = """

Legend:

  X    = Self
  OK   = Status Ok
  CNS  = Chipset not supported
  GNS  = GPU not supported
  TNS  = Topology not supported
  NS   = Not supported
  DR   = Disabled by regkey
  U    = Unknown

"""
_CPUS = ("0-51,104-155", "52-103,156-207")


def status(machine: Machine) -> str:
    """`nvidia-smi nvlink -s`: GB/s of every link, or that it is inactive."""
    facts, lines = machine.plan.facts, []
    for index, gpu in enumerate(machine.listed_gpus()):
        lines.append(f"GPU {index}: {facts.gpu_type} (UUID: {machine.part(gpu.slot).uuid})")
        down = machine.fault("nvlink_down", gpu.slot)
        for link in range(facts.nvlinks):
            inactive = down is not None and link == int(down.params["link"])
            lines.append(f"\t Link {link}: {'<inactive>' if inactive else f'{facts.nvlink_gbytes_s} GB/s'}")
    return "\n".join(lines) + "\n"


def errors(machine: Machine) -> str:
    """`nvidia-smi nvlink -e`: the counters of every link since the driver was loaded."""
    facts, lines = machine.plan.facts, []
    for index, gpu in enumerate(machine.listed_gpus()):
        lines.append(f"GPU {index}: {facts.gpu_type} (UUID: {machine.part(gpu.slot).uuid})")
        for link in range(facts.nvlinks):
            lines += [f"\t Link {link}: {what} Errors: 0" for what in ("Replay", "Recovery", "CRC")]
    return "\n".join(lines) + "\n"


def peers(machine: Machine) -> str:
    """`nvidia-smi topo -p2p n`: whether each pair of GPUs listed now reaches each other over NVLink."""
    gpus = machine.listed_gpus()
    cut_off = [machine.fault("gpu_no_peers", gpu.slot) is not None for gpu in gpus]
    names = [f"GPU{n}" for n in range(len(gpus))]
    lines = [" \t" + "".join(f"{name}\t" for name in names)]
    for row, name in enumerate(names):
        cells = ["X" if row == n else "NS" if cut_off[row] or cut_off[n] else "OK" for n in range(len(gpus))]
        lines.append(f" {name}\t" + "".join(f"{cell}\t" for cell in cells))
    return "\n".join(lines) + _PEER_LEGEND


def topology(machine: Machine) -> str:
    """`nvidia-smi topo -m`: tab-separated, the GPUs listed now and every HCA."""
    gpus = machine.listed_gpus()
    hcas = sorted(machine.plan.hcas, key=lambda hca: int(hca.device.rpartition("_")[2]))
    names = [f"GPU{n}" for n in range(len(gpus))] + [f"NIC{n}" for n in range(len(hcas))]
    lines = ["\t" + "\t".join(names) + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID"]
    for name, gpu in zip(names, gpus, strict=False):
        cells = [_between_gpus(machine, gpu, other) for other in gpus] + [_rail(gpu, hca) for hca in hcas]
        numa = _numa(gpu.pci)
        lines.append("\t".join([name, *cells, _CPUS[numa], str(numa), "", "N/A"]))
    for name, hca in zip(names[len(gpus) :], hcas, strict=True):
        cells = [_rail(gpu, hca) for gpu in gpus] + [_between_hcas(hca, other) for other in hcas]
        lines.append("\t".join([name, *cells, "", "", "", ""]))
    legend = "".join(f"  NIC{n}: {hca.device}\n" for n, hca in enumerate(hcas))
    return "\n".join(lines) + "\n" + _LEGEND + legend + "\n"


def _numa(pci: str) -> int:
    return int(int(pci.split(":")[1], 16) >= 0x80)


def _between_gpus(machine: Machine, gpu: GpuPlan, other: GpuPlan) -> str:
    if gpu.slot == other.slot:
        return " X "
    down = sum(machine.fault("nvlink_down", g.slot) is not None for g in (gpu, other))
    return f"NV{machine.plan.facts.nvlinks - down}" if down else machine.plan.facts.gpu_nvlink or _by_pcie(gpu, other)


def _by_pcie(gpu: GpuPlan, other: GpuPlan) -> str:
    return "NODE" if _numa(gpu.pci) == _numa(other.pci) else "SYS"


def _rail(gpu: GpuPlan, hca: HcaPlan) -> str:
    if gpu.rail is not None and gpu.rail == hca.rail:
        return "PXB"
    return "NODE" if _numa(gpu.pci) == _numa(hca.pci) else "SYS"


def _between_hcas(hca: HcaPlan, other: HcaPlan) -> str:
    if hca.slot == other.slot:
        return " X "
    if hca.pci.rpartition(".")[0] == other.pci.rpartition(".")[0]:
        return "PIX"
    return "NODE" if _numa(hca.pci) == _numa(other.pci) else "SYS"
