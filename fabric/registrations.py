"""Which package answers what those below it ask for. The only place that knows both sides; done once at start-up."""

from __future__ import annotations

from core.openapi.references import named_at_sites, words
from core.work.kinds import kinds
from fabric.burn_in.services import plans, runs
from fabric.discovery import hooks as discovery_hooks
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services import discoveries
from fabric.ports.queries import disabled_links
from fabric.ports.services import orders, outages
from fabric.quality.queries import heat
from fabric.quality.services import measurements
from fabric.wiring import hooks as wiring_hooks
from fabric.wiring.models.plans import AsBuiltPlan
from fabric.wiring.services import derivation, findings, names, reconciliation
from inventory.power import warm_ports


class Comparison:
    """`discovery.hooks.Comparison`."""

    compare = staticmethod(reconciliation.compare)
    store = staticmethod(reconciliation.store)
    diagnosis_of = staticmethod(derivation.diagnosis_of)
    still_evidence = staticmethod(findings.still_evidence)


def register() -> None:
    """Register everything. Safe to call again."""
    discovery_hooks.comparison.register(Comparison())
    discovery_hooks.uses.register(outages.USE, runs.USE)
    kinds.register(discoveries.WORK, names.WORK, measurements.WORK, orders.WORK, plans.WORK, runs.WORK)
    wiring_hooks.disabled_links.register(disabled_links)
    warm_ports.warm_ports.register(heat.warm_ports)
    words["source"] = named_at_sites(FabricSource.objects.all(), "source")
    words["plan"] = named_at_sites(AsBuiltPlan.objects.all(), "plan")
