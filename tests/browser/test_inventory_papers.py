"""What leaves the inventory as a file, its reports, spares and parts by hand, and one's own API tokens."""

from __future__ import annotations

import io
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Demo, Enter, desk_and_phone, machines, write

pytestmark = pytest.mark.browser

RULE = "hgx-{row}{rack:02}-{n:02}"


def file_behind(page: Page, link: str) -> bytes:
    """What a click on the link would save."""
    answer = page.request.get(page.url.split("/export")[0] + (page.get_by_test_id(link).get_attribute("href") or ""))
    assert answer.ok, answer.text()
    return answer.body()


@pytest.fixture(scope="module")
def site(demo: Demo) -> int:
    return int(demo.api("/api/sites/")["results"][0]["id"])


@pytest.fixture
def misnamed(demo: Demo, site: int) -> Iterator[dict[str, Any]]:
    """A machine whose name does not follow a rule of the site."""
    rule = write(demo, "POST", "/api/naming-rules/", {"site": site, "kind": "machine", "pattern": RULE})
    machine = machines(demo)[-1]
    write(demo, "PATCH", f"/api/devices/{machine['id']}/", {"name": "oddball"})
    yield machine
    write(demo, "PATCH", f"/api/devices/{machine['id']}/", {"name": machine["name"]})
    write(demo, "DELETE", f"/api/naming-rules/{rule['id']}/")


@pytest.fixture
def shelf(demo: Demo, site: int) -> Iterator[dict[str, Any]]:
    """A storage place with five counted optics."""
    place = write(demo, "POST", "/api/storage-places/", {"site": site, "name": "Shelf P-1"})
    row = {"storage": place["id"], "kind": "optic", "vendor": "NVIDIA", "part_number": "PAPER-1", "quantity": 5}
    stock = write(demo, "POST", "/api/stock/", row)
    yield place
    write(demo, "DELETE", f"/api/stock/{stock['id']}/")
    write(demo, "DELETE", f"/api/storage-places/{place['id']}/")


@desk_and_phone
def test_labels_lists_names_and_a_whole_site_are_downloaded(demo: Demo, enter: Enter, size: dict[str, int]) -> None:
    page = enter("viewer", size).page
    page.goto(f"{demo.url}/export")
    page.get_by_label("Room").select_option(index=1)
    page.get_by_label("Row", exact=True).select_option(index=1)
    page.get_by_label("What").select_option("racks")
    page.get_by_label("Sheet").select_option("roll-62")
    assert re.search(
        r"racks\.pdf\?.*row=\d+.*layout=roll-62", page.get_by_test_id("labels").get_attribute("href") or ""
    )
    assert file_behind(page, "labels").startswith(b"%PDF")
    assert b"hgx-a01-01" in file_behind(page, "cable-list-csv")
    assert file_behind(page, "cable-list-xlsx").startswith(b"PK")
    page.get_by_label("With the adapters").check()
    assert b"mlx5_0" in file_behind(page, "node-name-map")
    names = zipfile.ZipFile(io.BytesIO(file_behind(page, "site-archive"))).namelist()
    assert any("devices" in name for name in names)


@pytest.mark.slow
@desk_and_phone
def test_a_misnamed_machine_is_reported_and_renamed_after_its_place(
    demo: Demo, enter: Enter, size: dict[str, int], misnamed: dict[str, Any]
) -> None:
    seen = enter("viewer", size).page
    seen.goto(f"{demo.url}/reports")
    expect(seen.get_by_test_id("misnamed").first).to_contain_text("oddball")
    expect(seen.get_by_role("button", name="Rename all…")).to_have_count(0)
    page = enter("operator", size).page
    page.goto(f"{demo.url}/reports")
    page.get_by_role("button", name="Rename all…").click()
    expect(page.get_by_test_id("renamings")).to_contain_text(f"oddball → {misnamed['name']}")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(page.get_by_test_id("names")).to_contain_text("Every name follows its place")
    assert demo.api(f"/api/devices/{misnamed['id']}/")["name"] == misnamed["name"]


