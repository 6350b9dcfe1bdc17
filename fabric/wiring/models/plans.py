"""What the comparison is held against besides the inventory: as-built plans, reserved ports, lengths between places."""

from __future__ import annotations

import zlib
from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from core.models import Site
from inventory.models import Port, Rack, Row


class AsBuiltPlan(models.Model):
    """A list of cables as a contractor says they were laid, kept as it came."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="as_built_plans")
    name = models.CharField(max_length=100)
    filename = models.CharField(max_length=200)
    content = models.BinaryField(help_text="The file as UTF-8 text, deflated.")
    cables = models.PositiveIntegerField()
    devices = models.PositiveIntegerField()
    note = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.CharField(max_length=150)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["site", "name"], name="as_built_plan_name_in_site")]

    def __str__(self) -> str:
        return self.name

    @property
    def text(self) -> str:
        return zlib.decompress(bytes(self.content)).decode()


class ReservedPort(models.Model):
    """A free port that is kept for something: no cable is planned for it, and none is moved there."""

    port = models.OneToOneField(Port, on_delete=models.CASCADE, related_name="reserved")
    owner = models.CharField(max_length=100, help_text="Who it is kept for.")
    reason = models.CharField(max_length=300, blank=True)
    until = models.DateField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.CharField(max_length=150)

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"kept for {self.owner}"


class LengthRule(models.Model):
    """The length of cable it takes between two racks or two rows of a site; twice the same: within it.

    The rule of two racks beats that of their rows. Without a rule the distance on the floor decides.
    """

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="length_rules")
    a_rack = models.ForeignKey(Rack, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    b_rack = models.ForeignKey(Rack, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    a_row = models.ForeignKey(Row, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    b_row = models.ForeignKey(Row, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    length_m = models.DecimalField(max_digits=6, decimal_places=2)

    class Meta:
        ordering: ClassVar = ["site", "id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                name="length_rule_joins_racks_or_rows",
                condition=Q(a_rack__isnull=False, b_rack__isnull=False, a_row__isnull=True, b_row__isnull=True)
                | Q(a_rack__isnull=True, b_rack__isnull=True, a_row__isnull=False, b_row__isnull=False),
            ),
            # Written once, whichever end was named first.
            models.CheckConstraint(
                name="length_rule_smaller_end_first",
                condition=(Q(a_rack__isnull=True) | Q(a_rack__lte=F("b_rack")))
                & (Q(a_row__isnull=True) | Q(a_row__lte=F("b_row"))),
            ),
            models.UniqueConstraint(
                fields=["site", "a_rack", "b_rack", "a_row", "b_row"],
                name="length_rule_once",
                nulls_distinct=False,
            ),
            models.CheckConstraint(condition=Q(length_m__gt=0), name="length_rule_is_a_length"),
        ]

    def __str__(self) -> str:
        return f"{self.length_m} m"
