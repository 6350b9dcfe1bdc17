"""What was seen of the fabric, from which source, what differs from the plan, and what names follow from the wiring."""

from fabric.models.findings import Finding
from fabric.models.names import NameProposal
from fabric.models.planning import AsBuiltPlan, LengthRule, ReservedPort
from fabric.models.ports import PortAction, PortPolicy
from fabric.models.seen import FabricLink, SeenLink, SeenNode
from fabric.models.sources import Capture, CapturePart, Discovery, FabricSource

__all__ = [
    "AsBuiltPlan",
    "Capture",
    "CapturePart",
    "Discovery",
    "FabricLink",
    "FabricSource",
    "Finding",
    "LengthRule",
    "NameProposal",
    "PortAction",
    "PortPolicy",
    "ReservedPort",
    "SeenLink",
    "SeenNode",
]
