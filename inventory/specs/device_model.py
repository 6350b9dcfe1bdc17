"""Device models as files: what a product is, which slots and ports it has, and what a healthy one answers.

The files are `inventory/device_models/*.yaml`; dell-xe9680-h100.yaml shows the format. Nothing here needs Django, so
health rules and `examine` read models without a database.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from inventory.fleet.patterns import PatternError, expand
from inventory.power import workstation
from inventory.specs import words
from inventory.specs.expected import Answers, unknown_places
from inventory.specs.parts import (
    MAX_ROWS,
    GpuSpec,
    Lead,
    PortSpec,
    PsuSpec,
    Slot,
    SocketGrid,
    Source,
    expand_ranges,
    normalise_pci,
)

__all__ = [
    "MODELS_DIR", "DeviceModelError", "DeviceModelSpec", "Lead", "PortSpec", "Slot", "SocketGrid", "normalise_pci",
    "shipped_models",
]  # fmt: skip
AirClass = Literal["", "A1", "A2", "A3", "A4", "H1"]
MODELS_DIR = Path(__file__).resolve().parents[1] / "device_models"
MAX_FILE_BYTES = 4 * 1024 * 1024
MOST_TOLD = 20
MAX_FOREIGN_DEPTH, MAX_FOREIGN_VALUES = 8, 50_000


def _storable(value: dict[str, Any]) -> dict[str, Any]:
    """What a foreign file said, as far as a database keeps it: no NUL, finite, not nested or large beyond reason."""
    waiting: list[tuple[Any, int]] = [(value, 1)]
    seen = 0
    while waiting:
        each, depth = waiting.pop()
        seen += 1
        if depth > MAX_FOREIGN_DEPTH or seen > MAX_FOREIGN_VALUES:
            raise ValueError(f"more than {MAX_FOREIGN_VALUES} values, or nested more than {MAX_FOREIGN_DEPTH} deep")
        if isinstance(each, dict):
            waiting += [(part, depth + 1) for pair in each.items() for part in pair]
        elif isinstance(each, list | tuple):
            waiting += [(part, depth + 1) for part in each]
        elif isinstance(each, str) and "\0" in each:
            raise ValueError("has a NUL character")
        elif isinstance(each, float) and not math.isfinite(each):
            raise ValueError("a number is not finite")
    return value


class DeviceModelError(ValueError):
    """A device model file that is absent or wrong; the text names the file, the field and the reason."""


class DeviceModelSpec(BaseModel):
    """One device model file, ranges expanded."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: words.Slug
    vendor: words.Vendor
    name: words.Title
    kind: Literal["machine", "switch", "pdu", "panel", "shelf"]
    u_height: float = Field(ge=0, le=60, multiple_of=0.5)
    full_depth: bool = True
    airflow: words.Airflow = ""
    air_class: AirClass = Field(default="", description="ASHRAE class of the air that it takes in; empty: the site's.")
    weight_kg: float | None = Field(default=None, ge=0, le=1e6)
    part_number: words.Label = ""
    half_width: bool = False
    power_w: words.Count = 0
    gpu: GpuSpec | None = None
    psu_count: int = Field(default=0, ge=0, le=1024)
    psus: PsuSpec | None = None
    breaker_a: float | None = Field(default=None, gt=0, le=1000, description="Size of each breaker of a PDU.")
    breakers: dict[words.Breaker, Annotated[float, Field(gt=0, le=1000)]] = Field(
        default_factory=dict, max_length=128, description="Sizes of those breakers of a PDU that differ, by name."
    )
    leads: tuple[Lead, ...] = Field(default=(), max_length=512)
    slots: tuple[Slot, ...] = Field(default=(), max_length=MAX_ROWS)
    ports: tuple[PortSpec, ...] = Field(default=(), max_length=MAX_ROWS)
    faceplate: tuple[SocketGrid, ...] = Field(default=(), max_length=64)
    bays: tuple[words.ShortText, ...] = Field(
        default=(), max_length=1024, description="Bays that take a device, such as a chassis' blades."
    )
    expected: Answers = Field(default_factory=dict)
    sources: tuple[Source, ...] = Field(
        default=(), max_length=64, description="Where the figures are from: the public document, and what it says."
    )
    confirm: tuple[Literal["power_w", "weight_kg", "psus.rated_w", "psus.may_fail"], ...] = Field(
        default=(), description="Figures to plan with that a site is to confirm: no check uses them."
    )
    unmapped: Annotated[dict[str, Any], AfterValidator(_storable)] = Field(
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
                expanded[key] = _bounded(key, expand_ranges(expanded[key]))
        return expanded

    @model_validator(mode="after")
    def _is_consistent(self) -> DeviceModelSpec:
        for what, names in (
            ("slot", [slot.name for slot in self.slots]),
            ("port", [port.name for port in self.ports]),
            ("PCI address", [slot.pci for slot in self.slots if slot.pci]),
            ("device", [slot.device for slot in self.slots if slot.device]),
            ("bay", self.bays),
        ):
            twice = sorted(name for name, times in Counter(names).items() if times > 1)
            if twice:
                raise ValueError(f"{what} named twice: {', '.join(twice[:20])}")
        known = {slot.name for slot in self.slots}
        lost = sorted({port.slot for port in self.ports if port.slot and port.slot not in known})
        if lost:
            raise ValueError(f"ports name slots that do not exist: {', '.join(lost)}")
        if strange := unknown_places(self.expected, known):
            raise ValueError(f"expected: no slot or kind of card {', '.join(strange)}")
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
        names = {port.name for port in self.ports}
        for grid in self.faceplate:
            if grid.first is not None and grid.last is not None:
                lost = set(range(grid.first, grid.last + 1)) - cages
                if lost:
                    raise ValueError(f"faceplate: no port is in cage {min(lost)}")
                continue
            try:
                shown = expand(grid.ports)
            except PatternError as error:
                raise ValueError(f"faceplate: {error}") from error
            if strange := next((name for name in shown if name not in names), None):
                raise ValueError(f"faceplate: there is no port {strange}")

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

    @classmethod
    def load(cls, slug_or_path: str | Path) -> DeviceModelSpec:
        """Read a shipped model by name, or a YAML file by path. Raises DeviceModelError."""
        path = _find(slug_or_path)
        try:
            data = _read_yaml(path)
        except OSError as error:
            raise DeviceModelError(f"{path}: {error.strerror or error}") from error
        except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
            raise DeviceModelError(f"{path}: not YAML: {error}") from error
        return cls.from_dict(data, source=str(path))

    @classmethod
    def from_dict(cls, data: Any, *, source: str = "device model") -> DeviceModelSpec:
        """Check a mapping in the file's form (ranges expanded or not). Raises DeviceModelError naming `source`."""
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise DeviceModelError(f"{source}: {_reasons(error)}") from error
        except Exception as error:  # what a check of ours did not think of must not pass for a fault of ours
            raise DeviceModelError(f"{source}: cannot be read ({type(error).__name__}: {error})") from error

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


def _bounded(key: str, rows: Iterable[Any]) -> list[Any]:
    """Raises ValueError as soon as there are too many, before the rest is made."""
    found: list[Any] = []
    for row in rows:
        found.append(row)
        if len(found) > MAX_ROWS:
            raise ValueError(f"more than {MAX_ROWS} {key}")
    return found


def _reasons(error: ValidationError) -> str:
    """Place and reason of the first faults; a long list says how many more there are."""
    found = [
        f"{'.'.join(map(str, item['loc'])) or 'file'}: {item['msg'].removeprefix('Value error, ')}"
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f"; and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return "; ".join(found[:MOST_TOLD]) + more


def _read_yaml(path: Path) -> Any:
    """Raises ValueError for a file that is too large, or has aliases: a small one could stand for gigabytes."""
    with path.open(encoding="utf-8") as file:
        text = file.read(MAX_FILE_BYTES + 1)
    if len(text) > MAX_FILE_BYTES:
        raise ValueError(f"larger than {MAX_FILE_BYTES // 2**20} MiB")
    if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.CSafeLoader)):
        raise ValueError("aliases (*name) are not read")
    return yaml.load(text, Loader=yaml.CSafeLoader)


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
