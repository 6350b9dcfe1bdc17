"""What a new run does with installed machines before their checks: what was asked for, else what the site wants."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from health.diagnostics.catalogue import BURN_IN, SINGLE
from health.machines.specs import usable, why_unusable
from inventory.models import Machine
from provisioning.conf import config
from provisioning.engines.adopt import AdoptEngine
from provisioning.software.services import catalogue

GPU_TESTS = (*SINGLE, BURN_IN)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Roles of base software, the active check of the GPUs, and whether InfiniBand links are tested; empty: nothing."""

    software: Sequence[str] = ()
    gpu_tests: str = ""
    fabric: bool = False

    def refusals(self, engine: str, machines: Iterable[Machine]) -> dict[str, str]:
        """Why this cannot be done, by field or machine; each machine has its model."""
        reasons = {}
        if self.software and engine == AdoptEngine.slug:
            reasons["software"] = "nothing is installed on a machine that is adopted"
        if self.software:
            reasons |= catalogue().refusals(self.software)
        if self.gpu_tests and self.gpu_tests not in GPU_TESTS:
            reasons["gpu_tests"] = f"there is no check {self.gpu_tests}; there are: {', '.join(GPU_TESTS)}"
        if self.gpu_tests or self.fabric:
            untested = {each.device.name: self._why_untested(each) for each in machines}
            reasons |= {name: why for name, why in untested.items() if why}
        return reasons

    def _why_untested(self, machine: Machine) -> str:
        model = machine.device.model
        spec = usable(model.spec)
        if spec is None:
            return why_unusable(model.slug, model.spec)
        if self.fabric and not any(slot.link_layer == "InfiniBand" for slot in spec.slots_of("hca")):
            return "its model has no InfiniBand adapter"
        return ""


def of_site(engine: str) -> Acceptance:
    """What a run has that says nothing else; on a machine that is adopted nothing is installed."""
    site = config()
    return Acceptance(() if engine == AdoptEngine.slug else site.software, site.gpu_tests, site.fabric)
