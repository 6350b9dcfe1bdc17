"""What is wrong by what was measured, and the limits of each site."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from facility.judgement.kinds import KINDS
from inventory.models import Rack, Room


class Policy(models.Model):
    """What a site allows and pays. Without one, the defaults of the columns hold."""

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="power_policy")
    load_percent = models.PositiveSmallIntegerField(default=80, help_text="Of a breaker's size, for long.")
    imbalance_percent = models.PositiveSmallIntegerField(default=10, help_text="A phase against the mean of three.")
    inlet_c = models.FloatField(default=27.0, help_text="Recommended upper limit of the air at the inlets.")
    rise_c_per_min = models.FloatField(default=1.0, help_text="Air that warms faster is proposed to be acted on.")
    gpu_great_c = models.FloatField(default=75.0)
    gpu_good_c = models.FloatField(default=80.0)
    port_c = models.FloatField(default=70.0, help_text="Switch ports that are warmer are a finding.")
    tariff_per_kwh = models.DecimalField(max_digits=8, decimal_places=4, null=True, blank=True)
    rates = models.JSONField(
        default=list, blank=True, help_text="Prices by the hour on site: start, end, per_kwh, weekdays (0 is Monday)."
    )
    currency = models.CharField(max_length=3, default="EUR")
    co2_g_per_kwh = models.PositiveIntegerField(null=True, blank=True)
    acting = models.BooleanField(default=False, help_text="Off: proposals are written down, and nothing is done.")
    emergency_gpu_percent = models.PositiveSmallIntegerField(
        null=True, blank=True,
        help_text="Of its model's power limit, what a GPU may draw in an emergency; null: none is limited.",
    )  # fmt: skip
    shut_down_at_once = models.PositiveSmallIntegerField(
        default=8, db_default=8, help_text="How many machines may be on their way down at a time."
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(load_percent__range=(10, 100)), name="load_limit_is_a_share"),
            models.CheckConstraint(condition=Q(imbalance_percent__range=(1, 100)), name="imbalance_limit_is_a_share"),
            models.CheckConstraint(
                condition=Q(emergency_gpu_percent=None) | Q(emergency_gpu_percent__range=(20, 100)),
                name="emergency_limit_is_a_share",
            ),
            models.CheckConstraint(condition=Q(shut_down_at_once__gte=1), name="machines_can_be_shut_down"),
        ]

    def __str__(self) -> str:
        return f"power of {self.site_id}"


class Finding(models.Model):
    """One thing that is wrong, from its first sight to its last. `facility.judgement.kinds` has the kinds."""

    class Severity(models.TextChoices):
        INFO = "info"
        WARN = "warn"
        BAD = "bad"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="power_findings")
    room = models.ForeignKey(Room, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    rack = models.ForeignKey(Rack, on_delete=models.CASCADE, null=True, blank=True, related_name="power_findings")
    kind = models.CharField(max_length=30)
    severity = models.CharField(max_length=4, choices=Severity.choices)
    subject_kind = models.CharField(max_length=20)
    subject_id = models.BigIntegerField()
    subject_name = models.CharField(max_length=120)
    part = models.CharField(max_length=60, blank=True, default="", help_text="A phase, an outlet, a supply, a gap.")
    text = models.CharField(max_length=500)
    values = models.JSONField(default=dict, blank=True)
    since = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="When it was last seen to be so.")
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-since", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site", "kind", "subject_kind", "subject_id", "part"], condition=Q(closed_at=None),
                name="one_open_power_finding",
            ),
            models.CheckConstraint(condition=Q(severity__in=["info", "warn", "bad"]), name="power_finding_severity"),
        ]  # fmt: skip
        indexes: ClassVar = [models.Index(fields=["rack"], condition=Q(closed_at=None), name="open_findings_of_rack")]

    def __str__(self) -> str:
        return self.text

    @property
    def title(self) -> str:
        return KINDS[self.kind].title if self.kind in KINDS else self.kind

    @property
    def todo(self) -> str:
        """What a technician does about it."""
        return KINDS[self.kind].todo if self.kind in KINDS else ""

    @property
    def incident(self) -> str:
        """The same for all findings that have one cause."""
        return str(self.values.get("incident") or "")

    @property
    def subject(self) -> dict[str, object]:
        return {"kind": self.subject_kind, "id": self.subject_id, "name": self.subject_name}
