"""What the machines of a site used in a week, in the words of the report; where nothing was measured, that."""

from __future__ import annotations

from datetime import date, datetime

from django.utils import timezone

from core.models import Site
from facility.energy import queries
from facility.energy.slowed import slowed_hours
from facility.findings.services import policy_of
from tickets.insights.report.weeks import WEEK


def figures(site: Site, week: date, begin: datetime, end: datetime) -> list[tuple[str, str]]:
    """(what, its value in words). Energy is of the seven days of the week in UTC, the rest of its days on site."""
    currency = policy_of(site.pk).currency
    told = queries.total(site.pk, "month", week, week + WEEK, currency)
    if told["kwh"] is None:
        return [("Energy of machines", told["method"])]
    found = [("Energy of machines", f"{_least(told['at_least'])}{told['kwh']:,.0f} kWh ({told['method']})")]
    if told["cost"] is not None:
        found.append(("Cost of energy", f"{_least(told['cost_at_least'])}{told['cost']:,.0f} {currency}"))
    if told["co2_kg"] is not None:
        found.append(("CO2", f"{_least(told['co2_at_least'])}{told['co2_kg'] / 1000:,.1f} t"))
    idle = queries.total(site.pk, "idle", week, week + WEEK, currency)
    if idle["kwh"] is not None:
        found.append(("Energy of idle machines", f"{_least(idle['at_least'])}{idle['kwh']:,.0f} kWh"))
    if idle["cost"] is not None:
        found.append(("Cost of idle machines", f"{_least(idle['cost_at_least'])}{idle['cost']:,.0f} {currency}"))
    slowed = slowed_hours(site.pk, begin, end, timezone.now())
    found += [
        (name, f"{_least(at_least)}{hours:,.1f}")
        for name, hours, at_least in (
            ("GPU-hours slowed by heat", slowed.hot, slowed.hot_at_least),
            ("by the power brake", slowed.braked, slowed.braked_at_least),
        )
        if hours is not None
    ]
    return found


def _least(at_least: bool) -> str:
    return "at least " if at_least else ""
