"""Routes of messages: settings for administrators of a site, deliveries, and one's own."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import Count, Prefetch, ProtectedError, Q, QuerySet
from django.urls import path
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.accounts.scope import (
    administered_site_ids,
    is_administrator,
    limit_to_administered,
    request_roles,
    visible_site_ids,
)
from core.errors import Conflict
from core.http.conditional import ConditionalWrites
from core.models import Role, User
from core.rest.fields import FieldSelection
from tickets.messages import services
from tickets.messages.mail import mailbox, replies
from tickets.messages.models import (
    Channel,
    EscalationLevel,
    EscalationPolicy,
    InboundMail,
    Message,
    MessageRule,
    QuietHours,
    Rota,
)
from tickets.messages.schemas import (
    ChannelSerializer,
    EscalationPolicySerializer,
    InboundMailSerializer,
    MailboxSerializer,
    MailSerializer,
    MessageRuleSerializer,
    MessageSerializer,
    NewChannelSerializer,
    PersonalAnswerSerializer,
    PersonalSerializer,
    RotaSerializer,
)


class SettingsViewSet(ConditionalWrites, FieldSelection, viewsets.ModelViewSet):
    """Settings of a site or of every site: their administrators see and change them."""

    roles: ClassVar = dict.fromkeys(("list", "retrieve"), Role.ADMIN)
    write_role = Role.ADMIN
    http_method_names = ["get", "post", "patch", "delete", "head", "options"]  # noqa: RUF012  (as Django has it)
    ordering_fields: ClassVar = ["id"]
    ordering: ClassVar = ["id"]

    def perform_destroy(self, instance: Any) -> None:
        try:
            instance.delete()
        except ProtectedError as error:
            raise Conflict("An escalation still calls it: change that first.") from error

    def get_queryset(self) -> QuerySet:
        rows = super().get_queryset()
        if getattr(self, "swagger_fake_view", False):
            return rows.none()
        return limit_to_administered(rows, request_roles(self.request), "site_id")

    def site_of(self, row: Any) -> int | None:
        return row.site_id

    @property
    def actor(self) -> str:
        return str(self.request.user.get_username())


WITH_COUNTS = Channel.objects.filter(owner=None).annotate(
    waiting=Count("messages", filter=Q(messages__status__in=["waiting", "held"])),
    failed=Count("messages", filter=Q(messages__status="failed")),
)


@extend_schema_view(create=extend_schema(request=ChannelSerializer, responses={201: NewChannelSerializer}))
class ChannelViewSet(SettingsViewSet):
    """Where messages about tickets go. The address of a hook is a secret: it is stored and never shown."""

    queryset = WITH_COUNTS
    serializer_class = ChannelSerializer
    answer_is_secret = True
    filterset_fields: ClassVar = ["site", "kind", "active", "name"]
    search_fields: ClassVar = ["name", "host"]
    ordering_fields: ClassVar = ["name", "created_at"]
    ordering: ClassVar = ["name", "id"]

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        given = self.get_serializer(data=request.data)
        given.is_valid(raise_exception=True)
        channel, key = services.save_channel(None, dict(given.validated_data), by=self.actor)
        return Response({**self.get_serializer(channel).data, "signing_key": key}, status=status.HTTP_201_CREATED)

    def perform_update(self, serializer: Any) -> None:
        serializer.instance, _ = services.save_channel(serializer.instance, dict(serializer.validated_data))

    @extend_schema(request=None, responses={202: MessageSerializer})
    @action(detail=True, methods=["post"])
    def test(self, request: Request, pk: str) -> Response:
        """Send a test message; look at it in the messages a moment later to see what came of it."""
        row = services.test_channel(self.get_object(), by=self.actor)
        return Response(MessageSerializer(row).data, status=status.HTTP_202_ACCEPTED)


class MessageRuleViewSet(SettingsViewSet):
    """Which news of tickets goes to which shared channel. A rule of a site hears that site only."""

    queryset = MessageRule.objects.filter(channel__owner=None).select_related("channel")
    serializer_class = MessageRuleSerializer
    filterset_fields: ClassVar = ["site", "channel", "active"]


class RotaViewSet(SettingsViewSet):
    """Who is on call, from a calendar. Everybody who sees the site sees who is on call."""

    queryset = Rota.objects.all()
    serializer_class = RotaSerializer
    roles: ClassVar = dict.fromkeys(("list", "retrieve"), Role.VIEWER)
    filterset_fields: ClassVar = ["site", "name"]
    search_fields: ClassVar = ["name"]
    ordering_fields: ClassVar = ["name"]
    ordering: ClassVar = ["name", "id"]

    def get_queryset(self) -> QuerySet:
        if getattr(self, "swagger_fake_view", False):
            return Rota.objects.none()
        if self.action not in ("list", "retrieve"):
            return super().get_queryset()
        ids = visible_site_ids(request_roles(self.request))
        return Rota.objects.all() if ids is None else Rota.objects.filter(Q(site__in=ids) | Q(site=None))

    def check_object_permissions(self, request: Request, obj: Any) -> None:
        if self.action == "retrieve":
            return  # one of every site is for all who see any
        super().check_object_permissions(request, obj)

    def perform_create(self, serializer: Any) -> None:
        serializer.instance = services.save_rota(None, dict(serializer.validated_data))

    def perform_update(self, serializer: Any) -> None:
        serializer.instance = services.save_rota(serializer.instance, dict(serializer.validated_data))


class EscalationPolicyViewSet(SettingsViewSet):
    """Whom to call, in which order, while nobody takes a ticket. Off until it is turned on."""

    queryset = EscalationPolicy.objects.prefetch_related(Prefetch("levels", EscalationLevel.objects.order_by("number")))
    serializer_class = EscalationPolicySerializer
    filterset_fields: ClassVar = ["site", "active", "name"]
    ordering_fields: ClassVar = ["name"]
    ordering: ClassVar = ["name", "id"]

    def perform_create(self, serializer: Any) -> None:
        serializer.instance = services.save_policy(None, dict(serializer.validated_data))

    def perform_update(self, serializer: Any) -> None:
        serializer.instance = services.save_policy(serializer.instance, dict(serializer.validated_data))
        serializer.instance = self.get_queryset().get(pk=serializer.instance.pk)


class MessageViewSet(FieldSelection, mixins.ListModelMixin, mixins.RetrieveModelMixin, viewsets.GenericViewSet):
    """Messages with what came of them: those of one's own channels, and of the shared ones for administrators."""

    queryset = Message.objects.select_related("channel", "ticket")
    serializer_class = MessageSerializer
    write_role = Role.VIEWER
    filterset_fields: ClassVar = ["channel", "ticket", "status", "event"]
    search_fields: ClassVar = ["title", "error"]
    ordering_fields: ClassVar = ["id", "next_at"]
    ordering: ClassVar = ["-id"]

    def get_queryset(self) -> QuerySet:
        if getattr(self, "swagger_fake_view", False):
            return Message.objects.none()
        rows, roles = super().get_queryset().defer("text"), request_roles(self.request)
        shared, own = Q(channel__owner=None), administered_site_ids(roles)
        if own is not None:
            shared &= Q(channel__site__in=own)
        return rows.filter(shared | Q(channel__owner=self.request.user.pk))

    def check_object_permissions(self, request: Request, obj: Any) -> None:
        """Who finds a message may send it again."""

    @extend_schema(request=None, responses={200: MessageSerializer})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: str) -> Response:
        """Send a message that failed again."""
        services.retry(self.get_object())
        return Response(MessageSerializer(self.get_object()).data)


