"""The ticket systems of others, our tickets in them, and what goes to and fro."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from core.models import Site
from tickets.messages.models import QUEUES, Sealed, choices
from tickets.models.tickets import PRIORITIES, Comment, Ticket


class TicketSystem(Sealed):
    """One Jira or ServiceNow. Nothing is sent there until it is turned on. The secret is its token or password."""

    class Kind(models.TextChoices):
        JIRA = "jira"
        SERVICENOW = "servicenow"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="ticket_systems")
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    url = models.CharField(max_length=500)
    username = models.CharField(max_length=150, blank=True, default="", help_text="Empty: a personal access token.")
    authorities = models.TextField(
        blank=True, default="", help_text="Certificates to trust (PEM); empty: the system's."
    )
    field_map = models.JSONField(default=dict, help_text="How fields and states are called there.")
    queues = ArrayField(models.CharField(max_length=10, choices=choices(QUEUES)), default=list, blank=True)
    priorities = ArrayField(models.CharField(max_length=2, choices=choices(PRIORITIES)), default=list, blank=True)
    acts_as = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", help_text="Whose comments come in as."
    )
    active = models.BooleanField(default=False)
    account = models.CharField(max_length=150, blank=True, default="", help_text="How it names our account.")
    problems = models.JSONField(default=list, blank=True, help_text="What of the map it does not have.")
    checked_at = models.DateTimeField(null=True, blank=True)
    polled_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["name", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="ticket_system_name_in_site"),
            models.CheckConstraint(condition=Q(kind__in=["jira", "servicenow"]), name="ticket_system_kind_is_known"),
            models.CheckConstraint(
                condition=Q(queues__contained_by=list(QUEUES)), name="ticket_system_queues_are_known"
            ),
            models.CheckConstraint(
                condition=Q(priorities__contained_by=list(PRIORITIES)), name="ticket_system_priorities_are_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ExternalLink(models.Model):
    """One of our tickets in one of these systems."""

    system = models.ForeignKey(TicketSystem, on_delete=models.CASCADE, related_name="links")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="external_links")
    record = models.CharField(
        max_length=64, blank=True, default="", help_text="What its API takes; empty: not there yet."
    )
    key = models.CharField(max_length=64, blank=True, default="", help_text="What people read, such as OPS-12.")
    status = models.CharField(max_length=100, blank=True, default="", help_text="Its state there, as last seen.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["system", "ticket"], name="ticket_once_in_a_system"),
            models.UniqueConstraint(fields=["system", "record"], condition=~Q(record=""), name="record_is_one_ticket"),
        ]

    def __str__(self) -> str:
        return self.key or f"ticket {self.ticket_id}"


class ExternalItem(models.Model):
    """One thing to tell the other system about a ticket: that it is there, a comment, a state."""

    class Kind(models.TextChoices):
        CREATE = "create"
        COMMENT = "comment"
        STATUS = "status"

    class Status(models.TextChoices):
        WAITING = "waiting"
        DONE = "done"
        FAILED = "failed"

    link = models.ForeignKey(ExternalLink, on_delete=models.CASCADE, related_name="items")
    ref = models.CharField(max_length=80, help_text="Such as change:12 or comment:3.")
    kind = models.CharField(max_length=7, choices=Kind.choices)
    value = models.TextField(blank=True, default="", help_text="The text of a comment, the state of ours.")
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now)
    lease_until = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=500, blank=True, default="")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["link", "ref"], name="item_once_to_a_system"),
            models.CheckConstraint(
                condition=Q(kind__in=["create", "comment", "status"]), name="external_item_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "done", "failed"]), name="external_item_status_is_known"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["next_at"], name="external_item_due", condition=Q(status="waiting"))]

    def __str__(self) -> str:
        return f"{self.kind} of {self.link_id}: {self.status}"


class ExternalRemark(models.Model):
    """A comment there that we know: one that we wrote, or one that became a comment here. So none goes round."""

    link = models.ForeignKey(ExternalLink, on_delete=models.CASCADE, related_name="remarks")
    remark = models.CharField(max_length=64)
    comment = models.ForeignKey(
        Comment, on_delete=models.CASCADE, null=True, blank=True, related_name="external_remarks"
    )

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["link", "remark"], name="remark_known_once")]

    def __str__(self) -> str:
        return self.remark
