"""What is written to a site's Ironic because of a machine's state, what it tells us, and how it is set over the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from core.models import Role
from core.outgoing.gate import Gate
from core.services import ensure_user
from drivers.https import trust_of
from drivers.ironic.client import IronicClient
from drivers.tests.ironic_server import PASSWORD, USER, Record
from health.models import MachineHealth
from health.remediation.services import automation
from live.models import Event
from provisioning.ironic import outside, writes
from provisioning.models import IronicNode, IronicServer, IronicWrite, Run, RunMachine
from provisioning.tests.ironic_site import IronicSite

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def node(ironic_site: IronicSite) -> Record:
    """The machine's node, known here as a run would have left it."""
    made = ironic_site.known("active")
    IronicNode.objects.create(
        machine=ironic_site.machine.row, server_id=ironic_site.site.pk, uuid=made.uuid, name=made.name,
        state=made.state, status_text="active", seen_at=timezone.now(),
    )  # fmt: skip
    return made


def now(site: IronicSite, state: str, ticket: str = "") -> IronicWrite | None:
    """The machine is in this state; what became of it at the next round."""
    MachineHealth.objects.filter(pk=site.machine.row.pk).update(state=state, ticket_key=ticket)
    IronicWrite.objects.update(next_try_at=None)
    outside.follow_one(site.site.pk)
    return IronicWrite.objects.first()


def test_a_machine_in_repair_is_set_to_maintenance_and_lifted_from_it_when_it_is_back(
    ironic_site: IronicSite, node: Record
) -> None:
    write = now(ironic_site, "repair", "REP-2041")
    assert write is not None and (write.status, write.comment) == ("dry_run", "Rackside: REP-2041, repair")
    assert not node.row["maintenance"], "a dry run until the site turns it on"
    IronicNode.objects.update(wanted="")
    ironic_site.set(maintenance=True)
    write = now(ironic_site, "repair", "REP-2041")
    assert write is not None and (write.kind, write.status) == ("mark_broken", "done")
    assert (node.row["maintenance"], node.row["maintenance_reason"]) == (True, "Rackside: REP-2041, repair")
    now(ironic_site, "rma", "REP-2041")
    assert IronicWrite.objects.count() == 2 and node.state == "active", "told once, and what runs there stays"
    now(ironic_site, "ready")
    assert node.row["maintenance"] is False
    assert not Event.objects.filter(kind__startswith="ironic."), "what we did is no news"


@pytest.mark.slow
def test_a_maintenance_of_somebody_else_is_left_and_what_they_do_is_told_once(
    ironic_site: IronicSite, node: Record
) -> None:
    ironic_site.set(maintenance=True)
    node.row.update(maintenance=True, maintenance_reason="fan 3 is loud")
    for _ in range(2):
        now(ironic_site, "ready")
    write = now(ironic_site, "repair")
    assert write is not None and (write.status, write.message) == ("dropped", "it is in maintenance already")
    write = now(ironic_site, "ready")
    assert write is not None and write.status == "dry_run" and "somebody else set" in write.message
    node.row.update(maintenance=False, maintenance_reason=None)
    now(ironic_site, "drained")
    told = Event.objects.filter(kind__startswith="ironic.").order_by("pk").values_list("kind", flat=True)
    assert list(told) == ["ironic.maintenance_set", "ironic.maintenance_unset"]


@pytest.mark.parametrize(
    ("cleaning", "cleaned"),
    [
        ("always", 1),
        pytest.param("never", 0, marks=pytest.mark.slow),
        pytest.param("as_set", 1, marks=pytest.mark.slow),
    ],
)
def test_a_retired_machine_is_undeployed_and_cleaned_as_the_site_says(
    ironic_site: IronicSite, node: Record, cleaning: str, cleaned: int
) -> None:
    ironic_site.set(release=True, cleaning=cleaning)
    now(ironic_site, "retired")
    for _ in range(2):
        ironic_site.loop.run(_read(ironic_site))
    assert (node.state, node.cleaned) == ("available", cleaned)
    now(ironic_site, "retired")
    assert ironic_site.server.orders["deleted"] == 1


async def _read(site: IronicSite) -> None:
    """Ironic goes on by being looked at."""
    server = site.server
    trust = trust_of(server.certificate)
    async with IronicClient(server.url, USER, PASSWORD, trust=trust, gate=Gate(local=True)) as client:
        await client.node(site.machine.row.device.name)


