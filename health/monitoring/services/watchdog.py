"""Look whether what looks still looks. Needs neither beat nor workers: requests and the relay call it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone
from redis.exceptions import RedisError

from core.database import prepared
from core.instance import programs, space
from core.models import Site
from core.work.alone import alone
from health.machines import hooks
from health.machines.lifecycle import NOT_SWEPT
from health.machines.specs import why_unusable
from health.monitoring import hooks as monitoring_hooks
from health.monitoring import watchdog
from health.monitoring.services.sweeps import periods
from health.monitoring.watchdog import Problem, Sign
from inventory.models.stored_json import read_json
from live import pulse, relay
from live.events import emit

SWEEPS_MISSED = 3
PULSE_LIMIT_S = 60.0
FEED_LIMIT_S = 30.0
EVENT = "watchdog.changed"
_NOT_SWEPT = [state.value for state in NOT_SWEPT]

LAST_SWEEPS = """
SELECT site.id, site.name, min(health.state_since), (
    SELECT max(sweep.finished_at) FROM health_sweep sweep
    WHERE sweep.site_id = site.id AND sweep.kind = 'scheduled' AND sweep.status = 'finished'
)
FROM core_site site
JOIN inventory_device device ON device.site_id = site.id
JOIN health_machinehealth health ON health.machine_id = device.id
WHERE health.state <> ALL(%(not_swept)s)
    AND (%(sites)s::bigint[] IS NULL OR site.id = ANY(%(sites)s))
GROUP BY site.id ORDER BY site.name
"""


def signs(sites: list[int] | None = None, now: datetime | None = None) -> list[Sign]:
    """Every sign of life that concerns these sites (None: all). Six queries and one command to the event store."""
    now = now or timezone.now()
    offered = [sign for signs_of in monitoring_hooks.signs for sign in signs_of(sites)]
    return [*_processes(now), *_sweeps(sites), *offered, *_models(sites)]


def _processes(now: datetime) -> list[Sign]:
    names = {"beat": "beat", **{f"worker:{queue}": queue for queue in settings.QUEUES}}
    try:
        heard, blind = pulse.heard(names), False
    except (RedisError, OSError):
        heard, blind = dict.fromkeys(names), True
    lag = timedelta(seconds=relay.lag_seconds())
    feed = Sign("feed", "feed", FEED_LIMIT_S, None if blind else now - lag)
    return [
        feed,
        *(
            Sign("beat" if name == "beat" else "workers", words, PULSE_LIMIT_S, heard[name], blind=blind)
            for name, words in names.items()
        ),
    ]


def _sweeps(sites: list[int] | None) -> list[Sign]:
    limit = SWEEPS_MISSED * periods.in_force().counted_s + settings.CONFIRM_DELAY_S
    with connection.cursor() as cursor:
        cursor.execute(LAST_SWEEPS, {"sites": sites, "not_swept": _NOT_SWEPT})
        return [Sign("sweeps", name, limit, last, since, site) for site, name, since, last in cursor.fetchall()]


MODELS = """
SELECT device.site_id, model.slug, model.spec::text, count(*)
FROM inventory_devicemodel model
JOIN inventory_device device ON device.model_id = model.id
JOIN health_machinehealth health ON health.machine_id = device.id
WHERE health.state <> ALL(%(not_swept)s)
    AND (%(sites)s::bigint[] IS NULL OR device.site_id = ANY(%(sites)s))
GROUP BY device.site_id, model.id ORDER BY device.site_id, model.slug
"""


def _models(sites: list[int] | None) -> list[Sign]:
    """Device models of machines that are looked at and cannot be used; of the others nothing is told."""
    with connection.cursor() as cursor:
        cursor.execute(MODELS, {"sites": sites, "not_swept": _NOT_SWEPT})
        rows = cursor.fetchall()
    told = [(site, slug, why_unusable(slug, read_json(spec)), machines) for site, slug, spec, machines in rows]
    return [
        Sign("device_model", slug, 0, None, None, site, broken=f"{why[0].upper()}{why[1:]} ({_machines(machines)}).")
        for site, slug, why, machines in told
        if why
    ]


def _machines(count: int) -> str:
    return "1 machine is not evaluated" if count == 1 else f"{count} machines are not evaluated"


def problems_here() -> list[Problem]:
    """What this machine itself says: a disk that is nearly full, programs in a crash loop. No query."""
    found = []
    if shortage := space.shortage():
        found.append(Problem("disk", "disk", f"{shortage} Sweeps pause.", None, watchdog.TODO["disk"]))
    for each in programs.crashing():
        text = f"{each.name} keeps ending: it {each.how}, {each.deaths} times in a row."
        found.append(Problem("crashing", each.name, text, each.at, watchdog.TODO["crashing"]))
    return found


def concerning(found: Iterable[Sign], site_id: int) -> list[Sign]:
    return [sign for sign in found if sign.site in (None, site_id)]


# ---- telling ----


def look() -> int:
    """Tell every site whose problems became others; returns how many. Called by the relay every few seconds."""
    now, told = timezone.now(), 0
    found, here = signs(now=now), problems_here()
    for site in Site.objects.order_by("id"):
        with alone("problems_not_told", site=site.pk):
            told += _tell(site.pk, [*here, *watchdog.judge(concerning(found, site.pk), now)])
    return told


@transaction.atomic
def _tell(site_id: int, problems: list[Problem]) -> bool:
    """Emit the problems of a site when they are others than those told last."""
    Site.objects.select_for_update().get(pk=site_id)
    before = {(each["kind"], each["name"]) for each in last_told(site_id)}
    if {(each.kind, each.name) for each in problems} == before:
        return False
    rows = [
        {"kind": p.kind, "name": p.name, "text": p.text, "since": _text(p.since), "what_to_do": p.what_to_do}
        for p in problems
    ]
    data = {"site": site_id, "problems": rows}
    emit(EVENT, site_id=site_id, subject=_subject(site_id), data=data, actor="watchdog")
    emit("notice.changed", site_id=site_id, subject=f"site:{site_id}", data={"notices": hooks.notices_of(site_id)})
    return True


LAST_TOLD = "SELECT data -> 'problems' FROM live_event WHERE subject = %s ORDER BY id DESC LIMIT 1"


def last_told(site_id: int) -> list[dict[str, Any]]:
    """The problems of a site as they were told last. One query."""
    return [problem for (told,) in prepared.rows(LAST_TOLD, [_subject(site_id)]) for problem in json.loads(told)]


def notices_of(site_id: int) -> list[dict[str, Any]]:
    """The same as messages above the floor map. What this machine says is asked now: a full disk keeps no event."""
    here = problems_here()
    told = [each for each in last_told(site_id) if each["kind"] not in ("disk", "crashing")]
    return [
        *({"kind": each.kind, "level": "error", "text": each.text, "what_to_do": each.what_to_do} for each in here),
        *(
            {
                "kind": "watchdog",
                "level": "warn",
                "text": each["text"],
                "since": each["since"],
                "what_to_do": each.get("what_to_do", ""),
                "link": "/reliability/watchdog",
            }
            for each in told
        ),
    ]


def _subject(site_id: int) -> str:
    return f"watchdog:{site_id}"


def _text(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
