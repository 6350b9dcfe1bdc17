"""The triage of kernel lines: kinds of line that nobody judged are listed, and people accept them or mark them as bad.

Filled from what the check `dmesg.unknown` found, after a shard is stored. A look that shows nothing new writes nothing,
but for the time of the newest sighting, once an hour at most. One sweep adds a bounded number of kinds for one image;
what it dropped is counted where people see it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from health.monitoring.models.policy import KernelImage, KernelLine, KernelSighting
from health.monitoring.services.sweeps.clean_text import clean_text
from inventory.models import Machine
from live.events import emit

if TYPE_CHECKING:
    from health.monitoring.services.sweeps.stored import Observation

CHECK = "dmesg.unknown"
# A sweep may list this many new kinds for one model and image: more at once is one cause, not that many judgements.
NEW_KINDS = 50
SEEN_AGAIN = timedelta(hours=1)

ImageKey = tuple[int, int, str]
"""Site, model, image."""


def list_unjudged(observations: Sequence[Observation], *, sweep_id: int | None = None) -> int:
    """List the kinds of line that these looks found and nobody judged; returns how many are new.

    No query where there are none; else one per kind of row, whatever their number. Safe to repeat.
    """
    said = {o.machine_id: (o, lines) for o in observations if (lines := _lines_of(o))}
    return _list(said, sweep_id) if said else 0


@transaction.atomic
def _list(said: Mapping[int, tuple[Observation, Mapping[str, str]]], sweep_id: int | None) -> int:
    places = Machine.objects.filter(pk__in=said).values_list("pk", "device__site_id", "device__model_id")
    examples: dict[ImageKey, dict[str, str]] = defaultdict(dict)
    machines: dict[tuple[ImageKey, str], list[int]] = defaultdict(list)
    for machine_id, site_id, model_id in places:
        observation, lines = said[machine_id]
        image = (site_id, model_id, observation.image)
        for shape, example in lines.items():
            examples[image].setdefault(shape, example)
            machines[image, shape].append(machine_id)
    images = _images(examples)
    at = max(observation.at for observation, _ in said.values())
    rows, added = _rows(images, examples, sweep_id=sweep_id, at=at)
    _see_again(rows, at)
    _sightings(rows, images, machines)
    return added


def _lines_of(observation: Observation) -> dict[str, str]:
    """Shape to example of what this look found and nobody judged."""
    found: dict[str, str] = {}
    for finding in observation.findings:
        if finding.check == CHECK and finding.observed:
            for line in finding.observed.get("lines") or ():
                if line.get("shape"):
                    found[clean_text(str(line["shape"]), 300)] = clean_text(str(line.get("line", "")), 400)
    return found


def _images(examples: Mapping[ImageKey, Any]) -> dict[ImageKey, KernelImage]:
    """The rows of these images, made where they are missing."""
    found = _stored_images(examples)
    missing = sorted(key for key in examples if key not in found)
    if missing:
        KernelImage.objects.bulk_create(
            [KernelImage(site_id=site, model_id=model, image=image) for site, model, image in missing],
            ignore_conflicts=True,
        )
        found = _stored_images(examples)
    return found


def _stored_images(keys: Mapping[ImageKey, Any]) -> dict[ImageKey, KernelImage]:
    rows = KernelImage.objects.filter(
        site__in={key[0] for key in keys}, model__in={key[1] for key in keys}, image__in={key[2] for key in keys}
    )
    return {(row.site_id, row.model_id, row.image): row for row in rows}


def _rows(
    images: Mapping[ImageKey, KernelImage],
    examples: Mapping[ImageKey, Mapping[str, str]],
    *,
    sweep_id: int | None,
    at: datetime,
) -> tuple[dict[tuple[int, str], KernelLine], int]:
    """The rows of all these kinds by (image, shape), new ones within the sweep's bound; and how many are new."""
    stored = _stored_lines(images, examples)
    new = {
        key: [shape for shape in sorted(examples[key]) if (image.pk, shape) not in stored]
        for key, image in images.items()
    }
    if not any(new.values()):
        return stored, 0
    wanted = sorted(images[key].pk for key, shapes in new.items() if shapes)
    locked = {row.pk: row for row in KernelImage.objects.select_for_update().filter(pk__in=wanted).order_by("pk")}
    stored = _stored_lines(images, examples)  # another shard may have listed them while this one waited
    lines: list[KernelLine] = []
    for key in sorted(key for key, shapes in new.items() if shapes):
        image = locked[images[key].pk]
        missing = [shape for shape in new[key] if (image.pk, shape) not in stored]
        for shape in _within_bound(image, missing, sweep_id, at):
            lines.append(
                KernelLine(image=image, shape=shape, example=examples[key][shape], first_seen=at, last_seen=at)
            )
    KernelLine.objects.bulk_create(lines)
    KernelImage.objects.bulk_update(locked.values(), ["sweep_id", "added", "dropped", "dropped_at"])
    return stored | {(line.image_id, line.shape): line for line in lines}, len(lines)


