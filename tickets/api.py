"""Routes of this room: tickets, and what a technician and an operator do with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import exceptions, serializers
from rest_framework.decorators import action
from rest_framework.filters import OrderingFilter, SearchFilter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter
from rest_framework.views import APIView

from core.accounts.scope import request_roles
from core.api import ReadOnlyViewSet
from core.errors import Conflict
from core.models import Role
from inventory.services import Refused
from tickets import queries, services
from tickets.aisle.api import AisleActions
from tickets.desk import api as desk
from tickets.desk import people
from tickets.desk.filters import TicketFilter
from tickets.insights import api as insights
from tickets.messages import api as messages
from tickets.messages import references
from tickets.models import Step, Ticket
from tickets.panels import api as panels
from tickets.proof import Proof
from tickets.runbooks import api as runbooks
from tickets.runbooks.ticket_actions import RunbookActions
from tickets.schemas import (
    KEY,
    REPORTED,
    TicketActionSerializer,
    TicketCloseSerializer,
    TicketCommentSerializer,
    TicketItemSerializer,
    TicketLedSerializer,
    TicketReasonSerializer,
    TicketReportSerializer,
    TicketSerializer,
    TicketStepSerializer,
    TicketSwapConnectorSerializer,
    TicketSwapSerializer,
    TicketTakePartSerializer,
    TicketVerifySerializer,
    acting,
)
from tickets.shift import api as shift
from tickets.systems import api as systems
from tickets.vendors import api as vendors


class TicketSearch(SearchFilter):
    """Words of the title, part or machine; a ticket's key finds that ticket."""

    def filter_queryset(self, request: Request, queryset: QuerySet, view: APIView) -> QuerySet:
        text = request.query_params.get(self.search_param, "").strip()
        number = queries.number_of(text) if text.upper().startswith("REP-") else None
        if number is not None:
            return queryset.filter(number=number)
        return super().filter_queryset(request, queryset, view)


