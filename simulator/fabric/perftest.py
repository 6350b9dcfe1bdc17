"""`ib_write_bw` and `ib_write_lat` between two machines of the hall, in the format of perftest 23.

A side without a host name waits for one that names its machine; the rate is that of the slowest link between them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

from simulator.fabric.plan import End, NodePlan
from simulator.fabric.wiring import Wiring

RULE = "-" * 87 + "\n"
DEFAULT_PORT = "18515"
MESSAGE_BYTES = 65536
LATENCY_BYTES = 2
HOP_US = 0.32
ENDS_US = 0.95
_WITH_VALUE = {"-d", "-i", "-D", "-p", "-s", "-n", "-q", "-t", "-m", "-x", "-S", "-Q", "-f", "-w", "--ib-dev",
               "--duration", "--port", "--size", "--iters"}  # fmt: skip
_WAITING = "\n************************************\n* Waiting for client to connect... *\n" + "*" * 36 + "\n"


@dataclass(frozen=True)
class Asked:
    """The command line of one side."""

    latency: bool
    device: str
    server: str
    port: str
    seconds: float
    bytes: int
    iterations: int
    by_time: bool
    gbits: bool
    both_ways: bool


@dataclass
class Waiting:
    """A server's side: where it waits, and what it will print once somebody came."""

    asked: Asked
    node: NodePlan
    answer: tuple[int, str] | None = None
    answered_at: float = 0.0
    since: float = field(default=0.0)


def parse(tool: str, args: list[str]) -> Asked:
    """Raises ValueError for a value that is no number."""
    values: dict[str, str] = {}
    flags: set[str] = set()
    server, at = "", 0
    while at < len(args):
        word = args[at]
        name, equals, value = word.partition("=")
        if equals and name in _WITH_VALUE:
            values[name] = value
        elif word in _WITH_VALUE and at + 1 < len(args):
            at += 1
            values[word] = args[at]
        elif word.startswith("-"):
            flags.add(word)
        else:
            server = word
        at += 1
    latency = tool == "ib_write_lat"
    duration = values.get("-D") or values.get("--duration")
    return Asked(
        latency=latency,
        device=values.get("-d") or values.get("--ib-dev") or "",
        server=server,
        port=values.get("-p") or values.get("--port") or DEFAULT_PORT,
        seconds=float(duration or 0.1),
        bytes=int(values.get("-s") or values.get("--size") or (LATENCY_BYTES if latency else MESSAGE_BYTES)),
        iterations=int(values.get("-n") or values.get("--iters") or (1000 if latency else 5000)),
        by_time=duration is not None,
        gbits="--report_gbits" in flags,
        both_ways="-b" in flags,
    )


def run(
    wiring: Wiring, machine: str, tool: str, args: list[str], now: float, resolve: Callable[[str], str]
) -> tuple[int, str, float] | Waiting:
    """Exit status, output and seconds of a client; a server's side is returned to be waited for.

    `resolve` gives the machine of a host name or address; empty when there is none.
    """
    try:
        asked = parse(tool, args)
    except ValueError:
        return 1, " Invalid value in the command line\n", 0.0
    nodes = [n for n in wiring.plan.nodes if n.group == machine and n.kind == "ca"]
    node = next((n for n in nodes if asked.device in ("", n.device)), None)
    if node is None:
        return 1, f" IB device {asked.device} not found\n Unable to find the Infiniband/RoCE device\n", 0.0
    if not wiring.port(End(node.guid, 1)).up:
        return (
            1,
            " Port number 1 state is Down\n Couldn't set the link layer\n Couldn't get context for the device\n",
            0.0,
        )
    if not asked.server:
        side = Waiting(asked, node, since=now)
        wiring.waiting[machine, asked.port] = side
        return side
    found = wiring.waiting.pop((resolve(asked.server), asked.port), None)
    if found is None or found.asked.latency != asked.latency:
        return 1, f"Couldn't connect to {asked.server}:{asked.port}\nUnable to init the socket connection\n", 0.0
    return _meet(wiring, asked, node, found, now)


