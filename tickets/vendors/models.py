"""Cases with vendors, their timeline, their bundles, what was sent, and how a site reaches each vendor."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Credential, Site
from inventory.models import Component, Machine
from provisioning.returns.models import VendorReturn
from tickets.vendors.states import OPEN, State, Vendor

VENDORS = [(each.value, each.value) for each in Vendor]
STATES = [(each.value, each.value) for each in State]
TEXT_LIMIT = 10_000


def nothing() -> dict[str, Any]:
    return {}


def no_progress() -> dict[str, Any]:
    return {"done": 0, "total": 0, "stage": "queued"}


class VendorContact(models.Model):
    """How a site asks one vendor. Nothing is sent by itself until `enabled`; a case can always be sent by hand."""

    class Channel(models.TextChoices):
        HAND = "hand", "copied into the vendor's portal by a person"
        MAIL = "mail"
        HTTP = "http", "a signed POST"
        TECHDIRECT = "techdirect", "Dell TechDirect self-dispatch"

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="vendor_contacts")
    vendor = models.CharField(max_length=10, choices=VENDORS)
    channel = models.CharField(max_length=10, choices=Channel.choices, default=Channel.HAND)
    enabled = models.BooleanField(default=False, help_text="Cases are sent over the channel when they are sent.")
    mail_to = models.EmailField(blank=True)
    url = models.CharField(max_length=300, blank=True, help_text="Of the receiver, or the base of TechDirect.")
    token_url = models.CharField(max_length=300, blank=True, help_text="Where TechDirect gives its tokens.")
    credential = models.ForeignKey(
        Credential, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="The signing secret, or id and secret of the TechDirect client.",
    )  # fmt: skip
    login = models.ForeignKey(
        Credential, on_delete=models.PROTECT, null=True, blank=True, related_name="+",
        help_text="The technician's login at TechDirect.",
    )  # fmt: skip
    person = models.CharField(max_length=100, blank=True, help_text="Who is called back.")
    phone = models.CharField(max_length=40, blank=True)
    mail = models.EmailField(blank=True)
    account = models.JSONField(default=nothing, help_text="What TechDirect wants of the customer: branch, address.")
    return_days = models.PositiveSmallIntegerField(default=14, help_text="Days after shipping to return the old part.")
    lead_days = models.PositiveSmallIntegerField(default=14, help_text="Days from asking to a part in storage.")
    bundle_by_rule = models.BooleanField(default=False, help_text="A bundle is made as soon as a case is opened.")

    class Meta:
        ordering: ClassVar = ["site", "vendor"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "vendor"], name="one_contact_per_vendor_and_site"),
            models.CheckConstraint(
                condition=Q(vendor__in=[each.value for each in Vendor]), name="vendor_contact_is_known"
            ),
            models.CheckConstraint(
                condition=Q(channel__in=["hand", "mail", "http", "techdirect"]), name="vendor_channel_is_known"
            ),
            models.CheckConstraint(
                condition=Q(enabled=False)
                | (Q(channel="mail") & ~Q(mail_to=""))
                | (Q(channel="http", credential__isnull=False) & ~Q(url=""))
                | (
                    Q(channel="techdirect", vendor="dell", credential__isnull=False, login__isnull=False)
                    & ~Q(url="")
                    & ~Q(token_url="")
                ),
                name="enabled_vendor_channel_is_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.vendor} of {self.site_id}"

    @property
    def called_back(self) -> str:
        """Empty while one of the three is missing: no vendor takes a case without them."""
        known = (self.person, self.phone, self.mail)
        return ", ".join(known) if all(known) else ""


class VendorCase(models.Model):
    """One failed part and its vendor. `tickets.vendors.services` writes it, with its ticket locked."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="vendor_cases")
    ticket = models.ForeignKey("tickets.Ticket", on_delete=models.PROTECT, related_name="vendor_cases")
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, null=True, blank=True, related_name="vendor_cases")
    vendor_return = models.ForeignKey(
        VendorReturn, on_delete=models.SET_NULL, null=True, blank=True, related_name="cases",
        help_text="The request to test many machines again that this machine is on.",
    )  # fmt: skip
    vendor = models.CharField(max_length=10, choices=VENDORS)
    state = models.CharField(max_length=8, choices=STATES, default=State.DRAFT.value)
    number = models.CharField(max_length=60, blank=True, help_text="The vendor's number of the case.")
    dispatch = models.CharField(max_length=60, blank=True, help_text="The number of the shipment's order, such as DPS.")
    raw_status = models.CharField(max_length=100, blank=True, help_text="As the vendor's system said it last.")
    part = models.CharField(max_length=60, blank=True)
    component = models.ForeignKey(
        Component, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="The failed part."
    )
    service_tag = models.CharField(max_length=64, blank=True)
    old_serial = models.CharField(max_length=64, blank=True)
    old_part_number = models.CharField(max_length=60, blank=True)
    new_serial = models.CharField(max_length=64, blank=True)
    new_part_number = models.CharField(max_length=60, blank=True)
    new_component = models.ForeignKey(
        Component, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="The part that came."
    )
    warranty_until = models.DateField(null=True, blank=True)
    cost = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True, default="")
    title = models.CharField(max_length=200, blank=True)
    symptom = models.TextField(blank=True, help_text="What is wrong, in the words of who asks.")
    text = models.TextField(blank=True, help_text="What is reported to the vendor, within its limits.")
    carrier = models.CharField(max_length=40, blank=True)
    tracking = models.CharField(max_length=80, blank=True)
    return_tracking = models.CharField(max_length=80, blank=True)
    return_owed = models.BooleanField(default=True, help_text="False: the vendor leaves the failed part with us.")
    return_due = models.DateField(null=True, blank=True)
    denials = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField(db_default=Now())
    opened_by = models.CharField(max_length=150)
    updated_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["ticket"], condition=Q(state__in=OPEN), name="one_open_vendor_case_per_ticket"
            ),
            models.UniqueConstraint(
                fields=["site", "vendor", "number"], condition=~Q(number=""), name="vendor_case_number_is_unique"
            ),
            models.CheckConstraint(
                condition=Q(state__in=[each.value for each in State]), name="vendor_case_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(vendor__in=[each.value for each in Vendor]), name="vendor_case_vendor_is_known"
            ),
            models.CheckConstraint(
                condition=Q(state="closed", closed_at__isnull=False) | (~Q(state="closed") & Q(closed_at=None)),
                name="closed_vendor_case_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(cost=None, currency="") | (Q(cost__isnull=False) & ~Q(currency="")),
                name="vendor_cost_has_a_currency",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["site", "state"], name="vendor_case_of_site"),
            models.Index(fields=["return_due"], name="vendor_part_owed", condition=Q(state__in=["shipped", "arrived"])),
        ]

    def __str__(self) -> str:
        return f"{self.vendor} {self.number or self.pk}"


