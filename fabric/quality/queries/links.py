"""Reads of link quality: lists with both ends in words, and one link over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from fabric.discovery.models.seen import SeenNode
from fabric.facts import SeenPort
from fabric.quality.counters import BY_NAME, WORD_BYTES
from fabric.quality.models.events import FabricEvent
from fabric.quality.models.quality import LinkQuality
from fabric.quality.rates import Rate, rate
from fabric.quality.services import samples
from fabric.quality.services.samples import Sample
from fabric.quality.thresholds import Thresholds
from inventory.models import Device, Port
from inventory.queries.place import port_place_text, with_place

MOST_POINTS = 1000
MOST_EVENTS = 500


def with_links(rows: QuerySet[LinkQuality]) -> QuerySet[LinkQuality]:
    return rows.select_related("source", "link__cable", "link__a_port", "link__b_port")


class Node(NamedTuple):
    name: str
    device_id: int | None


def described(rows: Sequence[LinkQuality]) -> list[dict[str, Any]]:
    """Rows of `/api/fabric/links/`; needs `with_links`. Two statements whatever their number."""
    nodes = _nodes(rows)
    wanted = {node.device_id for node in nodes.values()} | {
        port.device_id for row in rows for port in _ports(row) if port is not None
    }
    ids = [device for device in wanted if device is not None]
    devices = {device.pk: device for device in with_place(Device.objects.filter(pk__in=ids))}
    return [_described(row, nodes, devices) for row in rows]


def _nodes(rows: Sequence[LinkQuality]) -> dict[tuple[int, str], Node]:
    guids = {guid for row in rows for guid in (row.a_guid, row.b_guid)}
    seen = SeenNode.objects.filter(
        source__in={row.source_id for row in rows}, guid__in=guids, during__endswith=None
    ).values_list("source_id", "guid", "name", "description", "device_id")
    return {(source, guid): Node(name or said, device) for source, guid, name, said, device in seen}


def _ports(row: LinkQuality) -> tuple[Port | None, Port | None]:
    """The inventory's ports of its ends, the smaller end first, as the reconciliation found them."""
    link = row.link
    if link is None:
        return None, None
    straight = (link.a_guid, link.a_number) == (row.a_guid, row.a_port)
    return (link.a_port, link.b_port) if straight else (link.b_port, link.a_port)


def _described(row: LinkQuality, nodes: dict[tuple[int, str], Node], devices: dict[int, Device]) -> dict[str, Any]:
    link, ports = row.link, _ports(row)
    ends = [
        _end(nodes.get((row.source_id, guid)), guid, number, port, devices)
        for guid, number, port in ((row.a_guid, row.a_port, ports[0]), (row.b_guid, row.b_port, ports[1]))
    ]
    cable = link.cable if link is not None else None
    return {
        "id": row.pk,
        "key": row.key,
        "site": row.site_id,
        "source": row.source_id,
        "link": link.key if link is not None else None,
        "a": ends[0],
        "b": ends[1],
        "cable": {"id": cable.pk, "label": cable.label} if cable is not None else None,
        "wiring": link.state if link is not None else None,
        "width": link.width if link is not None else "",
        "speed": link.speed if link is not None else "",
        "tier": link.tier if link is not None else "",
        "gbps": row.gbps,
        "quality": row.state,
        "reason": row.reason,
        "since": row.since,
        "bad_since": row.bad_since,
        "alarm": row.alarm,
        "measured_at": row.measured_at,
        "errors_per_h": {"5m": row.errors_5m, "1h": row.errors_1h, "1d": row.errors_1d},
        "downs_per_day": row.downs,
        "ber": row.ber,
        "ber_below": row.ber_below,
        "max_c": row.max_c,
    }


def _end(node: Node | None, guid: str, number: int, port: Port | None, devices: dict[int, Device]) -> dict[str, Any]:
    device_id = port.device_id if port is not None else node.device_id if node is not None else None
    device = devices.get(device_id) if device_id is not None else None
    return {
        "device": (node.name if node is not None and node.name else f"0x{guid}"),
        "device_id": device.pk if device is not None else None,
        "guid": guid,
        "port": number,
        "port_id": port.pk if port is not None else None,
        "port_name": port.name if port is not None else "",
        "cage": port.cage if port is not None else None,
        "lane": port.lane if port is not None else None,
        "place": port_place_text(device, port.face if port is not None else "") if device is not None else "",
    }


# ---- over time ----


class Chart(NamedTuple):
    """One line for each end: from the newer sample and what happened since the one before it."""

    name: str
    title: str
    unit: str
    limit: str
    value: Callable[[Sample, Rate | None], float | None]


def _per_h(name: str) -> Callable[[Sample, Rate | None], float | None]:
    return lambda sample, since: since.per_h(name) if since is not None and name not in since.saturated else None


def _gbps(name: str) -> Callable[[Sample, Rate | None], float | None]:
    def value(sample: Sample, since: Rate | None) -> float | None:
        words = since.per_s(name) if since is not None else None
        return None if words is None else words * WORD_BYTES * 8 / 1e9

    return value


