"""Read a site's Prometheus: steps of runs that nobody reports, readings of GPUs. By the clock, and when asked.

What was read comes in by the same door as reports (`runs.services.intake`). A run whose launcher reports its steps is
left to it. Everything may be read twice: steps are known by their ends, readings are replaced. Network is never inside
a transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import structlog
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from core.errors import Conflict
from core.work.alone import alone
from core.work.locks import only_here
from core.work.queue import after_commit
from runs.metrics import gpus
from runs.metrics.client import NotReachable, client_of
from runs.metrics.kinds import KINDS, OF_RUN, SHIPPED, STEP
from runs.metrics.points import LOOK_BACK, Found, Known, steps_of
from runs.metrics.questions import Question, Told, ask
from runs.metrics.template import NotKnown, filled
from runs.models import MetricsSource, TrainingRun
from runs.services import intake

log = structlog.get_logger(__name__)
LOCK, LOCK_OF_RUN = 7_233, 7_234
WITHIN_S, PAST_WITHIN_S = 60.0, 400.0
POINTS = 1440
"""Points of a series in one question: six hours at 15 s."""
LATE_S = 600.0
"""Points may come so late: what was read is read again from so long before."""
LAST_READ = timedelta(minutes=15)
"""A run that ended is read so long after it, until its last steps are there."""
MOST_RUNS = 300
MOST_SPANS = 400
"""Of one reading of a past run: 100 days at 15 s."""
GPUS_EVERY = timedelta(minutes=2)
NO_SERIES = "No series of its steps"
OFF = "Not read any more: it was switched off."
StepsFrom, State = TrainingRun.StepsFrom, MetricsSource.State


# ---- settings ----
def settings_of(site_id: int) -> MetricsSource:
    """Those of the site, or the usual ones, which are switched off."""
    return MetricsSource.objects.filter(pk=site_id).first() or MetricsSource(site_id=site_id)


@transaction.atomic
def set_settings(site_id: int, **told: Any) -> MetricsSource:
    """Change what was told. What is known of another server is forgotten."""
    row, _ = MetricsSource.objects.select_for_update().get_or_create(pk=site_id)
    if "url" in told and told["url"] != row.url:
        told |= {"state": State.NEVER, "message": "", "gpus_message": "", "last_good_at": None}
    if "queries" in told:
        both = row.queries | told["queries"]
        told["queries"] = {kind: query for kind, query in both.items() if query != SHIPPED[kind]}
    switched_off = row.enabled and told.get("enabled") is False
    for name, value in told.items():
        setattr(row, name, value)
    row.save()
    if switched_off:
        live = TrainingRun.objects.filter(site_id=site_id, ended_at=None)
        live.exclude(metrics_message="").update(metrics_message="")
        live.filter(steps_from=StepsFrom.PROMETHEUS).update(metrics_message=OFF)
    return row


def queries_of(source: MetricsSource) -> dict[str, str]:
    """By kind; empty: not asked for."""
    return SHIPPED | {kind: query for kind, query in source.queries.items() if kind in KINDS}


# ---- which runs ----
def unreported(site_id: int) -> QuerySet[TrainingRun]:
    """Runs whose steps nobody reports."""
    return TrainingRun.objects.filter(Q(steps=0) | Q(steps_from=StepsFrom.PROMETHEUS), site_id=site_id)


def _to_read(site_id: int, now: datetime) -> list[TrainingRun]:
    """Those that go on or have just ended; who was read longest ago comes first."""
    lately = Q(ended_at__gte=now - LAST_READ) & (Q(metrics_to=None) | Q(metrics_to__lt=F("ended_at")))
    rows = unreported(site_id).filter(Q(ended_at=None) | lately)
    return list(rows.order_by(F("metrics_to").asc(nulls_first=True), "pk")[:MOST_RUNS])


class Plan(NamedTuple):
    run: int
    known: Known | None
    question: Question | None
    problem: str = ""
    """Why nothing can be asked of it."""


def plan_of(run: TrainingRun, source: MetricsSource, now: datetime) -> Plan:
    """What is asked of a run: from a little before what is known, so that means have their length."""
    known = None
    if run.last_step_at is not None and run.last_step is not None:
        known = Known(run.last_step, run.last_step_at.timestamp())
    texts = {kind: query for kind, query in queries_of(source).items() if kind in OF_RUN and query}
    if STEP not in texts:
        return Plan(run.pk, known, None, "The site has no query of steps.")
    try:
        queries = {kind: filled(texts[kind], facts_of(run)) for kind in OF_RUN if kind in texts}
    except NotKnown as error:
        return Plan(run.pk, known, None, f"{str(error)[:1].upper()}{str(error)[1:]}.")
    step = source.step_s
    began, until = run.started_at.timestamp(), (run.ended_at or now).timestamp()
    read_to = run.metrics_to.timestamp() - LATE_S if run.metrics_to is not None else began
    first = max(began, known.at if known is not None else began, read_to)
    start = max(began, first - LOOK_BACK * step) // step * step
    end = min(until, first + (POINTS - LOOK_BACK - 2) * step) // step * step
    if end < start:
        return Plan(run.pk, known, None)  # younger than a point
    return Plan(run.pk, known, Question(queries, start, end, step))


def facts_of(run: TrainingRun) -> dict[str, str]:
    return {"job": run.job, "run": run.key, "name": run.name, "user": run.user, "attempt": str(run.attempt)}


# ---- by the clock ----
def due() -> list[int]:
    """Sites whose Prometheus is read."""
    return list(MetricsSource.objects.filter(enabled=True).order_by("pk").values_list("pk", flat=True))


def read_site(site_id: int) -> int:
    """Read what is new of the site's live runs and of their GPUs; returns how many steps were stored. One worker at a
    time; what a source does not tell is kept with each run, and with the source."""
    with only_here(LOCK, site_id) as mine:
        source = MetricsSource.objects.filter(pk=site_id, enabled=True).first() if mine else None
        return _read(source, timezone.now()) if source is not None else 0


def _read(source: MetricsSource, now: datetime) -> int:
    plans = [plan_of(run, source, now) for run in _to_read(source.pk, now)]
    asked = [plan for plan in plans if plan.question is not None]
    look = gpus.look_of(source.pk, queries_of(source), now) if _gpus_due(source, now) else gpus.NOTHING
    questions = [*(plan.question for plan in asked if plan.question is not None), *look.questions]
    alive = Question({"alive": "vector(1)"}, now.timestamp(), now.timestamp(), 1)
    try:
        told = ask(client_of(source), questions or [alive], WITHIN_S)
    except NotReachable as error:
        told = [Told(failed=str(error)) for _ in questions or [alive]]
    stored = 0
    for plan, one in zip(asked, told, strict=False):
        with alone("metrics_of_run_not_kept", run=plan.run):
            stored += _keep(plan, one, source.step_s, now)
    for plan in plans:
        if plan.problem:
            _note(plan.run, plan.problem)
    missing = None
    if look.questions:
        with alone("metrics_of_gpus_not_kept", site=source.pk):
            missing = "; ".join(gpus.keep(look, told[len(asked) :], source, now))
    _record(source, told, missing, now)
    return stored


def _gpus_due(source: MetricsSource, now: datetime) -> bool:
    return source.gpus_read_at is None or now - source.gpus_read_at >= GPUS_EVERY


def _record(source: MetricsSource, told: Sequence[Told], missing: str | None, now: datetime) -> None:
    """What is known of the source itself. `missing`: of GPUs, where these were asked for this time."""
    failed = next((one.failed for one in told if one.failed), "")
    problems = list(dict.fromkeys(text for one in told for text in one.problems))
    fields: dict[str, Any] = {"tried_at": now}
    if failed:
        log.warning("prometheus_not_read", site=source.pk, error=failed)
        fields |= {"state": State.FAILED, "message": failed[:500]}
    else:
        more = f" (and {len(problems) - 2} more)" if len(problems) > 2 else ""
        fields |= {"message": "; ".join(problems[:2])[:450] + more, "last_good_at": now}
        if missing is not None:
            fields |= {"gpus_message": missing[:300], "gpus_read_at": now}
        of_gpus = source.gpus_message if missing is None else missing
        fields["state"] = State.PARTLY if problems or of_gpus else State.GOOD
    MetricsSource.objects.filter(pk=source.pk, url=source.url).update(**fields)


# ---- keeping ----
def _keep(plan: Plan, told: Told, step_s: float, now: datetime) -> int:
    """Store what was told of a run. One transaction; nothing where somebody else told of it meanwhile."""
    assert plan.question is not None
    found = steps_of(told.answers, step_s, plan.known)
    with transaction.atomic():
        run = TrainingRun.objects.select_for_update(no_key=True).get(pk=plan.run)
        if run.steps and run.steps_from != StepsFrom.PROMETHEUS:
            return 0
        stored = intake.take_measured(run, found.steps, now)
        if STEP in told.answers:
            run.metrics_to = _moment(found.seen if found.cut and found.seen else plan.question.end)
        if found.seen is not None:
            run.metrics_at = max(filter(None, (run.metrics_at, _moment(found.seen))))
        message = _message(found, told, plan.question)
        news = stored or message != run.metrics_message
        run.metrics_message = message
        run.save()
        if news:
            intake.announce(run)
    return stored


def _message(found: Found, told: Told, question: Question) -> str:
    if told.failed:
        return f"Not read: {told.failed}"[:300]
    if told.problems:
        return "; ".join(told.problems)[:300]
    if found.seen is None:
        since, until = (_moment(at).strftime("%H:%M") for at in (question.start, question.end))
        return f"{NO_SERIES} from {since} to {until} UTC."
    return ""


def _note(run_id: int, problem: str) -> None:
    TrainingRun.objects.filter(pk=run_id).exclude(metrics_message=problem[:300]).update(metrics_message=problem[:300])


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


# ---- past runs ----
def start_past(run: TrainingRun) -> None:
    """Ask for the whole span of a run to be read. Raises Conflict where that cannot be."""
    if not settings_of(run.site_id).enabled:
        raise Conflict("The Prometheus of this site is not read: switch it on in its settings.", "refused")
    if not unreported(run.site_id).filter(pk=run.pk).exists():
        raise Conflict("Its launcher reported its steps.", "refused")
    after_commit("runs.tasks.read_past_metrics", run.pk)


def read_past(run_id: int) -> int:
    """Read a run from where it was read to, span by span, and its GPUs at its end; returns how many steps were stored.

    A span that fails ends it; asked once more it goes on there. One of which no step was found is read from its start.
    """
    with only_here(LOCK_OF_RUN, run_id) as mine:
        return _read_past(run_id) if mine else 0


def _read_past(run_id: int) -> int:
    run = TrainingRun.objects.get(pk=run_id)
    source = settings_of(run.site_id)
    if not source.enabled or not unreported(run.site_id).filter(pk=run_id).exists():
        return 0
    if run.steps == 0:
        run.metrics_to = None
    stored, until = 0, timezone.now() + timedelta(seconds=PAST_WITHIN_S)
    for _ in range(MOST_SPANS):
        now = timezone.now()
        plan = plan_of(run, source, now)
        if plan.question is None:
            _note(run_id, plan.problem)
            break
        try:
            (told,) = ask(client_of(source), [plan.question], WITHIN_S)
        except NotReachable as error:
            told = Told(failed=str(error))
        stored += _keep(plan, told, source.step_s, now)
        before, run = run, TrainingRun.objects.get(pk=run_id)
        ended = plan.question.end + source.step_s > (run.ended_at or now).timestamp()
        if told.failed or STEP not in told.answers or ended or run.metrics_to == before.metrics_to or now > until:
            break
    if run.ended_at is not None:
        look = gpus.look_of_run(run, queries_of(source))
        if look.questions:
            try:
                gpus.keep(look, ask(client_of(source), look.questions, WITHIN_S), source, run.ended_at)
            except NotReachable as error:
                log.warning("gpus_of_past_run_not_read", run=run_id, error=str(error))
    return stored
