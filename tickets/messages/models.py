"""Channels, who gets what through them, and every message with what came of it."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone

from core.models import Site, cipher
from core.webhooks.signatures import new_secret
from tickets.desk.rules.queues import Queue
from tickets.models.tickets import PRIORITIES, Ticket

QUEUES = tuple(queue.value for queue in Queue)
EVENTS = ("opened", "commented", "taken", "released", "verifying", "failed", "closed", "reopened", "escalated")
RULE_EVENTS = tuple(event for event in EVENTS if event != "escalated")


def choices(values: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(value, value) for value in values]


class Sealed(models.Model):
    """A row with a secret, encrypted with the keys of all credentials. No API shows it."""

    secret = models.BinaryField(editable=False, default=bytes)

    class Meta:
        abstract = True

    def seal(self, plain: str) -> None:
        self.secret = cipher().encrypt(plain.encode()) if plain else b""

    def unsealed(self) -> str:
        """The plain secret, empty where there is none. Raises InvalidToken when no configured key fits."""
        return cipher().decrypt(bytes(self.secret)).decode() if self.secret else ""


class Channel(Sealed):
    """Where messages go: a hook of a chat, a topic of ntfy, mail addresses; of a site, of every site, or of one person.

    The secret is the whole URL of a hook, because whoever knows it may post there.
    """

    class Kind(models.TextChoices):
        EMAIL = "email"
        SLACK = "slack"
        MATTERMOST = "mattermost"
        TEAMS = "teams"
        NTFY = "ntfy"
        WEBHOOK = "webhook"

    site = models.ForeignKey(
        Site, on_delete=models.CASCADE, null=True, blank=True, related_name="+", help_text="Empty: every site."
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="message_channels",
        help_text="The person whose channel it is; empty: one that is shared.",
    )
    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    host = models.CharField(max_length=253, blank=True, default="", help_text="Of its URL, to be shown.")
    recipients = ArrayField(
        models.EmailField(), default=list, blank=True, help_text="Of mail; empty: the address of its owner's account."
    )
    signing_key = models.BinaryField(editable=False, null=True, help_text="Of a signed webhook.")
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering: ClassVar = ["name", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["site", "owner", "name"], name="message_channel_name_in_site", nulls_distinct=False
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["email", "slack", "mattermost", "teams", "ntfy", "webhook"]),
                name="message_channel_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(owner__isnull=True) | Q(site__isnull=True), name="message_channel_of_site_or_person"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def make_signing_key(self) -> str:
        """A new key of a signed webhook, readable this once. The caller saves the row."""
        plain = new_secret()
        self.signing_key = cipher().encrypt(plain.encode())
        return plain

    def signing(self) -> str:
        """The key that signs, empty where there is none. Raises InvalidToken when no configured key fits."""
        return cipher().decrypt(bytes(self.signing_key)).decode() if self.signing_key else ""


class MessageRule(models.Model):
    """Which news of tickets goes to which channel. Empty lists mean all of them."""

    class Digest(models.TextChoices):
        NONE = ""
        HOURLY = "hourly"
        DAILY = "daily"

    site = models.ForeignKey(
        Site, on_delete=models.CASCADE, null=True, blank=True, related_name="+", help_text="Empty: every site."
    )
    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="rules")
    queues = ArrayField(models.CharField(max_length=10, choices=choices(QUEUES)), default=list, blank=True)
    events = ArrayField(models.CharField(max_length=10, choices=choices(RULE_EVENTS)), default=list, blank=True)
    priorities = ArrayField(models.CharField(max_length=2, choices=choices(PRIORITIES)), default=list, blank=True)
    only_mine = models.BooleanField(default=False, help_text="Of a person's channel: tickets assigned to that person.")
    digest = models.CharField(
        max_length=6, choices=Digest.choices, blank=True, default="", help_text="As one summary instead of at once."
    )
    active = models.BooleanField(default=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(digest__in=["", "hourly", "daily"]), name="message_rule_digest_is_known"
            ),
            models.CheckConstraint(
                condition=Q(queues__contained_by=list(QUEUES)), name="message_rule_queues_are_known"
            ),
            models.CheckConstraint(
                condition=Q(events__contained_by=list(RULE_EVENTS)), name="message_rule_events_are_known"
            ),
            models.CheckConstraint(
                condition=Q(priorities__contained_by=list(PRIORITIES)), name="message_rule_priorities_are_known"
            ),
        ]

    def __str__(self) -> str:
        return f"rule {self.pk} for {self.channel_id}"


class QuietHours(models.Model):
    """When one person is left in peace. What comes then waits, and arrives as one summary at the end."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="quiet_hours"
    )
    timezone = models.CharField(max_length=64, default="UTC")
    starts_at = models.TimeField(null=True, blank=True)
    ends_at = models.TimeField(null=True, blank=True)
    p1_breaks = models.BooleanField(default=True, help_text="P1 tickets come at once all the same.")

    class Meta:
        verbose_name_plural = "quiet hours"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(starts_at__isnull=True, ends_at__isnull=True)
                | Q(starts_at__isnull=False, ends_at__isnull=False) & ~Q(starts_at=F("ends_at")),
                name="quiet_hours_have_both_ends",
            )
        ]


