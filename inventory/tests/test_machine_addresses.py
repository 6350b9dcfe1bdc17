"""Addresses of machines beside their own two, and warranty that ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections
from django.utils import timezone
from rest_framework.test import APIClient

from core.audit.actor import Actor, acting
from core.models import Role, Site
from inventory.models import Device, DeviceModel, IpAddress, Machine, Port
from inventory.services import Refused
from inventory.services.addresses import add_address

pytestmark = pytest.mark.django_db
Sites = tuple[Site, Site]
SignIn = Callable[..., APIClient]


@pytest.fixture
def machine(two_sites: Sites) -> Device:
    return Device.objects.get(name="hgx-a01-01")


@pytest.fixture
def other(two_sites: Sites) -> Device:
    return Device.objects.get(name="hgx-b01-02")


def test_an_address_that_a_device_of_the_site_has_is_refused_and_the_device_named(
    machine: Device, other: Device, two_sites: Sites
) -> None:
    Machine.objects.filter(pk=other.pk).update(primary_ip="10.20.0.5", bmc_ip="10.20.0.6")
    add_address(other, "10.20.0.7")
    for address, words in (
        ("10.20.0.5", "10.20.0.5 is the primary address of hgx-b01-02."),
        ("10.20.0.6", "10.20.0.6 is the BMC's address of hgx-b01-02."),
        (" 10.20.0.7 ", "10.20.0.7 is an address of hgx-b01-02."),
    ):
        with pytest.raises(Refused) as refusal:
            add_address(machine, address)
        assert (refusal.value.field, refusal.value.reason) == ("address", words)
    elsewhere = Device.objects.filter(site=two_sites[1], kind="machine").first()
    assert elsewhere is not None and add_address(elsewhere, "10.20.0.5").pk
    assert not IpAddress.objects.filter(device=machine).exists()


def test_one_address_in_two_spellings_is_one_address(machine: Device, other: Device) -> None:
    add_address(machine, "fd00:0:0::5")
    with pytest.raises(Refused, match="hgx-a01-01"):
        add_address(other, "FD00::0005")


def test_a_port_has_as_many_addresses_as_it_needs_each_with_its_vlan(machine: Device) -> None:
    port = Port.objects.filter(device=machine, kind="ethernet").first()
    assert port is not None
    add_address(machine, "10.30.0.1", port_id=port.pk, prefix_length=24, vlan=300)
    add_address(machine, "10.40.0.1", port_id=port.pk, prefix_length=24, vlan=400, dns_name="storage.example.net")
    assert sorted(port.ip_addresses.values_list("address", "vlan")) == [("10.30.0.1", 300), ("10.40.0.1", 400)]


@pytest.mark.parametrize(
    ("address", "more", "field"),
    [
        ("10.0.0.300", {}, "address"),
        ("10.0.0.1/24", {}, "address"),
        ("10.9.0.1", {"prefix_length": 33}, "prefix_length"),
        ("fd00::9", {"prefix_length": 129}, "prefix_length"),
        ("10.9.0.1", {"vlan": 4095}, "vlan"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_field(
    machine: Device, address: str, more: dict[str, Any], field: str
) -> None:
    with pytest.raises(Refused) as refusal:
        add_address(machine, address, **more)
    assert refusal.value.field == field and not IpAddress.objects.exists()


def test_a_port_of_another_machine_is_refused(machine: Device, other: Device) -> None:
    port = Port.objects.filter(device=other).first()
    assert port is not None
    with pytest.raises(Refused) as refusal:
        add_address(machine, "10.9.0.1", port_id=port.pk)
    assert refusal.value.field == "port"


@pytest.mark.django_db(transaction=True)
def test_of_two_who_give_the_same_address_at_once_the_second_learns_who_has_it() -> None:
    with acting(Actor("test", "command")):
        site = Site.objects.create(slug="here", name="Here")
        model = DeviceModel.objects.create(slug="m", vendor="v", name="n", kind="machine", half_u_height=2)
        devices = [Device.objects.create(site=site, model=model, kind="machine", name=f"m{n}") for n in (1, 2)]
        for device in devices:
            Machine.objects.create(device=device)
    gate, results = threading.Barrier(2), []

    def give(device: Device) -> None:
        with acting(Actor("olga", "person")):
            try:
                gate.wait(5)
                add_address(device, "10.0.0.1")
                results.append("given")
            except Refused as refused:
                results.append(refused.reason)
            finally:
                connections.close_all()

    threads = [threading.Thread(target=give, args=(device,)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    winner = IpAddress.objects.get().device.name
    assert sorted(results) == [f"10.0.0.1 is an address of {winner}.", "given"]


def test_a_machine_shows_its_own_two_addresses_and_the_others(
    machine: Device, as_role: SignIn, django_assert_num_queries: Any
) -> None:
    Machine.objects.filter(pk=machine.pk).update(
        primary_ip="10.20.0.5", bmc_ip="10.20.0.6", boot_mac="aa:bb:cc:00:00:01", bmc_mac="aa:bb:cc:00:00:02"
    )
    port = Port.objects.filter(device=machine, kind="ethernet").first()
    assert port is not None
    Port.objects.filter(pk=port.pk).update(mac="aa:bb:cc:00:00:03", vlan=7)
    client, path = as_role(Role.OPERATOR), f"/api/machines/{machine.pk}/addresses/"
    added = client.post(path, {"address": "10.30.0.1", "port": port.pk, "prefix_length": 24})
    assert added.status_code == 201
    with django_assert_num_queries(2):
        shown = client.get(path).json()["results"]
    assert shown == added.json()
    assert [(row["source"], row["address"], row["mac"]) for row in shown] == [
        ("primary", "10.20.0.5", "aa:bb:cc:00:00:01"),
        ("bmc", "10.20.0.6", "aa:bb:cc:00:00:02"),
        ("additional", "10.30.0.1", "aa:bb:cc:00:00:03"),
    ]
    assert (shown[2]["vlan"], shown[2]["prefix_length"], shown[2]["port_name"]) == (7, 24, port.name)
    twice = client.post(path, {"address": "10.20.0.6"})
    assert twice.status_code == 400
    assert "hgx-a01-01" in str(twice.json()["error"]["fields"]["address"])


def test_addresses_of_another_site_are_as_good_as_absent(machine: Device, two_sites: Sites, as_role: SignIn) -> None:
    path = f"/api/machines/{machine.pk}/addresses/"
    assert as_role(Role.OPERATOR, site=two_sites[1]).get(path).status_code == 404
    assert as_role(Role.TECHNICIAN, site=two_sites[0]).post(path, {"address": "10.9.9.9"}).status_code == 403


def test_warranty_that_ends_is_listed_with_whom_to_call(
    machine: Device, other: Device, two_sites: Sites, as_role: SignIn
) -> None:
    today = timezone.now().date()
    Device.objects.filter(pk=machine.pk).update(
        warranty_until=today + timedelta(days=10), service_tag="ABC123", support_vendor="Fixers"
    )
    Device.objects.filter(pk=other.pk).update(warranty_until=today + timedelta(days=200))
    client = as_role(Role.VIEWER)
    (row,) = client.get("/api/warranty/").json()["results"]
    assert (row["name"], row["service_tag"], row["support_vendor"], row["days_left"]) == (
        "hgx-a01-01", "ABC123", "Fixers", 10,
    )  # fmt: skip
    later = client.get("/api/warranty/", {"before": str(today + timedelta(days=365))}).json()["results"]
    assert [row["name"] for row in later] == ["hgx-a01-01", "hgx-b01-02"]
    assert later[1]["support_vendor"] == other.model.vendor
    assert as_role(Role.VIEWER, site=two_sites[1]).get("/api/warranty/").json()["count"] == 0
    assert client.get("/api/warranty/", {"before": "soon"}).status_code == 400
    Device.objects.filter(pk=machine.pk).update(status="retired")
    assert client.get("/api/warranty/").json()["count"] == 0
