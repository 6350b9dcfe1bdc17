"""Which role mends what checks found: a version, a service or a setting other than the device model expects. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from provisioning.software.catalogue import Role


@dataclass(frozen=True, slots=True)
class Differs:
    """One check that does not pass on one machine."""

    machine_id: int
    name: str
    check: str
    message: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """A role and the machines that it mends, each with the first thing it differs in, by machine name."""

    role: Role
    machines: tuple[Differs, ...]


def remedies_of(found: Iterable[Differs], roles: Iterable[Role]) -> list[Remedy]:
    """Roles that mend something now, in the order of roles. What several roles mend is offered with each."""
    by_check: dict[str, list[Differs]] = defaultdict(list)
    for each in found:
        by_check[each.check].append(each)
    remedies = []
    for role in roles:
        first: dict[int, Differs] = {}
        for check, says in role.mends.items():
            for each in by_check.get(check, ()):
                if says in each.message:
                    first.setdefault(each.machine_id, each)
        if first and not role.problem:
            machines = sorted(first.values(), key=lambda each: (each.name, each.machine_id))
            remedies.append(Remedy(role, tuple(machines)))
    return remedies
