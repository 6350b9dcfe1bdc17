"""Placing an image and the mirrors of a site in the browser: what it takes, progress before one's eyes, who lags."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import bcrypt
import pytest
from playwright.sync_api import expect

from drivers.tests.ports import free_ports, listens, until
from tests.browser.axe import needs_axe, walk
from tests.browser.conftest import Demo, available, desk_and_phone, walked
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
IMAGE, DIGEST = "registry.example/team/llm:4", f"sha256:{'4' * 64}"
USER, PASSWORD = "puller", "s3cret with spaces"
REGISTRY = """\
version: 0.1
storage: {{filesystem: {{rootdirectory: {folder}/registry}}}}
http: {{addr: "127.0.0.1:{port}"}}
auth: {{htpasswd: {{realm: here, path: {folder}/htpasswd}}}}
"""


@pytest.mark.slow
@desk_and_phone
def test_an_image_is_placed_and_a_machine_that_cannot_pull_says_why(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    good, bad = (row["name"] for row in available(demo, 6)[:2])
    demo.hall.inject(bad, "pull_fails", text="no space left on device", seconds=0)
    page = enter("operator", size, at="/provisioning/images").page
    try:
        page.get_by_test_id("placement-new").click()
        page.get_by_test_id("placement-image").fill(f"{IMAGE}{size['width']}")
        page.get_by_test_id("placement-digest").fill(DIGEST)
        for name in (good, bad):
            page.get_by_label("Filter machines").fill(name)
            page.locator("li").get_by_label(name).check()
        page.get_by_label("Canaries").fill("0")
        page.get_by_text("How long the links take").click()
        page.get_by_test_id("placement-size").fill("30")
        expect(page.get_by_test_id("placement-estimate")).to_contain_text("2 machines over 4 × 100 Gbit/s: about 2 s")
        expect(page.get_by_test_id("placement-dry-run")).to_be_checked()
        page.get_by_test_id("placement-dry-run").uncheck()
        picture(page, tmp_path / "new.png")
        page.get_by_test_id("placement-start").click()
        placement = page.get_by_test_id("placement")
        failed = placement.locator("[data-status=failed]")
        expect(failed).to_contain_text("no space left on device", timeout=90_000)
        expect(placement.locator("[data-status=ok]")).to_contain_text(DIGEST[7:19], timeout=60_000)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            picture(page, tmp_path / f"placement-{scheme}.png", full_page=True)
    finally:
        demo.hall.clear(bad, "pull_fails")
    page.get_by_test_id("placement-retry").click()
    expect(placement.locator("[data-status=ok]")).to_have_count(2, timeout=90_000)


@pytest.mark.slow
@desk_and_phone
def test_a_source_is_added_and_shows_that_it_does_not_answer(
    size: dict[str, int], demo: Demo, enter: Callable, tmp_path: Path
) -> None:
    page = enter("admin", size, at="/provisioning/mirrors").page
    name = f"ubuntu {size['width']}"
    page.get_by_test_id("mirror-new").click()
    page.get_by_test_id("mirror-name").fill(name)
    page.get_by_test_id("mirror-url").fill("http://mirror.invalid/ubuntu")
    page.get_by_test_id("mirror-save").click()
    row = page.get_by_test_id("mirror").filter(has_text=name)
    expect(row).to_contain_text("Not known")
    expect(row).to_have_attribute("data-state", "failed", timeout=200_000)
    row.get_by_role("link").click()
    expect(page.get_by_test_id("mirror-opened")).to_contain_text("mirror.invalid")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"mirrors-{scheme}.png", full_page=True)


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """The address of a real registry that asks for a login."""
    (port,) = free_ports(1)
    (tmp_path / "htpasswd").write_text(f"{USER}:{bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(5)).decode()}\n")
    (tmp_path / "registry.yml").write_text(REGISTRY.format(folder=tmp_path, port=port))
    with (tmp_path / "registry.log").open("wb") as log:
        command = ["docker-registry", "serve", str(tmp_path / "registry.yml")]
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        until(lambda: listens(port), 20, "the registry does not start")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)


@pytest.mark.slow
@desk_and_phone
def test_a_registry_is_watched_with_its_login_and_nobody_reads_the_password_back(
    size: dict[str, int], demo: Demo, registry: str, enter: Callable, tmp_path: Path
) -> None:
    page = enter("admin", size, at="/provisioning/mirrors?edit=new").page
    name = f"images {size['width']}"
    page.get_by_test_id("mirror-name").fill(name)
    page.get_by_label("Kind").select_option("registry")
    page.get_by_test_id("mirror-url").fill(registry)
    page.get_by_test_id("mirror-username").fill(USER)
    page.get_by_test_id("mirror-password").fill("not the password")
    picture(page, tmp_path / "login.png")
    page.get_by_test_id("mirror-save").click()
    row = page.get_by_test_id("mirror").filter(has_text=name)
    expect(row).to_have_attribute("data-state", "failed", timeout=200_000)
    row.get_by_role("link").click()
    opened = page.get_by_test_id("mirror-opened")
    opened.get_by_role("button", name="Change").click()
    expect(page.get_by_test_id("mirror-username")).to_have_value(USER)
    expect(page.get_by_test_id("mirror-password")).to_have_value("")
    page.get_by_test_id("mirror-password").fill(PASSWORD)
    page.get_by_test_id("mirror-save").click()
    expect(row).to_have_attribute("data-state", "good", timeout=200_000)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        picture(page, tmp_path / f"registry-{scheme}.png", full_page=True)
    (told,) = [each for each in demo.api("/api/provisioning/mirrors/")["results"] if each["name"] == name]
    assert told["has_password"] and told["signs_in_as"] == USER
    assert PASSWORD not in str(told) and PASSWORD not in page.content()


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_no_page_scrolls_sideways(size: dict[str, int], demo: Demo, enter: Callable) -> None:
    pages = {
        "mirrors": ("/provisioning/mirrors", "[data-testid=mirror-new]"),
        "new placement": ("/provisioning/images?new=place", "[data-testid=placement-start]"),
    }
    if found := demo.api("/api/provisioning/placements/")["results"]:
        pages["placement"] = (f"/provisioning/images?placement={found[0]['id']}", "[data-testid=placed]")
    assert not (faults := walk(enter("admin", size).page, demo.url, pages)), faults
