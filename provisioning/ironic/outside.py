"""What happens in a site's Ironic without us: nodes that somebody sets to maintenance or lifts it from, and nodes that
somebody deletes, become events here."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from core.work.alone import alone
from core.work.locks import only_here
from drivers.https import ApplianceError
from drivers.ironic.shapes import Node
from health.machines.lifecycle import State
from live.events import emit
from provisioning.deployers.decisions import Kind
from provisioning.ironic import writes
from provisioning.ironic.models import IronicNode, IronicServer
from provisioning.ironic.queries import IronicTarget, enabled_servers, target_of

LOCK = 7_210_406
READ_S = 40.0
ACTOR = "ironic"


def follow() -> None:
    """Each server that is enabled, by one worker at a time; one that fails does not keep the others."""
    for server_id in enabled_servers():
        with alone("ironic_not_followed", server=server_id), only_here(LOCK, server_id) as mine:
            if mine:
                follow_one(server_id)


def follow_one(server_id: int) -> None:
    server = IronicServer.objects.select_related("credential").get(pk=server_id)
    row = IronicServer.objects.filter(pk=server_id)
    try:
        nodes = asyncio.run(_read(target_of(server)))
    except (ApplianceError, TimeoutError) as error:
        said = str(error) or f"no answer within {READ_S:g} s"
        row.update(state=IronicServer.State.FAILED, message=said[:500], tried_at=timezone.now())
        return
    now = timezone.now()
    with transaction.atomic():
        _compare(server, {node.uuid: node for node in nodes})
        row.update(state=IronicServer.State.GOOD, message="", tried_at=now, last_good_at=now)
    writes.plan(server_id)
    writes.deliver(server_id)


async def _read(target: IronicTarget) -> list[Node]:
    async with asyncio.timeout(READ_S), target.client() as client:
        return await client.nodes()


def _compare(server: IronicServer, nodes: Mapping[str, Node]) -> None:
    """Take over what changed, and tell of what was done by somebody else than us. A node that is gone is forgotten; of
    a machine in a run its next look finds that out, and says so."""
    rows = IronicNode.objects.select_for_update(of=("self",)).filter(server=server)
    changed, gone = [], []
    for row in rows.select_related("machine__device", "machine__health").order_by("pk"):
        node = nodes.get(str(row.uuid))
        if node is None:
            if row.machine.health.state != State.PROVISIONING:
                _tell(server, row, "ironic.node_gone", "it was deleted in Ironic")
                gone.append(row.pk)
            continue
        if node.maintenance != row.maintenance and not _is_ours(row, node):
            kind = "ironic.maintenance_set" if node.maintenance else "ironic.maintenance_unset"
            _tell(server, row, kind, node.maintenance_reason)
        if (node.state, node.maintenance, node.said[:300]) != (row.state, row.maintenance, row.status_text):
            row.state, row.maintenance, row.status_text = node.state[:40], node.maintenance, node.said[:300]
            row.seen_at = timezone.now()
            changed.append(row)
    IronicNode.objects.bulk_update(changed, ["state", "maintenance", "status_text", "seen_at"])
    IronicNode.objects.filter(pk__in=gone).delete()


def _is_ours(row: IronicNode, node: Node) -> bool:
    """Whether a change of maintenance is of a write of ours, whose worker was lost before it noted that."""
    if node.maintenance:
        return node.maintenance_reason.startswith(writes.OURS)
    return row.wanted == Kind.MARK_FIXED and writes.OURS in row.status_text


def _tell(server: IronicServer, row: IronicNode, kind: str, text: str) -> None:
    emit(
        kind,
        site_id=server.pk,
        subject=f"machine:{row.machine_id}",
        data={"machine": row.machine_id, "name": row.machine.device.name, "node": str(row.uuid), "text": text},
        actor=ACTOR,
    )
