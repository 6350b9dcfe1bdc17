"""Many machines at once: one incident by its best cause, suspicion that ends, and never a machine that goes unseen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.utils import timezone

from health.machines.hooks import notices_of
from health.machines.services.limits import automation_of
from health.models import FactChange, Fault, Incident, MachineHealth, ObserveOnly, SiteAutomation, Sweep, SweepShard
from health.monitoring.services import unreachable
from health.monitoring.services.sweeps import observation_store
from health.remediation.services import automation, drains, incidents, plans, views
from health.remediation.services.causes import mass
from health.remediation.services.steps import step
from health.remediation.types import Refusal
from health.tests import factories as make
from health.tests.remediation_world import ago, events, memory_fault
from inventory.models import Machine

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quiet")]


def hall(count: int, automation: str = "on", **limits: Any) -> list[Machine]:
    """Machines in racks of four that were heard a moment ago, at a site whose limits are the usual ones."""
    machines = make.make_machines(count, automation=automation)
    SiteAutomation.objects.update(cause_machines=2, **limits)
    observation_store.record([make.look(machine, at=ago(200)) for machine in machines])
    return machines


def fail(machines: Sequence[Machine], *findings: make.Finding, seconds_ago: float = 90, **more: Any) -> None:
    """Two looks at each machine that show the same."""
    for at in (ago(seconds_ago), ago(seconds_ago - 30)):
        observation_store.record([make.look(machine, *findings, at=at, **more) for machine in machines])


def pass_again(machines: Sequence[Machine]) -> None:
    observation_store.record([make.look(machine, at=timezone.now()) for machine in machines])


def site_of(machines: Sequence[Machine]) -> int:
    return int(machines[0].device.site_id)


def shared() -> list[Incident]:
    return list(Incident.objects.filter(kind="shared", closed_at=None).order_by("pk"))


def members(incident: Incident) -> set[int]:
    return set(incident.members.filter(recovered_at=None).values_list("machine_id", flat=True))


def suspected(site_id: int) -> frozenset[str] | None:
    return views.site_view(automation_of(site_id), timezone.now()).suspicious


def lose_contact(machines: Sequence[Machine], *, sweeps: int = 2) -> None:
    """Nothing is heard any more, and no look comes back that could say so; `sweeps` were begun since."""
    MachineHealth.objects.filter(pk__in=machines).update(last_seen_at=ago(800))
    for number in range(sweeps):
        Sweep.objects.create(
            site_id=site_of(machines), kind="scheduled", slot_at=ago(600 - number), started_at=ago(600 - number)
        )
    unreachable.mark_unreachable()


# ---- detection is never muted ----


@pytest.mark.slow  # the pure rule is in `remediation.test_causes`
def test_three_different_faults_on_three_machines_mute_nothing() -> None:
    machines = hall(12)
    fail(machines[:1], make.xid(code=79))
    fail(machines[1:2], make.xid(code=48))
    fail(machines[4:5], make.nvlink())
    site_id = site_of(machines)
    automation.round_of(site_id)
    assert suspected(site_id) == frozenset() and not shared() and not ObserveOnly.objects.exists()
    fail(machines[8:9], make.nvlink(2))
    assert Fault.objects.get(machine=machines[8]).status == "confirmed"
    assert make.health(machines[8]).state == "drained", "the next dead NVLink is drained like any other"


@pytest.mark.slow
def test_faults_of_a_suspected_kind_still_open_and_only_automation_leaves_them_alone() -> None:
    machines = hall(16)
    for machine in machines[::4]:
        fail([machine], memory_fault())
    site_id = site_of(machines)
    automation.round_of(site_id)
    (incident,) = shared()
    assert (incident.cause_kind, incident.fault_class, incident.code) == ("site", "gpu.memory", "row remap pending")
    assert suspected(site_id) == {"gpu.memory: row remap pending"}
    late = machines[1]
    fail([late], memory_fault(2), seconds_ago=50)
    fault = Fault.objects.get(machine=late)
    assert (fault.status, fault.incident) == ("confirmed", incident) and make.health(late).worst == "fail"
    assert make.health(late).state == "ready" and fault.drain == "stopped"
    automation.round_of(site_id)
    assert late.pk in members(incident) and not ObserveOnly.objects.exists()
    assert make.health(late).state == "ready"


@pytest.mark.slow
def test_another_trouble_than_the_suspected_one_is_acted_upon() -> None:
    machines = hall(16)
    for machine in machines[::4]:
        fail([machine], memory_fault())
    automation.round_of(site_of(machines))
    fail(machines[1:2], make.gone())
    assert make.health(machines[1]).state == "drained"
    assert Incident.objects.get(machine=machines[1], closed_at=None).kind == "machine"


@pytest.mark.slow
@pytest.mark.parametrize(
    "limits", [{"suspicious_share": 1.0}, pytest.param({"suspicious_machines": 5}, marks=pytest.mark.slow)]
)
def test_what_counts_as_too_many_is_the_sites_to_set(limits: dict[str, Any]) -> None:
    machines = hall(16, **limits)
    for machine in machines[::4]:
        fail([machine], memory_fault())
    automation.round_of(site_of(machines))
    assert not shared() and suspected(site_of(machines)) == frozenset()


def scattered() -> tuple[list[Machine], Incident]:
    machines = hall(24)
    for machine in machines[:16:4]:
        fail([machine], memory_fault())
    automation.round_of(site_of(machines))
    (incident,) = shared()
    return machines, incident


def is_acted_upon(machine: Machine) -> bool:
    fail([machine], memory_fault(3), seconds_ago=40)
    return make.health(machine).state == "drained"


@pytest.mark.slow
def test_suspicion_ends_by_itself_and_the_incident_goes_on() -> None:
    machines, incident = scattered()
    assert incident.suspect_until is not None and not is_acted_upon(machines[17])
    Incident.objects.filter(pk=incident.pk).update(suspect_until=ago(1))
    assert suspected(site_of(machines)) == frozenset()
    assert is_acted_upon(machines[21]) and shared() == [incident]


@pytest.mark.slow
def test_a_person_lifts_the_suspicion_and_it_stays_lifted() -> None:
    machines, incident = scattered()
    mass.lift(incident.pk, by="olga", reason="two of them are really broken")
    automation.round_of(site_of(machines))
    incident.refresh_from_db()
    assert (incident.lifted_by, incident.suspect_until) == ("olga", None)
    assert suspected(site_of(machines)) == frozenset() and is_acted_upon(machines[17])
    (told,) = [each for each in events("incident.changed") if each.actor == "olga"]
    assert told.data["incident"] == incident.pk


@pytest.mark.slow
def test_suspicion_ends_with_its_incident_and_each_fault_gets_its_own_ticket_then() -> None:
    machines, incident = scattered()
    incidents.close_by_person(incident.pk, by="ada", reason="they are really broken")
    automation.round_of(site_of(machines))
    assert not shared() and suspected(site_of(machines)) == frozenset()
    assert Incident.objects.filter(kind="machine", closed_at=None).count() == 4
    told = {event.data["fault"] for event in events("fault.seen_again")}
    assert told >= set(Fault.objects.filter(led_by=None).values_list("pk", flat=True))


# ---- a mass loss of contact ----


def test_a_third_of_the_machines_that_is_lost_at_once_is_one_incident_and_every_fault_is_there() -> None:
    machines = hall(24)
    lost = machines[::3]
    fail(lost, heard=False)
    automation.round_of(site_of(machines))
    (incident,) = shared()
    assert incident.cause_kind == "site" and members(incident) == {machine.pk for machine in lost}
    assert incident.title == "8 machines lost contact: no known common cause"
    assert set(Fault.objects.filter(fault_class="machine.unreachable").values_list("machine_id", flat=True)) == {
        machine.pk for machine in lost
    }
    assert not Incident.objects.filter(kind="machine", closed_at=None).exists()


def test_machines_that_fall_silent_without_a_fault_are_one_incident_too() -> None:
    machines = hall(16)
    lost = machines[4:8]
    lose_contact(lost)
    assert not Fault.objects.exists() and {make.health(each).reachability for each in lost} == {"late"}
    automation.round_of(site_of(machines))
    (incident,) = shared()
    assert (incident.cause_kind, incident.cause) == ("rack", "R01")
    assert members(incident) == {machine.pk for machine in lost}
    assert incident.title == "4 machines lost contact: rack R01"
    fail(lost[:1], memory_fault(), seconds_ago=20)
    assert make.health(lost[0]).state == "ready", "automation leaves its machines alone"


def test_while_nobody_asked_the_machines_their_silence_is_no_loss() -> None:
    machines = hall(16)
    lose_contact(machines, sweeps=1)
    automation.round_of(site_of(machines))
    assert {make.health(each).reachability for each in machines} == {"late"} and not shared()


@pytest.mark.slow
def test_sweeps_that_a_restart_cut_off_or_that_wait_for_a_worker_asked_nobody() -> None:
    machines = hall(12)
    lose_contact(machines)
    cut_off, waiting = Sweep.objects.filter(kind="scheduled").order_by("pk")
    for sweep, status in ((cut_off, "running"), (waiting, "waiting")):
        sweep.shards.create(number=0, machine_ids=[each.pk for each in machines], status=status)
    site_id = site_of(machines)
    automation.round_of(site_id)
    assert not shared(), "nobody asked them since they were heard last"
    SweepShard.objects.update(status="done")
    automation.round_of(site_id)
    assert len(shared()) == 1


@pytest.mark.slow  # the pure rule is in `remediation.test_causes`
def test_earlier_faults_of_another_kind_are_not_bundled_with_a_loss() -> None:
    machines = hall(16)
    fail(machines[4:5], memory_fault(), seconds_ago=190)
    fail(machines[8:9], make.docker_down(), seconds_ago=190)
    lose_contact([machines[6], machines[5], machines[7]])
    automation.round_of(site_of(machines))
    (incident,) = shared()
    assert members(incident) == {machine.pk for machine in machines[5:8]}
    assert Fault.objects.get(machine=machines[4]).incident.kind == "machine"


@pytest.mark.slow  # the pure rule is in `remediation.test_causes`
def test_alike_faults_of_another_hour_are_no_part_of_what_fails_now() -> None:
    machines = hall(16, suspicious_share=1.0)
    fail(machines[:2], memory_fault())
    Fault.objects.update(confirmed_at=ago(3600))
    fail(machines[2:3], memory_fault(), seconds_ago=50)
    mass.look(site_of(machines))
    assert not shared(), "two of an hour ago and one of now are not three at once"
    fail(machines[3:4], memory_fault(), seconds_ago=50)
    SiteAutomation.objects.update(cause_window_s=7200)
    mass.look(site_of(machines))
    (incident,) = shared()
    assert incident.cause == "R00" and len(members(incident)) == 4, "what is one window is the site's to set"


@pytest.mark.slow
def test_a_loss_that_grows_stays_one_incident_with_a_wider_cause() -> None:
    machines = hall(32, suspicious_share=0.2)
    fail(machines[:3], heard=False)
    automation.round_of(site_of(machines))
    (first,) = shared()
    assert (first.cause_kind, first.cause) == ("rack", "R00")
    fail([machines[3], *machines[4:32:2]], heard=False, seconds_ago=60)
    automation.round_of(site_of(machines))
    (incident,) = shared()
    assert incident.pk == first.pk and incident.cause_kind in ("site", "room")
    assert len(members(incident)) == 18 and incident.title.startswith("18 machines")


@pytest.mark.slow
def test_an_incident_ends_when_all_its_machines_are_heard_again() -> None:
    machines = hall(16, automation="dry_run")  # in service a pass clears a fault
    fail(machines[4:7], heard=False)
    lose_contact(machines[7:8])
    automation.round_of(site_of(machines))
    (incident,) = shared()
    assert len(members(incident)) == 4
    pass_again(machines[4:6])
    automation.round_of(site_of(machines))
    assert len(members(incident)) == 2 and shared() == [incident]
    pass_again(machines[6:8])
    automation.round_of(site_of(machines))
    incident.refresh_from_db()
    assert incident.close_reason == "all 4 machines pass again" and not shared()
    assert events("incident.closed")[-1].data["incident"] == incident.pk


@pytest.mark.slow
def test_what_a_person_said_is_mended_and_is_not_is_told_with_the_time_that_it_had() -> None:
    machines = hall(16)
    fail(machines[4:8], heard=False)
    automation.round_of(site_of(machines))
    (incident,) = shared()
    assert mass.ask_to_verify(incident.pk, actor="tom")
    automation.round_of(site_of(machines))
    assert not events("incident.still_failing")
    Incident.objects.update(verify_by=ago(1))
    automation.round_of(site_of(machines))
    automation.round_of(site_of(machines))
    (told,) = events("incident.still_failing")
    assert told.data["incident"] == incident.pk and shared() == [incident]


# ---- causes ----


@pytest.mark.slow
def test_machines_of_one_rack_that_fail_alike_are_one_incident_and_automation_stops() -> None:
    machines = hall(16, suspicious_share=1.0)
    fail(machines[:3], memory_fault())
    site_id = site_of(machines)
    automation.round_of(site_id)
    (incident,) = shared()
    assert (incident.cause_kind, incident.cause, incident.faults.count()) == ("rack", "R00", 3)
    assert "75% of the machines of rack R00" in incident.text
    assert not Incident.objects.filter(kind="machine", closed_at=None).exists()
    assert all(step(machine.pk) is None for machine in machines[:3])
    automation.round_of(site_id)
    assert shared() == [incident], "a second round changes nothing"
    incidents.close_by_person(incident.pk, by="ada", reason="the PDU is back")
    automation.round_of(site_id)
    assert not shared(), "what a person explained stays explained"
    assert Incident.objects.filter(kind="machine", closed_at=None).count() == 3


@pytest.mark.slow  # the pure rule is in `remediation.test_causes`
def test_unlike_faults_behind_one_rack_have_nothing_in_common() -> None:
    machines = hall(16)
    fail(machines[:1], memory_fault())
    fail(machines[1:2], make.gone())
    fail(machines[2:3], make.docker_down())
    automation.round_of(site_of(machines))
    assert not shared() and Incident.objects.filter(kind="machine", closed_at=None).count() == 3
    assert {make.health(machine).state for machine in machines[:3]} == {"drained"}


@pytest.mark.slow
def test_a_new_version_that_the_failing_machines_share_is_the_cause() -> None:
    machines = hall(24)
    updated = machines[::3]
    for machine in updated:
        FactChange.objects.create(machine=machine, at=ago(7200), fact="driver", before="550.127", after="560.35")
    fail(updated[:7], memory_fault())
    automation.round_of(site_of(machines))
    (incident,) = shared()
    assert (incident.cause_kind, incident.cause) == ("rollout", "GPU driver 560.35")
    assert len(members(incident)) == 7


@pytest.mark.slow
def test_a_machine_without_the_new_version_is_no_part_of_its_incident_and_one_with_it_is() -> None:
    machines = hall(24)
    for machine in machines[::3]:
        FactChange.objects.create(machine=machine, at=ago(7200), fact="driver", before="550.127", after="560.35")
    fail(machines[:21:3], memory_fault())
    automation.round_of(site_of(machines))
    (incident,) = shared()
    without, updated = machines[1], machines[21]
    fail([without, updated], memory_fault(2), seconds_ago=50)
    assert Fault.objects.get(machine=updated).incident == incident
    assert Fault.objects.get(machine=without).incident.kind == "machine"
    assert updated.pk in members(incident) and without.pk not in members(incident)


@pytest.mark.slow
def test_a_version_that_came_long_ago_is_no_cause() -> None:
    machines = hall(24)
    for machine in machines[::3]:
        FactChange.objects.create(machine=machine, at=ago(8 * 86_400), fact="driver", before="550.127", after="560.35")
    fail(machines[::3], memory_fault())
    automation.round_of(site_of(machines))
    assert [incident.cause_kind for incident in shared()] == ["site"]


# ---- the ticket waits for a round ----


@pytest.mark.slow
def test_the_ticket_of_a_fault_that_others_have_too_waits_for_one_round_only() -> None:
    machines = hall(64, suspicious_share=1.0)
    fail(machines[::16], memory_fault())
    waiting = Incident.objects.filter(cause_due=True)
    assert waiting.count() == 2, "from the third on"
    before = len(events("fault.seen_again"))
    automation.round_of(site_of(machines))
    assert not shared() and not waiting.exists()
    assert len(events("fault.seen_again")) == before + 2, "now their tickets open"


# ---- above the floor ----


@pytest.mark.slow
def test_an_open_mass_failure_stands_above_the_floor_until_it_is_over() -> None:
    machines = hall(16, automation="dry_run")
    fail(machines[4:8], heard=False)
    site_id = site_of(machines)
    automation.round_of(site_id)
    (incident,) = shared()
    (notice,) = [each for each in notices_of(site_id) if each["kind"] == "incident"]
    assert notice["text"] == "4 machines lost contact: rack R01." and notice["level"] == "error"
    assert notice["since"] == incident.opened_at.isoformat()
    assert (
        notice["link"] == f"/automation/incidents/{incident.pk}" and "leaves its machines alone" in notice["what_to_do"]
    )
    told = [each["kind"] for each in events("notice.changed")[-1].data["notices"]]
    assert "incident" in told
    pass_again(machines)
    automation.round_of(site_id)
    assert not [each for each in notices_of(site_id) if each["kind"] == "incident"]
    assert not [each for each in events("notice.changed")[-1].data["notices"] if each["kind"] == "incident"]


@pytest.mark.slow
def test_a_suspicion_stands_above_the_floor_until_it_is_lifted() -> None:
    machines, incident = scattered()
    site_id = site_of(machines)

    def shown() -> list[dict[str, Any]]:
        return [each for each in notices_of(site_id) if each["kind"] == "suspicion"]

    (notice,) = shown()
    assert "gpu.memory: row remap pending" in notice["text"] and "drains and remedies" in notice["text"]
    mass.lift(incident.pk, by="olga", reason="they are really broken")
    assert shown() == []
    assert [e for e in events("notice.changed")[-1].data["notices"] if e["kind"] == "suspicion"] == []


# ---- the budget of a cause ----


@pytest.mark.slow
def test_a_third_machine_of_a_rack_with_alike_faults_is_kept_in_service_and_an_unlike_one_is_not() -> None:
    machines = hall(16, suspicious_share=1.0)
    fail(machines[:2], memory_fault())
    assert [make.health(machine).state for machine in machines[:2]] == ["drained", "drained"]
    fail(machines[2:3], memory_fault())
    assert make.health(machines[2]).state == "ready"
    refused = Incident.objects.get(machine=machines[2]).refused_by
    assert refused == "common_cause"
    fail(machines[3:4], make.gone())
    assert make.health(machines[3]).state == "drained"


@pytest.mark.slow
def test_machines_of_an_incident_are_not_tried_again_and_again() -> None:
    machines = hall(16)
    fail(machines[:4], memory_fault())
    automation.round_of(site_of(machines))
    assert drains.drain_waiting() == 0
    planned, _, _ = plans.preview(site_of(machines))
    assert {each.refusal.guard for each in planned if isinstance(each.refusal, Refusal)} == {"common_cause"}
