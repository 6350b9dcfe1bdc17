"""Switches whose name and place disagree, by the site's naming rules."""

from __future__ import annotations

from typing import Any

from fabric.discovery.models.seen import SeenNode
from inventory.naming import Place, told
from inventory.queries.naming import Proposal, SiteNames, site_names


def misplaced(site_id: int) -> list[dict[str, Any]]:
    """One row per switch, in the order of places. The statements of `site_names` and one more."""
    names = site_names(site_id)
    rows = [each for each in names.changes if each.device.kind == "switch"]
    if not rows:
        return []
    seen = dict(
        SeenNode.objects.filter(device__in=[each.device.id for each in rows], during__endswith=None)
        .order_by("id").values_list("device_id", "description")
    )  # fmt: skip
    return [
        {
            "device_id": each.device.id,
            "name": each.device.name,
            "tier": each.device.tier,
            "place": _place(each),
            "name_of_place": each.proposed,
            "place_of_name": _place_of_name(names, each),
            "seen_as": seen.get(each.device.id),
        }
        for each in rows
    ]


def _place(proposal: Proposal) -> str:
    device = proposal.device
    u = None if device.low is None else (device.low + 1) // 2
    return told(Place(device.room or "", device.row, device.rack or "", u, None, device.side or ""))


def _place_of_name(names: SiteNames, proposal: Proposal) -> str | None:
    """Where it stands if its name is to be believed; None when the name leads nowhere."""
    pattern = names.patterns.get(proposal.rule.pk) if proposal.rule else None
    place = names.places.place(pattern, proposal.device.name) if pattern else None
    return told(place) if place else None
