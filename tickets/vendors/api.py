"""Routes of vendor cases: the cases themselves, how each site reaches its vendors, and what to order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.http import FileResponse, Http404
from django.urls import URLPattern, path
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import exceptions, serializers, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import limit_to_sites, request_roles, visible_site_ids
from core.api import ReadOnlyViewSet, SiteScopedViewSet
from core.errors import Conflict
from core.models import Role, Site
from core.rest.lists import listed
from inventory.services import Refused
from tickets.desk.people import may_work_on, why_not
from tickets.models import KEY_PREFIX, Ticket
from tickets.vendors import bundles, queries, schemas, services
from tickets.vendors.models import VendorCase, VendorContact
from tickets.vendors.states import OPEN, Event

HANDS = (Event.ARRIVE, Event.RETURN)
"""What a technician says of a part; everything else of a case is an operator's."""
OF_HANDS = frozenset({"version", "reason", "storage", "new_serial", "new_part_number", "return_tracking"})
"""What a technician tells with it."""


class VendorCaseFilter(filters.FilterSet):
    site = filters.NumberFilter(field_name="site_id")
    state = filters.MultipleChoiceFilter(choices=[(each, each) for each in schemas.STATES])
    vendor = filters.MultipleChoiceFilter(choices=[(each, each) for each in schemas.VENDORS])
    ticket = filters.NumberFilter(field_name="ticket_id")
    vendor_return = filters.NumberFilter(field_name="vendor_return_id")
    open = filters.BooleanFilter(method="only_open", label="Every state but closed.")
    overdue = filters.BooleanFilter(method="only_overdue", label="The failed part should have gone back.")

    class Meta:
        model = VendorCase
        fields = ("number",)

    def only_open(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        return queryset.filter(state__in=OPEN) if value else queryset.exclude(state__in=OPEN)

    def only_overdue(self, queryset: QuerySet, name: str, value: bool) -> QuerySet:
        late = queries.overdue(queryset)
        return late if value else queryset.exclude(pk__in=late.values("pk"))


@extend_schema_view(
    list=extend_schema(responses=schemas.VendorCaseItemSerializer(many=True)),
    retrieve=extend_schema(responses=schemas.VendorCaseSerializer),
)
class VendorCaseViewSet(ReadOnlyViewSet):
    """Cases with vendors, newest first. Every change may carry the `version` the caller saw: 409 `conflict` when the
    case changed meanwhile, with the case as it is now; 409 `refused` for what its state does not allow.
    """

    queryset = queries.cases()
    serializer_class = schemas.VendorCaseItemSerializer
    write_role = Role.TECHNICIAN
    filterset_class = VendorCaseFilter
    lookup_value_regex = r"\d{1,18}"

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        return self.get_paginated_response([queries.item(row) for row in rows])

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return Response(self.show(self.get_object().pk))

    def show(self, pk: int) -> dict[str, Any]:
        case = VendorCase.objects.select_related(
            "ticket__device__model", "ticket__cable", "machine__device", "vendor_return"
        ).get(pk=pk)
        return queries.detail(
            case,
            technician=may_work_on(self.person, case.ticket, request_roles(self.request)),
            operator=self.may(Role.OPERATOR, case.site_id),
        )

    def act(self, case: VendorCase, work: Callable[[], object]) -> Response:
        self.refuse_other_queues(case)
        try:
            work()
        except services.CaseRefused as error:
            code = "conflict" if isinstance(error, services.CaseRace) else "refused"
            raise Conflict(str(error), code, self.show(case.pk)) from error
        except Refused as error:
            raise exceptions.ValidationError({error.field: [error.reason]}) from error
        return Response(self.show(case.pk))

    @extend_schema(request=schemas.NewVendorCaseSerializer, responses={201: schemas.VendorCaseSerializer})
    def create(self, request: Request) -> Response:
        """Open a draft for a ticket's part, filled from what is known; 409 while the ticket has an open case."""
        given = schemas.NewVendorCaseSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        ticket = self._ticket(given.validated_data["ticket"])
        more = {name: given.validated_data[name] for name in ("vendor", "symptom") if name in given.validated_data}
        try:
            case = services.open_case(ticket.number, by=self.person, **more)
        except services.CaseRefused as error:
            raise Conflict(str(error), "refused") from error
        return Response(self.show(case.pk), status=201)

    def refuse_other_queues(self, case: VendorCase) -> None:
        """Raises PermissionDenied where the person does not work on the case's ticket."""
        if why := why_not(self.person, case.ticket, request_roles(self.request)):
            raise exceptions.PermissionDenied(why)

    def _ticket(self, key: str) -> Ticket:
        digits = key.strip().upper().removeprefix(KEY_PREFIX)
        known = digits.isascii() and digits.isdecimal() and len(digits) < 19
        rows = limit_to_sites(Ticket.objects.all(), request_roles(self.request), "site_id")
        ticket = rows.filter(number=int(digits)).first() if known else None
        if ticket is None:
            raise exceptions.ValidationError({"ticket": ["There is no such ticket."]})
        if why := why_not(self.person, ticket, request_roles(self.request)):
            raise exceptions.PermissionDenied(why)
        return ticket

    @extend_schema(request=schemas.VendorCaseEditSerializer, responses=schemas.VendorCaseSerializer)
    @action(detail=True, methods=["post"])
    def edit(self, request: Request, pk: str) -> Response:
        """Change a draft, or one that was denied before it is asked for again."""
        given = schemas.VendorCaseEditSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        case = self.get_object()
        return self.act(case, lambda: services.edit(case.pk, by=self.person, **given.validated_data))

    @extend_schema(request=schemas.VendorCaseMoveSerializer, responses=schemas.VendorCaseSerializer)
    @action(detail=True, methods=["post"])
    def move(self, request: Request, pk: str) -> Response:
        """One step of the case. A technician says that a part arrived or went back; the rest is an operator's."""
        given = schemas.VendorCaseMoveSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        case, facts = self.get_object(), dict(given.validated_data)
        event = Event(facts.pop("event"))
        if event not in HANDS and not self.may(Role.OPERATOR, case.site_id):
            raise exceptions.PermissionDenied
        if not self.may(Role.OPERATOR, case.site_id) and (beyond := sorted(facts.keys() - OF_HANDS)):
            raise exceptions.PermissionDenied(f"An operator says {', '.join(beyond)}.")
        return self.act(case, lambda: services.move(case.pk, event, by=self.person, **facts))

    @extend_schema(request=None, responses={202: schemas.CaseBundleSerializer})
    @action(detail=True, methods=["post"])
    def bundle(self, request: Request, pk: str) -> Response:
        """Have a bundle made; the one that is being made, where there is one. `vendor_case.changed` tells its end."""
        case = self.get_object()
        self.refuse_other_queues(case)
        row = bundles.order(case, by=self.person.get_username())
        return Response(queries.bundle_row(row), status=202)

    @extend_schema(
        parameters=[OpenApiParameter("number", int, OpenApiParameter.PATH, description="Id of a bundle of the case.")],
        responses={(200, "application/zip"): OpenApiTypes.BINARY},
    )
    @action(detail=True, methods=["get"], url_path=r"bundles/(?P<number>\d{1,18})")
    def bundles(self, request: Request, pk: str, number: str) -> FileResponse:
        """The zip, with its manifest. A technician's, for it has logs of the machine."""
        case = self.get_object()
        if not self.may(Role.TECHNICIAN, case.site_id):
            raise exceptions.PermissionDenied
        row = case.bundles.filter(pk=int(number), status="done").first()
        if row is None:
            raise Http404
        name = f"{case.ticket.key}-{case.service_tag or case.pk}-bundle.zip"
        return FileResponse(bundles.packed(row), as_attachment=True, filename=name, content_type="application/zip")

    @extend_schema(request=schemas.VendorAnswerSerializer, responses=schemas.VendorCaseSerializer)
    @action(detail=False, methods=["post"])
    def answers(self, request: Request) -> Response:
        """What a vendor's system says of a case, found by the vendor's number. Saying it again changes nothing."""
        given = schemas.VendorAnswerSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        told = dict(given.validated_data)
        vendor, number = told.pop("vendor"), told.pop("number")
        event, status, text = told.pop("event", None), told.pop("status"), told.pop("text")
        found = queries.matching(visible_site_ids(request_roles(request)), vendor, number)
        if len(found) != 1:
            raise exceptions.ValidationError({"number": ["No case, or more than one, has this number."]})
        case = found[0]
        if not self.may(Role.OPERATOR, case.site_id):
            raise exceptions.PermissionDenied
        room = f"{queries.vendor_word(vendor)} (by {self.person.get_username()})"
        return self.act(
            case,
            lambda: services.answered(
                case.pk, Event(event) if event else None, room=room, text=text, raw_status=status, **told
            ),
        )


class VendorContactViewSet(viewsets.ModelViewSet, SiteScopedViewSet):
    """How a site reaches its vendors: everybody of the site sees it, its administrators set it."""

    queryset = VendorContact.objects.select_related("credential", "login", "site").order_by("site_id", "vendor")
    serializer_class = schemas.VendorContactSerializer
    site_field = "site_id"
    write_role = Role.ADMIN
    filterset_fields = {"site": ["exact"], "vendor": ["exact"]}  # noqa: RUF012
    lookup_value_regex = r"\d{1,18}"

    def perform_create(self, serializer: serializers.BaseSerializer) -> None:
        self._save(serializer, VendorContact())

    def perform_update(self, serializer: serializers.BaseSerializer) -> None:
        assert serializer.instance is not None
        self._save(serializer, serializer.instance)

    def _save(self, serializer: serializers.BaseSerializer, contact: VendorContact) -> None:
        site = serializer.validated_data.get("site", contact.site if contact.pk else None)
        if site is not None and not self.may(Role.ADMIN, site.pk):
            self.permission_denied(self.request)
        serializer.instance = services.save_contact(contact, serializer.validated_data)

    def perform_destroy(self, instance: VendorContact) -> None:
        services.remove_contact(instance)


@extend_schema(
    summary="What to order: failures against what is there and what is coming",
    parameters=[OpenApiParameter("site", int, description="Id of a site.")],
    responses=schemas.StockAdviceSerializer(many=True),
)
@api_view(["GET"])
def stock_advice(request: Request) -> Response:
    asked = request.query_params.get("site", "")
    if asked and not (asked.isascii() and asked.isdecimal() and len(asked) < 19):
        raise exceptions.ValidationError({"site": ["The id of a site."]})
    roles, site = request_roles(request), int(asked) if asked else None
    if site is not None and not limit_to_sites(Site.objects.filter(pk=site), roles, "id").exists():
        raise exceptions.NotFound
    return listed(queries.stock_advice(visible_site_ids(roles), site=site))


urlpatterns: list[URLPattern] = [path("spares/advice/", stock_advice, name="stock-advice")]


def register(router: BaseRouter) -> None:
    router.register("vendor-cases", VendorCaseViewSet, basename="vendor-case")
    router.register("vendor-contacts", VendorContactViewSet, basename="vendor-contact")
