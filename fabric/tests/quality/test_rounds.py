"""Rounds of readings: stored, judged, told when confirmed; nothing read is never ok."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fabric.facts import SeenLink
from fabric.models import LinkQuality, PortSample, Round
from fabric.quality.counters import Reading
from fabric.quality.deltas import begin, go_on
from fabric.quality.services import rounds, samples
from fabric.tests.quality.made_rounds import CLEAN, LEAF, NOON, SPINE, cables, minute, port, read, source
from live.models import Event

pytestmark = pytest.mark.django_db
BAD = port(SPINE, 2)
KEY = f"{LEAF}_2:{SPINE}_2"


def told() -> list[tuple[str, str]]:
    return [(event.kind, event.data["key"]) for event in Event.objects.filter(kind__startswith="link.").order_by("id")]


def one(key: str = KEY) -> LinkQuality:
    return LinkQuality.objects.get(key=key)


def test_a_first_round_knows_nothing_and_a_second_one_does() -> None:
    where = source()
    assert read(where, 0).states == {"bad": 0, "unknown": 3, "watch": 0, "ok": 0}
    assert "need a second reading" in one().reason
    assert read(where, 5).states == {"bad": 0, "unknown": 0, "watch": 0, "ok": 3}
    assert Round.objects.count() == 2 and PortSample.objects.count() == 4, "one row for each node and round"


def test_a_bad_link_is_told_at_the_second_window_and_once() -> None:
    where = source()
    for at in range(0, 25, 5):
        read(where, at, {BAD: {"symbol_errors": 5000 * at}})
    row = one()
    assert row.state == "bad" and row.alarm == "bad" and row.bad_since == minute(10)
    assert "port 2" in row.reason and "symbol errors" in row.reason
    assert told() == [("link.bad", KEY)]
    event = Event.objects.get(kind="link.bad")
    assert event.data["b"] == {"guid": SPINE, "port": 2, "name": ""} and event.data["source"] == where.pk
    assert event.data["measures"][0]["name"] == "symbol_errors"


def test_a_link_that_was_bad_is_told_good_after_two_windows_without() -> None:
    where = source()
    for at in range(0, 15, 5):
        read(where, at, {BAD: {"symbol_errors": 5000 * at}})
    for at in (100, 105, 110, 115, 120, 170, 175, 180, 185):
        read(where, at, {BAD: {"symbol_errors": 50_000}})
    assert one().state == "ok" and one().bad_since is None
    assert told() == [("link.bad", KEY), ("link.good", KEY)]


def test_one_burst_is_not_told() -> None:
    where = source()
    read(where, 0)
    for at in range(5, 70, 5):
        read(where, at, {BAD: {"symbol_errors": 9000}})
    assert told() == []


def test_a_reset_between_rounds_neither_alarms_nor_forgets() -> None:
    where = source()
    for at, count in ((0, 10), (5, 70), (10, 5), (15, 5)):
        read(where, at, {BAD: {"symbol_errors": count}})
    assert one().rates["1h"]["b"]["counts"] == {"symbol_errors": 65} and one().rates["1h"]["b"]["reset"]


def test_a_port_with_a_full_counter_is_unknown_and_raises_no_alarm() -> None:
    where = source()
    for at in range(0, 30, 5):
        read(where, at, {BAD: {"link_downed": 255}})
    assert one().state == "unknown" and "stand at 255" in one().reason and told() == []


def test_a_port_that_is_not_told_any_more_makes_its_link_unknown() -> None:
    where = source()
    read(where, 0)
    read(where, 5)
    read(where, 10, leave_out=(BAD,))
    assert one().state == "unknown" and "not reported this time" in one().reason
    assert one(f"{LEAF}_1:{SPINE}_1").state == "ok"


def test_a_round_without_any_reading_changes_nothing_and_links_grow_old_by_themselves() -> None:
    where = source()
    read(where, 0)
    read(where, 5)
    assert read(where, 10, links=[]) == rounds.NOTHING
    assert one().state == "ok"
    assert rounds.mark_stale(minute(20)) == 0
    assert rounds.mark_stale(minute(5 + 31)) == 3
    assert one().state == "unknown" and one().reason.startswith("not measured since")
    assert rounds.mark_stale(minute(5 + 31)) == 0


def test_an_older_round_and_the_same_one_again_change_nothing() -> None:
    where = source()
    read(where, 5)
    assert read(where, 5) == rounds.NOTHING and read(where, 0) == rounds.NOTHING
    assert Round.objects.count() == 1


def test_a_cable_in_another_port_begins_a_new_life_and_closes_the_old_alarm() -> None:
    where = source()
    for at in range(0, 15, 5):
        read(where, at, {BAD: {"symbol_errors": 5000 * at}})
    moved = [*cables(1), SeenLink(port(LEAF, 9), BAD, "4x", "NDR"), cables()[2]]
    read(where, 15, {BAD: {"symbol_errors": 75_000}}, links=moved)
    assert not LinkQuality.objects.filter(key=KEY).exists()
    assert told()[-1] == ("link.good", KEY)


def test_a_bad_link_that_goes_dark_stays_as_unknown_until_somebody_moves_it() -> None:
    where = source()
    for at in range(0, 15, 5):
        read(where, at, {BAD: {"symbol_errors": 5000 * at}})
    read(where, 15, links=[cables()[0], cables()[2]])
    assert one().state == "unknown" and one().reason == "the link is not seen any more" and one().bad_since


def test_a_source_may_set_its_own_limits_and_wrong_ones_change_nothing() -> None:
    where = source(quality={"downs_watch_per_day": 5, "downs_bad_per_day": 9})
    read(where, 0)
    read(where, 5, {BAD: {"link_downed": 4}})
    assert one().state == "ok"
    where.options = {"quality": {"downs_bad": "many"}}
    assert rounds.thresholds_of(where) == rounds.Thresholds()


def test_heat_and_reported_error_rates_reach_the_row() -> None:
    where = source()
    read(where, 0, optic_c=71.0)
    read(where, 5, optic_c=77.5, effective_ber=2e-13)
    row = one()
    assert row.max_c == 77.5 and row.ber == 2e-13 and not row.ber_below and row.state == "watch"


def test_links_that_count_alike_are_each_told_by_their_own_names_and_others_by_their_own_counts() -> None:
    where = source()
    worse, worst = port(SPINE, 4), port(LEAF, 5)
    for at in (0, 20):
        counts = {worse: {"symbol_errors": 40 * at}, worst: {"symbol_errors": 90 * at}, BAD: {"symbol_errors": 40 * at}}
        read(where, at, counts, links=cables(6), optic_c=60.0)
    rows = {row.a_port: row for row in LinkQuality.objects.all()}
    assert rows[2].reason == f"0x{SPINE} port 2: 800 symbol errors in 20 minutes"
    assert rows[4].reason == f"0x{SPINE} port 4: 800 symbol errors in 20 minutes"
    assert rows[5].reason == f"0x{LEAF} port 5: 1800 symbol errors in 20 minutes"
    assert rows[1].reason == "" and rows[3].rates["5m"]["a"]["counts"] == {}
    assert [rows[n].rates["5m"]["b"]["counts"] for n in (2, 4)] == [{"symbol_errors": 800}] * 2
    for number in (1, 3, 6):
        ends = {measure["end"] for measure in rows[number].measures}
        assert ends == {f"0x{LEAF} port {number}", f"0x{SPINE} port {number}"}


def test_the_number_of_statements_does_not_grow_with_the_fabric() -> None:
    counts = []
    for size in (3, 30):
        where = source()
        read(where, 0, links=cables(size))
        with CaptureQueriesContext(connection) as captured:
            read(where, 5, links=cables(size))
        counts.append(len(captured))
        where.name = f"done {size}"
        where.save()
    assert counts[0] == counts[1], counts


def test_what_is_packed_comes_out_as_it_went_in() -> None:
    first = Reading(NOON, CLEAN | {"transmit_words": 2**52 + 1}, raw_ber=3e-9, optic_c=55.5)
    later = Reading(minute(5), {"link_downed": 255, "symbol_errors": 7}, quiet=True)
    totals = go_on(begin(first), first, later)
    packed = samples.pack([(64, samples.Sample(later, totals)), (1, samples.Sample(first, begin(first)))])
    back = samples.unpack(packed, minute(5))
    assert list(back) == [1, 64] and back[64] == samples.Sample(later, totals)
    assert back[1].reading.counters["transmit_words"] == 2**52 + 1 and back[1].reading.raw_ber == 3e-9
    for wrong in (b"", b"no", packed[:-9]):
        with pytest.raises(ValueError, match="packed"):
            samples.unpack(wrong, NOON)


def test_rounds_before_and_after_midnight_go_to_their_own_days_and_expire() -> None:
    night = NOON.replace(hour=23, minute=59)
    samples.maintain(night)
    where = source()
    read(where, 719)
    read(where, 721)
    with connection.cursor() as cursor:
        cursor.execute("SELECT tableoid::regclass::text, count(*) FROM fabric_portsample GROUP BY 1 ORDER BY 1")
        assert cursor.fetchall() == [("fabric_portsample_20260302", 2), ("fabric_portsample_20260303", 2)]
    gone = samples.maintain(night + timedelta(days=31))["dropped"]
    assert "fabric_portsample_20260302" in gone and PortSample.objects.count() <= 2
    assert Round.objects.count() == PortSample.objects.values("at").distinct().count()


def test_a_pause_without_partitions_loses_no_sample() -> None:
    where = source()
    samples.maintain(NOON)
    for day in range(0, 20):
        read(where, day * 1440)
    assert PortSample.objects.count() == 40
    samples.maintain(NOON + timedelta(days=19))
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM fabric_portsample_default")
        assert cursor.fetchone()[0] == 0
    assert PortSample.objects.count() == 40
