"""What tells nothing mends nothing; and what cooling units, rooms and slow meters tell is judged where it belongs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from facility import metrics
from facility.facts import Measured, Part, Quantity
from facility.findings.models import Finding
from facility.findings.services import policy_of
from facility.judgement.kinds import Finding as Found
from facility.meters import services
from facility.meters.models import Meter, MeterState
from facility.overview import sums
from facility.overview.air import pipes_of
from facility.overview.incidents import incidents_of
from facility.overview.last import last_of, measured_graph
from facility.proposals.models import Proposal
from facility.tests.conftest import Hall
from facility.tests.test_proposals import warm_fast
from health.models import MachineHealth
from inventory.models import PowerFeed, Rack, Room
from inventory.power.queries import site_graph

pytestmark = pytest.mark.django_db

LATER = timedelta(minutes=20)


def add_up(hall: Hall, after: timedelta = timedelta()) -> None:
    sums.add_up_site(hall.site.pk, timezone.now() + after)


def open_findings(**where: Any) -> dict[tuple[str, str], Finding]:
    return {(each.kind, each.subject_name): each for each in Finding.objects.filter(closed_at=None, **where)}


def cooling_meter(hall: Hall, name: str, racks: Iterable[str] = (), room: Room | None = None, **more: Any) -> Meter:
    options = {"plumbing": {"racks": {"M1": list(racks)}}} if racks else {}
    return Meter.objects.create(
        site=hall.site, name=name, kind="redfish_cooling", address="10.9.9.8", room=room, options=options, state="ok",
        **more,
    )  # fmt: skip


def units_of_machines(hall: Hall) -> dict[str, set[str]]:
    """By rack, the cooling units whose failure takes its machines with it."""
    graph = measured_graph(hall.site.pk, site_graph(hall.site.pk), last_of(hall.site.pk, timezone.now()))
    pipes = pipes_of(hall.site.pk, graph)
    found: dict[str, set[str]] = {}
    for pk, each in pipes.items():
        failed = Found("loop.flow_low", "cooling_unit", pk, each.name, "")
        (incident,) = incidents_of(graph, pipes, [failed], [], policy_of(hall.site.pk), {}).incidents
        for machine in incident.machines:
            found.setdefault(graph.rack_name(graph.devices[machine].rack_id or 0), set()).add(each.name)
    return found


# ---- what cannot be judged stays ----


def test_a_finding_of_a_meter_that_went_silent_stays_unrenewed_until_the_meter_tells_that_it_is_over(
    hall: Hall,
) -> None:
    hall.tell_all()
    machine = hall.machines[0]
    hall.tell_machine(machine, psus=[0.0, *[1_600.0] * 5])
    PowerFeed.objects.filter(name="a01-b").update(current_a=40)
    add_up(hall)
    (idle,) = Finding.objects.filter(kind="psu.idle")
    assert ("pair.over", "a01-b") in open_findings()
    add_up(hall, LATER)  # a worker that stands still looks the same
    assert Finding.objects.get(pk=idle.pk).closed_at is None and ("pair.over", "a01-b") in open_findings()
    assert Finding.objects.get(pk=idle.pk).seen_at == idle.seen_at
    hall.tell_all(timezone.now() + LATER)
    add_up(hall, LATER)
    assert Finding.objects.get(pk=idle.pk).closed_at is not None


def test_a_finding_closes_though_another_machine_is_silent(hall: Hall) -> None:
    hall.tell_all()
    hall.tell_machine(hall.machines[0], psus=[0.0, *[1_600.0] * 5])
    add_up(hall)
    hall.tell_machine(hall.machines[0])
    MeterState.objects.filter(meter__device=hall.machines[1].device).delete()
    add_up(hall)
    assert not Finding.objects.filter(kind="psu.idle", closed_at=None).exists()


def test_a_proposal_stays_as_it_is_while_what_causes_it_cannot_be_judged(hall: Hall) -> None:
    warm_fast(hall)
    add_up(hall)
    (before,) = Proposal.objects.all()
    add_up(hall, LATER)
    (after,) = Proposal.objects.all()
    assert (after.state, after.steps, after.seen_at) == ("proposed", before.steps, before.seen_at)
    hall.tell_all(timezone.now() + LATER)
    add_up(hall, LATER)
    assert Proposal.objects.get().state == "over"


# ---- which meters tell nothing ----


def test_a_meter_that_tells_nothing_is_a_finding_whatever_its_state_is_and_is_not_told_as_ok(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    hall.tell_all()
    add_up(hall)
    assert not open_findings(kind="value.unknown")
    MeterState.objects.filter(meter__name="pdu-a01-a").update(at=timezone.now() - LATER)
    never = Meter.objects.create(site=hall.site, name="new", kind="modbus", address="10.0.0.9")
    add_up(hall)
    found = open_findings(kind="value.unknown")
    assert set(found) == {("value.unknown", "pdu-a01-a")}
    assert "has told nothing since" in found["value.unknown", "pdu-a01-a"].text
    Meter.objects.filter(pk=never.pk).update(lease_until=timezone.now() - LATER)
    add_up(hall)
    assert "has never told anything" in open_findings()["value.unknown", "new"].text
    told = {
        sample.labels["meter"]: sample.value
        for family in metrics.collect()
        if family.name == "rackside_meter_ok"
        for sample in family.samples
    }
    assert (told["pdu-a01-a"], told["pdu-a01-b"], told["new"]) == (0, 1, 0)
    rows = as_role("admin").get("/api/facility/meters/", {"search": "pdu-a01-a"}).json()["results"]
    states = {row["name"]: row["state"] for row in rows}
    page = as_role("viewer").get(f"/api/facility/racks/{Rack.objects.get(name='A01').pk}/").json()
    shown = {each["pdu"]["name"]: each["meter"]["state"] for each in page["feeds"]}
    assert states["pdu-a01-a"] == shown["pdu-a01-a"] == "late" and shown["pdu-a01-b"] == "ok"


def test_machines_in_service_that_tell_nothing_are_one_finding_of_their_rack(hall: Hall) -> None:
    hall.tell_all()
    add_up(hall)
    beside = [each.pk for each in hall.machines if "-a01-" in each.device.name]
    MachineHealth.objects.filter(machine__in=beside[:3]).update(state="ready")
    MachineHealth.objects.filter(machine__in=beside[3:]).update(state="repair")
    assert MachineHealth.objects.filter(machine__in=beside[:3], state="ready").count() == 3
    MeterState.objects.filter(meter__device__in=beside).update(at=timezone.now() - LATER)
    add_up(hall)
    found = open_findings(kind="value.unknown")
    assert set(found) == {("value.unknown", "A01")}
    assert found["value.unknown", "A01"].text == "3 machines of A01 tell nothing."


def test_a_machine_in_repair_does_not_keep_the_findings_of_its_rack(hall: Hall) -> None:
    hall.tell_all()
    beside = [each for each in hall.machines if "-a01-" in each.device.name]
    for machine, inlet in zip(beside, (22.0, 22.4, 27.4, 28.3), strict=True):
        hall.tell_machine(machine, inlet_c=inlet)
    add_up(hall)
    assert ("recirculation", "A01") in open_findings()
    hall.tell_all()
    MeterState.objects.filter(meter__device=beside[0].device).delete()
    MachineHealth.objects.filter(machine=beside[0].pk).update(state="ready")
    add_up(hall)
    assert ("recirculation", "A01") in open_findings(), "it may be the one that takes in warm air"
    MachineHealth.objects.filter(machine=beside[0].pk).update(state="repair")
    add_up(hall)
    assert ("recirculation", "A01") not in open_findings()


def test_a_meter_that_answers_without_the_value_mends_nothing(hall: Hall) -> None:
    unit, machine = cooling_meter(hall, "cdu-1"), hall.machines[0]

    def tell(wet: float | None, psus: list[float]) -> set[tuple[str, str]]:
        hall.tell_all()
        hall.tell_machine(machine, psus=psus)
        values = [Measured(Part.LEAK, "L1", Quantity.WET, wet, "" if wet is not None else "it does not say")]
        services.store([services.Told(unit.pk, timezone.now(), values, 30)])
        add_up(hall)
        return set(open_findings(subject_name__in=("cdu-1", machine.device.name)))

    idle, leak = ("psu.idle", machine.device.name), ("leak", "cdu-1")
    assert tell(1.0, [1_600.0] * 5 + [0.0]) == {idle, leak}
    assert tell(None, [1_600.0] * 5) == {idle, leak, ("value.unknown", "cdu-1")}, "the sixth supply is not told"
    assert {each.state for each in Proposal.objects.all()} == {"proposed"}
    assert tell(0.0, [1_600.0] * 6) == set()


@pytest.mark.parametrize("place", ["rack", "room", "empty room"])
def test_a_wet_detector_of_a_room_or_rack_is_proposed_to_be_acted_on_until_it_is_measured_dry(
    hall: Hall, place: str
) -> None:
    room, rack = Room.objects.get(), Rack.objects.get(name="A01")
    plant = Room.objects.create(site=hall.site, name="Plant", width_mm=9_000, depth_mm=9_000)
    at: dict[str, dict[str, Any]] = {"rack": {"rack": rack}, "room": {"room": room}, "empty room": {"room": plant}}
    ropes = Meter.objects.create(
        site=hall.site, name="ropes", kind="redfish_sensors", address="10.0.0.9", state="ok", **at[place]
    )
    subject = {"rack": "A01", "room": room.name, "empty room": "ropes"}[place]

    def tell(wet: float | None, after: timedelta = timedelta()) -> set[str]:
        hall.tell_all()
        if not after:
            values = [Measured(Part.LEAK, "Rope", Quantity.WET, wet, "" if wet is not None else "it does not say")]
            values.append(Measured(Part.SENSOR, "Door", Quantity.TEMPERATURE_C, 22.0))
            services.store([services.Told(ropes.pk, timezone.now(), values, 30)])
        add_up(hall, after)
        return {each.kind for each in Finding.objects.filter(closed_at=None, subject_name=subject, part="Rope")}

    assert tell(1.0) == {"leak"}
    machines = {"rack": 4, "room": len(hall.machines), "empty room": 0}[place]
    (proposal,) = Proposal.objects.exclude(state="over")
    assert (proposal.steps[0]["action"], len(proposal.machines)) == ("close_valve", machines)
    assert tell(None) == {"leak", "value.unknown"}
    assert tell(0.0) == set()
    assert Proposal.objects.get().state == "over"
    assert tell(1.0) == {"leak"}
    assert "leak" in tell(None, LATER), "its meter is silent"


# ---- which racks a cooling unit has ----


def test_plumbing_names_racks_of_the_units_own_room(hall: Hall) -> None:
    room = Room.objects.get()
    other = Room.objects.create(site=hall.site, name="Annex", width_mm=9_000, depth_mm=9_000)
    Rack.objects.create(room=other, name="A01", x_mm=0, y_mm=0)
    Rack.objects.create(room=other, name="Z01", x_mm=900, y_mm=0)
    cooling_meter(hall, "cdu-1", ["A01"], room)
    cooling_meter(hall, "cdu-2", ["A01", "A02"])  # without a room: A01 is two racks, A02 is one
    cooling_meter(hall, "cdu-3", ["Z01", "A02"], other)
    hall.tell_all()
    assert units_of_machines(hall) == {"A01": {"cdu-1"}, "A02": {"cdu-2"}}
    add_up(hall)
    found = open_findings(kind="value.unknown", subject_kind="cooling_unit", part="plumbing")
    texts = {name: each.text for (_, name), each in found.items()}
    assert set(texts) == {"cdu-2", "cdu-3"}
    assert "names A01: no one rack of the site" in texts["cdu-2"]
    assert "names A02: no one rack of its room" in texts["cdu-3"]


def test_two_units_of_a_room_without_plumbing_have_its_machines_both(hall: Hall) -> None:
    room = Room.objects.get()
    cooling_meter(hall, "cdu-1", room=room)
    cooling_meter(hall, "cdu-2", room=room)
    hall.tell_all()
    assert units_of_machines(hall)["A01"] == {"cdu-1", "cdu-2"}


# ---- rises ----


def rising(meter: Meter, part: Part, name: str, quantity: Quantity, every_s: int, readings: int = 6) -> None:
    """Two degrees a minute."""
    now = timezone.now()
    for n in range(readings):
        at = now - timedelta(seconds=every_s * (readings - 1 - n))
        told = Measured(part, name, quantity, 20 + 2 * every_s * n / 60)
        services.store([services.Told(meter.pk, at, [told], every_s)])


def test_water_and_room_air_that_warm_fast_are_findings_of_the_unit_and_of_the_room(hall: Hall) -> None:
    room = Room.objects.get()
    hall.tell_all()
    unit = cooling_meter(hall, "cdu-1", ["A01"], room)
    probe = Meter.objects.create(
        site=hall.site, name="hall probe", kind="snmp_sensors", room=room, address="10.0.0.9", state="ok"
    )
    rising(unit, Part.LOOP, "secondary", Quantity.SUPPLY_C, 60)
    rising(probe, Part.SENSOR, "ceiling", Quantity.TEMPERATURE_C, 60)
    add_up(hall)
    found = Finding.objects.filter(kind="rise.fast", closed_at=None)
    assert {(each.subject_kind, each.subject_name) for each in found} == {
        ("cooling_unit", "cdu-1"), ("room", room.name),
    }  # fmt: skip
    proposals = {each.incident: set(each.machines) for each in Proposal.objects.all()}
    assert proposals[f"cooling_unit:{unit.pk}"] == {f"hgx-a01-0{n}" for n in range(1, 5)}
    assert proposals[f"subject:room:{room.pk}"] == {each.device.name for each in hall.machines}


def test_a_machine_that_is_swept_every_five_minutes_is_judged_over_a_window_that_holds_enough_readings(
    hall: Hall,
) -> None:
    hall.tell_all()
    meter = Meter.objects.get(device=hall.machines[0].device)
    Meter.objects.filter(pk=meter.pk).update(period_s=300)
    rising(meter, Part.SENSOR, "inlet", Quantity.TEMPERATURE_C, 300)
    add_up(hall)
    (found,) = Finding.objects.filter(kind="rise.fast", closed_at=None)
    assert found.subject_kind == "rack" and found.values["c_per_min"] == pytest.approx(2)
    assert found.text.startswith("Inlet in ")


# ---- what if ----


def test_what_if_counts_machines_that_tell_nothing_as_unknown(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    hall.tell_all()
    of_a01 = [each.device_id for each in hall.machines if "-a01-" in each.device.name]
    Meter.objects.filter(device__in=of_a01).delete()
    viewer = as_role("viewer")
    for question in ("question=inlet&by_c=1", "question=full_load"):
        answer = viewer.get(f"/api/facility/what-if/?{question}&site={hall.site.pk}").json()
        assert answer["unknown"] == len(of_a01), question
        assert {each["name"]: each["state"] for each in answer["racks"]}["A01"] == "unknown", question
