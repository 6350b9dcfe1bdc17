"""The slow lane of sweeps: who is in it, who enters and leaves it, and what a shard leaves to it.

A shard of the fast lane is over when those who answer have answered; whom it did not wait for becomes a shard of the
slow lane in the same sweep. There each machine runs into its own limits, beside all others of its kind, in a worker
that no good machine waits for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Max
from django.utils import timezone

from health.monitoring import lanes
from health.monitoring.models.sweeps import SlowMachine, Sweep, SweepShard

if TYPE_CHECKING:  # only the process that looks needs the drivers and the checks
    from health.monitoring.services.sweeps.observation import Seen
    from health.monitoring.services.sweeps.sessions import Pace

HANDED_OVER = 10_000
"""Added to the number of a shard, the number of the one that takes what it left."""
COMPARED_WITH = 32
REASON_LENGTH = 300

Lane = SweepShard.Lane


def slow_among(machine_ids: Iterable[int]) -> set[int]:
    """Which of these kept their last look waiting."""
    return set(SlowMachine.objects.filter(machine_id__in=list(machine_ids)).values_list("machine_id", flat=True))


def still_asked(site_id: int, within_s: float) -> set[int]:
    """Machines that the slow lane of another sweep is waiting for: they are not asked a second time."""
    shards = SweepShard.objects.filter(
        lane=Lane.SLOW,
        status__in=[SweepShard.Status.WAITING, SweepShard.Status.RUNNING],
        sweep__site_id=site_id,
        sweep__status=Sweep.Status.RUNNING,
        sweep__started_at__gte=timezone.now() - timedelta(seconds=within_s),
    )
    return {pk for ids in shards.values_list("machine_ids", flat=True) for pk in ids}


def normal_s(site_id: int) -> float | None:
    """Seconds until the last answer in the slowest of the last shards of the fast lane; None before there were any."""
    done = SweepShard.objects.filter(
        lane=Lane.FAST, status=SweepShard.Status.DONE, sweep__site_id=site_id, reachable__gt=0, answered_s__isnull=False
    )
    last = done.order_by("-pk").values("pk")[:COMPARED_WITH]
    longest: float | None = SweepShard.objects.filter(pk__in=last).aggregate(longest=Max("answered_s"))["longest"]
    return longest


def pace_of(lane: str, normal_s: float | None) -> Pace:
    from health.monitoring.services.sweeps.sessions import PATIENT, Pace

    return PATIENT if lane == Lane.SLOW else Pace(first_s=lanes.first_answer_s(normal_s), keeps=True)


def remember(seen: Sequence[Seen], normal_s: float | None) -> None:
    """Put into the slow lane who belongs there, and take out who does not any more. One query when nothing changes."""
    ids = [each.observation.machine_id for each in seen]
    held = dict(SlowMachine.objects.filter(machine_id__in=ids).values_list("machine_id", "reason"))
    slow: dict[int, str] = {}
    for each in seen:
        pk = each.observation.machine_id
        if lanes.is_slow(each.kept_waiting, each.took_s, was_slow=pk in held, normal_s=normal_s):
            reason = each.kept_waiting or f"answered after {each.took_s:.0f} s"
            slow[pk] = reason[:REASON_LENGTH].replace("\x00", "")
    gone = held.keys() - slow.keys()
    if gone:
        SlowMachine.objects.filter(machine_id__in=gone).delete()
    news = [SlowMachine(machine_id=pk, reason=reason) for pk, reason in slow.items() if held.get(pk) != reason]
    if news:
        SlowMachine.objects.bulk_create(
            news, update_conflicts=True, unique_fields=["machine"], update_fields=["reason"]
        )


def hand_over(shard: SweepShard, machine_ids: Sequence[int]) -> SweepShard:
    """The shard of the slow lane that takes these machines from a shard of the fast one; the same when asked again."""
    taken, _ = SweepShard.objects.get_or_create(
        sweep_id=shard.sweep_id,
        number=HANDED_OVER + shard.number,
        defaults={"machine_ids": list(machine_ids), "lane": Lane.SLOW},
    )
    return taken
