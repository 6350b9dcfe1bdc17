"""The floor map of intake: what deliveries and discoveries say of each planned place, and nobody twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.tests.fleet import make_machine, make_site
from core.models import Role, Site
from core.services import ensure_user
from health.models import MachineHealth
from inventory.models import Installation, Machine, Placement, Rack, Room
from provisioning.discovery.hardware import Machine as Told
from provisioning.discovery.hardware import Part
from provisioning.discovery.matching import Bmc, Finding, Found
from provisioning.discovery.models import DiscoveredBmc, Discovery
from provisioning.discovery.queries import parts_differ
from provisioning.discovery.states import BmcState
from provisioning.floor.places import Floor, Listed, PlaceState, Seen, Source, floor_of, newest
from provisioning.intake.lists import Item
from provisioning.intake.matching import Match, Matched, Planned
from provisioning.models import Delivery, DeliveryItem

FLOOR = "/api/provisioning/intake/floor/"
PLAN = [Planned(n, f"gpu-{n}", serials=(f"SN{n}",), rack="A01", u=float(6 * n)) for n in (1, 2, 3)]


def seen(
    machine: int | None, finding: Finding, *, discovery: int = 1, state: BmcState = BmcState.READ, **more: Any
) -> Seen:
    serial = f"SN{machine}" if machine else "STRANGER"
    bmc = Bmc(machine or 9, f"10.0.0.{machine or 9}", machine=Told(serial=serial), whole=True)
    planned = PLAN[machine - 1] if machine else None
    return Seen(discovery, state, Found(bmc, finding, planned, more.pop("text", "")), **more)


def listed(machine: int | None, match: Match, text: str = "") -> Listed:
    item = Item(1, f"SN{machine}" if machine else "STRANGER", "", "", (), "A01", 6.0)
    return Listed(7, Matched(item, match, PLAN[machine - 1] if machine else None, text))


def states(floor: Floor) -> dict[str, str]:
    return {place.name: place.state.value for place in floor.open}


def told(*rows: Seen | Listed, settled: set[int] | None = None) -> Floor:
    found = [row for row in rows if isinstance(row, Seen)]
    return floor_of(PLAN, settled or set(), found, [row for row in rows if isinstance(row, Listed)], sources=True)


@pytest.mark.parametrize(
    ("rows", "settled", "state"),
    [
        ([], set(), "not_found"),
        ([], {1}, "confirmed"),
        ([seen(1, Finding.SAME)], set(), "to_accept"),
        ([seen(1, Finding.FITS)], set(), "to_accept"),
        ([seen(1, Finding.SAME, accepted=True)], set(), "confirmed"),
        ([seen(1, Finding.SAME)], {1}, "confirmed"),
        ([seen(1, Finding.SAME, parts_differ="7 GPUs of 8")], set(), "parts"),
        ([seen(1, Finding.SAME, parts_differ="7 GPUs of 8")], {1}, "parts"),  # in service, and lacks one
        ([seen(1, Finding.SAME, parts_differ="7 GPUs of 8", accepted=True)], set(), "confirmed"),
        ([seen(1, Finding.EXCHANGED)], {1}, "exchanged"),
        ([seen(1, Finding.MOVED)], set(), "elsewhere"),
        ([seen(1, Finding.TAKEN)], set(), "unknown"),
        ([seen(1, Finding.DIFFERS)], set(), "differs"),
        ([seen(1, Finding.SAME), seen(1, Finding.TWICE)], set(), "differs"),
        ([seen(1, Finding.UNREAD, state=BmcState.REFUSED)], set(), "unread"),
        ([seen(1, Finding.UNREAD, state=BmcState.UNREACHABLE)], set(), "not_found"),
        ([seen(1, Finding.UNREAD, state=BmcState.UNREACHABLE)], {1}, "confirmed"),  # it is silent, not missing
        ([listed(1, Match.FITS)], set(), "to_accept"),
        ([listed(1, Match.MOVED)], set(), "elsewhere"),
        ([listed(1, Match.EXCHANGED)], set(), "exchanged"),
        ([listed(1, Match.DIFFERS)], set(), "differs"),
        ([seen(1, Finding.SAME), listed(1, Match.MOVED)], set(), "to_accept"),  # what was found, not the paper
        ([seen(1, Finding.MOVED), listed(1, Match.SAME)], {1}, "elsewhere"),
        ([seen(1, Finding.SAME, discovery=2), seen(1, Finding.MOVED, discovery=1)], set(), "to_accept"),  # put right
    ],
)  # fmt: skip
def test_each_place_has_one_state(rows: list[Seen | Listed], settled: set[int], state: str) -> None:
    floor = told(*rows, settled=settled)
    assert states(floor).get("gpu-1", "confirmed") == state
    assert sum(floor.counts.values()) == len(PLAN) and floor.counts[PlaceState(state)] >= 1


def test_a_machine_that_nobody_planned_is_told_once_with_the_place_of_the_list_or_none() -> None:
    [stranger] = [place for place in told(listed(None, Match.UNKNOWN)).open if place.planned is None]
    assert (stranger.name, stranger.rack, stranger.place, stranger.source) == (
        "STRANGER", "a01", "A01 U6", Source.DELIVERY,
    )  # fmt: skip
    both = [place for place in told(listed(None, Match.UNKNOWN), seen(None, Finding.UNKNOWN)).open if not place.planned]
    assert [(place.name, place.source) for place in both] == [("STRANGER", Source.DISCOVERY)]


def test_of_a_bmc_that_got_another_address_only_what_the_newest_discovery_says_counts() -> None:
    old, new = seen(1, Finding.MOVED, discovery=1), seen(1, Finding.SAME, discovery=2)
    moved = replace(old, found=replace(old.found, bmc=replace(old.found.bmc, address="10.0.0.99")))
    assert newest([moved, new]) == [new]


# ---- over the API ----


def client(role: Role = Role.VIEWER, site: Site | None = None) -> Client:
    one = Client()
    one.force_login(ensure_user(f"{role}-{site or 'all'}", role=role, site=site)[0])
    return one


def racked(site: Site, count: int) -> list[Machine]:
    room = Room.objects.create(site=site, name="Hall", width_mm=9_000, depth_mm=9_000)
    rack = Rack.objects.create(room=room, name="A01", x_mm=0, y_mm=0)
    machines = [make_machine(f"{site.slug}-{n:03}", site=site) for n in range(count)]
    for n, machine in enumerate(machines):
        if n < 7:  # the rack is full then, and the others have no place
            Placement.objects.create(
                device=machine.device, rack=rack, rack_height_u=rack.height_u, half_units=(12 * n + 1, 12 * n + 13),
                faces=(0, 2), columns=(0, 2),
            )  # fmt: skip
        MachineHealth.objects.create(machine=machine, state="new")
    return machines


def discovery(site: Site, machines: list[Machine]) -> Discovery:
    row = Discovery.objects.create(site=site, origin="10.2.0.0/16", status="done", created_by="olga")
    parts = [Part("gpu", (f"GPU {n}",), f"S{n}", model="NVIDIA H100") for n in range(8)]
    DiscoveredBmc.objects.bulk_create(
        DiscoveredBmc(
            discovery=row, number=n, address=machine.bmc_ip, state=BmcState.READ.value, asked_at=timezone.now(),
            told=Told(serial=machine.device.serial, uuid=str(machine.system_uuid), parts=tuple(parts)).document(),
        )
        for n, machine in enumerate(machines)
    )  # fmt: skip
    return row


def asked(site: Site) -> Any:
    answer = client().get(FLOOR, {"site": site.pk})
    assert answer.status_code == 200, answer.content
    return answer.json()


@pytest.mark.django_db
def test_the_map_has_the_places_that_are_not_confirmed_and_counts_the_others() -> None:
    site = make_site()
    empty, *machines = racked(site, 5)
    assert asked(site)["has_sources"] is False
    row = discovery(site, machines)
    row.bmcs.filter(number=0).update(accepted_at=timezone.now(), machine=machines[0])
    row.bmcs.filter(number=1).update(parts_differ="7 GPUs of 8")
    delivery = Delivery.objects.create(site=site, order="PO-1", filename="x.csv", received_by="olga")
    DeliveryItem.objects.create(delivery=delivery, number=1, service_tag="4GMPN72", rack="A01", u=40)
    told = asked(site)
    counts = {each["state"]: each["count"] for each in told["counts"]}
    assert counts == {
        "unknown": 1, "exchanged": 0, "elsewhere": 0, "differs": 0, "parts": 1, "unread": 0, "not_found": 1,
        "to_accept": 2, "confirmed": 1,
    }  # fmt: skip
    by_name = {each["name"]: each for each in told["places"]}
    assert by_name[empty.device.name]["state"] == "not_found" and by_name[empty.device.name]["shown_by"] is None
    parts = by_name[machines[1].device.name]
    assert (parts["text"], parts["shown_by"], parts["shown_by_id"]) == ("7 GPUs of 8", "discovery", row.pk)
    assert (parts["rack"], parts["place"]) == ("a01", "A01 U13")
    stranger = by_name["4GMPN72"]
    assert (stranger["machine"], stranger["rack"], stranger["shown_by_id"]) == (None, "a01", delivery.pk)
    assert machines[0].device.name not in by_name


@pytest.mark.django_db
def test_the_map_costs_the_same_statements_for_one_machine_and_many_and_reads_no_part() -> None:
    counts, one = [], client()
    one.get(FLOOR, {"site": make_site("none").pk})
    for slug, count in (("one", 1), ("many", 30)):
        site = make_site(slug)
        discovery(site, racked(site, count))
        with CaptureQueriesContext(connection) as statements:
            assert len(one.get(FLOOR, {"site": site.pk}).json()["places"]) == count
        counts.append(len(statements))
        assert not any(Installation._meta.db_table in each["sql"] for each in statements)
    assert counts[0] == counts[1]


@pytest.mark.django_db
def test_the_floor_of_a_site_is_for_those_who_see_it() -> None:
    mine, other = make_site("mine"), make_site("other")
    one = client(Role.VIEWER, mine)
    assert one.get(FLOOR, {"site": mine.pk}).status_code == 200
    assert one.get(FLOOR, {"site": other.pk}).status_code == 404
    assert one.get(FLOOR).status_code == 400


@pytest.mark.django_db
def test_which_parts_differ_is_kept_when_a_bmc_is_read() -> None:
    """By the slots of its model: the map never compares parts itself."""
    site = make_site()
    [machine] = racked(site, 1)
    model = machine.device.model
    model.spec = {"slots": [{"name": f"GPU {n}", "kind": "gpu", "pci": f"0000:{n:02x}:00.0"} for n in range(9)]}
    model.save()
    rows = list(discovery(site, [machine]).bmcs.all())
    assert parts_differ(site.pk, rows) == {rows[0].pk: "8 GPUs of 9: none in GPU 8"}
    assert parts_differ(site.pk, [DiscoveredBmc(state=BmcState.REFUSED.value)]) == {}
