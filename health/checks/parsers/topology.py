"""`nvidia-smi topo -m`: how GPUs and network cards reach each other."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from health.checks.parsers import LONGEST_LINE, ParseError
from health.checks.parsers.gpus import refuse_failure

WHERE = "nvidia-smi topo -m"

_DEVICE = re.compile(r"^(?:GPU|NIC|mlx)\S*\d+$")
_GPU = re.compile(r"^GPU\d+$")
_LEGEND = re.compile(r"^\s*(NIC\d+):\s*(\S+)\s*$")
_CELL = re.compile(r"^(?:X|SYS|NODE|PHB|PXB|PIX|NV\d+)$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_HEADINGS = re.compile("CPU Affinity|NUMA Affinity|GPU NUMA ID")  # of columns, of two or three words


@dataclass(frozen=True)
class Topology:
    """`links[a][b]` is the word between two columns, such as NV18 or PXB; `nics` maps NIC3 to mlx5_3.

    `cut` says that rows are missing: the output ended early.
    """

    gpus: tuple[str, ...]
    links: Mapping[str, Mapping[str, str]]
    nics: Mapping[str, str]
    cut: bool


@lru_cache(maxsize=256)
def _is_cell(word: str) -> bool:
    return _CELL.match(word) is not None


def parse_topology(text: str) -> Topology:
    refuse_failure(WHERE, text)
    lines = _HEADINGS.sub("", _COLOUR.sub("", text)).splitlines()
    columns: list[str] = []
    links: dict[str, dict[str, str]] = {}
    nics: dict[str, str] = {}
    for line in lines:
        words = line.split()
        if found := _LEGEND.match(line):
            nics[found.group(1)] = found.group(2)
        elif not columns:
            if words and all(_DEVICE.match(word) for word in words) and _GPU.match(words[0]):
                columns = words
        elif words and words[0] in columns and len(words) > 1:
            links[words[0]] = {
                column: cell for column, cell in zip(columns, words[1:], strict=False) if _is_cell(cell[:LONGEST_LINE])
            }
    gpus = tuple(column for column in columns if _GPU.match(column))
    if not gpus:
        raise ParseError(WHERE, "no table of GPUs in the output")
    if not any(gpu in links for gpu in gpus):
        raise ParseError(WHERE, "the table has no rows")
    # Old drivers use the device's own name as the column.
    nics.update({column: column for column in columns if column.startswith("mlx")})
    return Topology(gpus=gpus, links=links, nics=nics, cut=any(column not in links for column in columns))
