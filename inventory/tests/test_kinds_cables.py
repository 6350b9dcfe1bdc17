"""Cables in bulk: both ends, twins and breakouts, kinds of ports that fit, ports that are taken."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given
from hypothesis import strategies as st

from core.models import Site
from inventory.cabling.fit import misfit
from inventory.fleet.load import load
from inventory.kinds import KINDS, Report, Scope, write
from inventory.kinds.values import read
from inventory.models import Cable, ChangeSet, Connector, Device, Port, StrandEnd
from inventory.tests.conftest import TWO_SITES

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
ALL = Scope.everything()
DAC = {"site": "north", "type": "DAC"}


def put(kind: str, *rows: Any, mode: Any = "upsert", scope: Scope = ALL, **more: Any) -> Report:
    return write(kind, rows, mode, scope=scope, actor="mk", **more)


def why(report: Report, row: int = 1) -> list[tuple[str, str]]:
    return [(error.field, error.code) for error in report.rows[row - 1].errors]


def plug(port: str, device: str = "leaf-1", **more: Any) -> dict[str, Any]:
    return {"device": device, "port": port, **more}


def cable(label: str, a: Any, b: Any, **more: Any) -> dict[str, Any]:
    return DAC | {"label": label, "a": a, "b": b, **more}


def free_ports(count: int) -> list[Port]:
    """Ports of new switches, two by two of different devices."""
    put("racks", {"site": "north", "room": "Hall 1", "name": "N", "x_mm": 0, "y_mm": 0})
    switches = count // 64 + 2
    report = put("devices", *(
        {"site": "north", "name": f"s{n}", "model": "nvidia-qm9700", "fabric": "infiniband", "tier": "leaf"}
        for n in range(switches)
    ))  # fmt: skip
    assert report.ok
    return list(Port.objects.filter(device__name__regex="^s[0-9]+$", kind="infiniband").order_by("id"))


def test_a_cable_is_laid_by_names_ids_or_words_moved_and_removed(two_sites: Sites) -> None:
    report = put("cables", cable("X-1", plug("20/1"), plug("20/2"), length_m="1.50"))
    assert report.ok, report.errors()
    assert put("cables", cable("X-1", "leaf-1 20/1", ["leaf-1 20/2"], length_m=1.5)).unchanged == 1
    other = Port.objects.get(device__name="leaf-2", name="9/1")
    moved = put("cables", DAC | {"label": "X-1", "b": {"port": other.pk}})
    assert moved.rows[0].changes == {"b": ["leaf-1 20/2", "leaf-2 9/1"]}
    assert put("cables", DAC | {"label": "X-1", "colour": "red"}).rows[0].changes == {"colour": ["", "red"]}
    gone = put("cables", DAC | {"label": "X-1", "status": "removed"})
    assert gone.ok
    assert not StrandEnd.objects.filter(connector__cable__label="X-1").exists()
    assert why(put("cables", DAC | {"label": "X-1", "status": "connected"}))[0] == ("a", "required")
    assert put("cables", {"id": Cable.objects.get(label="X-1").pk}, mode="delete").ok
    assert not Connector.objects.filter(cable__label="X-1").exists()


def test_an_answer_is_a_request_again(two_sites: Sites) -> None:
    rows = read(KINDS["cables"], Cable.objects.all())
    fields = KINDS["cables"].fields
    report = put("cables", *({name: row[name] for name in ("id", *fields)} for row in rows))
    assert (report.unchanged, report.errors()) == (len(rows), [])


def test_a_port_used_twice_in_one_write_is_refused_with_its_row(two_sites: Sites) -> None:
    report = put("cables", cable("X-1", plug("20/1"), plug("20/2")), cable("X-2", plug("20/2"), plug("21/1")))
    assert why(report, 2) == [("a", "port_in_use")]
    assert report.rows[1].errors[0].reason == "leaf-1 20/2 already has the cable of row 1"
    assert not Cable.objects.filter(label="X-1").exists()
    assert why(put("cables", cable("X-1", plug("20/1"), plug("20/1"))))[0] == ("b", "port_in_use")


def test_a_port_that_is_taken_names_the_cable_that_is_there(two_sites: Sites) -> None:
    put("cables", cable("X-1", plug("20/1"), plug("20/2")))
    report = put("cables", cable("X-2", plug("20/1"), plug("21/1")))
    assert report.rows[0].errors[0] == ("a", "leaf-1 20/1 already has cable X-1", "port_in_use")


def test_cables_change_ports_in_one_write(two_sites: Sites) -> None:
    put("cables", cable("X-1", plug("20/1"), plug("20/2")), cable("X-2", plug("21/1"), plug("21/2")))
    swap = put("cables", DAC | {"label": "X-1", "b": plug("21/2")}, DAC | {"label": "X-2", "b": plug("20/2")})
    assert swap.ok, swap.errors()
    assert StrandEnd.objects.get(port__name="21/2", port__device__name="leaf-1").connector.cable.label == "X-1"


def test_wrong_connectors_are_refused(two_sites: Sites) -> None:
    machines = list(Device.objects.filter(kind="machine", site__slug="north").values_list("name", flat=True)[:2])
    StrandEnd.objects.all().delete()
    bmc = [Port.objects.get(device__name=name, kind="bmc").pk for name in machines]
    feed = Port.objects.filter(device__name=machines[0], kind="power_in")[0].pk
    inlet = Port.objects.filter(device__name=machines[1], kind="power_in")[0].pk
    ethernet = Port.objects.filter(kind="ethernet", device__site__slug="north")[0].pk
    for a, b in ((bmc[0], bmc[1]), (feed, inlet), (feed, ethernet)):
        report = put("cables", cable("X", {"port": a}, {"port": b}))
        assert why(report) == [("b", "wrong_connector")]
    assert why(put("cables", cable("X", plug("20/1"), {"port": ethernet}))) == [("b", "wrong_connector")]
    assert put("cables", cable("X", {"port": bmc[0]}, {"port": ethernet})).ok


KINDS_OF_PORTS = ["infiniband", "ethernet", "bmc", "power_in", "power_outlet", "front", "rear", "console"]


@given(st.sampled_from(KINDS_OF_PORTS), st.sampled_from(KINDS_OF_PORTS))
def test_what_fits_fits_from_both_sides(a: str, b: str) -> None:
    assert bool(misfit([a], [b])) == bool(misfit([b], [a]))
    if a == b and a in ("bmc", "power_in", "power_outlet"):
        assert misfit([a], [b])


def test_twins_breakouts_and_fans(two_sites: Sites) -> None:
    ports = [{"port": port.pk} for port in free_ports(10)]
    assert put("cables", cable("T", ports[0:2], ports[2:4])).ok
    twin = Cable.objects.get(label="T")
    assert (twin.connectors.count(), StrandEnd.objects.filter(connector__cable=twin).count()) == (2, 4)
    split = [port | {"connector": at, "lane": at, "serial": f"S{at}"} for at, port in enumerate(ports[6:8], start=1)]
    assert put("cables", cable("B", ports[4:6], split)).ok
    assert list(Connector.objects.filter(cable__label="B").values_list("side", "number", "serial")) == [
        ("A", 1, ""), ("B", 1, "S1"), ("B", 2, "S2"),
    ]  # fmt: skip
    assert put("cables", cable("F", ports[8], ports[9:11])).ok
    fan = StrandEnd.objects.filter(connector__cable__label="F", connector__side="B")
    assert sorted(fan.values_list("connector__number", "lane")) == [(1, 1), (2, 1)]
    twice = [ports[11] | {"lane": 1}, ports[12] | {"lane": 1}]
    assert ("a", "duplicate") in why(put("cables", cable("D", twice, ports[13:15])))


def test_ends_of_another_site_or_of_no_device_are_refused(two_sites: Sites) -> None:
    theirs = Port.objects.filter(device__site__slug="south")[0]
    assert why(put("cables", cable("X", plug("20/1"), {"port": theirs.pk})))[0] == ("b", "other_site")
    assert why(put("cables", cable("X", plug("99/1"), plug("21/1")))) == [("a", "unknown_reference")]
    assert why(put("cables", cable("X", {"port": "20/1"}, plug("21/1"))))[0] == ("a", "required")
    assert ("b", "required") in why(put("cables", DAC | {"label": "X", "a": plug("20/1")}))
    assert why(put("cables", cable("X", "nonsense", plug("21/1")))) == [("a", "invalid")]


def test_cables_cost_the_same_statements_for_one_and_for_many_and_are_fast(two_sites: Sites) -> None:
    ports = free_ports(2200)
    by_device: dict[int, list[Port]] = {}
    for port in ports:
        by_device.setdefault(port.device_id, []).append(port)
    names = {device.pk: device.name for device in Device.objects.all()}

    def rows(first: int, last: int) -> list[dict[str, Any]]:
        return [
            cable(f"N-{n}", plug(ports[2 * n].name, names[ports[2 * n].device_id]),
                  plug(ports[2 * n + 1].name, names[ports[2 * n + 1].device_id]))
            for n in range(first, last)
        ]  # fmt: skip

    def cost(*lines: Any) -> int:
        with CaptureQueriesContext(connection) as captured:
            report = put("cables", *lines)
        assert report.ok, report.errors()[:3]
        return len(captured)

    assert cost(*rows(0, 2)) == cost(*rows(2, 20))
    assert put("cables", *rows(20, 1020)).created == 1000
    moves = [DAC | {"label": f"N-{n}", "status": "to_move"} for n in range(100)]
    assert cost(*moves[:2]) == cost(*moves[2:])


def test_ports_are_records_and_one_with_a_cable_stays(two_sites: Sites) -> None:
    new = {"device": "mgmt-1", "name": "usb", "kind": "ethernet", "mac": "0200.0000.00FF"}
    assert put("ports", {"site": "north", **new}).ok
    assert Port.objects.get(name="usb").mac == "02:00:00:00:00:ff"
    used = Port.objects.get(device__name="mgmt-1", name="swp1")
    assert why(put("ports", {"id": used.pk}, mode="delete")) == [("row", "in_use")]
    assert put("ports", {"id": Port.objects.get(name="usb").pk}, mode="delete").ok
    (row,) = read(KINDS["ports"], Port.objects.filter(pk=used.pk))
    assert row["cable"]["label"] == "M-00001"


def test_what_a_change_set_plans_with_a_cable_outlives_its_being_moved(two_sites: Sites) -> None:
    put("cables", cable("X-1", plug("20/1"), plug("20/2")))
    put("change-sets", {"site": "north", "name": "Plan 1"})
    planned_in = Port.objects.get(device__name="leaf-2", name="9/1")
    connector = Connector.objects.get(cable__label="X-1", side="B")
    StrandEnd.objects.create(connector=connector, port=planned_in, change_set=ChangeSet.objects.get())
    moved = put("cables", DAC | {"label": "X-1", "b": plug("21/1", serial="S")})
    assert moved.rows[0].changes == {"b": ["leaf-1 20/2", "leaf-1 21/1"]}
    planned = StrandEnd.objects.get(change_set__name="Plan 1")
    assert (planned.port_id, planned.connector.side, planned.connector.serial) == (planned_in.pk, "B", "S")
    assert put("cables", DAC | {"label": "X-1", "b": plug("21/1", serial="S")}).unchanged == 1


def test_plans_stay_when_a_fleet_file_moves_their_cable_and_go_with_the_device_they_lead_to(two_sites: Sites) -> None:
    label = Cable.objects.filter(site=two_sites[0]).order_by("label")[0].label
    put("change-sets", {"site": "north", "name": "Plan 1"})
    target = Port.objects.get(device__name="leaf-2", name="9/1")
    connector = Connector.objects.filter(cable__label=label, cable__site=two_sites[0]).order_by("side")[0]
    StrandEnd.objects.create(connector=connector, lane=1, port=target, change_set=ChangeSet.objects.get())
    put("cables", DAC | {"label": label, "type": "MPO", "b": plug("30/1")})
    load(TWO_SITES)  # puts it back
    assert StrandEnd.objects.get(change_set__name="Plan 1").port_id == target.pk
    assert not StrandEnd.objects.filter(port__name="30/1", port__device__name="leaf-1").exists()
    assert put("devices", {"site": "north", "name": "leaf-2"}, mode="delete").ok
    assert not StrandEnd.objects.filter(change_set__name="Plan 1").exists()
    assert Cable.objects.filter(label=label, site=two_sites[0]).exists()
