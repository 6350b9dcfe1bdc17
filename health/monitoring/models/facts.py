"""What one look leaves for the next: counters, versions, how far a BMC's log was read. Telemetry, one row a machine."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from inventory.models import Machine


class LookCounters(models.Model):
    """Counters of the last look at which any were told, to judge the next by how they grew."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="look_counters")
    boot_id = models.CharField(max_length=36, blank=True)
    at_s = models.FloatField(help_text="When they were read, by the machine's own clock, in seconds since 1970.")
    packed = models.BinaryField(help_text="JSON: {slot: {counter: value}}.")
    before_boot_id = models.CharField(max_length=36, blank=True, default="", help_text="The check before that one.")
    before_at_s = models.FloatField(null=True)
    before_packed = models.BinaryField(null=True)


class MachineFacts(models.Model):
    """Versions and settings that the last looks showed; a fact that a look does not tell keeps its value."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="facts")
    facts = models.JSONField(
        default=dict, help_text="{fact: value}; the names are those of `health.monitoring.facts.FACTS`."
    )
    changed_at = models.DateTimeField(help_text="When a fact was last new or another one.")


class FactChange(models.Model):
    """A fact that became another: a driver, firmware or setting was changed between two looks."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="fact_changes", db_index=False)
    at = models.DateTimeField(help_text="The check that showed it first.")
    fact = models.CharField(max_length=60)
    before = models.CharField(max_length=200)
    after = models.CharField(max_length=200)

    class Meta:
        ordering: ClassVar = ["-at", "-id"]
        indexes: ClassVar = [models.Index(fields=["machine", "-at"], name="fact_change_of_machine")]


class BmcLogRead(models.Model):
    """How far the logs of a machine's BMC were read, and their entries that may still matter."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="bmc_log")
    tried_at = models.DateTimeField(help_text="When the BMC was last asked for its logs.")
    read_at = models.DateTimeField(null=True, help_text="When it last gave them.")
    error = models.CharField(max_length=300, blank=True, help_text="Why it did not give them when last asked.")
    cursors = models.JSONField(default=dict, help_text="{path of a log's entries: id of the newest one read}.")
    entries = models.JSONField(default=list, help_text="Entries that matter and were not taken back, oldest first.")


class GpuProcesses(models.Model):
    """The processes that hold a machine's GPUs, as the last look that differed from the one before showed them.

    A row says when it became so; that it still is so says the machine's report (`MachineReport.heard_at`).
    """

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="gpu_processes")
    boot_id = models.CharField(max_length=36, blank=True)
    booted_at = models.DateTimeField(help_text="The start of the machine by our clock.")
    trouble = models.CharField(max_length=300, blank=True, help_text="Why it is not known what runs; empty: it is.")
    processes = models.JSONField(
        default=list, help_text="pid, parent, started_s after the start, user, container, gpus, variables of each."
    )
    digest = models.CharField(max_length=32)
    changed_at = models.DateTimeField()
