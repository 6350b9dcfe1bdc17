"""Files in and out: what comes out goes in again, and what is wrong is refused with its place."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook
from rest_framework.test import APIClient

from conftest import TESTS
from core.audit.actor import acting
from core.jobs.models import Job
from core.models import Site
from core.services import make_token
from inventory import models
from inventory.kinds import KINDS, Kind, Report, Scope, write
from inventory.kinds.kind import in_order
from inventory.tests.full_inventory import put, stream
from inventory.transfer import imports
from inventory.transfer.cells import escaped, from_cells, is_formula, to_cells, unescaped
from inventory.transfer.export import export
from inventory.transfer.imports import import_file
from inventory.transfer.problems import FileRefused
from inventory.transfer.readers import decode, read_rows
from tests.effort import examples

Sites = tuple[Site, Site]
ALL = Scope.everything()
FILES = ("csv", "yaml", "json")
db = pytest.mark.django_db


def file_of(kind: Kind | str, file_format: str) -> bytes:
    return b"".join(export(kind, file_format))


def take(kind: str, text: str | bytes, name: str = "x.csv", **more: Any) -> Report:
    content = text.encode() if isinstance(text, str) else text
    return import_file(KINDS[kind], name, content, scope=ALL, actor="mk", **more)


# ---- out and in again ----


@pytest.mark.slow
@db
@pytest.mark.parametrize("file_format", FILES)
def test_every_kind_comes_back_unchanged(full: Sites, file_format: str) -> None:
    for kind in in_order():
        count = kind.queryset().count()
        assert count, f"the fixture has no {kind.name}"
        report = take(kind.name, file_of(kind, file_format), f"x.{file_format}")
        assert (report.unchanged, report.errors()[:3]) == (count, []), kind.name


@pytest.mark.slow
@db
@pytest.mark.parametrize("file_format", FILES)
def test_an_export_into_an_empty_inventory_gives_the_same_state(full: Sites, file_format: str) -> None:
    files = {kind.name: file_of(kind, file_format) for kind in in_order()}
    with acting(replace(TESTS, prune=True)), connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; TRUNCATE core_site, inventory_devicemodel, inventory_tag, "
                       "inventory_customfield, inventory_contact CASCADE")  # fmt: skip
    for kind in in_order():
        report = take(kind.name, files[kind.name], f"x.{file_format}")
        assert report.ok, (kind.name, report.errors()[:3])
    again = {kind.name: file_of(kind, file_format) for kind in in_order()}
    for name, content in again.items():
        assert sorted(content.splitlines()) == sorted(files[name].splitlines()), name


@db
def test_a_spreadsheet_has_the_cells_of_the_csv_file_and_no_formula(full: Sites) -> None:
    book = load_workbook(io.BytesIO(file_of("contacts", "xlsx")))
    rows = [[cell.value for cell in row] for row in book.active.iter_rows()]
    assert rows[0] == ["site", "name", "role", "email", "phone", "note"]
    note = next(row for row in book.active.iter_rows() if row[1].value == "NOC")[5]
    assert (note.value, note.data_type) == ("=1+1", "s")


@db
def test_an_export_takes_the_filters_of_the_list(full: Sites, as_role: Any) -> None:
    client = as_role("viewer", site=full[0])
    answer = client.get("/api/export/racks.csv", {"name__in": "B02,A01", "ordering": "-name"})
    lines = list(csv.DictReader(io.StringIO(stream(answer).decode())))
    assert [row["name"] for row in lines] == ["B02", "A01"]
    assert (lines[0]["tags"], lines[0]["cf_zone"], lines[0]["cf_price"]) == ("'-old, new", "b;a", "12.5")
    assert client.get("/api/export/racks.csv", {"nmae": "x"}).status_code == 400
    assert client.get("/api/export/toasters.csv").status_code == 404
    names = {row["name"] for row in csv.DictReader(io.StringIO(stream(client.get("/api/export/rooms.csv")).decode()))}
    assert "Vault" not in names


# ---- what is refused ----

HEADER = "site,room,name,x_mm,y_mm,height_u\n"
GOOD = HEADER + "north,Hall 1,Z01,0,0,48\n"


def why(text: str | bytes, name: str = "x.csv", kind: str = "racks") -> list[tuple[int, str, str]]:
    """(row, field, code) of every problem of a file."""
    try:
        report = take(kind, text, name)
    except FileRefused as error:
        return [(row, problem.field, problem.code) for row, problem in error.problems]
    return [(row.number, error.field, error.code) for row in report.errors() for error in row.errors]


@db
def test_a_file_may_have_a_mark_semicolons_tabs_and_quotes(two_sites: Sites) -> None:
    assert take("racks", b"\xef\xbb\xbf" + GOOD.encode()).created == 1
    assert take("racks", GOOD.replace(",", ";").replace("\n", "\r\n")).unchanged == 1
    assert take("racks", GOOD.replace(",", "\t")).unchanged == 1
    assert take("racks", 'name,"room",site,asset_tag\nZ01,"Hall 1","north","a, ""b"""\n').changed == 1
    assert models.Rack.objects.get(name="Z01").asset_tag == 'a, "b"'


