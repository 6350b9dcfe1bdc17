"""What the inventory says of air, breakers, boards and switches, from there to the findings."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from facility.facts import Measured, Part, Quantity
from facility.findings.models import Finding
from facility.overview import sums
from facility.tests.conftest import WATTS, Hall
from inventory.models import Device, DeviceModel, PowerFeed, PowerPanel, Rack
from inventory.power.queries import cords_of

pytestmark = pytest.mark.django_db
MODEL = "dell-xe9680-h100"


@pytest.fixture
def admin(as_role: Callable[..., APIClient]) -> APIClient:
    return as_role("admin")


def found(hall: Hall) -> set[tuple[str, str]]:
    """Kind and subject of what is open now."""
    sums.add_up_site(hall.site.pk, timezone.now())
    return set(Finding.objects.filter(closed_at=None).values_list("kind", "subject_name"))


def of_class(client: APIClient, name: str, air_class: str) -> DeviceModel:
    """A model like that of the hall's first machine, written over the API."""
    spec = DeviceModel.objects.get(slug=MODEL).spec | {"model": name, "air_class": air_class}
    answer = client.post("/api/device-models/", {"spec": spec}, format="json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["air_class"] == air_class
    return DeviceModel.objects.get(slug=name)


def test_machines_of_two_classes_in_the_same_air_are_found_by_their_own(hall: Hall, admin: APIClient) -> None:
    strict, wide = of_class(admin, "strict-box", "H1"), of_class(admin, "wide-box", "A4")
    one, other, plain = (machine.device for machine in hall.machines[:3])
    Device.objects.filter(pk=one.pk).update(model=strict)
    Device.objects.filter(pk=other.pk).update(model=wide)
    assert [each["slug"] for each in admin.get("/api/device-models/", {"air_class": "H1"}).json()["results"]] == [
        "strict-box"
    ]
    hall.tell_all(inlet_c=24.0)
    assert found(hall) == {("inlet.hot", one.name)}
    hall.tell_all(inlet_c=26.0)
    assert found(hall) == {("air.class", one.name)}
    assert "class H1 allows 15 to 25 °C" in Finding.objects.get(kind="air.class", closed_at=None).text
    hall.tell_all(inlet_c=38.0)
    hot = found(hall)
    assert {("air.class", one.name), ("inlet.hot", other.name), ("air.class", plain.name)} <= hot
    assert ("air.class", other.name) not in hot, "class A4 allows it"

    rack = Rack.objects.get(placements__device=one)
    page = admin.get(f"/api/facility/racks/{rack.pk}/").json()
    states = {each["device"]["name"]: each["state"] for each in page["heights"] if each["kind"] == "machine"}
    assert (states[one.name], states[other.name], states[plain.name]) == ("bad", "warn", "bad")


@pytest.mark.parametrize("air_class", ["A5", "a1", 1])
def test_a_class_that_ashrae_does_not_have_is_refused_with_the_field(
    hall: Hall, admin: APIClient, air_class: object
) -> None:
    spec = DeviceModel.objects.get(slug=MODEL).spec | {"model": "odd-box", "air_class": air_class}
    answer = admin.post("/api/device-models/", {"spec": spec}, format="json")
    assert answer.status_code == 400 and "air_class" in answer.content.decode()


# ---- breakers of a PDU ----


def breakers(*amperes: float) -> list[Measured]:
    return [Measured(Part.BREAKER, f"1:B{n}", Quantity.CURRENT_A, each) for n, each in enumerate(amperes, 1)]


def shown(client: APIClient, rack: str) -> dict[str, tuple[float | None, float | None]]:
    """Current and limit of the breakers of the first PDU of a rack, as its page has them."""
    page = client.get(f"/api/facility/racks/{Rack.objects.get(name=rack).pk}/").json()
    return {each["name"]: (each["current_a"], each["limit_a"]) for each in page["feeds"][0]["breakers"]}


def test_a_breaker_above_what_its_model_says_is_found_and_one_of_unknown_size_is_not(
    hall: Hall, admin: APIClient
) -> None:
    hall.tell_all()
    hall.tell_pdu("pdu-a01-a", 2 * WATTS, *breakers(17.0, 15.9, 12.9))
    assert found(hall) == set(), "nobody knows what they may carry"
    assert shown(admin, "A01") == {"1:B1": (17, None), "1:B2": (15.9, None), "1:B3": (12.9, None)}

    model = DeviceModel.objects.get(kind="pdu")
    spec = model.spec | {"breaker_a": 20, "breakers": {"B3": 16}}
    answer = admin.patch(f"/api/device-models/{model.slug}/", {"spec": spec}, format="json")
    assert answer.status_code == 200, answer.content
    assert found(hall) == {("breaker.over", "pdu-a01-a")}
    over = Finding.objects.filter(kind="breaker.over", closed_at=None)
    assert {each.part: each.text for each in over} == {
        "1:B1": "pdu-a01-a 1:B1 carries 17.0 A of 16.0 A.",
        "1:B3": "pdu-a01-a 1:B3 carries 12.9 A of 12.8 A.",
    }
    assert shown(admin, "A01") == {"1:B1": (17, 16), "1:B2": (15.9, 16), "1:B3": (12.9, pytest.approx(12.8))}
    hall.tell_pdu("pdu-a01-a", 2 * WATTS, *breakers(15.0, 15.9, 12.0))
    assert found(hall) == set()


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"breaker_a": 0}, "breaker_a"), ({"breakers": {"B1": -1}}, "breakers"), ({"breakers": {"B1": "x"}}, "breakers")],
)
def test_sizes_of_breakers_that_cannot_be_are_refused(
    hall: Hall, admin: APIClient, changes: dict[str, object], field: str
) -> None:
    model = DeviceModel.objects.get(kind="pdu")
    answer = admin.patch(f"/api/device-models/{model.slug}/", {"spec": model.spec | changes}, format="json")
    assert answer.status_code == 400 and field in answer.content.decode()


