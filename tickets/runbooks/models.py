"""Runbooks of a site in versions, which one a fault gets, and what became of the steps of tickets that follow one."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Site
from inventory.models import DeviceModel
from tickets.runbooks.document import RUNS

SLUG_LENGTH = 60
ORIGINS = ("shipped", "site")
RUN_STATES = ("queued", "asked", "seen", "failed")
OPEN_RUN_STATES = ("queued", "asked")
ORDERS = ("", "graceful_off", "off", "on")
SIGN_KINDS = ("second_person", "lockout")
OUTCOMES = ("done", "skipped", "undone", "failed")


class RunbookVersion(models.Model):
    """A runbook as it was published at a site. Never changed: tickets show the version they were opened with."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="+")
    slug = models.SlugField(max_length=SLUG_LENGTH, db_index=False)
    number = models.PositiveIntegerField()
    origin = models.CharField(max_length=7, choices=[(o, o) for o in ORIGINS])
    title = models.CharField(max_length=80)
    document = models.JSONField()
    digest = models.CharField(max_length=32, help_text="Tells two documents apart.")
    note = models.CharField(max_length=300, blank=True, help_text="Why it was changed.")
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    published_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["site", "slug", "-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "slug", "number"], name="runbook_version_once"),
            models.CheckConstraint(condition=Q(origin__in=ORIGINS), name="runbook_origin_is_known"),
            models.CheckConstraint(
                condition=Q(origin="shipped") | Q(published_by__isnull=False), name="site_runbook_has_its_author"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.slug} {self.number}"


class RunbookDraft(models.Model):
    """A runbook that is being edited; it may be wrong still. `version` is for compare-and-set."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+")
    slug = models.SlugField(max_length=SLUG_LENGTH, db_index=False)
    document = models.JSONField()
    version = models.PositiveIntegerField(default=1)
    saved_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    saved_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["site", "slug"], name="one_draft_of_a_runbook")]

    def __str__(self) -> str:
        return self.slug


class RunbookChoice(models.Model):
    """Another runbook than the table of fault classes has, at one site. An empty field means any."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+")
    fault_class = models.CharField(max_length=60, blank=True, default="")
    role = models.CharField(max_length=30, blank=True, default="", help_text="Of the machine.")
    device_model = models.ForeignKey(DeviceModel, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    slug = models.SlugField(max_length=SLUG_LENGTH, db_index=False)

    class Meta:
        ordering: ClassVar = ["fault_class", "pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site", "fault_class", "role", "device_model"],
                name="one_runbook_for_a_choice",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.fault_class or 'every fault'}: {self.slug}"


class TicketRunbook(models.Model):
    """The version a ticket was opened with."""

    ticket = models.OneToOneField(
        "tickets.Ticket", on_delete=models.CASCADE, primary_key=True, related_name="ticket_runbook"
    )
    version = models.ForeignKey(RunbookVersion, on_delete=models.PROTECT, related_name="tickets")


class StepRun(models.Model):
    """A step that the machine runs itself. An order is written down before it is given: after a crash it is looked for
    before anything is ordered again."""

    step = models.OneToOneField("tickets.Step", on_delete=models.CASCADE, primary_key=True, related_name="step_run")
    runs = models.CharField(max_length=9, choices=[(r, r) for r in RUNS])
    state = models.CharField(max_length=6, choices=[(s, s) for s in RUN_STATES], default="queued")
    text = models.CharField(max_length=300, blank=True, help_text="What was seen, or why it is not done yet.")
    ordered = models.CharField(max_length=12, choices=[(o, o) for o in ORDERS], blank=True, default="")
    ordered_at = models.DateTimeField(null=True, blank=True)
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    next_try_at = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(runs__in=RUNS), name="step_run_is_known"),
            models.CheckConstraint(condition=Q(state__in=RUN_STATES), name="step_run_state_is_known"),
            models.CheckConstraint(condition=Q(ordered__in=ORDERS), name="step_run_order_is_known"),
            models.CheckConstraint(
                condition=Q(ordered="", ordered_at__isnull=True) | (~Q(ordered="") & Q(ordered_at__isnull=False)),
                name="step_run_order_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(state__in=OPEN_RUN_STATES, ended_at__isnull=True)
                | (~Q(state__in=OPEN_RUN_STATES) & Q(ended_at__isnull=False)),
                name="ended_step_run_has_its_time",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_try_at"], name="step_run_due", condition=Q(state__in=OPEN_RUN_STATES))
        ]


class StepSign(models.Model):
    """A second person's word for a step, or the lock that hangs at its cords."""

    step = models.ForeignKey("tickets.Step", on_delete=models.CASCADE, related_name="signs")
    kind = models.CharField(max_length=13, choices=[(k, k) for k in SIGN_KINDS])
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    tag = models.CharField(max_length=60, blank=True, help_text="Number of lock and tag.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["step", "kind"], name="step_signed_once"),
            models.CheckConstraint(condition=Q(kind__in=SIGN_KINDS), name="step_sign_is_known"),
            models.CheckConstraint(condition=~Q(kind="lockout", tag=""), name="lockout_names_its_tag"),
        ]


class StepOutcome(models.Model):
    """What became of a step: done, passed over, opened again, or done and the verification failed after it."""

    ticket = models.ForeignKey("tickets.Ticket", on_delete=models.CASCADE, related_name="step_outcomes")
    version = models.ForeignKey(RunbookVersion, on_delete=models.PROTECT, related_name="outcomes")
    step_key = models.CharField(max_length=40)
    outcome = models.CharField(max_length=7, choices=[(o, o) for o in OUTCOMES])
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(outcome__in=OUTCOMES), name="runbook_step_outcome_is_known")
        ]
        indexes: ClassVar = [models.Index(fields=["version", "step_key"], name="outcomes_of_a_step")]
