"""Two who write the same rack at once: one waits and then sees the other's work, or gives up cleanly."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, transaction

from core.models import Site
from inventory.fleet.load import load
from inventory.kinds import Report, Scope, write
from inventory.models import Device, Placement, Rack
from inventory.tests.conftest import TWO_SITES

pytestmark = pytest.mark.django_db(transaction=True)
ALL = Scope.everything()


@pytest.fixture
def rack(db: Any) -> Rack:
    load(TWO_SITES)
    return Rack.objects.get(name="B02")


def machine(name: str, u: int) -> dict[str, Any]:
    return {"site": "north", "name": name, "model": "dell-xe9680-h100", "rack": "B02", "u": u}


class Other(threading.Thread):
    """Writes in another connection."""

    def __init__(self, *rows: dict[str, Any], wait_s: float) -> None:
        super().__init__()
        self.rows, self.wait_s = rows, wait_s
        self.report: Report | None = None

    def run(self) -> None:
        try:
            self.report = write("devices", self.rows, scope=ALL, actor="other", lock_wait_s=self.wait_s)
        finally:
            connection.close()


def waiting() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
        return bool(cursor.fetchone()[0])


def until_it_waits() -> None:
    import time

    for _ in range(400):
        if waiting():
            return
        time.sleep(0.05)
    raise AssertionError("nobody waits for a lock")


def test_the_second_of_two_imports_waits_and_is_told_who_stands_there(rack: Rack) -> None:
    second = Other(machine("m2", 32), wait_s=60)
    with transaction.atomic():
        assert write("devices", [machine("m1", 30)], scope=ALL, actor="one").ok
        second.start()
        until_it_waits()
    second.join(60)
    assert second.report is not None
    assert [(error.field, error.code) for error in second.report.rows[0].errors] == [("u", "overlap")]
    assert "m1" in second.report.rows[0].errors[0].reason
    assert not Device.objects.filter(name="m2").exists()


def test_an_import_that_waits_too_long_is_busy_and_writes_nothing(rack: Rack) -> None:
    second = Other(machine("m3", 40), machine("m2", 20), wait_s=0.3)
    with transaction.atomic():
        assert write("devices", [machine("m1", 30)], scope=ALL, actor="one").ok
        second.start()
        second.join(60)
    assert second.report is not None
    assert (second.report.code, second.report.ok, second.report.created) == ("busy", False, 2)
    assert not Device.objects.filter(name__in=["m2", "m3"]).exists()
    assert Placement.objects.filter(device__name="m1").exists()


def test_imports_of_many_racks_in_opposite_order_never_lock_each_other_out(rack: Rack) -> None:
    site = Site.objects.get(slug="north")
    racks = [{"site": "north", "room": "Hall 1", "name": f"R{n}", "x_mm": 0, "y_mm": 0} for n in range(20)]
    assert write("racks", racks, scope=ALL, actor="one").ok

    def rows(prefix: str, u: int, order: int) -> list[dict[str, Any]]:
        return [machine(f"{prefix}{n}", u) | {"rack": f"R{n}"} for n in range(20)][::order]

    threads = [Other(*rows(f"x{n}-", 1 + 7 * n, (-1) ** n), wait_s=60) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert [thread.report.ok for thread in threads if thread.report] == [True] * 4
    assert Device.objects.filter(site=site, name__startswith="x").count() == 80
