"""What automation does about faults: incidents, the record of each action, and what people allow it to do.

The records are the memory of the whole machinery: budgets, rates and the breaker are counted from them, so a worker
that starts again knows what the one before it did.
"""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from core.models import Site
from health.monitoring.models.faults import Fault, Verification
from inventory.models import Machine

ACTION_STATES = ("planned", "granted", "sent", "confirmed", "failed", "ambiguous", "cancelled")
OPEN_ACTIONS = ("planned", "granted", "sent")
NOT_SENT = ("planned", "granted", "cancelled")
REPORTS = ("", "accepted", "done", "failed", "refused", "impossible")
AUTOMATIC_RUNGS = (1, 2, 3, 4, 5)


class CauseKind(models.TextChoices):
    """What may explain that machines fail alike; `health.remediation.causes` says which of two leads."""

    NONE = ""
    RACK = "rack"
    ROW = "row"
    ROOM = "room"
    SWITCH = "switch"
    MANAGEMENT = "management", "Management switch"
    FEED = "feed"
    COOLING = "cooling", "Cooling unit"
    ROLLOUT = "rollout", "New version of software"
    SITE = "site", "No known common cause"


SHARED_CAUSES = tuple(kind for kind in CauseKind.values if kind)
"""Of an incident of several machines."""


class Incident(models.Model):
    """Something went wrong: on one machine, or in the same way on several at once.

    The leading faults it explains point to it. Automation works on incidents of one machine only. Alike are faults of
    one class and code; `cause` is what explains them best, and `site` stands for no known common cause. Automation
    suspects every fault of that class and code until `suspect_until`, or until a person lifts that.
    """

    class Kind(models.TextChoices):
        MACHINE = "machine"
        SHARED = "shared", "The same trouble on several machines"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="incidents")
    kind = models.CharField(max_length=7, choices=Kind.choices)
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, null=True, blank=True, related_name="incidents")
    cause_kind = models.CharField(max_length=10, choices=CauseKind.choices, blank=True, default="")
    cause = models.CharField(max_length=120, blank=True, help_text="Name of the rack, switch, feed or version.")
    fault_class = models.CharField(max_length=60, blank=True, default="", help_text="Of the faults that are alike.")
    code = models.CharField(
        max_length=120, blank=True, default="", help_text="Of those faults: the number of the Xid, or their message."
    )
    title = models.CharField(max_length=200)
    text = models.TextField(blank=True, default="", help_text="How well the cause explains it, and what else may.")
    suspect_until = models.DateTimeField(
        null=True, blank=True, help_text="Until then automation leaves every fault of this class and code alone."
    )
    lifted_by = models.CharField(max_length=150, blank=True, default="", help_text="Who lifted the suspicion.")
    lift_reason = models.CharField(max_length=300, blank=True, default="")
    cause_stands = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Meters say that its feed or cooling unit fails: it is not over before they stop.",
    )
    behind = ArrayField(
        models.BigIntegerField(),
        default=list,
        db_default=[],
        blank=True,
        help_text="Machines that hang on what meters say fails.",
    )
    cause_due = models.BooleanField(
        default=False, help_text="Others fail alike: its ticket waits for the next round to look for a common cause."
    )
    verify_by = models.DateTimeField(
        null=True, blank=True, help_text="A person said that it is mended: its machines have until then to pass."
    )
    opened_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=150, blank=True)
    close_reason = models.CharField(max_length=300, blank=True)
    drained_at = models.DateTimeField(null=True, blank=True, help_text="When automation took the machine out for it.")
    overridden_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="A person put the machine back against it; its checks do not drain it for a while.",
    )
    automation_first = models.BooleanField(default=False, help_text="A remedy is on for it: no ticket has opened yet.")
    refused_at = models.DateTimeField(null=True, blank=True, help_text="When a guard last said no to automation.")
    refused_by = models.CharField(max_length=60, blank=True)
    needs_person_at = models.DateTimeField(null=True, blank=True, help_text="From here on automation leaves it alone.")
    needs_person_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=["machine", "shared"]), name="incident_kind_is_known"),
            models.CheckConstraint(
                condition=Q(kind="machine", machine__isnull=False, cause_kind="")
                | Q(kind="shared", machine__isnull=True, cause_kind__in=SHARED_CAUSES),
                name="incident_cause_fits_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True, closed_by="") | (Q(closed_at__isnull=False) & ~Q(closed_by="")),
                name="closed_incident_has_its_closer",
            ),
            models.UniqueConstraint(
                fields=["machine"], name="one_open_incident_per_machine", condition=Q(kind="machine", closed_at=None)
            ),
            models.UniqueConstraint(
                fields=["site", "cause_kind", "cause", "fault_class", "code"],
                name="one_open_incident_per_cause",
                condition=Q(machine=None, closed_at=None),
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["machine", "-opened_at"], name="incident_of_machine")]

    def __str__(self) -> str:
        return f"incident {self.pk}"


