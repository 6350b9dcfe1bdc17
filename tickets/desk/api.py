"""Routes of the desk: what a shift does with one ticket and with many, the board, saved filters, a site's policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import allows, request_roles, visible_site_ids
from core.api import SiteScopedViewSet
from core.models import Role, Site, User
from core.rest.lists import listed
from inventory.services import Refused
from tickets import queries as tickets
from tickets import services as core_services
from tickets.desk import bodies, people, policies, queries, services
from tickets.desk.models import SubTask
from tickets.desk.shapes import TicketPersonSerializer
from tickets.models import Ticket
from tickets.schemas import TicketActionSerializer, TicketItemSerializer, acting
from tickets.workflow import ACTIVE_STATUSES

ROLES: dict[str, Role] = dict.fromkeys(("assign", "priority", "merge", "split"), Role.OPERATOR)
TASK = r"tasks/(?P<task>[0-9]{1,3})"
OF_BULK: dict[str, tuple[Callable[..., Ticket], Role]] = {
    "acknowledge": (services.acknowledge, Role.TECHNICIAN),
    "assign": (services.assign, Role.OPERATOR),
    "close": (core_services.close, Role.OPERATOR),
    "comment": (core_services.comment, Role.TECHNICIAN),
    "priority": (services.set_priority, Role.OPERATOR),
    "queue": (services.move, Role.TECHNICIAN),
    "snooze": (services.snooze, Role.TECHNICIAN),
    "unsnooze": (services.unsnooze, Role.TECHNICIAN),
    "watch": (services.watch, Role.TECHNICIAN),
}


class TicketProgressSerializer(serializers.Serializer):
    done = serializers.IntegerField()
    of = serializers.IntegerField()


class TicketCardSerializer(TicketItemSerializer):
    progress = TicketProgressSerializer(help_text="Of its steps.")

    def to_representation(self, instance: Ticket) -> dict[str, Any]:
        return super().to_representation(instance) | {"progress": vars(instance)["progress"]}


class TicketColumnSerializer(serializers.Serializer):
    key = serializers.CharField(help_text="A queue or a status.")
    count = serializers.IntegerField()
    overdue = serializers.IntegerField()
    tickets = TicketCardSerializer(many=True, help_text=f"The most urgent, at most {queries.CARDS}.")


class TicketBoardSerializer(serializers.Serializer):
    columns = TicketColumnSerializer(many=True)


class DeskActions:
    """What the view set of tickets gets from the desk. `act` and the rest of it are there."""

    request: Any
    act: Callable[..., Response]
    get_queryset: Callable[[], QuerySet]
    filter_queryset: Callable[[QuerySet], QuerySet]
    may: Callable[[Role, int | None], bool]
    person: User

    @acting("Say that you have seen it", TicketActionSerializer)
    @action(detail=True, methods=["post"])
    def acknowledge(self, request: Request, key: str) -> Response:
        return self.act(services.acknowledge)

    @acting("Assign to a technician", bodies.TicketAssignSerializer)
    @action(detail=True, methods=["post"])
    def assign(self, request: Request, key: str) -> Response:
        return self.act(services.assign, bodies.TicketAssignSerializer)

    @acting("Set the priority by hand, or let the rule decide again", bodies.TicketPrioritySerializer)
    @action(detail=True, methods=["post"])
    def priority(self, request: Request, key: str) -> Response:
        return self.act(services.set_priority, bodies.TicketPrioritySerializer)

    @acting("Move into another queue", bodies.TicketQueueSerializer)
    @action(detail=True, methods=["post"])
    def queue(self, request: Request, key: str) -> Response:
        return self.act(services.move, bodies.TicketQueueSerializer)

    @acting("Snooze until a time", bodies.TicketSnoozeSerializer)
    @action(detail=True, methods=["post"])
    def snooze(self, request: Request, key: str) -> Response:
        """It comes back by itself, and at once when it gets worse."""
        return self.act(services.snooze, bodies.TicketSnoozeSerializer)

    @acting("End a snooze", TicketActionSerializer)
    @action(detail=True, methods=["post"])
    def unsnooze(self, request: Request, key: str) -> Response:
        return self.act(services.unsnooze)

    @acting("Watch, or watch no more", bodies.TicketWatchSerializer)
    @action(detail=True, methods=["post"])
    def watch(self, request: Request, key: str) -> Response:
        return self.act(services.watch, bodies.TicketWatchSerializer)

    @acting("Confirm a repair as the second pair of eyes", bodies.TicketConfirmSerializer)
    @action(detail=True, methods=["post"])
    def confirm(self, request: Request, key: str) -> Response:
        """Asked for when a ticket came back three times; by somebody else than who did the repair."""
        return self.act(services.confirm, bodies.TicketConfirmSerializer)

    @acting("Merge a duplicate into another ticket", bodies.TicketMergeSerializer)
    @action(detail=True, methods=["post"])
    def merge(self, request: Request, key: str) -> Response:
        """Its faults and evidence move, and it closes. Answers with the duplicate."""

        def merge(number: int, *, into: int, **more: Any) -> Ticket:
            if not self.get_queryset().filter(number=into).exists():
                raise Refused("into", "There is no such ticket.")
            return services.merge(number, into=into, **more)

        return self.act(merge, bodies.TicketMergeSerializer)

    @acting("Give a fault, or a machine of an incident, a ticket of its own", bodies.TicketSplitSerializer)
    @action(detail=True, methods=["post"])
    def split(self, request: Request, key: str) -> Response:
        """Answers with the ticket it was split from; the new one is the last of its `splits`."""

        def split(number: int, **more: Any) -> Ticket:
            return services.split_fault(number, **more) if "fault" in more else services.split_machine(number, **more)

        return self.act(split, bodies.TicketSplitSerializer)

    @acting("Add a sub-task", bodies.TicketSubTaskAddSerializer)
    @action(detail=True, methods=["post"])
    def tasks(self, request: Request, key: str) -> Response:
        return self.act(services.add_sub_task, bodies.TicketSubTaskAddSerializer)

    @extend_schema(operation_id="tickets_tasks_change")
    @acting("Change a sub-task, or tick it", bodies.TicketSubTaskChangeSerializer)
    @action(detail=True, methods=["post"], url_path=TASK)
    def task(self, request: Request, key: str, task: str) -> Response:
        return self._of_task(services.change_sub_task, bodies.TicketSubTaskChangeSerializer, int(task))

    @acting("Remove a sub-task", TicketActionSerializer)
    @action(detail=True, methods=["post"], url_path=f"{TASK}/remove")
    def remove_task(self, request: Request, key: str, task: str) -> Response:
        return self._of_task(services.remove_sub_task, TicketActionSerializer, int(task))

    def _of_task(self, work: Callable[..., Ticket], body: type[TicketActionSerializer], task: int) -> Response:
        try:
            return self.act(work, body, task=task)
        except SubTask.DoesNotExist as error:
            raise Http404 from error

    @extend_schema(
        summary="Do one thing with many tickets",
        operation_id="tickets_many",
        request=bodies.TicketBulkSerializer,
        responses={200: bodies.TicketOutcomesSerializer},
    )
    @action(detail=False, methods=["post"])
    def bulk(self, request: Request) -> Response:
        """Each is done or refused by itself, and says why."""
        given = bodies.TicketBulkSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        action = given.validated_data["action"]
        more = given.of_action()
        more.pop("version", None)
        keys = list(dict.fromkeys(given.validated_data["keys"]))
        numbers = {key: tickets.number_of(key) for key in keys}
        found = {row.number: row for row in self.get_queryset().filter(number__in=numbers.values())}
        reasons = {key: self._refused(action, found.get(numbers[key] or 0), more) for key in keys}
        return Response(
            {"outcomes": [{"key": key, "done": not reason, "reason": reason} for key, reason in reasons.items()]}
        )

    def why_not(self, ticket: Ticket, action: str) -> str:
        """Why the person may not do this to a ticket; empty for who may. To watch changes nothing on it."""
        return "" if action == "watch" else people.why_not(self.person, ticket, request_roles(self.request))

    def _refused(self, action: str, ticket: Ticket | None, more: dict[str, Any]) -> str:
        """Do it with one of many: why it was refused, or empty."""
        work, role = OF_BULK[action]
        if ticket is None:
            return "There is no such ticket."
        if not self.may(role, ticket.site_id):
            return f"Only for {role.value}s of its site."
        if why_not := self.why_not(ticket, action):
            return why_not
        try:
            work(ticket.number, by=self.person, **more)
        except (core_services.TicketConflict, core_services.NotYours, Refused) as error:
            return str(getattr(error, "reason", error))
        return ""

    @extend_schema(
        summary="Tickets as a board",
        parameters=[OpenApiParameter("columns", str, enum=list(queries.COLUMNS), description="By default the queue.")],
        responses={200: TicketBoardSerializer},
        filters=True,
    )
    @action(detail=False, methods=["get"], pagination_class=None)
    def board(self, request: Request) -> Response:
        """The filters of the list apply; closed tickets are on no board."""
        column = request.query_params.get("columns", "queue")
        if column not in queries.COLUMNS:
            raise exceptions.ValidationError({"columns": [f"One of {', '.join(queries.COLUMNS)}."]})
        rows = self.filter_queryset(self.get_queryset()).filter(status__in=ACTIVE_STATUSES)
        return Response(TicketBoardSerializer({"columns": queries.board(rows, column, timezone.now())}).data)

    @extend_schema(
        summary="People to whom tickets can be assigned",
        parameters=[OpenApiParameter("site", int, description="Only of this site.")],
        responses={200: TicketPersonSerializer(many=True)},
        filters=False,
    )
    @action(detail=False, methods=["get"], pagination_class=None, filter_backends=[])
    def people(self, request: Request) -> Response:
        roles = request_roles(request)
        site = request.query_params.get("site")
        sites = visible_site_ids(roles)
        if site is not None:
            if not site.isdecimal() or not allows(roles, int(site), Role.VIEWER):
                raise exceptions.ValidationError({"site": ["There is no such site."]})
            sites = [int(site)]
        return listed(queries.named(person) for person in people.workers(sites))


class DeskPolicyViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """Due times, working hours and queues of each site: one row per site, by the site's id."""

    queryset = Site.objects.select_related("desk_policy").order_by("pk")
    serializer_class = bodies.DeskPolicySerializer
    named_records: ClassVar = {"person": "assignee"}
    site_field = "pk"
    write_role = Role.ADMIN

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        page = self.paginate_queryset(self.get_queryset())
        rows = [policies.of_site(site) for site in page or []]
        return self.get_paginated_response(bodies.DeskPolicySerializer(rows, many=True).data)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(bodies.DeskPolicySerializer(policies.of_site(self.get_object())).data)

    @extend_schema(request=bodies.DeskPolicySerializer(partial=True), responses={200: bodies.DeskPolicySerializer})
    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change it. Open tickets follow within minutes, but for what a person set."""
        site = self.get_object()
        given = bodies.DeskPolicySerializer(data=request.data, partial=True)
        given.is_valid(raise_exception=True)
        try:
            row = policies.set_policy(site.pk, **given.validated_data)
        except Refused as error:
            raise exceptions.ValidationError({error.field: [error.reason]}) from error
        return Response(bodies.DeskPolicySerializer(row).data)


def register(router: BaseRouter) -> None:
    router.register("desk-policies", DeskPolicyViewSet, basename="desk-policy")
