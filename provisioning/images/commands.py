"""What is run on a machine to place, read and remove an image, and what its answers mean. Pure.

Docker by `docker`, containerd by `ctr`, Enroot by `enroot import` into a file. An image is pulled by its digest and
named afterwards, so a tag that moves meanwhile changes nothing. Every value goes through `drivers.shell`.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from drivers import shell
from health.checks.parsers import ParseError
from health.checks.parsers.images import (
    CONTAINERD,
    DEFAULT_REGISTRY,
    DIGEST,
    DOCKER,
    DOCKER_ROW,
    ENROOT,
    FILE_ROW,
    NOTHING,
    ContainerImage,
    parse_ctr_images,
    parse_docker_images,
    parse_image_files,
    reference_of,
)

HELD, NOTED, USERS = "== rackside-held", "== rackside-noted", "== rackside-users"
HOSTS = "/etc/containerd/certs.d"
"""Where containerd's own services look for mirrors; `ctr` only where it is told (containerd, docs/hosts.md)."""
DOCKER_HUB_HOST = "registry-1.docker.io"
MOST_USERS = 3
NOTE = ".digest"
"""Beside a file of Enroot: the digest that it was imported by, and its size. The file itself tells none."""


class Unplaceable(ValueError):
    """The image cannot be placed on this machine, or not removed; the text says why."""


@dataclass(frozen=True, slots=True)
class Image:
    """`reference` as `reference_of` writes it, with a tag, or the path of a file of Enroot that is to be removed."""

    reference: str
    digest: str = ""

    @property
    def repository(self) -> str:
        return self.reference.partition("@")[0].rpartition(":")[0] or self.reference

    @property
    def registry(self) -> str:
        return "" if self.reference.startswith("/") else self.reference.partition("/")[0]

    @property
    def by_digest(self) -> str:
        return f"{self.repository}@{self.digest}"

    @property
    def file_name(self) -> str:
        """As Enroot names what it imports: `team+torch+25.01.sqsh`."""
        path, _, tag = self.reference.partition("/")[2].rpartition(":")
        return f"{path.replace('/', '+')}+{tag}.sqsh"


@dataclass(frozen=True, slots=True)
class Seat:
    """Where images lie on one machine: an engine, and containerd's namespace or the folder of Enroot's files."""

    engine: str
    place: str = ""


def seat_of(engine: str, expected: Mapping[str, Any], image: Image) -> Seat:
    """By the device model of the machine. Raises Unplaceable."""
    told = expected.get("container_images") or {}
    if engine == DOCKER:
        if not expected.get("docker"):
            raise Unplaceable("its device model has no Docker")
        return Seat(DOCKER)
    if engine == CONTAINERD:
        if not told.get("containerd"):
            raise Unplaceable("its device model names no namespace of containerd (container_images)")
        return Seat(CONTAINERD, told["containerd"])
    folders = [str(each).rstrip("/") for each in told.get("enroot") or ()]
    if not folders:
        raise Unplaceable("its device model names no folder of Enroot's files (container_images)")
    if not image.reference.startswith("/"):
        return Seat(ENROOT, f"{folders[0]}/{image.file_name}")
    path = posixpath.normpath(image.reference)
    if path != image.reference or not path.endswith(".sqsh") or not path.startswith(tuple(f"{f}/" for f in folders)):
        raise Unplaceable("it is no image file in a folder that the device model names for Enroot")
    return Seat(ENROOT, path)


# ---- what lies there, and who uses it ----


def look(image: Image, seat: Seat) -> str:
    """Ask for what lies under the name, and what uses it. Changes nothing; a tool that fails ends it."""
    name = shell.operand(image.reference)
    match seat.engine:
        case "docker":
            # By its tag alone Docker tells no digest (28.2 shows <none>); by its repository it does.
            row, repository = shell.word(DOCKER_ROW), shell.operand(image.repository)
            held = f"docker image ls --digests --no-trunc --format {row} {repository}"
            users = (
                f"docker ps --all --no-trunc --filter ancestor={name} --format {shell.word('{{.Names}} {{.State}}')}"
            )
        case "containerd":
            ctr = f"ctr -n {shell.operand(seat.place)}"
            held = f"{ctr} images ls name=={name}"
            users = f"{ctr} containers ls image=={name}"
        case _:
            folder, _, file = seat.place.rpartition("/")
            find = f"find {shell.operand(folder)} -maxdepth 1 -type f -name"
            noted = f"echo {shell.word(NOTED)} && {find} {shell.word(_no_glob(file) + NOTE)} -exec cat {{}} +"
            held = f"{find} {shell.word(_no_glob(file))} -printf {shell.word(FILE_ROW)} && {noted}"
            users = "ps -ww -e -o args="
    return f"echo {shell.word(HELD)} && {held} && echo {shell.word(USERS)} && {users}"


@dataclass(frozen=True, slots=True)
class There:
    """What a machine has under the name: digests and ids, or the size of a file; and what uses it."""

    identities: frozenset[str] = frozenset()
    size_bytes: int | None = None
    users: tuple[str, ...] = ()

    @property
    def used_by(self) -> str:
        more = len(self.users) - MOST_USERS
        return ", ".join(self.users[:MOST_USERS]) + (f" and {more} more" if more > 0 else "")


