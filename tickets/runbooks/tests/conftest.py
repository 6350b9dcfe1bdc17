"""The broken machine, its ticket and the people of the room."""

from tickets.tests.conftest import broken, no_worker, olga, ticket, tina

__all__ = ["broken", "no_worker", "olga", "ticket", "tina"]
