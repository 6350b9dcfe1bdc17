"""Which shard a worker's process does next: one whose machines it looked at before.

It has their connections open and remembers what their outputs meant. Without this every process would in time hold
those of the whole fleet, and would open and judge anew what another one has.
"""

from __future__ import annotations

from django.db.models import Q

from health.monitoring.models.sweeps import SweepShard
from health.monitoring.services.sweeps.observation import MEMORIES


def in_order(shard_id: int) -> list[int]:
    """The shards that may be done on the message of this one, the best first; one of them is to be done.

    A message is worth any one shard of its lane that waits: who does another's leaves its own to the other. One that
    was begun comes first with its own message: that is tried again.
    """
    own = SweepShard.objects.get(pk=shard_id)
    begun = Q(pk=shard_id, status=SweepShard.Status.RUNNING)
    may = SweepShard.objects.filter(begun | Q(status=SweepShard.Status.WAITING), sweep_id=own.sweep_id, lane=own.lane)

    def rank(shard: SweepShard) -> tuple[bool, float, bool, int]:
        known = MEMORIES.known(shard.machine_ids) / max(1, len(shard.machine_ids))
        return shard.status == SweepShard.Status.WAITING, -known, shard.pk != shard_id, shard.number

    return [shard.pk for shard in sorted(may, key=rank)]
