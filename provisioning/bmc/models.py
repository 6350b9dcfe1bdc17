"""Profiles of device models, what BMCs told, their passwords, and runs over many BMCs."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models import DeviceModel, Machine
from provisioning.bmc.words import BmcAction, PasswordState
from provisioning.waves.policy import MACHINE_STATES, OPEN_MACHINES, RUN_STATES, MachineState, RunState

ACTIONS = [action.value for action in BmcAction]
PASSWORD_STATES = [state.value for state in PasswordState]


class BmcProfile(models.Model):
    """What BIOS, BMC and firmware of every machine of a model are to be."""

    model = models.OneToOneField(DeviceModel, on_delete=models.CASCADE, related_name="bmc_profile")
    settings = models.JSONField(default=list, help_text="[{area, name, value}]")
    firmware = models.JSONField(default=list, help_text="[{component, version, image}]")
    changed_at = models.DateTimeField(auto_now=True)
    changed_by = models.CharField(max_length=150)

    class Meta:
        ordering: ClassVar = ["model__slug"]

    def __str__(self) -> str:
        return f"BMC profile of model {self.model_id}"


class BmcReading(models.Model):
    """What a machine's BMC told last, and when it is asked again."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, related_name="bmc_reading")
    found = models.JSONField(default=dict, help_text="{area: {name: value}}")
    pending = models.JSONField(default=dict, help_text="What waits for the next start, likewise.")
    firmware = models.JSONField(default=list, help_text="[{id, name, version, path}]")
    settings_differ = models.PositiveIntegerField(default=0)
    firmware_differ = models.PositiveIntegerField(default=0)
    differences = models.JSONField(
        default=list, db_default=[], help_text="The first of both as sentences, for the check."
    )
    problem = models.CharField(max_length=500, blank=True, help_text="Why the last try told nothing.")
    read_at = models.DateTimeField(null=True, blank=True)
    next_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["machine"]
        indexes: ClassVar = [models.Index(fields=["next_at"], name="bmc_reading_due")]

    def __str__(self) -> str:
        return f"reading of the BMC of machine {self.machine_id}"


class BmcPassword(models.Model):
    """How the password of one BMC stands. The one in force is a credential; `candidate` may be in force, encrypted."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, related_name="bmc_password")
    state = models.CharField(max_length=10, choices=[(s, s) for s in PASSWORD_STATES])
    message = models.CharField(max_length=500, blank=True)
    candidate = models.BinaryField(null=True, blank=True, editable=False)
    written = models.BooleanField(default=True, help_text="The candidate was sent, or may have been.")
    rounds = models.PositiveSmallIntegerField(default=0, help_text="Times that both passwords were tried.")
    next_try_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True, help_text="When the one in force was first used.")
    changed_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering: ClassVar = ["machine"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(state__in=PASSWORD_STATES), name="bmc_password_state_is_known"),
            models.CheckConstraint(
                condition=~Q(state="changing") | Q(candidate__isnull=False), name="bmc_password_changing_has_candidate"
            ),
            models.CheckConstraint(
                condition=~Q(state__in=["own", "kept"]) | Q(candidate__isnull=True),
                name="bmc_password_settled_has_none",
            ),
        ]

    def __str__(self) -> str:
        return f"password of the BMC of machine {self.machine_id}"


class BmcRun(models.Model):
    """One action over the BMCs of machines of one site: a canary, then waves. A dry run changes nothing."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="bmc_runs")
    part_of = models.ForeignKey(
        "provisioning.RunMachine", on_delete=models.CASCADE, null=True, blank=True, related_name="bmc_runs",
        help_text="The machine of a provisioning run at its step bmc_setup; empty: started by a person.",
    )  # fmt: skip
    action = models.CharField(max_length=10, choices=[(a, a) for a in ACTIONS])
    dry_run = models.BooleanField(default=True)
    restart = models.BooleanField(default=False, help_text="Restart machines where something waits for their start.")
    canary = models.PositiveSmallIntegerField(default=1, help_text="So many machines go first, alone.")
    limit = models.PositiveIntegerField(default=8, help_text="Machines of a wave after the canary.")
    stop_share = models.FloatField(default=0.2, help_text="Share of failed machines, over 0 to 1, that stops the run.")
    status = models.CharField(max_length=10, choices=[(s, s) for s in RUN_STATES], default=RunState.WAITING.value)
    message = models.CharField(max_length=500, blank=True, help_text="Why it stopped, or what it waits for.")
    cancelled_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150)
    next_at = models.DateTimeField(null=True, blank=True, help_text="When its machines are checked again.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=RUN_STATES), name="bmc_run_status_is_known"),
            models.CheckConstraint(condition=Q(action__in=ACTIONS), name="bmc_run_action_is_known"),
            models.CheckConstraint(condition=Q(limit__gte=1), name="bmc_run_limit_is_at_least_one"),
            models.CheckConstraint(
                condition=Q(stop_share__gt=0, stop_share__lte=1), name="bmc_run_stop_share_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"BMC run {self.pk}"


class BmcRunMachine(models.Model):
    """One machine of a BMC run; `data` is what was begun there, written down before it is."""

    run = models.ForeignKey(BmcRun, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="bmc_run_machines")
    status = models.CharField(
        max_length=12, choices=[(s, s) for s in MACHINE_STATES], default=MachineState.WAITING.value
    )
    wave = models.PositiveIntegerField(null=True, blank=True)
    message = models.CharField(max_length=1000, blank=True)
    data = models.JSONField(default=dict)
    log = models.JSONField(default=list, help_text="[{at, text}], oldest first.")
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["run", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["run", "machine"], name="machine_once_in_a_bmc_run"),
            models.UniqueConstraint(
                fields=["machine"],
                name="machine_in_one_open_bmc_run",
                condition=Q(status__in=[state.value for state in OPEN_MACHINES]),
            ),
            models.CheckConstraint(condition=Q(status__in=MACHINE_STATES), name="bmc_machine_status_is_known"),
        ]

    def __str__(self) -> str:
        return f"machine {self.machine_id} in BMC run {self.run_id}"
