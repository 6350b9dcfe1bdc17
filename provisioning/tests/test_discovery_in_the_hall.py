"""Discovery against what it meets: the BMCs of the virtual hall, and Kea's control API as it is documented."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import pytest
from aiohttp import web

from access.models import Endpoint
from core.models import Role
from drivers.discovery.kea import KeaClient
from drivers.https import ApplianceError
from health.tests import factories as make
from health.tests.hall import RunningHall, own_slice, running_hall
from inventory.models import Device, Installation, Machine
from provisioning.tests.test_discovery import LATER, accept, begin, client, findings, run
from provisioning.tests.world import Loop
from simulator import faults
from simulator.plan import address_of

SOURCES = "/api/provisioning/lease-sources/"


# ---- the virtual hall ----


@pytest.fixture
def port() -> int:
    with socket.create_server((address_of(own_slice(), 0), 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture
def hall(tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningHall]:
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    make.make_machines(6)
    for number, machine in enumerate(Machine.objects.order_by("pk")):
        machine.bmc_mac, machine.boot_mac = f"d0:8e:79:00:00:0{number}", f"b0:7b:25:00:00:0{number}"
        machine.system_uuid = uuid5(NAMESPACE_DNS, machine.device.name)
        machine.save()
        Device.objects.filter(pk=machine.pk).update(serial=f"4GMPN7{number}")
    with running_hall("ams1", tmp_path, redfish_port=port) as running:
        Endpoint.objects.filter(kind="redfish").delete()
        Machine.objects.update(bmc_ip=None)
        yield running


@pytest.mark.slow
@pytest.mark.django_db
def test_bmcs_of_a_hall_are_found_by_their_leases_and_what_is_wrong_is_told(hall: RunningHall, port: int) -> None:
    """Of six: as planned, two exchanged, one without a serial in the plan, one without a GPU, one whose BMC is dead."""
    machines = list(Machine.objects.select_related("device").order_by("pk"))
    one, first, second, bare, hurt, dead = machines
    serials = [machine.device.serial for machine in machines]
    Device.objects.filter(pk=first.pk).update(serial=serials[2])
    Device.objects.filter(pk=second.pk).update(serial=serials[1])
    first.system_uuid, second.system_uuid = second.system_uuid, first.system_uuid
    for each in (first, second):
        each.save(update_fields=["system_uuid"])
    Device.objects.filter(pk=bare.pk).update(serial="")
    Machine.objects.filter(pk=bare.pk).update(system_uuid=None)
    for machine, fault, slot in ((hurt, "gpu_off_bus", "GPU 3"), (dead, "bmc_dead", "")):
        hall.do(lambda h, n=machine.device.name, f=fault, s=slot: faults.inject(h.machines[n], f, h.clock(), slot=s))
    addresses = {machine.pk: address_of(own_slice(), number) for number, machine in enumerate(machines)}
    text = "".join(f"{LATER} {m.bmc_mac} {addresses[m.pk]} {m.device.name} *\n" for m in machines)
    began = begin(text=text, port=port, site=one.device.site_id)
    assert began.status_code == 201, began.content
    told = run(began.json()["id"])
    assert (told["status"], told["asked"], told["found"]) == ("done", 6, 5)
    rows = {row["number"]: row for row in told["bmcs"]}
    assert findings(told) == {1: "fits", 2: "exchanged", 3: "exchanged", 4: "fits", 5: "parts", 6: "unread"}, rows
    assert rows[5]["text"] == "7 GPUs of 8: none in GPU 3"
    assert rows[1]["parts"]["gpu"] == 8 and rows[1]["changes"] == {"bmc_ip": addresses[one.pk]}
    assert rows[4]["changes"]["serial"] == serials[3] and "system_uuid" in rows[4]["changes"]

    before = Installation.objects.count()
    assert accept(told["id"]).json()["accepted"] == 2
    assert accept(told["id"], 2).json()["accepted"] == 4 and accept(told["id"], 5).json()["accepted"] == 5
    assert list(Device.objects.filter(kind="machine").order_by("pk").values_list("serial", flat=True)) == serials
    assert [str(m.bmc_ip) for m in Machine.objects.order_by("pk")[:5]] == [addresses[m.pk] for m in machines[:5]]
    assert Installation.objects.count() > before, "the serials of parts that the inventory did not know"
    again = run(begin(text=text, port=port, site=one.device.site_id).json()["id"])
    assert findings(again) == {1: "same", 2: "fits", 3: "fits", 4: "same", 5: "parts", 6: "unread"}, again["bmcs"]
    exchanged = next(row for row in again["bmcs"] if row["number"] == 2)
    assert exchanged["changes"] == {} and exchanged["slots"], "what is left are the serials of parts"


# ---- Kea ----


class Kea:
    """Kea's control agent as its manual has it: lists of answers, `result` 0 to 3, pages after an address."""

    def __init__(self) -> None:
        self.leases: dict[str, list[dict[str, Any]]] = {"dhcp4": [], "dhcp6": []}
        self.hook = True
        self.asked: list[dict[str, Any]] = []
        self.status = 200

    async def answer(self, request: web.Request) -> web.Response:
        asked = await request.json()
        self.asked.append(asked)
        if self.status != 200:
            return web.json_response([{"result": 1, "text": "Unauthorized"}], status=self.status)
        service = asked["service"][0]
        if not self.hook or service not in self.leases:
            return web.json_response([{"result": 2, "text": f"'{asked['command']}' command not supported."}])
        told, last = asked["arguments"], asked["arguments"]["from"]
        rows = [row for row in self.leases[service] if last == "start" or _number(row) > _number({"ip-address": last})]
        page = rows[: told["limit"]]
        arguments = {"leases": page, "count": len(page)}
        text = f"{len(page)} IPv4 lease(s) found."
        return web.json_response([{"result": 0 if page else 3, "text": text, "arguments": arguments}])


