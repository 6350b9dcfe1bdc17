"""The inventory's pictures: rack, row, cable path, power, placement, parts; at desk and on a phone."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.axe import needs_axe, violations, walk
from tests.browser.conftest import DESK, PHONE, Demo, at_rest, desk_and_phone, wait_for, walked, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

MODEL = "nvidia-qm9700"


@pytest.fixture(scope="module")
def racks(demo: Demo) -> dict[str, Any]:
    """The racks of the room by name, as thumbnails."""
    return {each["rack"]["name"]: each for each in demo.api("/api/racks/elevations/")["racks"]}


@pytest.fixture(scope="module")
def a01(racks: dict[str, Any]) -> int:
    return int(racks["A01"]["rack"]["id"])


@pytest.fixture(scope="module")
def machine(racks: dict[str, Any]) -> dict[str, Any]:
    """The highest machine of A01; tests of other files take theirs elsewhere."""
    return max((item for item in racks["A01"]["front"] if item["machine"]), key=lambda item: float(item["u"]))


@pytest.fixture
def device(demo: Demo, racks: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A switch on the lowest unit of A06, retired afterwards."""
    site = demo.api("/api/sites/")["results"][0]["id"]
    rack = racks["A06"]["rack"]["id"]
    model = next(row["id"] for row in demo.api("/api/device-models/")["results"] if row["slug"] == MODEL)
    free = demo.api(f"/api/racks/{rack}/free/?model={MODEL}")["suggestions"][0]["u"]
    row = {
        "site": site,
        "name": f"spine-{uuid4().hex[:6]}",
        "model": model,
        "rack": rack,
        "u": free,
        "fabric": "infiniband",
        "tier": "spine",
    }
    made = write(demo, "POST", "/api/devices/", row)
    yield made
    write(demo, "DELETE", f"/api/devices/{made['id']}/")


def mounted(page: Page, side: str, name: str) -> Any:
    return page.get_by_test_id(f"face-{side}").locator(f"[data-testid=mounted][data-name='{name}']")


# ---- the rack ----


@pytest.mark.target(18, 20)
def test_a_rack_shows_both_faces_and_what_one_clicks_shows_its_cables(
    demo: Demo, enter: Callable, a01: int, machine: dict[str, Any]
) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/racks/{a01}")
    expect(mounted(page, "front", machine["name"])).to_be_visible()
    expect(mounted(page, "rear", machine["name"])).to_have_attribute("data-cell", machine["cell"])
    expect(page.get_by_test_id("wire")).to_have_count(0)
    mounted(page, "rear", machine["name"]).click()
    details = page.get_by_test_id("pick-details")
    expect(details).to_contain_text(machine["name"])
    assert page.get_by_test_id("wire").count() > 0, "its cables are drawn"
    cables = demo.api(f"/api/devices/{machine['id']}/cables/")["results"]
    expect(details).to_contain_text(cables[0]["label"])
    expect(details).to_contain_text(f"{cables[0]['far']['device']} {cables[0]['far']['port']}")
    assert f"device={machine['id']}" in page.url
    page.reload()
    expect(details).to_contain_text(machine["name"])
    details.get_by_role("link", name="Open machine").click()
    expect(page.get_by_test_id("machine-header")).to_contain_text(machine["name"])


@pytest.mark.slow
@pytest.mark.target(13)
def test_the_arrow_keys_walk_through_a_rack_and_enter_opens(
    demo: Demo, enter: Callable, a01: int, machine: dict[str, Any]
) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/racks/{a01}?device={machine['id']}")
    mounted(page, "front", machine["name"]).focus()
    page.keyboard.press("ArrowDown")
    below = sorted(
        (item for item in demo.api(f"/api/racks/{a01}/elevation/")["front"] if item["machine"]),
        key=lambda item: -item["u"],
    )[1]
    expect(page.get_by_test_id("pick-details")).to_contain_text(below["name"])
    expect(mounted(page, "front", below["name"])).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("machine-header")).to_contain_text(below["name"])


@pytest.mark.target(21)
@pytest.mark.slow
def test_free_units_can_be_chosen_and_open_ones_are_said_to_be_open(demo: Demo, enter: Callable, a01: int) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/racks/{a01}")
    span = page.get_by_test_id("face-front").get_by_test_id("free-span").first
    expect(span).to_have_attribute("aria-label", re.compile("no blanking panel"))
    span.click()
    details = page.get_by_test_id("pick-details")
    expect(details).to_contain_text("hot air")
    details.get_by_role("link", name="Place a device here").click()
    page.wait_for_url(re.compile(r"/devices/new\?rack=\d+&u="))


