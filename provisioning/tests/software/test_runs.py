"""Software runs from start to end, with a stand-in for Ansible: who is touched, when, and what is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.tests.fleet import first_contact, make_credentials, make_machine
from core.models import Role, Site
from core.services import ensure_user
from health import services as health
from health.machines.workload import Workload
from health.models import CurrentVerdict, Hold, MachineHealth
from health.remediation.services import automation
from inventory.models import Machine
from inventory.specs.device_model import DeviceModelSpec
from live.models import Event
from provisioning.models import SoftwareMachine, SoftwareRun, SoftwareTask
from provisioning.software import progress, services
from provisioning.software.plays.hosts import Host
from provisioning.software.plays.play import Played
from provisioning.software.plays.results import TaskResult
from provisioning.software.words import Outcome
from provisioning.waves import holds
from provisioning.waves.rows import RunRefused

RUNS = "/api/provisioning/software/runs/"
ROLES = "/api/provisioning/software/roles/"
TESTED = Path(__file__).parent / "roles"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHzHvmz7bKXcF2rm1Wmrd6MYwGG8yzX5xDsBdCqIxkFH"
COMPLETE = Played(complete=True, cancelled=False, text="")
pytestmark = pytest.mark.django_db


class Ansible:
    """Stands in for a play: what it was asked, and on which machines it fails."""

    def __init__(self) -> None:
        self.plays: list[tuple[str, tuple[str, ...], bool]] = []
        self.hosts: list[Host] = []
        self.fails: dict[str, Outcome] = {}
        self.during: Callable[[], object] = lambda: None
        self.ends = COMPLETE

    def play(
        self, hosts: Sequence[Host], role: str, *, check: bool, on_result: Callable[[Host, TaskResult], None], **_: Any
    ) -> Played:
        self.plays.append((role, tuple(host.name for host in hosts), check))
        self.hosts.extend(hosts)
        self.during()
        for host in hosts:
            if self.ends is COMPLETE or host.name in self.fails:
                outcome = self.fails.get(host.name, Outcome.CHANGED)
                on_result(host, TaskResult(host.name, role, "It is done", outcome, f"{role} here", 0.1))
        return self.ends


@pytest.fixture
def ansible(monkeypatch: pytest.MonkeyPatch) -> Ansible:
    found = Ansible()
    monkeypatch.setattr(progress, "play", found.play)
    monkeypatch.setattr(services, "take_turn", lambda run_id: None)
    monkeypatch.setenv("RACKSIDE_SOFTWARE_ROLES", str(TESTED))
    idle = Workload(heard=True, running="", logins=0)
    monkeypatch.setattr(holds, "workloads_of", lambda ids: dict.fromkeys(ids, idle))
    return found


def machines(count: int, state: str = "drained", site: Site | None = None) -> list[Machine]:
    make_credentials()
    made = []
    for number in range(Machine.objects.count() + 1, Machine.objects.count() + 1 + count):
        machine = make_machine(f"gpu-{number:03}", site=site, primary_ip=f"10.9.1.{number}")
        MachineHealth.objects.create(machine=machine, state=state)
        first_contact(machine, KEY)
        made.append(machine)
    return made


def begun(on: Sequence[Machine], roles: Sequence[str] = ("files", "slow"), **more: Any) -> SoftwareRun:
    return services.start([each.pk for each in on], roles, actor="olga", **more)


def done(run: SoftwareRun, most: int = 50) -> SoftwareRun:
    """Every turn of a run, as workers take them."""
    for _ in range(most):
        if progress.advance(run.pk) not in ("played",):
            break
    run.refresh_from_db()
    return run


def states(run: SoftwareRun) -> list[str]:
    return list(run.machines.order_by("pk").values_list("status", flat=True))


# ---- going through ----


def test_a_canary_goes_first_then_waves_role_by_role_and_everything_is_kept(ansible: Ansible) -> None:
    run = done(begun(machines(4), dry_run=False, canary=1, limit=2))
    assert [(role, names) for role, names, _ in ansible.plays] == [
        ("files", ("gpu-001",)), ("slow", ("gpu-001",)),
        ("files", ("gpu-002", "gpu-003")), ("slow", ("gpu-002", "gpu-003")),
        ("files", ("gpu-004",)), ("slow", ("gpu-004",)),
    ]  # fmt: skip
    assert run.status == "done" and states(run) == ["ok"] * 4 and run.finished_at
    assert run.machines.first().outcomes == {"files": "changed", "slow": "changed"}
    log = SoftwareTask.objects.filter(run_machine=run.machines.first())
    assert list(log.values_list("n", "role", "outcome", "text")) == [
        (1, "files", "changed", "files here"), (2, "slow", "changed", "slow here"),
    ]  # fmt: skip


def test_a_run_is_a_dry_run_unless_told_otherwise(ansible: Ansible) -> None:
    run = done(begun(machines(1, "ready")))
    assert run.dry_run and [check for *_, check in ansible.plays] == [True, True]
    assert run.status == "done" and not Hold.objects.exists(), "a machine in service stays there"


def test_ansible_is_told_what_the_device_model_expects_and_where_the_machine_is(ansible: Ansible) -> None:
    (machine,) = machines(1)
    model = machine.device.model
    model.spec = DeviceModelSpec.load("dell-xe9680-h100").model_dump(mode="json", by_alias=True, exclude_unset=True)
    model.save()
    done(begun([machine]))
    host = ansible.hosts[0]
    assert (host.address, host.username, host.key, host.known_host) == ("10.9.1.1", "rackside", "key", KEY)
    assert host.variables["expected"]["driver_version"] == "535.129.03"
    assert (host.variables["site"], host.variables["model"]) == ("north", "dell-xe9680-h100")
    assert "key" not in repr(host).replace("known_host", "")


def test_events_tell_of_a_run_while_it_goes(ansible: Ansible) -> None:
    run = done(begun(machines(2)))
    told = Event.objects.filter(kind="software_run.changed", subject=f"software_run:{run.pk}").order_by("id")
    assert told.first().data["totals"]["waiting"] == 2 and told.last().data["status"] == "done"
    assert any(each.data["totals"]["running"] == 1 for each in told)


# ---- failing ----


def test_where_a_canary_fails_no_other_machine_is_touched(ansible: Ansible) -> None:
    on = machines(3)
    ansible.fails = {"gpu-001": Outcome.FAILED}
    run = done(begun(on, dry_run=False))
    assert (run.status, run.message) == ("stopped", "the canary failed")
    assert states(run) == ["failed", "cancelled", "cancelled"]
    assert run.machines.first().message == "It is done: files here"
    assert {name for _, names, _ in ansible.plays for name in names} == {"gpu-001"}


def test_the_run_stops_at_the_share_of_failed_machines(ansible: Ansible) -> None:
    on = machines(9)
    ansible.fails = {"gpu-003": Outcome.UNREACHABLE}
    run = done(begun(on, dry_run=False, limit=3, stop_share=0.25))
    assert run.status == "stopped" and states(run)[2:5] == ["unreachable", "cancelled", "cancelled"]
    tolerant = done(begun(machines(4), dry_run=False, limit=3, stop_share=1))
    assert tolerant.status == "done"


def test_a_machine_that_ansible_says_nothing_of_has_failed(ansible: Ansible) -> None:
    ansible.ends = Played(complete=True, cancelled=False, text="")
    run = done(begun(machines(1)))
    assert states(run) == ["failed"] and "says nothing of this machine" in run.machines.first().message


def test_an_ansible_that_breaks_off_fails_every_machine_with_what_it_said(ansible: Ansible) -> None:
    ansible.ends = Played(complete=False, cancelled=False, text="the role 'files' was not found")
    run = done(begun(machines(2), canary=0))
    assert states(run) == ["failed", "failed"]
    assert run.machines.first().message == "Ansible broke off: the role 'files' was not found"


# ---- machines that may not be touched ----


def test_a_role_that_needs_it_is_refused_on_a_machine_in_service_with_the_reason(ansible: Ansible) -> None:
    on = machines(1, "ready")
    with pytest.raises(RunRefused, match="gpu-001: the role Slow needs a machine out of service"):
        begun(on, dry_run=False)
    assert begun(on, ["files"], dry_run=False).status == "waiting", "another role may"


def test_nothing_is_begun_on_a_machine_that_nobody_can_reach(ansible: Ansible) -> None:
    make_credentials(hosts=["10.9.1.0/24"])
    for name, address in (("known", "10.9.1.1"), ("far", "10.77.0.1"), ("nowhere", None), ("strange", "10.9.1.4")):
        machine = make_machine(name, primary_ip=address)
        MachineHealth.objects.create(machine=machine, state="drained")
        if name != "strange":
            first_contact(machine, KEY)
    MachineHealth.objects.create(machine=make_machine("lost", primary_ip="10.9.1.5"), state="retired")
    with pytest.raises(RunRefused) as refused:
        begun(list(Machine.objects.all()), ["files"])
    assert refused.value.reasons.keys() == {"far", "nowhere", "strange", "lost"}
    assert "host key is not known" in refused.value.reasons["strange"]
    assert not SoftwareRun.objects.exists()


def test_a_machine_is_in_one_open_run(ansible: Ansible) -> None:
    (machine,) = machines(1)
    first = begun([machine])
    with pytest.raises(RunRefused, match=f"already in software run {first.pk}"):
        begun([machine])
    done(first)
    assert begun([machine]).pk != first.pk


def test_a_machine_is_held_out_of_service_while_a_role_needs_it(ansible: Ansible) -> None:
    (machine,) = machines(1)

    def comes_back() -> None:
        if ansible.plays[-1][0] == "slow":
            with pytest.raises(health.NotReady):
                health.return_to_service(machine.pk, reason="it looks fine", actor="ada")

    ansible.during = comes_back
    assert done(begun([machine], dry_run=False)).status == "done"
    assert not Hold.objects.filter(lifted_at=None).exists() and Hold.objects.count() == 1
    health.return_to_service(machine.pk, reason="it is done", actor="ada")


def test_one_that_came_back_to_service_meanwhile_is_refused_and_the_others_go_on(ansible: Ansible) -> None:
    on = machines(3)
    run = begun(on, dry_run=False, limit=2)
    MachineHealth.objects.filter(machine=on[1]).update(state="ready")
    run = done(run)
    assert states(run) == ["ok", "refused", "ok"] and run.status == "done"
    assert "this one is ready" in run.machines.get(machine=on[1]).message
    assert not Hold.objects.filter(lifted_at=None).exists()


def test_a_machine_on_which_something_runs_is_refused(ansible: Ansible, monkeypatch: pytest.MonkeyPatch) -> None:
    busy = Workload(heard=True, running="1 process holds its GPUs (python)", logins=0)
    monkeypatch.setattr(holds, "workloads_of", lambda ids: dict.fromkeys(ids, busy))
    run = done(begun(machines(1), dry_run=False))
    assert states(run) == ["refused"] and "holds its GPUs" in run.machines.first().message
    assert [role for role, *_ in ansible.plays] == ["files"], "the role that needs nothing was done"


def test_a_role_that_was_taken_away_meanwhile_is_refused(ansible: Ansible, monkeypatch: pytest.MonkeyPatch) -> None:
    run = begun(machines(1))
    monkeypatch.setenv("RACKSIDE_SOFTWARE_ROLES", "")
    assert "there is no role files any more" in done(run).machines.first().message


# ---- stopped from outside ----


def test_the_kill_switch_holds_a_real_run_back_and_a_dry_run_not(ansible: Ansible) -> None:
    real, dry = begun(machines(1), dry_run=False), begun(machines(1))
    automation.kill(real.site_id, reason="the cluster is odd", actor="ada")
    for _ in range(5):
        assert progress.advance(real.pk) == "waits" and not ansible.plays
    real.refresh_from_db()
    assert "the cluster is odd" in real.message and real.status in ("waiting", "running")
    assert services.next_in_turn() == dry.pk, "nobody waits behind it"
    assert done(dry).status == "done"
    automation.release(real.site_id, reason="over", actor="ada")
    real = done(real)
    assert (real.status, real.message) == ("done", "")


def test_a_cancelled_run_begins_nothing_more_and_says_who_cancelled_it(ansible: Ansible) -> None:
    run = begun(machines(2), dry_run=False)

    def cancelled() -> None:
        services.cancel(run.pk, actor="ada")
        ansible.ends = Played(complete=False, cancelled=True, text="")

    ansible.during = cancelled
    run = done(run)
    assert (run.status, run.message) == ("cancelled", "cancelled by ada")
    assert states(run) == ["cancelled", "cancelled"] and len(ansible.plays) == 1
    assert not services.cancel(run.pk, actor="ada")


# ---- workers that are lost ----


def test_a_role_whose_worker_is_lost_is_played_again_and_the_log_goes_on(ansible: Ansible) -> None:
    run = begun(machines(1), ["files"])

    def dies() -> None:
        raise KeyboardInterrupt

    ansible.during = dies
    with pytest.raises(KeyboardInterrupt):
        progress.advance(run.pk)
    run.refresh_from_db()
    assert run.status == "running" and run.attempts == 1 and run.pk in services.WORK.due_ids()
    ansible.during = lambda: None
    run = done(run)
    assert run.status == "done" and [role for role, *_ in ansible.plays] == ["files", "files"]


def test_a_role_that_loses_every_worker_is_given_up(ansible: Ansible) -> None:
    run = begun(machines(1), ["files"])

    def dies() -> None:
        raise KeyboardInterrupt

    ansible.during = dies
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            progress.advance(run.pk)
    run = done(run)
    assert run.status == "failed" and states(run) == ["failed"]
    assert run.machines.first().message == "given up: 3 workers were lost at this role"


def test_what_tasks_did_long_ago_is_forgotten_and_what_became_of_each_role_stays(ansible: Ansible) -> None:
    old, new = (done(begun(machines(1))) for _ in range(2))
    assert SoftwareTask.objects.count()
    SoftwareRun.objects.filter(pk=old.pk).update(finished_at=timezone.now() - timedelta(days=181))
    assert services.prune() > 0
    assert {task.run_machine.run_id for task in SoftwareTask.objects.all()} == {new.pk}
    assert all(row.outcomes for row in old.machines.all())


def test_runs_take_turns(ansible: Ansible) -> None:
    first, second = begun(machines(2), canary=0, limit=1), begun(machines(2), canary=0, limit=1)
    for _ in range(30):
        following = services.next_in_turn()
        if following is None:
            break
        progress.advance(following)
    sites = [names[0] for _, names, _ in ansible.plays]
    assert sites[:4] == ["gpu-001", "gpu-003", "gpu-001", "gpu-003"]
    assert {run.status for run in SoftwareRun.objects.all()} == {"done"} and first.pk != second.pk


# ---- the API ----


def client(role: Role = Role.OPERATOR, site: Site | None = None) -> Client:
    found = Client()
    found.force_login(ensure_user(f"{role}-{site}", role=role, site=site)[0])
    return found


def asked(on: Sequence[Machine], by: Client | None = None, **body: Any) -> Any:
    body = {"machines": [each.pk for each in on], "roles": ["files"]} | body
    return (by or client()).post(RUNS, body, content_type="application/json")


def test_a_run_over_the_api_from_its_start_to_the_log_of_a_machine(ansible: Ansible) -> None:
    answer = asked(machines(2), roles=["slow", "files"], limit=4)
    assert answer.status_code == 201, answer.content
    told = answer.json()
    assert told["dry_run"] and told["roles"] == ["files", "slow"] and told["totals"]["waiting"] == 2
    done(SoftwareRun.objects.get(pk=told["id"]))
    told = client(Role.VIEWER).get(f"{RUNS}{told['id']}/").json()
    assert told["status"] == "done" and told["totals"]["ok"] == 2
    row = told["machines"][0]
    assert row["outcomes"] == {"files": "changed", "slow": "changed"} and row["machine"]["name"] == "gpu-001"
    path = f"{RUNS}{told['id']}/machines/{row['id']}/log/"
    assert [task["task"] for task in client().get(path).json()["tasks"]] == ["It is done"] * 2
    assert [task["n"] for task in client().get(f"{path}?after=1").json()["tasks"]] == [2]
    assert client().get(f"{RUNS}{told['id']}/machines/999/log/").status_code == 404
    assert client().get(RUNS).json()["results"][0]["totals"]["ok"] == 2
    assert client().post(f"{RUNS}{told['id']}/cancel/").status_code == 409


def test_what_is_refused_names_every_reason(ansible: Ansible) -> None:
    answer = asked(machines(1, "retired"), roles=["files", "nothing"])
    assert answer.status_code == 400 and not SoftwareRun.objects.exists()
    told = answer.json()["error"]["fields"]["machines"]
    assert told == ["nothing: there is no such role", "gpu-001: a machine that is retired is not here"]


def test_who_may_start_and_see_a_run(ansible: Ansible) -> None:
    near = machines(1)
    far = Site.objects.create(slug="far", name="Far")
    assert asked(near, client(Role.VIEWER)).status_code == 403
    assert asked(near, client(Role.OPERATOR, far)).status_code == 403
    run = asked(near).json()["id"]
    assert client(Role.VIEWER).post(f"{RUNS}{run}/cancel/").status_code == 403
    assert client(Role.OPERATOR, far).get(f"{RUNS}{run}/").status_code == 404
    assert client(Role.OPERATOR, far).post(f"{RUNS}{run}/cancel/").status_code == 404
    assert client().post(f"{RUNS}{run}/cancel/").json()["cancelled_by"]


def test_machines_that_differ_are_offered_the_role_that_mends_them(ansible: Ansible) -> None:
    on, now = machines(2), timezone.now()
    rows = [("gpu.driver", "driver 550.1, the model has 535.2", on[0]), ("gpu.driver", "nvidia-smi hangs", on[1])]
    for check, message, machine in rows:
        CurrentVerdict.objects.create(
            machine=machine, check_id=check, part="machine", verdict="warn", message=message, checked_at=now,
            changed_at=now,
        )  # fmt: skip
    told = {role["name"]: role for role in client(Role.VIEWER).get(ROLES).json()["results"]}
    assert told["nvidia_driver"]["differs"] == [
        {"id": on[0].pk, "name": "gpu-001", "message": "driver 550.1, the model has 535.2"}
    ]
    assert told["nvidia_driver"]["expected"] == ["driver_version"] and told["docker"]["differs"] == []
    assert told["files"]["of_site"] and not told["docker"]["of_site"]
    other = client(Role.VIEWER, Site.objects.create(slug="far", name="Far"))
    assert not any(role["differs"] for role in other.get(ROLES).json()["results"])


def test_the_number_of_statements_does_not_grow_with_the_machines(ansible: Ansible) -> None:
    admin, few, many = client(Role.ADMIN), begun(machines(2)), begun(machines(40))

    def statements(path: str) -> int:
        with CaptureQueriesContext(connection) as found:
            assert admin.get(path).status_code == 200
        return len(found)

    statements(RUNS)
    assert statements(f"{RUNS}{few.pk}/") == statements(f"{RUNS}{many.pk}/")
    SoftwareMachine.objects.filter(run=many).update(outcomes={"files": "ok"})
    with CaptureQueriesContext(connection) as of_few:
        progress.advance(few.pk)
    assert statements(RUNS) < 15 and len(of_few) < 60


def test_a_start_costs_the_same_for_one_machine_as_for_many(ansible: Ansible) -> None:
    one, many = machines(1), machines(60)

    def statements(on: Sequence[Machine]) -> int:
        with CaptureQueriesContext(connection) as found:
            begun(on)
        return len(found)

    assert statements(many) == statements(one)
