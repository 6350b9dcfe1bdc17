"""What stands in the virtual hall: every machine with the identities its tools will print.

Plain values, no Django: `sample_plan` makes a hall out of nothing (tests, benchmarks), `from_inventory.py` reads the
fleet that is loaded, and both can be written to and read from JSON. Units stand in the names; PCI addresses are kept
as the kernel writes them (`0000:9b:00.0`).
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from inventory.specs.device_model import DeviceModelSpec

SSH_PORT = 2022
REDFISH_PORT = 8443
MACHINES_PER_SLICE = 254 * 250
_TAG_LETTERS = "123456789BCDFGHJKLMNPQRSTVWXYZ"


class PlanError(ValueError):
    """The plan cannot be made or read; the message says which machine and why."""


_CARDS = {"InfiniBand": ("ConnectX-7", "28.39.1002"), "Ethernet": ("ConnectX-6 Dx", "22.36.1010")}


@dataclass(frozen=True)
class ModelFacts:
    """What all machines of one device model share. `expected` is the dict of the device model file."""

    slug: str
    vendor: str
    name: str
    gpu_type: str
    gpu_memory_mib: int
    nvlinks: int
    nvlink_gbytes_s: float
    gpu_nvlink: str
    pcie_gen: int
    pcie_width: int
    expected: dict[str, Any] = field(default_factory=dict)

    @property
    def driver_version(self) -> str:
        return str(self.expected.get("driver_version", "535.129.03"))

    @property
    def vbios_version(self) -> str:
        return str(self.expected.get("vbios_version", "96.00.99.00.01"))

    def hca_firmware(self, link_layer: str) -> str:
        """Of the cards that the hall has: ConnectX-7 for InfiniBand, ConnectX-6 Dx for Ethernet."""
        kind, usual = _CARDS.get(link_layer, _CARDS["InfiniBand"])
        told = self.expected.get("hca_firmware", {})
        return str(told.get(kind) or told.get(link_layer) or usual)


@dataclass(frozen=True)
class GpuPlan:
    slot: str
    index: int
    module: int
    pci: str
    serial: str
    uuid: str
    part_number: str
    vbios: str
    rail: int | None = None


@dataclass(frozen=True)
class HcaPlan:
    slot: str
    device: str
    pci: str
    guid: str
    link_layer: str
    speed_gbps: int
    firmware: str
    serial: str
    rail: int | None = None


@dataclass(frozen=True)
class NvmePlan:
    slot: str
    serial: str
    model: str


@dataclass(frozen=True)
class PsuPlan:
    slot: str
    serial: str


@dataclass(frozen=True)
class MachinePlan:
    """One machine: who it is, where it answers, what is in it. Port 0 means one the kernel assigns."""

    name: str
    facts: ModelFacts
    serial: str
    system_uuid: str
    bmc_mac: str
    boot_mac: str
    address: str
    ssh_port: int
    redfish_port: int
    gpus: tuple[GpuPlan, ...]
    hcas: tuple[HcaPlan, ...]
    nvmes: tuple[NvmePlan, ...]
    psus: tuple[PsuPlan, ...]
    dimms: int
    bare: bool = False

    @property
    def model(self) -> str:
        return self.facts.slug

    @property
    def expected(self) -> dict[str, Any]:
        return self.facts.expected

    def slots(self, kind: str) -> tuple[str, ...]:
        """Names of the slots of one kind: gpu, hca, nvme or psu."""
        parts: dict[str, tuple[Any, ...]] = {
            "gpu": self.gpus, "hca": self.hcas, "nvme": self.nvmes, "psu": self.psus,
        }  # fmt: skip
        return tuple(part.slot for part in parts[kind])

    @cached_property
    def parts(self) -> tuple[GpuPlan | HcaPlan | NvmePlan | PsuPlan, ...]:
        """Every part that has a serial of its own in the plan."""
        return (*self.gpus, *self.hcas, *self.nvmes, *self.psus)

    @cached_property
    def seed(self) -> int:
        """A number of this machine's own, the same in every process, for small natural differences."""
        return int.from_bytes(self.serial.encode()[-6:], "big")


