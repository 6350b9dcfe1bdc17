"""Readings that are told, and tables that are read, while partitions are made."""

from __future__ import annotations

import threading
import time
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction

from core.models import Site
from facility.history import tables
from facility.meters.models import Layout, Meter
from health.monitoring.services import partitions

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "facility_reading_2031050107"
AT = datetime(2031, 5, 1, 7, 20, tzinfo=UTC)
BEGIN, END = AT.replace(minute=0), AT.replace(hour=8, minute=0)
WAITS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation IN (%s::regclass, %s::regclass)"


def waits(table: str) -> bool:
    """Whether somebody waits for the table or for its default partition."""
    with connection.cursor() as cursor:
        cursor.execute(WAITS, [table, f"{table}_default"])
        return bool(cursor.fetchone()[0])


def test_a_reading_that_meets_the_making_of_its_partition_is_written_into_it() -> None:
    site = Site.objects.create(slug="ams", name="Amsterdam")
    meter = Meter.objects.create(site=site, name="pdu-a", kind="snmp_pdu", address="10.0.0.1", period_s=30)
    layout = Layout.objects.create(digest="x", points=[["inlet", "I1", "power_w"]])
    told: list[Exception | None] = []

    def tell() -> None:
        try:
            tables.write([tables.Reading(meter.pk, AT, layout.pk, 30, [17_010.0])])
            told.append(None)
        except Exception as error:
            told.append(error)
        finally:
            connection.close()

    writer = threading.Thread(target=tell)
    try:
        with transaction.atomic():
            partitions._attach(tables.READINGS, NAME, BEGIN, END)
            writer.start()
            until = time.monotonic() + 20
            while not waits("facility_reading") and time.monotonic() < until:
                time.sleep(0.02)
        writer.join(timeout=20)
        assert told == [None]
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT vals FROM ONLY {NAME}")
            assert cursor.fetchall() == [([17_010.0],)]
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {NAME}")


def test_who_reads_two_tables_at_once_and_the_making_of_their_partitions_do_not_wait_for_each_other() -> None:
    """Readings are made first and minutes next; here minutes are read first and readings next."""
    made: list[dict[str, list[str]] | None] = []

    def make() -> None:
        try:
            made.append(partitions.maintain_series(tables.SERIES[:2], 7_299, AT))
        finally:
            connection.close()

    maker = threading.Thread(target=make)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM facility_minute")
            maker.start()
            until = time.monotonic() + 20
            while not waits("facility_minute") and time.monotonic() < until:
                time.sleep(0.02)
            cursor.execute("SELECT count(*) FROM facility_reading")
        maker.join(timeout=20)
        assert made and made[0] is not None and {NAME, "facility_minute_2031050107"} <= set(made[0]["made"])
    finally:
        with connection.cursor() as cursor:
            for name in [name for each in made if each for name in each["made"]]:
                cursor.execute(f"DROP TABLE IF EXISTS {name}")
