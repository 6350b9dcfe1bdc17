"""A technician's phone: without reception, with a scanner, a camera and photos. At 390 pixels, in a real browser.

Numbers in the names are the dashboard's targets: 33 from a label to its ticket, 35 the button, 37 the wrong machine,
38 no camera, 39 offline, 54 the size of the first scripts.
"""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import segno
from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import CHROMIUM, PHONE, QUIET, Demo, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

REPORT = """
from core.models import User
from inventory.models import Device
from tickets import services
from tickets.models import Ticket
by = User.objects.get(username="operator")
rows = Device.objects.filter(kind="machine", status="active", placement__isnull=False)
taken = Ticket.objects.exclude(status="closed").exclude(device=None).values("device_id")
machine = rows.exclude(pk__in=taken).order_by("placement__rack__name", "placement__half_units").{which}()
ticket = services.open_ticket_for_person("machine", machine.pk, by=by, text="It rattles.")
rack = Device.objects.filter(kind="machine", placement__rack=machine.placement.rack).exclude(pk=machine.pk)
near = rack.order_by("placement__half_units").first()
import json
print(json.dumps({{"key": ticket.key, "machine": machine.name, "near": near.name if near else ""}}))
"""
REASSIGN = """
from core.models import User
from tickets import services
from tickets.queries import number_of
number = number_of("{key}")
operator = User.objects.get(username="operator")
services.release(number, by=operator, reason="Another shift")
services.take(number, by=operator)
"""
CLOSE = """
from core.models import User
from tickets import services
from tickets.queries import number_of
services.close(number_of("{key}"), by=User.objects.get(username="operator"), reason="End of the test")
"""


ANTENNA = """
window.NDEFReader = class extends EventTarget {
  scan({ signal }) {
    window.held = (text) => {
      if (signal.aborted) return;
      const data = new DataView(new TextEncoder().encode(text).buffer);
      const record = { recordType: text.startsWith("http") ? "url" : "text", encoding: "utf-8", data };
      const serialNumber = "04:a2:24:5a";
      this.dispatchEvent(Object.assign(new Event("reading"), { serialNumber, message: { records: [record] } }));
    };
    return Promise.resolve();
  }
};
"""
"""Web NFC as Chromium on Android has it (W3C draft): an object that scans, and an event with the records of a tag."""


@pytest.fixture
def report(demo: Demo) -> Iterator[Callable[[str], dict[str, str]]]:
    """A ticket about a machine that is well; gone afterwards."""
    opened: list[str] = []

    def make(which: str = "first") -> dict[str, str]:
        found: dict[str, str] = json.loads(demo.python(REPORT.format(which=which)).strip().splitlines()[-1])
        opened.append(found["key"])
        return found

    yield make
    for key in opened:
        demo.python(CLOSE.format(key=key))


def ticket_of(demo: Demo, key: str) -> dict[str, Any]:
    return dict(demo.api(f"/api/tickets/{key}/"))


def worker_runs(page: Page) -> None:
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    wait_for(lambda: page.evaluate("navigator.serviceWorker.controller !== null"), 30, "the service worker")


def jpeg() -> bytes:
    kept = io.BytesIO()
    Image.effect_noise((2_400, 1_800), 60).convert("RGB").save(kept, "JPEG")
    return kept.getvalue()


def take(page: Page) -> None:
    primary = page.get_by_test_id("ticket-primary")
    expect(primary).to_have_attribute("data-action", "take")
    primary.click()
    expect(primary).to_have_attribute("data-action", "step")
    primary.click()  # is it drained?
    expect(primary).to_have_attribute("data-action", "scan")


def wedge(page: Page, label: str) -> None:
    """A scanner that types: keys within a few milliseconds, on the page and in no field."""
    page.evaluate(
        "keys => keys.forEach(key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})))",
        [*label, "Enter"],
    )


def waiting(page: Page) -> int:
    banner = page.get_by_test_id("outbox")
    return int(banner.get_attribute("data-count") or 0) if banner.count() else 0


