"""What goes wrong in a hall is found where it is, with what to do about it, and is over when it is mended.

The hall answers as a real one does, machines included, and everything from there to the finding is the service's own.
Several faults at a time, each at another place: no finding may be missing, and none may be there that nobody provoked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from config.management.commands.demo_setup import give_keys, make_meters
from facility.findings.models import Policy
from facility.meters.models import Meter, MeterState
from facility.proposals.models import Proposal
from facility.tests.live_hall import MACHINES, LiveHall, found, live_hall
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Rack
from simulator.from_inventory import plan_from_inventory
from simulator.heat.from_inventory import heat_from_inventory
from simulator.meters.doors import MeterDoors, meter_rows
from tests.kept_rows import load_fleet

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.timeout(240)]
FOLLOWS_FROM_WARM_AIR = {"hot.spot", "inlet.hot", "rise.fast"}


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[LiveHall]:
    settings.LOCAL_ADDRESSES = True
    with live_hall(tmp_path, monkeypatch) as live:
        live.go_on()
        assert not Meter.objects.filter(kind__in=Meter.ASKED).exclude(state="ok").exists()
        assert found() == {}, "in a sound hall nothing is wrong"
        yield live


def rack_page(client: APIClient, name: str) -> Any:
    answer = client.get(f"/api/facility/racks/{Rack.objects.get(name=name).pk}/")
    assert answer.status_code == 200, answer.content
    return answer.json()


def is_over(hall: LiveHall) -> None:
    """A while after everything was mended nothing is found, and every sum is whole again."""
    hall.mend()
    hall.go_on(800)
    assert found() == {}
    assert not any(memory["at_least"] for memory in rack_sums().values())


def rack_sums() -> dict[str, dict[str, Any]]:
    return dict(MeterState.objects.filter(meter__kind="rack").values_list("meter__rack__name", "memory"))


def unknown_of(meter: str) -> dict[str, str]:
    """Part and quantity of each value that is not known, with the reason."""
    told = MeterState.objects.select_related("layout").get(meter__name=meter)
    return {" ".join(told.layout.points[int(place)]): reason for place, reason in told.reasons.items()}


def test_each_fault_is_found_at_its_place_with_its_cure_and_is_over_when_it_is_mended(
    hall: LiveHall, as_role: Callable[..., APIClient]
) -> None:
    hall.provoke("gap_open", "A02", from_u=29, to_u=32)
    hall.provoke("supply_idle", "hgx-a01-02", supply="PSU 2")
    hall.provoke("outlet_taken", "pdu-a04-b", outlet="C13 20", watts=300)
    hall.provoke("leak", "cdu-a", detector="A03")
    hall.provoke("pump_failed", "cdu-a", pump=2)
    hall.provoke("filter_dirty", "cdu-a")
    hall.provoke("power_brake", "hgx-a05-01")
    hall.provoke("draws_more", "hgx-a04-03")
    hall.provoke("values_in_tenths", "pdu-a05-a")
    hall.go_on(rounds_of_it=4)
    now = found()
    for key, said in {
        ("recirculation", "A02", ""): "through U29-37",
        ("psu.idle", "hgx-a01-02", "PSU.2"): "carries 0 W",
        ("outlet.unknown", "pdu-a04-b", "20"): "no cord is recorded in it",
        ("leak", "cdu-a", "A03"): "close valve V-A03",
        ("pump.failed", "cdu-a", "2"): "stands still",
        ("filter.dirty", "cdu-a", "1"): "more than 50",
        ("brake.on", "hgx-a05-01", ""): "slows 8 GPUs",
        ("machine.unlike", "hgx-a04-03", ""): "more than the",
        ("value.unknown", "pdu-a05-a", ""): "does not say what it carries",
    }.items():
        assert key in now and said in now[key].text and now[key].todo, (key, sorted(now))
    others = {key for key in now if key[0] in FOLLOWS_FROM_WARM_AIR}
    assert {subject for _, subject, _ in others} <= {"A02", "hgx-a02-03", "hgx-a02-04"}
    assert len(now) == 9 + len(others), sorted(now)

    wrong = unknown_of("pdu-a05-a")
    assert wrong["inlet pdu-a05-a power_w"] == "all of its kind are 10 times what they were: a unit is wrong"
    assert all(name.endswith("power_w") for name in wrong), "its currents are right"
    sums = rack_sums()
    assert sums["A05"]["at_least"] and sums["A05"]["power_w"] < 1.2 * sums["A01"]["power_w"]
    page = rack_page(as_role("viewer"), "A02")
    assert page["gaps"][0]["text"].startswith("Close U29-37") and "hgx-a02-04" in page["gaps"][0]["machines"]
    assert {"recirculation", "inlet.hot"} <= {each["kind"] for each in page["findings"]}
    is_over(hall)


def test_fast_fans_are_found_among_machines_that_have_as_much_to_cool_and_not_among_those_at_work(
    hall: LiveHall,
) -> None:
    at_work = [f"hgx-a0{rack}-0{place}" for rack in (2, 3) for place in range(1, 5)]
    for name in at_work:
        hall.provoke("load", name, share=0.9)
    hall.go_on(400, rounds_of_it=2)
    assert found("fan.high") == {}, "fans of machines at work turn faster than those of idle ones"
    hall.provoke("load", "hgx-a04-04", share=0.9)
    for name in ("hgx-a01-02", "hgx-a04-04"):
        hall.provoke("fans_fast", name, share=0.3)
    hall.go_on(400, rounds_of_it=2)
    fans = found("fan.high")
    assert {subject for _, subject, _ in fans} == {"hgx-a01-02", "hgx-a04-04"}
    idle, busy = fans["fan.high", "hgx-a01-02", ""], fans["fan.high", "hgx-a04-04", ""]
    assert "those of 10 others of its model" in idle.text and "filters" in idle.todo
    assert "those of 8 others of its model" in busy.text
    is_over(hall)


@pytest.mark.slow
def test_a_feed_that_died_with_its_pdu_is_one_finding_and_one_proposal(hall: LiveHall) -> None:
    hall.provoke("feed_off", "a03-a")
    hall.go_on(200)
    now = found()
    assert [key for key in now if key[0] == "feed.lost"] == [("feed.lost", "a03-a", "")]
    assert {subject for kind, subject, _ in now if kind == "redundancy.lost"} == {f"hgx-a03-0{n}" for n in range(1, 5)}
    assert "no answer" in now["value.unknown", "pdu-a03-a", "meter"].text
    assert rack_sums()["A03"]["at_least"], "what its switches draw from the dead side, nobody measures"
    (proposal,) = Proposal.objects.filter(state="proposed")
    assert proposal.text.startswith("a03-a, 4 machines") and proposal.dry_run
    is_over(hall)
    assert not Proposal.objects.filter(state="proposed").exists()


@pytest.mark.slow
def test_water_that_stands_and_air_that_warms_are_found_from_the_valve_to_the_machines(hall: LiveHall) -> None:
    hall.provoke("valve_closed", "cdu-a", manifold="A02")
    hall.go_on(rounds_of_it=4)
    now = found()
    assert "0 l/min" in now["loop.flow_low", "cdu-a", "A02"].text
    assert {subject for kind, subject, _ in now if kind == "rise.fast"} == {"A02"}
    assert {subject for kind, subject, _ in now if kind == "inlet.hot"} == {f"hgx-a02-0{n}" for n in range(1, 5)}
    hall.mend()
    hall.provoke("valve_closed", "cdu-a")
    hall.go_on(400)
    assert "primary loop of cdu-a stands still" in found()["loop.flow_low", "cdu-a", "primary"].text
    hall.mend()
    hall.provoke("supply_warm", "cdu-a", celsius=20)
    hall.go_on(800, rounds_of_it=2)
    hall.go_on(60, rounds_of_it=6)  # between two readings that lie far apart nobody knows a rise
    assert {kind for kind, *_ in found()} == {"air.class"} and len(found()) == 20
    is_over(hall)


@pytest.mark.slow
def test_what_does_not_answer_or_tells_for_ever_the_same_is_unknown_and_its_sums_say_at_least(hall: LiveHall) -> None:
    hall.provoke("meter_silent", "pdu-a02-a")
    hall.provoke("meter_silent", "cdu-a")
    hall.provoke("values_frozen", "pdu-a01-a")
    hall.go_on(850)
    now = found()
    assert set(now) == {("value.unknown", "pdu-a02-a", "meter"), ("value.unknown", "cdu-a", "meter")}, sorted(now)
    assert "cannot be read: no answer" in now["value.unknown", "pdu-a02-a", "meter"].text
    assert {name for name, memory in rack_sums().items() if memory["at_least"]} == {"A02"}
    hall.mend("meter_silent")
    hall.go_on(850, rounds_of_it=4)
    assert set(found()) == {("value.unknown", "pdu-a01-a", "")}
    assert {name for name, memory in rack_sums().items() if memory["at_least"]} == {"A01"}
    reasons = set(unknown_of("pdu-a01-a").values())
    assert len(reasons) == 1 and "nothing that it tells has moved, not even its counters" in reasons.pop()
    hall.provoke("counter_wraps", "pdu-a03-a")
    hall.go_on()
    wrong = unknown_of("pdu-a03-a")
    assert wrong and all(name.endswith("energy_kwh") and "the counter went back" in wrong[name] for name in wrong)
    hall.go_on()
    assert unknown_of("pdu-a03-a") == {}, "from there on it counts"
    is_over(hall)


@pytest.mark.django_db
def test_the_demo_has_every_meter_once_also_where_its_hall_moves_and_keeps_a_tariff_that_somebody_set(
    tmp_path: Path,
) -> None:
    (tmp_path / "fleet.yaml").write_text(fleet_file(MACHINES))
    load_fleet(tmp_path / "fleet.yaml")
    heat = heat_from_inventory("north", plan_from_inventory("north", 7))
    give_keys(tmp_path)
    make_meters("north", meter_rows(heat, MeterDoors.in_slice(7)))
    assert Policy.objects.filter(tariff_per_kwh__gt=0, co2_g_per_kwh__gt=0).count() == 1
    Policy.objects.update(tariff_per_kwh="0.1")
    Meter.objects.update(identity="ab" * 32)
    count = Meter.objects.count()
    give_keys(tmp_path)
    make_meters("north", meter_rows(heat, MeterDoors.in_slice(7)))
    assert set(Meter.objects.values_list("identity", flat=True)) == {"ab" * 32}
    make_meters("north", meter_rows(heat, MeterDoors.in_slice(8)))
    assert Meter.objects.count() == count == len(meter_rows(heat, MeterDoors()))
    assert {each.address.split(".")[1] for each in Meter.objects.all()} == {"8"}
    assert set(Meter.objects.values_list("identity", flat=True)) == {""}
    assert str(Policy.objects.get().tariff_per_kwh) == "0.1000"
