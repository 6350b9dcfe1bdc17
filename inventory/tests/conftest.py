"""A small fleet in the database, and files to load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.models import Site
from inventory.fleet.reference.three_tiers import fleet_file
from inventory.tests.full_inventory import TWO_SITES, full  # noqa: F401  (a fixture)
from tests.kept_rows import load_fleet
from tests.roles import as_role  # noqa: F401  (a fixture)


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
