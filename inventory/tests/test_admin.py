"""The admin site: every kind of record can be found and edited, by the same rules as everywhere."""

from __future__ import annotations

import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client
from django.urls import reverse

from core.models import User
from inventory.kinds import KINDS
from inventory.models import Cable, Device, Port, Rack, Tag

pytestmark = pytest.mark.django_db

# Edited with the record they belong to, or kept by machines only.
PARTS_OF_OTHERS = {
    "Placement", "Switch", "Pdu", "Connector", "StrandEnd", "AddressClaim", "PowerReading", "NetBoxRun",
    "NetBoxRow", "NetBoxLink", "Attachment", "Comment",
}  # fmt: skip


@pytest.fixture
def keeper(client: Client) -> Client:
    client.force_login(User.objects.create_user("keeper", is_staff=True, is_superuser=True))
    return client


def page(kind: str, what: str, *args: object) -> str:
    return reverse(f"admin:{KINDS[kind].model._meta.app_label}_{KINDS[kind].model._meta.model_name}_{what}", args=args)


def entered(keeper: Client, address: str) -> dict[str, object]:
    """What the form of a page holds, as a browser would send it back."""
    form = keeper.get(address).context["adminform"].form
    shown = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in shown.items() if value is not None and value is not False}


def problems(response: object) -> dict[str, list[str]]:
    return dict(response.context["adminform"].form.errors)  # type: ignore[attr-defined]


def test_every_model_of_the_inventory_has_its_page_or_belongs_to_another() -> None:
    missing = {model.__name__ for model in apps.get_app_config("inventory").get_models()} - {
        model.__name__ for model in admin.site._registry
    }
    assert missing <= PARTS_OF_OTHERS


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_each_kind_is_listed_searched_and_entered_without_long_drop_downs(
    kind: str, keeper: Client, two_sites: object
) -> None:
    assert keeper.get(page(kind, "changelist"), {"q": "a"}).status_code == 200
    form = keeper.get(page(kind, "add"))
    assert form.status_code == 200
    options = re.findall(r"<option", form.content.decode())
    assert len(options) < 40, "references are looked up while typing"


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_saving_a_form_unchanged_changes_nothing(kind: str, keeper: Client, two_sites: object) -> None:
    row = KINDS[kind].queryset().first()
    if row is None:
        return  # the small fleet has none; entering one is tried below
    address = page(kind, "change", row.pk)
    before = list(KINDS[kind].model._default_manager.order_by("pk").values())
    response = keeper.post(address, entered(keeper, address))
    assert response.status_code == 302, problems(response)
    assert list(KINDS[kind].model._default_manager.order_by("pk").values()) == before


def test_a_rack_is_entered_changed_and_removed(keeper: Client, two_sites: object) -> None:
    Tag.objects.create(name="loud")
    room = Rack.objects.get(name="A01", room__site__slug="north").room
    new = {"room": room.pk, "name": "Z99", "x_mm": 1, "y_mm": 1, "tags": "loud", "role": "compute", "facing": "up",
           "numbering": "down", "height_u": 42, "width_mm": 600, "depth_mm": 1200, "custom": "{}"}  # fmt: skip
    made = keeper.post(page("racks", "add"), new)
    assert made.status_code == 302, problems(made)
    rack = Rack.objects.get(name="Z99")
    assert (rack.height_u, rack.numbering, [tag.name for tag in rack.tags.all()]) == (42, "down", ["loud"])
    address = page("racks", "change", rack.pk)
    keeper.post(address, entered(keeper, address) | {"height_u": 47})
    rack.refresh_from_db()
    assert rack.height_u == 47
    keeper.post(page("racks", "delete", rack.pk), {"post": "yes"})
    assert not Rack.objects.filter(pk=rack.pk).exists()


def test_a_place_that_is_taken_is_refused_at_its_field(keeper: Client, two_sites: object) -> None:
    first, second = Device.objects.filter(kind="machine", placement__isnull=False, site__slug="north")[:2]
    address = page("devices", "change", second.pk)
    there = entered(keeper, page("devices", "change", first.pk))
    refused = keeper.post(address, entered(keeper, address) | {"rack": there["rack"], "u": there["u"]})
    assert refused.status_code == 200
    assert "u" in problems(refused)


def test_a_rack_with_devices_is_not_removed(keeper: Client, two_sites: object) -> None:
    rack = Device.objects.filter(kind="machine", placement__isnull=False)[0].placement.rack
    told = keeper.get(page("racks", "delete", rack.pk)).content.decode()
    assert "still used by" in told
    keeper.post(page("racks", "delete", rack.pk), {"post": "yes"})
    assert Rack.objects.filter(pk=rack.pk).exists()


def test_a_cable_is_moved_by_naming_its_port(keeper: Client, two_sites: object) -> None:
    cable = Cable.objects.filter(connectors__ends__port__kind="ethernet").first()
    assert cable is not None
    end = cable.connectors.get(side="A").ends.get()
    other = Port.objects.create(device=end.port.device, name="spare", kind=end.port.kind)
    address = page("cables", "change", cable.pk)
    moved = keeper.post(address, entered(keeper, address) | {"a": f"{other.device.name} spare"})
    assert moved.status_code == 302, problems(moved)
    assert cable.connectors.get(side="A").ends.get().port == other


def test_what_is_typed_is_looked_up(keeper: Client, two_sites: object) -> None:
    found = keeper.get(
        reverse("admin:autocomplete"),
        {"term": "A01", "app_label": "inventory", "model_name": "placement", "field_name": "rack"},
    )
    assert {row["text"] for row in found.json()["results"]} == {"A01"}


def test_only_those_who_administer_every_site_get_in(client: Client) -> None:
    client.force_login(User.objects.create_user("visitor"))
    assert client.get(page("racks", "changelist"), follow=True).status_code == 403
