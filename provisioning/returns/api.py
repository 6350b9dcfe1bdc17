"""Returns over the API."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core import spreadsheets
from core.api import SiteScopedViewSet
from core.errors import Conflict
from core.models import Role
from core.openapi.vocabulary import vocabularies
from core.spreadsheets import workbooks
from provisioning.returns import queries, services, table
from provisioning.returns.models import ReturnedMachine, VendorReturn
from provisioning.steps import FailureClass

CLASSES = [each.value for each in FailureClass]
MOST_MACHINES = 2000
_IDS = serializers.ListField(
    child=serializers.IntegerField(min_value=1), allow_empty=False, max_length=MOST_MACHINES, required=False
)


class VendorReturnSerializer(serializers.ModelSerializer[VendorReturn]):
    count = serializers.IntegerField(help_text="Machines on it.")
    answered = serializers.IntegerField(help_text="Of them with an outcome.")

    class Meta:
        model = VendorReturn
        fields: tuple[str, ...] = (
            "id", "site", "vendor", "status", "reference", "note", "created_at", "created_by", "sent_at", "closed_at",
            "count", "answered",
        )  # fmt: skip


class ReturnedMachineSerializer(serializers.ModelSerializer[ReturnedMachine]):
    name = serializers.CharField(source="machine.device.name")
    failure_class = serializers.ChoiceField(CLASSES)
    outcome = serializers.SerializerMethodField()

    class Meta:
        model = ReturnedMachine
        fields: tuple[str, ...] = (
            "machine", "name", "serial", "failure_class", "failure_text", "evidence", "outcome", "outcome_note",
            "outcome_at", "outcome_by",
        )  # fmt: skip

    @extend_schema_field(serializers.ChoiceField(ReturnedMachine.Outcome.values, allow_null=True))
    def get_outcome(self, row: ReturnedMachine) -> str | None:
        return row.outcome or None


class VendorReturnDetailSerializer(VendorReturnSerializer):
    machines = ReturnedMachineSerializer(many=True)

    class Meta(VendorReturnSerializer.Meta):
        fields: tuple[str, ...] = (*VendorReturnSerializer.Meta.fields, "machines")


class NewVendorReturnSerializer(serializers.Serializer):
    """Machines by id, or all that failed of a class, of a delivery, or of both."""

    site = serializers.IntegerField(min_value=1)
    machines = _IDS
    failure_class = serializers.ChoiceField(CLASSES, required=False)
    delivery = serializers.IntegerField(min_value=1, required=False)
    vendor = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")
    note = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        if not given.keys() & {"machines", "failure_class", "delivery"}:
            raise serializers.ValidationError({"machines": "name machines, a class of failure or a delivery"})
        return given


class SendVendorReturnSerializer(serializers.Serializer):
    reference = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")


class AnswerVendorReturnSerializer(serializers.Serializer):
    machines = serializers.ListField(
        child=serializers.IntegerField(min_value=1), allow_empty=False, max_length=MOST_MACHINES
    )
    outcome = serializers.ChoiceField(ReturnedMachine.Outcome.values)
    note = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class VendorReturnViewSet(mixins.ListModelMixin, mixins.RetrieveModelMixin, SiteScopedViewSet):
    """Machines sent back to a vendor together. Every change needs the operator's role."""

    queryset = VendorReturn.objects.none()
    serializer_class = VendorReturnDetailSerializer
    site_field = "site_id"
    write_role = Role.OPERATOR
    lookup_value_regex = r"\d{1,18}"

    def get_queryset(self) -> QuerySet:
        self.queryset = queries.returns() if self.action == "list" else queries.returns_with_machines()
        return super().get_queryset()

    def get_serializer_class(self) -> type[serializers.BaseSerializer]:
        return VendorReturnSerializer if self.action == "list" else VendorReturnDetailSerializer

    def _answer(self, pk: int, status: int = 200) -> Response:
        return Response(VendorReturnDetailSerializer(queries.returns_with_machines().get(pk=pk)).data, status=status)

    @extend_schema(request=NewVendorReturnSerializer, responses={201: VendorReturnDetailSerializer})
    def create(self, request: Request) -> Response:
        """Put failed machines on a new return; it is not sent yet. 409 when none fits, or one may not be on it."""
        asked = NewVendorReturnSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given = asked.validated_data
        if not self.may(Role.OPERATOR, given["site"]):
            self.permission_denied(request)
        try:
            made = services.create(
                given["site"], actor=self.person.get_username(), machine_ids=given.get("machines", ()),
                failure_class=given.get("failure_class", ""), delivery=given.get("delivery"),
                vendor=given["vendor"], note=given["note"],
            )  # fmt: skip
        except services.ReturnRefused as error:
            raise Conflict(f"No return was made: {error}.") from error
        return self._answer(made.pk, 201)

    @extend_schema(request=SendVendorReturnSerializer, responses=VendorReturnDetailSerializer)
    @action(detail=True, methods=["post"])
    def send(self, request: Request, pk: str) -> Response:
        """Say that the vendor has it, with the vendor's number; 409 when it was sent before."""
        asked = SendVendorReturnSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        row = self.get_object()
        try:
            services.send(row.pk, reference=asked.validated_data["reference"])
        except services.ReturnRefused as error:
            raise Conflict(f"Not sent: {error}.") from error
        return self._answer(row.pk)

    @extend_schema(request=AnswerVendorReturnSerializer, responses=VendorReturnDetailSerializer)
    @action(detail=True, methods=["post"])
    def answer(self, request: Request, pk: str) -> Response:
        """What the vendor made of some of its machines; with the last of them it is closed."""
        asked = AnswerVendorReturnSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        given, row = asked.validated_data, self.get_object()
        outcome = ReturnedMachine.Outcome(given["outcome"])
        try:
            services.answer(row.pk, given["machines"], outcome, note=given["note"], actor=self.person.get_username())
        except services.ReturnRefused as error:
            raise Conflict(f"Nothing was recorded: {error}.") from error
        return self._answer(row.pk)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Forget a return that was not sent; 409 otherwise."""
        try:
            services.discard(self.get_object().pk)
        except services.ReturnRefused as error:
            raise Conflict(f"It is not forgotten: {error}.") from error
        return Response(status=204)

    @extend_schema(
        parameters=[OpenApiParameter("as", str, enum=["csv", "xlsx"], description="`xlsx` without it.")],
        responses={(200, "text/csv"): OpenApiTypes.BINARY, (200, workbooks.XLSX_TYPE): OpenApiTypes.BINARY},
    )
    @action(detail=True, methods=["get"])
    def table(self, request: Request, pk: str) -> HttpResponse:
        """The list for the vendor with what was seen of each machine, as a workbook or as CSV."""
        row = self.get_object()
        words = {str(code): said.word for code, said in vocabularies()["InstallFailure"].items()}
        lines = table.lines(row.machines.select_related("machine__device__model"), words)
        if request.query_params.get("as") == "csv":
            return _file(spreadsheets.as_csv(table.COLUMNS, lines), spreadsheets.CSV_TYPE, f"return-{row.pk}.csv")
        book = workbooks.as_xlsx("Machines", table.COLUMNS, lines, table.WIDTHS)
        return _file(book, workbooks.XLSX_TYPE, f"return-{row.pk}.xlsx")


def _file(content: bytes, kind: str, name: str) -> HttpResponse:
    answer = HttpResponse(content, content_type=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
