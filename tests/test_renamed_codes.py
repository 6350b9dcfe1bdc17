"""Rows that hold a code under its former name say the new one after an update: the migrations are run here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.db import connection
from django.db.migrations import RunSQL
from django.utils import timezone

from core.webhooks.models import Webhook
from health.models import Fault, Incident
from health.remediation.types import Guard
from health.tests.factories import make_machines

pytestmark = pytest.mark.django_db


def run(app: str, name: str, *, back: bool = False) -> None:
    """The statements of a migration; its columns are as they are."""
    for operation in import_module(f"{app}.migrations.{name}").Migration.operations:
        if isinstance(operation, RunSQL):
            said: Any = operation.reverse_sql if back else operation.sql
            with connection.cursor() as cursor:
                for statement in said.split("; "):
                    cursor.execute(statement)


def test_a_fault_that_waits_and_what_refused_its_machine_have_the_new_codes_and_back() -> None:
    (machine,) = make_machines(1)
    about = {"slot": "GPU 1", "precedence": 1, "kind": "level", "message": "gone", "status": "cleared"}
    now = {"opened_at": timezone.now(), "seen_at": timezone.now(), "cleared_at": timezone.now()}
    old = {"over_cap": "over_budget", "stopped": "stopped", "": ""}
    for drain in old:
        Fault.objects.create(machine=machine, fault_class=f"gpu.{drain}", drain=drain, **about, **now)
    guards = {"pool_cap", "shared_cause", "observe_only", "undrained", "kill_switch"}
    for guard in guards:
        Incident.objects.create(
            site=machine.device.site, machine=machine, kind="machine", title="GPU 1", refused_by=guard,
            closed_at=timezone.now(), closed_by="olga",
        )  # fmt: skip
    run("health", "0004_public_names")
    assert set(Fault.objects.values_list("drain", flat=True)) == set(old.values())
    assert set(Fault.objects.values_list("drain", flat=True)) <= set(Fault.Drain.values)
    said = set(Incident.objects.values_list("refused_by", flat=True))
    assert len(said) == len(guards) and said <= {str(guard) for guard in Guard}
    run("health", "0004_public_names", back=True)
    assert set(Incident.objects.values_list("refused_by", flat=True)) == guards


def test_a_webhook_for_audit_mode_asks_by_its_new_name() -> None:
    for name, events in {"one": ["observe-only.*", "ticket.*"], "all": ["*"]}.items():
        Webhook.objects.create(name=name, url="https://x.example/", events=events, secret=b"")
    run("core.webhooks", "0002_public_names")
    assert dict(Webhook.objects.values_list("name", "events")) == {"one": ["audit-mode.*", "ticket.*"], "all": ["*"]}
