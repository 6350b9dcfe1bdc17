"""Which part fails and which is only unknown, by what limits a part is judged, and what is advised."""

from __future__ import annotations

import re

import pytest
import yaml

from health.checks import Expectation, ExpectedComponent, Finding, catalogue, evaluate
from health.checks.card_kinds import KINDS
from health.checks.faults import FAULT_CLASSES
from health.checks.levels import Rung
from health.checks.parsers.bmc import parse_bmc
from health.checks.parsers.disks import parse_df
from health.checks.parsers.gpu_forms import parse_csv, parse_text, parse_xml
from health.checks.parsers.gpu_plight import LOST, NEEDS_RESET
from health.checks.probes.script import probe_commands
from health.checks.verdicts import Verdict
from health.tests.checks.hosts import CSV, HOSTS, SMI, host
from health.tests.checks.samples import MODEL, SAMPLES, healthy, judged, only, report, sample
from health.tests.checks.test_score import CASES, findings_of, said_of
from inventory.specs.device_model import DeviceModelError, DeviceModelSpec

HANDLE = "Unable to determine the device handle for GPU 0000:3B:00.0: {}\n"


def fails(findings: list[Finding]) -> dict[tuple[str, str], str | None]:
    return {(f.check, f.part): f.fault_class for f in findings if f.verdict is Verdict.FAIL}


# ---- A1: only what is gone fails; what was not heard of is unknown ----


@pytest.mark.parametrize("said", ["GPU is lost.  Reboot the system to recover this GPU", "Unknown Error", "Not Found"])
def test_one_gpu_that_cannot_be_reached_fails_alone_and_the_others_are_unknown(said: str) -> None:
    home = host("eight")
    found = only(evaluate(report({SMI: HANDLE.format(said)}, {SMI: 15}), None, Expectation(home.model)), "gpu.count")
    assert {f.part: str(f.verdict) for f in found} == {f"GPU {n}": "fail" if n == 1 else "unknown" for n in range(8)}


def test_a_gpu_that_waits_for_a_reset_is_not_lost() -> None:
    home = host("eight")
    findings = evaluate(report({SMI: HANDLE.format("GPU requires reset")}, {SMI: 15}), None, Expectation(home.model))
    assert fails(findings) == {("gpu.count", "GPU 1"): "gpu.reset"}


def test_a_handle_refused_for_want_of_rights_says_nothing_of_the_gpu() -> None:
    text = HANDLE.format("Insufficient Permissions")
    findings = evaluate(report({SMI: text}, {SMI: 4}), None, Expectation(host("eight").model))
    assert not fails(only(findings, "gpu.count"))


def test_a_lost_gpu_named_by_uuid_or_minor_number_is_the_one_of_its_slot() -> None:
    """A model without addresses: the slot is that of the UUID the inventory has, else of the minor number."""
    model = DeviceModelSpec.model_validate(
        {**yaml.safe_load((SAMPLES / "model.yaml").read_text()), "slots": [
            {"name": "GPU 0", "kind": "gpu"}, {"name": "GPU 1", "kind": "gpu"}]}
    )  # fmt: skip
    text = sample("gpus.xml").replace("<gpu_temp>31 C", "<gpu_temp>GPU is lost")
    uuids = {
        "GPU 0": ExpectedComponent(uuid="GPU-000000a1-aaaa-bbbb-cccc-0000000000a1"),
        "GPU 1": ExpectedComponent(uuid="GPU-00000021-aaaa-bbbb-cccc-000000000021"),
    }
    for components, part in (({}, "GPU 1"), (uuids, "GPU 0")):
        findings = judged({SMI: text}, model=model, components=components)
        assert fails(only(findings, "gpu.count")) == {("gpu.count", part): "gpu.gone"}


@pytest.mark.parametrize(("words", "plight"), [("GPU is lost", LOST), ("[GPU requires reset]", NEEDS_RESET)])
@pytest.mark.parametrize("field", ["fan_speed", "gpu_util", "power_draw", "sram_correctable", "graphics_clock"])
def test_lost_and_requires_reset_count_in_whatever_field_of_the_xml_they_stand(
    field: str, words: str, plight: str
) -> None:
    block = '<gpu id="00000000:A1:00.0">'
    text = sample("gpus.xml").replace(block, f"{block}<{field}>{words}</{field}>")
    assert [gpu.plight for gpu in parse_xml(text).gpus] == ["", plight]


