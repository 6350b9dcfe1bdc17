"""What goes in and out of the routes of messages."""

from __future__ import annotations

from typing import Any, ClassVar, cast
from zoneinfo import available_timezones

from django.conf import settings
from django.utils import timezone
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied

from core.accounts.scope import allows, request_roles
from core.http.seen import SeenRecord
from core.models import Role, Site
from core.outgoing.addresses import problem_of_url
from core.outgoing.binding import Refused
from core.outgoing.permits import permit
from tickets.messages import formats, queries
from tickets.messages.mail import letters
from tickets.messages.models import (
    QUEUES,
    RULE_EVENTS,
    Channel,
    EscalationLevel,
    EscalationPolicy,
    InboundMail,
    Message,
    MessageRule,
    Rota,
)
from tickets.messages.rota import calendars
from tickets.models.tickets import PRIORITIES

MOST_RECIPIENTS, MOST_LEVELS, MOST_RULES = 50, 20, 50


def permitted_url(url: str) -> None:
    """Raises ValidationError for what is no URL or leads where nobody connects to. A query may carry a key."""
    problem = problem_of_url(url)
    if problem:
        raise serializers.ValidationError(problem)
    try:
        permit(None, None, url, site=None, local=settings.WEBHOOK_LOCAL_ADDRESSES)
    except Refused as error:
        raise serializers.ValidationError(str(error)) from error


def known_zone(name: str) -> None:
    if name not in available_timezones():
        raise serializers.ValidationError("A time zone such as Europe/Amsterdam.")


class OfSite(serializers.ModelSerializer):
    """A setting of a site, or of every site, for their administrators."""

    serializer_related_field = SeenRecord

    def validate_site(self, site: Site | None) -> Site | None:
        if not allows(request_roles(self.context["request"]), site.pk if site else None, Role.ADMIN):
            raise PermissionDenied("Your role on that site does not allow this.")
        return site

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if self.instance is None:
            self.validate_site(attrs.get("site"))
        return attrs

    def of_reach(self, name: str, row: Channel | Rota | None, attrs: dict[str, Any]) -> None:
        """A setting of one site uses what belongs to that site or to every site. Raises ValidationError."""
        site = attrs["site"] if "site" in attrs else getattr(self.instance, "site", None)
        if row is not None and row.site_id is not None and row.site_id != (site.pk if site else None):
            raise serializers.ValidationError({name: ["It belongs to another site."]})


