"""The fixtures of the inventory."""

from inventory.tests.conftest import as_role, small, two_sites

__all__ = ["as_role", "small", "two_sites"]
