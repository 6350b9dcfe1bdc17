"""A reference is an id or a name, in every field of every kind that has one, in writes, files and filters alike."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from core.database import prepared
from core.models import Site
from inventory.kinds import KINDS, Kind, Report, Scope, write
from inventory.kinds.values import read, read_by_id
from inventory.models import Cable, Device, Port, Rack, Room
from inventory.tests.test_transfer import take

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
ALL = Scope.everything()
NOT_THERE = {
    *((kind, name) for kind in ("devices", "pdus", "switches") for name in ("feed", "contact")),
    ("pdus", "parent"), ("switches", "parent"), ("storage-places", "room"), ("rooms", "contact"),
}  # fmt: skip
"""References that no record of the sample has."""


def put(kind: str, *rows: Any, mode: Any = "upsert", scope: Scope = ALL) -> Report:
    return write(kind, rows, mode, scope=scope, actor="mk")


def why(report: Report, row: int = 1) -> list[tuple[str, str]]:
    return [(error.field, error.code) for error in report.rows[row - 1].errors]


def references(kind: Kind) -> list[tuple[str, dict[str, Any]]]:
    """Each reference of a kind with a record that has one."""
    rows = read(kind, kind.queryset().order_by())
    found = []
    for name in kind.references:
        row = next((row for row in rows if row.get(name) is not None), None)
        if row is not None:
            found.append((name, row))
    return found


def numbered(kind: Kind) -> bool:
    return kind.queryset().filter(**{f"{kind.label_path}__regex": "^[0-9]+$"}).exists()


def test_a_few_records_read_by_id_are_those_of_the_list(full: Sites) -> None:
    for kind in KINDS.values():
        listed = {row["id"]: row for row in read(kind, kind.queryset().order_by())}
        few = sorted(listed)[: prepared.FEW]
        assert few, kind.name
        for asked in (few, few[:1], [*few[:2], 0]):  # planned once, for any number
            found = {row["id"]: row for row in read_by_id(kind, asked)}
            assert found == {pk: listed[pk] for pk in asked if pk}, kind.name
        assert len(read_by_id(kind, few * (prepared.FEW + 1), ["id"])) == len(few), "more than a few"


@pytest.mark.slow
def test_every_reference_of_every_kind_takes_an_id_or_a_name_in_a_write(full: Sites) -> None:
    walked = set()
    for kind in KINDS.values():
        for name, row in references(kind):
            target = KINDS[kind.fields[name].references]
            forms: list[Any] = [row[name], row[f"{name}_name"]]
            if not numbered(target):
                forms.append(str(row[name]))
            for form in forms:
                report = put(kind.name, {"id": row["id"], name: form}, mode="update")
                assert report.ok, (kind.name, name, form, report.errors())
                assert report.unchanged == 1, (kind.name, name, form, report.rows[0].changes)
            for lost in ("no-such", 10**12, "9" * 12):
                refused = put(kind.name, {"id": row["id"], name: lost}, mode="update")
                assert name in [error.field for error in refused.rows[0].errors], (kind.name, name, lost)
                assert {code for _, code in why(refused)} <= {"unknown_reference", "other_site", "invalid"}
            walked.add((kind.name, name))
    every = {(kind.name, name) for kind in KINDS.values() for name in kind.references}
    assert every - walked <= NOT_THERE


@pytest.mark.slow
def test_every_reference_of_every_kind_takes_an_id_or_a_name_in_a_filter(full: Sites, as_role: Any) -> None:
    client = as_role("admin")
    for kind in KINDS.values():
        for name, row in references(kind):
            target = KINDS[kind.fields[name].references]
            near: dict[str, Any] = {
                part.name: row[part.name] for part in target.parts[:-1] if row.get(part.name) is not None
            }
            counts = []
            for form in (row[name], row[f"{name}_name"]):
                answer = client.get(f"/api/{kind.name}/", near | {name: form})
                assert answer.status_code == 200, (kind.name, name, form, answer.json())
                counts.append(answer.json()["count"])
            assert counts[0] == counts[1] > 0, (kind.name, name, counts)
            for lost in ("no-such", 10**12):
                refused = client.get(f"/api/{kind.name}/", {name: lost})
                assert refused.status_code == 400, (kind.name, name)
                assert "There is no " in refused.json()["error"]["fields"][name][0]


def test_a_name_that_several_records_have_is_refused_in_a_filter_until_its_place_is_told(
    two_sites: Sites, as_role: Any
) -> None:
    client: APIClient = as_role("admin")
    north, _ = two_sites
    assert Room.objects.filter(name="Hall 1").count() == 1
    Room.objects.create(site=two_sites[1], name="Hall 1", width_mm=1, depth_mm=1)
    refused = client.get("/api/racks/", {"room": "Hall 1"})
    assert refused.status_code == 400
    assert refused.json()["error"]["fields"]["room"] == [
        "Several rooms are named 'Hall 1': give its id, or its site beside it."
    ]
    told = client.get("/api/racks/", {"room": "Hall 1", "site": "north"}).json()["count"]
    assert told == client.get("/api/racks/", {"room": "Hall 1", "site": str(north.pk)}).json()["count"] > 0
    assert client.get("/api/racks/", {"room_name": "Hall 1"}).json()["count"] == told


def test_digits_are_a_name_before_an_id_where_records_go_by_numbers(two_sites: Sites) -> None:
    room = Room.objects.get(site=two_sites[0], name="Hall 1")
    other = Rack.objects.create(room=room, name="A77", x_mm=0, y_mm=0)
    device = {"site": "north", "name": "m1", "model": "dell-xe9680-h100", "u": 1}
    assert put("devices", device | {"rack": str(other.pk)}).ok  # no rack goes by a number: it is the id
    assert Device.objects.get(name="m1").placement.rack == other
    twelve = Rack.objects.create(room=room, name="12", x_mm=0, y_mm=0)
    assert put("devices", device | {"rack": "12"}).ok
    assert Device.objects.get(name="m1").placement.rack == twelve
    assert why(put("devices", device | {"rack": str(other.pk)})) == [("rack", "unknown_reference")]
    assert put("devices", device | {"rack": other.pk}).ok  # a number is an id, always


def test_ends_of_a_cable_take_ids_in_every_form(two_sites: Sites) -> None:
    ports = Port.objects.filter(device__name="leaf-1", device__site=two_sites[0], name__in=["20/1", "20/2"])
    one, two = ports.order_by("name")
    for a, b in (
        (one.pk, [two.pk]), (str(one.pk), {"port": two.pk}), ("leaf-1 20/1", {"device": one.device_id, "port": "20/2"}),
        (f"{one.device_id} 20/1", {"device": str(one.device_id), "port": "20/2"}),
    ):  # fmt: skip
        report = put("cables", {"site": "north", "label": "X-1", "type": "DAC", "a": a, "b": b})
        assert report.ok, (a, b, report.errors())
    assert Cable.objects.filter(label="X-1").count() == 1
    wrong = put("cables", {"label": "X-1", "site": "north", "a": {"port": one.pk, "device": "leaf-2"}})
    assert why(wrong) == [("a", "invalid")]


def test_a_file_takes_ids_where_it_takes_names(two_sites: Sites) -> None:
    rack = Rack.objects.get(room__site=two_sites[0], name="B02")
    head = "site,name,model,rack,u\n"
    assert take("devices", f"{head}{two_sites[0].pk},m1,dell-xe9680-h100,{rack.pk},30\n").created == 1
    yaml = f"- {{site: {two_sites[0].pk}, name: m1, rack: {rack.pk}, u: 31}}"
    assert take("devices", yaml, "x.yaml").changed == 1
    assert Device.objects.get(name="m1").placement.rack == rack