@pytest.mark.target(39)
@pytest.mark.slow
def test_39_what_is_done_without_reception_survives_a_killed_tab_and_is_sent_in_order_once(
    demo: Demo, enter: Callable, report: Callable[[str], dict[str, str]]
) -> None:
    made = report("first")
    visitor = enter("technician", PHONE, at=f"/tickets/{made['key']}")
    phone, network = visitor.page, visitor.context
    take(phone)
    expect(phone.get_by_test_id("scan-label")).to_be_visible()
    worker_runs(phone)
    phone.reload()  # under the worker: what this page needs is on the phone now
    expect(phone.get_by_test_id("scan-label")).to_be_visible()
    before = len(ticket_of(demo, made["key"])["timeline"])

    network.set_offline(True)
    phone.reload()
    expect(phone.get_by_test_id("kept-at")).to_contain_text("No reception")
    phone.get_by_test_id("scan-label").fill(made["machine"])
    phone.get_by_test_id("ticket-primary").click()
    expect(phone.locator("[data-testid=ticket-step][data-kind=scan]")).to_have_attribute("data-done", "true")
    expect(phone.get_by_test_id("outbox")).to_have_attribute("data-count", "1")
    phone.get_by_test_id("step-photo").first.set_input_files(
        {"name": "label.jpg", "mimeType": "image/jpeg", "buffer": jpeg()}
    )
    expect(phone.get_by_test_id("outbox")).to_have_attribute("data-count", "2")
    phone.get_by_label("Comment", exact=True).fill("Fan 3 is loose")
    phone.get_by_role("button", name="Comment", exact=True).click()
    expect(phone.get_by_test_id("outbox")).to_have_attribute("data-count", "3")
    phone.get_by_test_id("ticket-primary").click()
    expect(phone.get_by_test_id("outbox")).to_have_attribute("data-count", "4")
    assert len(ticket_of(demo, made["key"])["timeline"]) == before, "nothing has left the phone"

    phone.close()  # the tab is killed; the phone keeps what was done
    phone = network.new_page()
    phone.goto(f"{demo.url}/tickets/{made['key']}")
    expect(phone.get_by_test_id("outbox")).to_have_attribute("data-count", "4")
    expect(phone.locator("[data-testid=ticket-step][data-kind=scan]")).to_have_attribute("data-done", "true")

    network.set_offline(False)
    wait_for(lambda: waiting(phone) == 0, 90, "the outbox to be sent")
    after = ticket_of(demo, made["key"])
    told = [line["text"] for line in after["timeline"][before:]]
    assert [text.split(":")[0] for text in told] == ["Step 2 done", "Photo at step 3", "Step 3 done"], told
    assert [comment["text"] for comment in after["comments"]] == ["Fan 3 is loose"]
    (photo,) = after["photos"]
    assert max(photo["width"], photo["height"]) == 1_600 and photo["step"] == 3


@pytest.mark.target(39)
@pytest.mark.slow
def test_39_a_ticket_that_went_to_a_colleague_meanwhile_keeps_what_was_typed(
    demo: Demo, enter: Callable, report: Callable[[str], dict[str, str]]
) -> None:
    made = report("first")
    visitor = enter("technician", PHONE, at=f"/tickets/{made['key']}")
    phone, network = visitor.page, visitor.context
    take(phone)
    worker_runs(phone)
    phone.reload()
    expect(phone.get_by_test_id("scan-label")).to_be_visible()
    network.set_offline(True)
    phone.get_by_test_id("scan-label").fill(made["machine"])
    phone.get_by_test_id("ticket-primary").click()
    expect(phone.get_by_test_id("outbox")).to_have_attribute("data-count", "1")
    demo.python(REASSIGN.format(key=made["key"]))

    network.set_offline(False)
    expect(phone.get_by_test_id("outbox")).to_contain_text("not accepted", timeout=60_000)
    phone.get_by_test_id("outbox-show").click()
    item = phone.get_by_test_id("outbox-item")
    expect(item).to_contain_text(made["machine"])
    expect(item).to_contain_text("Now with")
    item.get_by_role("button", name="Send as a comment").click()
    wait_for(lambda: waiting(phone) == 0, 60, "the note to be sent")
    (comment,) = ticket_of(demo, made["key"])["comments"]
    assert made["machine"] in comment["text"]