@dataclass(frozen=True)
class HallPlan:
    """A whole hall: its machines and who may enter them."""

    site: str
    machines: tuple[MachinePlan, ...]
    ssh_users: tuple[str, ...] = ("rackside", "root")
    authorized_keys: tuple[str, ...] = ()
    bmc_user: str = "root"
    bmc_password: str = field(default="", repr=False)

    @cached_property
    def by_name(self) -> dict[str, MachinePlan]:
        return {machine.name: machine for machine in self.machines}

    def with_access(
        self, authorized_keys: tuple[str, ...], bmc_user: str, bmc_password: str, *, bare: set[str] | None = None
    ) -> HallPlan:
        """The same hall with other keys and passwords; machines named in `bare` have no system. Raises PlanError."""
        unknown = (bare or set()) - set(self.by_name)
        if unknown:
            raise PlanError(f"no such machine: {', '.join(sorted(unknown))}")
        machines = tuple(replace(m, bare=m.bare or m.name in (bare or ())) for m in self.machines)
        return replace(
            self, machines=machines, authorized_keys=authorized_keys, bmc_user=bmc_user, bmc_password=bmc_password
        )

    def dump(self, path: Path) -> None:
        """Write the plan as JSON, each device model once."""
        models = {machine.facts.slug: asdict(machine.facts) for machine in self.machines}
        document = asdict(replace(self, machines=()))
        document["models"] = models
        document["machines"] = [{**asdict(machine), "facts": machine.facts.slug} for machine in self.machines]
        path.write_text(json.dumps(document, indent=1))

    @classmethod
    def load(cls, path: Path) -> HallPlan:
        """Read what `dump` wrote; raises PlanError when it is not such a file."""
        try:
            document = json.loads(path.read_text())
            models = {slug: ModelFacts(**facts) for slug, facts in document.pop("models").items()}
            machines = tuple(_machine_from_json(row, models) for row in document.pop("machines"))
            lists: dict[str, Any] = {key: tuple(document.pop(key)) for key in ("ssh_users", "authorized_keys")}
            return cls(machines=machines, **lists, **document)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise PlanError(f"{path}: not a hall plan ({error})") from error


def _machine_from_json(row: dict[str, Any], models: dict[str, ModelFacts]) -> MachinePlan:
    parts: dict[str, Any] = {
        "gpus": tuple(GpuPlan(**part) for part in row.pop("gpus")),
        "hcas": tuple(HcaPlan(**part) for part in row.pop("hcas")),
        "nvmes": tuple(NvmePlan(**part) for part in row.pop("nvmes")),
        "psus": tuple(PsuPlan(**part) for part in row.pop("psus")),
    }
    return MachinePlan(facts=models[row.pop("facts")], **parts, **row)


def address_of(slice_number: int, index: int) -> str:
    """The loopback address of machine `index` (from 0) in this instance's own slice: 127.S.y.z."""
    if not 1 <= slice_number <= 254:
        raise PlanError(f"slice {slice_number} is not between 1 and 254")
    if not 0 <= index < MACHINES_PER_SLICE:
        raise PlanError(f"a slice holds {MACHINES_PER_SLICE} machines, not {index + 1}")
    return f"127.{slice_number}.{index // 250}.{index % 250 + 1}"


def facts_of(spec: DeviceModelSpec) -> ModelFacts:
    """The shared facts of a device model of the inventory."""
    gpu = spec.gpu
    return ModelFacts(
        slug=spec.model,
        vendor=spec.vendor,
        name=spec.name,
        gpu_type=gpu.type if gpu else "",
        gpu_memory_mib=(gpu.memory_mib if gpu else None) or 0,
        nvlinks=gpu.nvlinks if gpu else 0,
        nvlink_gbytes_s=(gpu.nvlink_gbytes_s if gpu else None) or 0.0,
        gpu_nvlink=(gpu.gpu_nvlink if gpu else None) or "",
        pcie_gen=(gpu.pcie_gen if gpu else None) or 0,
        pcie_width=(gpu.pcie_width if gpu else None) or 0,
        expected=dict(spec.expected),
    )


def new_gpu_serial(rng: random.Random) -> str:
    """Thirteen digits, as HGX modules carry."""
    return f"165{rng.randrange(10**9, 4 * 10**9):010d}"


def new_gpu_uuid(rng: random.Random) -> str:
    return f"GPU-{uuid.UUID(int=rng.getrandbits(128))}"