def _within_bound(image: KernelImage, shapes: Sequence[str], sweep_id: int | None, at: datetime) -> Sequence[str]:
    """What of these this sweep may still add; the rest is counted on the image."""
    if sweep_id is None or image.sweep_id != sweep_id:
        image.sweep_id, image.added, image.dropped = sweep_id, 0, 0
    kept = shapes[: max(0, NEW_KINDS - image.added)]
    image.added += len(kept)
    if len(kept) < len(shapes):
        image.dropped += len(shapes) - len(kept)
        image.dropped_at = at
    return kept


def _stored_lines(
    images: Mapping[ImageKey, KernelImage], examples: Mapping[ImageKey, Mapping[str, str]]
) -> dict[tuple[int, str], KernelLine]:
    shapes = {shape for some in examples.values() for shape in some}
    rows = KernelLine.objects.filter(image__in=images.values(), shape__in=shapes)
    return {(row.image_id, row.shape): row for row in rows}


def _see_again(rows: Mapping[tuple[int, str], KernelLine], at: datetime) -> None:
    """Note that they are still said; an acceptance that expired brings its line back to triage."""
    old = sorted(row.pk for row in rows.values() if row.last_seen < at - SEEN_AGAIN)
    if old:
        KernelLine.objects.filter(pk__in=old).update(last_seen=at)
    accepted = sorted(row.pk for row in rows.values() if row.state == KernelLine.State.ACCEPTED)
    if accepted:
        expired = KernelLine.objects.filter(pk__in=accepted, state="accepted", expires_at__lte=timezone.now())
        expired.update(state=KernelLine.State.NEW)


def _sightings(
    rows: Mapping[tuple[int, str], KernelLine],
    images: Mapping[ImageKey, KernelImage],
    machines: Mapping[tuple[ImageKey, str], Sequence[int]],
) -> None:
    """Which machines say them."""
    wanted = {
        (row.pk, machine_id)
        for (key, shape), ids in machines.items()
        if (row := rows.get((images[key].pk, shape))) is not None
        for machine_id in ids
    }
    known = KernelSighting.objects.filter(
        line__in={line for line, _ in wanted}, machine__in={machine for _, machine in wanted}
    )
    missing = sorted(wanted - set(known.values_list("line_id", "machine_id")))
    if missing:
        KernelSighting.objects.bulk_create(
            [KernelSighting(line_id=line, machine_id=machine) for line, machine in missing], ignore_conflicts=True
        )


# ---- what people decide ----


def accept(line_id: int, *, reason: str, owner: str, expires_at: datetime, actor: str) -> KernelLine:
    """Take this kind of line for harmless on its image until a day; then it comes back to triage."""
    return _judge(
        line_id, actor, state=KernelLine.State.ACCEPTED, reason=reason, owner=owner, expires_at=expires_at, verdict=""
    )


def mark_bad(line_id: int, *, verdict: str, reason: str, actor: str) -> KernelLine:
    """From the next look on a line of this kind is a finding with this verdict (fail, warn or info)."""
    return _judge(
        line_id, actor, state=KernelLine.State.BAD, verdict=verdict, reason=reason, owner=actor, expires_at=None
    )


def reopen(line_id: int, *, actor: str) -> KernelLine:
    """Take a judgement back."""
    return _judge(line_id, actor, state=KernelLine.State.NEW, verdict="", reason="", owner="", expires_at=None)


@transaction.atomic
def _judge(line_id: int, actor: str, **judgement: Any) -> KernelLine:
    line = KernelLine.objects.select_for_update(of=("self",)).select_related("image").get(pk=line_id)
    for name, value in judgement.items():
        setattr(line, name, value)
    line.decided_by, line.decided_at = actor, timezone.now()
    line.save()
    emit(
        "policy.changed",
        site_id=line.image.site_id,
        subject=f"kernel-line:{line.pk}",
        data={"site": line.image.site_id, "kind": "kernel_line", "id": line.pk},
        actor=actor,
    )
    return line