@pytest.mark.target(33, 37)
def test_33_and_37_a_typing_scanner_finds_the_ticket_and_stops_at_the_wrong_machine(
    demo: Demo, enter: Callable, report: Callable[[str], dict[str, str]]
) -> None:
    made = report("last")
    phone = enter("technician", PHONE, at="/tickets").page
    expect(phone.get_by_test_id("scan-camera")).to_be_visible()
    wedge(phone, made["machine"])
    phone.wait_for_url(f"**/tickets/{made['key']}")
    primary = phone.get_by_test_id("ticket-primary")
    box = primary.bounding_box() or {"height": 0, "width": 0}
    assert box["height"] >= 56 and box["width"] >= PHONE["width"] - 40, "35: the whole width, at the bottom"
    take(phone)
    expect(phone.get_by_test_id("scan-label")).to_be_visible()
    phone.locator("h1").click()
    wedge(phone, made["near"])
    expect(phone.get_by_role("heading", name="Stop: wrong machine")).to_be_visible()
    expect(phone.get_by_test_id("wrong-near")).to_contain_text(f"This is {made['near']}, the ticket is for")
    expect(phone.get_by_test_id("wrong-near")).to_contain_text("above")
    phone.get_by_role("button", name="Scan again").click()
    wedge(phone, made["machine"])
    expect(phone.locator("[data-testid=ticket-step][data-kind=scan]")).to_have_attribute("data-done", "true")


def qr_picture(text: str) -> bytes:
    """A printed label as a camera sees it."""
    code = io.BytesIO()
    segno.make(text, error="m").save(code, kind="png", scale=10, border=4)
    scene = Image.new("RGB", (1_280, 720), "#777")
    with Image.open(code) as label:
        scene.paste(label.convert("RGB").rotate(4, expand=True, fillcolor="#777"), (420, 120))
    frame = io.BytesIO()
    scene.save(frame, "JPEG", quality=90)
    return frame.getvalue()


@pytest.mark.target(33, 38)
@pytest.mark.slow
def test_33_and_38_the_camera_reads_a_real_code_and_without_one_the_same_step_is_reached(
    demo: Demo,
    chromium: Browser,
    report: Callable[[str], dict[str, str]],
    signed_in: dict,
    tmp_path: Path,
    enter: Callable,
) -> None:
    made = report("first")
    refused = enter("technician", PHONE, at="/tickets").page
    refused.get_by_test_id("scan-camera").click()
    expect(refused.get_by_test_id("scanner-trouble")).to_contain_text("type", ignore_case=True)
    photo = {"name": "label.jpg", "mimeType": "image/jpeg", "buffer": qr_picture(made["machine"])}
    refused.get_by_test_id("scanner-photo").set_input_files(photo)
    refused.wait_for_url(f"**/tickets/{made['key']}", timeout=60_000)

    film = tmp_path / "label.mjpeg"
    film.write_bytes(qr_picture(f"https://rackside.example/machines/{made['machine']}") * 2)
    camera = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    camera += [f"--use-file-for-fake-video-capture={film}"]
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=[*QUIET, *camera])
    try:
        context = browser.new_context(
            viewport=PHONE, is_mobile=True, has_touch=True, storage_state=signed_in[demo.url, "technician"]
        )  # type: ignore[arg-type]
        phone = context.new_page()
        asked: list[str] = []
        context.on("request", lambda request: asked.append(request.url))
        phone.goto(f"{demo.url}/tickets")
        expect(phone.get_by_test_id("scan-camera")).to_be_visible()
        assert not [url for url in asked if url.endswith(".wasm")], "54: the reader is fetched after Scan"
        phone.get_by_test_id("scan-camera").click()
        phone.wait_for_url(f"**/tickets/{made['key']}", timeout=60_000)
        assert [url for url in asked if url.endswith(".wasm")]
        take(phone)
        phone.get_by_test_id("scan-camera").click()
        expect(phone.locator("[data-testid=ticket-step][data-kind=scan]")).to_have_attribute(
            "data-done", "true", timeout=60_000
        )
    finally:
        browser.close()