def new_part_serial(rng: random.Random, prefix: str, length: int = 12) -> str:
    return prefix + "".join(rng.choice("0123456789ABCDEFGHJKLMNPRSTUVWXYZ") for _ in range(length - len(prefix)))


def machine_parts(spec: DeviceModelSpec, facts: ModelFacts, rng: random.Random, index: int) -> dict[str, Any]:
    """Fresh parts for every slot of a device model, as keyword arguments of MachinePlan; GUIDs by machine `index`."""
    gpus: list[GpuPlan] = []
    hcas: list[HcaPlan] = []
    cards: dict[str, int] = {}  # PCI device without function -> first GUID of the card
    for slot in spec.slots:
        if slot.kind == "gpu":
            module = int("".join(c for c in slot.label if c.isdigit()) or len(gpus))
            pci = slot.pci or _free_address(len(gpus))
            gpus.append(
                GpuPlan(slot.name, len(gpus), module, pci, new_gpu_serial(rng), new_gpu_uuid(rng),
                        "692-2G520-0200-000", facts.vbios_version, slot.rail)
            )  # fmt: skip
        elif slot.kind == "hca":
            pci, layer = slot.pci or _free_address(len(hcas), 2), slot.link_layer or "InfiniBand"
            card, _, function = pci.rpartition(".")
            guid = cards.setdefault(card, 0x946DAE0300000000 + (index * 64 + len(cards)) * 4) + int(function or 0)
            device = slot.device or f"mlx5_{len(hcas)}"
            hcas.append(
                HcaPlan(slot.name, device, pci, f"0x{guid:016x}", layer, slot.speed_gbps or 0,
                        facts.hca_firmware(layer), new_part_serial(rng, "MT23"), slot.rail)
            )  # fmt: skip
    return {
        "gpus": tuple(gpus),
        "hcas": tuple(hcas),
        "nvmes": tuple(
            NvmePlan(slot.name, new_part_serial(rng, "S6CK"), "SAMSUNG MZWLO3T8HCLS-00A07")
            for slot in spec.slots
            if slot.kind == "nvme"
        ),
        "psus": tuple(PsuPlan(s.name, new_part_serial(rng, "CNLOD", 14)) for s in spec.slots if s.kind == "psu"),
        "dimms": sum(slot.kind == "dimm" for slot in spec.slots),
    }


def _free_address(number: int, offset: int = 1) -> str:
    """An address for a GPU or card of a model that tells none: in a machine every one has one."""
    return f"0000:{0x10 + offset + 16 * (number % 14):02x}:00.{number // 14}"


def sample_machines(
    count: int, *, model: str, slice_number: int, bare: int, ssh_port: int, redfish_port: int
) -> Iterator[MachinePlan]:
    spec = DeviceModelSpec.load(model)
    facts = facts_of(spec)
    for index in range(count):
        rng = random.Random(f"{model}/{index}")
        serial = "".join(rng.choice(_TAG_LETTERS) for _ in range(7))
        tail = f"{index >> 16 & 255:02x}:{index >> 8 & 255:02x}:{index & 255:02x}"
        yield MachinePlan(
            name=f"gpu{index + 1:04d}",
            facts=facts,
            serial=serial,
            system_uuid=str(uuid.UUID(int=rng.getrandbits(128))),
            bmc_mac=f"d0:8e:79:{tail}",
            boot_mac=f"b0:7b:25:{tail}",
            address=address_of(slice_number, index),
            ssh_port=ssh_port,
            redfish_port=redfish_port,
            bare=index >= count - bare,
            **machine_parts(spec, facts, rng, index),
        )


def sample_plan(
    count: int,
    *,
    model: str = "dell-xe9680-h100",
    slice_number: int = 1,
    bare: int = 0,
    ssh_port: int = SSH_PORT,
    redfish_port: int = REDFISH_PORT,
    authorized_keys: tuple[str, ...] = (),
    bmc_password: str = "calvin",
) -> HallPlan:
    """A hall of `count` generated machines, the last `bare` of them without an operating system."""
    machines = sample_machines(
        count, model=model, slice_number=slice_number, bare=bare, ssh_port=ssh_port, redfish_port=redfish_port
    )
    return HallPlan("sample", tuple(machines), authorized_keys=authorized_keys, bmc_password=bmc_password)
