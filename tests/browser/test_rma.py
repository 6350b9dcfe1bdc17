"""A case with a vendor in the browser: opened on a ticket, sent by hand, its bundle, the part that arrives, its end."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import needs_axe, sideways, violations
from tests.browser.conftest import DESK, PHONE, Demo, available, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def act(page: Page, event: str, fields: dict[str, str] | None = None) -> None:
    """One event of the case, with what its dialog asks for by label."""
    page.get_by_test_id(f"case-{event}").click()
    dialog: Locator = page.get_by_role("dialog")
    for label, value in (fields or {}).items():
        dialog.get_by_label(label, exact=True).fill(value)
    page.get_by_test_id("case-move-save").click()
    expect(dialog).to_have_count(0)


@pytest.mark.slow
@needs_axe
def test_a_case_goes_from_a_draft_to_a_part_on_the_shelf(demo: Demo, enter: Callable, tmp_path: Path) -> None:
    site = demo.api("/api/floor/")["site"]["id"]
    contact = {"site": site, "vendor": "dell", "person": "Olga", "phone": "+31 20 1234567", "mail": "o@example.org"}
    write(demo, "POST", "/api/vendor-contacts/", contact, "admin")
    shelf = write(demo, "POST", "/api/storage-places/", {"site": site, "name": "Cage of returns"})
    machine = available(demo)[0]
    ticket = write(demo, "POST", "/api/tickets/", {"machine": machine["id"], "part": "GPU 5", "text": "fell off"})
    page = enter("operator", DESK, at=f"/tickets/{ticket['key']}").page
    box = page.get_by_test_id("vendor-box")
    box.get_by_label("Vendor").select_option("dell")
    box.get_by_test_id("open-case").click()
    case = page.get_by_test_id("vendor-case")
    expect(case).to_have_attribute("data-state", "draft")
    act(page, "send")
    act(page, "accept", {"The vendor's number": "SR-77"})
    act(page, "ship", {"Carrier": "DHL", "Tracking number": "JD0001"})

    page.goto(f"{demo.url}/rma")
    page.get_by_test_id("case-board").get_by_test_id("case-card").filter(has_text="SR-77").click()
    expect(case).to_have_attribute("data-state", "shipped")
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"rma-{scheme}.png", full_page=True)
    assert not violations(page) and sideways(page) == 0

    phone = enter("technician", PHONE, at=f"/rma?case={page.url.partition('case=')[2]}").page
    phone.get_by_test_id("case-arrive").click()
    dialog = phone.get_by_role("dialog")
    dialog.get_by_label("Serial of the new part").fill("SN-OF-THE-NEW")
    dialog.get_by_label("Storage place").fill("returns")
    phone.get_by_role("option", name=shelf["name"]).click()
    picture(phone, tmp_path / "arrive-phone.png")
    phone.get_by_test_id("case-move-save").click()
    expect(phone.get_by_test_id("vendor-case")).to_have_attribute("data-state", "arrived")
    assert sideways(phone) == 0
    [part] = demo.api("/api/components/?serial=SN-OF-THE-NEW")["results"]
    assert part["storage"] == shelf["id"]

    expect(case).to_have_attribute("data-state", "arrived")  # the desk's page follows
    act(page, "close", {"Why": "It works again"})
    expect(case).to_have_attribute("data-state", "closed")
    write(demo, "POST", f"/api/tickets/{ticket['key']}/close/", {"reason": "end of the test"})


@pytest.mark.slow  # the machine writes its report for most of a minute
def test_a_bundle_of_a_case_is_made_and_downloaded(demo: Demo, enter: Callable) -> None:
    machine = available(demo)[0]
    ticket = write(demo, "POST", "/api/tickets/", {"machine": machine["id"], "part": "GPU 6", "text": "fell off"})
    write(demo, "POST", "/api/vendor-cases/", {"ticket": ticket["key"], "vendor": "dell"})
    page = enter("operator", DESK, at=f"/tickets/{ticket['key']}").page
    box = page.get_by_test_id("vendor-box")
    box.get_by_test_id("case-bundle").click()
    bundle = page.get_by_test_id("bundle")
    expect(bundle).to_have_attribute("data-status", "done", timeout=90_000)
    with page.expect_download() as download:
        bundle.get_by_role("link", name="Bundle").click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as held:
        manifest = json.loads(held.read("manifest.json"))
    assert manifest["ticket"] == ticket["key"]
    write(demo, "POST", f"/api/tickets/{ticket['key']}/close/", {"reason": "end of the test"})