def there(text: str, image: Image, seat: Seat) -> There:
    """The answer to `look`. Raises ParseError for one that is not whole: nothing is done on its ground."""
    _, mark, rest = text.partition(f"{HELD}\n")
    held, second, users = rest.partition(f"{USERS}\n")
    if not mark or not second:
        raise ParseError(seat.engine, text.strip()[:200] or "no output")
    rows, found = _read(image, seat, held)
    size = next((row.size_bytes for row in rows if row.size_bytes is not None), None)
    return There(frozenset(found), size, _users(seat, users))


def _read(image: Image, seat: Seat, held: str) -> tuple[Sequence[ContainerImage], set[str]]:
    if seat.engine == ENROOT:
        file, _, note = held.partition(f"{NOTED}\n")
        files = parse_image_files(file)
        sizes = {str(row.size_bytes) for row in files}
        digest, _, size = note.strip().partition(" ")
        return files, {f"{each} bytes" for each in sizes} | ({digest} if size in sizes else set())
    rows = parse_docker_images(held) if seat.engine == DOCKER else parse_ctr_images(held)
    named = [row for row in rows if row.reference == image.reference]
    return named, {each for row in named for each in (row.digest, row.id) if each}


def _users(seat: Seat, text: str) -> tuple[str, ...]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if seat.engine == ENROOT:
        mine = [line for line in lines if seat.place in line.split()]
        return tuple(f"process {line[:80]}" for line in mine)
    if seat.engine == CONTAINERD:
        lines = lines[1:]  # CONTAINER IMAGE RUNTIME
    return tuple(f"container {line.split()[0]}" for line in lines)


# ---- placing ----


def place(image: Image, seat: Seat, job: str) -> str:
    """One command that pulls; `job` is its name on the machine. Raises Unplaceable without a digest."""
    if not DIGEST.fullmatch(image.digest):
        raise Unplaceable("an image is placed by its digest, and this one has none")
    match seat.engine:
        case "docker":
            return shell.line(["docker", "pull", image.by_digest])
        case "containerd":
            return shell.line(["ctr", "-n", seat.place, "images", "pull", "--hosts-dir", HOSTS, image.by_digest])
        case _:
            return shell.line(enroot_import(image, seat, job))


def enroot_import(image: Image, seat: Seat, job: str, username: str = "") -> list[str]:
    """Enroot takes a digest where a tag stands (its docker.sh, `reg_tag`), and checks every layer by its own.

    It asks the very host that is named, and at docker.io nobody answers as a registry.
    """
    registry, _, path = image.repository.partition("/")
    registry = DOCKER_HUB_HOST if registry == DEFAULT_REGISTRY else registry
    user = f"{username}@" if username else ""
    return ["enroot", "import", "--output", _part(seat, job), f"docker://{user}{registry}#{path}:{image.digest}"]


def settle(image: Image, seat: Seat, job: str) -> str:
    """What gives the pulled image its name. The same twice changes nothing."""
    if seat.engine == DOCKER:
        return shell.line(["docker", "tag", image.by_digest, image.reference])
    if seat.engine == CONTAINERD:
        ctr = ["ctr", "-n", seat.place, "images"]
        named = shell.line([*ctr, "tag", "--force", image.by_digest, image.reference])
        return f"{named} && {shell.line([*ctr, 'rm', image.by_digest])}"
    file, part = shell.operand(seat.place), shell.operand(_part(seat, job))
    note = f"stat --format {shell.word(image.digest + ' %s')} -- {file} >{file}{NOTE}"
    return f"mv -f -- {part} {file} && {note} && chmod 0644 -- {file} {file}{NOTE}"


def clean(seat: Seat, job: str) -> str:
    """What takes away a part of a file that was not finished; empty where there is none."""
    return f"rm -f -- {shell.operand(_part(seat, job))}" if seat.engine == ENROOT else ""


def _part(seat: Seat, job: str) -> str:
    return f"{seat.place}.{job}.part"


def is_placed(image: Image, found: There) -> bool:
    """Whether the bytes of this digest lie there."""
    return image.digest in found.identities


# ---- removing ----


def remove(image: Image, seat: Seat) -> str:
    """Docker refuses by itself while a container is made of it; what uses it was asked before in any case."""
    match seat.engine:
        case "docker":
            return shell.line(["docker", "image", "rm", image.reference])
        case "containerd":
            return shell.line(["ctr", "-n", seat.place, "images", "rm", "--sync", image.reference])
        case _:
            return f"rm -f -- {shell.operand(seat.place)} {shell.operand(seat.place + NOTE)}"


def _no_glob(name: str) -> str:
    return re.sub(r"([*?\[\]\\])", r"\\\1", name)


def image_of(text: str, digest: str = "") -> Image:
    """The image that a person names, with a tag, a digest, or both. Raises Unplaceable."""
    name, _, own = text.strip().partition("@")
    if own and digest and own != digest:
        raise Unplaceable("two digests are named")
    digest = digest.strip() or own
    if digest and not DIGEST.fullmatch(digest):
        raise Unplaceable("a digest is sha256: and 64 hexadecimal digits")
    reference = reference_of(name)
    if not reference or NOTHING in reference or len(reference) > 255:
        raise Unplaceable("this is no name of an image, such as registry.example/team/torch:25.01")
    return Image(reference, digest)


def said_in(text: str) -> str:
    """The last line that a tool printed, short enough to be kept."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1] if lines else "nothing was printed"
    try:
        told = json.loads(last)
    except ValueError:
        return last[:300]
    return str(told.get("msg", last) if isinstance(told, dict) else last)[:300]