def test_lost_and_requires_reset_count_in_text_and_csv() -> None:
    text = sample("corpus/gpus.txt")
    at = text.rindex("71.20 W")
    assert [g.plight for g in parse_text(text[:at] + "GPU is lost" + text[at + 7 :]).gpus] == ["", LOST]
    rows = sample("corpus/gpus.csv").replace(", 31, ", ", [GPU requires reset], ")
    assert [g.plight for g in parse_csv(rows, CSV).gpus] == ["", NEEDS_RESET]


@pytest.mark.parametrize("word", ["[N/A]", "[Unknown Error]", "[Not Supported]", "ERR!", "Unknown Error"])
def test_what_a_csv_does_not_tell_is_unknown_on_every_gpu(word: str) -> None:
    rows = re.sub(r", 3[01], 550.90.07, 0,", f", {word}, 550.90.07, {word},", sample("corpus/gpus.csv"))
    case = {"of": "csv", "text": rows}
    for check in ("gpu.temperature", "gpu.ecc"):
        found = only(findings_of(case), check)
        assert {f.part: str(f.verdict) for f in found} == {"GPU 0": "unknown", "GPU 1": "unknown"}


def test_df_names_the_mount_that_does_not_answer_and_the_others_are_as_they_are() -> None:
    text = "df: /mnt/a b: Stale file handle\ndf: '/mnt/x': Transport endpoint is not connected\n" + sample("df.txt")
    assert [(m.path, m.error) for m in parse_df(text) if m.error] == [
        ("/mnt/a b", "Stale file handle"),
        ("/mnt/x", "Transport endpoint is not connected"),
    ]
    found = only(findings_of({"of": "df", "text": text, "exit": 1}), "disk.space")
    assert {f.part: str(f.verdict) for f in found} == {
        "/": "ok", "/boot/efi": "ok", "/mnt/a b": "fail", "/mnt/x": "fail",
    }  # fmt: skip


# ---- A5: limits of a kind of card or a slot ----


def test_a_healthy_roce_host_with_two_kinds_of_cards_has_no_alarm() -> None:
    home = host("roce")
    layers = {slot.link_layer for slot in home.model.slots_of("hca")}
    assert layers == {"Ethernet"}
    assert not [f for f in findings_of({"host": "roce"}) if f.verdict not in (Verdict.OK, Verdict.INFO)]


def test_a_limit_by_link_layer_asks_nothing_of_a_card_of_another_family() -> None:
    """Models of before name firmware and PCIe by link layer; a card of another family is not compared with it."""
    spec = yaml.safe_load((SAMPLES / "model.yaml").read_text())
    spec["expected"] |= {
        "hca_firmware": {"Ethernet": "28.39.1002"},
        "hca_pcie": {"Ethernet": {"width": 16, "gen": 5}},
    }
    for slot in spec["slots"]:
        if slot["kind"] == "hca":
            slot["link_layer"] = "Ethernet"
    model = DeviceModelSpec.model_validate(spec)
    texts = {command: text.replace("InfiniBand", "Ethernet") for command, text in host("roce").texts.items()}
    findings = judged(texts, model=model)
    checks = ("ib.firmware", "hca.pcie_link", "flint.firmware")
    found = [f for check in checks for f in only(findings, check)]
    assert {f.check for f in found} == set(checks)
    assert {str(f.verdict) for f in found} == {"ok"}


def test_every_kind_of_card_has_one_type_and_name() -> None:
    assert len({kind.type for kind in KINDS}) == len({kind.name for kind in KINDS}) == len(KINDS)


def test_a_slot_may_name_its_own_firmware_and_link() -> None:
    spec = yaml.safe_load((SAMPLES / "model.yaml").read_text())
    spec["expected"]["hca_firmware"] = {"HCA mlx5_2": "22.40.1000", "ConnectX-7": "28.39.1002"}
    next(slot for slot in spec["slots"] if slot["name"] == "HCA mlx5_2")["pcie"] = {"width": 16, "gen": 5}
    findings = judged(healthy(), model=DeviceModelSpec.model_validate(spec))
    assert only(findings, "ib.firmware", "HCA mlx5_2")[0].verdict is Verdict.WARN
    assert "generation 4 of 5" in only(findings, "hca.pcie_link", "HCA mlx5_2")[0].message


