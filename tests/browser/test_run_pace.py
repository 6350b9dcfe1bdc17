"""Why a run is slow, on its page: the shape, its meaning and the mark on the curve; and two runs compared."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESK, Demo, available, desk_and_phone, wait_for, write
from tests.browser.pictures import picture

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]
STEP_S = 5.0


def report(demo: Demo, token: str, body: dict[str, Any]) -> None:
    request = urllib.request.Request(
        f"{demo.url}/api/runs/reports/",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert answer.status == 200


def columns(spans: list[float], end: float) -> dict[str, Any]:
    ends, at = [], end - sum(spans)
    for span in spans:
        at += span
        ends.append(at)
    return {"rank": 0, "step": list(range(len(spans))), "at": ends, "seconds": spans, "tokens": [400_000] * len(spans)}


@pytest.fixture(scope="module")
def slow(demo: Demo) -> dict[str, Any]:
    """A run that lost 29 % of its speed, and the good one before it on another machine."""
    site = demo.api("/api/sites/")["results"][0]["id"]
    token = write(demo, "POST", "/api/health/report-sources/", {"site": site, "name": "pace"}, user="admin")["token"]
    now, (first, other) = time.time(), (machine["name"] for machine in available(demo, 2)[:2])
    wobble = [STEP_S * (1 + 0.01 * ((index * 7919 % 11) - 5) / 5) for index in range(500)]
    good = columns(wobble[:300], now - 4200)
    bad = columns([span / (0.71 if index >= 300 else 1) for index, span in enumerate(wobble[:450])], now - 2)
    about = {"name": "heron-70b", "world_size": 8, "parameters": 7e9}
    for job, machine, told, timeout, clocks in (
        ("501", other, good, "22", [1980] * 8),
        ("502", first, bad, "20", [1980] * 6 + [1140, 1980]),
    ):
        report(
            demo,
            token,
            {
                "run": {"id": job, "job": job, "settings": {"NCCL_IB_TIMEOUT": timeout}, **about},
                "machine": machine,
                "ranks": [
                    {"rank": rank, "local_rank": rank, "gpu": str(rank), "clock_mhz": clocks[rank]} for rank in range(8)
                ],
                "steps": [told],
                "ended": [{"rank": 0, "at": now - 4190, "error": ""}] if job == "501" else [],
            },
        )

    def there() -> dict[str, Any] | None:
        found = {run["job"]: run for run in demo.api("/api/runs/")["results"]}
        return found if {"501", "502"} <= set(found) else None

    wait_for(there, 30, "both runs to be stored")
    return (there() or {}) | {"first": first, "other": other}


@pytest.mark.slow
@desk_and_phone
def test_a_slow_run_shows_its_shape_and_what_to_check_first(
    size: dict[str, int], demo: Demo, enter: Callable, slow: dict[str, Any], tmp_path: Path
) -> None:
    page = enter("viewer", size, at=f"/training/{slow['502']['id']}").page
    shape = page.get_by_test_id("pace-shape")
    expect(shape).to_have_attribute("data-shape", "step")
    expect(shape).to_contain_text("A step down that stays")
    expect(shape).to_contain_text("71 % of the last good run")
    expect(shape).to_contain_text("Check first")
    expect(shape).to_contain_text("Model-FLOPs utilisation")
    expect(page.get_by_test_id("pace-outliers")).to_contain_text("rank 6")
    picture(page, tmp_path / "pace.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    shape.get_by_role("link", name="Compare with the last good run").click()
    compared = page.get_by_test_id("comparison")
    expect(compared.locator("[data-subject=settings]")).to_contain_text("20 was 22")
    expect(compared.locator("[data-subject=machines]")).to_contain_text(f"{slow['first']} was {slow['other']}")
    expect(compared.locator("[data-subject=speed]")).to_be_visible()
    picture(page, tmp_path / "compare.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_dark_and_a_run_without_an_earlier_one(
    demo: Demo, enter: Callable, slow: dict[str, Any], tmp_path: Path
) -> None:
    page = enter("viewer", DESK, at=f"/training/{slow['501']['id']}/compare").page
    expect(page.get_by_text("No run to compare with")).to_be_visible()
    page.emulate_media(color_scheme="dark")
    page.goto(f"{demo.url}/training/{slow['502']['id']}")
    expect(page.get_by_test_id("pace-shape")).to_be_visible()
    picture(page, tmp_path / "dark.png", full_page=True)
