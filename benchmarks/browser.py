"""What people feel, in Chromium: the floor while it is zoomed and machines change, 10,000 open tickets, a ticket on a
phone over a slow link.

The browser, the server and its database share the cores, and without a GPU Chromium draws with them as well: the
figures are what this machine does, not what a desk does.
"""

from __future__ import annotations

import copy
import itertools
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import connection, transaction
from django.test import Client

from benchmarks.report import Context, Row
from benchmarks.server import fresh_database, web_process
from benchmarks.slow_link import slow_link
from benchmarks.sweep import ensure_fleet
from config import processes
from core.models import Role
from core.services import ensure_user
from health.machines.services.changes import visible
from health.models import MachineHealth
from inventory.fleet.load import load
from inventory.fleet.reference.three_tiers import fleet_file
from live import events
from tickets.models import Ticket
from tickets.services import open_ticket_for_person

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = Path("/usr/bin/chromium-headless-shell")
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LARGE = 10_000
CHANGES_PER_S = 200
WATCHED_S = 8.0
OPEN_TICKETS = 10_000
SMOOTH = "58 a second or more"
BITS_PER_S, ROUND_TRIP_S = 400_000, 0.4
CELLS = ("available", "allocated", "suspect", "failed")
FRAMES = """() => { const found = window.__frames = []; let last = performance.now();
  const tick = (now) => { found.push(now - last); last = now; requestAnimationFrame(tick); };
  requestAnimationFrame(tick); }"""


def run(context: Context) -> list[Row]:
    if why := missing():
        return [Row("browser", "left out", why)]
    ensure_fleet(context)
    rows = floor(os.environ["RACKSIDE_DATABASE_URL"], context.machines)
    rows += tickets(os.environ["RACKSIDE_DATABASE_URL"])
    if context.growth:
        path = context.folder / f"fleet-{LARGE}.yaml"
        path.write_text(fleet_file(LARGE))
        with fresh_database("browser") as url:
            load(path)
            rows += floor(url, LARGE)
    return rows


def missing() -> str:
    """What of a browser and a dashboard is not here, in words; empty when all is."""
    if not (settings.BASE_DIR / "frontend" / "dist" / "index.html").exists():
        return "the dashboard is not built: ./rackside demo builds it"
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "Playwright is not installed: ./rackside test installs it"
    return "" if CHROMIUM.exists() else f"{CHROMIUM} is not installed: ./rackside test installs it"


# ---- the floor ----


def floor(database_url: str, machines: int) -> list[Row]:
    session = new_session()
    shown = changes()
    with served(database_url) as port, browser() as chromium:
        page = signed_in(chromium, session, port, DESK)
        began = time.perf_counter()
        page.goto(f"http://127.0.0.1:{port}/")
        until(page, "(window.__rackside?.cellOf('hgx-a01-01') ?? null) !== null")
        drawn = time.perf_counter() - began
        with changing_machines(shown):
            zoomed = frames(page, lambda number: page.mouse.wheel(0, -120 if number % 40 < 20 else 120))
            still = frames(page, lambda number: None)
        page.context.close()
    about = f"{machines:,} machines, {CHANGES_PER_S} changes a second"
    return [
        Row(f"browser: floor of {machines:,} drawn after", f"{drawn:.1f} s", "first visit, sign-in not counted"),
        Row(f"browser: floor of {machines:,} while zoomed", *smoothness(zoomed, about), SMOOTH),
        Row(f"browser: floor of {machines:,} at rest", *smoothness(still, about), SMOOTH),
    ]


def changes() -> list[tuple[int, dict[str, Any]]]:
    """Of every machine its site and what the map shows of it."""
    rows = MachineHealth.objects.select_related("machine__device").order_by("pk")
    return [(row.machine.device.site_id, visible(row)) for row in rows]


@contextmanager
def changing_machines(shown: list[tuple[int, dict[str, Any]]]) -> Iterator[None]:
    """So many machines a second change their cell meanwhile, each in a transaction of its own."""
    over = threading.Event()

    def work() -> None:
        began = time.perf_counter()
        for number, (site, now) in enumerate(itertools.cycle(shown)):
            if over.wait(max(0.0, began + number / CHANGES_PER_S - time.perf_counter())):
                break
            data = {**now, "cell": CELLS[number % len(CELLS)]}
            with transaction.atomic():
                events.emit("machine.changed", site_id=site, subject=f"machine:{now['id']}", data=data)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


# ---- tickets ----


