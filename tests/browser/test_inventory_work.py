"""The inventory's working pages: tables with bulk edit, files in and out, and the history with its undo."""

from __future__ import annotations

import json
import re
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.axe import faults_of, needs_axe
from tests.browser.conftest import PHONE, Demo, walked

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]

PREFIX = "work-"
NUMBER = 1500  # more than one page of the API


def call(demo: Demo, method: str, path: str, body: Any, user: str = "operator") -> Any:
    headers = {"Authorization": f"Token {demo.token(user)}", "Content-Type": "application/json"}
    request = urllib.request.Request(demo.url + path, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


@pytest.fixture(scope="module")
def site(demo: Demo) -> int:
    return int(demo.api("/api/sites/")["results"][0]["id"])


@pytest.fixture(scope="module")
def contacts(demo: Demo, site: int) -> Iterator[list[int]]:
    """Many contacts: records that nothing else hangs on."""
    rows = [{"site": site, "name": f"{PREFIX}{n:04d}", "role": f"shift {n % 7}"} for n in range(NUMBER)]
    made = [row["id"] for row in call(demo, "POST", "/api/contacts/?fields=id", rows)]
    yield made
    left = demo.api(f"/api/contacts/?name__startswith={PREFIX}&fields=id&page_size=1000")["results"]
    while left:
        call(demo, "DELETE", "/api/contacts/", [row["id"] for row in left])
        left = demo.api(f"/api/contacts/?name__startswith={PREFIX}&fields=id&page_size=1000")["results"]


@pytest.fixture(scope="module")
def tag(demo: Demo) -> str:
    call(demo, "PUT", "/api/tags/", [{"name": "work-tag"}], "admin")
    return "work-tag"


def open_table(page: Page, demo: Demo, address: str) -> None:
    page.goto(f"{demo.url}/tables/{address}")
    expect(page.get_by_role("gridcell").first).to_be_visible()


def cell(page: Page, row: int, column: int) -> Locator:
    return page.locator(f"[data-row='{row}'] [data-column='{column}']")


def toast(page: Page) -> Locator:
    return page.get_by_test_id("toast")


def contact(demo: Demo, name: str) -> dict[str, Any]:
    return dict(demo.api(f"/api/contacts/?name={name}")["results"][0])


OURS = f"contacts?name__istartswith={PREFIX}&ordering=name&columns=name,role,email,phone"

# ---- tables ----


@pytest.mark.slow
def test_every_kind_of_record_has_its_table(demo: Demo, enter: Callable) -> None:
    page = enter().page
    page.goto(demo.url + "/tables")
    names = [kind["name"] for kind in demo.api("/api/kinds/")["results"]]
    expect(page.get_by_test_id("kind")).to_have_count(len(names))
    for name in names:
        page.goto(f"{demo.url}/tables/{name}")
        expect(page.get_by_test_id("count")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.slow
def test_a_long_table_scrolls_to_its_end_with_few_rows_in_the_document(
    demo: Demo, enter: Callable, contacts: list[int]
) -> None:
    page = enter().page
    open_table(page, demo, OURS)
    expect(page.get_by_test_id("count")).to_have_text(f"{NUMBER:,} rows")
    page.get_by_test_id("grid").focus()
    page.keyboard.press("Control+End")
    expect(cell(page, NUMBER - 1, 0)).to_have_text(f"{PREFIX}{NUMBER - 1:04d}")
    assert page.get_by_role("row").count() < 100


def test_rows_are_sorted_filtered_and_searched_and_the_address_says_how(
    demo: Demo, enter: Callable, contacts: list[int]
) -> None:
    page = enter().page
    open_table(page, demo, OURS)
    page.get_by_role("button", name="Name", exact=True).click()
    page.wait_for_url(re.compile("ordering=-name"))
    expect(cell(page, 0, 0)).to_have_text(f"{PREFIX}{NUMBER - 1:04d}")
    page.get_by_role("button", name="Filter Role").click()
    page.get_by_test_id("filter-operator").select_option(label="ends with")
    page.get_by_test_id("filter-value").fill("3")
    page.get_by_role("button", name="Filter", exact=True).click()
    fitting = sum(n % 7 == 3 for n in range(NUMBER))
    expect(page.get_by_test_id("count")).to_have_text(f"{fitting} rows")
    assert "role__iendswith=3" in page.url
    page.get_by_role("searchbox", name=re.compile("Search contacts")).fill(f"{PREFIX}0003")
    expect(page.get_by_test_id("count")).to_have_text("1 row")
    page.reload()
    expect(page.get_by_test_id("count")).to_have_text("1 row")
    page.get_by_role("button", name="Remove the filter of Role").click()
    expect(page).not_to_have_url(re.compile("role__"))


@pytest.mark.slow
def test_columns_are_chosen_and_stay_in_the_address(demo: Demo, enter: Callable) -> None:
    page = enter().page
    open_table(page, demo, "racks")
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="Asset tag").check()
    page.get_by_role("checkbox", name="Role").uncheck()
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_role("columnheader", name=re.compile("Asset tag"))).to_be_visible()
    expect(page.get_by_role("columnheader", name=re.compile("^Role"))).to_have_count(0)


