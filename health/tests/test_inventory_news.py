"""What a write to the inventory makes this room look at: all machines only where one came, went or changed its pool."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.models import Role
from health import handlers
from health.handlers import may_change_membership
from health.tests import factories as make
from inventory.kinds import Scope, write
from live.models import Event

NOTHING = {"created_machines": 0, "retired_devices": 0}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"scope": {"kind": "devices"}, "fields": ["asset_tag", "serial"], **NOTHING}, False),
        ({"scope": {"kind": "devices"}, "fields": ["asset_tag", "role"], **NOTHING}, True),
        ({"scope": {"kind": "devices"}, "fields": ["status"], **NOTHING}, True),
        ({"scope": {"kind": "switches"}, "fields": ["site"], **NOTHING}, True),
        ({"scope": {"kind": "devices"}, "fields": [], "created_machines": 1, "retired_devices": 0}, True),
        ({"scope": {"kind": "devices"}, "fields": [], "created_machines": 0, "retired_devices": 1}, True),
        ({"scope": {"kind": "cables"}, "fields": ["status"], **NOTHING}, False),
        ({"scope": {"kind": "devices"}, **NOTHING}, True),  # of a release that did not tell the fields
        ({"scope": {"site": 1}, **NOTHING}, True),  # a fleet file, an undo
        ({}, True),
    ],
)
def test_what_is_announced_tells_whether_machines_may_have_changed(data: dict[str, Any], expected: bool) -> None:
    assert may_change_membership(data) is expected


def changed(machine: int, **fields: Any) -> Event:
    report = write("devices", [{"id": machine, **fields}], "update", scope=Scope({None: Role.ADMIN}), actor="olga")
    assert report.ok, report.errors()
    return Event.objects.filter(kind="inventory.reloaded").latest("id")


@pytest.mark.django_db
def test_a_write_names_the_fields_that_it_changed() -> None:
    (machine,) = make.make_machines(1)
    assert changed(machine.pk, asset_tag="A-1", serial=machine.device.serial).data["fields"] == ["asset_tag"]


@pytest.mark.django_db
def test_another_role_moves_a_machine_to_its_pool_and_another_label_costs_one_query() -> None:
    (machine,) = make.make_machines(1)
    before = make.health(machine).pool
    changed(machine.pk, role="storage")
    after = make.health(machine).pool
    assert before is not None and after is not None and (before.role, after.role) == ("compute", "storage")
    event = changed(machine.pk, asset_tag="A-2")
    with CaptureQueriesContext(connection) as captured:
        handlers.machines_may_have_changed(event)
    assert len(captured) == 1
