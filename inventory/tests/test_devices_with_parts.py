"""Parts come with their device in one write: all or nothing, with the checks that parts have by themselves."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Role, Site
from inventory.kinds import Report, Scope, write
from inventory.models import Component, Device, Installation
from inventory.tests.test_transfer import take

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
ALL = Scope.everything()
MACHINE: dict[str, Any] = {"site": "north", "name": "m1", "model": "dell-xe9680-h100", "rack": "B02", "u": 30}
PARTS: list[dict[str, Any]] = [
    {"slot": "GPU 1", "serial": "G1", "part_number": "H100"},
    {"slot": "GPU 2", "serial": "G2", "part_number": "H100", "attributes": {"uuid": "GPU-2"}},
    {"slot": "NVMe 1", "part_number": "MZWL"},
]  # fmt: skip


def put(*rows: Any, mode: Any = "upsert", scope: Scope = ALL, **more: Any) -> Report:
    return write("devices", rows, mode, scope=scope, actor="mk", **more)


def slots(model: str = "dell-xe9680-h100") -> list[str]:
    device = Device.objects.filter(model__slug=model).select_related("model")[0]
    return [slot["name"] for slot in device.model.spec["slots"] if slot["kind"] in ("gpu", "nvme")]


@pytest.fixture
def parts(two_sites: Sites) -> list[dict[str, Any]]:
    names = slots()
    return [part | {"slot": slot} for part, slot in zip(PARTS, [names[0], names[1], names[-1]], strict=True)]


def test_a_device_and_its_parts_are_one_write(two_sites: Sites, as_role: Any, parts: list[dict[str, Any]]) -> None:
    client = as_role("operator")
    made = client.post("/api/devices/?fields=id,name,parts", MACHINE | {"parts": parts}, format="json")
    assert made.status_code == 201, made.content
    told = made.json()["parts"]
    assert {(part["slot"], part["serial"]) for part in told} == {
        (each["slot"], each.get("serial", "")) for each in parts
    }
    assert {part["kind"] for part in told} == {"gpu", "nvme"}
    one = f"/api/devices/{made.json()['id']}/"
    assert "parts" not in client.get(one).json()  # only where it is asked for
    assert client.get(one, {"fields": "parts"}).json()["parts"] == told
    assert "parts" not in client.get(one, {"omit": "name"}).json()
    again = client.patch(f"{one}?dry_run=true", {"parts": told}, format="json").json()
    assert again["counts"]["unchanged"] == 1, again  # what an answer says can be sent back


def test_a_repeated_write_changes_nothing_and_a_part_can_be_added_alone(
    two_sites: Sites, parts: list[dict[str, Any]]
) -> None:
    assert put(MACHINE | {"parts": parts}).created == 1
    assert put(MACHINE | {"parts": parts}).unchanged == 1
    one = {"slot": slots()[2], "serial": "G3"}
    report = put({"site": "north", "name": "m1", "parts": [one]}, mode="update")
    assert (report.changed, report.rows[0].changes) == (1, {"parts": [None, f"{one['slot']} G3"]})
    assert Installation.objects.filter(device__name="m1", during__endswith=None).count() == 4  # the others stay


def test_one_wrong_part_refuses_everything_with_its_place(two_sites: Sites, parts: list[dict[str, Any]]) -> None:
    counts = (Device.objects.count(), Component.objects.count())
    gpu = slots()[0]

    def why(*given: dict[str, Any]) -> list[tuple[str, str]]:
        report = put({"site": "north", "name": "m2", "model": "dell-xe9680-h100"}, MACHINE | {"parts": list(given)})
        assert (Device.objects.count(), Component.objects.count()) == counts
        return [(error.field, error.code) for error in report.rows[1].errors]

    assert why(*parts, {"slot": "GPU 99", "serial": "X"}) == [("parts[3].slot", "unknown_reference")]
    assert why(parts[0], {"slot": gpu, "serial": "X"}) == [("parts[1].slot", "overlap")]
    assert why(parts[0], {"slot": slots()[1], "serial": "G1", "part_number": "H100"})[0][0].startswith("parts[")
    assert why({"slot": gpu, "kind": "psu", "serial": "X"}) == [("parts[0].slot", "invalid")]
    assert why({"serial": "X"}) == [("parts[0].slot", "required")]
    assert why({"slot": gpu, "serail": "X"}) == [("parts[0].serail", "unknown_field")]
    assert why({"slot": gpu, "serial": "X" * 65}) == [("parts[0].serial", "invalid")]


def test_a_slot_that_is_taken_is_refused_with_what_sits_there(two_sites: Sites, parts: list[dict[str, Any]]) -> None:
    assert put(MACHINE | {"parts": parts}).ok
    report = put(MACHINE | {"parts": [{"slot": parts[0]["slot"], "serial": "OTHER"}]})
    assert report.rows[0].errors[0][:2] == ("parts[0].slot", "G1 sits there")


def test_many_devices_with_parts_cost_the_same_statements_as_one(two_sites: Sites) -> None:
    names = slots()[:4]

    def cost(first: int, count: int) -> int:
        rows = [
            {"site": "north", "name": f"n{n}", "model": "dell-xe9680-h100",
             "parts": [{"slot": slot, "serial": f"S{n}-{slot}"} for slot in names]}
            for n in range(first, first + count)
        ]  # fmt: skip
        with CaptureQueriesContext(connection) as captured:
            assert put(*rows).created == count
        return len(captured)

    one = cost(0, 1)
    assert cost(1, 40) <= one + 2  # a look at the table's statistics


def test_a_dry_run_tells_wrong_parts_and_writes_nothing(two_sites: Sites, parts: list[dict[str, Any]]) -> None:
    assert put(MACHINE | {"parts": parts}, dry_run=True).created == 1
    assert put(MACHINE | {"parts": [{"slot": "?"}]}, dry_run=True).refused == 1
    assert not Component.objects.filter(serial="G1").exists()
    assert not Device.objects.filter(name="m1").exists()


def test_parts_take_the_right_at_the_site(two_sites: Sites, parts: list[dict[str, Any]]) -> None:
    assert put(MACHINE).ok
    viewer = Scope({None: Role.VIEWER})
    report = put({"site": "north", "name": "m1", "parts": parts}, scope=viewer)
    assert {error.code for error in report.rows[0].errors} == {"permission_denied"}


def test_files_bring_parts_with_their_devices(two_sites: Sites, parts: list[dict[str, Any]]) -> None:
    text = f"""
- site: north
  name: m1
  model: dell-xe9680-h100
  rack: B02
  u: 30
  parts:
  - {{slot: "{parts[0]["slot"]}", serial: 0012}}
"""
    assert take("devices", text, "x.yaml").created == 1
    assert Component.objects.get(installations__device__name="m1").serial == "0012"
