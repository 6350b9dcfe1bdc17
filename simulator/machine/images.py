"""Container images on a machine, kept: pulled, named, listed and removed by Docker, containerd and Enroot.

What every machine has from the start stands in `around.IMAGES`; what was pulled or removed since is in its state. A
pull takes a moment, and ends as the fault `pull_fails` says.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable

from simulator.outputs import host
from simulator.outputs.around import IMAGES
from simulator.services import dead
from simulator.state import Machine

Answer = tuple[int, str]
Pull = tuple[float, Callable[[], Answer]]
"""Seconds, and what it answers then."""
PULLED_BYTES, PULLED_SIZE, PULLED_AT = 21_700_000_000, "21.7GB", "2025-02-03 10:20:30 +0000 UTC"
_MV = re.compile(r"mv -f -- (\S+) (\S+) && stat --format '(sha256:\w+) %s' -- .* && chmod 0644 -- .*")


def digest(of: str) -> str:
    return f"sha256:{hashlib.sha256(of.encode()).hexdigest()}"


def _key(engine: str, place: str, name: str) -> str:
    return f"{engine}|{place}|{name}"


def _held(machine: Machine, engine: str, place: str = "") -> dict[str, str]:
    """Name -> digest."""
    found: dict[str, str] = {}
    if engine == "docker":
        fault = machine.fault("images")
        missing, stale = (fault.params[each] if fault else () for each in ("missing", "stale"))
        for repository, tag, _, _ in IMAGES:
            name = f"{repository}:{tag}"
            if name not in missing:
                found[name] = digest(f"registry {name} before" if name in stale else f"registry {name}")
    start = _key(engine, place, "")
    for key, value in machine.state.images.items():
        if key.startswith(start):
            found[key.removeprefix(start)] = value
    return {name: value for name, value in found.items() if value}


def _write(machine: Machine, engine: str, place: str, name: str, value: str) -> None:
    machine.state.images[_key(engine, place, name)] = value
    machine.touch()


def _pull(machine: Machine, then: Callable[[], Answer]) -> Pull:
    fault = machine.fault("pull_fails")
    seconds = 0.2 + machine.plan.seed % 10 / 20 + (float(fault.params["seconds"]) if fault else 0.0)
    if fault and fault.params["text"]:
        return seconds, lambda: (1, f"{fault.params['text']}\n")
    return seconds, then


# ---- Docker ----


def docker(machine: Machine, args: list[str]) -> Answer | Pull | None:
    """None for what is no matter of images."""
    if args[:1] == ["--config"]:  # a folder with the login of one pull
        args = args[2:]
    if args[:2] not in (["image", "ls"], ["image", "rm"]) and args[:1] not in (["pull"], ["tag"], ["ps"]):
        return None
    if "docker" in dead(machine):
        return 1, f"{host.DOCKER_DOWN}\n"
    match args[:2]:
        case ["image", "ls"]:
            return 0, _docker_rows(machine, "" if "{{" in args[-1] else args[-1])
        case ["image", "rm"]:
            return _docker_rm(machine, args[-1])
    if args[0] == "ps":
        runs = machine.fault("container_runs")
        mine = runs is not None and f"ancestor={runs.params['image']}" in args
        return 0, f"{runs.params['name']} running\n" if runs is not None and mine else ""
    if args[0] == "tag":
        return _named(machine, "docker", "", args[1], args[2])
    return _pull(machine, lambda: _pulled(machine, "docker", "", args[-1]))


def so_far(command: str) -> str:
    """What a job that pulls has printed: with Docker, one of two layers has come."""
    if not command.startswith("docker ") or " pull " not in command:
        return ""
    first, second = "c" * 12, "d" * 12
    return f"{first}: Pulling fs layer\n{second}: Pulling fs layer\n{first}: Download complete\n"


def _docker_rows(machine: Machine, wanted: str) -> str:
    built = {f"{repository}:{tag}": (size, made) for repository, tag, size, made in IMAGES}
    versions = [version for name in built for version in (name, f"{name} before")]
    ids = {digest(f"registry {version}"): digest(version) for version in versions}
    rows = []
    for name, value in _held(machine, "docker").items():
        repository, at, _ = name.partition("@")
        tag = "<none>"
        if not at:
            repository, _, tag = name.rpartition(":")
        size, made = built.get(name, (PULLED_SIZE, PULLED_AT))
        if wanted in ("", repository):
            rows.append(f"{repository}|{tag}|{value}|{ids.get(value, digest(value))}|{size}|{made}\n")
    return "".join(rows)


def _docker_rm(machine: Machine, name: str) -> Answer:
    held = _held(machine, "docker")
    if name not in held:
        return 1, f"Error response from daemon: No such image: {name}\n"
    _write(machine, "docker", "", name, "")
    by_digest = f"{name.rsplit(':', 1)[0]}@{held[name]}"
    if by_digest in held:
        _write(machine, "docker", "", by_digest, "")
    return 0, f"Untagged: {name}\nDeleted: {held[name]}\n"


def _pulled(machine: Machine, engine: str, place: str, by_digest: str) -> Answer:
    _write(machine, engine, place, by_digest, by_digest.partition("@")[2])
    return 0, f"{by_digest}\n"


def _named(machine: Machine, engine: str, place: str, source: str, name: str) -> Answer:
    value = _held(machine, engine, place).get(source)
    if value is None:
        return 1, f"Error response from daemon: No such image: {source}\n"
    _write(machine, engine, place, name, value)
    return 0, ""


# ---- containerd ----


def ctr(machine: Machine, args: list[str]) -> Answer | Pull:
    """`ctr -n NAMESPACE images ls|pull|tag|rm` and `containers ls`."""
    if len(args) < 4 or args[0] != "-n":
        return 1, "ctr: a namespace is named here by -n\n"
    place, what = args[1], args[2:4]
    if what == ["images", "ls"]:
        wanted = next((word.removeprefix("name==") for word in args[4:] if word.startswith("name==")), "")
        rows = [
            f"{name} application/vnd.oci.image.manifest.v1+json {value} 20.2 GiB linux/amd64 -\n"
            for name, value in _held(machine, "containerd", place).items()
            if wanted in ("", name)
        ]
        return 0, "REF TYPE DIGEST SIZE PLATFORMS LABELS\n" + "".join(rows)
    if what == ["containers", "ls"]:
        return 0, "CONTAINER    IMAGE    RUNTIME    \n"
    if what == ["images", "tag"]:
        return _named(machine, "containerd", place, args[-2], args[-1])
    if what == ["images", "rm"]:
        _write(machine, "containerd", place, args[-1], "")
        return 0, f"{args[-1]}\n"
    if what == ["images", "pull"]:
        return _pull(machine, lambda: _pulled(machine, "containerd", place, args[-1]))
    return 1, f"ctr: {' '.join(what)} is not here\n"


# ---- Enroot: files, each with what notes its digest beside it ----


def enroot(machine: Machine, args: list[str]) -> Answer | Pull:
    """`enroot import --output FILE docker://REGISTRY#IMAGE:sha256:..`"""
    if args[:2] != ["import", "--output"] or len(args) != 4:
        return 1, "[ERROR] Invalid argument\n"
    file, found = args[2], re.search(r"sha256:[0-9a-f]{64}$", args[3])
    if found is None:
        return 1, f"[ERROR] Invalid image reference: {args[3]}\n"
    if file in _held(machine, "enroot"):
        return 1, f"[ERROR] File already exists: {file}\n"

    def then() -> Answer:
        _write(machine, "enroot", "", file, found[0])
        return 0, ""

    return _pull(machine, then)


def moved(machine: Machine, line: str) -> Answer | None:
    """The line by which a file that was imported gets its name and its note; None for another line."""
    found = _MV.fullmatch(line)
    if found is None:
        return None
    part, file, value = found.groups()
    if part not in _held(machine, "enroot"):
        return 1, f"mv: cannot stat '{part}': No such file or directory\n"
    _write(machine, "enroot", "", part, "")
    _write(machine, "enroot", "", file, value)
    return 0, ""


def find(machine: Machine, args: list[str]) -> Answer:
    """`find FOLDER.. -name .. -printf|-exec cat`, as it is asked for files of images."""
    folders = [word for word in args if word.startswith("/")]
    name = args[args.index("-name") + 1] if "-name" in args else "*"
    note = name.endswith(".digest")
    pattern = re.escape(name.removesuffix(".digest")).replace(r"\*", "[^/]*")
    text = ""
    for file, value in sorted(_held(machine, "enroot").items()):
        folder, _, own = file.rpartition("/")
        if folder in folders and re.fullmatch(pattern, own):
            text += f"{value} {PULLED_BYTES}\n" if note else f"{PULLED_BYTES} 1738578030.0000000000 {file}\n"
    return 0, text


def rm(machine: Machine, args: list[str]) -> Answer:
    """`rm -f -- FILE..`; anything else is removed by nobody here."""
    if args[:2] != ["-f", "--"]:
        return 127, "bash: rm: command not found\n"
    for file in args[2:]:
        if file in _held(machine, "enroot"):
            _write(machine, "enroot", "", file, "")
    return 0, ""
