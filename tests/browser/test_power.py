"""Power and cooling: the floor by racks, a rack with its feeds and heights, feeds, energy, meters, what if.

The demo's hall is warm: its PDUs, cooling unit, sensors and meter answer, machines warm their neighbours through gaps.
What goes wrong there is done through its control interface, found, and mended; `test_power_findings` has a story of
every kind of finding.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import DESK, Demo, desk_and_phone, wait_for, walked, write
from tests.browser.narrow import NARROW, misfits
from tests.browser.pictures import picture
from tests.browser.warm_hall import (
    findings,
    floor_of,
    go_on,
    judged_now,
    measured,
    mend,
    mended,
    meter,
    provoke,
    rack_of,
    until,
)

__all__ = ["measured", "mended"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

LAYERS = {
    "Inlet": "°C at the front", "ΔT": "°C from front to back", "Hottest GPU": "°C of the hottest GPU",
    "Slowed GPUs": "by a power limit below the wanted one", "Free kW": "kW that may still be drawn",
    "Power": "kW measured",
}  # fmt: skip
HGX = "dell-xe9680-h100"
ENERGY = """
from datetime import timedelta
from django.utils import timezone
from core.models import Site
from facility.models import EnergyDay
from health.models import SchedulerJob, SchedulerSource
from inventory.models import Machine
now = timezone.now()
site = Site.objects.first()
source = SchedulerSource.objects.create(site=site, kind="slurm", local=True, period_s=3600, stale_after_s=86400,
    enabled=False)
ids = list(Machine.objects.order_by("pk").values_list("pk", flat=True)[:4])
job = SchedulerJob.objects.create(
    source=source, job_id="90211", label="90211", name="kestrel-7b", account="nlp", state="running",
    started_at=now - timedelta(days=2), gpus=32, machine_count=4, machine_ids=ids)
for machine in ids:
    told = dict(site_id=site.pk, machine_id=machine, total_s=86_400)
    yesterday = now.date() - timedelta(days=1)
    EnergyDay.objects.create(**told, day=yesterday, job_id=job.pk, outlet_kwh=204, cost=42.84, currency="EUR",
        co2_kg=77.5, co2_kwh=204)
    EnergyDay.objects.create(**told, day=yesterday, bmc_kwh=24, cost=5.04, currency="EUR", co2_kg=9.1,
        co2_kwh=24, unknown_s=8_640)
