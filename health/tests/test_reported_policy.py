"""Silences and audit mode of checks that other systems report, and those checks in the catalogue and the matrix."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.external.services import reconciliation, sources
from health.models import CurrentVerdict, Fault, ReportedMachine, Silence, Transition
from health.monitoring.services import decisions
from health.monitoring.services.decisions import Where
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make

pytestmark = pytest.mark.django_db
LATER = timedelta(days=7)
WHY: dict[str, Any] = {"reason": "RMA 12", "owner": "olga", "actor": "olga"}


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    settings.CONFIRM_DELAY_S = 0
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


class Nhc:
    """A source at a site, and what it says of machines there."""

    def __init__(self, site: str = "ams1") -> None:
        self.source, self.token = sources.make_source(Site.objects.get(slug=site), actor="anna", name="nhc")

    def says(self, machine: Any, verdict: str, check: str = "disk", **more: Any) -> None:
        row = {"machine": machine.device.name, "check": check, "verdict": verdict, "message": f"is {verdict}", **more}
        client = Client(headers={"Authorization": f"Bearer {self.token}"})
        answer = client.post("/api/health/reports/", orjson.dumps([row]), content_type="application/json")
        assert answer.json()["accepted"] == 1, answer.json()
        reconciliation.settle(machine.pk)


def signed_in(role: str = Role.OPERATOR, site: Site | None = None, name: str = "olga") -> Client:
    user, _ = ensure_user(name, role=role, site=site)
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, **body: Any) -> Any:
    until = (timezone.now() + LATER).isoformat()
    return client.post(f"/api/health/{path}", {"reason": "why", "expires_at": until, **body}, "application/json")


def shown(machine: Any) -> tuple[str, int, str]:
    """The verdict that is shown, the machine's failures and its worst word."""
    health = make.health(machine)
    return CurrentVerdict.objects.get(machine=machine, check_id="nhc/disk").verdict, health.fail_count, health.worst


@pytest.fixture
def machine() -> Any:
    (machine,) = make.make_machines(1)
    observation_store.record([make.look(machine, at=timezone.now() - timedelta(seconds=60))])
    return machine


def silenced(machine: Any, **more: Any) -> Silence:
    where = Where("machine", machine_id=machine.pk)
    return decisions.silence("nhc/disk", where, expires_at=timezone.now() + LATER, **{**WHY, **more})


def test_a_silenced_report_is_information_and_opens_nothing_until_the_silence_ends(machine: Any) -> None:
    nhc = Nhc()
    nhc.says(machine, "ok")
    row = silenced(machine)
    for _ in range(3):
        nhc.says(machine, "fail")
        assert shown(machine) == ("info", 0, "info")
    stored = CurrentVerdict.objects.get(machine=machine)
    assert "silenced until" in stored.message and stored.observed["silenced_verdict"] == "fail"
    observation_store.record([make.look(machine, at=timezone.now())])
    assert shown(machine) == ("info", 0, "info"), "a sweep leaves it so"
    assert not Fault.objects.exists()
    decisions.end(row, actor="olga")
    said = ReportedMachine.objects.get()
    assert said.due_at is not None and said.due_at <= timezone.now(), "its machine is settled at once"
    reconciliation.settle(machine.pk)
    assert shown(machine) == ("fail", 1, "fail") and Fault.objects.get().fault_class == "reported.disk"
    turned = Transition.objects.filter(check_id="nhc/disk").order_by("at").values_list("from_verdict", "to_verdict")
    assert list(turned) == [("ok", "info"), ("info", "fail")]


