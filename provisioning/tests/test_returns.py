"""Failed machines go back to their vendor together and are followed until each has an outcome."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from openpyxl import load_workbook
from pytest_django import DjangoAssertNumQueries

from access.tests.fleet import make_credentials
from core.models import Role
from health.models import MachineHealth
from live.models import Event
from provisioning import services
from provisioning.models import FailureEvidence, ReturnedMachine, RunMachine, VendorReturn
from provisioning.services.progress import changing
from provisioning.steps import Failed, FailureClass, StepName
from provisioning.tests.test_api import sign_in
from provisioning.tests.world import OUR_KEY, Pump, bare, start_run

pytestmark = [pytest.mark.django_db(transaction=True)]
PATH = "/api/provisioning/returns/"


@pytest.fixture(autouse=True)
def _quiet(pump: Pump) -> None:
    make_credentials(OUR_KEY)


def failed(*names: str, failure: FailureClass = FailureClass.PART_MISSING) -> list[RunMachine]:
    """Machines whose run failed so, with what their checks showed."""
    run = start_run(*[bare(name) for name in names], limit=len(names))
    services.fill()
    rows = list(run.machines.order_by("pk"))
    for row in rows:
        with changing(row.pk) as progress:
            progress.apply(Failed(StepName.IDENTITY, failure), "7 of 8 GPUs")
            FailureEvidence.objects.create(run_machine=row, attempt=1, kind="checks", text="gpu.count: 7 of 8 GPUs")
    return rows


def send(client: Client, path: str, body: dict[str, Any], expected: int = 200) -> Any:
    answer = client.post(path, body, content_type="application/json")
    assert answer.status_code == expected, answer.content
    return answer.json()


def test_all_machines_of_a_class_go_back_and_the_return_closes_with_the_last_answer(client: Client) -> None:
    rows = failed("gpu-001", "gpu-002")
    failed("gpu-003", failure=FailureClass.NO_LINK)
    sign_in(client, Role.OPERATOR, "north")
    site = rows[0].run.site_id
    made = send(client, PATH, {"site": site, "failure_class": "part_missing"}, 201)
    assert [row["name"] for row in made["machines"]] == ["gpu-001", "gpu-002"]
    assert (made["status"], made["count"], made["answered"]) == ("open", 2, 0)
    assert made["machines"][0]["evidence"] == "gpu.count: 7 of 8 GPUs"

    path, first = f"{PATH}{made['id']}/", rows[0].machine_id
    send(client, f"{path}answer/", {"machines": [first], "outcome": "repaired"}, 409)  # not sent yet
    assert send(client, f"{path}send/", {"reference": "RMA-77"})["status"] == "sent"
    send(client, f"{path}send/", {}, 409)
    half = send(client, f"{path}answer/", {"machines": [first], "outcome": "repaired", "note": "new SXM"})
    assert (half["status"], half["answered"]) == ("sent", 1)
    send(client, f"{path}answer/", {"machines": [first], "outcome": "refused"}, 409)  # it has its outcome
    whole = send(client, f"{path}answer/", {"machines": [rows[1].machine_id], "outcome": "not_found"})
    assert whole["status"] == "closed" and whole["closed_at"]
    assert client.delete(path).status_code == 409
    said = [event.data["text"] for event in Event.objects.filter(kind="return.changed").order_by("id")]
    assert said[0].endswith("RMA-77") and said[1].endswith("answered: repaired: new SXM")


def test_a_machine_is_on_one_return_at_a_time_and_after_an_answer_on_the_next(client: Client) -> None:
    [row] = failed("gpu-001")
    sign_in(client, Role.OPERATOR, "north")
    body = {"site": row.run.site_id, "machines": [row.machine_id]}
    made = send(client, PATH, body, 201)
    assert "on a return already" in send(client, PATH, body, 409)["error"]["message"]
    with pytest.raises(IntegrityError), transaction.atomic():
        ReturnedMachine.objects.create(
            vendor_return=VendorReturn.objects.create(site_id=row.run.site_id, vendor="x", created_by="x"),
            machine_id=row.machine_id, failure_class="no_bmc",
        )  # fmt: skip
    assert client.delete(f"{PATH}{made['id']}/").status_code == 204
    made = send(client, PATH, body, 201)
    send(client, f"{PATH}{made['id']}/send/", {})
    send(client, f"{PATH}{made['id']}/answer/", {"machines": [row.machine_id], "outcome": "replaced"})
    send(client, PATH, body, 201)


def test_who_works_or_came_to_service_is_not_sent_back(client: Client) -> None:
    [row, other] = failed("gpu-001", "gpu-002")
    sign_in(client, Role.OPERATOR, "north")
    MachineHealth.objects.filter(pk=row.machine_id).update(state="ready")
    services.retry_machine(other.pk, actor="olga")
    send(client, PATH, {"site": row.run.site_id, "failure_class": "part_missing"}, 409)
    assert not VendorReturn.objects.exists()


def test_machines_of_several_vendors_need_a_name(client: Client) -> None:
    [row, other] = failed("gpu-001", "gpu-002")
    model = other.machine.device.model
    model.pk, model.slug, model.vendor = None, "other", "Other Inc."
    model.save()
    other.machine.device.model = model
    other.machine.device.save()
    sign_in(client, Role.OPERATOR, "north")
    body = {"site": row.run.site_id, "failure_class": "part_missing"}
    assert "Other Inc." in send(client, PATH, body, 409)["error"]["message"]
    assert send(client, PATH, body | {"vendor": "Integrator"}, 201)["vendor"] == "Integrator"
    send(client, PATH, {"site": row.run.site_id}, 400)


def test_the_list_for_the_vendor_is_a_workbook_or_csv_without_formulas(client: Client) -> None:
    [row] = failed("gpu-001")
    FailureEvidence.objects.update(text="=cmd()")
    sign_in(client, Role.OPERATOR, "north")
    made = send(client, PATH, {"site": row.run.site_id, "machines": [row.machine_id]}, 201)
    answer = client.get(f"{PATH}{made['id']}/table/")
    sheet = load_workbook(io.BytesIO(answer.content)).active
    assert [cell.value for cell in sheet[2]][1:6:2] == ["gpu-001", "Part missing", "=cmd()"]
    assert sheet["F2"].data_type == "s"
    text = client.get(f"{PATH}{made['id']}/table/?as=csv").content.decode("utf-8-sig")
    assert "Part missing,7 of 8 GPUs,'=cmd()" in text


def test_viewers_see_returns_of_their_site_and_change_nothing(client: Client) -> None:
    [row] = failed("gpu-001")
    made = VendorReturn.objects.create(site_id=row.run.site_id, vendor="Dell", created_by="olga")
    for role, site, expected in ((Role.TECHNICIAN, "north", 200), (Role.OPERATOR, "south", 404)):
        sign_in(client, role, site)
        assert client.get(f"{PATH}{made.pk}/").status_code == expected
        assert client.get(f"{PATH}{made.pk}/table/").status_code == expected
        body = {"site": row.run.site_id, "machines": [row.machine_id]}
        send(client, PATH, body, 403)
        assert client.delete(f"{PATH}{made.pk}/").status_code in (403, 404)


@pytest.mark.slow
def test_a_return_of_many_takes_as_many_statements_as_one(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    rows = failed(*[f"gpu-{number:03}" for number in range(12)])
    sign_in(client, Role.OPERATOR, "north")
    small = send(client, PATH, {"site": rows[0].run.site_id, "machines": [rows[0].machine_id]}, 201)
    large = send(client, PATH, {"site": rows[0].run.site_id, "failure_class": "part_missing"}, 201)
    assert large["count"] == 11
    counted: list[int] = []
    for made in (small, large):
        with django_assert_num_queries(7) as captured:
            client.get(f"{PATH}{made['id']}/")
        counted.append(len(captured))
    assert counted[0] == counted[1]
