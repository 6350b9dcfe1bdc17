"""What a site tells about itself for the insight into its repairs, and the weekly report as mail."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from core.models import Site


class InsightSettings(models.Model):
    """What a GPU-hour is worth at a site; without a rate no money is shown."""

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="insight_settings")
    gpu_hour_rate = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, blank=True, validators=[MinValueValidator(0)]
    )
    currency = models.CharField(max_length=3, blank=True, help_text="ISO 4217, such as EUR.")

    class Meta:
        verbose_name_plural = "insight settings"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(gpu_hour_rate__isnull=True, currency="")
                | Q(gpu_hour_rate__gte=0, currency__regex=r"^[A-Z]{3}$"),
                name="gpu_hour_rate_has_its_currency",
            )
        ]

    def __str__(self) -> str:
        return f"insight settings of site {self.site_id}"


class Shift(models.Model):
    """Hours of a shift by the clock of its site; one that ends before it begins goes over midnight."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="shifts")
    name = models.CharField(max_length=40)
    begins = models.TimeField()
    ends = models.TimeField()

    class Meta:
        ordering: ClassVar = ["site", "begins"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="shift_name_in_site"),
            models.CheckConstraint(condition=~Q(begins=F("ends")), name="shift_has_hours"),
            models.CheckConstraint(condition=~Q(name=""), name="shift_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class ReportSubscription(models.Model):
    """Who gets the weekly report of a site. Whether they may still see the site is asked at each mail."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="report_subscriptions")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="report_subscriptions")
    since = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "user"], name="report_subscription_once"),
        ]

    def __str__(self) -> str:
        return f"user {self.user_id} for site {self.site_id}"


class ReportMail(models.Model):
    """One weekly report for one person, from when it is due to when the mail server took it.

    The row is there before anything is sent, one for each week and person; a worker that dies in between sends it again
    with the same message id.
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        FAILED = "failed"
        SKIPPED = "skipped", "No address, or no longer allowed"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="report_mails")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="report_mails")
    week = models.DateField(help_text="Its Monday, by the clock of the site.")
    asked = models.BooleanField(default=False, help_text="By the person, beside the weekly ones.")
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.WAITING)
    made_at = models.DateTimeField(db_default=Now())
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site", "user", "week"], name="one_weekly_report_a_person", condition=Q(asked=False)
            ),
            models.UniqueConstraint(
                fields=["site", "user", "week"],
                name="one_asked_report_at_a_time",
                condition=Q(asked=True, status="waiting"),
            ),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "sent", "failed", "skipped"]), name="report_mail_status_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status="sent", sent_at__isnull=False) | (~Q(status="sent") & Q(sent_at__isnull=True)),
                name="sent_report_has_its_time",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_try_at"], name="report_mail_open", condition=Q(status="waiting")),
        ]

    def __str__(self) -> str:
        return f"report of {self.week:%Y-%m-%d} for user {self.user_id}"
