"""Placements of container images (or their removal) over machines of one site, and what became of each machine."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Site
from health.checks.parsers.images import ENGINES
from inventory.models import Machine
from provisioning.waves.policy import MACHINE_STATES, OPEN_MACHINES, OPEN_RUNS, RUN_STATES, MachineState, RunState

DIGEST = r"^(sha256:[0-9a-f]{64})?$"


class ImagePlacement(models.Model):
    """One image on machines of a site: a canary first, then as many at once as its limits and those of others leave.

    A dry run asks each machine what would be done, and changes nothing.
    """

    class Action(models.TextChoices):
        PLACE = "place"
        REMOVE = "remove"

    IS_OPEN: ClassVar = Q(status__in=[state.value for state in OPEN_RUNS])
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="image_placements")
    action = models.CharField(max_length=6, choices=Action.choices)
    engine = models.CharField(max_length=12, choices=[(each, each) for each in ENGINES])
    reference = models.CharField(max_length=255, help_text="With registry and tag; to remove one of Enroot its file.")
    digest = models.CharField(max_length=71, blank=True, help_text="Empty until the registry said what the tag means.")
    size_bytes = models.BigIntegerField(null=True, help_text="What one machine pulls, as far as the registry said.")
    layers = models.JSONField(null=True, help_text="{digest: compressed bytes}; null: the registry did not say.")
    dry_run = models.BooleanField(default=True)
    canary = models.PositiveSmallIntegerField(default=1, help_text="So many machines go first, alone.")
    limit = models.PositiveIntegerField(default=64, help_text="Machines at once after the canary.")
    rack_limit = models.PositiveIntegerField(default=4, help_text="Machines at once in one rack, of all placements.")
    registry_limit = models.PositiveIntegerField(
        default=64, help_text="Machines at once that pull from its registry, of all placements."
    )
    stop_share = models.FloatField(default=0.2, help_text="Share of failed machines, over 0 to 1, that stops it.")
    status = models.CharField(max_length=10, choices=[(s, s) for s in RUN_STATES], default=RunState.WAITING.value)
    message = models.CharField(max_length=500, blank=True, help_text="Why it stopped, or what it waits for.")
    cancelled_by = models.CharField(max_length=150, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=150)
    finished_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(null=True, blank=True, help_text="When a worker looks at it next.")
    lease = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=RUN_STATES), name="placement_status_is_known"),
            models.CheckConstraint(condition=Q(action__in=["place", "remove"]), name="placement_action_is_known"),
            models.CheckConstraint(condition=Q(engine__in=ENGINES), name="placement_engine_is_known"),
            models.CheckConstraint(condition=Q(digest__regex=DIGEST), name="placement_digest_is_one"),
            models.CheckConstraint(
                condition=Q(limit__gte=1, rack_limit__gte=1, registry_limit__gte=1),
                name="placement_limits_are_at_least_one",
            ),
            models.CheckConstraint(
                condition=Q(stop_share__gt=0, stop_share__lte=1), name="placement_stop_share_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.reference}"


class PlacedImage(models.Model):
    """One machine of a placement. `begun_at` is when its pull was begun there; it goes on without us."""

    placement = models.ForeignKey(ImagePlacement, on_delete=models.CASCADE, related_name="machines")
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, related_name="placed_images")
    status = models.CharField(
        max_length=12, choices=[(s, s) for s in MACHINE_STATES], default=MachineState.WAITING.value
    )
    rack = models.CharField(max_length=100, blank=True, help_text="Where it stood when it was asked for.")
    wave = models.PositiveIntegerField(null=True, blank=True)
    attempt = models.PositiveSmallIntegerField(default=1)
    pulled_bytes = models.BigIntegerField(null=True, help_text="Of what it fetches; null: its engine does not tell.")
    pulled_of_bytes = models.BigIntegerField(null=True, help_text="What it fetches, without layers it had before.")
    pulled_at = models.DateTimeField(null=True, blank=True, help_text="When it told that.")
    identity = models.CharField(max_length=71, blank=True, help_text="The digest, or the size, read there afterwards.")
    message = models.CharField(max_length=500, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    begun_at = models.DateTimeField(null=True, blank=True)
    look_at = models.DateTimeField(null=True, blank=True, help_text="When it is asked next.")
    silent = models.PositiveSmallIntegerField(default=0, help_text="Times in a row that it did not answer.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["placement", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["placement", "machine"], name="machine_once_in_a_placement"),
            models.UniqueConstraint(
                fields=["machine"],
                name="machine_in_one_open_placement",
                condition=Q(status__in=[state.value for state in OPEN_MACHINES]),
            ),
            models.CheckConstraint(condition=Q(status__in=MACHINE_STATES), name="placed_image_status_is_known"),
        ]

    def __str__(self) -> str:
        return f"machine {self.machine_id} in placement {self.placement_id}"
