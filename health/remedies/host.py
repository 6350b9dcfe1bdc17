"""Remedies that a command on the machine carries out: restart a service, reset a GPU, reboot."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from health.remediation.types import Report
from health.remedies import Answer, Job, Simple
from health.remedies.remote import report_of, run, text_of

# The service that a class of fault points to. A unit that a check names itself comes from the finding.
SERVICES = {
    "fabricmanager.down": "nvidia-fabricmanager",
    "gpu.fabric": "nvidia-fabricmanager",
    "docker.down": "docker",
    "docker.runtime": "docker",
    "docker.config": "docker",
    "gpu.config": "nvidia-persistenced",
    "slurm.down": "slurmd",
    "clock.skew": "chrony",
}
_UNIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9:_.@-]{0,80}")
_NAMED = re.compile(r"\b([A-Za-z0-9][\w.@-]*?)(?:\.service)? (?:is|has) (?:failed|dead|inactive)")


class RestartService(Simple):
    """`systemctl restart UNIT`. May be repeated."""

    def target(self, job: Job) -> Mapping[str, Any] | None:
        known = SERVICES.get(str(job.params.get("fault_class", "")))
        named = _NAMED.search(str(job.params.get("message", "")))
        unit = known or (named.group(1) if named and job.params.get("fault_class") == "service.failed" else None)
        return {"service": unit} if unit and _UNIT.fullmatch(unit) else None

    def send(self, job: Job) -> Answer:
        unit = str(job.params.get("service", ""))
        if not _UNIT.fullmatch(unit):
            return Answer(Report.IMPOSSIBLE, "no service is named")
        report, text = report_of(run(job.machine_id, f"systemctl restart {unit}", as_root=True), well=Report.DONE)
        return Answer(report, f"restart {unit}: {text}", {"service": unit})


class ResetGpu(Simple):
    """`nvidia-smi --gpu-reset` of one GPU; refused while anything computes on any GPU of its NVLink domain."""

    def target(self, job: Job) -> Mapping[str, Any] | None:
        pci = job.params.get("pci")
        return {"pci": str(pci)} if pci else None

    def send(self, job: Job) -> Answer:
        pci = str(job.params.get("pci", ""))
        if not re.fullmatch(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", pci):
            return Answer(Report.IMPOSSIBLE, "the GPU's address is not known")
        asked = run(job.machine_id, "nvidia-smi --query-compute-apps=pid --format=csv,noheader")
        if asked is None or asked.failure is not None or asked.exit_status != 0:
            _, why = report_of(asked, well=Report.NONE)
            return Answer(Report.REFUSED, f"not known what computes on its GPUs: {why}")
        if busy := text_of(asked):
            return Answer(Report.REFUSED, f"{len(busy.splitlines())} processes compute on its GPUs")
        report, text = report_of(
            run(job.machine_id, f"nvidia-smi --gpu-reset -i {pci}", as_root=True), well=Report.DONE
        )
        return Answer(report, f"reset {pci}: {text}", {"pci": pci})


class Reboot(Simple):
    """`systemctl reboot`; another boot id shows that it happened."""

    def target(self, job: Job) -> Mapping[str, Any] | None:
        return {}

    def send(self, job: Job) -> Answer:
        report, text = report_of(run(job.machine_id, "systemctl reboot", as_root=True), well=Report.ACCEPTED)
        return Answer(report, f"reboot: {text}")
