"""How good each link is, the samples this comes from, and measurements that somebody asked for."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from core.models import Site
from fabric.discovery.models.seen import FabricLink
from fabric.discovery.models.sources import FabricSource


class LinkQuality(models.Model):
    """What the counters of both its ends say of one link that is really plugged in, the smaller end first.

    `state` is the newest judgement. `bad` is what the second window confirmed, and what a ticket is made of; it stays
    until two windows show the link right.
    """

    class State(models.TextChoices):
        BAD = "bad"
        UNKNOWN = "unknown"
        WATCH = "watch"
        OK = "ok"

    class Alarm(models.TextChoices):
        NONE = "none"
        SUSPECTED = "suspected", "bad in one window"
        BAD = "bad", "bad in a second window too"
        RECOVERING = "recovering", "right in one window after it was bad"

    RANK: ClassVar = {State.BAD: 0, State.UNKNOWN: 1, State.WATCH: 2, State.OK: 3}

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="link_qualities")
    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="link_qualities")
    link = models.ForeignKey(
        FabricLink, on_delete=models.SET_NULL, null=True, blank=True, related_name="qualities",
        help_text="The link as the reconciliation knows it.",
    )  # fmt: skip
    key = models.CharField(max_length=140, help_text="Both ends, as GUID_PORT:GUID_PORT.")
    a_guid = models.CharField(max_length=64)
    a_port = models.PositiveSmallIntegerField()
    b_guid = models.CharField(max_length=64)
    b_port = models.PositiveSmallIntegerField()
    gbps = models.FloatField(
        null=True, blank=True, help_text="On the wire; empty where width or speed is not reported."
    )
    state = models.CharField(max_length=7, choices=State.choices, default=State.UNKNOWN)
    rank = models.PositiveSmallIntegerField(default=1, help_text="The worst state first.")
    reason = models.CharField(max_length=300, blank=True)
    since = models.DateTimeField(help_text="When it came into this state.")
    measured_at = models.DateTimeField(null=True, blank=True)
    measures = models.JSONField(default=list, help_text="What is not ok and what is worth knowing, one by one.")
    rates = models.JSONField(default=dict, help_text="Counts by window and end; what is 0 is left out.")
    errors_5m = models.FloatField(default=0, help_text="Symbol errors an hour of the worse end, in the last minutes.")
    errors_1h = models.FloatField(default=0, help_text="The same in the last hour.")
    errors_1d = models.FloatField(default=0, help_text="The same in the last day.")
    downs = models.PositiveIntegerField(default=0, help_text="Times the worse end went down in a day.")
    ber = models.FloatField(null=True, blank=True, help_text="Bit error rate after correction.")
    ber_below = models.BooleanField(default=False, help_text="No error was seen: the rate is below `ber`.")
    max_c = models.FloatField(null=True, blank=True, help_text="The hotter of its ports and optics.")
    alarm = models.CharField(max_length=10, choices=Alarm.choices, default=Alarm.NONE)
    alarm_since = models.DateTimeField(null=True, blank=True)
    bad_since = models.DateTimeField(null=True, blank=True, help_text="Confirmed bad since; empty: not.")
    evaluated_from = models.DateTimeField(
        null=True, blank=True, help_text="Somebody worked on it then: what was counted before is not held against it."
    )

    class Meta:
        ordering: ClassVar = ["rank", "-errors_1h", "id"]
        verbose_name_plural = "link qualities"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["source", "key"], name="one_quality_per_link"),
            models.CheckConstraint(
                condition=Q(state__in=["bad", "unknown", "watch", "ok"]), name="link_quality_state_is_known"
            ),
            models.CheckConstraint(
                condition=Q(alarm__in=["none", "suspected", "bad", "recovering"]), name="link_alarm_is_known"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["site", "rank", "-errors_1h"], name="worst_links")]

    def __str__(self) -> str:
        return self.key


class PortSample(models.Model):
    """The counters of all ports of one node at one time: a partition per day (migration, `services.samples`).

    One row per node, its ports packed by `services.samples`: a fabric of 24,560 ports read every ten minutes would be
    3.5 million rows a day one by one.
    """

    pk = models.CompositePrimaryKey("source_id", "guid", "at")
    source_id = models.BigIntegerField()
    guid = models.CharField(max_length=64)
    at = models.DateTimeField()
    layout = models.PositiveSmallIntegerField()
    ports = models.BinaryField()

    class Meta:
        managed = False
        db_table = "fabric_portsample"


class Round(models.Model):
    """One reading of all ports of a source. Its times are where windows begin and end."""

    source = models.ForeignKey(FabricSource, on_delete=models.CASCADE, related_name="rounds")
    at = models.DateTimeField()
    ports = models.PositiveIntegerField()

    class Meta:
        ordering: ClassVar = ["source", "-at"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["source", "at"], name="one_round_at_a_time")]

    def __str__(self) -> str:
        return f"{self.source_id} at {self.at.isoformat()}"


class Measurement(models.Model):
    """One link measured anew because somebody asked, such as after each step of a link ticket.

    `before` is what was known when it was asked for, `after` what two readings some time apart then said alone.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        FIRST = "first", "read once, waits for the second reading"
        DONE = "done"
        FAILED = "failed", "could not be read"

    OPEN: ClassVar = [Status.QUEUED, Status.FIRST]

    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="measurements")
    quality = models.ForeignKey(LinkQuality, on_delete=models.CASCADE, related_name="measurements")
    status = models.CharField(max_length=6, choices=Status.choices, default=Status.QUEUED)
    asked_at = models.DateTimeField(db_default=Now())
    asked_by = models.CharField(max_length=150)
    owner = models.CharField(max_length=60, blank=True, help_text="Who waits for it, such as ticket:REP-2041.")
    seconds = models.PositiveIntegerField(help_text="Between its two readings.")
    before = models.JSONField(default=dict)
    first = models.JSONField(null=True, blank=True, help_text="The first reading of both ends.")
    first_at = models.DateTimeField(null=True, blank=True)
    after = models.JSONField(null=True, blank=True)
    state = models.CharField(max_length=7, choices=LinkQuality.State.choices, blank=True, help_text="Of `after`.")
    message = models.CharField(max_length=500, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_try_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(status__in=["queued", "first", "done", "failed"]), name="measurement_status_is_known"
            ),
            models.CheckConstraint(
                condition=Q(status__in=["done", "failed"], finished_at__isnull=False)
                | Q(status__in=["queued", "first"], finished_at__isnull=True),
                name="finished_measurement_has_its_time",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["next_try_at"], name="measurement_to_do", condition=Q(status__in=["queued", "first"])),
            models.Index(fields=["quality", "-id"], name="measurement_of_link"),
        ]

    def __str__(self) -> str:
        return f"measurement {self.pk}"
