"""Links taken out of use on purpose: proposed, approved, carried out, given back. And what a site allows."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Site
from fabric.discovery.models.sources import FabricSource
from inventory.models import Port


class PortPolicy(models.Model):
    """What a site allows. Its row is the lock under which links out of use are counted before one more goes."""

    class Automation(models.TextChoices):
        DRY_RUN = "dry_run", "Write down what would be done"
        ON = "on", "Do it"

    class Approval(models.TextChoices):
        PERSON = "person", "An operator approves each"
        POLICY = "policy", "Approved by itself within the budget"

    site = models.OneToOneField(Site, on_delete=models.CASCADE, primary_key=True, related_name="port_policy")
    automation = models.CharField(max_length=7, choices=Automation.choices, default=Automation.DRY_RUN)
    approval = models.CharField(max_length=6, choices=Approval.choices, default=Approval.PERSON)
    budget = models.PositiveIntegerField(default=8, help_text="Disabled links up to which it approves by itself.")
    floor_share = models.FloatField(
        default=0.75, help_text="Share of a switch's links to a tier that has to remain, 0 to 1."
    )
    remind_after_days = models.PositiveSmallIntegerField(default=3, help_text="Disabled for longer: reported daily.")

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(floor_share__gte=0, floor_share__lte=1), name="port_floor_is_a_share"),
            models.CheckConstraint(condition=Q(automation__in=["dry_run", "on"]), name="port_automation_is_known"),
            models.CheckConstraint(condition=Q(approval__in=["person", "policy"]), name="port_approval_is_known"),
        ]
        verbose_name_plural = "port policies"

    def __str__(self) -> str:
        return f"ports of {self.site}"


class PortAction(models.Model):
    """One link taken out of use at both ends, and why. Both ends are written down before anything is touched.

    `state` says how things stand as last told by the source, `wanted` what it should come to. An order is written down
    as `unknown` with a lease before the source is called: when the worker is lost, the next one gives the same order
    again.
    """

    class Action(models.TextChoices):
        ISOLATE = "isolate", "no traffic is routed over it"
        DISABLE = "disable", "the subnet manager does not look beyond it"

    class State(models.TextChoices):
        PROPOSED = "proposed"
        REFUSED = "refused"
        DRY_RUN = "dry_run", "approved, and only written down"
        APPROVED = "approved", "to be carried out"
        HELD = "held", "disabled"
        UNKNOWN = "unknown", "the source was asked and did not answer"
        FAILED = "failed", "the source refused"
        FREE = "free", "re-enabled"

    ENDED: ClassVar = [State.REFUSED, State.FREE]
    TOUCHED: ClassVar = [State.HELD, State.UNKNOWN, State.FAILED]
    """It may be out of use in the fabric now."""

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="port_actions")
    source = models.ForeignKey(FabricSource, on_delete=models.PROTECT, related_name="port_actions")
    action = models.CharField(max_length=7, choices=Action.choices, default=Action.ISOLATE)
    link = models.CharField(max_length=170, help_text="Key of the link, as in /api/fabric/links/.")
    a_name = models.CharField(max_length=110)
    a_number = models.PositiveSmallIntegerField()
    a_guid = models.CharField(max_length=64)
    a_port = models.ForeignKey(Port, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    b_name = models.CharField(max_length=110)
    b_number = models.PositiveSmallIntegerField()
    b_guid = models.CharField(max_length=64)
    b_port = models.ForeignKey(Port, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    owner = models.CharField(max_length=60, help_text="Who wants it, such as ticket:REP-2041 or person.")
    cause = models.CharField(max_length=300)
    evidence = models.JSONField(default=dict, help_text="What it was proposed on.")
    state = models.CharField(max_length=8, choices=State.choices, default=State.PROPOSED)
    wanted = models.CharField(max_length=4, choices=[("held", "held"), ("free", "free")], default="held")
    message = models.CharField(max_length=500, blank=True, help_text="Why it stands as it does.")
    proposed_at = models.DateTimeField(db_default=Now())
    proposed_by = models.CharField(max_length=150)
    approved_at = models.DateTimeField(null=True, blank=True)
    approved_by = models.CharField(max_length=150, blank=True)
    held_at = models.DateTimeField(null=True, blank=True)
    free_wanted_at = models.DateTimeField(null=True, blank=True)
    free_wanted_by = models.CharField(max_length=150, blank=True)
    free_reason = models.CharField(max_length=300, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    reminded_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0, help_text="Failed attempts since the desired state changed.")
    next_try_at = models.DateTimeField(db_default=Now())
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["source", "link", "owner"],
                name="one_live_action_per_link_and_owner",
                condition=~Q(state__in=["refused", "free"]),
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=["proposed", "refused", "dry_run", "approved", "held", "unknown", "failed", "free"]
                ),
                name="port_action_state_is_known",
            ),
            models.CheckConstraint(condition=Q(wanted__in=["held", "free"]), name="port_action_wish_is_known"),
            models.CheckConstraint(
                condition=Q(state__in=["proposed", "refused", "free"]) | ~Q(approved_by=""),
                name="port_action_was_approved",
            ),
            models.CheckConstraint(condition=~Q(a_guid="") & ~Q(b_guid=""), name="port_action_has_both_ends"),
            models.CheckConstraint(
                condition=Q(state__in=["refused", "free"], ended_at__isnull=False)
                | (~Q(state__in=["refused", "free"]) & Q(ended_at__isnull=True)),
                name="ended_port_action_has_its_time",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["owner"], name="port_action_owner"),
            models.Index(fields=["site", "-id"], name="port_action_of_site"),
            models.Index(
                fields=["next_try_at"],
                name="port_action_to_do",
                condition=Q(state__in=["approved", "unknown", "failed", "held"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.ends}"

    @property
    def ends(self) -> str:
        return f"{self.a_name} port {self.a_number} – {self.b_name} port {self.b_number}"

    @property
    def is_live(self) -> bool:
        return self.state not in self.ENDED
