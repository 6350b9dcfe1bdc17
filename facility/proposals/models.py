"""What is proposed to be done about heat, a leak or a feed that fails, and what was done of it."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from inventory.models import Room


class Proposal(models.Model):
    """One incident with everything it touches, and the steps that would keep the machines safe, mildest first.

    Each step is `{order, action, target, machine_ids, text, reversible, state, message, progress}`; `progress` says by
    machine what was done and how it was before. It is written down as `doing` before it is done.
    """

    class State(models.TextChoices):
        PROPOSED = "proposed"
        APPROVED = "approved"
        DISMISSED = "dismissed"
        OVER = "over", "what caused it is gone"

    OPEN: ClassVar = (State.PROPOSED, State.APPROVED)

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="power_proposals")
    room = models.ForeignKey(Room, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    incident = models.CharField(max_length=120, help_text="What it is about, the same in every round: feed:12.")
    text = models.CharField(max_length=500)
    machines = models.JSONField(default=list, help_text="Names of the machines that it touches.")
    steps = models.JSONField(default=list)
    dry_run = models.BooleanField(default=True, help_text="Written down only: the site has not switched acting on.")
    state = models.CharField(max_length=9, choices=State.choices, default=State.PROPOSED)
    decided_by = models.CharField(max_length=150, blank=True, default="")
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="When what causes it was last seen.")

    class Meta:
        ordering: ClassVar = ["-created_at", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site", "incident"], condition=Q(state__in=["proposed", "approved"]),
                name="one_open_proposal_of_an_incident",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["proposed", "approved", "dismissed", "over"]), name="proposal_state_is_known"
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return self.text
