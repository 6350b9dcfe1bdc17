"""Links, their history, heat, events and burn-ins over REST: own site only, constant statements, honest gaps."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from core.models import Role, Site
from core.services import ensure_user
from fabric.facts import Seen
from fabric.formats.ufm_events import UfmEvent
from fabric.models import BurnIn, FabricSource, Incident, LinkQuality, Measurement, SeenNode
from fabric.quality.counters import Reading
from fabric.quality.services import events
from fabric.quality.services import rounds as quality
from fabric.tests.quality.made_rounds import CLEAN, LEAF, SPINE, cables, port, source
from inventory.models import Device, DeviceModel, Placement, Rack, Room
from inventory.tests.full_inventory import stream

pytestmark = pytest.mark.django_db
KEY = f"{LEAF}_2:{SPINE}_2"
NOW = timezone.now()


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def rounds(where: FabricSource, count: int = 3, size: int = 3, heat: float | None = 61.0) -> None:
    """The last rounds, five minutes apart; link 2 makes many errors."""
    for n in range(count):
        at = NOW - timedelta(minutes=5 * (count - 1 - n))
        links = cables(size)
        readings = {
            end: Reading(at, CLEAN | ({"symbol_errors": 9000 * n} if end == port(SPINE, 2) else {}), optic_c=heat)
            for link in links
            for end in link[:2]
        }
        quality.record(where.pk, Seen(links=links), readings, at)


@pytest.fixture
def west() -> FabricSource:
    where = source()
    rounds(where)
    return where


def client(role: str = Role.VIEWER, site: Site | None = None) -> APIClient:
    user, _ = ensure_user(f"{role}-{site.slug if site else 'all'}", role=role, site=site)
    found = APIClient()
    found.force_authenticate(user)
    return found


def get(path: str, who: APIClient | None = None, status: int = 200, **query: Any) -> Any:
    answer = (who or client()).get(f"/api/fabric/{path}", query)
    assert answer.status_code == status, answer.content[:500]
    return answer.json()


def test_the_worst_link_comes_first_and_filters_narrow(west: FabricSource) -> None:
    answer = get("links/", order="worst", window="5m", site=west.site_id)
    row = answer["results"][0]
    assert row["key"] == KEY and answer["count"] == 3
    assert row["quality"] == "bad" and row["bad_since"] and row["b"]["guid"] == SPINE and row["b"]["port"] == 2
    assert row["errors_per_h"]["5m"] == pytest.approx(108_000)
    assert get("links/", state="bad")["count"] == 1 and get("links/", bad=False)["count"] == 2
    assert get("links/", state="ok,watch")["count"] == 2 and get("links/", site=99_999)["count"] == 0
    get("links/", window="2h", status=400)


def test_one_link_tells_measures_limits_and_rates(west: FabricSource) -> None:
    row = get(f"links/{KEY}/")
    assert row["measures"][0]["name"] == "symbol_errors" and row["limits"]["symbol_errors_bad_per_h"] == 120
    assert row["rates"]["5m"]["b"]["counts"] == {"symbol_errors": 9000} and row["max_c"] == 61.0
    get("links/nothing_1:nothing_2/", status=404)


def test_a_history_has_a_chart_for_what_was_told_and_none_for_the_rest(west: FabricSource) -> None:
    span: dict[str, Any] = {"from": (NOW - timedelta(hours=1)).isoformat()}
    told = get(f"links/{KEY}/history/", **span)
    charts = {chart["name"]: chart for chart in told["charts"]}
    assert set(charts) == {"symbol_errors", "link_downed", "optic_c"}
    points = charts["symbol_errors"]["series"][1]["points"]
    assert [value for _, value in points] == [None, pytest.approx(108_000), pytest.approx(108_000)]
    assert charts["symbol_errors"]["limit"] == 120


@pytest.mark.parametrize(
    "span", [{"from": "yesterday"}, {"from": "2026-03-02T00:00:00Z", "to": "2026-03-01T00:00:00Z"},
             {"from": "2025-01-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}],
)  # fmt: skip
def test_a_span_that_makes_no_sense_is_refused(west: FabricSource, span: dict[str, Any]) -> None:
    get(f"links/{KEY}/history/", status=400, **span)


def test_the_csv_has_every_sample_of_both_ends(west: FabricSource) -> None:
    answer = client().get(f"/api/fabric/links/{KEY}/history/", {"as": "csv"})
    rows = list(csv.DictReader(io.StringIO(stream(answer).decode())))
    assert len(rows) == 6 and answer["Content-Type"].startswith("text/csv")
    last = rows[-1]
    assert (last["end"], last["guid"], last["new_symbol_errors"], last["optic_c"]) == ("b", SPINE, "9000", "61.0")


def test_nobody_sees_the_links_events_or_runs_of_another_site(west: FabricSource) -> None:
    east = source(Site.objects.create(slug="east", name="East"))
    rounds(east)
    events.store(west.pk, [UfmEvent(1, NOW, "907", "Switch is down", "", "", "", "", "", LEAF)])
    BurnIn.objects.create(site=west.site, source=west, created_by="olga")
    local = client(site=east.site)
    assert {row["source"] for row in get("links/", local)["results"]} == {east.pk}
    assert get(f"links/{KEY}/", local)["source"] == east.pk
    for path in ("events/", "incidents/", "burn-ins/", "measurements/"):
        assert get(path, local)["count"] == 0, path
    get(f"incidents/{Incident.objects.get().pk}/", local, status=404)
    get("heat/", local, status=400, site=west.site_id)


def test_lists_take_the_same_statements_for_any_number_of_rows(west: FabricSource) -> None:
    who = client()
    get("links/", who)
    counts = []
    for size in (3, 40):
        LinkQuality.objects.all().delete()
        west.rounds.all().delete()
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM fabric_portsample")
        rounds(west, size=size)
        with CaptureQueriesContext(connection) as captured:
            assert len(get("links/", who, page_size=100)["results"]) == size
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_measuring_a_link_anew_takes_an_operator(west: FabricSource) -> None:
    path = f"/api/fabric/links/{KEY}/measure/"
    assert client().post(path, {}).status_code == 403
    answer = client("operator").post(path, {"seconds": 30}, format="json")
    assert answer.status_code == 202 and answer.json()["before"]["state"] == "bad"
    assert Measurement.objects.get().seconds == 30
    assert get(f"links/{KEY}/")["measurements"][0]["id"] == Measurement.objects.get().pk
    assert client("operator").post(path, {"seconds": 0}, format="json").status_code == 400


def switch(where: FabricSource, guid: str, rack: Rack, u: int) -> Device:
    model, _ = DeviceModel.objects.get_or_create(
        slug="qm9700", defaults={"vendor": "NVIDIA", "name": "QM9700", "kind": "switch", "half_u_height": 2}
    )
    device = Device.objects.create(site=where.site, model=model, kind="switch", name=f"sw-{guid[-2:]}")
    Placement.objects.create(
        device=device, rack=rack, rack_height_u=rack.height_u, half_units=(2 * u - 1, 2 * u + 1), faces=(0, 2),
        columns=(0, 2),
    )  # fmt: skip
    SeenNode.objects.create(
        source=where, guid=guid, kind="switch", description="", ports=64, name=device.name, device=device,
        during=(NOW, None),
    )  # fmt: skip
    return device


def test_heat_is_shown_by_rack_and_height_beside_the_open_gaps() -> None:
    where = source()
    room = Room.objects.create(site=where.site, name="Hall 1", width_mm=9000, depth_mm=9000)
    rack = Rack.objects.create(room=room, name="A01", x_mm=0, y_mm=0)
    switch(where, LEAF, rack, 40)
    silent = switch(where, SPINE, rack, 37)
    at = NOW
    readings = {port(LEAF, n): Reading(at, CLEAN, optic_c=60.0 + n) for n in (1, 2, 3)}
    quality.record(where.pk, Seen(links=cables()), readings, at)
    told = get("heat/", site=where.site_id)
    assert [(row["device"], row["u"], row["port_count"], row["max_c"], row["mean_c"]) for row in told["rows"]] == [
        ("sw-a1", 40, 3, 63.0, 62.0),
        (silent.name, 37, 0, None, None),
    ]
    assert (told["gaps"][0]["u"], told["gaps"][0]["height_u"]) == (1, 36)
    assert {"rack": rack.pk, "rack_name": "A01", "u": 38, "height_u": 2, "column": "full"} in told["gaps"]


def test_an_incident_is_closed_by_an_operator_with_a_reason_and_once(west: FabricSource) -> None:
    events.store(west.pk, [UfmEvent(1, NOW, "907", "Switch is down", "", "", "leaf-1", "", "", LEAF)])
    row = get("incidents/", open=True)["results"][0]
    assert row["grave"] == ["switch is down"] and row["events"] == 1 and row["waits_for"] == [[907, None]]
    assert get("events/", incident=row["id"])["results"][0]["never_dropped"]
    path = f"/api/fabric/incidents/{row['id']}/close/"
    assert client().post(path, {"reason": "x"}).status_code == 403
    assert client("operator").post(path, {}).status_code == 400
    assert client("operator").post(path, {"reason": "taken out"}).json()["closed_by"] == "operator-all"
    assert client("operator").post(path, {"reason": "again"}).status_code == 409


def test_a_burn_in_is_planned_started_and_stopped_over_rest(west: FabricSource) -> None:
    operator = client("operator")
    body = {"source": west.pk, "settings": {"stage_s": 30}}
    assert client().post("/api/fabric/burn-ins/", body, format="json").status_code == 403
    wrong = {"source": west.pk, "settings": {"stage_s": 5000}}
    assert operator.post("/api/fabric/burn-ins/", wrong, format="json").status_code == 400
    made = operator.post("/api/fabric/burn-ins/", body, format="json")
    assert made.status_code == 202 and made.json()["status"] == "planning" and made.json()["dry_run"]
    path = f"/api/fabric/burn-ins/{made.json()['id']}/"
    assert operator.post(f"{path}start/", {}, format="json").status_code == 409, "it is not planned yet"
    BurnIn.objects.update(status="planned", links=1, gaps=[{"key": KEY, "share": 0.25, "reason": "too few machines"}])
    told = operator.get(path).json()
    assert told["uncovered_count"] == 1 and told["uncovered"][0]["a"] == {
        "device": f"0x{LEAF}",
        "guid": LEAF,
        "port": 2,
    }
    assert operator.post(f"{path}start/", {}, format="json").json()["status"] == "running"
    assert operator.post(f"{path}stop/").json()["status"] == "stopping"
    assert operator.get(f"{path}pairs/").json()["count"] == 0
