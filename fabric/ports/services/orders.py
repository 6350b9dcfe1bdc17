"""Carrying out what was approved: each order is written down, given to the source, and its answer written down.

Nothing is called inside a transaction. A worker that is lost leaves `unknown` and a lease; the next one gives the same
order again, which changes nothing that is done already.
"""

from __future__ import annotations

import time
from collections import defaultdict
from datetime import timedelta

import structlog
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.work.kinds import Lease, LostLease, Work
from core.work.rules import Backoff
from fabric.facts import SeenPort
from fabric.ports.models import PortAction, PortPolicy
from fabric.ports.services.control import ControlRefused, ControlSilent, order_ports
from fabric.ports.services.outages import OUT, TOUCHED, lock_policy, tell
from health.machines.services import kill_switch
from live.events import emit

log = structlog.get_logger(__name__)

WORKER = "ports"
AT_ONCE = 32
STOPPED_S = 15
MOST_TRIES = 5  # of taking out of use; giving back is tried for ever
ROUNDS_S = 40.0  # no new order after this: a task has its own time limit
REMIND_EVERY = timedelta(days=1)

WORK = Work(
    name="port action",
    model=PortAction,
    open=Q(wanted="held", state__in=[PortAction.State.APPROVED, PortAction.State.UNKNOWN])
    | Q(wanted="held", state=PortAction.State.FAILED, attempts__lt=MOST_TRIES)
    | Q(wanted="free", state__in=TOUCHED),
    hold=Lease(120),
    due="next_try_at",
    attempts="attempts",
    retry=Backoff(15, 600),
    reason="message",
    taken=lambda action, now: {"state": PortAction.State.UNKNOWN},
)


def carry_out() -> int:
    """Give every order that is due; returns how many the source took. Safe to run at any time, and twice."""
    done, until = 0, time.monotonic() + ROUNDS_S
    while time.monotonic() < until and (claimed := claim()) is not None:
        action, was = claimed
        out = action.wanted == "held"
        by = kill_switch.is_person(action.approved_by if out else action.free_wanted_by)
        if why := kill_switch.why_stopped(action.site_id, by_person=by):
            put_back(action, was, why)
            continue
        ports = [SeenPort(action.a_guid, action.a_number), SeenPort(action.b_guid, action.b_number)]
        state, message = PortAction.State.HELD if out else PortAction.State.FREE, ""
        try:
            order_ports(action.source, ports, action.action, out=out)
        except ControlRefused as error:
            state, message = PortAction.State.FAILED, str(error)
        except ControlSilent as error:
            state, message = PortAction.State.UNKNOWN, f"{action.source.name} did not answer: {error}"
        done += record(action, state, message)
    return done


@transaction.atomic
def put_back(claimed: PortAction, was: str, why: str) -> None:
    """An order that the kill switch stopped stands as it did before it was claimed, says so, and is due again soon."""
    lock_policy(claimed.site_id)
    if WORK.put_back(claimed, why, after_s=STOPPED_S, uncounted=True, state=PortAction.State(was)):
        tell(claimed, WORKER)


def claim() -> tuple[PortAction, str] | None:
    """The next action that is due, written down as about to be done, and its state before that. One that needs no call
    is done here."""
    while True:
        with transaction.atomic():
            found = WORK.due_rows().first()
            if found is None:
                return None
            policy = lock_policy(found.site_id)  # before the action, as whoever counts the site's links does
            rows = WORK.due_rows(rows=PortAction.objects.filter(pk=found.pk).select_related("source"))
            action = rows.select_for_update(of=("self",), skip_locked=True).first()
            if action is None:
                return None
            if not _needs_a_call(action, policy):
                continue
            was = action.state
            action.save(update_fields=WORK.lease_row(action, timezone.now()))
            return action, was


def _needs_a_call(action: PortAction, policy: PortPolicy) -> bool:
    untouched = action.state == PortAction.State.APPROVED and action.held_at is None
    if action.wanted == "held" and untouched and policy.automation != PortPolicy.Automation.ON:
        action.state, action.message = PortAction.State.DRY_RUN, "The site's ports became a dry run."
        action.save()
        tell(action, WORKER)
        return False
    if action.wanted == "free" and (other := _also_wanted(action)) is not None:
        action.state, action.ended_at, action.lease_until = PortAction.State.FREE, timezone.now(), None
        action.message = f"Still disabled for {other.owner}."
        action.save()
        tell(action, WORKER)
        return False
    return True


def _also_wanted(action: PortAction) -> PortAction | None:
    """Another action that wants the same link out of use."""
    same = PortAction.objects.filter(source=action.source, link=action.link, wanted="held", state__in=OUT)
    return same.exclude(pk=action.pk).exclude(state=PortAction.State.DRY_RUN).first()


@transaction.atomic
def record(claimed: PortAction, state: str, message: str) -> bool:
    """Write down how an order went, while it is ours; returns whether the source took it. A wish that changed meanwhile
    is still due."""
    lock_policy(claimed.site_id)
    try:
        action = WORK.hold_on(claimed)
    except LostLease:
        return False
    now, took = timezone.now(), state in (PortAction.State.HELD, PortAction.State.FREE)
    if state == PortAction.State.HELD:
        WORK.finish(action, attempts=0, message=message, state=state, held_at=action.held_at or now)
    elif took and action.wanted == "free":
        WORK.finish(action, attempts=0, message=message, state=state, ended_at=now)
    elif took:
        WORK.finish(action, attempts=0, message=message, state=PortAction.State.APPROVED)
    else:
        WORK.put_back(action, message, after_s=None if action.wanted == claimed.wanted else 0, state=state)
        log.warning("port_order_failed", action=action.pk, wanted=action.wanted, state=state, error=message)
    kinds = {PortAction.State.HELD: "port.disabled", PortAction.State.FREE: "port.enabled"}
    tell(action, WORKER, kinds.get(PortAction.State(state), "port.changed"))
    return took


def remind() -> int:
    """Say once a day, per site, which links have been out of use for too long; returns how many were named."""
    now, named = timezone.now(), 0
    for policy in PortPolicy.objects.filter(site__port_actions__state__in=TOUCHED).distinct():
        with transaction.atomic():
            lock_policy(policy.pk)
            old = now - timedelta(days=policy.remind_after_days)
            due = Q(reminded_at=None) | Q(reminded_at__lte=now - REMIND_EVERY)
            rows = PortAction.objects.select_for_update(of=("self",)).filter(
                due, site_id=policy.pk, state__in=TOUCHED, approved_at__lte=old
            )
            left: dict[str, list[str]] = defaultdict(list)
            for action in rows:
                left[action.owner].append(action.ends)
                action.reminded_at = now
                action.save(update_fields=["reminded_at"])
            if left:
                count = sum(len(ends) for ends in left.values())
                named += count
                emit(
                    "port.left_out",
                    site_id=policy.pk,
                    subject=f"site:{policy.pk}",
                    data={"links": count, "days": policy.remind_after_days, "by_owner": dict(left)},
                    actor=WORKER,
                )
    return named
