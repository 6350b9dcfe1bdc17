"""Routes of runbooks: read, edited and published at a site, and which one a fault gets there."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, ClassVar

from django.http import Http404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, mixins, serializers, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import BaseRouter

from core.accounts.scope import allows, limit_to_sites, request_roles, visible_sites
from core.api import SiteScopedViewSet
from core.errors import Conflict
from core.models import Role, Site, User
from core.rest.lists import listed
from health.checks.faults import FAULT_CLASSES
from inventory.models import DeviceModel
from tickets.runbooks import queries, services
from tickets.runbooks.document import Refused, differences, read
from tickets.runbooks.language import STATES, WORDS
from tickets.runbooks.models import RunbookChoice, RunbookVersion
from tickets.runbooks.schemas import (
    FailingStepSerializer,
    RunbookDraftInSerializer,
    RunbookDropSerializer,
    RunbookItemSerializer,
    RunbookLanguageSerializer,
    RunbookPreviewInSerializer,
    RunbookPreviewSerializer,
    RunbookPublishSerializer,
    RunbookRestoreSerializer,
    RunbookSerializer,
    RunbookVersionSerializer,
    slug_field,
)

SITE = OpenApiParameter("site", int, description="As it is at this site; without it as Rackside ships it.")
SLUG = OpenApiParameter("slug", str, OpenApiParameter.PATH, description="Such as swap-gpu.")
DAYS = OpenApiParameter("days", int, description="Of the last so many days, 90 without it.")
AGAINST = OpenApiParameter("against", int, description="Id of the version to compare with.")


def whole(request: Request, name: str) -> int | None:
    text = request.query_params.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 19):
        raise serializers.ValidationError({name: ["A whole number is required."]})
    return int(text)


class RunbookViewSet(viewsets.ViewSet):
    """Runbooks of a site, by name (`swap-gpu`). Editing one needs the operator's role at the site; a document that
    cannot be followed is refused with place and reason."""

    lookup_value_regex = r"[a-z0-9-]{1,60}"
    lookup_field = "slug"
    write_role = Role.OPERATOR

    def asked_site(self, request: Request) -> int | None:
        site = whole(request, "site")
        if site is not None and not visible_sites(request_roles(request)).filter(pk=site).exists():
            raise serializers.ValidationError({"site": ["There is no such site, or you may not see it."]})
        return site

    def editing(self, request: Request, body: type[serializers.Serializer]) -> tuple[dict[str, Any], User]:
        """What was given, and by whom. Raises what the rights of the person at the site allow not."""
        given = body(data=request.data)
        given.is_valid(raise_exception=True)
        site = given.validated_data["site"]
        roles = request_roles(request)
        if not visible_sites(roles).filter(pk=site).exists():
            raise serializers.ValidationError({"site": ["There is no such site, or you may not see it."]})
        if not allows(roles, site, Role.OPERATOR):
            raise exceptions.PermissionDenied
        assert isinstance(request.user, User)
        return dict(given.validated_data), request.user

    def conflict(self, site_id: int, slug: str, error: services.DraftConflict) -> Conflict:
        """With the runbook and the draft as they are now."""
        return Conflict(str(error), "conflict", queries.runbook_in_full(site_id, slug))

    def show(self, site_id: int | None, slug: str) -> Response:
        found = queries.runbook_in_full(site_id, slug)
        if found is None:
            raise Http404
        return Response(found)

    @extend_schema(summary="Runbooks of a site", parameters=[SITE], responses=RunbookItemSerializer(many=True))
    def list(self, request: Request) -> Response:
        return listed(queries.runbooks_of(self.asked_site(request)))

    @extend_schema(summary="One runbook with its versions", parameters=[SITE, SLUG], responses=RunbookSerializer)
    def retrieve(self, request: Request, slug: str) -> Response:
        return self.show(self.asked_site(request), slug)

    @extend_schema(
        summary="Save a draft", methods=["PUT"], parameters=[SLUG], request=RunbookDraftInSerializer,
        responses=RunbookSerializer,
    )  # fmt: skip
    @action(detail=True, methods=["put"])
    def draft(self, request: Request, slug: str) -> Response:
        """Kept as it is, right or wrong. 409 when somebody saved it meanwhile."""
        body, by = self.editing(request, RunbookDraftInSerializer)
        if not isinstance(body["document"], dict):
            raise serializers.ValidationError({"document": ["A document is a record with fields."]})
        try:
            services.save_draft(body["site"], slug, body["document"], version=body["version"], by=by)
        except Refused as error:
            raise serializers.ValidationError({"slug": [error.problems[0].reason]}) from error
        except services.DraftConflict as error:
            raise self.conflict(body["site"], slug, error) from error
        return self.show(body["site"], slug)

    @extend_schema(summary="Drop the draft", parameters=[SLUG], request=RunbookDropSerializer, responses={204: None})
    @action(detail=True, methods=["post"], url_path="drop-draft")
    def drop_draft(self, request: Request, slug: str) -> Response:
        """409 when it is another one than was read."""
        body, _ = self.editing(request, RunbookDropSerializer)
        try:
            services.drop_draft(body["site"], slug, version=body["draft"])
        except services.DraftConflict as error:
            raise self.conflict(body["site"], slug, error) from error
        return Response(status=204)

    @extend_schema(
        summary="Publish a new version", parameters=[SLUG], request=RunbookPublishSerializer,
        responses={201: RunbookSerializer},
    )  # fmt: skip
    @action(detail=True, methods=["post"])
    def publish(self, request: Request, slug: str) -> Response:
        """Tickets opened from now on follow it; open ones keep theirs and are offered it. 409 when the draft or the
        runbook is another one than was read."""
        body, by = self.editing(request, RunbookPublishSerializer)
        site = body.pop("site")
        try:
            services.publish(site, slug, body.pop("document"), by=by, **body)
        except Refused as error:
            rows = [f"{problem.place}: {problem.reason}" for problem in error.problems]
            raise serializers.ValidationError({"document": rows}) from error
        except services.NothingToPublish as error:
            raise Conflict(str(error), "refused") from error
        except services.DraftConflict as error:
            raise self.conflict(site, slug, error) from error
        return Response(self.show(site, slug).data, status=201)

    @extend_schema(
        summary="Go back to the shipped text", parameters=[SLUG], request=RunbookRestoreSerializer,
        responses={201: RunbookSerializer},
    )  # fmt: skip
    @action(detail=True, methods=["post"])
    def restore(self, request: Request, slug: str) -> Response:
        body, by = self.editing(request, RunbookRestoreSerializer)
        try:
            services.back_to_shipped(body["site"], slug, note=body["note"], by=by, draft=body["draft"])
        except services.NothingToPublish as error:
            raise Conflict(str(error), "refused") from error
        except services.DraftConflict as error:
            raise self.conflict(body["site"], slug, error) from error
        return Response(self.show(body["site"], slug).data, status=201)

    @extend_schema(summary="Preview a document", request=RunbookPreviewInSerializer, responses=RunbookPreviewSerializer)
    @action(detail=False, methods=["post"])
    def preview(self, request: Request) -> Response:
        """As a ticket would show it on a machine with these states; nothing is kept."""
        given = RunbookPreviewInSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            runbook = read(given.validated_data["document"])
        except Refused as error:
            problems = [problem._asdict() for problem in error.problems]
            return Response({"problems": problems, "safety": "", "steps": []})
        return Response({"problems": [], **queries.preview(runbook, given.validated_data["states"])})

    @extend_schema(summary="Words and states of the texts", responses=RunbookLanguageSerializer)
    @action(detail=False, methods=["get"])
    def language(self, request: Request) -> Response:
        named = {
            "words": [{"name": name, "means": means} for name, means in WORDS.items()],
            "states": [{"name": name, "means": means} for name, means in STATES.items()],
        }
        return Response(named)

    @extend_schema(summary="Which steps fail most", parameters=[SITE, DAYS], responses=FailingStepSerializer(many=True))
    @action(detail=False, methods=["get"], url_path="failing-steps")
    def failing_steps(self, request: Request) -> Response:
        site = self.asked_site(request)
        days = min(whole(request, "days") or 90, 3650)
        sites = [site] if site else list(visible_sites(request_roles(request)).values_list("pk", flat=True))
        return listed(queries.failing_steps(sites, timezone.now() - timedelta(days=days)))


class ChoiceFilter(filters.FilterSet):
    site = filters.NumberFilter(field_name="site_id")

    class Meta:
        model = RunbookChoice
        fields = ("fault_class", "slug")


@extend_schema(parameters=[AGAINST])
class RunbookVersionViewSet(mixins.RetrieveModelMixin, SiteScopedViewSet):
    """One published version, and what changed in it. Versions never change; tickets keep the one they opened with."""

    queryset = RunbookVersion.objects.select_related("published_by")
    serializer_class = RunbookVersionSerializer

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        row = self.get_object()
        same = self.get_queryset().filter(site_id=row.site_id, slug=row.slug)
        against = whole(request, "against")
        if against is None:
            other = same.filter(number__lt=row.number).order_by("-number").first()
        elif (other := same.filter(pk=against).first()) is None:
            raise serializers.ValidationError({"against": ["There is no such version of this runbook."]})
        changes = differences(other.document, row.document) if other else []
        shown = queries.version_item(row) | {
            "site": row.site_id,
            "slug": row.slug,
            "document": row.document,
            "differences": [change._asdict() for change in changes],
        }
        return Response(shown)


class RunbookChoiceSerializer(serializers.ModelSerializer):
    """An empty class, role or model means any."""

    site = serializers.PrimaryKeyRelatedField(queryset=Site.objects.all())
    device_model = serializers.PrimaryKeyRelatedField(queryset=DeviceModel.objects.all(), allow_null=True, default=None)
    fault_class = serializers.ChoiceField(["", *FAULT_CLASSES], default="")
    role = serializers.CharField(max_length=30, allow_blank=True, default="")
    slug = slug_field()

    class Meta:
        model = RunbookChoice
        fields: ClassVar = ["id", "site", "fault_class", "role", "device_model", "slug"]
        validators: ClassVar[list[Any]] = []


class RunbookChoiceViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, SiteScopedViewSet
):
    """Which runbook a site gives to faults instead of the usual one: what says most about a fault wins, its class
    before its model before its role. A second choice for the same replaces the first."""

    queryset = RunbookChoice.objects.all()
    serializer_class = RunbookChoiceSerializer
    filterset_class = ChoiceFilter
    named_records: ClassVar = {"device_model": "model"}

    @extend_schema(request=RunbookChoiceSerializer, responses={201: RunbookChoiceSerializer})
    def create(self, request: Request) -> Response:
        given = self.get_serializer(data=request.data)
        given.is_valid(raise_exception=True)
        body = dict(given.validated_data)
        site = body.pop("site")
        if not limit_to_sites(Site.objects.filter(pk=site.pk), request_roles(request), "pk").exists():
            raise serializers.ValidationError({"site": ["There is no such site, or you may not see it."]})
        if not self.may(Role.OPERATOR, site.pk):
            raise exceptions.PermissionDenied
        try:
            row = services.choose(site.pk, body.pop("slug"), **body)
        except Refused as error:
            raise serializers.ValidationError({"slug": [error.problems[0].reason]}) from error
        return Response(self.get_serializer(row).data, status=201)


def register(router: BaseRouter) -> None:
    router.register("runbooks", RunbookViewSet, basename="runbook")
    router.register("runbook-versions", RunbookVersionViewSet, basename="runbook-version")
    router.register("runbook-choices", RunbookChoiceViewSet, basename="runbook-choice")
