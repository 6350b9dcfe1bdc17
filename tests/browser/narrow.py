"""What does not fit on the narrowest phone, 320 pixels, also with type of twice the size."""

from __future__ import annotations

import time

from playwright.sync_api import Page

NARROW = {"width": 320, "height": 640}
SETTLED_S = 5.0

OWN_FRAME = """
const inItsOwnFrame = (one) => {  // what scrolls sideways there can be reached
    for (let up = one.parentElement; up && up !== document.body; up = up.parentElement)
        if (['auto', 'scroll'].includes(getComputedStyle(up).overflowX) && up.scrollWidth > up.clientWidth + 1
            && !up.matches('.page')) return true;
    return false;
};"""
CUT_OFF = f"""() => {{ {OWN_FRAME}
return [...document.querySelectorAll('a, button, input, select, summary')].filter((control) => {{
    const box = control.getBoundingClientRect();
    if (!box.width || getComputedStyle(control).visibility === 'hidden' || control.closest('.skip, .sr')) return false;
    return !inItsOwnFrame(control) && (box.right > innerWidth + 1 || box.left < -1);
}}).map((control) => control.outerHTML.slice(0, 140)); }}"""
SIDEWAYS = f"""() => {{ {OWN_FRAME}
const tooFarRight = (one) => one.getBoundingClientRect().right > innerWidth + 1 && !inItsOwnFrame(one);
const within = (page) => [...page.querySelectorAll('*')].filter((one) => !one.children.length && tooFarRight(one))
    .slice(0, 3).map((one) => one.outerHTML.slice(0, 140)).join(' ');
return [document.documentElement, ...document.querySelectorAll('.page')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1)
    .map((each) => `${{each.className}} ${{each.scrollWidth}}: ${{within(each)}}`); }}"""
"""What scrolls sideways, how wide it is, and what in it is too far right."""


def misfits(page: Page, type_size: int = 100) -> list[str]:
    """Controls that are cut off, and whether the page scrolls sideways; `type_size` in percent of the usual one.

    The header takes its place a moment after the type has grown: what is still wrong after SETTLED_S is told."""
    page.evaluate("size => (document.documentElement.style.fontSize = size + '%')", type_size)
    page.wait_for_timeout(400)
    until = time.monotonic() + SETTLED_S
    while (found := [*page.evaluate(SIDEWAYS), *page.evaluate(CUT_OFF)]) and time.monotonic() < until:
        page.wait_for_timeout(200)
    return found
