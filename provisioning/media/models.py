"""What a machine's boot medium differs in, as long as its run needs it, and media that are to be taken out."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q


class BootMedium(models.Model):
    """The boot medium of one attempt of a machine in a run.

    It is served while it has content; then nothing of it is left but the row, which is due until it is out of the BMC.
    """

    run_machine = models.ForeignKey("provisioning.RunMachine", on_delete=models.CASCADE, related_name="media")
    file = models.CharField(max_length=80, help_text="The image that it is made of.")
    token_hash = models.CharField(max_length=64, unique=True)
    content = models.BinaryField(
        default=b"", help_text="Its address and what differs from machine to machine, encrypted; empty once closed."
    )
    made_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True, blank=True, help_text="When something of it was read last, to 5 s.")
    closed_at = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField(default=0, help_text="To take it out after its run.")
    next_at = models.DateTimeField(null=True, blank=True, help_text="When it is tried to be taken out next.")
    lease_until = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(
        null=True, blank=True, help_text="When it was seen to be out of the BMC, or left to people."
    )
    message = models.CharField(
        max_length=300, blank=True, default="", db_default="", help_text="Why it is not out yet."
    )

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["run_machine"], name="one_open_boot_medium", condition=Q(closed_at__isnull=True)
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(content=b""), name="closed_boot_medium_is_empty"
            ),
        ]

    def __str__(self) -> str:
        return f"boot medium {self.pk}"