def test_a_drive_without_a_known_address_is_found_by_its_name() -> None:
    spec = yaml.safe_load((SAMPLES / "model.yaml").read_text())
    drive = next(slot for slot in spec["slots"] if slot["kind"] == "nvme")
    del drive["pci"]
    model = DeviceModelSpec.model_validate(spec)
    command = next(each for _, each in probe_commands(model) if "*_link_*" in each)
    assert "/sys/class/nvme/nvme0/device/*_link_*" in command
    text = re.sub(r"/sys/bus/pci/devices/0000:e1:00.0/", "/sys/class/nvme/nvme0/device/", sample("pci_links.txt"))
    narrow = text.replace("nvme0/device/current_link_width:4", "nvme0/device/current_link_width:1")
    for printed, verdict in ((text, "ok"), (narrow, "fail")):
        found = only(judged({command: printed}, model=model), "pcie.slots", "NVMe 0")
        assert [str(f.verdict) for f in found] == [verdict]


@pytest.mark.parametrize(
    "expected",
    [{"hca_firmware": {"ConectX-7": "1"}}, {"hca_pcie": {"HCA mlx5_9": {"width": 16}}}, {"mtu": {"RoCE": 9000}}],
    ids=str,
)  # fmt: skip
def test_a_misspelt_card_of_a_limit_is_refused(expected: dict[str, object]) -> None:
    spec = yaml.safe_load((SAMPLES / "model.yaml").read_text())
    with pytest.raises(DeviceModelError, match="no slot or kind of card"):
        DeviceModelSpec.from_dict({**spec, "expected": expected})


def test_the_mtu_of_rails_is_not_that_of_the_front_card() -> None:
    texts = host("roce").texts
    command = next(each for each in texts if "infiniband_verbs" in each)
    text = texts[command].replace("ib0/mtu:4092", "ib0/mtu:9000").replace("ib1/mtu:4092", "ib1/mtu:9000")
    found = only(judged({**texts, command: text}, model=host("roce").model), "hca.mtu")
    assert {str(f.verdict) for f in found} == {"ok"}


@pytest.mark.parametrize("margin", [0, -1, -5])
def test_a_tlimit_margin_at_or_below_zero_is_too_hot(margin: int) -> None:
    text = sample("gpus.xml").replace("<gpu_temp_tlimit>50 C", f"<gpu_temp_tlimit>{margin} C")
    found = only(judged({SMI: text}), "gpu.temperature", "GPU 0")[0]
    assert (found.verdict, found.fault_class) == (Verdict.FAIL, "gpu.thermal")


def test_thermal_and_power_go_before_the_newer_trees_and_the_newer_fill_what_they_lack() -> None:
    new = host("newbmc").bmc or {}
    old = host("small").bmc or {}
    both = parse_bmc(**{**new, "thermal": old["thermal"], "power": {"PowerSupplies": []}})
    assert [sensor.name for sensor in both.temperatures or ()] == ["System Board Inlet Temp"]
    assert [supply.name for supply in both.supplies or ()] == ["Power Supply Bay 1", "Power Supply Bay 2"]
    assert both.draw_w == 1875.0


def test_the_intake_of_thermal_metrics_stands_in_for_sensors_that_were_not_read() -> None:
    metrics = {"TemperatureSummaryCelsius": {"Intake": {"Reading": 43.0}}}
    bmc = parse_bmc({"PowerState": "On"}, thermal_subsystem={"Metrics": metrics})
    found = only(evaluate(None, bmc, Expectation(MODEL)), "bmc.inlet")[0]
    assert (found.verdict, found.fault_class) == (Verdict.FAIL, "inlet.hot")


# ---- A6: the right advice ----

