"""What machines used, day by day, and for which job."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q


class EnergyDay(models.Model):
    """What one machine used on one day (UTC) for one job of the scheduler, or for none: then `job` is null.

    Rows stay when machine, job, rack or pool are gone. Energy is of the time that was measured; `unknown_s` is the
    rest. A day on which the currency changes has two rows: amounts of different currencies are never added up. Rack and
    pool are those in which its first hour was written down: a machine that moves takes no past energy with it.
    """

    site_id = models.BigIntegerField()
    day = models.DateField()
    machine_id = models.BigIntegerField()
    job_id = models.BigIntegerField(null=True)
    rack_id = models.BigIntegerField(null=True, help_text="Null: none was known then; where it stands today counts.")
    pool_id = models.BigIntegerField(null=True, help_text="Null: none was known then; the one of today counts.")
    outlet_kwh = models.FloatField(default=0.0)
    bmc_kwh = models.FloatField(default=0.0)
    model_kwh = models.FloatField(default=0.0, help_text="Not measured: what others of its model drew.")
    currency = models.CharField(max_length=3, blank=True, default="", help_text="Of the cost; empty: no tariff then.")
    cost = models.FloatField(null=True, help_text="Null: it had no tariff, or nothing was measured.")
    co2_kg = models.FloatField(null=True)
    co2_kwh = models.FloatField(default=0.0, help_text="The energy of which `co2_kg` is: that while a factor was set.")
    total_s = models.FloatField(default=0.0)
    unknown_s = models.FloatField(default=0.0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["day", "machine_id", "job_id", "currency"], name="energy_of_a_day", nulls_distinct=False
            ),
            models.CheckConstraint(condition=Q(unknown_s__gte=0, total_s__gte=0), name="energy_is_of_a_time"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["site_id", "day"], name="energy_of_site"),
            models.Index(fields=["job_id"], name="energy_of_job", condition=~Q(job_id=None)),
        ]

    def __str__(self) -> str:
        return f"machine {self.machine_id} on {self.day}"
