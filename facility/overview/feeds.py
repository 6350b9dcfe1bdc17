"""Feeds: what each carries, and one as a line from its panel to its machines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.utils import timezone

from facility.findings.limits import limits_of
from facility.judgement import power
from facility.judgement.limits import SiteLimits
from facility.judgement.measured import MeasuredGraph
from facility.judgement.readings import Sum, several, state_of
from facility.overview.last import last_of, measured_graph
from facility.overview.sums import peaks_of_site
from inventory.models import PowerFeed
from inventory.power.failures import Failure, fail
from inventory.power.queries import site_graph


def graph_of(site_id: int) -> MeasuredGraph:
    """The measured graph of a site as it is now, with the peaks of the last day."""
    now = timezone.now()
    return measured_graph(site_id, site_graph(site_id), last_of(site_id, now), peaks_of_site(site_id, now))


def feeds(site_id: int, panels: dict[int, dict[str, Any]]) -> list[dict[str, Any]]:
    """Every feed of a site. `panels`: by feed."""
    graph, limits = graph_of(site_id), limits_of(site_id)
    rows = []
    for feed in graph.feeds.values():
        load = power.feed_load(graph, feed.id, limits)
        rows.append(
            {
                "id": feed.id, "name": feed.name, "side": feed.side, "panel": panels.get(feed.id),
                **_of(load), "at_least": load.now.value is None, "state": load.state,
            }
        )  # fmt: skip
    return rows


def diagram(row: PowerFeed) -> dict[str, Any]:
    """The answer of `/api/facility/feeds/ID/`."""
    graph, limits = graph_of(row.site_id), limits_of(row.site_id)
    feed = graph.feeds[row.pk]
    load = power.feed_load(graph, row.pk, limits)
    size = f"{row.current_a} A" if row.current_a is not None else "size not known"
    links = [_panel(graph, row.panel_id, limits)] if row.panel_id is not None else []
    links.append(_link("feed", size, load))
    for pdu_id in graph.pdus_of(row.pk):
        of_pdu = power.pdu_load(graph, pdu_id, limits)
        detail = f"{len(graph.devices_behind.get(pdu_id, ()))} devices"
        if of_pdu.limit is None:
            of_pdu = replace(of_pdu, limit=load.limit, state=state_of(of_pdu.now, load.limit, limits.near_percent))
        links.append(_link("pdu", detail, of_pdu))
    machines: list[dict[str, Any]] = [
        {"id": each.id, "name": each.name, "kind": each.kind, "now_w": _taken_w(graph, each, row.pk)}
        for each in graph.devices_on.get(row.pk, ())
        if graph.supplied(each) is each
    ]
    known = [each["now_w"] for each in machines if each["now_w"] is not None]
    taken = Sum(sum(known), len(known), len(machines))
    links.append(
        {
            "kind": "machines", "id": None, "name": "Machines", "detail": f"{len(machines)} on it",
            **_now(taken, None), "peak_w": None, "planned_w": None, "state": "unknown",
        }
    )  # fmt: skip
    return {
        "feed": {
            "id": row.pk, "name": row.name, "side": row.side, "voltage_v": row.voltage_v,
            "current_a": row.current_a, "phases": row.phases,
        },
        "links": links,
        "machines": machines,
        "if_fails": _if_fails(graph, feed.id),
    }  # fmt: skip


def _panel(graph: MeasuredGraph, panel_id: int, limits: SiteLimits) -> dict[str, Any]:
    load, panel = power.panel_load(graph, panel_id, limits), graph.panels[panel_id]
    feeds = several(len(graph.feeds_of_panel(panel_id)), "feed")
    detail = f"{feeds}, {panel.current_a} A" if panel.current_a is not None else feeds
    return _link("panel", detail, load)


def _link(kind: str, detail: str, load: power.Load) -> dict[str, Any]:
    return {"kind": kind, "id": load.id, "name": load.name, "detail": detail, **_of(load), "state": load.state}


def _of(load: power.Load) -> dict[str, Any]:
    planned = load.planned.at_least if load.planned and load.planned.known else None
    return {**_now(load.now, load.limit), "peak_w": load.peak, "planned_w": planned}


def _now(now: Sum, limit: float | None) -> dict[str, Any]:
    watts = now.at_least if now.known else None
    return {"now_w": watts, "limit_w": limit, "share": watts / limit if watts is not None and limit else None}


def _taken_w(graph: MeasuredGraph, device: Any, feed_id: int) -> float | None:
    """What a device takes from this feed now."""
    if not graph.now_w(device).known:
        return None
    return sum(watts for pdu, watts in graph.shares(device) if graph.way(pdu)[1] == feed_id)


def _if_fails(graph: MeasuredGraph, feed_id: int) -> dict[str, Any]:
    """What the other feeds carry when this one dies with its side."""
    dead = graph.failing_with(feed_id)
    failure = fail(graph, dead)
    sharing = {feed: power.sharing_feeds(graph, feed, dead) for feed in graph.feeds if feed not in dead}
    rows = [_carries(graph, failure, feed, beside) for feed, beside in sharing.items() if beside]
    rows.sort(key=lambda row: -row["carries_w"])
    side = graph.feeds[feed_id].side
    lost = failure.states["lost"]
    over = [each for each in rows if each["over"]]
    what = f"side {side} fails" if side and len(dead) > 1 else f"{graph.feeds[feed_id].name} fails"
    if lost:
        text = f"If {what}, {len(lost)} devices go dark."
    elif over:
        text = f"If {what}, {over[0]['name']} carries more than it may."
    elif not rows:
        text = f"If {what}, no other feed takes anything over."
    elif any(each["over"] is None for each in rows):
        text = f"If {what}, whether the others hold is not known: a load or the size of a feed is missing."
    else:
        text = f"If {what}, the others hold."
    return {"text": text, "carries": rows[:12]}


def _carries(graph: MeasuredGraph, failure: Failure, feed_id: int, beside: list[int]) -> dict[str, Any]:
    """What a feed carries then. A lower bound can be too much, and never proves that the feed or its breaker holds."""
    feed, carries = graph.feeds[feed_id], power.carries_then(graph, failure, feed_id, beside)
    limit = feed.derated_w
    return {
        "kind": "feed", "id": feed_id, "name": feed.name, "carries_w": carries.at_least, "limit_w": limit,
        "share": carries.at_least / limit if limit else None,
        "over": _above(carries, limit), "trips": _above(carries, feed.capacity_w),
    }  # fmt: skip


def _above(carries: Sum, limit: float | None) -> bool | None:
    if limit is not None and carries.at_least > limit:
        return True
    return None if limit is None or carries.value is None else False