def test_cells_are_edited_by_keyboard_saved_at_once_and_undone(
    demo: Demo, enter: Callable, contacts: list[int]
) -> None:
    page = enter().page
    open_table(page, demo, OURS)
    cell(page, 0, 1).click()
    page.keyboard.press("F2")
    page.get_by_role("textbox", name="Role").fill("night shift")
    page.keyboard.press("Tab")
    page.keyboard.type("first@example.org")
    page.keyboard.press("Enter")
    page.keyboard.type("thrown away")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("pending")).to_have_text("2 cells in 1 row not saved")
    expect(cell(page, 0, 1)).to_have_text(re.compile(r"shift 0\s*night shift"))
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_test_id("review")).to_contain_text("night shift")
    page.keyboard.press("Escape")
    assert contact(demo, f"{PREFIX}0000")["role"] == "shift 0"
    page.get_by_role("button", name="Save").click()
    expect(toast(page)).to_contain_text("1 row changed")
    assert contact(demo, f"{PREFIX}0000")["role"] == "night shift"
    toast(page).get_by_role("button", name="Undo").click()
    expect(toast(page)).to_contain_text("Undone")
    assert contact(demo, f"{PREFIX}0000")["role"] == "shift 0"
    expect(cell(page, 0, 1)).to_have_text("shift 0")


@pytest.mark.slow
def test_a_refused_cell_says_why_and_nothing_is_saved(demo: Demo, enter: Callable, contacts: list[int]) -> None:
    page = enter().page
    open_table(page, demo, OURS)
    for row, text in ((1, "fine@example.org"), (2, "no address")):
        cell(page, row, 2).click()
        page.keyboard.type(text)
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("Not saved")
    expect(cell(page, 2, 2)).to_have_attribute("aria-invalid", "true")
    assert contact(demo, f"{PREFIX}0001")["email"] == ""
    cell(page, 2, 2).click()
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Save").click()
    expect(toast(page)).to_contain_text("1 row changed")
    assert contact(demo, f"{PREFIX}0001")["email"] == "fine@example.org"


@pytest.mark.slow
def test_a_reference_is_found_by_typing_its_name(demo: Demo, enter: Callable, contacts: list[int]) -> None:
    page = enter().page
    open_table(page, demo, "racks?columns=name,contact&ordering=name")
    name = cell(page, 0, 0).inner_text()
    cell(page, 0, 1).click()
    page.keyboard.type(f"{PREFIX}0042")
    expect(page.get_by_role("option", name=f"{PREFIX}0042")).to_be_visible()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Save").click()
    expect(toast(page)).to_contain_text("1 row changed")
    assert demo.api(f"/api/racks/?name={name}")["results"][0]["contact_name"] == f"{PREFIX}0042"
    toast(page).get_by_role("button", name="Undo").click()
    expect(toast(page)).to_contain_text("Undone")


