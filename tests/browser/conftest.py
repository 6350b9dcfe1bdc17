"""A running demo and a browser, shared by the tests of this folder.

The demo is the real one, `./rackside demo`, in a data folder of its own: nothing here knows a shortcut.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    Request,
    Response,
    StorageState,
    expect,
    sync_playwright,
)
from playwright.sync_api import Error as PlaywrightError
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from tests.launcher.conftest import open_up

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = "/usr/bin/chromium-headless-shell"
"""Without the windows, tabs and menus around the page that Chromium itself draws, seen or not."""
MACHINES = 20
START_S = 300.0
SWEEP_S = "15"
SHELL = """
import contextlib, io, json, sys, traceback
for line in sys.stdin:
    said, wrong = io.StringIO(), ""
    with contextlib.redirect_stdout(said):
        try:
            exec(json.loads(line), {})
        except BaseException:
            wrong = traceback.format_exc()
    print(json.dumps({"said": said.getvalue(), "wrong": wrong}), flush=True)
"""
"""Runs one script after the other in one process: each process would import the whole service anew."""
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
expect.set_options(timeout=15_000)  # the usual five seconds are short for two demos and two browsers on two processors
DESK = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
desk_and_phone = pytest.mark.parametrize(
    "size", [DESK, pytest.param(PHONE, marks=pytest.mark.slow)], ids=["desk", "phone"]
)
"""A path through pages that are used at a desk: in every change there, on a phone with `--all`. What a technician does
is tried on a phone in every change."""
walked = pytest.mark.parametrize(
    "size", [DESK, pytest.param({"width": 360, "height": 780}, marks=pytest.mark.slow)], ids=["desk", "phone"]
)
"""A walk through all pages of a room with axe. In every change at a desk; the main pages are walked at 320 pixels as
well (`test_small_screens`), the others on a phone with `--all`."""


HALVES = (
    ("test_loop", "test_pages", "test_inventory_work", "test_small_screens", "test_scheduler_pages",
     "test_replacement", "test_found_runs", "test_run_evidence", "test_training_runs", "test_run_pace",
     "test_run_metrics", "test_phone", "test_reliability_pages", "test_automation_pages"),
    ("test_inventory_pictures", "test_inventory_papers", "test_fabric", "test_checks_pages", "test_accessibility",
     "test_administration", "test_screen", "test_fit_to_start", "test_kubernetes", "test_provisioning_limits",
     "test_container_images", "test_image_placements", "test_stages", "test_intake", "test_returns",
     "test_maas_settings", "test_ironic_settings", "test_discovery", "test_software", "test_bmc_setup",
     "test_messages", "test_desk", "test_shift",
     "test_insight_pages"),
)  # fmt: skip
"""Files that share a process and its demo; both halves take about as long. The loop needs a demo in which nothing is
broken, and leaves it so; what automation breaks stays broken. A file that is not named is of the second half."""


def half_of(file: str) -> str:
    """Which half a file of this folder belongs to."""
    return "first half" if Path(file).stem in HALVES[0] else "second half"


class Halves(LoadScopeScheduling):
    """xdist's own `loadgroup` writes the group into the id of a test, which pytest no longer lets it do: each test was
    a group of its own, and the tests of a file met in both demos."""

    def _split_scope(self, nodeid: str) -> str:
        return half_of(nodeid.split("::")[0])


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling | None:
    """The tests of a half run in one process, where the parts of the whole run ask for groups."""
    return Halves(config, log) if config.getoption("dist") == "loadgroup" else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files of this folder; other folders keep their order."""
    *before, last = HALVES[0]
    places = {name: number for number, name in enumerate([*before, *HALVES[1]])} | {last: 1000}
    mine = [number for number, item in enumerate(items) if item.path.is_relative_to(Path(__file__).parent)]
    ordered = sorted((items[number] for number in mine), key=lambda item: places.get(item.path.stem, 100))
    for number, item in zip(mine, ordered, strict=True):
        items[number] = item


@dataclass
class Hall:
    """The virtual hall's own control interface, as its documentation describes it."""

    url: str
    token: str

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read() or b"{}")

    def inject(self, machine: str, fault: str, slot: str = "", **params: Any) -> None:
        body = {"fault": fault, **({"slot": slot} if slot else {}), **({"params": params} if params else {})}
        self.call("POST", f"/machines/{machine}/faults", body)

    def clear(self, machine: str, fault: str) -> None:
        self.call("DELETE", f"/machines/{machine}/faults/{fault}")

    def replace(self, machine: str, slot: str, serial: str) -> None:
        self.call("POST", f"/machines/{machine}/replace", {"slot": slot, "serial": serial})

    def state(self, machine: str) -> dict[str, Any]:
        return dict(self.call("GET", f"/machines/{machine}"))


