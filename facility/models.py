"""What measures power and cooling, what it told last, and what is wrong by it. The history is in `facility.history`."""

from facility.energy.models import EnergyDay
from facility.findings.models import Finding, Policy
from facility.meters.models import Layout, Meter, MeterState
from facility.proposals.models import Proposal

__all__ = ["EnergyDay", "Finding", "Layout", "Meter", "MeterState", "Policy", "Proposal"]