def _number(row: dict[str, Any]) -> int:
    return int.from_bytes(socket.inet_aton(row["ip-address"]), "big")


@pytest.fixture
def kea(loop_thread: Loop) -> Iterator[tuple[Kea, str]]:
    server = Kea()

    async def serve() -> tuple[web.AppRunner, int]:
        app = web.Application()
        app.router.add_post("/", server.answer)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return runner, runner.addresses[0][1]

    runner, port = loop_thread.run(serve())
    yield server, f"http://127.0.0.1:{port}"
    loop_thread.run(runner.cleanup())


def lease(number: int) -> dict[str, Any]:
    return {
        "cltt": int(time.time()), "fqdn-fwd": False, "fqdn-rev": False, "hostname": f"idrac-{number}", "state": 0,
        "hw-address": f"b8:3f:d2:00:{number // 256:02x}:{number % 256:02x}", "subnet-id": 1, "valid-lft": 3600,
        "ip-address": f"10.0.{number // 250}.{number % 250 + 1}",
    }  # fmt: skip


async def _leases(url: str) -> list[Any]:
    async with KeaClient(url) as client:
        return await client.leases()


def test_all_pages_of_kea_are_read_and_a_service_that_is_not_there_costs_nothing(
    kea: tuple[Kea, str], loop_thread: Loop
) -> None:
    server, url = kea
    server.leases = {"dhcp4": [lease(number) for number in range(2500)]}
    assert len(loop_thread.run(_leases(url))) == 2500
    assert [each["command"] for each in server.asked] == ["lease4-get-page"] * 3 + ["lease6-get-page"]


@pytest.mark.parametrize(
    ("told", "words"),
    [({"hook": False}, "is the hook lease_cmds loaded"), ({"status": 401}, "asks for a user and a password"),
     ({"status": 500}, "500")],
)  # fmt: skip
def test_what_kea_refuses_is_said(kea: tuple[Kea, str], loop_thread: Loop, told: dict[str, Any], words: str) -> None:
    server, url = kea
    for name, value in told.items():
        setattr(server, name, value)
    with pytest.raises(ApplianceError, match=words):
        loop_thread.run(_leases(url))


@pytest.mark.django_db
def test_leases_of_kea_are_asked_on_demand(kea: tuple[Kea, str], monkeypatch: pytest.MonkeyPatch) -> None:
    server, url = kea
    monkeypatch.setattr("celery.app.task.Task.apply_async", lambda *args, **kwargs: None)
    server.leases["dhcp4"] = [lease(1) | {"ip-address": "127.0.7.9"}, lease(2) | {"state": 1}]
    site = make.make_machines(1)[0].device.site
    body = {"site": site.pk, "name": "kea", "kind": "kea_api", "place": url}
    source = client(Role.ADMIN).post(SOURCES, json.dumps(body), "application/json").json()
    told = run(begin(site=site.pk, lease_source=source["id"], port=1).json()["id"])
    assert (told["status"], told["addresses"], told["leases_over"], told["found"]) == ("done", 1, 1, 0)
    assert told["bmcs"][0]["hostname"] == "idrac-1" and told["bmcs"][0]["state"] == "unreachable"
    server.hook = False
    failed = run(begin(site=site.pk, lease_source=source["id"], port=1).json()["id"])
    assert failed["status"] == "failed" and "lease_cmds" in failed["message"]