@dataclass
class Demo:
    url: str
    password: str
    data: Path
    hall: Hall
    tokens: dict[str, str] = field(default_factory=dict)
    _shell: subprocess.Popen[str] | None = None

    def api(self, path: str, user: str = "admin") -> Any:
        """One GET of the REST API with a token made for the purpose."""
        request = urllib.request.Request(self.url + path, headers={"Authorization": f"Token {self.token(user)}"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())

    def process(self, word: str) -> int:
        """The process of this demo that has this word on its command line."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                mine = f"RACKSIDE_INSTANCE={self.data}".encode() in (folder / "environ").read_bytes().split(b"\0")
                if mine and word.encode() in (folder / "cmdline").read_bytes():
                    return int(folder.name)
        raise AssertionError(f"the demo has no process with {word}")

    def token(self, user: str) -> str:
        if user not in self.tokens:
            self.tokens[user] = self.manage("token", user).strip().splitlines()[-1]
        return self.tokens[user]

    def manage(self, *arguments: str) -> str:
        """What a management command of this demo printed."""
        return self.python(f"from django.core.management import call_command\ncall_command(*{arguments!r})")

    def python(self, script: str) -> str:
        """What a script printed that ran inside the service, as with `manage shell -c`."""
        if self._shell is None:
            self._shell = subprocess.Popen(
                [sys.executable, str(ROOT / "rackside"), "manage", "--data", str(self.data), "shell", "-c", SHELL],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "RACKSIDE_SWEEP_PERIOD_S": SWEEP_S},
            )  # fmt: skip
        assert self._shell.stdin and self._shell.stdout
        self._shell.stdin.write(json.dumps(script) + "\n")
        self._shell.stdin.flush()
        for line in self._shell.stdout:
            with contextlib.suppress(ValueError):  # what the launcher says as it starts
                done = json.loads(line)
                assert not done["wrong"], done["wrong"]
                return str(done["said"])
        raise AssertionError("the demo's shell ended")

    def close(self) -> None:
        """End the shell."""
        if self._shell is not None and self._shell.stdin:
            self._shell.stdin.close()
            self._shell.wait(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """A demo of twenty machines and four bare ones, which the tests of a process share; Ctrl-C stops it at the end."""
    data = tmp_path_factory.mktemp("demo")
    open_up(data)
    log = data / "launcher.log"
    command = [
        sys.executable, str(ROOT / "rackside"), "demo", "--machines", str(MACHINES), "--bare", "4",
        "--faults-per-hour", "0", "--past", "0", "--port", str(free_port()), "--data", str(data / "instance"),
    ]  # fmt: skip
    clean = {k: v for k, v in os.environ.items() if not k.startswith("RACKSIDE_") and k != "DJANGO_SETTINGS_MODULE"}
    clean["RACKSIDE_SWEEP_PERIOD_S"] = SWEEP_S
    with log.open("w") as output:
        child = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, env=clean)
    try:
        url, password = wait_until_ready(child, log)
        control = json.loads((data / "instance" / "hall" / "control.json").read_text())
        running = Demo(url, password, data / "instance", Hall(control["url"], control["token"]))
        wait_for(lambda: all_heard(running), 180, "the first sweep to hear every machine")
        yield running
        running.close()
    finally:
        child.send_signal(signal.SIGINT)
        child.wait(60)


def wait_until_ready(child: subprocess.Popen[bytes], log: Path) -> tuple[str, str]:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        text = log.read_text()
        url, login = re.search(r"Dashboard (http\S+)", text), re.search(r"Sign in +admin / (\S+)", text)
        if url and login:
            return url[1], login[1]
        assert child.poll() is None, f"the demo ended:\n{text[-3000:]}"
        time.sleep(0.5)
    raise AssertionError(f"the demo was not ready in {START_S:.0f} s:\n{log.read_text()[-3000:]}")


def write(demo: Demo, method: str, path: str, body: Any = None, user: str = "operator") -> Any:
    """One request of an operator to the REST API, or of who is named; a refusal fails the test with its reason."""
    headers = {"Authorization": f"Token {demo.token(user)}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(
            urllib.request.Request(demo.url + path, data, headers, method=method), timeout=20
        ) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        raise AssertionError(f"{method} {path}: {error.code} {error.read().decode()[:500]}") from error


def all_heard(demo: Demo) -> bool:
    return len(machines(demo, state="ready", reachability="reachable")) == MACHINES


def machines(demo: Demo, **wanted: str) -> list[dict[str, Any]]:
    """The rows of the floor as the API tells them, those that say what is wanted."""
    table = demo.api("/api/floor/")["machines"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def at_rest(page: Page, where: str) -> dict[str, float]:
    """A place on the map once it stands still: the map is fitted anew when a panel opens beside it."""
    seen: list[Any] = [None]

    def stands_still() -> bool:
        seen.append(page.evaluate(where))
        return seen[-1] is not None and seen[-1] == seen[-2]

    wait_for(stands_still, 10, "the map to stand still")
    return dict(seen[-1])


def available(demo: Demo, least: int = 1) -> list[dict[str, Any]]:
    """Rows of machines in service with nothing wrong, once there are so many.

    One that was checked late is suspect until the next check."""
    until = time.monotonic() + 60
    while len(found := machines(demo, state="ready", cell="available")) < least:
        assert time.monotonic() < until, f"no {least} machines are available: {machines(demo)}"
        time.sleep(0.25)
    return found


def cell_of(page: Page, machine: str) -> str | None:
    """The word under which the floor map draws a machine."""
    cell: str | None = page.evaluate("name => window.__rackside?.cellOf(name) ?? null", machine)
    return cell


def wait_for(condition: Callable[[], Any], seconds: float, what: str) -> float:
    """Poll until true; returns the seconds it took."""
    started = time.monotonic()
    while time.monotonic() - started < seconds:
        if condition():
            return time.monotonic() - started
        time.sleep(0.25)
    raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    driver: Playwright
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield browser
        browser.close()


@dataclass
class Visitor:
    """Somebody signed in at one screen size; remembers what went wrong in the browser."""

    page: Page
    context: BrowserContext
    foreign: list[str]
    errors: list[str]
    asked: dict[Request, str] = field(default_factory=dict)
    """What became of each request of the API: nothing yet, its status, or why it failed."""

    def tells(self) -> str:
        """What somebody would look at first when a test failed here."""
        lines = [self.page.url, *self.errors]
        for request, became in list(self.asked.items())[-12:]:
            lines.append(f"{request.method} {request.url} {became or 'not answered'}")
        return "\n".join([*lines, self.page.locator("body").aria_snapshot(timeout=5_000)])


Enter = Callable[..., Visitor]
VISITORS = pytest.StashKey[list[Visitor]]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What each page showed when its test failed: nobody can look at it afterwards."""
    report = yield
    if report.when == "call" and report.failed:
        visitors: list[Visitor] = item.stash.get(VISITORS, [])
        for number, visitor in enumerate(visitors, 1):
            try:
                told = visitor.tells()
            except PlaywrightError as error:
                told = f"cannot be asked any more: {error}"
            report.sections.append((f"page {number}", told))
    return report


@pytest.fixture(scope="session")
def signed_in() -> dict[tuple[str, str], StorageState]:
    """(demo's address, user) to the cookies of somebody who gave the password there."""
    return {}


@pytest.fixture
def enter(
    request: pytest.FixtureRequest, demo: Demo, chromium: Browser, signed_in: dict[tuple[str, str], StorageState]
) -> Iterator[Enter]:
    """`enter("technician", PHONE)` is somebody signed in who goes to pages by themselves; with `at="/"` to the floor.
    Afterwards: no request left the origin, no script failed."""
    visitors: list[Visitor] = []
    request.node.stash[VISITORS] = visitors

    def sign_in(user: str = "operator", size: dict[str, int] = DESK, at: str = "") -> Visitor:
        phone = size["width"] < 600
        known = signed_in.get((demo.url, user))
        # What moves is painted sixty times a second, without a GPU, on the processors that two demos share.
        context = chromium.new_context(
            viewport=size,  # type: ignore[arg-type]
            is_mobile=phone,
            has_touch=phone,
            storage_state=known,
            reduced_motion="reduce",
        )
        visitor = Visitor(context.new_page(), context, [], [])
        visitors.append(visitor)

        def watch(request: Request) -> None:
            if not request.url.startswith((demo.url, "data:", "blob:")):
                visitor.foreign.append(request.url)
            elif "/api/" in request.url:
                visitor.asked[request] = ""

        def answered(response: Response) -> None:
            if response.request in visitor.asked:
                visitor.asked[response.request] = str(response.status)

        def failed(request: Request) -> None:
            if request in visitor.asked:
                visitor.asked[request] = str(request.failure)

        context.on("request", watch)  # a route would look at each as well, and take the browser's cache away
        context.on("response", answered)
        context.on("requestfailed", failed)
        visitor.page.on("pageerror", lambda error: visitor.errors.append(str(error)))
        if known is None:
            visitor.page.goto(demo.url)
            visitor.page.get_by_label("User name or e-mail").fill(user)
            visitor.page.get_by_label("Password").fill(demo.password)
            visitor.page.get_by_role("button", name="Sign in").click()
            visitor.page.wait_for_url(lambda url: "/accounts/" not in url)
            signed_in[demo.url, user] = context.storage_state()
        if at:
            visitor.page.goto(demo.url + at)
        return visitor

    yield sign_in
    for visitor in visitors:
        visitor.context.close()
        assert visitor.foreign == [], "a request left the origin"
        assert visitor.errors == [], "a script failed"
