"""Where an instance runs, in words: the database compares it with where it was at home and starts paused elsewhere."""

from __future__ import annotations

import hashlib
import os
import socket
from pathlib import Path

MACHINE_ID, PRODUCT_UUID = Path("/etc/machine-id"), Path("/sys/class/dmi/id/product_uuid")
"""The second is new in a copied virtual machine, but only root may read it."""


def machine(*, of_root: bool) -> str:
    """A short fingerprint of this machine; a file that is not there or may not be read counts as empty."""
    digest = hashlib.sha256()
    for file in (MACHINE_ID, PRODUCT_UUID) if of_root else (MACHINE_ID,):
        try:
            digest.update(file.read_bytes().strip())
        except OSError:
            continue
    return digest.hexdigest()[:12]


def home(folder: Path) -> str:
    """Host, its fingerprint and the data folder: `rack-admin:/srv/rackside (3f2a…)`.

    It is the same whoever asks, so that `sudo ./rackside manage take_over` means the place in which the service runs:
    what only root may read counts where the folder is root's, which nobody else can run.
    """
    return f"{socket.gethostname()}:{folder} ({machine(of_root=_owner(folder) == 0)})"


def _owner(folder: Path) -> int:
    """User id of a data folder, or of whoever is about to make it."""
    try:
        return folder.stat().st_uid
    except OSError:
        return os.geteuid()
