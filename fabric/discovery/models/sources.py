"""Where a fabric is read, what was read each time, and how each look went."""

from __future__ import annotations

import zlib
from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Credential, Site
from inventory.models import Machine


class FabricSource(models.Model):
    """One place that tells how a fabric is wired. Its state says what its newest look was worth."""

    class Kind(models.TextChoices):
        IBDIAGS = "ibdiags", "infiniband-diags on a machine of the fabric, over SSH"
        UFM = "ufm", "UFM, over REST"
        LLDP = "lldp", "lldpctl on the machines, over SSH"
        EAPI = "eapi", "Arista switches, over eAPI"
        NVUE = "nvue", "Cumulus switches, over NVUE"
        FILE = "file", "files that a person uploads"

    class Fabric(models.TextChoices):
        INFINIBAND = "infiniband"
        ETHERNET = "ethernet"

    class State(models.TextChoices):
        NEVER = "never", "never read"
        OK = "ok"
        STALE = "stale", "no good discovery run for too long"
        EMPTY = "empty", "answered with nothing"
        TRUNCATED = "truncated", "the answer breaks off"
        PARTIAL = "partial", "a part of the answer is missing, or its ends disagree"
        FAILED = "failed", "could not be read"
        UNTRUSTED = "untrusted", "presents another certificate or host key than the pinned one"
        HELD_BACK = "held_back", "too much vanished at once: rejected by the guard"

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="fabric_sources")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    fabric = models.CharField(max_length=10, choices=Fabric.choices, default=Fabric.INFINIBAND)
    machine = models.ForeignKey(
        Machine, on_delete=models.SET_NULL, null=True, blank=True, related_name="fabric_sources",
        help_text="The machine whose tools are run; its address, key and host key are those of access.",
    )  # fmt: skip
    address = models.CharField(max_length=200, blank=True, help_text="Without a machine: HOST, HOST:PORT or an URL.")
    credential = models.ForeignKey(
        Credential, on_delete=models.PROTECT, null=True, blank=True, related_name="fabric_sources"
    )
    identity = models.TextField(
        blank=True,
        help_text="Host key line or SHA-256 of the certificate, kept at first contact; empty: take what is met next.",
    )
    options = models.JSONField(default=dict, blank=True, help_text="What only this kind knows, such as the sign-in.")
    plan = models.ForeignKey(
        "fabric.AsBuiltPlan", on_delete=models.PROTECT, null=True, blank=True, related_name="sources",
        help_text="Compare with this as-built plan; empty: with the cables of the inventory.",
    )  # fmt: skip
    enabled = models.BooleanField(default=True)
    period_s = models.PositiveIntegerField(default=600, help_text="Seconds between discovery runs; 0: only on demand.")
    stale_after_s = models.PositiveIntegerField(
        default=3600, help_text="Stale after so long without a good discovery run."
    )
    confirm_after_s = models.PositiveIntegerField(
        default=300, help_text="A finding opens when a discovery run at least this much later shows it too."
    )
    guard_percent = models.PositiveSmallIntegerField(
        default=5, help_text="When more of the links than this vanish at once, the guard rejects the run."
    )
    keep_days = models.PositiveSmallIntegerField(default=30, help_text="How long captures are kept.")
    state = models.CharField(max_length=10, choices=State.choices, default=State.NEVER)
    message = models.CharField(max_length=500, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)
    last_good_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["site", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="fabric_source_name_in_site"),
            models.CheckConstraint(
                condition=Q(kind__in=["ibdiags", "ufm", "lldp", "eapi", "nvue", "file"]),
                name="fabric_source_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(fabric__in=["infiniband", "ethernet"]), name="fabric_source_fabric_is_known"
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "never",
                        "ok",
                        "stale",
                        "empty",
                        "truncated",
                        "partial",
                        "failed",
                        "untrusted",
                        "held_back",
                    ]
                ),
                name="fabric_source_state_is_known",
            ),
            models.CheckConstraint(condition=Q(guard_percent__lte=100), name="fabric_source_guard_is_a_share"),
        ]

    def __str__(self) -> str:
        return self.name


class Capture(models.Model):
    """What one look brought, word for word: every finding can be derived from it again."""

    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="captures")
    at = models.DateTimeField(help_text="When reading ended, or the file was uploaded.")
    by = models.CharField(max_length=150, blank=True, help_text="Who uploaded it; empty when it was read.")

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [models.Index(fields=["source", "at"], name="capture_of_source")]

    def __str__(self) -> str:
        return f"capture {self.pk}"


class CapturePart(models.Model):
    """One output of a capture. `format` is the name of a reader in `fabric.formats`."""

    capture = models.ForeignKey(Capture, on_delete=models.CASCADE, related_name="parts")
    name = models.CharField(max_length=200, help_text="Command, request or file name.")
    format = models.CharField(max_length=30)
    exit_status = models.IntegerField(null=True, blank=True)
    problem = models.CharField(max_length=500, blank=True, help_text="Why there is nothing, or not all.")
    size = models.PositiveIntegerField(help_text="Bytes before compression.")
    content = models.BinaryField(help_text="UTF-8 text, deflated.")

    class Meta:
        ordering: ClassVar = ["capture", "id"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["capture", "name"], name="part_once_in_a_capture")]

    def __str__(self) -> str:
        return self.name

    @property
    def text(self) -> str:
        return zlib.decompress(bytes(self.content)).decode("utf-8", "replace")


def no_progress() -> dict[str, Any]:
    return {"done": 0, "total": 4, "stage": "queued"}


class Discovery(models.Model):
    """One look at a source: reading, comparing, storing. A worker that died is noticed by `heard_at`."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        READING = "reading"
        RECONCILING = "reconciling"
        STORING = "storing"
        DONE = "done"
        HELD_BACK = "held_back"
        FAILED = "failed"

    OPEN: ClassVar = [Status.QUEUED, Status.READING, Status.RECONCILING, Status.STORING]

    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="discoveries")
    capture = models.ForeignKey(Capture, on_delete=models.SET_NULL, null=True, blank=True, related_name="discoveries")
    status = models.CharField(max_length=11, choices=Status.choices, default=Status.QUEUED)
    requested_by = models.CharField(max_length=150, blank=True, help_text="Empty: the schedule.")
    progress = models.JSONField(default=no_progress)
    counts = models.JSONField(default=dict)
    problems = models.JSONField(default=list, help_text="[{where, line, text}] of what could not be read.")
    held_back = models.CharField(max_length=500, blank=True, help_text="Why the guard rejected it.")
    accept_reason = models.CharField(
        max_length=500, blank=True, help_text="Why a person says that what vanished is really gone."
    )
    message = models.CharField(max_length=500, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    lease = models.UUIDField(null=True, blank=True, help_text="Of the worker that has it.")
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    heard_at = models.DateTimeField(null=True, blank=True, help_text="Last heartbeat of the worker.")
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        verbose_name_plural = "discoveries"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source"],
                name="one_open_discovery_per_source",
                condition=Q(status__in=["queued", "reading", "reconciling", "storing"]),
            ),
            models.CheckConstraint(
                condition=Q(status__in=["queued", "reading", "reconciling", "storing", "done", "held_back", "failed"]),
                name="discovery_status_is_known",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["done", "held_back", "failed"], finished_at__isnull=False)
                | Q(status__in=["queued", "reading", "reconciling", "storing"], finished_at__isnull=True),
                name="finished_discovery_has_its_time",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["source", "-id"], name="discovery_of_source"),
        ]

    def __str__(self) -> str:
        return f"discovery {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.finished_at is None
