"""Decisions of people about checks and classes of fault: made, changed and ended. Each write says `policy.changed`.

What is live holds once per check and scope; a decision that expired makes room for the next one. Of a refusal the
fields say what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from core.models import Site, User
from core.work.alone import alone
from core.work.queue import after_commit
from health.checks import CheckDeclaration, catalogue
from health.checks.model import MACHINE
from health.checks.reported import is_reported
from health.checks.responses import Response
from health.machines.specs import usable
from health.monitoring import hooks
from health.monitoring.models.policy import Decision, ObserveOnly, ResponseOverride, Silence, ThresholdOverride
from health.monitoring.services.fault_responses import is_class
from inventory.models import DeviceModel, Machine
from inventory.specs.device_model import DeviceModelSpec
from live.events import emit

EXPIRY = "expiry"
SHOWN_PARTS = 12
KINDS: dict[type[Decision], str] = {
    ThresholdOverride: "override",
    Silence: "silence",
    ObserveOnly: "audit_mode",
    ResponseOverride: "response",
}


class PolicyRefused(Exception):
    """A decision that cannot be: `fields` says why, by field."""

    def __init__(self, fields: dict[str, str]) -> None:
        super().__init__("; ".join(fields.values()))
        self.fields = fields


class AlreadyDecided(Exception):
    """There is a live decision on this check and scope."""


@dataclass(frozen=True)
class Where:
    """What a decision is for: `scope` site, model (`site_id` None: at all sites) or machine."""

    scope: str
    site_id: int | None = None
    model_id: int | None = None
    machine_id: int | None = None

    def columns(self) -> dict[str, Any]:
        """The columns of a row. Raises PolicyRefused unless exactly what the scope needs is given."""
        allowed = {"site": ("site",), "model": ("model", "site"), "machine": ("machine",)}
        given = {"site": self.site_id, "model": self.model_id, "machine": self.machine_id}
        if self.scope not in allowed:
            raise PolicyRefused({"scope": "Give site, model or machine."})
        if given[self.scope] is None:
            raise PolicyRefused({self.scope: f"A decision for a {self.scope} needs it."})
        extra = [name for name, value in given.items() if value is not None and name not in allowed[self.scope]]
        if extra:
            raise PolicyRefused(dict.fromkeys(extra, f"Not with a decision for a {self.scope}."))
        site_id = self.site_id
        if self.machine_id is not None:
            site_id = Machine.objects.values_list("device__site_id", flat=True).get(pk=self.machine_id)
        return {"scope": self.scope, "site_id": site_id, "model_id": self.model_id, "machine_id": self.machine_id}


def override_thresholds(
    check: str,
    where: Where,
    thresholds: Mapping[str, Any],
    *,
    reason: str,
    owner: str,
    actor: str,
    expires_at: datetime | None = None,
) -> ThresholdOverride:
    """Judge a check by other numbers. Raises PolicyRefused or AlreadyDecided."""
    columns = where.columns()
    numbers = _numbers(declaration_of(check, columns["site_id"]), thresholds)
    key = {"check_id": check, **columns}
    return _create(ThresholdOverride, key, _why(reason, owner, actor, expires_at) | {"thresholds": numbers})


def silence(
    check: str, where: Where, *, part: str = "", reason: str, owner: str, actor: str, expires_at: datetime
) -> Silence:
    """Keep a check from turning anything red until a time. Raises PolicyRefused or AlreadyDecided."""
    columns = where.columns()
    _check_part(declaration_of(check, columns["site_id"]), part, where)
    key = {"check_id": check, "part": part, **columns}
    return _create(Silence, key, _why(reason, owner, actor, expires_at))


def observe_only(
    check: str, site_id: int | None, *, reason: str, owner: str, actor: str, expires_at: datetime | None = None
) -> ObserveOnly:
    """Let a check judge and show but open no fault. Raises PolicyRefused or AlreadyDecided."""
    declaration_of(check, site_id)
    return _create(ObserveOnly, {"check_id": check, "site_id": site_id}, _why(reason, owner, actor, expires_at))


def override_response(
    fault_class: str,
    site_id: int | None,
    response: str,
    *,
    reason: str,
    owner: str,
    actor: str,
    expires_at: datetime | None = None,
) -> ResponseOverride:
    """Respond to a class of fault otherwise than the table says, at a site or at all. Raises PolicyRefused or
    AlreadyDecided."""
    values = _response_of(response)
    if not is_class(fault_class):
        raise PolicyRefused({"fault_class": "There is no such class of fault."})
    key = {"fault_class": fault_class, "site_id": site_id}
    return _create(ResponseOverride, key, _why(reason, owner, actor, expires_at) | values)


def _response_of(response: str) -> dict[str, str]:
    if response not in tuple(Response):
        raise PolicyRefused({"response": f"One of {', '.join(Response)}."})
    return {"response": response}


@transaction.atomic
def change(decision: Decision, *, actor: str, **fields: Any) -> Decision:
    """Change reason, owner, expiry, thresholds or response of a live decision.

    Raises PolicyRefused or AlreadyDecided (ended).
    """
    row = _locked(decision)
    if "thresholds" in fields:
        fields["thresholds"] = _numbers(declaration_of(row.check_id, row.site_id), fields["thresholds"])
    if "response" in fields:
        _response_of(fields["response"])
    if "expires_at" in fields:
        _check_expiry(fields["expires_at"])
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=list(fields))
    _tell(row, actor)
    _follow(row)
    return row


@transaction.atomic
def end(decision: Decision, *, actor: str) -> Decision:
    """End a decision; what it did ends with the next look."""
    row = _locked(decision)
    row.ended_at, row.ended_by = timezone.now(), actor
    row.save(update_fields=["ended_at", "ended_by"])
    _tell(row, actor)
    _follow(row)
    return row


def end_expired() -> int:
    """End the responses whose time is over, so that faults that stand follow; returns how many. One query without any.

    Safe to run twice. Decisions about checks need no end of their own: the next look judges without them.
    """
    due = ResponseOverride.objects.filter(ended_at=None, expires_at__lte=timezone.now())
    ended = 0
    for pk in list(due.order_by("pk").values_list("pk", flat=True)):
        with alone("response_not_ended", response=pk):
            ended += _end_expired(pk)
    return ended


@transaction.atomic
def _end_expired(pk: int) -> bool:
    due = ResponseOverride.objects.filter(pk=pk, ended_at=None, expires_at__lte=timezone.now())
    row = due.select_for_update().first()
    if row is not None:
        end(row, actor=EXPIRY)
    return row is not None


def declaration_of(check: str, site_id: int | None) -> CheckDeclaration:
    """A check of ours, or one that other systems report at this site (None: at any).

    Raises PolicyRefused when there is no such check.
    """
    if is_reported(check):
        found, text = (
            hooks.reported().check_of(check, None if site_id is None else [site_id]),
            "Nothing reports such a check",
        )
        text += " at that site." if site_id is not None else "."
    else:
        found, text = next((each for each in catalogue() if each.id == check), None), "There is no such check."
    if found is None:
        raise PolicyRefused({"check": text})
    return found


def is_person(name: str, site_id: int | None) -> bool:
    """Whether somebody active of that name has a role at the site (None: at every site)."""
    at = Q(grants__site=None) | Q(grants__site=site_id)
    return User.objects.filter(at, username=name, is_active=True).exists()


NOBODY = "Nobody with a role there has that user name."


def _check_part(declaration: CheckDeclaration, part: str, where: Where) -> None:
    """Raises PolicyRefused unless the check may say something of this part, somewhere in the scope."""
    if part in ("", MACHINE):
        return
    if declaration.part == "mount":
        if not part.startswith("/"):
            raise PolicyRefused({"part": f"{declaration.id} covers mount points, such as / or /data."})
        return
    kinds = None if declaration.part == MACHINE else declaration.part
    known = [slot.name for spec in _specs(where) for slot in spec.slots if kinds in (None, slot.kind)]
    if is_reported(declaration.id):
        scope = {"site": where.site_id, "model": where.model_id, "machine": where.machine_id}
        known += sorted(hooks.reported().parts_of(declaration.id, scope))
    if part not in known:
        some = ", ".join(dict.fromkeys([MACHINE, *known][:SHOWN_PARTS]))
        raise PolicyRefused({"part": f"{declaration.id} covers no part of that name there. It covers {some}."})


def _specs(where: Where) -> list[DeviceModelSpec]:
    """The device models in a scope that can be used."""
    machines = Machine.objects.all()
    if where.machine_id is not None:
        models = DeviceModel.objects.filter(pk__in=machines.filter(pk=where.machine_id).values("device__model_id"))
    elif where.model_id is not None:
        models = DeviceModel.objects.filter(pk=where.model_id)
    else:
        at_site = machines.filter(device__site=where.site_id)
        models = DeviceModel.objects.filter(pk__in=at_site.values("device__model_id"))
    found = (usable(stored) for stored in models.values_list("spec", flat=True))
    return [spec for spec in found if spec is not None]


def _numbers(declaration: CheckDeclaration, thresholds: Mapping[str, Any]) -> dict[str, float]:
    if is_reported(declaration.id):
        text = f"{declaration.id} is evaluated by the system that reports it: change its limits there."
        raise PolicyRefused({"thresholds": text})
    if not isinstance(thresholds, Mapping) or not thresholds:
        raise PolicyRefused({"thresholds": "Give at least one, as name and number."})
    known = ", ".join(declaration.thresholds) or "none"
    for name, value in thresholds.items():
        if name not in declaration.thresholds:
            raise PolicyRefused({"thresholds": f"{name} is no threshold of {declaration.id}, which has: {known}."})
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise PolicyRefused({"thresholds": f"{name} has to be a number."})
        if abs(value) > 1e15:
            raise PolicyRefused({"thresholds": f"{name} is too large."})
    return {name: float(value) for name, value in thresholds.items()}


def _why(reason: str, owner: str, actor: str, expires_at: datetime | None) -> dict[str, Any]:
    for name, text in (("reason", reason), ("owner", owner)):
        if not text.strip():
            raise PolicyRefused({name: "May not be empty."})
    _check_expiry(expires_at)
    return {"reason": reason[:300], "owner": owner, "created_by": actor, "expires_at": expires_at}


def _check_expiry(expires_at: datetime | None) -> None:
    if expires_at is not None and expires_at <= timezone.now():
        raise PolicyRefused({"expires_at": "The end has to be in the future."})


@transaction.atomic
def _create(kind: Any, key: dict[str, Any], values: dict[str, Any]) -> Any:
    now = timezone.now()
    live = kind.objects.filter(ended_at=None, **key)
    live.filter(expires_at__lte=now).update(ended_at=now, ended_by=EXPIRY)
    try:
        with transaction.atomic():
            row = kind.objects.create(**key, **values)
    except IntegrityError as error:
        if live.exists():
            raise AlreadyDecided from error
        raise
    _tell(row, values["created_by"])
    _follow(row)
    return row


def _locked(decision: Decision) -> Any:
    row = type(decision)._default_manager.select_for_update().get(pk=decision.pk)
    if row.ended_at is not None:
        raise AlreadyDecided
    return row


def _follow(row: Any) -> None:
    """What sweeps judge follows with the next look; what others report has none, so its machines are settled now."""
    if isinstance(row, Silence | ObserveOnly):
        hooks.reported().follow_decision(row)
    if isinstance(row, ResponseOverride):
        after_commit("health.monitoring.tasks.follow_response", row.fault_class, row.site_id)


def _tell(row: Any, actor: str) -> None:
    """A decision for all sites is told at each of them."""
    sites = [row.site_id] if row.site_id is not None else list(Site.objects.order_by("pk").values_list("pk", flat=True))
    kind = KINDS[type(row)]
    for site_id in sites:
        about = {"fault_class": row.fault_class} if isinstance(row, ResponseOverride) else {"check": row.check_id}
        data = {"site": site_id, "kind": kind, "id": row.pk, **about}
        emit("policy.changed", site_id=site_id, subject=f"{kind}:{row.pk}", data=data, actor=actor)
