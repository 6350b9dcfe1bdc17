"""Panels and feeds in fleet files."""

from __future__ import annotations

from pathlib import Path

import pytest

from inventory.fleet.expand import expand_file
from inventory.fleet.load import load
from inventory.fleet.problems import FleetError
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Pdu, PowerFeed, PowerPanel
from inventory.specs.device_model import MODELS_DIR

HEAD = """rackside_fleet: 1
site: {slug: north, name: North}
rooms:
  - {name: Hall, width_mm: 9000, depth_mm: 9000, rows: [{name: A, racks: "A{01..02}", x_mm: 0, y_mm: 0}]}
devices:
  - {name: "pdu-{rack}", model: pdu-zero-u-36c13-12c19, racks: "A{01..02}", side: left, feed: "{rack}-a"}
"""
POWER = """power:
  panels: [{name: Board A, room: Hall, voltage_v: 400, current_a: 630}]
  feeds: [{name: "a{01..02}-a", panel: Board A, side: A, voltage_v: 400, current_a: 63, derating_percent: 75}]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "fleet.yaml"
    path.write_text(text)
    return path


@pytest.mark.django_db
def test_a_declared_feed_is_stored_with_its_panel_and_size_and_a_second_load_changes_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + POWER)
    load(path)
    feed = PowerFeed.objects.get(name="a02-a")
    assert (feed.side, feed.voltage_v, feed.current_a, feed.phases, feed.derating_percent) == ("A", 400, 63, 3, 75)
    assert feed.panel and (feed.panel.name, feed.panel.room and feed.panel.room.name) == ("Board A", "Hall")
    assert (feed.panel.voltage_v, feed.panel.current_a, feed.panel.derating_percent) == (400, 630, 80)
    assert Pdu.objects.get(device__name="pdu-a02").feed == feed
    assert not load(path)[0].changed


@pytest.mark.django_db
def test_a_feed_that_only_a_pdu_names_is_made_bare_and_keeps_what_people_add_to_it(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD.replace('"{rack}-a"', "A"))
    load(path)
    feed = PowerFeed.objects.get()
    assert (feed.name, feed.side, feed.voltage_v, feed.pdus.count()) == ("A", "A", None, 2)
    PowerFeed.objects.update(voltage_v=400, current_a=32)
    assert not load(path)[0].changed
    feed.refresh_from_db()
    assert (feed.voltage_v, feed.current_a) == (400, 32)


@pytest.mark.django_db
def test_prune_removes_feeds_and_panels_that_nothing_hangs_on(tmp_path: Path) -> None:
    load(written(tmp_path, HEAD + POWER))
    load(written(tmp_path, HEAD.split("devices:")[0]), prune=True)
    assert not PowerFeed.objects.exists() and not PowerPanel.objects.exists()
    assert set(Pdu.objects.values_list("feed", "device__status")) == {(None, "retired")}


@pytest.mark.parametrize(
    ("power", "line", "reason"),
    [
        ("power:\n  panels: [{name: B, room: Attic}]\n", 8, "there is no room 'Attic'"),
        ("power:\n  feeds: [{name: f, panel: B}]\n", 8, "there is no power panel 'B'"),
        ("power:\n  feeds:\n  - {name: f}\n  - {name: f}\n", 10, "power feed 'f' stands in the file twice"),
        ("power:\n  feeds: [{name: f, phases: 2}]\n", 8, "phases"),
        ("power:\n  feeds: [{name: f, derating_percent: 101}]\n", 8, "derating_percent"),
        (f"power:\n  feeds: [{{name: {'f' * 61}}}]\n", 8, "longer than 60"),
    ],
)
def test_wrong_power_is_refused_with_its_line(tmp_path: Path, power: str, line: int, reason: str) -> None:
    with pytest.raises(FleetError, match=reason) as refusal:
        expand_file(written(tmp_path, HEAD + power))
    assert refusal.value.problems[0][0].line == line


def test_every_pdu_of_the_reference_fleet_has_a_breaker_of_its_own_on_a_board_of_its_side(tmp_path: Path) -> None:
    (expansion,) = expand_file(written(tmp_path, fleet_file(40)))
    rows = expansion.rows
    feeds = [pdu.feed for pdu in rows.pdus.values()]
    assert len(feeds) == len(set(feeds)) == len(rows.power_feeds) > 0
    assert {feed.panel[-1] == feed.side for feed in rows.power_feeds.values()} == {True}


@pytest.mark.django_db
def test_a_device_model_without_head_room_loads_with_a_warning(tmp_path: Path) -> None:
    text = (MODELS_DIR / "tower-4x-l40s.yaml").read_text().replace("model: tower-4x-l40s", "model: tight")
    (tmp_path / "tight.yaml").write_text(text.replace("rated_w: 2800", "rated_w: 2100"))
    (report,) = load(written(tmp_path, HEAD + "device_models: [tight.yaml]\n"))
    assert report.warnings == [
        "device model tight: draws up to 2000 W of 2100 W: less than 20 % head-room (1680 W usable)"
    ]
    assert f"  warning: {report.warnings[0]}" in list(report.lines())


def test_a_device_model_whose_leads_are_wrong_is_refused_with_its_line(tmp_path: Path) -> None:
    text = (MODELS_DIR / "tower-4x-l40s.yaml").read_text()
    (tmp_path / "chained.yaml").write_text(text.replace("socket: PCIe 2, slot: GPU 1", "socket: PCIe 1, slot: GPU 1"))
    with pytest.raises(FleetError, match="no daisy chain") as refusal:
        expand_file(written(tmp_path, HEAD + "device_models:\n  - chained.yaml\n"))
    assert refusal.value.problems[0][0].line == 8
