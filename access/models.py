"""How each machine and its BMC is reached, and which identity it is known by.

The inventory keeps the real management addresses; an `Endpoint` row overrides address, port or credential of one
machine. Known host keys and pinned certificates are never changed in place: the row in force is the one without
`replaced_at`, older ones stay as history. An identity that differs from the one in force is an `IdentityChange` that a
person accepts or investigates; it is never taken over silently.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from core.models import Credential
from inventory.models import Machine


class AccessKind(models.TextChoices):
    SSH = "ssh", "SSH"
    REDFISH = "redfish", "Redfish"


class Endpoint(models.Model):
    """What differs for one machine from the inventory's address, the standard port and the common credential."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="endpoints")
    kind = models.CharField(max_length=8, choices=AccessKind.choices)
    address = models.GenericIPAddressField(null=True, blank=True, help_text="Empty: the inventory's address.")
    port = models.PositiveIntegerField(null=True, blank=True, help_text="Empty: 22 for SSH, 443 for Redfish.")
    credential = models.ForeignKey(
        Credential,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="endpoints",
        help_text="Empty: the credential named 'ssh' or 'bmc'.",
    )

    class Meta:
        ordering: ClassVar = ["machine", "kind"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["machine", "kind"], name="one_endpoint_per_machine_and_kind"),
            models.CheckConstraint(condition=Q(kind__in=AccessKind.values), name="endpoint_kind_is_known"),
            models.CheckConstraint(
                condition=Q(port__isnull=True) | Q(port__gte=1, port__lte=65535), name="endpoint_port_is_a_port"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of machine {self.machine_id}"


class Source(models.TextChoices):
    FIRST_CONTACT = "first_contact", "first contact"
    INSTALLED = "installed", "installed by a provisioning run"
    ACCEPTED = "accepted", "a change accepted by a person"


class KnownHost(models.Model):
    """A host key a machine was known by; the one in force has no `replaced_at`."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="known_hosts")
    key = models.TextField(help_text="Algorithm and public key, as in a known_hosts file.")
    fingerprint = models.CharField(max_length=60)
    source = models.CharField(max_length=16, choices=Source.choices)
    recorded_at = models.DateTimeField(auto_now_add=True)
    recorded_by = models.CharField(max_length=150, blank=True)
    replaced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["machine", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["machine"], name="one_known_host_key_per_machine", condition=Q(replaced_at__isnull=True)
            ),
            models.CheckConstraint(condition=Q(source__in=Source.values), name="known_host_source_is_known"),
        ]

    def __str__(self) -> str:
        return self.fingerprint


class PinnedCertificate(models.Model):
    """A BMC certificate a machine was known by; the one in force has no `replaced_at`."""

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="pinned_certificates")
    fingerprint = models.CharField(max_length=64, help_text="SHA-256 of the certificate, in hexadecimal digits.")
    source = models.CharField(max_length=16, choices=Source.choices)
    recorded_at = models.DateTimeField(auto_now_add=True)
    recorded_by = models.CharField(max_length=150, blank=True)
    replaced_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["machine", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["machine"], name="one_pinned_certificate_per_machine", condition=Q(replaced_at__isnull=True)
            ),
            models.CheckConstraint(condition=Q(source__in=Source.values), name="pinned_source_is_known"),
        ]

    def __str__(self) -> str:
        return self.fingerprint


class IdentityChange(models.Model):
    """A machine or BMC that presented another identity than the one in force. Open until accepted or overtaken."""

    class Resolution(models.TextChoices):
        ACCEPTED = "accepted"
        OVERTAKEN = "overtaken", "overtaken: a new key was installed or accepted"

    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, related_name="identity_changes")
    kind = models.CharField(max_length=8, choices=AccessKind.choices)
    known = models.CharField(max_length=64, help_text="Fingerprint in force when it was seen.")
    presented = models.TextField(help_text="Public key line, or fingerprint of the certificate.")
    presented_fingerprint = models.CharField(max_length=64)
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    times_seen = models.PositiveIntegerField(default=1)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.CharField(max_length=150, blank=True)
    resolution = models.CharField(max_length=10, choices=Resolution.choices, blank=True)

    class Meta:
        ordering: ClassVar = ["-last_seen_at", "-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["machine", "kind", "presented_fingerprint"],
                name="one_open_change_per_identity",
                condition=Q(resolved_at__isnull=True),
            ),
            models.CheckConstraint(condition=Q(kind__in=AccessKind.values), name="identity_change_kind_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of machine {self.machine_id} presented {self.presented_fingerprint}"


class BmcRefusal(models.Model):
    """The login that a BMC refused last, and how often: what decides whether it is sent again (`access.refusals`)."""

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="bmc_refusal")
    credential = models.ForeignKey(Credential, on_delete=models.CASCADE, related_name="+")
    address = models.GenericIPAddressField()
    times = models.PositiveSmallIntegerField(default=1)
    refused_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(times__gte=1), name="bmc_refusal_has_happened"),
        ]

    def __str__(self) -> str:
        return f"login that the BMC of machine {self.machine_id} refused"
