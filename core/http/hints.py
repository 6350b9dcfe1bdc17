"""What a ticket's page needs besides the dashboard's first script, said in its head: fetched at once, not after that.

Over a slow link each file that names the next costs a round trip. Other pages stay as they were built: the start page
is also the shell that a phone keeps.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from django.conf import settings

START = "index.html"
TICKET = re.compile(r"^/tickets/([A-Z]{2,8}-[0-9]{1,12})/?$")
SOURCE = "src/pages/TicketPage.svelte"


def with_hints(page: bytes, path: str) -> bytes:
    """The built page, with the links for this address in its head."""
    found = TICKET.match(path)
    if found is None:
        return page
    files = [(kind, f"{settings.STATIC_URL}{file}") for kind, file in _files()]
    api = [("fetch", "/api/me/"), ("fetch", f"/api/tickets/{found[1]}/")]
    page = page.replace(b"<head>", b"<head>" + _links(files[:1]), 1)
    return page.replace(b"</head>", _links([*api, *files[1:]]) + b"</head>", 1)


def _links(wanted: Iterable[tuple[str, str]]) -> bytes:
    return "".join(_link(kind, href) for kind, href in wanted).encode()


def _link(kind: str, href: str) -> str:
    href = escape(href)
    rel = "modulepreload" if kind == "script" else f'preload" as="{kind}'
    return f'<link rel="{rel}" crossorigin href="{href}">'


def _files() -> list[tuple[str, str]]:
    manifest = settings.DASHBOARD_DIST / ".vite" / "manifest.json"
    try:
        return _files_of(manifest, manifest.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError):  # a page without hints is as right, only later
        return []


@lru_cache(maxsize=2)
def _files_of(manifest: Path, built_ns: int) -> list[tuple[str, str]]:
    """The first script, which goes over the connection that is open already; then scripts and style sheets of a page
    that it does not bring. By the manifest of one build."""
    chunks: dict[str, dict[str, Any]] = json.loads(manifest.read_bytes())
    found: dict[tuple[str, str], None] = {("script", chunks[START]["file"]): None}
    seen = {START}

    def add(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        chunk = chunks[name]
        found[("script", chunk["file"])] = None
        found.update({("style", file): None for file in chunk.get("css", ())})
        for each in chunk.get("imports", ()):
            add(each)

    add(SOURCE)
    return list(found)
