"""What stands beside tickets at the desk: who watches, small tasks, saved filters, and what a site decided."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from core.models import Site

MOST_HOURS = 2000


def work_week() -> list[int]:
    return [0, 1, 2, 3, 4]


def urgent() -> list[str]:
    return ["P1"]


class Watcher(models.Model):
    """A person who wants to hear of a ticket."""

    ticket = models.ForeignKey("tickets.Ticket", on_delete=models.CASCADE, related_name="watchers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["ticket", "user"], name="watches_a_ticket_once")]


class SubTask(models.Model):
    """A small thing to do for a ticket beside its steps, such as to order a part."""

    ticket = models.ForeignKey("tickets.Ticket", on_delete=models.CASCADE, related_name="sub_tasks")
    number = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=300)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    done_at = models.DateTimeField(null=True, blank=True)
    done_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering: ClassVar = ["ticket", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "number"], name="sub_task_number_in_ticket"),
            models.CheckConstraint(condition=~Q(text=""), name="sub_task_says_what"),
            models.CheckConstraint(
                condition=Q(done_at=None, done_by=None) | Q(done_at__isnull=False, done_by__isnull=False),
                name="sub_task_done_by_somebody",
            ),
        ]


class DeskPolicy(models.Model):
    """Of a site: in how many hours a ticket is due, when people work there, which queue takes what, and who works on
    which."""

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="desk_policy")
    p1_hours = models.PositiveSmallIntegerField(default=4)
    p2_hours = models.PositiveSmallIntegerField(default=24)
    p3_hours = models.PositiveSmallIntegerField(default=40)
    around_the_clock = ArrayField(
        models.CharField(max_length=2), default=urgent, blank=True, help_text="Priorities whose hours never pause."
    )
    work_from = models.TimeField(default="08:00", help_text="In the site's time zone.")
    work_until = models.TimeField(default="18:00")
    work_days = ArrayField(models.PositiveSmallIntegerField(), default=work_week, help_text="0 is Monday.")
    days_off = ArrayField(models.DateField(), default=list, blank=True)
    queue_rules = models.JSONField(default=list, blank=True, help_text="[{classes, queue}]: the first that fits.")
    limits = models.JSONField(
        default=list, blank=True, help_text="[{person, queues}]: technicians who work on these queues only."
    )

    class Meta:
        verbose_name_plural = "desk policies"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(
                    p1_hours__range=(1, MOST_HOURS), p2_hours__range=(1, MOST_HOURS), p3_hours__range=(1, MOST_HOURS)
                ),
                name="desk_hours_are_bounded",
            ),
            models.CheckConstraint(condition=Q(work_from__lt=F("work_until")), name="desk_day_ends_after_it_began"),
            models.CheckConstraint(
                condition=Q(work_days__len__gte=1, work_days__contained_by=[0, 1, 2, 3, 4, 5, 6]),
                name="desk_week_has_a_day",
            ),
            models.CheckConstraint(
                condition=Q(around_the_clock__contained_by=["P1", "P2", "P3"]), name="desk_clock_knows_priorities"
            ),
        ]

    def __str__(self) -> str:
        return f"desk of {self.site}"
