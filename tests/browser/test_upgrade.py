"""A server that is upgraded while a technician works without reception, with a second build made for real."""

from __future__ import annotations

import http.client
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PHONE, ROOT, Demo, wait_for
from tests.browser.test_phone import report, take, ticket_of, waiting, worker_runs  # noqa: F401  (a fixture)

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]
OLD, NEW = "Can’t do it", "Cannot do it"
"""What a button says in the build that is served first, and in the one after it."""


@pytest.fixture(scope="module")
def next_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dashboard built once more, with another word on a button of the ticket."""
    made = tmp_path_factory.mktemp("next") / "frontend"
    shutil.copytree(ROOT / "frontend", made, ignore=shutil.ignore_patterns("node_modules", "dist", ".svelte-check"))
    (made / "node_modules").symlink_to(ROOT / "frontend" / "node_modules")
    page = made / "src" / "pages" / "Ticket.svelte"
    text = page.read_text("utf-8")
    assert text.count(f">{OLD}<") == 1
    page.write_text(text.replace(f">{OLD}<", f">{NEW}<"), "utf-8")
    subprocess.run(["npx", "vite", "build", "--logLevel", "error"], cwd=made, check=True, timeout=600)
    return made / "dist"


class Upgrade:
    """The demo at another address; once `done`, its files are those of the next build, and the old are gone."""

    def __init__(self, demo: Demo, build: Path) -> None:
        self.demo, self.build, self.done = urlsplit(demo.url), build, False
        upgrade = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                file = upgrade.file_of(self.path, self.headers.get("Accept", ""))
                if file is None:
                    return self.forward()
                found = file.is_file()
                body = file.read_bytes() if found else b""
                kinds = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
                self.send_response(200 if found else 404)
                self.send_header("Content-Type", kinds.get(file.suffix, "application/octet-stream"))
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-cache")
                if file.name == "sw.js":
                    self.send_header("Service-Worker-Allowed", "/")
                self.end_headers()
                self.wfile.write(body)

            def forward(self) -> None:
                link = http.client.HTTPConnection(str(upgrade.demo.hostname), upgrade.demo.port, timeout=30)
                size = int(self.headers.get("Content-Length") or 0)
                headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
                link.request(self.command, self.path, self.rfile.read(size) if size else None, headers)
                answer = link.getresponse()
                body = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in HOP | {"content-length", "date", "server"}:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
                link.close()

            do_POST = do_PUT = do_PATCH = do_DELETE = forward

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def file_of(self, path: str, accept: str) -> Path | None:
        """The file of the next build that answers, None for what the service answers."""
        route = urlsplit(path).path
        if not self.done or route.startswith(("/api/", "/accounts/", "/admin/")):
            return None
        if route.startswith("/static/"):
            return self.build / route.removeprefix("/static/")
        return self.build / "index.html" if "text/html" in accept or route == "/" else None


HOP = {"connection", "keep-alive", "transfer-encoding", "upgrade", "accept-encoding"}


@pytest.fixture
def upgrade(demo: Demo, next_build: Path) -> Iterator[Upgrade]:
    made = Upgrade(demo, next_build)
    yield made
    made.server.shutdown()


@pytest.mark.target(39)
def test_39_an_upgrade_of_the_server_loses_nothing_that_waits_on_the_phone_and_comes_with_the_next_visit(
    demo: Demo,
    upgrade: Upgrade,
    chromium: Browser,
    enter: Callable,
    report: Callable[[str], dict[str, str]],  # noqa: F811
) -> None:
    made = report("first")
    signed_in = enter("technician", PHONE).context.storage_state()
    network = chromium.new_context(viewport=PHONE, is_mobile=True, has_touch=True, storage_state=signed_in)
    phone = network.new_page()
    phone.goto(f"{upgrade.url}/tickets/{made['key']}")
    take(phone)
    worker_runs(phone)
    phone.reload()  # under the worker: what this page needs is on the phone now
    expect(phone.get_by_role("button", name=OLD)).to_be_visible()

    network.set_offline(True)
    phone.get_by_test_id("scan-label").fill(made["machine"])
    phone.get_by_test_id("ticket-primary").click()
    expect(phone.get_by_test_id("outbox")).to_have_attribute("data-count", "1")
    upgrade.done = True
    phone.close()  # the battery is empty
    phone = network.new_page()
    phone.goto(f"{upgrade.url}/tickets/{made['key']}")
    expect(phone.get_by_test_id("outbox")).to_have_attribute("data-count", "1")
    expect(phone.get_by_role("button", name=OLD)).to_be_visible()

    network.set_offline(False)
    wait_for(lambda: waiting(phone) == 0, 90, "the outbox to be sent to the new server")
    told = [line["text"] for line in ticket_of(demo, made["key"])["timeline"]]
    assert len([text for text in told if text.startswith("Step 2 done")]) == 1, told
    phone.evaluate("navigator.serviceWorker.getRegistration().then(known => known.update()).then(() => true)")
    wait_for(
        lambda: phone.evaluate("navigator.serviceWorker.getRegistration().then(known => known.waiting !== null)"),
        60,
        "the worker of the next build to wait",
    )
    expect(phone.get_by_role("button", name=OLD)).to_be_visible()  # nobody's page changes under their eyes

    phone.close()
    phone = network.new_page()
    phone.goto(f"{upgrade.url}/tickets/{made['key']}")
    expect(phone.get_by_role("button", name=NEW)).to_be_visible()
    worker_runs(phone)
    wait_for(
        lambda: len([name for name in phone.evaluate("caches.keys()") if name.startswith("rackside-shell-")]) == 1,
        30,
        "the shell of the old build to be gone",
    )
    network.set_offline(True)
    phone.reload()
    expect(phone.get_by_test_id("kept-at")).to_contain_text("No reception")
    expect(phone.get_by_role("button", name=NEW)).to_be_visible()
    network.close()