@extend_schema_view(
    list=extend_schema(responses={200: TicketItemSerializer}),
    retrieve=extend_schema(parameters=[KEY], responses={200: TicketSerializer}),
    create=extend_schema(request=TicketReportSerializer, responses={200: TicketSerializer, 201: TicketSerializer}),
)
class TicketViewSet(desk.DeskActions, RunbookActions, AisleActions, ReadOnlyViewSet):
    """Repair tickets, newest first, by their key (`REP-2041`).

    Every action may carry the `version` the caller saw. When the ticket changed meanwhile the answer is 409 with the
    code `conflict` and the ticket as it is now in `error.current`. What its state does not allow is refused as
    `refused`, with the reason.
    """

    queryset = queries.tickets()
    named_records: ClassVar = {"to": "assignee"}
    site_field = "site_id"
    lookup_field = "key"
    write_role = Role.TECHNICIAN
    roles = desk.ROLES | {"close": Role.OPERATOR, "reopen": Role.OPERATOR}
    filterset_class = TicketFilter
    filter_backends = (filters.DjangoFilterBackend, TicketSearch, OrderingFilter)
    search_fields = ("title", "part", "device__name", "device__serial", "cable__label", "subject_name")
    ordering_fields = ("opened_at", "updated_at", "closed_at", "due_at", "priority", "status", "number")

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return TicketItemSerializer if self.action == "list" else TicketSerializer

    def get_object(self) -> Ticket:
        number = queries.number_of(self.kwargs["key"])
        rows = self.get_queryset().select_related("verification")
        ticket = rows.filter(number=number).first() if number is not None else None
        if ticket is None:
            raise Http404
        self.check_object_permissions(self.request, ticket)
        return ticket

    def get_queryset(self) -> QuerySet[Ticket]:
        """A technician of some queues is shown those; a ticket that is asked for by its key can be read by all."""
        rows = super().get_queryset()
        if self.detail or self.action == "bulk" or getattr(self, "swagger_fake_view", False):
            return rows
        return people.of_their_queues(rows, self.person, request_roles(self.request))

    def show(self, ticket: Ticket) -> dict[str, Any]:
        return queries.detail(
            ticket,
            user=self.person,
            technician=self.may(Role.TECHNICIAN, ticket.site_id),
            limited=not people.may_work_on(self.person, ticket, request_roles(self.request)),
            operator=self.may(Role.OPERATOR, ticket.site_id),
        )

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(self.show(self.get_object()))

    def create(self, request: Request) -> Response:
        """Open a ticket for what a person or another system saw at a machine, switch or cable; 409 when one is open.

        With `source` and `external_id` the same request again answers 200 with the ticket that it opened."""
        given = TicketReportSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        body = dict(given.validated_data)
        reference = (body.pop("source", ""), body.pop("external_id", ""))
        kind = next(name for name in REPORTED if name in body)
        pk = body.pop(kind)
        site = services.site_of_reported(kind, pk)
        if site is None or not self.may(Role.VIEWER, site):
            raise exceptions.ValidationError({kind: [f"There is no such {kind}."]})
        if not self.may(Role.TECHNICIAN, site):
            raise exceptions.PermissionDenied
        try:
            ticket, opened = references.opened(
                site, reference, lambda: services.open_ticket_for_person(kind, pk, by=self.person, **body)
            )
        except services.TicketConflict as error:
            raise Conflict(error.reason, "refused") from error
        return Response(self.show(queries.tickets().get(pk=ticket.pk)), status=201 if opened else 200)

    def act(self, work: Callable, body: type[TicketActionSerializer] = TicketActionSerializer, **more: Any) -> Response:
        """Check the body, do the work, and answer with the ticket as it is after it."""
        ticket = self.get_object()
        if why_not := self.why_not(ticket, self.action):
            raise exceptions.PermissionDenied(why_not)
        given = body(data=self.request.data)
        given.is_valid(raise_exception=True)
        try:
            work(ticket.number, by=self.person, **given.validated_data, **more)
        except services.TicketConflict as error:
            code = "conflict" if isinstance(error, services.TicketRace) else "refused"
            raise Conflict(error.reason, code, self.show(self.get_object())) from error
        except services.NotYours as error:
            raise exceptions.PermissionDenied(str(error)) from error
        except Refused as error:
            raise exceptions.ValidationError({error.field: [error.reason]}) from error
        except Step.DoesNotExist as error:
            raise Http404 from error
        return Response(self.show(self.get_object()))

    def is_operator(self) -> bool:
        return self.may(Role.OPERATOR, self.get_object().site_id)

    @acting("Work on a ticket", TicketActionSerializer)
    @action(detail=True, methods=["post"])
    def take(self, request: Request, key: str) -> Response:
        return self.act(services.take)

    @acting("Give a ticket back", TicketReasonSerializer)
    @action(detail=True, methods=["post"])
    def release(self, request: Request, key: str) -> Response:
        return self.act(services.release, TicketReasonSerializer)

    @acting("Comment", TicketCommentSerializer)
    @action(detail=True, methods=["post"])
    def comments(self, request: Request, key: str) -> Response:
        return self.act(services.comment, TicketCommentSerializer)

    @acting("Mark a step done or not done", TicketStepSerializer)
    @action(detail=True, methods=["post"], url_path=r"steps/(?P<step>[0-9]{1,3})")
    def steps(self, request: Request, key: str, step: str) -> Response:
        """A scan needs the label that was read (`scanned`), a swap its new serial (see `swap`; of a part that sits
        in no slot, here in `scanned`), or either of them the reason why it is passed over (`skip`)."""

        def tick(number: int, *, scanned: str, skip: str, **more: Any) -> Ticket:
            return services.tick(number, proof=Proof(scanned, skip), **more)

        return self.act(tick, TicketStepSerializer, step=int(step), operator=self.is_operator())

    @acting("Check the ports of a step again", TicketActionSerializer)
    @action(detail=True, methods=["post"], url_path=r"steps/(?P<step>[0-9]{1,3})/recheck")
    def recheck(self, request: Request, key: str, step: str) -> Response:
        """The check takes seconds: the step is `checking` until `ticket.changed` reports what it showed."""
        return self.act(services.recheck, TicketActionSerializer, step=int(step), operator=self.is_operator())

    @acting("Record a swapped part", TicketSwapSerializer)
    @action(detail=True, methods=["post"])
    def swap(self, request: Request, key: str) -> Response:
        return self.act(services.record_swap, TicketSwapSerializer, operator=self.is_operator())

    @acting("Record a swapped optic or cable", TicketSwapConnectorSerializer)
    @action(detail=True, methods=["post"], url_path="swap-connector")
    def swap_connector(self, request: Request, key: str) -> Response:
        return self.act(services.swap_connector, TicketSwapConnectorSerializer, operator=self.is_operator())

    @acting("Take parts without a serial from stock", TicketTakePartSerializer)
    @action(detail=True, methods=["post"], url_path="take-part")
    def take_part(self, request: Request, key: str) -> Response:
        return self.act(services.take_part, TicketTakePartSerializer, operator=self.is_operator())

    @acting("Resolve and verify", TicketVerifySerializer)
    @action(detail=True, methods=["post"])
    def verify(self, request: Request, key: str) -> Response:
        return self.act(services.done_verify, TicketVerifySerializer, operator=self.is_operator())

    @acting("Switch the machine's locating LED", TicketLedSerializer)
    @action(detail=True, methods=["post"])
    def led(self, request: Request, key: str) -> Response:
        return self.act(services.set_led, TicketLedSerializer, operator=self.is_operator())

    @acting("Close without verification", TicketCloseSerializer)
    @action(detail=True, methods=["post"])
    def close(self, request: Request, key: str) -> Response:
        return self.act(services.close, TicketCloseSerializer)

    @acting("Reopen", TicketReasonSerializer)
    @action(detail=True, methods=["post"])
    def reopen(self, request: Request, key: str) -> Response:
        return self.act(services.reopen, TicketReasonSerializer)


urlpatterns = [
    *shift.urlpatterns, *messages.urlpatterns, *insights.urlpatterns, *vendors.urlpatterns, *panels.urlpatterns,
]  # fmt: skip


def register(router: BaseRouter) -> None:
    desk.register(router)  # before the keys of tickets
    router.register("tickets", TicketViewSet, basename="ticket")
    messages.register(router)
    systems.register(router)
    runbooks.register(router)
    vendors.register(router)
