"""BMC set-up over the API: who may do what, what is refused with its reason, and that no answer holds a password."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from core.models import Credential, Role
from core.services import ensure_user
from health.tests.hall import PASSWORD, RunningHall
from inventory.models import Machine
from provisioning.bmc import readings
from provisioning.bmc.models import BmcPassword, BmcReading, BmcRun
from provisioning.bmc.words import BmcAction
from provisioning.tests.bmc.conftest import go, ids, setup_of, start
from provisioning.tests.bmc.test_settings_and_firmware_in_the_hall import BIOS, SETTINGS, profile

pytestmark = pytest.mark.django_db
ROOT = "/api/provisioning/bmc"


def client(role: Role) -> Client:
    one = Client()
    one.force_login(ensure_user(str(role), role=role)[0])
    return one


def send(role: Role, method: str, path: str, body: Any = None) -> Any:
    return getattr(client(role), method)(f"{ROOT}{path}", body, content_type="application/json")


@pytest.mark.slow
def test_a_profile_is_saved_whole_or_not_at_all_and_compared_at_once(hall: RunningHall) -> None:
    slug = Machine.objects.all()[0].device.model.slug
    profile()
    assert readings.read_due() == 4
    path = f"/profiles/{slug}/"
    assert send(Role.OPERATOR, "patch", path, {"settings": SETTINGS}).status_code == 403
    bad = [*SETTINGS, {"area": "ntp", "name": "NTPServers", "value": "10.0.0.1"}]
    told = send(Role.ADMIN, "patch", path, {"settings": bad})
    assert told.status_code == 400
    assert "settings row 7 (NTPServers): the value is a list of texts" in told.content.decode()
    saved = send(Role.ADMIN, "patch", path, {"settings": SETTINGS, "firmware": [BIOS]}).json()
    assert (saved["settings_differ"], saved["firmware_differ"], saved["read"], saved["machines"]) == (4, 4, 4, 4)
    kept = send(Role.ADMIN, "patch", path, {"settings": []}).json()
    assert (kept["settings"], kept["firmware"], kept["settings_differ"]) == ([], [BIOS], 0)
    assert send(Role.ADMIN, "patch", "/profiles/no-such-model/", {"settings": []}).status_code == 404


def test_what_differs_is_shown_by_model_machine_and_version(hall: RunningHall) -> None:
    machine = ids()[0]
    profile(SETTINGS, [BIOS])
    readings.read_due()
    viewer = client(Role.VIEWER)
    model = viewer.get(f"{ROOT}/profiles/").json()["results"][0]
    rows = viewer.get(f"{ROOT}/machines/", {"model": model["slug"]}).json()["results"]
    assert [(row["settings_differ"], row["firmware_differ"], row["password"]) for row in rows] == [(5, 1, None)] * 4
    one = viewer.get(f"{ROOT}/machines/{machine}/").json()
    assert {row["name"]: row["comparison"] for row in one["settings"]}["SriovGlobalEnable"] == "differs"
    assert (one["firmware"][0]["wanted"], one["firmware"][0]["found"][0]["version"]) == ("2.4.4", "1.7.6")
    assert {"area": "bios", "name": "NumLock", "value": "On"} in one["found"] and len(one["components"]) > 5
    versions = viewer.get(f"{ROOT}/versions/", {"model": model["slug"]}).json()["results"]
    bios = {"component": "BIOS", "versions": [{"version": "1.7.6", "machines": 4}]}
    assert bios in versions
    assert viewer.get(f"{ROOT}/machines/999999/").status_code == 404


def test_an_operator_starts_and_cancels_a_run_and_every_reason_against_it_is_named(hall: RunningHall) -> None:
    body = {"machines": ids(), "action": "firmware"}
    assert send(Role.TECHNICIAN, "post", "/runs/", body).status_code == 403
    told = send(Role.OPERATOR, "post", "/runs/", body)
    assert told.status_code == 400 and told.content.decode().count("the profile of its model has no firmware") == 4
    assert not BmcRun.objects.exists()
    made = send(Role.OPERATOR, "post", "/runs/", {**body, "action": "password"})
    run = made.json()
    assert made.status_code == 201 and run["dry_run"] is True and run["totals"]["waiting"] == 4
    assert send(Role.OPERATOR, "post", f"/runs/{run['id']}/cancel/").status_code == 200
    ended = go(BmcRun.objects.get())
    assert ended.status == "cancelled"
    assert send(Role.OPERATOR, "post", f"/runs/{run['id']}/cancel/").status_code == 409
    assert client(Role.VIEWER).get(f"{ROOT}/runs/").json()["count"] == 1


def test_no_answer_and_no_log_holds_a_password(hall: RunningHall) -> None:
    machine = ids()[0]
    go(start([machine], BmcAction.PASSWORD, dry_run=False))
    secret = setup_of(hall, machine).password
    viewer = client(Role.ADMIN)
    paths = ["/machines/", f"/machines/{machine}/", "/runs/", f"/runs/{BmcRun.objects.get().pk}/"]
    told = "".join(viewer.get(f"{ROOT}{path}").content.decode() for path in paths)
    assert '"own"' in told and secret not in told and PASSWORD not in told
    assert secret.encode() not in bytes(Credential.objects.get(name=f"bmc of machine {machine}").secret)


def test_an_administrator_tells_a_password_and_an_operator_asks_for_a_reading(hall: RunningHall) -> None:
    machine = ids()[0]
    path = f"/machines/{machine}/password/"
    assert send(Role.OPERATOR, "post", path, {"password": "x" * 12}).status_code == 403
    told = send(Role.ADMIN, "post", path, {"password": "not-shown-again"})
    assert told.status_code == 202 and not told.content
    assert BmcPassword.objects.get().state == "changing"
    assert send(Role.ADMIN, "post", path, {"password": "another"}).status_code == 409
    assert send(Role.VIEWER, "post", "/machines/read/", {"machines": [machine]}).status_code == 403
    assert send(Role.OPERATOR, "post", "/machines/read/", {"machines": [machine]}).status_code == 202
    assert BmcReading.objects.get().next_at is not None
    assert send(Role.OPERATOR, "post", "/machines/read/", {"machines": [machine, 999999]}).status_code == 404


def test_who_reads_a_bmc_now_sends_a_refused_login_once_more_and_no_worker_does_by_itself(hall: RunningHall) -> None:
    machine = ids()[0]
    setup_of(hall, machine).password = "changed-by-hand"

    def refused() -> str:
        return str(send(Role.VIEWER, "get", f"/machines/{machine}/").json()["login_refused"])

    assert refused() == ""
    for tries in (1, 2):
        assert send(Role.OPERATOR, "post", "/machines/read/", {"machines": [machine]}).status_code == 202
        for _ in range(3):
            assert readings.read_due() == 1
            BmcReading.objects.update(next_at=timezone.now())
        assert setup_of(hall, machine).wrong_logins == tries and "sent once more at" in refused()
    setup_of(hall, machine).password = ""
    send(Role.OPERATOR, "post", "/machines/read/", {"machines": [machine]})
    assert readings.read_due() == 1 and refused() == "" and BmcReading.objects.get().problem == ""
