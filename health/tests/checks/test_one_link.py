"""One PCIe link that is narrow or slow is one finding, whatever outputs tell of it, on every shipped model."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from health.checks import Expectation, Finding, evaluate
from health.checks.parsers.bmc_log import BmcLog, LogEntry
from health.checks.probes.cards import pci_links_command
from health.checks.probes.script import KERNEL_LOG
from health.checks.probes.state import state_files
from health.checks.verdicts import Verdict
from health.machines.lifecycle import State
from health.monitoring.faults import Situation, decide, sightings
from health.tests.checks.hosts import SMI, _gpus
from health.tests.checks.samples import report, sample
from inventory.specs.device_model import DeviceModelSpec, Slot, shipped_models

SPECS = {name: DeviceModelSpec.load(name) for name in shipped_models()}
MACHINES = sorted(name for name, spec in SPECS.items() if spec.kind == "machine")
WIDTHS = {"gpu": 16, "hca": 16, "nvme": 4, "other": 2}
SPEED = {4: "16.0", 5: "32.0"}
# How the link of a part is told, all of them at once or some: its kind -> outputs.
OUTPUTS = ("state", "links", "smi", "log", "bmc")


def placed(name: str) -> DeviceModelSpec:
    """The shipped model as a site has it: with addresses and names of its cards, an NVSwitch and another card."""
    model = SPECS[name].model_dump(mode="json", exclude_none=True)
    for number, slot in enumerate(model["slots"]):
        if slot["kind"] in ("gpu", "hca"):
            slot.setdefault("pci", f"0000:{0x10 + number:02x}:00.0")
        if slot["kind"] == "hca":
            slot.setdefault("device", f"mlx5_{number}")
    if not any(slot["kind"] == "hca" for slot in model["slots"]):
        model["slots"] += [
            {"name": f"HCA mlx5_{n}", "kind": "hca", "pci": f"0000:c{n + 1}:00.0", "device": f"mlx5_{n}",
             "link_layer": "InfiniBand", "rail": n + 1} for n in range(4)
        ]  # fmt: skip
    if not any(slot["kind"] == "nvme" for slot in model["slots"]):
        model["slots"] += [{"name": f"NVMe {n}", "kind": "nvme"} for n in range(2)]
    model["slots"] += [
        {"name": "NVSwitch 0", "kind": "other", "pci": "0000:f1:00.0", "pcie": {"width": 2, "gen": 4}},
        {"name": "Capture card", "kind": "other", "pci": "0000:f2:00.0"},
    ]
    return DeviceModelSpec.model_validate(model)


def generation(slot: Slot, spec: DeviceModelSpec) -> int:
    if slot.kind == "gpu":
        return (spec.gpu and spec.gpu.pcie_gen) or 5
    told = (spec.expected.get("hca_pcie") or {}) if slot.kind == "hca" else {}
    layer = "ConnectX-7" if slot.link_layer == "InfiniBand" else "ConnectX-6 Dx"
    return (told.get(layer) or {}).get("gen", 4)


def card(slot: Slot) -> str:
    return (slot.pci or slot.name).rpartition(".")[0] or slot.name


def judged(spec: DeviceModelSpec, bad: Slot | None, outputs: tuple[str, ...], *, slow: bool = False) -> list[Finding]:
    """What is said of a machine with one narrow link (or `slow`) that so many outputs tell."""

    def told(slot: Slot, output: str) -> tuple[int, int]:
        hit = bad is not None and card(slot) == card(bad) and output in outputs
        width, gen = WIDTHS[slot.kind], generation(slot, spec)
        return (width, gen - 1) if hit and slow else (width // 2, gen) if hit else (width, gen)

    def files(place: str, slot: Slot, output: str, above: bool) -> str:
        width, gen = told(slot, output)
        best, most = WIDTHS[slot.kind], generation(slot, spec)
        speed = {**SPEED, 3: "8.0"}
        lines = [f"{place}/current_link_speed:{speed[gen]} GT/s PCIe", f"{place}/current_link_width:{width}",
                 f"{place}/max_link_speed:{speed[most]} GT/s PCIe", f"{place}/max_link_width:{best}"]  # fmt: skip
        if above:
            lines += [f"{place}/../max_link_speed:32.0 GT/s PCIe", f"{place}/../max_link_width:{best}"]
        return "".join(f"{line}\n" for line in lines)

    drives = {slot: number for number, slot in enumerate(spec.slots_of("nvme"))}
    cards = [slot for slot in spec.slots if slot.pci and slot.kind in WIDTHS and slot not in drives]
    state = "/proc/buddyinfo:Node 0, zone   Normal   1 1 1 1 1 1 1 1 1 2000 24000\n"
    state += "/proc/mdstat:unused devices: <none>\n"
    for slot, n in drives.items():
        state += f"/sys/class/nvme/nvme{n}/address:0000:{0xE0 + n:02x}:00.0\n"
        state += files(f"/sys/class/nvme/nvme{n}/device", slot, "state", above=True)
    state += "".join(files(f"/sys/bus/pci/devices/{slot.pci}", slot, "state", above=True) for slot in cards)
    state += "/proc/sys/kernel/ostype:Linux\n"
    links = "".join(files(f"/sys/bus/pci/devices/{s.pci}", s, "links", above=False) for s in cards if s.kind != "gpu")
    texts = {state_files(spec): state, pci_links_command(spec): links, KERNEL_LOG: sample("kernel.log")}
    gpus = spec.slots_of("gpu")
    smi = _gpus(tuple(slot.pci.split(":")[1] for slot in gpus), {"link_gen>5": f"link_gen>{generation(gpus[0], spec)}"})  # type: ignore[union-attr]
    if bad is not None and bad.kind == "gpu" and "smi" in outputs:
        head, mark, rest = smi.partition(f'<gpu id="00000000:{bad.pci.split(":")[1].upper()}')  # type: ignore[union-attr]
        smi = head + mark + rest.replace("<current_link_width>16x", "<current_link_width>8x", 1)
    if not (spec.gpu and spec.gpu.is_amd):
        texts[SMI] = smi
    entries: tuple[LogEntry, ...] = ()
    if bad is not None and bad.kind == "hca" and "log" in outputs:
        for port in (each for each in spec.slots_of("hca") if card(each) == card(bad)):
            texts[KERNEL_LOG] += (
                f"[   12.100000] mlx5_core {port.pci}: 252.056 Gb/s available PCIe bandwidth, limited by 32.0 GT/s "
                "PCIe x8 link at 0000:1f:01.0 (capable of 504.112 Gb/s with 32.0 GT/s PCIe x16 link)\n"
            )
    if bad is not None and bad.pci and "bmc" in outputs:
        bus = int(bad.pci.split(":")[1], 16)
        said = f"The link width of bus {bus} device 0 function 0 is degraded: PCIe link width is degraded."
        entries = (LogEntry(id="1", at="2026-11-01T00:00:00Z", severity="warning", message_id="PCI2000", message=said),)
    log = BmcLog(entries) if entries else None
    return evaluate(report(texts), None, Expectation(spec, bmc_expected=False), bmc_log=log)


LINK_CHECKS = {"gpu.pcie", "hca.pcie_link", "hca.pcie", "nvme.pcie_link", "pcie.slots", "pcie.links", "bmc.log"}


def of_links(findings: list[Finding]) -> list[Finding]:
    return [f for f in findings if f.check in LINK_CHECKS and f.verdict in (Verdict.FAIL, Verdict.WARN)]


def some(spec: DeviceModelSpec) -> list[Slot]:
    """One part of each kind that has a link, a card that is needed, one that is not, one with two ports."""
    hcas = spec.slots_of("hca")
    ports = [slot for slot in hcas if sum(card(other) == card(slot) for other in hcas) > 1]
    found = [spec.slots_of("gpu")[-1], hcas[0], hcas[-1], *ports[:1], *ports[-1:], spec.slots_of("nvme")[0]]
    named = [spec.slot("NVSwitch 0"), spec.slot("Capture card")]
    return list(dict.fromkeys([*found, *(slot for slot in named if slot)]))


@pytest.mark.parametrize("name", MACHINES)
def test_a_machine_with_whole_links_has_none_told(name: str) -> None:
    assert of_links(judged(placed(name), None, OUTPUTS)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MACHINES)
def test_a_narrow_link_is_one_finding_one_fault_and_one_ticket(name: str) -> None:
    spec = placed(name)
    every = frozenset(slot.name for slot in spec.slots)
    for slot in some(spec):
        for outputs in (OUTPUTS, ("state", "bmc"), ("links", "log", "bmc"), ("state", "links")):
            if slot.kind == "gpu" and not {"smi", "state"} & set(outputs):
                continue
            if slot.kind in ("nvme", "other") and "state" not in outputs and not (slot.pcie and slot.pci):
                continue  # no output of these tells its link
            found = of_links(judged(spec, slot, outputs))
            assert len(found) == 1, (slot.name, outputs, found)
            assert spec.slot(found[0].part) and card(spec.slot(found[0].part)) == card(slot)  # type: ignore[arg-type]
            classes = {"gpu": "gpu.pcie", "hca": "hca.pcie", "nvme": "nvme.pcie", "other": "pcie.narrow"}
            if found[0].verdict is Verdict.FAIL:
                assert found[0].fault_class == classes[slot.kind]
                now = Situation(State.READY, datetime(2026, 11, 1, tzinfo=UTC), 15, every)
                faults = decide([], sightings(found), set(), now)
                assert [fault.leader for fault in faults] == [None]


@pytest.mark.parametrize("name", MACHINES)
def test_a_slow_link_is_one_finding(name: str) -> None:
    spec = placed(name)
    for slot in some(spec):
        if slot.kind == "gpu":
            continue  # an idle GPU may lower its generation
        found = of_links(judged(spec, slot, ("state", "links"), slow=True))
        assert len(found) == 1, (slot.name, found)