@pytest.mark.slow
def test_a_block_of_a_spreadsheet_is_pasted_into_cells(demo: Demo, enter: Callable, contacts: list[int]) -> None:
    page = enter().page
    open_table(page, demo, OURS)
    cell(page, 5, 1).click()
    paste(page, "lead\ta@example.org\t1\nsecond\tb@example.org\t2\n")
    expect(page.get_by_test_id("pending")).to_have_text("6 cells in 2 rows not saved")
    expect(cell(page, 6, 3)).to_have_text("2")
    page.keyboard.press("Control+z")
    expect(page.get_by_test_id("pending")).to_have_count(0)


def paste(page: Page, text: str) -> None:
    page.get_by_test_id("grid").evaluate(
        """(grid, text) => {
            const data = new DataTransfer();
            data.setData("text/plain", text);
            grid.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));
        }""",
        text,
    )


@pytest.mark.slow
def test_new_rows_are_pasted_and_saved(demo: Demo, enter: Callable, contacts: list[int]) -> None:
    page = enter().page
    open_table(page, demo, f"contacts?name__istartswith={PREFIX}&ordering=name&columns=name,site,role")
    page.get_by_role("button", name="Add row").click()
    paste(page, f"{PREFIX}new-1\tnorth\tguard\n{PREFIX}new-2\tnorth\tguard\n")
    expect(page.get_by_test_id("pending")).to_have_text("2 new rows not saved")
    page.get_by_role("button", name="Save").click()
    expect(toast(page)).to_contain_text("2 rows added")
    assert contact(demo, f"{PREFIX}new-2")["role"] == "guard"


@pytest.mark.slow
def test_many_rows_are_chosen_and_changed_in_one_form(demo: Demo, enter: Callable, contacts: list[int]) -> None:
    page = enter().page
    open_table(page, demo, OURS)
    page.get_by_role("checkbox", name=f"Choose {PREFIX}0010").click()
    page.get_by_role("checkbox", name=f"Choose {PREFIX}0013").click(modifiers=["Shift"])
    expect(page.get_by_text("4 rows chosen")).to_be_visible()
    page.get_by_role("checkbox", name="Choose all rows").check()
    expect(page.get_by_text(re.compile(r"1,50\d rows chosen"))).to_be_visible()
    page.get_by_role("button", name="Change…").click()
    form = page.get_by_test_id("bulk-form")
    form.get_by_role("textbox", name="Phone").fill("+31 20 000")
    page.get_by_role("button", name=re.compile("Change 1 field in")).click()
    page.get_by_role("button", name="Save").click()
    expect(toast(page)).to_contain_text(re.compile(r"1,50\d rows changed"), timeout=20_000)
    row = contact(demo, f"{PREFIX}1499")
    assert (row["phone"], row["role"]) == ("+31 20 000", f"shift {1499 % 7}")


@pytest.mark.slow
def test_rows_are_deleted_together_and_what_hangs_on_one_is_told(
    demo: Demo, enter: Callable, contacts: list[int]
) -> None:
    page = enter().page
    open_table(page, demo, OURS + f"&role=shift%206&search={PREFIX}14")
    page.get_by_role("checkbox", name="Choose all rows").check()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name=re.compile(r"^Delete \d+ rows$")).click()
    expect(toast(page)).to_contain_text("deleted")
    expect(page.get_by_text("No row matches")).to_be_visible()
    open_table(page, demo, "rooms")
    page.get_by_role("checkbox", name=re.compile("^Choose Hall")).first.click()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_role("button", name="Delete 1 row").click()
    expect(page.get_by_role("dialog")).to_contain_text("Nothing was deleted")
    expect(page.get_by_test_id("refused")).to_contain_text(re.compile("rack|row|panel", re.IGNORECASE))


@pytest.mark.slow
def test_who_may_not_write_sees_a_table_that_takes_nothing(demo: Demo, enter: Callable) -> None:
    page = enter("viewer").page
    open_table(page, demo, "racks")
    expect(page.get_by_text("read-only")).to_be_visible()
    expect(page.get_by_role("button", name="Add row")).to_have_count(0)
    cell(page, 0, 0).dblclick()
    expect(page.get_by_text("You may read these records")).to_be_visible()
    paste(page, "x")
    expect(page.get_by_test_id("pending")).to_have_count(0)


