"""The engines by name. A new one is a class after `contract.Engine` and a line here."""

from collections.abc import Sequence
from typing import Any

from provisioning.engines.adopt import AdoptEngine
from provisioning.engines.contract import Engine
from provisioning.engines.deployer import DeployerEngine
from provisioning.engines.ironic import IronicEngine
from provisioning.engines.maas import MaasEngine
from provisioning.engines.media import VirtualMediaEngine
from provisioning.engines.redfish import RedfishEngine
from provisioning.steps import StepName, Way

ENGINES: dict[str, Engine] = {
    engine.slug: engine
    for engine in (RedfishEngine(), VirtualMediaEngine(), AdoptEngine(), MaasEngine(), IronicEngine())
}

DEPLOYERS = {slug: engine for slug, engine in ENGINES.items() if isinstance(engine, DeployerEngine)}
"""Those that leave the machine to a service of its site."""


WAY = ("engine", "bmc_setup", "software", "gpu_tests", "fabric")
"""The columns of a run that say which steps its machines go, as `way_of` takes them."""


def way_of(engine: str, bmc_setup: bool, software: Sequence[str], gpu_tests: str, fabric: bool) -> Way:
    """The steps of a run: those of its engine, and what was chosen when it began."""
    way = ENGINES[engine].way
    way = way.with_bmc_setup() if bmc_setup else way
    chosen = {StepName.SOFTWARE: software, StepName.GPU_TESTS: gpu_tests, StepName.FABRIC: fabric}
    return way.with_acceptance([step for step, value in chosen.items() if value])


def way_of_run(run: Any) -> Way:
    """The same of a row."""
    return way_of(*(getattr(run, name) for name in WAY))


__all__ = ["DEPLOYERS", "ENGINES", "WAY", "Engine", "way_of", "way_of_run"]
