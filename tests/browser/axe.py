"""What is wrong with a page by axe-core (WCAG 2.2 A and AA, axe's best practice, both themes) and by its width."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import ROOT

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOUR = ["color-contrast", "link-in-text-block"]
"""The rules that a theme can break; everything else is the same in both."""
RUN = """async ([type, values]) => (await axe.run(document, {
  runOnly: {type, values}, resultTypes: ["violations"]  // of what passes it need not write down every element
})).violations.map(found => [
  `${found.id}: ${found.help}`, ...found.nodes.map(node => `  ${node.target} ${node.failureSummary}`)
].join("\\n"))"""
SIDEWAYS = """Math.max(0, ...[...document.querySelectorAll('.page, html, dialog .body')]
  .map(each => each.scrollWidth - each.clientWidth))"""
DOWNWARDS = """document.querySelector('.shell')
  ? document.documentElement.scrollHeight - document.documentElement.clientHeight : 0"""

needs_axe = pytest.mark.skipif(not AXE.exists(), reason="needs `npm ci` in frontend/")


def violations(page: Page) -> list[str]:
    """What axe finds in the light theme, and in the dark one about colours. The page is light afterwards."""
    # Not a script tag: the content security policy would refuse one, the debugger's evaluation it lets through.
    page.evaluate(AXE.read_text())
    found = []
    for scheme, rules in (("dark", ("rule", OF_COLOUR)), ("light", ("tag", TAGS))):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        found += [f"{scheme}: {problem}" for problem in page.evaluate(RUN, list(rules))]
    return found


def sideways(page: Page) -> int:
    """How far the page can be pushed to the side, in pixels; other parts that scroll by themselves do not count."""
    return int(page.evaluate(SIDEWAYS))


def hidden_below(page: Page) -> int:
    """How far the focus could push the window down, in pixels: the head of the page would be gone for good."""
    return int(page.evaluate(DOWNWARDS))


def faults_of(page: Page) -> list[str]:
    """Its violations, and whether it scrolls sideways or the window can be pushed."""
    over, below = sideways(page), hidden_below(page)
    found = violations(page)
    found += [f"{over} pixels too wide"] if over else []
    found += [f"the window can be pushed down by {below} pixels"] if below else []
    return found


def walk(page: Page, url: str, pages: dict[str, tuple[str, str]]) -> str:
    """Go to each page (name to path and a selector of what it is about); what is wrong with them, a line each."""
    lines = []
    for name, (path, landmark) in pages.items():
        page.goto(url + path)
        shown = page.locator(landmark).locator("visible=true").first
        expect(shown, f"{name} shows what it is about").to_be_visible()
        lines += [f"{name}: {problem}" for problem in faults_of(page)]
    return "\n".join(lines)
