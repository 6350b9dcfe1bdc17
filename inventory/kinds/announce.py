"""News of a write: one `inventory.reloaded` for each site, in the same transaction."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from core.models import Site
from inventory.kinds.batch import Batch, Line
from live.events import emit

if TYPE_CHECKING:
    from inventory.kinds.writer import Writer

FEW = 100  # up to so many records are named in the event


def announce(batch: Batch, writer: Writer) -> None:
    """Tell the rooms above and the dashboards what was written where; `fields` are those that stored rows changed."""
    by_site: dict[int, list[Line]] = defaultdict(list)
    for line in batch.lines:
        if (line.new or line.changed or batch.mode == "delete") and line.site is not None:
            by_site[line.site].append(line)
            if line.left_site is not None:
                by_site[line.left_site].append(line)
    slugs = dict(Site.objects.filter(pk__in=by_site).values_list("pk", "slug")) if by_site else {}
    for site, lines in sorted(by_site.items()):
        if site not in slugs:  # the site itself is gone
            continue
        ids = [line.id for line in lines]
        scope: dict[str, object] = {"site": site, "slug": slugs[site], "kind": batch.kind.name}
        if len(ids) <= FEW:
            scope["ids"] = ids
        fields = {name for line in lines if not line.new for name in line.changed}
        one = f"{batch.kind.name}:{ids[0]}" if len(ids) == 1 else f"site:{site}"
        emit(
            "inventory.reloaded",
            site_id=site,
            subject=one,
            actor=batch.actor,
            data={
                "scope": scope,
                "fields": sorted(fields),
                "created_machines": 0,
                "retired_devices": 0,
                **writer.event_data(lines),
            },
        )
