"""Device models as files: what a product is, which slots and ports it has, and what a healthy one answers.

The files are `inventory/device_models/*.yaml`; dell-xe9680-h100.yaml shows the format. Nothing here needs Django, so
health rules and `examine` read models without a database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from inventory.power import workstation
from inventory.power.workstation import Connector

MODELS_DIR = Path(__file__).resolve().parent / "device_models"
MAX_RANGE = 4096

_RANGE = re.compile(r"\{(\d+)\.\.(\d+)\}")
_PCI = re.compile(r"^(?:([0-9a-f]{1,8}):)?([0-9a-f]{1,2}):([0-9a-f]{1,2})(?:\.([0-9a-f]))?$")


class DeviceModelError(ValueError):
    """A device model file that is absent or wrong; the text names the file, the field and the reason."""


def normalise_pci(address: str) -> str | None:
    """The address as lower-case `0000:9b:00.0`, or None when it is no PCI address.

    Takes what the tools print: `00000000:9B:00.0` (nvidia-smi), `0000:9b:00` (kernel log), `9b:00.0` (lspci).
    """
    found = _PCI.match(address.strip().lower().removeprefix("pci:"))
    if not found:
        return None
    domain, bus, device, function = found.groups()
    return f"{int(domain or '0', 16):04x}:{int(bus, 16):02x}:{int(device, 16):02x}.{function or '0'}"


def expand_ranges(rows: list[Any]) -> Iterator[Any]:
    """Expand `{range: "NVMe {0..7}", label: "Bay {n}"}` into one row per number.

    A second range in one name counts as `{m}`: `{range: "{1..32}/{1..2}", cage: "{n}", lane: "{m}"}` is 64 ports.
    """
    for row in rows:
        if not isinstance(row, Mapping) or "range" not in row:
            yield row
            continue
        pattern = str(row["range"])
        bounds = [(int(a), int(b)) for a, b in _RANGE.findall(pattern)]
        if not 1 <= len(bounds) <= 2:
            raise ValueError(f"range {pattern!r} needs one or two spans such as {{0..7}}")
        if any(last < first or last - first >= MAX_RANGE for first, last in bounds):
            raise ValueError(f"range {pattern!r} must count up, over at most {MAX_RANGE} numbers")
        for numbers in product(*(range(first, last + 1) for first, last in bounds)):
            words = dict(zip(("{n}", "{m}"), map(str, numbers), strict=False))
            name = pattern
            for number in numbers:
                name = _RANGE.sub(str(number), name, count=1)
            yield {"name": name, **{key: _fill(value, words) for key, value in row.items() if key != "range"}}


def _fill(value: Any, words: dict[str, str]) -> Any:
    if isinstance(value, str):
        for mark, number in words.items():
            value = value.replace(mark, number)
    return value


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PowerInlet(_Part):
    """A power connector of a part. `max_w` where it may carry other than its kind does."""

    connector: Connector
    max_w: int | None = Field(default=None, ge=1)


class PsuSocket(_Part):
    """A socket of a modular supply."""

    name: str = Field(min_length=1, max_length=40)
    connector: Connector
    max_w: int | None = Field(default=None, ge=1)


class PsuSpec(_Part):
    """The supplies, all alike. `may_fail` is how many may be dead at full load, `other_w` what the parts without a
    draw of their own take together (board, fans, drives)."""

    rated_w: int | None = Field(default=None, ge=1)
    may_fail: int | None = Field(default=None, ge=0)
    headroom_percent: int = Field(default=20, ge=0, le=90)
    other_w: int = Field(default=0, ge=0)
    sockets: tuple[PsuSocket, ...] = ()


class Lead(_Part):
    """A planned cable from a socket of the supply to the power connector `number` (from 1) of the part in a slot."""

    socket: str
    slot: str
    number: int = Field(default=1, ge=1)
    connector: Connector


class Slot(_Part):
    """A place a component sits in. `name` is the part name used in findings; `label` is printed on the chassis."""

    name: str = Field(min_length=1, max_length=40)
    kind: Literal["gpu", "hca", "nvme", "psu", "dimm", "cpu", "fan", "board", "optic", "other"]
    label: str = ""
    pci: str | None = None
    device: str | None = None
    rail: int | None = None
    link_layer: Literal["InfiniBand", "Ethernet"] | None = None
    speed_gbps: int | None = None
    board: str | None = None
    cage: int | None = Field(default=None, description="The cage an optic is plugged into.")
    power: tuple[PowerInlet, ...] = ()
    max_w: int | None = Field(default=None, ge=0, description="The most the part draws, slot and connectors together.")
    slot_w: int | None = Field(default=None, ge=0, description="What the slot itself gives; 75 W for PCIe cards.")

    @field_validator("pci")
    @classmethod
    def _pci_is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        address = normalise_pci(value)
        if address is None:
            raise ValueError(f"{value!r} is not a PCI address such as 0000:9b:00.0")
        return address


class PortSpec(_Part):
    """A socket for a cable. `slot` names the component slot it is on.

    A patch panel's `front` port says which `rear` port its fibres or wires go to, and which of that port's
    `positions` it takes; without `rear` it leads nowhere. `max_draw_w` is the rating of an inlet, `feed_leg` the
    phase (A, B, C) an outlet of a three-phase PDU is on, `inlet` the power_in port that feeds the outlet.
    """

    name: str = Field(min_length=1, max_length=40)
    kind: Literal["infiniband", "ethernet", "bmc", "power_in", "power_outlet", "front", "rear", "console"]
    speed_gbps: int | None = None
    cage: int | None = None
    lane: int | None = None
    slot: str = ""
    face: str = ""
    label: str = ""
    connector: str = Field(default="", max_length=40, description="Such as osfp, c14, lc, rj-45.")
    positions: int = Field(default=1, ge=1, le=1024)
    rear: str = ""
    rear_position: int = Field(default=1, ge=1)
    max_draw_w: int | None = Field(default=None, ge=0)
    feed_leg: Literal["A", "B", "C", ""] = ""
    inlet: str = ""


class SocketGrid(_Part):
    """Sockets in rows on the faceplate: the cages `first` to `last`, or the `ports` of a pattern.

    They are counted down each column, or with `order: across` along each row. `x` and `width` are shares of the
    faceplate's width.
    """

    first: int | None = Field(default=None, ge=0)
    last: int | None = None
    ports: str = ""
    rows: int = Field(default=1, ge=1, le=16)
    order: Literal["down", "across"] = "down"
    x: float = Field(default=0.04, ge=0, lt=1)
    width: float = Field(default=0.92, gt=0, le=1)

    @model_validator(mode="after")
    def _names_its_sockets(self) -> SocketGrid:
        cages = self.first is not None and self.last is not None and self.first <= self.last
        if cages == bool(self.ports) or (self.ports and (self.first, self.last) != (None, None)):
            raise ValueError("give either first and last, the cages of the grid, or ports")
        if self.x + self.width > 1:
            raise ValueError("x and width together reach beyond the faceplate")
        return self


class GpuSpec(_Part):
    """The GPUs of a machine model. Widths are lanes, `nvlink_gbytes_s` is one link as `nvidia-smi nvlink -s` says."""

    count: int = Field(ge=0)
    type: str = ""
    memory_mib: int | None = None
    nvlinks: int = 0
    nvlink_gbytes_s: float | None = None
    pcie_gen: int | None = None
    pcie_width: int | None = None
    gpu_nvlink: str | None = None


class DeviceModelSpec(BaseModel):
    """One device model file, ranges expanded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    vendor: str
    name: str
    kind: Literal["machine", "switch", "pdu", "panel", "shelf"]
    u_height: float = Field(ge=0, multiple_of=0.5)
    full_depth: bool = True
    airflow: str = ""
    weight_kg: float | None = None
    part_number: str = ""
    half_width: bool = False
    power_w: int = 0
    gpu: GpuSpec | None = None
    psu_count: int = 0
    psus: PsuSpec | None = None
    leads: tuple[Lead, ...] = ()
    slots: tuple[Slot, ...] = ()
    ports: tuple[PortSpec, ...] = ()
    faceplate: tuple[SocketGrid, ...] = ()
    bays: tuple[str, ...] = Field(default=(), description="Bays that take a device, such as a chassis' blades.")
    expected: dict[str, Any] = Field(default_factory=dict)
    unmapped: dict[str, Any] = Field(
        default_factory=dict, description="What a foreign file said that has no home here, as it said it."
    )

    @model_validator(mode="before")
    @classmethod
    def _expand(cls, data: Any) -> Any:
        try:
            expanded = dict(data)
        except (TypeError, ValueError) as error:
            raise ValueError("a device model is a mapping of fields") from error
        for key in ("slots", "ports"):
            if isinstance(expanded.get(key), list):
                expanded[key] = list(expand_ranges(expanded[key]))
        return expanded

    @model_validator(mode="after")
    def _is_consistent(self) -> DeviceModelSpec:
        for what, names in (("slot", [s.name for s in self.slots]), ("port", [p.name for p in self.ports])):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"{what} named twice: {', '.join(twice)}")
        known = {slot.name for slot in self.slots}
        lost = sorted({port.slot for port in self.ports if port.slot and port.slot not in known})
        if lost:
            raise ValueError(f"ports name slots that do not exist: {', '.join(lost)}")
        self._panel_is_consistent()
        self._cages_are_consistent()
        self._power_is_possible()
        gpus = len(self.slots_of("gpu"))
        if self.gpu and gpus and gpus != self.gpu.count:
            raise ValueError(f"gpu.count is {self.gpu.count} but there are {gpus} GPU slots")
        return self

    def _cages_are_consistent(self) -> None:
        """Raises ValueError for an optic in a cage that no port is in, or in another's, and for a grid of nothing."""
        cages = {port.cage for port in self.ports if port.cage is not None}
        optics: dict[int, str] = {}
        for slot in self.slots:
            if slot.cage is None:
                continue
            if slot.cage not in cages:
                raise ValueError(f"slot {slot.name}: no port is in cage {slot.cage}")
            other = optics.setdefault(slot.cage, slot.name)
            if other != slot.name:
                raise ValueError(f"slots {other} and {slot.name} are both in cage {slot.cage}")
        for grid in self.faceplate:
            lost = set(range(grid.first, grid.last + 1)) - cages if grid.first is not None and grid.last else set()
            if lost:
                raise ValueError(f"faceplate: no port is in cage {min(lost)}")

    def _panel_is_consistent(self) -> None:
        """Raises ValueError for a front port that goes to no rear port, past its positions, or where another goes."""
        positions = {port.name: port.positions for port in self.ports if port.kind == "rear"}
        inlets = {port.name for port in self.ports if port.kind == "power_in"}
        taken: dict[tuple[str, int], str] = {}
        for port in self.ports:
            if port.inlet and port.inlet not in inlets:
                raise ValueError(f"port {port.name}: there is no power inlet {port.inlet}")
            if not port.rear:
                continue
            if port.kind != "front" or port.rear not in positions:
                raise ValueError(f"port {port.name}: {port.rear} is no rear port that a front port could go to")
            if port.rear_position > positions[port.rear]:
                raise ValueError(f"port {port.name}: {port.rear} has {positions[port.rear]} positions")
            other = taken.setdefault((port.rear, port.rear_position), port.name)
            if other != port.name:
                raise ValueError(f"ports {other} and {port.name} go to position {port.rear_position} of {port.rear}")

    def _power_is_possible(self) -> None:
        """Raises ValueError for a plan of leads that must not be built. Too little head-room is a warning."""
        if self.psus and self.psus.may_fail and self.psus.may_fail >= self.psu_count:
            raise ValueError(f"psus.may_fail is {self.psus.may_fail} of {self.psu_count} supplies: none would be left")
        sockets = [socket.name for socket in self.psus.sockets] if self.psus else []
        if len(set(sockets)) < len(sockets):
            raise ValueError("psus: two sockets of one name")
        wrong = [finding for finding in workstation.check(self) if finding.severity == "error"]
        if wrong:
            raise ValueError("power: " + "; ".join(f"{f.slot}: {f.reason}" if f.slot else f.reason for f in wrong))

    @field_validator("expected")
    @classmethod
    def _versions_are_text(cls, value: dict[str, Any]) -> dict[str, Any]:
        """An unquoted 550.10 is read as the number 550.1: refuse it instead of comparing wrongly."""
        versions = {key: found for key, found in value.items() if key.endswith("_version")}
        versions |= {f"hca_firmware.{key}": found for key, found in (value.get("hca_firmware") or {}).items()}
        unquoted = [f"{key} ({found!r})" for key, found in versions.items() if not isinstance(found, str)]
        if unquoted:
            raise ValueError(f"put versions in quotes, these were read as numbers: {', '.join(unquoted)}")
        limits = (value.get("thresholds") or {}).items()
        odd = [f"{key} ({found!r})" for key, found in limits if type(found) not in (int, float)]
        if odd:
            raise ValueError(f"thresholds: not a number: {', '.join(odd)}")
        return value

    @classmethod
    def load(cls, slug_or_path: str | Path) -> DeviceModelSpec:
        """Read a shipped model by name, or a YAML file by path. Raises DeviceModelError."""
        path = _find(slug_or_path)
        try:
            data = yaml.safe_load(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise DeviceModelError(f"{path}: {error.strerror or error}") from error
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise DeviceModelError(f"{path}: not YAML: {error}") from error
        return cls.from_dict(data, source=str(path))

    @classmethod
    def from_dict(cls, data: Any, *, source: str = "device model") -> DeviceModelSpec:
        """Check a mapping in the file's form (ranges expanded or not). Raises DeviceModelError naming `source`."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            reasons = "; ".join(
                f"{'.'.join(map(str, item['loc'])) or 'file'}: {item['msg'].removeprefix('Value error, ')}"
                for item in error.errors()
            )
            raise DeviceModelError(f"{source}: {reasons}") from error

    def slots_of(self, kind: str) -> tuple[Slot, ...]:
        return self._by_kind.get(kind, ())

    def pass_throughs(self) -> list[tuple[str, str, int]]:
        """Front port, rear port and its position, for each front port of a patch panel that leads somewhere."""
        return [(port.name, port.rear, port.rear_position) for port in self.ports if port.rear]

    def slot(self, name: str) -> Slot | None:
        return self._by_name.get(name)

    def slot_by_device(self, device: str) -> Slot | None:
        """The slot of an RDMA device such as `mlx5_10`."""
        return self._by_device.get(device)

    def slot_by_pci(self, address: str) -> Slot | None:
        """The slot at a PCI address in any of the tools' spellings; without a function the first one of the card."""
        wanted = normalise_pci(address)
        return self._by_pci.get(wanted) if wanted else None

    def rail_hca(self, gpu: Slot) -> Slot | None:
        """The HCA that shares the GPU's rail."""
        return next((s for s in self.slots if s.kind == "hca" and gpu.rail is not None and s.rail == gpu.rail), None)

    @cached_property
    def _by_kind(self) -> dict[str, tuple[Slot, ...]]:
        return {kind: tuple(s for s in self.slots if s.kind == kind) for kind in {slot.kind for slot in self.slots}}

    @cached_property
    def _by_name(self) -> dict[str, Slot]:
        return {slot.name: slot for slot in self.slots}

    @cached_property
    def _by_pci(self) -> dict[str, Slot]:
        return {slot.pci: slot for slot in self.slots if slot.pci}

    @cached_property
    def _by_device(self) -> dict[str, Slot]:
        return {slot.device: slot for slot in self.slots if slot.device}


def shipped_models() -> list[str]:
    """Names of the device models that come with Rackside, sorted."""
    return sorted(path.stem for path in MODELS_DIR.glob("*.yaml"))


def _find(slug_or_path: str | Path) -> Path:
    text = str(slug_or_path)
    if text.endswith((".yaml", ".yml")) or "/" in text:
        return Path(text)
    shipped = MODELS_DIR / f"{text}.yaml"
    if not shipped.is_file():
        raise DeviceModelError(
            f"no device model named {text!r}; shipped: {', '.join(shipped_models())}, or give a file"
        )
    return shipped
