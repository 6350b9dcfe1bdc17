"""Who may set how a site's Prometheus is read, what is refused, and what Try shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import set_credential
from drivers.tests.ports import free_ports
from drivers.tests.prometheus import PrivatePrometheus
from health.tests import factories as make
from health.tests.test_api import signed_in
from health.tests.test_reports import make_source
from runs.metrics.kinds import SHIPPED
from runs.models import MetricsSource, TrainingRun
from runs.tests.test_metrics import LOADED, moments
from runs.tests.test_reported_runs import body, no_worker, post, steps

__all__ = ["no_worker"]
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def server() -> Iterator[PrivatePrometheus]:
    now = LOADED
    rows = [
        (
            "training_step",
            {"job_id": "7", "rank": str(rank)},
            [(at, float(at - now + 900)) for at in moments(now - 900, now + 900)],
        )
        for rank in range(12)
    ]
    with PrivatePrometheus(rows) as running:
        yield running


@pytest.fixture
def site() -> Site:
    make.make_machines(1)
    return Site.objects.get()


@pytest.fixture
def root(site: Site) -> Client:
    return signed_in(Role.ADMIN, name="root")


def change(client: Client, site: Site, **told: Any) -> Any:
    return client.patch(f"/api/run-metrics-settings/{site.pk}/", told, content_type="application/json")


def tried(client: Client, site: Site, **told: Any) -> Any:
    return client.post(f"/api/run-metrics-settings/{site.pk}/try/", told, content_type="application/json")


def test_a_site_begins_with_the_shipped_queries_switched_off(root: Client, site: Site) -> None:
    told = root.get(f"/api/run-metrics-settings/{site.pk}/").json()
    assert (told["enabled"], told["url"], told["state"]) == (False, "", "never")
    assert told["queries"] == told["shipped"] == SHIPPED
    assert told["places"] == {"run": ["job", "run", "name", "user", "attempt"], "gpu": ["machines"]}
    assert not MetricsSource.objects.exists()


def test_a_query_that_is_changed_is_kept_beside_those_that_are_not(root: Client, site: Site) -> None:
    own = 'max(my_step{run="{name}"})'
    assert change(root, site, queries={"step": own, "loss": ""}).status_code == 200
    assert change(root, site, queries={"tokens": ""}).json()["queries"] == SHIPPED | {
        "step": own,
        "loss": "",
        "tokens": "",
    }
    assert change(root, site, queries={"step": SHIPPED["step"]}).status_code == 200
    assert MetricsSource.objects.get().queries == {"loss": "", "tokens": ""}


@pytest.mark.parametrize(
    ("told", "field", "why"),
    [
        ({"queries": {"step": "a{j={job}}"}}, "queries", "within quotes"),
        ({"queries": {"speed": "a"}}, "queries", "one of step, step_s"),
        ({"queries": {"clock_mhz": 'a{j="{job}"}'}}, "queries", "known are machines"),
        ({"enabled": True}, "url", "Where it is"),
        ({"url": "prometheus:9090"}, "url", "An address such as"),
        ({"url": "http://169.254.169.254/"}, "url", "is refused"),
        ({"authorities": "hello"}, "authorities", "no certificates"),
        ({"sign_in": "basic"}, "credential", "of a credential"),
        ({"machine_label": "a-b"}, "machine_label", "pattern"),
        ({"step_s": 0}, "step_s", "greater than"),
        ({"credential": "nobody"}, "credential", "nobody"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place_and_changes_nothing(
    root: Client, site: Site, told: dict[str, Any], field: str, why: str
) -> None:
    answer = change(root, site, **told)
    assert answer.status_code == 400
    assert why in str(answer.json()["error"]["fields"][field])
    assert not MetricsSource.objects.exists()


def test_where_a_login_is_sent_is_for_administrators_of_every_site(root: Client, site: Site) -> None:
    own = signed_in(Role.ADMIN, site, name="own")
    assert change(own, site, queries={"loss": ""}).status_code == 200
    assert change(own, site, url="http://10.0.0.5:9090").status_code == 403
    for role in (Role.OPERATOR, Role.TECHNICIAN, Role.VIEWER):
        other = signed_in(role, site, name=role)
        assert change(other, site, queries={"loss": ""}).status_code == 403
        assert tried(other, site, kind="step").status_code == 403
        assert other.get(f"/api/run-metrics-settings/{site.pk}/").status_code == 200
    assert change(root, site, url="http://10.0.0.5:9090").status_code == 200
    assert change(own, site, enabled=True).status_code == 200  # where it goes stays as it was set


def test_a_secret_is_named_and_never_shown(root: Client, site: Site) -> None:
    set_credential(
        "prom", kind="password", username="", secret="s3cret-token", purpose="prometheus", hosts=["10.0.0.5"]
    )
    answer = change(root, site, url="https://10.0.0.5", credential="prom")
    assert answer.json()["credential"] == "prom" and "s3cret" not in answer.content.decode()
    refused = change(root, site, url="https://10.0.0.6")
    assert "is not for 10.0.0.6" in str(refused.json()["error"]["fields"]["url"])


def test_a_run_of_another_site_fills_no_query(root: Client, site: Site) -> None:
    elsewhere = Site.objects.create(slug="other", name="Other")
    now = timezone.now()
    run = TrainingRun.objects.create(site=elsewhere, key="1", started_at=now, last_report_at=now)
    assert tried(root, site, kind="step").status_code == 409  # no address yet
    change(root, site, url="http://127.0.0.1:9")
    assert "no such run" in str(tried(root, site, kind="step", run=run.pk).json())


@pytest.mark.services
def test_try_shows_what_a_query_returns_bounded(root: Client, site: Site, server: PrivatePrometheus) -> None:
    now = timezone.now()
    run = TrainingRun.objects.create(site=site, key="7", job="7", started_at=now, last_report_at=now)
    change(root, site, url=server.url)
    told = tried(root, site, kind="step", query='training_step{job_id="{job}"}').json()
    assert (told["good"], told["message"], told["run"]) == (True, "", run.pk)
    assert told["query"] == 'training_step{job_id="7"}'
    assert (told["series_count"], len(told["series"]), told["series"][0]["points"]) == (12, 10, 41)
    assert told["series"][0]["labels"]["rank"] == "0" and told["yields"] > 500
    assert not TrainingRun.objects.exclude(steps=0).exists()


@pytest.mark.services
def test_try_says_what_failed(root: Client, site: Site, server: PrivatePrometheus) -> None:
    change(root, site, url=server.url)
    told = tried(root, site, kind="step").json()
    assert (told["good"], told["message"]) == (False, "No run is there to fill it with.")
    told = tried(root, site, kind="step", query="rate(").json()
    assert not told["good"] and "parse error" in told["message"]
    told = tried(root, site, kind="step", query="nothing_of_that_name").json()
    assert (told["good"], told["message"]) == (True, "No series in these ten minutes.")
    change(root, site, url=f"http://127.0.0.1:{free_ports(1)[0]}")
    told = tried(root, site, kind="step", query="up").json()
    assert not told["good"] and "Cannot connect" in told["message"]


def test_an_operator_has_a_past_run_read_and_a_viewer_does_not(root: Client, site: Site) -> None:
    now = timezone.now()
    run = TrainingRun.objects.create(site=site, key="7", started_at=now, last_report_at=now)
    url = f"/api/runs/{run.pk}/read-metrics/"
    operator, viewer = (signed_in(role, site, name=role) for role in (Role.OPERATOR, Role.VIEWER))
    assert viewer.post(url).status_code == 403
    assert operator.post(url).status_code == 409
    change(root, site, url="http://127.0.0.1:9", enabled=True)
    assert operator.post(url).status_code == 202
    post(make_source(name="trainer")[1], body("x", steps=[steps(1, 3, end=now.timestamp())]))
    reported = TrainingRun.objects.get(key="88213")
    answer = operator.post(f"/api/runs/{reported.pk}/read-metrics/")
    assert answer.status_code == 409 and "reported its steps" in answer.json()["error"]["message"]