class InboundMailViewSet(FieldSelection, mixins.ListModelMixin, mixins.CreateModelMixin, viewsets.GenericViewSet):
    """Mails that came in, and what became of them. A mail server hands them over here, with a token of an administrator
    of every site: whoever may post here speaks for everybody."""

    queryset = InboundMail.objects.select_related("ticket")
    serializer_class = InboundMailSerializer
    roles: ClassVar = {"list": Role.ADMIN, "mailbox": Role.ADMIN}
    write_role = Role.ADMIN
    filterset_fields: ClassVar = ["status", "ticket"]
    search_fields: ClassVar = ["sender", "reason"]
    ordering_fields: ClassVar = ["id"]
    ordering: ClassVar = ["-id"]

    def get_queryset(self) -> QuerySet:
        if getattr(self, "swagger_fake_view", False):
            return InboundMail.objects.none()
        return limit_to_administered(super().get_queryset(), request_roles(self.request), "ticket__site_id")

    @extend_schema(request=MailSerializer, responses={200: InboundMailSerializer})
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Take a mail in. The same mail again changes nothing."""
        if not is_administrator(request_roles(request)):
            raise PermissionDenied("Only an administrator of every site hands mail over.")
        given = MailSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            row = replies.receive(given.validated_data["mail"].encode("utf-8", "surrogateescape"))
        except ValueError as error:
            raise ValidationError({"mail": [f"This is no mail that can be read: {error}."]}) from error
        return Response(self.get_serializer(row).data)

    @extend_schema(responses={200: MailboxSerializer})
    @action(detail=False, pagination_class=None, filter_backends=[])
    def mailbox(self, request: Request) -> Response:
        """The mailbox from which answers are read, and how the last round went."""
        return Response(MailboxSerializer(mailbox.standing()).data)


class PersonalView(APIView):
    """What the person who asks hears of tickets."""

    named_records: ClassVar = {"ntfy": "channel"}
    permission_classes = (IsAuthenticated,)

    @extend_schema(responses=PersonalAnswerSerializer)
    def get(self, request: Request) -> Response:
        return Response(personal(request))

    @extend_schema(request=PersonalSerializer, responses=PersonalAnswerSerializer)
    def put(self, request: Request) -> Response:
        given = PersonalSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        fields = dict(given.validated_data)
        if fields["ntfy"] is not None:
            fields["ntfy"] = servers(request).filter(pk=fields["ntfy"]).first()
            if fields["ntfy"] is None:
                raise ValidationError({"ntfy": ["There is no such channel."]})
        assert isinstance(request.user, User)
        try:
            services.save_personal(request.user, fields)
        except ValueError as error:
            raise ValidationError({"topic": [str(error)]}) from error
        return Response(personal(request))


def servers(request: Request) -> QuerySet[Channel]:
    """Shared channels of ntfy whose server a person may use: of the sites that person sees."""
    shared = Channel.objects.filter(owner=None, kind=Channel.Kind.NTFY, active=True)
    ids = visible_site_ids(request_roles(request))
    return shared if ids is None else shared.filter(Q(site__in=ids) | Q(site=None))


def personal(request: Request) -> dict[str, Any]:
    """As it is stored. Both channels of a person have the same rules."""
    user = request.user
    assert isinstance(user, User)
    hours = QuietHours.objects.filter(user=user).first() or QuietHours(user=user)
    own = {row.name: row for row in Channel.objects.filter(owner=user).prefetch_related("rules")}
    known = list(servers(request))
    mail, push = own.get(services.MAIL), own.get(services.PUSH)
    chosen = next((row.pk for row in known if push and push.active and row.host == push.host), None)
    return PersonalAnswerSerializer(
        {
            "timezone": hours.timezone, "starts_at": hours.starts_at, "ends_at": hours.ends_at,
            "p1_breaks": hours.p1_breaks, "mail": bool(mail and mail.active), "ntfy": chosen, "topic": "",
            "rules": list(mail.rules.all()) if mail else [], "email": user.email,
            "topic_set": bool(push and push.secret), "servers": known,
        }
    ).data  # fmt: skip


urlpatterns = [path("me/messages/", PersonalView.as_view())]


def register(router: BaseRouter) -> None:
    router.register("message-channels", ChannelViewSet, basename="message-channel")
    router.register("message-rules", MessageRuleViewSet, basename="message-rule")
    router.register("rotas", RotaViewSet, basename="rota")
    router.register("escalation-policies", EscalationPolicyViewSet, basename="escalation-policy")
    router.register("inbound-mails", InboundMailViewSet, basename="inbound-mail")
    router.register("messages", MessageViewSet, basename="message")
