"""What a site bears at once, as it is set over the API and kept to."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from access.tests.fleet import make_credentials
from core.models import Role, Site
from core.services import ensure_user
from inventory.models import Cable, Connector, Device, DeviceModel, Machine, Port, StrandEnd
from provisioning import services
from provisioning.limits.queries import stage_limits, switches_of
from provisioning.models import Run, RunMachine
from provisioning.services import runs
from provisioning.services.progress import changing
from provisioning.stages.board import LIMITS, Mark, Stage, limits_with, standing
from provisioning.steps import ADOPT, INSTALL, MAAS, MEDIA, Done, Heard, StepName, Way
from provisioning.tests.test_stages import HOUR, NOW, machine
from provisioning.tests.world import OUR_KEY, Pump, bare, start_run


def client(role: Role = Role.ADMIN) -> Client:
    found = Client()
    found.force_login(ensure_user(f"person-{role}", role=role)[0])
    return found


def put(site: int, body: dict[str, Any], role: Role = Role.ADMIN) -> Any:
    return client(role).patch(f"/api/provisioning/limits/{site}/", body, content_type="application/json")


def switch(name: str, site: Any) -> Device:
    model, _ = DeviceModel.objects.get_or_create(
        slug="sn2201", defaults={"vendor": "N", "name": "SN2201", "kind": "switch", "half_u_height": 2}
    )
    return Device.objects.create(site=site, model=model, kind="switch", name=name)


def cabled(machine: Machine, to: Device, kind: str, **fields: Any) -> None:
    here = Port.objects.create(device=machine.device, name=f"{kind}-{to.name}", kind=kind, **fields)
    there = Port.objects.create(device=to, name=f"{machine.device.name}-{kind}", kind="ethernet")
    cable = Cable.objects.create(site=to.site, label=f"{machine.device.name}-{kind}-{to.name}", type="Cat6")
    for side, port in (("A", here), ("B", there)):
        StrandEnd.objects.create(connector=Connector.objects.create(cable=cable, side=side), port=port)


def running() -> list[str]:
    rows = RunMachine.objects.filter(status="running").order_by("pk")
    return list(rows.values_list("machine__device__name", flat=True))


@pytest.mark.django_db
def test_a_switch_has_no_more_machines_at_once_than_its_site_lets_it(pump: Pump) -> None:
    make_credentials(OUR_KEY)
    machines = [bare(f"gpu-{number:03}", boot_mac=f"02:00:00:00:00:{number:02x}") for number in range(1, 7)]
    site = machines[0].device.site
    leaf, management = switch("leaf-1", site), switch("mgmt-1", site)
    for each in machines[:4]:
        cabled(each, leaf, "ethernet", mac=each.boot_mac)
        cabled(each, management, "bmc")
    cabled(machines[4], management, "bmc")
    assert switches_of([each.pk for each in machines]) == {
        **{each.pk: leaf.pk for each in machines[:4]}, machines[4].pk: management.pk,
    }  # fmt: skip
    assert put(site.pk, {"a_switch": 2}).status_code == 200
    start_run(*machines)
    assert services.fill() == 4 and running() == ["gpu-001", "gpu-002", "gpu-005", "gpu-006"]
    assert services.fill() == 0
    services.cancel_machine(RunMachine.objects.get(machine=machines[0]).pk, actor="olga")
    assert services.fill() == 1 and "gpu-003" in running()


@pytest.mark.django_db
def test_a_boot_server_is_free_again_when_a_machine_is_installed_and_not_only_at_its_end(pump: Pump) -> None:
    make_credentials(OUR_KEY)
    machines = [bare(f"gpu-{number:03}") for number in range(1, 4)]
    put(machines[0].device.site_id, {"a_mirror": 2})
    start_run(*machines)
    assert services.fill() == 2
    with changing(RunMachine.objects.get(machine=machines[0]).pk) as progress:
        for step in (StepName.IDENTITY, StepName.BOOT_OVERRIDE, StepName.POWER_ON):
            progress.apply(Done(step))
        assert not progress.gives_room
        progress.apply(Heard(StepName.PHONE_HOME))
        assert progress.gives_room and progress.row.step == StepName.SSH
    assert services.fill() == 1 and len(running()) == 3


@pytest.mark.parametrize(
    ("way", "last"),
    [(INSTALL, StepName.PHONE_HOME), (MEDIA.with_bmc_setup(), StepName.PHONE_HOME), (ADOPT, None), (MAAS, None)],
)
def test_a_way_needs_the_boot_server_without_a_gap_until_the_machine_is_installed(
    way: Way, last: StepName | None
) -> None:
    until = way.number(last) if last else -1
    assert [way.fetches(step) for step in way.steps] == [number <= until for number in range(len(way.steps))]


@pytest.mark.django_db
def test_who_waits_behind_a_full_switch_is_passed_however_many_those_are(
    pump: Pump, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_credentials(OUR_KEY)
    monkeypatch.setenv("RACKSIDE_PROVISION_LIMIT", "2")
    monkeypatch.setattr(runs, "LOOKS_AHEAD", 1)
    machines = [bare(f"gpu-{number:03}") for number in range(1, 7)]
    first, second = (switch(name, machines[0].device.site) for name in ("mgmt-1", "mgmt-2"))
    for each in machines:
        cabled(each, second if each is machines[5] else first, "bmc")
    put(machines[0].device.site_id, {"a_switch": 1})
    start_run(*machines, limit=9)
    assert services.fill() == 2 and running() == ["gpu-001", "gpu-006"]


@pytest.mark.django_db
def test_limits_are_set_by_administrators_and_bad_ones_are_refused_with_their_field() -> None:
    site = bare("gpu-001").device.site_id
    assert put(site, {"a_rack": 2}, Role.OPERATOR).status_code == 403
    for body, field in (
        ({"a_rack": 0}, "a_rack"),
        ({"a_switch": "many"}, "a_switch"),
        ({"stages": [{"stage": "in_service", "seconds": 600}]}, "stages"),
        ({"stages": [{"stage": "racked", "seconds": 5}]}, "stages"),
    ):
        answer = put(site, body)
        assert answer.status_code == 400 and field in answer.content.decode(), (body, answer.content)
    assert stage_limits([site]) == [{}]
    told = put(site, {"stages": [{"stage": "racked", "seconds": 7200}, {"stage": "installed", "seconds": 60}]}).json()
    assert (told["a_rack"], told["usual_a_rack"]) == (None, 4)
    put(site, {"stages": [{"stage": "installed", "seconds": None}]})
    assert stage_limits([site]) == [{"racked": timedelta(hours=2)}]
    columns = client().get("/api/provisioning/stages/").json()["stages"]
    assert {row["stage"]: row["limit_s"] for row in columns}["racked"] == 7200


def test_a_machine_is_late_by_the_limit_of_its_site() -> None:
    own = limits_with([{"racked": 2 * HOUR, "in_service": HOUR, "no_such": HOUR}])
    assert own[Stage.RACKED] == 2 * HOUR and own[Stage.IN_SERVICE] is None
    assert own[Stage.DELIVERED] == LIMITS[Stage.DELIVERED] and set(own) == set(LIMITS)
    assert limits_with([{"racked": HOUR}, {}])[Stage.RACKED] == LIMITS[Stage.RACKED], "the longest of both sites"
    assert standing(machine(hours=3), NOW, own).mark is Mark.LATE
    assert standing(machine(hours=3), NOW).mark is Mark.WAITING


def use(site: int, query: str = "", who: Client | None = None) -> dict[tuple[str, str], tuple[int, int, list[str]]]:
    """(kind, name) to how many are under way, how many may be, and who waits."""
    answer = (who or client(Role.VIEWER)).get(f"/api/provisioning/limits/{site}/use/{query}")
    assert answer.status_code == 200, answer.content
    return {
        (row["kind"], row["name"]): (row["under_way"], row["most"], [each["name"] for each in row["waiting"]])
        for row in answer.json()["limits"]
    }


@pytest.mark.django_db
def test_each_waiting_machine_stands_at_the_limits_that_hold_it_and_free_ones_hold_nobody(
    pump: Pump, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_credentials(OUR_KEY)
    machines = [bare(f"gpu-{number:03}") for number in range(1, 7)]
    site = machines[0].device.site
    management = switch("mgmt-1", site)
    for each in machines[:3]:
        cabled(each, management, "bmc")
    put(site.pk, {"a_switch": 1, "a_mirror": 9})
    first, second = start_run(*machines[:3]), start_run(*machines[3:], limit=2)
    assert services.fill() == 3
    Run.objects.filter(pk=first.pk).update(name="racks")
    assert use(site.pk) == {
        ("switch", "mgmt-1"): (1, 1, ["gpu-002", "gpu-003"]), ("run", "test"): (2, 2, ["gpu-006"]),
        ("all_runs", ""): (3, 64, []), ("mirror", ""): (3, 9, []), ("run", "racks"): (1, 8, []),
    }  # fmt: skip
    assert use(site.pk, f"?run={first.pk}") == {("switch", "mgmt-1"): (1, 1, ["gpu-002", "gpu-003"])}
    assert use(site.pk, f"?run={second.pk}") == {("run", "test"): (2, 2, ["gpu-006"])}
    monkeypatch.setenv("RACKSIDE_PROVISION_LIMIT", "3")
    held = use(site.pk)
    assert held["all_runs", ""] == (3, 3, ["gpu-002", "gpu-003", "gpu-006"]), "a machine may wait for several"
    assert services.fill() == 0


@pytest.mark.django_db
def test_use_of_limits_is_told_in_as_many_statements_however_many_wait_and_not_to_another_site(pump: Pump) -> None:
    make_credentials(OUR_KEY)
    viewer = client(Role.VIEWER)

    def statements() -> int:
        with CaptureQueriesContext(connection) as counted:
            assert use(site, who=viewer)
        return len(counted)

    machines = [bare(f"gpu-{number:03}") for number in range(1, 13)]
    site = machines[0].device.site_id
    start_run(*machines[:2], limit=1)
    services.fill()
    statements()
    few = statements()
    start_run(*machines[2:], limit=1)
    services.fill()
    assert statements() == few
    stranger = Client()
    far = Site.objects.create(slug="far", name="Far")
    stranger.force_login(ensure_user("stranger", role=Role.VIEWER, site=far)[0])
    assert stranger.get(f"/api/provisioning/limits/{site}/use/").status_code == 404
    told = stranger.get(f"/api/provisioning/limits/{far.pk}/use/").content.decode()
    assert "gpu-" not in told and '"test"' not in told
