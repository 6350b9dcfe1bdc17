"""Which shard a worker's process does next: one whose machines it looked at before.

It has their connections open and remembers what their outputs meant. Without this every process would in time hold
those of the whole fleet, and would open and judge anew what another one has.
"""

from __future__ import annotations

from health.monitoring.models.sweeps import SweepShard
from health.monitoring.services.sweeps.observation import MEMORIES


def in_order(shard_id: int) -> list[int]:
    """The shards that may be done on the message of this one, the best first; one of them is to be done.

    A message is worth any one shard of its lane that is not over: who does another's leaves its own to the other. Those
    that were begun come first: a worker died over them, or has their lock.
    """
    own = SweepShard.objects.get(pk=shard_id)
    open_ones = SweepShard.objects.filter(sweep_id=own.sweep_id, lane=own.lane).exclude(status__in=SweepShard.OVER)

    def rank(shard: SweepShard) -> tuple[bool, float, bool, int]:
        waits = shard.status == SweepShard.Status.WAITING
        known = MEMORIES.known(shard.machine_ids) / max(1, len(shard.machine_ids))
        return waits, -known if waits else 0, shard.pk != shard_id, shard.number

    return [shard.pk for shard in sorted(open_ones, key=rank)]
