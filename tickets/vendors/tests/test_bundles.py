"""Bundles from machines of the virtual hall over real SSH and Redfish, and what one costs that is dead."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from core.models import Role, User
from health.tests.hall import PASSWORD, RunningHall, running_hall
from inventory.models import Machine
from simulator.faults import inject
from tickets.tests.conftest import person
from tickets.vendors import bundles, collection
from tickets.vendors.models import CaseBundle, VendorCase
from tickets.vendors.tests.conftest import client_of, post

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def hall(case: VendorCase, broken: Machine, tmp_path: Path) -> Iterator[RunningHall]:
    with running_hall("ams1", tmp_path) as hall:
        hall.do(lambda each: setattr(each, "timing", replace(each.timing, collect_s=0.5)))
        yield hall


def made(case: VendorCase, seconds: float = 20) -> CaseBundle:
    """The bundle after as many turns as it takes: the BMC collects for half a second."""
    row = bundles.order(case, by="olga")
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        CaseBundle.objects.filter(pk=row.pk).update(due_at=None)
        if bundles.make(row.pk) == "done":
            break
        time.sleep(0.05)
    row.refresh_from_db()
    return row


def unpacked(user: User, case: VendorCase, row: CaseBundle) -> zipfile.ZipFile:
    answer = client_of(user).get(f"/api/vendor-cases/{case.pk}/bundles/{row.pk}/")
    assert answer.status_code == 200
    return zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))  # type: ignore[attr-defined]


@pytest.mark.slow
def test_one_press_makes_a_zip_of_everything_with_its_manifest_and_no_secret(
    hall: RunningHall, case: VendorCase, olga: User
) -> None:
    row = made(case)
    assert row.status == "done", row.message
    with unpacked(olga, case, row) as packed:
        told = json.loads(packed.read("manifest.json"))
        names = {each["name"] for each in told["files"]}
        assert {
            "machine.json", "evidence.json", "repair.json", "redfish/system.json", "redfish/thermal.json",
            "redfish/firmware.json", "redfish/logs/Sel.json", "redfish/logs/Lclog.json",
            "host/nvidia-bug-report.log.gz", "vendor/tsr.zip",
        } <= names  # fmt: skip
        assert told["missing"] == []
        assert told["service_tag"] == "7XK2Q34"
        for each in told["files"]:
            content = packed.read(each["name"])
            assert (len(content), manifest_sha(content)) == (each["size"], each["sha256"])
            assert PASSWORD.encode() not in content
        report = gzip.decompress(packed.read("host/nvidia-bug-report.log.gz")).decode()
        assert "NVIDIA bug report" in report
        assert "pr0xyPassw0rd" not in report
        assert json.loads(packed.read("machine.json"))["failed_part"]["serial"] == case.old_serial
        assert zipfile.ZipFile(io.BytesIO(packed.read("vendor/tsr.zip"))).read("tsr/metadata.json")


def manifest_sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.slow
def test_a_bmc_that_is_dead_costs_only_its_own_files(hall: RunningHall, case: VendorCase, broken: Machine) -> None:
    name = broken.device.name
    hall.do(lambda each: inject(each.machines[name], "bmc_dead", each.clock()))
    row = made(case)
    assert row.status == "done"
    names = {each["name"] for each in row.manifest["files"]}
    assert {"machine.json", "evidence.json", "host/nvidia-bug-report.log.gz"} <= names
    lost = {each["name"]: each["reason"] for each in row.manifest["missing"]}
    assert set(lost) == {"redfish", "vendor/collection"}
    assert all(lost.values())


@pytest.mark.slow
def test_a_host_that_is_off_costs_only_its_own_files(hall: RunningHall, case: VendorCase, broken: Machine) -> None:
    name = broken.device.name
    hall.do(lambda each: each.power(each.machines[name], "ForceOff"))
    row = made(case)
    assert row.status == "done"
    assert "vendor/tsr.zip" in {each["name"] for each in row.manifest["files"]}
    assert [each["name"] for each in row.manifest["missing"]] == ["host/nvidia-bug-report.log.gz"]


def test_a_worker_lost_after_the_order_does_not_order_twice(case: VendorCase, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def order_and_die(machine_id: int) -> Any:
        asked.append(machine_id)
        raise KeyboardInterrupt

    monkeypatch.setattr(collection, "of_machine", lambda pk: [collection.missing("redfish", "BMC", "off")])
    monkeypatch.setattr(collection, "order_collection", order_and_die)
    row = bundles.order(case, by="olga")
    with pytest.raises(KeyboardInterrupt):
        bundles.make(row.pk)
    CaseBundle.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    assert bundles.make(row.pk) == "done"
    assert len(asked) == 1
    row.refresh_from_db()
    lost = {each["name"]: each["reason"] for each in row.manifest["missing"]}
    assert "lost" in lost["vendor/collection"]


def test_a_bundle_that_fails_is_tried_three_times_and_says_why(
    case: VendorCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_time(case: VendorCase) -> Any:
        raise SoftTimeLimitExceeded

    monkeypatch.setattr(collection, "of_records", out_of_time)
    row = bundles.order(case, by="olga")
    for _ in range(3):
        CaseBundle.objects.update(due_at=None)
        with pytest.raises(SoftTimeLimitExceeded):
            bundles.make(row.pk)
    row.refresh_from_db()
    assert (row.status, row.message) == ("failed", "SoftTimeLimitExceeded()")


def test_two_logs_of_one_name_are_both_kept() -> None:
    manager, board = "/redfish/v1/Managers/BMC_0", "/redfish/v1/Systems/HGX_Baseboard_0"
    paths = [f"{owner}/LogServices/EventLog/Entries" for owner in (manager, board)]
    assert collection.log_names([*paths, f"{board}/LogServices/Dump"]) == [
        "EventLog",
        "HGX_Baseboard_0-EventLog",
        "Dump",
    ]


def test_a_collection_that_never_ends_is_missing_after_half_an_hour(
    case: VendorCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collection, "of_machine", lambda pk: [collection.missing("redfish", "BMC", "off")])
    monkeypatch.setattr(collection, "follow_collection", lambda pk, task: "no answer in time")
    row = bundles.order(case, by="olga")
    began = timezone.now() - timedelta(minutes=31)
    CaseBundle.objects.update(
        collection={"state": "running", "at": began.isoformat(), "task": "/t", "name": "vendor/x"}
    )
    assert bundles.make(row.pk) == "done"
    row.refresh_from_db()
    assert "not over after 30 minutes (no answer in time)" in str(row.manifest["missing"])


def test_pressing_twice_makes_one_bundle(case: VendorCase, tina: User) -> None:
    first = post(tina, f"vendor-cases/{case.pk}/bundle/", 202)
    assert post(tina, f"vendor-cases/{case.pk}/bundle/", 202)["id"] == first["id"]


def test_a_viewer_sees_what_is_in_a_bundle_and_does_not_get_it(case: VendorCase) -> None:
    viewer = person("vera", Role.VIEWER)
    row = CaseBundle.objects.create(case=case, status="done", created_by="olga", finished_at=timezone.now())
    assert client_of(viewer).get(f"/api/vendor-cases/{case.pk}/").json()["bundles"][0]["id"] == row.pk
    assert client_of(viewer).get(f"/api/vendor-cases/{case.pk}/bundles/{row.pk}/").status_code == 403


def test_old_bundles_are_removed_with_their_files_and_open_ones_stay(case: VendorCase, settings: Any) -> None:
    settings.KEPT = {**settings.KEPT, "vendor_bundles": timedelta(days=30)}
    old = timezone.now() - timedelta(days=31)
    gone = CaseBundle.objects.create(case=case, status="done", created_by="x", created_at=old, finished_at=old)
    gone.files.create(name="a", source="b", at=old, content=b"c")
    kept = CaseBundle.objects.create(case=case, status="queued", created_by="x", created_at=old)
    assert bundles.prune() == 1
    assert list(CaseBundle.objects.all()) == [kept]
