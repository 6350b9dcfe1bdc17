"""How far a pull is, in bytes, as its engine tells it. Pure.

Docker names each layer and what became of it, not how much of one has come: bytes grow by whole layers, whose sizes
the manifest says. containerd says the bytes of each layer. Enroot keeps the layers that it has under their digest.
What was there before the pull counts for nothing: it is neither fetched nor waited for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from health.checks.parsers.images import CONTAINERD, DOCKER

TAIL_BYTES = 32_768
LAYERS = "rackside-layers"
_DOCKER = re.compile(r"^([0-9a-f]{12}): (.+)$")
_CTR = re.compile(r"^layer-(sha256:[0-9a-f]{64}):\s+(\S+)\s*(?:\|[^|]*\|)?\s*(?:([\d.]+) ?([KMGT]?i?)B/)?")
_ENROOT = re.compile(r"^([0-9a-f]{64})(?:\.\w+)?$")
_UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True, slots=True)
class Pulled:
    """`bytes` of `of` have come, of what was to be fetched."""

    bytes: int
    of: int


@dataclass(frozen=True, slots=True)
class Pace:
    """Since the pull began; None: not known, as before the first byte."""

    rate_bytes_s: float | None = None
    left_s: float | None = None


def pace(come: int | None, of: int | None, seconds: float) -> Pace:
    if not come or of is None or seconds <= 0:
        return Pace()
    rate = come / seconds
    return Pace(rate, max(0, of - come) / rate)


def ask(engine: str) -> str:
    """The command, in the folder of a pull's job, whose answer `pulled` reads."""
    if engine in (DOCKER, CONTAINERD):
        return f"tail -c {TAIL_BYTES} out"
    cache = '"${ENROOT_CACHE_PATH:-${XDG_CACHE_HOME:-$HOME/.cache}/enroot}"'
    return f"cat err && echo {LAYERS} && ls {cache}"


def pulled(engine: str, text: str, layers: Mapping[str, int]) -> Pulled | None:
    """From digest and compressed size of each layer; None where the engine does not tell it."""
    if not layers:
        return None
    if engine == DOCKER:
        return _by_docker(text, layers)
    return _by_containerd(text, layers) if engine == CONTAINERD else _by_enroot(text, layers)


def _by_docker(text: str, layers: Mapping[str, int]) -> Pulled | None:
    """`a1b2c3d4e5f6: Download complete`, a line for each thing that happens to a layer."""
    sizes = {digest.removeprefix("sha256:")[:12]: size for digest, size in layers.items()}
    last = {found[1]: found[2] for line in text.splitlines() if (found := _DOCKER.match(line.strip()))}
    told = {layer: said for layer, said in last.items() if layer in sizes}
    if not told:
        return None
    wanted = {layer: size for layer, size in sizes.items() if told.get(layer) != "Already exists"}
    here = ("Verifying Checksum", "Download complete", "Extracting", "Pull complete")
    come = sum(size for layer, size in wanted.items() if told.get(layer, "").startswith(here))
    return Pulled(come, sum(wanted.values()))


def _by_containerd(text: str, layers: Mapping[str, int]) -> Pulled | None:
    """`layer-sha256:..: downloading |+++---| 12.0 MiB/45.1 MiB`: the table again and again, its last state counts."""
    last: dict[str, tuple[str, int]] = {}
    for line in _ESCAPES.sub("", text).splitlines():
        if (found := _CTR.match(line.strip())) and found[1] in layers:
            come = round(float(found[3]) * _UNITS.get(found[4], 1)) if found[3] else 0
            last[found[1]] = (found[2], come)
    if not last:
        return None
    wanted = {digest: size for digest, size in layers.items() if last.get(digest, ("", 0))[0] != "exists"}
    come = 0
    for digest, size in wanted.items():
        state, part = last.get(digest, ("", 0))
        come += size if state == "done" else min(part, size)
    return Pulled(come, sum(wanted.values()))


def _by_enroot(text: str, layers: Mapping[str, int]) -> Pulled | None:
    """Layers that lie in its cache are whole. What was there before cannot be told from what came: it counts too."""
    said, mark, files = text.partition(f"{LAYERS}\n")
    if not mark or ("Downloading" not in said and "Found all layers" not in said):
        return None
    here = {line.strip() for line in files.splitlines()}
    come = sum(size for digest, size in layers.items() if digest.removeprefix("sha256:") in here)
    return Pulled(come, sum(layers.values()))
