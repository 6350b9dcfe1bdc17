"""Reads of burn-ins."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q, QuerySet

from fabric.burn_in.models import BurnIn, BurnInPair
from fabric.discovery.models.seen import SeenNode
from fabric.quality.models.quality import LinkQuality

MOST_WORST = 50
Verdict = BurnInPair.Verdict


def counted(rows: QuerySet[BurnIn]) -> QuerySet[BurnIn]:
    """Runs with what a list shows of them, in the same statement."""
    pair = "stages__pairs"
    return rows.select_related("source").annotate(
        stage_count=Count("stages", distinct=True),
        stages_done=Count("stages", filter=Q(stages__status__in=["done", "failed"]), distinct=True),
        pair_count=Count(pair, distinct=True),
        passed=Count(pair, filter=Q(stages__pairs__verdict=Verdict.PASS), distinct=True),
        failed=Count(pair, filter=Q(stages__pairs__verdict=Verdict.FAIL), distinct=True),
        no_result=Count(pair, filter=Q(stages__pairs__verdict=Verdict.UNKNOWN), distinct=True),
    )


def gaps(run: BurnIn) -> list[dict[str, Any]]:
    """Links that no stage covers, both ends by name. One statement."""
    ends = {guid for gap in run.gaps for guid, _ in _ends(gap["key"])}
    rows = SeenNode.objects.filter(source_id=run.source_id, guid__in=ends, during__endswith=None)
    names = {guid: name or said for guid, name, said in rows.values_list("guid", "name", "description")}
    return [
        {
            "key": gap["key"], "share": gap["share"], "reason": gap["reason"],
            **{
                side: {"device": names.get(guid) or f"0x{guid}", "guid": guid, "port": port}
                for side, (guid, port) in zip("ab", _ends(gap["key"]), strict=True)
            },
        }
        for gap in run.gaps
    ]  # fmt: skip


def _ends(key: str) -> list[tuple[str, int]]:
    return [(guid, int(port)) for guid, _, port in (end.rpartition("_") for end in key.split(":"))]


def bad_links(run: BurnIn) -> list[dict[str, Any]]:
    """Links the stages loaded that are not ok now, the worst first, with what was known before and after. Two
    statements."""
    before: dict[str, Any] = {}
    after: dict[str, Any] = {}
    for stage in run.stages.all():
        before |= stage.before
        after |= stage.after
    rows = LinkQuality.objects.filter(source_id=run.source_id, key__in=after).exclude(state="ok").order_by("rank")
    return [
        {
            "key": row.key, "quality": row.state, "reason": row.reason, "before": before.get(row.key),
            "after": after.get(row.key),
        }
        for row in rows[:MOST_WORST]
    ]  # fmt: skip
