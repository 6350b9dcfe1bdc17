"""Verdicts from other systems: the route they post to with a token of their own, and the list of these systems."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

import orjson
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, serializers, status
from rest_framework.authentication import BaseAuthentication, SessionAuthentication
from rest_framework.decorators import action
from rest_framework.exceptions import AuthenticationFailed, ParseError, PermissionDenied, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.authentication import TokenAuthentication
from core.api import ReadOnlyViewSet
from core.errors import error_body
from core.http.parsers import BodyTooLarge, refuse_large, refuse_nul, refuse_other_charsets
from core.http.seen import SeenRecord
from core.models import Role, Site
from core.rest.numbers import FloatField
from health.external import reports
from health.external.models import ReportSource
from health.external.services import intake, sources
from health.machines.parameters import flag

MOST_BYTES = 32 * 1024 * 1024
MOST_ERRORS = 1000
KEYWORDS = ("bearer", "token", "source")


# ---- who reports ----


class Reporter:
    """The user of a request that a source sends: it has a name for the logs and no rights anywhere."""

    is_authenticated, is_anonymous, is_active, is_staff = True, False, False, False
    pk = id = None

    def __init__(self, source: ReportSource) -> None:
        self.source = source

    def get_username(self) -> str:
        return f"source:{self.source.name}"


class SourceAuthentication(BaseAuthentication):
    """`Authorization: Bearer src-...`, the form Alertmanager sends; `Token` and `Source` do as well."""

    def authenticate(self, request: Request) -> tuple[Reporter, ReportSource] | None:
        keyword, _, plain = request.headers.get("Authorization", "").partition(" ")
        if keyword.lower() not in KEYWORDS or not plain.startswith(sources.TOKEN_PREFIX):
            return None
        source = sources.source_of_token(plain.strip())
        if source is None:
            raise AuthenticationFailed("No source has this token.")
        return Reporter(source), source

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class SourceScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "health.external.api.SourceAuthentication"
    name = "reportSource"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "The token of a source of reports."}


class SourceOnly(BasePermission):
    """People and their tokens do not report; a source that is switched off does not either."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.auth, ReportSource):
            return False
        if not request.auth.enabled:
            raise PermissionDenied("This source is switched off.")
        return True


# ---- bodies ----


def unpacked(stream: Any, encoding: str) -> bytes:
    """The body, decompressed. Raises BodyTooLarge or ParseError; never more than MOST_BYTES are held."""
    body = bytes(stream.read(MOST_BYTES + 1))
    if encoding in ("gzip", "x-gzip"):
        reader = zlib.decompressobj(wbits=31)
        try:
            body = reader.decompress(body, MOST_BYTES + 1)
        except zlib.error as error:
            raise ParseError("The body is not gzip.") from error
        if not reader.eof and len(body) <= MOST_BYTES:
            raise ParseError("The gzip ends too early.")
    elif encoding not in ("", "identity"):
        raise ParseError("Content-Encoding: gzip, or none.")
    if len(body) > MOST_BYTES:
        raise BodyTooLarge(f"At most {MOST_BYTES // 2**20} MB in a request, unpacked.")
    return body


class JsonBody(BaseParser):
    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        refuse_other_charsets(parser_context)
        body = unpacked(stream, _encoding(parser_context))
        try:
            value = self.read(body)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"JSON parse error - {error}") from error
        refuse_nul(body, value)
        return value

    def read(self, body: bytes) -> Any:
        return orjson.loads(body)


class LinesBody(JsonBody):
    """NDJSON: one result a line."""

    media_type = "application/x-ndjson"

    def read(self, body: bytes) -> Any:
        return list(self.lines(body))

    def lines(self, body: bytes) -> Iterator[Any]:
        for line in body.splitlines():
            if line.strip():
                yield orjson.loads(line)


def _encoding(context: Mapping[str, Any] | None) -> str:
    return context["request"].headers.get("Content-Encoding", "").strip().lower() if context else ""


# ---- the route ----


class ReportSerializer(serializers.Serializer):
    """One verdict. Of one that is ok only machine, check, part and time are kept."""

    machine = serializers.CharField(help_text="Name, id or serial.")
    check = serializers.CharField(max_length=39, help_text="Shown as SOURCE/CHECK.")  # type: ignore[assignment]
    part = serializers.CharField(max_length=60, required=False, help_text="A slot such as GPU 5; else machine.")
    verdict = serializers.ChoiceField(["fail", "unknown", "warn", "info", "ok"])
    message = serializers.CharField(required=False, allow_blank=True)
    at = serializers.DateTimeField(required=False, help_text="With its zone, or seconds since 1970; now without it.")
    value = FloatField(required=False)
    evidence = serializers.JSONField(required=False, help_text="A text, or an object.")
    fault_class = serializers.CharField(required=False, help_text="Of a fail; becomes reported.NAME.")


class ReportsSerializer(serializers.Serializer):
    results = ReportSerializer(many=True)


class ReportProblemSerializer(serializers.Serializer):
    index = serializers.IntegerField(help_text="Position in the request, from 0.")
    code = serializers.CharField()
    reason = serializers.CharField()


class TakenSerializer(serializers.Serializer):
    accepted = serializers.IntegerField(help_text="Results stored, repeats among them.")
    changed = serializers.IntegerField(help_text="Verdicts that are others than before.")
    repeated = serializers.IntegerField(help_text="Received before, or older than what was received.")
    refused = serializers.IntegerField()
    errors = ReportProblemSerializer(many=True)  # type: ignore[assignment]
    more_errors = serializers.IntegerField(help_text="Refused results that are not listed here.")