@db
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (GOOD.encode("utf-16"), [(0, "file", "encoding")]),
        (GOOD.replace("Hall", "Häll").encode("latin-1"), [(0, "file", "encoding")]),
        (GOOD.encode().replace(b"Z01", b"Z\x0001"), [(0, "file", "encoding")]),
        (b"", [(0, "file", "empty")]),
        (HEADER.encode(), [(0, "file", "empty")]),
        (GOOD.replace("height_u", "hight_u").encode(), [(0, "hight_u", "unknown_field")]),
        (GOOD.replace("height_u", "x_mm").encode(), [(0, "x_mm", "duplicate")]),
        (b"site,name,x_mm,y_mm\nnorth,Z01,0,0\n", [(0, "room", "required")]),
        (GOOD.replace(",48", ",48,1").encode(), [(1, "row", "syntax")]),
        (GOOD.replace("Z01", "=cmd|calc").encode(), [(1, "name", "formula")]),
        (GOOD.replace("Z01", "@SUM(A1)").encode(), [(1, "name", "formula")]),
        (GOOD.replace("Z01", "-2+3+cmd").encode(), [(1, "name", "formula")]),
        (GOOD.replace("Z01", '"Z01').encode(), [(0, "file", "syntax")]),
        (GOOD.replace(",48", ",tall").encode(), [(1, "height_u", "invalid")]),
        (GOOD.replace("Hall 1", "Hall 9").encode(), [(1, "room", "unknown_reference")]),
        ((GOOD + "north,Hall 1,Z01,0,0,48\n").encode(), [(2, "name", "duplicate")]),
        (GOOD.replace(",0,0,", ",,0,").encode(), [(1, "x_mm", "required")]),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(two_sites: Sites, content: bytes, expected: Any) -> None:
    before = models.Rack.objects.count()
    assert why(content) == expected
    assert models.Rack.objects.count() == before


@db
def test_wrong_documents_are_refused(two_sites: Sites) -> None:
    bomb = "a: &a [x,x]\nb: &b [*a,*a]\n"
    assert why(bomb, "x.yaml") == [(0, "file", "syntax")]
    assert why("- {name: [", "x.yaml") == [(0, "file", "syntax")]
    assert why("[" * 50 + "]" * 50, "x.yaml") == [(0, "file", "syntax")]
    assert why("- !!python/object/apply:os.system [ls]", "x.yaml") == [(0, "file", "syntax")]
    assert why('{"racks": 5}', "x.json") == [(0, "file", "syntax")]
    assert why('[{"name": }]', "x.json") == [(0, "file", "syntax")]
    assert why("[1]", "x.json") == [(1, "row", "syntax")]
    assert why('[{"name": "x", "rom": "y"}]', "x.json")[0][1:] == ("rom", "unknown_field")
    assert why(GOOD, "x.pdf") == [(0, "file", "unknown_format")]


