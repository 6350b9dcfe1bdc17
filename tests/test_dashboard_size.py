"""What the two pages that are opened most have to load first: a limit for each, read off the build."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "frontend" / "dist"
LIMITS_BYTES = {"src/pages/TicketPage.svelte": 60_000, "src/pages/Floor.svelte": 90_000}
SCANNER = re.compile(r"decode|zxing|Scanner")

pytestmark = pytest.mark.skipif(not (DIST / ".vite" / "manifest.json").exists(), reason="the dashboard is not built")


def manifest() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DIST / ".vite" / "manifest.json").read_text("utf-8"))
    return found


def scripts_of(*entries: str) -> set[str]:
    """The scripts of these entries with all that they import at once."""
    chunks, found, ahead = manifest(), set[str](), list(entries)
    seen: set[str] = set()
    while ahead:
        name = ahead.pop()
        if name not in seen:
            seen.add(name)
            found.add(chunks[name]["file"])
            ahead += chunks[name].get("imports", [])
    return {name for name in found if name.endswith(".js")}


def size(name: str) -> int:
    return len(gzip.compress((DIST / name).read_bytes(), 9))


@pytest.mark.parametrize("page", LIMITS_BYTES)
def test_the_first_scripts_of_a_page_keep_to_their_limit(page: str) -> None:
    sizes = {name: size(name) for name in scripts_of("index.html", page)}
    assert sum(sizes.values()) <= LIMITS_BYTES[page], sorted(sizes.items(), key=lambda each: -each[1])


@pytest.mark.parametrize("page", LIMITS_BYTES)
def test_no_page_loads_the_reader_of_codes_before_somebody_scans(page: str) -> None:
    assert not [name for name in scripts_of("index.html", page) if SCANNER.search(name)]
    assert [path for path in (DIST / "assets").iterdir() if SCANNER.search(path.name)], "the reader is built"


def test_the_service_worker_keeps_all_that_a_ticket_needs_and_nothing_of_the_desk() -> None:
    worker = (DIST / "sw.js").read_text("utf-8")
    kept = set(re.findall(r"/static/([\w./~-]+\.(?:js|css))", worker))
    assert scripts_of("index.html", "src/pages/TicketPage.svelte", "src/pages/Tickets.svelte") <= kept
    assert all((DIST / name).exists() for name in kept)
    assert not [name for name in kept if "Fabric" in name or "plot" in name or SCANNER.search(name)]


def test_every_part_that_a_ticket_loads_at_once_or_later_is_kept_for_the_aisle() -> None:
    """What is imported when it is shown is in no closure of a page: it would be missing without reception. The build
    refuses a name of this list that is in none of its files."""
    config = (ROOT / "frontend" / "vite.config.ts").read_text("utf-8")
    listed = set(re.findall(r"\w+", config[config.index("const AISLE") : config.index("const PLAIN")]))
    lazy = set()
    for page in ("pages/Ticket.svelte", "ticket/Steps.svelte"):
        text = (ROOT / "frontend" / "src" / page).read_text("utf-8")
        lazy |= set(re.findall(r'\bimport\("\.{1,2}/(?:\w+/)*(\w+)\.svelte"\)', text))
    assert len(lazy) > 10 and lazy <= listed, lazy - listed
