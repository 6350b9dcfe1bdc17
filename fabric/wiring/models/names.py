"""Names by place: what a switch should be called as the wiring shows it, who approved it, whether it was written."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from fabric.discovery.models.sources import FabricSource
from inventory.models import Device


class NameProposal(models.Model):
    """`agreeing` of `asked` cables lead where the proposed name says; `margin` are the votes before the next best."""

    class State(models.TextChoices):
        PROPOSED = "proposed"
        APPROVED = "approved", "approved, on its way to the fabric"
        WRITTEN = "written", "written, to be confirmed by the next discovery run"
        CONFIRMED = "confirmed", "the fabric reports the name"
        REJECTED = "rejected"
        FAILED = "failed", "could not be written"
        GONE = "gone", "the wiring no longer says so"

    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="name_proposals")
    guid = models.CharField(max_length=64)
    reported = models.CharField(max_length=128, blank=True)
    proposed = models.CharField(max_length=110)
    device = models.ForeignKey(Device, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    agreeing = models.PositiveIntegerField()
    asked = models.PositiveIntegerField()
    margin = models.PositiveIntegerField()
    certain = models.BooleanField(help_text="Margin and agreement are above what may be written.")
    evidence = models.JSONField(default=dict)
    state = models.CharField(max_length=9, choices=State.choices, default=State.PROPOSED)
    message = models.CharField(max_length=500, blank=True)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=150, blank=True)
    reason = models.CharField(max_length=500, blank=True)
    writing_at = models.DateTimeField(null=True, blank=True, help_text="Recorded before the fabric is touched.")
    written_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source", "guid"],
                name="one_open_name_proposal",
                condition=Q(state__in=["proposed", "approved", "written", "failed"]),
            ),
            models.CheckConstraint(
                condition=Q(state__in=["proposed", "approved", "written", "confirmed", "rejected", "failed", "gone"]),
                name="name_proposal_state_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.guid}: {self.proposed}"