@db
def test_yaml_says_what_it_looks_like(two_sites: Sites) -> None:
    text = """
racks:
- {site: north, room: Hall 1, name: 007, x_mm: 0, y_mm: 0}
- {site: north, room: Hall 1, name: 12, x_mm: 0, y_mm: 0, asset_tag: no}
"""
    assert take("racks", text, "x.yaml").created == 2
    assert models.Rack.objects.get(name="12").asset_tag == "no"
    device = "- {site: north, name: m1, model: dell-xe9680-h100, rack: 12, u: 1, boot_mac: 12:11:22:33:44:55}"
    assert take("devices", device, "x.yaml").created == 1
    assert models.Machine.objects.get(device__name="m1").boot_mac == "12:11:22:33:44:55"


@pytest.mark.slow
@db
def test_ten_thousand_rows_whose_last_is_wrong_write_nothing(two_sites: Sites) -> None:
    rows = [f"north,Hall 1,Z{n:05},0,0,48" for n in range(9_999)]
    text = HEADER + "\n".join([*rows, "north,Hall 1,Z00007,0,0,48"]) + "\n"
    assert why(text) == [(10_000, "name", "duplicate")]
    assert not models.Rack.objects.filter(name__startswith="Z").exists()
    worse = HEADER + "\n".join([*rows, "north,Hall 1,Z10000,0,0,99"]) + "\n"
    assert why(worse) == [(10_000, "height_u", "invalid")]


@db
def test_overlaps_unknown_models_wrong_connectors_and_cycles_are_refused(two_sites: Sites) -> None:
    head = "site,name,model,rack,u,parent,bay,fabric,tier\n"
    machine = "north,{},dell-xe9680-h100,B02,{},,,,\n"
    assert why(head + machine.format("m1", 30) + machine.format("m2", 33), kind="devices") == [(2, "u", "overlap")]
    assert why(head + machine.format("m1", 30).replace("dell-xe", "dull-xe"), kind="devices") == [
        (1, "model", "unknown_reference")
    ]
    switch = "north,{},nvidia-qm9700,,,{},1,infiniband,leaf\n"
    circle = head + switch.format("a", "b") + switch.format("b", "a")
    assert {code for _, _, code in why(circle, kind="devices")} == {"cycle"}
    cables = "site,label,type,a_device,a_port,b_device,b_port\n"
    twice = cables + "north,X1,DAC,leaf-1,20/1,leaf-1,20/2\nnorth,X2,DAC,leaf-1,20/2,leaf-1,21/1\n"
    assert why(twice, kind="cables") == [(2, "a", "port_in_use")]
    models.StrandEnd.objects.all().delete()
    bmc = models.Port.objects.filter(kind="bmc", device__site__slug="north").select_related("device")[:2]
    ends = ",".join(f"{port.device.name},{port.name}" for port in bmc)
    wrong = cables + f"north,X1,Cat6,{ends}\n"
    assert why(wrong, kind="cables") == [(1, "b", "wrong_connector")]


@db
def test_five_hundred_cables_come_from_one_file(two_sites: Sites) -> None:
    put(
        "devices",
        *({"site": "north", "name": f"s{n}", "model": "nvidia-qm9700", "fabric": "infiniband"} for n in range(16)),
    )
    lines = [
        f"north,N{n},DAC,s{n // 64},{n % 32 + 1}/{n // 32 % 2 + 1},s{8 + n // 64},{n % 32 + 1}/{n // 32 % 2 + 1}"
        for n in range(500)
    ]
    report = take("cables", "site,label,type,a_device,a_port,b_device,b_port\n" + "\n".join(lines))
    assert report.created == 500, report.errors()[:3]


# ---- uploads ----


