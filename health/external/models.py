"""Other systems that report verdicts of machines, and what each of them said last."""

from __future__ import annotations

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from knox.settings import CONSTANTS

from core.audit.fields import JsonText
from core.models import Site
from inventory.models import Machine


class ReportSource(models.Model):
    """A system that may report verdicts of the machines of one site, by a token of its own stored as a hash."""

    class Kind(models.TextChoices):
        GENERIC = "generic"
        NHC = "nhc"
        ALERTMANAGER = "alertmanager"
        AGENT = "agent"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="report_sources")
    name = models.CharField(
        max_length=20,
        validators=[RegexValidator(r"\A[a-z0-9][a-z0-9-]*\Z", "Lower-case letters, digits and dashes.")],
        help_text="Its checks are called NAME/CHECK.",
    )
    kind = models.CharField(max_length=12, choices=Kind.choices, default=Kind.GENERIC)
    digest = models.CharField(max_length=CONSTANTS.DIGEST_LENGTH, unique=True, editable=False)
    token_key = models.CharField(max_length=CONSTANTS.TOKEN_KEY_LENGTH, help_text="How its token begins.")
    checks = ArrayField(
        models.CharField(max_length=39),
        default=list,
        blank=True,
        help_text="The only checks it may report; empty: any.",
    )
    known = ArrayField(
        models.CharField(max_length=39),
        default=list,
        blank=True,
        editable=False,
        help_text="Checks it reported so far, the first few hundred.",
    )
    stale_after_s = models.PositiveIntegerField(
        default=900, help_text="A check without a report for so long is unknown."
    )
    enabled = models.BooleanField(default=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(db_default=Now())
    last_seen_at = models.DateTimeField(null=True, blank=True)
    refused = models.PositiveBigIntegerField(default=0, help_text="Results refused so far.")

    class Meta:
        ordering: ClassVar = ["site", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="one_report_source_per_name"),
            models.CheckConstraint(
                condition=Q(kind__in=["generic", "nhc", "alertmanager", "agent"]), name="report_source_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(stale_after_s__gte=60, stale_after_s__lte=604_800), name="report_source_goes_stale"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ReportedMachine(models.Model):
    """What one source says of one machine: every place with its verdict and time. What is not ok is a CurrentVerdict
    besides, called SOURCE/CHECK."""

    source = models.ForeignKey(ReportSource, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="reported")
    entries = JsonText(default=dict, help_text="CHECK<tab>PART to [verdict code, microseconds since 1970].")
    version = models.PositiveBigIntegerField(default=0, help_text="Grows with every write of the entries.")
    waits = models.BooleanField(default=False, help_text="A fault waits for the second time it is said.")
    due_at = models.DateTimeField(
        null=True, help_text="When to evaluate it again: after a change, a confirmation or missing reports."
    )

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "machine"], name="one_row_per_source_and_machine")
        ]
        indexes: ClassVar = [
            models.Index(fields=["due_at"], name="reported_due", condition=Q(due_at__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} on {self.machine_id}"
