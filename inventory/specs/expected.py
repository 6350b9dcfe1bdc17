"""What a healthy machine of a model answers: every key that a device model may have under `expected`.

docs/checks.md says which check reads which. What is absent is not compared.
"""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    StrictBool,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema, core_schema

from inventory.specs import words
from inventory.specs.parts import PcieLink

MOST = 200
"""Entries of one list."""
LinkLayer = Literal["InfiniBand", "Ethernet"]


def _no_number(value: Any) -> Any:
    """An unquoted 550.10 is read as the number 550.1: refuse it instead of comparing wrongly."""
    if isinstance(value, int | float):
        raise ValueError(f"put versions in quotes, this was read as the number {value!r}")
    return value


def _number(value: Any) -> int | float:
    if type(value) not in (int, float) or not math.isfinite(value) or abs(value) > 1e15:
        raise ValueError(f"{str(value)[:40]!r} is not a number")
    found: int | float = value
    return found


def _key(value: Any) -> Any:
    return f"{value:#x}" if type(value) is int and value >= 0 else value


Version = Annotated[words.Version, BeforeValidator(_no_number)]
Limit = Annotated[Any, AfterValidator(_number), WithJsonSchema({"type": "number"})]
Whole = Annotated[int, Field(ge=1, le=words.MAX_INT)]
Positive = Annotated[int | float, Field(gt=0, le=1e9)]
PartitionKey = Annotated[words.PartitionKey, BeforeValidator(_key)]


class _Answers(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Topology(_Answers):
    gpu_gpu: words.Link | None = None
    rail_hca: tuple[words.Link, ...] = Field(default=(), max_length=16)


class PcieSwitch(_Answers):
    id: words.PciId
    ports: int = Field(ge=1, le=4096)


class Interface(_Answers):
    """A network interface that must be up: storage, front, IPoIB, a bond with all of its `slaves`; with `speed_gbps` at
    least so fast."""

    slaves: tuple[words.InterfaceName, ...] = Field(default=(), max_length=16)
    speed_gbps: Positive | None = None
    mtu: int | None = Field(default=None, ge=68, le=65_520)


class Imex(_Answers):
    """The IMEX domain of an NVLink rack: so many nodes."""

    nodes: int | None = Field(default=None, ge=1, le=1024)


class PoolOfDrives(_Answers):
    drives: int | None = Field(default=None, ge=1, le=4096)


class Docker(_Answers):
    nvidia_runtime: StrictBool | None = None
    storage_driver: words.Word | None = None
    cgroup_version: Annotated[words.Word, BeforeValidator(lambda value: str(value) if value in (1, 2) else value)] | (
        None
    ) = None
    server_version: Version | None = None
    gpu_image: words.Image | None = None


class ContainerImages(_Answers):
    """Who is asked for the images that lie on a machine: Docker where there is one unless it says false, containerd by
    its namespace (`k8s.io` is the kubelet's), Enroot by the folders of its files."""

    docker: StrictBool | None = None
    containerd: words.Word | None = None
    enroot: tuple[words.MountPath, ...] | None = Field(default=None, max_length=8)


class BootDisks(_Answers):
    """Which disks an installation puts the system onto: those in named slots, or whatever is of this model or size.

    Two mirror each other.
    """

    slots: tuple[words.Name, ...] | None = Field(default=None, min_length=1, max_length=2)
    model: words.ShortText | None = None
    size: Literal["smallest", "largest"] | None = None
    ssd: StrictBool | None = None
    count: Literal[1, 2] | None = None

    @model_validator(mode="after")
    def _names_them_in_one_way(self) -> BootDisks:
        others = (self.model, self.size, self.ssd, self.count)
        if self.slots is not None and any(each is not None for each in others):
            raise ValueError("boot_disks: either slots, or model, size, ssd and count")
        if self.slots is None and self.model is None and self.size is None:
            raise ValueError("boot_disks: name slots, a model or a size")
        return self


class Expected(_Answers):
    """Every key there is; another one is refused, so that a misspelt one does not look like a check that passes."""

    driver_version: Version | None = None
    gsp_firmware: Version | None = None
    vbios_version: Version | None = None
    inforom_image: Version | None = None
    gpu_power_limit_w: Positive | None = None
    gpu_clock_mhz: Positive | None = None
    fabric_manager: StrictBool | None = None
    gpu_direct: Literal["peermem", "dma-buf", "none"] | None = None
    topology: Topology | None = None
    hca_firmware: dict[words.CardKind, Version] | None = Field(default=None, max_length=MOST)
    hca_pcie: dict[words.CardKind, PcieLink] | None = Field(default=None, max_length=MOST)
    firmware_out_of_line: Literal["warn", "fail"] | None = None
    nvme_pcie: PcieLink | None = None
    interfaces: dict[words.InterfaceName, Interface] | None = Field(default=None, max_length=MOST)
    transceiver_firmware: Version | None = None
    pcie_switches: tuple[PcieSwitch, ...] | None = Field(default=None, max_length=MOST)
    pkeys: dict[LinkLayer, Annotated[tuple[PartitionKey, ...], Field(max_length=128)]] | None = None
    mtu: dict[words.CardKind, Annotated[int, Field(ge=68, le=65_520)]] | None = Field(default=None, max_length=MOST)
    cpus: Whole | None = None
    cpu_governor: words.Word | None = None
    clocksource: words.Word | None = None
    time_service: Literal["chrony", "ntpd", "timesyncd"] | None = None
    memory_gib: Positive | None = None
    dimms: Whole | None = None
    swap: StrictBool | None = None
    bios_version: Version | None = None
    kernel_version: Version | None = None
    os_version: Version | None = None
    mounts: tuple[words.MountPath, ...] | None = Field(default=None, max_length=MOST)
    read_only_mounts: tuple[words.MountPath, ...] | None = Field(default=None, max_length=MOST)
    zpool: dict[words.Pool, PoolOfDrives] | None = Field(default=None, max_length=MOST)
    slurm: StrictBool | None = None
    ipmi: StrictBool | None = None
    kubernetes: StrictBool | None = None
    imex: Imex | None = None
    packages: dict[words.Package, Version] | None = Field(default=None, max_length=MOST)
    ofed_version: Version | None = None
    services: tuple[words.Unit, ...] | None = Field(default=None, max_length=MOST)
    mirrors: tuple[words.Url, ...] | None = Field(default=None, max_length=20)
    docker: Docker | None = None
    container_images: ContainerImages | None = None
    boot_disks: BootDisks | None = None
    boot_image: words.Word | None = None
    gpu_processes: Literal["none"] | None = None
    thresholds: dict[words.Threshold, Limit] | None = Field(default=None, max_length=MOST)


def unknown_places(answers: dict[str, Any], slots: set[str]) -> list[str]:
    """Keys of limits of cards that no card of this model could be meant by."""
    keys = [key for limit in ("hca_firmware", "hca_pcie", "mtu") for key in answers.get(limit) or {}]
    return sorted({key for key in keys if key not in slots and not words.CARD_KIND.fullmatch(key)})


class AsAnswers:
    """Checks a mapping as `Expected` and keeps it as the plain mapping it was, without what was not said."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            lambda answers: answers.model_dump(mode="json", exclude_unset=True),
            handler.generate_schema(Expected),
            serialization=core_schema.plain_serializer_function_ser_schema(lambda answers: answers),
        )


Answers = Annotated[dict[str, Any], AsAnswers()]
