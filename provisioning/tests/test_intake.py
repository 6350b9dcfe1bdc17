"""Deliveries: reading a vendor's list, matching it with the plan, and taking over what fits."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from access.models import Endpoint
from access.queries import bmc_targets
from access.tests.fleet import make_credentials, make_machine, make_site
from core.models import Credential, Role, Site
from core.services import ensure_user
from health.models import MachineHealth
from inventory.models import Machine, Placement, Rack, Room
from provisioning.intake.lists import Item, ListRefused, read_list
from provisioning.intake.matching import Match, Planned, matched
from provisioning.models import Delivery, DeliveryItem

DELIVERIES = "/api/provisioning/deliveries/"
LIST = b"""\
Service Tag;Model;iDRAC MAC;MAC Addresses;iDRAC Password;Rack;U;PO
4GMPN72;PowerEdge XE9680;B8-3F-D2-00-00-01;b83fd2000002 b8:3f:d2:00:00:03;calvin-1;B02;U5;7731
4gmpn73;PowerEdge XE9680;b8:3f:d2:00:00:11;;;B02;11;7731
"""


# ---- the list ----
def test_a_list_of_a_vendor_is_read_whatever_its_columns_are_called() -> None:
    found = read_list("delivery.csv", LIST)
    first, second = found.items
    assert (first.service_tag, first.bmc_mac, first.macs) == (
        "4GMPN72", "b8:3f:d2:00:00:01", ("b8:3f:d2:00:00:02", "b8:3f:d2:00:00:03"),
    )  # fmt: skip
    assert (first.rack, first.u, first.bmc_password) == ("B02", 5.0, "calvin-1")
    assert (second.service_tag, second.bmc_password) == ("4GMPN73", "") and found.not_read == ("PO",)
    assert "calvin" not in repr(first)


def test_a_workbook_reads_as_its_csv_does() -> None:
    book = Workbook()
    for row in LIST.decode().splitlines():
        book.active.append([int(cell) if cell.isdecimal() and len(cell) < 3 else cell for cell in row.split(";")])
    packed = io.BytesIO()
    book.save(packed)
    assert read_list("delivery.xlsx", packed.getvalue()) == read_list("delivery.csv", LIST)


@pytest.mark.parametrize(
    ("text", "row", "field", "words"),
    [
        ("Model\nXE9680\n", 0, "service_tag", "no column is called"),
        ("Serial,Service Tag\n1,2\n", 0, "service_tag", "two columns"),
        ("Serial\n", 0, "file", "no rows"),
        ("", 0, "service_tag", "no column"),
        ("Serial,Model\n,XE9680\n", 1, "service_tag", "it is empty"),
        ("Serial\nA B\n", 1, "service_tag", "no service tag"),
        ("Serial\nA1\n\nA2\na1\n", 4, "service_tag", "row 1 has the same"),
        ("Serial,iDRAC MAC\nA1,00:11:22:33:44\n", 1, "bmc_mac", "no MAC address"),
        ("Serial,MAC\nA1,00:11:22:33:44:55 zz\n", 1, "macs", "'zz' is no MAC"),
        ("Serial,Rack,U\nA1,B02,\n", 1, "u", "belong together"),
        ("Serial,Rack,U\nA1,,5\n", 1, "rack", "belong together"),
        ("Serial,Rack,U\nA1,B02,below\n", 1, "u", "no rack unit"),
        ("Serial,Rack,U\nA1,B02,5\nA2,b02,U5\n", 2, "u", "row 1 has the same"),
        ('Serial\n"A1\n', 0, "file", "unexpected end"),
    ],
)
def test_what_is_wrong_with_a_list_is_said_with_row_and_field(text: str, row: int, field: str, words: str) -> None:
    with pytest.raises(ListRefused) as refused:
        read_list("list.csv", text.encode())
    first = refused.value.problems[0]
    assert (first.row, first.field) == (row, field) and words in first.reason


@pytest.mark.parametrize("content", [b"\xff\xfeS\0", b"Serial\n\xe9\n", b"Serial\nA\0\n"])
def test_what_is_no_text_is_refused(content: bytes) -> None:
    with pytest.raises(ListRefused):
        read_list("list.csv", content)


@pytest.mark.parametrize("sheet", [b"", b"<worksheet", b"\xff", b"<!DOCTYPE a [<!ENTITY b 'c'>]><worksheet>&b;"])
def test_a_workbook_that_is_broken_inside_is_refused(sheet: bytes) -> None:
    book, packed, broken = Workbook(), io.BytesIO(), io.BytesIO()
    book.save(packed)
    with zipfile.ZipFile(packed) as whole, zipfile.ZipFile(broken, "w") as into:
        for name in whole.namelist():
            into.writestr(name, sheet if name.endswith("sheet1.xml") else whole.read(name))
    with pytest.raises(ListRefused):
        read_list("list.xlsx", broken.getvalue())


def test_a_workbook_that_unpacks_to_very_much_is_not_unpacked() -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as into:
        into.writestr("xl/worksheets/sheet1.xml", b" " * (65 * 1024 * 1024))
    with pytest.raises(ListRefused, match="unpacks to more than 64 MB"):
        read_list("list.xlsx", packed.getvalue())


@given(st.binary(max_size=300))
def test_bytes_of_any_kind_are_a_list_or_refused(content: bytes) -> None:
    for name in ("list.csv", "list.xlsx", "list"):
        try:
            read_list(name, b"Service Tag\n" + content if name == "list" else content)
        except ListRefused as error:
            assert error.problems


# ---- beside the plan ----
def planned(number: int, *serials: str, u: float | None = None, **more: Any) -> Planned:
    told: dict[str, Any] = {"model": "dell-xe9680-h100", "model_name": "XE9680", "rack": "B02"} | more
    return Planned(number, f"gpu-{number}", serials, u=number * 6.0 if u is None else u, **told)


MAC, OTHER = "b8:3f:d2:00:00:01", "b8:3f:d2:00:00:02"


@pytest.mark.parametrize(
    ("match", "item", "plan", "words"),
    [
        (Match.FITS, Item(1, "T1", rack="B02", u=6), [planned(1)], ""),
        (Match.FITS, Item(1, "T1", bmc_mac=MAC), [planned(1, "T1")], ""),
        (Match.FITS, Item(1, "T1", macs=(MAC,)), [planned(1, "T1", u=9)], ""),
        (Match.SAME, Item(1, "T1", rack="b02", u=6, bmc_mac=MAC), [planned(1, "T1", bmc_mac=MAC)], ""),
        (Match.SAME, Item(1, "T1", "PowerEdge XE9680"), [planned(1, "T1")], ""),
        (Match.UNKNOWN, Item(1, "T9"), [planned(1, "T1")], "no machine with this service tag is planned"),
        (Match.UNKNOWN, Item(1, "T9", rack="B02", u=40), [planned(1)], "nor a machine at B02 U40"),
        (Match.TAKEN, Item(1, "T9", rack="B02", u=6), [planned(1, "T1")], "gpu-1 is planned there with T1"),
        (Match.MOVED, Item(1, "T1", rack="B02", u=12), [planned(1, "T1"), planned(2)], "planned at B02 U6"),
        (Match.MOVED, Item(1, "T1", rack="B02", u=40), [planned(1, "T1")], "listed at B02 U40"),
        (Match.DIFFERS, Item(1, "T1", "XE8545"), [planned(1, "T1")], "it is a XE8545, planned is a XE9680"),
        (Match.DIFFERS, Item(1, "T1", bmc_mac=MAC), [planned(1, "T1", bmc_mac=OTHER)], "its BMC has"),
        (Match.DIFFERS, Item(1, "T1", macs=(MAC,)), [planned(1, "T1", boot_mac=OTHER)], "none of its own"),
    ],
)
def test_what_a_row_means_beside_the_plan(match: Match, item: Item, plan: list[Planned], words: str) -> None:
    (found,) = matched([item], plan)
    assert found.match is match and words in found.text
    assert bool(found.changes) == (match is Match.FITS)


def test_two_machines_in_each_others_place_are_exchanged_and_one_alone_is_moved() -> None:
    plan = [planned(1, "T1"), planned(2, "T2"), planned(3, "T3")]
    rows = [Item(1, "T1", rack="B02", u=12), Item(2, "T2", rack="B02", u=6), Item(3, "T3", rack="B02", u=40)]
    first, second, third = matched(rows, plan)
    assert (first.match, second.match, third.match) == (Match.EXCHANGED, Match.EXCHANGED, Match.MOVED)
    assert "exchanged with gpu-2" in first.text and "exchanged with gpu-1" in second.text


# ---- over the API ----
def client(role: Role = Role.ADMIN, site: Site | None = None) -> Client:
    found = Client()
    found.force_login(ensure_user(f"{role}-{site}", role=role, site=site)[0])
    return found


def upload(content: bytes = LIST, *, by: Client | None = None, name: str = "delivery.csv") -> Any:
    body = {"file": SimpleUploadedFile(name, content), "site": make_site().pk, "order": "PO-7731", "vendor": "Dell"}
    return (by or client()).post(DELIVERIES, body)


def accept(pk: int, by: Client | None = None, **body: Any) -> Any:
    return (by or client()).post(f"{DELIVERIES}{pk}/accept/", body, content_type="application/json")


@pytest.fixture
def two() -> list[Machine]:
    """Two planned machines: the second has its serial already, and both lack what the list tells."""
    make_credentials()
    machines = []
    for number in (1, 2):
        machine = make_machine(f"gpu-{number:03}", boot_mac="")
        machine.device.serial = "" if number == 1 else "4GMPN73"
        machine.device.save()
        MachineHealth.objects.create(machine=machine)
        machines.append(machine)
    place(machines)
    return machines


def place(machines: list[Machine]) -> None:
    """In rack B02 at units 5 and 11, as the list says."""
    room = Room.objects.create(site=machines[0].device.site, name="Hall 1", width_mm=10_000, depth_mm=10_000)
    rack = Rack.objects.create(room=room, name="B02", x_mm=0, y_mm=0)
    for machine, unit in zip(machines, (5, 11), strict=True):
        low = 2 * unit - 1
        Placement.objects.create(
            device=machine.device, rack=rack, rack_height_u=rack.height_u, half_units=(low, low + 12), faces=(0, 2),
            columns=(0, 2),
        )  # fmt: skip


@pytest.mark.django_db
def test_a_list_changes_nothing_until_it_is_taken_over_and_then_what_the_plan_lacks(two: list[Machine]) -> None:
    answer = upload()
    assert answer.status_code == 201, answer.content
    assert "calvin" not in answer.content.decode()
    told = answer.json()
    assert [(row["match"], row["planned"]["name"], row["has_password"]) for row in told["items"]] == [
        ("fits", "gpu-001", True), ("fits", "gpu-002", False),
    ]  # fmt: skip
    first = Machine.objects.get(pk=two[0].pk)
    assert (first.device.serial, first.bmc_mac) == ("", None) or not first.bmc_mac
    assert not Endpoint.objects.filter(machine=first).exists()
    assert bmc_targets([first.pk])[0].password == "secret", "the delivered password opens nothing yet"

    taken = accept(told["id"])
    assert taken.status_code == 200, taken.content
    first = Machine.objects.get(pk=two[0].pk)
    assert (first.device.serial, first.bmc_mac, first.boot_mac) == (
        "4GMPN72", "b8:3f:d2:00:00:01", "b8:3f:d2:00:00:02",
    )  # fmt: skip
    assert taken.json()["accepted"] == 2 and {row["match"] for row in taken.json()["items"]} == {"same"}
    assert bmc_targets([first.pk])[0].password == "calvin-1"
    credential = Credential.objects.get(delivery_item__machine=first)
    assert (credential.purpose, credential.hosts, credential.username) == ("bmc", [f"{first.bmc_ip}/32"], "root")
    board = client().get(f"/api/provisioning/stages/?delivery={told['id']}").json()
    assert {row["name"] for row in board["machines"]} == {"gpu-001", "gpu-002"}
    assert client().get("/api/provisioning/stages/?delivery=999").json()["machines"] == []


@pytest.mark.django_db
def test_what_does_not_fit_is_not_taken_over_and_nothing_beside_it(two: list[Machine]) -> None:
    wrong = LIST.replace(b"4gmpn73;PowerEdge XE9680", b"4gmpn73;PowerEdge R660")
    pk = upload(wrong).json()["id"]
    refused = accept(pk, rows=[1, 2])
    assert refused.status_code == 409 and "row 2: it is a PowerEdge R660" in refused.json()["error"]["message"]
    assert not DeliveryItem.objects.exclude(accepted_at=None).exists()
    assert Machine.objects.get(pk=two[0].pk).device.serial == ""
    assert accept(pk).json()["accepted"] == 1, "all that fit: one"
    assert accept(pk, rows=[1]).status_code == 409, "it was taken over"
    assert client().delete(f"{DELIVERIES}{pk}/").status_code == 409


@pytest.mark.django_db
def test_a_list_that_nobody_took_over_is_forgotten_with_its_passwords(two: list[Machine]) -> None:
    pk = upload().json()["id"]
    assert Credential.objects.filter(delivery_item__delivery=pk).count() == 1
    assert client().delete(f"{DELIVERIES}{pk}/").status_code == 204
    assert not Delivery.objects.exists() and not Credential.objects.filter(name__contains="delivery").exists()


@pytest.mark.django_db
def test_bad_rows_are_all_named_and_nothing_is_kept(two: list[Machine]) -> None:
    answer = upload(b"Serial,Rack,U\nA 1,B02,5\nA2,B02,below\n")
    assert answer.status_code == 400 and not Delivery.objects.exists()
    told = answer.json()["error"]["fields"]["file"]
    assert [text.partition(":")[0] for text in told] == ["row 1, service_tag", "row 2, u"]


@pytest.mark.django_db
def test_a_machine_that_came_with_one_delivery_does_not_come_with_another(two: list[Machine]) -> None:
    accept(upload().json()["id"])
    again = upload(LIST.replace(b";calvin-1", b";")).json()["id"]
    assert accept(again).json()["accepted"] == 0
    refused = accept(again, rows=[1, 2])
    assert refused.status_code == 409 and "this machine came with PO-7731" in refused.json()["error"]["message"]


@pytest.mark.django_db
def test_two_rows_of_one_machine_are_not_taken_over(two: list[Machine]) -> None:
    two[1].device.service_tag = "EXPRESS1"
    two[1].device.save()
    pk = upload(b"Serial\n4GMPN73\nEXPRESS1\n").json()["id"]
    refused = accept(pk, rows=[1, 2])
    assert refused.status_code == 409 and "rows 1, 2 are the same machine" in refused.json()["error"]["message"]
    assert accept(pk).json()["accepted"] == 0


@pytest.mark.django_db
def test_who_may_take_in_a_delivery(two: list[Machine]) -> None:
    without = LIST.replace(b"calvin-1", b"")
    assert upload(without, by=client(Role.VIEWER)).status_code == 403
    assert upload(LIST, by=client(Role.OPERATOR)).status_code == 403, "passwords are for administrators"
    pk = upload(without, by=client(Role.OPERATOR)).json()["id"]
    far = Site.objects.create(slug="far", name="Far")
    assert upload(without, by=client(Role.ADMIN, far)).status_code == 404
    assert client(Role.ADMIN, far).get(f"{DELIVERIES}{pk}/").status_code == 404
    assert accept(pk, by=client(Role.VIEWER)).status_code == 403
    assert accept(pk, by=client(Role.OPERATOR)).status_code == 200


@pytest.mark.django_db
def test_the_number_of_statements_does_not_grow_with_the_list(two: list[Machine]) -> None:
    admin = client()

    def statements(pk: int) -> int:
        with CaptureQueriesContext(connection) as done:
            assert admin.get(f"{DELIVERIES}{pk}/").status_code == 200
        return len(done)

    few, many = (upload(b"Serial\n" + b"\n".join(b"A%d" % n for n in range(count))).json()["id"] for count in (2, 200))
    statements(few)
    assert statements(many) == statements(few)


def test_the_example_of_the_documentation_is_read() -> None:
    text = Path("docs/provisioning.md").read_text()
    example = text.partition("```csv\n")[2].partition("```")[0]
    assert len(read_list("delivery.csv", example.encode()).items) == 2
