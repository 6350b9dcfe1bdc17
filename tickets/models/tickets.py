"""Tickets: what is wrong where, on what evidence, what was done about it, and what came of it."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Now

from core.files import StoredFile
from core.models import Site
from fabric.models import Finding
from health.models import Fault, Incident, Verification
from inventory.models import Cable, Component, Device, Machine
from tickets.desk.columns import DeskColumns
from tickets.workflow import Status

KEY_PREFIX = "REP-"
WHOLE_MACHINE = "machine"  # the part of a ticket that is about no part in particular
PRIORITIES = ("P1", "P2", "P3")
STEP_KINDS = ("check", "swap", "reseat", "verify", "scan", "move", "clean")
SOURCES = ("fault", "incident", "provisioning", "person", "fabric")
OUTCOMES = ("", "confirmed", "failed")
SUBJECTS = ("machine", "switch", "cable", "place")
# A ticket is about exactly one thing. `place` is what the inventory has no record of, by its name in the plan.
ONE_SUBJECT = (
    Q(subject="machine", machine__isnull=False, device__isnull=False, cable__isnull=True, subject_name="")
    & Q(device_id=F("machine_id"))
    | Q(subject="switch", machine__isnull=True, device__isnull=False, cable__isnull=True, subject_name="")
    | Q(subject="cable", machine__isnull=True, cable__isnull=False, subject_name="")
    | (Q(subject="place", machine__isnull=True, device__isnull=True, cable__isnull=True) & ~Q(subject_name=""))
)


class Ticket(DeskColumns):
    """One repair of one part of one machine, of a switch or of a cable between two devices. `tickets.services` writes
    it, with the row locked.

    `version` grows with what people and the workflow change, for compare-and-set; evidence that sweeps add does not
    count, or nobody could ever save.
    """

    number = models.BigIntegerField(
        unique=True, editable=False, db_default=Func(Value("tickets_ticket_number"), function="nextval")
    )
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="tickets")
    subject = models.CharField(max_length=7, choices=[(s, s) for s in SUBJECTS], default="machine")
    subject_name = models.CharField(max_length=120, blank=True, default="", help_text="Of a subject without a record.")
    device = models.ForeignKey(
        Device,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="tickets",
        help_text="Where one stands: the machine or switch itself, or one end of the cable.",
    )
    machine = models.ForeignKey(Machine, on_delete=models.PROTECT, null=True, blank=True, related_name="tickets")
    cable = models.ForeignKey(Cable, on_delete=models.PROTECT, null=True, blank=True, related_name="tickets")
    part = models.CharField(max_length=60, help_text="Slot of the device model, or what else a check covers.")
    fault_class = models.CharField(max_length=60)
    title = models.CharField(max_length=200)
    summary = models.TextField(blank=True)
    status = models.CharField(max_length=9, choices=[(s.value, s.value) for s in Status], default=Status.OPEN.value)
    priority = models.CharField(max_length=2, choices=[(p, p) for p in PRIORITIES], default="P2")
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="tickets"
    )
    source = models.CharField(max_length=12, choices=[(s, s) for s in SOURCES], default="fault")
    source_ref = models.CharField(max_length=60, blank=True, help_text="Such as fault:12 or run_machine:7.")
    verification = models.ForeignKey(
        Verification, on_delete=models.SET_NULL, null=True, blank=True, related_name="tickets"
    )
    finding = models.ForeignKey(Finding, on_delete=models.SET_NULL, null=True, blank=True, related_name="tickets")
    link = models.CharField(max_length=170, blank=True, default="", help_text="Key of the bad link it repairs.")
    incident = models.ForeignKey(
        Incident,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="tickets",
        help_text="The same trouble on several machines, of which this is the one ticket.",
    )
    led_wanted = models.BooleanField(default=True, help_text="Light the machine's LED while hands are on it.")
    evidence_count = models.PositiveIntegerField(default=0, help_text="All evidence ever added, kept or not.")
    version = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-number"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["machine", "part", "fault_class"],
                name="one_open_ticket_per_fault",
                condition=~Q(status="closed") & ~Q(source="fabric"),
            ),
            models.UniqueConstraint(
                fields=["finding"], name="one_open_ticket_per_finding", condition=~Q(status="closed")
            ),
            models.UniqueConstraint(
                fields=["site", "link"], name="one_open_ticket_per_link", condition=~Q(status="closed") & ~Q(link="")
            ),
            models.UniqueConstraint(
                fields=["incident"], name="one_open_ticket_per_incident", condition=~Q(status="closed")
            ),
            models.CheckConstraint(condition=ONE_SUBJECT, name="ticket_is_about_one_thing"),
            models.CheckConstraint(condition=Q(status__in=[s.value for s in Status]), name="ticket_status_is_known"),
            models.CheckConstraint(condition=Q(priority__in=PRIORITIES), name="ticket_priority_is_known"),
            models.CheckConstraint(condition=Q(source__in=SOURCES), name="ticket_source_is_known"),
            models.CheckConstraint(
                condition=Q(status="closed", closed_at__isnull=False)
                | (~Q(status="closed") & Q(closed_at__isnull=True)),
                name="closed_ticket_has_its_time",
            ),
            models.CheckConstraint(
                condition=Q(status__in=["open", "closed"]) | Q(assignee__isnull=False), name="work_has_an_assignee"
            ),
            models.CheckConstraint(
                condition=Q(queue__in=["hands", "vendor", "network", "own"]), name="ticket_queue_is_known"
            ),
            models.CheckConstraint(
                condition=Q(acknowledged_at=None, acknowledged_by=None)
                | Q(acknowledged_at__isnull=False, acknowledged_by__isnull=False),
                name="acknowledged_by_somebody",
            ),
            models.CheckConstraint(condition=~Q(merged_into=F("id")), name="ticket_not_merged_into_itself"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["device", "-number"], name="ticket_of_device"),
            models.Index(fields=["machine"], name="ticket_active", condition=~Q(status="closed")),
            models.Index(fields=["machine", "-closed_at"], name="ticket_past"),
            models.Index(fields=["site", "status", "-number"], name="ticket_of_site"),
            models.Index(fields=["site", "queue", "due_at"], name="ticket_due", condition=~Q(status="closed")),
            models.Index(fields=["ranked_at"], name="ticket_to_rank", condition=~Q(status="closed")),
        ]

    def __str__(self) -> str:
        return f"{self.key} {self.title}"

    @property
    def key(self) -> str:
        return f"{KEY_PREFIX}{self.number}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.subject == "machine":
            self.device_id = self.machine_id
        super().save(*args, **kwargs)

    @property
    def about(self) -> tuple[int | None, str]:
        """Id and name of its subject."""
        if self.cable is not None:
            return self.cable_id, self.cable.label
        return (self.device_id, self.device.name) if self.device is not None else (None, self.subject_name)

    @property
    def owner(self) -> str:
        """How this ticket names itself to the rooms below."""
        return f"ticket:{self.key}"

    @property
    def is_active(self) -> bool:
        return self.status != Status.CLOSED


class TicketFault(models.Model):
    """A fault this ticket repairs: the one it was opened for, or one that shows the same trouble."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="fault_links")
    fault = models.ForeignKey(Fault, on_delete=models.CASCADE, related_name="ticket_links")
    last_evidence_id = models.BigIntegerField(default=0, help_text="Newest evidence of the fault taken over.")

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["ticket", "fault"], name="fault_once_in_a_ticket")]