@pytest.mark.slow
def test_reserved_units_say_why_and_for_whom(demo: Demo, enter: Callable, racks: dict[str, Any]) -> None:
    rack = racks["A07"]["rack"]["id"]
    row = {
        "rack": rack,
        "kind": "reserved",
        "u": 1,
        "height_u": 1,
        "face": "both",
        "reason": "cable tray",
        "owner": "Facilities",
    }
    made = write(demo, "POST", "/api/reservations/", row)
    try:
        page = enter("viewer").page
        page.goto(f"{demo.url}/racks/{rack}?units=front-1")
        expect(page.get_by_test_id("face-front")).to_contain_text("Reserved: cable tray · Facilities")
        expect(page.get_by_test_id("pick-details")).to_contain_text("for Facilities")
    finally:
        write(demo, "DELETE", f"/api/reservations/{made['id']}/")


@pytest.mark.slow
def test_on_a_phone_one_face_is_shown_and_the_other_is_one_tap_away(demo: Demo, enter: Callable, a01: int) -> None:
    page = enter("viewer", PHONE).page
    page.goto(f"{demo.url}/racks/{a01}")
    expect(page.get_by_test_id("face-front")).to_be_visible()
    expect(page.get_by_test_id("face-rear")).to_be_hidden()
    page.get_by_role("group", name="Face").get_by_role("button", name="Rear").click()
    expect(page.get_by_test_id("face-rear")).to_be_visible()
    expect(page.get_by_test_id("face-front")).to_be_hidden()


@pytest.mark.slow
@pytest.mark.target(24)
def test_a_rack_prints_on_one_a4_page_with_both_faces(demo: Demo, enter: Callable, a01: int) -> None:
    page = enter("viewer").page
    page.goto(f"{demo.url}/racks/{a01}")
    expect(page.get_by_test_id("face-front")).to_be_visible()
    expect(page.get_by_text("nobody named")).to_be_visible()
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", pdf)) == 1
    page.emulate_media(media="print")
    expect(page.get_by_test_id("face-front")).to_be_visible()
    expect(page.get_by_test_id("face-rear")).to_be_visible()
    expect(page.get_by_role("navigation", name="Main")).to_be_hidden()
    href = page.evaluate("document.querySelector('[data-testid=rack-svg]').href")
    drawing = page.request.get(href)
    assert drawing.ok and drawing.headers["content-type"].startswith("image/svg")


@pytest.mark.slow
def test_a_photo_and_a_comment_are_added_to_a_rack(demo: Demo, enter: Callable, a01: int) -> None:
    page = enter("technician").page
    page.goto(f"{demo.url}/racks/{a01}")
    expect(page.get_by_text("No photo yet")).to_be_visible()  # what comes later moves the button under the click
    page.get_by_test_id("attachment-file").set_input_files(
        {"name": "rear.png", "mimeType": "image/png", "buffer": png()}
    )
    page.get_by_label("Caption").fill("Rear door, new arm")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_test_id("attachment")).to_contain_text("Rear door, new arm")
    image = page.get_by_test_id("attachment").locator("img")
    wait_for(lambda: image.evaluate("each => each.naturalWidth") > 0, 10, "the picture")
    page.get_by_role("textbox", name="Comment").fill("Left door sticks")
    page.get_by_role("button", name="Write").click()
    expect(page.get_by_test_id("comment")).to_contain_text("Left door sticks")
    page.get_by_role("button", name="Remove Rear door, new arm").click()
    expect(page.get_by_test_id("attachment")).to_have_count(0)


