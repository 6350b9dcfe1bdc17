"""Writing a backup: one tar file with a dump of the database, the attachments and a manifest to check them by.

    manifest.json   what is inside: versions, rows of each table, checksum of each member, fingerprints of the keys
    database.dump   pg_dump, custom format, taken in the same snapshot in which the rows were counted
    files/...       attachments and captures
    keys.sealed     only with a passphrase: the secrets, encrypted (scrypt, Fernet)

Without a passphrase the keys do not travel: whoever finds the file cannot read the credentials in it.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import io
import json
import os
import subprocess
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import psycopg
from cryptography.fernet import Fernet, InvalidToken

from config.embedded.instance import Instance
from config.embedded.postgres import DATABASE, USER
from config.embedded.progress import LaunchError

FORMAT = 1
SECRETS = ("secret_key", "credential_keys")
SALT_BYTES = 16


def version() -> str:
    from config.settings import VERSION

    return VERSION


def write_backup(instance: Instance, target: Path, *, passphrase: str | None) -> dict[str, Any]:
    """Write the backup and return its manifest. Refuses to overwrite; a failed one leaves no file behind."""
    if target.exists():
        raise LaunchError(f"{target} exists already.", "Give a new name: a backup never overwrites.")
    if not target.parent.is_dir():
        raise LaunchError(f"There is no folder {target.parent}.", "Make it first, or give another name.")
    unfinished = target.with_name(f".{target.name}.unfinished")
    try:
        handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as stream:
            manifest = _write_archive(instance, stream, passphrase)
            stream.flush()
            os.fsync(stream.fileno())
        os.link(unfinished, target)  # unlike a rename it fails when somebody made `target` meanwhile
    except FileExistsError as error:
        raise LaunchError(f"{target} exists already.", "Give a new name: a backup never overwrites.") from error
    except OSError as error:
        raise LaunchError(f"The backup cannot be written to {target}: {error.strerror or error}.") from error
    finally:
        unfinished.unlink(missing_ok=True)
    return manifest


def _write_archive(instance: Instance, stream: BinaryIO, passphrase: str | None) -> dict[str, Any]:
    members: dict[str, str] = {}
    folder = instance.folder
    with tempfile.TemporaryDirectory(dir=folder.path) as workplace, tarfile.open(fileobj=stream, mode="w") as archive:
        dump = Path(workplace, "database.dump")
        tables = dump_database(instance, dump)

        def add(name: str, path: Path) -> None:
            with path.open("rb") as content:
                members[name] = hashlib.file_digest(content, "sha256").hexdigest()
            archive.add(path, name, recursive=False)

        add("database.dump", dump)
        for path in sorted(folder.files.rglob("*")):
            if path.is_file() and not path.is_symlink():
                with contextlib.suppress(FileNotFoundError):  # deleted since it was listed
                    add(f"files/{path.relative_to(folder.files)}", path)
        keys = {name: folder.secret(name) for name in SECRETS}
        if passphrase:
            sealed = Path(workplace, "keys.sealed")
            sealed.write_bytes(seal(json.dumps(keys).encode(), passphrase))
            add("keys.sealed", sealed)
        manifest = {
            "format": FORMAT,
            "rackside": version(),
            "postgresql": instance.postgres.major(),
            "written_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "tables": tables,
            "members": members,
            "done": folder.read_record("done"),
            "key_fingerprints": key_fingerprints(keys["credential_keys"]),
        }
        content = json.dumps(manifest, indent=1).encode()
        entry = tarfile.TarInfo("manifest.json")
        entry.size, entry.mtime, entry.mode = len(content), int(time.time()), 0o600
        archive.addfile(entry, io.BytesIO(content))
    return manifest


def dump_database(instance: Instance, target: Path) -> dict[str, int]:
    """Dump the database; returns the rows of each table as they are in the dump."""
    postgres = instance.postgres
    with postgres.connect() as connection:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        snapshot = str(row[0]) if row else ""
        tables = count_rows(connection, instance.progress.tick)
        with target.open("wb") as output:
            command = [postgres.binary("pg_dump"), "-h", str(instance.folder.sockets), "-U", USER, "-Fc"]
            run_tool(instance, [*command, f"--snapshot={snapshot}", DATABASE], output)
    return tables


def count_rows(connection: psycopg.Connection[tuple[object, ...]], tick: Callable[[], None]) -> dict[str, int]:
    """Rows of every table of the schema `public`; of a partitioned one its partitions are counted."""
    names = connection.execute(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname"
    ).fetchall()
    counts = {}
    for (name,) in names:
        row = connection.execute(f'SELECT count(*) FROM public."{name}"').fetchone()
        counts[str(name)] = int(str(row[0])) if row else 0
        tick()
    return counts


def run_tool(instance: Instance, command: list[str], output: BinaryIO | None = None) -> None:
    """Run a PostgreSQL client program to its end; its error output becomes the LaunchError."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            env=instance.postgres.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output or subprocess.DEVNULL,
            stderr=errors,
        )
        try:
            while process.poll() is None:
                instance.progress.tick()
                time.sleep(0.1)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode != 0:
            errors.seek(0)
            words = errors.read().decode(errors="replace").strip()[-2000:]
            raise LaunchError(f"{Path(command[0]).name} failed: {words}")


# ---- keys ----
def key_fingerprints(credential_keys: str) -> list[str]:
    """A short hash of each credential key: enough to tell whether the right one is at hand, useless to an attacker."""
    return [hashlib.sha256(key.strip().encode()).hexdigest()[:12] for key in credential_keys.split(",") if key.strip()]


def _cipher(passphrase: str, salt: bytes) -> Fernet:
    key = hashlib.scrypt(passphrase.encode(), salt=salt, n=2**15, r=8, p=1, maxmem=2**26, dklen=32)
    return Fernet(base64.urlsafe_b64encode(key))


def seal(content: bytes, passphrase: str) -> bytes:
    salt = os.urandom(SALT_BYTES)
    return salt + _cipher(passphrase, salt).encrypt(content)


def unseal(sealed: bytes, passphrase: str) -> bytes:
    """Raises LaunchError with a wrong passphrase or changed content."""
    try:
        return _cipher(passphrase, sealed[:SALT_BYTES]).decrypt(sealed[SALT_BYTES:])
    except InvalidToken as error:
        raise LaunchError("The passphrase does not open the keys of this backup.") from error
