"""A feed that dies or a row that heats up is one incident with steps; nothing is done before a person says so."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from access.services import EndpointRow, load_endpoints
from core.errors import Conflict
from facility.facts import Measured, Part, Quantity
from facility.findings.models import Finding
from facility.findings.services import set_policy
from facility.overview import sums
from facility.overview.incidents import priorities_of
from facility.proposals import hands, services
from facility.proposals.models import Proposal
from facility.proposals.steps import owner_of
from facility.tests.conftest import Hall
from health.machines.lifecycle import State
from health.machines.services.changes import lift_hold, place_hold
from health.models import Hold, MachineHealth, Pool, SchedulerJob, SchedulerSource, SiteAutomation

pytestmark = pytest.mark.django_db


def add_up(hall: Hall) -> None:
    sums.add_up_site(hall.site.pk, timezone.now())


def warm_fast(hall: Hall, c_per_min: float = 3.0) -> None:
    """A probe on the PDU of rack A01 gets warmer."""
    now = timezone.now()
    hall.tell_all(now - timedelta(seconds=1))
    for n in range(10):
        at = now - timedelta(seconds=30 * (9 - n))
        probe = Measured(Part.SENSOR, "Top", Quantity.TEMPERATURE_C, 22 + c_per_min * n / 2)
        hall.tell_pdu("pdu-a01-a", 16_800.0, probe, at=at)


def post(client: APIClient, proposal: Proposal, what: str) -> Any:
    return client.post(f"/api/facility/proposals/{proposal.pk}/{what}/")


def test_air_that_warms_fast_is_one_incident_of_its_row_with_the_mildest_step_first(hall: Hall) -> None:
    warm_fast(hall)
    add_up(hall)
    (row,) = Proposal.objects.all()
    assert row.incident.startswith("row:") and row.state == "proposed" and row.dry_run
    actions = [step["action"] for step in row.steps]
    assert actions[0] == "stop_new_jobs" and actions[-1] == "feed_off" and not row.steps[-1]["reversible"]
    assert len(row.machines) > 4 and set(row.machines) >= {"hgx-a01-01"}
    add_up(hall)
    assert Proposal.objects.count() == 1


def test_a_dead_feed_is_one_incident_and_its_supplies_are_in_it(hall: Hall) -> None:
    hall.tell_all()
    hall.tell_pdu("pdu-a01-a", 0.0)
    beside = [each for each in hall.machines if "-a01-" in each.device.name]
    for machine in beside:
        hall.tell_machine(machine, psus=[0.0, 0.0, 0.0, 2_800.0, 2_800.0, 2_800.0])
    add_up(hall)
    assert Finding.objects.filter(kind="psu.idle", closed_at=None).count() >= 4
    (row,) = Proposal.objects.all()
    assert row.incident.startswith("feed:") and set(row.machines) == {each.device.name for each in beside}


def test_while_acting_is_off_an_approval_is_a_dry_run_and_no_machine_is_held(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    warm_fast(hall)
    add_up(hall)
    row = Proposal.objects.get()
    assert post(as_role("viewer"), row, "approve").status_code == 403
    answer = post(as_role("operator"), row, "approve")
    assert answer.status_code == 200 and {step["state"] for step in answer.json()["steps"]} == {"dry run"}
    services.carry_out(row.pk)
    assert not Hold.objects.exists()
    assert post(as_role("operator"), row, "approve").status_code == 409


def test_what_was_approved_as_a_dry_run_is_asked_again_once_acting_is_switched_on(hall: Hall) -> None:
    warm_fast(hall)
    add_up(hall)
    row = services.approve(Proposal.objects.get(), by="olga")
    add_up(hall)
    row.refresh_from_db()
    assert (row.state, row.dry_run) == ("approved", True), "while it is off, nothing is asked twice"
    set_policy(hall.site.pk, acting=True)
    add_up(hall)
    row.refresh_from_db()
    assert (row.state, row.dry_run, row.decided_by) == ("proposed", False, "")
    services.approve(row, by="olga")
    services.carry_out(row.pk)
    assert Hold.objects.exists()


def test_with_acting_on_an_approval_holds_the_machines_once_and_taking_it_back_lifts_the_holds(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    set_policy(hall.site.pk, acting=True)
    warm_fast(hall)
    add_up(hall)
    row = Proposal.objects.get()
    operator = as_role("operator")
    answer = post(operator, row, "approve")
    states = {step["action"]: step["state"] for step in answer.json()["steps"]}
    assert states == {"stop_new_jobs": "doing", "shut_down": "offered", "feed_off": "by hand"}
    services.carry_out(row.pk)
    services.carry_out(row.pk)
    held = Hold.objects.filter(owner=f"power:{row.pk}", lifted_at=None)
    assert held.count() == len(row.steps[0]["machine_ids"]) > 0
    row.refresh_from_db()
    assert row.steps[0]["state"] == "done"
    assert {state for (state,) in MachineHealth.objects.values_list("state")} <= {"draining", "drained", "ready"}
    assert post(operator, row, "undo").json()["steps"][0]["state"] == "undoing"
    services.carry_out(row.pk)
    assert not held.exists() and post(operator, row, "undo").status_code == 409
    back = MachineHealth.objects.filter(pk__in=row.steps[0]["machine_ids"]).values_list("state", flat=True)
    assert set(back) == {"ready"}, "what was in service returns to it"


def test_an_approval_of_what_is_no_dry_run_any_more_is_refused(hall: Hall, as_role: Callable[..., APIClient]) -> None:
    warm_fast(hall)
    add_up(hall)
    row = Proposal.objects.get()
    set_policy(hall.site.pk, acting=True)
    answer = as_role("operator").post(f"/api/facility/proposals/{row.pk}/approve/", {"dry_run": True}, format="json")
    assert answer.status_code == 409 and "switched on meanwhile" in answer.json()["error"]["message"]
    row.refresh_from_db()
    assert row.state == "proposed"


def test_nothing_goes_on_once_acting_is_switched_off(hall: Hall) -> None:
    row = approved(hall)
    set_policy(hall.site.pk, acting=False)
    services.carry_out(row.pk)
    row.refresh_from_db()
    assert row.steps[0]["message"] == "acting was switched off meanwhile" and not Hold.objects.exists()


def test_the_kill_switch_stops_it_before_the_first_machine(hall: Hall, driver: Hands) -> None:
    row = limited(hall)
    SiteAutomation.objects.update_or_create(
        site=hall.site,
        defaults={"killed": True, "killed_by": "mia", "killed_reason": "fire drill", "killed_at": timezone.now()},
    )
    services.carry_out(row.pk)
    row.refresh_from_db()
    assert {step["state"] for step in row.steps if step["action"] in ("stop_new_jobs", "limit_power")} == {"failed"}
    assert "fire drill" in row.steps[0]["message"] and not Hold.objects.exists() and not driver.limits


# ---- limits and power, with hands that only write down what they are told ----


class Hands:
    """GPUs with their limits and machines with their power, as the drivers would tell."""

    def __init__(self) -> None:
        self.limits: dict[int, dict[str, float]] = {}
        self.off: set[int] = set()
        self.silent: set[int] = set()
        self.orders: list[tuple[str, list[int]]] = []

    def gpu_limits(self, machines: Collection[int]) -> dict[int, hands.GpuLimits]:
        silent = hands.GpuLimits({}, "no answer")
        return {
            pk: silent
            if pk in self.silent
            else hands.GpuLimits(dict(self.limits.setdefault(pk, {"0": 700.0, "1": 700.0})))
            for pk in machines
        }

    def set_gpu_limits(self, wanted: Mapping[int, Mapping[str, float]]) -> dict[int, str]:
        for pk, limits in wanted.items():
            if pk not in self.silent:
                self.limits[pk] |= limits
        return {pk: "no answer" if pk in self.silent else "" for pk in wanted}

    def power_states(self, machines: Collection[int]) -> dict[int, str]:
        return {pk: "off" if pk in self.off else "on" for pk in machines}

    def order_power(self, machines: Collection[int], action: str) -> dict[int, str]:
        if machines:
            self.orders.append((action, list(machines)))
        return dict.fromkeys(machines, "")

    def go_down(self) -> None:
        """What was ordered to shut down has done so."""
        self.off |= {pk for action, ids in self.orders for pk in ids if action == "graceful_off"}


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Hands:
    found = Hands()
    for name in ("gpu_limits", "set_gpu_limits", "power_states", "order_power"):
        monkeypatch.setattr(hands, name, getattr(found, name))
    return found


def step_of(row: Proposal, action: str) -> dict[str, Any]:
    row.refresh_from_db()
    return next(dict(step) for step in row.steps if step["action"] == action)


def limited(hall: Hall) -> Proposal:
    """Approved where the site wants 60 % in an emergency, of GPUs that its model limits to 700 W."""
    set_policy(hall.site.pk, acting=True, emergency_gpu_percent=60, shut_down_at_once=2)
    return approved(hall)


def test_a_power_cap_lowers_each_gpu_and_taken_back_each_has_its_own_limit_again(hall: Hall, driver: Hands) -> None:
    row = limited(hall)
    ids = step_of(row, "limit_power")["machine_ids"]
    driver.limits[ids[0]] = {"0": 700.0, "1": 400.0}
    driver.silent = {ids[1]}
    services.carry_out(row.pk)
    step = step_of(row, "limit_power")
    assert step["text"] == f"Limit the GPUs of {len(ids)} machines to 420 W."
    assert driver.limits[ids[0]] == {"0": 420.0, "1": 400.0}, "what is lower already stays"
    assert (
        step["state"] == "failed"
        and step["message"] == f"{len(ids) - 1} of {len(ids)} machines have their GPUs limited"
    )
    assert step["progress"][str(ids[1])]["message"] == "no answer"
    services.undo(row, by="olga")
    services.carry_out(row.pk)
    assert driver.limits[ids[0]] == {"0": 700.0, "1": 400.0}
    assert step_of(row, "limit_power")["state"] == "undone"


def test_a_shut_down_waits_for_a_person_and_goes_in_order_so_many_at_a_time(hall: Hall, driver: Hands) -> None:
    row = limited(hall)
    services.carry_out(row.pk)
    step = step_of(row, "shut_down")
    assert step["state"] == "offered" and not driver.orders
    services.begin_step(row, step["order"], by="olga")
    with pytest.raises(Conflict):
        services.begin_step(row, step["order"], by="olga")
    ids = step["machine_ids"]
    services.carry_out(row.pk)
    services.carry_out(row.pk)
    assert driver.orders == [("graceful_off", ids[:2])], "no more before these are off"
    driver.off |= set(ids[:2])
    services.carry_out_left()
    assert driver.orders[-1] == ("graceful_off", ids[2:4])
    while step_of(row, "shut_down")["state"] == "doing":
        driver.go_down()
        services.carry_out_left()
    assert step_of(row, "shut_down")["message"] == f"{len(ids)} of {len(ids)} machines are off"
    assert set(MachineHealth.objects.filter(pk__in=ids).values_list("state", flat=True)) <= {"maintenance", "draining"}
    driver.orders.clear()
    services.undo(row, by="olga")
    services.carry_out(row.pk)
    assert driver.orders == [("on", ids)] and step_of(row, "shut_down")["state"] == "undone"


def shut_down(row: Proposal, driver: Hands) -> list[int]:
    """Begun by a person and gone to its end; answers its machines in order."""
    step = step_of(row, "shut_down")
    services.begin_step(row, step["order"], by="olga")
    services.carry_out(row.pk)
    while step_of(row, "shut_down")["state"] == "doing":
        driver.go_down()
        services.carry_out_left()
    return list(step["machine_ids"])


def test_what_was_off_before_a_shut_down_stays_off_when_that_is_taken_back(hall: Hall, driver: Hands) -> None:
    row = limited(hall)
    first, *others = step_of(row, "shut_down")["machine_ids"]
    driver.off = {first}
    shut_down(row, driver)
    step = step_of(row, "shut_down")
    assert (step["state"], step["progress"][str(first)]["message"]) == ("done", "it was off before")
    assert MachineHealth.objects.get(pk=first).state != State.MAINTENANCE, "nobody touched it"
    driver.orders.clear()
    services.undo(row, by="olga")
    services.carry_out(row.pk)
    assert driver.orders == [("on", others)] and step_of(row, "shut_down")["state"] == "undone"


def test_what_somebody_works_on_is_not_powered_on_from_afar(hall: Hall, driver: Hands) -> None:
    row = limited(hall)
    planned, broken, *others = step_of(row, "shut_down")["machine_ids"]
    until = timezone.now() + timedelta(hours=9)
    MachineHealth.objects.filter(pk=planned).update(state=State.MAINTENANCE, maintenance_until=until)
    shut_down(row, driver)
    MachineHealth.objects.filter(pk=broken).update(state=State.REPAIR)
    driver.orders.clear()
    services.undo(row, by="olga")
    services.carry_out(row.pk)
    step = step_of(row, "shut_down")
    assert driver.orders == [("on", others)] and step["state"] == "undone"
    assert step["message"] == "taken back by olga; 2 left as they are: somebody works on them"
    assert MachineHealth.objects.get(pk=planned).maintenance_until == until, "their maintenance goes on"


def test_what_shares_its_bmc_with_others_is_left_to_hands(hall: Hall, driver: Hands) -> None:
    row = limited(hall)
    step = step_of(row, "shut_down")
    first, second, *others = step["machine_ids"]
    names = {machine.pk: machine.device.name for machine in hall.machines}
    load_endpoints(
        [EndpointRow(names[pk], "redfish", "10.9.9.9", 443) for pk in (first, second)], site_slug=hall.site.slug
    )
    services.begin_step(row, step["order"], by="olga")
    services.carry_out(row.pk)
    progress = step_of(row, "shut_down")["progress"]
    assert "carries other machines too" in progress[str(first)]["message"] and not driver.orders
    services.carry_out(row.pk)
    assert driver.orders == [("graceful_off", others[:2])]
    driver.orders.clear()
    services.undo(row, by="olga")
    services.carry_out(row.pk)
    assert driver.orders == [("on", others[:2])], "what was left to hands is left to them"


def test_machines_of_pools_with_a_lower_priority_go_down_first_and_idle_ones_before_those_with_jobs(hall: Hall) -> None:
    pool, other = Pool.objects.all()[0], hall.machines[0]
    Pool.objects.update(priority=5)
    low = Pool.objects.create(site=hall.site, role="test", model=pool.model, priority=1)
    MachineHealth.objects.filter(pk=other.pk).update(pool=low)
    source = SchedulerSource.objects.create(site=hall.site, kind="slurm", local=True, period_s=60, stale_after_s=300)
    busy = hall.machines[1].pk
    SchedulerJob.objects.create(
        source=source, job_id="1", started_at=timezone.now(), state="running", machine_count=1, machine_ids=[busy]
    )
    found = priorities_of(hall.site.pk)
    assert found[other.pk] < found[hall.machines[2].pk] < found[busy]


def test_a_worker_that_dies_before_its_order_is_followed_by_one_that_gives_it(hall: Hall, driver: Hands) -> None:
    row = limited(hall)
    step = step_of(row, "shut_down")
    services.begin_step(row, step["order"], by="olga")
    row.refresh_from_db()
    for each in row.steps:
        if each["action"] == "shut_down":
            at = timezone.now().isoformat()
            each["progress"] = {str(each["machine_ids"][0]): {"state": "doing", "message": "", "before": {}, "at": at}}
    row.save()
    services.carry_out(row.pk)
    assert driver.orders[0][1][0] == step["machine_ids"][0]


def test_what_does_not_go_down_in_time_is_left_to_hands(hall: Hall, driver: Hands) -> None:
    row = limited(hall)
    step = step_of(row, "shut_down")
    services.begin_step(row, step["order"], by="olga")
    services.carry_out(row.pk)
    row.refresh_from_db()
    for each in row.steps:
        for told in each.get("progress", {}).values():
            told["at"] = (timezone.now() - timedelta(minutes=11)).isoformat()
    row.save()
    services.carry_out(row.pk)
    progress = step_of(row, "shut_down")["progress"]
    assert progress[str(step["machine_ids"][0])] | {"at": "", "before": {}, "ordered": True} == {
        "state": "failed", "message": "it is on after 10 minutes", "at": "", "before": {}, "ordered": True,
    }  # fmt: skip


def test_what_was_dismissed_does_not_come_back_while_it_lasts_and_what_is_gone_is_over(
    hall: Hall, as_role: Callable[..., APIClient]
) -> None:
    warm_fast(hall)
    add_up(hall)
    row = Proposal.objects.get()
    assert post(as_role("operator"), row, "dismiss").json()["state"] == "dismissed"
    add_up(hall)
    assert Proposal.objects.get().state == "dismissed"
    later = timezone.now() + timedelta(minutes=20)
    sums.add_up_site(hall.site.pk, later)
    assert Proposal.objects.get().state == "dismissed", "nothing was heard of it since"
    hall.tell_all(later)
    sums.add_up_site(hall.site.pk, later)
    assert Proposal.objects.get().state == "over"


def approved(hall: Hall) -> Proposal:
    """Approved with acting on; the task that carries it out is lost."""
    set_policy(hall.site.pk, acting=True)
    warm_fast(hall)
    add_up(hall)
    return services.approve(Proposal.objects.get(), by="olga")


def test_what_was_approved_and_lost_on_the_way_is_carried_out_later_though_its_cause_is_gone(hall: Hall) -> None:
    row = approved(hall)
    hall.tell_all()
    add_up(hall)
    row.refresh_from_db()
    assert (row.state, row.steps[0]["state"]) == ("approved", "doing")
    services.carry_out_left()
    row.refresh_from_db()
    assert row.steps[0]["state"] == "done"
    assert Hold.objects.filter(owner=f"power:{row.pk}", lifted_at=None).count() == len(row.steps[0]["machine_ids"])
    add_up(hall)
    assert Proposal.objects.get().state == "over"


def test_what_is_not_carried_out_to_its_end_can_be_taken_back(hall: Hall) -> None:
    row = approved(hall)
    place_hold(row.steps[0]["machine_ids"][0], owner=owner_of(row), reason="heat", actor="olga", drain=True)
    services.undo(row, by="olga")
    services.carry_out_left()
    row.refresh_from_db()
    assert row.steps[0]["state"] == "undone" and not Hold.objects.filter(lifted_at=None).exists()


def test_it_is_taken_back_only_when_every_hold_is_lifted(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    row = approved(hall)
    services.carry_out(row.pk)
    stubborn = row.steps[0]["machine_ids"][0]

    def lift(machine: int, **told: Any) -> bool:
        if machine == stubborn:
            raise ValueError("not now")
        return lift_hold(machine, **told)

    with monkeypatch.context() as patched:
        patched.setattr("health.services.lift_hold", lift)
        services.undo(row, by="olga")
        services.carry_out(row.pk)
    assert row.state == "approved" and step_of(row, "stop_new_jobs")["message"].startswith("1 of ")
    services.undo(row, by="olga")
    services.carry_out(row.pk)
    assert step_of(row, "stop_new_jobs")["state"] == "undone"
    assert not Hold.objects.filter(lifted_at=None).exists()