# ---- boards ----


def boards(hall: Hall, admin: APIClient, current_a: int | None) -> list[PowerPanel]:
    """Two boards of this size, each with a side of rack A01."""
    made = []
    for side in "ab":
        size = {"voltage_v": 415, "current_a": current_a, "phases": 3, "derating_percent": 80}
        board = {"site": hall.site.slug, "name": f"board-{side}", **size}
        known = PowerPanel.objects.filter(name=board["name"]).first()
        path = f"/api/power-panels/{known.pk}/" if known else "/api/power-panels/"
        answer = admin.patch(path, board, format="json") if known else admin.post(path, board, format="json")
        assert answer.status_code in (200, 201), answer.content
        panel = PowerPanel.objects.get(name=board["name"])
        PowerFeed.objects.filter(name=f"a01-{side}").update(panel=panel)
        made.append(panel)
    return made


def test_a_board_is_held_against_its_size_alone_and_with_what_the_other_leaves_it(hall: Hall, admin: APIClient) -> None:
    hall.tell_all()
    boards(hall, admin, None)
    assert found(hall) == set(), "of a board without a size nobody can tell"
    boards(hall, admin, 63)  # 36.2 kW for long; each feed carries 16.8 kW, one alone 33.6 kW
    assert found(hall) == set()
    boards(hall, admin, 50)  # 28.7 kW
    assert found(hall) == {("pair.over", "board-a"), ("pair.over", "board-b")}
    boards(hall, admin, 25)  # 14.4 kW
    assert {("panel.over", "board-a"), ("panel.over", "board-b")} <= found(hall)
    text = Finding.objects.get(kind="panel.over", subject_name="board-a", closed_at=None).text
    assert text == "board-a carries 16.8 kW of 14.4 kW."

    feed = PowerFeed.objects.get(name="a01-a")
    (panel, *_) = admin.get(f"/api/facility/feeds/{feed.pk}/").json()["links"]
    assert (panel["name"], panel["detail"], panel["state"]) == ("board-a", "1 feed, 25 A", "over")
    assert panel["limit_w"] == pytest.approx(14_376, abs=1)
    hall.tell_pdu("pdu-a01-a", None)
    sums.add_up_site(hall.site.pk, timezone.now())
    still = Finding.objects.filter(kind="panel.over", subject_name="board-a", closed_at=None)
    assert still.exists(), "a PDU that is silent closes nothing of the board above it"


def test_what_if_names_the_board_that_trips_and_room_ends_at_its_size(hall: Hall, admin: APIClient) -> None:
    hall.tell_all()
    boards(hall, admin, 50)
    rack, feed = Rack.objects.get(name="A01"), PowerFeed.objects.get(name="a01-a")
    off = admin.get("/api/facility/what-if/", {"question": "feed_off", "feed": str(feed.pk)}).json()
    assert [(each["kind"], each["name"]) for each in off["trips"]] == [("panel", "board-b")]
    assert {each["name"]: each["state"] for each in off["racks"]}["A01"] == "over"
    asked = {"question": "more_machines", "rack": str(rack.pk), "model": MODEL, "count": "1"}
    assert "board" in admin.get("/api/facility/what-if/", asked).json()["text"]
    full = admin.get("/api/facility/what-if/", {"question": "full_load", "site": str(hall.site.pk)}).json()
    assert not [each for each in full["trips"] if each["kind"] == "panel"]
    boards(hall, admin, 25)
    full = admin.get("/api/facility/what-if/", {"question": "full_load", "site": str(hall.site.pk)}).json()
    assert {each["name"] for each in full["trips"] if each["kind"] == "panel"} == {"board-a", "board-b"}


# ---- GPUs ----


