"""What the dashboard promises whatever page is open: how it is sent, that it says when it is old, that it fits."""

from __future__ import annotations

import urllib.request

import pytest

from tests.browser.conftest import Demo, Enter

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def ask(url: str, token: str = "", encodings: str = "br, gzip") -> tuple[str, int, str]:
    """How an answer was encoded, its bytes, and how long it may be kept."""
    headers = {"Accept-Encoding": encodings} | ({"Authorization": f"Token {token}"} if token else {})
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
        return answer.headers.get("Content-Encoding", ""), len(answer.read()), answer.headers.get("Cache-Control", "")


@pytest.mark.target(54)
def test_files_and_answers_are_compressed_and_the_first_page_asks_for_little(demo: Demo, enter: Enter) -> None:
    page = enter().page
    page.goto("about:blank")  # what the page before still waits for is not of this one
    seen: list[str] = []
    page.on("response", lambda answer: seen.append(answer.url))
    page.goto(demo.url)
    page.get_by_test_id("floor-canvas").wait_for()
    page.wait_for_timeout(1_500)
    script = next(url for url in seen if "/static/assets/" in url and url.endswith(".js"))
    brotli, gzipped, plain = ask(script), ask(script, encodings="gzip"), ask(script, encodings="identity")
    assert (brotli[0], gzipped[0], plain[0]) == ("br", "gzip", "")
    assert brotli[1] < gzipped[1] < plain[1] and "immutable" in brotli[2]
    floor = f"{demo.url}/api/floor/"
    assert ask(floor, demo.token("admin"))[0] == "gzip"
    assert ask(floor, demo.token("admin"))[1] < ask(floor, demo.token("admin"), "identity")[1] / 2
    assert ask(f"{demo.url}/accounts/login/")[0] == "", "a page with a CSRF token is not compressed"
    assert len(seen) < 40, "\n".join(seen)
    assert page.evaluate("document.fonts.check('16px \"Inter Variable\"')"), "the font comes with the application"
