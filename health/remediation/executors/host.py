"""Remedies that a command on the machine carries out: restart a service (or load, or mount, what it lacks), reset GPUs,
reboot."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from drivers import shell
from health.machines.calls import Report
from health.machines.remote import report_of, run
from health.remediation.executors import Answer, Job, Simple, not_sent
from health.remediation.executors.once import marked, run_once
from inventory.specs.device_model import DeviceModelSpec

# The service that a class of fault points to. A unit that a check names itself comes from the finding.
SERVICES = {
    "fabricmanager.down": "nvidia-fabricmanager",
    "gpu.fabric": "nvidia-fabricmanager",
    "docker.down": "docker",
    "docker.runtime": "docker",
    "docker.gpus": "docker",
    "slurm.down": "slurmd",
    "kubernetes.runtime": "containerd",
    "kubernetes.down": "kubelet",
    "imex.down": "nvidia-imex",
    "clock.skew": "chrony",
}
# What another family of distributions calls the same service.
ALSO = {"chrony": "chronyd"}
PEERMEM = "nvidia_peermem"
_UNIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9:_.@-]{0,80}")
_PATH = re.compile(r"(?:/[A-Za-z0-9_@%+:-][A-Za-z0-9_.@%+:-]*)+")
_NAMED = re.compile(r"\b([A-Za-z0-9][\w.@-]*?)(?:\.service)? (?:is|has) (?:failed|dead|inactive)")


def _service(unit: str) -> str:
    names = [unit, *filter(None, [ALSO.get(unit)])]
    return " || ".join(f"systemctl restart {shell.operand(name)}" for name in names)


# What a parameter of `RestartService` looks like, and the command for one of them.
WORK: dict[str, tuple[re.Pattern[str], Callable[[str], str]]] = {
    "service": (_UNIT, _service),
    "module": (_UNIT, lambda module: f"modprobe {shell.operand(module)}"),
    "mount": (_PATH, lambda path: f"mountpoint -q {shell.operand(path)} || mount {shell.operand(path)}"),
}


class RestartService(Simple):
    """`systemctl restart`, `modprobe` or `mount`: what a machine in service lacks and gets back. May be repeated."""

    def target(self, job: Job) -> Mapping[str, Any] | None:
        fault_class, message = str(job.params.get("fault_class", "")), str(job.params.get("message", ""))
        if fault_class == "gdr.off":
            lost = message.partition("not loaded: ")[2]
            return {"module": lost.replace(" ", "") or PEERMEM}
        if fault_class == "disk.mount":
            path = str(job.params.get("slot", ""))
            return {"mount": path} if _PATH.fullmatch(path) else None
        named = _NAMED.search(message) if fault_class == "service.failed" else None
        unit = SERVICES.get(fault_class) or (named.group(1) if named else None)
        return {"service": unit} if unit and _UNIT.fullmatch(unit) else None

    def parts(self, spec: DeviceModelSpec) -> Mapping[str, Mapping[str, Any]]:
        return {unit: {"service": unit} for unit in sorted(set(SERVICES.values()))}

    def send(self, job: Job) -> Answer:
        told: list[str] = []
        evidence = dict(job.params)
        for kind, (shape, command) in WORK.items():
            for what in filter(None, str(job.params.get(kind, "")).split(",")):
                if not shape.fullmatch(what):
                    return Answer(Report.IMPOSSIBLE, f"{what!r} is no {kind}")
                if refusal := job.refusal():
                    return not_sent(refusal) if not told else Answer(Report.FAILED, "; ".join([*told, refusal.reason]))
                report, text = report_of(run(job.machine_id, command(what), as_root=True), well=Report.DONE)
                told.append(f"{kind} {what}: {text}")
                if report is not Report.DONE:
                    return Answer(report, "; ".join(told), evidence)
        if not told:
            return Answer(Report.IMPOSSIBLE, "no service is named")
        return Answer(Report.DONE, "; ".join(told), evidence)


_PCI = r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]"


class ResetGpu(Simple):
    """`nvidia-smi --gpu-reset` of the GPUs with a fault; refused while anything computes on any GPU of the machine."""

    def target(self, job: Job) -> Mapping[str, Any] | None:
        pci = job.params.get("pci")
        return {"pci": str(pci)} if pci else None

    def parts(self, spec: DeviceModelSpec) -> Mapping[str, Mapping[str, Any]]:
        return {slot.name: {"pci": str(slot.pci)} for slot in spec.slots_of("gpu") if slot.pci}

    def send(self, job: Job) -> Answer:
        pci = str(job.params.get("pci", ""))
        if not re.fullmatch(rf"{_PCI}(?:,{_PCI})*", pci):
            return Answer(Report.IMPOSSIBLE, "the GPU's address is not known")
        answer = run_once(job, f"nvidia-smi --gpu-reset -i {shell.operand(pci)}", well=Report.DONE)
        return replace(answer, text=f"reset {pci}: {answer.text}", evidence={"pci": pci})

    def trace(self, job: Job, sent_at: datetime) -> Report:
        return marked(job)


class Reboot(Simple):
    """`systemctl reboot`; another boot id shows that it happened."""

    def target(self, job: Job) -> Mapping[str, Any] | None:
        return {}

    def send(self, job: Job) -> Answer:
        answer = run_once(job, "systemctl reboot", well=Report.ACCEPTED)
        return replace(answer, text=f"reboot: {answer.text}")

    def trace(self, job: Job, sent_at: datetime) -> Report:
        """Only that it never began: that it ended well shows by the boot id."""
        return Report.REFUSED if marked(job) is Report.REFUSED else Report.NONE
