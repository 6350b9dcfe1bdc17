"""Decisions about checks over the API: who may, what is refused, what each site sees, how many statements it takes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Role, Site
from core.services import ensure_user
from health.checks import catalogue
from health.models import KernelImage, KernelLine, KernelSighting, Silence, ThresholdOverride
from health.monitoring.services import decisions
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from live.models import Event

pytestmark = pytest.mark.django_db
LATER = timedelta(days=7)


@pytest.fixture(autouse=True)
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)


def signed_in(role: str = Role.OPERATOR, site: Site | None = None, name: str = "olga") -> Client:
    user, _ = ensure_user(name, role=role, site=site)
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, **body: Any) -> Any:
    return client.post(f"/api/health/{path}", body, "application/json")


def silence_of(machine: Any, **more: Any) -> dict[str, Any]:
    until = (timezone.now() + LATER).isoformat()
    return {
        "check": "gpu.ecc", "scope": "machine", "machine": machine.pk, "reason": "RMA 12", "expires_at": until, **more,
    }  # fmt: skip


def test_an_override_is_made_changed_and_ended_and_each_is_told() -> None:
    (machine,) = make.make_machines(1)
    client = signed_in()
    body = {
        "check": "gpu.temperature", "scope": "model", "model": machine.device.model_id, "reason": "hot hall",
        "thresholds": {"gpu_temperature_warn_c": 84},
    }  # fmt: skip
    made = post(client, "overrides/", **body)
    assert made.status_code == 201, made.json()
    row = made.json()
    assert (row["site"], row["owner"], row["created_by"], row["active"]) == (None, "olga", "olga", True)
    assert row["thresholds"] == {"gpu_temperature_warn_c": 84.0} and row["about"] == "PowerEdge XE9680"
    path = f"/api/health/overrides/{row['id']}/"
    changed = client.patch(path, {"thresholds": {"gpu_temperature_warn_c": 85}}, "application/json")
    assert changed.json()["thresholds"] == {"gpu_temperature_warn_c": 85.0}
    assert post(client, "overrides/", **body).status_code == 409
    assert client.delete(path).status_code == 204
    assert client.get(path).json()["active"] is False and client.get(path).json()["ended_by"] == "olga"
    assert client.patch(path, {"reason": "again"}, "application/json").status_code == 409
    assert post(client, "overrides/", **body).status_code == 201
    assert Event.objects.filter(kind="policy.changed").count() == 4


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"thresholds": {"gpu_temperature_wrong_c": 84}}, "thresholds"),
        ({"thresholds": {}}, "thresholds"),
        ({"thresholds": {"gpu_temperature_warn_c": "warm"}}, "thresholds"),
        ({"check": "gpu.nonsense"}, "check"),
        ({"scope": "model"}, "model"),
        ({"scope": "site"}, "site"),
        ({"owner": "nobody-here"}, "owner"),
        ({"reason": ""}, "reason"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"machine": 999_999}, "machine"),
    ],
)
def test_a_wrong_override_is_refused_by_field_and_nothing_is_kept(more: dict[str, Any], field: str) -> None:
    (machine,) = make.make_machines(1)
    body = {
        "check": "gpu.temperature", "scope": "machine", "machine": machine.pk, "reason": "why",
        "thresholds": {"gpu_temperature_warn_c": 84}, **more,
    }  # fmt: skip
    answer = post(signed_in(), "overrides/", **body)
    assert answer.status_code == 400 and field in answer.json()["error"]["fields"], answer.json()
    assert not ThresholdOverride.objects.exists()


def test_a_silence_needs_an_end() -> None:
    (machine,) = make.make_machines(1)
    body = silence_of(machine)
    del body["expires_at"]
    answer = post(signed_in(), "silences/", **body)
    assert answer.status_code == 400 and "expires_at" in answer.json()["error"]["fields"]
    made = post(signed_in(), "silences/", **silence_of(machine)).json()
    cleared = signed_in().patch(f"/api/health/silences/{made['id']}/", {"expires_at": None}, "application/json")
    assert cleared.status_code == 400


def test_an_expired_silence_makes_room_for_the_next_one() -> None:
    (machine,) = make.make_machines(1)
    first = post(signed_in(), "silences/", **silence_of(machine)).json()["id"]
    assert post(signed_in(), "silences/", **silence_of(machine)).status_code == 409
    Silence.objects.filter(pk=first).update(
        created_at=timezone.now() - 2 * LATER, expires_at=timezone.now() - timedelta(seconds=1)
    )
    assert post(signed_in(), "silences/", **silence_of(machine)).status_code == 201
    assert Silence.objects.get(pk=first).ended_by == decisions.EXPIRY


def test_only_operators_decide_and_what_is_for_all_sites_needs_all_sites() -> None:
    (machine,) = make.make_machines(1)
    site = machine.device.site
    here = signed_in(Role.OPERATOR, site, "local")
    model = {"check": "gpu.ecc", "scope": "model", "model": machine.device.model_id, "reason": "why"}
    until = (timezone.now() + LATER).isoformat()
    assert post(signed_in(Role.VIEWER, name="vera"), "silences/", **silence_of(machine)).status_code == 403
    assert post(here, "silences/", **model, expires_at=until).status_code == 403
    assert post(here, "silences/", **model, site=site.pk, expires_at=until).status_code == 201
    assert post(here, "audit-mode/", check="gpu.ecc", reason="odd").status_code == 403
    everywhere = post(signed_in(), "audit-mode/", check="gpu.ecc", reason="odd").json()
    seen = here.get("/api/health/audit-mode/").json()["results"]
    assert [row["id"] for row in seen] == [everywhere["id"]]
    assert here.delete(f"/api/health/audit-mode/{everywhere['id']}/").status_code == 403


def test_nothing_of_another_site_is_seen_or_decided() -> None:
    (mine,), (other,) = make.make_machines(1), make.make_machines(1, site="fra1")
    everybody = signed_in()
    row = post(everybody, "silences/", **silence_of(other)).json()
    kind = KernelImage.objects.create(site=other.device.site, model=other.device.model, image="x")
    line = KernelLine.objects.create(
        image=kind, shape="s", example="e", first_seen=timezone.now(), last_seen=timezone.now()
    )
    observation_store.record([make.look(m, at=timezone.now()) for m in (mine, other)])
    here = signed_in(Role.ADMIN, mine.device.site, "local")
    for path in ("silences/", "kernel-lines/", "kernel-images/"):
        assert here.get(f"/api/health/{path}").json()["count"] == 0
        assert everybody.get(f"/api/health/{path}").json()["count"] == 1
    assert here.get(f"/api/health/silences/{row['id']}/").status_code == 404
    assert post(here, "silences/", **silence_of(other, check="gpu.count")).status_code == 400
    assert post(here, f"kernel-lines/{line.pk}/reopen/").status_code == 404
    assert [m["id"] for m in here.get("/api/health/matrix/").json()["machines"]] == [mine.pk]
    assert other.device.name not in b"".join(here.get("/api/health/matrix.csv")).decode()
    (entry,) = [e for e in here.get("/api/health/catalogue/").json()["results"] if e["id"] == "gpu.ecc"]
    assert entry["silences"] == 0


@pytest.mark.slow
def test_the_catalogue_shows_each_check_with_samples_and_decisions() -> None:
    (machine,) = make.make_machines(1)
    client = signed_in()
    post(client, "silences/", **silence_of(machine))
    listed = client.get("/api/health/catalogue/").json()["results"]
    assert [entry["id"] for entry in listed] == [each.id for each in catalogue()]
    assert {e["id"]: e["silences"] for e in listed if e["silences"]} == {"gpu.ecc": 1}
    for each in catalogue():
        shown = client.get(f"/api/health/catalogue/{each.id}/").json()
        fine, bad = shown["samples"]
        assert fine["verdict"] == "ok" and bad["verdict"] in ("fail", "warn"), each.id
        assert fine["excerpt"] != bad["excerpt"] or each.id in WITHOUT_A_CHANGE
    assert len(client.get("/api/health/catalogue/gpu.ecc/").json()["silences"]) == 1
    assert client.get("/api/health/catalogue/gpu.nonsense/").status_code == 404


# What is wrong there is not in the output: another part than the inventory has, or another model than expected.
WITHOUT_A_CHANGE = {"bmc.profile", "hca.identity", "system.restart"}


def test_the_matrix_has_one_character_per_check_and_the_worst_part_leads(
    django_assert_num_queries: Any,
) -> None:
    machines = make.make_machines(3)
    at = timezone.now()
    observation_store.record([make.look(m, at=at - timedelta(seconds=9)) for m in machines[:2]])
    observation_store.record([make.look(machines[1], make.nvlink(), at=at, unknown=(("gpu.ecc", "GPU 3"),))])
    client = signed_in(Role.VIEWER, name="vera")
    client.get("/api/health/matrix/")
    # session, user, roles; sources, count, machines, reports, rows, models of the unheard
    with django_assert_num_queries(9):
        matrix = client.get("/api/health/matrix/").json()
    at_check = {check["id"]: place for place, check in enumerate(matrix["checks"])}
    cells = [machine["cells"] for machine in matrix["machines"]]
    assert matrix["count"] == 3 and {len(each) for each in cells} == {len(matrix["checks"])}
    assert [each[at_check["nvlink.links"]] for each in cells] == ["o", "f", "u"]
    assert [each[at_check["gpu.ecc"]] for each in cells] == ["o", "u", "u"]
    assert [each[at_check["ib.bandwidth"]] for each in cells] == [".", ".", "."]
    bad = client.get("/api/health/matrix/?only=bad&family=nvlink").json()
    assert [machine["id"] for machine in bad["machines"]] == [machines[1].pk, machines[2].pk]
    assert {check["family"] for check in bad["checks"]} == {"NVLink"}
    assert client.get("/api/health/matrix/?state=retired").json()["count"] == 0
    one = client.get("/api/health/matrix/?check=nvlink.links&only=bad").json()
    assert [(m["id"], m["cells"]) for m in one["machines"]] == [(machines[1].pk, "f"), (machines[2].pk, "u")]
    assert [check["id"] for check in one["checks"]] == ["nvlink.links"]
    table = b"".join(client.get("/api/health/matrix.csv")).decode().splitlines()
    assert len(table) == 4 and table[2].split(",")[2 + at_check["nvlink.links"]] == "fail"


def test_the_matrix_comes_in_pages_of_the_size_asked_for() -> None:
    machines = make.make_machines(3)
    client = signed_in(Role.VIEWER, name="vera")
    pages = [client.get(f"/api/health/matrix/?page_size=2&page={page}").json() for page in (1, 2)]
    assert [[m["id"] for m in page["machines"]] for page in pages] == [[m.pk for m in machines[:2]], [machines[2].pk]]
    assert {(page["count"], page["pages"]) for page in pages} == {(3, 2)}


@pytest.mark.parametrize(
    "asked", ["page_size=0", "page_size=1001", "check=gpu.nonsense", "check=gpu.ecc&family=nvlink"]
)
def test_what_the_matrix_cannot_answer_is_refused_by_name(asked: str) -> None:
    answer = signed_in(Role.VIEWER, name="vera").get(f"/api/health/matrix/?{asked}")
    assert answer.status_code == 400 and asked.split("=")[0] in answer.json()["error"]["fields"], answer.json()


def test_a_machine_that_went_silent_is_unknown_in_the_matrix_but_for_its_failures() -> None:
    (machine,) = make.make_machines(1)
    observation_store.record([make.look(machine, make.nvlink(), at=timezone.now())])
    make.health(machine).__class__.objects.filter(pk=machine.pk).update(reachability="unreachable")
    (row,) = signed_in().get("/api/health/matrix/").json()["machines"]
    assert set(row["cells"]) == {"f", "u", "."}


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", ["matrix/", "matrix/?only=bad", "matrix/?check=gpu.ecc", "catalogue/", "kernel-lines/", "silences/"]
)
def test_the_number_of_statements_does_not_grow_with_the_fleet(path: str, django_assert_max_num_queries: Any) -> None:
    client, at = signed_in(Role.VIEWER, name="vera"), timezone.now()

    def statements(count: int) -> int:
        for machine in make.make_machines(count):
            observation_store.record([make.look(machine, make.nvlink(), at=at)])
            decisions.silence(
                "gpu.ecc", decisions.Where("machine", machine_id=machine.pk), reason="r", owner="o", actor="a",
                expires_at=at + LATER,
            )  # fmt: skip
            image, _ = KernelImage.objects.get_or_create(site=machine.device.site, model=machine.device.model)
            line = KernelLine.objects.create(
                image=image, shape=f"kind {machine.pk}", example="e", first_seen=at, last_seen=at
            )
            KernelSighting.objects.create(line=line, machine=machine)
        client.get(f"/api/health/{path}")
        with django_assert_max_num_queries(30) as taken:
            assert client.get(f"/api/health/{path}").status_code == 200
        return len(taken)

    assert statements(1) == statements(4)


def test_a_line_is_accepted_until_a_day_marked_and_reopened() -> None:
    (machine,) = make.make_machines(1)
    image = KernelImage.objects.create(site=machine.device.site, model=machine.device.model, image="x")
    now = timezone.now()
    line = KernelLine.objects.create(image=image, shape="kind N", example="kind 7", first_seen=now, last_seen=now)
    KernelSighting.objects.create(line=line, machine=machine)
    client = signed_in()
    (shown,) = client.get("/api/health/kernel-lines/?state=new").json()["results"]
    assert shown["machines"] == {"count": 1, "names": [machine.device.name]} and shown["state"] == "new"
    path = f"kernel-lines/{line.pk}"
    refused = post(client, f"{path}/accept/", reason="known")
    assert refused.status_code == 400 and "expires_at" in refused.json()["error"]["fields"]
    accepted = post(client, f"{path}/accept/", reason="known", expires_at=(now + LATER).isoformat()).json()
    assert (accepted["state"], accepted["owner"], accepted["decided_by"]) == ("accepted", "olga", "olga")
    KernelLine.objects.filter(pk=line.pk).update(expires_at=now)
    assert client.get(f"/api/health/{path}/").json()["state"] == "new"
    assert client.get("/api/health/kernel-lines/?state=accepted").json()["count"] == 0
    assert post(client, f"{path}/mark-bad/", verdict="ok", reason="no").status_code == 400
    assert post(client, f"{path}/mark-bad/", verdict="fail", reason="dies").json()["verdict"] == "fail"
    assert post(client, f"{path}/reopen/").json()["state"] == "new"
    assert post(signed_in(Role.VIEWER, name="vera"), f"{path}/reopen/").status_code == 403