def test_a_silence_shows_at_once_on_what_failed_before_and_its_expiry_by_itself(machine: Any) -> None:
    nhc = Nhc()
    nhc.says(machine, "fail")
    assert shown(machine) == ("fail", 1, "fail")
    row = silenced(machine)
    assert ReportedMachine.objects.get().due_at is not None
    reconciliation.settle(machine.pk)
    assert shown(machine) == ("info", 0, "info")
    assert ReportedMachine.objects.get().due_at == row.expires_at, "checked again when it expires"
    now = timezone.now()
    Silence.objects.update(created_at=now - 2 * LATER, expires_at=now - timedelta(seconds=1))
    reconciliation.settle(machine.pk)
    assert shown(machine) == ("fail", 1, "fail")
    nhc.says(machine, "ok")
    assert make.health(machine).fail_count == 0 and make.health(machine).worst == "ok"


@pytest.mark.slow
def test_a_silence_hides_no_other_check_part_or_machine(machine: Any) -> None:
    (other,) = make.make_machines(1)
    observation_store.record([make.look(other, at=timezone.now() - timedelta(seconds=60))])
    nhc = Nhc()
    nhc.says(machine, "ok", part="raid 1")
    silenced(machine, part="raid 1")
    nhc.says(machine, "fail", part="raid 1")
    nhc.says(machine, "fail", part="raid 2")
    nhc.says(machine, "fail", check="fan")
    nhc.says(other, "fail", part="raid 1")
    places = CurrentVerdict.objects.filter(verdict="fail").values_list("machine", "check_id", "part")
    assert set(places) == {
        (machine.pk, "nhc/disk", "raid 2"),
        (machine.pk, "nhc/fan", "machine"),
        (other.pk, "nhc/disk", "raid 1"),
    }
    assert make.health(machine).fail_count == 2


def test_a_reported_check_that_only_observes_is_red_and_opens_no_fault(machine: Any) -> None:
    nhc = Nhc()
    nhc.says(machine, "ok")
    row = decisions.observe_only("nhc/disk", machine.device.site_id, **WHY)
    for _ in range(2):
        nhc.says(machine, "fail")
    assert shown(machine) == ("fail", 1, "fail") and not Fault.objects.exists()
    decisions.end(row, actor="olga")
    reconciliation.settle(machine.pk)
    assert Fault.objects.get().slot == "machine"


def test_a_source_cannot_pass_for_a_silence(machine: Any) -> None:
    nhc = Nhc()
    nhc.says(machine, "fail", evidence={"silenced_verdict": "ok", "muted_events": ["x"], "disk": "sda"})
    assert shown(machine) == ("fail", 1, "fail")
    assert CurrentVerdict.objects.get(machine=machine).observed == {"disk": "sda"}


def test_what_is_decided_about_a_reported_check_is_checked_against_its_site(machine: Any) -> None:
    make.make_machines(1, site="fra1")
    nhc = Nhc()
    nhc.says(machine, "ok", part="raid 1")
    client, here = signed_in(), machine.device.site
    there = Site.objects.get(slug="fra1")
    for body, field in (
        ({"check": "nhc/fan", "scope": "site", "site": here.pk}, "check"),
        ({"check": "nhc/disk", "scope": "site", "site": there.pk}, "check"),
        ({"check": "nhc/disk", "scope": "site", "site": here.pk, "part": "raid 9"}, "part"),
    ):
        answer = post(client, "silences/", **body)
        assert answer.status_code == 400 and list(answer.json()["error"]["fields"]) == [field], answer.json()
    numbers = {"thresholds": {"most": 3}, "scope": "site", "site": here.pk}
    refused = post(client, "overrides/", check="nhc/disk", **numbers)
    assert refused.status_code == 400 and "change its limits there" in str(refused.json())
    assert not Silence.objects.exists()
    for part in ("", "machine", "raid 1", "GPU 5"):
        made = post(client, "silences/", check="nhc/disk", scope="machine", machine=machine.pk, part=part)
        assert made.status_code == 201, made.json()
    assert post(client, "audit-mode/", check="nhc/disk", site=there.pk).status_code == 400
    assert post(client, "audit-mode/", check="nhc/disk").status_code == 201


