"""Container images on machines: which there are, who has one, under which digest."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Count, Max, Q, QuerySet

from health.checks.parsers.images import reference_of
from health.machines.lifecycle import State
from health.monitoring.images.models import MachineImage, MachineImages
from health.monitoring.images.states import Held

RETIRED = Q(machine__health__state=State.RETIRED.value)


class Summary(NamedTuple):
    """An image of a fleet: `machines` have it, `another` of them another image than most under the same name."""

    reference: str
    engines: tuple[str, ...]
    machines: int
    another: int
    size_bytes: int | None
    made_at: datetime | None


def of_name(name: str) -> Q:
    """The rows that a person means by a name: with a tag, with a digest under whatever tag, or a file."""
    reference = reference_of(name)
    repository, _, digest = reference.partition("@")
    if digest:
        return Q(reference__startswith=f"{repository}:", digest=digest) | Q(reference=reference)
    return Q(reference=reference)


def held_by(machine_ids: Sequence[int], name: str) -> dict[int, Held]:
    """Of each machine whose images are read. Two statements.

    What an engine showed before it fell silent is not known to lie there still. A file has neither digest nor id, and
    is known by its size.
    """
    asked = MachineImages.objects.filter(machine_id__in=machine_ids).values_list("machine_id", "engines")
    engines: dict[int, dict[str, str]] = {pk: told for pk, told in asked if told}
    found: dict[int, set[str]] = defaultdict(set)
    rows = MachineImage.objects.filter(of_name(name), machine_id__in=list(engines))
    columns = ("machine_id", "engine", "digest", "image_id", "size_bytes")
    for machine, engine, digest, image_id, size in rows.values_list(*columns):
        if engines[machine].get(engine) == "":
            found[machine] |= _identities(digest, image_id, size)
    return {pk: Held(tuple(sorted(found[pk])), _trouble(told)) for pk, told in engines.items()}


def read_at(site_ids: Iterable[int]) -> int:
    """How many machines tell their images."""
    return _of_sites(MachineImages.objects.exclude(engines={}), site_ids).count()


def summaries(site_ids: Iterable[int], search: str = "") -> list[Summary]:
    """Every image of these sites, by name. One statement, grouped by the database."""
    rows = _of_sites(MachineImage.objects.all(), site_ids)
    if search:
        rows = rows.filter(reference__icontains=search)
    groups = rows.values("reference", "engine", "digest", "image_id").annotate(
        machines=Count("machine_id", distinct=True), size=Max("size_bytes"), made=Max("made_at")
    )
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for group in groups:
        found[group["reference"]].append(group)
    return [_summary(reference, found[reference]) for reference in sorted(found)]


def _summary(reference: str, groups: Sequence[dict[str, Any]]) -> Summary:
    """Groups that share a digest or an id are one image; a machine that has it in two engines counts once for each."""
    whole = Counter[str]()
    for group in groups:
        for identity in _identities(group["digest"], group["image_id"], group["size"]):
            whole[identity] += group["machines"]
    usual = min(whole, key=lambda identity: (-whole[identity], identity))
    same = [g for g in groups if usual in _identities(g["digest"], g["image_id"], g["size"])]
    machines, those = (sum(g["machines"] for g in some) for some in (groups, same))
    return Summary(
        reference,
        tuple(sorted({g["engine"] for g in groups})),
        machines,
        machines - those,
        max((g["size"] for g in same if g["size"] is not None), default=None),
        max((g["made"] for g in same if g["made"] is not None), default=None),
    )


def _identities(digest: str, image_id: str, size: int | None) -> set[str]:
    return {each for each in (digest, image_id) if each} or {f"{size} bytes"}


def _of_sites(rows: QuerySet[Any], site_ids: Iterable[int]) -> QuerySet[Any]:
    return rows.filter(machine__device__site_id__in=list(site_ids)).exclude(RETIRED)


def _trouble(engines: dict[str, str]) -> str:
    return "; ".join(f"{engine}: {why}" for engine, why in sorted(engines.items()) if why)