class Rota(Sealed):
    """Who is on call, from an iCalendar address. The secret is the address: calendars carry keys in theirs."""

    class Status(models.TextChoices):
        NEVER = "never"
        OK = "ok"
        UNREACHABLE = "unreachable"
        UNREADABLE = "unreadable"

    site = models.ForeignKey(
        Site, on_delete=models.CASCADE, null=True, blank=True, related_name="+", help_text="Empty: every site."
    )
    name = models.CharField(max_length=100)
    timezone = models.CharField(max_length=64, default="UTC", help_text="Of events that name none.")
    period_s = models.PositiveIntegerField(default=900, help_text="Seconds between two reads.")
    status = models.CharField(max_length=11, choices=Status.choices, default=Status.NEVER)
    message = models.CharField(max_length=300, blank=True, default="", help_text="Why it could not be read.")
    tried_at = models.DateTimeField(null=True, blank=True)
    host = models.CharField(max_length=253, blank=True, default="", help_text="Of its URL, to be shown.")
    read_at = models.DateTimeField(null=True, blank=True, help_text="When the copy in use was read.")
    etag = models.CharField(max_length=200, blank=True, default="")
    calendar = models.TextField(blank=True, default="", help_text="The last good copy.")
    lease_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["name", "id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="rota_name_in_site", nulls_distinct=False),
            models.CheckConstraint(condition=Q(period_s__range=(300, 86400)), name="rota_is_read_at_a_bounded_rate"),
            models.CheckConstraint(
                condition=Q(status__in=["never", "ok", "unreachable", "unreadable"]), name="rota_status_is_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class EscalationPolicy(models.Model):
    """Whom to call, in which order, while nobody takes a ticket."""

    site = models.ForeignKey(
        Site, on_delete=models.CASCADE, null=True, blank=True, related_name="+", help_text="Empty: every site."
    )
    name = models.CharField(max_length=100)
    queues = ArrayField(models.CharField(max_length=10, choices=choices(QUEUES)), default=list, blank=True)
    priorities = ArrayField(models.CharField(max_length=2, choices=choices(PRIORITIES)), default=list, blank=True)
    active = models.BooleanField(default=False)
    active_since = models.DateTimeField(null=True, blank=True, help_text="Older tickets are left alone.")

    class Meta:
        ordering: ClassVar = ["name", "id"]
        verbose_name_plural = "escalation policies"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="escalation_name_in_site", nulls_distinct=False),
            models.CheckConstraint(
                condition=Q(active=False) | Q(active_since__isnull=False), name="active_escalation_has_its_start"
            ),
            models.CheckConstraint(condition=Q(queues__contained_by=list(QUEUES)), name="escalation_queues_are_known"),
            models.CheckConstraint(
                condition=Q(priorities__contained_by=list(PRIORITIES)), name="escalation_priorities_are_known"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class EscalationLevel(models.Model):
    """One call of a policy: after so many minutes, the first or second person on call, or a channel."""

    class Target(models.TextChoices):
        FIRST = "first"
        SECOND = "second"
        CHANNEL = "channel"

    policy = models.ForeignKey(EscalationPolicy, on_delete=models.CASCADE, related_name="levels")
    number = models.PositiveSmallIntegerField()
    after_min = models.PositiveIntegerField(help_text="Minutes since the ticket waits.")
    target = models.CharField(max_length=7, choices=Target.choices)
    rota = models.ForeignKey(Rota, on_delete=models.PROTECT, null=True, blank=True, related_name="+")
    channel = models.ForeignKey(Channel, on_delete=models.PROTECT, null=True, blank=True, related_name="+")

    class Meta:
        ordering: ClassVar = ["policy", "number"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["policy", "number"], name="level_number_in_policy"),
            models.CheckConstraint(
                condition=Q(target="channel", channel__isnull=False, rota__isnull=True)
                | Q(target__in=["first", "second"], rota__isnull=False, channel__isnull=True),
                name="level_has_its_target",
            ),
        ]


class NewsRow(models.Model):
    """Something that happened to a ticket and is no message yet, written by a trigger in the transaction of the change.

    Rows are deleted as messages are made of them. No cursor passes over one whose transaction commits late.
    """

    source = models.CharField(max_length=8, help_text="change: tickets_ticketchange; comment: tickets_comment.")
    source_id = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.source} {self.source_id}"


