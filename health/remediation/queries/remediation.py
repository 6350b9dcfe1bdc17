"""What remediation shows: automation at a site, the plan, incidents with what belongs to them, stuck machines.

Each in a fixed number of queries.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Prefetch, Q, QuerySet
from django.utils import timezone

from health.machines.budget import PoolCount, budget, rule_for
from health.machines.lifecycle import State
from health.machines.limits import TABLE, Group, Limits, range_of
from health.machines.models.machines import MachineHealth, Pool
from health.machines.services.limits import automation_of
from health.machines.sla import LIMITS_S, stuck_since
from health.monitoring.models.faults import Fault
from health.monitoring.queries.part_lines import lines_of
from health.remediation.executors import registered
from health.remediation.models import Incident, IncidentMachine, RemediationAction
from health.remediation.planner import Planned
from health.remediation.remedies import BY_RUNG, REMEDIES
from health.remediation.services import by_hand, plans, views
from health.remediation.types import MachineView, PoolView, Step


def remedies() -> list[dict[str, Any]]:
    """The table of remedies; `available` says whether something here can carry one out."""
    there = registered()
    return [
        {
            "name": remedy.name,
            "level": int(remedy.rung),
            "title": remedy.title,
            "preconditions": list(remedy.preconditions),
            "needs_drain": remedy.needs_drain,
            "idempotent": remedy.idempotent,
            "intrusive": remedy.intrusive,
            "deadline_s": remedy.deadline_s,
            "verification": remedy.verification,
            "next": remedy.next_rung.name.lower(),
            "available": remedy.name in there,
        }
        for remedy in REMEDIES
    ]


def offers(health: MachineHealth) -> list[dict[str, Any]]:
    """The remedies that a person may, or may not, start on a machine now."""
    return [
        {
            "remedy": offer.remedy.name,
            "title": offer.remedy.title,
            "level": int(offer.remedy.rung),
            "allowed": offer.refusal is None,
            "refused_by": str(offer.refusal.guard) if offer.refusal is not None else None,
            "refused_reason": offer.refusal.reason if offer.refusal is not None else "",
            "frees": offer.refusal.frees if offer.refusal is not None else "",
            "parts": list(offer.parts),
            "suggested": list(offer.suggested),
            "dark": offer.remedy.power,
            "deadline_s": offer.remedy.deadline_s,
            "verification": offer.remedy.verification,
        }
        for offer in by_hand.offers(health)
    ]


def automation(site_id: int) -> dict[str, Any]:
    """Kill switch, breaker, budgets, limits and what waits at a site."""
    now = timezone.now()
    pools = list(Pool.objects.filter(site_id=site_id).select_related("model"))
    held = plans.ground(site_id, [pool.pk for pool in pools], lock=False)
    row = held.row
    waiting = Incident.objects.filter(site_id=site_id, closed_at=None, kind=Incident.Kind.MACHINE).exclude(
        refused_by=""
    )
    return {
        "site": site_id,
        "killed": row.killed,
        "killed_by": row.killed_by,
        "killed_reason": row.killed_reason,
        "killed_at": row.killed_at,
        "breaker": {
            "open": row.breaker_open_at is not None,
            "reason": row.breaker_reason,
            "opened_at": row.breaker_open_at,
            "closed_by": row.breaker_closed_by,
            "closed_at": row.breaker_closed_at,
            "close_reason": row.breaker_close_reason,
            "counts": {
                "refused_1h": held.site.refused_1h,
                "ambiguous": held.site.ambiguous,
                "failed_verifications": held.site.failed_verifications,
                "drained": held.site.drained,
                "size": held.site.size,
            },
        },
        "budgets": [_budget(pool, held.pools[pool.pk], held.rules.limits) for pool in pools],
        "limits": {name: getattr(row, name) for name in TABLE},
        "power": {
            "open": held.site.power_open, "actions_1h": held.site.power_1h, "last_at": held.site.last_power_at,
        },
        "waiting": [
            {"incident": pk, "machine": machine, "name": name, "guard": guard, "since": at}
            for pk, machine, name, guard, at in waiting.order_by("pk").values_list(
                "pk", "machine_id", "machine__device__name", "refused_by", "refused_at"
            )[:200]
        ],
        "at": now,
    }  # fmt: skip


def limits(site_id: int) -> list[dict[str, Any]]:
    """Every limit of a site with its value, default, range and words, group by group."""
    row = automation_of(site_id)
    rows = [(name, TABLE[name].default, range_of(name)) for name in TABLE]
    return [
        {
            "name": name,
            "group": str(about.group),
            "title": about.title,
            "unit": about.unit,
            "value": getattr(row, name),
            "default": default,
            "low": about.low,
            "high": about.high,
        }
        for name, default, about in sorted(rows, key=lambda each: list(Group).index(each[2].group))
    ]


def _budget(pool: Pool, counted: PoolView, limits: Limits) -> dict[str, Any]:
    """What may be out of a pool and why, by the rule that grants drains."""
    found = budget(PoolCount(counted.size, counted.unavailable, counted.stale), rule_for(counted.share, limits))
    return {
        "pool": pool.pk,
        "name": f"{pool.role} {pool.model.slug}",
        "automation": pool.automation,
        "size": counted.size,
        "unavailable": counted.unavailable,
        "stale": counted.stale,
        "share": counted.share,
        "by_share": found.by_share,
        "min_unavailable": limits.min_unavailable,
        "min_unavailable_from": limits.min_unavailable_from,
        "max_unavailable": found.max_unavailable,
        "remaining_budget": found.left,
        "reason": found.reason,
        "drains_10min": counted.drains_10min,
        "drains_1h": counted.drains_1h,
    }


def plan(site_id: int) -> list[dict[str, Any]]:
    """What automation would do at a site now, in its order."""
    planned, machines, _ = plans.preview(site_id)
    names = dict(
        MachineHealth.objects.filter(pk__in=[each.machine for each in planned]).values_list(
            "pk", "machine__device__name"
        )
    )
    faults = {fault.machine_id: fault for fault in reversed(views.leading_faults(machine_id__in=list(names)))}
    lines = lines_of(faults.values())
    return [
        _planned(each, machines[each.machine], names[each.machine], faults.get(each.machine), lines) for each in planned
    ]


def _planned(
    each: Planned, machine: MachineView, name: str, fault: Fault | None, lines: Mapping[int, str]
) -> dict[str, Any]:
    proposal, refusal, incident = each.proposal, each.refusal, machine.incident
    remedy = proposal.remedy if proposal is not None else None
    following = BY_RUNG.get(remedy.next_rung) if remedy is not None else None
    return {
        "machine": {"id": each.machine, "name": name, "state": str(machine.state)},
        "incident": incident.id if incident is not None else None,
        "fault": {"id": fault.pk, "text": lines[fault.pk]} if fault is not None else None,
        "checks": list(incident.checks) if incident is not None else [],
        "step": str(proposal.step) if proposal is not None else None,
        "remedy": remedy.name if remedy is not None else None,
        "level": int(proposal.rung) if proposal is not None else None,
        "mode": ("dry_run" if proposal.dry_run else "on") if remedy is not None and proposal is not None else None,
        "reason": proposal.reason if proposal is not None else "",
        "allowed": each.allowed,
        "refused_by": str(refusal.guard) if refusal is not None else None,
        "refused_reason": refusal.reason if refusal is not None else "",
        "frees": refusal.frees if refusal is not None else "",
        "next": following.name if following is not None else (str(Step.PERSON) if remedy is not None else None),
    }


def incidents() -> QuerySet[Incident]:
    return Incident.objects.select_related("machine__device").order_by("-id")


def incidents_in_full() -> QuerySet[Incident]:
    faults = Fault.objects.filter(led_by=None).select_related("machine__device").order_by("pk")
    actions = RemediationAction.objects.select_related("machine__device").order_by("pk")
    members = IncidentMachine.objects.select_related("machine__device__placement__rack").order_by(
        "machine__device__name"
    )
    return incidents().prefetch_related(
        Prefetch("faults", faults), Prefetch("actions", actions), Prefetch("members", members)
    )


def stuck(sites: list[int] | None, site_id: int | None = None) -> list[dict[str, Any]]:
    """Machines over the limit of their state, longest first. One query."""
    now = timezone.now()
    rows = MachineHealth.objects.filter(state__in=[state.value for state in LIMITS_S]).filter(
        Q(state_since__lt=now - timedelta(seconds=min(LIMITS_S.values()))) | Q(maintenance_until__lt=now)
    )
    if sites is not None:
        rows = rows.filter(machine__device__site_id__in=sites)
    if site_id is not None:
        rows = rows.filter(machine__device__site_id=site_id)
    found = []
    for health in rows.select_related("machine__device").order_by("state_since"):
        over = stuck_since(health.state, health.state_since, now, until=health.maintenance_until)
        if over is not None:
            found.append(
                {
                    "machine": {"id": health.machine_id, "name": health.machine.device.name},
                    "state": health.state,
                    "since": health.state_since,
                    "limit_s": LIMITS_S[State(health.state)],
                    "over_since": over,
                }
            )
    return found
