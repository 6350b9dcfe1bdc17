"""A worker's turn at a placement: who begins, what each machine is asked, and what came of it.

What is pulled goes on on its machine without us; a worker that is lost leaves it, and the next one asks how it is. The
kill switch is asked right before anything is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog
from django.db import connection, transaction
from django.utils import timezone

from core.outgoing.binding import Refused
from core.work.kinds import LostLease
from drivers.https import ApplianceError
from drivers.registry.client import Manifest
from drivers.shell import UnsafeWord
from drivers.ssh import SshResult
from health.diagnostics.services import sessions
from provisioning.images import progress, queries, services
from provisioning.images.commands import Image, Seat, Unplaceable, seat_of
from provisioning.images.decisions import MOST_SILENT, Came, Step, Task, came, script_of
from provisioning.images.logins import secret
from provisioning.images.models import ImagePlacement, PlacedImage
from provisioning.images.services import WORK
from provisioning.mirrors.queries import registry_of
from provisioning.mirrors.registries import RegistryLogin, client_of, login_of
from provisioning.waves import holds
from provisioning.waves.policy import (
    BAD,
    Begin,
    MachineState,
    Over,
    Policy,
    RunState,
    Standing,
    Stop,
    next_rolling,
    why_stop,
)

log = structlog.get_logger(__name__)
ACTOR = "images"
ADMISSION = 7_214
"""Workers decide one after the other who begins: limits hold over all placements."""
SOONEST_S, LATEST_S = 3.0, 30.0
SILENT_S = 10.0
RESOLVE_S = 20.0
AT_ONCE = 128
"""Machines that are asked in one turn."""


def advance(placement_id: int) -> str:
    """One turn. Returns what came of it: `busy`, `waits`, `went` or the state in which the placement ended."""
    row = WORK.take(placement_id)
    if row is None:
        return "busy"
    try:
        return _turn(row)
    except LostLease:
        return "busy"


def _turn(row: ImagePlacement) -> str:
    if row.cancelled_by:
        return _cancelled(row)
    if why := holds.why_stopped(row):
        WORK.put_back(row, why, after_s=LATEST_S, uncounted=True)
        return "waits"
    first = row.status == RunState.WAITING and not row.layers
    if row.action == ImagePlacement.Action.PLACE and (first or not row.digest):
        why = _resolve(row)
        if why and not row.digest:
            return _over(row, RunState.FAILED, why)
    try:
        login = _login(row)
    except Refused as error:
        return _over(row, RunState.FAILED, str(error))
    decided = _admit(row)
    if not isinstance(decided, list):
        return _over(row, *decided)
    if decided:
        _work_on(row, decided, login)
    WORK.put_back(row, after_s=_pause(row), uncounted=True, message="")
    return "went"


def _over(row: ImagePlacement, state: RunState, message: str) -> str:
    with transaction.atomic():
        services.end(WORK.hold_on(row), state, message)
    return state.value


def _pause(row: ImagePlacement) -> float:
    """Until the first machine is to be asked; shortly where nobody is under way and somebody waits for room."""
    now = timezone.now()
    due = row.machines.filter(status=MachineState.RUNNING.value).values_list("look_at", flat=True)
    seconds = [(at - now).total_seconds() if at else 0.0 for at in due]
    return min(LATEST_S, max(1.0, min(seconds, default=SOONEST_S)))


# ---- what the tag means ----


def _resolve(row: ImagePlacement) -> str:
    """Ask the site's registry once, so that all machines pull the same bytes; why that failed.

    Of a digest that a person named it is asked for the layers alone: without them nobody knows how far a pull is.
    """
    image = Image(row.reference)
    mirror = registry_of(row.site_id, image.registry)
    if mirror is None:
        return f"{image.registry} is none of this site's registries any more: name the digest"
    path, _, tag = image.reference.partition("/")[2].rpartition(":")
    known = row.digest

    async def ask() -> Manifest:
        async with asyncio.timeout(RESOLVE_S), client_of(mirror) as client:
            return await client.manifest(path, known or tag)

    try:
        manifest = asyncio.run(ask())
    except (ApplianceError, TimeoutError) as error:
        return f"{mirror.name} does not say what {image.reference} is: {error or f'no answer in {RESOLVE_S:g} s'}"
    with transaction.atomic():
        locked = WORK.hold_on(row)
        for each in (locked, row):
            each.digest, each.size_bytes, each.layers = manifest.digest, manifest.size_bytes, dict(manifest.layers)
        locked.save(update_fields=["digest", "size_bytes", "layers"])
    return ""


def _login(row: ImagePlacement) -> RegistryLogin | None:
    """What machines sign in with to pull. None: nothing is pulled, or the site keeps no login at this registry.

    Raises Refused where it may not go there.
    """
    if row.action != ImagePlacement.Action.PLACE or row.dry_run:
        return None
    mirror = registry_of(row.site_id, Image(row.reference).registry)
    return login_of(mirror) if mirror is not None else None


# ---- who begins ----


@transaction.atomic
def _admit(row: ImagePlacement) -> list[PlacedImage] | tuple[RunState, str]:
    """Let machines begin as far as there is room, and give those that are due; or how the placement ended."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [ADMISSION])
    placement = WORK.hold_on(row)
    rows = {each.pk: each for each in placement.machines.order_by("pk")}
    now = timezone.now()
    policy = Policy(placement.canary, placement.limit, placement.stop_share)
    standings = [_standing(placement, each) for each in rows.values()]
    step = next_rolling(standings, policy, queries.busy(), _most(placement, standings))
    match step:
        case Over():
            return _how_it_ended(standings, policy)
        case Stop(reason):
            left = placement.machines.filter(status=MachineState.WAITING.value)
            left.update(status=MachineState.CANCELLED.value, message=reason, finished_at=now)
        case Begin(wave, machines):
            for pk in machines:
                each = rows[pk]
                each.status, each.wave, each.started_at, each.look_at = MachineState.RUNNING.value, wave, now, now
            begun = [rows[pk] for pk in machines]
            PlacedImage.objects.bulk_update(begun, ["status", "wave", "started_at", "look_at"])
    if placement.status != RunState.RUNNING:
        placement.status = RunState.RUNNING.value
        placement.save(update_fields=["status"])
    if step is not None:
        services.tell(placement, ACTOR)
    due = [each for each in rows.values() if each.status == MachineState.RUNNING and (each.look_at or now) <= now]
    due.sort(key=lambda each: each.look_at or now)  # who waited longest, where more are due than are asked at once
    return due[:AT_ONCE]


