"""A switch that a run names is an incident of its own: no machine behind it is accused."""

from __future__ import annotations

import pytest

from health.diagnostics.services import outcomes
from health.models import ActiveRun, Fault, Incident
from health.tests.factories import make_machines

pytestmark = pytest.mark.django_db


def test_a_bad_switch_is_reported_as_the_switch_once_and_a_person_is_called() -> None:
    machine = make_machines(1)[0]
    said = {"bad": [], "switches": {"leaf-1": ["gpu-1", "gpu-2"]}, "undecided": {}}
    run = ActiveRun.objects.create(
        site_id=machine.device.site_id, kind="groups", requested_by="olga", conclusion={"groups": said, "again": said}
    )
    outcomes.open_incidents(run)
    outcomes.open_incidents(run)
    incident = Incident.objects.get()
    assert (incident.kind, incident.cause_kind, incident.cause) == ("shared", "switch", "leaf-1")
    assert incident.needs_person_at is not None and "gpu-1, gpu-2" in incident.needs_person_reason
    assert not Fault.objects.exists()
