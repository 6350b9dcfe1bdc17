"""One round: every port of a source read, its totals carried on, every link judged by both ends, alarms followed.

All of it is one transaction with the source's row locked: a few statements whatever the size of the fabric, and one
short event for each link whose alarm was confirmed or cleared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.garbage import no_garbage_collection
from fabric.discovery.models.seen import FabricLink, SeenNode
from fabric.discovery.models.sources import Discovery, FabricSource
from fabric.discovery.services.discoveries import parts_of
from fabric.discovery.services.readers import parse
from fabric.facts import Seen, SeenLink, SeenPort
from fabric.quality.confirm import Alarm, Standing, follow
from fabric.quality.counters import Reading
from fabric.quality.deltas import Totals, begin, go_on
from fabric.quality.judge import End, State, judge, signature
from fabric.quality.models.quality import LinkQuality, Round
from fabric.quality.rates import Rate, base_time, rate, rates
from fabric.quality.services import samples
from fabric.quality.services.forgiveness import forgive_links
from fabric.quality.services.readings import readings_of
from fabric.quality.services.rows import Row, Shown, Stood, by_window, drop, rate_of, row_of, shown, stood, upsert
from fabric.quality.services.samples import Sample
from fabric.quality.speeds import link_gbps
from fabric.quality.thresholds import WINDOWS, ThresholdError, Thresholds, from_options
from live.events import emit

log = structlog.get_logger(__name__)
LOOK_BACK = timedelta(days=2, hours=1)
CONFIRM_AFTER = timedelta(minutes=5)
CLOCK = timedelta(seconds=10)  # a round that comes a moment early still confirms


class Told(NamedTuple):
    """What a round came to."""

    ports: int
    links: int
    states: dict[str, int]
    confirmed: int
    cleared: int


NOTHING = Told(0, 0, {}, 0, 0)


def thresholds_of(source: FabricSource) -> Thresholds:
    """The limits of a source: its option `quality` replaces some by name. Options that are wrong change nothing."""
    try:
        given = source.options.get("quality") or {}
        return from_options(given if isinstance(given, dict) else {"quality": 0})
    except ThresholdError as error:
        log.warning("quality_limits_ignored", source=source.pk, error=str(error))
        return Thresholds()


@dataclass
class _Work:
    """What judging one source needs, read once.

    Most ports of a fabric count nothing, and so the same: what was made for one of them serves the others, found by
    the identity of what it was made from, which `rounds` and `now` keep alive.
    """

    source: FabricSource
    at: datetime
    limits: Thresholds
    rounds: dict[datetime, dict[SeenPort, Sample]]
    now: dict[SeenPort, Sample]
    names: dict[str, str]
    _totals: dict[tuple[object, ...], Totals] = field(default_factory=dict)
    _rates: dict[tuple[int, ...], dict[str, Rate]] = field(default_factory=dict)
    _rates_told: dict[int, dict[str, Any]] = field(default_factory=dict)  # by identity of the rates
    _shown: dict[tuple[object, ...], Shown] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.newest_first = [self.rounds[at] for at in sorted(self.rounds, reverse=True)]

    def before(self, end: SeenPort) -> Sample | None:
        """The newest sample of a port before this round."""
        for found in self.newest_first:
            if end in found:
                return found[end]
        return None

    def totals(self, port: SeenPort, reading: Reading) -> Totals:
        """The totals of a port with this round's reading."""
        last = self.before(port)
        alike = (id(last), reading.at, *reading.counters.items())
        totals = self._totals.get(alike)
        if totals is None:
            totals = begin(reading) if last is None else go_on(last.totals, last.reading, reading)
            self._totals[alike] = totals
        return totals

    def name(self, port: SeenPort) -> str:
        return f"{self.names.get(port.guid) or '0x' + port.guid} port {port.port}"

    def end(self, side: str, port: SeenPort, since: datetime | None) -> End:
        sample = self.now.get(port)
        if sample is None:
            last = self.before(port)
            return End(side, last.reading if last is not None else None)
        earlier = [
            found[port].totals for at, found in self.rounds.items() if port in found and (since is None or at >= since)
        ]
        alike = (id(sample.totals), *map(id, earlier))
        told = self._rates.get(alike)
        if told is None:
            told = self._rates[alike] = rates({totals.at: totals for totals in earlier}, sample.totals)
        return End(side, sample.reading, told)

    def judge(self, gbps: float | None, ends: tuple[End, End]) -> Shown:
        """The judgement of a link whose ends are called `a` and `b`."""
        alike = (gbps, signature(ends[0]), signature(ends[1]))
        found = self._shown.get(alike)
        if found is None:
            found = self._shown[alike] = shown(judge(gbps, ends, self.at, self.limits), ends)
        return found

    def rates_told(self, end: End) -> dict[str, Any]:
        """Its rates as a row has them. Only of ends that `end` made: it keeps their rates."""
        told = self._rates_told.get(id(end.rates)) if end.rates else {}
        if told is None:
            told = self._rates_told[id(end.rates)] = {window: rate_of(each) for window, each in end.rates.items()}
        return told

    def newest(self, ends: tuple[SeenPort, SeenPort], gbps: float | None) -> State:
        """What the readings since the last round say alone."""
        told = []
        for port in ends:
            sample, last = self.now.get(port), self.before(port)
            since_last: Rate | None = rate(last.totals, sample.totals) if sample and last else None
            reading = sample.reading if sample else None
            told.append(End(str(port), reading, {"5m": since_last} if since_last else {}))
        return judge(gbps, (told[0], told[1]), self.at, self.limits).state