def _most(placement: ImagePlacement, standings: Sequence[Standing]) -> dict[str, int]:
    """The limit of each rack and registry. Another placement may have a lower one; each holds to its own."""
    groups = {group for each in standings for group in each.groups}
    return {
        group: placement.rack_limit if group.startswith(queries.RACK) else placement.registry_limit for group in groups
    }


def _standing(placement: ImagePlacement, each: PlacedImage) -> Standing:
    groups = queries.groups_of(placement, each.rack)
    return Standing(each.pk, MachineState(each.status), each.wave, groups=groups)


def _how_it_ended(standings: Sequence[Standing], policy: Policy) -> tuple[RunState, str]:
    states = {each.state for each in standings}
    if MachineState.CANCELLED in states and (reason := why_stop(standings, policy)):
        return RunState.STOPPED, reason
    return (RunState.FAILED if states & BAD else RunState.DONE), ""


# ---- what each machine is asked ----


@dataclass(slots=True)
class _Asked:
    """A row, the step it is at, and what came of that."""

    row: PlacedImage
    task: Task
    came: Came


def _work_on(placement: ImagePlacement, rows: Sequence[PlacedImage], login: RegistryLogin | None) -> None:
    """Every machine as far as it goes now: the steps of all of them side by side, each kept as it comes."""
    expected = queries.expected_of([each.machine_id for each in rows])
    image = Image(placement.reference, placement.digest)
    removes = placement.action == ImagePlacement.Action.REMOVE
    users = queries.image_users(list(expected), image.reference) if removes else {}
    open_: list[_Asked] = []
    refused: list[_Asked] = []
    for row in rows:
        step: Step = "follow" if row.begun_at else "look"
        try:
            seat = seat_of(placement.engine, expected.get(row.machine_id, {}), image)
        except Unplaceable as error:
            ended = Came(state=MachineState.REFUSED, message=str(error))
            refused.append(_Asked(row, _task(placement, image, Seat(placement.engine), row, step), ended))
            continue
        task = _task(placement, image, seat, row, step)
        task = replace(task, username=login.username if login else "", users=tuple(users.get(row.machine_id, ())))
        open_.append(_Asked(row, task, Came(step=step)))
    if refused:
        _keep(placement, refused)
    while open_:
        writes = [each for each in open_ if each.task.step in ("pull", "settle", "remove")]
        if writes and holds.why_stopped(placement):
            open_ = [each for each in open_ if each not in writes]  # they are asked again in the next turn
            continue
        _ask(open_, login)
        _keep(placement, open_)
        open_ = [_at(each, following) for each in open_ if (following := each.came.step) is not None]


