"""infiniband-diags on a machine of the fabric, over SSH: each tool once, one after the other, each under `timeout`.

Options of the source: `commands` (which of the tools), `timeout_s` of each, `ca` and `port` to attach at, `sudo`.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

from access.queries import ssh_targets
from access.services import record_identities
from core.outgoing.addresses import split
from core.outgoing.binding import Refused
from drivers import shell
from drivers.ssh import Limits, SshFailureKind, SshResult, SshTarget, run_one
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.addresses import opened_of
from fabric.discovery.services.readers import CaptureParts, Part, SourceUnreadable, SourceUntrusted

TOOLS = {
    "ibnetdiscover": ("ibnetdiscover",),
    "iblinkinfo": ("iblinkinfo", "-l"),
    "ibqueryerrors": ("ibqueryerrors", "--data", "--threshold-file", "/dev/null"),
    "perfquery": ("perfquery",),
}
"""`ibqueryerrors` prints what is above its thresholds; an empty file of them makes each 0: nothing is hidden."""
USUAL = ("ibnetdiscover", "iblinkinfo", "ibqueryerrors")
TIMEOUT_S = 120.0
LONGEST_S = 900.0
GRACE_S = 15.0
"""How much later than the tool's own limit the session ends, for what `timeout` still has to print."""
MOST_BYTES = 512 * 1024 * 1024
TIMED_OUT = (124, 137)
HAS_FINDINGS = {"ibqueryerrors": (1,)}  # it exits so when counters are above its thresholds
UNREACHABLE = frozenset(SshFailureKind) - {SshFailureKind.COMMAND_TIMEOUT, SshFailureKind.OUTPUT_TOO_LARGE}
_DEVICE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}")


def read_source(source: FabricSource) -> CaptureParts:
    """Raises SourceUnreadable when the machine cannot be reached, or nothing could be run there."""
    limit_s = option_number(source.options, "timeout_s", TIMEOUT_S, LONGEST_S)
    target = target_of(source)
    parts: list[Part] = []
    identity = ""
    for tool, command in commands(source.options, limit_s):
        limits = Limits(command_timeout_s=limit_s + GRACE_S, output_cap_bytes=MOST_BYTES)
        result = asyncio.run(run_one(target, command, limits))
        if target.machine_id is not None:
            record_identities([result], actor=f"fabric source {source.name}")
        elif result.first_contact:
            identity = result.presented_key or ""
        if result.failure is not None and result.failure.kind in UNREACHABLE:
            changed = result.failure.kind is SshFailureKind.HOST_KEY_CHANGED
            kind = SourceUntrusted if changed else SourceUnreadable
            raise kind(f"{target.name or target.address}: {result.failure}")
        parts.append(_part(tool, command, result))
    if all(part.exit_status == 127 for part in parts):
        raise SourceUnreadable(f"{target.name}: infiniband-diags is not installed there")
    return CaptureParts(parts, identity)


def commands(options: dict[str, Any], limit_s: float) -> list[tuple[str, str]]:
    """Tool and command line, each bounded on the machine itself. Raises SourceUnreadable for options out of range."""
    wanted = options.get("commands", USUAL)
    if not isinstance(wanted, list | tuple) or not wanted or any(tool not in TOOLS for tool in wanted):
        raise SourceUnreadable(f"the option commands takes some of {', '.join(TOOLS)}")
    device: list[str] = []
    if options.get("ca"):
        if not _DEVICE.fullmatch(str(options["ca"])):
            raise SourceUnreadable("the option ca takes the name of an adapter")
        device += ["-C", str(options["ca"])]
    if options.get("port") is not None:
        device += ["-P", str(int(option_number(options, "port", 1, 255)))]
    lead = ["sudo", "-n"] if options.get("sudo") else []
    return [(tool, shell.line([*lead, "timeout", "-k", "5", f"{limit_s:g}", *TOOLS[tool], *device])) for tool in wanted]


def option_number(options: dict[str, Any], name: str, usual: float, most: float) -> float:
    """A positive number of the options. Raises SourceUnreadable for anything else."""
    value = options.get(name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise SourceUnreadable(f"the option {name} takes a number up to {most:g}")
    return float(value)


def _part(tool: str, command: str, result: SshResult) -> Part:
    problem = ""
    if result.failure is not None:
        problem = str(result.failure)
    elif result.exit_status in TIMED_OUT:
        problem = "did not end in time and was stopped"
    elif result.exit_status not in (0, *HAS_FINDINGS.get(tool, ())):
        said = result.stderr.decode("utf-8", "replace").strip().splitlines()
        problem = f"exit {result.exit_status}" + (f": {said[-1]}" if said else "")
    text = result.stdout.decode("utf-8", "replace").replace("\0", "�")
    return Part(command, tool, text, result.exit_status, problem[:500])


def target_of(source: FabricSource) -> SshTarget:
    if source.machine_id is not None:
        targets = ssh_targets([source.machine_id])
        if targets:
            return targets[0]
    if not source.address or source.credential is None:
        raise SourceUnreadable("name the machine to run on, or an address and a credential")
    try:
        host, port = split(source.address, 22)
        login = opened_of(source).at(source.address)
    except (Refused, ValueError) as error:
        raise SourceUnreadable(str(error)) from error
    return SshTarget(
        host, port, login.username, login.secret, source.identity or None, name=source.address, gate=login.gate
    )
