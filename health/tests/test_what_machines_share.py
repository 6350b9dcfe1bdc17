"""What machines hang on, as the inventory's places, cables and feeds say it: each kind can be the cause of a mass loss,
and none of them makes one trouble out of unlike faults.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from health.models import Incident
from health.remediation.services import automation, drains
from health.remediation.services.causes import mass
from health.tests import factories as make
from health.tests.remediation_world import memory_fault
from health.tests.test_mass_failures import fail, hall, members, shared, site_of
from inventory.models import (
    Cable,
    Connector,
    Device,
    DeviceModel,
    Machine,
    Pdu,
    Port,
    PowerFeed,
    Rack,
    Room,
    Row,
    StrandEnd,
    Switch,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]
Hang = Callable[[Sequence[Machine]], None]


def _cabled(machines: Sequence[Machine], name: str, kind: str, own: str, far: str) -> Device:
    """A device of this name with a cable to a port of each machine."""
    model, _ = DeviceModel.objects.get_or_create(slug=f"a-{kind}", vendor="V", name="M", kind=kind, half_u_height=2)
    device = Device.objects.create(site=machines[0].device.site, model=model, kind=kind, name=name)
    for number, machine in enumerate(machines):
        cable = Cable.objects.create(site=device.site, label=f"{name}-{number}", type="DAC")
        ends = ((machine.device, own, f"to {name}"), (device, far, f"port {number}"))
        for side, (of, port_kind, port) in zip("AB", ends, strict=True):
            StrandEnd.objects.create(
                connector=Connector.objects.create(cable=cable, side=side),
                port=Port.objects.create(device=of, name=port, kind=port_kind),
            )
    return device


def on_switch(machines: Sequence[Machine]) -> None:
    switch = _cabled(machines, "tor-1", "switch", "ethernet", "ethernet")
    Switch.objects.create(device=switch, fabric="ethernet", tier="tor")


def on_management(machines: Sequence[Machine]) -> None:
    switch = _cabled(machines, "mgmt-1", "switch", "bmc", "ethernet")
    Switch.objects.create(device=switch, fabric="management", tier="tor")


def on_feed(machines: Sequence[Machine]) -> None:
    feed = PowerFeed.objects.create(site=machines[0].device.site, name="feed-a", side="A")
    Pdu.objects.create(device=_cabled(machines, "pdu-1", "pdu", "power_in", "power_outlet"), feed=feed)


def in_row(machines: Sequence[Machine]) -> None:
    """Two rows: the racks of these machines, and the others."""
    racks = {machine.device.placement.rack_id for machine in machines}
    room = Room.objects.get()
    for name, here in (("1", Rack.objects.filter(pk__in=racks)), ("2", Rack.objects.exclude(pk__in=racks))):
        here.update(row=Row.objects.create(room=room, name=name, position=int(name)))


def in_room(machines: Sequence[Machine]) -> None:
    """The other racks stand in another room."""
    racks = {machine.device.placement.rack_id for machine in machines}
    other = Room.objects.create(site=machines[0].device.site, name="Hall 2", width_mm=9000, depth_mm=9000)
    Rack.objects.exclude(pk__in=racks).update(room=other)


ACROSS, TWO_RACKS = slice(None, None, 3), slice(None, 8)
CAUSES: dict[str, tuple[Hang, slice, str]] = {
    "rack": (lambda _: None, slice(None, 4), "R00"),
    "row": (in_row, TWO_RACKS, "1 (Hall 1)"),
    "room": (in_room, TWO_RACKS, "Hall 1"),
    "switch": (on_switch, ACROSS, "tor-1"),
    "management": (on_management, ACROSS, "mgmt-1"),
    "feed": (on_feed, ACROSS, "feed-a"),
}


SAME_RULE = ("row", "room", "feed")  # as rack and switch, of another place


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] if kind in SAME_RULE else []) for kind in CAUSES]
)
def test_a_mass_loss_is_one_incident_of_what_its_machines_hang_on(kind: str) -> None:
    hang, which, name = CAUSES[kind]
    machines = hall(24)
    lost = machines[which]
    hang(lost)
    fail(lost, heard=False)
    mass.look(site_of(machines))
    (incident,) = shared()
    assert (incident.cause_kind, incident.cause) == (kind, name)
    assert members(incident) == {machine.pk for machine in lost} and name.split(" (")[0] in incident.title


@pytest.mark.slow
@pytest.mark.parametrize(
    "hang",
    [on_switch, *(pytest.param(each, marks=pytest.mark.slow) for each in (on_management, on_feed))],
    ids=lambda each: each.__name__,
)
def test_unlike_faults_behind_one_switch_or_feed_have_nothing_in_common(hang: Hang) -> None:
    machines = hall(24)
    some = machines[ACROSS]
    hang(some)
    for machine, fault in zip(some, (memory_fault(), make.gone(), make.docker_down(), make.nvlink()), strict=False):
        fail([machine], fault)
    automation.round_of(site_of(machines))
    assert not shared() and Incident.objects.filter(kind="machine", closed_at=None).count() == 4
    assert [make.health(machine).state for machine in some[:4]] == ["drained"] * 4


@pytest.mark.slow
def test_machines_that_are_out_keep_planned_work_from_those_behind_their_switch_and_not_their_management_switch() -> (
    None
):
    machines = hall(24)
    behind, managed = machines[ACROSS][:4], machines[1::6][:4]
    on_switch(behind)
    on_management(managed)
    for some in (behind, managed):
        fail(some[:1], memory_fault())
        fail(some[1:2], make.gone())
    refused = drains.hold_within_budget(behind[2].pk, owner="maintenance", reason="a riser", actor="olga")
    assert refused is not None and refused.guard == "common_cause" and "switch tor-1" in refused.reason
    assert drains.hold_within_budget(managed[2].pk, owner="maintenance", reason="a riser", actor="olga") is None


@pytest.mark.slow
def test_machines_that_fail_alike_count_for_their_cause_while_they_are_still_in_service() -> None:
    """They were not drained, for whatever reason; a third one in their rack is a common cause all the same."""
    machines = hall(16, suspicious_share=1.0)
    site_id = site_of(machines)
    automation.kill(site_id, reason="the cluster is odd", actor="ada")
    fail(machines[:2], memory_fault())
    automation.release(site_id, reason="it was not", actor="ada")
    assert {make.health(machine).state for machine in machines[:2]} == {"ready"}
    fail(machines[2:3], memory_fault(), seconds_ago=50)
    assert make.health(machines[2]).state == "ready"
    assert Incident.objects.get(machine=machines[2], closed_at=None).refused_by == "common_cause"
    fail(machines[3:4], make.gone(), seconds_ago=50)
    assert make.health(machines[3]).state == "drained", "another trouble has nothing to do with it"
