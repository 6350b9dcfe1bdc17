"""What the dashboard has to feel like: targets of docs/targets.md that no story of a page proves in passing."""

from __future__ import annotations

import io
import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESK, PHONE, Demo, wait_for
from tests.browser.narrow import NARROW, misfits
from tests.browser.test_phone import report, take, ticket_of  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(300)]

CELLS = ["available", "allocated", "suspect", "failed", "repair", "maintenance", "provisioning", "no_signal"]
COLOUR = """name => {
const probe = document.createElement('i');
probe.style.color = `var(${name})`;
document.body.append(probe);
const found = getComputedStyle(probe).color;
probe.remove();
return found.match(/[\\d.]+/g).slice(0, 3).map(Number); }"""
CONTRAST = """selector => {
const pen = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
const parts = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    return [...pen.getImageData(0, 0, 1, 1).data]; };
const linear = (v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
const light = ([r, g, b]) => .2126 * linear(r / 255) + .7152 * linear(g / 255) + .0722 * linear(b / 255);
const ground = (one) => {
    for (let up = one; up; up = up.parentElement) {
        const colour = parts(getComputedStyle(up).backgroundColor);
        if (colour[3] > 250) return colour;
    }
    return [255, 255, 255]; };
return [...document.querySelectorAll(selector)].filter((one) => one.textContent.trim()).map((one) => {
    const [a, b] = [light(parts(getComputedStyle(one).color)), light(ground(one))].sort((x, y) => y - x);
    return [Math.round(100 * (a + .05) / (b + .05)) / 100, one.textContent.trim().slice(0, 40)];
}).sort((x, y) => x[0] - y[0]); }"""
"""Of the text of elements against what lies behind it, the lowest first."""
MOVING = """() => [...document.querySelectorAll('*')]
    .filter((one) => one.getAnimations().some((each) => each.playState === 'running'))
    .map((one) => one.outerHTML.slice(0, 90))"""
AWAKE = """Object.defineProperty(navigator, 'wakeLock', {value: {request: async () => {
    window.__awake = (window.__awake ?? 0) + 1; return {release: async () => { window.__awake -= 1; }}; }}});"""
"""A screen that says whether it is kept on: a headless browser has none."""


@pytest.fixture
def floor(enter: Callable) -> Iterator[Page]:
    page: Page = enter("viewer", at="/").page
    wait_for(lambda: page.evaluate("window.__rackside?.rackAt('A01') ?? null"), 30, "the map to be drawn")
    yield page


def at(page: Page, rack: str) -> tuple[float, float]:
    """The middle of a rack on the page, once the map rests."""
    found: list[Any] = [None]

    def still() -> bool:
        found.append(page.evaluate("name => window.__rackside.rackAt(name)", rack))
        return bool(found[-1] and found[-1] == found[-2])

    wait_for(still, 10, f"rack {rack} to rest")
    return found[-1]["x"], found[-1]["y"]


@pytest.mark.target(5)
def test_every_rack_is_in_sight_at_a_desk_without_scrolling(floor: Page, demo: Demo) -> None:
    names = [each["rack"]["name"] for each in demo.api("/api/racks/elevations/")["racks"]]
    box = floor.get_by_test_id("floor-canvas").bounding_box()
    assert box and box["y"] + box["height"] <= DESK["height"] + 1
    for name in names:
        x, y = at(floor, name)
        assert box["x"] <= x <= box["x"] + box["width"] and box["y"] <= y <= box["y"] + box["height"], name


@pytest.mark.target(6)
def test_the_wheel_keeps_what_is_under_the_pointer_a_drag_moves_and_fit_brings_all_back(floor: Page) -> None:
    first, other = at(floor, "A01"), at(floor, "A06")
    floor.mouse.move(*first)
    floor.mouse.wheel(0, -300)
    x, y = at(floor, "A01")
    assert abs(x - first[0]) <= 1 and abs(y - first[1]) <= 1
    assert at(floor, "A06") != other, "it was zoomed"
    floor.mouse.down()
    floor.mouse.move(x + 60, y + 40, steps=6)
    floor.mouse.up()
    moved = at(floor, "A01")
    assert abs(moved[0] - x - 60) <= 1 and abs(moved[1] - y - 40) <= 1
    floor.get_by_test_id("floor-canvas").focus()
    floor.keyboard.press("0")
    back = at(floor, "A01")
    assert abs(back[0] - first[0]) <= 1 and abs(back[1] - first[1]) <= 1


