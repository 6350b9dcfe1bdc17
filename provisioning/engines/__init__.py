"""The engines by name. A new one is a class after `contract.Engine` and a line here."""

from provisioning.engines.adopt import AdoptEngine
from provisioning.engines.contract import Engine
from provisioning.engines.deployer import DeployerEngine
from provisioning.engines.ironic import IronicEngine
from provisioning.engines.maas import MaasEngine
from provisioning.engines.media import VirtualMediaEngine
from provisioning.engines.redfish import RedfishEngine
from provisioning.steps import Way

ENGINES: dict[str, Engine] = {
    engine.slug: engine
    for engine in (RedfishEngine(), VirtualMediaEngine(), AdoptEngine(), MaasEngine(), IronicEngine())
}

DEPLOYERS = {slug: engine for slug, engine in ENGINES.items() if isinstance(engine, DeployerEngine)}
"""Those that leave the machine to a service of its site."""


def way_of(engine: str, *, bmc_setup: bool) -> Way:
    """The steps of a run: those of its engine, and the set-up of BMCs where that was turned on when it began."""
    way = ENGINES[engine].way
    return way.with_bmc_setup() if bmc_setup else way


__all__ = ["DEPLOYERS", "ENGINES", "Engine", "way_of"]
