"""The remedies that this room carries out itself. Those of rooms above, such as reimage, register themselves."""

from __future__ import annotations

from health.remediation.executors import register
from health.remediation.executors.host import Reboot, ResetGpu, RestartService
from health.remediation.executors.power import PowerCycle


def register_all() -> None:
    register("restart_service", RestartService())
    register("reset_gpu", ResetGpu())
    register("reboot", Reboot())
    register("power_cycle", PowerCycle())