def tickets(database_url: str) -> list[Row]:
    session = new_session()
    ticket = many_tickets()
    with served(database_url) as port, browser() as chromium:
        page = signed_in(chromium, session, port, DESK)
        page.goto(f"http://127.0.0.1:{port}/tickets")
        page.get_by_test_id("ticket-card").first.wait_for()
        scrolled = frames(page, lambda number: page.mouse.wheel(0, 240 if number % 120 < 90 else -240))
        page.context.close()
        with slow_link(port, bits_per_s=BITS_PER_S, round_trip_s=ROUND_TRIP_S) as slow:
            phone = signed_in(chromium, session, slow, PHONE)
            url = f"http://127.0.0.1:{slow}/tickets/{ticket.key}"
            cold = usable_after(phone, url)
            phone.evaluate("navigator.serviceWorker.ready.then(() => true)")
            phone.wait_for_load_state("networkidle", timeout=120_000)
            installed = sorted(usable_after(phone, url) for _ in range(5))[2]
            phone.context.close()
    link = f"{BITS_PER_S // 1000} kbit/s, {ROUND_TRIP_S * 1000:.0f} ms; until its button can be pressed"
    return [
        Row(f"browser: list of {OPEN_TICKETS:,} open tickets scrolled", *smoothness(scrolled, ""), SMOOTH),
        Row("browser: ticket on a phone, cold", f"{cold:.1f} s", link, "3 s or less"),
        Row("browser: ticket on a phone, from the app", f"{installed:.2f} s", f"{link}; median of 5", "0.5 s or less"),
    ]


def many_tickets() -> Ticket:
    """So many open tickets, and one that a person opened, which they are copies of."""
    user, _ = ensure_user("bench-desk", role=Role.OPERATOR)
    machines = list(MachineHealth.objects.order_by("pk").values_list("pk", flat=True))
    known = Ticket.objects.filter(title="Look at the fans", part="GPU 0").first()
    ticket = known or open_ticket_for_person(
        "machine", machines[0], by=user, text="loud", part="GPU 0", title="Look at the fans"
    )
    missing_ones = OPEN_TICKETS - Ticket.objects.exclude(status="closed").count()
    copies = []
    for number in range(1, missing_ones + 1):
        one = copy.copy(ticket)
        one.pk, one.number, one._state = None, ticket.number + number, copy.copy(ticket._state)
        one._state.adding = True
        one.machine_id = one.device_id = machines[number % len(machines)]
        one.part = f"part {number}"
        copies.append(one)
    Ticket.objects.bulk_create(copies, batch_size=2000)
    return ticket


def usable_after(page: Page, url: str) -> float:
    """Seconds until the ticket's one button can be pressed."""
    began = time.perf_counter()
    page.goto(url, wait_until="commit", timeout=60_000)
    page.locator("[data-testid=ticket-primary]:enabled").wait_for(timeout=60_000)
    return time.perf_counter() - began


# ---- what they share ----


@contextmanager
def served(database_url: str) -> Iterator[int]:
    """One web process and the relay of the live feed; gives the port."""
    environment = {**os.environ, "RACKSIDE_DATABASE_URL": database_url, "RACKSIDE_LOG_LEVEL": "ERROR"}
    relay = subprocess.Popen(processes.relay(), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        with web_process(database_url) as port:
            yield port
    finally:
        relay.terminate()
        relay.wait(20)


@contextmanager
def browser() -> Iterator[Browser]:
    """Chromium. While it runs, this thread has an event loop, and asks no database."""
    from playwright.sync_api import sync_playwright

    connection.close()
    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()


def new_session() -> str:
    """The cookie of an operator who signed in."""
    user, _ = ensure_user("bench-desk", role=Role.OPERATOR)
    client = Client()
    client.force_login(user)
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def signed_in(chromium: Browser, session: str, port: int, size: dict[str, int]) -> Page:
    """A page of a browser that was never here before."""
    phone = size is PHONE
    context = chromium.new_context(viewport=size, is_mobile=phone, has_touch=phone)  # type: ignore[arg-type]
    cookie: Any = {
        "name": settings.SESSION_COOKIE_NAME, "value": session, "url": f"http://127.0.0.1:{port}",
    }  # fmt: skip
    context.add_cookies([cookie])
    return context.new_page()


def until(page: Page, condition: str, seconds: float = 60) -> None:
    """Wait for a condition; Playwright's own way evaluates a string, which the page's policy forbids."""
    over = time.monotonic() + seconds
    while not page.evaluate(condition):
        if time.monotonic() > over:
            raise TimeoutError(f"{condition} never came")
        time.sleep(0.02)


def frames(page: Page, act: Any) -> list[float]:
    """Milliseconds between the frames that the page drew, while something is done to it some thirty times a second."""
    page.mouse.move(DESK["width"] / 2, DESK["height"] / 2)
    page.evaluate(FRAMES)
    over = time.monotonic() + WATCHED_S
    for number in itertools.takewhile(lambda _: time.monotonic() < over, itertools.count()):
        act(number)
        time.sleep(1 / 30)
    found: list[float] = page.evaluate("() => window.__frames")
    return found


def smoothness(between: Sequence[float], about: str) -> tuple[str, str]:
    """Frames a second, and the longest that one kept the next waiting."""
    rate = len(between) / (sum(between) / 1000) if between else 0.0
    late = sum(1 for one in between if one > 50)
    longest = f"longest frame {max(between, default=0):.0f} ms, {late} of {len(between)} over 50 ms"
    return f"{rate:.0f} a second", "; ".join(part for part in (about, longest) if part)
