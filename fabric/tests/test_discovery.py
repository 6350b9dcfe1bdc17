"""From a request to stored findings: what a look does to history, findings, names, and what it must never do."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from core.models import Site
from fabric.discovery.services import discoveries, readers, sources
from fabric.discovery.services.readers import CaptureParts, Part, SourceUnreadable
from fabric.models import (
    Capture,
    CapturePart,
    Discovery,
    FabricLink,
    FabricSource,
    Finding,
    NameProposal,
    SeenLink,
    SeenNode,
)
from fabric.registrations import Comparison
from fabric.tests.hall import CABLES, fabric_of, load_site, parts, source_of, switches
from fabric.tests.made import Made
from fabric.tests.made_faults import inject
from fabric.wiring.queries import history
from fabric.wiring.services import findings, names
from fabric.wiring.services.derivation import diagnosis_of
from inventory.models import Cable
from live.models import Event

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    monkeypatch.setattr("core.work.kinds.Progress._beat", lambda self: None)  # it has a connection of its own


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return load_site(tmp_path, "west")


@pytest.fixture
def source(site: Site) -> FabricSource:
    return source_of(site)


@pytest.fixture
def fabric(site: Site) -> Made:
    return fabric_of(site)


def look(source: FabricSource, outputs: list[Part] | Made, *, at: datetime | None = None) -> Discovery:
    """Upload a look and do it; `at` is when it was taken."""
    found = outputs if isinstance(outputs, list) else parts(outputs)
    discovery = discoveries.upload(source, found, by="ann")
    if at is not None:
        Capture.objects.filter(pk=discovery.capture_id).update(at=at)
    done = discoveries.run(discovery.pk)
    assert done is not None
    source.refresh_from_db()
    return done


def looks(source: FabricSource, fabric: Made, *, apart_s: float = 301) -> tuple[Discovery, Discovery]:
    """Two looks with so much time in between; the next ones may come later than both."""
    first = timezone.now() - timedelta(days=1)
    if source.last_good_at:
        first = source.last_good_at + timedelta(seconds=10)
    return look(source, fabric, at=first), look(source, fabric, at=first + timedelta(seconds=apart_s))


def events(kind: str) -> list[dict[str, Any]]:
    return list(Event.objects.filter(kind=kind).order_by("id").values_list("data", flat=True))


# ---- a good look ----


@pytest.mark.slow
def test_a_healthy_fabric_has_no_finding_and_every_link_is_correct(source: FabricSource, fabric: Made) -> None:
    done = look(source, fabric)
    assert (done.status, source.state, done.problems) == ("done", "ok", [])
    assert Finding.objects.count() == 0 and NameProposal.objects.count() == 0
    assert set(FabricLink.objects.values_list("state", flat=True)) == {"correct"}
    assert FabricLink.objects.count() == SeenLink.objects.count() == CABLES
    assert not FabricLink.objects.filter(cable=None).exists()
    assert not FabricLink.objects.filter(a_port=None).exists() and not FabricLink.objects.filter(b_port=None).exists()
    assert set(FabricLink.objects.exclude(rail=None).values_list("tier", flat=True)) >= {"leaf-machine", "leaf-spine"}
    assert done.counts["states"]["correct"] == CABLES and done.counts["moves"] == 0


@pytest.mark.django_db(transaction=True)
def test_a_cable_that_is_deleted_while_it_is_compared_does_not_break_the_discovery(
    source: FabricSource, fabric: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    compare = Comparison.compare
    removed: list[int] = []

    def slow(*args: Any, **more: Any) -> Any:
        outcome = compare(*args, **more)
        if not removed:
            cable = Cable.objects.order_by("id").first()
            assert cable is not None
            removed.append(cable.pk)
            cable.delete()
        return outcome

    monkeypatch.setattr(Comparison, "compare", staticmethod(slow))
    done = look(source, fabric)
    assert (done.status, source.state) == ("done", "ok")
    assert removed and FabricLink.objects.count() == CABLES
    assert FabricLink.objects.exclude(state="correct").count() == 1, "the plan no longer knows one"


def test_a_finding_opens_at_a_second_look_five_minutes_later_and_not_before(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "swap")
    first, too_early = looks(source, fabric, apart_s=299)
    row = Finding.objects.get()
    assert (row.kind, row.state, row.opened_at, events("finding.opened")) == ("swapped_pair", "new", None, [])
    late = look(source, fabric, at=row.first_seen_at + timedelta(seconds=300))
    row.refresh_from_db()
    assert (row.state, row.first_discovery, row.last_discovery) == ("open", first, late)
    (event,) = events("finding.opened")
    assert (event["finding"], event["kind"], event["site"]) == (row.pk, "swapped_pair", source.site_id)
    look(source, fabric, at=row.last_seen_at + timedelta(seconds=600))
    assert len(events("finding.opened")) == 1 and events("finding.changed") == []
    assert too_early.counts["findings_opened"] == 0 and late.counts["findings_opened"] == 1


def test_a_finding_says_where_to_pull_and_where_to_plug(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "swap")
    look(source, fabric)
    row = Finding.objects.get()
    moves = row.detail["moves"]
    assert row.moves == 2 and [move["n"] for move in moves] == list(range(1, len(moves) + 1))
    ends = [end for move in moves for end in (move["take_from"], move["put_into"]) if end]
    assert all(end["cage"] and end["lane"] and end["port_id"] and end["place"].startswith("Hall") for end in ends)
    assert all(end["half"] == ("upper", "lower")[end["lane"] - 1] for end in ends)
    assert row.device_ids and row.rack_ids


def test_a_look_that_shows_it_right_closes_the_finding(site: Site, source: FabricSource, fabric: Made) -> None:
    inject(fabric, "cycle")
    looks(source, fabric)
    look(source, fabric_of(site), at=timezone.now() - timedelta(hours=1))
    row = Finding.objects.get()
    assert (row.state, row.closed_at is not None) == ("closed", True)
    assert [event["finding"] for event in events("finding.closed")] == [row.pk]
    assert set(FabricLink.objects.values_list("state", flat=True)) == {"correct"}


@pytest.mark.slow
def test_a_finding_that_never_opened_goes_without_a_word(site: Site, source: FabricSource, fabric: Made) -> None:
    inject(fabric, "wrong_port")
    look(source, fabric)
    look(source, fabric_of(site))
    assert Finding.objects.get().state == "closed" and events("finding.closed") == []


def test_an_accepted_finding_stays_accepted_until_it_is_right(site: Site, source: FabricSource, fabric: Made) -> None:
    inject(fabric, "swap")
    looks(source, fabric)
    row = findings.accept(Finding.objects.get().pk, reason="moved on Monday", by="ann")
    look(source, fabric)
    row.refresh_from_db()
    assert (row.state, row.accepted_by, row.accept_reason) == ("accepted", "ann", "moved on Monday")
    look(source, fabric_of(site))
    row.refresh_from_db()
    assert row.state == "closed"


def test_a_machine_that_is_off_is_one_finding_and_its_links_are_off(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "dead_machine")
    look(source, fabric)
    assert [row.kind for row in Finding.objects.all()] == ["device_off"]
    assert FabricLink.objects.filter(state="off").count() == 8


# ---- what must not be believed ----


def cut(outputs: list[Part]) -> list[Part]:
    text = outputs[0].text
    return [Part(outputs[0].name, "ibnetdiscover", text[: text.rindex("\n[") + 20]), *outputs[1:]]


UNBELIEVABLE: dict[str, tuple[Callable[[list[Part]], list[Part]], str]] = {
    "empty": (lambda outputs: [Part(part.name, part.format, "") for part in outputs], "empty"),
    "no wiring, only counters": (lambda outputs: outputs[2:], "empty"),
    "breaks off": (cut, "partial"),
    "one output failed": (
        lambda outputs: [outputs[0], Part("iblinkinfo -l", "iblinkinfo", "", 124, "did not end in time")],
        "partial",
    ),
    "another tool's output": (lambda outputs: [outputs[0], Part("x", "iblinkinfo", "no such thing\n")], "partial"),
}


@pytest.mark.parametrize("name", UNBELIEVABLE)
def test_a_look_that_is_not_whole_changes_the_state_of_its_source_and_nothing_else(
    source: FabricSource, fabric: Made, name: str
) -> None:
    inject(fabric, "swap")
    looks(source, fabric)
    before = snapshot()
    change, state = UNBELIEVABLE[name]
    done = look(source, change(parts(fabric)))
    assert (done.status, source.state, snapshot()) == ("held_back", state, before)
    assert done.held_back and source.message


def test_a_first_look_that_is_empty_opens_nothing(source: FabricSource) -> None:
    done = look(source, [Part("ibnetdiscover", "ibnetdiscover", "")])
    assert (done.status, source.state, Finding.objects.count()) == ("held_back", "empty", 0)
    assert FabricLink.objects.count() == 0 and source.last_good_at is None


def test_counters_that_cannot_be_read_leave_the_wiring_believed(source: FabricSource, fabric: Made) -> None:
    done = look(source, [*parts(fabric)[:2], Part("ibqueryerrors --data", "ibqueryerrors", "")])
    assert (done.status, source.state) == ("done", "ok")
    assert [problem["text"] for problem in done.problems] == ["printed nothing: no data"]


def snapshot() -> list[Any]:
    return [
        sorted(Finding.objects.values_list("key", "state")),
        sorted(FabricLink.objects.values_list("key", "state")),
        SeenLink.objects.filter(during__endswith=None).count(),
        SeenNode.objects.filter(during__endswith=None).count(),
    ]


def dark(fabric: Made, count: int) -> None:
    """Pull cables between leaves and spines, spread over the switches."""
    uplinks = [cable for cable in fabric.plan.cables if all(end.device in switches(fabric.plan) for end in cable.ends)]
    for cable in uplinks[:: len(uplinks) // count][:count]:
        fabric.put((cable.label, "a"), None)


def test_when_too_many_links_vanish_at_once_nothing_opens_and_it_is_said_once(
    site: Site, source: FabricSource, fabric: Made
) -> None:
    inject(fabric, "swap")
    looks(source, fabric)
    before = snapshot()
    dark(fabric, 16)
    done = look(source, fabric)
    assert (done.status, source.state, snapshot()) == ("held_back", "held_back", before)
    assert "vanished" in done.held_back
    look(source, fabric)
    said = [event["state"] for event in events("source.changed")]
    assert said == ["ok", "held_back"]


def test_few_that_vanish_are_believed(source: FabricSource, fabric: Made) -> None:
    look(source, fabric)
    dark(fabric, 4)
    assert look(source, fabric).status == "done"
    assert FabricLink.objects.filter(state="dark").count() == 4


def test_a_switch_that_is_off_is_believed_even_in_a_small_fabric(source: FabricSource, fabric: Made) -> None:
    look(source, fabric)
    inject(fabric, "dead_switch")
    assert look(source, fabric).status == "done"
    assert [row.kind for row in Finding.objects.all()] == ["device_off"]


def test_a_tier_that_is_gone_is_held_back(source: FabricSource, fabric: Made) -> None:
    look(source, fabric)
    fabric.dead |= {name for name in switches(fabric.plan) if name.startswith("spine")}
    done = look(source, fabric)
    assert (done.status, "tier spine" in done.held_back) == ("held_back", True)


def test_a_person_can_say_that_what_vanished_is_really_gone(source: FabricSource, fabric: Made) -> None:
    look(source, fabric)
    dark(fabric, 16)
    held = look(source, fabric)
    again = sources.accept_anyway(held, reason="pod 2 is taken down", by="ann")
    done = discoveries.run(again.pk)
    source.refresh_from_db()
    assert done is not None and (done.status, done.capture_id, source.state) == ("done", held.capture_id, "ok")
    assert FabricLink.objects.filter(state="dark").count() == 16


# ---- several sources, workers that die ----


def test_a_source_that_fails_takes_no_other_down(
    site: Site, source: FabricSource, fabric: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = source_of(site, "bad", kind="ufm", address="https://ufm.example")
    good = source_of(site, "good", kind="ibdiags", address="10.0.0.1")

    def read(source: FabricSource) -> CaptureParts:
        if source.pk == bad.pk:
            raise SourceUnreadable("UFM: no answer in time")
        return CaptureParts(parts(fabric))

    monkeypatch.setattr(discoveries, "read_source", read)
    for pk in discoveries.start_due():
        discoveries.run(pk)
    assert list(FabricSource.objects.order_by("name").values_list("name", "state")) == [
        ("bad", "failed"), ("diags", "never"), ("good", "ok"),
    ]  # fmt: skip
    bad.refresh_from_db()
    assert bad.message == "UFM: no answer in time" and FabricLink.objects.filter(source=good).count() == CABLES


def test_one_look_at_a_source_at_a_time(source: FabricSource, fabric: Made) -> None:
    first = discoveries.upload(source, parts(fabric), by="ann")
    with pytest.raises(discoveries.AlreadyRunning) as running:
        discoveries.start(source, by="bob")
    assert running.value.discovery == first


def test_a_look_whose_worker_died_is_done_again_from_its_capture(
    source: FabricSource, fabric: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    FabricSource.objects.filter(pk=source.pk).update(kind="ibdiags")
    reads = []
    monkeypatch.setattr(discoveries, "read_source", lambda source: reads.append(1) or CaptureParts(parts(fabric)))

    def die(*_: Any, **__: Any) -> None:
        raise SystemExit  # what is left behind is what a killed process leaves

    discovery = discoveries.start(source, by="")
    with monkeypatch.context() as dying:
        dying.setattr(Comparison, "store", die)
        with pytest.raises(SystemExit):
            discoveries.run(discovery.pk)
    discovery.refresh_from_db()
    assert discovery.status == "storing" and SeenLink.objects.count() == 0
    assert discoveries.reap(timezone.now()) == []
    assert discoveries.reap(timezone.now() + timedelta(minutes=1)) == [discovery.pk]
    done = discoveries.run(discovery.pk)
    assert done is not None and (done.status, done.attempts, len(reads)) == ("done", 2, 1)
    assert SeenLink.objects.count() == CABLES


def test_a_look_that_kills_every_worker_fails_in_the_end(source: FabricSource, fabric: Made) -> None:
    discovery = discoveries.upload(source, parts(fabric), by="ann")
    for _ in range(3):
        assert discoveries.claim(discovery.pk) is not None
        discoveries.reap(timezone.now() + timedelta(minutes=1))
    discovery.refresh_from_db()
    source.refresh_from_db()
    assert (discovery.status, source.state) == ("failed", "failed") and "3 times" in discovery.message


def test_a_worker_that_was_taken_for_dead_writes_nothing(source: FabricSource, fabric: Made) -> None:
    discovery = discoveries.upload(source, parts(fabric), by="ann")
    slow = discoveries.claim(discovery.pk)
    assert slow is not None
    discoveries.reap(timezone.now() + timedelta(minutes=1))
    with pytest.raises(discoveries.LostLease):
        discoveries._work(slow)
    assert SeenLink.objects.count() == 0 and discoveries.run(discovery.pk).status == "done"  # type: ignore[union-attr]


def test_a_source_is_due_when_its_period_is_over(site: Site) -> None:
    source = source_of(site, "due", kind="ibdiags", address="10.0.0.1", period_s=600)
    source_of(site, "by-hand", kind="ibdiags", address="10.0.0.1", period_s=0)
    source_of(site, "off", kind="ibdiags", address="10.0.0.1", enabled=False)
    (first,) = discoveries.start_due()
    assert discoveries.start_due() == []
    Discovery.objects.get(pk=first).delete()
    FabricSource.objects.filter(pk=source.pk).update(tried_at=timezone.now())
    assert discoveries.start_due(timezone.now() + timedelta(seconds=590)) == []
    assert len(discoveries.start_due(timezone.now() + timedelta(seconds=610))) == 1


def test_a_source_that_went_silent_becomes_stale_and_says_so_once(source: FabricSource, fabric: Made) -> None:
    look(source, fabric)
    later = timezone.now() + timedelta(seconds=source.stale_after_s + 60)
    assert discoveries.mark_stale(later) == 1 and discoveries.mark_stale(later) == 0
    source.refresh_from_db()
    assert source.state == "stale"
    assert [event["state"] for event in events("source.changed")] == ["ok", "stale"]


# ---- captures ----


def test_every_finding_can_be_derived_from_its_capture_again(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "chain")
    done = look(source, fabric)
    row = Finding.objects.get()
    again = diagnosis_of(done)
    assert [found["key"] for found in again["findings"]] == [row.key]
    assert again["findings"][0]["moves"] == row.detail["moves"]
    part = CapturePart.objects.get(capture=done.capture, format="ibnetdiscover")
    assert part.text == parts(fabric)[0].text and len(part.content) < part.size / 4


@pytest.mark.slow
def test_old_captures_go_but_not_the_newest_nor_the_evidence_of_open_findings(
    site: Site, source: FabricSource, fabric: Made
) -> None:
    look(source, fabric_of(site))
    inject(fabric, "swap")
    first, second = looks(source, fabric)
    look(source, fabric)
    newest = look(source, fabric)
    Capture.objects.update(at=timezone.now() - timedelta(days=31))
    assert discoveries.prune() == 3  # the first, the second and the third look of the fault
    kept = set(Capture.objects.values_list("pk", flat=True))
    assert kept == {first.capture_id, newest.capture_id} and second.capture_id not in kept
    assert Discovery.objects.count() == 5, "they are kept longer than their captures"
    Discovery.objects.update(finished_at=timezone.now() - settings.KEPT["discoveries"] - timedelta(hours=1))
    discoveries.prune()
    assert set(Discovery.objects.values_list("pk", flat=True)) == {first.pk, newest.pk}


# ---- history ----


def test_the_fabric_at_a_time_and_what_changed_since(site: Site, source: FabricSource, fabric: Made) -> None:
    start = timezone.now() - timedelta(days=2)
    look(source, fabric, at=start)
    label = next(cable.label for cable in fabric.plan.cables if cable.a.device == "leaf-1")
    before = fabric.plan.cables[[cable.label for cable in fabric.plan.cables].index(label)]
    fabric.put((label, "a"), (before.a._replace(port=64),))
    look(source, fabric, at=start + timedelta(hours=1))

    ids = [source.pk]
    total, rows = history.links_at(ids, start + timedelta(minutes=30), None, most=1000, skip=0)
    ports = {(end["device"], end["port"]) for row in rows for end in (row["a"], row["b"])}
    assert total == CABLES and tuple(before.a) in ports and ("leaf-1", 64) not in ports
    total, rows = history.links_at(ids, start + timedelta(hours=2), None, most=1000, skip=0)
    ports = {(end["device"], end["port"]) for row in rows for end in (row["a"], row["b"])}
    assert total == CABLES and tuple(before.a) not in ports and ("leaf-1", 64) in ports
    assert history.links_at(ids, start - timedelta(hours=1), None, most=1000, skip=0) == (0, [])

    changed = history.changes(ids, start + timedelta(minutes=30), start + timedelta(hours=2))
    (moved,) = changed["links"]["moved"]
    assert {moved["before"]["a"]["port"], moved["before"]["b"]["port"]} == {before.a.port, before.b.port}
    assert 64 in (moved["after"]["a"]["port"], moved["after"]["b"]["port"])
    assert not any(changed["links"][kind] for kind in ("come", "gone", "rate"))
    assert not any(changed["nodes"].values())


def test_a_machine_that_went_off_shows_as_nodes_and_links_that_are_gone(source: FabricSource, fabric: Made) -> None:
    start = timezone.now() - timedelta(days=2)
    look(source, fabric, at=start)
    inject(fabric, "dead_machine")
    look(source, fabric, at=start + timedelta(hours=1))
    changed = history.changes([source.pk], start, start + timedelta(hours=2))
    assert (len(changed["links"]["gone"]), len(changed["nodes"]["gone"])) == (8, 8)
    assert changed["links"]["come"] == changed["links"]["moved"] == []


# ---- names ----


def test_unnamed_switches_get_names_from_the_wiring_that_people_approve(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "factory_names")
    look(source, fabric)
    rows = list(NameProposal.objects.order_by("proposed"))
    assert rows and {row.guid: row.proposed for row in rows} == {
        guid: name for guid, name in fabric.names().items() if guid in fabric.factory
    }
    assert all(row.certain and row.device is not None and row.agreeing == row.asked for row in rows)
    assert f'0x{rows[0].guid} "{rows[0].proposed}"' not in names.node_name_map(source)
    names.approve(rows[:1], by="ann")
    assert f'0x{rows[0].guid} "{rows[0].proposed}"\n' in names.node_name_map(source)
    fabric.factory.discard(rows[0].guid)
    look(source, fabric)
    rows[0].refresh_from_db()
    assert (rows[0].state, rows[0].decided_by) == ("confirmed", "ann")


def test_a_rejected_name_is_not_proposed_again(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "factory_names", count=1)
    look(source, fabric)
    names.reject(NameProposal.objects.get(), by="ann", reason="it is being replaced")
    look(source, fabric)
    assert list(NameProposal.objects.values_list("state", flat=True)) == ["rejected"]


def test_names_are_written_only_where_that_is_turned_on_and_recorded_first(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "factory_names", count=2)
    look(source, fabric)
    names.approve(list(NameProposal.objects.all()), by="ann")
    told: list[str] = []

    def write(source: FabricSource, guid: str, name: str) -> str:
        assert NameProposal.objects.get(guid=guid).writing_at is not None
        told.append(name)
        return "UFM: no" if len(told) == 2 else ""

    assert names.write_back(source.pk, write) == 0 and told == []
    FabricSource.objects.filter(pk=source.pk).update(kind="ufm", options={"write_names": True})
    assert names.write_back(source.pk, write) == 1 and names.write_back(source.pk, write) == 0
    assert sorted(NameProposal.objects.values_list("state", "message")) == [("failed", "UFM: no"), ("written", "")]


def test_a_name_whose_writer_died_is_written_again(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "factory_names", count=1)
    look(source, fabric)
    names.approve(list(NameProposal.objects.all()), by="ann")
    FabricSource.objects.filter(pk=source.pk).update(kind="ufm", options={"write_names": True})
    NameProposal.objects.update(writing_at=timezone.now() - timedelta(minutes=5))
    assert names.sources_to_write() == [] and names.write_back(source.pk, lambda *_: "") == 0
    NameProposal.objects.update(writing_at=timezone.now() - timedelta(minutes=11))
    assert names.sources_to_write() == [source.pk] and names.write_back(source.pk, lambda *_: "") == 1
    assert names.sources_to_write() == []


def test_what_is_decided_of_a_name_while_it_is_written_stands(source: FabricSource, fabric: Made) -> None:
    inject(fabric, "factory_names", count=1)
    look(source, fabric)
    names.approve(list(NameProposal.objects.all()), by="ann")
    FabricSource.objects.filter(pk=source.pk).update(kind="ufm", options={"write_names": True})

    def write(source: FabricSource, guid: str, name: str) -> str:
        names.reject(NameProposal.objects.get(guid=guid), by="bob", reason="it is being replaced")
        return ""

    names.write_back(source.pk, write)
    assert NameProposal.objects.get().state == "rejected"


# ---- cost ----


def statements(source: FabricSource, outputs: list[Part]) -> int:
    with CaptureQueriesContext(connection) as told:
        look(source, outputs)
    return len(told)


@pytest.mark.slow
def test_the_number_of_statements_does_not_grow_with_the_fabric(source: FabricSource, fabric: Made) -> None:
    look(source, fabric)
    dark(fabric, 1)
    look(source, fabric)
    dark(fabric, 2)
    two = statements(source, parts(fabric))
    dark(fabric, 6)
    assert statements(source, parts(fabric)) == two


def test_a_look_that_changes_nothing_writes_no_row_of_what_was_seen(source: FabricSource, fabric: Made) -> None:
    look(source, fabric)
    with CaptureQueriesContext(connection) as told:
        look(source, fabric)
    written = [query["sql"] for query in told if query["sql"].lstrip().startswith(("INSERT", "UPDATE", "DELETE"))]
    assert not [sql for sql in written if "fabric_seen" in sql or "fabric_fabriclink" in sql]


def test_the_formats_that_are_read_all_exist() -> None:
    from importlib import import_module

    for name in readers.FORMATS:
        assert callable(import_module(f"fabric.formats.{name}").read)
    for module in readers.MODULES.values():
        assert callable(import_module(module).read_source)
