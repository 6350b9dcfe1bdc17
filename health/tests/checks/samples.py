"""Reports made from health/checks/samples: the small machine that the tests of checks judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from health.checks import BmcLog, BmcReport, Earlier, Expectation, ExpectedComponent, Finding, evaluate, examples
from health.checks.parsers.bmc import parse_bmc
from health.checks.probes.cards import card_commands
from health.checks.probes.host import (
    FAILED_UNITS,
    FIRMWARE_TABLES,
    KERNEL_FILES,
    LEFTOVERS,
    MEMORY,
    MOUNT_TABLE,
    RELEASE,
)
from health.checks.probes.script import FILE_SYSTEMS, INODES, KERNEL_LOG, UPTIME, Output, ProbeReport
from health.checks.probes.site import packages_command
from health.checks.probes.state import REMOTE_MOUNTS, state_files
from inventory.specs.device_model import DeviceModelSpec

SAMPLES, CASES = examples.SAMPLES, examples.cases()
sample, spoiled = examples.sample, examples.spoiled
MODEL = DeviceModelSpec.load(SAMPLES / "model.yaml")
XE9680 = DeviceModelSpec.load("dell-xe9680-h100")
REPORT_TIME = 1_760_000_000.0
BOOT = "3f0c9d5e-0000-4000-8000-00000000b007"
_CARD_FILES = {
    "/sys/class/infiniband/": "ib_counters.txt",
    "/sys/bus/pci/": "pci_links.txt",
    "lsmod": "lsmod.txt",
    "lspci": "lspci.txt",
    "ACSCtl": "bridges.txt",
    "-p2p": "peers.txt",
    "infiniband_verbs": "card_files.txt",
    "flint": "flint.txt",
}
# The whole healthy report of the sample machine.
HEALTHY = {
    UPTIME: "uptime.txt",
    "nvidia-smi -q -x": "gpus.xml",
    "nvidia-smi nvlink -s": "nvlinks.txt",
    "nvidia-smi nvlink -e": "nvlink_errors.txt",
    "nvidia-smi topo -m": "topology.txt",
    "systemctl is-active nvidia-fabricmanager": "fabric_manager.txt",
    "ibstat": "ibstat.txt",
    KERNEL_LOG: "kernel.log",
    FILE_SYSTEMS: "df.txt",
    INODES: "df_inodes.txt",
    "docker info --format json": "docker_info.json",
    "chronyc -n tracking": "chrony.txt",
    KERNEL_FILES: "kernel_files.txt",
    LEFTOVERS: "leftovers.txt",
    MEMORY: "meminfo.txt",
    MOUNT_TABLE: "mounts.txt",
    RELEASE: "release.txt",
    FAILED_UNITS: "failed_units.txt",
    FIRMWARE_TABLES: "dmidecode.txt",
    "nvme list -o json": "nvme_list.json",
    "lsblk -J -b": "lsblk.json",
    "nvme smart-log -o json /dev/nvme0": "nvme0_smart.json",
    state_files(MODEL): "state_files.txt",
    REMOTE_MOUNTS: "remote_mounts.txt",
    packages_command(MODEL): "packages.txt",
    **{command: file for _, command in card_commands(MODEL) for word, file in _CARD_FILES.items() if word in command},
}


def healthy() -> dict[str, str]:
    """Text by command."""
    return {command: sample(name) for command, name in HEALTHY.items()}


def report(texts: Mapping[str, str], exits: Mapping[str, int] | None = None, **more: Any) -> ProbeReport:
    outputs = {command: Output(command, (exits or {}).get(command, 0), 5, text) for command, text in texts.items()}
    return ProbeReport(BOOT, 86_400.0, REPORT_TIME, outputs, **more)


def bmc(text: str | None = None) -> BmcReport:
    resources = json.loads(text if text is not None else sample("bmc.json"))
    return parse_bmc(resources["system"], resources["chassis"], resources["thermal"], resources["power"])


def judged(
    texts: Mapping[str, str],
    *,
    model: DeviceModelSpec = MODEL,
    bmc_report: BmcReport | None = None,
    components: Mapping[str, ExpectedComponent] | None = None,
    exits: Mapping[str, int] | None = None,
    earlier: Earlier | None = None,
) -> list[Finding]:
    """With a BMC's report its logs were read, too, and said nothing."""
    expectation = Expectation(model, components or {}, earlier=earlier)
    log = BmcLog() if bmc_report is not None else None
    return evaluate(report(texts, exits), bmc_report, expectation, bmc_log=log)


def earlier_of(case: Mapping[str, Any]) -> Earlier | None:
    """The look ten minutes before that a case compares with."""
    return Earlier(REPORT_TIME - 600.0, case["earlier"]) if "earlier" in case else None


def only(findings: list[Finding], check: str, part: str | None = None) -> list[Finding]:
    return [f for f in findings if f.check == check and part in (None, f.part)]
