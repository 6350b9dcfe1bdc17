"""The virtual hall's tools beside the real ones on ibsim, line by line: only LIDs and times may differ."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fabric.tests.ibsim import IbSim
from simulator.fabric import diags
from simulator.fabric.plan import End, FabricPlan
from simulator.fabric.tests.samples import sample_fabric
from simulator.fabric.wiring import Wiring

pytestmark = [pytest.mark.services, pytest.mark.timeout(180)]


def hdr_fabric() -> FabricPlan:
    """ibsim knows speeds up to HDR, and gives an adapter's port the next GUID."""
    plan = sample_fabric(8)
    nodes = [replace(node, speed_gbps=200, port_guid=f"{int(node.guid, 16) + 1:016x}") for node in plan.nodes]
    return FabricPlan(tuple(nodes), plan.cables)


def net_of(wiring: Wiring) -> str:
    blocks = []
    for node in wiring.plan.nodes:
        letter, word, key = ("S", "Switch", "switchguid") if node.kind == "switch" else ("H", "Hca", "caguid")
        lines = [
            "extspeed=7",
            f"{key}=0x{node.guid}",
            f'{word}\t{node.ports} "{letter}-{node.guid}"\t\t# "{node.name}"',
        ]
        for port in wiring.ports(node):
            if port.far is not None and port.up:
                far = "S" if wiring.plan.by_guid[port.far.guid].kind == "switch" else "H"
                lines.append(f'[{port.end.port}]\t"{far}-{port.far.guid}"[{port.far.port}]')
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


CHOSEN_BY_A_RUN = (
    (re.compile(r"\blid \d+"), "lid N"),
    (re.compile(r" enhanced port"), " base port"),
    (re.compile(r'(0x[0-9a-f]{16} "[^"]*") +\d+( +\d+\[)'), r"\1 N\2"),
    (re.compile(r"(==>  0x[0-9a-f]{16}) +\d+"), r"\1 N"),
    (re.compile(r"(SW|CA) +\d+ "), r"\1 N "),
    (re.compile(r"Could be 12X "), " "),  # ibsim's ports say that they could
)


def lines_of(text: str) -> list[str]:
    """Sorted, with what each run chooses for itself made alike; ibsim gives its own vendor and device numbers."""
    kept = []
    for line in text.splitlines():
        if line.strip() and not re.match(r"#(?!#)|vendid|devid|sysimgguid", line):
            alike = line
            for pattern, instead in CHOSEN_BY_A_RUN:
                alike = pattern.sub(instead, alike)
            kept.append(alike)
    return sorted(kept)


def test_ibnetdiscover_iblinkinfo_and_ibqueryerrors_print_what_the_real_tools_print(tmp_path: Path) -> None:
    wiring = Wiring(hdr_fabric())
    leaf = wiring.by_name["leaf-01-r1"].guid
    wiring.unplug(End(leaf, 3), 0.0)
    wiring.changes.base.clear()  # ibsim counts no link that went down
    wiring.set_counter(End(leaf, 1), "SymbolErrorCounter", 77, 0.0)
    here = wiring.by_name["gpu0001 mlx5_0"]
    with IbSim(tmp_path, net_of(wiring)) as sim:
        sim.console(f'PerformanceSet "S-{leaf}"[1] PortCounters.SymbolErrorCounter=77')
        real = {tool: sim.output(*tool.split()) for tool in ("ibnetdiscover", "iblinkinfo -l", "ibqueryerrors")}
        flat = sim.output("ibnetdiscover", "-p")
    made = {
        "ibnetdiscover": diags.ibnetdiscover(wiring, here, 0.0),
        "iblinkinfo -l": diags.iblinkinfo(wiring, line=True),
        "ibqueryerrors": diags.ibqueryerrors(wiring, 0.0, thresholds={})[1],
    }
    for tool, text in real.items():
        assert lines_of(made[tool]) == lines_of(text), tool
    lit = [line for line in lines_of(flat) if " - " in line.partition("(")[0]]
    assert [line for line in lines_of(diags.ibnetdiscover_ports(wiring)) if " - " in line.partition("(")[0]] == lit