def test_gpus_are_shown_by_the_bands_of_the_site_and_the_own_limit_of_their_model(hall: Hall, admin: APIClient) -> None:
    cool = DeviceModel.objects.get(slug=MODEL)
    spec = cool.spec | {"model": "touchy-box", "gpu": cool.spec["gpu"] | {"slowdown_c": 80}}
    assert admin.post("/api/device-models/", {"spec": spec}, format="json").status_code == 201
    touchy, near, warm, silent = hall.machines[:4]
    Device.objects.filter(pk=touchy.pk).update(model=DeviceModel.objects.get(slug="touchy-box"))
    hall.tell_all()
    for machine, celsius in ((touchy, 81.0), (near, 84.0), (warm, 81.0), (silent, None)):
        hall.tell_machine(machine, gpu_c=celsius)
    sums.add_up_site(hall.site.pk, timezone.now())

    rack = Rack.objects.get(placements__device=touchy.pk)
    assert rack.name == "A01"
    page = admin.get(f"/api/facility/racks/{rack.pk}/").json()
    shown = {
        each["device"]["name"]: (each["hottest_gpu_c"], each["gpu_band"]) for each in page["heights"] if each["device"]
    }
    assert [shown[each.device.name] for each in (touchy, near, warm, silent)] == [
        (81, "slows"), (84, "near"), (81, "warm"), (None, "unknown"),
    ]  # fmt: skip
    floor = admin.get("/api/facility/floor/", {"room": str(rack.room_id)}).json()
    assert floor["gpu_bands_c"] == {"great": 75, "good": 80, "near": 84}
    bands = {each["name"]: each["gpu_band"] for each in floor["racks"]}
    assert (bands["A01"], bands["A02"]) == ("slows", "great")
    values = admin.get("/api/floor/values/", {"room": str(rack.room_id), "of": "gpu_band"}).json()
    assert values["order"] == ["Great", "Good", "Warm", "Near throttling", "Throttling"]
    rows = dict(values["machines"]["rows"])
    assert [rows.get(each.pk) for each in (touchy, near, warm, silent)] == [
        "Throttling",
        "Near throttling",
        "Warm",
        None,
    ]

    answer = admin.patch(f"/api/facility/policies/{hall.site.pk}/", {"gpu_good_c": 82}, format="json")
    assert answer.status_code == 200, answer.content
    again = admin.get(f"/api/facility/racks/{rack.pk}/").json()
    now = {each["device"]["name"]: each["gpu_band"] for each in again["heights"] if each["device"]}
    assert now[warm.device.name] == "good", "the bands are the site's"


# ---- switches ----


def test_a_switch_that_tells_of_its_supplies_counts_as_measured_and_its_outlets_come_first(
    hall: Hall, admin: APIClient
) -> None:
    switch = Device.objects.filter(kind="switch", placement__rack__name="A01").order_by("name")[0]
    answer = admin.post(
        "/api/facility/meters/",
        {"site": hall.site.pk, "name": switch.name, "kind": "snmp_sensors", "device": switch.pk, "address": "10.4.2.9"},
        format="json",
    )
    assert answer.status_code == 201, answer.content

    def drawn() -> float | None:
        page = admin.get(f"/api/facility/racks/{Rack.objects.get(name='A01').pk}/").json()
        watts: float | None = next(
            each["power_w"] for each in page["heights"] if each["device"] and each["device"]["name"] == switch.name
        )
        return watts

    hall.tell_all()
    assert drawn() is None, "planned is not measured"
    watts = [Measured(Part.SUPPLY, f"PSU{n}", Quantity.POWER_W, each) for n, each in enumerate((412.0, 390.0), 1)]
    hall.tell(switch, watts, kind="snmp_sensors")
    assert drawn() == 802
    for minute in range(8, 0, -1):  # its ASIC warms as fast as it likes
        hot = Measured(Part.SENSOR, "ASIC temperature", Quantity.TEMPERATURE_C, 70.0 - 5 * minute)
        hall.tell(switch, [*watts, hot], timezone.now() - timedelta(seconds=30 * minute), "snmp_sensors")
    assert "rise.fast" not in {kind for kind, _ in found(hall)}
    hall.tell(
        switch, [Measured(Part.SUPPLY, "PSU1", Quantity.POWER_W, None, "no answer"), watts[1]], kind="snmp_sensors"
    )
    assert drawn() is None, "of two supplies one alone is not the switch"

    hall.tell(switch, watts, kind="snmp_sensors")
    for cord, carried in zip(cords_of(hall.site.pk, switch.pk), (450.0, 0.0), strict=True):
        hall.tell_pdu(cord.pdu, 2 * WATTS, Measured(Part.OUTLET, cord.outlet, Quantity.POWER_W, carried))
    assert drawn() == 450, "an outlet is metered better than a supply"
