"""A quick look at a few ports: what is plugged in there now. Nothing is stored, opened or closed by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabric.discovery.models.seen import SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.port_reads import NotAlone, read_ports
from fabric.discovery.services.readers import SourceUnreadable, parse, read_source
from fabric.facts import Completeness, PlannedPort, SeenPort


@dataclass(frozen=True, slots=True)
class PortsLook:
    """`far` leads from each port that could be looked at to the port at its other end; None: it has no light. A port
    that is not in it is not known. `problem` says why nothing is; `whole`, why the whole fabric had to be read."""

    far: dict[PlannedPort, PlannedPort | None]
    problem: str = ""
    whole: str = ""


def look_at_ports(source: FabricSource, ports: Iterable[PlannedPort]) -> PortsLook:
    """Ask the source now what these ports lead to: of them alone where it can tell, which takes seconds, else by
    reading all of it.

    Devices are those that the newest believed discovery named, and those seen before that: an adapter whose cable
    hangs is not seen at all. One without a name is called by 0x and its GUID. A port of a device that is not there is
    not known, and so is all when the answer is not whole.
    """
    names = _names(source)
    guids = {name: guid for guid, name in names.items() if name}
    asked = {port: SeenPort(guids.get(port.device, port.device.removeprefix("0x")), port.port) for port in ports}
    whole = ""
    try:
        far = read_ports(source, [end for end in asked.values() if end.guid in names])
    except NotAlone as error:
        whole = str(error)
        try:
            found = parse(read_source(source).parts)
        except SourceUnreadable as broken:
            return PortsLook({}, str(broken), whole)
        if found.wiring is not Completeness.COMPLETE:
            why = f": {found.problems[0].text}" if found.problems else ""
            return PortsLook({}, f"{source.name} gave an answer that is {found.wiring}{why}", whole)
        ends = dict(found.seen.far_ends())
        far = {end: ends.get(end) for end in asked.values() if end.guid in found.seen.nodes}
    known = {port: far[end] for port, end in asked.items() if end in far}
    return PortsLook(
        {
            port: None if other is None else PlannedPort(names.get(other.guid) or f"0x{other.guid}", other.port)
            for port, other in known.items()
        },
        whole=whole,
    )


def _names(source: FabricSource) -> dict[str, str]:
    """Names by GUID, the newest of each; a name that another node has by now is its alone."""
    rows = SeenNode.objects.filter(source=source)
    now: dict[str, str] = dict(rows.filter(during__endswith=None).values_list("guid", "name"))
    taken = set(now.values())
    before = rows.filter(during__endswith__isnull=False).exclude(name="").order_by("id").values_list("guid", "name")
    return {guid: name for guid, name in before if name not in taken} | now
