"""A demo's past in the database: consistent with every rule of the service, marked, and refused everywhere else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client
from django.utils import timezone

from access.models import Endpoint
from config.past import samples
from config.past.load import Refused, load, refusal
from core.models import Role, Site
from health.checks import catalogue
from health.checks.faults import FAULT_CLASSES
from health.machines.lifecycle import TRANSITIONS, State
from health.models import Fault, LifecycleChange, MachineHealth, Verification
from health.monitoring.models.verdicts import Layout, Sample
from health.monitoring.samples import codes, pack, values
from health.tests import factories as make
from inventory.fleet import load as fleet
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.models import Component, Installation, Machine
from live.models import Event
from provisioning.models import RunMachine
from runs.models import TrainingRun
from simulator.past.faults import KINDS, Kind
from tickets.models import Comment, PartSwap, Ticket, TicketChange
from tickets.tests.conftest import person
from tickets.workflow import TRANSITIONS as MOVES

NOW = datetime(2026, 3, 12, 10, tzinfo=UTC)
DAYS = 90


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({}, ""),
        ({"local": False}, "virtual hall"),
        ({"marked": True}, "already"),
        ({"addresses": []}, "where its machines answer"),
        ({"addresses": ["127.10.0.5", "10.0.0.7"]}, "they are real"),
        ({"addresses": ["127.10.0.5", None]}, "they are real"),
        ({"oldest": NOW - timedelta(days=2)}, "history of its own"),
    ],
)
def test_only_a_fresh_demo_gets_a_past(changed: dict[str, Any], why: str) -> None:
    usual: dict[str, Any] = {
        "local": True, "marked": False, "addresses": ["127.10.0.5"], "oldest": NOW - timedelta(minutes=5), "now": NOW
    }  # fmt: skip
    found = refusal(**(usual | changed))
    assert why in found and bool(found) == bool(why)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.fault_class)
def test_what_broke_is_a_class_that_its_check_shows(kind: Kind) -> None:
    """Whoever renames a class or a check finds the story that used it."""
    assert kind.fault_class in FAULT_CLASSES
    (check,) = (each for each in catalogue() if each.id == kind.check)
    assert kind.fault_class in check.fault_classes


@pytest.fixture
def demo(db: None, tmp_path: Path, settings: Any) -> Site:
    settings.LOCAL_ADDRESSES = True
    file = tmp_path / "fleet.yaml"
    file.write_text(fleet_file(24))
    fleet.load(file, installed_at=timezone.now() - timedelta(days=DAYS + 1))
    for n, machine in enumerate(Machine.objects.order_by("pk")):
        Endpoint.objects.create(machine=machine, kind="ssh", address=f"127.10.0.{n + 1}", port=22)
    return Site.objects.get()


@pytest.mark.slow
def test_the_past_of_a_demo_keeps_every_rule_of_the_service(demo: Site) -> None:
    now = timezone.now()
    events = Event.objects.count()
    loaded = load(demo.slug, days=DAYS, seed=3, now=now)
    demo.refresh_from_db()
    assert demo.generated_until == now and loaded.machines == 24
    assert Event.objects.count() - events <= 1 + MachineHealth.objects.exclude(ticket_key="").count()

    ways_are_permitted(now)
    closed = Ticket.objects.filter(status="closed")
    assert closed.filter(source="fault").count() >= 3 and Ticket.objects.filter(status="open").exists()
    for ticket in closed.filter(source="fault"):
        assert ticket.verification is not None and ticket.verification.status == "passed"
        assert ticket.verification.finished_at == ticket.closed_at
    tickets_move_as_the_workflow_allows()
    assert not Fault.objects.exclude(status="cleared").exists()
    assert not Verification.objects.filter(finished_at=None).exists()
    parts_end_with_their_swap()
    assert RunMachine.objects.count() == 24 and TrainingRun.objects.filter(state="failed").exists()
    numbers = list(Ticket.objects.order_by("opened_at").values_list("number", flat=True))
    assert numbers == sorted(numbers)
    assert not Comment.objects.exists()
    with pytest.raises(Refused, match="already"):
        load(demo.slug, days=DAYS, now=now)

    client = Client()
    client.force_login(person("vera", Role.VIEWER))
    body = client.get("/api/insight/", {"site": demo.pk}).json()
    assert body["times"]["verified"]["n"] >= 5 and body["times"]["verified"]["median"]
    assert body["has_shifts"] and any(week["money"] for week in body["weeks"])
    (site,) = client.get("/api/me/").json()["sites"]
    assert site["generated_until"]


def ways_are_permitted(now: datetime) -> None:
    """Every machine went from `new` to `ready` on ways that the lifecycle knows, and stands where it says."""
    state: dict[int, str] = {}
    for change in LifecycleChange.objects.select_related("transition").order_by("at", "pk"):
        step = change.transition
        assert step.from_state == state.get(change.machine_id, State.NEW), change
        assert TRANSITIONS[State(step.from_state), step.event] == step.to_state  # type: ignore[index]
        assert change.at < now
        state[change.machine_id] = step.to_state
    assert set(state.values()) == {"ready"} and len(state) == 24


def tickets_move_as_the_workflow_allows() -> None:
    for ticket in Ticket.objects.all():
        status, last = "open", ticket.opened_at
        for change in TicketChange.objects.filter(ticket=ticket).exclude(event="").order_by("at", "pk"):
            status = MOVES[status, change.event].value  # type: ignore[index]
            assert change.at >= last
            last = change.at
        assert status == ticket.status


def parts_end_with_their_swap() -> None:
    swaps = PartSwap.objects.select_related("old_component", "new_component", "ticket")
    assert swaps
    for swap in swaps:
        (life,) = Installation.objects.filter(component=swap.old_component)
        assert life.during.upper == swap.at and life.slot == swap.slot
        begun = Installation.objects.get(component=swap.new_component)
        assert begun.during.lower == swap.at and begun.ticket == swap.ticket.key
        assert swap.old_component is not None and swap.old_component.condition == Component.Condition.RMA
    assert not PartSwap.objects.filter(old_component=F("new_component")).exists()


@pytest.mark.django_db
def test_a_real_site_is_refused_with_the_reason(settings: Any) -> None:
    settings.LOCAL_ADDRESSES = False
    Site.objects.create(slug="ams", name="Amsterdam")
    with pytest.raises(CommandError, match="Amsterdam gets no made-up past"):
        call_command("demo_past", "--site", "ams", "--no-samples")
    with pytest.raises(CommandError):
        call_command("demo_past", "--site", "nowhere", "--no-samples")
    assert not Ticket.objects.exists()


@pytest.mark.django_db
def test_a_month_of_measured_values_begins_with_the_first_check() -> None:
    (machine,) = make.make_machines(1)
    entries = [["gpu.temperature", "GPU 0"], ["docker", "docker"]]
    layout = Layout.objects.create(checks_version="1", model="m", digest="d", entries=entries)
    first = timezone.now() - timedelta(minutes=5)
    look = pack(bytes([0, 0]), [50.0, None])
    Sample.objects.create(
        machine_id=machine.pk, at=first, layout_id=layout.pk, heard=True, worst=0, fail=0, unknown=0, warn=0,
        verdicts=look,
    )  # fmt: skip
    count = samples.load(machine.device.site_id, now=first)
    rows = Sample.objects.filter(machine_id=machine.pk).order_by("at")
    assert count == 29 * 4 and rows.count() == count + 1
    assert len({bytes(row.verdicts) for row in rows}) > 4
    assert all(40 < (values(bytes(row.verdicts), 2)[0] or 0) < 60 for row in rows)
    assert samples.load(machine.device.site_id + 1, now=first) == 0


@pytest.mark.slow
def test_a_measured_value_follows_the_day_and_its_verdict_stays() -> None:
    entries = [("gpu.temperature", "GPU 0"), ("gpu.present", "GPU 0"), ("docker", "docker")]
    packed = pack(bytes([0, 0, 0]), [50.0, 8.0, None])
    warm, cold = (values(samples.varied(packed, entries, hour, Random(1)), 3) for hour in (15, 3))
    assert warm[0] and cold[0] and warm[0] > cold[0] and warm[1:] == cold[1:] == [8.0, None]
    assert codes(samples.varied(packed, entries, 15, Random(1)), 3) == bytes(3)
