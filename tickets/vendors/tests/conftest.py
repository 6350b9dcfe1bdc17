"""A broken machine with its ticket, a contact with its vendor, and clients of people."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from core.models import Site, User
from inventory.models import Machine, StoragePlace
from tickets.models import Ticket
from tickets.tests.conftest import broken, fresh, no_worker, olga, ticket, tina  # noqa: F401
from tickets.vendors import services
from tickets.vendors.models import VendorCase, VendorContact

CALLED_BACK = {"person": "Olga", "phone": "+31 20 1234567", "mail": "olga@example.org"}


@pytest.fixture
def site(broken: Machine) -> Site:  # noqa: F811
    return broken.device.site


@pytest.fixture
def contact(site: Site) -> VendorContact:
    return VendorContact.objects.create(site=site, vendor="dell", return_days=10, **CALLED_BACK)


@pytest.fixture
def shelf(site: Site) -> StoragePlace:
    return StoragePlace.objects.create(site=site, name="Cage 1")


@pytest.fixture
def case(contact: VendorContact, ticket: Ticket, olga: User) -> VendorCase:  # noqa: F811
    """A draft for Dell, whole enough to be sent."""
    device = ticket.device
    assert device is not None
    device.service_tag = "7XK2Q34"
    device.save()
    return services.open_case(ticket.number, by=olga, vendor="dell", symptom="GPU fell off the bus twice.")


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(user: User, path: str, status: int = 200, **body: Any) -> Any:
    answer = client_of(user).post(f"/api/{path}", body, content_type="application/json")
    assert answer.status_code == status, answer.content
    return answer.json()
