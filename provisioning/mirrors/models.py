"""Sources of a site, how each answered, and which machine uses which."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Credential, Site
from inventory.models import Machine


class Mirror(models.Model):
    """A mirror, file server, registry or peer-to-peer distributor. `state` is as the workers see it."""

    class Kind(models.TextChoices):
        APT = "apt"
        PYPI = "pypi"
        FILES = "files"
        REGISTRY = "registry"
        CACHE = "cache"
        PEERS = "peers"

    class State(models.TextChoices):
        UNKNOWN = "unknown"
        GOOD = "good"
        SLOW = "slow"
        FAILED = "failed"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="mirrors")
    name = models.CharField(max_length=60)
    kind = models.CharField(max_length=8, choices=Kind.choices)
    url = models.CharField(
        max_length=300, help_text="As machines fetch from it, such as https://mirror.example/ubuntu."
    )
    authorities = models.TextField(
        blank=True, help_text="Certificates (PEM) of who signed its own; empty: the system's authorities."
    )
    credential = models.ForeignKey(
        Credential, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="The login at a registry, where it asks for one.",
    )  # fmt: skip
    token_host = models.CharField(
        max_length=253, blank=True, db_default="",
        help_text="The host of its token server, where that is another than its own: the login goes there as well.",
    )  # fmt: skip
    enabled = models.BooleanField(default=True)
    state = models.CharField(max_length=7, choices=State.choices, default=State.UNKNOWN)
    message = models.CharField(max_length=500, blank=True)
    version = models.CharField(max_length=100, blank=True)
    certificate_until = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0, help_text="Times in a row that it did not answer.")
    latencies = models.JSONField(default=list, help_text="[[epoch seconds, milliseconds or null], ..], newest last.")
    every_s = models.PositiveIntegerField(default=60, help_text="Seconds between two requests to it.")
    asked_at = models.DateTimeField(null=True, blank=True)
    good_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["site", "name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="mirror_name_at_site"),
            models.CheckConstraint(
                condition=Q(kind__in=["apt", "pypi", "files", "registry", "cache", "peers"]),
                name="mirror_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(credential=None) | Q(kind__in=["registry", "cache"]), name="mirror_login_is_of_a_registry"
            ),
            models.CheckConstraint(condition=Q(every_s__gte=15), name="mirror_is_asked_at_most_every_15_s"),
            models.CheckConstraint(
                condition=Q(state__in=["unknown", "good", "slow", "failed"]), name="mirror_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class MachineSources(models.Model):
    """What a machine said last of where it fetches from. A machine that does not tell keeps what it told before."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="sources")
    told_at = models.DateTimeField(null=True, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    message = models.CharField(max_length=500, blank=True, help_text="Why it did not tell; empty: it told.")
    urls = models.JSONField(default=list, help_text="[{tool, url}], as its files name them.")
    reached = models.JSONField(default=dict, help_text="{mirror id: [answers, milliseconds, text]}.")

    def __str__(self) -> str:
        return f"sources of machine {self.machine_id}"
