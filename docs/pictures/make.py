"""Make the pictures of the documentation from a running demo.

    ./rackside demo --port 8177 --data /some/folder --faults-per-hour 0
    .venv/bin/python docs/pictures/make.py http://127.0.0.1:8177 PASSWORD /some/folder/hall

PASSWORD is the one that the demo printed; the last argument is the folder of the virtual hall, which holds the address
and token of its control interface. The script breaks a few machines there, waits until the tickets are open, takes one
of them as a technician, starts a provisioning run, exchanges two cables, follows their work order, and photographs what
the dashboard shows. It takes about five minutes and leaves the faults in the hall: use a demo that may be thrown away.
`--only fabric` makes the pictures of the fabric alone, `--only checks` and `--only automation` those of these. Needs
the packages of `./rackside test` and Chromium (`--chromium PATH`).

Nothing in the pictures is drawn or edited; they are stored with a palette of 256 colours.
"""

from __future__ import annotations

import argparse
import base64
import json
import struct
import time
import urllib.parse
import urllib.request
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

HERE = Path(__file__).resolve().parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
DESK = {"width": 1680, "height": 1000}
PAGE = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
WORK = {"width": 1280, "height": 620}
RUN = {"width": 1280, "height": 460}
COLOURS = 256
DISTINCT = 20
"""Distance in RGB from which on two colours are of different kinds."""
REDUCE = """async ([picture, colours, distinct]) => {
  const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const rgba = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  const colour = (i) => (rgba[i] << 16) | (rgba[i + 1] << 8) | rgba[i + 2];
  const count = new Map();
  for (let i = 0; i < rgba.length; i += 4) count.set(colour(i), (count.get(colour(i)) ?? 0) + 1);
  const used = [...count].sort((a, b) => b[1] - a[1]).map(([value]) => value);
  const parts = (value) => [value >> 16, (value >> 8) & 255, value & 255];
  const apart = (a, b) => parts(a).reduce((sum, part, n) => sum + (part - parts(b)[n]) ** 2, 0);
  // First one colour of every kind, so that a small green dot stays green; then the most used shades.
  const kinds = [];
  for (const value of used) {
    if (kinds.length < colours && kinds.every((kind) => apart(kind, value) > distinct ** 2)) kinds.push(value);
  }
  const kept = [...new Set([...kinds, ...used])].slice(0, colours);
  const index = new Map(kept.map((value, place) => [value, place]));
  for (const value of count.keys()) {
    if (index.has(value)) continue;
    const far = kept.map((near) => apart(near, value));
    index.set(value, far.indexOf(Math.min(...far)));
  }
  let pixels = "";
  for (let i = 0; i < rgba.length; i += 4) pixels += String.fromCharCode(index.get(colour(i)));
  return { width: bitmap.width, height: bitmap.height, palette: kept.flatMap(parts), pixels: btoa(pixels) };
}"""
"""In the browser: the colours of a picture's palette, and for every pixel the place of the nearest of them."""

STORY = ("gpu_off_bus", "GPU 5")
"""The fault that the pictures of machine and ticket follow; README and guides tell the same one."""
STORY_MACHINE = "hgx-a17-03"
OTHERS = (
    ("hca_down", "HCA mlx5_3"),
    ("psu_lost", "PSU 2"),
    ("gpu_ecc", "GPU 1"),
    ("disk_full", ""),
    ("nvme_failing", "NVMe 4"),
    ("gpu_overheat", "GPU 6"),
    ("machine_unreachable", ""),
    ("docker_dead", ""),
)
BARE_MACHINES = 6
SWEEP_LIMIT_S = 180.0
TICKET_LIMIT_S = 180.0
RUN_LIMIT_S = 120.0
ORDER_LIMIT_S = 300.0
"""Two looks at the fabric that are a minute apart, and the work order after them."""


