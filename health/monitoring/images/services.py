"""Storing what looks saw of container images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from health.monitoring.images.models import MachineImages
from health.monitoring.images.seen import NOTHING_ASKED, ImagesSeen
from health.monitoring.services.sweeps.clean_text import clean_value

UPSERT_IMAGES_SEEN = """
INSERT INTO health_machineimages (machine_id, engines, digest, changed_at)
SELECT * FROM unnest(%s::bigint[], %s::jsonb[], %s::text[], %s::timestamptz[]) ORDER BY 1
ON CONFLICT (machine_id) DO UPDATE SET engines = excluded.engines, digest = excluded.digest,
    changed_at = excluded.changed_at
"""
IMAGES_GONE = """
DELETE FROM health_machineimage AS held
WHERE machine_id = ANY(%s::bigint[])
AND NOT EXISTS (
    SELECT FROM unnest(%s::bigint[], %s::text[]) AS silent (machine_id, engine)
    WHERE silent.machine_id = held.machine_id AND silent.engine = held.engine)
AND NOT EXISTS (
    SELECT FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[])
        AS seen (machine_id, engine, reference, digest, image_id)
    WHERE (seen.machine_id, seen.engine, seen.reference, seen.digest, seen.image_id)
        = (held.machine_id, held.engine, held.reference, held.digest, held.image_id))
"""
UPSERT_IMAGES = """
INSERT INTO health_machineimage (machine_id, engine, reference, digest, image_id, size_bytes, made_at, seen_at)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::bigint[], %s::timestamptz[],
    %s::timestamptz[])
ON CONFLICT (machine_id, engine, reference, digest, image_id) DO UPDATE SET size_bytes = excluded.size_bytes,
    made_at = excluded.made_at
"""


def store_images(cursor: Any, told: Mapping[int, tuple[datetime, ImagesSeen]]) -> None:
    """`told`: of each machine when it was looked at, and what was seen.

    Rows are written only for machines whose images, or what their engines say, are others than at the last look.

    An engine that does not tell takes nothing away: what it showed last stays, beside why it says nothing now.
    """
    if not told:
        return
    held = dict(MachineImages.objects.filter(machine_id__in=told).values_list("machine_id", "digest"))
    changed = {pk: (at, seen) for pk, (at, seen) in told.items() if held.get(pk, NOTHING_ASKED.digest) != seen.digest}
    if not changed:
        return
    rows = [(pk, orjson.dumps(clean_value(dict(seen.engines))).decode(), seen.digest, at)
            for pk, (at, seen) in sorted(changed.items())]  # fmt: skip
    cursor.execute(UPSERT_IMAGES_SEEN, _columns(rows, 4))
    silent = [(pk, engine) for pk, (_, seen) in changed.items() for engine, why in seen.engines.items() if why]
    images = [
        (pk, each.engine, clean_value(each.reference), each.digest, each.id, each.size_bytes, each.made_at, at)
        for pk, (at, seen) in sorted(changed.items())
        for each in seen.images
    ]
    cursor.execute(IMAGES_GONE, [list(changed), *_columns(silent, 2), *_columns([row[:5] for row in images], 5)])
    if images:
        cursor.execute(UPSERT_IMAGES, _columns(images, 8))


def _columns(rows: Sequence[Sequence[Any]], width: int) -> list[list[Any]]:
    """So many columns, also where there is no row."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(width)]