def record_discovery(discovery_id: int) -> Told:
    """Take the counters out of a finished look. Safe to run twice: an older round than the newest changes nothing."""
    discovery = Discovery.objects.select_related("source", "capture").filter(pk=discovery_id).first()
    if discovery is None or discovery.capture is None or discovery.status != Discovery.Status.DONE:
        return NOTHING
    samples.ensure()
    parts = parts_of(discovery.capture)
    seen = parse(parts).seen
    return record(discovery.source_id, seen, readings_of(seen, parts, discovery.capture.at), discovery.capture.at)


@no_garbage_collection()
@transaction.atomic
def record(source_id: int, seen: Seen, readings: Mapping[SeenPort, Reading], at: datetime) -> Told:
    """Store one round of readings and judge every link that was seen.

    Nothing told of any port is no round: links then grow old and become unknown by themselves.
    """
    source = FabricSource.objects.select_for_update().get(pk=source_id)
    newest = samples.newest_round(source_id)
    if not readings or (newest is not None and at <= newest):
        return NOTHING
    rounds = samples.read_rounds(source_id, _needed(source_id, at))
    work = _Work(source, at, thresholds_of(source), rounds, {}, _names(source_id))
    for port, reading in readings.items():
        work.now[port] = Sample(reading, work.totals(port, reading))
    samples.write(source_id, at, work.now)
    forgive_links(source, at)
    return _judge_all(work, seen.links)


def _needed(source_id: int, at: datetime) -> list[datetime]:
    """The rounds that windows ending now begin with, and the last one."""
    times = list(
        Round.objects.filter(source_id=source_id, at__lt=at, at__gte=at - LOOK_BACK)
        .order_by("at")
        .values_list("at", flat=True)
    )
    bases = {base_time(times, at, window) for window in WINDOWS.values()}
    return sorted({each for each in bases if each is not None} | set(times[-1:]))


def _names(source_id: int) -> dict[str, str]:
    rows = SeenNode.objects.filter(source_id=source_id, during__endswith=None)
    return {guid: name or said for guid, name, said in rows.values_list("guid", "name", "description")}


def _links(source_id: int) -> dict[frozenset[SeenPort], int]:
    """The link of the reconciliation between two ports."""
    rows = FabricLink.objects.filter(source_id=source_id).exclude(Q(a_guid="") | Q(b_guid=""))
    rows = rows.exclude(state__in=[FabricLink.State.WRONG, FabricLink.State.MISSING, FabricLink.State.OFF])
    return {
        frozenset((SeenPort(a_guid, a), SeenPort(b_guid, b))): pk
        for pk, a_guid, a, b_guid, b in rows.values_list("pk", "a_guid", "a_number", "b_guid", "b_number")
    }


def key_of(link: SeenLink) -> str:
    """Both ends of a link, the smaller first, as UFM writes them."""
    return f"{link.a.guid}_{link.a.port}:{link.b.guid}_{link.b.port}"


def _judge_all(work: _Work, links: Iterable[SeenLink]) -> Told:
    stands = stood(work.source)
    known = _links(work.source.pk)
    rows: list[Row] = []
    changed: list[tuple[str, Alarm]] = []
    states: dict[str, int] = {state.value: 0 for state in State}
    for link in links:
        key = key_of(link)
        old = stands.pop(key, None)
        row = _judge_one(work, link, key, known.get(frozenset((link.a, link.b))), old)
        rows.append(row)
        states[row.state] += 1
        was_bad, is_bad = old is not None and old.bad_since is not None, row.bad_since is not None
        if was_bad != is_bad:
            changed.append((key, Alarm.BAD if is_bad else Alarm.NONE))
    upsert(work.source, rows)
    gone = _gone(work, stands.values(), {end for link in links for end in (link.a, link.b)})
    for key, alarm in changed:
        _tell(LinkQuality.objects.select_related("link__cable").get(source=work.source, key=key), alarm, work.names)
    confirmed = sum(alarm is Alarm.BAD for _, alarm in changed)
    return Told(len(work.now), len(rows), states, confirmed, len(changed) - confirmed + gone)


