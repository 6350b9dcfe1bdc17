"""What was seen of the fabric, from which source, what differs from the plan, and what names follow from the wiring."""

from fabric.burn_in.models import BurnIn, BurnInPair, BurnInStage
from fabric.discovery.models.seen import FabricLink, SeenLink, SeenNode
from fabric.discovery.models.sources import Capture, CapturePart, Discovery, FabricSource
from fabric.ports.models import PortAction, PortPolicy
from fabric.quality.models.events import FabricEvent, Incident
from fabric.quality.models.quality import LinkQuality, Measurement, PortSample, Round
from fabric.wiring.models.findings import Finding
from fabric.wiring.models.names import NameProposal
from fabric.wiring.models.plans import AsBuiltPlan, LengthRule, ReservedPort

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
