"""The faults the virtual hall can have: one row each, with what it does and what ends it.

A fault is ended by the happenings in its `until`: `gpu_reset`, `boot` (any start of the operating system), `power_off`,
`replace` (another part in its slot), `restart` (of its service), and always by clearing it by name. `transient=true`
adds `boot` to a fault that would otherwise need a new part. `cure=restart|gpu_reset|reboot|power_cycle|person` says
instead which step is the least that mends it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from simulator.machine.installer import PLACES as INSTALL_PLACES
from simulator.redfish.log import log_psu
from simulator.stalls import BMC_PLACES, SSH_PLACES
from simulator.state import Fault, Machine

TASK_ENDS = ("failure", "hang", "lost")
"""How an update of firmware ends: not, at 99 %, or with its task gone since the BMC restarted."""


class FaultError(ValueError):
    """No such fault, slot or parameter; the message says what there is."""


@dataclass(frozen=True)
class FaultKind:
    """A row of the catalogue. `slot` is the kind of slot it sits in, empty for the whole machine."""

    name: str
    title: str
    slot: str
    until: tuple[str, ...]
    shows: str
    params: dict[str, Any] = field(default_factory=dict)
    begin: Callable[[Machine, Fault, float], None] | None = None
    end: Callable[[Machine, Fault, float], None] | None = None
    scheduled: bool = True


def kernel_pci(pci: str) -> str:
    """`0000:9b:00.0` as the NVIDIA driver logs it: without the function."""
    return pci.rsplit(".", 1)[0]


def _gpu_pci(machine: Machine, slot: str) -> str:
    return next(gpu.pci for gpu in machine.plan.gpus if gpu.slot == slot)


def _xid(machine: Machine, fault: Fault, number: int, text: str) -> str:
    return (
        f"NVRM: Xid (PCI:{kernel_pci(_gpu_pci(machine, fault.slot))}): {number}, "
        f"pid='<unknown>', name=<unknown>, {text}"
    )


def _off_bus(machine: Machine, fault: Fault, now: float) -> None:
    pci, part = _gpu_pci(machine, fault.slot), machine.part(fault.slot)
    machine.log_kernel(
        now,
        f"NVRM: GPU at PCI:{kernel_pci(pci)}: {part.uuid}",
        f"NVRM: GPU Board Serial Number: {part.serial}",
        _xid(machine, fault, 79, "GPU has fallen off the bus."),
        f"NVRM: GPU {pci}: GPU has fallen off the bus.",
        f"NVRM: GPU {pci}: GPU serial number is {part.serial}.",
    )


def _ecc(machine: Machine, fault: Fault, now: float) -> None:
    machine.count_uncorrectable(fault.slot, errors=1, rows=1)
    machine.log_kernel(
        now,
        _xid(machine, fault, 48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer "
             "at physAddr 0x18f31d80 partition 16, subpartition 3."),
        _xid(machine, fault, 63, "Row Remapper: New row (0x0000000018f31d80) marked for remapping, "
             "reset gpu to activate."),
    )  # fmt: skip


def _ecc_over(machine: Machine, fault: Fault, now: float) -> None:
    machine.part(fault.slot).volatile_uncorrectable = 0


def _remap_failed(machine: Machine, fault: Fault, now: float) -> None:
    machine.count_uncorrectable(fault.slot, errors=9, rows=9)
    machine.log_kernel(now, _xid(machine, fault, 64, "Row Remapper: Failed to remap row (0x0000000018f31d80)."))


def _nvlink(machine: Machine, fault: Fault, now: float) -> None:
    link = fault.params["link"]
    machine.log_kernel(now, _xid(machine, fault, 74, f"NVLink: fatal error detected on link {link}(0x10000, 0x0, 0x0)"))


def _hca_down(machine: Machine, fault: Fault, now: float) -> None:
    hca = next(hca for hca in machine.plan.hcas if hca.slot == fault.slot)
    module = int(hca.pci.rsplit(".", 1)[1])
    machine.log_kernel(now, f"mlx5_core {hca.pci}: Port module event: module {module}, Cable unplugged")


def _hca_up(machine: Machine, fault: Fault, now: float) -> None:
    hca = next(hca for hca in machine.plan.hcas if hca.slot == fault.slot)
    module = int(hca.pci.rsplit(".", 1)[1])
    machine.log_kernel(now, f"mlx5_core {hca.pci}: Port module event: module {module}, Cable plugged")


def _disk_full(machine: Machine, fault: Fault, now: float) -> None:
    machine.log_kernel(now, "systemd-journald[1423]: Failed to write entry, ignoring: No space left on device")


def _nvme(machine: Machine, fault: Fault, now: float) -> None:
    number = fault.slot.split(" ")[1]
    machine.log_kernel(now, f"nvme nvme{number}: I/O 512 QID 3 timeout, aborting")


def _psu_lost(machine: Machine, fault: Fault, now: float) -> None:
    log_psu(machine, fault.slot, now, lost=True)


def _psu_back(machine: Machine, fault: Fault, now: float) -> None:
    log_psu(machine, fault.slot, now, lost=False)


def _place(fault: Fault, places: tuple[str, ...]) -> None:
    if fault.params["at"] not in places:
        raise FaultError(f"{fault.name} stops at one of {', '.join(places)}, not {fault.params['at']!r}")


def _ssh_stalls(machine: Machine, fault: Fault, now: float) -> None:
    _place(fault, SSH_PLACES)


def _bmc_stalls(machine: Machine, fault: Fault, now: float) -> None:
    _place(fault, BMC_PLACES)


def _firmware_task(machine: Machine, fault: Fault, now: float) -> None:
    if fault.params["ends"] not in TASK_ENDS:
        raise FaultError(f"{fault.name} ends in one of {', '.join(TASK_ENDS)}, not {fault.params['ends']!r}")


def _install_fails(machine: Machine, fault: Fault, now: float) -> None:
    _place(fault, ("", *INSTALL_PLACES))


_KINDS = (
    FaultKind("gpu_off_bus", "GPU fallen off the bus (Xid 79)", "gpu", ("replace",),
              "Xid 79 in dmesg; the GPU is gone from nvidia-smi and from the topology", begin=_off_bus),
    FaultKind("gpu_ecc", "Uncorrectable memory error, row remap pending", "gpu", ("gpu_reset", "boot", "replace"),
              "Xid 48 and 63; volatile and aggregate uncorrectable 1, remap pending", begin=_ecc, end=_ecc_over),
    FaultKind("gpu_remap_failed", "Row remap failed", "gpu", ("replace",),
              "Xid 64; remapping failure occurred", begin=_remap_failed, end=_ecc_over),
    FaultKind("nvlink_down", "NVLink down", "gpu", ("replace",),
              "Xid 74; the link is inactive in nvidia-smi nvlink -s", {"link": 4}, begin=_nvlink),
    FaultKind("gpu_overheat", "GPU overheats and is throttled", "gpu", ("replace",),
              "91 C, hardware thermal slowdown, low clocks", {"celsius": 91}),
    FaultKind("gpu_wrong_math", "GPU computes wrong", "gpu", ("replace",),
              "nothing but another result under stress and in training", scheduled=False),
    FaultKind("gpu_slow", "GPU is slow under load", "gpu", ("replace",),
              "stress, training and all-reduce run at 60 % on it", scheduled=False),
    FaultKind("nvlink_slow", "NVLink copies are slow", "gpu", ("replace",),
              "nvbandwidth between it and every other GPU: half", scheduled=False),
    FaultKind("pcie_slow", "PCIe copies are slow", "gpu", ("boot", "replace"),
              "nvbandwidth between memory and it: half", scheduled=False),
    FaultKind("dcgm_fails", "DCGM's memory test fails", "gpu", ("replace",),
              "dcgmi diag -r 2 and higher: GPU Memory fails", scheduled=False),
    FaultKind("hca_down", "HCA port down", "hca", ("replace",),
              "ibstat: Down, Polling; a kernel line", begin=_hca_down, end=_hca_up),
    FaultKind("hca_rate", "HCA port at a lower rate", "hca", ("replace",),
              "ibstat: Active at half of its rate", {"rate": 0}),
    FaultKind("psu_lost", "Power supply without input", "psu", ("replace",),
              "Redfish: PSU Critical, redundancy lost; SEL PSU0003", begin=_psu_lost, end=_psu_back),
    FaultKind("disk_full", "Root file system full", "", (),
              "df: 100 % of the mount", {"mount": "/"}, begin=_disk_full),
    FaultKind("nvme_failing", "NVMe drive failing", "nvme", ("replace",),
              "smart-log: critical warning, spare under its threshold, media errors", begin=_nvme),
    FaultKind("docker_dead", "Docker daemon dead", "", ("restart", "boot"),
              "docker info: cannot connect; the service is failed"),
    FaultKind("service_dead", "A service is dead", "", ("restart", "boot"),
              "systemctl: the service is failed", {"unit": "nvidia-fabricmanager"}),
    FaultKind("gpu_busy", "A job runs on the GPUs", "", ("boot", "power_off"),
              "nvidia-smi lists so many processes", {"processes": 8}, scheduled=False),
    FaultKind("training", "Ranks of training runs", "", ("boot", "power_off"),
              "nvidia-smi and /proc show their processes, with the variables of their launcher", {"runs": [{}]},
              scheduled=False),
    FaultKind("images", "Container images are missing or old", "", (),
              "docker image ls: without those of `missing`; another image under the names of `stale`",
              {"missing": [], "stale": []}, scheduled=False),
    FaultKind("container_runs", "A container runs", "", ("boot", "power_off"),
              "docker ps lists it, with the process beside it",
              {"name": "train", "image": "nvcr.io/nvidia/pytorch:24.08-py3"}, scheduled=False),
    FaultKind("pull_fails", "Pulls of images fail, or take long", "", (),
              "docker pull, ctr and enroot: so many seconds more, and this error where one is given",
              {"text": "", "seconds": 0}, scheduled=False),
    FaultKind("mirror_cut_off", "A mirror does not answer it", "", (),
              "curl: no answer of URLs that hold this host", {"host": "mirror.example"}, scheduled=False),
    FaultKind("launcher_runs", "A launcher of a job runs", "", ("boot", "power_off"),
              "ps: this command line", {"command": "slurmstepd: [4711.batch]"}, scheduled=False),
    FaultKind("somebody_logged_in", "Somebody is logged in", "", ("boot", "power_off"),
              "who: this name", {"name": "ada"}, scheduled=False),
    FaultKind("wrong_vbios", "GPU with another VBIOS", "gpu", ("replace",),
              "nvidia-smi: another VBIOS version", {"version": "96.00.74.00.01"}),
    FaultKind("wrong_hca_firmware", "HCA with another firmware", "hca", ("replace",),
              "ibstat: another firmware version", {"version": "28.36.1010"}),
    FaultKind("gpu_memory_held", "GPU memory held by nobody", "gpu", ("gpu_reset", "boot", "replace"),
              "nvidia-smi: so many MiB in use and no process", {"mib": 41207}, scheduled=False),
    FaultKind("gpu_no_peers", "GPU reads no other's memory", "gpu", ("boot", "replace"),
              "nvidia-smi topo -p2p n: NS to every other GPU", scheduled=False),
    FaultKind("acs_on", "Access control on at PCIe bridges", "", (),
              "lspci -vv: ACSCtl SrcValid+ ReqRedir+", scheduled=False),
    FaultKind("hca_no_node", "HCA without device node", "hca", ("boot", "replace"),
              "no uverbs of this card in /sys/class/infiniband_verbs", scheduled=False),
    FaultKind("wrong_pkey", "HCA port in another partition", "hca", (),
              "another key in /sys/class/infiniband/*/ports/1/pkeys", {"pkey": "0x8002"}, scheduled=False),
    FaultKind("wrong_mtu", "Interface with another MTU", "hca", (),
              "another MTU of the card's interface", {"mtu": 1500}, scheduled=False),
    FaultKind("process_stuck", "A process is stuck in the kernel", "", ("boot", "power_off"),
              "ps: state D for as long as the fault lasts", {"name": "nvidia-smi"}, scheduled=False),
    FaultKind("kernel_crashed", "The kernel crashed before this start", "", (),
              "a record in /sys/fs/pstore from just before the start", scheduled=False),
    FaultKind("mount_hangs", "Remote file system hangs", "", ("boot",),
              "the round over the remote mounts: this one does not answer", {"mount": "/home"}, scheduled=False),
    FaultKind("interface_down", "Network interface down", "", (),
              "/sys/class/net: no carrier; `name` of an interface or card", {"name": "bond0"}, scheduled=False),
    FaultKind("nvme_narrow", "NVMe drive with fewer lanes", "nvme", ("replace",),
              "/sys/class/nvme: x2 of x4", {"width": 2}, scheduled=False),
    FaultKind("pcie_narrow", "Network card with fewer lanes", "hca", ("boot", "replace"),
              "/sys/bus/pci/devices: x8 of x16", {"width": 8}, scheduled=False),
    FaultKind("memory_fragmented", "Free memory in crumbs", "", ("boot",),
              "/proc/buddyinfo: node 0 has no large blocks", scheduled=False),
    FaultKind("raid_degraded", "Software RAID lost a member", "", (),
              "/proc/mdstat: [2/1] [U_]", scheduled=False),
    FaultKind("clock_skew", "Clock wrong", "", (), "date and chronyc are off by so many seconds", {"seconds": 42.0}),
    FaultKind("machine_hang", "Machine hangs", "", ("boot", "power_off"),
              "SSH connects and never speaks; the BMC answers"),
    FaultKind("ssh_stalls", "SSH stalls in the middle", "", ("boot", "power_off"),
              f"SSH stops at one of: {', '.join(SSH_PLACES)}", {"at": "output"}, begin=_ssh_stalls, scheduled=False),
    FaultKind("machine_unreachable", "Machine unreachable", "", (), "SSH connection refused; the BMC answers"),
    FaultKind("ssh_refuses", "SSH refuses the key", "", (), "SSH: permission denied"),
    FaultKind("command_hangs", "A command hangs", "", ("boot", "power_off"),
              "every command that starts with this text never ends", {"command": "nvidia-smi"}),
    FaultKind("binary_junk", "Commands print binary junk", "", ("boot", "power_off"),
              "random bytes instead of every output"),
    FaultKind("bmc_dead", "BMC dead", "", (), "Redfish connection refused", scheduled=False),
    FaultKind("bmc_stalls", "BMC takes the connection and does not answer", "", (),
              f"Redfish stops at one of: {', '.join(BMC_PLACES)}", {"at": "tcp"}, begin=_bmc_stalls, scheduled=False),
    FaultKind("password_expired", "BMC wants its first password changed", "", (),
              "403 PasswordChangeRequired for everything but the account, until it has a password of its own",
              scheduled=False),
    FaultKind("firmware_task", "Firmware updates do not end well", "", (),
              f"the task of UpdateService ends in one of: {', '.join(TASK_ENDS)}", {"ends": "failure"},
              begin=_firmware_task, scheduled=False),
    FaultKind("bmc_password", "Somebody changed the BMC's password", "", (),
              "Redfish: 401 to the login that is known", scheduled=False),
    FaultKind("no_link", "No link on the boot port", "", (),
              "network boot never asks; Redfish EthernetInterface: LinkDown", scheduled=False),
    FaultKind("no_pxe_request", "Network boot sends no request", "", (),
              "the link is up, but nothing asks for a boot script", scheduled=False),
    FaultKind("no_power", "It does not switch on", "", (),
              "the BMC takes the order, the machine stays off", scheduled=False),
    FaultKind("no_post", "The self-test hangs", "", (),
              "Redfish BootProgress stands at MemoryInitializationStarted; nothing boots", scheduled=False),
    FaultKind("wrong_port", "The boot cable is in another port", "", (),
              "network boot never asks; Redfish shows the link at the second port", scheduled=False),
    FaultKind("no_image", "The image server gives no kernel", "", (),
              "it has its boot script, and never fetches its install data", scheduled=False),
    FaultKind("install_fails", "Installation fails", "", (),
              "the installer reports it at disk, network or package, and sends its log; "
              "at nothing: autoinstall is fetched, then nothing comes back", {"at": ""},
              begin=_install_fails, scheduled=False),
    FaultKind("no_ssh_after_install", "No SSH after the installation", "", (),
              "the machine phones home, but SSH stays refused", scheduled=False),
    FaultKind("wrong_identity", "Another machine is in this place", "", (),
              "Redfish shows another serial", {"serial": "ZZZ9999"}, scheduled=False),
)  # fmt: skip
# What mends a fault, the least first: each of them does what those before it do as well.
_CURES = ("restart", "gpu_reset", "reboot", "power_cycle", "person")
_HAPPENINGS = {"restart": "restart", "gpu_reset": "gpu_reset", "reboot": "boot", "power_cycle": "power_off"}
CATALOGUE: dict[str, FaultKind] = {kind.name: kind for kind in _KINDS}


def inject(machine: Machine, name: str, now: float, *, slot: str = "", params: dict[str, Any] | None = None) -> Fault:
    """Give a machine a fault and return it; the same fault twice on one slot is the one that is there.

    Raises FaultError for an unknown fault, slot or parameter.
    """
    kind = CATALOGUE.get(name)
    if kind is None:
        raise FaultError(f"no fault named {name!r}; there are: {', '.join(CATALOGUE)}")
    given = dict(params or {})
    transient = bool(given.pop("transient", False))
    unknown = set(given) - set(kind.params) - {"cure"}
    if unknown:
        raise FaultError(f"{name} takes {', '.join(kind.params) or 'no parameters'}, not {', '.join(sorted(unknown))}")
    _check_slot(machine, kind, slot)
    present = machine.fault(name, slot)
    if present:
        return present
    until = _until(kind, given.pop("cure", None), transient)
    fault = Fault(name, slot, {**kind.params, **given}, until, now)
    if kind.begin:
        kind.begin(machine, fault, now)
    machine.state.faults.append(fault)
    machine.touch()
    return fault


def _until(kind: FaultKind, cure: str | None, transient: bool) -> list[str]:
    """What ends it: as its kind says, or from the step that was named on upwards. Raises FaultError."""
    if cure is None:
        return [*kind.until, *(["boot"] if transient and "boot" not in kind.until else [])]
    if cure not in _CURES:
        raise FaultError(f"a fault is mended by one of {', '.join(_CURES)}, not {cure!r}")
    enough = [_HAPPENINGS[step] for step in _CURES[_CURES.index(cure) :] if step in _HAPPENINGS]
    return enough + (["replace"] if kind.slot else [])


def _check_slot(machine: Machine, kind: FaultKind, slot: str) -> None:
    if not kind.slot:
        if slot:
            raise FaultError(f"{kind.name} is about the whole machine, not {slot}")
        return
    there = machine.plan.slots(kind.slot)
    if slot not in there:
        raise FaultError(f"{kind.name} needs a slot of {machine.plan.name}: {', '.join(there) or 'it has none'}")


def clear(machine: Machine, now: float, *, name: str = "", slot: str = "") -> list[Fault]:
    """End the faults of that name (or all) on that slot (or any); a GPU off the bus is listed again."""
    gone = [f for f in machine.state.faults if name in ("", f.name) and slot in ("", f.slot)]
    machine.state.faults = [fault for fault in machine.state.faults if fault not in gone]
    after(machine, gone, now)
    machine.touch()
    return gone


def after(machine: Machine, ended: list[Fault], now: float) -> None:
    """What the tools log when faults end."""
    for fault in ended:
        finish = CATALOGUE[fault.name].end
        if finish:
            finish(machine, fault, now)