print(job.pk)
"""
NO_ENERGY = """
from facility.models import EnergyDay
from health.models import SchedulerSource
EnergyDay.objects.filter(job_id={job}).delete()
EnergyDay.objects.filter(job_id=None, bmc_kwh=24).delete()
SchedulerSource.objects.filter(kind="slurm", enabled=False).delete()
"""


# ---- the floor ----


@desk_and_phone
def test_the_floor_is_read_by_layers_each_with_its_unit_and_a_sign_of_its_own(
    size: dict[str, int], measured: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("technician", size, at="/power").page
    floor = page.get_by_test_id("power-floor")
    racks = floor.locator("[data-rack]")
    expect(racks).to_have_count(len(floor_of(measured)["racks"]))
    expect(page.get_by_test_id("power-totals")).to_contain_text(re.compile(r"\d kW IT.*PUE 1\.\d"))
    for word, unit in LAYERS.items():
        page.get_by_role("group", name="Layer").get_by_role("button", name=word, exact=True).click()
        expect(page.get_by_test_id("legend-caption")).to_contain_text(unit)
        counts = page.get_by_test_id("legend-band").evaluate_all("all => all.map(each => Number(each.dataset.count))")
        assert sum(counts) == racks.count()
        expect(floor.locator("[data-name=A01]")).to_have_attribute("aria-label", re.compile(r"^Rack A01: .*\d"))
    page.get_by_role("button", name="Hottest GPU", exact=True).click()
    for words in ("great to 75 °C", "good below 80", "near throttling from 84", "throttling"):
        expect(page.get_by_test_id("legend-band").filter(has_text=words).first).to_be_visible()
    told = re.compile(r"Hottest GPU \d+ °C, (great|good|warm|near throttling)")
    expect(floor.locator("[data-name=A01]")).to_have_attribute("aria-label", told)
    picture(page, tmp_path / "gpus.png")
    page.get_by_role("button", name="Inlet", exact=True).click()
    expect(page).to_have_url(re.compile("layer=inlet"))
    page.reload()
    expect(floor).to_have_attribute("data-layer", "inlet")
    picture(page, tmp_path / "inlet.png")


def test_the_floor_is_walked_with_the_keyboard_and_a_rack_opens_beside_it(measured: Demo, enter: Callable) -> None:
    page = enter("technician", at="/power").page
    floor = page.get_by_test_id("power-floor")
    floor.locator("[data-name=A01]").focus()
    page.keyboard.press("ArrowRight")
    expect(floor.locator("[data-name=A02]")).to_be_focused()
    page.keyboard.press("Enter")
    panel = page.get_by_test_id("power-rack")
    expect(panel).to_have_attribute("data-rack", "A02")
    expect(panel.get_by_test_id("strip")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    expect(floor.locator("[data-name=A02]")).to_be_focused()


@desk_and_phone
def test_a_rack_shows_both_feeds_by_machine_its_phases_and_its_inlet_by_height(
    size: dict[str, int], measured: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("technician", size, at="/power").page
    page.get_by_test_id("power-floor").locator("[data-name=A01]").click()
    panel = page.get_by_test_id("power-rack")
    expect(panel.get_by_test_id("rack-line")).to_contain_text(re.compile(r"4 machines.*\d kW of \d.*measured by PDUs"))
    for side in ("A", "B"):
        strip = panel.locator(f"[data-testid=strip][data-side={side}]")
        expect(strip).to_have_attribute("aria-label", re.compile(r"hgx-a01-01 \d.* kW"))
    expect(panel.get_by_test_id("other-fails").first).to_contain_text("it holds")
    expect(panel.get_by_test_id("phases")).to_contain_text(re.compile(r"L1\s*\d+\.\d A"))
    expect(panel.get_by_test_id("breakers")).to_have_count(2)
    expect(panel.get_by_test_id("breakers").first).to_contain_text("their size is not known")
    gpus = panel.get_by_test_id("rack-gpus")
    expect(gpus).to_contain_text(re.compile(r"(Great|Good|Warm) \d.*hgx-a01-0\d \d+ °C"))
    expect(panel.get_by_test_id("profile").get_by_role("img")).to_have_attribute(
        "aria-label", re.compile(r"\d °C at U")
    )
    picture(page, tmp_path / "rack.png")
    panel.get_by_role("link", name="Open").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Rack A01")
    for quantity in ("power_w", "inlet_c", "delta_t_c", "hottest_gpu_c"):
        expect(page.get_by_test_id(f"history-{quantity}")).to_be_visible()
    page.get_by_text("Values as tables").click()
    expect(page.get_by_role("row").filter(has_text="hgx-a01-01").first).to_contain_text(re.compile(r"\d\.\d"))
    picture(page, tmp_path / "rack-page.png", full_page=True)


# ---- what if ----


def field(dialog: Locator, word: str) -> Locator:
    """What is typed or chosen under this word; the choices of a list are part of its label's text."""
    return dialog.locator("label.field").filter(has_text=re.compile(f"^{word}")).locator("input, select")


