"""What a rule may ask while it judges: limits, the model, and which slot an identifier of a tool belongs to."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

from health.checks.faults import FAULT_CLASSES
from health.checks.model import (
    CheckDeclaration,
    Earlier,
    Expectation,
    ExpectedComponent,
    KernelLines,
    Outcome,
    fail,
    warn,
)
from health.checks.parsers.bmc import BmcReport
from health.checks.parsers.gpu_plight import LOST
from health.checks.parsers.gpus import Gpu, GpuReport
from health.checks.parsers.kernel_log import KernelLog
from health.checks.sources import Reading
from health.checks.verdicts import Verdict
from health.checks.watched import GPUS, READING, watched
from health.checks.xid import decode
from inventory.specs.device_model import DeviceModelSpec, Slot

# A GPU with one of these in the kernel log is what nvidia-smi then waits for.
_STUCK = ("gpu.bus", "gpu.hung")
TRIAGE = "Find out what the line means; accept it for this model, or mark it as bad."
NO_COMPONENT = ExpectedComponent()
SHORTEST_GROWTH_S = 60.0
NEVER_THE_SAME = "now"
"""Noted by whoever asks for what is another at every look."""
T = TypeVar("T")


class worked_out(Generic[T]):
    """A property that is worked out once for a report. Whoever asks for it asked for what it was worked out from."""

    def __init__(self, make: Callable[[Context], T]) -> None:
        self.make, self.__doc__ = make, make.__doc__

    @overload
    def __get__(self, x: None, owner: type) -> worked_out[T]: ...
    @overload
    def __get__(self, x: Context, owner: type) -> T: ...
    def __get__(self, x: Context | None, owner: type) -> worked_out[T] | T:
        if x is None:
            return self
        found = x._known.get(self)
        if found is None:
            return x.once(self, lambda: self.make(x))
        x.asked |= found[1]
        known: T = found[0]
        return known


class Asked(Mapping[str, Reading]):
    """Readings that note which of them were asked for, there or not."""

    def __init__(self, readings: Mapping[str, Reading], note: Callable[[Hashable], None]) -> None:
        self._readings, self._note = readings, note

    def __getitem__(self, name: str) -> Reading:
        self._note(name)
        return self._readings[name]

    def get(self, name: str, default: Any = None) -> Any:
        self._note(name)
        return self._readings.get(name, default)

    def __contains__(self, name: object) -> bool:
        self._note(name)
        return name in self._readings

    def __iter__(self) -> Iterator[str]:
        self._note(NEVER_THE_SAME)  # whoever looks which there are is asked again
        return iter(self._readings)

    def __len__(self) -> int:
        self._note(NEVER_THE_SAME)
        return len(self._readings)


class Context:
    """One report being judged. Built once per report; the rules only read it, and what they ask for is noted."""

    def __init__(
        self,
        expectation: Expectation,
        readings: Mapping[str, Reading],
        *,
        bmc: BmcReport | None = None,
        unreachable: str | None = None,
        boot_id: str = "",
        machine_time: float | None = None,
        clock_ahead_s: float | None = None,
        watch: bool = False,
    ) -> None:
        self.spec: DeviceModelSpec = expectation.model
        self.unreachable = unreachable
        self.boot_id = boot_id
        self.asked: set[Hashable] = set()
        """With `watch`, what was asked for since it was last emptied; see `health.checks.reuse`."""
        self._watch = watch
        self._readings = readings
        self.readings: Mapping[str, Reading] = Asked(readings, self._note) if watch else readings
        self._expectation = expectation
        self._bmc = bmc
        self._machine_time, self._clock_ahead_s = machine_time, clock_ahead_s
        self._known: dict[Hashable, tuple[Any, set[Hashable]]] = {}
        self._limits = {**(self.spec.expected.get("thresholds") or {}), **expectation.thresholds}

    def _note(self, what: Hashable) -> None:
        self.asked.add(what)

    def fed_by(self, name: str) -> Reading | None:
        """The reading of a check, its data apart."""
        reading = self._readings.get(name)
        self._note(READING if name == GPUS and reading and isinstance(reading.data, GpuReport) else name)
        return reading

    def data_of(self, reading: Reading) -> Any:
        """The data of a reading of `fed_by`."""
        return self.gpus if reading.name == GPUS and isinstance(reading.data, GpuReport) else reading.data

    # What stays the same from look to look: another one makes everything be judged anew.

    @property
    def serial(self) -> str:
        return self._expectation.serial

    @property
    def machine_name(self) -> str:
        return self._expectation.machine_name

    @property
    def kernel_lines(self) -> KernelLines:
        return self._expectation.kernel_lines

    @property
    def bmc_expected(self) -> bool:
        return self._expectation.bmc_expected

    # What is another at every look: a rule that asks for it is asked again.

    @property
    def bmc(self) -> BmcReport | None:
        self._note(NEVER_THE_SAME)
        return self._bmc

    @property
    def machine_time(self) -> float | None:
        self._note(NEVER_THE_SAME)
        return self._machine_time

    @property
    def clock_ahead_s(self) -> float | None:
        self._note(NEVER_THE_SAME)
        return self._clock_ahead_s

    @property
    def earlier(self) -> Earlier | None:
        self._note(NEVER_THE_SAME)
        return self._expectation.earlier

    @property
    def restarted_at(self) -> float | None:
        self._note(NEVER_THE_SAME)
        return self._expectation.restarted_at

    def limit(self, declaration: CheckDeclaration, name: str) -> float:
        """The number this check judges by: its own override, else the one of that name, else what it declares."""
        own = self._expectation.thresholds_of.get(declaration.id)
        if own is not None and name in own:
            return float(own[name])
        return float(self._limits.get(name, declaration.thresholds[name]))

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What a rule asks of the whole report for each of its parts, worked out for the first of them."""
        found = self._known.get(key)
        if found is None:
            outer, self.asked = self.asked, set()
            try:
                found = self._known[key] = make(), self.asked
            finally:
                outer |= self.asked
                self.asked = outer
        else:
            self.asked |= found[1]
        known: T = found[0]
        return known

    def advice(self, fault_class: str | None, otherwise: str = TRIAGE) -> str:
        """What to do about a fault of this class when nothing better is known; `otherwise` where it has no class."""
        known = FAULT_CLASSES.get(fault_class or "")
        return known.advice if known else otherwise

    @property
    def out_of_line(self) -> Callable[..., Outcome]:
        """What firmware is that differs from most others of its kind on this machine: by the model's policy
        (`firmware_out_of_line`) a warning or, without one, a fault."""
        return warn if self.spec.expected.get("firmware_out_of_line") == "warn" else fail

    def grown(self, part: str, now: Mapping[str, int]) -> tuple[dict[str, int], float] | None:
        """How much each counter of a part grew since the look before, and in how many seconds.

        None when there is nothing to compare with: the first look, or a clock that was set back. A counter that is
        lower than before was reset, as all are by a new start of the machine, so it grew by what it shows. A minute at
        least: a handful within a second is no rate.
        """
        earlier = self.earlier
        before = earlier.counters.get(part) if earlier else None
        elapsed = self.machine_time - earlier.at if earlier and self.machine_time is not None else 0.0
        if not earlier or not before or elapsed <= 0:
            return None
        anew = self.restarted
        grew = {
            name: value if anew or value < before[name] else value - before[name]
            for name, value in now.items()
            if name in before
        }
        return grew, max(elapsed, SHORTEST_GROWTH_S)

    @property
    def restarted(self) -> bool:
        """Whether the machine was rebooted since the look that is compared with."""
        earlier = self.earlier
        return bool(earlier and earlier.boot_id and self.boot_id and earlier.boot_id != self.boot_id)

    def component(self, slot: str) -> ExpectedComponent:
        return self._expectation.components.get(slot, NO_COMPONENT)

    @worked_out
    def gpus(self) -> GpuReport | None:
        """What nvidia-smi told of the GPUs, when it was read."""
        reading = self._readings.get(GPUS)
        report = reading.data if reading and isinstance(reading.data, GpuReport) else None
        if report is None:
            self._note(GPUS)
            return None
        self._note(READING)
        return watched(report, self._note) if self._watch else report

    @worked_out
    def dead_gpus(self) -> tuple[str, ...]:
        """Slots whose GPU left the bus or hung, by the kernel log."""
        reading = self.readings.get("kernel_log")
        log = reading.data if reading and isinstance(reading.data, KernelLog) else None
        lost = [(each, decode(each)) for each in (log.xids if log else ())]
        lost = [(each, meaning) for each, meaning in lost if meaning.verdict is Verdict.FAIL]
        slots = [self.gpu_slot_at(each.address) for each, meaning in lost if meaning.fault_class in _STUCK]
        return tuple(dict.fromkeys(slot.name for slot in slots if slot))

    @worked_out
    def lost_gpus(self) -> frozenset[str]:
        """Names of slots whose GPU the tool calls lost, in a line of its own or in the GPU's fields."""
        report = self.gpus
        named = [self.gpu_slot_at(address) for address in (report.lost if report else ())]
        lost = {name for name, gpu in self.gpu_in.items() if gpu.plight == LOST}
        return frozenset(lost | {slot.name for slot in named if slot})

    @worked_out
    def gpus_to_reset(self) -> tuple[Slot, ...]:
        """Slots of GPUs that the tool cannot reach before they are reset."""
        named = [self.gpu_slot_at(address) for address in (self.gpus.to_reset if self.gpus else ())]
        return tuple(slot for slot in named if slot)

    @cached_property
    def gpu_slots(self) -> tuple[Slot, ...]:
        return self.spec.slots_of("gpu")

    @worked_out
    def _placed(self) -> tuple[dict[str, Gpu], tuple[Gpu, ...]]:
        placed: dict[str, Gpu] = {}
        strays: list[Gpu] = []
        report = self.gpus
        for gpu in report.gpus if report else ():
            slot = self._slot_of(gpu, len(report.gpus) if report else 0)
            if slot and slot.name not in placed:
                placed[slot.name] = gpu
            else:
                strays.append(gpu)
        return placed, tuple(strays)

    @property
    def gpu_in(self) -> Mapping[str, Gpu]:
        """GPUs that nvidia-smi listed, by the slot they are in."""
        return self._placed[0]

    @property
    def stray_gpus(self) -> tuple[Gpu, ...]:
        """GPUs at an address that is no slot of this model."""
        return self._placed[1]

    @worked_out
    def placed_by_order(self) -> bool:
        """No GPU is where the model has one, yet as many are listed: another layout of the same product."""
        report = self.gpus
        known = {slot.pci for slot in self.gpu_slots}
        return report is not None and len(report.gpus) == len(known) and not any(g.pci in known for g in report.gpus)

    def _slot_of(self, gpu: Gpu, listed: int) -> Slot | None:
        """By address; a model or an output without addresses is matched by UUID, minor number, then by order."""
        slots = self.gpu_slots
        if gpu.pci and any(slot.pci for slot in slots) and not self.placed_by_order:
            slot = self.spec.slot_by_pci(gpu.pci)
            return slot if slot and slot.kind == "gpu" else None
        if gpu.uuid and gpu.uuid in self._expected_uuids:
            return self._expected_uuids[gpu.uuid]
        number = gpu.minor_number if gpu.minor_number is not None else gpu.index if listed == len(slots) else None
        return slots[number] if number is not None and 0 <= number < len(slots) else None

    @cached_property
    def _expected_uuids(self) -> dict[str, Slot]:
        found = {slot.name: self.component(slot.name).uuid for slot in self.gpu_slots}
        return {found[slot.name]: slot for slot in self.gpu_slots if found[slot.name]}

    @worked_out
    def _seen_uuids(self) -> dict[str, Slot]:
        slots = {slot.name: slot for slot in self.gpu_slots}
        return {gpu.uuid: slots[name] for name, gpu in self.gpu_in.items() if gpu.uuid}

    @worked_out
    def _slots_by_gpu(self) -> dict[int, Slot]:
        slots = {slot.name: slot for slot in self.gpu_slots}
        return {id(gpu): slots[name] for name, gpu in self.gpu_in.items()}

    def slot_holding(self, gpu: Gpu) -> Slot | None:
        """The slot this GPU of the report is in."""
        return self._slots_by_gpu.get(id(gpu))

    def gpu_slot_of(self, index: int, listed: int, uuid: str | None = None) -> Slot | None:
        """The slot of the GPU that a tool numbers `index` among `listed`.

        Numbers move up when a GPU is gone, so they count only against a list of the same length.
        """
        if uuid and (slot := self._seen_uuids.get(uuid) or self._expected_uuids.get(uuid)):
            return slot
        report = self.gpus
        if report and report.complete and len(report.gpus) == listed and 0 <= index < listed:
            return self.slot_holding(report.gpus[index])
        return self.gpu_slots[index] if listed == len(self.gpu_slots) and 0 <= index < listed else None

    def gpu_slot_at(self, address: str) -> Slot | None:
        slot = self.spec.slot_by_pci(address)
        if slot is not None:
            return slot if slot.kind == "gpu" else None
        wanted = next((gpu for gpu in self.gpu_in.values() if gpu.pci and gpu.pci.startswith(address.lower())), None)
        return self.slot_holding(wanted) if wanted else None
