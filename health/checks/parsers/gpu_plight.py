"""GPUs that `nvidia-smi` cannot reach, by the lines of its complaints or by words in the place of a value.

Two words in the place of a value are knowledge: `GPU is lost` and `GPU requires reset` (NVML's return codes 15 and 16,
as nvidia-smi prints them). They stand in whichever field was asked for, so every field is searched for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

LOST, NEEDS_RESET = "lost", "reset"
_PLIGHTS = (("gpu is lost", LOST), ("gpu requires reset", NEEDS_RESET), ("gpu reset required", NEEDS_RESET))
_HANDLE = re.compile(
    r"device handle for GPU\s*(?:\d+:\s*)?([0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}(?:\.\d)?)(.*)", re.IGNORECASE
)
# A handle that was refused to the one who asked says nothing of the GPU.
_REFUSED = ("permission", "driver not loaded")


def lost_gpus(text: str) -> tuple[str, ...]:
    """Addresses in lines such as `Unable to determine the device handle for GPU0000:9B:00.0: Unknown Error`."""
    return _handles(text, lambda said: plight_in(said) != NEEDS_RESET)


def gpus_to_reset(text: str) -> tuple[str, ...]:
    """Addresses in such lines that end with `GPU requires reset`."""
    return _handles(text, lambda said: plight_in(said) == NEEDS_RESET)


def _handles(text: str, wanted: Callable[[str], bool]) -> tuple[str, ...]:
    rows = [(address, said) for address, said in _HANDLE.findall(text) if not _is_refused(said)]
    return tuple(dict.fromkeys(address for address, said in rows if wanted(said)))


def _is_refused(said: str) -> bool:
    return any(word in said.lower() for word in _REFUSED)


def plight_in(text: str) -> str:
    """LOST or NEEDS_RESET where the tool says so, else nothing."""
    lowered = text.lower()
    return next((plight for words, plight in _PLIGHTS if words in lowered), "")


def plight_of(values: Iterable[str]) -> str:
    """What any of a GPU's values says instead of a value; lost goes before reset."""
    found = {plight_in(value) for value in values}
    return LOST if LOST in found else NEEDS_RESET if NEEDS_RESET in found else ""
