"""Documents, lists and labels over the API: what is in them, whose sites they show, and what they cost."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from django.test import Client
from rest_framework.test import APIClient

from core.models import ApiToken, Role, Site
from inventory.models import Cable, Device, Machine, Port, Rack, StrandEnd, Switch, Tag
from inventory.papers.tests.pdf import pages

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
SignIn = Callable[..., APIClient]
SCRIPT = Path(__file__).parents[2] / "contrib" / "rackside_inventory.py"
JSON_PAPERS = ("/api/export/prometheus-sd/", "/api/export/ansible/")
PAPERS = (
    *JSON_PAPERS, "/api/export/node-name-map/?machines=true", "/api/export/cable-list.csv",
    "/api/export/cable-list.xlsx", "/api/labels/cables.pdf", "/api/labels/machines.pdf", "/api/labels/racks.pdf",
)  # fmt: skip


@pytest.fixture
def machine(two_sites: Sites) -> Device:
    return Device.objects.get(name="hgx-a01-01")


def texts_of(answer: Any) -> str:
    """Everything readable in an answer of whatever type."""
    kind = answer.headers["Content-Type"]
    if kind == "application/pdf":
        return "\n".join(text for page in pages(answer.content) for text in page.texts)
    if kind.endswith("sheet"):
        sheet = openpyxl.load_workbook(io.BytesIO(answer.content)).active
        assert sheet is not None
        return "\n".join(str(value) for row in sheet.iter_rows(values_only=True) for value in row)
    return str(answer.content.decode("utf-8-sig"))


@pytest.mark.parametrize("path", PAPERS)
def test_a_paper_shows_only_sites_the_caller_may_see(path: str, two_sites: Sites, as_role: SignIn) -> None:
    north, south = two_sites
    names = {
        site.slug: list(Device.objects.filter(site=site, kind__in=("machine", "switch")).values_list("name", flat=True))
        + list(Cable.objects.filter(site=site).values_list("label", flat=True))
        + list(Rack.objects.filter(room__site=site).values_list("name", flat=True))
        for site in two_sites
    }
    only_south = set(names["south"]) - set(names["north"])
    whole = texts_of(as_role(Role.VIEWER).get(path))
    assert any(name in whole for name in only_south)
    mine = as_role(Role.VIEWER, site=north).get(path)
    assert mine.status_code == 200
    found = texts_of(mine)
    assert not [name for name in only_south if f"{name}\n" in f"{found}\n" or f'"{name}"' in found]
    joined = "&" if "?" in path else "?"
    assert as_role(Role.VIEWER, site=north).get(f"{path}{joined}site=south").status_code == 404
    assert as_role(Role.VIEWER, site=north).get(f"{path}{joined}site={south.pk}").status_code == 404
    assert as_role(Role.VIEWER, site=north).get(f"{path}{joined}site=north").status_code == 200


@pytest.mark.slow
def test_papers_cost_the_same_queries_whatever_they_list(
    small: Path, as_role: SignIn, django_assert_num_queries: Any
) -> None:
    client = as_role(Role.VIEWER)
    client.get("/api/spares/")  # from now on the roles are known
    rack = Rack.objects.get(name="A01")
    for path in PAPERS:
        cost = 2 if "cable" in path or "machines=" in path else 1  # with the devices at the ends, or the adapters
        with django_assert_num_queries(cost):
            whole = client.get(path)
        if "node-name" not in path:
            with django_assert_num_queries(cost):
                assert len(client.get(f"{path}?rack={rack.pk}").content) < len(whole.content)


def test_a_token_and_a_session_open_a_paper_and_nobody_else_does(two_sites: Sites, as_role: SignIn) -> None:
    as_role(Role.VIEWER)
    from core.models import User

    user = User.objects.get(username="viewer-all")
    _, token = ApiToken.objects.create(user=user, name="prometheus", role=Role.VIEWER)
    for path in PAPERS:
        assert Client().get(path).status_code == 401
        assert Client().get(path, HTTP_AUTHORIZATION=f"Token {token}").status_code == 200
    browser = Client()
    browser.force_login(user)
    assert browser.get("/api/labels/racks.pdf", HTTP_ACCEPT="text/html").headers["Content-Type"] == "application/pdf"
    refused = browser.get("/api/labels/racks.pdf?start=900", HTTP_ACCEPT="application/pdf")
    assert refused.status_code == 400 and "start" in refused.json()["error"]["fields"]


# ---- Prometheus ----


def test_service_discovery_lists_machines_with_their_place_and_never_fails_for_none(
    two_sites: Sites, machine: Device, as_role: SignIn
) -> None:
    client = as_role(Role.VIEWER)
    answer = client.get("/api/export/prometheus-sd/", {"site": "north", "port": "9400"})
    assert answer.headers["Content-Type"] == "application/json"
    mine = next(group for group in answer.json() if group["labels"]["__meta_rackside_machine"] == machine.name)
    address = Machine.objects.get(pk=machine.pk).primary_ip or machine.name
    assert mine["targets"] == [f"{address}:9400"]
    assert mine["labels"]["__meta_rackside_rack"] == "A01" and mine["labels"]["__meta_rackside_u"]
    assert len(answer.json()) == Device.objects.filter(site=two_sites[0], kind="machine").count()
    Site.objects.create(slug="empty", name="Empty")
    for query in ({"site": "empty"}, {"role": "no-such-role"}, {"tag": "none"}, {"ids": ""}):
        nothing = client.get("/api/export/prometheus-sd/", query)
        assert (nothing.status_code, nothing.json()) == (200, []) or query == {"ids": ""}
    for wrong in ({"port": 0}, {"port": "x"}, {"address": "ftp"}, {"ids": "1;2"}, {"room": "Hall"}):
        assert client.get("/api/export/prometheus-sd/", wrong).status_code == 400


def test_targets_are_chosen_by_role_tag_rack_and_id(machine: Device, as_role: SignIn) -> None:
    client = as_role(Role.VIEWER)
    machine.tags.add(Tag.objects.create(name="burn-in"))

    def names(**query: Any) -> list[str]:
        rows = client.get("/api/export/prometheus-sd/", query).json()
        return [row["labels"]["__meta_rackside_name"] for row in rows]

    assert names(tag="burn-in") == names(ids=str(machine.pk)) == [machine.name]
    assert machine.name in names(rack=machine.placement.rack_id) and machine.name in names(role="compute")
    assert set(names(kind="switch")) == set(Device.objects.filter(kind="switch").values_list("name", flat=True))
    Device.objects.filter(pk=machine.pk).update(status="retired")
    assert machine.name not in names() and machine.name in names(status="retired")


# ---- Ansible ----


def test_every_host_of_the_inventory_is_in_groups_and_every_group_has_known_hosts(
    two_sites: Sites, as_role: SignIn
) -> None:
    body = as_role(Role.VIEWER).get("/api/export/ansible/").json()
    hosts = body["_meta"]["hostvars"]
    assert len(hosts) == Device.objects.filter(kind__in=("machine", "switch")).count()
    groups = {name: group for name, group in body.items() if name != "_meta"}
    assert all(set(group) <= {"hosts", "children", "vars"} for group in groups.values())
    assert {host for group in groups.values() for host in group.get("hosts", ())} == set(hosts)
    assert {child for group in groups.values() for child in group.get("children", ())} <= set(groups)
    assert {"site_north", "site_south", "kind_machine", "role_compute"} <= set(groups)


@pytest.fixture
def server(two_sites: Sites, as_role: SignIn) -> Iterator[str]:
    """Hands out the inventory to whoever has the token, as the real one does."""
    body = as_role(Role.VIEWER).get("/api/export/ansible/").content

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.headers["Authorization"] == "Token right" and self.path.endswith("?role=compute&site=north")
            answer = body if known else json.dumps({"error": {"message": "No such token."}}).encode()
            self.send_response(200 if known else 401)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    made = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=made.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    thread.join()
    made.server_close()


def script(*args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": os.environ["PATH"], **environment}
    return subprocess.run([sys.executable, "-I", SCRIPT, *args], env=clean, capture_output=True, text=True, timeout=30)


def test_the_inventory_script_prints_what_the_server_says_and_never_an_empty_fleet_instead(
    server: str, machine: Device
) -> None:
    right = {
        "RACKSIDE_URL": server, "RACKSIDE_TOKEN": "right", "RACKSIDE_SITE": "north", "RACKSIDE_FILTER": "role=compute",
    }  # fmt: skip
    listed = json.loads(script("--list", **right).stdout)
    assert listed["_meta"]["hostvars"][machine.name] == json.loads(script("--host", machine.name, **right).stdout)
    assert json.loads(script("--host", "nobody", **right).stdout) == {}
    for wrong, words in (
        ({**right, "RACKSIDE_TOKEN": "wrong"}, "401: No such token."),
        ({**right, "RACKSIDE_URL": "http://127.0.0.1:1"}, "refused"),
        ({}, "RACKSIDE_URL"),
    ):
        failed = script("--list", **wrong)
        assert failed.returncode == 1 and failed.stdout == "" and words in failed.stderr


# ---- the others ----


def test_the_node_name_map_names_every_infiniband_switch_and_on_request_the_adapters(
    two_sites: Sites, machine: Device, as_role: SignIn
) -> None:
    client = as_role(Role.VIEWER)
    leaf = Switch.objects.filter(fabric="infiniband").select_related("device").first()
    assert leaf is not None
    Switch.objects.filter(pk=leaf.pk).update(node_guid="0xb83fd2030000aa01")
    text = client.get("/api/export/node-name-map/").content.decode()
    assert f'0xb83fd2030000aa01 "{leaf.device.name}"' in text.splitlines()
    named = {line.split('"')[1] for line in text.splitlines() if line.startswith("0x")}
    named |= {line[2:].partition(":")[0] for line in text.splitlines() if line.startswith("#")}
    assert named == set(Switch.objects.filter(fabric="infiniband").values_list("device__name", flat=True))
    port = Port.objects.filter(device=machine, kind="infiniband").order_by("id").first()
    assert port is not None
    Port.objects.filter(pk=port.pk).update(guid="0xb83fd2030000bb01")
    more = client.get("/api/export/node-name-map/", {"machines": "true", "site": "north"}).content.decode()
    assert f'0xb83fd2030000bb01 "{machine.name} {port.name}"' in more.splitlines()


def test_the_cable_list_has_every_cable_once_with_the_ports_it_is_plugged_into(
    two_sites: Sites, as_role: SignIn
) -> None:
    client = as_role(Role.VIEWER)
    text = client.get("/api/export/cable-list.csv").content.decode("utf-8-sig")
    lines = {line["label"]: line for line in csv.DictReader(io.StringIO(text, newline=""))}
    assert set(lines) == set(Cable.objects.values_list("label", flat=True))
    end = StrandEnd.objects.filter(connector__side="A").select_related("port__device", "connector__cable")[0]
    line = lines[end.connector.cable.label]
    assert end.port.name in line["A port"].split(" + ") and line["A device"] == end.port.device.name
    only = client.get("/api/export/cable-list.csv", {"device": end.port.device_id}).content.decode("utf-8-sig")
    for line in csv.DictReader(io.StringIO(only, newline="")):
        assert end.port.device.name in (line["A device"], line["B device"])
    assert len(only.splitlines()) > 1
    prefix = client.get("/api/export/cable-list.csv", {"label": end.connector.cable.label.lower()}).content.decode()
    assert end.connector.cable.label in prefix
    Cable.objects.filter(pk=end.connector.cable_id).update(status="removed")
    assert end.connector.cable.label not in client.get("/api/export/cable-list.csv").content.decode().splitlines()[1:2]


def test_labels_are_printed_for_what_was_asked_and_too_many_are_refused(
    machine: Device, as_role: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = as_role(Role.VIEWER)
    answer = client.get("/api/labels/machines.pdf", {"ids": str(machine.pk), "layout": "roll-62"})
    (page,) = pages(answer.content)
    assert page.texts[0] == machine.name and page.codes[0].says(f"http://localhost:8000/machines/{machine.pk}")
    assert answer.headers["Content-Disposition"] == 'inline; filename="machine-labels.pdf"'
    (cables,) = pages(
        client.get("/api/labels/cables.pdf", {"device": str(machine.pk), "layout": "avery-l4731"}).content
    )
    ends = StrandEnd.objects.filter(connector__cable__connectors__ends__port__device=machine)
    assert len(cables.codes) == len({end.connector_id for end in ends})
    assert client.get("/api/labels/machines.pdf", {"layout": "napkin"}).status_code == 400
    monkeypatch.setattr("inventory.papers.api.MAX_LABELS", 1)
    refused = client.get("/api/labels/machines.pdf")
    assert refused.status_code == 400 and "Narrow it down" in json.dumps(refused.json())