class Message(models.Model):
    """One message to one channel. `ref` names what it tells, so that it is made once, whoever is interrupted."""

    class Status(models.TextChoices):
        HELD = "held"
        WAITING = "waiting"
        SENT = "sent"
        BUNDLED = "bundled"
        FAILED = "failed"

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="messages")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, null=True, blank=True, related_name="messages")
    ref = models.CharField(max_length=80, help_text="Such as change:12, comment:3, escalation:7:2, digest:9.")
    event = models.CharField(max_length=10, blank=True, default="", help_text="Empty: a test or a summary.")
    title = models.CharField(max_length=300)
    text = models.TextField(blank=True, default="")
    priority = models.CharField(max_length=2, blank=True, default="")
    status = models.CharField(max_length=7, choices=Status.choices, default=Status.WAITING)
    bundle = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="bundled")
    created_at = models.DateTimeField(db_default=Now())
    next_at = models.DateTimeField(default=timezone.now, help_text="When it is sent, tried again or summed up.")
    lease_until = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True, blank=True)
    response_status = models.PositiveSmallIntegerField(null=True, blank=True)
    error = models.CharField(max_length=300, blank=True, default="")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["channel", "ref"], name="message_once_to_a_channel"),
            models.CheckConstraint(
                condition=Q(status__in=["held", "waiting", "sent", "bundled", "failed"]),
                name="message_status_is_known",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["channel", "next_at"], name="message_due", condition=Q(status="waiting")),
            models.Index(fields=["next_at"], name="message_held", condition=Q(status="held")),
            models.Index(fields=["channel", "-id"], name="message_of_channel"),
            models.Index(fields=["created_at"], name="message_age"),
        ]

    def __str__(self) -> str:
        return f"{self.title} to {self.channel_id}: {self.status}"


class TicketReference(models.Model):
    """The id that an outside system has for a ticket it opened: the same request again finds the same ticket."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="references")
    site = models.ForeignKey(Site, on_delete=models.PROTECT, related_name="+")
    source = models.CharField(max_length=60)
    external_id = models.CharField(max_length=120)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "source", "external_id"], name="one_ticket_per_external_id"),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.external_id}"


class InboundMail(models.Model):
    """A mail that came in, and what became of it: a comment, or the reason why not. Each message id counts once."""

    class Status(models.TextChoices):
        COMMENT = "comment"
        REFUSED = "refused"

    message_id = models.CharField(max_length=255, unique=True)
    sender = models.CharField(max_length=254, blank=True)
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, null=True, blank=True, related_name="mails")
    status = models.CharField(max_length=7, choices=Status.choices)
    reason = models.CharField(max_length=300, blank=True, default="")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(status__in=["comment", "refused"]), name="inbound_mail_status_is_known")
        ]
        indexes: ClassVar = [models.Index(fields=["at"], name="inbound_mail_age")]

    def __str__(self) -> str:
        return self.message_id
