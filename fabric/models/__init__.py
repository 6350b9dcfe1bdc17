"""What was seen of the fabric, from which source, what differs from the plan, and what names follow from the wiring."""

from fabric.models.burn_in import BurnIn, BurnInPair, BurnInStage
from fabric.models.events import FabricEvent, Incident
from fabric.models.findings import Finding
from fabric.models.names import NameProposal
from fabric.models.planning import AsBuiltPlan, LengthRule, ReservedPort
from fabric.models.ports import PortAction, PortPolicy
from fabric.models.quality import LinkQuality, Measurement, PortSample, Round
from fabric.models.seen import FabricLink, SeenLink, SeenNode
from fabric.models.sources import Capture, CapturePart, Discovery, FabricSource

__all__ = [
    "AsBuiltPlan",
    "BurnIn",
    "BurnInPair",
    "BurnInStage",
    "Capture",
    "CapturePart",
    "Discovery",
    "FabricEvent",
    "FabricLink",
    "FabricSource",
    "Finding",
    "Incident",
    "LengthRule",
    "LinkQuality",
    "Measurement",
    "NameProposal",
    "PortAction",
    "PortPolicy",
    "PortSample",
    "ReservedPort",
    "Round",
    "SeenLink",
    "SeenNode",
]
