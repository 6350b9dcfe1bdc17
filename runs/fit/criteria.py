"""What a machine must show before a run starts on it. Pure; one table. What is not known is never fit.

A machine that fails a criterion, or of which a criterion is unknown, stays out; a warning keeps nobody out. What is
known of no machine of the set keeps the set from being called fit, and no machine out: another one would not help.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from health.monitoring.images.states import Held, ImageState, short, state_of
from runs.fit.facts import Facts, LinkState

OK, WARN, FAIL, UNKNOWN = "ok", "warn", "fail", "unknown"
RANK = {OK: 0, WARN: 1, UNKNOWN: 2, FAIL: 3}
BURN_IN_DAYS = 14
VERSIONS = (
    "driver", "cuda", "vbios", "gsp", "hca_firmware_infiniband", "bios", "kernel", "os", "kernel_command_line",
)  # fmt: skip
"""Facts of `health.monitoring.facts` that must be the same on all machines of a model."""
PORTS = "ib.port"
"""The ports of the rails are up at their rate: must have an answer."""
NVLINK = "nvlink.links"
"""Must have an answer where it applies."""
ERRORS = ("ib.counters", "nvlink.errors", "hca.link_quality", "hca.wire_errors")
COUNTERS = "ib.counters"
CLOCK = "clock.offset"
CHECKS = (PORTS, NVLINK, *ERRORS, CLOCK)
STATES = {
    "repair": "in repair",
    "triage": "in triage",
    "burn_in": "in burn-in",
    "maintenance": "in maintenance",
    "rma": "with its vendor",
}
"""States of the lifecycle that are no adjective."""
WIRED_WRONG = {
    "slow": "slower than both ends can",
    "wrong": "its cable is in another port",
    "dark": "no light",
    "missing": "not seen",
    "off": "its far end is off",
}


class Said(NamedTuple):
    """What one criterion says of one machine."""

    state: str
    text: str = ""


class Peers(NamedTuple):
    """What the others have: by model the value of each fact that most of the set tell."""

    versions: Mapping[str, Mapping[str, str]]
    titles: Mapping[str, str]
    now: datetime
    image: str = ""
    """The digest or id that most of the set have of the image that must be there."""


@dataclass(frozen=True)
class Criterion:
    id: str
    title: str
    of: Callable[[Facts, Peers], Said]


def _service(machine: Facts, peers: Peers) -> Said:
    if machine.state != "ready":
        ticket = f", {machine.ticket}" if machine.ticket else ""
        return Said(FAIL, f"it is {STATES.get(machine.state, machine.state)}{ticket}")
    if machine.reachability != "reachable":
        return Said(UNKNOWN, f"it is {machine.reachability}")
    if machine.worst == FAIL:
        return Said(FAIL, f"a check fails{': ' + machine.failing if machine.failing else ''}")
    if not machine.golden:
        return Said(FAIL, "it is not in the golden set")
    return Said(OK)


def _versions(machine: Facts, peers: Peers) -> Said:
    usual = peers.versions.get(machine.model, {})
    if "driver" not in machine.versions:
        return Said(UNKNOWN, "its driver is not known")
    for fact, value in usual.items():
        own = machine.versions.get(fact)
        title = peers.titles.get(fact, fact)
        if own is None:
            return Said(UNKNOWN, f"{title} is not known")
        if own != value:
            return Said(FAIL, f"{title} {own}, others {value}")
    return Said(OK)


def _clock(machine: Facts, peers: Peers) -> Said:
    said = machine.said.get(CLOCK, "")
    match machine.cells.get(CLOCK, "."):
        case "o" | "i":
            return Said(OK)
        case "f":
            return Said(FAIL, said or "the clock is wrong")
        case "w":
            return Said(WARN, said or "the clock is off")
    return Said(UNKNOWN, "its clock was not compared")


def _links(machine: Facts, peers: Peers) -> Said:
    found = [_fabric_link(link) for link in machine.links]
    found += [_check(machine, PORTS, "u."), _check(machine, NVLINK, "u")]
    found += [_check(machine, check, "") for check in ERRORS]
    counted = machine.cells.get(COUNTERS, ".") in "oiwf" or (
        bool(machine.links) and all(link.quality in ("ok", "watch", "bad") for link in machine.links)
    )
    if not counted:
        found.append(Said(UNKNOWN, "nobody counts the errors of its links"))
    return max(found, key=lambda said: RANK[said.state])


def _fabric_link(link: LinkState) -> Said:
    if link.wiring in WIRED_WRONG:
        return Said(FAIL, f"{link.port}: {WIRED_WRONG[link.wiring]}")
    if link.quality == "bad":
        return Said(FAIL, f"{link.port}: {link.reason or 'too many errors'}")
    if link.quality == "watch":
        return Said(WARN, f"{link.port}: {link.reason or 'errors are counted'}")
    return Said(OK)


def _check(machine: Facts, check: str, unknown: str) -> Said:
    """`unknown`: the letters that are no answer where one is needed."""
    said, letter = machine.said.get(check, ""), machine.cells.get(check, ".")
    if letter == "f":
        return Said(FAIL, said or f"{check} fails")
    if letter == "w":
        return Said(WARN, said or f"{check} warns")
    return Said(UNKNOWN, said or f"{check} gave no answer") if letter in unknown else Said(OK)


def _rails(machine: Facts, peers: Peers) -> Said:
    if not machine.rails:
        return Said(UNKNOWN, "its rails are not in the inventory")
    for rail in machine.rails:
        if rail.carries is not None and rail.carries != rail.number:
            return Said(FAIL, f"rail {rail.number} ends at {rail.leaf}, which carries rail {rail.carries}")
    lost = [str(rail.number) for rail in machine.rails if not rail.leaf]
    if lost:
        which = f"rail {lost[0]}" if len(lost) == 1 else f"rails {', '.join(lost)}"
        return Said(UNKNOWN, f"no leaf is known for {which}")
    return Said(OK)


def _burn_in(machine: Facts, peers: Peers) -> Said:
    last = machine.burn_in
    if last is None:
        return Said(WARN, "no burn-in is known")
    if not last.passed:
        return Said(FAIL, f"its last burn-in did not pass{': ' + last.message if last.message else ''}")
    days = (peers.now - last.at) // timedelta(days=1)
    return Said(WARN, f"{days} days ago") if days > BURN_IN_DAYS else Said(OK)


def _free(machine: Facts, peers: Peers) -> Said:
    if machine.allocation == "idle":
        return Said(OK)
    return Said(WARN, "a job runs on it" if machine.allocation == "allocated" else "not known whether a job runs on it")


def _image(machine: Facts, peers: Peers) -> Said:
    """The same name may hide another image: a tag that was pulled before it was moved."""
    held = machine.image or Held()
    match state_of(machine.image, peers.image):
        case ImageState.SAME:
            return Said(OK)
        case ImageState.ANOTHER:
            return Said(FAIL, f"another image of this name: {short(held.identities[0])}, others {short(peers.image)}")
        case ImageState.MISSING:
            return Said(FAIL, "the image is not there")
        case ImageState.UNKNOWN:
            return Said(UNKNOWN, held.trouble)
    return Said(UNKNOWN, "which images lie on it is not read")


def _launch(machine: Facts, peers: Peers) -> Said:
    return Said(FAIL, machine.bad_at_launch) if machine.bad_at_launch else Said(OK)


CRITERIA = (
    Criterion("service", "In service and golden", _service),
    Criterion("versions", "Same driver, firmware and image", _versions),
    Criterion("links", "Links clean and at rate", _links),
    Criterion("rails", "Rails whole, leaf-aligned", _rails),
    Criterion("clock", "Clocks right", _clock),
    Criterion("burn_in", f"Last burn-in within {BURN_IN_DAYS} days", _burn_in),
    Criterion("free", "Free of jobs", _free),
)
IMAGE = Criterion("image", "Container image present", _image)
"""Asked where an image is named."""
LAUNCH = Criterion("launch", "Launch check on this set", _launch)
"""It has something to say once it was run on this very set."""


def usual_versions(machines: Sequence[Facts], golden: Iterable[Facts]) -> dict[str, dict[str, str]]:
    """By model the value of each fact that most of these machines tell; where two are as frequent, what the golden
    machines of the model tell more often."""
    best: Counter[tuple[str, str, str]] = Counter()
    for each in golden:
        best.update((each.model, fact, value) for fact, value in each.versions.items())
    told: dict[tuple[str, str], Counter[str]] = {}
    for each in machines:
        for fact in VERSIONS:
            if fact in each.versions:
                told.setdefault((each.model, fact), Counter())[each.versions[fact]] += 1
    found: dict[str, dict[str, str]] = {}
    for (model, fact), counts in told.items():
        value = min(counts, key=lambda value: (-counts[value], -best[model, fact, value], value))
        found.setdefault(model, {})[fact] = value
    return found
