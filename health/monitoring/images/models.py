"""Container images on machines, as sweeps see them. Telemetry: written by sweeps alone."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from inventory.models import Machine


class MachineImages(models.Model):
    """Which engines of a machine were asked for their images, and whether they told.

    The row says since when it is so; that it still is so says the machine's report (`MachineReport.heard_at`).
    """

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="images_seen")
    engines = models.JSONField(default=dict, help_text="{engine: why it did not tell; empty: it told}.")
    digest = models.CharField(max_length=32)
    changed_at = models.DateTimeField()


class MachineImage(models.Model):
    """One image on one machine."""

    class Engine(models.TextChoices):
        DOCKER = "docker"
        CONTAINERD = "containerd"
        ENROOT = "enroot"

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="images", db_index=False)
    engine = models.CharField(max_length=12, choices=Engine)
    reference = models.CharField(max_length=255, help_text="With registry and tag; of Enroot the path of the file.")
    digest = models.CharField(max_length=71, blank=True, help_text="That of the registry; empty: the engine has none.")
    image_id = models.CharField(max_length=71, blank=True, help_text="That of the image's configuration.")
    size_bytes = models.BigIntegerField(null=True)
    made_at = models.DateTimeField(null=True, help_text="When it was built; of a file, when it was written.")
    seen_at = models.DateTimeField(help_text="The check that showed it first.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["machine", "engine", "reference", "digest", "image_id"], name="one_row_an_image"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["reference", "machine"], name="machines_of_image")]
