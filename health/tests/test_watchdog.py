"""The watchdog: it says so when what looks stops, and needs neither beat nor a worker for it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from redis.exceptions import ConnectionError as Gone

from core.models import Role, Site
from core.services import ensure_user
from health.external.services import sources
from health.machines.hooks import notices_of
from health.models import MachineHealth, SchedulerSource, Sweep
from health.monitoring import watchdog
from health.monitoring.services import watchdog as services
from health.monitoring.watchdog import Sign
from health.tests import factories as make
from live import pulse, relay, stream
from live.models import Event

NOW = datetime.fromisoformat("2026-03-02T12:00:00+00:00")


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("sign", "state"),
    [
        (Sign("beat", "beat", 60, ago(59)), "ok"),
        (Sign("beat", "beat", 60, ago(61)), "late"),
        (Sign("beat", "beat", 60, None), "never"),
        (Sign("beat", "beat", 60, None, blind=True), "unknown"),
        (Sign("sweeps", "A", 900, None, ago(100)), "ok"),
        (Sign("sweeps", "A", 900, None, ago(1000)), "never"),
    ],
)
def test_a_sign_of_life_is_judged_by_its_age(sign: Sign, state: str) -> None:
    assert sign.state(NOW) == state
    assert [p.kind for p in watchdog.judge([sign], NOW)] == ([sign.kind] if state in ("late", "never") else [])


HERE = {"disk", "crashing"}  # what this machine says of itself has no age


@pytest.mark.parametrize("kind", [kind for kind in watchdog.TODO if kind not in HERE])
def test_every_kind_says_what_is_wrong_since_when_and_what_to_do(kind: str) -> None:
    late, never = watchdog.judge([Sign(kind, "x", 60, ago(7300)), Sign(kind, "x", 60, None)], NOW)
    assert late.what_to_do and late.since == ago(7300) and "2 hours" in late.text and never.text != late.text


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "1 seconds"), (119, "119 seconds"), (120, "2 minutes")])
def test_an_age_is_said_in_whole_units(seconds: float, text: str) -> None:
    assert watchdog.age(seconds) == text


# ---- as it runs ----

db = pytest.mark.django_db


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, datetime | None]]:
    """Every process was heard just now; a test takes one away."""
    queues = ("default", "checks", "slow", "provision", "ingest", "webhooks", "fabric")
    names = ["beat", *(f"worker:{queue}" for queue in queues)]
    heard: dict[str, datetime | None] = dict.fromkeys(names, timezone.now())
    monkeypatch.setattr(pulse, "heard", lambda wanted: {name: heard.get(name) for name in wanted})
    yield heard


@pytest.fixture
def site(db: None, alive: Any) -> Site:
    machine = make.make_machines(1)[0]
    MachineHealth.objects.update(state_since=timezone.now() - timedelta(days=1))
    found = machine.device.site
    swept(found, timezone.now())
    return found


def swept(site: Site, at: datetime) -> None:
    Sweep.objects.all().delete()
    Sweep.objects.create(site=site, kind="scheduled", status="finished", started_at=at, finished_at=at)


def problems(site: Site) -> list[tuple[str, str]]:
    return [(p.kind, p.name) for p in watchdog.judge(services.signs([site.pk]), timezone.now())]


def test_all_is_well_while_everything_is_heard(site: Site) -> None:
    assert problems(site) == []


def test_it_says_so_when_sweeps_stop(site: Site, settings: Any) -> None:
    swept(site, timezone.now() - timedelta(seconds=3 * settings.SWEEP_PERIOD_S + 60))
    assert problems(site) == [("sweeps", site.name)]
    Sweep.objects.update(kind="manual")
    assert problems(site) == [("sweeps", site.name)], "never, and one by hand is none"


def test_it_says_so_when_beat_or_a_worker_dies(site: Site, alive: dict[str, datetime | None]) -> None:
    alive["beat"] = timezone.now() - timedelta(minutes=5)
    alive["worker:checks"] = None
    assert problems(site) == [("beat", "beat"), ("workers", "checks")]


def test_it_says_so_when_the_feed_lags_and_does_not_blame_what_it_cannot_see(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relay, "lag_seconds", lambda: 45.0)
    assert problems(site) == [("feed", "feed")]

    def gone(names: Any) -> Any:
        raise Gone("no store")

    monkeypatch.setattr(pulse, "heard", gone)
    assert problems(site) == [("feed", "feed")]
    assert {s.state(timezone.now()) for s in services.signs([site.pk]) if s.kind in ("beat", "workers")} == {"unknown"}


def test_it_says_so_when_a_source_or_the_scheduler_goes_silent(site: Site) -> None:
    source, _ = sources.make_source(site, actor="anna", name="nhc")
    scheduler = SchedulerSource.objects.create(site=site, kind="slurm")
    assert problems(site) == [], "just made"
    old = timezone.now() - timedelta(days=1)
    type(source).objects.update(last_seen_at=old)
    SchedulerSource.objects.filter(pk=scheduler.pk).update(last_read_at=old)
    assert problems(site) == [("source", "nhc"), ("scheduler", site.name)]
    sources.change_source(source.pk, enabled=False)
    SchedulerSource.objects.update(enabled=False)
    assert problems(site) == []


def test_a_change_is_told_once_and_shown_above_the_map(site: Site, alive: dict[str, datetime | None]) -> None:
    def told() -> list[list[str]]:
        events = Event.objects.filter(kind="watchdog.changed", site_id=site.pk).order_by("id")
        return [[each["kind"] for each in event.data["problems"]] for event in events]

    services.look()
    assert told() == [], "nothing was wrong and nothing is"
    alive["beat"] = timezone.now() - timedelta(minutes=5)
    assert services.look() == 1 and services.look() == 0
    assert told() == [["beat"]]
    assert [n["kind"] for n in notices_of(site.pk)] == ["watchdog"]
    alive["beat"] = timezone.now()
    services.look()
    assert told() == [["beat"], []] and notices_of(site.pk) == []


def test_one_site_that_cannot_be_told_keeps_no_other_from_hearing(
    site: Site, alive: dict[str, datetime | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = make.make_machines(1, site="fra1")[0].device.site
    assert site.pk < other.pk
    alive["beat"] = timezone.now() - timedelta(minutes=5)
    tell = services._tell

    def broken(site_id: int, problems: list[watchdog.Problem]) -> bool:
        if site_id == site.pk:
            raise RuntimeError("this one is broken")
        return tell(site_id, problems)

    monkeypatch.setattr(services, "_tell", broken)
    assert services.look() == 1
    assert set(Event.objects.filter(kind="watchdog.changed").values_list("site_id", flat=True)) == {other.pk}


def test_the_route_shows_only_what_concerns_ones_sites(site: Site, alive: dict[str, datetime | None]) -> None:
    other = make.make_machines(1, site="fra1")[0].device.site
    MachineHealth.objects.update(state_since=timezone.now() - timedelta(days=1))
    user, _ = ensure_user("vera", role=Role.VIEWER, site=site)
    client = Client()
    client.force_login(user)
    answer = client.get("/api/health/watchdog/").json()
    assert answer["ok"] is True and answer["problems"] == []
    assert {check["site"] for check in answer["checks"]} == {None, site.pk}
    assert client.get(f"/api/health/watchdog/?site={other.pk}").status_code == 404
    everyone, _ = ensure_user("eve", role=Role.VIEWER)
    client.force_login(everyone)
    answer = client.get("/api/health/watchdog/").json()
    assert answer["ok"] is False and [p["name"] for p in answer["problems"]] == [other.name]


def test_the_relay_looks_even_when_a_chore_breaks(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    done = []

    def broken() -> None:
        raise RuntimeError("no")

    monkeypatch.setattr(relay, "_chores", [broken, lambda: done.append(1)])
    relay.do_chores()
    assert done == [1] and services.look in _registered()


def _registered() -> list[Any]:
    from django.apps import apps

    monkey: list[Any] = []
    original, relay._chores = relay._chores, monkey
    try:
        apps.get_app_config("health").ready()
    finally:
        relay._chores = original
    return monkey


def test_a_process_says_that_it_lives_and_goes_on_without_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulse, "_said", {})
    before = timezone.now()
    pulse.say("test")
    at = pulse.heard(["test", "nobody"])
    assert at["nobody"] is None and at["test"] is not None and abs((at["test"] - before).total_seconds()) < 60
    stream.shared().delete(pulse.key("test"))

    class Away:
        def set(self, *args: Any, **kwargs: Any) -> None:
            raise Gone("no store")

    monkeypatch.setattr(pulse, "_said", {})
    monkeypatch.setattr(stream, "shared", Away)
    pulse.say("test")
