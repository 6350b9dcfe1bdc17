"""What is in a bundle, what is not and why, and the zip of it. Pure but for the file it writes."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import IO, Any

MANIFEST = "manifest.json"
MOST_BYTES = 64 << 20
"""Of all files of a bundle together, unpacked: what a vendor's portal takes at once."""
LARGEST = 48 << 20
"""Of one file, so that a collection that ran wild leaves room for the rest."""


@dataclass(frozen=True)
class Piece:
    """One file of a bundle, or, with a `reason`, one that is missing. `at`: when it was read."""

    name: str
    source: str
    at: datetime
    content: bytes = b""
    reason: str = ""
    scrubbed: bool = True
    """False: packed by a tool of the vendor, and passed on as it came."""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


def safe_name(name: str) -> str:
    """A path inside the zip: no folder above, no odd letters."""
    parts = [re.sub(r"[^\w.+-]", "_", part) for part in name.split("/") if part not in ("", ".", "..")]
    return "/".join(parts) or "file"


def fitting(pieces: Iterable[Piece], *, most: int = MOST_BYTES, largest: int = LARGEST) -> list[Piece]:
    """In their order; one that is too large, alone or after the others, is missing with that as its reason."""
    found, total = [], 0
    for piece in pieces:
        size = len(piece.content)
        if not piece.reason and (size > largest or total + size > most):
            limit = largest if size > largest else most
            why = f"{size} bytes: a {'file' if size > largest else 'bundle'} has at most {limit}"
            piece = Piece(piece.name, piece.source, piece.at, reason=why, scrubbed=piece.scrubbed)  # noqa: PLW2901
        elif not piece.reason:
            total += size
        found.append(piece)
    return found


def manifest(about: dict[str, Any], pieces: Sequence[Piece], made_at: datetime) -> dict[str, Any]:
    """`about` says of which case and machine it is."""
    files = [
        {
            "name": each.name, "size": len(each.content), "sha256": each.sha256, "source": each.source,
            "at": each.at.isoformat(), "scrubbed": each.scrubbed,
        }
        for each in pieces if not each.reason
    ]  # fmt: skip
    missing = [
        {"name": each.name, "source": each.source, "at": each.at.isoformat(), "reason": each.reason}
        for each in pieces if each.reason
    ]  # fmt: skip
    size = sum(len(each.content) for each in pieces if not each.reason)
    return {**about, "made_at": made_at.isoformat(), "size": size, "files": files, "missing": missing}


def pack(target: IO[bytes], told: dict[str, Any], pieces: Iterable[Piece]) -> None:
    """Write the zip, the manifest first. Equal pieces give equal bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        _add(packed, MANIFEST, json.dumps(told, indent=2).encode())
        for piece in pieces:
            if not piece.reason:
                _add(packed, piece.name, piece.content)


def _add(packed: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_STORED if name.endswith((".zip", ".gz", ".ahs")) else zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    packed.writestr(entry, content)
