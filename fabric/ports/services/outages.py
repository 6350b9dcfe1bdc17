"""Taking links out of use and giving them back: proposed with cause and evidence, approved, and never forgotten.

The lock order is the site's policy, then the action. The policy's row is locked while links out of use are counted, so
two actions cannot both take the last path of a switch.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from core.work.queue import after_commit
from fabric.discovery.hooks import Use
from fabric.discovery.models.seen import FabricLink
from fabric.discovery.models.sources import FabricSource
from fabric.ports.models import PortAction, PortPolicy
from fabric.ports.queries import paths_of
from fabric.ports.rule import room_in_budget, shortages
from fabric.ports.services.control import controls
from live.events import emit

BY_POLICY = "policy"
ENDED = [state.value for state in PortAction.ENDED]
TOUCHED = [state.value for state in PortAction.TOUCHED]
OUT = [*TOUCHED, PortAction.State.APPROVED.value, PortAction.State.DRY_RUN.value]
TELLS = ("id", "action", "link", "owner", "cause", "state", "wanted", "message")


class PortRefused(Exception):
    """What was asked may not be done, in words for a person."""


# ---- deciding ----


@transaction.atomic
def propose(
    source_id: int,
    link_key: str,
    *,
    owner: str,
    cause: str,
    by: str,
    action: str = PortAction.Action.ISOLATE,
    evidence: dict[str, Any] | None = None,
) -> PortAction:
    """Propose to take a link out of use; the site's policy may approve it at once. Proposing twice keeps the first.

    Raises PortRefused for a link that is not known or whose source cannot do it.
    """
    source = FabricSource.objects.get(pk=source_id)
    policy = lock_policy(source.site_id)
    there = PortAction.objects.filter(source=source, link=link_key, owner=owner).exclude(state__in=ENDED).first()
    if there is not None:
        if there.state == PortAction.State.PROPOSED:
            _approve_by_policy(there, policy)
        return there
    link = FabricLink.objects.filter(source=source, key=link_key).first()
    if link is None:
        raise PortRefused(f"{source.name} has no link {link_key}.")
    if not controls(source):
        raise PortRefused(f"{source.name} cannot disable ports.")
    if not link.a_guid or not link.b_guid:
        raise PortRefused(f"{link_key} was not seen at both ends: there is nothing to disable.")
    found = PortAction.objects.create(
        site_id=source.site_id, source=source, action=action, link=link_key, owner=owner, cause=cause[:300],
        evidence=evidence or {}, proposed_by=by,
        a_name=link.a_name, a_number=link.a_number, a_guid=link.a_guid, a_port_id=link.a_port_id,
        b_name=link.b_name, b_number=link.b_number, b_guid=link.b_guid, b_port_id=link.b_port_id,
    )  # fmt: skip
    found.refresh_from_db()
    tell(found, by)
    _approve_by_policy(found, policy)
    return found


def _approve_by_policy(action: PortAction, policy: PortPolicy) -> None:
    if policy.approval != PortPolicy.Approval.POLICY:
        return
    out = PortAction.objects.filter(site_id=policy.pk, state__in=OUT).values("source", "link").distinct().count()
    reason = "" if room_in_budget(policy.budget, out) else f"{out} of {policy.budget} links are disabled already"
    reason = reason or _short(action, policy)
    if reason:
        _say(action, f"The policy leaves it to a person: {reason}.")
    else:
        _approved(action, policy, BY_POLICY)


@transaction.atomic
def approve(action_id: int, *, by: str) -> PortAction:
    """An operator approves. Raises PortRefused when too few paths would remain, or when it is too late."""
    action, policy = _locked(action_id)
    if action.state != PortAction.State.PROPOSED:
        raise PortRefused(f"It is {action.get_state_display()} already.")
    if reason := _short(action, policy):
        raise PortRefused(f"{reason[0].upper()}{reason[1:]}.")
    _approved(action, policy, by)
    return action


def _approved(action: PortAction, policy: PortPolicy, by: str) -> None:
    action.approved_by, action.approved_at = by, timezone.now()
    if policy.automation == PortPolicy.Automation.ON:
        action.state, action.message = PortAction.State.APPROVED, ""
        action.attempts, action.next_try_at = 0, timezone.now()
        _soon()
    else:
        action.state = PortAction.State.DRY_RUN
        action.message = f"The site's ports are a dry run: {action.ends} would be disabled."
    action.save()
    tell(action, by)


@transaction.atomic
def refuse(action_id: int, *, by: str, reason: str) -> PortAction:
    """An operator refuses a proposal. Raises PortRefused when it is none any more."""
    action, _ = _locked(action_id)
    if action.state != PortAction.State.PROPOSED:
        raise PortRefused(f"It is {action.get_state_display()} already.")
    action.state, action.ended_at, action.message = PortAction.State.REFUSED, timezone.now(), reason[:500]
    action.save()
    tell(action, by)
    return action


@transaction.atomic
def enable(action_id: int, *, by: str, reason: str) -> PortAction:
    """Give a link back into use. What was never touched is over at once; the rest when the source says so."""
    action, _ = _locked(action_id)
    if action.is_live:
        _want_free(action, by, reason)
    return action


@transaction.atomic
def keep(action_id: int, *, by: str) -> PortAction:
    """Leave a link out of use although what it was for is over: from now on a person's, and the site is reminded."""
    action, _ = _locked(action_id)
    action.message = f"{by} kept it disabled; it was for {action.owner}."
    action.owner = f"person:{by}"[:60]
    action.save()
    tell(action, by)
    return action