@pytest.mark.target(7)
def test_every_state_is_told_apart_without_colour(floor: Page) -> None:
    floor.context.new_cdp_session(floor).send("Emulation.setEmulatedVisionDeficiency", {"type": "achromatopsia"})
    marks = {}
    for cell in CELLS:
        mark = floor.get_by_test_id(f"chip-{cell}").locator("svg").first
        if mark.count():
            picture = Image.open(io.BytesIO(mark.screenshot())).convert("L").resize((24, 24))
            marks[cell] = picture
    assert len(marks) >= 6
    for one, other in itertools.combinations(marks, 2):
        apart = ImageStat.Stat(ImageChops.difference(marks[one], marks[other])).mean[0]
        assert apart > 4, f"{one} looks like {other}"


@pytest.mark.target(8)
def test_a_healthy_floor_is_quiet(floor: Page, demo: Demo) -> None:
    canvas = Image.open(io.BytesIO(floor.get_by_test_id("floor-canvas").screenshot())).convert("RGB")
    alarm = [floor.evaluate(COLOUR, name) for name in ("--cell-failed", "--cell-suspect")]
    colours: Any = canvas.getcolors(canvas.width * canvas.height)
    loud = sum(
        count
        for count, colour in colours
        if any(sum(abs(a - b) for a, b in zip(colour, each, strict=True)) < 40 for each in alarm)
    )
    chips = floor.locator("[data-testid^=chip-]")
    totals: dict[str, int] = chips.evaluate_all(
        "(all) => Object.fromEntries(all.map((one) => [one.dataset.testid.slice(5), Number(one.dataset.count)]))"
    )
    bad = (totals["failed"] + totals["suspect"]) / max(1, sum(totals.values()))
    assert loud / (canvas.width * canvas.height) <= max(0.002, bad), (loud, totals)


@pytest.mark.target(9, 50)
def test_a_chip_of_the_legend_filters_stands_in_the_address_and_survives_reload_and_back(floor: Page) -> None:
    chip = floor.get_by_test_id("chip-available")
    chip.click()
    expect(chip).to_have_attribute("aria-pressed", "true")
    assert "cells=available" in floor.url
    floor.reload()
    expect(chip).to_have_attribute("aria-pressed", "true")
    floor.get_by_role("navigation", name="Main").get_by_role("link", name="Tickets").click()
    floor.go_back()
    expect(chip).to_have_attribute("aria-pressed", "true")


@pytest.mark.target(11)
def test_what_is_in_a_rack_is_said_beside_it_and_goes_with_escape(floor: Page, demo: Demo) -> None:
    machine = next(row for row in demo.api("/api/machines/?page_size=5")["results"])
    x, y = at(floor, "A01")
    floor.mouse.move(x, y)
    tip = floor.locator(".tip")
    expect(tip).to_contain_text("Rack A01")
    expect(tip).to_contain_text(str(machine["name"]).rsplit("-", 1)[0])
    ring, box = floor.locator(".ring.hover").bounding_box(), tip.bounding_box()
    assert ring and box
    apart = box["x"] >= ring["x"] + ring["width"] or box["x"] + box["width"] <= ring["x"]
    assert apart, "it covers the rack that it speaks of"
    floor.get_by_test_id("floor-canvas").focus()
    floor.keyboard.press("Escape")
    expect(tip).to_have_count(0)


@pytest.mark.target(13)
def test_the_floor_is_walked_with_the_keys_alone_and_says_where_one_is(floor: Page) -> None:
    canvas = floor.get_by_test_id("floor-canvas")
    canvas.focus()
    floor.keyboard.press("ArrowRight")
    said = canvas.locator("xpath=following-sibling::p[@aria-live]")
    expect(said).to_contain_text("Rack")
    first = said.inner_text()
    floor.keyboard.press("ArrowRight")
    expect(said).not_to_have_text(first)
    floor.keyboard.press("Enter")
    expect(floor.get_by_test_id("rack-panel")).to_be_visible()
    floor.keyboard.press("Escape")
    expect(floor.get_by_test_id("rack-panel")).to_have_count(0)
    expect(canvas).to_be_focused()