def _task(placement: ImagePlacement, image: Image, seat: Seat, row: PlacedImage, step: Step) -> Task:
    job = f"{placement.pk}.{row.pk}.{row.attempt}"
    return Task(image, seat, placement.action, placement.dry_run, job, step)


def _at(asked: _Asked, step: Step) -> _Asked:
    return _Asked(asked.row, replace(asked.task, step=step), asked.came)


def _ask(some: Sequence[_Asked], login: RegistryLogin | None) -> None:
    scripts: list[tuple[int, str]] = []
    sent: list[_Asked] = []
    told: dict[int, bytes] = {}
    for each in some:
        task = each.task
        try:
            script = script_of(task)
            if login is not None and task.step == "pull":
                told[each.row.machine_id] = secret(task.seat.engine, task.image, login)
            scripts.append((each.row.machine_id, script))
            sent.append(each)
        except (Unplaceable, UnsafeWord) as error:
            each.came = Came(state=MachineState.REFUSED, message=str(error))
    answers = sessions.ask(scripts, as_root=True, actor=ACTOR, told=told)
    for each, answer in zip(sent, answers, strict=True):
        each.came = _came(each.task, answer)


def _came(task: Task, answer: SshResult | None) -> Came:
    if answer is None or answer.failure is not None:
        return Came(silent=True, message=str(answer.failure) if answer is not None else "no address is known for it")
    text, errors = answer.stdout.decode("utf-8", "replace"), answer.stderr.decode("utf-8", "replace")
    return came(task, answer.exit_status, text, errors)


@transaction.atomic
def _keep(placement: ImagePlacement, some: Sequence[_Asked]) -> None:
    """Write down what came; raises LostLease where another worker has the placement by now."""
    locked = WORK.hold_on(placement)
    now = timezone.now()
    ended: list[_Asked] = []
    further = False
    for each in some:
        row, found = each.row, each.came
        row.silent = row.silent + 1 if found.silent else 0
        if found.begun:
            row.begun_at = now
        row.identity = found.identity or row.identity
        row.message = found.message[:500]
        if found.said and (far := progress.pulled(placement.engine, found.said, placement.layers or {})):
            row.pulled_bytes, row.pulled_of_bytes, row.pulled_at = far.bytes, far.of, now
            further = True
        if found.state is None and row.silent >= MOST_SILENT:
            found = replace(found, state=MachineState.UNREACHABLE)
        if found.state is not None:
            row.status, row.finished_at = found.state.value, now
            ended.append(each)
        row.look_at = now + timedelta(seconds=SILENT_S if found.silent else _next_look(row, now))
    PlacedImage.objects.bulk_update(
        [each.row for each in some],
        [
            "silent",
            "begun_at",
            "identity",
            "message",
            "status",
            "finished_at",
            "look_at",
            "pulled_bytes",
            "pulled_of_bytes",
            "pulled_at",
        ],
    )
    WORK.renew(placement)
    if ended or further:
        services.tell(locked, ACTOR)
    if ended:
        over = [each for each in ended if each.row.begun_at and each.row.status != MachineState.UNREACHABLE]
        transaction.on_commit(lambda: _tidy(over))


def _next_look(row: PlacedImage, now: datetime) -> float:
    """A pull that has gone on for long is asked less often."""
    since = (now - row.started_at).total_seconds() if row.started_at else 0.0
    return min(LATEST_S, max(SOONEST_S, since / 8))


def _tidy(some: Sequence[_Asked]) -> None:
    if some:
        sessions.ask(
            [(each.row.machine_id, script_of(replace(each.task, step="stop"))) for each in some],
            as_root=True, actor=ACTOR,
        )  # fmt: skip


def _cancelled(row: ImagePlacement) -> str:
    """End what is being pulled, then the placement. What a machine that does not answer pulls, it pulls to its end."""
    rows = list(row.machines.filter(status=MachineState.RUNNING.value, begun_at__isnull=False))
    expected = queries.expected_of([each.machine_id for each in rows])
    image = Image(row.reference, row.digest)
    stops: list[_Asked] = []
    for each in rows:
        try:
            seat = seat_of(row.engine, expected.get(each.machine_id, {}), image)
        except Unplaceable:
            seat = Seat("")
        stops.append(_Asked(each, _task(row, image, seat, each, "stop"), Came()))
    _tidy(stops)
    return _over(row, RunState.CANCELLED, f"cancelled by {row.cancelled_by}")
