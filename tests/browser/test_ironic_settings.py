"""The Ironic of a site in the browser: set and tried against its stand-in, then offered to a run."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from drivers.tests.certificates import self_signed
from drivers.tests.ironic_server import PASSWORD, USER, IronicServer, serving
from tests.browser.axe import faults_of, needs_axe
from tests.browser.conftest import Demo, desk_and_phone, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


@pytest.fixture
def server(demo: Demo, tmp_path: Path) -> Iterator[IronicServer]:
    made, loop = IronicServer(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    running = serving(made, self_signed(tmp_path / "ironic.pem"))
    asyncio.run_coroutine_threadsafe(running.__aenter__(), loop).result(20)
    yield made
    site = demo.api("/api/provisioning/ironic/")["results"][0]["site"]
    write(demo, "PATCH", f"/api/provisioning/ironic/{site}/", {"enabled": False}, user="admin")
    asyncio.run_coroutine_threadsafe(running.__aexit__(None, None, None), loop).result(20)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(5)


@pytest.mark.slow
@needs_axe
@desk_and_phone
def test_an_administrator_sets_and_tries_an_ironic_and_a_run_may_start_from_it(
    size: dict[str, int], demo: Demo, enter: Callable, server: IronicServer, tmp_path: Path
) -> None:
    page = enter("admin", size, at="/provisioning").page
    picture(page, tmp_path / "runs.png")
    page.get_by_test_id("ironic-open").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_test_id("ironic-url").fill(server.url)
    dialog.get_by_test_id("ironic-username").fill(USER)
    dialog.get_by_label("Use it").check()
    dialog.get_by_test_id("ironic-save").click()
    expect(dialog.locator(".wrong")).to_contain_text("given together")
    dialog.get_by_test_id("ironic-password").fill("another")
    dialog.get_by_test_id("ironic-image").fill("https://images.example/jammy.qcow2")
    dialog.get_by_text("Certificates", exact=True).click()
    dialog.get_by_label("Authorities").fill(server.certificate)
    dialog.get_by_test_id("ironic-save").click()
    expect(dialog.get_by_test_id("ironic-tried")).to_contain_text("refused (401)")
    expect(dialog.get_by_test_id("ironic-state")).to_have_attribute("data-state", "failed")
    dialog.get_by_test_id("ironic-password").fill(PASSWORD)
    dialog.get_by_test_id("ironic-save").click()
    expect(dialog.get_by_test_id("ironic-tried")).to_have_text(
        "Ironic 1.115 answers; it has the drivers fake-hardware, redfish."
    )
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"ironic-{scheme}.png")
    assert not (found := faults_of(page)), found
    assert dialog.get_by_test_id("ironic-password").input_value() == "" and PASSWORD not in page.content()
    dialog.get_by_role("button", name="Close", exact=True).last.click()

    page.get_by_test_id("run-new").click()
    page.get_by_test_id("run-engine").select_option("ironic")
    expect(page.get_by_test_id("run-engine-says")).to_contain_text("inspects, cleans and deploys")