@pytest.mark.slow
def test_the_filtered_rows_are_exported(demo: Demo, enter: Callable, contacts: list[int]) -> None:
    page = enter().page
    open_table(page, demo, f"contacts?name={PREFIX}0007")
    for name, beginning in (("CSV", b"site,"), ("JSON", b"["), ("YAML", b"- "), ("XLSX", b"PK")):
        with page.expect_download() as download:
            page.get_by_role("link", name=f"Export {name}").click()
        content = Path(download.value.path()).read_bytes()
        assert content.startswith(beginning)
        if name == "CSV":
            assert len(content.splitlines()) == 2


# ---- files in ----


def test_a_file_is_checked_applied_and_found_in_the_history(
    demo: Demo, enter: Callable, contacts: list[int], tmp_path: Path
) -> None:
    page = enter().page
    file = tmp_path / "contacts.csv"
    file.write_text(
        f"site,name,role\nnorth,{PREFIX}0020,from a file\nnorth,{PREFIX}file,new\nnorth,{PREFIX}0021,shift 0\n"
    )
    page.goto(demo.url + "/import")
    page.locator("input[type=file]").set_input_files(file)
    expect(page.get_by_test_id("import-kind")).to_have_value("contacts")
    page.get_by_test_id("check").click()
    expect(page.get_by_test_id("import-state")).to_have_text("Dry run, can be applied", timeout=30_000)
    counts = page.get_by_test_id("counts")
    for name, count in (("created", "1"), ("changed", "1"), ("unchanged", "1"), ("refused", "0")):
        expect(counts.locator(f"[data-count={name}]")).to_have_text(count)
    expect(page.locator("[data-outcome=changed]")).to_contain_text(re.compile(r"shift 6.*from a file"))
    assert contact(demo, f"{PREFIX}0020")["role"] == "shift 6"
    page.get_by_test_id("apply").click()
    expect(page.get_by_test_id("import-state")).to_have_text("Done", timeout=30_000)
    assert contact(demo, f"{PREFIX}0020")["role"] == "from a file"
    page.get_by_test_id("to-history").click()
    expect(page.locator("details").first).to_contain_text("operator")


