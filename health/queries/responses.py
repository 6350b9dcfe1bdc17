"""Which response holds for each class of fault at a site: the table, and what people put in its place."""

from __future__ import annotations

from django.db.models import Q

from health.checks.faults import FAULT_CLASSES, rule_of
from health.models import CurrentVerdict, ResponseOverride
from health.queries.policy import live
from health.responses import Response, Rule

TABLE: dict[str, Rule] = {name: rule_of(known) for name, known in FAULT_CLASSES.items()}


def rules_at(site_id: int) -> dict[str, Rule]:
    """Class of fault to what holds at a site. One query."""
    return decided_at(site_id)[0]


def decided_at(site_id: int | None) -> tuple[dict[str, Rule], dict[str, int]]:
    """Class of fault to what holds at a site (None: where no site decided otherwise), and to the decision behind it.

    Of two decisions the site's own wins. What a person decided is final: it takes the place of the escalation as well.
    """
    rules, decided = dict(TABLE), {}
    mine = Q(site=None) if site_id is None else Q(site=None) | Q(site=site_id)
    for row in sorted(live(ResponseOverride.objects.filter(mine)), key=lambda row: row.site_id is not None):
        rules[row.fault_class], decided[row.fault_class] = Rule(Response(row.response)), row.pk
    return rules, decided


def stays_in_service(fault_class: str | None, rules: dict[str, Rule]) -> bool:
    """Whether a failing finding of this class leaves the machine to its jobs; one of no known class does not."""
    return fault_class in rules and not rules[fault_class].response.takes_out


def failing_that_keep_out(machine_id: int, site_id: int) -> list[str]:
    """The checks failing on a machine that keep it from service: all but those of faults that leave it there."""
    rows = CurrentVerdict.objects.filter(machine_id=machine_id, verdict="fail")
    failing = list(rows.values_list("check_id", "fault_class"))
    rules = rules_at(site_id) if failing else {}
    return [check for check, fault_class in failing if not stays_in_service(fault_class, rules)]
