"""The fixtures of the inventory."""

from inventory.tests.conftest import small, two_sites
from tests.roles import as_role

__all__ = ["as_role", "small", "two_sites"]