@pytest.mark.slow
def test_a_file_with_a_bad_row_is_refused_with_its_errors_to_download(
    demo: Demo, enter: Callable, contacts: list[int], tmp_path: Path
) -> None:
    page = enter(size=PHONE).page
    file = tmp_path / "contacts.csv"
    file.write_text(f"site,name,email\nnorth,{PREFIX}0030,ok@example.org\nnorth,{PREFIX}0031,nothing\n")
    page.goto(demo.url + "/import?kind=contacts")
    page.locator("input[type=file]").set_input_files(file)
    page.get_by_test_id("check").click()
    expect(page.get_by_test_id("import-state")).to_have_text("Refused", timeout=30_000)
    expect(page.locator("[data-outcome=refused]")).to_contain_text("email")
    expect(page.get_by_test_id("apply")).to_be_disabled()
    with page.expect_download() as download:
        page.get_by_role("link", name="Errors as CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0] == "row,key,field,reason,code"
    assert lines[1].startswith("2,")
    assert contact(demo, f"{PREFIX}0030")["email"] == ""
    with page.expect_download() as template:
        page.get_by_test_id("template").click()
    assert Path(template.value.path()).read_text().splitlines() == ["site,name,role,email,phone,note"]


@pytest.mark.slow
def test_only_an_administrator_of_every_site_is_offered_netbox(demo: Demo, enter: Callable) -> None:
    page = enter("operator").page
    page.goto(demo.url + "/import?from=netbox")
    expect(page.get_by_test_id("drop")).to_be_visible()
    expect(page.get_by_role("link", name="NetBox")).to_have_count(0)
    page = enter("admin").page
    page.goto(demo.url + "/import?from=netbox")
    page.get_by_label("Address").fill("https://netbox.invalid")
    page.get_by_label("Credential").fill("not there")
    page.get_by_role("button", name="Start the dry run").click()
    expect(page.get_by_role("alert")).to_contain_text("credential")


# ---- history, tags and own fields ----


def test_the_history_is_filtered_stays_open_while_it_reloads_and_a_change_is_undone(
    demo: Demo, enter: Callable, contacts: list[int]
) -> None:
    row = contact(demo, f"{PREFIX}0050")
    note = f"note {uuid.uuid4().hex[:8]}"  # told from what an earlier run left in the history
    call(demo, "PATCH", f"/api/contacts/{row['id']}/", {"note": note})
    page = enter().page
    page.goto(demo.url + "/history")
    page.get_by_role("searchbox", name="Search changes").fill(note)
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 change", exact=True)).to_be_visible()
    change = page.locator("details").filter(has_text=f"{PREFIX}0050")
    change.locator("summary").click()
    expect(change).to_have_attribute("open", "")
    # Somebody else changes something: the list loads again, and what was opened to be read stays open.
    other = contact(demo, f"{PREFIX}0051")
    call(demo, "PATCH", f"/api/contacts/{other['id']}/", {"note": note})
    expect(page.get_by_text("2 changes", exact=True)).to_be_visible()
    expect(change).to_have_attribute("open", "")
    change.get_by_role("button", name="Undo…").click()
    page.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
    expect(toast(page)).to_contain_text("Undone")
    assert contact(demo, f"{PREFIX}0050")["note"] == ""
    page.get_by_role("combobox", name="Action").select_option("deleted")
    expect(page.get_by_text("No change matches")).to_be_visible()


@pytest.mark.slow
def test_tags_are_set_on_a_racks_page_and_its_changes_stand_there(demo: Demo, enter: Callable, tag: str) -> None:
    rack = demo.api("/api/racks/?ordering=-name")["results"][0]
    page = enter().page
    page.goto(f"{demo.url}/racks/{rack['id']}")
    own = page.get_by_test_id("custom-values")
    own.get_by_role("button", name="Change").click()
    own.get_by_role("combobox", name="Tags").fill(tag)
    own.get_by_role("button", name="Save").click()
    expect(own.get_by_role("link", name=tag)).to_be_visible()
    expect(page.get_by_role("region", name="Changes").locator("details").first).to_contain_text("operator")
    toast(page).get_by_role("button", name="Undo").click()
    expect(own.get_by_text("No tags.")).to_be_visible()


@pytest.mark.slow
def test_a_machines_history_tells_who_changed_its_record(demo: Demo, enter: Callable) -> None:
    machine = demo.api("/api/machines/?page_size=1")["results"][0]
    page = enter().page
    page.goto(f"{demo.url}/machines/{machine['id']}?tab=history")
    expect(page.get_by_role("region", name="Changes").locator("details").first).to_be_visible()


# ---- everybody ----


@pytest.mark.slow
@needs_axe
@walked
def test_axe_finds_nothing_and_nothing_is_wider_than_the_screen(
    size: dict[str, int], demo: Demo, enter: Callable, contacts: list[int]
) -> None:
    page = enter("admin", size).page
    found: dict[str, list[str]] = {}

    def look(name: str) -> None:
        if problems := faults_of(page):
            found[name] = problems

    page.goto(demo.url + "/tables")
    expect(page.get_by_test_id("kind").first).to_be_visible()
    look("tables")
    open_table(page, demo, OURS)
    page.get_by_role("checkbox", name=f"Choose {PREFIX}0002").click()
    look("table")
    page.get_by_role("button", name="Change…").click()
    expect(page.get_by_test_id("bulk-form")).to_be_visible()
    look("bulk edit")
    page.get_by_test_id("bulk-form").get_by_role("textbox", name="Phone").fill("1")
    page.get_by_role("button", name=re.compile("Change 1 field")).click()
    look("pending changes")
    page.get_by_role("button", name="Discard").click()
    page.get_by_role("button", name="Filter Name").click()
    look("filter")
    page.keyboard.press("Escape")
    for path, landmark in (
        ("/import", "[data-testid=drop]"),
        ("/import?from=netbox", "main form"),
        ("/history", "details"),
    ):
        page.goto(demo.url + path)
        expect(page.locator(landmark).first).to_be_visible()
        look(path)
    assert not found, "\n".join(f"{name}: {problem}" for name, problems in found.items() for problem in problems)
