"""What was seen and what is planned, cleaned and indexed for the steps that follow. Pure.

Aggregation nodes inside switches are left out, names are brought to one form, and ports whose two ends disagree are set
aside: of those nothing is said but that the source has to be asked again.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter

from fabric.facts import DeviceRole, NodeKind, Plan, PlannedCable, PlannedPort, Seen, SeenLink, SeenNode, SeenPort
from fabric.formats.node_names import without_domain

_MANAGED = re.compile(r"MF0;(.*):([^:/]*)((?:/[^:]*)?)$", re.IGNORECASE)
_FACTORY = re.compile(
    r"mellanox technologies|nvidia technologies|^mt\d+ |^(switchib|switchx|quantum|infiniscale|connect-?x)"
    r"|^localhost\b|^\(none\)|^switch-[0-9a-f]{6,}$|^$",
    re.IGNORECASE,
)
_ADAPTER = re.compile(r"(.+?)[ /]((?:mlx\d+_\d+|hca-\d+|ib[a-z]*\d\w*|hfi\d+_\d+|en[opsx]\w*\d\w*)(?:/\d+)?)$")
MOST_NAMES = 1 << 18
"""So many descriptions are taken apart once: those of 300,000 links."""
_HCA = re.compile(r"hca-(\d+)$")


def plain(name: str) -> str:
    """One form for comparing: no case, single blanks, without the wrapping of managed switches."""
    forms = forms_of(name)
    return forms[0]


@lru_cache(maxsize=MOST_NAMES)
def forms_of(description: str) -> tuple[str, ...]:
    """What a description may be called in a plan, the exact one first: `MF0;core:MCS8500/L16/U2` is `core/l16/u2`,
    or `core` where the plan does not tell boards apart; `gpu-1 HCA-6` is also `gpu-1 mlx5_5`, and a host with its
    domain also the one without."""
    text = " ".join(description.split()).casefold()
    match = _MANAGED.match(text) if text.startswith("mf0;") else None
    if match:
        name, board = match[1].strip(), match[3]
        return _with_short((name + board, name) if board and board != "/u1" else (name,))
    hca = _HCA.search(text) if "hca-" in text else None
    if hca:
        return _with_short((text, f"{text[: hca.start()]}mlx5_{int(hca[1]) - 1}"))
    return _with_short((text,))


def _with_short(forms: tuple[str, ...]) -> tuple[str, ...]:
    """The same without the domain of the host, behind those with it."""
    if "." not in forms[0]:
        return forms
    return forms + tuple(short for form in forms if (short := shortened(form)))


def shortened(form: str) -> str:
    """`gpu-1.example.com mlx5_0` -> `gpu-1 mlx5_0`; empty where no domain is in it."""
    if "." not in form:
        return ""
    end = next((at for at, sign in enumerate(form) if sign in " /"), len(form))
    short = without_domain(form[:end])
    return short + form[end:] if short else ""


def is_factory(description: str) -> bool:
    """Whether nobody has named it yet."""
    return bool(_FACTORY.search(plain(description)))


@lru_cache(maxsize=MOST_NAMES)
def machine_of(description: str) -> str:
    """The machine's part of an adapter's description, in plain form; empty where it names no machine."""
    text = plain(description)
    match = _ADAPTER.match(text)
    return match[1] if match else ""


@lru_cache(maxsize=MOST_NAMES)
def adapter_of(description: str) -> str:
    text = forms_of(description)[-1]
    match = _ADAPTER.match(text)
    return match[2] if match else ""


_A, _B = itemgetter(0), itemgetter(1)  # the ends of a link
_ENDS = itemgetter(1, 2)  # of a planned cable


@dataclass(slots=True)
class Net:
    """The fabric as seen. `ends` has, for each node, its ports with what is at their other end."""

    nodes: dict[str, SeenNode]
    links: list[SeenLink]
    ends: dict[str, list[tuple[int, SeenPort]]]
    doubtful: set[SeenPort]
    meant: dict[str, str] = field(default_factory=dict)  # GUID -> planned device that the node says it is


@dataclass(slots=True)
class Book:
    """The plan, looked up. `called` has the device of each plain name; two devices of one name are in none."""

    plan: Plan
    ports: dict[str, dict[int, PlannedPort]] = field(
        default_factory=dict
    )  # of a device -> what is to be at its far end
    called: dict[str, str] = field(default_factory=dict)
    group: dict[str, str] = field(default_factory=dict)
    members: dict[str, list[str]] = field(default_factory=dict)
    machines: dict[str, str] = field(default_factory=dict)  # plain name of a machine -> its group
    chassis: dict[str, str] = field(default_factory=dict)  # the same of a chassis whose boards the plan lists

    def far(self, device: str, port: int) -> PlannedPort | None:
        """What the plan has at the far end of a port."""
        ports = self.ports.get(device)
        return None if ports is None else ports.get(port)

    def cables_at(self, ports: Collection[PlannedPort]) -> dict[PlannedPort, PlannedCable]:
        """The planned cables at some ports, by port: all are gone through for it, so ask for many at once."""
        found = [cable for cable in self.plan.cables if cable.a in ports or cable.b in ports] if ports else []
        return {end: cable for cable in found for end in cable.ends if end in ports}

    def fits(self, node: SeenNode, device: str) -> bool:
        """Whether a node of this kind, and with this adapter's name, can be that device."""
        planned = self.plan.devices.get(device)
        if planned is None:
            return False
        if planned.role is DeviceRole.ADAPTER:
            if node.kind is NodeKind.SWITCH:
                return planned.group == device  # a file's device with a port or two may be a small switch
            if node.description == device:
                return True
            adapter = adapter_of(node.description)
            return not adapter or adapter == adapter_of(device) or not self._has(planned.group, adapter)
        return node.kind is not NodeKind.ADAPTER

    def _has(self, group: str, adapter: str) -> bool:
        """Whether a machine has an adapter of this name. One that says so is no other adapter of that machine."""
        return any(adapter_of(member) == adapter for member in self.members[group])