@dataclass(frozen=True)
class Hall:
    """The control interface of the virtual hall, see docs/virtual-hall.md."""

    url: str
    token: str

    @classmethod
    def in_folder(cls, folder: Path) -> Hall:
        control = json.loads((folder / "control.json").read_text())
        return cls(control["url"], control["token"])

    def break_part(self, machine: str, fault: str, slot: str) -> None:
        """Give a machine a fault. Raises urllib.error.HTTPError when the hall refuses it."""
        self.order(f"machines/{urllib.parse.quote(machine)}/faults", {"fault": fault, "slot": slot})

    def order(self, path: str, body: dict[str, Any]) -> None:
        request = urllib.request.Request(
            f"{self.url}/{path}",
            data=json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        urllib.request.urlopen(request, timeout=10).close()


@dataclass(frozen=True)
class Studio:
    """A browser at one running dashboard."""

    browser: Browser
    darkroom: Page
    url: str
    password: str
    folder: Path

    def enter(self, user: str, size: dict[str, int], scheme: str = "light", scale: int = 1) -> Page:
        """Sign in with a window of that size (CSS pixels) and colour scheme."""
        phone = size["width"] < 600
        context = self.browser.new_context(
            viewport=size,  # type: ignore[arg-type]
            color_scheme=scheme,  # type: ignore[arg-type]
            device_scale_factor=scale,
            is_mobile=phone,
            has_touch=phone,
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.goto(self.url)
        page.get_by_label("User name or e-mail").fill(user)
        page.get_by_label("Password").fill(self.password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(lambda address: "/accounts/" not in address)
        return page

    def shoot(self, page: Page, name: str) -> None:
        page.evaluate("document.fonts.ready")
        page.wait_for_timeout(800)  # a canvas has no event that says it was drawn
        file = self.folder / f"{name}.png"
        picture = base64.b64encode(page.screenshot()).decode()
        small = self.darkroom.evaluate(REDUCE, [picture, COLOURS, DISTINCT])
        write_png(file, small["width"], small["height"], bytes(small["palette"]), base64.b64decode(small["pixels"]))
        print(f"{file.name:<24} {file.stat().st_size / 1000:.0f} kB", flush=True)


def write_png(file: Path, width: int, height: int, palette: bytes, pixels: bytes) -> None:
    """A PNG of one byte per pixel; `palette` holds three bytes per colour, `pixels` the rows from the top."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + pixels[start : start + width] for start in range(0, width * height, width))
    file.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0))
        + chunk(b"PLTE", palette)
        + chunk(b"IDAT", zlib.compress(rows, 9))
        + chunk(b"IEND", b"")
    )


def get(page: Page, path: str) -> Any:
    """One GET of the REST API as the person who is signed in."""
    answer = page.request.get(path)
    if not answer.ok:
        raise SystemExit(f"GET {path}: {answer.status} {answer.text()[:300]}")
    return answer.json()


def wait_for(found: Callable[[], Any], seconds: float, what: str) -> Any:
    """Poll once a second until something is found; SystemExit when it takes too long."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if thing := found():
            return thing
        time.sleep(1)
    raise SystemExit(f"waited {seconds:.0f} s in vain for {what}")


def machines(page: Page, url: str, cell: str) -> list[dict[str, Any]]:
    """The machines of the floor with that cell, by name."""
    table = get(page, f"{url}/api/floor/")["machines"]
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    return sorted((row for row in rows if row["cell"] == cell), key=lambda row: row["name"])


def break_some(hall: Hall, available: list[dict[str, Any]]) -> dict[str, Any]:
    """Break the machine of the story, and others spread over the room. Returns the first."""
    story = next((row for row in available if row["name"] == STORY_MACHINE), available[len(available) // 2])
    hall.break_part(story["name"], *STORY)
    rest = [row for row in available if row["id"] != story["id"]]
    for number, (fault, slot) in enumerate(OTHERS):
        hall.break_part(rest[(2 * number + 1) * len(rest) // (2 * len(OTHERS))]["name"], fault, slot)
    return story


def pictures_of_the_ticket(studio: Studio, key: str, machine: str) -> None:
    """The technician's phone: the ticket as it is found, then at the swap of the part."""
    phone = studio.enter("technician", PHONE, scale=2)
    phone.goto(f"{studio.url}/tickets")
    phone.get_by_test_id("ticket-card").first.wait_for()
    studio.shoot(phone, "phone-tickets")
    phone.goto(f"{studio.url}/tickets/{key}")
    phone.get_by_test_id("ticket-primary").wait_for()
    studio.shoot(phone, "phone-ticket")
    primary = phone.get_by_test_id("ticket-primary")
    for _ in range(20):
        action = primary.get_attribute("data-action")
        if action == "swap":
            break
        if action == "scan":
            phone.get_by_test_id("scan-label").fill(machine)
        before = primary.inner_text()
        primary.click()
        expect(primary, f"the step after {before!r}").not_to_have_text(before, use_inner_text=True)
    phone.get_by_test_id("swap-new-serial").scroll_into_view_if_needed()
    studio.shoot(phone, "phone-swap")
    phone.context.close()


def pictures_of_the_inventory(studio: Studio, desk: Page, story: dict[str, Any]) -> None:
    """The rack's own page with a machine's cables, its row, a cable's path, a dead feed, a device that moves."""
    desk.set_viewport_size(PAGE)  # type: ignore[arg-type]
    rack = get(desk, f"{studio.url}/api/racks/{story['rack']}/")
    cables = get(desk, f"{studio.url}/api/machines/{story['id']}/cables/")["results"]
    away = next(row for row in cables if row["far"] and f"Rack {rack['name']}" not in row["far"]["place"])
    feed = get(desk, f"{studio.url}/api/racks/{story['rack']}/power/")["feeds"][0]["feed"]["id"]
    free = get(desk, f"{studio.url}/api/racks/{story['rack']}/free/?model={story_model(studio, desk, story)}")
    u = free["suggestions"][0]["u"]
    for name, path, landmark in (
        ("rack-page", f"/racks/{story['rack']}?device={story['id']}", "[data-testid=pick-details] li"),
        ("row", f"/rows/{rack['row']}", "[data-testid=thumbnail]"),
        ("cable", f"/cables/{away['id']}", "[data-testid=way]"),
        ("power-floor", "/power", "[data-testid=power-floor]"),
        ("feed-failure", f"/power/planned?feed={feed}&together=panel", "[data-testid=hit]"),
        ("place", f"/devices/{story['id']}/place?u={u}", "[data-testid=suggestion]"),
    ):
        desk.goto(studio.url + path)
        desk.locator(landmark).first.wait_for()
        studio.shoot(desk, name)


def pictures_of_the_tables(studio: Studio, desk: Page) -> None:
    """A table with changes that are not saved, and a file before it is applied. Nothing is written."""
    desk.set_viewport_size(WORK)  # type: ignore[arg-type]
    desk.goto(
        f"{studio.url}/tables/devices?ordering=name&columns=name,model,serial,asset_tag,rack,u,warranty_until,tags"
    )
    desk.get_by_role("gridcell").first.wait_for()
    for row, column, text in ((1, 3, "AT-20441"), (2, 3, "AT-20442"), (3, 3, "AT-20443")):
        desk.locator(f"[data-row='{row}'] [data-column='{column}']").click()
        desk.keyboard.type(text)
        desk.keyboard.press("Enter")
    studio.shoot(desk, "table")
    desk.get_by_role("button", name="Discard").click()
    racks = get(desk, f"{studio.url}/api/racks/?ordering=name&page_size=3")["results"]
    lines = [
        f"{row['site_name']},{row['room_name']},{row['name']},RK-{row['id']:04d},{row['height_u']}" for row in racks
    ]
    lines[2] = lines[2].rpartition(",")[0] + ",480"
    text = "\n".join(["site,room,name,asset_tag,height_u", *lines]) + "\n"
    desk.goto(f"{studio.url}/import?kind=racks")
    desk.locator("input[type=file]").set_input_files(
        {"name": "racks.csv", "mimeType": "text/csv", "buffer": text.encode()}
    )
    desk.get_by_test_id("check").click()
    desk.get_by_test_id("counts").wait_for()
    studio.shoot(desk, "import")


def wire_wrongly(studio: Studio, hall: Hall, desk: Page) -> dict[str, Any]:
    """Exchange two cables on a leaf and let an optic on the next leaf fail; returns the link of that optic.

    Both cables lead to machines that nothing else is wrong with: an end that is dark makes it another finding.
    """
    sound = {row["name"] for row in machines(desk, studio.url, "available")}
    links = f"{studio.url}/api/fabric/links/?page_size=200&device="
    wait_for(lambda: get(desk, links + "leaf")["count"], SWEEP_LIMIT_S, "the first discovery run")

    def leaf(link: dict[str, Any]) -> dict[str, Any]:
        return next(dict(link[end]) for end in "ab" if link[end]["device"].startswith("leaf"))

    below = [row for row in get(desk, links + "leaf")["results"] if row["tier"] == "leaf-machine"]
    name, bad_at = sorted({leaf(link)["device"] for link in below})[:2]
    ends = [
        leaf(link)
        for link in get(desk, links + name)["results"]
        if link["tier"] == "leaf-machine" and sound & {link[end]["device"].partition(" ")[0] for end in "ab"}
    ]
    ends.sort(key=lambda end: int(end["port"]))
    one, other = (f"{end['guid']}_{end['port']}" for end in (ends[0], ends[-1]))
    hall.order("fabric/swap", {"ports": [one, other]})
    bad = next(link for link in below if leaf(link)["device"] == bad_at)
    port = f"{leaf(bad)['guid']}_{leaf(bad)['port']}"
    hall.order("fabric/degrade", {"port": port, "warmer_c": 26, "errors_per_hour": {"SymbolErrorCounter": 20000}})
    return dict(bad)


def pictures_of_the_fabric(studio: Studio, desk: Page, bad: dict[str, Any]) -> None:
    """From what discovery found to the move in a technician's hand."""
    path = f"{studio.url}/api/fabric/findings/?kind=swapped_pair&state=open"
    finding = wait_for(lambda: get(desk, path)["results"], ORDER_LIMIT_S, "the swapped pair to be seen twice")[0]["id"]
    shown = f"{studio.url}/api/fabric/findings/{finding}/"
    ticket = wait_for(lambda: get(desk, shown)["ticket"], ORDER_LIMIT_S, "its work order")["key"]
    desk.set_viewport_size(PAGE)  # type: ignore[arg-type]
    for name, page, landmark in (
        ("fabric", "/fabric", "[data-testid=source-card]"),
        ("finding", f"/fabric/findings/{finding}", "[data-testid=face-picture]"),
        ("link", f"/fabric/links/{bad['key']}", "[data-testid=chart]"),
    ):
        desk.goto(studio.url + page)
        desk.locator(landmark).first.wait_for()
        studio.shoot(desk, name)
    pictures_of_an_order(studio, desk, ticket)


def hold(studio: Studio, desk: Page, machine: int) -> None:
    """Drain a machine by hand, as an operator does whose budget of automatic drains is used up."""
    desk.goto(f"{studio.url}/machines/{machine}")
    desk.get_by_role("button", name="Hold…").click()
    desk.get_by_label("Reason").fill("Its cables are moved")
    desk.get_by_role("dialog").get_by_role("button", name="Hold").click()
    desk.get_by_role("dialog").wait_for(state="detached")


def pictures_of_an_order(studio: Studio, desk: Page, ticket: str) -> None:
    """From the ticket that a technician takes to the first move."""
    phone = studio.enter("technician", PHONE, scale=2)
    phone.goto(f"{studio.url}/tickets/{ticket}")
    primary = phone.get_by_test_id("ticket-primary")
    primary.click()
    expect(primary).to_have_attribute("data-action", "scan")
    for clearance in get(phone, f"{studio.url}/api/tickets/{ticket}/")["order"]["clearances"]:
        if not clearance["clear"] and clearance["machine"]:  # the machines broken before used up the budget of drains
            hold(studio, desk, clearance["machine"]["id"])
    drained = "[data-testid=clearances][data-clear=true]"
    wait_for(lambda: phone.locator(drained).count(), ORDER_LIMIT_S, "the machines of both cables to be drained")
    phone.goto(f"{studio.url}/tickets/{ticket}")
    phone.get_by_test_id("scan-label").wait_for()
    phone.locator(drained).scroll_into_view_if_needed()
    studio.shoot(phone, "phone-order")
    phone.get_by_test_id("scan-label").fill(get(phone, f"{studio.url}/api/tickets/{ticket}/")["subject"]["name"])
    primary.click()
    phone.locator("[data-testid=ticket-step][aria-current=step] [data-testid=face-picture]").first.wait_for()
    studio.shoot(phone, "phone-move")
    phone.context.close()


def pictures_of_the_checks(studio: Studio, desk: Page, story: dict[str, Any]) -> None:
    """Machines by checks, one check with what is decided about it, and what happened to the machine of the story."""
    desk.set_viewport_size(PAGE)  # type: ignore[arg-type]
    # The racks beside it: the canvas holds only what is in sight.
    desk.goto(f"{studio.url}/checks?search={story['name'].rpartition('-')[0][:-1]}")
    shown = desk.get_by_test_id("matrix-row").filter(has_text=story["name"])
    shown.wait_for()
    shown.scroll_into_view_if_needed()
    row = shown.bounding_box()
    column = desk.get_by_role("columnheader").filter(has_text="gpu.count").bounding_box()
    if row and column:
        desk.mouse.move(column["x"] + column["width"] / 2, row["y"] + row["height"] / 2)
        desk.get_by_test_id("matrix-tip").wait_for()
    studio.shoot(desk, "matrix")
    for name, path, landmark in (
        ("check", "/checks/catalogue/gpu.count", "[data-testid=failing-machine]"),
        ("timeline", f"/machines/{story['id']}?tab=timeline", "[data-testid=timeline-item]"),
    ):
        desk.goto(studio.url + path)
        desk.locator(landmark).first.wait_for()
        studio.shoot(desk, name)


def pictures_of_automation(studio: Studio) -> None:
    """What automation would do about the broken machines, and what it is allowed."""
    page = studio.enter("admin", PAGE)
    for name, path, landmark in (
        ("automation", "/automation", "[data-testid=plan-row]"),
        ("rules", "/automation/rules", "[data-testid=remedy]"),
    ):
        page.goto(studio.url + path)
        page.locator(landmark).first.wait_for()
        studio.shoot(page, name)
    page.context.close()


def story_model(studio: Studio, desk: Page, story: dict[str, Any]) -> str:
    return str(get(desk, f"{studio.url}/api/machines/{story['id']}/")["model"]["slug"])


def pictures_of_a_run(studio: Studio, desk: Page) -> None:
    """A provisioning run of bare machines, photographed while some of its steps are done."""
    bare = [row for row in machines(desk, studio.url, "off") if row["state"] == "new"][:BARE_MACHINES]
    if not bare:
        print("no bare machine is left: the picture of a run is not made")
        return
    desk.goto(f"{studio.url}/provisioning")
    desk.get_by_test_id("run-new").click()
    for row in bare:
        desk.get_by_role("checkbox", name=row["name"]).check()
    desk.get_by_test_id("run-start").click()
    desk.wait_for_url("**/provisioning/*")
    run = desk.url.rstrip("/").rsplit("/", 1)[1]

    def half_way() -> bool:
        told = get(desk, f"{studio.url}/api/provisioning/runs/{run}/")
        number = {step["name"]: at for at, step in enumerate(told["way"])}
        return sum(number[row["step"]] for row in told["machines"]) >= 4 * len(told["machines"])

    wait_for(half_way, RUN_LIMIT_S, "the run to be half way")
    desk.set_viewport_size(RUN)  # type: ignore[arg-type]
    studio.shoot(desk, "run")


def make(studio: Studio, hall: Hall, only: str) -> None:
    desk = studio.enter("operator", DESK)
    if only == "checks":
        pictures_of_the_checks(studio, desk, broken(studio, hall, desk))
        return
    if only == "automation":
        broken(studio, hall, desk)
        pictures_of_automation(studio)
        return
    story = broken(studio, hall, desk) if only != "fabric" else None
    bad = wire_wrongly(studio, hall, desk)  # time passes while the others are made
    if story is not None:
        pictures_of_the_rest(studio, desk, story)
    pictures_of_the_fabric(studio, desk, bad)


def broken(studio: Studio, hall: Hall, desk: Page) -> dict[str, Any]:
    """The machine of the story, broken and with its ticket open; others are broken too, and theirs are open."""
    wait_for(
        lambda: not machines(desk, studio.url, "no_signal"), SWEEP_LIMIT_S, "the first sweep that reaches all machines"
    )
    story = break_some(hall, machines(desk, studio.url, "available"))
    find = f"{studio.url}/api/tickets/?active=true&machine={story['id']}"
    wait_for(lambda: get(desk, find)["results"], TICKET_LIMIT_S, f"the ticket of {story['name']}")
    wanted = len(OTHERS) + 1
    wait_for(lambda: get(desk, f"{studio.url}/api/tickets/?active=true")["count"] >= wanted, TICKET_LIMIT_S, "tickets")
    return story


def pictures_of_the_rest(studio: Studio, desk: Page, story: dict[str, Any]) -> None:
    """Floor, rack, machine, checks, inventory, tables, a ticket, a run."""
    ticket = get(desk, f"{studio.url}/api/tickets/?active=true&machine={story['id']}")["results"][0]
    desk.goto(f"{studio.url}/machines/{story['id']}")
    desk.set_viewport_size(PAGE)  # type: ignore[arg-type]
    desk.get_by_test_id("verdict-row").first.wait_for()
    studio.shoot(desk, "machine")
    pictures_of_the_checks(studio, desk, story)
    pictures_of_automation(studio)
    pictures_of_the_inventory(studio, desk, story)
    pictures_of_the_tables(studio, desk)
    pictures_of_the_ticket(studio, ticket["key"], story["name"])

    for scheme in ("dark", "light"):
        page = studio.enter("operator", DESK, scheme)
        page.get_by_test_id("floor-canvas").wait_for()
        studio.shoot(page, f"floor-{scheme}")
        page.goto(f"{studio.url}/?rack={story['rack']}")
        page.get_by_test_id("rack-panel").get_by_role("link", name=story["name"]).first.wait_for()
        if scheme == "light":
            studio.shoot(page, "rack")
        page.context.close()
    pictures_of_a_run(studio, desk)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation from a running demo.")
    parser.add_argument("url", help="of the dashboard, such as http://127.0.0.1:8177")
    parser.add_argument("password", help="that the demo printed")
    parser.add_argument("hall", type=Path, help="folder of the virtual hall: hall/ in the demo's data folder")
    parser.add_argument("--chromium", default="/usr/bin/chromium-headless-shell", metavar="PATH")
    parser.add_argument("--only", choices=["all", "fabric", "checks", "automation"], default="all")
    parser.add_argument("--output", type=Path, default=HERE, metavar="DIR")
    given = parser.parse_args()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=given.chromium, args=FLAGS)
        studio = Studio(browser, browser.new_page(), given.url.rstrip("/"), given.password, given.output)
        make(studio, Hall.in_folder(given.hall), given.only)
        browser.close()


if __name__ == "__main__":
    main()
