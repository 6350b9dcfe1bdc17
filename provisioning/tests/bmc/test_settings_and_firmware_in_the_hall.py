"""Profiles and firmware baselines, applied at the BMCs of the virtual hall."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from drivers.redfish import RedfishClient, RedfishTimedOut
from health.models import Hold, MachineHealth
from health.monitoring.services.sweeps.observation import Watch
from health.tests.hall import RunningHall
from inventory.models import Machine
from provisioning.bmc import progress, readings, services
from provisioning.bmc.comparison import BadProfile
from provisioning.bmc.models import BmcReading, BmcRun, BmcRunMachine
from provisioning.bmc.words import BmcAction
from provisioning.tests.bmc.conftest import go, hurt, ids, name_of, of, setup_of, start
from provisioning.waves.rows import RunRefused

pytestmark = pytest.mark.django_db
SETTINGS = [
    {"area": "bios", "name": "SriovGlobalEnable", "value": "Enabled"},
    {"area": "bios", "name": "ProcVirtualization", "value": "Enabled"},
    {"area": "system", "name": "PowerRestorePolicy", "value": "AlwaysOn"},
    {"area": "system", "name": "BootOrder", "value": ["Boot0000", "Boot0003"]},
    {"area": "ntp", "name": "ProtocolEnabled", "value": True},
    {"area": "ntp", "name": "NTPServers", "value": ["10.0.0.1", "10.0.0.2"]},
]
BIOS = {"component": "BIOS", "version": "2.4.4", "image": "https://files.example/BIOS_2.4.4.bin"}


def profile(settings: Any = (), firmware: Any = ()) -> None:
    services.save_profile(Machine.objects.all()[0].device.model, settings, firmware, actor="ada")


def updates_take(hall: RunningHall, seconds: float) -> None:
    hall.do(lambda h: setattr(h, "timing", replace(h.timing, update_s=seconds)))


def test_a_profile_is_compared_applied_and_read_again_and_the_bios_waits_for_a_start(hall: RunningHall) -> None:
    machines = ids()
    profile(SETTINGS)
    assert readings.read_due() == 4
    assert set(BmcReading.objects.values_list("settings_differ", "problem")) == {(5, "")}
    dry = go(start(machines, BmcAction.SETTINGS))
    assert dry.status == "done" and "SriovGlobalEnable Disabled → Enabled" in of(dry).popitem()[1][1]
    assert setup_of(hall, machines[0]).bios_pending == {} and setup_of(hall, machines[0]).power_restore == "LastState"

    run = go(start(machines[:2], BmcAction.SETTINGS, dry_run=False))
    assert run.status == "done" and "at its next start" in of(run).popitem()[1][1], of(run)
    there = setup_of(hall, machines[0])
    assert there.bios_pending == {"SriovGlobalEnable": "Enabled"} and there.power_restore == "AlwaysOn"
    assert there.ntp["NTPServers"] == ["10.0.0.1", "10.0.0.2"] and there.boot_order == ["Boot0000", "Boot0003"]
    assert BmcReading.objects.get(machine_id=machines[0]).settings_differ == 1, "pending is not there yet"

    run = go(start(machines, BmcAction.SETTINGS, dry_run=False, restart=True))
    assert run.status == "done" and {text for _, text in of(run).values()} == {"set and read again"}, of(run)
    assert all(setup_of(hall, pk).bios == {"SriovGlobalEnable": "Enabled"} for pk in machines)
    assert set(BmcReading.objects.values_list("settings_differ", flat=True)) == {0}
    assert not Hold.objects.filter(lifted_at=None).exists()
    waves = BmcRunMachine.objects.filter(run=run).order_by("pk").values_list("wave", flat=True)
    assert list(waves) == [1, 2, 2, 2], "one machine as canary"


def test_a_value_that_the_bmc_refuses_stops_the_run_at_its_canary(hall: RunningHall) -> None:
    profile([{"area": "bios", "name": "SysProfile", "value": "Turbo"}])
    run = go(start(ids(), BmcAction.SETTINGS, dry_run=False))
    states = [status for status, _ in of(run).values()]
    assert (run.status, states) == ("stopped", ["failed", "cancelled", "cancelled", "cancelled"])
    assert "is no value of SysProfile" in next(iter(of(run).values()))[1]
    profile([{"area": "bios", "name": "NoSuchThing", "value": 1}])
    run = go(start(ids()[:1], BmcAction.SETTINGS, dry_run=False))
    assert of(run).popitem()[1] == ("failed", "the BMC does not tell NoSuchThing")


@pytest.mark.slow
def test_firmware_is_updated_by_waves_and_a_task_that_the_bmc_forgot_is_none_that_failed(hall: RunningHall) -> None:
    """The BMC's own firmware is in force at once, the BIOS after the machine's start, which shows what was written."""
    machines = ids()
    bmc = {"component": "*iDRAC*", "version": "7.20.30.00", "image": "https://files.example/iDRAC_7.20.30.00.d9"}
    updates_take(hall, 0.05)
    profile(firmware=[bmc, BIOS])
    dry = go(start(machines, BmcAction.FIRMWARE))
    assert "1.7.6 → 2.4.4" in of(dry).popitem()[1][1], of(dry)
    assert all(setup_of(hall, pk).tasks == [] for pk in machines)
    hurt(hall, machines[2], "firmware_task", ends="lost")
    run = go(start(machines[:3], BmcAction.FIRMWARE, dry_run=False, restart=True))
    assert run.status == "done", of(run)
    assert setup_of(hall, machines[0]).firmware == {"iDRAC.Embedded.1-1": "7.20.30.00", "BIOS.Setup.1-1": "2.4.4"}
    assert set(BmcReading.objects.filter(machine_id__in=machines[:3]).values_list("firmware_differ", flat=True)) == {0}


@pytest.mark.parametrize(
    ("ends", "told"),
    [("failure", "could not be written"), pytest.param("hang", "hangs at 99 %", marks=pytest.mark.slow)],
)
def test_an_update_that_fails_or_hangs_stops_at_the_canary(hall: RunningHall, ends: str, told: str) -> None:
    machines = ids()
    updates_take(hall, 0.05)
    profile(firmware=[BIOS])
    hurt(hall, machines[0], "firmware_task", ends=ends)
    run = go(start(machines, BmcAction.FIRMWARE, dry_run=False), turns=4000)
    assert run.status == "stopped" and run.message == "the canary failed"
    first, *others = of(run).values()
    assert first[0] == "failed" and told in first[1]
    assert {status for status, _ in others} == {"cancelled"}
    assert not any(setup_of(hall, pk).tasks for pk in machines[1:])


def test_a_worker_that_is_lost_right_after_it_began_an_update_finds_its_task(hall: RunningHall) -> None:
    machine = ids()[0]
    updates_take(hall, 0.3)
    profile(firmware=[BIOS])
    run = start([machine], BmcAction.FIRMWARE, dry_run=False)
    progress.advance(run.pk)
    before = BmcRunMachine.objects.get(run=run).data
    assert before["phase"] == "start"
    progress.advance(run.pk)
    BmcRunMachine.objects.filter(run=run).update(data=before)  # what was written down before the order
    assert go(run).status == "done" and len(setup_of(hall, machine).tasks) == 1


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["before the order", "after the order", "its answer"])
def test_a_worker_lost_at_a_restart_leaves_nobody_to_give_it_again(
    hall: RunningHall, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """Killed before or after the BMC took it; or the BMC took it and its answer never came."""
    machine = ids()[0]
    profile(SETTINGS[:1])
    run = start([machine], BmcAction.SETTINGS, dry_run=False, restart=True)
    while BmcRunMachine.objects.get(run=run).data.get("phase") != "restart":
        progress.advance(run.pk)
    real, given = RedfishClient.power, []

    async def power(client: RedfishClient, action: str) -> None:
        if lost == "before the order":
            raise KeyboardInterrupt
        given.append(action)
        await real(client, action)
        if lost == "after the order":
            raise KeyboardInterrupt
        raise RedfishTimedOut("no answer in time")

    monkeypatch.setattr(RedfishClient, "power", power)
    if lost == "its answer":
        progress.advance(run.pk)
    else:
        with pytest.raises(KeyboardInterrupt):
            progress.advance(run.pk)
    ended = go(run, turns=4000)
    if lost == "before the order":
        assert given == [] and ended.status == "failed" and "after the restart" in of(run).popitem()[1][1]
    else:
        assert given == ["reset"] and ended.status == "done", of(run)
        assert setup_of(hall, machine).bios == {"SriovGlobalEnable": "Enabled"}


def test_an_image_of_the_sites_folder_is_pushed(
    hall: RunningHall, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine, folder = ids()[0], tmp_path / "firmware"
    folder.mkdir()
    monkeypatch.setenv("RACKSIDE_FIRMWARE_FOLDER", str(folder))
    profile(firmware=[{**BIOS, "image": "BIOS_2.4.4.bin"}])
    failed = go(start([machine], BmcAction.FIRMWARE, dry_run=False))
    assert of(failed).popitem()[1] == ("failed", "there is no file BIOS_2.4.4.bin in the folder of firmware")
    (folder / "BIOS_2.4.4.bin").write_bytes(b"\0" * 200_000)
    updates_take(hall, 0.05)
    run = go(start([machine], BmcAction.FIRMWARE, dry_run=False))
    assert run.status == "done" and "in force at its next start" in of(run).popitem()[1][1]
    assert setup_of(hall, machine).firmware_pending == {"BIOS.Setup.1-1": "2.4.4"}


def test_what_may_not_be_touched_is_refused_with_the_reason(hall: RunningHall) -> None:
    machine, other = ids()[:2]
    with pytest.raises(RunRefused, match="the profile of its model has no firmware"):
        start([machine], BmcAction.FIRMWARE)
    profile(SETTINGS)
    MachineHealth.objects.filter(machine_id=machine).update(state="ready")
    with pytest.raises(RunRefused, match="needs a machine out of service, this one is ready"):
        start([machine], BmcAction.SETTINGS, dry_run=False)
    run = start([other], BmcAction.SETTINGS, dry_run=False)
    with pytest.raises(RunRefused, match=f"already in BMC run {run.pk}"):
        start([other], BmcAction.SETTINGS)
    MachineHealth.objects.filter(machine_id=other).update(state="ready")
    assert of(go(run))[name_of(other)][0] == "refused" and BmcRun.objects.get().status == "done"
    with pytest.raises(BadProfile) as told:
        profile([{"area": "bios", "name": "A", "value": 1}, {"area": "xyz", "name": "B", "value": 1}])
    assert told.value.problems == [("settings row 2 (B)", "the area is one of bios, system, ntp, bmc")]


def test_drift_is_what_the_sweep_finds_and_gone_once_it_is_mended(hall: RunningHall) -> None:
    """By the sweep's own look at a real machine: never read, drifted, mended."""
    machine = ids()[0]

    def found() -> tuple[str, str]:
        [seen] = [each for batch in Watch([machine]) for each in batch]
        [finding] = [each for each in seen.observation.findings if each.check == "bmc.profile"]
        return str(finding.verdict), finding.message

    assert found() == ("ok", "its model has no BMC profile to compare with")
    profile(SETTINGS)
    assert found()[0] == "unknown"
    readings.read_due()
    verdict, message = found()
    assert verdict == "warn" and message.startswith("5 not as its profile wants: SriovGlobalEnable is Disabled, wanted")
    go(start([machine], BmcAction.SETTINGS, dry_run=False))
    verdict, message = found()
    assert (verdict, message) == (
        "warn", "1 not as its profile wants: SriovGlobalEnable Enabled waits for the machine's start",
    )  # fmt: skip
    assert go(start([machine], BmcAction.SETTINGS, dry_run=False, restart=True)).status == "done"
    assert found() == ("ok", "settings and firmware are as its profile wants them")


def test_what_the_check_reads_is_one_statement_whatever_the_number_of_machines(
    hall: RunningHall, django_assert_num_queries: Any
) -> None:
    profile(SETTINGS)
    for machines in (ids()[:1], ids()):
        with django_assert_num_queries(1):
            assert len(readings.beside_profiles(machines)) == len(machines)