class ReportsView(APIView):
    """Verdicts of machines in bulk from agents, NHC, cron jobs or Alertmanager, by a token of their own.

    A list of results, `{"results": [...]}`, one result, NDJSON, or, of a source of that kind, the body of the webhook
    of Alertmanager; gzip is read. The good results are stored and the others told with index and reason; with
    `strict` all are stored or none.
    """

    authentication_classes = (SourceAuthentication, TokenAuthentication, SessionAuthentication)
    permission_classes = (SourceOnly,)
    parser_classes = (JsonBody, LinesBody)

    @extend_schema(
        summary="Report verdicts of machines",
        request={"application/json": ReportsSerializer, "application/x-ndjson": ReportSerializer},
        parameters=[OpenApiParameter("strict", bool, description="Store all or none: 400 when any is refused.")],
        responses={200: TakenSerializer},
    )
    def post(self, request: Request) -> Response:
        refuse_large(request, MOST_BYTES, f"At most {MOST_BYTES // 2**20} MB in a request.")
        source: ReportSource = request.auth  # type: ignore[assignment]  # the permission lets only those in
        strict = flag(request, "strict")
        try:
            rows = reports.rows_of(request.data, source.kind)
        except reports.NotReadable as error:
            raise ValidationError({"results": [str(error)]}) from error
        taken = intake.take(source, rows, strict=strict)
        if strict and taken.problems:
            text = f"{len(taken.problems)} of {len(rows)} results are refused; nothing was stored."
            told = {"results": _problems(taken)}
            return Response(error_body("invalid", text, told), status=status.HTTP_400_BAD_REQUEST)
        return Response(answer_of(taken))


def answer_of(taken: intake.Taken) -> dict[str, Any]:
    """What a source is answered, as `TakenSerializer` describes it."""
    told = _problems(taken)
    return {
        "accepted": taken.stored,
        "changed": taken.changed,
        "repeated": taken.repeated,
        "refused": len(taken.problems),
        "errors": told,
        "more_errors": len(taken.problems) - len(told),
    }


def _problems(taken: intake.Taken) -> list[dict[str, Any]]:
    return [dict(zip(("index", "code", "reason"), each, strict=True)) for each in taken.problems[:MOST_ERRORS]]


# ---- the systems ----


class ReportSourceSerializer(serializers.ModelSerializer[ReportSource]):
    """A system that may report. `refused` counts the results refused so far."""

    serializer_related_field = SeenRecord
    checks = serializers.ListField(
        child=serializers.RegexField(rf"\A{reports.CHECK.pattern}\Z"), required=False, max_length=500
    )
    stale_after_s = serializers.IntegerField(min_value=60, max_value=7 * 86400, required=False)

    class Meta:
        model = ReportSource
        fields: ClassVar = [
            "id", "site", "name", "kind", "checks", "stale_after_s", "enabled", "token_key", "created_by", "created_at",
            "last_seen_at", "refused",
        ]  # fmt: skip
        read_only_fields: ClassVar = ["token_key", "created_by", "created_at", "last_seen_at", "refused"]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        for name in ("site", "name"):
            if self.instance is not None and name in attrs and attrs[name] != getattr(self.instance, name):
                raise serializers.ValidationError({name: ["This stays: its checks are called by it. Make another."]})
        return attrs


class NewReportSourceSerializer(ReportSourceSerializer):
    token = serializers.CharField(read_only=True, help_text="Shown once.")

    class Meta(ReportSourceSerializer.Meta):
        fields: ClassVar = [*ReportSourceSerializer.Meta.fields, "token"]


class ReportSourceViewSet(mixins.CreateModelMixin, mixins.UpdateModelMixin, mixins.DestroyModelMixin, ReadOnlyViewSet):
    """Systems that report verdicts, each with a token of its own, stored as a hash and shown once.

    Removing one removes what it said; faults that only it shows are dismissed in your name.
    """

    queryset = ReportSource.objects.order_by("site", "name")
    serializer_class = ReportSourceSerializer
    write_role = Role.ADMIN
    answer_is_secret = True
    filterset_fields: ClassVar = ["site", "kind", "enabled"]
    search_fields: ClassVar = ["name"]

    @extend_schema(request=ReportSourceSerializer, responses={201: NewReportSourceSerializer})
    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        serializer = self.get_serializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        fields = dict(serializer.validated_data)
        site: Site = fields.pop("site")
        if not self.may(Role.ADMIN, site.pk):
            self.permission_denied(request, "Only an administrator of that site adds sources.")
        source, plain = sources.make_source(site, actor=self.person.get_username(), **fields)
        return Response(self.get_serializer(source).data | {"token": plain}, status=status.HTTP_201_CREATED)

    def perform_update(self, serializer: serializers.BaseSerializer[ReportSource]) -> None:
        source: ReportSource = serializer.instance  # type: ignore[assignment]
        fields = {name: value for name, value in serializer.validated_data.items() if name not in ("site", "name")}
        serializer.instance = sources.change_source(source.pk, **fields)

    def perform_destroy(self, instance: ReportSource) -> None:
        sources.remove_source(instance.pk, actor=self.person.get_username())

    @extend_schema(request=None, responses={200: NewReportSourceSerializer})
    @action(detail=True, methods=["post"], url_path="renew-token")
    def renew_token(self, request: Request, pk: str = "") -> Response:
        """Another token, shown once; the one before no longer works."""
        source, plain = sources.renew_token(self.get_object().pk)
        return Response(self.get_serializer(source).data | {"token": plain})
