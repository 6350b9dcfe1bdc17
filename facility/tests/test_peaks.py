"""The most of the last day: of each sum its own, of phases and breakers as their PDU told it, and on every page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from facility.facts import Measured, Part, Quantity
from facility.history import rollup
from facility.history.peaks import peaks_of
from facility.meters import services
from facility.meters.models import Meter
from facility.overview import sums
from facility.tests.conftest import Hall, phases
from inventory.models import PowerFeed, Rack, Room

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def viewer(as_role: Callable[..., APIClient]) -> APIClient:
    return as_role("viewer")


def get(client: APIClient, path: str) -> Any:
    return client.get(f"/api/facility/{path}").json()


def breaker(amperes: float) -> Measured:
    return Measured(Part.BREAKER, "B1", Quantity.CURRENT_A, amperes)


def carry(hall: Hall, at: datetime, a_w: float, b_w: float, l1_a: float = 30.0, b1_a: float = 9.0) -> None:
    """Both PDUs of rack A01 tell so much, and the site is added up."""
    hall.tell_all(at - timedelta(seconds=5))
    hall.tell_pdu("pdu-a01-a", a_w, *phases(l1_a, 20.0, 20.0), breaker(b1_a), at=at)
    hall.tell_pdu("pdu-a01-b", b_w, *phases(20.0, 20.0, 20.0), at=at)
    sums.add_up_site(hall.site.pk, at)


def roll_up(now: datetime) -> None:
    for _ in range(10):
        rollup.roll_up(now)


def seen(client: APIClient) -> dict[str, Any]:
    """Peaks of rack A01, its PDUs, phases and breakers, its feeds and panels, and its room, as pages tell them."""
    rack = get(client, f"racks/{Rack.objects.get(name='A01').pk}/")
    found = {"rack": rack["peak_w"], "room": get(client, f"floor/?room={Room.objects.get().pk}")["peak_w"]}
    for strip in rack["feeds"]:
        found[strip["pdu"]["name"]] = strip["peak_w"]
        found |= {f"{strip['side']} {each['name']}": each["peak_a"] for each in strip["phases"] + strip["breakers"]}
        links = get(client, f"feeds/{strip['feed']['id']}/")["links"]
        found |= {f"{each['kind']} {each['name']}": each["peak_w"] for each in links if each["kind"] != "machines"}
    return found


def test_a_peak_of_a_sum_is_no_sum_of_peaks_and_every_page_tells_its_own(hall: Hall, viewer: APIClient) -> None:
    now = timezone.now()
    others = 4 * 4 * 8_400.0
    carry(hall, now - 90 * MINUTE, 24_000.0, 10_000.0, l1_a=44.0)
    carry(hall, now - 60 * MINUTE, 11_000.0, 25_000.0, b1_a=15.5)
    roll_up(now)
    carry(hall, now, 9_000.0, 8_000.0)
    found = seen(viewer)
    feeds = {row["name"]: row["peak_w"] for row in get(viewer, f"feeds/?site={hall.site.pk}")["results"]}
    assert (found["pdu-a01-a"], found["pdu-a01-b"]) == (24_000, 25_000)
    assert (found["feed a01-a"], found["feed a01-b"]) == (feeds["a01-a"], feeds["a01-b"]) == (24_000, 25_000)
    feed = PowerFeed.objects.get(name="a01-a").pk
    begin = (now - 91 * MINUTE).isoformat().replace("+00:00", "Z")
    past = get(viewer, f"feeds/{feed}/history/?begin={begin}")
    assert max(value for value in past["high"] if value is not None) == 24_000 and past["unit"] == "W"
    assert (found["pdu pdu-a01-a"], found["pdu pdu-a01-b"]) == (24_000, 25_000)
    assert found["rack"] == 36_000 and found["room"] == pytest.approx(others + 36_000)
    assert (found["A L1"], found["A L2"], found["A B1"]) == (44, 30, 15.5)


def test_a_peak_is_told_before_its_quarter_is_made_and_until_it_is_a_day_old(hall: Hall, viewer: APIClient) -> None:
    now = timezone.now()
    carry(hall, now - 3 * MINUTE, 30_000.0, 10_000.0, l1_a=50.0)
    carry(hall, now, 9_000.0, 8_000.0)
    found = seen(viewer)
    assert (found["pdu-a01-a"], found["feed a01-a"], found["A L1"], found["rack"]) == (30_000, 30_000, 50, 40_000)
    later = now + timedelta(hours=24) - 2 * MINUTE
    assert peaks_of(_meters(hall), later)["feed", PowerFeed.objects.get(name="a01-a").pk, ""].value == 9_000


def test_what_is_told_in_another_layout_by_now_keeps_its_peak(hall: Hall, viewer: APIClient) -> None:
    now = timezone.now()
    carry(hall, now - 5 * MINUTE, 30_000.0, 10_000.0, l1_a=50.0)
    PowerFeed.objects.create(site=hall.site, name="new", side="A")
    hall.tell_all(now - MINUTE)
    hall.tell_pdu("pdu-a01-a", 9_000.0, breaker(1.0), *phases(10.0, 10.0, 10.0), at=now)
    sums.add_up_site(hall.site.pk, now)
    found = seen(viewer)
    assert (found["feed a01-a"], found["A L1"]) == (30_000, 50)


def test_a_sum_that_was_measured_in_part_is_no_peak(hall: Hall, viewer: APIClient) -> None:
    now = timezone.now()
    carry(hall, now - MINUTE, 12_000.0, 10_000.0)
    before = seen(viewer)
    hall.tell_pdu("pdu-a02-a", None, at=now)
    hall.tell_pdu("pdu-a01-a", 30_000.0, at=now)
    sums.add_up_site(hall.site.pk, now)
    found = seen(viewer)
    assert found["room"] == before["room"] and found["pdu-a01-a"] == 30_000


def test_a_site_may_have_more_feeds_than_a_device_may_tell_values(hall: Hall) -> None:
    PowerFeed.objects.bulk_create(
        PowerFeed(site=hall.site, name=f"x{n}", side="A") for n in range(services.MOST_POINTS + 1)
    )
    sums.add_up_site(hall.site.pk, timezone.now())
    assert len(Meter.objects.get(kind="site").told.values) > services.MOST_POINTS


def _meters(hall: Hall) -> dict[int, tuple[str, int]]:
    return {Meter.objects.get(kind="site").pk: ("site", hall.site.pk)}
