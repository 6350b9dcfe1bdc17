"""Who may work on which tickets: technicians of the site, some of them only on some of its queues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from core.accounts.scope import allows, granted_roles
from core.models import Role, User
from tickets.desk.models import DeskPolicy, Watcher
from tickets.models import Ticket

Roles = dict[int | None, Role]
"""Of a person: site (None: every site) to role."""
WORKS = [role.value for role in Role if role.rank >= Role.TECHNICIAN.rank]


def may_work_at(person: User, site_id: int) -> bool:
    return person.is_active and allows(granted_roles(person), site_id, Role.TECHNICIAN)


def may_work_on(person: User, ticket: Ticket, roles: Roles | None = None) -> bool:
    """Whether a person may do anything to a ticket, with these roles where a token limits them."""
    return not why_not(person, ticket, roles)


def why_not(person: User, ticket: Ticket, roles: Roles | None = None) -> str:
    """Why a person may do nothing to a ticket; empty for who may."""
    known = granted_roles(person) if roles is None else roles
    if not allows(known, ticket.site_id, Role.TECHNICIAN):
        return "Only for technicians of its site."
    if allows(known, ticket.site_id, Role.OPERATOR) or ticket.assignee_id == person.pk:
        return ""
    queues = limits_of(person).get(ticket.site_id)
    if queues is None or ticket.queue in queues:
        return ""
    return f"{ticket.key} is in the queue {ticket.queue}; you work on {', '.join(sorted(queues))}."


def limits_of(person: User) -> dict[int, frozenset[str]]:
    """By site the queues a technician is limited to. One statement, kept on the user object."""
    known: dict[int, frozenset[str]] | None = getattr(person, "_queue_limits", None)
    if known is None:
        rows = DeskPolicy.objects.filter(limits__contains=[{"person": person.pk}]).values_list("site_id", "limits")
        known = {site: _queues(limits, person.pk) for site, limits in rows}
        vars(person)["_queue_limits"] = known
    return known


def _queues(limits: Iterable[Mapping[str, Any]], pk: int) -> frozenset[str]:
    return frozenset(queue for limit in limits if limit["person"] == pk for queue in limit["queues"])


def of_their_queues(tickets: QuerySet[Ticket], person: User, roles: Roles) -> QuerySet[Ticket]:
    """Without tickets in queues that the person has nothing to do with: not assigned to them, not watched."""
    if allows(roles, None, Role.OPERATOR):
        return tickets
    for site, queues in limits_of(person).items():
        if not allows(roles, site, Role.OPERATOR):
            watched = Exists(Watcher.objects.filter(ticket=OuterRef("pk"), user=person.pk))
            theirs = Q(queue__in=queues) | Q(assignee_id=person.pk) | Q(watched)
            tickets = tickets.filter(~Q(site_id=site) | theirs)
    return tickets


def workers(site_ids: Iterable[int] | None) -> QuerySet[User]:
    """Active people with at least a technician's role at one of these sites (None: at any)."""
    at: dict[str, Any] = {} if site_ids is None else {"grants__site__in": list(site_ids)}
    granted = Q(grants__role__in=WORKS, **at) | Q(grants__role__in=WORKS, grants__site=None)
    return User.objects.filter(granted, is_active=True).distinct().order_by("first_name", "username")