@desk_and_phone
def test_a_feed_that_goes_off_with_its_side_is_drawn_on_the_floor_and_taken_back(
    size: dict[str, int], measured: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("technician", size, at="/power").page
    page.get_by_test_id("what-if-open").click()
    ask = page.get_by_role("dialog")
    field(ask, "Feed").select_option(label="a01-a")
    field(ask, "With it goes").select_option("side")
    page.get_by_test_id("what-if-ask").click()
    expect(page.get_by_test_id("what-if-text")).to_contain_text("a01-a and ")
    floor = page.get_by_test_id("power-floor")
    expect(floor).to_have_attribute("data-layer", "what-if")
    expect(page.get_by_test_id("what-if-sum")).to_have_text(re.compile(r"trips?"))
    picture(page, tmp_path / "what-if.png")
    page.reload()
    expect(floor, "the question is in the address").to_have_attribute("data-layer", "what-if")
    page.get_by_role("group", name="Moment").get_by_role("button", name="Now").click()
    expect(page.get_by_test_id("what-if")).to_have_attribute("data-then", "false")
    page.get_by_test_id("what-if-back").click()
    expect(floor).to_have_attribute("data-layer", "power")
    assert "if=" not in page.url


def test_machines_more_warmer_air_and_full_load_are_answered_in_words(measured: Demo, enter: Callable) -> None:
    page = enter("technician", at="/power").page

    def ask(question: str, **fields: str) -> None:
        page.get_by_test_id("what-if-open").click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_label(question).check()
        for label, value in fields.items():
            control = field(dialog, label.replace("_", " "))
            (control.fill if control.get_attribute("type") == "number" else control.select_option)(value)
        page.get_by_test_id("what-if-ask").click()

    model = measured.api("/api/device-models/?kind=machine&omit=spec")["results"][0]["slug"]
    ask("More machines in a rack", Rack=str(rack_of(measured, "A06")), Model=model, How_many="2")
    expect(page.get_by_test_id("what-if-text")).to_contain_text("2 more")
    ask("Warmer air", **{"By how many °C": "9"})
    expect(page.get_by_test_id("what-if-text")).to_contain_text("9 °C")
    tile = page.get_by_test_id("power-floor").locator("[data-name=A01]")
    expect(tile, "warmer than recommended, within its class").to_have_attribute("data-look", "near")
    ask("Warmer air", **{"By how many °C": "14"})
    expect(page.get_by_test_id("what-if-sum")).to_contain_text("outside their class")
    expect(tile).to_have_attribute("data-look", "over")
    ask("All GPUs at full load")
    expect(page.get_by_test_id("what-if-text")).to_contain_text("All GPUs at full load")


@desk_and_phone
def test_room_left_says_where_how_many_and_what_stops_the_next_and_a_rack_asks_for_four_more(
    size: dict[str, int], measured: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("technician", size, at="/power").page
    page.get_by_test_id("what-if-open").click()
    ask = page.get_by_role("dialog")
    ask.get_by_label("Room left for a model").check()
    field(ask, "Model").select_option(HGX)
    page.get_by_test_id("what-if-ask").click()
    expect(page.get_by_test_id("room-left-text")).to_contain_text("Room for")
    rows = page.get_by_test_id("room-left-row")
    answer = measured.api(f"/api/facility/room-left/?room=1&model={HGX}")
    expect(rows).to_have_count(len(answer["racks"]))
    best = max(answer["racks"], key=lambda each: (each["alone"], each["free_w"]))
    expect(rows.first).to_contain_text(re.compile(rf"{best['name']}.*{best['alone']}.*kW free", re.S))
    floor = page.get_by_test_id("power-floor")
    expect(floor).to_have_attribute("data-layer", "room-left")
    expect(floor.locator(f"[data-name={best['name']}]")).to_have_attribute(
        "aria-label", re.compile(rf"room for {best['alone']} more; ")
    )
    expect(page.get_by_test_id("legend-caption")).to_contain_text("fit in each rack")
    picture(page, tmp_path / "room-left.png")
    page.emulate_media(color_scheme="dark")
    picture(page, tmp_path / "room-left-dark.png")
    page.emulate_media(color_scheme="light")
    page.reload()
    expect(floor, "the question is in the address").to_have_attribute("data-layer", "room-left")
    rows.first.get_by_role("link").click()
    expect(page.get_by_test_id("what-if-text")).to_contain_text(f"4 more {HGX} in {best['name']}")
    page.go_back()
    expect(rows.first).to_be_visible()
    page.get_by_test_id("what-if-back").click()
    expect(floor).to_have_attribute("data-layer", "power")
    assert "if=" not in page.url


# ---- feeds ----


def test_a_feed_is_a_line_from_its_panel_to_its_machines(measured: Demo, enter: Callable, tmp_path: Path) -> None:
    page = enter("technician", at="/power/feeds").page
    rows = page.get_by_test_id("feed-row")
    expect(rows).to_have_count(len(measured.api("/api/facility/feeds/?site=1")["results"]))
    page.get_by_label("Find by name, panel or side").fill("a01-")
    expect(rows).to_have_count(2)
    rows.filter(has_text="a01-a").get_by_role("link").click()
    expect(page.get_by_test_id("feed-head")).to_contain_text("Feed a01-a")
    line = page.get_by_role("img", name=re.compile("One-line diagram"))
    expect(line).to_have_attribute("aria-label", re.compile(r"a01-a [\d.]+ of 57\.5 kW, peak [\d.]+, then pdu-a01-a"))
    expect(page.get_by_test_id("if-fails")).to_contain_text("If side A fails")
    expect(page.get_by_test_id("carries").first).to_have_attribute("data-trips", "false")
    expect(page.get_by_role("link", name="hgx-a01-01")).to_have_attribute("href", re.compile(r"/machines/\d+"))
    expect(page.get_by_role("link", name="mgmt-a01")).to_have_attribute("href", re.compile(r"/devices/\d+"))
    picture(page, tmp_path / "feed.png")
    page.get_by_role("link", name="What if it goes off now").click()
    expect(page.get_by_test_id("what-if-text")).to_contain_text("a01-a off")


# ---- energy ----


@pytest.fixture
def energy(measured: Demo) -> Iterator[int]:
    """Yesterday of four machines that ran one job and were idle as well; the id of the job."""
    job = int(measured.python(ENERGY).strip().splitlines()[-1])
    yield job
    measured.python(NO_ENERGY.format(job=job))


@desk_and_phone
def test_energy_of_jobs_tells_kwh_cost_co2_and_how_it_is_known(
    size: dict[str, int], energy: int, demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("technician", size, at="/power/energy").page
    row = page.locator(f"[data-testid=energy-row][data-key='{energy}']")
    expect(row).to_contain_text("816")
    expect(row).to_contain_text("€171")
    expect(row).to_contain_text("310 kg")
    expect(row).to_contain_text("outlets, ± 2 %")
    expect(row.get_by_role("link")).to_have_attribute("href", f"/scheduler/jobs/{energy}")
    idle = page.locator("[data-testid=energy-row][data-key=idle]")
    expect(idle).to_contain_text("≥ ")
    expect(idle).to_contain_text("of the time not known")
    expect(page.get_by_test_id("energy-basis")).to_contain_text("€0.210/kWh · 380 g CO₂/kWh")
    expect(page.get_by_test_id("slowed")).to_contain_text("by the power brake")
    picture(page, tmp_path / "energy.png", full_page=True)
    page.get_by_label("By", exact=True).select_option("rack")
    expect(page).to_have_url(re.compile("by=rack"))
    expect(page.get_by_test_id("energy-row").first.get_by_role("link")).to_have_attribute(
        "href", re.compile(r"/power/racks/\d+")
    )
    page.goto(f"{demo.url}/power")
    running = page.get_by_test_id("running-energy")
    expect(running).to_contain_text("90211 kestrel-7b")
    expect(running).to_contain_text("816")


# ---- meters ----


def test_a_meter_with_a_wrong_address_says_why_and_answers_once_it_is_mended(
    measured: Demo, enter: Callable, tmp_path: Path
) -> None:
    right = meter(measured, "site")
    page = enter("admin", at="/power/meters").page
    page.get_by_test_id("meter-new").click()
    form = page.get_by_role("dialog")
    form.get_by_label("Kind").select_option(label="Meter, Modbus/TCP")
    form.get_by_label("Name").fill("main board")
    form.get_by_label("Address").fill("127.0.0.9:9")
    form.get_by_label("Options, as JSON").fill('{"unit": 1')
    page.get_by_test_id("meter-save").click()
    expect(form.get_by_role("alert")).to_contain_text("Not JSON")
    form.get_by_label("Options, as JSON").fill(json.dumps({"unit": 1, "registers": []}))
    page.get_by_test_id("meter-save").click()
    expect(form, "what a kind needs, the service says at the field").to_contain_text("registers")
    form.get_by_label("Options, as JSON").fill(json.dumps(right["options"]))
    page.get_by_test_id("meter-save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("main board")
    state = page.get_by_test_id("meter-state")
    page.get_by_test_id("meter-read").click()
    expect(state).to_have_text("Not read", timeout=60_000)
    expect(page.locator(".about")).to_contain_text("127.0.0.9")
    picture(page, tmp_path / "wrong.png")
    page.get_by_test_id("meter-change").click()
    form.get_by_label("Address").fill(right["address"])
    page.get_by_test_id("meter-save").click()
    page.get_by_test_id("meter-read").click()
    expect(state).to_have_text("OK", timeout=60_000)
    power = page.get_by_test_id("meter-value").filter(has_text="Power").first
    expect(power).to_contain_text("W")
    page.get_by_test_id("meter-remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page).to_have_url(re.compile(r"/power/meters$"))


def test_every_value_of_a_pdu_has_its_unit_and_one_that_cannot_be_says_why(
    measured: Demo, mended: None, enter: Callable, tmp_path: Path
) -> None:
    page = enter("operator", at=f"/power/meters/{meter(measured, 'pdu-a03-a')['id']}").page
    values = page.get_by_test_id("meter-value")
    expect(values.filter(has_text="Inlet").filter(has_text="Power")).to_contain_text(re.compile(r"[\d,]+\s*W$"))
    expect(values.filter(has_text="L1").filter(has_text="Current")).to_contain_text(re.compile(r"[\d.]+\s*A$"))
    provoke(measured, "values_in_tenths", "pdu-a03-a")
    page.get_by_test_id("meter-read").click()
    unknown = page.locator("[data-testid=meter-value][data-known=false]")
    expect(unknown.first).to_contain_text(re.compile("not known: .{10,}"), timeout=60_000)
    expect(page.get_by_test_id("meter-state")).to_have_text("Partly read", timeout=30_000)
    picture(page, tmp_path / "tenths.png")
    mend(measured, fault="values_in_tenths", target="pdu-a03-a")
    page.get_by_test_id("meter-read").click()
    expect(page.get_by_test_id("meter-state")).to_have_text("OK", timeout=60_000)


# ---- policy and proposals ----


def test_a_limit_of_the_site_is_changed_by_an_administrator_alone(measured: Demo, enter: Callable) -> None:
    page = enter("admin", at="/power/policy").page
    load = page.get_by_test_id("policy-load_percent")
    expect(load).to_have_value("80")
    load.fill("75")
    page.get_by_test_id("policy-save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    assert measured.api("/api/facility/policies/1/")["load_percent"] == 75
    load.fill("80")
    page.get_by_test_id("policy-save").click()
    wait_for(lambda: measured.api("/api/facility/policies/1/")["load_percent"] == 80, 20, "the limit from before")
    other = enter("operator", at="/power/policy").page
    expect(other.get_by_test_id("policy-load_percent")).to_be_disabled()
    expect(other.get_by_test_id("policy-save")).to_have_count(0)


@pytest.mark.target(40)
def test_a_leak_proposes_its_valve_and_an_approved_dry_run_is_only_written_down(
    measured: Demo, mended: None, enter: Callable, tmp_path: Path
) -> None:
    provoke(measured, "leak", "cdu-a", detector="A02")
    judged_now(measured, look=False)
    page = enter("operator", at="/power/findings").page
    leak = page.locator("[data-testid=power-finding][data-kind=leak]")
    expect(leak).to_contain_text("A02")
    page.goto(f"{measured.url}/power/proposals")
    proposal = page.locator("[data-testid=proposal][data-state=proposed]").filter(has_text="cdu-a")
    expect(proposal).to_have_count(1)
    expect(proposal.get_by_test_id("proposal-step").first).to_contain_text("Close valve V-A02")
    picture(page, tmp_path / "leak.png")
    proposal.get_by_test_id("proposal-approve").click()
    expect(page.get_by_role("dialog")).to_contain_text("It is a dry run")
    page.get_by_test_id("proposal-confirm").click()
    approved = page.locator("[data-testid=proposal][data-state=approved]").filter(has_text="cdu-a")
    expect(approved.get_by_test_id("proposal-step").first).to_contain_text("Dry run")
    expect(approved.get_by_test_id("proposal-undo"), "nothing was done").to_have_count(0)
    mend(measured, fault="leak")
    judged_now(measured, look=False)
    page.reload()
    expect(approved).to_have_count(0)
    assert findings(measured, kind="leak") == []


# ---- every page ----


def pages_of(demo: Demo) -> dict[str, tuple[str, str]]:
    rack, pdu = rack_of(demo, "A02"), meter(demo, "pdu-a01-a")["id"]
    feed = demo.api("/api/facility/feeds/?site=1")["results"][0]["id"]
    return {
        "floor": ("/power", "[data-testid=power-floor]"),
        "floor with a rack": (f"/power?rack={rack}&layer=gpu", "[data-testid=power-rack] [data-testid=profile]"),
        "what if": (f"/power?if=feed_off&if_feed={feed}&if_with=side", "[data-testid=what-if-text]"),
        "room left": (f"/power?if=room_left&if_model={HGX}", "[data-testid=room-left-row]"),
        "asking": ("/power?ask=1", "dialog"),
        "rack": (f"/power/racks/{rack}", "[data-testid=history-inlet_c]"),
        "findings": ("/power/findings", "h1"),
        "feeds": ("/power/feeds", "[data-testid=feed-row]"),
        "feed": (f"/power/feeds/{feed}", "[data-testid=carries]"),
        "energy": ("/power/energy", "[data-testid=slowed]"),
        "meters": ("/power/meters", "[data-testid=meter]"),
        "a new meter": ("/power/meters?new=1", "dialog"),
        "meter": (f"/power/meters/{pdu}", "[data-testid=meter-value]"),
        "proposals": ("/power/proposals", "h1"),
        "policy": ("/power/policy", "[data-testid=policy-load_percent]"),
    }


@needs_axe
@walked
def test_axe_finds_nothing_on_any_page_of_power(size: dict[str, int], measured: Demo, enter: Callable) -> None:
    assert walk(enter("admin", size).page, measured.url, pages_of(measured)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("type_size", [100, 200])
def test_at_320_pixels_no_page_of_power_scrolls_sideways(type_size: int, measured: Demo, enter: Callable) -> None:
    page = enter("admin", NARROW).page
    found = []
    for path, landmark in pages_of(measured).values():
        page.goto(measured.url + path)
        expect(page.locator(landmark).first).to_be_visible()
        found += [(path, fault) for fault in misfits(page, type_size)]
    assert found == []


@pytest.mark.slow
def test_every_page_of_power_is_seen_in_both_themes(measured: Demo, enter: Callable, tmp_path: Path) -> None:
    """For whoever looks at pictures."""
    for size in (DESK, {"width": 390, "height": 844}):
        page = enter("admin", size).page
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            for name, (path, landmark) in pages_of(measured).items():
                page.goto(measured.url + path)
                expect(page.locator(landmark).first).to_be_visible()
                picture(page, tmp_path / f"{name} {size['width']} {scheme}.png")


# ---- what goes wrong in the hall ----


@pytest.mark.slow
def test_an_open_gap_is_found_ordered_to_be_closed_and_gone_once_it_is(
    measured: Demo, mended: None, enter: Callable, tmp_path: Path
) -> None:
    provoke(measured, "gap_open", "A02", from_u=29, to_u=32)
    go_on(measured, 900)
    until(measured, lambda: findings(measured, kind="recirculation"), 60, "warm air that returns")
    page: Page = enter("technician", at="/power").page
    page.get_by_test_id("power-floor").locator("[data-name=A02]").click()
    panel = page.get_by_test_id("power-rack")
    found = panel.locator("[data-testid=power-finding][data-kind=recirculation]")
    expect(found).to_contain_text(re.compile("Warm air returns to .* of A02 through U29"), timeout=60_000)
    gap = panel.get_by_test_id("gap").first
    expect(gap).to_contain_text(re.compile(r"Close U29–37 with 9U of panels: −\d+\.\d °C"))
    expect(gap).to_contain_text("hgx-a02-04")
    picture(page, tmp_path / "gap.png")
    gap.get_by_test_id("gap-order").click()
    panel.get_by_test_id("gap-ticket").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Close U29 to U37 of A02")
    expect(page.get_by_test_id("ticket-step").filter(has_text="Close U29 to U37").get_by_role("img")).to_be_visible()
    picture(page, tmp_path / "order.png", full_page=True)
    mend(measured, fault="gap_open", target="A02")
    go_on(measured, 900)
    until(measured, lambda: not findings(measured, kind="recirculation"), 60, "the air to be cool again")
    page.goto(f"{measured.url}/power/racks/{rack_of(measured, 'A02')}")
    expect(page.get_by_test_id("rack-line")).to_be_visible()
    expect(page.locator("[data-testid=power-finding][data-kind=recirculation]")).to_have_count(0)


@pytest.mark.slow
def test_a_dead_feed_is_one_finding_with_its_machines_and_one_proposal_that_is_taken_back(
    measured: Demo, mended: None, enter: Callable, tmp_path: Path
) -> None:
    """Last: it breaks machines in the eyes of health, whose tickets stay for a while."""
    silent = f"/api/facility/meters/{meter(measured, 'pdu-a02-a')['id']}/"
    write(measured, "PATCH", silent, {"period_s": 10}, user="admin")  # what it told counts for three periods
    judged_now(measured)
    provoke(measured, "feed_off", "a02-a")
    until(measured, lambda: findings(measured, kind="feed.lost"), 90, "the dead feed")
    until(measured, lambda: len(findings(measured, kind="psu.idle")) >= 4, 90, "its idle supplies")
    page = enter("admin", at="/power/findings").page
    causes = page.get_by_test_id("power-cause")
    dead = page.locator("[data-testid=power-cause][data-subject=a02-a]")
    expect(dead).to_have_attribute("data-kind", "feed.lost")
    expect(dead.get_by_text("at 4 machines follow from it")).to_be_visible()
    alone = causes.evaluate_all("all => all.map(each => [each.dataset.kind, each.dataset.subject])")
    follows = {"psu.idle", "redundancy.lost", "brake.on", "value.unknown"}
    assert not [each for each in alone if each[0] in follows and "a02" in each[1]], alone
    dead.locator("summary").click()
    expect(dead.locator("[data-kind='psu.idle']").first).to_be_visible()
    picture(page, tmp_path / "dead-feed.png")
    write(measured, "PATCH", "/api/facility/policies/1/", {"acting": True}, user="admin")
    page.goto(f"{measured.url}/power/proposals")
    proposal = page.locator("[data-testid=proposal]").filter(has_text="a02-a, 4 machines")
    expect(proposal).to_have_count(1)
    expect(proposal.get_by_test_id("proposal-machines")).to_contain_text("hgx-a02-01, hgx-a02-02")
    proposal.get_by_test_id("proposal-approve").click()
    expect(page.get_by_role("dialog")).to_contain_text("They are carried out in this order")
    page.get_by_test_id("proposal-confirm").click()
    expect(page.get_by_text("Approved: its steps are carried out.")).to_be_visible()
    first = proposal.get_by_test_id("proposal-step").first
    expect(first, "the machines are held").to_have_attribute("data-state", "done", timeout=60_000)
    picture(page, tmp_path / "approved.png")
    proposal.get_by_test_id("proposal-undo").click()
    expect(first).to_have_attribute("data-state", "undone")
    write(measured, "PATCH", "/api/facility/policies/1/", {"acting": False}, user="admin")
    write(measured, "PATCH", silent, {"period_s": 60}, user="admin")
    mend(measured, fault="feed_off", target="a02-a")
    until(measured, lambda: not findings(measured, kind="feed.lost"), 90, "the feed")