class CaseChange(models.Model):
    """One line of a case's timeline: who, what, why."""

    case = models.ForeignKey(VendorCase, on_delete=models.CASCADE, related_name="changes")
    at = models.DateTimeField(db_default=Now())
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    actor = models.CharField(max_length=150)
    event = models.CharField(max_length=10, blank=True)
    state = models.CharField(max_length=8, help_text="After it.")
    text = models.TextField()
    data = models.JSONField(default=nothing)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(actor=""), name="case_change_has_an_actor")]


class CaseBundle(models.Model):
    """Everything that shows the failure, read from machine and BMC, kept for a while.

    `collection` is the vendor's own collection at the BMC: asked for (written down first), its task, done or missing.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    OPEN: ClassVar = ("queued", "running")

    case = models.ForeignKey(VendorCase, on_delete=models.CASCADE, related_name="bundles")
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.QUEUED)
    progress = models.JSONField(default=no_progress)
    collection = models.JSONField(default=nothing)
    manifest = models.JSONField(default=nothing)
    message = models.CharField(max_length=300, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.CharField(max_length=150)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["case"], condition=Q(status__in=["queued", "running"]), name="one_open_bundle_per_case"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["queued", "running", "done", "failed"]), name="case_bundle_status_is_known"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["due_at"], name="case_bundle_due", condition=Q(status__in=["queued", "running"])),
            models.Index(fields=["created_at"], name="case_bundle_age"),
        ]

    def __str__(self) -> str:
        return f"bundle {self.pk} of case {self.case_id}"


class BundleFile(models.Model):
    """One file of a bundle; or, with a reason, one that is missing. In the database, because web server and worker may
    share no disk."""

    bundle = models.ForeignKey(CaseBundle, on_delete=models.CASCADE, related_name="files")
    name = models.CharField(max_length=120)
    source = models.CharField(max_length=120)
    at = models.DateTimeField()
    content = models.BinaryField(default=b"")
    reason = models.CharField(max_length=300, blank=True)
    scrubbed = models.BooleanField(default=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["bundle", "name"], name="bundle_file_once")]


class CaseMessage(models.Model):
    """Something to send to a vendor, written down as it will be sent before it is. `message` tells a second try from a
    second message."""

    class Kind(models.TextChoices):
        OPEN = "open"
        ASK_AGAIN = "ask_again"
        STATUS = "status", "ask how far it is"

    class Status(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        FAILED = "failed"

    case = models.ForeignKey(VendorCase, on_delete=models.CASCADE, related_name="messages")
    kind = models.CharField(max_length=9, choices=Kind.choices)
    channel = models.CharField(max_length=10)
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.WAITING)
    message = models.UUIDField(default=uuid4, unique=True)
    content = models.JSONField(default=nothing)
    began_at = models.DateTimeField(null=True, blank=True, help_text="Of the first try: what it did may not be known.")
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    answer = models.JSONField(default=nothing)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.CharField(max_length=150)
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["case", "kind"], condition=Q(status="waiting"), name="one_waiting_message_of_a_kind"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["waiting", "sent", "failed"]), name="case_message_status_is_known"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["due_at"], name="case_message_due", condition=Q(status="waiting"))]

    def __str__(self) -> str:
        return f"{self.kind} of case {self.case_id}"