class Evidence(models.Model):
    """What a look showed, or a person saw. Only the first and the latest of a ticket are kept."""

    class Source(models.TextChoices):
        SWEEP = "sweep"
        VERIFICATION = "verification"
        PROVISIONING = "provisioning"
        FABRIC = "fabric"

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="evidence")
    at = models.DateTimeField()
    source = models.CharField(max_length=12, choices=Source.choices, default=Source.SWEEP)
    check_id = models.CharField(max_length=60)
    part = models.CharField(max_length=60)
    verdict = models.CharField(max_length=8)
    message = models.TextField()
    command = models.CharField(max_length=300, blank=True)
    exit_status = models.IntegerField(null=True, blank=True)
    excerpt = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        verbose_name_plural = "evidence"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(source__in=["sweep", "verification", "provisioning", "fabric"]),
                name="evidence_source_is_known",
            )
        ]


class Step(models.Model):
    """One thing to do, in order. A step of a work order may be looked at again by itself: `outcome` is what that
    showed, and `move` or `measured` are what it was about.
    """

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="steps")
    number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=6, choices=[(k, k) for k in STEP_KINDS])
    title = models.CharField(max_length=200)
    detail = models.TextField(blank=True)
    key = models.CharField(
        max_length=40, blank=True, default="", db_default="", help_text="Of the step in the ticket's runbook."
    )
    done_at = models.DateTimeField(null=True, blank=True)
    done_by = models.CharField(max_length=150, blank=True)
    swaps = models.CharField(max_length=5, blank=True, default="", help_text="optic or cable, of a swap of these.")
    move = models.JSONField(null=True, blank=True, help_text="{cable, take_from, put_into, text, drains} of a move.")
    order_version = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Of the plan it came with.")
    outcome = models.CharField(max_length=9, choices=[(o, o) for o in OUTCOMES], blank=True, default="")
    outcome_text = models.CharField(max_length=300, blank=True, default="")
    check_asked_at = models.DateTimeField(null=True, blank=True, help_text="A check of its ports is in progress since.")
    checked_at = models.DateTimeField(null=True, blank=True)
    measured = models.JSONField(null=True, blank=True, help_text="{before, after}: rates of the link.")

    class Meta:
        ordering: ClassVar = ["ticket", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "number"], name="step_number_in_ticket"),
            models.CheckConstraint(condition=Q(kind__in=STEP_KINDS), name="ticket_step_kind_is_known"),
            models.CheckConstraint(condition=Q(outcome__in=OUTCOMES), name="ticket_step_outcome_is_known"),
            models.CheckConstraint(
                condition=Q(swaps__in=["", "optic", "cable"]), name="ticket_step_swaps_known_things"
            ),
        ]

    @property
    def state(self) -> str:
        """todo, done, confirmed or failed."""
        return self.outcome or ("todo" if self.done_at is None else "done")


