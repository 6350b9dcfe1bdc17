"""Clients signed in with a role, for the tests of every room: a conftest imports the fixture."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient

from core.models import Role, Site
from core.services import ensure_user


@pytest.fixture
def as_role(db: Any) -> Callable[..., APIClient]:
    """A client signed in as somebody with a role: `as_role("operator", site=north)`."""

    def sign_in(role: str = Role.VIEWER, site: Site | None = None) -> APIClient:
        user, _ = ensure_user(f"{role}-{site.slug if site else 'all'}", role=role, site=site)
        client = APIClient()
        client.force_authenticate(user)
        return client

    return sign_in
