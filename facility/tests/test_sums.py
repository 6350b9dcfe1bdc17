"""What racks, rooms and sites draw, as pages and Prometheus tell it; and what of it is not known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from facility.facts import Measured, Part, Quantity
from facility.findings.models import Finding
from facility.meters import services
from facility.meters.models import Meter, MeterState
from facility.overview import rack, sums
from facility.overview.layers import LAYERS
from facility.tests.conftest import WATTS, Hall, phases
from inventory.models import Cable, DeviceModel, PowerFeed, Rack, Room

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(as_role: Callable[..., APIClient]) -> APIClient:
    return as_role("viewer")


def get(client: APIClient, path: str, **query: Any) -> Any:
    answer = client.get(f"/api/facility/{path}", query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def add_up(hall: Hall) -> None:
    sums.add_up_site(hall.site.pk, timezone.now())


def floor(client: APIClient) -> dict[str, Any]:
    found: dict[str, Any] = get(client, "floor/", room=Room.objects.get().pk)
    return {**found, "by_name": {each["name"]: each for each in found["racks"]}}


def rack_of(client: APIClient, name: str) -> Any:
    return get(client, f"racks/{Rack.objects.get(name=name).pk}/")


def kinds(rack: str = "") -> set[str]:
    rows = Finding.objects.filter(closed_at=None)
    return set((rows.filter(rack__name=rack) if rack else rows).values_list("kind", flat=True))


def test_a_rack_draws_what_its_pdus_say_and_the_room_the_sum_of_its_racks(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    add_up(hall)
    found = floor(viewer)
    rack = found["by_name"]["A01"]
    assert (rack["power_w"], rack["at_least"], rack["state"]) == (4 * WATTS, False, "ok")
    assert rack["share"] == pytest.approx(4 * WATTS / 57_500)
    assert (rack["inlet_c"], rack["delta_t_c"], rack["hottest_gpu_c"], rack["slowed"]) == (22, 15, 62, 0)
    assert found["total_w"] == sum(each["power_w"] for each in found["racks"] if each["power_w"] is not None)


def test_the_floor_of_racks_and_that_of_machines_count_the_same_gpus_as_slowed(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    hot, limited, busy = hall.machines[:3]
    hall.tell_machine(hot, slowed_hot=2.0, slowed_braked=1.0, slowed_capped=8.0)
    hall.tell_machine(limited, cap_w=500.0, slowed_capped=8.0)
    hall.tell_machine(busy, slowed_capped=8.0)
    add_up(hall)
    assert floor(viewer)["by_name"]["A01"]["slowed"] == 2 + 8
    (layer,) = (each for each in LAYERS if each.layer.key == "slowed")
    machines = dict(layer.values(Room.objects.get().pk, timezone.now()))
    assert {pk: machines[pk] for pk in (hot.pk, limited.pk, busy.pk)} == {hot.pk: 2, limited.pk: 8, busy.pk: 0}


def test_slowed_gpus_of_a_rack_are_at_least_so_many_while_a_machine_of_it_does_not_tell(
    hall: Hall, viewer: APIClient
) -> None:
    hall.tell_all()
    add_up(hall)
    assert floor(viewer)["by_name"]["A01"]["slowed_at_least"] is False
    hall.tell_machine(hall.machines[0], slowed_hot=2.0)
    MeterState.objects.filter(meter__device=hall.machines[1].device).delete()
    add_up(hall)
    racks = floor(viewer)["by_name"]
    assert (racks["A01"]["slowed"], racks["A01"]["slowed_at_least"]) == (2, True)
    assert (racks["A02"]["slowed"], racks["A02"]["slowed_at_least"]) == (0, False)
    MeterState.objects.filter(meter__kind="machine").delete()
    add_up(hall)
    racks = floor(viewer)["by_name"]
    assert (racks["A02"]["slowed"], racks["A02"]["slowed_at_least"]) == (None, True)


def test_a_rack_with_a_silent_pdu_is_known_by_its_bmcs_and_never_smaller_than_it_is(
    hall: Hall, viewer: APIClient
) -> None:
    hall.tell_all()
    hall.tell_pdu("pdu-a01-b", None)
    add_up(hall)
    rack = floor(viewer)["by_name"]["A01"]
    assert rack["power_w"] >= 4 * WATTS and rack_of(viewer, "A01")["method"] == "mixed"


def test_what_nobody_measured_for_long_is_unknown_and_the_sum_says_at_least(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all(timezone.now() - timedelta(minutes=30))
    hall.tell_pdu("pdu-a02-a", 18_000.0)
    add_up(hall)
    found = floor(viewer)
    assert found["by_name"]["A01"] | {"power_w": None, "state": "unknown", "inlet_c": None} == found["by_name"]["A01"]
    assert found["by_name"]["A02"]["at_least"] and found["by_name"]["A02"]["power_w"] == 18_000
    assert found["at_least"] and found["total_w"] >= 18_000


def test_the_floor_costs_the_same_statements_for_any_number_of_racks(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    add_up(hall)
    floor(viewer)
    with CaptureQueriesContext(
        connection,
    ) as before:
        floor(viewer)
    Rack.objects.bulk_create(
        Rack(room=Room.objects.get(), name=f"Z{n:02}", x_mm=600 * n, y_mm=9_000) for n in range(20)
    )
    with CaptureQueriesContext(connection) as after:
        floor(viewer)
    assert len(after) == len(before)


def test_adding_up_costs_the_same_statements_for_any_number_of_machines(hall: Hall) -> None:
    hall.tell_all()
    add_up(hall)
    with CaptureQueriesContext(connection) as whole:
        add_up(hall)
    Meter.objects.filter(kind="machine", device__name__startswith="hgx-a01").delete()
    with CaptureQueriesContext(connection) as fewer:
        add_up(hall)
    assert len(fewer) <= len(whole) <= len(fewer) + 2
    assert sum("facility_policy" in (each["sql"] or "") for each in whole) == 1


def test_a_rack_shows_its_feeds_by_machine_its_phases_and_whether_the_other_holds(
    hall: Hall, viewer: APIClient
) -> None:
    hall.tell_all()
    hall.tell_pdu("pdu-a01-a", 2 * WATTS, *phases(36.0, 30.0, 24.0))
    add_up(hall)
    found = rack_of(viewer, "A01")
    one, other = found["feeds"]
    assert (one["side"], other["side"], one["pdu"]["name"]) == ("A", "B", "pdu-a01-a")
    assert len(one["machines"]) == 4 and sum(each["watts"] for each in one["machines"]) <= one["now_w"] + 1e-6
    assert one["carries_if_other_fails_w"] == pytest.approx(4 * WATTS) and one["holds"]
    assert [phase["current_a"] for phase in one["phases"]] == [36, 30, 24]
    assert found["imbalance_percent"] == pytest.approx(20)
    assert "phase.imbalance" in {each["kind"] for each in found["findings"]}
    machine = next(each for each in found["heights"] if each["kind"] == "machine")
    assert (machine["inlet_c"], machine["exhaust_c"], machine["power_w"]) == (22, 37, WATTS)


def test_both_feeds_measured_together_are_more_than_one_can_carry(hall: Hall) -> None:
    hall.tell_all()
    PowerFeed.objects.filter(name="a01-b").update(current_a=40)  # 22.1 kW for 33.6 kW
    add_up(hall)
    assert "pair.over" in kinds()
    PowerFeed.objects.filter(name="a01-b").update(current_a=125)
    add_up(hall)
    assert "pair.over" not in kinds()


def test_a_finding_keeps_its_first_time_and_closes_when_it_is_gone(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    machine = hall.machines[0]
    hall.tell_machine(machine, psus=[0.0, *[1_600.0] * 5])
    add_up(hall)
    (first,) = Finding.objects.filter(kind="psu.idle")
    assert "PSU.1" in first.text and first.closed_at is None
    add_up(hall)
    again = Finding.objects.get(pk=first.pk)
    assert again.since == first.since and again.seen_at > first.seen_at
    assert [each["kind"] for each in get(viewer, "findings/", kind="psu.idle")["results"]] == ["psu.idle"]
    hall.tell_machine(machine)
    add_up(hall)
    assert (
        Finding.objects.get(pk=first.pk).closed_at is not None
        and get(viewer, "findings/", kind="psu.idle")["count"] == 0
    )


def test_an_outlet_that_carries_a_load_without_a_cord_is_a_finding(hall: Hall) -> None:
    hall.tell_all()
    pdu = next(each for each in hall.pdus if each.name == "pdu-a01-a")
    corded = set(
        Cable.objects.filter(connectors__ends__port__device=pdu).values_list("connectors__ends__port_id", flat=True)
    )
    outlets = list(pdu.ports.filter(kind="power_outlet").order_by("id"))
    free = next(port for port in outlets if port.pk not in corded)
    told = [Measured(Part.OUTLET, each.name, Quantity.POWER_W, 350.0 if each == free else 0.0) for each in outlets]
    hall.tell_pdu("pdu-a01-a", 2 * WATTS, *told)
    add_up(hall)
    (found,) = Finding.objects.filter(kind="outlet.unknown", closed_at=None)
    assert "350 W" in found.text and found.part == free.name and found.rack is not None and found.rack.name == "A01"


def test_air_that_returns_through_an_open_gap_is_named_and_the_rack_says_which_units_to_close(
    hall: Hall, viewer: APIClient
) -> None:
    hall.tell_all()
    beside = [each for each in hall.machines if "-a01-" in each.device.name]
    for machine, inlet in zip(beside, (22.0, 22.4, 27.4, 28.3), strict=True):
        hall.tell_machine(machine, inlet_c=inlet)
    add_up(hall)
    assert {"recirculation", "inlet.hot"} <= kinds("A01")
    found = rack_of(viewer, "A01")
    best = found["gaps"][0]
    assert best["benefit_c"] > 0.3 and best["machines"] and best["text"].startswith("Close U")
    assert all(each["closed_c"] <= each["inlet_c"] for each in found["profile"])
    assert any(each["kind"] == "open" for each in found["heights"])
    assert best["fan_w"] is None, "no fan tells what it draws"
    for machine, inlet in zip(beside, (22.0, 22.4, 27.4, 28.3), strict=True):
        hall.tell_machine(machine, inlet_c=inlet, gpu_c=70.0, fans_w=600.0)
    best = rack_of(viewer, "A01")["gaps"][0]
    assert 10 < best["fan_w"] < 600 * len(best["machines"]) and "fans −" in best["text"]


def test_pue_is_the_sites_meter_by_what_the_racks_draw_and_unknown_without_one(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    add_up(hall)
    assert floor(viewer)["pue"] is None
    racks = sum(each["power_w"] or 0 for each in floor(viewer)["racks"])
    meter = Meter.objects.create(site=hall.site, name="main", kind="modbus", address="10.0.0.9", period_s=30)
    whole = Measured(Part.TOTAL, "site", Quantity.POWER_W, racks * 1.2)
    own = Measured(Part.TOTAL, "it", Quantity.POWER_W, racks)
    services.store([services.Told(meter.pk, timezone.now(), [whole, own], 30)])
    add_up(hall)
    assert floor(viewer)["pue"] == pytest.approx(1.2)


def test_pue_is_unknown_while_one_of_two_meters_of_the_site_is_silent(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    points = [
        Measured(Part.TOTAL, name, Quantity.POWER_W, watts) for name, watts in (("site", 600_000.0), ("it", 500_000.0))
    ]
    for name, at in (("t1", timezone.now()), ("t2", timezone.now() - timedelta(minutes=10))):
        meter = Meter.objects.create(site=hall.site, name=name, kind="modbus", address="10.0.0.9", period_s=30)
        services.store([services.Told(meter.pk, at, points, 30)])
    add_up(hall)
    assert floor(viewer)["pue"] is None
    services.store([services.Told(meter.pk, timezone.now(), points, 30)])
    add_up(hall)
    assert floor(viewer)["pue"] == pytest.approx(1.2)


def test_a_feed_whose_machines_are_measured_in_part_is_not_said_to_hold(hall: Hall, viewer: APIClient) -> None:
    hall.tell_machine(hall.machines[0])
    feed = PowerFeed.objects.get(name="a01-a")
    found = get(viewer, f"feeds/{feed.pk}/")["if_fails"]
    told = {(each["over"], each["trips"]) for each in found["carries"]}
    assert "not known" in found["text"] and told == {(None, None)}
    assert rack_of(viewer, "A01")["feeds"][0]["holds"] is None


def test_a_neutral_and_a_phase_with_a_voltage_alone_are_no_phases(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    neutral = Measured(Part.PHASE, "N", Quantity.CURRENT_A, 0.3)
    between = Measured(Part.PHASE, "L1-L2", Quantity.VOLTAGE_V, 400.0)
    hall.tell_pdu("pdu-a01-a", 2 * WATTS, *phases(20.0, 20.0, 26.0), neutral, between)
    add_up(hall)
    found = rack_of(viewer, "A01")
    assert [each["name"] for each in found["feeds"][0]["phases"]] == ["L1", "L2", "L3"]
    assert found["imbalance_percent"] == pytest.approx(18.2, abs=0.1)


def test_a_model_that_nobody_planned_or_measured_is_refused_and_not_taken_as_nothing(
    hall: Hall, viewer: APIClient
) -> None:
    model = DeviceModel.objects.create(slug="new-box", kind="machine", half_u_height=8, power_w=0, spec={})
    answer = viewer.get(f"/api/facility/room-left/?room={Room.objects.get().pk}&model={model.slug}")
    assert answer.status_code == 400 and "neither planned nor measured" in str(answer.json())


def test_feeds_are_listed_with_what_they_carry_and_one_is_a_line_from_panel_to_machines(
    hall: Hall, viewer: APIClient
) -> None:
    hall.tell_all()
    rows = {each["name"]: each for each in get(viewer, "feeds/", site=hall.site.pk)["results"]}
    assert rows["a01-a"]["now_w"] == 2 * WATTS and rows["a01-a"]["state"] == "ok" and not rows["a01-a"]["at_least"]
    found = get(viewer, f"feeds/{rows['a01-a']['id']}/")
    assert [each["kind"] for each in found["links"]][-3:] == ["feed", "pdu", "machines"]
    assert found["if_fails"]["text"] == "If side A fails, the others hold."
    assert found["if_fails"]["carries"][0]["carries_w"] >= found["links"][-2]["now_w"]


def test_the_room_tells_how_many_more_machines_it_takes_and_what_stops_the_next(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    model = hall.machines[0].device.model.slug
    found = get(viewer, "room-left/", room=Room.objects.get().pk, model=model)
    assert found["fits"] == sum(each["fits"] for each in found["racks"]) and found["text"].startswith("Room for ")
    assert found["draw_w"] >= WATTS and not found["at_least"]
    racks = {each["name"]: each for each in found["racks"]}
    assert all(each["alone"] >= each["fits"] for each in racks.values())
    full = racks["A01"]
    assert full["limited_by"] in ("rack", "phase", "feed") and "%" in full["limit"] and full["redundant"]
    assert 0 <= full["free_w"] < (full["alone"] + 1) * found["draw_w"]
    hall.tell_pdu("pdu-a01-a", None)
    unsure = next(each for each in get(viewer, "room-left/", room=Room.objects.get().pk, model=model)["racks"]
                  if each["name"] == "A01")  # fmt: skip
    assert unsure["alone"] is not None or (unsure["limited_by"], unsure["free_w"]) == ("unknown", None)
    missing = viewer.get(f"/api/facility/room-left/?room={Room.objects.get().pk}&model=no-such")
    assert missing.status_code == 404


def test_more_machines_are_held_against_the_free_units_that_room_left_counts(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    tall = DeviceModel.objects.create(slug="tall-box", kind="machine", half_u_height=12, power_w=1, spec={})
    left = get(viewer, "room-left/", room=Room.objects.get().pk, model=tall.slug)["racks"]
    places = next(each["alone"] for each in left if each["name"] == "A01" and each["limited_by"] == "units")
    for count, state in ((places, "ok"), (places + 1, "over")):
        rack = Rack.objects.get(name="A01")
        answer = get(viewer, "what-if/", question="more_machines", rack=rack.pk, model=tall.slug, count=count)
        assert {each["name"]: each["state"] for each in answer["racks"]}["A01"] == state
        assert ("by units" in answer["text"]) == (count > places), answer["text"]


def test_a_cap_that_is_not_the_models_is_one_finding_for_a_machine(hall: Hall) -> None:
    model = hall.machines[0].device.model
    model.spec = {**model.spec, "expected": {**model.spec.get("expected", {}), "gpu_power_limit_w": 700}}
    model.save()
    hall.tell_all()
    hall.tell_machine(hall.machines[0], cap_w=500.0)
    add_up(hall)
    (found,) = Finding.objects.filter(kind="cap.wrong", closed_at=None)
    assert "8 of 8 GPUs" in found.text and "500 W instead of 700 W" in found.text


def test_a_rack_says_the_same_as_when_every_meter_of_the_site_is_read(
    hall: Hall, viewer: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    hall.tell_all()
    hall.tell_pdu("pdu-a01-b", None)
    hall.tell_machine(hall.machines[0], watts=None)
    add_up(hall)
    near = {name: rack_of(viewer, name) for name in ("A01", "A02")}
    monkeypatch.setattr(rack, "_near", lambda planned, rack_id: None)
    assert {name: rack_of(viewer, name) for name in near} == near


def test_the_findings_that_stay_are_renewed_in_as_many_statements_however_many_there_are(hall: Hall) -> None:
    def counted(names: Sequence[str]) -> int:
        for name in names:
            hall.tell_pdu(name, 60_000.0)
        add_up(hall)
        before = dict(Finding.objects.filter(closed_at=None).values_list("pk", "seen_at"))
        with CaptureQueriesContext(connection) as told:
            add_up(hall)
        after = dict(Finding.objects.filter(closed_at=None).values_list("pk", "seen_at"))
        assert after.keys() == before.keys() and all(after[pk] > before[pk] for pk in before) and before
        return len(told)

    hall.tell_all()
    names = [device.name for device in hall.pdus]
    counted(names[:1])  # layouts are met for the first time
    assert counted(names[:1]) == counted(names)


@pytest.mark.parametrize(("amperes", "over", "trips"), [(63, False, False), (50, True, False), (40, True, True)])
def test_a_feed_over_what_it_may_carry_for_long_trips_only_above_the_size_of_its_breaker(
    hall: Hall, viewer: APIClient, amperes: int, over: bool, trips: bool
) -> None:
    hall.tell_all()
    PowerFeed.objects.filter(name="a01-b").update(current_a=amperes)  # at 415 V; it would carry 33.6 kW
    feed = PowerFeed.objects.get(name="a01-a")
    told = {each["name"]: each for each in get(viewer, f"feeds/{feed.pk}/")["if_fails"]["carries"]}["a01-b"]
    assert (told["over"], told["trips"]) == (over, trips)
    off = get(viewer, "what-if/", question="feed_off", feed=feed.pk)
    assert [each["trips"] for each in off["trips"] if each["name"] == "a01-b"] == ([trips] if over else [])


def test_what_if_answers_four_questions_from_what_is_measured(hall: Hall, viewer: APIClient) -> None:
    hall.tell_all()
    feed = PowerFeed.objects.get(name="a01-a")
    PowerFeed.objects.filter(name="a01-b").update(current_a=40)
    off = get(viewer, "what-if/", question="feed_off", feed=feed.pk)
    states = {each["name"]: each["state"] for each in off["racks"]}
    assert states["A01"] == "over" and states["A02"] == "ok" and off["trips"][0]["name"] == "a01-b"
    rack = Rack.objects.get(name="A02")
    model = hall.machines[0].device.model.slug
    more = get(viewer, "what-if/", question="more_machines", rack=rack.pk, model=model, count=4)
    assert {each["name"]: each["after"] - each["before"] for each in more["racks"]}["A02"] >= 4 * WATTS
    warmer = get(viewer, "what-if/", question="inlet", site=hall.site.pk, by_c=14)
    assert warmer["unit"] == "°C" and {each["state"] for each in warmer["racks"] if each["before"]} == {"over"}
    hot = hall.machines[0]
    hall.tell_machine(hot, gpu_c=86.0)
    slows = get(viewer, "what-if/", question="inlet", site=hall.site.pk, by_c=1)
    assert [each["name"] for each in slows["slowed"]] == [hot.device.name] and slows["outside"] == []
    assert len(warmer["outside"]) == len(hall.machines) and warmer["slowed"] == []
    assert {each["state_before"] for each in warmer["racks"]} == {"ok"}
    full = get(viewer, "what-if/", question="full_load", site=hall.site.pk)
    assert {each["after"] > each["before"] for each in full["racks"] if each["name"] == "A02"} == {True}
    refused = viewer.get("/api/facility/what-if/", {"question": "feed_off"})
    assert refused.status_code == 400 and "feed" in refused.json()["error"]["fields"]


def test_what_a_breaker_says_of_its_own_size_counts_and_not_a_line_of_it_twice(hall: Hall) -> None:
    hall.tell_all()
    told = {
        "A": {Quantity.CURRENT_A: 14.0, Quantity.CURRENT_LIMIT_A: 16.0}, "A:L1": {Quantity.CURRENT_A: 14.0},
        "B": {Quantity.CURRENT_LIMIT_A: 16.0}, "B:L1": {Quantity.CURRENT_A: 14.0}, "B:L2": {Quantity.CURRENT_A: 3.0},
    }  # fmt: skip
    rows = [Measured(Part.BREAKER, name, *value) for name, row in told.items() for value in row.items()]
    hall.tell_pdu("pdu-a01-a", 2 * WATTS, *rows)
    model = DeviceModel.objects.get(slug="pdu-zero-u-36c13-12c19")
    DeviceModel.objects.filter(pk=model.pk).update(spec=model.spec | {"breaker_a": 63})
    add_up(hall)
    found = Finding.objects.filter(kind="breaker.over", closed_at=None).order_by("part")
    assert [(each.part, each.values["limit"]) for each in found] == [("A", 12.8), ("B:L1", 12.8)]


def test_lines_of_an_outlet_are_no_outlets_that_nobody_recorded(hall: Hall) -> None:
    hall.tell_all()
    told = (("C19 1", 1_400.0), ("C13 20", 300.0), ("C13 20:L1", 100.0), ("C13 20:L2", 200.0))
    hall.tell_pdu(
        "pdu-a01-a", 2 * WATTS, *(Measured(Part.OUTLET, name, Quantity.POWER_W, watts) for name, watts in told)
    )
    add_up(hall)
    assert [each.part for each in Finding.objects.filter(kind="outlet.unknown", closed_at=None)] == ["C13 20"]


def test_what_is_told_between_two_lines_is_no_phase_of_its_own(hall: Hall) -> None:
    hall.tell_all()
    between = [Measured(Part.PHASE, name, Quantity.POWER_W, 740.0) for name in ("L1-L2", "L2-L3", "L3-L1")]
    hall.tell_pdu("pdu-a01-a", 2 * WATTS, *phases(40.0, 20.0, 30.0), *between)
    add_up(hall)
    found = Finding.objects.get(kind="phase.imbalance", closed_at=None)
    assert found.text == "pdu-a01-a: L1 is 33 % above the mean of 30.0 A."


def test_a_label_with_a_hyphen_in_it_is_a_phase(hall: Hall) -> None:
    hall.tell_all()
    told = [
        Measured(Part.PHASE, f"Phase-{n}", Quantity.CURRENT_A, amps) for n, amps in (("A", 40), ("B", 20), ("C", 30))
    ]
    hall.tell_pdu("pdu-a01-a", 2 * WATTS, *told)
    add_up(hall)
    assert Finding.objects.get(kind="phase.imbalance", closed_at=None).text.startswith("pdu-a01-a: Phase-A is 33 %")


def test_coolant_is_too_warm_for_the_class_that_is_written_down(hall: Hall) -> None:
    unit = Meter.objects.create(
        site=hall.site, name="cdu-1", kind="redfish_cooling", address="10.9.9.8", state="ok",
        options={"liquid_class": "W17"},
    )  # fmt: skip
    for supply_c, found in ((18.2, {"loop.class"}), (16.4, set())):
        told = [
            Measured(Part.LOOP, "secondary", Quantity.SUPPLY_C, supply_c),
            Measured(Part.SENSOR, "ambient", Quantity.DEW_POINT_C, 9.0),
        ]
        services.store([services.Told(unit.pk, timezone.now(), told, 30)])
        add_up(hall)
        rows = Finding.objects.filter(subject_name="cdu-1", closed_at=None)
        assert set(rows.values_list("kind", flat=True)) == found
