"""Pictures of pages for whoever looks at them after a run. No test reads them; CI, where nobody looks, takes none."""

from __future__ import annotations

import os
from pathlib import Path

from playwright.sync_api import Page

WANTED = os.environ.get("RACKSIDE_PICTURES") == "1" or not os.environ.get("CI")


def picture(page: Page, path: Path, *, full_page: bool = False) -> None:
    """The page as it is now, in the test's own folder."""
    if WANTED:
        page.screenshot(path=path, full_page=full_page)
