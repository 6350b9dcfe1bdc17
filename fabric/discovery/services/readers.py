"""Reading a source: which module reads which kind, what it returns, and how its parts become one `Seen`.

A module that reads a kind has `read_source(source) -> CaptureParts`. It takes all its limits from the source's options,
raises `SourceUnreadable` with what to tell an operator, and says of each part that failed why in `Part.problem`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module

from core.work.garbage import no_garbage_collection
from fabric import formats
from fabric.discovery.models.sources import FabricSource
from fabric.facts import Completeness, Problem, Seen
from fabric.formats.common import Unreadable

MODULES = {
    "ibdiags": "fabric.discovery.services.ibdiags",
    "ufm": "fabric.discovery.services.ufm_reads",
    "lldp": "fabric.discovery.services.lldp",
    "eapi": "fabric.discovery.services.switches",
    "nvue": "fabric.discovery.services.switches",
}
COUNTERS = ("ibqueryerrors", "perfquery")
FORMATS = ("ibnetdiscover", "iblinkinfo", *COUNTERS, "ufm", "lldp", "eapi", "nvue")


class SourceUnreadable(Exception):
    """Nothing could be read; the message says why and is shown to operators."""


class SourceUntrusted(SourceUnreadable):
    """It presents another certificate or host key than the pinned one; no password was sent to it."""


@dataclass(frozen=True, slots=True)
class Part:
    """One output, word for word. `format` is the name of a module of `fabric.formats`."""

    name: str
    format: str
    text: str
    exit_status: int | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class CaptureParts:
    """What one look brought. `identity`: host key or certificate that was met at first contact, to be kept."""

    parts: Sequence[Part]
    identity: str = ""


def read_source(source: FabricSource) -> CaptureParts:
    """Read a source now. Raises SourceUnreadable."""
    if source.kind not in MODULES:
        raise SourceUnreadable("files of this source are uploaded; there is nothing to read")
    reader: Callable[[FabricSource], CaptureParts] = import_module(MODULES[source.kind]).read_source
    return reader(source)


@dataclass(frozen=True, slots=True)
class Look:
    """What a capture shows. `wiring` says what it is worth for the wiring: only a complete one is believed. Counters
    that could not be read stand among the problems and change nothing of that."""

    seen: Seen
    wiring: Completeness
    problems: list[Problem]


@no_garbage_collection()
def parse(parts: Iterable[Part]) -> Look:
    """All parts as one look. One that failed, or that its format cannot read, makes the wiring partial at best."""
    seen: list[Seen] = []
    problems: list[Problem] = []
    worth = Completeness.COMPLETE
    lit = False
    for part in parts:
        found, why = _read(part)
        problems += why
        if part.format in COUNTERS:
            if found is not None:
                found.completeness = Completeness.COMPLETE  # of the wiring nothing is lost with them
        elif found is None or why:
            worth = Completeness.PARTIAL
        if found is not None:
            lit = lit or (part.format not in COUNTERS and bool(found.nodes or found.links))
            seen.append(found)
    merged = formats.merge(seen)
    if not lit:
        worth = Completeness.EMPTY
    elif merged.completeness is not Completeness.COMPLETE:
        worth = merged.completeness
    return Look(merged, worth, [*problems, *merged.problems])


def _read(part: Part) -> tuple[Seen | None, list[Problem]]:
    """One part, and what keeps it from being whole."""
    why = [Problem(part.name, 0, part.problem)] if part.problem else []
    if not part.text.strip():
        return None, why or [Problem(part.name, 0, "printed nothing: no data")]
    try:
        found: Seen = import_module(f"fabric.formats.{part.format}").read(part.text)
    except Unreadable as error:
        return None, why + [problem._replace(where=part.name) for problem in error.problems]
    found.problems[:] = [problem._replace(where=part.name) for problem in found.problems]
    return found, why