class IncidentMachine(models.Model):
    """A machine of a shared incident, also one that only fell silent and has no fault; until it recovers automation
    leaves it alone."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="members")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="shared_incidents")
    joined_at = models.DateTimeField(db_default=Now())
    recovered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["incident", "machine"], name="machine_once_in_an_incident")
        ]
        indexes: ClassVar = [
            models.Index(fields=["machine"], name="incident_machine_open", condition=Q(recovered_at=None))
        ]

    def __str__(self) -> str:
        return f"{self.machine_id} of incident {self.incident_id}"


class RemediationAction(models.Model):
    """One remedy for one machine, from the plan to its outcome; see `health.remediation` for what its states mean.

    `sent_at` is committed before anything is sent, so a record that lacks it was never carried out.
    """

    key = models.CharField(max_length=80, unique=True, help_text="machine:incident:level:attempt")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="remediation_actions")
    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="actions")
    fault = models.ForeignKey(Fault, on_delete=models.SET_NULL, null=True, blank=True, related_name="actions")
    check_id = models.CharField(max_length=60)
    rung = models.PositiveSmallIntegerField()
    remedy = models.CharField(max_length=30)
    attempt = models.PositiveSmallIntegerField(default=1)
    params = models.JSONField(default=dict, help_text="What the remedy is about: the service, the GPU's slot.")
    state = models.CharField(max_length=9, choices=[(s, s) for s in ACTION_STATES], default="planned")
    planned_by = models.CharField(max_length=150, help_text="Automation, or the person who started it by hand.")
    reason = models.CharField(max_length=300)
    refused_by = models.CharField(max_length=60, blank=True, help_text="The guard that said no last.")
    refused_reason = models.CharField(max_length=300, blank=True)
    refused_at = models.DateTimeField(null=True, blank=True)
    planned_at = models.DateTimeField(db_default=Now())
    granted_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField(null=True, blank=True)
    lease_owner = models.CharField(max_length=80, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    next_look_at = models.DateTimeField(db_default=Now())
    boot_id_before = models.CharField(max_length=36, blank=True)
    report = models.CharField(max_length=10, choices=[(r, r) for r in REPORTS], blank=True, default="")
    result = models.CharField(max_length=300, blank=True)
    evidence = models.JSONField(default=dict, help_text="What was seen before and after.")
    verification = models.OneToOneField(
        Verification, on_delete=models.SET_NULL, null=True, blank=True, related_name="action"
    )
    verified = models.BooleanField(null=True, blank=True, help_text="What the verification after it said.")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(state__in=ACTION_STATES), name="action_state_is_known"),
            models.CheckConstraint(condition=Q(rung__in=AUTOMATIC_RUNGS), name="action_rung_is_automatic"),
            models.CheckConstraint(
                condition=Q(state__in=NOT_SENT, sent_at=None) | (~Q(state__in=NOT_SENT) & Q(sent_at__isnull=False)),
                name="action_sent_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(state__in=OPEN_ACTIONS, finished_at=None)
                | (~Q(state__in=OPEN_ACTIONS) & Q(finished_at__isnull=False)),
                name="finished_action_has_its_time",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["granted", "sent"]) | Q(lease_until__isnull=False), name="action_has_its_lease"
            ),
            models.CheckConstraint(condition=Q(report__in=REPORTS), name="action_report_is_known"),
            models.CheckConstraint(condition=~Q(planned_by=""), name="action_has_a_planner"),
            models.UniqueConstraint(
                fields=["machine"], name="one_open_action_per_machine", condition=Q(state__in=OPEN_ACTIONS)
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_look_at"], name="action_open", condition=Q(state__in=OPEN_ACTIONS)),
            models.Index(fields=["machine", "-planned_at"], name="action_of_machine"),
            models.Index(fields=["-sent_at"], name="action_sent", condition=Q(sent_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.remedy} ({self.key})"


class RemedySwitch(models.Model):
    """Whether automation may carry out a remedy for a check. Without a row it only says what it would do."""

    class Mode(models.TextChoices):
        DRY_RUN = "dry_run", "Say what would be done"
        ON = "on", "Do it"

    check_id = models.CharField(max_length=60)
    remedy = models.CharField(max_length=30)
    site = models.ForeignKey(Site, on_delete=models.CASCADE, null=True, blank=True, related_name="remedy_switches")
    mode = models.CharField(max_length=7, choices=Mode.choices, default=Mode.DRY_RUN)
    by = models.CharField(max_length=150)
    reason = models.CharField(max_length=300)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["check_id", "remedy", "site"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["check_id", "remedy", "site"], name="one_switch_per_remedy", nulls_distinct=False
            ),
            models.CheckConstraint(condition=Q(mode__in=["dry_run", "on"]), name="remedy_mode_is_known"),
            models.CheckConstraint(condition=~Q(reason=""), name="remedy_switch_has_a_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.remedy} for {self.check_id} is {self.mode}"


class AllowedWindow(models.Model):
    """Weekly hours, by the site's clock, in which these rungs may be used on machines that are not empty already."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="allowed_windows")
    weekdays = models.PositiveSmallIntegerField(default=127, help_text="Sum of 1 Monday, 2 Tuesday ... 64 Sunday.")
    from_time = models.TimeField()
    to_time = models.TimeField(help_text="Before from_time: until that time of the next day.")
    rungs = ArrayField(models.PositiveSmallIntegerField(), default=list)
    by = models.CharField(max_length=150)
    reason = models.CharField(max_length=300)

    class Meta:
        ordering: ClassVar = ["site", "id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(weekdays__gte=1, weekdays__lte=127), name="window_has_weekdays"),
            models.CheckConstraint(condition=~Q(from_time=F("to_time")), name="window_has_a_length"),
        ]

    def __str__(self) -> str:
        return f"{self.from_time}-{self.to_time} at site {self.site_id}"