class ChannelSerializer(OfSite):
    url = serializers.CharField(
        max_length=2000, required=False, write_only=True, validators=[permitted_url],
        help_text="Of a hook or topic. It is kept encrypted and never shown: whoever knows it may post there.",
    )  # fmt: skip
    recipients = serializers.ListField(child=serializers.EmailField(), max_length=MOST_RECIPIENTS, required=False)
    waiting = serializers.IntegerField(read_only=True, default=0, help_text="Messages that wait or are tried again.")
    failed = serializers.IntegerField(read_only=True, default=0, help_text="Messages that were given up.")

    class Meta:
        model = Channel
        fields: ClassVar = [
            "id", "site", "name", "kind", "url", "host", "recipients", "active", "created_at", "created_by", "waiting",
            "failed",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["host", "created_at", "created_by"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        old: Channel | None = self.instance
        kind = attrs.get("kind", old.kind if old else "")
        if old is not None and kind != old.kind:
            raise serializers.ValidationError({"kind": ["A channel stays of its kind: make another one."]})
        if kind == Channel.Kind.EMAIL:
            if not attrs.get("recipients", old.recipients if old else []):
                raise serializers.ValidationError({"recipients": ["Name at least one mail address."]})
            attrs.pop("url", None)
            return attrs
        if old is None and not attrs.get("url"):
            raise serializers.ValidationError({"url": ["Name the address that messages are posted to."]})
        if kind == Channel.Kind.NTFY and "url" in attrs:
            try:
                formats.split_topic(attrs["url"])
            except ValueError as error:
                raise serializers.ValidationError({"url": [f"{error}."]}) from error
        attrs.pop("recipients", None)
        return attrs


class NewChannelSerializer(ChannelSerializer):
    signing_key = serializers.CharField(read_only=True, help_text="Of a signed webhook, shown once; else empty.")

    class Meta(ChannelSerializer.Meta):
        fields: ClassVar = [*ChannelSerializer.Meta.fields, "signing_key"]


def several(values: tuple[str, ...], text: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.ChoiceField(values), required=False, max_length=20, help_text=f"{text}; empty: all."
    )


class MessageRuleSerializer(OfSite):
    queues = several(QUEUES, "In whose queue the ticket is")
    events = several(RULE_EVENTS, "What happened")
    priorities = several(PRIORITIES, "Priorities")

    class Meta:
        model = MessageRule
        fields: ClassVar = ["id", "site", "channel", "queues", "events", "priorities", "digest", "active"]

    def validate_channel(self, channel: Channel) -> Channel:
        if channel.owner_id is not None:
            raise serializers.ValidationError("It is a person's own channel.")
        return channel

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        self.of_reach("channel", attrs.get("channel"), attrs)
        return attrs


class OnCallPersonSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class OnCallShiftSerializer(serializers.Serializer):
    summary = serializers.CharField()
    starts_at = serializers.DateTimeField()
    ends_at = serializers.DateTimeField()


class OnCallSerializer(serializers.Serializer):
    people = OnCallPersonSerializer(many=True, help_text="First on call first.")
    shifts = OnCallShiftSerializer(many=True)
    problem = serializers.CharField(help_text="Why nobody is on call, empty where somebody is.")


class RotaSerializer(OfSite):
    url = serializers.CharField(
        max_length=2000, required=False, write_only=True, validators=[permitted_url],
        help_text="Of the calendar (iCalendar). It is kept encrypted and never shown.",
    )  # fmt: skip
    timezone = serializers.CharField(max_length=64, required=False, validators=[known_zone])
    period_s = serializers.IntegerField(min_value=300, max_value=86_400, required=False)
    stale = serializers.SerializerMethodField(help_text="The copy in use is too old.")
    on_call = serializers.SerializerMethodField()

    class Meta:
        model = Rota
        fields: ClassVar = [
            "id", "site", "name", "url", "host", "timezone", "period_s", "status", "message", "tried_at", "read_at",
            "stale", "on_call",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["host", "status", "message", "tried_at", "read_at"]

    def get_stale(self, rota: Rota) -> bool:
        return calendars.is_stale(rota)

    def get_on_call(self, rota: Rota) -> OnCallSerializer:
        people = cast("dict[str, Any]", self.context).setdefault("people", queries.People())  # one for all of a list
        found = queries.on_call(rota, timezone.now(), people)
        persons = [{"id": one.id, "name": one.name or one.username} for one in found.people]
        return OnCallSerializer({"people": persons, "shifts": found.shifts, "problem": found.problem}).data  # type: ignore[return-value]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        if self.instance is None and not attrs.get("url"):
            raise serializers.ValidationError({"url": ["Name the address of the calendar."]})
        return attrs


class EscalationLevelSerializer(serializers.ModelSerializer):
    serializer_related_field = SeenRecord
    after_min = serializers.IntegerField(min_value=0, max_value=10_080)

    class Meta:
        model = EscalationLevel
        fields: ClassVar = ["after_min", "target", "rota", "channel"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        wanted = "channel" if attrs["target"] == EscalationLevel.Target.CHANNEL else "rota"
        other = "rota" if wanted == "channel" else "channel"
        if attrs.get(wanted) is None:
            raise serializers.ValidationError({wanted: [f"Choose a {wanted}."]})
        return attrs | {other: None}


class EscalationPolicySerializer(OfSite):
    queues = several(QUEUES, "In whose queue the ticket is")
    priorities = several(PRIORITIES, "Priorities")
    levels = EscalationLevelSerializer(many=True, required=False, max_length=MOST_LEVELS)  # type: ignore[call-arg]

    class Meta:
        model = EscalationPolicy
        fields: ClassVar = ["id", "site", "name", "queues", "priorities", "active", "active_since", "levels"]
        read_only_fields: ClassVar = ["active_since"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        attrs = super().validate(attrs)
        before = -1
        for level in attrs.get("levels", []):
            self.of_reach("levels", level["channel"] or level["rota"], attrs)
            if level["channel"] is not None and level["channel"].owner_id is not None:
                raise serializers.ValidationError({"levels": ["A person is called as on call, not by a channel."]})
            if level["after_min"] <= before:
                raise serializers.ValidationError({"levels": ["Each level comes later than the one before it."]})
            before = level["after_min"]
        return attrs


class MessageSerializer(serializers.ModelSerializer):
    channel_name = serializers.CharField(source="channel.name")
    key = serializers.SerializerMethodField(help_text="Of the ticket; empty for a test and a summary.")

    class Meta:
        model = Message
        fields: ClassVar = [
            "id", "channel", "channel_name", "ticket", "key", "event", "title", "priority", "status", "created_at",
            "next_at", "attempts", "sent_at", "response_status", "error", "bundle",
        ]  # fmt: skip

    def get_key(self, row: Message) -> str:
        return row.ticket.key if row.ticket else ""


class MailSerializer(serializers.Serializer):
    mail = serializers.CharField(
        max_length=letters.MOST_BYTES, trim_whitespace=False, help_text="The whole mail as it came (RFC 5322)."
    )


class InboundMailSerializer(serializers.ModelSerializer):
    key = serializers.SerializerMethodField(help_text="Of the ticket; empty where it belongs to none.")

    class Meta:
        model = InboundMail
        fields: ClassVar = ["id", "message_id", "sender", "ticket", "key", "status", "reason", "at"]

    def get_key(self, row: InboundMail) -> str:
        return row.ticket.key if row.ticket else ""


class MailboxSerializer(serializers.Serializer):
    host = serializers.CharField(help_text="Empty: the settings name no mailbox.")
    tried_at = serializers.DateTimeField(allow_null=True)
    read_at = serializers.DateTimeField(allow_null=True, help_text="When it could be read the last time.")
    message = serializers.CharField(help_text="Why it could not be read just now; empty where it could.")


# ---- one's own ----


class PersonalRuleSerializer(serializers.Serializer):
    queues = several(QUEUES, "In whose queue the ticket is")
    events = several(RULE_EVENTS, "What happened")
    priorities = several(PRIORITIES, "Priorities")
    only_mine = serializers.BooleanField(default=False, help_text="Only tickets that are assigned to me.")
    digest = serializers.ChoiceField(MessageRule.Digest.choices, allow_blank=True, default="")


class PersonalSerializer(serializers.Serializer):
    timezone = serializers.CharField(max_length=64, validators=[known_zone])
    starts_at = serializers.TimeField(allow_null=True, help_text="Of the quiet hours; null: none.")
    ends_at = serializers.TimeField(allow_null=True)
    p1_breaks = serializers.BooleanField(default=True)
    mail = serializers.BooleanField(help_text="To the address of the account.")
    ntfy = serializers.IntegerField(allow_null=True, help_text="A shared channel of ntfy, for its server; null: none.")
    topic = serializers.RegexField(
        r"^[A-Za-z0-9_-]{8,64}$",
        required=False,
        allow_blank=True,
        default="",
        help_text="Eight letters or more that nobody guesses; empty: as it was.",
    )
    rules = PersonalRuleSerializer(many=True, max_length=MOST_RULES)  # type: ignore[call-arg]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        starts, ends = attrs["starts_at"], attrs["ends_at"]
        if (starts is None) != (ends is None) or (starts is not None and starts == ends):
            raise serializers.ValidationError({"ends_at": ["Quiet hours have a start and another end."]})
        return attrs


class NtfyServerSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    host = serializers.CharField()


class PersonalAnswerSerializer(PersonalSerializer):
    email = serializers.CharField(help_text="Where mail goes.")
    topic_set = serializers.BooleanField(help_text="A topic is stored; it is not shown again.")
    servers = NtfyServerSerializer(many=True, help_text="Channels of ntfy that may be chosen.")
