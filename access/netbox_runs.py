"""Starts imports from NetBox and does them, with a stored credential."""

from __future__ import annotations

import structlog
from django.db import transaction

from access.logins import opened
from core.models import Credential
from core.outgoing.binding import Purpose, Refused
from core.work.queue import after_commit
from inventory.kinds import Scope
from inventory.models import NetBoxRun
from inventory.netbox import run as netbox
from inventory.netbox.options import Options
from inventory.netbox.source import Address

log = structlog.get_logger(__name__)


@transaction.atomic
def start_import(
    *, url: str, credential: Credential, dry_run: bool, resume: bool, options: Options, by: str
) -> NetBoxRun:
    """A new import, or with `resume` the one that broke off, handed to a worker. Raises netbox.Running."""
    if netbox.is_running(url):
        raise netbox.Running(netbox.RUNNING)
    run = netbox.unfinished(url) if resume else None
    run = run or netbox.start(url, options, dry_run=dry_run, by=by)
    pk, name = run.pk, credential.name
    after_commit("access.tasks.run_netbox_import", pk, name, queue="ingest")
    return run


def run_import(run_id: int, credential: str) -> None:
    """Do the import in this process. What goes wrong stands in the run; one that is done is not done again."""
    run = NetBoxRun.objects.get(pk=run_id)
    if run.status == NetBoxRun.Status.DONE:
        return

    def progress(stage: str, done: int, total: int) -> None:
        run.steps["progress"] = {"stage": stage, "done": done, "total": total}
        run.save(update_fields=["steps"])

    try:
        login = opened(Credential.objects.get(name=credential), Purpose.NETBOX, site=None).at(run.url)
    except (Credential.DoesNotExist, Refused) as error:
        reason = str(error) if isinstance(error, Refused) else f"There is no credential {credential} any more."
        run.status, run.message = NetBoxRun.Status.FAILED, reason[:500]
        run.save()
        return
    try:
        address = Address(run.url, login.secret, gate=login.gate)
        netbox.execute(run, address, Scope.everything(), actor=run.by, progress=progress)
    except netbox.ImportFailed as error:
        log.warning("netbox_import_failed", run=run.pk, reason=str(error))
