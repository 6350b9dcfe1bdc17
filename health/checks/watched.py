"""GPUs as a rule sees them while it is noted what it asks for: field by field, because nearly every output of
nvidia-smi differs from the last one, in temperatures and watts, and nearly every rule asks for something else."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any, cast

from health.checks.parsers.gpus import Gpu, GpuReport
from health.checks.sources import Reading

GPUS = "gpus"
"""The reading as a whole: noted by whoever asks for more than single fields."""
READING: Hashable = ("gpus", "reading")
"""What is told of the output besides its data: command, exit status, trouble."""
COUNT: Hashable = ("gpus", "count")
Note = Callable[[Hashable], None]


@cache
def _key(of: str, name: str) -> tuple[str, str]:
    return of, name


class _WatchedGpu:
    __slots__ = ("_gpu", "_note")

    def __init__(self, gpu: Gpu, note: Note) -> None:
        self._gpu, self._note = gpu, note

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._gpu, name)
        self._note(GPUS if callable(value) else _key("gpu", name))
        return value


class _WatchedReport:
    __slots__ = ("_gpus", "_note", "_report")

    def __init__(self, report: GpuReport, note: Note) -> None:
        self._report, self._note = report, note
        self._gpus = tuple(_WatchedGpu(gpu, note) for gpu in report.gpus)

    @property
    def gpus(self) -> tuple[_WatchedGpu, ...]:
        self._note(COUNT)
        return self._gpus

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._report, name)
        self._note(GPUS if callable(value) else _key("report", name))
        return value


def watched(report: GpuReport, note: Note) -> GpuReport:
    """The same report to whoever reads it; `note` gets a key for each field that is asked for."""
    return cast(GpuReport, _WatchedReport(report, note))


def is_key(asked: Hashable) -> bool:
    """Whether this is one of the keys that are noted here."""
    return isinstance(asked, tuple)


def value_of(key: Any, reading: Reading) -> Any:
    """What such a key stands for in this reading: equal to the last one when it is the same."""
    if key == READING:
        return reading.command, reading.exit_status, reading.trouble, reading.doubt, reading.is_mangled
    report: GpuReport = reading.data
    if key == COUNT:
        return len(report.gpus)
    kind, name = key
    return getattr(report, name) if kind == "report" else tuple(getattr(gpu, name) for gpu in report.gpus)


def values_of(keys: Mapping[Hashable, Any], reading: Reading | None) -> dict[Hashable, Any]:
    """The same keys with their values now; empty where there are no GPUs to read them of."""
    if reading is None or not isinstance(reading.data, GpuReport):
        return {}
    return {key: _value_of(key, reading) for key in keys}


def _value_of(key: Hashable, reading: Reading) -> Any:
    """One that cannot be told is no other's equal: whoever asked for it is asked again, and says so himself."""
    try:
        return value_of(key, reading)
    except Exception:
        return object()
