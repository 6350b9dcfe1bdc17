"""History is never lost: not at midnight, not when nobody makes partitions for ten days; old history goes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, transaction
from django.db.utils import DatabaseError, OperationalError
from django.utils import timezone

from health.models import Layout, Sample, Sweep, Transition
from health.monitoring.services import partitions
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make

pytestmark = pytest.mark.django_db
DAY, MONTH = partitions.SERIES
NIGHT = datetime(2026, 3, 2, 23, 59, 59, 999_999, tzinfo=UTC)


def count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table}")
        return cursor.fetchone()[0]


def default_rows() -> dict[str, int]:
    """What waits in the default partitions because its day or month has none."""
    return {series.table: count(f"{series.table}_default") for series in partitions.SERIES}


def test_partitions_are_made_a_week_ahead_and_only_once() -> None:
    made = partitions.maintain(NIGHT)["made"]
    assert made[0] == "health_sample_20260302" and "health_sample_20260309" in made and len(made) == 11
    assert "health_transition_202603" in made
    assert partitions.maintain(NIGHT) == {"made": [], "dropped": []}


def test_the_turn_of_the_month_has_both_months() -> None:
    made = partitions.maintain(datetime(2026, 12, 28, tzinfo=UTC))["made"]
    assert {"health_transition_202612", "health_transition_202701", "health_sample_20270104"} <= set(made)


def test_a_look_before_and_after_midnight_goes_to_its_own_day() -> None:
    partitions.maintain(NIGHT)
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, at=NIGHT)])
    observation_store.record([make.look(machine, make.docker_down(), at=NIGHT + timedelta(microseconds=1))])
    assert count("health_sample_20260302") == 1 and count("health_sample_20260303") == 1
    assert default_rows() == {"health_sample": 0, "health_transition": 0}


def test_a_ten_day_pause_of_beat_loses_no_row_and_heals() -> None:
    partitions.maintain(NIGHT)
    (machine,) = make.make_machines()
    for day in range(20):
        findings = (make.docker_down(),) if day % 2 else ()
        observation_store.record([make.look(machine, *findings, at=NIGHT + timedelta(days=day))])
    assert default_rows()["health_sample"] == 11, "what lies beyond the week ahead waits"
    assert Sample.objects.count() == 20
    later = NIGHT + timedelta(days=19)
    made = partitions.maintain(later)["made"]
    assert "health_sample_20260311" in made, "days of the pause get their partition too"
    assert default_rows() == {"health_sample": 0, "health_transition": 0}
    assert Sample.objects.count() == 20 and Transition.objects.count() == 19
    assert count("health_sample_20260312") == 1


def test_expired_partitions_go_with_their_rows_and_younger_ones_stay() -> None:
    partitions.maintain(NIGHT)
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, at=NIGHT)])
    observation_store.record([make.look(machine, make.docker_down(), at=NIGHT + timedelta(days=5))])
    in_a_month = NIGHT + timedelta(days=33)
    dropped = partitions.maintain(in_a_month)["dropped"]
    assert "health_sample_20260302" in dropped and "health_sample_20260307" not in dropped
    assert Sample.objects.count() == 1 and Transition.objects.count() == 1
    in_three_years = NIGHT + timedelta(days=1100)
    assert "health_transition_202603" in partitions.maintain(in_three_years)["dropped"]
    assert Transition.objects.count() == 0


def test_rows_too_old_to_keep_are_not_moved_but_dropped() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, at=NIGHT - timedelta(days=60))])
    partitions.maintain(NIGHT)
    assert Sample.objects.count() == 0 and "health_sample_20260101" not in partitions.existing(DAY)


def test_sweeps_are_kept_ninety_days() -> None:
    (machine,) = make.make_machines()
    site = machine.device.site
    for age in (89, 91):
        Sweep.objects.create(site=site, kind="manual", started_at=timezone.now() - timedelta(days=age))
    partitions.maintain()
    assert Sweep.objects.count() == 1


def test_a_sweep_makes_missing_partitions_at_once() -> None:
    assert partitions.ensure() is True and partitions.ensure() is False


@pytest.mark.django_db(transaction=True)
def test_only_one_process_maintains_at_a_time() -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [partitions.LOCK])
        import threading

        results: list[dict] = []

        def other() -> None:
            try:
                results.append(partitions.maintain(NIGHT))
            finally:
                connection.close()

        thread = threading.Thread(target=other)
        thread.start()
        thread.join(20)
    assert results == [{"made": [], "dropped": []}]


def test_layouts_and_history_cannot_be_rewritten() -> None:
    (machine,) = make.make_machines()
    observation_store.record([make.look(machine, make.docker_down())])
    for queryset, change in (
        (Layout.objects.all(), {"checks_version": "other"}),
        (Transition.objects.all(), {"message": "never happened"}),
        (machine.lifecycle_changes.all(), {"actor": "nobody"}),
    ):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            queryset.update(**change)


def test_an_old_postgresql_is_refused() -> None:
    from health.machines.system_checks import too_old

    assert too_old(180_000) is None and "needs 18" in (too_old(170_006) or "")


def test_a_table_too_busy_for_housekeeping_does_not_keep_a_sweep_from_starting(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(now: datetime | None = None) -> dict[str, list[str]]:
        raise OperationalError("canceling statement due to lock timeout")

    monkeypatch.setattr(partitions, "maintain", busy)
    monkeypatch.setattr(partitions, "day_start", lambda at: at + timedelta(days=400))
    assert partitions.ensure() is False
