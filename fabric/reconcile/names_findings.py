"""Findings about names: who stands where, beside what each calls itself. Pure.

Wiring alone cannot tell whether two machines have exchanged names, boxes or all their cables; what the inventory has
recorded of their GUIDs can tell some of it, and for the rest the finding says which single look decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from fabric.reconcile.adapter_findings import adapter_findings
from fabric.reconcile.clean import Book, Net
from fabric.reconcile.finding import Finding, Kind, Severity, key
from fabric.reconcile.misnamed import Rename, reported_group
from fabric.reconcile.naming import Naming

LOOK = "Read the serial label of {device} in the rack: it shows whether the name or the box is wrong."
BMC = "Ask the management board at {device}'s place for its serial: it does not move with a name."
PHOTO = "Only if names and boxes are both right: ask for a photo of the cables before any is moved."


def name_findings(
    net: Net, book: Book, naming: Naming, renames: Sequence[Rename], recorded: Mapping[str, str]
) -> list[Finding]:
    """Exchanged devices, those at another's place, duplicate names, wrong names, factory names, adapters that are
    called by other numbers. `recorded`: devices of the GUIDs on record; they decide between a box and its name."""
    adapters = adapter_findings(net, book, naming, recorded)
    if not renames:
        return adapters
    places = _places(net, book, naming, {rename.group for rename in renames})
    wrong = {place: reported for place, reported in places.items() if reported != place}

    def is_right(group: str) -> bool:
        return naming.is_present(group) and group not in wrong

    stands: dict[str, list[str]] = {}  # reported group -> places where one stands that says so
    for place, reported in sorted(wrong.items()):
        if reported:
            stands.setdefault(reported, []).append(place)
    found: list[Finding] = []
    for reported, at in stands.items():
        if is_right(reported) or len(at) > 1:
            found.append(_duplicate(net, book, naming, reported, at, is_right(reported), recorded))
    moved = {reported: at[0] for reported, at in stands.items() if not is_right(reported) and len(at) == 1}
    for path in _paths(moved):
        found.append(_exchanged(net, book, naming, path, recorded))
    return (
        adapters + found + _without_place(renames, wrong, lambda place: _at_home(net, book, naming, [place], recorded))
    )


def _places(net: Net, book: Book, naming: Naming, groups: Iterable[str]) -> dict[str, str]:
    """What stands at the places of these: the group that most of its nodes say they are, empty for a name nobody
    planned."""
    says = {
        group: Counter(
            reported_group(net, book, guid) or ""
            for member in book.members[group]
            if (guid := naming.holder.get(member)) is not None
        )
        for group in groups
    }
    return {
        place: max(counted, key=lambda group: (counted[group], group != place, group))
        for place, counted in says.items()
    }


def _paths(moved: Mapping[str, str]) -> list[list[str]]:
    """Circles `[A, B, A]` and chains `[A, B, C]` of who stands at whose place."""
    done: set[str] = set()
    found = []
    targets = set(moved.values())
    for start in sorted(moved, key=lambda name: (name in targets, name)):
        path = [start]
        while path[-1] in moved and moved[path[-1]] not in done:
            following = moved[path[-1]]
            path.append(following)
            if following == start:
                break
        if start not in done and len(path) > 1:
            found.append(path)
            done.update(path)
    return found


def _exchanged(net: Net, book: Book, naming: Naming, path: Sequence[str], recorded: Mapping[str, str]) -> Finding:
    circle = path[0] == path[-1]
    groups = list(dict.fromkeys(path))
    steps = [f"{one} stands at the place of {other}" for one, other in pairwise(path)]
    verdict, checks = _verdict(_at_home(net, book, naming, groups, recorded), groups[0])
    if circle and len(groups) == 2:
        title = f"{groups[0]} and {groups[1]} stand in each other's place"
    elif circle:
        title = f"{len(groups)} devices stand in each other's places: {', '.join(groups[:4])}"
    else:
        title = f"{path[0]} stands at the place of {path[1]}"
    return Finding(
        Kind.EXCHANGED_DEVICES if circle else Kind.DEVICE_AT_OTHER_PLACE,
        key("place", *sorted(groups)),
        Severity.HIGH,
        title,
        f"{'; '.join(steps)}. {verdict} No cable has to be moved for it.",
        tuple(groups),
        evidence={"paths": steps, "nodes": _evidence(net, book, naming, groups, recorded), "verdict": verdict},
        checks=checks,
    )


def _at_home(net: Net, book: Book, naming: Naming, places: Sequence[str], recorded: Mapping[str, str]) -> bool | None:
    """Whether the boxes at these places are those on record for them, by their GUIDs: then their names are wrong. False
    where the records agree with the names instead; None where there are none, or they tell both."""
    here = says = 0
    for group in places:
        for device in book.members.get(group, ()):
            guid = naming.holder.get(device)
            known = recorded.get(guid or "", "")
            if guid is None or known not in book.group:
                continue
            here += book.group[known] == group
            says += book.group[known] == reported_group(net, book, guid)
    return None if here == says else here > says


def _verdict(at_home: bool | None, place: str) -> tuple[str, tuple[str, ...]]:
    if at_home:
        return (
            "By their recorded GUIDs the boxes stand where they should: their names are exchanged.",
            ("Rename them. Nobody has to go to the hall.",),
        )
    if at_home is False:
        return (
            "By their recorded GUIDs the names are right: the boxes, or all their cables, are exchanged.",
            (BMC.format(device=place), LOOK.format(device=place), PHOTO),
        )
    return (
        "Either the names are exchanged or the boxes are; the wiring cannot show which.",
        (LOOK.format(device=place), BMC.format(device=place), PHOTO),
    )


def _evidence(
    net: Net, book: Book, naming: Naming, groups: Sequence[str], recorded: Mapping[str, str]
) -> list[dict[str, str]]:
    return [
        {
            "guid": guid,
            "place": device,
            "reports": net.nodes[guid].description,
            "recorded": recorded.get(guid, ""),
        }
        for group in groups
        for device in book.members.get(group, ())
        if (guid := naming.holder.get(device)) is not None
    ]


def _duplicate(
    net: Net,
    book: Book,
    naming: Naming,
    reported: str,
    at: Sequence[str],
    own: bool,
    recorded: Mapping[str, str],
) -> Finding:
    who, one = " and ".join(at), len(at) == 1
    at_home = _at_home(net, book, naming, at, recorded)
    text = f"By the wiring {who} {'is' if one else 'are'} not {reported}"
    text += ", which stands at its own place under the same name. " if own else ". "
    text += {
        True: f"The recorded GUIDs say so too: rename {who}.",
        False: "But by its recorded GUIDs what stands there is another: it was moved, or the record is old.",
        None: f"Rename {who}.",
    }[at_home]
    return Finding(
        Kind.DUPLICATE_NAME,
        key("name", reported),
        Severity.LOW,
        f"{who} {'reports' if one else 'report'} the name {reported}",
        text,
        tuple(dict.fromkeys([*at, reported])),
        evidence={"reported": reported, "places": list(at)},
        checks=() if at_home else (LOOK.format(device=at[0]),),
    )


def _without_place(
    renames: Sequence[Rename], wrong: Mapping[str, str], at_home: Callable[[str], bool | None]
) -> list[Finding]:
    """Names that the plan does not have: one finding each, and one for all switches, or machines, nobody has named."""
    unnamed: dict[str, list[Rename]] = {}
    found = []
    done: set[str] = set()
    for rename in renames:
        if rename.group in done or wrong.get(rename.group):
            continue
        done.add(rename.group)
        if rename.factory:
            unnamed.setdefault("switches" if rename.is_switch else "machines", []).append(rename)
            continue
        found.append(
            Finding(
                Kind.MISNAMED,
                key("misnamed", rename.group),
                Severity.LOW,
                f"{rename.group} reports the name {rename.reported}",
                f"By the wiring it is {rename.device}: {rename.vote.agree} of {rename.vote.asked} neighbours agree."
                + (" Its recorded GUID says so too: rename it." if at_home(rename.group) else ""),
                (rename.group,),
                evidence=_agreement(rename),
                checks=() if at_home(rename.group) else (LOOK.format(device=rename.group),),
            )
        )
    for what, some in unnamed.items():
        names = [rename.group for rename in some]
        found.append(
            Finding(
                Kind.UNNAMED,
                key("unnamed", what),
                Severity.LOW,
                f"{len(names)} {what if len(names) > 1 else what.removesuffix('es' if what[0] == 's' else 's')} "
                "without a name of their own",
                f"They report what the factory gave them. By the wiring they are {', '.join(names[:6])}"
                + (" .." if len(names) > 6 else "."),
                tuple(names),
                evidence={"nodes": [_agreement(rename) for rename in some]},
            )
        )
    return found


def _agreement(rename: Rename) -> dict[str, object]:
    return {
        "guid": rename.guid,
        "device": rename.device,
        "reports": rename.reported,
        "agree": rename.vote.agree,
        "asked": rename.vote.asked,
        "margin": rename.vote.margin,
        "sure": rename.sure,
    }
