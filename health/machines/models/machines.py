"""The state of each machine beside its plan, how it came to it, what holds it, and the pool it counts in."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Site
from health.machines.cells import CELLS
from health.machines.lifecycle import State
from inventory.models import DeviceModel, Machine

VERDICTS = ("fail", "unknown", "warn", "info", "ok")


class Pool(models.Model):
    """Machines that can stand in for each other: one site, role and model.

    Its row is the lock under which the machines out of service are counted before one more is drained.
    """

    class Automation(models.TextChoices):
        DRY_RUN = "dry_run", "Say what would be drained"
        ON = "on", "Drain within the disruption budget"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="pools")
    role = models.CharField(max_length=30)
    model = models.ForeignKey(DeviceModel, on_delete=models.PROTECT, related_name="pools")
    max_unavailable_share = models.FloatField(
        default=0.05, help_text="Share of the pool that may be out of service, 0 to 1."
    )
    automation = models.CharField(max_length=8, choices=Automation.choices, default=Automation.DRY_RUN)
    priority = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        help_text="Where power or cooling fails, machines of pools with a lower one are shut down first.",
    )
    no_scheduler = models.BooleanField(
        default=False, help_text="A person declares that no scheduler gives work to these machines."
    )
    no_scheduler_by = models.CharField(max_length=150, blank=True)
    no_scheduler_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["site", "role", "model"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(no_scheduler=False) | (Q(no_scheduler_at__isnull=False) & ~Q(no_scheduler_by="")),
                name="pool_without_scheduler_has_who_and_when",
            ),
            models.UniqueConstraint(fields=["site", "role", "model"], name="one_pool_per_role_and_model"),
            models.CheckConstraint(
                condition=Q(max_unavailable_share__gte=0, max_unavailable_share__lte=1),
                name="pool_share_is_between_0_and_1",
            ),
            models.CheckConstraint(condition=Q(automation__in=["dry_run", "on"]), name="pool_automation_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.model.slug} at {self.site}"


class MachineHealth(models.Model):
    """One row per machine: its lifecycle state, and what is known of it, each in its own column.

    Only `health.services` writes it, with the row locked; `cell` and the counts are kept beside what they derive from.
    """

    class Reachability(models.TextChoices):
        NEVER = "never"
        REACHABLE = "reachable"
        LATE = "late"
        UNREACHABLE = "unreachable"

    class Power(models.TextChoices):
        UNKNOWN = "unknown"
        ON = "on"
        OFF = "off"

    class Allocation(models.TextChoices):
        UNKNOWN = "unknown"
        IDLE = "idle"
        ALLOCATED = "allocated"

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="health")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, null=True, blank=True, related_name="machines")
    state = models.CharField(max_length=16, choices=[(s.value, s.value) for s in State], default=State.NEW.value)
    state_since = models.DateTimeField(db_default=Now())
    stuck = models.BooleanField(default=False, help_text="It is longer in its state than that should take.")
    version = models.PositiveBigIntegerField(default=0, help_text="Grows with every change of state.")
    reachability = models.CharField(max_length=12, choices=Reachability.choices, default=Reachability.NEVER)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    worst = models.CharField(max_length=8, choices=[(v, v) for v in VERDICTS], default="unknown")
    fail_count = models.PositiveSmallIntegerField(default=0)
    unknown_count = models.PositiveSmallIntegerField(default=0)
    warn_count = models.PositiveSmallIntegerField(default=0)
    power = models.CharField(max_length=8, choices=Power.choices, default=Power.UNKNOWN)
    allocation = models.CharField(max_length=10, choices=Allocation.choices, default=Allocation.UNKNOWN)
    boot_id = models.CharField(max_length=36, blank=True)
    open_faults = models.PositiveSmallIntegerField(default=0, help_text="Leading faults, suspected or confirmed.")
    cell = models.CharField(max_length=12, choices=[(c, c) for c in CELLS], default="off")
    ticket_key = models.CharField(max_length=20, blank=True, help_text="Open ticket, set by the room that owns it.")
    maintenance_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(state__in=[s.value for s in State]), name="machine_state_is_known"),
            models.CheckConstraint(
                condition=Q(reachability__in=["never", "reachable", "late", "unreachable"]),
                name="machine_reachability_is_known",
            ),
            models.CheckConstraint(condition=Q(worst__in=VERDICTS), name="machine_worst_is_a_verdict"),
            models.CheckConstraint(condition=Q(power__in=["unknown", "on", "off"]), name="machine_power_is_known"),
            models.CheckConstraint(
                condition=Q(allocation__in=["unknown", "idle", "allocated"]), name="machine_allocation_is_known"
            ),
            models.CheckConstraint(condition=Q(cell__in=CELLS), name="machine_cell_is_known"),
        ]
        indexes: ClassVar = [models.Index(fields=["state"], name="machine_state")]

    def __str__(self) -> str:
        return f"{self.machine_id} is {self.state}"


class LifecycleTransition(models.Model):
    """A permitted change of state: `health.machines.lifecycle.TRANSITIONS` as rows, which history refers to."""

    from_state = models.CharField(max_length=16)
    event = models.CharField(max_length=16)
    to_state = models.CharField(max_length=16)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["from_state", "event"], name="one_state_follows_an_event")
        ]

    def __str__(self) -> str:
        return f"{self.from_state} -{self.event}-> {self.to_state}"


class LifecycleChange(models.Model):
    """One change of state of one machine: what, who, why and on what evidence."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="lifecycle_changes")
    transition = models.ForeignKey(LifecycleTransition, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(db_default=Now())
    actor = models.CharField(max_length=150)
    reason = models.CharField(max_length=300)
    evidence = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(actor=""), name="lifecycle_change_has_an_actor")]
        indexes: ClassVar = [models.Index(fields=["machine", "-at"], name="lifecycle_of_machine")]


class Hold(models.Model):
    """A reason to keep a machine out of service. One live hold per machine and owner, such as `fault:12`."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="holds")
    owner = models.CharField(max_length=60)
    reason = models.CharField(max_length=300)
    placed_by = models.CharField(max_length=150)
    placed_at = models.DateTimeField(db_default=Now())
    lifted_by = models.CharField(max_length=150, blank=True)
    lifted_at = models.DateTimeField(null=True, blank=True)
    lift_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["machine", "owner"], name="one_live_hold_per_owner", condition=Q(lifted_at__isnull=True)
            ),
            models.CheckConstraint(condition=~Q(owner=""), name="hold_has_an_owner"),
        ]

    def __str__(self) -> str:
        return f"{self.owner} holds {self.machine_id}"
