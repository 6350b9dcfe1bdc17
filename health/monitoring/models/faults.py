"""Faults: what is wrong with which slot, on what evidence, and the verification that shows a repair worked."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q, QuerySet

from health.checks.responses import UNKNOWN_CLASS, Response
from inventory.models import Machine


class Fault(models.Model):
    """One class of trouble in one slot of one machine.

    Of the faults that show in one slot at one time the most precedent leads and the others are `led_by` it: only a
    leading fault is announced. `slot` is the part name of the findings: a slot of the device model, or what else a
    check looks at, such as `docker`.
    """

    class Status(models.TextChoices):
        SUSPECTED = "suspected"
        CONFIRMED = "confirmed"
        CLEARED = "cleared"

    class Drain(models.TextChoices):
        """What the automation did when the fault was confirmed; all but the first two wait for a change."""

        NOT_NEEDED = ""
        DRAINED = "drained"
        OVER_BUDGET = "over_budget"
        DRY_RUN = "dry_run"
        STOPPED = "stopped"  # kill switch, breaker, a rate, a cause shared with others, or a person's decision

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="faults")
    slot = models.CharField(max_length=60)
    fault_class = models.CharField(max_length=60)
    precedence = models.PositiveSmallIntegerField(help_text="0 gone, 1 bus, 2 link, 3 degraded.")
    kind = models.CharField(max_length=5, choices=[("level", "level"), ("event", "event")])
    status = models.CharField(max_length=9, choices=Status.choices, default=Status.SUSPECTED)
    led_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="attached")
    checks = ArrayField(models.CharField(max_length=60), default=list, help_text="The checks that showed it.")
    signatures = ArrayField(
        models.CharField(max_length=200),
        default=list,
        help_text="Kinds of evidence at hand: the same one is kept once.",
    )
    message = models.TextField()
    action = models.TextField(blank=True)
    opened_at = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="Newest report that showed it and added to its evidence.")
    confirm_due_at = models.DateTimeField(null=True, blank=True, help_text="A second check from here on confirms it.")
    confirm_asked_at = models.DateTimeField(null=True, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    announced_at = models.DateTimeField(null=True, blank=True, help_text="When fault.confirmed was emitted.")
    cause_due = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Its feed may be dead: its ticket waits until its meters say whether it is.",
    )
    cleared_at = models.DateTimeField(null=True, blank=True)
    cleared_by = models.CharField(max_length=300, blank=True)
    drain = models.CharField(max_length=11, choices=Drain.choices, blank=True, default="")
    response = models.CharField(
        max_length=9,
        choices=[(response.value, response.value) for response in Response],
        default=UNKNOWN_CLASS.value,
        help_text="What it asks for by its class, the site and how many there are; of a leader, the most of its group.",
    )
    start_rung = models.PositiveSmallIntegerField(
        default=0, help_text="Highest remediation level that a finding asked to start at; 0: as its class says."
    )
    incident = models.ForeignKey(
        "health.Incident", on_delete=models.SET_NULL, null=True, blank=True, related_name="faults"
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["machine", "slot", "fault_class"],
                name="one_open_fault_per_class",
                condition=~Q(status="cleared"),
            ),
            models.CheckConstraint(
                condition=Q(status__in=["suspected", "confirmed", "cleared"]), name="fault_status_is_known"
            ),
            models.CheckConstraint(condition=Q(kind__in=["level", "event"]), name="fault_kind_is_known"),
            models.CheckConstraint(
                condition=Q(response__in=[response.value for response in Response]), name="fault_response_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status="cleared", cleared_at__isnull=False)
                | (~Q(status="cleared") & Q(cleared_at__isnull=True)),
                name="cleared_fault_has_its_time",
            ),
            models.CheckConstraint(condition=~Q(led_by=models.F("id")), name="fault_does_not_lead_itself"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["machine"], name="fault_open", condition=~Q(status="cleared")),
            models.Index(fields=["confirm_due_at"], name="fault_to_confirm", condition=Q(status="suspected")),
        ]

    def __str__(self) -> str:
        return f"{self.fault_class} of {self.slot}"

    @property
    def takes_out(self) -> bool:
        """Whether it keeps the machine from new jobs."""
        return Response(self.response).takes_out

    @property
    def hold_owner(self) -> str:
        return f"fault:{self.pk}"

    def all_evidence(self) -> QuerySet[FaultEvidence]:
        """Evidence of this fault and of those it leads, oldest first."""
        return FaultEvidence.objects.filter(Q(fault=self) | Q(fault__led_by=self)).order_by("id")


class FaultEvidence(models.Model):
    """A finding that showed the fault, kept as it was seen."""

    fault = models.ForeignKey(Fault, on_delete=models.CASCADE, related_name="evidence")
    at = models.DateTimeField()
    check_id = models.CharField(max_length=60)
    part = models.CharField(max_length=60)
    verdict = models.CharField(max_length=8)
    message = models.TextField()
    command = models.CharField(max_length=300, blank=True)
    exit_status = models.IntegerField(null=True, blank=True)
    excerpt = models.TextField(blank=True)
    observed = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["id"]


class EventCursor(models.Model):
    """Up to where the events of a machine have been read: its boot and monotonic time.

    `recent_keys` are the keys of events near the cursor: kernel lines of different CPUs may come a moment out of order.
    """

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="event_cursor")
    boot_id = models.CharField(max_length=36, blank=True)
    at_us = models.BigIntegerField(default=-1)
    recent_keys = ArrayField(models.CharField(max_length=200), default=list)
    bmc_at_us = models.BigIntegerField(default=-1, help_text="Entries of the BMC's log, by when they were read.")


class Verification(models.Model):
    """A look at one machine that decides whether faults are gone; only a report newer than the request counts."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        PASSED = "passed"
        FAILED = "failed"

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="verifications")
    faults = models.ManyToManyField(Fault, related_name="verifications")
    owner = models.CharField(max_length=60, help_text="Who asked, such as ticket:REP-2041; comes back in the event.")
    actor = models.CharField(max_length=150)
    status = models.CharField(max_length=8, choices=Status.choices, default=Status.WAITING)
    requested_at = models.DateTimeField()
    boot_id = models.CharField(max_length=36, blank=True, help_text="Event cursor when it was requested.")
    at_us = models.BigIntegerField(default=-1)
    bmc_at_us = models.BigIntegerField(default=-1)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField()
    deadline_at = models.DateTimeField(help_text="A machine still unreachable at this time has failed.")
    finished_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=300, blank=True)
    results = models.JSONField(default=list, help_text="[{check, part, verdict, message}] that decided.")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "running", "passed", "failed"]), name="verification_status_is_known"
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["next_try_at"], name="verification_open", condition=Q(status__in=["waiting", "running"])
            )
        ]

    @property
    def is_open(self) -> bool:
        return self.status in (self.Status.WAITING, self.Status.RUNNING)