def _meet(wiring: Wiring, asked: Asked, node: NodePlan, other: Waiting, now: float) -> tuple[int, str, float]:
    way = wiring.path(End(node.guid, 1), End(other.node.guid, 1))
    if way is None:
        text = " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\n"
        other.answer, other.answered_at = (1, _head(wiring, other.asked, other.node, node)), now
        return 1, _head(wiring, asked, node, other.node) + text + " scnt=128, ccnt=0\n", 2.0
    gbps = min(wiring.rate_gbps(port) for port in way)
    hops = len(way)
    seconds = asked.seconds if asked.by_time else 0.1
    other.answer = (0, _head(wiring, other.asked, other.node, node) + _result(asked, gbps, hops, server=True))
    other.answered_at = now + seconds
    return 0, _head(wiring, asked, node, other.node) + _result(asked, gbps, hops, server=False), seconds


def server_text(side: Waiting) -> str:
    assert side.answer is not None
    return _WAITING + side.answer[1]


def _head(wiring: Wiring, asked: Asked, node: NodePlan, far: NodePlan) -> str:
    what = "RDMA_Write Latency Test" if asked.latency else f"RDMA_Write {'Bidirectional ' * asked.both_ways}BW Test"
    kind = "IB" if node.layer == "infiniband" else "Ethernet"
    depth = " TX depth        : 1\n" if asked.latency else " TX depth        : 128\n CQ Moderation   : 1\n"
    return (
        f"{RULE}                    {what}\n"
        f" Dual-port       : OFF\t\tDevice         : {node.device}\n"
        " Number of qps   : 1\t\tTransport type : IB\n"
        " Connection type : RC\t\tUsing SRQ      : OFF\n"
        " PCIe relax order: ON\n"
        " ibv_wr* API     : ON\n"
        f"{depth}"
        f" Mtu             : {4096 if kind == 'IB' else 1024}[B]\n"
        f" Link type       : {kind}\n"
        f" Max inline data : {220 if asked.latency else 0}[B]\n"
        " rdma_cm QPs\t : OFF\n"
        " Data ex. method : Ethernet\n"
        f"{RULE}{_address('local', wiring, node)}{_address('remote', wiring, far)}{RULE}"
    )


def _address(side: str, wiring: Wiring, node: NodePlan) -> str:
    seed = zlib.crc32(node.guid.encode())
    return (
        f" {side} address: LID 0x{wiring.plan.lids.get(node.guid, 0):02x} QPN 0x{seed % 0xFFFF:04x} "
        f"PSN 0x{seed % 0xFFFFFF:06x} RKey 0x{seed % 0xFFFFF:06x} VAddr 0x007f{seed:08x}0000\n"
    )


def _result(asked: Asked, gbps: float, hops: int, *, server: bool) -> str:
    return (_latency if asked.latency else _bandwidth)(asked, gbps, hops, server) + RULE


def _bandwidth(asked: Asked, gbps: float, hops: int, server: bool) -> str:
    total = gbps * (2 if asked.both_ways else 1)
    rate = total * 1e9 / 8 / asked.bytes / 1e6
    peak = 0.0 if asked.by_time else total * 1.0005
    if asked.gbits:
        unit, scale = "Gb/sec", 1.0
    else:
        unit, scale = "MB/sec", 1e9 / 8 / 1024 / 1024
    runs = int(rate * 1e6 * asked.seconds) if asked.by_time else asked.iterations
    return (
        f" #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]\n"
        f" {asked.bytes:<10} {runs:<15}  {peak * scale:<7.2f}            {total * scale:<7.2f} \t\t   {rate:<7.6f}\n"
    )


def _latency(asked: Asked, gbps: float, hops: int, server: bool) -> str:
    typical = ENDS_US + HOP_US * hops + asked.bytes * 8 / gbps / 1000
    if asked.by_time:
        runs = int(asked.seconds * 1e6 / typical)
        return (
            " #bytes        #iterations       t_avg[usec]    tps average\n"
            f" {asked.bytes:<13} {runs:<17} {typical:<14.2f} {1e6 / typical / 2:<10.2f}\n"
        )
    low, high, p99, p999 = typical * 0.97, typical * 4.1, typical * 1.12, typical * 1.9
    return (
        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
        "99% percentile[usec]   99.9% percentile[usec] \n"
        f" {asked.bytes:<7} {asked.iterations:<14} {low:<14.2f} {high:<12.2f} {typical:<18.2f} {typical * 1.01:<14.2f} "
        f"{typical * 0.03:<15.2f} {p99:<22.2f} {p999:<22.2f}\n"
    )
