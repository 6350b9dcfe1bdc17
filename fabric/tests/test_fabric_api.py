"""The API of the fabric: shapes, roles, two sites that never see each other, and a constant number of statements."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from core.models import Role, Site
from core.services import ensure_user
from fabric.discovery.services import discoveries
from fabric.models import AsBuiltPlan, FabricSource, Finding, NameProposal, PortAction, ReservedPort
from fabric.tests import made_texts
from fabric.tests.hall import CABLES, fabric_of, load_site, parts, source_of
from fabric.tests.made import Made
from fabric.tests.made_faults import inject
from inventory.models import Port, Rack, Row

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr("core.work.kinds.Progress._beat", lambda self: None)


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return load_site(tmp_path, "west")


@pytest.fixture
def other(tmp_path: Path) -> Site:
    return load_site(tmp_path, "east", "east-")


@pytest.fixture
def fabric(site: Site) -> Made:
    return fabric_of(site)


def client(role: Role = Role.OPERATOR, site: Site | None = None, name: str = "") -> APIClient:
    user, _ = ensure_user(name or f"{role}-{site.slug if site else 'all'}", role=role, site=site)
    api = APIClient()
    api.force_login(user)
    return api


def discovered(site: Site, fabric: Made, name: str = "diags") -> FabricSource:
    source = source_of(site, name)
    discovery = discoveries.upload(source, parts(fabric), by="ann")
    done = discoveries.run(discovery.pk)
    assert done is not None and done.status == "done"
    source.refresh_from_db()
    return source


def files(fabric: Made) -> list[SimpleUploadedFile]:
    seen = fabric.seen()
    return [
        SimpleUploadedFile("net.txt.gz", gzip.compress(made_texts.ibnetdiscover(seen).encode())),
        SimpleUploadedFile("links.txt", made_texts.iblinkinfo(seen).encode()),
    ]


# ---- sources and discoveries ----


def test_a_file_that_is_uploaded_becomes_a_discovery_that_tells_its_progress(site: Site, fabric: Made) -> None:
    api = client()
    made = api.post("/api/fabric/sources/", {"site": site.pk, "name": "saved", "kind": "file"})
    assert made.status_code == 201 and made.json()["state"] == "never"
    url = f"/api/fabric/sources/{made.json()['id']}/"
    answer = api.post(url + "upload/", {"files": files(fabric)}, format="multipart")
    assert answer.status_code == 202 and answer.json()["status"] == "queued"
    busy = api.post(url + "upload/", {"files": files(fabric)}, format="multipart")
    assert (busy.status_code, busy.json()["error"]["code"]) == (409, "busy")
    discoveries.run(answer.json()["id"])
    done = api.get(f"/api/fabric/discoveries/{answer.json()['id']}/").json()
    assert done["status"] == "done" and done["progress"] == {"done": 3, "total": 3, "stage": "done"}
    assert done["counts"]["states"]["correct"] == CABLES and done["held_back"] is None
    capture = api.get(f"/api/fabric/captures/{done['capture']}/").json()
    assert [part["format"] for part in capture["parts"]] == ["ibnetdiscover", "iblinkinfo"]
    text = api.get(f"/api/fabric/captures/{done['capture']}/parts/{capture['parts'][0]['id']}/")
    assert text.content.decode() == made_texts.ibnetdiscover(fabric.seen())


def test_a_file_that_no_tool_wrote_is_refused_and_nothing_is_kept(site: Site) -> None:
    source = source_of(site)
    bad = [SimpleUploadedFile("notes.txt", b"hello")]
    answer = client().post(f"/api/fabric/sources/{source.pk}/upload/", {"files": bad}, format="multipart")
    assert answer.status_code == 400 and "notes.txt" in answer.json()["error"]["fields"]["files"][0]
    assert source.captures.count() == 0


def test_where_a_login_is_sent_is_for_administrators_of_every_site(site: Site) -> None:
    body = {"site": site.pk, "name": "ufm", "kind": "ufm", "address": "https://ufm.example"}
    assert client(Role.ADMIN, site).post("/api/fabric/sources/", body).status_code == 403
    assert client(Role.ADMIN).post("/api/fabric/sources/", body).status_code == 201
    viewer = client(Role.VIEWER)
    assert viewer.post("/api/fabric/sources/", {"site": site.pk, "name": "f", "kind": "file"}).status_code == 403


def test_another_address_forgets_what_was_pinned(site: Site) -> None:
    source = source_of(site, "ufm", kind="ufm", address="https://a.example", identity="ab" * 32)
    answer = client(Role.ADMIN).patch(f"/api/fabric/sources/{source.pk}/", {"address": "https://b.example"})
    assert (answer.status_code, answer.json()["identity"]) == (200, "")


# ---- findings ----


def test_a_finding_shows_its_moves_in_words_and_can_be_accepted_with_a_reason(site: Site, fabric: Made) -> None:
    inject(fabric, "swap")
    discovered(site, fabric)
    api = client()
    (row,) = api.get("/api/fabric/findings/?state=new,open").json()["results"]
    assert (row["kind"], row["move_count"]) == ("swapped_pair", 2) and "moves" not in row
    finding = api.get(f"/api/fabric/findings/{row['id']}/").json()
    assert all(move["text"] for move in finding["moves"]) and finding["moves"][0]["put_into"] is None
    assert "cage" in finding["moves"][0]["text"]
    first = next(picture for picture in finding["pictures"] if picture["n"] == 1)
    assert first["device"] == finding["moves"][0]["take_from"]["device"] and "PULL" in first["svg"]
    device = finding["device_ids"][0]
    assert api.get(f"/api/fabric/findings/?device={device}").json()["count"] == 1
    assert api.get("/api/fabric/findings/?device=999999").json()["count"] == 0
    assert api.get(f"/api/fabric/findings/?rack={finding['rack_ids'][0]}&cable={finding['cables'][0]}").json()["count"]
    url = f"/api/fabric/findings/{row['id']}/"
    assert api.post(url + "accept/", {}).status_code == 400
    assert client(Role.TECHNICIAN).post(url + "accept/", {"reason": "x"}).status_code == 403
    accepted = api.post(url + "accept/", {"reason": "until Monday"}).json()
    assert (accepted["state"], accepted["accept_reason"]) == ("accepted", "until Monday")
    assert api.post(url + "reopen/").json()["state"] == "open"
    assert api.post(url + "reopen/").status_code == 409


def test_a_diagnosis_can_be_derived_again_without_writing(site: Site, fabric: Made) -> None:
    inject(fabric, "cycle")
    source = discovered(site, fabric)
    discovery = source.discoveries.get()
    answer = client(Role.VIEWER).get(f"/api/fabric/discoveries/{discovery.pk}/diagnosis/").json()
    assert [each["kind"] for each in answer["findings"]] == ["cycle"] and answer["counts"]["moves"] == 3
    assert len(answer["names"]) == len(fabric.seen().nodes)
    assert source.discoveries.count() == 1


# ---- overview ----


def test_the_overview_counts_sources_tiers_findings_and_links(site: Site, fabric: Made) -> None:
    inject(fabric, "swap")
    inject(fabric, "dead_machine")
    discovered(site, fabric)
    told = client(Role.VIEWER).get(f"/api/fabric/overview/?site={site.pk}").json()
    assert [(each["name"], each["state"]) for each in told["sources"]] == [("diags", "ok")]
    tiers = [(each["tier"], each["switches"], each["expected"], each["named"], each["off"]) for each in told["tiers"]]
    assert tiers == [("leaf", 8, 8, 8, 0), ("spine", 4, 4, 4, 0)]
    assert told["findings"] == {"device_off": 1, "swapped_pair": 1} and told["counts"]["new"] == 2
    links = told["links"]
    assert (links["planned"], links["wrong"], links["off"], links["correct"]) == (CABLES, 2, 8, CABLES - 10)


def test_the_matrix_has_a_cell_for_each_leaf_and_its_rail(site: Site, fabric: Made) -> None:
    inject(fabric, "dead_machine")
    discovered(site, fabric)
    told = client(Role.VIEWER).get(f"/api/fabric/matrix/?site={site.pk}").json()
    assert told["rails"] == list(range(1, 9)) and told["leaves"][0]["name"] == "leaf-1"
    assert {leaf["pod"] for leaf in told["leaves"]} == {1} and told["leaves"][0]["place"]["rack"] == "A03"
    for number, row in enumerate(told["cells"]):
        assert row[number] == {"state": "off", "counts": {"correct": 7, "off": 1}}
        assert sum(cell is not None for cell in row) == 1


def test_links_are_listed_by_state_device_and_machine(site: Site, fabric: Made) -> None:
    discovered(site, fabric)
    api = client(Role.VIEWER)
    assert api.get("/api/fabric/wiring/?state=correct").json()["count"] == CABLES
    assert api.get("/api/fabric/wiring/?device=spine-1").json()["count"] == 16
    (first, *rest) = api.get("/api/fabric/wiring/?machine=gpu-3").json()["results"]
    assert len(rest) == 7 and first["rail"] and first["a"]["port_id"] and first["cable"]


def test_history_is_asked_by_time(site: Site, fabric: Made) -> None:
    source = discovered(site, fabric)
    api = client(Role.VIEWER)
    assert api.get(f"/api/fabric/at/?source={source.pk}").json()["count"] == CABLES
    leaf = Port.objects.filter(device__name="leaf-2").values_list("device_id", flat=True)[0]
    assert api.get(f"/api/fabric/at/?device={leaf}").json()["count"] == 16
    assert api.get("/api/fabric/at/?time=2020-01-01T00:00:00Z").json()["count"] == 0
    assert api.get("/api/fabric/at/?page=2").status_code == 404, (
        "as every list: a page behind the last is no empty fabric"
    )
    changed = api.get("/api/fabric/changes/?from=2020-01-01T00:00:00Z").json()
    assert len(changed["links"]["come"]) == CABLES and not changed["links"]["gone"]
    for wrong in ("", "?from=yesterday", "?from=2030-01-01T00:00:00Z", "?from=2020-01-01T00:00:00Z&source=x"):
        assert api.get(f"/api/fabric/changes/{wrong}").status_code == 400


# ---- names ----


def test_names_are_approved_all_or_none_and_handed_out_as_a_map(site: Site, fabric: Made) -> None:
    inject(fabric, "factory_names", count=3)
    source = discovered(site, fabric)
    api = client()
    rows = api.get("/api/fabric/names/?state=proposed").json()["results"]
    assert len(rows) == 3 and all(row["certain"] and row["device_name"] == row["proposed"] for row in rows)
    NameProposal.objects.filter(pk=rows[0]["id"]).update(certain=False)
    ids = [row["id"] for row in rows]
    refused = api.post("/api/fabric/names/approve/", {"ids": ids})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "unsure")
    assert NameProposal.objects.filter(state="approved").count() == 0
    assert len(api.post("/api/fabric/names/approve/", {"ids": ids[1:]}).json()) == 2
    rejected = api.post(f"/api/fabric/names/{ids[0]}/reject/", {"reason": "being replaced"})
    assert (rejected.status_code, rejected.json()["state"]) == (200, "rejected")
    text = api.get(f"/api/fabric/names/node-name-map/?source={source.pk}").content.decode()
    assert f'0x{rows[1]["guid"]} "{rows[1]["proposed"]}"' in text.splitlines() and len(text.splitlines()) == 12


def test_switches_whose_name_and_place_disagree_are_listed(site: Site) -> None:
    api = client(Role.ADMIN)
    rule = {"site": site.pk, "kind": "switch", "tier": "spine", "pattern": "spine-{rack}-{u}"}
    assert api.post("/api/naming-rules/", rule).status_code == 201
    rows = api.get(f"/api/fabric/misplaced/?site={site.pk}").json()["results"]
    assert [row["name"] for row in rows] == [f"spine-{n}" for n in range(1, 5)]
    assert rows[0]["name_of_place"] and rows[0]["place_of_name"] is None and rows[0]["seen_as"] is None


# ---- ports, lengths, plans ----


@pytest.mark.slow
def test_free_ports_are_spare_or_reserved(site: Site) -> None:
    api = client()
    spare = api.get("/api/fabric/ports/?free=spare&page_size=1000").json()
    assert spare["count"] == 12 * 64 - 2 * CABLES + 64  # 64 ends are at machines
    port = spare["results"][0]["id"]
    assert api.post("/api/fabric/reserved-ports/", {"port": port, "owner": "storage"}).status_code == 201
    (kept,) = api.get("/api/fabric/ports/?free=reserved").json()["results"]
    assert (kept["id"], kept["reserved"]) == (port, "storage")
    again = api.post("/api/fabric/reserved-ports/", {"port": port, "owner": "x"})
    assert again.status_code in (400, 409)
    cabled = Port.objects.filter(strand_ends__isnull=False, device__name="leaf-1").first()
    assert cabled is not None
    refused = api.post("/api/fabric/reserved-ports/", {"port": cabled.pk, "owner": "x"})
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "port_in_use")
    assert api.delete(f"/api/fabric/reserved-ports/{ReservedPort.objects.get().pk}/").status_code == 204


@pytest.mark.slow
def test_the_length_table_joins_racks_or_rows_of_one_site(site: Site, other: Site) -> None:
    api = client()
    a, b = Rack.objects.filter(room__site=site).order_by("-name")[:2]
    rule = {"site": site.pk, "a_rack": a.pk, "b_rack": b.pk, "length_m": "7.5"}
    assert api.post("/api/fabric/length-table/", rule).status_code == 201
    turned = api.post("/api/fabric/length-table/", rule | {"a_rack": b.pk, "b_rack": a.pk})
    assert (turned.status_code, turned.json()["error"]["code"]) == (409, "duplicate")
    row = Row.objects.get(room__site=site)
    assert api.post("/api/fabric/length-table/", {"site": site.pk, "a_row": row.pk, "b_row": row.pk,
                                                  "length_m": 12}).status_code == 201  # fmt: skip
    for wrong in ({"a_row": row.pk}, {"length_m": 0}, {"b_rack": Rack.objects.filter(room__site=other)[0].pk}):
        assert api.post("/api/fabric/length-table/", rule | wrong).status_code == 400, wrong


def test_a_source_can_be_held_against_an_as_built_plan(site: Site, fabric: Made) -> None:
    inject(fabric, "swap")
    api = client()
    as_laid = made_texts.plan_csv(fabric.plan)
    body = {"site": site.pk, "name": "as built", "file": SimpleUploadedFile("laid.csv", as_laid.encode())}
    made = api.post("/api/fabric/plans/", body, format="multipart")
    assert (made.status_code, made.json()["cables"]) == (201, CABLES)
    source = source_of(site, plan_id=made.json()["id"])
    discoveries.run(discoveries.upload(source, parts(fabric), by="ann").pk)
    finding = Finding.objects.get()
    assert finding.kind == "swapped_pair" and all(move["put_into"] is None or move["put_into"]["port_id"]
                                                  for move in finding.detail["moves"])  # fmt: skip
    assert api.delete(f"/api/fabric/plans/{made.json()['id']}/").status_code == 400


def test_a_plan_with_mistakes_is_refused_with_its_lines(site: Site) -> None:
    text = "cable,a_device,a_port,b_device,b_port\nC1,leaf-1,1,spine-1,1\nC2,leaf-1,1,spine-1,2\n"
    body = {"site": site.pk, "name": "bad", "file": SimpleUploadedFile("bad.csv", text.encode())}
    answer = client().post("/api/fabric/plans/", body, format="multipart")
    assert answer.status_code == 400 and "line 3" in answer.json()["error"]["fields"]["file"][0]
    assert AsBuiltPlan.objects.count() == 0


# ---- two sites, statements ----

LISTS = (
    "sources", "discoveries", "captures", "findings", "names", "wiring", "plans", "ports", "reserved-ports",
    "length-table", "overview", "matrix", "at", "changes?from=2020-01-01T00:00:00Z",
)  # fmt: skip


def test_nothing_of_another_site_is_shown(site: Site, other: Site) -> None:
    for each in (site, other):
        fabric = fabric_of(each)
        inject(fabric, "swap")
        inject(fabric, "factory_names", count=1)
        source = discovered(each, fabric, f"{each.slug}-diags")
        AsBuiltPlan.objects.create(
            site=each, name=f"{each.slug}-plan", filename="x", content=b"", cables=0, devices=0, created_by="ann"
        )
        port = Port.objects.filter(device__site=each, strand_ends=None, device__kind="switch", cage__gt=0).first()
        ReservedPort.objects.create(port=port, owner=f"{each.slug}-owner", created_by="ann")
    api = client(Role.ADMIN, site)
    for path in LISTS:
        url, _, query = path.partition("?")
        text = api.get(f"/api/fabric/{url}/?{query}&page_size=1000").content.decode()
        assert "east" not in text, path
    assert source.site == other
    for path in ("sources", "discoveries", "findings", "names"):
        row: Any = {"sources": source, "discoveries": source.discoveries.get(), "findings": source.findings.all()[0],
                    "names": source.name_proposals.get()}[path]  # fmt: skip
        assert api.get(f"/api/fabric/{path}/{row.pk}/").status_code == 404
    assert api.get(f"/api/fabric/at/?source={source.pk}").status_code == 400
    assert api.get(f"/api/fabric/overview/?site={other.pk}").status_code == 400
    assert api.post("/api/fabric/names/approve/", {"ids": [source.name_proposals.get().pk]}).status_code == 400
    body = {"site": other.pk, "name": "x", "kind": "file"}
    assert api.post("/api/fabric/sources/", body).status_code in (400, 403)


@pytest.mark.slow
@pytest.mark.parametrize("path", LISTS)
def test_lists_take_as_many_statements_for_one_source_as_for_three(site: Site, fabric: Made, path: str) -> None:
    inject(fabric, "swap")
    inject(fabric, "factory_names", count=1)
    discovered(site, fabric)
    api = client()
    url, _, query = path.partition("?")

    def count() -> int:
        api.get(f"/api/fabric/{url}/?{query}")
        with CaptureQueriesContext(connection) as told:
            assert api.get(f"/api/fabric/{url}/?{query}").status_code == 200
        return len(told)

    one = count()
    for name in ("b", "c"):
        discovered(site, fabric, name)
    assert count() == one


def test_a_source_by_which_links_are_out_of_use_is_not_removed(site: Site) -> None:
    source = source_of(site)
    ends = {"a_name": "leaf", "a_number": 1, "a_guid": "a" * 16, "b_name": "spine", "b_number": 1, "b_guid": "b" * 16}
    action = PortAction.objects.create(
        site=source.site, source=source, state="held", approved_by="olga", proposed_by="olga", cause="errors", **ends
    )
    refused = client(Role.ADMIN).delete(f"/api/fabric/sources/{source.pk}/")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "in_use")
    PortAction.objects.filter(pk=action.pk).update(state="free", ended_at=timezone.now())
    assert client(Role.ADMIN).delete(f"/api/fabric/sources/{source.pk}/").status_code == 204
    assert not FabricSource.objects.filter(pk=source.pk).exists()