def _count(name: str) -> Callable[[Sample, Rate | None], float | None]:
    return lambda sample, since: (
        float(since.counts[name]) if since and name in since.counts and name not in since.saturated else None
    )


CHARTS = (
    Chart("symbol_errors", "Symbol errors", "1/h", "symbol_errors_bad_per_h", _per_h("symbol_errors")),
    Chart("link_downed", "Losses of the link", "", "downs_bad_per_day", _count("link_downed")),
    Chart("effective_ber", "Bit error rate after correction", "", "ber_bad", lambda s, _: s.reading.effective_ber),
    Chart("raw_ber", "Bit error rate before correction", "", "raw_ber_bad", lambda s, _: s.reading.raw_ber),
    Chart("fec_uncorrected", "Blocks lost", "1/h", "uncorrected_bad_per_h", _per_h("fec_uncorrected")),
    Chart("fec_corrected", "Blocks corrected", "1/h", "", _per_h("fec_corrected")),
    Chart("receive_errors", "Receive errors", "1/h", "", _per_h("receive_errors")),
    Chart("optic_c", "Temperature of the optic", "°C", "optic_hot_c", lambda s, _: s.reading.optic_c),
    Chart("port_c", "Temperature of the port", "°C", "port_hot_c", lambda s, _: s.reading.port_c),
    Chart("transmit_words", "Sent", "Gb/s", "", _gbps("transmit_words")),
    Chart("receive_words", "Received", "Gb/s", "", _gbps("receive_words")),
)


def history(row: LinkQuality, since: datetime, until: datetime, limits: Thresholds) -> dict[str, Any]:
    """A link between two times: charts of what was told, and the events of its ports. Two statements."""
    ends = (SeenPort(row.a_guid, row.a_port), SeenPort(row.b_guid, row.b_port))
    series = samples.read_series(row.source_id, ends, since, until)
    names = [f"{end.guid} port {end.port}" for end in ends]
    charts = []
    for chart in CHARTS:
        lines = [
            {"name": name, "points": thinned(points(series[end], chart))} for name, end in zip(names, ends, strict=True)
        ]
        if any(value is not None for line in lines for _, value in line["points"]):
            limit = getattr(limits, chart.limit) if chart.limit else None
            charts.append({
                "name": chart.name, "title": chart.title, "unit": chart.unit, "limit": limit, "series": lines,
            })  # fmt: skip
    return {"from": since, "to": until, "charts": charts, "events": _events(row, ends, since, until)}


def points(series: Sequence[Sample], chart: Chart) -> list[tuple[datetime, float | None]]:
    """(time, value) of each sample; None where nothing can be said."""
    found: list[tuple[datetime, float | None]] = []
    last: Sample | None = None
    for sample in series:
        change = rate(last.totals, sample.totals) if last is not None else None
        found.append((sample.reading.at, chart.value(sample, change)))
        last = sample
    return found


def thinned(found: list[tuple[datetime, float | None]]) -> list[tuple[datetime, float | None]]:
    """At most as many points as a screen shows; of each stretch the largest, so that no peak is lost."""
    step = -(-len(found) // MOST_POINTS)
    if step <= 1:
        return found
    return [
        max(found[at : at + step], key=lambda p: (p[1] is not None, p[1] or 0)) for at in range(0, len(found), step)
    ]


def _events(row: LinkQuality, ends: Iterable[SeenPort], since: datetime, until: datetime) -> list[dict[str, Any]]:
    told = FabricEvent.objects.filter(
        source_id=row.source_id, guid__in=[end.guid for end in ends], at__gte=since, at__lte=until
    ).order_by("at")
    wanted = set(ends)
    return [
        {"at": event.at, "text": f"{event.name}: {event.text}" if event.text else event.name}
        for event in told[:MOST_EVENTS]
        if event.port is None or SeenPort(event.guid, event.port) in wanted
    ]


CSV_HEAD = (
    "time", "end", "guid", "port", "seconds", *(f"new_{name}" for name in BY_NAME), "saturated", "reset", "raw_ber",
    "effective_ber", "symbol_ber", "port_c", "optic_c",
)  # fmt: skip


def csv_rows(row: LinkQuality, since: datetime, until: datetime) -> Iterable[list[Any]]:
    """Every sample of both ends, unthinned: what was counted since the one before. One statement."""
    ends = (SeenPort(row.a_guid, row.a_port), SeenPort(row.b_guid, row.b_port))
    series = samples.read_series(row.source_id, ends, since, until)
    for side, end in zip("ab", ends, strict=True):
        last: Sample | None = None
        for sample in series[end]:
            change = rate(last.totals, sample.totals) if last is not None else None
            reading = sample.reading
            counts = change.counts if change is not None else {}
            yield [
                reading.at.isoformat(), side, end.guid, end.port, change.seconds if change else "",
                *(counts.get(name, "") for name in BY_NAME),
                " ".join(sorted(sample.totals.saturated)), int(change.reset) if change else "",
                *("" if v is None else v for v in (reading.raw_ber, reading.effective_ber, reading.symbol_ber,
                                                   reading.port_c, reading.optic_c)),
            ]  # fmt: skip
            last = sample