def net_of(seen: Seen) -> Net:
    """A port in two links, or one with ends that disagree, is doubtful with all its links."""
    nodes = {guid: node for guid, node in seen.nodes.items() if node.kind is not NodeKind.AGGREGATION}
    doubtful = {end for link in seen.doubtful for end in (link.a, link.b)} | _in_two_links(seen)
    links: list[SeenLink] = []
    ends: dict[str, list[tuple[int, SeenPort]]] = {guid: [] for guid in nodes}
    for link in seen.links:
        a, b, _, _ = link
        (a_guid, a_number), (b_guid, b_number) = a, b
        a_ends, b_ends = ends.get(a_guid), ends.get(b_guid)
        if a_ends is None or b_ends is None:
            continue
        if doubtful and (a in doubtful or b in doubtful):
            doubtful.update((a, b))
            continue
        links.append(link)
        a_ends.append((a_number, b))
        b_ends.append((b_number, a))
    return Net(nodes, links, ends, doubtful)


def say_who(net: Net, book: Book) -> None:
    """Look up which devices of the plan the nodes say they are."""
    called = book.called
    for guid, node in net.nodes.items():
        for form in forms_of(node.description):
            device = called.get(form)
            if device is not None:
                net.meant[guid] = device
                break


def _in_two_links(seen: Seen) -> set[SeenPort]:
    told = {*map(_A, seen.links), *map(_B, seen.links)}
    if len(told) == 2 * len(seen.links):
        return set()
    often = Counter(end for link in seen.links for end in (link.a, link.b))
    return {end for end, number in often.items() if number > 1}


def book_of(plan: Plan) -> Book:
    ports: defaultdict[str, dict[int, PlannedPort]] = defaultdict(dict)
    for a, b in map(_ENDS, plan.cables):
        (a_device, a_port), (b_device, b_port) = a, b
        ports[a_device][a_port] = b
        ports[b_device][b_port] = a
    book = Book(plan, dict(ports))
    twice: set[str] = set()
    machine = ""
    for name, device in plan.devices.items():
        book.group[name] = device.group
        book.members.setdefault(device.group, []).append(name)
        form = plain(name)
        if form in book.called:
            twice.add(form)
        book.called[form] = name
        if device.role is DeviceRole.ADAPTER:
            if device.group != machine:
                machine = device.group
                book.machines[plain(machine)] = machine
        elif device.group not in plan.devices:
            book.chassis[plain(device.group)] = device.group
    for form in twice:
        del book.called[form]
    for names in (book.called, book.machines, book.chassis):
        _fold_domains(names, twice)
    return book


def _fold_domains(names: dict[str, str], twice: set[str]) -> None:
    """Let a name with a domain be called without it too, where that is nobody else's."""
    full: dict[str, set[str]] = {}
    for form in names:
        if "." in form and (short := shortened(form)):
            full.setdefault(short, set()).add(form)
    for short, forms in full.items():
        if len(forms) == 1 and short not in names and short not in twice:
            names[short] = names[next(iter(forms))]


def ports_of(seen: Seen, guid: str) -> int:
    """How many ports a node has for cables; 0 where the source does not tell all of them.

    An odd count is that of a switch with one port more, inside, for the aggregation node (65 on a QM9700).
    """
    node = seen.nodes[guid]
    if not node.counted and not _lists_all(seen, node):
        return 0
    return node.ports - 1 if node.kind is NodeKind.SWITCH and node.ports > 1 and node.ports % 2 else node.ports


def _lists_all(seen: Seen, node: SeenNode) -> bool:
    """Whether the source tells of every port of a node: of all up to the last, and of some that are down, for one that
    tells of lit ports only ends with the last of those."""
    listed = all(SeenPort(node.guid, number) in seen.states for number in range(1, node.ports + 1))
    return listed and any(state.logical == "Down" for state in seen.states.values())
