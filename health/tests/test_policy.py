"""Decisions about checks and what they do: merged by scope, silenced without being lost, over when they end."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from core.models import Site
from health.machines.services.changes import obstacles_of
from health.models import (
    CurrentVerdict,
    Fault,
    KernelImage,
    KernelLine,
    KernelSighting,
    MachineReport,
    ObserveOnly,
    Silence,
    Transition,
)
from health.monitoring.merge import Before, merge
from health.monitoring.policy import (
    NO_POLICY,
    Decided,
    JudgedLine,
    Place,
    Scope,
    kernel_lines_by_image,
    policy_of,
    unveiled,
    veiled,
)
from health.monitoring.queries.policy import policies_for
from health.monitoring.queries.verdicts import words
from health.monitoring.services import decisions as policy
from health.monitoring.services import kernel_triage, verifications
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from inventory.models import Machine

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
HERE = Place(machine_id=1, site_id=10, model_id=100)


def override(pk: int, value: float, **scope: int) -> Decided:
    return Decided(pk, "gpu.ecc", Scope(**scope), thresholds={"limit": value})


# ---- merged ----


def test_the_nearest_scope_wins_name_by_name() -> None:
    rows = [
        override(1, 4, machine_id=1, site_id=10),
        override(2, 3, site_id=10),
        override(3, 2, model_id=100, site_id=10),
        Decided(4, "gpu.ecc", Scope(model_id=100), thresholds={"limit": 1.0, "other": 7.0}),
    ]
    for nearest in range(len(rows)):
        found = policy_of(HERE, NOW, overrides=reversed(rows[nearest:]))
        assert found.thresholds_of == {"gpu.ecc": {"limit": 4.0 - nearest, "other": 7.0}}


scopes = st.builds(
    Scope,
    site_id=st.sampled_from([None, 10, 11]),
    model_id=st.sampled_from([None, 100, 101]),
    machine_id=st.sampled_from([None, 1, 2]),
)
moments = st.sampled_from([None, NOW - timedelta(days=1), NOW, NOW + timedelta(seconds=1)])
decisions = st.builds(
    Decided,
    id=st.integers(1, 99),
    check=st.sampled_from(["gpu.ecc", "gpu.count"]),
    scope=scopes,
    expires_at=moments,
    ended_at=st.sampled_from([None, None, NOW - timedelta(hours=1)]),
    part=st.sampled_from(["", "GPU 1", "GPU 2"]),
    thresholds=st.dictionaries(st.sampled_from(["a", "b"]), st.floats(0, 9), min_size=1),
)


@given(st.lists(decisions, max_size=8), st.lists(decisions, max_size=8))
def test_what_ended_expired_or_is_of_others_has_no_effect(rows: list[Decided], quiet: list[Decided]) -> None:
    def counts(row: Decided) -> bool:
        alive = row.ended_at is None and (row.expires_at is None or row.expires_at > NOW)
        return alive and all(
            wanted in (None, own)
            for wanted, own in ((row.scope.site_id, 10), (row.scope.model_id, 100), (row.scope.machine_id, 1))
        )

    every = policy_of(HERE, NOW, overrides=rows, silences=quiet, observed=quiet)
    some = [row for row in quiet if counts(row)]
    only = policy_of(HERE, NOW, overrides=[r for r in rows if counts(r)], silences=some, observed=some)
    assert every == only
    assert set(every.silenced) == {(row.check, row.part) for row in some}
    assert set(every.observe_only) == {row.check for row in some}
    for check in ("gpu.ecc", "gpu.count", "gpu.pcie"):
        for part in ("GPU 1", "GPU 2", "GPU 3"):
            told = any(row.check == check and row.part in ("", part) for row in some)
            assert (every.silence_of(check, part) is not None) == told


def test_a_judged_line_counts_on_its_own_site_model_and_image_until_it_expires() -> None:
    found = kernel_lines_by_image(
        [
            JudgedLine(10, 100, "x", "kept", expires_at=NOW + timedelta(seconds=1)),
            JudgedLine(10, 100, "x", "expired", expires_at=NOW),
            JudgedLine(10, 100, "y", "elsewhere", expires_at=NOW + timedelta(days=1)),
            JudgedLine(10, 100, "x", "dies", "fail", "it dies"),
        ],
        NOW,
    )
    kept = policy_of(HERE, NOW, kernel_lines=found[10, 100]).kernel_lines_of("x")
    assert kept.accepted == {"kept"} and {s: b.verdict for s, b in kept.bad.items()} == {"dies": "fail"}
    assert policy_of(HERE, NOW, kernel_lines=found[10, 100]).kernel_lines_of("z").accepted == frozenset()
    assert policy_of(HERE, NOW).kernel_lines_of("x").bad == {}


# ---- what is stored under a silence ----

WORDS = st.sampled_from(["ok", "info", "warn", "unknown", "fail"])
PLACES = (("a", "1"), ("a", "2"), ("b", "1"))


def findings(verdicts: tuple[str, ...]) -> list[Any]:
    return [make.Finding(*place, word, f"{place} is {word}") for place, word in zip(PLACES, verdicts, strict=True)]


@given(st.lists(st.tuples(st.tuples(WORDS, WORDS, WORDS), st.booleans(), st.booleans()), min_size=1, max_size=6))
def test_a_silence_changes_nothing_elsewhere_and_leaves_no_trace_when_it_ends(looks: list[Any]) -> None:
    silences = [Decided(1, "a", Scope(), expires_at=NOW + timedelta(days=9), part="1")]
    plain, shown = Before({}), Before({})
    for number, (verdicts, heard, silent) in enumerate([*looks, (("fail", "ok", "ok"), True, False)]):
        at, said = NOW + timedelta(minutes=number), findings(verdicts)
        decided = policy_of(HERE, NOW, silences=silences if silent else [])
        truth = merge(plain, PLACES, said, heard=heard, at=at)
        merged = veiled(merge(unveiled(shown), PLACES, said, heard=heard, at=at), shown, PLACES, decided)
        for key in (("a", "2"), ("b", "1")):
            assert merged.rows.get(key) == truth.rows.get(key)
        assert merged.packed[1:] == truth.packed[1:]
        if silent:
            assert ("a", "1") not in merged.rows or merged.rows["a", "1"].verdict == "info"
        else:
            assert merged.rows == truth.rows and merged.packed == truth.packed
            assert +merged.counts == +truth.counts  # type: ignore[operator]
        plain = Before(truth.rows, PLACES, truth.packed)
        shown = Before(merged.rows, PLACES, merged.packed)
        assert unveiled(shown).rows == truth.rows


# ---- in the database ----


@pytest.fixture
def machine(db: None) -> Machine:
    return make.make_machines(1)[0]


def observe_only(check: str, site_id: int | None) -> ObserveOnly:
    return policy.observe_only(check, site_id, reason="known", owner="olga", actor="olga")


def silence(machine: Machine, check: str, part: str = "", **more: Any) -> Silence:
    return policy.silence(
        check,
        policy.Where("machine", machine_id=machine.pk),
        part=part,
        reason="known",
        owner="olga",
        actor="olga",
        expires_at=more.pop("expires_at", timezone.now() + timedelta(days=1)),
    )


def seen(machine: Machine, *found: Any, at: Any, **more: Any) -> Any:
    return replace(make.look(machine, *found, at=at, **more), policy=policies_for([machine.pk])[machine.pk])


def verdict(machine: Machine, check: str, part: str) -> CurrentVerdict:
    return CurrentVerdict.objects.get(machine=machine, check_id=check, part=part)


def test_a_silenced_failure_is_stored_as_information_and_opens_nothing(machine: Machine) -> None:
    silent = silence(machine, "nvlink.links", "GPU 5")
    for at in (0, 60, 600):
        observation_store.record([seen(machine, make.nvlink(5), at=at)])
    row, health = verdict(machine, "nvlink.links", "GPU 5"), make.health(machine)
    assert (row.verdict, row.fault_class) == ("info", "nvlink.down") and "silenced until" in row.message
    assert row.observed["silenced_verdict"] == "fail" and row.observed["silence"] == silent.pk
    assert (health.worst, health.fail_count, health.cell, health.open_faults) == ("info", 0, "available", 0)
    assert words(MachineReport.objects.get(machine=machine))["nvlink.links", "GPU 5"] == "info"
    assert not Fault.objects.exists()


def test_a_silence_hides_no_other_part_and_no_other_check(machine: Machine) -> None:
    silence(machine, "nvlink.links", "GPU 5")
    for at in (0, 60, 600):
        observation_store.record([seen(machine, make.nvlink(5), make.nvlink(6), make.gone(5), at=at)])
    assert set(Fault.objects.values_list("slot", "fault_class")) == {("GPU 6", "nvlink.down"), ("GPU 5", "gpu.gone")}
    assert make.health(machine).worst == "fail"


@pytest.mark.parametrize("how", ["expired", "ended"])
def test_the_end_of_a_silence_shows_at_the_next_look(machine: Machine, how: str) -> None:
    silent = silence(machine, "nvlink.links")
    observation_store.record([seen(machine, make.nvlink(5), at=0)])
    if how == "ended":
        policy.end(silent, actor="olga")
    else:
        early = timezone.now() - timedelta(days=2)
        Silence.objects.update(created_at=early, expires_at=early + timedelta(days=1))
    observation_store.record([seen(machine, make.nvlink(5), at=60)])
    row = verdict(machine, "nvlink.links", "GPU 5")
    assert (row.verdict, row.changed_at, row.message) == ("fail", make.START, make.nvlink(5).message)
    assert row.observed == {} and Fault.objects.get().status == "suspected"
    told = Transition.objects.filter(check_id="nvlink.links").order_by("at").values_list("from_verdict", "to_verdict")
    assert list(told) == [("unknown", "info"), ("info", "fail")]


@pytest.mark.parametrize("how", ["silence", "observe_only"])
def test_an_event_that_happened_meanwhile_opens_its_fault_when_the_decision_ends(machine: Machine, how: str) -> None:
    observation_store.record([seen(machine, at=0)])
    if how == "silence":
        decision: Any = silence(machine, "gpu.xid")
    else:
        decision = observe_only("gpu.xid", machine.device.site_id)
    muted, other = make.xid(5, at_us=1_000), make.xid(6, at_us=90_000_000)
    observation_store.record([seen(machine, muted, at=60)])
    assert not Fault.objects.exists()
    policy.end(decision, actor="olga")
    observation_store.record([seen(machine, muted, other, at=120)])
    assert set(Fault.objects.values_list("slot", flat=True)) == {"GPU 5", "GPU 6"}


def test_an_event_muted_behind_the_cursor_is_not_lost(machine: Machine) -> None:
    decision = silence(machine, "gpu.xid", "GPU 5")
    muted, other = make.xid(5, at_us=1_000), make.xid(6, at_us=90_000_000)
    observation_store.record([seen(machine, muted, other, at=60)])  # the cursor is behind both now
    assert [fault.slot for fault in Fault.objects.all()] == ["GPU 6"]
    observation_store.record([seen(machine, muted, other, at=120)])
    policy.end(decision, actor="olga")
    observation_store.record([seen(machine, muted, other, at=180)])
    assert Fault.objects.filter(slot="GPU 5", status="confirmed").exists()
    evidence = Fault.objects.get(slot="GPU 5").evidence.count()
    observation_store.record([seen(machine, muted, other, at=240)])
    assert Fault.objects.get(slot="GPU 5").evidence.count() == evidence


def test_what_only_observes_is_red_and_opens_no_fault_and_is_no_obstacle(machine: Machine) -> None:
    observe_only("nvlink.links", None)
    for at in (0, 60, 600):
        observation_store.record([seen(machine, make.nvlink(5), at=at)])
    assert (make.health(machine).worst, verdict(machine, "nvlink.links", "GPU 5").verdict) == ("fail", "fail")
    assert not Fault.objects.exists() and make.health(machine).state == "ready"
    assert obstacles_of(make.health(machine)) == []


def test_only_the_site_that_observes_is_spared(machine: Machine) -> None:
    other = make.make_machines(1, site="fra1")[0]
    observe_only("nvlink.links", machine.device.site_id)
    observation_store.record([seen(each, make.nvlink(5), at=0) for each in (machine, other)])
    assert [fault.machine_id for fault in Fault.objects.all()] == [other.pk]


def test_a_suspected_fault_is_dropped_and_a_confirmed_one_stays_until_it_is_verified(machine: Machine) -> None:
    observation_store.record([seen(machine, make.nvlink(5), at=0)])
    silent = silence(machine, "nvlink.links")
    observation_store.record([seen(machine, make.nvlink(5), at=10)])
    fault = Fault.objects.get()
    assert fault.status == "cleared" and "silenced" in fault.cleared_by
    policy.end(silent, actor="olga")
    observation_store.record([seen(machine, make.nvlink(5), at=20)])
    observation_store.record([seen(machine, make.nvlink(5), at=600)])
    assert Fault.objects.filter(status="confirmed").count() == 1
    silence(machine, "nvlink.links")
    observation_store.record([seen(machine, make.nvlink(5), at=900)])
    assert Fault.objects.filter(status="confirmed").count() == 1


@pytest.mark.usefixtures("no_worker")
def test_a_silence_is_no_repair_but_what_else_is_silenced_does_not_fail_a_verification(machine: Machine) -> None:
    for at in (0, 600):
        observation_store.record([seen(machine, make.nvlink(5), at=at)])
    silence(machine, "nvlink.links")
    silence(machine, "gpu.ecc", "GPU 5")
    fault = Fault.objects.get(status="confirmed")

    def outcome(*found: Any) -> str:
        asked = verifications.request_verification(machine.pk, fault_ids=[fault.pk], owner="ticket:1", actor="olga")
        return verifications.decide(asked, seen(machine, *found, at=timezone.now()))

    assert outcome(make.nvlink(5)) == "failed"
    broken = make.Finding("gpu.ecc", "GPU 5", "fail", "1 uncorrectable", "", "gpu.memory")
    assert outcome(broken) == "passed"


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "wrong",
    [
        {"reason": ""},
        {"owner": ""},
        {"scope": "model"},
        {"expires_at": NOW - timedelta(days=999)},
        {"ended_at": NOW},
    ],
)
def test_the_database_refuses_a_decision_that_is_none(wrong: dict[str, Any]) -> None:
    site = Site.objects.create(slug="s", name="S")
    row = {"check_id": "gpu.ecc", "scope": "site", "site": site, "reason": "r", "owner": "o", "created_by": "c"}
    later = timezone.now() + timedelta(days=1)
    with pytest.raises(IntegrityError), transaction.atomic():
        Silence.objects.create(**{**row, "expires_at": later, **wrong})
    Silence.objects.create(**row, expires_at=later)
    with pytest.raises(IntegrityError), transaction.atomic():
        Silence.objects.create(**row, expires_at=later)


def test_the_policies_of_a_shard_take_five_queries(machine: Machine, django_assert_num_queries: Any) -> None:
    machines = [machine, *make.make_machines(5)]
    silence(machines[3], "gpu.ecc", "GPU 1")
    with django_assert_num_queries(5):
        found = policies_for([each.pk for each in machines])
    assert [bool(found[each.pk].silenced) for each in machines] == [False, False, False, True, False, False]
    assert policies_for([]) == {} and NO_POLICY.kernel_lines == {}


# ---- kernel lines ----


def unjudged(*shapes: str) -> make.Finding:
    lines = [{"shape": shape, "line": f"{shape} 7", "count": 1} for shape in shapes]
    return make.Finding("dmesg.unknown", "machine", "info", "kinds", observed={"lines": lines})


def test_kinds_of_line_that_nobody_judged_are_listed_once_with_their_machines(machine: Machine) -> None:
    other = make.make_machines(1)[0]
    both = [seen(each, unjudged("kind A", "kind B"), at=0) for each in (machine, other)]
    observation_store.record(both, sweep_id=1)
    assert set(KernelLine.objects.values_list("shape", "example", "state")) == {
        ("kind A", "kind A 7", "new"), ("kind B", "kind B 7", "new"),
    }  # fmt: skip
    assert KernelSighting.objects.count() == 4 and KernelImage.objects.count() == 1


def test_a_look_with_nothing_new_writes_nothing_within_the_hour(
    machine: Machine, django_assert_num_queries: Any
) -> None:
    kernel_triage.list_unjudged([seen(machine, unjudged("kind A"), at=0)])
    again = seen(machine, unjudged("kind A"), at=60)
    with django_assert_num_queries(6) as taken:  # places, images, lines, sightings, in a savepoint
        kernel_triage.list_unjudged([again])
    assert not [q for q in taken.captured_queries if q["sql"].lstrip().startswith(("INSERT", "UPDATE"))]
    kernel_triage.list_unjudged([seen(machine, unjudged("kind A"), at=4000)])
    assert KernelLine.objects.get().last_seen == make.START + timedelta(seconds=4000)
    quiet = seen(machine, at=5000)
    with django_assert_num_queries(0):
        kernel_triage.list_unjudged([quiet])


def test_one_sweep_lists_a_bounded_number_of_kinds_and_counts_the_rest(machine: Machine) -> None:
    many = [f"kind {chr(65 + n // 26)}{chr(65 + n % 26)}" for n in range(kernel_triage.NEW_KINDS + 10)]
    first, second = many[:40], many[40:]
    kernel_triage.list_unjudged([seen(machine, unjudged(*first), at=0)], sweep_id=7)
    kernel_triage.list_unjudged([seen(machine, unjudged(*second), at=1)], sweep_id=7)
    image = KernelImage.objects.get()
    assert (KernelLine.objects.count(), image.added, image.dropped) == (
        kernel_triage.NEW_KINDS,
        kernel_triage.NEW_KINDS,
        10,
    )
    kernel_triage.list_unjudged([seen(machine, unjudged(*second), at=60)], sweep_id=8)
    image.refresh_from_db()
    assert (KernelLine.objects.count(), image.dropped) == (len(many), 0)


def test_an_acceptance_that_expired_is_no_longer_handed_to_checks_and_comes_back_to_triage(machine: Machine) -> None:
    kernel_triage.list_unjudged([seen(machine, unjudged("kind A"), at=0)])
    line = KernelLine.objects.get()
    kernel_triage.accept(line.pk, reason="r", owner="o", expires_at=timezone.now() + timedelta(days=1), actor="a")
    assert policies_for([machine.pk])[machine.pk].kernel_lines_of("").accepted == {"kind A"}
    KernelLine.objects.update(expires_at=timezone.now())
    assert policies_for([machine.pk])[machine.pk].kernel_lines_of("").accepted == frozenset()
    kernel_triage.list_unjudged([seen(machine, unjudged("kind A"), at=60)])
    assert KernelLine.objects.get().state == "new"


def test_a_line_marked_as_bad_is_handed_to_the_checks_of_its_own_model_and_site_only(machine: Machine) -> None:
    other = make.make_machines(1, site="fra1")[0]
    kernel_triage.list_unjudged([seen(machine, unjudged("kind A"), at=0)])
    kernel_triage.mark_bad(KernelLine.objects.get().pk, verdict="fail", reason="it dies", actor="olga")
    found = policies_for([machine.pk, other.pk])
    assert found[machine.pk].kernel_lines_of("").bad["kind A"].reason == "it dies"
    assert found[other.pk].kernel_lines_of("").bad == {}
