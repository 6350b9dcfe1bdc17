"""UFM's answers as facts: those of the virtual hall's UFM, and the shapes that its releases differ in."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from fabric.facts import Completeness, NodeKind, SeenPort
from fabric.formats.common import Unreadable
from fabric.formats.ufm import number_of, port_of, read, read_capture
from fabric.formats.ufm_events import read_events, read_readings
from simulator.fabric.plan import End
from simulator.fabric.tests.samples import sample_fabric
from simulator.fabric.ufm_rows import Rows
from simulator.fabric.wiring import Wiring

NOW = 1_800_000_000.0


@pytest.fixture
def wiring() -> Wiring:
    return Wiring(sample_fabric(8), now=NOW)


def capture(wiring: Wiring, *, labels: bool = True) -> dict[str, object]:
    rows = Rows(wiring, NOW, labels=labels)
    return {"systems": rows.systems(), "ports": rows.ports(cable_info=True), "links": rows.links(cable_info=True)}


def wanted_links(wiring: Wiring) -> set[frozenset[SeenPort]]:
    ends = (wiring.plugs(label) for label in wiring.cables)
    return {frozenset((SeenPort(*a), SeenPort(*b))) for a, b in ends if a and b and wiring.port(a).up}


@pytest.mark.parametrize("labels", [True, False])
def test_nodes_links_and_states_are_read_with_labels_and_with_numbers(wiring: Wiring, labels: bool) -> None:
    seen = read(json.dumps(capture(wiring, labels=labels)))
    assert seen.completeness is Completeness.COMPLETE and seen.problems == []
    assert {frozenset((link.a, link.b)) for link in seen.links} == wanted_links(wiring)
    assert {(link.width, link.speed) for link in seen.links} == {("4x", "NDR")}
    kinds = {"switch": NodeKind.SWITCH, "ca": NodeKind.ADAPTER}
    for node in wiring.plan.nodes:
        found = seen.nodes[node.guid]
        assert (found.kind, found.description, found.ports) == (kinds[node.kind], node.name, node.ports)


@pytest.mark.parametrize(
    ("label", "number"),
    [("1/3/1", 5), ("3/1", 5), ("5", 5), ("1/32/2", 64), ("HCA-2/1", 1), ("N/A", None), ("", None), ("0", None)],
)
def test_the_three_forms_of_a_label_give_one_number(label: str, number: int | None) -> None:
    assert number_of(label) == number


def test_a_link_named_by_labels_alone_is_read() -> None:
    row = {"source_guid": "900a840300ac8c40", "source_port_dname": "1/3/1",
           "destination_guid": "9c0591030085abc0", "destination_port_dname": "3/2"}  # fmt: skip
    seen = read(json.dumps([row]))
    assert [(link.a, link.b) for link in seen.links] == [
        (SeenPort("900a840300ac8c40", 5), SeenPort("9c0591030085abc0", 6))
    ]


def test_the_port_of_a_machine_is_that_of_the_links_name_not_of_its_system() -> None:
    row = {"source_guid": "0c42a103001b0000", "source_port": "1", "source_port_dname": "HCA-2/1",
           "source_port_node_description": "gpu7 mlx5_3", "destination_guid": "0c42a103009d7af6",
           "destination_port": "19", "destination_port_dname": "19", "destination_port_node_description": "leaf:19",
           "name": "0c42a103009d7af6_19:0c42a103001b7bf6_1"}  # fmt: skip
    seen = read(json.dumps([row]))
    assert (seen.links[0].a, seen.links[0].b) == (SeenPort("0c42a103001b7bf6", 1), SeenPort("0c42a103009d7af6", 19))
    assert seen.nodes["0c42a103001b7bf6"].description == "gpu7 mlx5_3"
    assert seen.nodes["0c42a103009d7af6"].description == "leaf"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"systems": null, "ports": null, "links": null}'])
def test_no_data_is_empty_and_never_a_fabric_without_cables(text: str) -> None:
    assert read(text).completeness is Completeness.EMPTY


def test_ports_without_links_are_no_data_for_the_wiring(wiring: Wiring) -> None:
    assert read_capture({**capture(wiring), "links": None}).completeness is Completeness.EMPTY


def test_links_that_are_missing_beside_ports_that_are_up_make_it_partial(wiring: Wiring) -> None:
    whole = capture(wiring)
    seen = read_capture({**whole, "links": whole["links"][:-3]})  # type: ignore[index]
    assert seen.completeness is Completeness.PARTIAL
    assert "6 ports are up and in no link" in seen.problems[0].text


def test_json_that_breaks_off_is_truncated_with_its_line(wiring: Wiring) -> None:
    text = json.dumps(capture(wiring), indent=1)
    seen = read(text[: len(text) // 2])
    assert seen.completeness is Completeness.TRUNCATED and seen.links == []
    assert seen.problems[0].line > 100


@pytest.mark.parametrize("text", ['{"a": 1}', '"x"', "3", '{"ports": 3, "links": []}'])
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read(text)


def test_a_port_in_two_links_is_told(wiring: Wiring) -> None:
    whole = capture(wiring)
    first, second = whole["links"][:2]  # type: ignore[index]
    crossed = {**second, **{key: first[key] for key in first if key.startswith("source")}, "name": ""}
    seen = read_capture({**whole, "links": [*whole["links"], crossed]})  # type: ignore[misc]
    assert seen.completeness is Completeness.PARTIAL
    assert any("is in 2 links" in problem.text for problem in seen.problems)


def test_states_show_what_is_slow_narrow_disabled_and_dark(wiring: Wiring) -> None:
    leaf = wiring.by_name["leaf-01-r1"].guid
    wiring.trouble(End(leaf, 1), NOW, width="1x", speed="HDR")
    wiring.set_port(End(leaf, 2), "disabled", True, NOW)
    wiring.unplug(End(leaf, 3), NOW)
    seen = read_capture(capture(wiring))
    assert seen.completeness is Completeness.COMPLETE
    slow = seen.states[SeenPort(leaf, 1)]
    assert (slow.width, slow.speed, slow.best_width, slow.best_speed) == ("1x", "HDR", "4x", "NDR")
    assert [seen.states[SeenPort(leaf, n)].physical for n in (1, 2, 3)] == ["LinkUp", "Disabled", "Polling"]


def test_counters_temperature_and_serials_come_with_the_ports(wiring: Wiring) -> None:
    leaf = wiring.by_name["leaf-01-r1"].guid
    wiring.trouble(End(leaf, 1), NOW - 3600, warmer_c=25.0, errors_per_hour={"SymbolErrorCounter": 500.0})
    seen, readings = read_capture(capture(wiring)), read_readings(capture(wiring)["ports"])  # type: ignore[arg-type]
    port = SeenPort(leaf, 1)
    assert seen.counters[port]["SymbolErrorCounter"] == 500
    assert seen.cables[port].temperature_c == wiring.temperature_c(End(leaf, 1)) == readings[port].temperature_c
    assert readings[port].ber["symbol"] > readings[SeenPort(leaf, 2)].ber["symbol"]
    assert readings[port].fec == "RS_FEC_544_514"
    label = wiring.plugged[End(leaf, 1)]
    far = wiring.port(End(leaf, 1)).far
    assert far is not None
    assert {seen.cables[port].serial, seen.cables[SeenPort(*far)].serial} == set(wiring.cables[label].serials)


def test_events_say_which_port_and_when(wiring: Wiring) -> None:
    leaf = wiring.by_name["leaf-01-r1"].guid
    wiring.unplug(End(leaf, 3), NOW)
    wiring.power(wiring.by_name["spine-01"].guid, False, NOW + 5)
    events = read_events(Rows(wiring, NOW).events())
    down = next(event for event in events if (event.guid, event.port) == (leaf, 3))
    assert (down.name, down.type, down.severity) == ("Link is Down", "328", "Warning")
    assert down.at == datetime.fromtimestamp(NOW, UTC)
    switch = next(event for event in events if event.name == "Switch is Down")
    assert (switch.guid, switch.port) == (wiring.by_name["spine-01"].guid, None)
    assert [event.id for event in events] == sorted(event.id for event in events)


def test_events_of_older_releases_and_alarms_are_read_too() -> None:
    old = {"category": "Hardware", "severity": "Minor", "timestamp": "2017-09-19 10:49:03.018", "counter": None,
           "object_name": "0002c903007b78b0_29", "object_path": "default / Switch: sw / 29", "name": "Symbol Error",
           "type": "110", "id": 227, "description": "x"}  # fmt: skip
    alarm = {"id": 3, "name": "Link is Down", "severity": "Minor", "timestamp": "garbage", "reason": "down",
             "related_object_name": "0002c903007b78b0_30", "related_object_path": "p", "event_type": "328",
             "event_count": 4}  # fmt: skip
    second, first = read_events([old, alarm, {"no": "id"}])[::-1]
    assert (second.guid, second.port, second.type) == ("0002c903007b78b0", 29, "110")
    assert second.at == datetime(2017, 9, 19, 10, 49, 3, 18000, UTC)
    assert (first.port, first.at, first.count, first.text) == (30, None, 4, "down")


def test_isolated_ports_are_named(wiring: Wiring) -> None:
    end = End(wiring.by_name["leaf-01-r1"].guid, 4)
    wiring.set_port(end, "isolated", True, NOW)
    told = {port_of(row): row["state"] for row in Rows(wiring, NOW).unhealthy()}
    assert told == {SeenPort(*end): "isolated"}
