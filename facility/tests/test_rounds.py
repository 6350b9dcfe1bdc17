"""Meters are asked when they are due: what they tell is kept, what they do not tell is unknown with its reason."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from core.models import Credential, Site
from facility.facts import Measured, Part, Quantity
from facility.history import tables
from facility.meters import rounds, services
from facility.meters.models import Meter, MeterState
from facility.overview import sums
from facility.readers.answers import Answer
from facility.tests.agents import PASSWORD, PRIVACY, USER, apc, raritan, sentry, served

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services]


@pytest.fixture
def site(settings: Any) -> Site:
    settings.LOCAL_ADDRESSES = True
    return Site.objects.create(slug="ams", name="Amsterdam")


@pytest.fixture(scope="module")
def agent() -> Iterator[int]:
    """One real agent with the walks of three vendors, each by its community."""
    with served(apc=apc(), raritan=raritan(), sentry=sentry()) as port:
        yield port


def credential(name: str, secret: str, username: str = "", purpose: str = "meter") -> Credential:
    row = Credential(name=name, kind="password", purpose=purpose, username=username, hosts=["127.0.0.0/8"])
    row.set_secret(secret)
    row.save()
    return row


def meter(site: Site, port: int, login: Credential | None, **fields: Any) -> Meter:
    told = {"name": login.name if login else "pdu", "kind": "snmp_pdu", "address": f"127.0.0.1:{port}"}
    return Meter.objects.create(site=site, credential=login, **(told | fields))


def values(row: Meter) -> dict[tuple[str, str, str], float | None]:
    told = MeterState.objects.select_related("layout").get(meter=row)
    points = [(part, name, quantity) for part, name, quantity in told.layout.points]
    return dict(zip(points, told.values, strict=True))


def test_pdus_of_three_vendors_are_read_in_one_round_each_in_its_own_mib(site: Site, agent: int) -> None:
    rows = [meter(site, agent, credential(name, name)) for name in ("apc", "raritan", "sentry")]
    assert rounds.read_due() == 3
    for row in rows:
        row.refresh_from_db()
        assert row.state in (Meter.State.OK, Meter.State.PARTIAL), row.message
    assert values(rows[0])["outlet", "1", "power_w"] == 481
    assert values(rows[1])["inlet", "I1", "power_w"] == 17_010
    raritan_state = MeterState.objects.get(meter=rows[1])
    assert rows[1].state == Meter.State.PARTIAL and "not known" in rows[1].message
    assert set(raritan_state.reasons.values()) >= {"the sensor is not available"}


def test_a_pdu_that_does_not_answer_keeps_no_other_waiting_and_says_why(site: Site, agent: int) -> None:
    good = meter(site, agent, credential("apc", "apc"))
    silent = meter(site, agent, credential("nobody", "nobody"))
    rounds.read_due()
    good.refresh_from_db()
    silent.refresh_from_db()
    assert good.state == Meter.State.OK and silent.state == Meter.State.FAILED
    assert "no answer" in silent.message and not MeterState.objects.filter(meter=silent).exists()


def test_version_3_signs_and_encrypts_with_the_two_lines_of_its_secret(site: Site, agent: int) -> None:
    right = credential("v3", f"{PASSWORD}\n{PRIVACY}", USER)
    wrong = credential("v3 wrong", f"{PASSWORD}x\n{PRIVACY}", USER)
    rows = [meter(site, agent, login, options={"context": "apc"}) for login in (right, wrong)]
    rounds.read_due()
    for row in rows:
        row.refresh_from_db()
    assert rows[0].state == Meter.State.OK, rows[0].message
    assert rows[1].state in (Meter.State.REFUSED, Meter.State.FAILED) and PASSWORD not in rows[1].message


def test_a_login_of_another_kind_is_not_sent_anywhere(site: Site, agent: int) -> None:
    login = credential("bmc", "apc")
    Credential.objects.filter(pk=login.pk).update(purpose="bmc")
    row = meter(site, agent, login)
    rounds.read_due()
    row.refresh_from_db()
    assert row.state == Meter.State.REFUSED and "meters" in row.message


# ---- a Prometheus ----


TOKEN = "prom-4711"
SERVED = {"sum(site_kw)": 1_500.0, "sum(it_watts)": 1_200_000.0}


class Prometheus(BaseHTTPRequestHandler):
    """Answers the expressions above to whoever has the token."""

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        if self.path != "/prom/api/v1/query_range" or self.headers["Authorization"] != f"Bearer {TOKEN}":
            self.send_error(401)
            return
        query, at = form["query"][0], float(form["end"][0])
        value = at - 5 if query.startswith("timestamp(") else SERVED[query]
        series = [{"metric": {}, "values": [[at, str(value)]]}]
        body = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Nothing on the screen."""


@pytest.fixture(scope="module")
def prometheus() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Prometheus)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def of_the_site(site: Site, port: int, login: Credential | None) -> Meter:
    """The power of the whole site and of its machines, as two expressions."""
    told = [("site", "sum(site_kw)", 1_000), ("it", "sum(it_watts)", 1)]
    options = {
        "scheme": "http", "path": "/prom",
        "values": [{"part": "total", "name": name, "quantity": "power_w", "expression": expression, "scale": scale}
                   for name, expression, scale in told],
    }  # fmt: skip
    return meter(site, port, login, kind="prometheus", name="main", options=options)


