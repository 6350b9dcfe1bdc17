"""What people decided about checks: other thresholds, silences, checks that only observe, and judged kernel lines.

A decision is never changed into another one and never deleted: it ends, by a person or by its expiry, and stays as the
record of who wanted it and why. `health.monitoring.policy` says what the decisions of a machine come to together.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from core.models import Site
from health.checks.responses import Response
from inventory.models import DeviceModel, Machine

SCOPES = ("site", "model", "machine")


class Decision(models.Model):
    """Who decided something, why, and until when."""

    reason = models.CharField(max_length=300)
    owner = models.CharField(max_length=150, help_text="User name of the person who answers for it.")
    expires_at = models.DateTimeField(null=True, blank=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(db_default=Now())
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.CharField(max_length=150, blank=True)

    class Meta:
        abstract = True
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(reason=""), name="%(class)s_has_a_reason"),
            models.CheckConstraint(condition=~Q(owner="") & ~Q(created_by=""), name="%(class)s_has_an_owner"),
            models.CheckConstraint(
                condition=Q(expires_at__isnull=True) | Q(expires_at__gt=F("created_at")),
                name="%(class)s_expires_after_it_began",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, ended_by="") | (Q(ended_at__isnull=False) & ~Q(ended_by="")),
                name="%(class)s_was_ended_by_somebody",
            ),
        ]


class CheckDecision(Decision):
    """A decision about a check."""

    check_id = models.CharField(max_length=60)

    class Meta(Decision.Meta):
        abstract = True

    def __str__(self) -> str:
        return f"{self._meta.verbose_name} of {self.check_id}"


class Scoped(CheckDecision):
    """A decision for a site, a device model (of one site, or of all where `site` is empty) or a machine.

    A machine's row carries the machine's site too, for whose operators it is.
    """

    scope = models.CharField(max_length=7, choices=[(word, word) for word in SCOPES])
    site = models.ForeignKey(Site, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    model = models.ForeignKey(DeviceModel, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(Decision.Meta):
        abstract = True
        constraints: ClassVar = [
            *Decision.Meta.constraints,
            models.CheckConstraint(
                condition=Q(scope="site", site__isnull=False, model__isnull=True, machine__isnull=True)
                | Q(scope="model", model__isnull=False, machine__isnull=True)
                | Q(scope="machine", site__isnull=False, model__isnull=True, machine__isnull=False),
                name="%(class)s_has_one_scope",
            ),
        ]


class ThresholdOverride(Scoped):
    """Other numbers for a check: `thresholds` is name to number, of the names the check declares."""

    thresholds = models.JSONField()

    class Meta(Scoped.Meta):
        constraints: ClassVar = [
            *Scoped.Meta.constraints,
            models.UniqueConstraint(
                fields=["check_id", "scope", "site", "model", "machine"],
                name="one_live_override_per_check_and_scope",
                condition=Q(ended_at__isnull=True),
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=~Q(thresholds={}), name="override_has_thresholds"),
        ]


class Silence(Scoped):
    """A check that is not to turn anything red for a while: on one part, or on all where `part` is empty."""

    part = models.CharField(max_length=60, blank=True)
    expires_at = models.DateTimeField()

    class Meta(Scoped.Meta):
        constraints: ClassVar = [
            *Scoped.Meta.constraints,
            models.UniqueConstraint(
                fields=["check_id", "part", "scope", "site", "model", "machine"],
                name="one_live_silence_per_check_and_scope",
                condition=Q(ended_at__isnull=True),
                nulls_distinct=False,
            ),
        ]


class ObserveOnly(CheckDecision):
    """A check that judges and shows, but opens no fault: at a site, or at all where `site` is empty."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(Decision.Meta):
        verbose_name = "audit mode"
        verbose_name_plural = "audit mode"
        constraints: ClassVar = [
            *Decision.Meta.constraints,
            models.UniqueConstraint(
                fields=["check_id", "site"],
                name="one_live_observe_only_per_check",
                condition=Q(ended_at__isnull=True),
                nulls_distinct=False,
            ),
        ]


class ResponseOverride(Decision):
    """Another response to a class of fault than the table has: at a site, or at all of them where `site` is empty."""

    fault_class = models.CharField(max_length=60)
    response = models.CharField(max_length=9, choices=[(response.value, response.value) for response in Response])
    site = models.ForeignKey(Site, on_delete=models.CASCADE, null=True, blank=True, related_name="+")

    class Meta(Decision.Meta):
        constraints: ClassVar = [
            *Decision.Meta.constraints,
            models.UniqueConstraint(
                fields=["fault_class", "site"],
                name="one_live_response_per_class",
                condition=Q(ended_at__isnull=True),
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=Q(response__in=[response.value for response in Response]),
                name="response_override_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.response} for {self.fault_class}"


class KernelImage(models.Model):
    """What runs on machines of one model at one site: its kernel lines are judged together.

    `image` names distribution and kernel as they were read; empty where they were not. `dropped` counts kinds of line
    that the newest sweep which saw too many of them at once did not list.
    """

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="+")
    model = models.ForeignKey(DeviceModel, on_delete=models.CASCADE, related_name="+")
    image = models.CharField(max_length=200, blank=True)
    sweep_id = models.BigIntegerField(null=True, blank=True, help_text="Sweep that `added` and `dropped` count in.")
    added = models.PositiveIntegerField(default=0)
    dropped = models.PositiveIntegerField(default=0)
    dropped_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "model", "image"], name="one_kernel_image_per_site_and_model")
        ]

    def __str__(self) -> str:
        return self.image or "image not known"


class KernelLine(models.Model):
    """A kind of kernel line on one image: to be judged, accepted until a day, or marked as bad."""

    class State(models.TextChoices):
        NEW = "new"
        ACCEPTED = "accepted"
        BAD = "bad"

    image = models.ForeignKey(KernelImage, on_delete=models.CASCADE, related_name="lines")
    shape = models.CharField(max_length=300)
    example = models.CharField(max_length=400)
    first_seen = models.DateTimeField()
    last_seen = models.DateTimeField(help_text="Newest check that listed it as not triaged; an hour old at most.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.NEW)
    verdict = models.CharField(max_length=4, blank=True, help_text="Of a bad line.")
    reason = models.CharField(max_length=300, blank=True)
    owner = models.CharField(max_length=150, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=150, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-last_seen", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["image", "shape"], name="one_row_per_kind_of_kernel_line"),
            models.CheckConstraint(
                condition=Q(state="new", verdict="")
                | (Q(state="accepted", verdict="", expires_at__isnull=False) & ~Q(reason="") & ~Q(owner=""))
                | (Q(state="bad", verdict__in=["fail", "warn", "info"]) & ~Q(reason="")),
                name="kernel_line_is_judged_in_full",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["image"], name="kernel_line_judged", condition=~Q(state="new")),
            models.Index(fields=["-last_seen", "-id"], name="kernel_line_last_seen"),
        ]

    def __str__(self) -> str:
        return self.shape


class KernelSighting(models.Model):
    """A machine that said a kind of line while nobody had judged it."""

    line = models.ForeignKey(KernelLine, on_delete=models.CASCADE, related_name="sightings")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["line", "machine"], name="one_sighting_per_line_and_machine")
        ]
