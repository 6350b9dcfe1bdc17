"""Where a machine fetches from, as its own files say, and how each source of the site answers it. Pure.

One script for all of it; it reads files that everybody may read, makes one small request to each source, and changes
nothing.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

from drivers import shell

MARK = "rackside-sources"
REQUEST_S = 5
NEEDS_LOGIN = (401, 403)
MOST_URLS = 200
FILES = {
    "apt": "/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources",
    "pip": "/etc/pip.conf /etc/xdg/pip/pip.conf",
    "docker": "/etc/docker/daemon.json",
    "containerd": "/etc/containerd/certs.d/*/hosts.toml",
}
FILE = "### file"
_APT_LINE = re.compile(r"^deb(?:-src)?\s+(?:\[[^\]]*\]\s+)?(\S+)")
_APT_URIS = re.compile(r"^URIs:\s*(.+)$", re.IGNORECASE)
_APT_OFF = re.compile(r"^Enabled:\s*no\s*$", re.IGNORECASE | re.MULTILINE)
_PIP = re.compile(r"^\s*(?:index-url|extra-index-url)\s*=\s*(.+)$", re.IGNORECASE)
_REACHED = re.compile(r"^(\d+) (\d{3}) ([\d.]+)$")


def script(urls: Mapping[int, str]) -> str:
    """For one machine; `urls` are what is asked for of each source, by its id."""
    lines = [f"# {MARK}"]
    for tool, files in FILES.items():
        lines.append(
            f'echo == {MARK} {tool}; for f in {files}; do [ -r "$f" ] && echo \'{FILE}\' && cat "$f" && echo; done'
        )
    lines.append(f"echo == {MARK} reached")
    asks = f"curl -s -o /dev/null -m {REQUEST_S} -w {shell.word('%{http_code} %{time_total}')} --"
    lines += [f'(r=$({asks} {shell.operand(url)}); echo "{pk} $r") &' for pk, url in urls.items()]  # all at once
    lines += ["wait", f"echo == {MARK} end"]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True, slots=True)
class Reached:
    answers: bool
    ms: int | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """`urls`: (tool, address) as the machine's files name them. `reached`: of each source how it answered."""

    urls: tuple[tuple[str, str], ...]
    reached: Mapping[int, Reached]


class Untold(ValueError):
    """What came is not the answer of the script, or breaks off."""


def read(text: str) -> Told:
    """The answer to `script`. Raises Untold."""
    parts = _parts(text)
    if "end" not in parts or "reached" not in parts:
        raise Untold("its answer breaks off" if parts else f"its answer has another shape: {text.strip()[:120]}")
    urls: dict[tuple[str, str], None] = {}
    for tool, read_file in (("apt", _apt), ("pip", _pip), ("docker", _docker), ("containerd", _containerd)):
        for file in parts.get(tool, "").split(f"{FILE}\n")[1:]:
            urls |= dict.fromkeys((tool, url) for url in read_file(file) if url)
    return Told(tuple(urls)[:MOST_URLS], dict(_reached(parts["reached"])))


def _parts(text: str) -> dict[str, str]:
    pieces = re.split(rf"^== {MARK} (\w+)\n", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _apt(file: str) -> Iterator[str]:
    """One-line entries, and deb822 stanzas that are not turned off (sources.list(5))."""
    for stanza in re.split(r"\n\s*\n", file):
        if _APT_OFF.search(stanza):
            continue
        for line in stanza.splitlines():
            if found := _APT_LINE.match(line.strip()):
                yield found[1]
            elif found := _APT_URIS.match(line.strip()):
                yield from found[1].split()


def _pip(file: str) -> Iterator[str]:
    for line in file.splitlines():
        if found := _PIP.match(line):
            yield from found[1].split()


def _docker(file: str) -> Iterator[str]:
    try:
        told = json.loads(file)
    except ValueError:
        return
    mirrors = told.get("registry-mirrors") if isinstance(told, dict) else None
    yield from map(str, mirrors) if isinstance(mirrors, list) else ()


def _containerd(file: str) -> Iterator[str]:
    """`server` and the tables of `host` (containerd, docs/hosts.md)."""
    try:
        told = tomllib.loads(file)
    except tomllib.TOMLDecodeError:
        return
    hosts = told.get("host")
    yield from hosts if isinstance(hosts, dict) else ()
    yield str(told.get("server") or "")


def _reached(text: str) -> Iterator[tuple[int, Reached]]:
    for line in text.splitlines():
        found = _REACHED.match(line.strip())
        if found is None:
            continue
        pk, status, seconds = int(found[1]), int(found[2]), float(found[3])
        text = problem_of(status) if status else "no answer"
        yield pk, Reached(not text, round(seconds * 1000) if status else None, text)


def problem_of(status: int) -> str:
    """What is wrong with an answer; empty where it is one as a source gives it: a registry may ask for a login, a
    mirror list no folders."""
    return "" if status < 400 or status in NEEDS_LOGIN else f"it answers {status}"


def uses(urls: Iterable[str], source: str) -> bool:
    """Whether one of a machine's addresses is this source, or below it. The scheme does not matter."""
    own = _place(source)
    return any(place == own or place.startswith(f"{own}/") for place in map(_place, urls))


@lru_cache(maxsize=8192)  # machines of a site name the same few
def _place(url: str) -> str:
    """Host and path, without a login and a slash at the end."""
    try:
        parts = urlsplit(url)
        host = f"{parts.hostname}:{parts.port}" if parts.port else parts.hostname or ""
    except ValueError:
        return ""
    return f"{host}{parts.path.rstrip('/')}"


def without_login(urls: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    """As they are kept: pip's files may name a user and a password."""
    kept = []
    for tool, url in urls:
        head, sign, rest = url.partition("://")
        authority, slash, path = rest.partition("/")
        kept.append({"tool": tool, "url": f"{head}{sign}{authority.rpartition('@')[2]}{slash}{path}"[:300]})
    return kept