class Comment(models.Model):
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="comments")
    at = models.DateTimeField(db_default=Now())
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()

    class Meta:
        ordering: ClassVar = ["id"]


class Attachment(StoredFile):
    """A photo or paper of a repair."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="attachments")
    step = models.PositiveSmallIntegerField(null=True, blank=True, help_text="Number of the step it was taken at.")


class PartSwap(models.Model):
    """A part taken out and another put in, as the technician recorded it."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="swaps")
    at = models.DateTimeField(db_default=Now())
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    slot = models.CharField(max_length=60)
    old_serial = models.CharField(max_length=64, blank=True, help_text="As read by the technician.")
    new_serial = models.CharField(max_length=64)
    old_component = models.ForeignKey(Component, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    new_component = models.ForeignKey(Component, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    cable = models.ForeignKey(
        Cable, on_delete=models.PROTECT, null=True, blank=True, related_name="+", help_text="Of a swapped cable."
    )

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(new_serial=F("old_serial")), name="swap_changes_the_serial"),
            models.CheckConstraint(
                condition=Q(new_component__isnull=False, cable__isnull=True)
                | Q(new_component__isnull=True, cable__isnull=False),
                name="swap_of_a_part_or_a_cable",
            ),
        ]


class TicketChange(models.Model):
    """One line of a ticket's timeline: what happened, in words and as data."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="changes")
    at = models.DateTimeField(db_default=Now())
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    actor = models.CharField(max_length=150, help_text="Who, in words: a person's name or a room of Rackside.")
    event = models.CharField(max_length=12, blank=True, help_text="Of the workflow, when it moved.")
    text = models.TextField()
    data = models.JSONField(default=dict)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [models.CheckConstraint(condition=~Q(actor=""), name="ticket_change_has_an_actor")]


class IndicatorLed(models.Model):
    """The locating light of a machine: as wanted by its tickets, and as last told to the BMC.

    What is about to be done is written down before the BMC is called: a worker that is lost leaves `unknown` and an
    expired lease, and the next one orders the same again.
    """

    class Seen(models.TextChoices):
        ON = "on"
        OFF = "off"
        UNKNOWN = "unknown"

    machine = models.OneToOneField(Machine, on_delete=models.CASCADE, primary_key=True, related_name="indicator_led")
    wanted = models.CharField(max_length=3, choices=[("on", "on"), ("off", "off")])
    seen = models.CharField(max_length=7, choices=Seen.choices, default=Seen.UNKNOWN)
    attempts = models.PositiveIntegerField(default=0, help_text="Failed attempts since the desired state changed.")
    next_try_at = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True)
    changed_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(wanted__in=["on", "off"]), name="led_wish_is_known"),
            models.CheckConstraint(condition=Q(seen__in=["on", "off", "unknown"]), name="led_state_is_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_try_at"], name="led_to_switch", condition=~Q(wanted=F("seen"))),
        ]
