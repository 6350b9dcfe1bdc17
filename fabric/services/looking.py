"""A quick look at a few ports: what is plugged in there now. Nothing is stored, opened or closed by it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabric.facts import Completeness, PlannedPort, SeenPort
from fabric.models import FabricSource, SeenNode
from fabric.services.reading import SourceUnreadable, parse, read_source


@dataclass(frozen=True, slots=True)
class PortsLook:
    """`far` leads from each port that could be looked at to the port at its other end; None: it has no light. A port
    that is not in it is not known. `problem` says why nothing is."""

    far: dict[PlannedPort, PlannedPort | None]
    problem: str = ""


def look_at_ports(source: FabricSource, ports: Iterable[PlannedPort]) -> PortsLook:
    """Read the source now and say what these ports lead to. Takes as long as reading it does: seconds.

    Devices are those that the newest believed discovery named; one without a name is called by 0x and its GUID. A port
    of a device that is not there at all is not known, and so is all when the answer is not whole.
    """
    try:
        found = parse(read_source(source).parts)
    except SourceUnreadable as error:
        return PortsLook({}, str(error))
    if found.wiring is not Completeness.COMPLETE:
        why = f": {found.problems[0].text}" if found.problems else ""
        return PortsLook({}, f"{source.name} gave an answer that is {found.wiring}{why}")
    named = SeenNode.objects.filter(source=source, during__endswith=None).exclude(name="")
    names: dict[str, str] = dict(named.values_list("guid", "name"))
    guids = {name: guid for guid, name in names.items()}
    ends = dict(found.seen.far_ends())
    far: dict[PlannedPort, PlannedPort | None] = {}
    for port in ports:
        guid = guids.get(port.device, port.device.removeprefix("0x"))
        if guid not in found.seen.nodes:
            continue
        other = ends.get(SeenPort(guid, port.port))
        far[port] = None if other is None else PlannedPort(names.get(other.guid, f"0x{other.guid}"), other.port)
    return PortsLook(far)
