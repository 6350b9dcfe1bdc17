"""A data folder: everything one instance keeps, where it is, and who holds it."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from config.embedded.account import Account, closed_parent, database_account
from config.embedded.progress import LaunchError

SOCKET_PATH_LIMIT = 90  # the kernel takes about 107 bytes; PostgreSQL adds `.s.PGSQL.5432.lock`
MARKER = "rackside.lock"
OUTSIDE = Path("/var/lib/rackside")
OWNER = "belongs-to"
"""In a place outside: the path of its data folder."""
PREVIOUS_OWNER_WAIT_S = 30.0


def read_owner(place: Path) -> str | None:
    """The data folder that a place outside belongs to."""
    try:
        return (place / OWNER).read_text().strip() or None
    except OSError:
        return None


def is_alive(pid: int) -> bool:
    """Whether a process runs; a zombie, which only waits to be reaped, does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


class DataFolder:
    """Paths and small files of one instance. Only the holder of the lock may write below `path`."""

    def __init__(self, path: Path) -> None:
        self.path = Path(os.path.realpath(path))
        self.digest = hashlib.sha256(str(self.path).encode()).hexdigest()[:16]
        self._lock: int | None = None

    # ---- paths ----
    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def files(self) -> Path:
        """Attachments and captures: RACKSIDE_DATA_DIR."""
        return self.path / "files"

    @property
    def valkey(self) -> Path:
        return self.path / "valkey"

    @property
    def backups(self) -> Path:
        return self.path / "backups"

    @property
    def open_place(self) -> Path:
        """Where files go that PostgreSQL's account must reach.

        That is the data folder, or, where root keeps it below a closed folder such as /root, a folder of its own. What
        was chosen at the first start stays, so that a later chmod does not make the database vanish. Raises
        LaunchError when the place that is written down belongs to another folder.
        """
        recorded = self.read_record("place")
        if not recorded.get("open_place"):
            account = database_account()
            inside = account is None or closed_parent(self.path, account) is None
            return self.path if inside else OUTSIDE / self.digest
        place = Path(recorded["open_place"])
        if (self.path / "postgres").exists() or place == self.path or place == Path(recorded.get("folder", "")):
            return self.path  # it is inside, wherever the folder was moved or copied to
        self._refuse_foreign(place, recorded.get("folder"))
        return place

    def _refuse_foreign(self, place: Path, folder: str | None) -> None:
        """A place outside belongs to one data folder; a copy of that folder has no database of its own."""
        if not place.exists():
            todo = "A copied folder does not bring it along: restore a backup into a new folder."
            raise LaunchError(f"The database of {self.path} is not in {place} any more.", todo)
        if place == OUTSIDE / self.digest:
            return
        owner = folder or read_owner(place)
        if owner is not None and owner != str(self.path) and not (Path(owner) / MARKER).exists():
            return  # the folder was moved: its old path is gone
        raise LaunchError(
            f"The database in {place} belongs to {owner or 'another data folder'}, not to {self.path}.",
            "A copied folder does not bring it along: make a backup of the original and restore it into a new folder.",
        )

    @property
    def postgres(self) -> Path:
        return self.open_place / "postgres"

    @property
    def sockets(self) -> Path:
        """Folder of the unix sockets; a hashed one below the temporary folder where the path would be too long."""
        inside = self.open_place / "run"
        if len(os.fsencode(inside)) <= SOCKET_PATH_LIMIT - 20:
            return inside
        return Path(tempfile.gettempdir()) / f"rackside-{os.geteuid()}-{self.digest}"

    @property
    def preloaded(self) -> Path:
        """The socket of the process from which programs are forked."""
        return self.sockets / "preloaded.sock"

    def log(self, name: str) -> Path:
        return self.logs / f"{name}.log"

    # ---- making and removing ----
    def create(self) -> None:
        """Make the folder. As root it can be entered, not read, by others, so that PostgreSQL reaches its part."""
        if self.path.exists() and any(self.path.iterdir()) and not (self.path / MARKER).exists():
            raise LaunchError(
                f"{self.path} is not empty and not a data folder of Rackside.", "Give an empty or new folder to --data."
            )
        try:
            self.path.mkdir(mode=0o711 if database_account() else 0o700, parents=True, exist_ok=True)
            (self.path / MARKER).touch(mode=0o600)
        except OSError as error:
            raise LaunchError(
                f"Cannot write to {self.path}: {error.strerror}.", "Give a folder of yours to --data."
            ) from error
        for folder in (self.logs, self.files, self.valkey, self.path / "secrets", self.path / "pulse"):
            folder.mkdir(mode=0o700, exist_ok=True)
        place = self.open_place
        if place != self.path:
            place.mkdir(mode=0o711, parents=True, exist_ok=True)
            (place / OWNER).write_text(str(self.path))
        self.write_record("place", {"open_place": str(place), "folder": str(self.path)})
        self._make_private(self.sockets, database_account())

    def _make_private(self, folder: Path, account: Account | None) -> None:
        """A 0700 folder that is ours (or PostgreSQL's account's), never one somebody else put there first."""
        folder.mkdir(mode=0o700, exist_ok=True)
        info = folder.lstat()
        ours = {os.geteuid()} | ({account.uid} if account else set())
        if folder.is_symlink() or info.st_uid not in ours:
            raise LaunchError(f"{folder} belongs to somebody else.", "Remove it, or give a shorter path to --data.")
        folder.chmod(0o700)
        if account:
            os.chown(folder, account.uid, account.gid)

    def erase(self) -> None:
        """Delete all that the instance kept. The caller holds the lock; the lock file stays so that it keeps it."""
        for outside in {self.open_place, self.sockets} - {self.path}:
            shutil.rmtree(outside, ignore_errors=True)
        for entry in self.path.iterdir():
            if entry.name != MARKER:
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        self.create()

    # ---- the lock ----
    def acquire(self) -> None:
        """Take the lock, or say who holds it. The kernel releases it with its last holder, so it is never stale.

        When the supervisor was killed its guard holds the lock until the children are gone: that is waited for.
        """
        handle = os.open(self.path / MARKER, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + PREVIOUS_OWNER_WAIT_S
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                owner = os.pread(handle, 32, 0).decode(errors="replace").strip()
                if (owner.isdigit() and is_alive(int(owner))) or time.monotonic() > deadline:
                    os.close(handle)
                    raise LaunchError(
                        f"{self.path} is in use by process {owner or '?'}.",
                        "Stop that instance first, or start a second one with another --data and --port.",
                    ) from None
                time.sleep(0.2)
        os.ftruncate(handle, 0)
        os.pwrite(handle, str(os.getpid()).encode(), 0)
        self._lock = handle

    def release(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def owner(self) -> int | None:
        """Process id of whoever holds the lock, None when nobody does."""
        try:
            handle = os.open(self.path / MARKER, os.O_RDWR)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return None
        except BlockingIOError:
            text = os.pread(handle, 32, 0).decode(errors="replace").strip()
            return int(text) if text.isdigit() else -1
        finally:
            os.close(handle)

    # ---- secrets and small records ----
    def secret(self, name: str) -> str:
        """The secret of that name: made at first use, kept with mode 0600."""
        path = self.path / "secrets" / name
        if not path.exists():
            made = {
                "secret_key": lambda: secrets.token_urlsafe(50),
                "credential_keys": lambda: base64.urlsafe_b64encode(secrets.token_bytes(32)).decode(),
            }[name]()
            self.write_secret(name, made)
        return path.read_text().strip()

    def write_secret(self, name: str, value: str) -> None:
        path = self.path / "secrets" / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w") as stream:
            stream.write(value + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(f"{path}.new", path)

    def read_record(self, name: str) -> dict[str, Any]:
        """A small JSON file of the folder; empty when it is missing or was cut off."""
        try:
            value = json.loads((self.path / f"{name}.json").read_text())
        except (OSError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}

    def write_record(self, name: str, value: dict[str, Any]) -> None:
        path = self.path / f"{name}.json"
        temporary = path.with_suffix(".new")
        temporary.write_text(json.dumps(value, indent=1))
        temporary.chmod(0o600)
        os.replace(temporary, path)

    def forget_record(self, name: str) -> None:
        (self.path / f"{name}.json").unlink(missing_ok=True)

    def is_done(self, step: str, fingerprint: str) -> bool:
        """Whether `step` was finished with these inputs (a hash) before."""
        return self.read_record("done").get(step) == fingerprint

    def mark_done(self, step: str, fingerprint: str) -> None:
        self.write_record("done", {**self.read_record("done"), step: fingerprint})
