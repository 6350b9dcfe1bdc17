"""Reads of links out of use, and of the paths a switch has."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q

from core.models import Site
from fabric.discovery.models.seen import FabricLink, SeenNode
from fabric.discovery.models.sources import FabricSource
from fabric.facts import SeenPort
from fabric.ports.models import PortAction, PortPolicy
from fabric.ports.rule import PathLink
from inventory.models import Switch

USABLE = (FabricLink.State.CORRECT, FabricLink.State.SLOW, FabricLink.State.EXTRA)


def paths_of(source: FabricSource, switches: Collection[str]) -> list[PathLink]:
    """All links of these switches as the source saw them last. Three statements."""
    at_either_end = Q(a_name__in=switches) | Q(b_name__in=switches)
    links = list(FabricLink.objects.filter(at_either_end, source=source))
    names = {name for link in links for name in (link.a_name, link.b_name)}
    seen = SeenNode.objects.filter(source=source, name__in=names, kind="switch", during__endswith=None)
    tiers = dict.fromkeys(seen.values_list("name", flat=True), "switch")
    planned = Switch.objects.filter(device__site_id=source.site_id, device__name__in=names)
    tiers |= dict(planned.values_list("device__name", "tier"))
    return [
        PathLink(
            link.key,
            link.a_name,
            link.b_name,
            tiers.get(link.b_name, "") if link.a_name in switches and link.a_name in tiers else "",
            tiers.get(link.a_name, "") if link.b_name in switches and link.b_name in tiers else "",
            usable=link.state in USABLE,
            planned=link.state != FabricLink.State.EXTRA,
        )
        for link in links
    ]


def port_action(action: PortAction, now: datetime) -> dict[str, Any]:
    """One row of `/api/fabric/port-actions/`; needs `source` and the site's policy."""
    policy = getattr(action.site, "port_policy", None)
    days = policy.remind_after_days if policy else 3
    touched = action.state in PortAction.TOUCHED
    owner, _, key = action.owner.partition(":")
    return {
        "id": action.pk,
        "site": action.site_id,
        "source": {"id": action.source_id, "name": action.source.name},
        "action": action.action,
        "link": action.link,
        "a": {"device": action.a_name, "port": action.a_number, "guid": action.a_guid, "port_id": action.a_port_id},
        "b": {"device": action.b_name, "port": action.b_number, "guid": action.b_guid, "port_id": action.b_port_id},
        "owner": action.owner,
        "ticket": key if owner == "ticket" else None,
        "cause": action.cause,
        "evidence": action.evidence,
        "state": action.state,
        "wanted": action.wanted,
        "message": action.message,
        "proposed_at": action.proposed_at,
        "proposed_by": action.proposed_by,
        "approved_at": action.approved_at,
        "approved_by": action.approved_by,
        "held_at": action.held_at,
        "ended_at": action.ended_at,
        "overdue": bool(
            touched and action.approved_at is not None and action.approved_at <= now - timedelta(days=days)
        ),
    }


def policy_of(site: Site) -> PortPolicy:
    """What a site allows; the defaults where nobody set anything. Needs `port_policy` selected."""
    return getattr(site, "port_policy", None) or PortPolicy(site=site)


def disabled_links(source: FabricSource) -> set[frozenset[SeenPort]]:
    """Both ends of every link of a source that is out of use, or may be. One query."""
    held = PortAction.objects.filter(
        source=source, state__in=[state.value for state in PortAction.TOUCHED], action=PortAction.Action.DISABLE
    )
    return {
        frozenset((SeenPort(a_guid, a), SeenPort(b_guid, b)))
        for a_guid, a, b_guid, b in held.values_list("a_guid", "a_number", "b_guid", "b_number")
    }
