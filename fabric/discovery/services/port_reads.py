"""A few ports read by themselves, not the whole fabric: by `smpquery` along a route, or a switch's links of UFM.

It takes seconds where reading the whole fabric takes minutes. What cannot be told this way raises `NotAlone`, and the
caller reads the whole.

`smpquery` is sent along directed routes, which need no subnet manager and go where the cable goes. The route to a
device follows the links of the newest look, around the ports that are asked for; the device at its end says who it is.
(`iblinkinfo -G` would tell a whole switch, but needs a path from the subnet manager, and was seen to hang.)
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from drivers import shell
from drivers.https import ApplianceError
from drivers.ssh import Limits, run_one
from fabric.discovery.models.seen import SeenLink, SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.ibdiags import target_of
from fabric.discovery.services.readers import SourceUnreadable
from fabric.discovery.services.ufm import client_of
from fabric.facts import SeenPort
from fabric.formats import ufm
from fabric.formats.common import Unreadable, padded

QUERY_S = 3
TIMEOUT_S = 60
MOST_DEVICES = 8
"""From so many on, the whole is read: a work order's step names two or three."""
MARK = "== rackside"
_FIELD = re.compile(r"^(\w+):\.*(.*?)\s*$", re.MULTILINE)
_DEVICE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}")

FarEnds = dict[SeenPort, SeenPort | None]


class NotAlone(Exception):
    """These ports cannot be read by themselves; the message says why."""


def read_ports(source: FabricSource, ports: Collection[SeenPort]) -> FarEnds:
    """What each port leads to now; None: no light. Raises NotAlone."""
    by_node: dict[str, list[int]] = defaultdict(list)
    for end in ports:
        by_node[end.guid].append(end.port)
    if len(by_node) > MOST_DEVICES:
        raise NotAlone(f"{len(by_node)} devices are asked for")
    reader = {"ibdiags": _by_smpquery, "ufm": _by_ufm}.get(source.kind)
    if reader is None:
        raise NotAlone("this source is only read as a whole")
    try:
        return reader(source, by_node)
    except (SourceUnreadable, ApplianceError, Unreadable) as error:
        raise NotAlone(str(error)) from error


# ---- infiniband-diags ----


def _by_smpquery(source: FabricSource, ports: Mapping[str, Collection[int]]) -> FarEnds:
    """Two connections: who we are, then all ports at once. A port that is up is asked who is behind it."""
    (own,) = _ask(source, [["-D", "nodeinfo", "0"]])
    routes = _routes(source, _guid(own), int(own.get("LocalPort", "0")), ports)
    asked = [(SeenPort(guid, number), routes[guid]) for guid, numbers in ports.items() for number in sorted(numbers)]
    lines: list[list[str]] = []
    for end, route in asked:
        lines += [["-D", "nodeinfo", route], ["-D", "portinfo", route, str(end.port)]]
        lines.append(["-D", "nodeinfo", f"{route},{end.port}"])
    answers = iter(_ask(source, lines))
    found: FarEnds = {}
    for end, _ in asked:
        there, state, far = next(answers), next(answers), next(answers)
        if _guid(there) != end.guid or "LinkState" not in state:
            raise NotAlone(f"the way to 0x{end.guid} is another by now")
        dark = state["LinkState"] == "Down"
        found[end] = None if dark else SeenPort(_guid(far), int(far.get("LocalPort", "0")))
    return found


def _guid(answer: Mapping[str, str]) -> str:
    if not answer.get("Guid", "").startswith("0x"):
        raise NotAlone("smpquery gets no answer")
    return padded(answer["Guid"][2:])


def _routes(source: FabricSource, start: str, own_port: int, ports: Mapping[str, Collection[int]]) -> dict[str, str]:
    """The directed route to each device: ports to leave by, from the machine that asks."""
    rows = SeenLink.objects.filter(source=source, during__endswith=None)
    asked = {(guid, number) for guid, numbers in ports.items() for number in numbers}
    ways: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for a, a_port, b, b_port in rows.values_list("a_guid", "a_port", "b_guid", "b_port"):
        if (a, a_port) not in asked and (b, b_port) not in asked:
            ways[a].append((a_port, b))
            ways[b].append((b_port, a))
    routes = {start: "0"}
    waiting = deque([start])
    while waiting and not routes.keys() >= ports.keys():
        at = waiting.popleft()
        for number, far in ways[at]:
            if far not in routes and (at != start or number == own_port):
                routes[far] = f"{routes[at]},{number}"
                waiting.append(far)
    lost = [guid for guid in ports if guid not in routes]
    if lost:
        raise NotAlone(f"no way is known to 0x{lost[0]} but by these ports")
    return routes


def _ask(source: FabricSource, queries: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """The fields that smpquery prints for each query, none where it failed. All in one connection, each bounded on the
    machine itself. Raises NotAlone."""
    at: list[str] = []
    if source.options.get("ca"):
        if not _DEVICE.fullmatch(str(source.options["ca"])):
            raise NotAlone("the option ca takes the name of an adapter")
        at += ["-C", str(source.options["ca"])]
    if source.options.get("port") is not None:
        at += ["-P", str(source.options["port"])]
    lead = ["sudo", "-n"] if source.options.get("sudo") else []
    commands = [shell.line([*lead, "timeout", "-k", "2", str(QUERY_S), "smpquery", *at, *query]) for query in queries]
    script = "\n".join(f"echo '{MARK}'; {command}" for command in commands) + "\ntrue\n"
    result = asyncio.run(run_one(target_of(source), script, Limits(command_timeout_s=TIMEOUT_S)))
    if result.failure is not None:
        raise NotAlone(f"smpquery: {result.failure}")
    answers = result.stdout.decode("utf-8", "replace").split(MARK)[1:]
    if len(answers) != len(queries):
        raise NotAlone("smpquery gets no answer")
    return [dict(_FIELD.findall(answer)) for answer in answers]


# ---- UFM ----


def _by_ufm(source: FabricSource, ports: Mapping[str, Collection[int]]) -> FarEnds:
    """UFM groups by system: a switch of several boards has one of its own."""
    rows = SeenNode.objects.filter(source=source, guid__in=ports, during__endswith=None)
    systems = {guid: system or guid for guid, system in rows.values_list("guid", "system_guid")}
    found: FarEnds = {}
    answers = asyncio.run(_links_of(source, sorted(set(systems.values()))))
    for guid, numbers in ports.items():
        links = answers.get(systems.get(guid, ""))
        if not links:
            raise NotAlone(f"UFM reports no links of {guid}")
        told = dict(ufm.read_capture({"links": links}).far_ends())
        found.update({SeenPort(guid, number): told.get(SeenPort(guid, number)) for number in numbers})
    return found


async def _links_of(source: FabricSource, systems: Iterable[str]) -> dict[str, list[dict[str, object]] | None]:
    async with client_of(source) as client:
        return {system: await client.links(system) for system in systems}