def png() -> bytes:
    """A picture of four by four grey pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0\x80\x80\x80\x80" * 4)) + chunk(b"IEND", b"")
    )


# ---- rows ----


@pytest.mark.target(22)
def test_a_row_comes_in_one_request_and_follows_the_feed(demo: Demo, enter: Callable, racks: dict[str, Any]) -> None:
    row = racks["A01"]["rack"]["row_id"]
    visitor = enter("operator")
    page = visitor.page
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/racks/" in request.url else None)
    page.goto(f"{demo.url}/rows/{row}")
    expect(page.get_by_test_id("thumbnail")).to_have_count(len(racks))
    expect(page.get_by_test_id("live-indicator")).to_contain_text("Live")
    # The feed makes up for what happened before it began by one more look at the whole row.
    page.wait_for_timeout(1_000)
    assert set(asked) == {f"{demo.url}/api/racks/elevations/?row={row}"}, "all racks in one request"
    before = len(asked)
    # One that no other test has in work.
    free = page.request.get(f"{demo.url}/api/machines/?cell=available&page_size=100").json()["results"]
    well = {machine["id"] for machine in free}
    item = next(item for item in racks["A05"]["front"] if item["machine"] in well)
    until = {"reason": "fan swap", "until": "2099-01-01T00:00:00Z"}
    write(demo, "POST", f"/api/machines/{item['machine']}/maintenance/", until)
    try:
        expect(page.locator("[data-rack=A05] .sr")).to_contain_text("in repair", timeout=5_000)
        assert len(asked) == before, "news came by the feed"
    finally:
        write(demo, "POST", f"/api/machines/{item['machine']}/return/", {"reason": "done"})
    page.get_by_role("button", name="Rear").click()
    assert "face=rear" in page.url
    page.locator("[data-rack=A02]").click()
    expect(page.get_by_test_id("rack-head")).to_contain_text("Rack A02")


@pytest.mark.slow
@pytest.mark.target(12)
def test_the_floor_map_leads_to_the_row_and_to_the_rack(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", at="/").page
    expect(page.get_by_test_id("floor-canvas")).to_be_visible()
    place = at_rest(page, "() => window.__rackside?.rackAt('A02') ?? null")
    page.mouse.click(place["x"], place["y"])
    page.get_by_test_id("rack-panel").get_by_role("link", name="Open rack").click()
    expect(page.get_by_test_id("rack-head")).to_contain_text("Rack A02")
    page.get_by_role("link", name="On the floor").click()
    expect(page.get_by_test_id("rack-panel")).to_have_attribute("data-rack", "A02")
    place = at_rest(page, "() => window.__rackside?.rowAt('A') ?? null")
    page.mouse.click(place["x"], place["y"])
    expect(page.get_by_role("heading", name="Row A")).to_be_visible()


# ---- cables ----


@pytest.mark.slow
@pytest.mark.target(29, 30)
def test_from_a_machines_cables_one_comes_to_the_path_with_both_places(
    demo: Demo, enter: Callable, machine: dict[str, Any]
) -> None:
    rows = demo.api(f"/api/machines/{machine['id']}/cables/")["results"]
    cable = next(row for row in rows if row["far"] and "Rack A01" not in row["far"]["place"])
    page = enter("viewer").page
    page.goto(f"{demo.url}/machines/{machine['id']}?tab=cables")
    page.get_by_role("link", name=cable["label"]).click()
    hops = page.get_by_test_id("hop")
    expect(hops).to_have_count(2)
    expect(hops.first).to_contain_text(machine["name"])
    expect(hops.first).to_contain_text("Rack A01")
    expect(hops.last).to_contain_text(cable["far"]["device"])
    expect(page.get_by_test_id("hop-cable")).to_contain_text(cable["type"])
    expect(page.get_by_test_id("way")).to_contain_text("aisle")
    hops.last.get_by_role("link", name=f"Port {cable['far']['port']}").click()
    page.wait_for_url("**/ports/*")
    expect(page.get_by_role("heading", level=1)).to_contain_text(cable["far"]["device"])
    expect(hops.first).to_contain_text(cable["far"]["device"])


@pytest.mark.target(31)
@desk_and_phone
def test_a_switch_shows_its_front_and_where_each_port_leads(
    size: dict[str, int], demo: Demo, enter: Callable, racks: dict[str, Any], tmp_path: Path
) -> None:
    leaf = next(item for item in racks["A01"]["front"] if item["kind"] == "switch")
    page = enter("viewer", size, at=f"/racks/{racks['A01']['rack']['id']}?device={leaf['id']}").page
    page.get_by_test_id("pick-details").get_by_role("link", name=f"Open {leaf['name']}").click()
    front, rows = page.get_by_test_id("front"), page.get_by_test_id("port")
    face = demo.api(f"/api/devices/{leaf['id']}/face/")
    expect(front.locator("[data-port]")).to_have_count(len(face["ports"]))
    expect(rows).to_have_count(len(face["ports"]))
    cable = next(row for row in demo.api(f"/api/devices/{leaf['id']}/cables/")["results"] if row["far"])
    near = cable["near"]["port_id"]
    # the picture says what is in a port, and shows its row; the address keeps it
    lane = front.locator(f'[data-port="{near}"]')
    lane.click()
    expect(page.get_by_test_id("port-told")).to_contain_text(f"to {cable['far']['device']} {cable['far']['port']}")
    expect(page).to_have_url(re.compile(rf"port={near}"))
    expect(lane).to_have_attribute("aria-pressed", "true")
    lane.press("ArrowRight")
    expect(front.locator("[data-port]:focus")).not_to_have_attribute("data-port", str(near))
    # what one looks for stays, the rest fades
    page.get_by_role("searchbox", name="Find a port").fill(cable["label"])
    expect(rows).to_have_count(1)
    expect(front.locator(".faded")).to_have_count(len(face["ports"]) - 1)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"switch-{scheme}.png", full_page=True)
    assert violations(page) == []
    # and on to the far end
    rows.get_by_role("link", name=cable["far"]["device"]).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(cable["far"]["device"])


@pytest.mark.slow
def test_a_breakout_is_drawn_with_its_branches(demo: Demo, enter: Callable, device: dict[str, Any]) -> None:
    ports = demo.api(f"/api/ports/?device={device['id']}&kind=infiniband&page_size=3")["results"]
    plugs = [{"port": port["id"], "connector": number} for number, port in enumerate(ports[1:], start=1)]
    body = {
        "site": device["site"], "label": "BRK-1", "type": "breakout", "status": "planned",
        "a": [{"port": ports[0]["id"]}], "b": plugs,
    }  # fmt: skip
    made = write(demo, "POST", "/api/cables/", body)
    try:
        page = enter("viewer").page
        page.goto(f"{demo.url}/cables/{made['id']}")
        expect(page.get_by_test_id("branch")).to_have_count(2)
        expect(page.get_by_test_id("branch").last).to_contain_text(ports[2]["name"])
        expect(page.get_by_test_id("hop-cable").first).to_contain_text("Planned")
        expect(page.get_by_text("planned and not laid yet")).to_be_visible()
    finally:
        write(demo, "DELETE", f"/api/cables/{made['id']}/")
    page.goto(f"{demo.url}/ports/{ports[0]['id']}")
    expect(page.get_by_test_id("dead-end")).to_contain_text("has no cable")


@pytest.mark.slow
def test_a_cable_is_found_in_the_list(demo: Demo, enter: Callable) -> None:
    page = enter("viewer", at="/").page
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Inventory").click()
    page.get_by_role("navigation", name="Inventory").get_by_role("link", name="Cables").click()
    page.get_by_role("searchbox", name="Search cables").fill("C-00007")
    expect(page.locator("tbody tr")).to_have_count(1)
    page.get_by_role("link", name="C-00007").click()
    expect(page.get_by_test_id("cable-head")).to_contain_text("C-00007")


@pytest.mark.slow
def test_the_rails_of_a_machine_name_gpu_adapter_and_leaf_port(
    demo: Demo, enter: Callable, machine: dict[str, Any]
) -> None:
    rails = demo.api(f"/api/machines/{machine['id']}/rails/")["results"]
    page = enter("viewer").page
    page.goto(f"{demo.url}/machines/{machine['id']}?tab=rails")
    expect(page.get_by_test_id("rail")).to_have_count(len(rails))
    first = page.get_by_test_id("rail").first
    for text in (rails[0]["gpu_slot"], rails[0]["hca_slot"], f"{rails[0]['far']['device']} {rails[0]['far']['port']}"):
        expect(first).to_contain_text(text)


# ---- power ----


@pytest.mark.slow
def test_a_rack_says_what_its_feeds_carry_and_what_happens_without_one(demo: Demo, enter: Callable, a01: int) -> None:
    power = demo.api(f"/api/racks/{a01}/power/")
    page = enter("viewer").page
    page.goto(f"{demo.url}/racks/{a01}")
    page.get_by_role("group", name="View").get_by_role("link", name="Power").click()
    expect(page.get_by_test_id("rack-feed")).to_have_count(len(power["feeds"]))
    expect(page.get_by_test_id("takeover")).to_have_count(len(power["failure"]))
    expect(page.get_by_test_id("takeover").first).to_have_attribute(
        "data-trips", json.dumps(power["failure"][0]["trips"])
    )
    expect(page.get_by_role("region", name="Power of the devices")).to_contain_text(power["devices"][0]["name"])


@pytest.mark.slow
def test_a_dead_feed_shows_on_the_floor_whom_it_hits(demo: Demo, enter: Callable) -> None:
    feed = demo.api("/api/power/summary/?site=1")["feeds"][0]
    failure = demo.api(f"/api/floor/feed-failure/?feed={feed['id']}&together=feed")
    page = enter("viewer").page
    page.goto(f"{demo.url}/power/planned")
    page.get_by_test_id("feed").select_option(str(feed["id"]))
    page.get_by_role("button", name="It alone").click()
    expect(page.get_by_test_id("dead-feeds")).to_contain_text(feed["name"])
    hit = [row for row in failure["degraded"] if row["kind"] == "machine"]
    assert hit, "the demo's machines hang on it"
    wait_for(
        lambda: page.evaluate("name => window.__rackside.shownOf(name)", hit[0]["name"]) == "suspect", 10, "the layer"
    )
    chip = page.get_by_test_id("power-degraded")
    expect(chip).to_have_attribute("data-count", str(len(hit)))
    expect(page.get_by_test_id("hit")).to_have_count(
        sum(len(failure[state]) for state in ("lost", "degraded", "unknown"))
    )
    page.get_by_test_id("power-lost").click()
    expect(page.get_by_test_id("hit")).to_have_count(len(failure["lost"]))
    assert "show=lost" in page.url


# ---- placement ----


def test_a_device_is_moved_by_typing_and_moved_back_by_undo(
    demo: Demo, enter: Callable, racks: dict[str, Any], device: dict[str, Any]
) -> None:
    page = enter("operator").page
    page.goto(f"{demo.url}/racks/{racks['A06']['rack']['id']}?device={device['id']}")
    page.get_by_test_id("pick-details").get_by_role("link", name="Move…").click()
    page.get_by_role("combobox", name="Rack").fill("A05")
    page.get_by_role("option", name=re.compile("A05")).click()
    taken = racks["A05"]["front"][-1]["u"]
    page.get_by_test_id("place-u").fill(str(taken))
    expect(page.get_by_test_id("placement-preview")).to_have_attribute("data-ok", "false")
    page.get_by_test_id("place-save").click()
    expect(page.get_by_test_id("u-note")).to_contain_text(str(taken))
    expect(page.get_by_test_id("place-u")).to_have_attribute("aria-invalid", "true")
    page.get_by_test_id("suggestion").first.click()
    expect(page.get_by_test_id("placement-preview")).to_have_attribute("data-ok", "true")
    page.get_by_test_id("place-save").click()
    expect(page.get_by_test_id("rack-head")).to_contain_text("Rack A05")
    expect(mounted(page, "front", device["name"])).to_be_visible()
    assert demo.api(f"/api/devices/{device['id']}/")["rack_name"] == "A05"
    page.get_by_test_id("toast").get_by_role("button", name="Undo").click()
    expect(page.get_by_test_id("toast")).to_contain_text("is back in A06")
    expect(page.get_by_test_id("rack-head")).to_contain_text("Rack A06")
    now = demo.api(f"/api/devices/{device['id']}/")
    assert (now["rack_name"], now["u"]) == ("A06", device["u"])


PRESENT = re.compile(r"/api/racks/\d+/$")
"""Asks for the rack in which a device stands."""


def held(page: Page) -> Callable[[], None]:
    """The rack in which a device stands loads when what is returned is called, and not before."""
    late: list[Route] = []
    free: list[bool] = []

    def hold(route: Route) -> None:
        (Route.continue_ if free else late.append)(route)

    def let_go() -> None:
        free.append(True)
        while late:  # it is asked for again when the feed begins
            late.pop().continue_()

    page.route(PRESENT, hold)
    return let_go


@pytest.mark.slow
def test_what_is_typed_stays_when_the_present_rack_loads_late(
    demo: Demo, enter: Callable, device: dict[str, Any]
) -> None:
    page = enter("operator").page
    let_go = held(page)
    page.goto(f"{demo.url}/devices/{device['id']}/place")
    field = page.get_by_role("combobox", name="Rack")
    field.fill("A05")
    expect(page.get_by_role("option", name=re.compile("A05"))).to_be_visible()
    with page.expect_response(PRESENT):
        let_go()
    page.get_by_role("option", name=re.compile("A05")).hover()  # a turn of the page later
    expect(field).to_have_value("A05")


@pytest.mark.slow
def test_typing_replaces_a_rack_that_loads_into_the_field_one_stands_in(
    demo: Demo, enter: Callable, device: dict[str, Any]
) -> None:
    page = enter("operator").page
    let_go = held(page)
    page.goto(f"{demo.url}/devices/{device['id']}/place")
    field = page.get_by_role("combobox", name="Rack")
    field.focus()
    expect(page.get_by_role("option", name=re.compile("A05"))).to_be_visible()
    let_go()
    expect(field).to_have_value("A06")
    page.keyboard.type("A05")
    expect(field).to_have_value("A05")


@pytest.mark.slow
def test_a_new_device_gets_its_name_from_the_sites_rule(demo: Demo, enter: Callable, racks: dict[str, Any]) -> None:
    prefix = f"core{uuid4().hex[:4]}"
    rule = {
        "site": demo.api("/api/sites/")["results"][0]["id"],
        "kind": "switch",
        "tier": "core",
        "pattern": f"{prefix}-{{rack}}-u{{u:02}}",
    }
    made = write(demo, "POST", "/api/naming-rules/", rule)
    rack = racks["A06"]["rack"]["id"]
    page = enter("operator").page
    try:
        page.goto(f"{demo.url}/devices/new?rack={rack}")
        page.get_by_role("combobox", name="Model").fill("QM9700")
        page.get_by_role("option", name=re.compile("QM9700")).click()
        page.get_by_label("Tier").select_option("core")
        page.get_by_test_id("suggestion").first.click()
        u = int(page.get_by_test_id("place-u").input_value())
        expect(page.get_by_test_id("device-name")).to_have_value(f"{prefix}-a06-u{u:02}")
        page.get_by_test_id("place-save").click()
        expect(page.get_by_test_id("pick-details")).to_contain_text(f"{prefix}-a06-u{u:02}")
        found = demo.api(f"/api/devices/?name={prefix}-a06-u{u:02}")["results"][0]
        write(demo, "DELETE", f"/api/devices/{found['id']}/")
    finally:
        write(demo, "DELETE", f"/api/naming-rules/{made['id']}/")


# ---- parts ----


def test_a_part_has_a_page_with_its_life_and_search_leads_to_it(
    demo: Demo, enter: Callable, machine: dict[str, Any]
) -> None:
    gpu = next(row for row in demo.api(f"/api/machines/{machine['id']}/components/")["results"] if row["kind"] == "gpu")
    page = enter("viewer", at="/").page
    page.keyboard.press("/")
    page.get_by_test_id("search-input").fill(gpu["serial"])
    page.get_by_test_id("search-result").first.click()
    expect(page.get_by_test_id("component-head")).to_contain_text(gpu["serial"])
    expect(page.get_by_test_id("condition")).to_contain_text("Good")
    expect(page.get_by_test_id("moment").first).to_contain_text(machine["name"])
    expect(page.get_by_test_id("moment").first).to_contain_text(f"({gpu['slot']})")
    page.goto(f"{demo.url}/machines/{machine['id']}?tab=parts")
    page.get_by_role("link", name=gpu["serial"]).click()
    expect(page.get_by_test_id("component-head")).to_contain_text(gpu["serial"])


@pytest.mark.slow
def test_spares_that_are_short_come_first(demo: Demo, enter: Callable) -> None:
    site = demo.api("/api/sites/")["results"][0]["id"]
    shelf = write(demo, "POST", "/api/storage-places/", {"site": site, "name": "Shelf T-1"})
    rows = [
        {
            "storage": shelf["id"],
            "kind": "optic",
            "vendor": "NVIDIA",
            "part_number": part,
            "quantity": have,
            "minimum": least,
        }
        for part, have, least in (("AAA-ENOUGH", 5, 2), ("ZZZ-SHORT", 1, 4))
    ]
    made = [write(demo, "POST", "/api/stock/", row) for row in rows]
    try:
        page = enter("viewer").page
        page.goto(f"{demo.url}/spares")
        first = page.get_by_test_id("spare").first
        expect(first).to_contain_text("ZZZ-SHORT")
        expect(first).to_contain_text("3 short")
        expect(page.get_by_test_id("short-count")).to_contain_text("1 part short")
        page.get_by_role("searchbox", name="Search spares").fill("enough")
        expect(page.get_by_test_id("spare")).to_have_count(1)
    finally:
        for row in made:
            write(demo, "DELETE", f"/api/stock/{row['id']}/")
        write(demo, "DELETE", f"/api/storage-places/{shelf['id']}/")


# ---- every page ----


def pages(racks: dict[str, Any], machine: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Name to path and to what has to stand on it."""
    rack, row = racks["A01"]["rack"]["id"], racks["A01"]["rack"]["row_id"]
    switch = next(item["id"] for item in racks["A01"]["front"] if item["kind"] == "switch")
    pdu = racks["A01"]["sides"][0]["id"]
    return {
        "racks": ("/racks", "[data-testid=thumbnail]"),
        "rack": (f"/racks/{rack}?device={machine['id']}", "[data-testid=pick-details] li"),
        "switch": (f"/devices/{switch}", "[data-testid=front] svg"),
        "PDU": (f"/devices/{pdu}", "[data-testid=port]"),
        "rack power": (f"/racks/{rack}?tab=power", "[data-testid=rack-feed]"),
        "row": (f"/rows/{row}", "[data-testid=thumbnail]"),
        "cables": ("/cables", "tbody tr"),
        "cable": ("/cables/21", "[data-testid=way]"),
        "power": ("/power/planned", "[data-testid=site-feed]"),
        "feed failure": ("/power/planned?feed=1", "[data-testid=hit]"),
        "spares": ("/spares", "h1"),
        "part": ("/components/1", "[data-testid=moment]"),
        "export": ("/export", "[data-testid=labels]"),
        "reports": ("/reports", "[data-testid=rails] .tag"),
        "tokens": ("/account/tokens", "h1"),
        "place": (f"/devices/{machine['id']}/place", "[data-testid=suggestion]"),
        "new device": (f"/devices/new?rack={rack}", "[data-testid=face-front]"),
        "rails": (f"/machines/{machine['id']}?tab=rails", "[data-testid=rail]"),
    }


