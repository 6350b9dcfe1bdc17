"""What only a work order has: the version of its plan, the look that decides it, and what must be out of use."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from fabric.models import FabricSource, PortAction
from inventory.models import Machine
from tickets.models.tickets import Ticket


def nothing() -> dict[str, Any]:
    return {}


class WorkOrder(models.Model):
    """The cabling side of a ticket: for a finding of the fabric, or for one bad link.

    `version` counts plans: a discovery that shows another reality replaces the steps that are still to be done.
    """

    class Kind(models.TextChoices):
        MOVES = "moves", "cables to move"
        CHECKS = "checks", "find out first which of several causes it is"
        UNLIT = "unlit", "a link without light"
        OFF = "off", "a device that is off"
        LINK = "link", "a link that loses data"

    class Look(models.TextChoices):
        NONE = ""
        WAITING = "waiting"
        PASSED = "passed"
        FAILED = "failed"

    ticket = models.OneToOneField(Ticket, on_delete=models.CASCADE, primary_key=True, related_name="order")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    source = models.ForeignKey(FabricSource, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    version = models.PositiveSmallIntegerField(default=1)
    cables = ArrayField(models.CharField(max_length=170), default=list, help_text="Labels it is about.")
    cabling = models.JSONField(
        default=nothing, help_text="The cables behind the moves of this version, as fabric.reconcile.kept writes them."
    )
    look = models.CharField(max_length=7, choices=Look.choices, blank=True, default="")
    look_asked_at = models.DateTimeField(
        null=True, blank=True, help_text="Only a discovery run that began later counts."
    )
    look_ended_at = models.DateTimeField(null=True, blank=True)
    look_text = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(kind__in=["moves", "checks", "unlit", "off", "link"]), name="work_order_kind_is_known"
            ),
            models.CheckConstraint(
                condition=Q(look__in=["", "waiting", "passed", "failed"]), name="work_order_look_is_known"
            ),
            models.CheckConstraint(
                condition=~Q(look="waiting") | Q(look_asked_at__isnull=False), name="waiting_look_was_asked_for"
            ),
        ]

    def __str__(self) -> str:
        return f"order of {self.ticket_id}"


class Clearance(models.Model):
    """Something that must be out of use before hands touch a cable: a machine (drained), or a link between switches
    (isolated). Written down as wanted first; what was done for it is given back when the work is over.
    """

    class State(models.TextChoices):
        WANTED = "wanted"
        WAITING = "waiting", "not allowed now, will be asked again"
        PLACED = "placed", "held or proposed, see the machine or the port action"
        BY_HAND = "by_hand", "nothing here can do it"
        LIFTED = "lifted"

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="clearances")
    key = models.CharField(max_length=180, help_text="machine:ID or the key of the link.")
    machine = models.ForeignKey(Machine, on_delete=models.CASCADE, null=True, blank=True, related_name="+")
    action = models.ForeignKey(PortAction, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    ends = models.JSONField(default=nothing, help_text="{a: {device, port}, b: {device, port}} of the live link.")
    state = models.CharField(max_length=7, choices=State.choices, default=State.WANTED)
    text = models.CharField(max_length=300, blank=True)
    drained_by_us = models.BooleanField(default=False, help_text="It was in service before.")
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["ticket", "key"], name="one_clearance_per_thing"),
            models.CheckConstraint(
                condition=Q(state__in=["wanted", "waiting", "placed", "by_hand", "lifted"]),
                name="clearance_state_is_known",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["ticket"], name="clearance_live", condition=~Q(state="lifted")),
        ]

    def __str__(self) -> str:
        return self.key
