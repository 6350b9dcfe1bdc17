"""Every kind of finding of power and cooling: provoked in the demo's hall, found on its page, mended, gone.

`STORIES` says which fault of the hall is found as what, and where. Those of one round are there at the same time, each
at another place. They break machines in the eyes of health as well, whose tickets stay for a while: all but the first
are slow.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from facility.judgement.kinds import KINDS
from tests.browser.conftest import Demo, write
from tests.browser.pictures import picture
from tests.browser.warm_hall import (
    findings,
    floor_of,
    go_on,
    measured,
    mend,
    mend_all,
    mended,
    provoke,
    rack_of,
    until,
)

__all__ = ["measured", "mended"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


class Found(NamedTuple):
    """A finding: its subject, what its text says, and the rack whose page shows it as well, if it is of one."""

    kind: str
    subject: str
    says: str
    rack: str = ""


class Story(NamedTuple):
    """A fault of the hall with what is told of it: one set of parameters for each time it is provoked."""

    fault: str
    target: str
    found: tuple[Found, ...]
    params: tuple[dict[str, Any], ...] = ({},)


TOO_MUCH = Story(
    "outlet_taken", "pdu-a06-b",
    (
        Found("feed.over", "a06-b", "of 57.5 kW"),
        Found("panel.over", "Board A-B", "of 86.3 kW"),
        Found("pair.over", "a06-b", "If a06-a"),
        Found("pdu.over", "pdu-a06-b", "of 57.5 kW", "A06"),
        Found("phase.over", "pdu-a06-b", "of 80.0 A", "A06"),
        Found("rack.over", "A06", "of 57.5 kW", "A06"),
        Found("outlet.unknown", "pdu-a06-b", "no cord is recorded in it", "A06"),
    ),
    tuple({"outlet": str(outlet), "watts": 9_750} for outlet in range(19, 25)),  # one on each bank
)  # fmt: skip
OF_POWER = (
    Story("outlet_taken", "pdu-a04-a", (
        Found("breaker.over", "pdu-a04-a", "of 50.4 A", "A04"),
        Found("phase.imbalance", "pdu-a04-a", "above the mean", "A04"),
    ), ({"outlet": "C13 20", "watts": 12_600},)),
    Story("feed_off", "a03-b", (Found("feed.lost", "a03-b", "carries nothing"),), ({"agents_stay": True},)),
    Story("supply_idle", "hgx-a01-02", (
        Found("psu.idle", "hgx-a01-02", "carries 0 W", "A01"),
    ), ({"supply": "PSU 2"},)),
    Story("supply_idle", "hgx-a05-04", (
        Found("redundancy.lost", "hgx-a05-04", "the next one takes it down", "A05"),
    ), ({"supply": "PSU 1"}, {"supply": "PSU 2"}, {"supply": "PSU 3"})),
    Story("draws_more", "hgx-a04-03", (Found("machine.unlike", "hgx-a04-03", "more than the", "A04"),)),
    Story("power_capped", "hgx-a04-01", (Found("cap.wrong", "hgx-a04-01", "400 W instead of 700 W", "A04"),)),
    Story("power_brake", "hgx-a05-01", (Found("brake.on", "hgx-a05-01", "slows 8 GPUs", "A05"),)),
    Story("values_in_tenths", "pdu-a02-b", (
        Found("value.unknown", "pdu-a02-b", "does not say what it carries", "A02"),
    )),
)  # fmt: skip
OF_AIR = (
    Story("gap_open", "A02", (
        Found("recirculation", "A02", "through U29", "A02"),
        Found("inlet.hot", "hgx-a02-04", "27 °C is recommended", "A02"),
        Found("hot.spot", "hgx-a02-04", "warmer than the same height", "A02"),
    ), ({"from_u": 29, "to_u": 32},)),
    Story("fans_fast", "hgx-a04-02", (Found("fan.high", "hgx-a04-02", "rpm", "A04"),), ({"share": 0.15},)),
    Story("sinks_loose", "hgx-a01-01", (
        Found("gpu.near", "hgx-a01-01", "°C is where clocks fall", "A01"),
        Found("throttling", "hgx-a01-01", "Heat slows", "A01"),
    )),
    Story("leak", "cdu-a", (Found("leak", "cdu-a", "close valve V-A05"),), ({"detector": "A05"},)),
    Story("pump_failed", "cdu-a", (Found("pump.failed", "cdu-a", "Pump 2 of cdu-a stands still"),), ({"pump": 2},)),
    Story("filter_dirty", "cdu-a", (Found("filter.dirty", "cdu-a", "more than 50"),)),
    Story("air_humid", "cdu-a", (Found("loop.dew_point", "cdu-a", "4.0 °C below the dew point"),)),
)  # fmt: skip
OF_WATER = (
    Story("valve_closed", "cdu-a", (Found("loop.class", "cdu-a", "class W17 allows 17 °C"),), ({"open_percent": 5},)),
    Story("valve_closed", "cdu-a", (
        Found("loop.flow_low", "cdu-a", "Manifold A03 of cdu-a: 0 l/min"),
        Found("air.class", "hgx-a03-01", "class A2 allows", "A03"),
        Found("rise.fast", "A03", "warmer a minute", "A03"),
    ), ({"manifold": "A03"},)),
)  # fmt: skip
HOURLY = {
    "cord.wrong_feed": "test_a_cord_in_another_outlet_is_found_by_how_loads_change_and_gone_once_it_is_back",
    "port.hot": "test_a_hot_port_is_found_with_its_rack_and_height_and_gone_once_it_is_cool",
}
"""What is looked at once an hour has a story of its own."""
STORIES = (TOO_MUCH, *OF_POWER, *OF_AIR, *OF_WATER)


def test_every_kind_of_finding_has_its_story() -> None:
    told = [found.kind for story in STORIES for found in story.found]
    assert sorted([*told, *HOURLY]) == sorted(KINDS), "each kind once"
    assert all(name in globals() for name in HOURLY.values())


# ---- steps ----


def begin(demo: Demo, stories: Iterable[Story]) -> list[Found]:
    for story in stories:
        for params in story.params:
            provoke(demo, story.fault, story.target, **params)
    return [found for story in stories for found in story.found]


def missing(demo: Demo, wanted: Iterable[Found]) -> list[Found]:
    now = findings(demo)
    return [
        each
        for each in wanted
        if not any((at["kind"], at["subject"]["name"]) == each[:2] and each.says in at["text"] for at in now)
    ]


def there(demo: Demo, wanted: Iterable[Found]) -> list[tuple[str, str]]:
    now = {(each["kind"], each["subject"]["name"]) for each in findings(demo)}
    return [(each.kind, each.subject) for each in wanted if (each.kind, each.subject) in now]


def row(page: Page, found: Found) -> Any:
    named = f"[data-testid=power-finding][data-kind='{found.kind}'][data-subject='{found.subject}']"
    return page.locator(named).filter(has_text=found.says).first


def unfold(page: Page) -> None:
    """What follows from a cause is folded below it."""
    expect(page.get_by_test_id("power-cause").first).to_be_visible()
    for summary in page.get_by_test_id("power-cause").locator("details:not([open]) > summary").all():
        summary.click()


def shown(page: Page, demo: Demo, wanted: list[Found]) -> None:
    """On the page of all findings with how bad it is and what to do; then on the pages of their racks."""
    page.goto(f"{demo.url}/power/findings")
    unfold(page)
    for found in wanted:
        kind = KINDS[found.kind]
        expect(row(page, found)).to_be_visible()
        expect(row(page, found)).to_contain_text(kind.title)
        expect(row(page, found)).to_contain_text(f"To do: {kind.todo}")
        expect(row(page, found)).to_have_attribute("data-severity", kind.severity)
    for rack in dict.fromkeys(found.rack for found in wanted if found.rack):
        page.goto(f"{demo.url}/power/racks/{rack_of(demo, rack)}")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Rack {rack}")
        unfold(page)
        for found in wanted:
            if found.rack == rack:
                expect(row(page, found)).to_contain_text(KINDS[found.kind].title)


def over(page: Page, demo: Demo, wanted: list[Found]) -> None:
    """Everything is mended."""
    mend_all(demo)
    go_on(demo, 3600)
    until(demo, lambda: not there(demo, wanted), 90, "the end of what was mended")
    gone(page, demo, wanted)


def gone(page: Page, demo: Demo, wanted: list[Found]) -> None:
    assert there(demo, wanted) == []
    page.goto(f"{demo.url}/power/findings")
    expect(page.get_by_role("heading", level=1)).to_have_text("Findings")
    for found in wanted:
        expect(row(page, found)).to_have_count(0)


@pytest.fixture(scope="module")
def sized(demo: Demo) -> Iterator[None]:
    """What breakers and a board are made for is written down meanwhile: no PDU of the hall tells it."""
    models = demo.api("/api/device-models/?kind=pdu")["results"]
    board = next(each for each in demo.api("/api/power-panels/?site=1")["results"] if each["name"] == "Board A-B")
    for model in models:
        spec = {**model["spec"], "breaker_a": 63}
        write(demo, "PATCH", f"/api/device-models/{model['slug']}/", {"spec": spec}, user="admin")
    size = {"voltage_v": 415, "current_a": 150, "phases": 3}
    write(demo, "PATCH", f"/api/power-panels/{board['id']}/", size, user="admin")
    yield
    for model in models:
        write(demo, "PATCH", f"/api/device-models/{model['slug']}/", {"spec": model["spec"]}, user="admin")
    before = {name: board[name] for name in size}
    write(demo, "PATCH", f"/api/power-panels/{board['id']}/", before, user="admin")


# ---- stories ----


def test_what_carries_too_much_is_found_from_its_outlets_to_its_board(
    measured: Demo, sized: None, mended: None, enter: Callable, tmp_path: Path
) -> None:
    wanted = begin(measured, [TOO_MUCH])
    until(measured, lambda: not missing(measured, wanted), 60, "all that is over")
    page = enter("technician", at="/power").page
    expect(page.get_by_test_id("power-floor").locator("[data-name=A06]")).to_have_attribute("data-look", "over")
    shown(page, measured, wanted)
    page.goto(f"{measured.url}/power/feeds?q=a06-b")
    line = page.locator("[data-testid=feed-row][data-name=a06-b]")
    expect(line).to_have_attribute("data-state", "over")
    line.get_by_role("link").click()
    expect(page.get_by_test_id("feed-head")).to_contain_text("Feed a06-b")
    expect(page.get_by_test_id("link").filter(has_text="pdu-a06-b")).to_contain_text(re.compile(r"10\d %"))
    picture(page, tmp_path / "over.png", full_page=True)
    over(page, measured, wanted)
    page.goto(f"{measured.url}/power")
    rack = page.get_by_test_id("power-floor").locator("[data-name=A06]")
    expect(rack).to_have_attribute("aria-label", re.compile("ok$"))


@pytest.mark.slow
def test_what_is_wrong_with_power_is_found_each_at_its_place_and_gone_once_it_is_mended(
    measured: Demo, sized: None, mended: None, enter: Callable, tmp_path: Path
) -> None:
    wanted = begin(measured, OF_POWER)
    until(measured, lambda: not missing(measured, wanted), 60, "all that is wrong")
    page = enter("technician").page
    shown(page, measured, wanted)
    page.goto(f"{measured.url}/power/findings")
    expect(page.get_by_test_id("power-cause").first).to_be_visible()
    picture(page, tmp_path / "power.png", full_page=True)
    over(page, measured, wanted)


@pytest.mark.slow
def test_what_is_wrong_with_air_and_its_cooling_unit_is_found_and_gone_once_it_is_mended(
    measured: Demo, mended: None, enter: Callable, tmp_path: Path
) -> None:
    wanted = begin(measured, OF_AIR)
    go_on(measured, 900)
    until(measured, lambda: not missing(measured, wanted), 60, "all that is wrong")
    page = enter("technician").page
    shown(page, measured, wanted)
    page.goto(f"{measured.url}/power/findings?kind=leak")
    page.get_by_test_id("power-finding").get_by_role("link", name="cdu-a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cdu-a")
    values = page.get_by_test_id("meter-value")
    expect(values.filter(has_text="Leak").filter(has_text="A05")).to_contain_text(re.compile(r"Wet\s*1"))
    expect(values.filter(has_text="Pump").filter(has_text="Speed").filter(has_text="%").nth(1)).to_contain_text("0")
    picture(page, tmp_path / "unit.png", full_page=True)
    page.goto(f"{measured.url}/power/findings")
    expect(page.get_by_test_id("power-cause").first).to_be_visible()
    picture(page, tmp_path / "air.png", full_page=True)
    over(page, measured, wanted)


@pytest.mark.slow
def test_a_closed_valve_is_found_while_air_and_water_warm_up_and_gone_once_it_is_open(
    measured: Demo, mended: None, enter: Callable, tmp_path: Path
) -> None:
    """How fast it gets warmer shows in several readings: air goes on by half a minute between two of them.
    Those from before count for five minutes, and stood still."""
    unit, rack = OF_WATER
    wanted = begin(measured, [unit])
    go_on(measured, 1800)
    wanted += begin(measured, [rack])

    def all_of_it() -> bool:
        go_on(measured, 30)
        return not missing(measured, wanted)

    until(measured, all_of_it, 420, "all that gets warm")
    page = enter("technician").page
    shown(page, measured, wanted)
    floor = floor_of(measured)
    assert next(rack for rack in floor["racks"] if rack["name"] == "A03")["inlet_c"] > 35
    page.goto(f"{measured.url}/power/findings")
    expect(page.get_by_test_id("power-cause").first).to_be_visible()
    picture(page, tmp_path / "water.png", full_page=True)
    over(page, measured, wanted)


# ---- what is looked at once an hour ----

LOOK_CLOSELY = "from facility.overview.sums import look_closely\nlook_closely()"
READ_FABRIC = """
import time
from django.utils import timezone
from fabric.models import FabricSource
from fabric.quality.services import samples
begun, until = timezone.now(), time.monotonic() + 60
source = FabricSource.objects.get(kind="ufm", enabled=True)
FabricSource.objects.filter(pk=source.pk).update(tried_at=None)
while (samples.newest_round(source.pk) or begun) <= begun:
    assert time.monotonic() < until, "the fabric was not read"
    time.sleep(0.25)
