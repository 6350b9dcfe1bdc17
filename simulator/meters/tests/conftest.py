"""The client of BMCs that the tests of the hall have."""

from simulator.tests.conftest import bmc

__all__ = ["bmc"]