def test_a_meter_of_the_site_by_prometheus_is_asked_with_its_token_and_makes_the_pue(
    site: Site, prometheus: int
) -> None:
    row = of_the_site(site, prometheus, credential("prom", TOKEN, purpose="prometheus"))
    tables.maintain()
    assert rounds.read_due() == 1
    row.refresh_from_db()
    assert row.state == Meter.State.OK, row.message
    assert values(row) == {("total", "site", "power_w"): 1_500_000, ("total", "it", "power_w"): 1_200_000}
    sums.add_up_site(site.pk, timezone.now())
    assert MeterState.objects.get(meter__kind="site", meter__site=site).memory["pue"] == 1.25


@pytest.mark.parametrize(("secret", "purpose"), [("another", "prometheus"), (TOKEN, "meter")])
def test_a_prometheus_that_refuses_the_token_or_one_for_another_purpose_tells_nothing(
    secret: str, purpose: str, site: Site, prometheus: int
) -> None:
    row = of_the_site(site, prometheus, credential("prom", secret, purpose=purpose))
    rounds.read_due()
    row.refresh_from_db()
    assert row.state == Meter.State.REFUSED and secret not in row.message
    assert not MeterState.objects.filter(meter=row).exists()


# ---- turns and settings ----


def test_a_meter_is_due_again_after_its_period_and_not_before(site: Site, agent: int) -> None:
    row = meter(site, agent, credential("apc", "apc"), period_s=60)
    assert (rounds.read_due(), rounds.read_due()) == (1, 0)
    Meter.objects.filter(pk=row.pk).update(tried_at=timezone.now() - timedelta(seconds=61))
    assert rounds.read_due() == 1
    Meter.objects.filter(pk=row.pk).update(enabled=False, tried_at=None)
    assert rounds.read_due() == 0


def test_an_operator_adds_a_meter_and_sees_its_values_with_unit_and_reason(
    site: Site, agent: int, as_role: Callable[..., APIClient]
) -> None:
    credential("raritan", "raritan")
    admin = as_role("admin")
    told = {"site": site.pk, "name": "pdu-b", "kind": "snmp_pdu", "address": f"127.0.0.1:{agent}", "period_s": 30}
    answer = admin.post("/api/facility/meters/", told | {"credential": "raritan"}, format="json")
    assert answer.status_code == 201, answer.content
    path = f"/api/facility/meters/{answer.json()['id']}/"
    assert (answer.json()["state"], admin.post(f"{path}read/").status_code) == ("never", 202)
    rounds.read_due()
    found = admin.get(f"{path}values/").json()
    by_point = {(each["part"], each["name"], each["quantity"]): each for each in found["values"]}
    assert (
        by_point["inlet", "I1", "power_w"] | {"value": 17_010, "unit": "W", "reason": ""}
        == by_point["inlet", "I1", "power_w"]
    )
    unknown = [each for each in found["values"] if each["value"] is None]
    assert unknown and all(each["reason"] for each in unknown)
    shown = admin.get(path).json()
    assert (shown["values"], shown["unknown"]) == (len(found["values"]), len(unknown))
    MeterState.objects.update(at=timezone.now() - timedelta(minutes=5))
    assert admin.get(path).json()["state"] == "late"


def test_another_address_forgets_what_the_old_one_told_and_an_answer_on_its_way(site: Site, agent: int) -> None:
    row = meter(site, agent, credential("apc", "apc"))
    (taken,) = rounds.WORK.claim()
    services.save(row, {"address": f"127.0.0.2:{agent}"})
    late = Answer("old", [Measured(Part.INLET, "I1", Quantity.POWER_W, 1.0)])
    assert not rounds.keep(taken, late, {}) and not MeterState.objects.exists()
    services.save(row, {"address": f"127.0.0.1:{agent}"})
    rounds.read_due()
    assert MeterState.objects.filter(meter=row).exists()
    services.save(row, {"address": f"127.0.0.2:{agent}"})
    assert not MeterState.objects.exists()


@pytest.mark.parametrize(
    ("told", "field", "said"),
    [
        ({"kind": "machine"}, "kind", "Rackside itself"),
        ({"address": ""}, "address", "Where"),
        ({"address": "169.254.169.254"}, "address", "refused"),
        ({"kind": "modbus", "options": {}}, "options", "registers"),
        ({"kind": "redfish_cooling", "options": {"liquid_class": "W99"}}, "options", "liquid_class"),
        ({"kind": "redfish_cooling", "options": {"plumbing": {"racks": ["A01"]}}}, "options", "plumbing.racks"),
        ({"period_s": 1}, "period_s", "10"),
        ({"identity": "abc"}, "identity", "64"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_place_and_reason(
    told: dict[str, Any], field: str, said: str, site: Site, as_role: Callable[..., APIClient]
) -> None:
    usual = {"site": site.pk, "name": "m", "kind": "snmp_pdu", "address": "10.0.0.1"}
    answer = as_role("admin").post("/api/facility/meters/", usual | told, format="json")
    assert answer.status_code == 400 and said in str(answer.json()["error"]["fields"][field]), answer.content
    assert not Meter.objects.exists()
