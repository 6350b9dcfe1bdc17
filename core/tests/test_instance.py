"""A restored, copied or moved instance acts on nothing until an administrator takes it over."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from core.instance import state
from core.models import AuditChange, AuditEntry, InstanceState, Role, Site
from core.services import ensure_user
from core.webhooks import tasks as webhook_tasks
from fabric.burn_in.tasks import run_burn_in
from fabric.ports.tasks import carry_out_port_actions
from fabric.wiring.tasks import write_names
from health.diagnostics.tasks import advance_active_run, begin_windows
from health.machines.services.limits import automation_of
from health.models import Incident
from health.remediation.services import views
from health.remediation.tasks import carry_out, remediate
from health.schedulers.tasks import send_to_scheduler
from health.tests.factories import make_machines
from live.models import Event
from provisioning import tasks as provisioning_tasks
from tickets import tasks as ticket_tasks

pytestmark = pytest.mark.django_db


def move(settings: Settings) -> None:
    settings.HOME = "another-host /srv/copy"


def sign_in(client: Client, role: Role, site: Site | None = None) -> Client:
    user, _ = ensure_user(f"{role}-{site}", role=role, site=site)
    client.force_login(user)
    return client


def test_a_database_is_at_home_where_it_was_made() -> None:
    assert not state.is_paused()
    assert InstanceState.objects.get().home["database"]


@pytest.mark.parametrize("what", ["system", "database", "place"])
def test_a_database_found_in_another_cluster_database_or_place_is_paused(what: str) -> None:
    row = InstanceState.objects.get()
    row.home[what] = "elsewhere"
    row.save()
    assert state.is_paused()
    assert "its database last ran" in state.standing().reason


def test_an_instance_without_an_identity_is_paused() -> None:
    InstanceState.objects.all().delete()
    assert state.is_paused()
    state.adopt()
    assert not state.is_paused()


def test_a_database_without_an_identity_has_nowhere_to_note_that_it_is_paused() -> None:
    InstanceState.objects.all().delete()
    assert not state.note()


@pytest.mark.django_db(transaction=True)
def test_a_cache_that_another_thread_clears_fails_no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    class Cleared(list[Any]):
        def __setitem__(self, *_: Any) -> None:
            self.clear()

    monkeypatch.setattr(state, "_cached", Cleared())
    assert state.standing() == state.standing_now()


@pytest.mark.django_db(transaction=True)
def test_who_asks_right_after_it_was_paused_elsewhere_is_told(client: Client) -> None:
    sign_in(client, Role.VIEWER)
    assert not state.is_paused(), "and that is remembered for a second"
    InstanceState.objects.update(paused_at=timezone.now(), paused_reason="Restored from a backup.")
    assert client.get("/api/instance/").json()["paused"]


def test_a_backup_from_before_the_identity_begins_paused() -> None:
    InstanceState.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config(%s, 'Restored from a backup.', true)", [state.RESTORED_SETTING])
    state.adopt()
    assert state.standing().paused and state.standing().reason == "Restored from a backup."


def test_what_was_noted_stays_paused_where_it_is_found_next(settings: Settings) -> None:
    home = settings.HOME
    assert not state.note()
    move(settings)
    assert state.note() and not state.note()
    settings.HOME = home
    assert state.standing().since is not None


OUTWARD: dict[str, tuple[Callable[..., Any], str, tuple[Any, ...]]] = {
    "webhooks": (webhook_tasks.deliver, "core.webhooks.dispatch.run", ()),
    "scheduler": (send_to_scheduler, "health.schedulers.services.delivery.send", (1,)),
    "remedies": (carry_out, "health.remediation.services.actions.carry_out", (1,)),
    "active checks": (advance_active_run, "health.diagnostics.services.advance", (1,)),
    "windows": (begin_windows, "health.diagnostics.services.start_due", ()),
    "power and installing": (provisioning_tasks.look, "provisioning.services.look", ()),
    "next installations": (provisioning_tasks.fill, "provisioning.services.fill", (1,)),
    "ports": (carry_out_port_actions, "fabric.ports.services.orders.carry_out", ()),
    "names": (write_names, "fabric.wiring.services.names.write_back", (1,)),
    "burn-in": (run_burn_in, "fabric.burn_in.services.runs.advance", (1,)),
    "lights": (ticket_tasks.sync_indicator_leds, "tickets.services.sync_indicator_leds", ()),
}


@pytest.mark.parametrize("name", OUTWARD)
def test_nothing_leaves_a_paused_instance_and_everything_does_after_the_take_over(
    name: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, service, arguments = OUTWARD[name]
    called: list[object] = []

    def service_called(*found: object, **_: object) -> int:
        called.append(found)
        return 0

    monkeypatch.setattr(service, service_called)
    move(settings)
    task(*arguments)
    assert not called
    state.take_over("the old server is gone", actor="anna")
    task(*arguments)
    assert called


def test_automation_of_a_paused_instance_looks_for_mass_failures_and_does_nothing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = make_machines()[0].device.site
    Incident.objects.create(site=site, kind="shared", cause_kind="rack", cause="R00", title="x")
    called: list[str] = []
    answers = {
        "causes.mass.look": 0,
        "automation.give_back": 0,
        "automation.trip": "",
        "steps.plan_site": 0,
        "actions.due": [],
    }

    def spy(name: str) -> Callable[..., object]:
        return lambda *_: called.append(name) or answers[name]  # type: ignore[func-returns-value]

    for name in answers:
        monkeypatch.setattr(f"health.remediation.services.{name}", spy(name))
    move(settings)
    remediate()
    assert called == ["causes.mass.look"]
    state.take_over("the old server is gone", actor="anna")
    called.clear()
    remediate()
    assert set(called) == set(answers)


def test_every_task_that_reaches_out_asks_first() -> None:
    """Tasks on the queues of provisioning and webhooks act on the outside; a new one must say whether it does."""
    from config.celery import app

    app.loader.import_default_modules()
    reads_or_plans = {"fabric.burn_in.tasks.plan_burn_in"}
    from django.conf import settings as live

    for name, task in app.tasks.items():
        routed = live.CELERY_TASK_ROUTES.get(name) or (
            {"queue": "provision"} if name.startswith("provisioning.tasks.") else {}
        )
        if routed.get("queue") in ("provision", "webhooks") and name not in reads_or_plans:
            assert task.run.__module__ and getattr(task.run, "__wrapped__", None), f"{name} does not ask is_paused"


def test_no_mail_is_sent_while_paused(settings: Settings) -> None:
    settings.EMAIL_BACKEND = "core.mail.UnlessPaused"
    settings.EMAIL_SENT_BY = "django.core.mail.backends.locmem.EmailBackend"
    move(settings)
    mail.send_mail("about a rack", "text", None, ["anna@example.org"])
    assert mail.outbox == []
    state.take_over("moved", actor="anna")
    mail.send_mail("about a rack", "text", None, ["anna@example.org"])
    assert len(mail.outbox) == 1


def test_automation_counts_as_stopped_while_paused(settings: Settings) -> None:
    from django.utils import timezone

    site = Site.objects.create(slug="ams", name="ams")
    row = automation_of(site.pk)
    assert not views.site_view(row, timezone.now()).killed
    move(settings)
    assert views.site_view(row, timezone.now()).killed


def test_a_booting_machine_gets_nothing_from_a_paused_instance(client: Client, settings: Settings) -> None:
    move(settings)
    answer = client.get("/boot/00:11:22:33:44:55")
    assert answer.status_code == 404 and answer.content == b"not found\n"


def test_everybody_sees_that_it_is_paused_and_only_an_administrator_takes_it_over(
    client: Client, settings: Settings
) -> None:
    site = Site.objects.create(slug="ams", name="ams")
    assert sign_in(client, Role.VIEWER).get("/api/instance/").json()["paused"] is False
    move(settings)
    seen = client.get("/api/instance/").json()
    assert seen["paused"] and seen["reason"] and not seen["may_take_over"]
    for role, where in ((Role.VIEWER, None), (Role.OPERATOR, None), (Role.ADMIN, site)):
        answer = sign_in(client, role, where).post("/api/instance/take-over/", {"reason": "mine"}, "application/json")
        assert answer.status_code == 403
    assert state.is_paused()


def test_a_take_over_needs_a_reason_and_stands_in_the_history(client: Client, settings: Settings) -> None:
    Site.objects.create(slug="ams", name="ams")
    before = InstanceState.objects.get().identity
    move(settings)
    sign_in(client, Role.ADMIN)
    assert client.get("/api/instance/").json()["may_take_over"]
    assert client.post("/api/instance/take-over/", {"reason": " "}, "application/json").status_code == 400
    answer = client.post("/api/instance/take-over/", {"reason": "the old server is gone"}, "application/json")
    assert answer.status_code == 200 and answer.json()["paused"] is False
    assert client.post("/api/instance/take-over/", {"reason": "again"}, "application/json").status_code == 409
    row = InstanceState.objects.get()
    assert row.identity != before and row.taken_over_by and row.taken_over_reason == "the old server is gone"
    assert row.home["place"] == settings.HOME
    assert Event.objects.filter(kind="instance.changed", data__paused=False).exists()
    written = AuditEntry.objects.filter(table_name="core_instancestate", action="changed").latest("pk")
    assert "the old server is gone" in str(written.rows)
    assert AuditChange.objects.get(pk=written.change_id).actor == row.taken_over_by


def test_it_is_paused_and_taken_over_from_the_command_line(settings: Settings) -> None:
    with pytest.raises(CommandError, match="not paused"):
        call_command("take_over", "no need")
    call_command("pause", "restored with pg_restore")
    assert state.standing().reason == "restored with pg_restore"
    call_command("take_over", "the old server is gone")
    assert not state.is_paused()
    assert InstanceState.objects.get().taken_over_by.startswith("command:take_over by ")
