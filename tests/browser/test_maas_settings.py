"""The MAAS region of a site in the browser: set and tried against a region with state, then offered to a run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from drivers.tests.certificates import self_signed
from drivers.tests.maas_region import KEY, MaasRegion, serving
from tests.browser.axe import faults_of, needs_axe
from tests.browser.conftest import Demo, desk_and_phone, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
def region(demo: Demo, tmp_path: Path) -> Iterator[MaasRegion]:
    made, loop = MaasRegion(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    running = serving(made, self_signed(tmp_path / "maas.pem"))
    asyncio.run_coroutine_threadsafe(running.__aenter__(), loop).result(20)
    yield made
    site = demo.api("/api/provisioning/maas/")["results"][0]["site"]
    write(demo, "PATCH", f"/api/provisioning/maas/{site}/", {"enabled": False}, user="admin")
    asyncio.run_coroutine_threadsafe(running.__aexit__(None, None, None), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(5)


@pytest.mark.slow
@needs_axe
@desk_and_phone
def test_an_administrator_sets_and_tries_a_region_and_a_run_may_start_from_it(
    size: dict[str, int], demo: Demo, enter: Callable, region: MaasRegion, tmp_path: Path
) -> None:
    page = enter("admin", size, at="/provisioning").page
    page.get_by_test_id("run-new").click()
    engine = page.get_by_test_id("run-engine")
    expect(engine.locator("option")).not_to_have_count(0)
    expect(engine.locator("option[value=maas]")).to_have_count(0)
    page.get_by_role("button", name="Cancel").click()

    page.get_by_test_id("maas-open").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_test_id("maas-url").fill(region.url)
    dialog.get_by_test_id("maas-key").fill("only:two")
    dialog.get_by_label("Use it").check()
    dialog.get_by_test_id("maas-save").click()
    expect(dialog.locator(".wrong")).to_contain_text("consumer:token:secret")
    dialog.get_by_test_id("maas-key").fill("consumerkey:tokenkey:othersecret")
    dialog.get_by_text("Certificates").click()
    dialog.get_by_label("Authorities").fill(region.certificate)
    dialog.get_by_test_id("maas-save").click()
    expect(dialog.get_by_test_id("maas-tried")).to_contain_text("refused (401)")
    expect(dialog.get_by_test_id("maas-state")).to_have_attribute("data-state", "failed")
    dialog.get_by_test_id("maas-key").fill(KEY)
    dialog.get_by_test_id("maas-save").click()
    expect(dialog.get_by_test_id("maas-tried")).to_have_text("MAAS 3.5.2 answers; the key is that of rackside.")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"maas-{scheme}.png")
    assert not (found := faults_of(page)), found
    assert dialog.get_by_test_id("maas-key").input_value() == "" and "tokensecret" not in page.content()
    dialog.get_by_role("button", name="Close", exact=True).last.click()

    page.get_by_test_id("run-new").click()
    engine.select_option("maas")
    expect(page.get_by_test_id("run-engine-says")).to_contain_text("commissions and deploys")
