"""Where an instance runs, in words: the database compares it with where it was at home and starts paused elsewhere."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path

MACHINE_FILES = (Path("/etc/machine-id"), Path("/sys/class/dmi/id/product_uuid"))
"""The second is new in a copied virtual machine, but only root may read it."""


def machine() -> str:
    """A short fingerprint of this machine; a file that is not there or may not be read counts as empty."""
    digest = hashlib.sha256()
    for file in MACHINE_FILES:
        try:
            digest.update(file.read_bytes().strip())
        except OSError:
            continue
    return digest.hexdigest()[:12]


def home(folder: Path) -> str:
    """Host, its fingerprint and the data folder: `rack-admin:/srv/rackside (3f2a…)`."""
    return f"{socket.gethostname()}:{folder} ({machine()})"