@pytest.mark.target(14)
def test_the_table_of_the_floor_has_the_same_machines_under_the_same_filter(floor: Page, demo: Demo) -> None:
    for path in ("/?view=table", "/?view=table&cells=available"):
        floor.goto(demo.url + path)
        chips = floor.locator("[data-testid^=chip-]")
        expect(floor.get_by_test_id("chip-available")).not_to_have_attribute("data-count", "0")
        wanted = chips.evaluate_all(
            """(all) => { const on = all.filter((c) => c.ariaPressed === 'true');
            return (on.length ? on : all).reduce((sum, c) => sum + Number(c.dataset.count), 0); }"""
        )
        expect(floor.locator("table[aria-rowcount]")).to_have_attribute("aria-rowcount", str(wanted + 1))
        assert floor.locator("tbody tr").count() <= 100


@pytest.mark.target(16)
def test_a_hidden_tab_draws_nothing_and_is_right_as_soon_as_it_is_seen(floor: Page) -> None:
    floor.evaluate(
        """() => { window.__drawn = 0; const real = requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (run) => real((now) => { window.__drawn += 1; run(now); });
        Object.defineProperty(document, 'hidden', {value: true, configurable: true});
        Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true});
        document.dispatchEvent(new Event('visibilitychange')); }"""
    )
    floor.wait_for_timeout(500)
    before = floor.evaluate("window.__drawn")
    floor.wait_for_timeout(3_000)
    assert floor.evaluate("window.__drawn") - before <= 3, "a live feed alone asks for no frames"
    floor.evaluate(
        """() => { Object.defineProperty(document, 'hidden', {value: false, configurable: true});
        Object.defineProperty(document, 'visibilityState', {value: 'visible', configurable: true});
        document.dispatchEvent(new Event('visibilitychange')); }"""
    )
    expect(floor.get_by_text("Live", exact=True)).to_be_visible()


@pytest.mark.target(26)
def test_how_a_machine_is_stands_on_the_first_screen(enter: Callable, demo: Demo) -> None:
    machine = demo.api("/api/machines/?page_size=1")["results"][0]
    page: Page = enter("viewer", at=f"/machines/{machine['id']}").page
    parts = [
        page.get_by_test_id("machine-cell"),
        page.get_by_test_id("machine-header").locator("svg").last,
        page.get_by_text("Tickets", exact=True).last,
        page.get_by_role("link", name="Checks", exact=True).last,
    ]
    for part in parts:
        expect(part).to_be_in_viewport()


@pytest.mark.target(36)
def test_a_ticket_fits_the_narrowest_phone_with_type_of_twice_the_size(
    enter: Callable,
    demo: Demo,
    report: Callable[[str], dict[str, str]],  # noqa: F811
) -> None:
    key = report("first")["key"]
    page: Page = enter("technician", NARROW, at=f"/tickets/{key}").page
    expect(page.get_by_test_id("ticket-primary")).to_be_visible()
    assert misfits(page, 200) == []
    take(page)
    assert misfits(page, 200) == []


@pytest.mark.target(41, 43)
def test_the_screen_stays_on_while_one_works_steps_are_readable_in_glare_and_cannot_do_it_takes_one_reason(
    enter: Callable,
    demo: Demo,
    report: Callable[[str], dict[str, str]],  # noqa: F811
) -> None:
    key = report("first")["key"]
    page: Page = enter("technician", PHONE).page
    page.add_init_script(AWAKE)
    page.goto(f"{demo.url}/tickets/{key}")
    expect(page.get_by_test_id("ticket-primary")).to_have_attribute("data-action", "take")
    assert not page.evaluate("window.__awake ?? 0")
    take(page)
    wait_for(lambda: page.evaluate("window.__awake ?? 0") == 1, 10, "the screen to be kept on")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        lowest = page.evaluate(
            CONTRAST, "[data-testid=ticket-step] .title, [data-testid=ticket-step][aria-current] .detail p"
        )
        assert lowest and lowest[0][0] >= 7, (scheme, lowest[:3])
    page.get_by_role("button", name="Can’t do it").click()
    page.get_by_role("button", name="Part is not in stock").click()
    page.get_by_role("dialog").get_by_role("button", name="Release").click()
    expect(page.get_by_test_id("ticket-status")).to_have_attribute("data-status", "open")
    wait_for(lambda: not page.evaluate("window.__awake"), 10, "the screen to be let go")
    found = ticket_of(demo, key)
    assert any("Part is not in stock" in line["text"] for line in found["timeline"])
    assert found["place"]["text"] and any(step["done_at"] for step in found["steps"]), "place and steps are kept"


