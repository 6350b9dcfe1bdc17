"""What makes a machine part of a cluster: the container runtime, the kubelet, IMEX, the packages of its image."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from health.checks.parsers import ParseError

CRI, KUBELET, IMEX, PACKAGES = "crictl info", "kubelet", "nvidia-imex-ctl", "packages"
_HEALTH = re.compile(r"^(.*?) ?(\d{3})\s*$", re.DOTALL)
_IMEX_NODE = re.compile(
    r"^Node #(\d+)\s*\*?\s*-\s*(\S+)(?:\s*\([^)]*\))?\s*-\s*(\w+)(?:\s*-\s*Version: (\S+))?", re.MULTILINE
)
_IMEX_ROW = re.compile(r"^\s*(\d+)((?:\s+(?:I|N|R|D|A|C|!V!|!M!))+)\s*$", re.MULTILINE)
_IMEX_DOMAIN = re.compile(r"^Domain State: (\w+)", re.MULTILINE)
_IMEX_WORDS = {"I": "INVALID", "N": "NEVER_CONNECTED", "R": "RECOVERING", "D": "DISCONNECTED", "A": "AUTHENTICATING",
               "!V!": "VERSION_MISMATCH", "!M!": "NODE_MAP_MISMATCH"}  # fmt: skip
_NOT_THERE = re.compile(r"(?:no packages found matching|package) (\S+?)(?: is not installed)?\s*$", re.MULTILINE)
_OFED = re.compile(r"^(?:MLNX_OFED_LINUX|OFED[\w-]*?|DOCA[\w-]*?)-(\d[\w.-]*?):?\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Runtime:
    """The container runtime's own conditions (RuntimeReady, NetworkReady): whether each holds, and why not."""

    conditions: Mapping[str, tuple[bool, str]]
    error: str = ""


def parse_crictl(text: str) -> Runtime:
    """`crictl info`. A runtime that does not answer is a result, not an error. Raises ParseError."""
    start = text.find("{")
    if start < 0:
        if re.search(r"validate service connection|connect: |FATA\[|rpc error", text):
            return Runtime({}, error=" ".join(text.split())[:300])
        raise ParseError(CRI, text.strip()[:200] or "no output")
    try:
        data, _ = json.JSONDecoder().raw_decode(text[start:])
        rows = data["status"]["conditions"]
        found = {str(row["type"]): (bool(row["status"]), _reason(row)) for row in rows}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ParseError(CRI, "not JSON, cut off, or without conditions") from error
    return Runtime(found)


def _reason(row: Mapping[str, Any]) -> str:
    return ": ".join(str(row[name]) for name in ("reason", "message") if row.get(name))


@dataclass(frozen=True)
class Kubelet:
    """systemd's word for the unit, and what its health page said with which status; 0 where it does not answer."""

    unit: str
    status: int
    page: str


def parse_kubelet(text: str) -> Kubelet:
    """The unit's state, then the health page with its HTTP status. Raises ParseError."""
    unit, _, page = text.strip().partition("\n")
    found = _HEALTH.match(page)
    if not re.fullmatch(r"[a-z-]+", unit) or not found:
        raise ParseError(KUBELET, f"neither a unit's state nor a health page: {text.strip()[:200] or 'no output'}")
    return Kubelet(unit, int(found.group(2)), " ".join(found.group(1).split())[:300])


@dataclass(frozen=True)
class ImexNode:
    """`trouble`: the states of its connections to other nodes that are not connected, by node."""

    number: int
    host: str
    state: str
    version: str = ""
    trouble: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imex:
    """The domain as one node sees it; `domain` is UP, DEGRADED or DOWN, empty where only this node was asked."""

    nodes: tuple[ImexNode, ...]
    domain: str = ""


def parse_imex(text: str) -> Imex:
    """`nvidia-imex-ctl -N` as text or JSON (-j), or `-q`, which is one word of this node. Raises ParseError."""
    if (start := text.find("{")) >= 0:
        return _imex_json(text[start:])
    word = text.strip()
    if re.fullmatch(r"[A-Z_]+", word):
        return Imex((ImexNode(0, "", word),))
    rows = {int(number): marks.split() for number, marks in _IMEX_ROW.findall(text)}
    nodes = [
        ImexNode(int(number), host, state, version, _connections(rows.get(int(number), [])))
        for number, host, state, version in _IMEX_NODE.findall(text)
    ]
    domain = _IMEX_DOMAIN.search(text)
    if not nodes or not domain:
        raise ParseError(IMEX, f"no domain in the output: {text.strip()[:200] or 'no output'}")
    return Imex(tuple(nodes), domain.group(1))


def _connections(marks: list[str]) -> tuple[str, ...]:
    return tuple(f"{_IMEX_WORDS[mark]} to node {other}" for other, mark in enumerate(marks) if mark != "C")


def _imex_json(text: str) -> Imex:
    try:
        data, _ = json.JSONDecoder().raw_decode(text)
        nodes = []
        for number, row in data["nodes"].items():
            told = row.get("connections") or {}
            states = {other: str(each.get("status", "")).upper() for other, each in told.items()}
            trouble = tuple(f"{state} to node {other}" for other, state in states.items() if state != "CONNECTED")
            host, version = str(row.get("host") or ""), str(row.get("version") or "")
            nodes.append(ImexNode(int(number), host, str(row["status"]).upper(), version, trouble))
        return Imex(tuple(nodes), str(data["status"]).upper())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ParseError(IMEX, "not JSON, cut off, or without a domain") from error


@dataclass(frozen=True)
class Packages:
    """Installed versions by name, names that are not installed, and the version of OFED or DOCA (None: not told)."""

    versions: Mapping[str, str]
    absent: frozenset[str]
    ofed: str | None = None


def parse_packages(text: str) -> Packages:
    """`dpkg-query -W` or `rpm -q`, one `NAME<tab>VERSION` a line, and `ofed_info -s`. Raises ParseError."""
    rows = [line.split("\t") for line in text.splitlines() if "\t" in line]
    # Of a package that was removed dpkg still knows the name, without a version.
    versions = {row[0].partition(":")[0]: row[1].strip() for row in rows if row[1].strip()}
    absent = {row[0].partition(":")[0] for row in rows if not row[1].strip()} | set(_NOT_THERE.findall(text))
    ofed = _OFED.search(text)
    if not versions and not absent and not ofed:
        raise ParseError(PACKAGES, f"no package in the output: {text.strip()[:200] or 'no output'}")
    return Packages(versions, frozenset(absent), ofed.group(1) if ofed else None)
