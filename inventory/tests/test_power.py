"""Power out of the database: racks, floors when a feed dies, sites, machines; numbers by hand and constant queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from core.models import Site
from inventory.fleet.load import load
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Cable, Component, Device, DeviceModel, Installation, Pdu, Port, PowerFeed, Rack
from inventory.power.failures import fail
from inventory.power.queries import rack_graph, site_graph
from inventory.power.readings import store_readings

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(as_role: Callable[..., APIClient]) -> APIClient:
    return as_role("viewer")


def get(client: APIClient, path: str, **query: Any) -> Any:
    answer = client.get(path, query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def rack_power(client: APIClient, name: str, **query: Any) -> Any:
    return get(client, f"/api/racks/{Rack.objects.get(name=name).pk}/power/", **query)


def failure(client: APIClient, feed: str, **query: Any) -> Any:
    return get(client, "/api/floor/feed-failure/", feed=PowerFeed.objects.get(name=feed).pk, **query)


def names(devices: list[dict[str, Any]]) -> set[str]:
    return {device["name"] for device in devices}


def uncord(device: str, *inlets: str) -> None:
    Cable.objects.filter(connectors__ends__port__device__name=device, connectors__ends__port__name__in=inlets).delete()


# ---- a rack ----


def test_a_rack_tells_its_feeds_its_failures_and_how_safe_each_device_is(small: Path, viewer: APIClient) -> None:
    found = rack_power(viewer, "A01")
    switches = {"leaf-a01-r1": 1720, "mgmt-a01": 100}
    drawn = 4 * 10_200 + sum(switches.values())
    others = [d for d in found["devices"] if d["name"] not in switches and not d["name"].startswith("hgx")]
    drawn += sum(device["planned_w"] for device in others)
    assert (found["planned_w"], found["limit_w"], found["over_limit"]) == (drawn, 57_500, False)
    assert [(each["feed"]["name"], each["side"]) for each in found["feeds"]] == [("a01-a", "A"), ("a01-b", "B")]
    for each in found["feeds"]:
        assert (each["planned_w"], each["rack_w"], each["derated_w"]) == (drawn / 2, drawn / 2, 57_504)
        assert each["share"] == round(drawn / 2 / 57_504.05, 4)
    assert [(each["feed"]["name"], each["carries_w"], each["trips"]) for each in found["failure"]] == [
        ("a01-b", drawn, False), ("a01-a", drawn, False),
    ]  # fmt: skip
    machine = next(device for device in found["devices"] if device["name"] == "hgx-a01-01")
    assert (machine["redundancy"], machine["loses_power_if"], len(machine["inputs"])) == ("2N", [], 6)
    assert machine["inputs"][3]["pdu"]["name"] == "pdu-a01-b"
    assert machine["inputs"][3]["outlet"].startswith("C19")


def test_a_rack_with_one_feed_loses_its_machines_and_says_so(two_sites: tuple[Site, Site], viewer: APIClient) -> None:
    """Half of the supplies are corded to A, nobody wrote down the others: what becomes of the machine is unknown."""
    found = rack_power(viewer, "A01")
    machine = next(device for device in found["devices"] if device["name"] == "hgx-a01-01")
    assert machine["redundancy"] == "unknown"
    assert [each["feed"] and each["feed"]["name"] for each in machine["inputs"]] == ["A", "A", "A", None, None, None]
    assert found["feeds"][0]["derated_w"] is None and found["feeds"][0]["share"] is None
    assert names(failure(viewer, "A")["unknown"]) >= {"hgx-a01-01", "hgx-a01-02"}


def test_a_rack_that_would_trip_is_told_before_the_feed_dies(small: Path, viewer: APIClient) -> None:
    PowerFeed.objects.filter(name="a02-b").update(current_a=63)  # 36,228 W for 42,000 W
    rows = rack_power(viewer, "A02")["failure"]
    assert {(each["fails"][0]["name"], each["feed"]["name"], each["trips"]) for each in rows} == {
        ("a02-a", "a02-b", True), ("a02-b", "a02-a", False),
    }  # fmt: skip
    found = failure(viewer, "a02-a")
    (trip,) = found["trips"]
    assert (trip["rack_name"], trip["feed"]["name"], trip["derated_w"]) == ("A02", "a02-b", 36_228)
    states = {each["name"]: each["state"] for each in found["racks"]}
    assert states["A02"] == "trips" and set(states.values()) == {"trips", "degraded"}


def test_the_derating_of_a_feed_can_be_changed(small: Path, viewer: APIClient) -> None:
    PowerFeed.objects.filter(name="a02-b").update(derating_percent=50)  # 35,940 W
    assert [each["feed"]["name"] for each in failure(viewer, "a02-a")["trips"]] == ["a02-b"]


def test_a_feed_without_a_size_neither_trips_nor_holds(small: Path, viewer: APIClient) -> None:
    PowerFeed.objects.filter(name="a02-b").update(current_a=None)
    Pdu.objects.filter(device__name="pdu-a02-b").update(limit_w=None)
    rows = {each["feed"]["name"]: each["trips"] for each in rack_power(viewer, "A02")["failure"]}
    assert rows == {"a02-a": False, "a02-b": None}
    states = {each["name"]: each["state"] for each in failure(viewer, "a02-a")["racks"]}
    assert (states["A02"], states["A03"]) == ("unknown", "degraded")


# ---- a floor ----


def test_the_death_of_a_side_degrades_everything_and_of_one_feed_only_its_rack(small: Path, viewer: APIClient) -> None:
    both = failure(viewer, "a01-a")
    assert {each["state"] for each in both["racks"]} == {"degraded"}
    assert (both["lost"], both["unknown"], both["trips"]) == ([], [], [])
    assert len(both["degraded"]) == Device.objects.exclude(kind="pdu").count()
    alone = failure(viewer, "a01-a", together="feed")
    assert {each["name"] for each in alone["racks"] if each["state"] != "ok"} == {"A01"}
    assert [each["name"] for each in alone["dead"]] == ["a01-a"]


def test_a_machine_with_both_halves_on_one_side_is_lost_and_a_missing_cord_is_never_safe(
    small: Path, viewer: APIClient
) -> None:
    Pdu.objects.filter(device__name="pdu-a01-b").update(feed=PowerFeed.objects.get(name="a01-a"))
    uncord("hgx-a02-01", "PSU 4")
    found = failure(viewer, "a01-a")
    assert names(found["lost"]) >= {"hgx-a01-01", "hgx-a01-04", "mgmt-a01"}
    assert names(found["unknown"]) == {"hgx-a02-01"}
    states = {each["name"]: each["state"] for each in found["racks"]}
    assert (states["A01"], states["A02"], states["A03"]) == ("lost", "unknown", "degraded")
    machine = next(d for d in rack_power(viewer, "A01")["devices"] if d["name"] == "hgx-a01-01")
    assert machine["redundancy"] == "N+1"
    assert names(machine["loses_power_if"]) == {"a01-a"}


@pytest.mark.parametrize(("status", "state"), [("planned", "unknown"), ("removed", "unknown"), ("to_move", "degraded")])
def test_only_a_cord_that_is_plugged_in_carries_power(small: Path, viewer: APIClient, status: str, state: str) -> None:
    ends = {"connectors__ends__port__device__name": "mgmt-a01", "connectors__ends__port__name": "PSU 2"}
    Cable.objects.filter(**ends).update(status=status)
    assert "mgmt-a01" in names(failure(viewer, "a01-a")[state])


def test_a_room_shows_only_its_own_racks(two_sites: tuple[Site, Site], viewer: APIClient) -> None:
    store = Rack.objects.get(name="S01").room_id
    found = failure(viewer, "A", room=store)
    assert [each["name"] for each in found["racks"]] == ["S01"]
    assert (found["lost"], found["degraded"], found["unknown"]) == ([], [], [])


# ---- what is measured ----


def test_a_reading_counts_until_it_is_stale_and_then_is_unknown_not_zero(small: Path, viewer: APIClient) -> None:
    machine = Device.objects.get(name="hgx-a01-01")
    assert rack_power(viewer, "A01")["measured_w"] is None
    now = timezone.now()
    store_readings([(machine.pk, 4000, now)])
    found = rack_power(viewer, "A01")
    assert (found["measured_w"], found["measured_devices"]) == (found["planned_w"] - 10_200 + 4000, 1)
    assert found["feeds"][0]["measured_w"] == round(found["feeds"][0]["planned_w"] - 3100)
    store_readings([(machine.pk, 9, now - timedelta(seconds=1))])  # an older one changes nothing
    assert rack_power(viewer, "A01")["measured_w"] == found["measured_w"]
    machine.power_reading.at = now - timedelta(hours=1)
    machine.power_reading.save()
    stale = rack_power(viewer, "A01")
    assert (stale["measured_w"], stale["feeds"][0]["measured_w"]) == (None, None)
    assert next(d for d in stale["devices"] if d["id"] == machine.pk)["measured_w"] is None


def test_a_machine_that_is_off_was_measured_at_zero(small: Path, viewer: APIClient) -> None:
    machine = Device.objects.get(name="hgx-a01-01")
    store_readings([(machine.pk, 0, timezone.now())])
    found = rack_power(viewer, "A01")
    assert next(d for d in found["devices"] if d["id"] == machine.pk)["measured_w"] == 0


# ---- a site ----


def test_the_summary_counts_what_fails_with_each_feed_and_what_nobody_knows(small: Path, viewer: APIClient) -> None:
    site = Site.objects.get().pk
    found = get(viewer, "/api/power/summary/", site=site)
    assert {each["side"]: each["planned_w"] for each in found["sides"]}.keys() == {"A", "B"}
    devices = Device.objects.exclude(kind="pdu").count()
    assert found["redundancy"] == {"2N": devices, "N+1": 0, "single": 0, "unknown": 0}
    assert set(found["unknown"].values()) == {0}
    assert (found["pdus_over_limit"], found["racks_over_limit"]) == ([], [])
    for feed in found["feeds"]:
        assert feed["fails"] == {"lost": 0, "degraded": feed["devices"], "unknown": 0, "trips": 0}
        assert feed["panel"]["name"] == f"Board A-{feed['side']}"
    Rack.objects.filter(name="A01").update(power_limit_w=30_000)
    uncord("hgx-a02-01", *(f"PSU {n}" for n in range(1, 7)))
    DeviceModel.objects.filter(slug="nvidia-sn2201").update(power_w=0)
    worse = get(viewer, "/api/power/summary/", site=site)
    assert names(worse["racks_over_limit"]) == {"A01"}
    assert worse["unknown"]["devices_without_cords"] == 1
    assert worse["unknown"]["adrift_w"] == 10_200
    assert worse["unknown"]["devices_without_draw"] == Device.objects.filter(model__slug="nvidia-sn2201").count()


@pytest.mark.slow
def test_the_reference_fleet_survives_either_side_without_a_breaker_tripping(db: None, tmp_path: Path) -> None:
    """140 machines fill racks of every kind: compute, network, part of a unit."""
    path = tmp_path / "fleet.yaml"
    path.write_text(fleet_file(140))
    load(path)
    graph = site_graph(Site.objects.get().pk)
    for dead in {graph.failing_with(feed) for feed in graph.feeds}:
        found = fail(graph, dead)
        assert not found.overloads and not found.unsized
        assert len(found.states["degraded"]) == len(graph.devices)
    planned: Counter[int] = Counter()
    for device in graph.devices.values():
        planned[device.rack_id or 0] += int(device.planned_w or 0)
    over = [rack.name for rack in Rack.objects.all() if planned[rack.pk] > (rack.power_limit_w or 0)]
    assert over == []


def test_a_rack_alone_is_told_the_same_as_within_its_site(small: Path) -> None:
    site = Site.objects.get().pk
    whole = site_graph(site)
    for rack in Rack.objects.all():
        part = rack_graph(site, rack.pk)
        here = {pk: d for pk, d in part.devices.items() if d.rack_id == rack.pk}
        assert here == {pk: d for pk, d in whole.devices.items() if d.rack_id == rack.pk}
        for feed in {feed for device in here.values() for feed in part.feeds_of(device)}:
            assert part.planned.feeds[feed] == whole.planned.feeds[feed]


def test_a_strip_behind_a_pdu_is_followed_to_its_feed(small: Path, viewer: APIClient) -> None:
    """A PDU without a feed of its own, whose inlet is corded to another one."""
    strip = Device.objects.get(name="pdu-a01-b")
    Pdu.objects.filter(device=strip).update(feed=None)
    inlet = Port.objects.create(device=strip, name="Inlet", kind="power_in")
    outlet = Port.objects.get(device__name="pdu-a02-b", name="C19 12")
    uncord("pdu-a02-b", "C19 12")
    cable = Cable.objects.create(site=strip.site, label="strip", type="C19-C20")
    for side, port in (("A", outlet), ("B", inlet)):
        cable.connectors.create(side=side).ends.create(port=port)
    machine = next(d for d in rack_power(viewer, "A01")["devices"] if d["name"] == "hgx-a01-01")
    assert {each["feed"]["name"] for each in machine["inputs"]} == {"a01-a", "a02-b"}
    assert machine["redundancy"] == "2N"


# ---- inside a machine ----


def test_the_power_inside_a_model_and_with_the_parts_that_are_installed(
    two_sites: tuple[Site, Site], viewer: APIClient, tmp_path: Path
) -> None:
    path = tmp_path / "fleet.yaml"
    path.write_text(
        "rackside_fleet: 1\nsite: {slug: east, name: East}\nrooms:\n"
        "  - {name: R, width_mm: 9, depth_mm: 9, racks: [{name: X, x_mm: 0, y_mm: 0}]}\n"
        "devices:\n  - {name: tower, model: tower-4x-l40s, racks: X, u: 1}\n"
    )
    load(path)
    planned = get(viewer, "/api/device-models/tower-4x-l40s/power/")
    assert (planned["planned"], planned["findings"]) == (True, [])
    assert planned["supply"] == {"draw_w": 2000, "rated_w": 2800, "usable_w": 2240, "headroom_percent": 20}
    gpu = next(slot for slot in planned["slots"] if slot["slot"] == "GPU 2")
    assert gpu["connectors"] == [{"number": 1, "connector": "12v-2x6", "max_w": 600, "sockets": ["PCIe 3"]}]
    tower = Device.objects.get(name="tower")
    assert get(viewer, f"/api/devices/{tower.pk}/power/")["findings"] == []  # no parts are known: as planned
    for number in range(4):
        part = Component.objects.create(site=tower.site, kind="gpu", attributes={"power_limit_w": "600.00 W"})
        Installation.objects.create(component=part, device=tower, slot=f"GPU {number}", during=(timezone.now(), None))
    found = get(viewer, f"/api/devices/{tower.pk}/power/")
    assert (found["device"]["name"], found["supply"]["draw_w"]) == ("tower", 2550)
    assert [(each["severity"], each["code"]) for each in found["findings"]] == [("warning", "no_headroom")]


def test_the_power_of_a_stored_model_that_cannot_be_used_is_refused_with_the_reason(
    two_sites: tuple[Site, Site], viewer: APIClient
) -> None:
    device = Device.objects.get(name="hgx-a01-01")
    paths = (f"/api/device-models/{device.model.slug}/power/", f"/api/devices/{device.pk}/power/")
    for spec, words in (({**device.model.spec, "psu_count": -1}, "psu_count"), (7, "spec")):
        DeviceModel.objects.filter(pk=device.model_id).update(spec=spec)
        for path in paths:
            answer = viewer.get(path)
            error = answer.json()["error"]
            assert (answer.status_code, error["code"]) == (409, "unusable_model")
            assert device.model.slug in error["message"] and words in error["message"]


# ---- rights, bad input, queries ----


def test_another_sites_power_is_not_told(two_sites: tuple[Site, Site], as_role: Callable[..., APIClient]) -> None:
    south = as_role("viewer", site=two_sites[1])
    feed, rack = PowerFeed.objects.get(name="A"), Rack.objects.get(name="A01")
    device = Device.objects.get(name="hgx-a01-01")
    for path in (
        f"/api/racks/{rack.pk}/power/", f"/api/floor/feed-failure/?feed={feed.pk}",
        f"/api/power/summary/?site={two_sites[0].pk}", f"/api/devices/{device.pk}/power/",
    ):  # fmt: skip
        assert south.get(path).status_code == 404
    vault = Rack.objects.get(name="K01").room_id
    assert as_role("viewer").get(f"/api/floor/feed-failure/?feed={feed.pk}&room={vault}").status_code == 404


@pytest.mark.parametrize(
    ("path", "field"),
    [("/api/floor/feed-failure/", "feed"), ("/api/floor/feed-failure/?feed=x", "feed"), ("/api/power/summary/", "site"),
     ("/api/power/summary/?site=9999999999999999999", "site"), ("/api/power/summary/?site=-1", "site"),
     ("/api/power/summary/?site={site}&together=all", "together")],
)  # fmt: skip
def test_what_is_asked_wrongly_is_refused_by_field(
    two_sites: tuple[Site, Site], viewer: APIClient, path: str, field: str
) -> None:
    answer = viewer.get(path.replace("{site}", str(two_sites[0].pk)))
    assert (answer.status_code, list(answer.json()["error"]["fields"])) == (400, [field])


@pytest.mark.slow
def test_the_number_of_queries_does_not_grow_with_the_site(tmp_path: Path, viewer: APIClient) -> None:
    taken = []
    for machines in (4, 60):
        path = tmp_path / f"{machines}.yaml"
        path.write_text(fleet_file(machines).replace("slug: north", f"slug: s{machines}"))
        load(path)
        site = Site.objects.get(slug=f"s{machines}")
        rack = Rack.objects.get(name="A01", room__site=site)
        feed = PowerFeed.objects.get(name="a01-a", site=site)
        counts = []
        for url in (
            f"/api/racks/{rack.pk}/power/", f"/api/floor/feed-failure/?feed={feed.pk}",
            f"/api/power/summary/?site={site.pk}", f"/api/power/summary/?site={site.pk}&together=feed",
        ):  # fmt: skip
            viewer.get(url)
            with CaptureQueriesContext(connection) as seen:
                assert viewer.get(url).status_code == 200
            counts.append(len(seen))
        taken.append(counts)
    assert taken[0] == taken[1]
    assert max(taken[0]) <= 12
