"""The weekly report of a site: its title, the text of its mail, and its PDF. The numbers are those of the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from django.conf import settings

from core.models import Site
from tickets.insights import rules
from tickets.insights.answers import Insight, Week, insight
from tickets.insights.queries import Scope
from tickets.insights.report import energy, pages, words
from tickets.insights.report.weeks import WEEK, span_of

WEEKS_BEFORE = 11
"""The pictures show the week and these before it."""


@dataclass(frozen=True)
class Report:
    """`told` is of the week, `course` of the twelve weeks that end with it; `energy` are its figures in words."""

    site: str
    week: date
    told: Insight
    course: Insight
    address: str
    energy: Sequence[tuple[str, str]] = ()

    @property
    def title(self) -> str:
        return f"{self.site}: repairs in the week of {self.week:%Y-%m-%d}"

    @property
    def file_name(self) -> str:
        return f"repairs-{self.week:%Y-%m-%d}.pdf"

    @property
    def text(self) -> str:
        """The figures as plain text, for readers who open no file."""
        lines = [self.title, "", *(f"{name}: {value}" for name, value in self.figures), ""]
        worst = [each for each in self.told.parts if each.poor]
        lines += [f"Poor lives: {each.lives.kind} {each.lives.name}, {each.lives.failed} failed" for each in worst]
        return "\n".join([*lines, "The PDF has the pictures and the tables. The same as a page:", self.address, ""])

    def pdf(self) -> bytes:
        return pages.draw(self.title, self.figures, self.told, self.course)

    @property
    def figures(self) -> list[tuple[str, str]]:
        return [*figures(self.told), *self.energy]


def report(site: Site, week: date) -> Report:
    """The report of a site's week, which begins on a Monday by its clock."""
    zone = ZoneInfo(site.timezone)
    begin, end = span_of(week, zone)
    first, _ = span_of(week - WEEKS_BEFORE * WEEK, zone)
    told = insight(Scope([site.pk], site.pk, begin, end))
    course = insight(Scope([site.pk], site.pk, first, end))
    address = f"{settings.PUBLIC_URL}/insight?from={begin:%Y-%m-%dT%H:%MZ}&to={end:%Y-%m-%dT%H:%MZ}&site={site.pk}"
    return Report(site.name, week, told, course, address, energy.figures(site, week, begin, end))


# ---- figures in words ----


def figures(told: Insight) -> list[tuple[str, str]]:
    """(what, its value in words) of the whole span."""
    found = [
        ("Tickets opened", str(sum(week.opened for week in told.weeks))),
        ("Tickets closed", str(sum(week.closed for week in told.weeks))),
        ("Open now", str(sum(sum(counts.values()) for counts in told.ageing))),
        *((name.capitalize(), words.spread_in_full(told.times[measure])) for measure, name in rules.MEASURES.items()),
        ("Reopened", words.share(told.reopened)),
        ("Fixed the first time", words.share(told.first_time)),
        ("GPU-hours out of service", f"{sum(week.out_of_service for week in told.weeks):,.0f}"),
        ("GPU-hours lost by training runs", f"{sum(week.lost for week in told.weeks):,.0f}"),
    ]
    if told.rate is not None:
        found.append(("Cost", _money(told.weeks, told.currency)))
    return found


def _money(weeks: Sequence[Week], currency: str) -> str:
    return f"{sum(week.money or 0 for week in weeks):,.0f} {currency}"
