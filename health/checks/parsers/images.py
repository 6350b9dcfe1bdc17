"""Container images on a machine: `docker image ls`, `ctr images ls`, and files of Enroot as `find` tells them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from health.checks.parsers import ParseError

DOCKER, CONTAINERD, ENROOT = "docker", "containerd", "enroot"
ENGINES = (DOCKER, CONTAINERD, ENROOT)
NOTHING = "<none>"
DEFAULT_REGISTRY = "docker.io"
LONGEST = 255
"""Characters of a reference that are kept; a longer one is none of a registry."""
DOCKER_ROW = "{{.Repository}}|{{.Tag}}|{{.Digest}}|{{.ID}}|{{.Size}}|{{.CreatedAt}}"
"""The format in which `docker image ls` is asked; of it comes what `parse_docker_images` reads."""
FILE_ROW = r"%s %T@ %p\n"
"""The same of `find -printf` and `parse_image_files`."""
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# Host, path, and a tag or a digest, as the distribution specification has them; capitals are let through.
_REFERENCE = re.compile(r"[\w.-]+(?::\d+)?(?:/[\w.-]+)+(?::\w[\w.-]{0,127}|@[a-z0-9+._-]+:[0-9a-f]{32,})", re.ASCII)
_AMOUNT = re.compile(r"([\d.]+(?:e[+-]?\d+)?) ?([kKMGTP]?)(i?)B$")
_STEPS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_CTR_HEAD = re.compile(r"^REF +TYPE +DIGEST +SIZE ")
_CTR_ROW = re.compile(r"^(\S+) +\S+ +(sha256:[0-9a-f]{64}) +([\d.]+ [KMGTP]?i?B) ")
# What containerd's client logs of an image whose layers were given back after unpacking: the image is there.
_CTR_LOG = re.compile(r'^(?:time="[^"]*" level=\w+|(?:ERRO|WARN|INFO)\[\d+\]) ')
_FILE = re.compile(r"^(\d+) (\d+(?:\.\d+)?) (/.+)$")


@dataclass(frozen=True)
class ContainerImage:
    """`reference` as `reference_of` says it, of Enroot the path of a file. `digest` is that of the registry, `id` that
    of the image's configuration; either may be empty: the engine has none. `made_at` is when it was built.
    """

    engine: str
    reference: str
    digest: str = ""
    id: str = ""
    size_bytes: int | None = None
    made_at: datetime | None = None


def reference_of(text: str) -> str:
    """The one name of an image: with its registry and its tag (or digest), as Docker's own rules fill them in.

    What Pyxis and Enroot write (`registry.example#team/torch:25.01`, `docker://torch`) is the same image; an absolute
    path is a file of Enroot and stays. Empty where it names nothing.
    """
    text = text.strip()
    if text.startswith("/"):
        return text
    text = text.removeprefix("dockerd://").removeprefix("docker://").replace("#", "/", 1)
    name, _, digest = text.partition("@")
    if ":" in name.rpartition("/")[2]:
        name, _, tag = name.rpartition(":")
    else:
        tag = "" if digest else "latest"
    first, slash, rest = name.partition("/")
    if not slash or not ("." in first or ":" in first or first == "localhost"):
        first, rest = DEFAULT_REGISTRY, name
    if first == "index.docker.io":
        first = DEFAULT_REGISTRY
    if first == DEFAULT_REGISTRY and rest and "/" not in rest:
        rest = f"library/{rest}"
    whole = f"{first}/{rest}@{digest}" if digest else f"{first}/{rest}:{tag}"
    return whole if _REFERENCE.fullmatch(whole) else ""


def parse_docker_images(text: str) -> tuple[ContainerImage, ...]:
    """Images that have a name; layers without one are nobody's to start. Raises ParseError."""
    found = []
    for line in text.splitlines():
        fields = line.split("|")
        if len(fields) != 6 or not DIGEST.fullmatch(fields[3]):
            raise ParseError("docker image ls", line.strip()[:200] or "an empty line")
        repository, tag, digest, own, size, created = fields
        digest = "" if digest == NOTHING else digest
        if repository == NOTHING or (tag == NOTHING and not digest):
            continue
        reference = reference_of(f"{repository}@{digest}" if tag == NOTHING else f"{repository}:{tag}")
        found.append(ContainerImage(DOCKER, reference, digest, own, _bytes(size), _moment(created)))
    return _kept(found)


def parse_ctr_images(text: str) -> tuple[ContainerImage, ...]:
    """Raises ParseError. Rows that the kubelet adds by the id of an image tell that id, and are no images."""
    lines = [line for line in text.splitlines() if line.strip()]
    rows = [line for line in lines if not _CTR_LOG.match(line)]
    if not rows or not _CTR_HEAD.match(rows[0]):
        said = next(iter(rows or lines), "no output")
        raise ParseError("ctr images ls", said.strip()[:200])
    ids: dict[str, str] = {}
    found: list[tuple[str, str, int | None]] = []
    for line in rows[1:]:
        row = _CTR_ROW.match(line)
        if row is None:
            raise ParseError("ctr images ls", f"a line has another shape: {line.strip()[:120]}")
        reference, digest, size = row.groups()
        if DIGEST.fullmatch(reference):
            ids[digest] = reference
        else:
            found.append((reference_of(reference), digest, _bytes(size) or None))
    return _kept([ContainerImage(CONTAINERD, name, digest, ids.get(digest, ""), size) for name, digest, size in found])


def parse_image_files(text: str) -> tuple[ContainerImage, ...]:
    """Squashed images, each a file: its name is its path, its age that of the file. Raises ParseError."""
    found = []
    for line in text.splitlines():
        row = _FILE.match(line)
        if row is None:
            raise ParseError("find", line.removeprefix("find: ").strip()[:200] or "an empty line")
        at = datetime.fromtimestamp(int(float(row[2])), UTC)
        found.append(ContainerImage(ENROOT, row[3], size_bytes=int(row[1]), made_at=at))
    return _kept(found)


def _kept(images: list[ContainerImage]) -> tuple[ContainerImage, ...]:
    """Each once and in one order, whatever order a tool has: the newest pull comes first in Docker's."""
    named = {(each.reference, each.digest, each.id): each for each in images if 0 < len(each.reference) <= LONGEST}
    return tuple(named[key] for key in sorted(named))


def _bytes(text: str) -> int | None:
    """`1.23GB` of Docker is decimal, `1.2 GiB` of containerd binary."""
    amount = _AMOUNT.match(text)
    if amount is None:
        return None
    return round(float(amount[1]) * (1024 if amount[3] else 1000) ** _STEPS[amount[2].lower()])


def _moment(text: str) -> datetime | None:
    """`2026-11-02 10:00:00 +0000 UTC`."""
    try:
        return datetime.strptime(" ".join(text.split()[:3]), "%Y-%m-%d %H:%M:%S %z")
    except ValueError:
        return None
