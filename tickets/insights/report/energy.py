"""What the machines of a site used in a week, in the words of the report. Nothing, where nothing was measured."""

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
        return []
    least = "at least " if told["at_least"] else ""
    found = [("Energy of machines", f"{least}{told['kwh']:,.0f} kWh ({told['method']})")]
    if told["cost"] is not None:
        least = "at least " if told["cost_at_least"] else ""
        found.append(("Cost of energy", f"{least}{told['cost']:,.0f} {currency}"))
    if told["co2_kg"] is not None:
        least = "at least " if told["co2_at_least"] else ""
        found.append(("CO2", f"{least}{told['co2_kg'] / 1000:,.1f} t"))
    idle = queries.total(site.pk, "idle", week, week + WEEK, currency)
    if idle["kwh"] is not None:
        least = "at least " if idle["at_least"] else ""
        found.append(("Energy of idle machines", f"{least}{idle['kwh']:,.0f} kWh"))
    slowed = slowed_hours(site.pk, begin, end, timezone.now())
    found += [
        (name, f"{hours:,.1f}")
        for name, hours in (("GPU-hours slowed by heat", slowed.hot), ("by the power brake", slowed.braked))
        if hours is not None
    ]
    return found