def _judge_one(work: _Work, link: SeenLink, key: str, link_id: int | None, old: Stood | None) -> Row:
    since = old.evaluated_from if old is not None else None
    gbps = link_gbps(link.width, link.speed)
    ends = work.end("a", link.a, since), work.end("b", link.b, since)
    shown_of = work.judge(gbps, ends)
    judgement = shown_of.judgement
    standing = Standing(Alarm(old.alarm), old.alarm_since) if old is not None else Standing()
    if judgement.state is State.BAD or standing.alarm is not Alarm.NONE:
        newest = work.newest((link.a, link.b), gbps)
        standing = follow(standing, judgement, newest, work.at, CONFIRM_AFTER - CLOCK)
    bad_since = old.bad_since if old is not None else None
    if standing.alarm is Alarm.BAD and bad_since is None:
        bad_since = work.at
    elif standing.alarm is Alarm.NONE:
        bad_since = None
    names = {"a": work.name(link.a), "b": work.name(link.b)}
    told = by_window(work.rates_told(ends[0]), work.rates_told(ends[1]))
    return row_of(link, key, link_id, gbps, names, shown_of, told, standing, bad_since, work.at, old)


def _gone(work: _Work, missing: Iterable[Stood], used: set[SeenPort]) -> int:
    """Links that are not there any more: forgotten where their ports hold other cables or nothing was wrong, unknown
    where a bad one is dark. Returns how many bad ones were cleared."""
    forget: list[int] = []
    dark: list[int] = []
    cleared: list[int] = []
    for row in missing:
        moved = SeenPort(row.a_guid, row.a_port) in used or SeenPort(row.b_guid, row.b_port) in used
        if row.bad_since is None or moved:
            forget.append(row.pk)
            if row.bad_since is not None:
                cleared.append(row.pk)
        else:
            dark.append(row.pk)
    for whole in LinkQuality.objects.select_related("link__cable").filter(pk__in=cleared).order_by("pk"):
        whole.reason = "the cable is not there any more"
        _tell(whole, Alarm.NONE, work.names)
    drop(forget)
    LinkQuality.objects.filter(pk__in=dark).exclude(state=State.UNKNOWN.value).update(
        state=State.UNKNOWN.value, rank=LinkQuality.RANK[LinkQuality.State.UNKNOWN], since=work.at,
        reason="the link is not seen any more",
    )  # fmt: skip
    return len(cleared)


def _tell(row: LinkQuality, alarm: Alarm, names: Mapping[str, str]) -> None:
    """`link.bad` when the second window confirmed it, `link.good` when two windows showed it right."""
    link = row.link
    emit(
        "link.bad" if alarm is Alarm.BAD else "link.good",
        site_id=row.site_id,
        subject=f"link:{row.source_id}:{row.key}",
        data={
            "quality": row.pk,
            "source": row.source_id,
            "key": row.key,
            "link": link.key if link is not None else None,
            "cable": {"id": link.cable_id, "label": link.cable.label} if link is not None and link.cable else None,
            "reason": row.reason,
            "measures": row.measures,
            "a": {"guid": row.a_guid, "port": row.a_port, "name": names.get(row.a_guid, "")},
            "b": {"guid": row.b_guid, "port": row.b_port, "name": names.get(row.b_guid, "")},
        },
        actor="link quality",
    )


def mark_stale(now: datetime | None = None) -> int:
    """Links that were not measured for too long become unknown; returns how many."""
    now = now or timezone.now()
    count = 0
    for source in FabricSource.objects.filter(link_qualities__isnull=False).distinct():
        limit = now - timedelta(seconds=max(thresholds_of(source).fresh_s, 2.5 * source.period_s))
        old = LinkQuality.objects.filter(source=source, measured_at__lt=limit).exclude(state=State.UNKNOWN.value)
        count += old.update(
            state=State.UNKNOWN.value, rank=LinkQuality.RANK[LinkQuality.State.UNKNOWN], since=now,
            reason=f"not measured since {limit:%Y-%m-%d %H:%M} UTC",
        )  # fmt: skip
    return count