def upload(client: Any, text: str | bytes, name: str = "racks.csv", **fields: Any) -> Any:
    content = text.encode() if isinstance(text, str) else text
    data = {"kind": "racks", "file": SimpleUploadedFile(name, content), **fields}
    return client.post("/api/imports/", data, format="multipart")


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any) -> Any:
    """Does queued imports when asked: `worker()`."""
    queued: list[int] = []
    monkeypatch.setattr("inventory.tasks.run_import.apply_async", lambda args: queued.append(*args))
    monkeypatch.setattr("core.jobs.work.BEAT_S", 0.05)
    return lambda: [imports.run_import(queued.pop(0)) for _ in range(len(queued))]


@db
def test_an_upload_is_a_dry_run_first_and_applied_then(
    two_sites: Sites, as_role: Any, worker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    client = as_role("operator")
    with django_capture_on_commit_callbacks(execute=True):
        asked = upload(client, GOOD)
    assert asked.status_code == 202, asked.content
    path = f"/api/imports/{asked.json()['id']}/"
    assert (client.get(path).json()["status"], client.get(path).json()["dry_run"]) == ("queued", True)
    worker()
    told = client.get(path).json()
    assert (told["status"], told["counts"]["created"], told["rows"][0]["key"]) == ("done", 1, "Hall 1 Z01")
    assert not models.Rack.objects.filter(name="Z01").exists()
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(f"{path}apply/").status_code == 202
    worker()
    assert client.get(path).json()["status"] == "done"
    assert models.Rack.objects.filter(name="Z01").exists()
    assert client.post(f"{path}apply/").status_code == 409
    assert as_role("operator", site=two_sites[1]).get(path).status_code == 404
    assert client.get("/api/imports/").json()["results"][0]["filename"] == "racks.csv"


WITHOUT_SITE = {
    "racks": "room,name,x_mm,y_mm\nHall 1,N1,9000,9000\n",
    "devices": "name,model,rack,u\nN1,dell-xe9680-h100,B02,30\n",
    "storage-places": "name\nN1\n",
    "components": "kind,vendor,serial\ngpu,NVIDIA,N1\n",
}
"""Files of new records that say no site; the room and the rack are there at both."""


@db
@pytest.mark.parametrize("kind", WITHOUT_SITE)
@pytest.mark.parametrize("named", ["slug", "pk"])
def test_new_rows_without_a_site_get_that_of_the_form_and_what_they_refer_to_is_looked_up_there(
    kind: str, named: str, two_sites: Sites, as_role: Any, worker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    site, file = str(getattr(two_sites[0], named)), WITHOUT_SITE[kind]
    client = as_role("operator")
    with django_capture_on_commit_callbacks(execute=True):
        asked = upload(client, file, f"{kind}.csv", kind=kind, mode="create", dry_run="false", site=site)
    assert asked.status_code == 202, asked.content
    worker()
    told = client.get(f"/api/imports/{asked.json()['id']}/").json()
    assert (told["status"], told["counts"]["created"]) == ("done", 1), told["rows"]
    made = KINDS[kind].queryset().get(**{KINDS[kind].label_path: "N1"})
    assert KINDS[kind].queryset().filter(pk=made.pk, **{KINDS[kind].site: two_sites[0].pk}).exists()


@db
def test_a_new_row_that_says_a_site_keeps_it_whatever_the_form_says(
    two_sites: Sites, as_role: Any, worker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    file = "site,name\n,N1\nsouth,S1\n"
    with django_capture_on_commit_callbacks(execute=True):
        asked = upload(
            as_role("operator"), file, kind="storage-places", mode="create", dry_run="false", site="north"
        )  # fmt: skip
    worker()
    assert Job.objects.get(pk=asked.json()["id"]).status == "done"
    places = models.StoragePlace.objects.filter(name__in=["N1", "S1"]).order_by("name")
    assert list(places.values_list("name", "site__slug")) == [("N1", "north"), ("S1", "south")]


@db
def test_new_rows_without_a_site_are_refused_where_the_form_says_none_and_several_may_be_seen(
    two_sites: Sites, as_role: Any, worker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    client = as_role("operator")
    with django_capture_on_commit_callbacks(execute=True):
        pk = upload(client, "name\nN1\n", "x.csv", kind="storage-places", mode="create", dry_run="false").json()["id"]
    worker()
    told = client.get(f"/api/imports/{pk}/").json()
    (error,) = told["rows"][0]["errors"]
    assert (told["status"], error["field"], error["code"]) == ("refused", "site", "required")


@db
def test_the_errors_of_an_upload_are_a_file(
    two_sites: Sites, as_role: Any, worker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    client = as_role("operator", site=two_sites[0])
    bad = GOOD + "north,Hall 9,Z02,0,0,48\nsouth,Hall 1,Z03,0,0,48\n"
    with django_capture_on_commit_callbacks(execute=True):
        pk = upload(client, bad, dry_run="false").json()["id"]
    worker()
    told = client.get(f"/api/imports/{pk}/").json()
    assert (told["status"], told["counts"]["refused"]) == ("refused", 2)
    lines = list(csv.DictReader(io.StringIO(client.get(f"/api/imports/{pk}/errors.csv").content.decode())))
    assert [(row["row"], row["field"], row["code"]) for row in lines] == [
        ("2", "room", "unknown_reference"), ("3", "site", "unknown_reference"), ("3", "room", "unknown_reference"),
    ]  # fmt: skip
    assert client.post(f"/api/imports/{pk}/apply/").status_code == 409
    assert not models.Rack.objects.filter(name="Z01").exists()


@db
def test_rights_are_those_of_who_asked_when_the_work_is_done(
    two_sites: Sites, as_role: Any, worker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    assert upload(as_role("viewer"), GOOD).status_code == 403
    client = as_role("operator", site=two_sites[0])
    with django_capture_on_commit_callbacks(execute=True):
        pk = upload(client, GOOD, dry_run="false").json()["id"]
    client.handler._force_user.grants.update(role="viewer")
    worker()
    job = Job.objects.get(pk=pk)
    assert (job.status, job.result["rows"][0]["errors"][0]["code"]) == ("refused", "permission_denied")


@db
def test_a_file_that_is_too_large_is_refused_before_it_is_read(
    two_sites: Sites, as_role: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.conf.settings.IMPORT_MAX_MB", 1)
    answer = upload(as_role("operator"), b"x" * 1_200_000)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")
    with pytest.raises(FileRefused, match="at most 1 MB"):
        take("racks", b"x" * 1_200_000)


@db
def test_wrong_uploads_are_refused_at_once(two_sites: Sites, as_role: Any) -> None:
    client = as_role("operator")
    for name, fields, field in (
        ("racks.pdf", {}, "file"), ("racks.csv", {"kind": "toasters"}, "kind"), ("racks.csv", {"site": "moon"}, "site"),
        ("racks.csv", {"mode": "delete"}, "mode"), ("racks.csv", {"kind": "switches"}, "kind"),
    ):  # fmt: skip
        answer = upload(client, GOOD, name, **fields)
        assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, [field])


# ---- commands ----


@db
def test_commands_read_and_write_files(two_sites: Sites, tmp_path: Any, capsys: Any) -> None:
    path = tmp_path / "racks.csv"
    path.write_text("room,name,x_mm,y_mm\nHall 1,Z01,0,0\n")
    call_command("import_records", "racks", path, "--site", "north", "--dry-run")
    assert not models.Rack.objects.filter(name="Z01").exists()
    call_command("import_records", "racks", path, "--site", "north")
    assert models.Rack.objects.filter(name="Z01").exists()
    out = tmp_path / "racks.yaml"
    call_command("export_records", "racks", out, "--site", "north")
    assert "Z01" in {row["name"] for row in yaml.safe_load(out.read_text())}
    with pytest.raises(CommandError, match="there is no kind"):
        call_command("import_records", "toasters", path)


# ---- readers, with whatever comes ----


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n\t"), max_size=30))
def test_any_text_survives_a_cell(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert not is_formula(escaped(text)) or not is_formula(text)
    assert not escaped(text).startswith(("=", "@"))


@given(st.binary(max_size=300), st.sampled_from(FILES), st.sampled_from(["racks", "devices", "cables", "components"]))
def test_any_bytes_are_rows_or_refused(content: bytes, file_format: str, kind: str) -> None:
    try:
        rows = read_rows(KINDS[kind], content, file_format)
    except FileRefused as error:
        assert error.problems
        assert all(reason for _, (_, reason, _) in error.problems)
    else:
        assert rows and all(isinstance(row, dict) for row in rows)


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=200))
def test_any_text_is_decoded_as_it_is(text: str) -> None:
    assert decode(text.encode()) == decode(b"\xef\xbb\xbf" + text.encode()) == text


words = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=10)
rack = st.fixed_dictionaries(
    {"room": words, "name": words, "x_mm": st.integers(0, 10**6), "y_mm": st.integers(0, 10**6)},
    optional={"height_u": st.integers(1, 60), "tags": st.lists(words, max_size=3, unique=True), "serial": words},
)


@given(rack)
def test_a_record_is_the_same_after_a_row_of_cells(record: dict[str, Any]) -> None:
    kind = KINDS["racks"]
    cells = {name: "" if value is None else str(value) for name, value in to_cells(kind, record).items()}
    back = kind.line.model_validate(from_cells(kind, cells))
    given_back = {name: getattr(back, name) for name in record}
    assert given_back == record | ({"tags": sorted(record["tags"])} if "tags" in record else {})


@db
@settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(rack, min_size=1, max_size=6))
def test_whatever_is_planned_is_what_happens(rows: list[dict[str, Any]], two_sites: Sites) -> None:
    """A dry run and the write after it tell the same, and the same rows again change nothing."""
    from django.db import transaction

    rows = [row | {"room": "Hall 1", "site": "north", "tags": []} for row in rows]
    point = transaction.savepoint()
    told = write("racks", rows, scope=ALL, actor="mk", dry_run=True)
    done = write("racks", rows, scope=ALL, actor="mk")
    assert [row.outcome for row in told.rows] == [row.outcome for row in done.rows]
    assert done.ok == (len({row["name"] for row in rows}) == len(rows))
    if done.ok:
        assert write("racks", rows, scope=ALL, actor="mk").unchanged == len(rows)
    transaction.savepoint_rollback(point)


@db
def test_a_token_of_a_lower_role_applies_an_import_with_its_own_rights_only(
    as_role: Any, worker: Any, django_capture_on_commit_callbacks: Any
) -> None:
    boss = as_role("admin")
    with django_capture_on_commit_callbacks(execute=True):
        made = upload(boss, "slug,name\nnowhere,Nowhere\n", "sites.csv", kind="sites").json()
    worker()
    assert boss.get(f"/api/imports/{made['id']}/").json()["status"] == "done"
    _, plain = make_token(Job.objects.get(pk=made["id"]).user, role="operator")
    with django_capture_on_commit_callbacks(execute=True):
        answer = APIClient().post(f"/api/imports/{made['id']}/apply/", headers={"authorization": f"Token {plain}"})
    assert answer.status_code == 202
    worker()
    assert boss.get(f"/api/imports/{made['id']}/").json()["status"] == "refused"
    assert not Site.objects.filter(slug="nowhere").exists()


def test_a_cell_of_brackets_without_end_is_a_text_that_the_engine_refuses() -> None:
    assert from_cells(KINDS["racks"], {"custom": "[" * 100_000}) == {"custom": "[" * 100_000}


@db
def test_a_control_character_does_not_break_the_spreadsheet_of_all(full: Sites) -> None:
    rack = models.Rack.objects.order_by("pk")[0]
    models.Rack.objects.filter(pk=rack.pk).update(serial="A\x01B")
    sheet = load_workbook(io.BytesIO(file_of("racks", "xlsx"))).active
    assert "AB" in {cell.value for row in sheet.iter_rows() for cell in row}
