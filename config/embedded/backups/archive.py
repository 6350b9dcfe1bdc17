"""The tar file of a backup, as something that a stranger may have written: looked into before anything is changed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any

from config.embedded.backups.backup import FORMAT, version
from config.embedded.progress import LaunchError

MANIFEST = "manifest.json"
MOST_MANIFEST_BYTES = 256 * 2**20
KEYS_AND_DUMP = ("database.dump", "keys.sealed")
SHA256 = re.compile(r"[0-9a-f]{64}")
CHUNK = 1 << 20


class Malformed(Exception):
    """What is wrong with the file, as the end of a sentence that begins with its name."""


@contextlib.contextmanager
def refusals(source: Path) -> Iterator[None]:
    """Whatever reading `source` raises becomes a LaunchError of one sentence."""
    try:
        yield
    except Malformed as error:
        raise LaunchError(f"{source} {error}.", "Nothing was changed.") from error
    except FileNotFoundError as error:
        raise LaunchError(f"There is no file {source}.") from error
    except (OSError, tarfile.TarError, ValueError, EOFError, RecursionError) as error:
        words = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise LaunchError(
            f"{source} cannot be read as a backup of Rackside: {words}.", "Nothing was changed."
        ) from error


def inspect(source: Path) -> dict[str, Any]:
    """The manifest of a backup whose every member is listed, is a plain file and has its checksum.

    Raises LaunchError. Nothing is written: a file that is refused changes nothing.
    """
    with refusals(source):
        found: dict[str, str] = {}
        manifest: dict[str, Any] | None = None
        for member, content in members(source):
            if member.name != MANIFEST:
                found[member.name] = digest_of(content)
            elif member.size > MOST_MANIFEST_BYTES:
                raise Malformed(f"has a manifest of {member.size} bytes")
            else:
                manifest = read_manifest(content.read())
        if manifest is None:
            raise Malformed("has no manifest, so it is cut off or no backup of Rackside")
        compare(found, manifest["members"])
        return manifest


def members(source: Path) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """The members of an uncompressed tar, one after the other. Raises Malformed for what a backup never has."""
    seen: set[str] = set()
    most = source.stat().st_size
    with tarfile.open(source, mode="r:") as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if not member.isreg() or member.issparse():
                raise Malformed(f"contains {member.name!r}, which is no plain file")
            inside = path.parts[:1] == ("files",) and len(path.parts) > 1 and ".." not in path.parts
            if not inside and member.name not in (MANIFEST, *KEYS_AND_DUMP):
                raise Malformed(f"contains {member.name!r}, which no backup has")
            if str(path) != member.name or "\0" in member.name or member.name in seen:
                raise Malformed(f"contains {member.name!r} twice or under a name that is not plain")
            if member.size > most:
                raise Malformed(f"is cut off within {member.name!r}")
            seen.add(member.name)
            content = archive.extractfile(member)
            assert content is not None  # a plain file
            yield member, content


def digest_of(content: IO[bytes], copy: IO[bytes] | None = None) -> str:
    """The checksum of a member, read piece by piece, and its content written to `copy`."""
    digest = hashlib.sha256()
    while chunk := content.read(CHUNK):
        digest.update(chunk)
        if copy is not None:
            copy.write(chunk)
    return digest.hexdigest()


def compare(found: dict[str, str], listed: dict[str, str]) -> None:
    """Raises Malformed when a member is missing, is not listed, or is not what was written."""
    for name in sorted(found.keys() - listed.keys()):
        raise Malformed(f"contains {name!r}, which its manifest does not list")
    if missing := sorted(listed.keys() - found.keys()):
        raise Malformed(f"is incomplete: {', '.join(missing[:5])} missing")
    for name, digest in found.items():
        if listed[name] != digest:
            raise Malformed(f"is damaged: {name} does not match its checksum")


def read_manifest(text: bytes) -> dict[str, Any]:
    """A manifest in which everything has the type that is relied on. Raises Malformed, ValueError, RecursionError."""
    manifest = json.loads(text)
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        given = manifest.get("format") if isinstance(manifest, dict) else None
        raise Malformed(f"has backup format {given!r}; this version reads {FORMAT}")
    made_by = manifest.get("rackside")
    if not isinstance(made_by, str) or not re.fullmatch(r"\d{1,6}(\.\d{1,6}){0,3}\S{0,20}", made_by):
        raise Malformed("does not say which version made it")
    if as_numbers(made_by) > as_numbers(version()):
        raise Malformed(f"was made by Rackside {made_by}; this is {version()}: restore it with that version")
    members, tables = manifest.get("members"), manifest.get("tables")
    if not isinstance(members, dict) or not all(isinstance(s, str) and SHA256.fullmatch(s) for s in members.values()):
        raise Malformed("has a manifest without checksums")
    if not is_map(tables, int) or "database.dump" not in members:
        raise Malformed("has a manifest without a database")
    fingerprints = manifest.get("key_fingerprints")
    if not isinstance(fingerprints, list) or not all(isinstance(each, str) for each in fingerprints):
        raise Malformed("has a manifest that does not name its keys")
    if not is_map(manifest.get("done"), str) or not isinstance(manifest.get("written_at"), str):
        raise Malformed("has a manifest that does not say when it was written")
    return manifest


def is_map(value: object, kind: type) -> bool:
    """Whether it is an object with values of one kind (True is no number)."""
    return isinstance(value, dict) and all(type(each) is kind for each in value.values())


def as_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def unpack(source: Path, manifest: dict[str, Any], target: Path) -> None:
    """Write the members below `target`, each checked once more; nothing can land outside."""
    with refusals(source):
        needed, free = source.stat().st_size, shutil.disk_usage(target.parent).free
        if needed > free:
            raise Malformed(f"needs {needed >> 20} MB to be unpacked and {free >> 20} MB are free")
        found = {}
        for member, content in members(source):
            if member.name == MANIFEST:
                continue
            place = target / PurePosixPath(member.name)
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as output:
                found[member.name] = digest_of(content, output)
        compare(found, manifest["members"])
