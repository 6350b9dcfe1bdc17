"""Which package answers what those below it ask for. The only place that knows both sides; done once at start-up."""

from __future__ import annotations

from core.audit import undo
from core.work.kinds import kinds
from health import named
from health.diagnostics import hooks as diagnostics_hooks
from health.diagnostics.services import proofs, runs
from health.external import queries as reported
from health.external.services import heartbeats as sources_heard
from health.external.services import proof as reports
from health.external.services import silences
from health.machines import hooks as machine_hooks
from health.machines.services import membership
from health.monitoring import hooks as monitoring_hooks
from health.monitoring.queries import faults
from health.monitoring.services import verifications, watchdog
from health.monitoring.services.sweeps import periods
from health.remediation.executors import builtin
from health.remediation.services import diagnostic, drains, incidents
from health.remediation.services.causes import mass
from health.schedulers.services import desired_state, jobs, readings
from health.schedulers.services import heartbeats as schedulers_heard
from inventory.power import readings as power_readings
from live import relay


def register() -> None:
    """Register everything. Safe to call again."""
    machine_hooks.scheduler.register(desired_state)
    machine_hooks.faults.register(faults)
    machine_hooks.put_back.register(incidents.overridden)
    machine_hooks.notices.register(
        watchdog.notices_of, periods.notices_of, mass.notices_of_masses, drains.left_in_service
    )
    machine_hooks.sweep_period_s.register(periods.counted_s)
    power_readings.sweep_period_s.register(periods.counted_s)
    monitoring_hooks.drains.register(drains)
    monitoring_hooks.reported.register(Reported())
    monitoring_hooks.proofs.register(reports.PROOF, proofs.PROOF, diagnostic.PROOF)
    monitoring_hooks.signs.register(sources_heard.signs, schedulers_heard.signs)
    monitoring_hooks.expiry.register(jobs.forget)
    diagnostics_hooks.remediation.register(ForActiveChecks())
    kinds.register(verifications.WORK, desired_state.WORK, readings.WORK, runs.WORK)
    builtin.register_all()
    named.register()
    undo.on_leaving("inventory.Machine", membership.forget)
    relay.every_few_seconds(watchdog.look)


class Reported:
    """`monitoring.hooks.Reported`."""

    check_of = staticmethod(reported.check_of)
    parts_of = staticmethod(reported.parts_of)
    follow_decision = staticmethod(silences.follow_decision)


class ForActiveChecks:
    """`diagnostics.hooks.Remediation`."""

    hold_within_budget = staticmethod(drains.hold_within_budget)
    open_for_switch = staticmethod(incidents.open_for_switch)