@pytest.mark.target(42)
def test_two_technicians_on_one_ticket_see_each_others_steps(
    enter: Callable,
    demo: Demo,
    report: Callable[[str], dict[str, str]],  # noqa: F811
) -> None:
    key = report("first")["key"]
    one: Page = enter("technician", PHONE, at=f"/tickets/{key}").page
    other: Page = enter("operator", DESK, at=f"/tickets/{key}").page
    expect(other.get_by_test_id("ticket-status")).to_have_attribute("data-status", "open")
    take(one)
    expect(other.get_by_test_id("ticket-status")).to_have_attribute("data-status", "in_work")
    expect(other.get_by_test_id("ticket-step").first).to_have_attribute("data-done", "true")


@pytest.mark.target(49)
def test_the_theme_changes_without_a_reload_and_the_map_follows(floor: Page) -> None:
    floor.evaluate("window.__same = true")
    canvas = floor.get_by_test_id("floor-canvas")
    looks = {}
    for word in ("Light", "Dark"):
        floor.get_by_role("button", name="account of").click()
        floor.get_by_role("group", name="Theme").get_by_role("button", name=word).click()
        floor.keyboard.press("Escape")
        floor.wait_for_timeout(300)
        picture = Image.open(io.BytesIO(canvas.screenshot())).convert("L")
        looks[word] = ImageStat.Stat(picture).mean[0]
    assert looks["Light"] > looks["Dark"] + 80, looks
    assert floor.evaluate("window.__same"), "the page was not loaded again"


@pytest.mark.target(52)
def test_who_wants_less_motion_sees_none(enter: Callable, demo: Demo) -> None:
    page: Page = enter("viewer").page
    page.emulate_media(reduced_motion="reduce")
    for path in ("/", "/tickets", "/provisioning"):
        page.goto(demo.url + path)
        expect(page.locator(".stage > *").first).to_be_visible()
        moving = page.evaluate(MOVING)
        assert moving == [], path


@pytest.mark.target(53)
def test_no_script_runs_that_did_not_come_with_the_page(enter: Callable, demo: Demo) -> None:
    page: Page = enter("viewer").page
    answer = page.goto(demo.url)
    assert answer is not None
    rules = dict(
        rule.strip().split(" ", 1)
        for rule in answer.headers["content-security-policy"].split(";")
        if " " in rule.strip()
    )
    scripts = rules.get("script-src", rules["default-src"])
    assert "unsafe-inline" not in scripts and "unsafe-eval" not in scripts, json.dumps(rules)


@pytest.mark.target(19)
def test_the_name_of_every_device_in_a_rack_is_large_enough_to_read(enter: Callable, demo: Demo) -> None:
    rack = demo.api("/api/racks/?search=A01")["results"][0]["id"]
    page: Page = enter("viewer", at=f"/racks/{rack}").page
    expect(page.get_by_test_id("face-front")).to_be_visible()
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('[data-testid=face-front] text.name')].map((one) => {
        const svg = one.ownerSVGElement, scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        return parseFloat(getComputedStyle(one).fontSize) * scale; })"""
    )
    assert sizes and min(sizes) >= 10.9


@pytest.mark.target(27)
def test_the_last_day_of_a_machine_is_a_strip_of_48_bars_with_its_numbers_in_words(enter: Callable, demo: Demo) -> None:
    machine = demo.api("/api/machines/?page_size=1")["results"][0]
    page: Page = enter("viewer", at=f"/machines/{machine['id']}").page
    strip = page.get_by_role("img", name="check runs failed in the last 24 hours")
    expect(strip.locator("g")).to_have_count(48)
    assert any("run" in title for title in strip.locator("title").all_text_contents())
    page.get_by_role("link", name="History", exact=True).last.click()
    expect(page.locator("main")).to_contain_text("ready", ignore_case=True)


@pytest.mark.target(28)
def test_the_cables_of_a_machine_are_copied_as_a_table(enter: Callable, demo: Demo) -> None:
    machine = demo.api("/api/machines/?page_size=1")["results"][0]
    page: Page = enter("viewer").page
    page.add_init_script("navigator.clipboard.writeText = async (text) => { window.__copied = text; };")
    page.goto(f"{demo.url}/machines/{machine['id']}?tab=cables")
    button = page.get_by_role("button", name="Copy all cables as tab-separated text")
    box = button.bounding_box()
    assert box and box["width"] >= 24 and box["height"] >= 24
    button.click()
    rows = [line.split("\t") for line in page.evaluate("window.__copied").splitlines()]
    cables = demo.api(f"/api/machines/{machine['id']}/cables/")["results"]
    assert len(rows) == len(cables) + 1 and {len(row) for row in rows} == {len(rows[0])}
    assert {row[0] for row in rows[1:]} == {cable["label"] for cable in cables}
