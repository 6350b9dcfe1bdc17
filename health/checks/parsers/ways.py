"""The ways between parts: `nvidia-smi topo -p2p` (GPU to GPU), and access control on PCIe bridges from `lspci -vv`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from health.checks.parsers import ParseError
from health.checks.parsers.gpus import refuse_failure
from health.checks.probes.cards import END_OF_BRIDGES

PEERS = "nvidia-smi topo -p2p"
BRIDGES = "lspci -vv"

_GPU = re.compile(r"^GPU\d+$")
_CELL = re.compile(r"^(?:X|OK|CNS|GNS|TNS|NS|DR|U)$")
_ADDRESS = re.compile(r"^((?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]) ", re.IGNORECASE)


@dataclass(frozen=True)
class Peers:
    """`links[a][b]` is the word between two GPUs: OK, or why not."""

    gpus: tuple[str, ...]
    links: Mapping[str, Mapping[str, str]]


def parse_peers(text: str) -> Peers:
    refuse_failure(PEERS, text)
    columns: tuple[str, ...] = ()
    links: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        words = line.split()
        if not columns:
            if words and all(_GPU.match(word) for word in words):
                columns = tuple(words)
        elif words and words[0] in columns and len(words) > 1:
            links[words[0]] = {
                column: cell for column, cell in zip(columns, words[1:], strict=False) if _CELL.match(cell)
            }
    if not links:
        raise ParseError(PEERS, "no table of GPUs in the output")
    return Peers(columns, links)


@dataclass(frozen=True)
class Bridge:
    """A PCIe bridge. `redirects`: it sends traffic between devices beneath it up to the host, None where that is not
    told; `has_control` says that it can."""

    address: str
    has_control: bool = False
    redirects: bool | None = None


def parse_bridges(text: str) -> tuple[Bridge, ...]:
    """Raises ParseError when the list is not whole, or may not be read in full (only root sees access control)."""
    lines = text.rstrip().split("\n")
    if lines[-1].strip() != END_OF_BRIDGES:
        first = next((line.strip() for line in lines if line.strip()), "no output")
        raise ParseError(BRIDGES, f"the list of bridges is not whole: {first[:200]}")
    found: list[Bridge] = []
    for line in lines[:-1]:
        if head := _ADDRESS.match(line):
            found.append(Bridge(head.group(1).lower()))
        elif "access denied" in line:
            raise ParseError(BRIDGES, "the bridges may not be read in full: run it as root")
        elif found and "Access Control Services" in line:
            found[-1] = Bridge(found[-1].address, True, found[-1].redirects)
        elif found and "ACSCtl:" in line:
            words = line.split()
            found[-1] = Bridge(found[-1].address, True, any(w in words for w in ("SrcValid+", "ReqRedir+")))
    if not found:
        raise ParseError(BRIDGES, "no PCIe bridge is listed")
    return tuple(found)
