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
    """None: as the site has it (`RACKSIDE_PROVISION_SOFTWARE`, `_GPU_TESTS`, `_FABRIC`)."""

    software: Sequence[str] | None = None
    gpu_tests: str | None = None
    fabric: bool | None = None

    def settled(self, engine: str) -> Acceptance:
        """With what the site wants where nothing was asked for; on a machine that is adopted nothing is installed."""
        site = config()
        roles = () if engine == AdoptEngine.slug else site.software
        return Acceptance(
            roles if self.software is None else self.software,
            site.gpu_tests if self.gpu_tests is None else self.gpu_tests,
            site.fabric if self.fabric is None else self.fabric,
        )

    def refusals(self, engine: str, machines: Iterable[Machine]) -> dict[str, str]:
        """Why this cannot be done, by field or machine; `self` is settled, each machine has its model."""
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
