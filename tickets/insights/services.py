"""Writes of the insight: a site's rate and shifts, who gets the weekly report, and its way to their mailbox."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from zoneinfo import ZoneInfo

import structlog
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from core.accounts.scope import allows, granted_roles
from core.models import Role, Site, User
from core.work.kinds import Lease, Work
from core.work.queue import enqueue
from core.work.rules import Backoff
from tickets.insights.models import InsightSettings, ReportMail, ReportSubscription, Shift
from tickets.insights.report import document
from tickets.insights.report.weeks import due_week

log = structlog.get_logger(__name__)
TASK = "tickets.insights.tasks.send_report"


class NoAddress(Exception):
    """The person has no mail address to send to."""


@dataclass(frozen=True)
class ShiftGiven:
    """A shift as somebody wants it."""

    name: str
    begins: time
    ends: time


def _give_up(row: ReportMail, reason: str, **told: object) -> bool:
    return WORK.finish(row, status=ReportMail.Status.FAILED, error=reason[:300], **told)


WORK: Work[ReportMail] = Work(
    name="weekly report",
    model=ReportMail,
    open=Q(status=ReportMail.Status.WAITING),
    hold=Lease(180),
    due="next_try_at",
    attempts="attempts",
    most=8,
    retry=Backoff(60, 6 * 3600, factor=3),
    reason="error",
    give_up=_give_up,
    task=TASK,
    every_s=60,
)


# ---- what a site says of itself ----


@transaction.atomic
def set_site(site_id: int, *, rate: Decimal | None, currency: str, shifts: Sequence[ShiftGiven]) -> None:
    """Replace the rate of a GPU-hour (None: no money is shown) and the shifts of a site."""
    Site.objects.select_for_update(no_key=True).get(pk=site_id)
    InsightSettings.objects.update_or_create(
        site_id=site_id, defaults={"gpu_hour_rate": rate, "currency": currency if rate is not None else ""}
    )
    known = {shift.name: shift for shift in Shift.objects.filter(site=site_id)}
    wanted = {shift.name: shift for shift in shifts}
    gone = [shift.pk for name, shift in known.items() if name not in wanted]
    if gone:
        Shift.objects.filter(pk__in=gone).delete()
    Shift.objects.bulk_create(
        [Shift(site_id=site_id, name=each.name, begins=each.begins, ends=each.ends) for each in shifts],
        update_conflicts=True,
        unique_fields=["site", "name"],
        update_fields=["begins", "ends"],
    )


@transaction.atomic
def subscribe(site_id: int, user: User, wanted: bool) -> None:
    """Have the weekly report of a site sent to oneself, or no longer. Raises NoAddress."""
    if not wanted:
        ReportSubscription.objects.filter(site=site_id, user=user).delete()
        return
    if not user.email:
        raise NoAddress
    ReportSubscription.objects.get_or_create(site_id=site_id, user=user, defaults={"since": timezone.now()})


# ---- the report ----


def ask_for_report(site_id: int, user: User, week: date) -> ReportMail:
    """Send the report of a week to this person now; while one is on its way it is that one. Raises NoAddress."""
    if not user.email:
        raise NoAddress
    with transaction.atomic():
        mail, made = ReportMail.objects.get_or_create(
            site_id=site_id, user=user, week=week, asked=True, status=ReportMail.Status.WAITING,
            defaults={"next_try_at": timezone.now()},
        )  # fmt: skip
        if made:
            transaction.on_commit(lambda: enqueue(TASK, mail.pk), robust=True)
    return mail


def plan_reports(now: datetime | None = None) -> int:
    """Write down the mails that are due since Monday morning of each site; returns how many are new. Safe to repeat.

    Who subscribed after that morning gets the next one.
    """
    now = now or timezone.now()
    wanted = []
    for subscription in ReportSubscription.objects.select_related("site", "user"):
        week, due_at = due_week(now, ZoneInfo(subscription.site.timezone))
        if due_at <= now and subscription.since <= due_at:
            wanted.append(ReportMail(site=subscription.site, user=subscription.user, week=week, next_try_at=now))
    known = set(
        ReportMail.objects.filter(asked=False, week__in={mail.week for mail in wanted}).values_list(
            "site", "user", "week"
        )
    )
    new = [mail for mail in wanted if (mail.site_id, mail.user_id, mail.week) not in known]
    ReportMail.objects.bulk_create(new, ignore_conflicts=True)
    return len(new)


def send(mail_id: int) -> str:
    """Send one report. Returns what became of it: `sent`, `skipped`, `busy`, or `failed` where it is tried again."""
    row = WORK.take(mail_id, ReportMail.objects.select_related("site", "user"))
    if row is None:
        return "busy"
    if not row.user.is_active or not row.user.email or not allows(granted_roles(row.user), row.site_id, Role.VIEWER):
        WORK.finish(row, status=ReportMail.Status.SKIPPED, error="no address, or may not see the site")
        return "skipped"
    try:
        sent = letter(row).send()
    except OSError as error:  # smtplib's errors are among them
        log.info("weekly_report_not_sent", mail=row.pk, error=str(error))
        WORK.fail(row, str(error) or type(error).__name__)
        return "failed"
    if not sent:  # the instance was paused meanwhile
        WORK.put_back(row, "the instance is paused", uncounted=True)
        return "failed"
    WORK.finish(row, status=ReportMail.Status.SENT, sent_at=timezone.now(), error="")
    return "sent"


def letter(mail: ReportMail) -> EmailMessage:
    """The mail with its PDF. Its message id is the row's, so that one sent twice is one in the mailbox."""
    report = document.report(mail.site, mail.week)
    message = EmailMessage(
        subject=report.title,
        body=report.text,
        to=[mail.user.email],
        headers={"Message-ID": f"<report-{mail.site.slug}-{mail.pk}-{mail.made_at:%Y%m%d%H%M%S}@rackside>"},
    )
    message.attach(report.file_name, report.pdf(), "application/pdf")
    return message