@pytest.mark.slow
def test_a_warranty_that_has_ended_and_the_rails_are_reported(demo: Demo, enter: Enter) -> None:
    machine = machines(demo)[0]
    write(demo, "PATCH", f"/api/devices/{machine['id']}/", {"warranty_until": "2026-01-31"})
    try:
        page = enter("viewer").page
        page.goto(f"{demo.url}/reports")
        expect(page.get_by_test_id("warranty-row").first).to_contain_text(str(machine["name"]))
        expect(page.get_by_test_id("warranty-row").first).to_contain_text("ended")
        expect(page.get_by_test_id("rails")).to_contain_text(re.compile(r"\d rail ports checked"))
    finally:
        write(demo, "PATCH", f"/api/devices/{machine['id']}/", {"warranty_until": None})


@pytest.mark.slow
@desk_and_phone
def test_counted_spares_are_put_in_and_taken_out(
    demo: Demo, enter: Enter, size: dict[str, int], shelf: dict[str, Any]
) -> None:
    seen = enter("viewer", size).page
    seen.goto(f"{demo.url}/spares?search=PAPER-1")
    expect(seen.get_by_test_id("spare")).to_contain_text("5 counted")
    expect(seen.get_by_role("button", name="Put in…")).to_have_count(0)
    page = enter("operator", size).page
    page.goto(f"{demo.url}/spares?search=PAPER-1")

    def change(button: str, how_many: int) -> None:
        page.get_by_test_id("spare").get_by_role("button", name=button).click()
        page.get_by_label("How many").fill(str(how_many))
        page.get_by_role("dialog").get_by_role("button", name=button).click()
        expect(page.get_by_role("dialog")).to_have_count(0)

    change("Put in", 3)
    expect(page.get_by_test_id("spare")).to_contain_text("8 counted")
    change("Take out", 8)
    assert [row["quantity"] for row in demo.api("/api/stock/?part_number=PAPER-1")["results"]] == [0]


@pytest.mark.slow
def test_a_part_is_laid_onto_a_shelf_and_installed_again(demo: Demo, enter: Enter, shelf: dict[str, Any]) -> None:
    machine = machines(demo)[0]
    found = demo.api(f"/api/devices/{machine['id']}/components/")["results"]
    part = next(row for row in found if row["kind"] == "psu")
    page = enter("operator").page
    page.goto(f"{demo.url}/components/{part['component']}")
    page.get_by_role("button", name="Take out…").click()
    page.get_by_role("combobox", name="Storage place").fill(shelf["name"])
    page.get_by_role("option", name=shelf["name"]).click()
    page.get_by_role("dialog").locator("select").select_option("suspect")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("component-head")).to_contain_text(shelf["name"])
    expect(page.get_by_test_id("condition")).to_have_text("Suspect")
    page.get_by_role("button", name="Change its condition…").click()
    page.get_by_role("dialog").locator("select").select_option("good")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("condition")).to_have_text("Good")
    page.get_by_role("button", name="Install…").click()
    page.get_by_role("combobox", name="Device").fill(str(machine["name"]))
    page.get_by_role("option", name=str(machine["name"])).click()
    page.get_by_label("Slot").fill(part["slot"])
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_test_id("component-head")).to_contain_text(str(machine["name"]))
    assert demo.api(f"/api/components/{part['component']}/life/")["installed"]["slot"] == part["slot"]


@pytest.mark.slow
@desk_and_phone
def test_a_token_is_made_used_and_ended(demo: Demo, enter: Enter, size: dict[str, int]) -> None:
    page = enter("technician", size).page
    page.goto(demo.url)
    page.get_by_role("button", name="account of").click()
    page.get_by_role("link", name="API tokens").click()
    page.get_by_role("button", name="New token").click()
    name = f"prometheus {size['width']}"
    page.get_by_label("Name").fill(name)
    page.get_by_label("Expires").select_option("90")
    page.get_by_role("button", name="Create").click()
    secret = page.get_by_test_id("secret").inner_text()
    page.get_by_role("button", name="I have stored it").click()

    def asked() -> int:
        request = urllib.request.Request(f"{demo.url}/api/me/", headers={"Authorization": f"Bearer {secret}"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as refused:
            return refused.code

    row = page.get_by_test_id("token").filter(has_text=name)
    expect(row).to_contain_text("Viewer")
    assert asked() == 200
    row.get_by_role("button", name="End…").click()
    page.get_by_role("button", name="End it").click()
    expect(row).to_have_count(0)
    assert asked() == 401
