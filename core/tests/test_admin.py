"""What the pages of Django's administration let nobody do."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from core.models import Role
from core.services import ensure_user, set_credential


@pytest.mark.django_db
def test_what_a_credential_is_bound_to_is_shown_and_not_edited(client: Client) -> None:
    row = set_credential("bmc", kind="password", username="root", secret="secret", hosts=["10.2.0.0/16"])
    client.force_login(ensure_user("root", role=Role.ADMIN)[0])
    page = reverse("admin:core_credential_change", args=[row.pk])
    assert "10.2.0.0/16" in client.get(page).content.decode()
    assert client.post(page, {"purpose": "ssh", "hosts": "10.0.0.0/33", "site": ""}).status_code == 403
    row.refresh_from_db()
    assert (row.purpose, row.hosts, row.site) == ("bmc", ["10.2.0.0/16"], None)
