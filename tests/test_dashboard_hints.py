"""What the head of a page says is fetched at once: for the pages that need it, and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from core.http.hints import with_hints

PAGE = b"<html><head><title>Rackside</title></head><body></body></html>"
MANIFEST = {
    "index.html": {"file": "assets/index-1.js", "css": ["assets/index-1.css"]},
    "src/pages/TicketPage.svelte": {"file": "assets/TicketPage-1.js", "imports": ["index.html", "_ticket-1.js"]},
    "_ticket-1.js": {
        "file": "assets/ticket-1.js",
        "css": ["assets/ticket-1.css"],
        "imports": ["index.html", "_a-1.js"],
    },
    "_a-1.js": {"file": "assets/a-1.js", "imports": ["_ticket-1.js"]},
}


@pytest.fixture
def built(settings: Settings, tmp_path: Path) -> Path:
    settings.DASHBOARD_DIST, settings.STATIC_URL = tmp_path, "/static/"
    (tmp_path / ".vite").mkdir()
    manifest = tmp_path / ".vite" / "manifest.json"
    manifest.write_text(json.dumps(MANIFEST))
    return manifest


def test_a_ticket_names_its_scripts_styles_and_answers_once_each_and_not_what_every_page_brings(built: Path) -> None:
    head = with_hints(PAGE, "/tickets/REP-2041").decode()
    scripts = [f"/static/assets/{name}-1.js" for name in ("TicketPage", "ticket", "a")]
    wanted = ["/api/me/", "/api/tickets/REP-2041/", *scripts, "/static/assets/ticket-1.css"]
    assert all(head.count(f'href="{href}"') == 1 for href in wanted), head
    assert "index-1.css" not in head and head.index("ticket-1.js") < head.index("</head>")


def test_the_first_script_is_the_first_file_that_a_ticket_names(built: Path) -> None:
    """It is the longest, and goes over the connection that the page came by: half a second sooner on a slow link."""
    head = with_hints(PAGE, "/tickets/REP-2041").decode()
    assert head.index('<head><link rel="modulepreload" crossorigin href="/static/assets/index-1.js">') < head.index(
        "/api/me/"
    )


@pytest.mark.parametrize(
    "path", ["/", "/tickets", "/tickets/round", "/tickets/REP-1/x", '/tickets/"><script>', "/tickets/rep-1'"]
)
def test_every_other_address_gets_the_page_as_it_was_built(path: str, built: Path) -> None:
    assert with_hints(PAGE, path) == PAGE


@pytest.mark.parametrize("text", ["", "{}", '{"src/pages/TicketPage.svelte": {"imports": ["_gone.js"], "file": "a"}}'])
def test_a_build_without_a_usable_manifest_costs_hints_and_no_page(text: str, built: Path) -> None:
    built.write_text(text)
    head = with_hints(PAGE, "/tickets/REP-2041").decode()
    assert "/api/tickets/REP-2041/" in head and "modulepreload" not in head