def printed(symbol: str, text: str) -> bytes:
    """A label with another symbol than ours, as a photo of it."""
    command = ["node", str(Path(__file__).with_name("barcode.mjs")), symbol, text]
    code = subprocess.run(command, check=True, capture_output=True).stdout
    scene = Image.new("RGB", (1_280, 720), "#777")
    with Image.open(io.BytesIO(code)) as label:
        scene.paste(label.convert("RGB").rotate(3, expand=True, fillcolor="#777"), (120, 200))
    frame = io.BytesIO()
    scene.save(frame, "JPEG", quality=90)
    return frame.getvalue()


@pytest.mark.target(33)
@pytest.mark.slow
def test_33_labels_of_vendors_are_read_whatever_symbol_they_print(
    demo: Demo, report: Callable[[str], dict[str, str]], enter: Callable
) -> None:
    made = report("first")
    phone = enter("technician", PHONE).page
    for symbol in ("DataMatrix", "Code39", "Code128"):
        phone.goto(f"{demo.url}/tickets")
        phone.get_by_test_id("scan-camera").click()
        photo = {"name": "label.jpg", "mimeType": "image/jpeg", "buffer": printed(symbol, made["machine"].upper())}
        phone.get_by_test_id("scanner-photo").set_input_files(photo)
        phone.wait_for_url(f"**/tickets/{made['key']}", timeout=60_000)


@pytest.mark.slow
def test_an_nfc_tag_that_is_held_to_the_phone_leads_to_its_ticket(
    demo: Demo, report: Callable[[str], dict[str, str]], enter: Callable
) -> None:
    """No antenna here: the browser's own object is stood in for, and hands over a tag as it does."""
    made = report("first")
    visitor = enter("technician", PHONE)
    visitor.page.add_init_script(ANTENNA)
    phone = visitor.page
    phone.goto(f"{demo.url}/tickets")
    phone.get_by_role("button", name="NFC tag").click()
    expect(phone.get_by_role("button", name="Hold the tag to the phone")).to_be_visible()
    phone.evaluate("text => window.held(text)", f"https://rackside.example/machines/{made['machine']}")
    phone.wait_for_url(f"**/tickets/{made['key']}")
    take(phone)
    phone.get_by_role("button", name="NFC tag").click()
    phone.evaluate("text => window.held(text)", made["machine"])
    expect(phone.locator("[data-testid=ticket-step][data-kind=scan]")).to_have_attribute("data-done", "true")


@pytest.mark.target(34)
@pytest.mark.slow
def test_the_queue_is_kept_for_the_aisle_and_the_round_opens_without_reception(
    demo: Demo, enter: Callable, report: Callable[[str], dict[str, str]]
) -> None:
    made = report("first")
    visitor = enter("technician", PHONE, at="/tickets")
    phone, network = visitor.page, visitor.context
    worker_runs(phone)
    phone.reload()
    phone.get_by_test_id("keep-for-aisle").click()
    expect(phone.get_by_test_id("aisle-said")).to_contain_text("on this phone", timeout=120_000)
    phone.goto(f"{demo.url}/tickets/round?tickets={made['key']}")
    expect(phone.get_by_test_id("round-stop")).to_have_count(1)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    network.set_offline(True)
    phone.reload()
    expect(phone.get_by_test_id("round-kept")).to_contain_text("No reception")
    phone.get_by_test_id("round-go").click()
    expect(phone.get_by_test_id("kept-at")).to_be_visible()
    phone.goto(f"{demo.url}/tickets")
    expect(phone.get_by_test_id("kept-list")).to_be_visible()
    expect(phone.get_by_test_id("ticket-card").filter(has_text=made["machine"])).to_be_visible()
    network.set_offline(False)