@pytest.mark.slow
@needs_axe
@walked
def test_every_page_fits_its_screen_and_axe_finds_nothing(
    size: dict[str, int], demo: Demo, enter: Callable, racks: dict[str, Any], machine: dict[str, Any]
) -> None:
    assert not (found := walk(enter("operator", size).page, demo.url, pages(racks, machine))), found


@pytest.mark.slow
@pytest.mark.target(55)
def test_what_cannot_be_loaded_says_so_and_can_be_tried_again(demo: Demo, enter: Callable, a01: int) -> None:
    visitor = enter("viewer")
    page = visitor.page
    broken = {"yes": True}
    page.route(
        "**/api/racks/*/elevation/",
        lambda route: route.fulfill(status=500, body="{}") if broken["yes"] else route.continue_(),
    )
    page.goto(f"{demo.url}/racks/{a01}")
    expect(page.get_by_role("alert")).to_contain_text("Could not load this rack")
    broken["yes"] = False
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(page.get_by_test_id("rack-head")).to_be_visible()
    page.goto(f"{demo.url}/racks/999999")
    expect(page.get_by_role("alert")).to_be_visible()


@pytest.mark.target(23)
@pytest.mark.slow
def test_23_sixty_racks_are_read_as_density_on_one_screen(demo: Demo, enter: Callable[..., Any]) -> None:
    """The demo has seven racks: the answer is made one of sixty-four, in four rows of sixteen."""
    page = enter("viewer", DESK).page

    def many(route: Route) -> None:
        body = route.fetch().json()
        few = body["racks"]
        body["racks"] = [
            few[n % len(few)]
            | {"rack": few[n % len(few)]["rack"] | {"id": 10_000 + n, "name": f"D{n:02}", "row": few[0]["rack"]["row"]}}
            for n in range(64)
        ]
        route.fulfill(json=body)

    page.route("**/api/racks/elevations/*", many)
    page.goto(f"{demo.url}/racks")
    racks = page.get_by_test_id("thumbnail")
    expect(racks).to_have_count(64)
    whole = [box for rack in racks.all() if (box := rack.bounding_box()) and box["y"] + box["height"] <= DESK["height"]]
    assert len(whole) >= 60
    assert all(box["width"] >= 20 and box["height"] >= 60 for box in whole), (
        "large enough to tell a full one from an empty"
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= DESK["width"]
