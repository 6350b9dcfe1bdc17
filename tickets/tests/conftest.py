"""A broken machine, its ticket, and the people around it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from core.models import Role, RoleGrant, Site, User
from health.models import Verification
from health.monitoring.services import verifications
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Component, Installation, Machine
from tests.kept_rows import once
from tickets.models import Ticket

OLD_SERIAL = "1650000000007"
FRESH_S = 20
"""The rows of a broken machine are made anew after this long: a look a minute ago stays about a minute old."""


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks are queued at commit; these tests run the work themselves."""
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.fixture
def broken(db: None) -> Machine:
    """A machine out of service with a dead GPU 5, seen by an event and a level a minute ago."""
    return broken_before()


def broken_before() -> Machine:
    """What `break_gpu` leaves behind, in a database that is empty but for people; nothing is sent or queued."""
    once(("dead gpu", time.monotonic() // FRESH_S), break_gpu)
    return Machine.objects.get()


def break_gpu(*, site: str = "ams1", automation: str = "on") -> Machine:
    (machine,) = make.make_machines(site=site, automation=automation)
    install(machine, "GPU 5", OLD_SERIAL if site == "ams1" else f"{OLD_SERIAL}{site}")
    observation_store.record([make.look(machine, make.xid(), make.gone(), at=ago(60))])
    return machine


def ago(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def install(machine: Machine, slot: str, serial: str) -> Component:
    part = Component.objects.create(
        site_id=machine.device.site_id, kind="gpu", vendor="NVIDIA", part_number="935-24287-0000", serial=serial
    )
    Installation.objects.create(component=part, device=machine.device, slot=slot, during=(ago(86400), None))
    return part


def person(name: str, role: str = Role.TECHNICIAN, site: Site | None = None) -> User:
    """Without a password: making one takes longer than most tests."""
    user, _ = User.objects.get_or_create(username=name, defaults={"first_name": name.title()})
    user.is_staff = user.is_superuser = role == Role.ADMIN and site is None
    user.save()
    RoleGrant.objects.update_or_create(user=user, site=site, defaults={"role": role})
    return user


@pytest.fixture
def tina(db: None) -> User:
    return person("tina")


@pytest.fixture
def olga(db: None) -> User:
    return person("olga", Role.OPERATOR)


@pytest.fixture
def ticket(broken: Machine) -> Ticket:
    return Ticket.objects.get()


def look_after(ticket: Ticket, *findings: make.Finding, after_s: float = 5, **more: Any) -> str:
    """Play the look that the ticket's verification asked for."""
    verification = Verification.objects.get(tickets=ticket, status__in=["waiting", "running"])
    Verification.objects.filter(pk=verification.pk).update(next_try_at=timezone.now())
    claimed = verifications.WORK.take(verification.pk)
    assert claimed is not None
    at = verification.requested_at + timedelta(seconds=after_s)
    assert ticket.machine_id is not None
    return verifications.decide(claimed, make.look(ticket.machine_id, *findings, at=at, **more))


Fresh = Callable[[Ticket], Ticket]


@pytest.fixture
def fresh() -> Fresh:
    """The ticket as the database has it."""
    return lambda ticket: Ticket.objects.get(pk=ticket.pk)