def enable_all(owner: str, *, by: str, reason: str) -> list[PortAction]:
    """Give back every link that this owner wanted out of use; returns them. Safe to call twice."""
    with transaction.atomic():
        live = PortAction.objects.filter(owner=owner).exclude(state__in=ENDED)
        for site_id in sorted(set(live.values_list("site_id", flat=True))):
            lock_policy(site_id)
        actions = list(live.select_for_update(of=("self",)).order_by("pk"))
        for action in actions:
            _want_free(action, by, reason)
        return actions


def _want_free(action: PortAction, by: str, reason: str) -> None:
    if action.wanted == "free":
        return
    now = timezone.now()
    action.wanted, action.free_wanted_at, action.free_wanted_by, action.free_reason = "free", now, by, reason[:300]
    action.attempts, action.next_try_at = 0, now
    if action.state in TOUCHED:
        _soon()
    else:
        action.state, action.ended_at = PortAction.State.FREE, now
    action.save()
    tell(action, by)


# ---- rules ----


def _short(action: PortAction, policy: PortPolicy) -> str:
    """Why the paths at its ends would not suffice; empty when they do."""
    return _missing_paths(action.source, action.link, {action.a_name, action.b_name}, policy, action.pk)


def floor_problem(source: FabricSource, link_key: str) -> str:
    """Why a link may not be taken out of use, by hand either; empty when enough paths would remain."""
    link = FabricLink.objects.filter(source=source, key=link_key).first()
    policy = PortPolicy.objects.filter(site_id=source.site_id).first() or PortPolicy(site_id=source.site_id)
    names = {link.a_name, link.b_name} if link is not None else set()
    return _missing_paths(source, link_key, names, policy, None)


def _missing_paths(source: FabricSource, link_key: str, switches: set[str], policy: PortPolicy, own: int | None) -> str:
    if problem := unknown_because(source):
        return problem
    others = PortAction.objects.filter(source=source, state__in=OUT).exclude(pk=own or 0)
    taken = set(others.values_list("link", flat=True))
    try:
        found = shortages(paths_of(source, switches), taken=taken, wanted={link_key}, floor=policy.floor_share)
    except ValueError:
        return f"{link_key} is not a link of {source.name} any more"
    return "; ".join(str(shortage) for shortage in found)


def unknown_because(source: FabricSource) -> str:
    """Why nobody knows which paths there are now; empty when it is known."""
    if source.state != FabricSource.State.OK or source.last_good_at is None:
        return f"the paths are not known: {source.name} is {source.get_state_display()}"
    if timezone.now() - source.last_good_at > timedelta(seconds=source.stale_after_s):
        return f"the paths are not known: {source.name} was read last at {source.last_good_at:%Y-%m-%d %H:%M}"
    return ""


# ---- policy ----


def lock_policy(site_id: int) -> PortPolicy:
    PortPolicy.objects.get_or_create(site_id=site_id)
    return PortPolicy.objects.select_for_update(of=("self",)).get(site_id=site_id)


@transaction.atomic
def set_policy(site_id: int, *, by: str, **changes: Any) -> PortPolicy:
    """Change what a site allows. Turned on, what was only written down is decided upon again."""
    policy = lock_policy(site_id)
    for name, value in changes.items():
        setattr(policy, name, value)
    policy.save()
    if policy.automation == PortPolicy.Automation.ON:
        waiting = PortAction.objects.select_for_update(of=("self",)).filter(
            site_id=site_id, state=PortAction.State.DRY_RUN
        )
        for action in waiting.select_related("source"):
            action.state = PortAction.State.PROPOSED
            if reason := _short(action, policy):
                _say(action, f"Not carried out: {reason}.")
            else:
                _approved(action, policy, action.approved_by)
    return policy


# ---- telling ----


def _locked(action_id: int) -> tuple[PortAction, PortPolicy]:
    site_id = PortAction.objects.values_list("site_id", flat=True).get(pk=action_id)
    policy = lock_policy(site_id)
    actions = PortAction.objects.select_for_update(of=("self",)).select_related("source")
    return actions.get(pk=action_id), policy


def _say(action: PortAction, message: str) -> None:
    action.message = message[:500]
    action.save()
    tell(action, BY_POLICY)


def tell(action: PortAction, by: str, kind: str = "port.changed") -> None:
    """Tell the other rooms and the dashboard. The caller holds the action's lock."""
    told = {name: getattr(action, name) for name in TELLS} | {"ends": action.ends}
    emit(kind, site_id=action.site_id, subject=f"port-action:{action.pk}", data=told, actor=by)


def _soon() -> None:
    after_commit("fabric.ports.tasks.carry_out_port_actions")


# ---- the source ----


def in_the_way(source: FabricSource) -> str:
    """Why a source cannot be removed: it is needed to give links back."""
    out = PortAction.objects.filter(source=source, state__in=TOUCHED).exists()
    return "Links are disabled by this source: re-enable them first." if out else ""


def forget(source: FabricSource) -> None:
    """Remove what is kept of the links of a source."""
    PortAction.objects.filter(source=source).delete()


USE = Use(in_the_way, forget)
