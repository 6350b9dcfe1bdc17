"""What devices call themselves beside where they stand. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.facts import NodeKind
from fabric.reconcile.clean import Book, Net, forms_of, is_factory, machine_of, shortened
from fabric.reconcile.naming import Naming, Vote, vote_on

SURE_MARGIN = 3
SURE_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class Rename:
    """A node that reports another name than that of the place where it stands. `sure`: enough neighbours agree to
    write the name without a person."""

    guid: str
    device: str
    group: str
    reported: str
    vote: Vote
    factory: bool
    is_switch: bool

    @property
    def sure(self) -> bool:
        return self.vote.margin >= SURE_MARGIN and self.vote.agree >= SURE_SHARE * self.vote.asked


def reported_group(net: Net, book: Book, guid: str) -> str | None:
    """The machine, switch or chassis that a node says it is; None for a name that the plan does not have."""
    device = net.meant.get(guid)
    if device is not None:
        return book.group[device]
    node = net.nodes[guid]
    forms = forms_of(node.description)
    if node.kind is NodeKind.SWITCH:
        return next((book.chassis[form] for form in forms if form in book.chassis), None)
    machine = machine_of(node.description)
    called = (machine, shortened(machine), *forms)
    return next((book.machines[form] for form in called if form in book.machines), None)


def renames_of(net: Net, book: Book, naming: Naming) -> tuple[Rename, ...]:
    """Every named node whose report is another device's, or nobody's; in the order of planned names."""
    found = []
    for guid, device in naming.names.items():
        if net.meant.get(guid) != device and reported_group(net, book, guid) != book.group[device]:
            node = net.nodes[guid]
            _, vote, _ = vote_on(net, book, naming, guid)
            switch = node.kind is NodeKind.SWITCH
            factory = is_factory(node.description)
            found.append(Rename(guid, device, book.group[device], node.description, vote, factory, switch))
    return tuple(sorted(found, key=lambda rename: rename.device))
