"""Every shipped device model: it says where it is from, a healthy machine of it is fine, and it can be drawn."""

from __future__ import annotations

import json
import re
import time

import pytest

from health.checks import Expectation, evaluate, layout
from health.checks.parsers.bmc import parse_bmc
from health.checks.probes.script import parse_probe, probe_script
from health.checks.verdicts import Verdict
from health.tests.checks.samples import sample
from inventory.cabling.faceplate import faceplate
from inventory.specs.device_model import MODELS_DIR, DeviceModelSpec, shipped_models
from inventory.specs.sources import figures
from simulator.faults import inject
from simulator.machine.shell import execute
from simulator.plan import sample_plan
from simulator.state import Machine, first_state

SPECS = {name: DeviceModelSpec.load(name) for name in shipped_models()}
MACHINES = sorted(name for name, spec in SPECS.items() if spec.kind == "machine")
NEW = sorted(set(SPECS) - {
    "dell-xe9680-h100", "nvidia-dgx-a100", "nvidia-qm9700", "nvidia-sn2201", "nvidia-sn4600c", "pdu-zero-u-36c13-12c19",
    "tower-4x-l40s",
})  # fmt: skip
# Made at order: the hall gives them cards under the names that Linux would, the model has none.
KINDS = {"H100": "H100", "H200": "H200", "B200": "B200", "GB200": "GB200", "A100": "A100", "L40S": "L40S",
         "MI300X": "MI300X"}  # fmt: skip


def machine_of(name: str) -> Machine:
    plan = sample_plan(1, model=name).machines[0]
    return Machine(plan, first_state(plan, time.time(), "6f0ad9e6-0000-4000-8000-000000000001"))


def test_there_is_a_model_of_every_kind_of_gpu_and_of_every_vendor() -> None:
    types = [spec.gpu.type for spec in SPECS.values() if spec.gpu]
    assert all(any(kind in told for told in types) for kind in KINDS)
    assert {spec.vendor for spec in SPECS.values()} >= {"Dell", "Supermicro", "HPE", "Lenovo", "NVIDIA"}
    assert {"nvidia-gb200-compute-tray", "nvidia-gb200-switch-tray"} <= set(SPECS)


@pytest.mark.parametrize("name", NEW)
def test_a_model_names_its_source_and_says_what_that_does_not_give(name: str) -> None:
    head = re.match(r"(?:#.*\n)+", (MODELS_DIR / f"{name}.yaml").read_text())
    assert head
    assert "Source: " in head.group()
    assert "so left out:" in head.group()


@pytest.mark.parametrize("name", sorted(SPECS))
def test_every_figure_has_a_source_or_waits_for_the_site(name: str) -> None:
    """A figure that a check judges by stands in a public document, or a site decides it for itself."""
    spec = SPECS[name]
    known = {name for source in spec.sources for name in source.says} | set(spec.confirm)
    assert figures(spec) - known == set(), "a document or the site is named for each figure"
    told = [each for source in spec.sources for each in source.says]
    assert set(told) <= figures(spec) and len(told) == len(set(told)), "a source says what the model has, once"
    assert not set(spec.confirm) & set(told)
    site = [source for source in spec.sources if source.site]
    assert not site or name == "dell-xe9680-h100" or spec.vendor == "Generic", "others are of documents alone"
    assert all(source.section or source.site or ";" not in source.title for source in spec.sources)


def test_no_check_judges_by_what_the_site_is_to_confirm() -> None:
    resources = json.loads(sample("bmc.json"))
    resources["power"]["PowerControl"] = [{"PowerConsumedWatts": 90_000.0}]
    report = parse_bmc(resources["system"], resources["chassis"], resources["thermal"], resources["power"])
    for name, verdict in (("dell-xe9680-h100", "ok"), ("nvidia-dgx-h100", "fail")):
        found = [f for f in evaluate(None, report, Expectation(SPECS[name])) if f.check == "bmc.power"]
        assert [str(each.verdict) for each in found] == [verdict]


@pytest.mark.parametrize("name", NEW)
def test_no_address_stands_in_a_model_but_those_that_somebody_published(name: str) -> None:
    told = {slot.pci for slot in SPECS[name].slots if slot.pci}
    published = {"18", "29", "40", "4f", "5e", "9a", "aa", "c0", "ce", "dc"}  # cards of the DGX H100 and H200
    assert {address.split(":")[1] for address in told} == (published if name.startswith("nvidia-dgx-h") else set())


@pytest.mark.parametrize("name", MACHINES)
def test_a_healthy_machine_of_a_model_fails_nothing(name: str) -> None:
    machine = machine_of(name)
    report = parse_probe(execute(machine, probe_script(SPECS[name]), time.time()).text.encode())
    findings = evaluate(report, None, Expectation(SPECS[name], bmc_expected=False))
    assert {(f.check, f.part) for f in findings} >= set(layout(SPECS[name]))
    bad = [(f.check, f.part, f.message) for f in findings if f.verdict is Verdict.FAIL]
    assert bad == []
    gpus = [f for f in findings if f.check in ("gpu.count", "gpu.identity", "gpu.ecc", "gpu.temperature")]
    assert len(gpus) == 4 * SPECS[name].gpu.count  # type: ignore[union-attr]
    assert {str(f.verdict) for f in gpus} == {"ok"}


@pytest.mark.parametrize("name", [name for name in MACHINES if "mi300x" in name])
def test_a_sick_amd_gpu_of_the_hall_is_found_in_its_slot(name: str) -> None:
    machine = machine_of(name)
    inject(machine, "gpu_ecc", time.time(), slot="GPU 5")
    inject(machine, "nvlink_down", time.time(), slot="GPU 2")
    report = parse_probe(execute(machine, probe_script(SPECS[name]), time.time()).text.encode())
    findings = evaluate(report, None, Expectation(SPECS[name], bmc_expected=False))
    told = {(f.check, f.part) for f in findings if f.verdict is Verdict.FAIL and f.check in ("gpu.ecc", "xgmi.links")}
    assert told == {("gpu.ecc", "GPU 5"), ("xgmi.links", "GPU 2")}


@pytest.mark.parametrize("name", sorted(SPECS))
def test_front_and_rear_of_a_model_can_be_drawn(name: str) -> None:
    spec = SPECS[name]
    cages = faceplate(spec)
    assert all(0 <= each["x"] <= 1 and 0 <= each["y"] <= 1 and each["x"] + each["w"] <= 1.001 for each in cages)
    assert {port.face for port in spec.ports} <= {"front", "rear", ""}
    slots = {slot.name for slot in spec.slots}
    assert all(not port.slot or port.slot in slots for port in spec.ports)