@pytest.mark.slow
def test_a_machine_whose_run_was_cancelled_is_undeployed_once_ironic_is_done_with_it(
    ironic_site: IronicSite, node: Record
) -> None:
    ironic_site.set(release=True)
    run = Run.objects.create(site=ironic_site.site, engine="ironic", created_by="olga")
    RunMachine.objects.create(run=run, machine=ironic_site.machine.row, status="cancelled", step="deploy")
    node.be("deploying", "active")
    node.looks, node.then = 1, lambda: node.be("active")
    write = now(ironic_site, "new")
    assert write is not None
    now(ironic_site, "new")
    assert ironic_site.server.orders["deleted"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("status", [409, 503])
def test_what_ironic_cannot_now_is_tried_again_and_again(ironic_site: IronicSite, node: Record, status: int) -> None:
    ironic_site.set(maintenance=True)
    MachineHealth.objects.filter(pk=ironic_site.machine.row.pk).update(state="repair")
    writes.plan(ironic_site.site.pk)
    for _ in range(3):
        ironic_site.server.answers_first = [status]
        IronicWrite.objects.update(next_try_at=None)
        assert writes.deliver(ironic_site.site.pk) == 0
    write = IronicWrite.objects.get()
    assert (write.status, write.attempts) == ("waiting", 3) and str(status) in write.message
    assert writes.deliver(ironic_site.site.pk) == 0, "not before its time"
    IronicWrite.objects.update(next_try_at=None)
    assert writes.deliver(ironic_site.site.pk) == 1 and node.row["maintenance"]


def test_the_kill_switch_stops_it_and_it_goes_on_when_it_is_lifted(ironic_site: IronicSite, node: Record) -> None:
    ironic_site.set(maintenance=True)
    automation.kill(ironic_site.site.pk, reason="the cluster is odd", actor="ada")
    write = now(ironic_site, "repair")
    assert write is not None and write.status == "waiting" and "kill switch is on" in write.message
    assert not ironic_site.server.orders
    automation.release(ironic_site.site.pk, reason="over", actor="ada")
    now(ironic_site, "repair")
    assert node.row["maintenance"]


def test_a_node_that_somebody_deletes_is_told_once_and_forgotten_and_no_answer_is_none(
    ironic_site: IronicSite, node: Record
) -> None:
    ironic_site.server.answers_first = [503]
    outside.follow()
    assert IronicServer.objects.get().state == "failed" and IronicNode.objects.exists()
    ironic_site.server.nodes.clear()
    for _ in range(2):
        outside.follow()
    assert IronicServer.objects.get().state == "good" and not IronicNode.objects.exists()
    assert list(Event.objects.filter(kind__startswith="ironic.").values_list("kind", flat=True)) == ["ironic.node_gone"]


# ---- set over the API ----


@pytest.fixture
def api(client: Any, ironic_site: IronicSite) -> Any:
    client.force_login(ensure_user("root", role=Role.ADMIN)[0])
    return client


def path(site: IronicSite, rest: str = "") -> str:
    return f"/api/provisioning/ironic/{site.site.pk}/{rest}"


def test_it_is_set_and_tried_and_its_password_is_never_told(api: Any, ironic_site: IronicSite) -> None:
    body = {"url": ironic_site.server.url, "authorities": ironic_site.server.certificate, "enabled": True,
            "username": "rackside", "password": PASSWORD, "image": "http://images.example/noble.qcow2",
            "checksum": "ab" * 32}  # fmt: skip
    answer = api.patch(path(ironic_site), body, content_type="application/json")
    assert answer.status_code == 200, answer.content
    assert (answer.json()["has_password"], answer.json()["signs_in_as"]) == (True, "rackside")
    tried = api.post(path(ironic_site, "try/")).json()
    assert (tried["good"], tried["version"], tried["user"]) == (True, "1.115", "rackside")
    shown = api.get(path(ironic_site)).content + api.get("/api/provisioning/ironic/").content + answer.content
    assert PASSWORD.encode() not in shown
    row = IronicServer.objects.get()
    assert row.credential is not None and PASSWORD.encode() not in bytes(row.credential.secret)
    assert (row.credential.purpose, row.credential.hosts) == ("ironic", ["127.0.0.1/32"])
    ironic_site.set(password="another")
    tried = api.post(path(ironic_site, "try/")).json()
    assert tried["good"] is False and "refused (401)" in tried["message"] and tried["version"] == "1.115"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"url": "ftp://ironic"}, "url"),
        ({"username": "only"}, "password"),
        ({"password": "only"}, "username"),
        ({"authorities": "no certificate"}, "authorities"),
        ({"url": "https://10.9.9.9"}, "password"),
        ({"url": "", "enabled": True}, "url"),
        ({"image": "", "enabled": True}, "image"),
        ({"image": "jammy"}, "image"),
        ({"checksum": "md5"}, "checksum"),
        ({"cleaning": "maybe"}, "cleaning"),
        ({"deploy_interface": "ansible"}, "deploy_interface"),
    ],
)
def test_what_is_wrong_is_refused_by_its_field_and_changes_nothing(
    api: Any, ironic_site: IronicSite, body: dict[str, Any], field: str
) -> None:
    before = IronicServer.objects.values().get()
    answer = api.patch(path(ironic_site), body, content_type="application/json")
    assert answer.status_code == 400 and field in answer.json()["error"]["fields"], answer.content
    assert IronicServer.objects.values().get() == before


def test_viewers_read_and_a_sites_administrator_does_not_move_where_logins_go(
    client: Any, ironic_site: IronicSite
) -> None:
    client.force_login(ensure_user("vera", role=Role.VIEWER)[0])
    assert client.get(path(ironic_site)).status_code == 200 and client.get(path(ironic_site, "writes/")).json()
    assert client.post(path(ironic_site, "try/")).status_code == 403
    assert client.patch(path(ironic_site), {"enabled": False}, content_type="application/json").status_code == 403
    client.force_login(ensure_user("adam", role=Role.ADMIN, site=ironic_site.site)[0])
    changed = client.patch(path(ironic_site), {"maintenance": True}, content_type="application/json")
    assert changed.status_code == 200 and changed.json()["maintenance"] is True
    moved = {"url": "https://10.6.6.6", "username": "a", "password": "b"}
    for body in (moved, {"authorities": ""}, {"enroll": False}, {"verify_bmc": False}):
        assert client.patch(path(ironic_site), body, content_type="application/json").status_code == 403


def test_an_ironic_that_asks_nobody_who_they_are_is_asked_without_a_login(api: Any, ironic_site: IronicSite) -> None:
    IronicServer.objects.update(credential=None)
    assert api.get(path(ironic_site)).json()["has_password"] is False
    tried = api.post(path(ironic_site, "try/")).json()
    assert tried["good"] is False and "401" in tried["message"], "this one does ask"
