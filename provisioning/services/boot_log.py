"""The log of the site's DHCP server, read when a machine was started from the network and does not speak."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog
from django.utils import timezone

from provisioning.conf import config
from provisioning.failures import dhcp
from provisioning.failures.installer import hidden
from provisioning.models import RunMachine
from provisioning.steps import FailureClass, StepName

log = structlog.get_logger(__name__)
MOST = 32 * 1024 * 1024
"""Of each log its end: a start from the network leaves about 20 KiB, so the starts of 1,500 machines."""


@dataclass(frozen=True, slots=True)
class Told:
    """What is known beside the BMC. `failure` None: nothing."""

    failure: FailureClass | None = None
    detail: str = ""
    text: str = ""


def told(run_machine_id: int, step: StepName) -> Told:
    """Why a machine at this step was not heard, by its DHCP server and by the address from which it asked."""
    row = RunMachine.objects.select_related("machine").get(pk=run_machine_id)
    if step is StepName.INSTALL_DATA:
        return _of_its_address(row)
    started = row.steps.filter(name=StepName.POWER_ON.value).values_list("started_at", flat=True).first()
    chosen = config()
    if not chosen.dhcp_logs or not row.machine.boot_mac or started is None:
        return Told()
    lines = last_lines(chosen.dhcp_logs)
    seen = dhcp.seen_of(
        lines, row.machine.boot_mac, since=started, now=timezone.now(), zone=chosen.dhcp_log_zone
    )  # fmt: skip
    found = dhcp.cause_of(seen)
    return Told(*found, hidden("\n".join(seen.lines))) if found else Told()


def _of_its_address(row: RunMachine) -> Told:
    asked_from = row.boot_tokens.order_by("-pk").values_list("client_address", flat=True).first() or ""
    networks = [each.network for each in config().networks]
    if not dhcp.is_foreign(asked_from, row.machine.primary_ip or "", networks):
        return Told()
    why = f"it asked from {asked_from}, which is in none of the site's networks: a second DHCP server gave it"
    return Told(FailureClass.SECOND_DHCP, why)


def last_lines(paths: Sequence[Path]) -> list[str]:
    """The ends of these files; one that cannot be read tells nothing, and is logged."""
    lines: list[str] = []
    for path in paths:
        try:
            with path.open("rb") as file:
                size = file.seek(0, io.SEEK_END)
                file.seek(max(0, size - MOST), os.SEEK_SET)
                lines += file.read(MOST).decode("utf-8", "replace").splitlines()
        except OSError as error:
            log.warning("dhcp_log_unreadable", path=str(path), error=str(error))
    return lines
