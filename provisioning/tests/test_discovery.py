"""Discoveries: addresses asked by a real Redfish over TLS, followed over the API, and accepted into the inventory."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from access.models import Endpoint
from access.queries import bmc_targets
from access.tests.fleet import make_credentials, make_machine, make_site
from core.models import AuditChange, Credential, Role, Site
from core.services import ensure_user, set_credential
from drivers.tests.bmc import FakeBmc, self_signed, serving
from inventory.kinds import Scope, write
from inventory.models import Device, DeviceModel, Machine, Placement, Port, Rack, Room
from live.models import Event
from provisioning.discovery import work
from provisioning.discovery.models import DiscoveredBmc, Discovery, LeaseSource
from provisioning.discovery.probe import Answer, Pace
from provisioning.discovery.states import BmcState
from provisioning.models import Delivery, DeliveryItem
from provisioning.tests.world import Loop

DISCOVERIES, SOURCES = "/api/provisioning/discoveries/", "/api/provisioning/lease-sources/"
LATER = int(time.time()) + 3600
MAC = "b8:3f:d2:00:00:0{}".format
pytestmark = pytest.mark.django_db


def client(role: Role = Role.OPERATOR, site: Site | None = None) -> Client:
    one = Client()
    one.force_login(ensure_user(f"{role}-{site or 'all'}", role=role, site=site)[0])
    return one


class Bmcs:
    """BMCs on one port, each with an address of loopback of its own: 127.0.7.1 and so on."""

    def __init__(self, loop: Loop, folder: Path) -> None:
        self.loop, self.folder = loop, folder
        self.open: list[Any] = []
        self.port = 0
        self.by_number: dict[int, FakeBmc] = {}
        self.guarded: dict[int, list[str]] = {}

    def add(self, number: int, **told: Any) -> FakeBmc:
        bmc = self.by_number[number] = FakeBmc(
            **{"serial": f"SNGPU-00{number}", "power": "On", "vendor": "Dell"} | told
        )
        pem, _ = self_signed(self.folder, f"bmc-{number}")
        context = serving(bmc, pem, address=self.address(number), port=self.port)
        self.port = self.loop.run(context.__aenter__())
        self.open.append(context)
        return bmc

    @staticmethod
    def address(number: int) -> str:
        return f"127.0.7.{number}"

    def close(self) -> None:
        for context in self.open:
            self.loop.run(context.__aexit__(None, None, None))


@pytest.fixture
def bmcs(loop_thread: Loop, tmp_path: Path) -> Iterator[Bmcs]:
    found = Bmcs(loop_thread, tmp_path)
    yield found
    found.close()


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    asked: list[int] = []
    monkeypatch.setattr("core.work.queue.enqueue", lambda task, *args, **more: asked.extend(args))
    return asked


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> list[Machine]:
    """Two planned machines with a place, without an address of their BMC."""
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    make_credentials(hosts=["127.0.0.0/8"])
    machines = [
        make_machine(f"gpu-00{number}", bmc_ip=None, bmc_mac=MAC(number), boot_mac=f"aa:bb:cc:00:00:0{number}")
        for number in (1, 2)
    ]
    room = Room.objects.create(site=make_site(), name="Hall 1", width_mm=9000, depth_mm=9000)
    rack = Rack.objects.create(room=room, name="B02", x_mm=0, y_mm=0)
    for machine, low in zip(machines, (9, 21), strict=True):
        Placement.objects.create(
            device=machine.device, rack=rack, rack_height_u=rack.height_u, half_units=(low, low + 12),
            faces=(0, 2), columns=(0, 2),
        )  # fmt: skip
    return machines


def bmc_of(bmcs: Bmcs, machine: Machine, number: int, **more: Any) -> FakeBmc:
    told = {"serial": machine.device.serial, "uuid": str(machine.system_uuid), "mac": machine.boot_mac}
    return bmcs.add(number, **told | more)


def label(number: int) -> Credential:
    """A password as a delivery keeps it: without a purpose it opens nothing."""
    found = Credential(name=f"label {number}", kind="password", username="root")
    found.set_secret(f"label-{number}")
    found.save()
    return found


def leases(*numbers: int) -> str:
    return "".join(f"{LATER} {MAC(n)} {Bmcs.address(n)} idrac-{n} *\n" for n in numbers)


def begin(by: Client | None = None, *, text: str = "", port: int, **fields: Any) -> Any:
    told = {"site": make_site().pk, "port": port, "rate_per_s": 100} | fields
    if text:
        told["file"] = SimpleUploadedFile("dnsmasq.leases", text.encode())
    return (by or client()).post(DISCOVERIES, told)


def run(pk: int) -> Any:
    while work.run(pk):
        pass
    return client().get(f"{DISCOVERIES}{pk}/").json()


def discover(bmcs: Bmcs, *numbers: int, **fields: Any) -> Any:
    answer = begin(text=leases(*numbers), port=bmcs.port, **fields)
    assert answer.status_code == 201, answer.content
    return run(answer.json()["id"])


def accept(pk: int, *numbers: int, by: Client | None = None) -> Any:
    body = json.dumps({"bmcs": numbers} if numbers else {})
    return (by or client()).post(f"{DISCOVERIES}{pk}/accept/", body, "application/json")


def findings(told: Any) -> dict[int, str]:
    return {row["number"]: row["finding"] for row in told["bmcs"]}


# ---- the whole way ----


def test_leases_are_asked_shown_beside_the_plan_and_accepted_once(
    bmcs: Bmcs, two: list[Machine], queued: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    for number, machine in enumerate(two, start=1):
        bmc_of(bmcs, machine, number)
    with django_capture_on_commit_callbacks(execute=True):
        begun = begin(text=leases(1, 2, 3) + "half a li", port=bmcs.port).json()
    assert queued == [begun["id"]] and (begun["status"], begun["addresses"], begun["asked"]) == ("waiting", 3, 0)
    told = run(begun["id"])
    assert (told["status"], told["asked"], told["found"], told["unread_lines"]) == ("done", 3, 2, 1)
    assert told["problems"] == [{"line": 4, "reason": "3 of 5 fields: the line breaks off"}]
    assert findings(told) == {1: "fits", 2: "fits", 3: "unread"}
    first = next(row for row in told["bmcs"] if row["number"] == 1)
    assert first["changes"] == {"bmc_ip": "127.0.7.1"} and first["planned"]["place"] == "B02 U5"
    assert any("place not known" in line for line in first["evidence"])
    assert not Machine.objects.exclude(bmc_ip=None).exists(), "nothing is written before somebody accepts"

    taken = accept(begun["id"]).json()
    assert taken["accepted"] == 2 and set(findings(taken).values()) == {"same", "unread"}
    machines = Machine.objects.order_by("pk")
    assert [str(machine.bmc_ip) for machine in machines] == ["127.0.7.1", "127.0.7.2"]
    assert Endpoint.objects.get(machine=two[0]).port == bmcs.port, "the port that it was found at"
    assert AuditChange.objects.filter(actor__startswith="operator").exists()
    assert accept(begun["id"]).json()["accepted"] == 2, "all that match: none is left"
    again = discover(bmcs, 1, 2)
    assert set(findings(again).values()) == {"same"}


def test_how_far_it_is_is_told_live(bmcs: Bmcs, two: list[Machine]) -> None:
    bmc_of(bmcs, two[0], 1)
    told = discover(bmcs, 1)
    events = [event.data for event in Event.objects.filter(kind="bmc_discovery.changed").order_by("pk")]
    assert events[0] == {"id": told["id"], "status": "waiting", "addresses": 1, "asked": 0, "found": 0}
    assert events[-1] == {"id": told["id"], "status": "done", "addresses": 1, "asked": 1, "found": 1}


def test_two_exchanged_serials_are_accepted_as_one_act(bmcs: Bmcs, two: list[Machine]) -> None:
    first, second = two
    bmc_of(bmcs, second, 1, mac=first.boot_mac)
    bmc_of(bmcs, first, 2, mac=second.boot_mac)
    site = make_site()
    delivery = Delivery.objects.create(site=site, order="PO-1", filename="list.csv", received_by="olga")
    secrets = [label(number) for number in (1, 2)]
    for number, (machine, secret) in enumerate(zip(two, secrets, strict=True), start=1):
        DeliveryItem.objects.create(
            delivery=delivery, number=number, service_tag=machine.device.serial, machine=machine, credential=secret,
            accepted_at=timezone.now(),
        )  # fmt: skip
    told = discover(bmcs, 1, 2)
    assert findings(told) == {1: "exchanged", 2: "exchanged"}
    assert accept(told["id"]).json()["accepted"] == 0, "only one by one: somebody should have read it"
    before = [(machine.device.serial, machine.system_uuid) for machine in two]
    taken = accept(told["id"], 2)
    assert taken.status_code == 200 and taken.json()["accepted"] == 2, taken.content
    assert set(findings(taken.json()).values()) == {"same"}
    after = [(m.device.serial, m.system_uuid) for m in Machine.objects.select_related("device").order_by("pk")]
    assert after == before[::-1]
    assert [bmc_targets([m.pk])[0].password for m in two] == ["label-2", "label-1"], "the label goes with its machine"


def test_an_exchange_that_one_half_forbids_changes_nothing(
    bmcs: Bmcs, two: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    bmc_of(bmcs, two[1], 1, mac=two[0].boot_mac)
    bmc_of(bmcs, two[0], 2, mac=two[1].boot_mac)
    told = discover(bmcs, 1, 2)

    def breaks(*args: Any) -> None:
        raise RuntimeError("in the middle")

    monkeypatch.setattr("provisioning.discovery.acceptance._keep", breaks)
    with pytest.raises(RuntimeError):
        accept(told["id"], 1)
    assert [m.device.serial for m in Machine.objects.order_by("pk")] == ["SNGPU-001", "SNGPU-002"]


def test_what_does_not_match_is_not_accepted_and_nothing_beside_it(bmcs: Bmcs, two: list[Machine]) -> None:
    bmc_of(bmcs, two[0], 1)
    bmcs.add(3, serial="STRANGER", uuid="4c4c4544-0042-4310-8031-000000000009")
    told = discover(bmcs, 1, 3)
    assert findings(told) == {1: "fits", 2: "unknown"} and told["bmcs"][0]["finding"] == "unknown", "problems first"
    refused = accept(told["id"], 1, 2)
    assert refused.status_code == 409 and "2: neither its serial" in refused.json()["error"]["message"]
    assert Machine.objects.get(pk=two[0].pk).bmc_ip is None
    assert accept(told["id"], 1).status_code == 200 and accept(told["id"], 1).status_code == 409


def test_the_password_of_a_delivery_opens_a_bmc_that_was_found_by_its_mac(bmcs: Bmcs, two: list[Machine]) -> None:
    """The default password is wrong, the root says who it is, and acceptance gives it the one on its label."""
    bmc = bmc_of(bmcs, two[0], 1, password="label-1")
    secret = label(1)
    delivery = Delivery.objects.create(site=make_site(), order="PO-1", filename="list.csv", received_by="olga")
    DeliveryItem.objects.create(
        delivery=delivery, number=1, service_tag="T1", machine=two[0], credential=secret, accepted_at=timezone.now()
    )
    told = discover(bmcs, 1)
    (row,) = told["bmcs"]
    assert (row["state"], row["finding"], row["changes"]) == ("refused", "fits", {"bmc_ip": "127.0.7.1"})
    assert "label-1" not in json.dumps(told), "a password that opens nothing yet was sent nowhere"
    assert [login for login in bmc.logins if login] == ["root:secret"]
    assert accept(told["id"]).json()["accepted"] == 1
    secret.refresh_from_db()
    assert (secret.purpose, secret.hosts) == ("bmc", ["127.0.7.1/32"])
    again = discover(bmcs, 1)
    assert again["bmcs"][0]["state"] == "read" and bmc.logins.count("root:secret") == 1


# ---- passwords ----


def test_a_refused_password_is_sent_once_in_all_discoveries_until_it_is_changed(bmcs: Bmcs, two: list[Machine]) -> None:
    bmc = bmc_of(bmcs, two[0], 1, password="another")
    for _ in range(3):
        (row,) = discover(bmcs, 1)["bmcs"]
    assert bmc.logins.count("root:secret") == 1, "accounts are locked after a few"
    assert row["state"] == "no_login" and "refused the credential bmc before" in " ".join(row["evidence"])
    set_credential("bmc", kind="password", username="root", secret="another", hosts=["127.0.0.0/8"])
    assert discover(bmcs, 1)["bmcs"][0]["state"] == "read"


def test_two_passwords_are_refused_at_most(bmcs: Bmcs, two: list[Machine]) -> None:
    bmc = bmc_of(bmcs, two[0], 1, password="none of these")
    for number in range(4):
        set_credential(
            f"bmc {number}", kind="password", username="root", secret=f"s{number}", hosts=["127.0.7.1"], purpose="bmc"
        )
    (row,) = discover(bmcs, 1)["bmcs"]
    assert row["state"] == "refused" and len([login for login in bmc.logins if login]) == 2
    assert len(DiscoveredBmc.objects.get().refused) == 2


def test_a_password_goes_nowhere_but_to_its_hosts(bmcs: Bmcs, two: list[Machine]) -> None:
    set_credential("bmc", kind="password", username="root", secret="secret", hosts=["10.0.0.0/8"])
    bmc = bmc_of(bmcs, two[0], 1)
    (row,) = discover(bmcs, 1)["bmcs"]
    assert row["state"] == "no_login" and "is not for 127.0.7.1" in " ".join(row["evidence"])
    assert set(bmc.logins) == {""} and {path for _, path, _ in bmc.requests} == {"/redfish/v1/"}


def test_a_bmc_with_another_certificate_than_the_known_one_is_sent_no_password(bmcs: Bmcs, two: list[Machine]) -> None:
    bmc = bmc_of(bmcs, two[0], 1)
    two[0].bmc_ip = "127.0.7.1"
    two[0].save()
    two[0].pinned_certificates.create(fingerprint="ab" * 32, source="first_contact")
    (row,) = discover(bmcs, 1)["bmcs"]
    assert row["state"] == "changed" and set(bmc.logins) == {""}


# ---- what answers otherwise ----


def test_what_is_no_bmc_is_told_no_password(loop_thread: Loop, tmp_path: Path, two: list[Machine]) -> None:
    heard: list[str] = []

    async def page(request: web.Request) -> web.Response:
        heard.append(request.headers.get("Authorization", ""))
        return web.Response(text="<html>", content_type="text/html")

    async def serve() -> tuple[web.AppRunner, int]:
        import ssl

        pem, _ = self_signed(tmp_path, "web")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        app = web.Application()
        app.router.add_get("/{path:.*}", page)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.7.1", 0, ssl_context=context)
        await site.start()
        return runner, runner.addresses[0][1]

    runner, port = loop_thread.run(serve())
    told = run(begin(ranges="127.0.7.1-3", port=port).json()["id"])
    loop_thread.run(runner.cleanup())
    assert (told["addresses"], told["asked"], told["found"], told["bmcs"]) == (3, 3, 0, [])
    assert DiscoveredBmc.objects.get(number=1).state == "not_bmc" and set(heard) == {""}


@pytest.mark.slow
def test_silent_addresses_cost_the_others_nothing(bmcs: Bmcs, two: list[Machine], loop_thread: Loop) -> None:
    """A hundred addresses take the connection and say nothing; the one that speaks comes last and is read at once."""
    bmc_of(bmcs, two[0], 200)

    async def mute() -> list[asyncio.Server]:
        async def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()
            writer.close()

        return [await asyncio.start_server(wait, f"127.0.7.{n}", bmcs.port) for n in range(100, 200)]

    servers = loop_thread.run(mute())
    row = begin(ranges="127.0.7.100-200", port=bmcs.port).json()
    began = time.monotonic()
    told = run(row["id"])
    took = time.monotonic() - began
    for server in servers:
        loop_thread.loop.call_soon_threadsafe(server.close)
    assert told["found"] == 1 and DiscoveredBmc.objects.get(address="127.0.7.200").state == "read"
    assert took < 12, f"{took:.1f} s: one after the other would take 300"


def test_beginnings_are_spread_over_time() -> None:
    async def twenty() -> float:
        pace, began = Pace(100), asyncio.get_running_loop().time()
        await asyncio.gather(*(pace.turn() for _ in range(20)))
        return asyncio.get_running_loop().time() - began

    assert 0.18 < asyncio.run(twenty()) < 0.6


# ---- cancel, lost workers ----


def test_a_cancelled_discovery_asks_no_more_and_keeps_what_it_found(bmcs: Bmcs, two: list[Machine]) -> None:
    bmc = bmc_of(bmcs, two[0], 1)
    pk = begin(text=leases(1), port=bmcs.port).json()["id"]
    assert begin(text=leases(1), port=bmcs.port).status_code == 409, "one of a site at a time"
    assert client().post(f"{DISCOVERIES}{pk}/cancel/").json()["status"] == "cancelled"
    assert work.run(pk) is False and bmc.requests == []
    assert client().post(f"{DISCOVERIES}{pk}/cancel/").status_code == 409
    assert client().delete(f"{DISCOVERIES}{pk}/").status_code == 204 and not Discovery.objects.exists()


def test_a_cancel_in_the_middle_is_heard_by_the_worker(
    bmcs: Bmcs, two: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    bmc_of(bmcs, two[0], 1)
    pk = begin(text=leases(1), port=bmcs.port).json()["id"]
    kept = work.keep

    def cancelled(row: Discovery, landed: dict[int, Answer]) -> bool:
        Discovery.objects.filter(pk=row.pk).update(status="cancelled")
        return kept(row, landed)

    monkeypatch.setattr(work, "keep", cancelled)
    assert work.run(pk) is False
    assert DiscoveredBmc.objects.get().state == "asking" and Discovery.objects.get().status == "cancelled"


def test_what_a_lost_worker_left_is_asked_by_the_next_within_two_passwords(
    bmcs: Bmcs, two: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    bmc = bmc_of(bmcs, two[0], 1)
    pk = begin(text=leases(1, 2), port=bmcs.port).json()["id"]

    def dies(*args: Any) -> bool:
        raise KeyboardInterrupt

    for _ in range(2):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(work, "keep", dies)
            work.run(pk)
        assert work.run(pk) is False, "another worker has it until its lease ends"
        Discovery.objects.update(lease_until=timezone.now())
        assert work.WORK.reap() == [pk]
    told = run(pk)
    assert told["status"] == "done"
    assert set(DiscoveredBmc.objects.values_list("state", flat=True)) == {"interrupted"}
    assert 1 <= len([login for login in set(bmc.logins) if login]) <= 2
    assert DiscoveredBmc.objects.filter(logins__gt=2).count() == 0


def test_a_worker_that_is_lost_once_costs_nothing(
    bmcs: Bmcs, two: list[Machine], monkeypatch: pytest.MonkeyPatch
) -> None:
    bmc_of(bmcs, two[0], 1)
    pk = begin(text=leases(1, 2), port=bmcs.port).json()["id"]
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(work, "keep", lambda *args: (_ for _ in ()).throw(KeyboardInterrupt))
        work.run(pk)
    Discovery.objects.update(lease_until=timezone.now())
    work.WORK.reap()
    assert findings(run(pk)) == {1: "fits", 2: "unread"}


# ---- starting, sources, rights ----


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ({}, "ranges", "no address is named"),
        ({"ranges": "10.0.0.0/8"}, "ranges", "more than 8,192 addresses"),
        ({"ranges": "x"}, "ranges", "no address, network or range"),
        ({"text": "hello\n"}, "file", "this is no lease file"),
        ({"text": f"{LATER} {MAC(1)} 10.0.4.1 * *\n", "ranges": "10.0.5.0/24"}, "file", "no lease that holds now"),
        ({"text": f"1 {MAC(1)} 10.0.4.1 * *\n"}, "file", "1 lease over"),
        ({"ranges": "10.0.4.1", "rate_per_s": 101}, "rate_per_s", "100"),
    ],
)
def test_a_bad_start_is_refused_and_keeps_nothing(fields: dict[str, Any], field: str, words: str) -> None:
    answer = begin(port=443, **fields)
    assert answer.status_code == 400 and not Discovery.objects.exists()
    assert words in " ".join(answer.json()["error"]["fields"][field])


def test_a_lease_file_of_the_server_is_read_by_the_worker_and_only_where_it_may(
    bmcs: Bmcs, two: list[Machine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bmc_of(bmcs, two[0], 1)
    folder = tmp_path / "dnsmasq"
    folder.mkdir()
    (folder / "leases").write_text(leases(1))
    (tmp_path / "secret").write_text("root:hash\n")
    (folder / "link").symlink_to(tmp_path / "secret")
    monkeypatch.setenv("RACKSIDE_LEASE_FOLDERS", str(folder))
    admin = client(Role.ADMIN)
    told = {"site": make_site().pk, "name": "dnsmasq", "kind": "dnsmasq"}
    for place in ("leases", str(tmp_path / "secret"), str(folder / "link"), f"{folder}/../secret"):
        refused = admin.post(SOURCES, told | {"place": place})
        assert refused.status_code == 400 and "place" in refused.json()["error"]["fields"], place
    pk = admin.post(SOURCES, told | {"place": str(folder / "leases")}).json()["id"]
    begun = begin(lease_source=pk, port=bmcs.port).json()
    assert (begun["origin"], begun["addresses"]) == ("dnsmasq", 0)
    assert findings(run(begun["id"])) == {1: "fits"}
    (folder / "leases").unlink()
    failed = run(begin(lease_source=pk, port=bmcs.port).json()["id"])
    assert failed["status"] == "failed" and "No such file" in failed["message"]


def test_who_may_start_accept_and_set_sources(bmcs: Bmcs, two: list[Machine]) -> None:
    bmc_of(bmcs, two[0], 1)
    far = Site.objects.create(slug="far", name="Far")
    assert begin(client(Role.VIEWER), ranges="127.0.7.1", port=bmcs.port).status_code == 403
    assert begin(client(Role.ADMIN, far), ranges="127.0.7.1", port=bmcs.port).status_code == 404
    pk = discover(bmcs, 1)["id"]
    assert client(Role.VIEWER).get(f"{DISCOVERIES}{pk}/").status_code == 200
    assert client(Role.ADMIN, far).get(f"{DISCOVERIES}{pk}/").status_code == 404
    assert accept(pk, by=client(Role.VIEWER)).status_code == 403
    source = {"site": make_site().pk, "name": "kea", "kind": "kea_api", "place": "http://10.0.0.2:8000"}
    assert client(Role.OPERATOR).post(SOURCES, source).status_code == 403
    assert client(Role.ADMIN, far).post(SOURCES, source).status_code in (400, 403, 404)
    assert client(Role.ADMIN).post(SOURCES, source).status_code == 201
    assert client(Role.VIEWER).get(SOURCES).json()["results"][0]["name"] == "kea"
    assert client(Role.ADMIN).post(SOURCES, source).status_code == 400, "the name is taken"
    metadata = source | {"name": "b", "place": "http://169.254.169.254/"}
    assert client(Role.ADMIN).post(SOURCES, metadata).status_code == 400
    assert LeaseSource.objects.count() == 1 and Credential.objects.count() == 2


def test_the_number_of_statements_does_not_grow_with_the_addresses(two: list[Machine]) -> None:
    def statements(count: int) -> int:
        row = Discovery.objects.create(site=make_site(), origin="x", status="done", created_by="olga")
        told = {"serial": "T", "uuid": "", "vendor": "", "model": "", "bmc_mac": "", "macs": [], "parts": [],
                "firmware": [], "switch": "", "switch_port": ""}  # fmt: skip
        DiscoveredBmc.objects.bulk_create(
            DiscoveredBmc(discovery=row, number=n, address=f"10.0.{n // 250}.{n % 250}", state=BmcState.READ,
                          told=told | {"serial": f"T{n}"}) for n in range(1, count)
        )  # fmt: skip
        one = client()
        with CaptureQueriesContext(connection) as done:
            assert one.get(f"{DISCOVERIES}{row.pk}/").status_code == 200
        return len(done)

    statements(2)
    assert statements(200) == statements(2)


def test_a_bmc_is_seen_on_the_switch_port_that_its_neighbour_tells(bmcs: Bmcs, two: list[Machine]) -> None:
    model = DeviceModel.objects.create(slug="sn2201", name="SN2201", vendor="NVIDIA", kind="switch", half_u_height=2)
    switch = Device.objects.create(site=make_site(), model=model, kind="switch", name="mgmt-1")
    cables = []
    for number, machine in enumerate(two, start=1):
        Port.objects.create(device=machine.device, name="iDRAC", kind="bmc")
        Port.objects.create(device=switch, name=f"swp{number}", kind="ethernet")
        ends = [{"device": machine.device.name, "port": "iDRAC"}, {"device": "mgmt-1", "port": f"swp{number}"}]
        cables.append({"site": "north", "label": f"M-{number}", "type": "CAT6", "a": ends[0], "b": ends[1]})
    assert write("cables", cables, scope=Scope.everything(), actor="olga").ok
    bmc_of(bmcs, two[0], 1, neighbour=("mgmt-1", "swp2"))
    (row,) = discover(bmcs, 1)["bmcs"]
    assert row["finding"] == "moved" and "seen on mgmt-1 port swp2, which is planned for gpu-002" in row["text"]