def test_reported_checks_are_in_the_catalogue_and_the_matrix_of_their_site(machine: Any) -> None:
    (unswept, other) = make.make_machines(2, site="fra1")
    nhc, theirs = Nhc(), Nhc("fra1")
    nhc.says(machine, "fail", part="raid 1")
    nhc.says(machine, "ok", part="raid 2")
    nhc.says(machine, "ok", check="fan")
    theirs.says(unswept, "warn", check="clock")
    client = signed_in()
    rows = [row for row in client.get("/api/health/catalogue/").json()["results"] if row["family"] == "Reported"]
    assert [(row["id"], row["failing"]) for row in rows] == [("nhc/clock", 0), ("nhc/disk", 1), ("nhc/fan", 0)]
    silenced(machine)
    page = client.get("/api/health/catalogue/nhc%2Fdisk/")
    assert page.status_code == 200 and page.json()["samples"] == []
    assert page.json()["fault_classes"] == ["reported.disk"] and len(page.json()["silences"]) == 1
    assert client.get("/api/health/catalogue/nhc/disk/").json()["id"] == "nhc/disk"
    assert client.get("/api/health/catalogue/nhc/nothing/").status_code == 404

    reconciliation.settle(machine.pk)
    matrix = client.get("/api/health/matrix/?family=reported").json()
    assert [check["id"] for check in matrix["checks"]] == ["nhc/clock", "nhc/disk", "nhc/fan"]
    cells = {row["id"]: row["cells"] for row in matrix["machines"]}
    assert cells == {machine.pk: ".io", unswept.pk: "w..", other.pk: "..."}
    full = client.get("/api/health/matrix/").json()
    assert {len(row["cells"]) for row in full["machines"]} == {len(full["checks"])}
    here = signed_in(Role.VIEWER, machine.device.site, "local")
    seen = [row["id"] for row in here.get("/api/health/catalogue/").json()["results"] if row["family"] == "Reported"]
    assert seen == ["nhc/disk", "nhc/fan"]
    assert here.get("/api/health/catalogue/nhc/clock/").status_code == 404
    (line,) = here.get("/api/health/matrix/?family=reported").json()["machines"]
    assert line["cells"] == "io"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "part", "known"),
    [
        ("gpu.ecc", "GPU 3", True),
        ("gpu.ecc", "machine", True),
        ("gpu.ecc", "GPU 9", False),
        ("gpu.ecc", "PSU 1", False),
        ("disk.space", "/data", True),
        ("disk.space", "data", False),
        ("dmesg.known", "GPU 3", True),
        ("dmesg.known", "GPU 99", False),
    ],
)
def test_a_silence_is_of_a_part_that_is_there(machine: Any, check: str, part: str, known: bool) -> None:
    for scope, place in (("machine", machine.pk), ("model", machine.device.model_id), ("site", machine.device.site_id)):
        answer = post(signed_in(), "silences/", check=check, part=part, scope=scope, **{scope: place})
        assert answer.status_code == (201 if known else 400), answer.json()
        if not known:
            assert "part" in answer.json()["error"]["fields"] and check in str(answer.json())


def test_the_owner_is_somebody_of_that_site(machine: Any) -> None:
    make.make_machines(1, site="fra1")
    here, there = machine.device.site, Site.objects.get(slug="fra1")
    signed_in(Role.VIEWER, here, "harry")
    signed_in(Role.ADMIN, there, "tess")
    body = {"check": "gpu.ecc", "scope": "machine", "machine": machine.pk}
    client = signed_in()
    refused = post(client, "silences/", **body, owner="tess")
    assert refused.status_code == 400 and "role there" in str(refused.json()["error"]["fields"]["owner"])
    made = post(client, "silences/", **body, owner="harry")
    assert made.status_code == 201
    path = f"/api/health/silences/{made.json()['id']}/"
    assert client.patch(path, {"owner": "tess"}, "application/json").status_code == 400
    everywhere = post(client, "audit-mode/", check="gpu.ecc", owner="harry")
    assert everywhere.status_code == 400, "a decision for every site is answered for by who has a role at every site"
