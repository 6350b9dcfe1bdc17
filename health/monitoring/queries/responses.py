"""Which response holds for each class of fault at a site: the table, and what people put in its place."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Q

from health.checks.faults import FAULT_CLASSES, rule_of
from health.checks.levels import Severity
from health.checks.responses import Response, Rule
from health.monitoring.models.policy import ResponseOverride
from health.monitoring.models.verdicts import CurrentVerdict
from health.monitoring.queries.policy import live

TABLE: dict[str, Rule] = {name: rule_of(known) for name, known in FAULT_CLASSES.items()}


def rules_at(site_id: int) -> dict[str, Rule]:
    """Class of fault to what holds at a site. One query."""
    return decided_at(site_id).rules


class Decided(NamedTuple):
    """By class of fault: what holds, what would hold without the own decision, and the id of that decision."""

    rules: dict[str, Rule]
    usual: dict[str, Rule]
    own: dict[str, int]


def decided_at(site_id: int | None) -> Decided:
    """What holds at a site (None: where no site decided otherwise). One query.

    Of two decisions the site's own wins, and only that one is its to change. What a person decided is final: it takes
    the place of the escalation as well.
    """
    mine = Q(site=None) if site_id is None else Q(site=None) | Q(site=site_id)
    rows = list(live(ResponseOverride.objects.filter(mine)))
    own = {row.fault_class: row for row in rows if row.site_id == site_id}
    usual = TABLE | {row.fault_class: _rule(row) for row in rows if row.site_id != site_id}
    rules = usual | {name: _rule(row) for name, row in own.items()}
    return Decided(rules, usual, {name: row.pk for name, row in own.items()})


def _rule(row: ResponseOverride) -> Rule:
    return Rule(Response(row.response))


def stays_in_service(fault_class: str | None, rules: dict[str, Rule]) -> bool:
    """Whether a failing finding of this class leaves the machine to its jobs; one of no known class does not."""
    return fault_class in rules and not rules[fault_class].response.takes_out


def is_mild(fault_class: str | None, rules: dict[str, Rule], *, is_new: bool) -> bool:
    """Whether a failing finding is no reason to keep a machine out of service. What a machine in service may wait with,
    a dead fan, a failing drive or a wrong clock, keeps a newly installed one out: nobody waits for it yet."""
    known = FAULT_CLASSES.get(fault_class or "")
    is_note = known is not None and known.severity is Severity.NOTE
    return stays_in_service(fault_class, rules) and (is_note or not is_new)


def failing_that_keep_out(machine_id: int, site_id: int) -> list[str]:
    """The checks failing on a machine that keep it from service: all but those of faults that leave it there."""
    rows = CurrentVerdict.objects.filter(machine_id=machine_id, verdict="fail")
    failing = list(rows.values_list("check_id", "fault_class"))
    rules = rules_at(site_id) if failing else {}
    return [check for check, fault_class in failing if not stays_in_service(fault_class, rules)]
