"""The remedy that this room carries out for automation: a machine is installed anew, in a run of its own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from health.machines.calls import AUTOMATION, Report
from health.remediation.executors import Answer, Job, Simple, not_sent
from provisioning.models import Run, RunMachine
from provisioning.queries import installed_by
from provisioning.services import RunRefused, create_run
from provisioning.services.wanted import name_of
from provisioning.steps import Status

_ENDS = {
    Status.DONE.value: Report.DONE,
    Status.FAILED.value: Report.FAILED,
    Status.CANCELLED.value: Report.FAILED,
}


class Reimage(Simple):
    """A provisioning run of one machine, by the engine that installed it before and as that did. Asked twice for one
    action it begins once.

    It is cancelled when the action ends without it: `provisioning.services.wanted`.
    """

    def target(self, job: Job) -> Mapping[str, Any] | None:
        return {}

    def send(self, job: Job) -> Answer:
        run = Run.objects.filter(name=name_of(job.key)).first()
        if run is None:
            if refusal := job.refusal():
                return not_sent(refusal)
            try:
                engine, image = installed_by(job.machine_id)
                run = create_run(
                    [job.machine_id],
                    actor=AUTOMATION,
                    name=name_of(job.key),
                    limit=1,
                    engine=engine or "redfish",
                    image=image,
                )
            except RunRefused as error:
                return Answer(Report.REFUSED, f"it cannot be installed: {error}")
        return Answer(Report.ACCEPTED, f"provisioning run {run.pk} installs it", {"run": run.pk})

    def trace(self, job: Job, sent_at: datetime) -> Report:
        """What became of its run, none while it is under way or was never made."""
        status = RunMachine.objects.filter(run__name=name_of(job.key)).values_list("status", flat=True).first()
        return _ENDS.get(str(status), Report.NONE)
