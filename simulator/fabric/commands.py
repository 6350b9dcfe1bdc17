"""The tools of the fabric as a machine of the hall answers them over SSH."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from simulator.fabric import diags, lldp, perftest
from simulator.fabric.plan import NodePlan
from simulator.fabric.wiring import Wiring, WiringError

if TYPE_CHECKING:
    from simulator.state import Machine

Output = tuple[int, str]
Tool = Callable[[Wiring, NodePlan, list[str], float], Output]
_WITH_VALUE = {"-C", "-P", "-t", "-L", "-o", "-S", "-D", "-G", "-m", "--node-name-map", "--timeout", "-T", "-f",
               "--threshold-file"}  # fmt: skip
FULL = 24
"""Lines after which a truncated answer breaks off, in the middle of the next."""


def _options(args: list[str]) -> tuple[set[str], dict[str, str], list[str]]:
    """Flags, options with a value, words."""
    flags, values, words, at = set(), {}, [], 0
    while at < len(args):
        if args[at] in _WITH_VALUE and at + 1 < len(args):
            values[args[at]] = args[at + 1]
            at += 1
        elif args[at].startswith("--"):
            flags.add(args[at])
        elif args[at].startswith("-"):
            flags.update(f"-{letter}" for letter in args[at][1:])
        else:
            words.append(args[at])
        at += 1
    return flags, values, words


def _guid(text: str) -> str:
    return text.lower().removeprefix("0x").rjust(16, "0")


def _ibnetdiscover(wiring: Wiring, here: NodePlan, args: list[str], now: float) -> Output:
    flags, _, _ = _options(args)
    if flags & {"-p", "--ports"}:
        return 0, diags.ibnetdiscover_ports(wiring)
    return 0, diags.ibnetdiscover(wiring, here, now)


def _iblinkinfo(wiring: Wiring, here: NodePlan, args: list[str], now: float) -> Output:
    flags, values, _ = _options(args)
    only = _guid(values["-S"]) if "-S" in values else _guid(values["-G"]) if "-G" in values else ""
    if only and (only not in wiring.plan.lids or wiring.health(only) != "up"):
        return 0, f"\nFailed to find port: 0x{only}\n"
    return 0, diags.iblinkinfo(wiring, line=bool(flags & {"-l", "--line"}), only=only)


def _ibqueryerrors(wiring: Wiring, here: NodePlan, args: list[str], now: float) -> Output:
    flags, values, _ = _options(args)
    only = _guid(values["-S"]) if "-S" in values else _guid(values["-G"]) if "-G" in values else ""
    own = values.get("--threshold-file") != "/dev/null"  # no other file is on the machines of the hall
    return diags.ibqueryerrors(
        wiring, now, data="--data" in flags, only=only, thresholds=diags.THRESHOLDS if own else {}
    )


def _perfquery(wiring: Wiring, here: NodePlan, args: list[str], now: float) -> Output:
    flags, _, words = _options(args)
    node, port = here, 1
    try:
        if "-G" in flags and words:
            node = wiring.node(_guid(words[0]))
        elif words:
            lid = int(words[0], 0)
            node = next(wiring.node(guid) for guid, each in wiring.plan.lids.items() if each == lid)
        if len(words) > 1:
            port = int(words[1])
        port = diags.ALL_PORTS if "-a" in flags else port
        return 0, diags.perfquery(wiring, node, port, now, extended="-x" in flags)
    except (StopIteration, ValueError, WiringError):
        return 255, "ibwarn: [4711] mad_rpc: _do_madrpc failed; dport (Lid 0)\nperfquery: iberror: failed: perfquery\n"


_TOOLS: dict[str, Tool] = {
    "ibnetdiscover": _ibnetdiscover,
    "iblinkinfo": _iblinkinfo,
    "ibqueryerrors": _ibqueryerrors,
    "perfquery": _perfquery,
    "ibswitches": lambda wiring, here, args, now: (0, diags.ibswitches(wiring)),
    "ibhosts": lambda wiring, here, args, now: (0, diags.ibhosts(wiring)),
}
DIAGS = tuple(_TOOLS)
PERFTEST = ("ib_write_bw", "ib_write_lat")


def run_diags(machine: Machine, tool: str, args: list[str], now: float) -> Output | None:
    """One of infiniband-diags on this machine; None when it never answers."""
    whole = machine.wiring
    own = (
        [node for node in whole.plan.nodes if node.group == machine.plan.name and node.layer == "infiniband"]
        if (whole)
        else []
    )
    if whole is None or not own:
        return 127, f"bash: {tool}: command not found\n"
    state = whole.source("ibdiags")
    if state == "silent":
        return None
    _, values, _ = _options(args)
    wiring = whole.as_told_by("ibdiags")
    wanted = values.get("-C")
    here = next((node for node in own if wanted in (None, node.device)), None)
    if here is None or wiring.health(here.guid) != "up":
        return 255, f"ibwarn: [4711] mad_rpc_open_port: can't open UMAD port ({wanted or '(null)'}:0)\n"
    if state == "empty":
        return 0, ""
    status, text = _TOOLS[tool](wiring, here, args, now)
    return status, _cut(text) if state == "truncated" else text


def _cut(text: str) -> str:
    """Half of it, and then the beginning of a line."""
    lines = text.splitlines(keepends=True)
    kept = lines[: max(1, len(lines) // 2)]
    return "".join(kept) + (lines[len(kept)][:FULL] if len(lines) > len(kept) else "")


def lldpctl(machine: Machine, args: list[str], now: float) -> Output | None:
    """`lldpctl -f json0` and `-f json`: the neighbours of the machine's Ethernet ports."""
    whole = machine.wiring
    if whole is None:
        return 127, "bash: lldpctl: command not found\n"
    state = whole.source("lldp")
    if state == "silent":
        return None
    _, values, _ = _options(args)
    form = values.get("-f", "plain")
    if form not in ("json", "json0"):
        return 1, f"lldpctl: here only -f json and -f json0, not {form}\n"
    wiring = whole.as_told_by("lldp")
    answer = lldp.lldpctl(wiring, machine.plan.name, now, always_lists=form == "json0", empty=state == "empty")
    text = json.dumps(answer, indent=2) + "\n"
    return 0, text[: len(text) // 2] if state == "truncated" else text


def run_perftest(machine: Machine, tool: str, args: list[str], now: float) -> tuple[int, str, float] | perftest.Waiting:
    """One side of a bandwidth or latency test: exit status, output and seconds, or a server that waits."""
    wiring = machine.wiring
    if wiring is None:
        return 127, f"bash: {tool}: command not found\n", 0.0
    return perftest.run(wiring, machine.plan.name, tool, args, now, lambda host: wiring.hosts.get(host, host))