_DOES = (
    "Accept", "Bring", "Call", "Check", "Clean", "Compare", "Drain", "Find", "Follow", "Free", "Install", "List",
    "Load", "Mount", "Open", "Read", "Reboot", "Repair", "Replace", "Request", "Reseat", "Restart",
    "Save", "Set", "Test",
)  # fmt: skip
_NO_ACTION = re.compile(r"check the evidence|read the evidence|see the message|n/a|none|unknown", re.IGNORECASE)


@pytest.mark.parametrize("name", FAULT_CLASSES)
def test_every_class_of_fault_advises_what_a_technician_can_do(name: str) -> None:
    advice = FAULT_CLASSES[name].advice
    assert advice.split()[0].strip(",.;") in _DOES, advice
    assert len(advice.split()) >= 3
    assert advice.endswith(".")
    assert not _NO_ACTION.search(advice)


@pytest.mark.slow
def test_no_alarm_of_the_corpus_is_without_an_action_or_repeats_a_field() -> None:
    for name in CASES:
        for finding in said_of(name):
            if finding.verdict in (Verdict.FAIL, Verdict.WARN):
                assert len(finding.action.split()) >= 3, (name, finding)
                assert not _NO_ACTION.search(finding.action), (name, finding)
                assert finding.action not in finding.message


@pytest.mark.parametrize(
    ("word", "rung"),
    [("Reset", Rung.GPU_RESET), ("Reboot", Rung.REBOOT), ("Drain P2P", Rung.GPU_RESET), ("Juggle", Rung.GPU_RESET)],
)
def test_a_recovery_action_of_the_driver_is_put_into_words_and_a_level(word: str, rung: Rung) -> None:
    """Also one that no driver of today knows."""
    added = f"<gpu_recovery_action>{word}</gpu_recovery_action><gpu_reset_status>"
    found = only(judged({SMI: sample("gpus.xml").replace("<gpu_reset_status>", added, 1)}), "gpu.reset", "GPU 0")[0]
    assert (found.verdict, found.start_rung) == (Verdict.FAIL, int(rung))
    assert found.action != word
    assert len(found.action.split()) >= 4


def test_no_devices_with_a_living_driver_are_lost_gpus_and_the_driver_is_left_alone() -> None:
    findings = evaluate(report({SMI: "No devices were found\n"}, {SMI: 6}), None, Expectation(MODEL))
    assert fails(findings) == {("gpu.count", "GPU 0"): "gpu.gone", ("gpu.count", "GPU 1"): "gpu.gone"}
    assert not [f for f in findings if "reinstall" in f.action.lower() or "reinstall" in f.message.lower()]


def test_a_missing_pool_and_a_hot_drive_are_not_to_be_replaced() -> None:
    cases = ("pool-missing", "pool-not-that-one", "pool-no-module", "pool-suspended", "drive-warning-hot", "drive-warm")
    for name in cases:
        bad = [f for f in said_of(name) if f.verdict in (Verdict.FAIL, Verdict.WARN)]
        assert bad, name
        assert not [f for f in bad if re.match(r"(?i)replace|save its data and replace", f.action)], name


def test_a_gpu_that_remaps_rows_has_nothing_to_say_of_retired_pages() -> None:
    """Drivers of H100 leave the element out or fill it with N/A: eight infos on every machine were noise."""
    whole = sample("gpus.xml")
    without = re.sub(r"(?s)\s*<retired_pages>.*?</retired_pages>", "", whole)
    assert without != whole
    for text in (whole, without):
        found = only(judged({SMI: text}), "gpu.retired_pages")
        assert [str(f.verdict) for f in found] == ["ok", "ok"]


@pytest.mark.parametrize("name", sorted(HOSTS))
def test_a_healthy_host_has_nothing_to_say_of_its_gpus(name: str) -> None:
    """An info on each of eight GPUs of every machine is noise."""
    said = [f for f in findings_of({"host": name}) if f.check.startswith("gpu.") and f.verdict is not Verdict.OK]
    assert not [(f.check, f.part, f.message) for f in said]


def test_every_check_of_a_whole_report_is_scored_by_the_corpus_or_has_a_sample() -> None:
    """The corpus is no closed circle: its cases speak of most checks a sweep has."""
    named = {line.split("|")[0] for case in CASES.values() for line in case.get("expect", ())}
    assert len(named & {each.id for each in catalogue()}) >= 45
