"""An address belongs to one device of a site, however it was written; a pass-through stays in its panel."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from core.models import Site
from inventory.models import AddressClaim, Device, DeviceModel, IpAddress, Machine, PassThrough, Port

pytestmark = pytest.mark.django_db


@pytest.fixture
def machines(db: None) -> list[Machine]:
    model = DeviceModel.objects.create(slug="m", vendor="v", name="n", kind="machine", half_u_height=2)
    sites = [Site.objects.create(slug=slug, name=slug) for slug in ("north", "south")]
    devices = [
        Device.objects.create(site=site, model=model, kind="machine", name=f"{site.slug}-{number}")
        for site in sites
        for number in range(2)
    ]
    return [Machine.objects.create(device=device) for device in devices]


def claims() -> set[tuple[int, str, str]]:
    return set(AddressClaim.objects.values_list("device_id", "address", "source"))


def test_one_address_for_two_machines_of_a_site_is_refused_and_at_another_site_it_is_not(
    machines: list[Machine],
) -> None:
    first, second, elsewhere, _ = machines
    Machine.objects.filter(pk=first.pk).update(primary_ip="10.0.0.1")
    Machine.objects.filter(pk=elsewhere.pk).update(primary_ip="10.0.0.1")
    with pytest.raises(IntegrityError, match="address_is_unique_in_site"), transaction.atomic():
        Machine.objects.filter(pk=second.pk).update(bmc_ip="10.0.0.1")
    with pytest.raises(IntegrityError, match="address_is_unique_in_site"), transaction.atomic():
        IpAddress.objects.bulk_create([IpAddress(device_id=second.pk, address="10.0.0.1")])


def test_two_machines_exchange_their_addresses_in_one_statement(machines: list[Machine]) -> None:
    first, second = machines[:2]
    first.primary_ip, second.primary_ip = "10.0.0.1", "10.0.0.2"
    Machine.objects.bulk_update([first, second], ["primary_ip"])
    first.primary_ip, second.primary_ip = "10.0.0.2", "10.0.0.1"
    Machine.objects.bulk_update([first, second], ["primary_ip"])
    assert claims() == {(first.pk, "10.0.0.2", "primary"), (second.pk, "10.0.0.1", "primary")}


def test_a_freed_address_can_be_given_again(machines: list[Machine]) -> None:
    first, second = machines[:2]
    IpAddress.objects.create(device_id=first.pk, address="fd00::5").delete()
    IpAddress.objects.create(device_id=second.pk, address="fd00::5")
    IpAddress.objects.filter(device_id=second.pk).update(address="fd00::6")
    IpAddress.objects.create(device_id=first.pk, address="fd00::5")
    assert claims() == {(second.pk, "fd00::6", "additional"), (first.pk, "fd00::5", "additional")}


def test_a_pass_through_to_a_port_of_another_panel_is_refused(machines: list[Machine]) -> None:
    here, there = machines[0].device, machines[1].device
    front = Port.objects.create(device=here, name="F1", kind=Port.Kind.FRONT)
    rear = Port.objects.create(device=there, name="R1", kind=Port.Kind.REAR)
    with pytest.raises(IntegrityError, match="rear_port_is_on_the_panel"):
        PassThrough.objects.create(device=here, front=front, rear=rear)
