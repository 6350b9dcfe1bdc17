"""A small fleet in the database, and files to load."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from core.models import Role, Site
from core.services import ensure_user
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.tests.full_inventory import TWO_SITES, full  # noqa: F401  (a fixture)
from tests.kept_rows import load_fleet


@pytest.fixture
def two_sites(db: Any) -> tuple[Site, Site]:
    """Sites north and south of the shipped example."""
    load_fleet(TWO_SITES)
    return Site.objects.get(slug="north"), Site.objects.get(slug="south")


@pytest.fixture
def small(db: Any, tmp_path: Path) -> Path:
    """A reference site of 20 machines and 4 bare ones, loaded; returns its file."""
    path = tmp_path / "small.yaml"
    path.write_text(fleet_file(20, 4))
    load_fleet(path)
    return path


@pytest.fixture
def as_role(db: Any) -> Callable[..., APIClient]:
    """A client signed in as somebody with a role: `as_role("operator", site=north)`."""

    def sign_in(role: str = Role.VIEWER, site: Site | None = None) -> APIClient:
        user, _ = ensure_user(f"{role}-{site.slug if site else 'all'}", role=role, site=site)
        client = APIClient()
        client.force_authenticate(user)
        return client

    return sign_in