"""
QUARTER = """
from datetime import datetime
from django.db import connection
from django.utils import timezone
from facility.meters import machines, rounds
from facility.meters.models import Meter, MeterState
from health.monitoring.services.sweeps.observation import Watch
from inventory.models import Machine
machine = Machine.objects.get(device__name="{machine}")
pdus = Meter.objects.filter(name__in={pdus})
pdus.update(tried_at=None)
while pdus.filter(tried_at=None).exists():
    rounds.read_due()
for batch in Watch([machine.pk]):
    machines.take([(each.observation.machine_id, timezone.now(), each.observation.measured) for each in batch])
devices = [machine.pk, *pdus.values_list("device_id", flat=True)]
with connection.cursor() as cursor:
    for told in MeterState.objects.filter(meter__device_id__in=devices):
        cursor.execute(
            "INSERT INTO facility_quarter (meter_id, at, layout_id, covered, mean, low, high)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (meter_id, at, layout_id) DO UPDATE SET mean = excluded.mean",
            [told.meter_id, datetime.fromisoformat("{at}"), told.layout_id, [900] * len(told.values)]
            + [told.values] * 3,
        )
"""
"""What these meters tell now, as the mean of a quarter of an hour that is over."""
QUARTERS = 32
NO_QUARTERS = """
from datetime import datetime
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("DELETE FROM facility_quarter WHERE at < %s", [datetime.fromisoformat("{end}")])
"""


def change_load(demo: Demo, machine: str, pdus: list[str], end: datetime) -> None:
    """A machine that works now more, now less, as eight hours of it would be in the history."""
    chance = random.Random(7)
    for number in range(1, QUARTERS + 1):
        provoke(demo, "load", machine, share=round(chance.uniform(0.1, 1), 2))
        at = end - number * timedelta(minutes=15)
        demo.python(QUARTER.format(machine=machine, pdus=pdus, at=at.isoformat()))


@pytest.mark.slow
def test_a_cord_in_another_outlet_is_found_by_how_loads_change_and_gone_once_it_is_back(
    measured: Demo, mended: None, enter: Callable, tmp_path: Path
) -> None:
    """What takes eight hours is done in a minute: each reading is a real one, and stands for a quarter of an hour."""
    now = datetime.now(UTC)
    end = now.replace(minute=now.minute // 15 * 15, second=0, microsecond=0)
    machine, pdus = "hgx-a03-01", ["pdu-a03-a", "pdu-a03-b"]
    found = Found("cord.wrong_feed", machine, "but its load is that of pdu-a03-b outlet 20 on another feed", "A03")
    try:
        provoke(measured, "cord_moved", machine, supply="PSU 1", pdu="pdu-a03-b", outlet="C13 20")
        change_load(measured, machine, pdus, end)
        measured.python(LOOK_CLOSELY)
        assert missing(measured, [found]) == []
        page = enter("technician").page
        shown(page, measured, [found])
        picture(page, tmp_path / "cord.png", full_page=True)
        mend(measured, fault="cord_moved")
        change_load(measured, machine, pdus, end)
        measured.python(LOOK_CLOSELY)
        gone(page, measured, [found])
    finally:
        mend(measured, fault="load", target=machine)
        measured.python(NO_QUARTERS.format(end=end.isoformat()))


@pytest.mark.slow
def test_a_hot_port_is_found_with_its_rack_and_height_and_gone_once_it_is_cool(
    measured: Demo, enter: Callable, tmp_path: Path
) -> None:
    link = measured.api("/api/fabric/links/?device=leaf&page_size=1")["results"][0]
    port = {"port": f"{link['a']['guid']}_{link['a']['port']}"}
    measured.hall.call("POST", "/fabric/degrade", {**port, "warmer_c": 30})
    try:
        measured.python(READ_FABRIC)
        measured.python(LOOK_CLOSELY)
        hot = findings(measured, kind="port.hot")[0]
        assert re.search(r"Port \d+ of \S+ in \w+ U\d+ has [7-9]\d °C", hot["text"])
        rack = hot["rack"]["name"]
        found = Found("port.hot", hot["subject"]["name"], f"in {rack} U", rack)
        page = enter("technician").page
        shown(page, measured, [found])
        picture(page, tmp_path / "port.png")
    finally:
        measured.hall.call("POST", "/fabric/cure", port)
    measured.python(READ_FABRIC)
    measured.python(LOOK_CLOSELY)
    gone(page, measured, [found])
