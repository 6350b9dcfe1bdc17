"""Favourites and saved views, and the hand-over from shift to shift."""

from __future__ import annotations

from datetime import timedelta
from typing import ClassVar

from django.http import Http404
from django.urls import path
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.scope import allows, limit_to_sites, request_roles, visible_site_ids, visible_sites
from core.models import Role, User
from core.rest.lists import listed
from health.machines.parameters import moment, number
from tickets.shift import queries, services
from tickets.shift.models import Bookmark, ShiftNote

USUAL = timedelta(hours=12)
MOST = timedelta(days=14)
SHARES = Role.TECHNICIAN
"""Who may share a view with the others of a site."""


def _person(request: Request) -> User:
    assert isinstance(request.user, User)
    return request.user


# ---- pages that people keep ----


class NewBookmarkSerializer(serializers.ModelSerializer):
    class Meta:
        model = Bookmark
        fields: ClassVar = ["kind", "name", "url", "site"]


class BookmarkSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(Bookmark.Kind.choices)
    name = serializers.CharField()
    url = serializers.CharField(help_text="Path and query of a page of the dashboard.")
    site = serializers.IntegerField(allow_null=True, help_text="Shared with all who see this site.")
    mine = serializers.BooleanField()
    owner = serializers.CharField()


class BookmarksView(APIView):
    """Favourites and saved views of the person who asks, and views that others share."""

    permission_classes = (IsAuthenticated,)

    @extend_schema(summary="Favourites and saved views", responses=BookmarkSerializer(many=True))
    def get(self, request: Request) -> Response:
        """One's own, and those shared at the sites one sees."""
        person = _person(request)
        rows = queries.bookmarks(person, visible_site_ids(request_roles(request)))
        return listed(queries.told(rows, person))

    @extend_schema(summary="Keep a page", request=NewBookmarkSerializer, responses={201: BookmarkSerializer})
    def post(self, request: Request) -> Response:
        """Again with the same kind and address: only the name and the site change. Sharing needs a technician there."""
        given = NewBookmarkSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        person, body, roles = _person(request), given.validated_data, request_roles(request)
        site = body.get("site")
        if site is not None and not visible_sites(roles).filter(pk=site.pk).exists():
            raise exceptions.ValidationError({"site": ["There is no such site."]})
        if site is not None and not allows(roles, site.pk, SHARES):
            raise exceptions.PermissionDenied(f"To share with a site one needs the role {SHARES.label.lower()} there.")
        if site is not None and body["kind"] == Bookmark.Kind.FAVOURITE:
            raise exceptions.ValidationError({"site": ["Favourites are personal; save a view to share it."]})
        kept = services.keep_page(
            person, kind=body["kind"], name=body["name"], url=body["url"], site=site.pk if site else None
        )
        return Response(queries.told([kept], person)[0], status=201)


class BookmarkView(APIView):
    permission_classes = (IsAuthenticated,)

    @extend_schema(summary="Forget a kept page", responses={204: None})
    def delete(self, request: Request, pk: int) -> Response:
        """One's own; an operator also forgets what is shared at the site."""
        roles = request_roles(request)
        row = queries.bookmarks(_person(request), visible_site_ids(roles)).filter(pk=pk).first()
        if row is None:
            raise Http404
        if row.owner_id != request.user.pk and not allows(roles, row.site_id, Role.OPERATOR):
            raise exceptions.PermissionDenied
        row.delete()
        return Response(status=204)


# ---- from shift to shift ----


class ShiftHandOverCountsSerializer(serializers.Serializer):
    opened = serializers.IntegerField(help_text="Tickets opened since.")
    closed = serializers.IntegerField(help_text="Tickets closed since.")
    waiting = serializers.IntegerField(help_text="Open tickets that nobody works on, now.")
    in_work = serializers.IntegerField(help_text="Tickets in progress or verifying, now.")
    out = serializers.IntegerField(help_text="Times a machine left service.")
    back = serializers.IntegerField(help_text="Times a machine came to service.")
    incidents = serializers.IntegerField(help_text="Incidents opened or closed since.")


class ShiftHandOverTicketSerializer(serializers.Serializer):
    key = serializers.CharField()
    title = serializers.CharField()
    priority = serializers.CharField()
    status = serializers.CharField()
    assignee = serializers.CharField(allow_blank=True)
    opened = serializers.BooleanField(help_text="Opened since.")
    closed = serializers.BooleanField(help_text="Closed since.")


class ShiftHandOverMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    at = serializers.DateTimeField()
    out = serializers.BooleanField(help_text="It left service; false: it came back.")
    state = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)


class ShiftHandOverIncidentSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    title = serializers.CharField()
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class ShiftNoteSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    text = serializers.CharField()
    author = serializers.CharField()
    at = serializers.DateTimeField()
    acknowledged_by = serializers.CharField(allow_blank=True)
    acknowledged_at = serializers.DateTimeField(allow_null=True)


class ShiftHandOverSerializer(serializers.Serializer):
    since = serializers.DateTimeField()
    counts = ShiftHandOverCountsSerializer()
    tickets = ShiftHandOverTicketSerializer(many=True, help_text="Opened or closed since, or waiting; P1 first.")
    machines = ShiftHandOverMachineSerializer(many=True, help_text="That left or came to service, the newest first.")
    incidents = ShiftHandOverIncidentSerializer(many=True)
    notes = ShiftNoteSerializer(many=True, help_text="Not acknowledged yet, or written since.")


class NewShiftNoteSerializer(serializers.Serializer):
    site = serializers.IntegerField(min_value=1)
    text = serializers.CharField(max_length=2000)


@extend_schema(
    summary="What happened since a shift began",
    parameters=[
        OpenApiParameter("site", int, description="Site id; without it the first that you may see."),
        OpenApiParameter("since", OpenApiTypes.DATETIME, description="Begin of the shift; 12 hours ago without it."),
    ],
    responses=ShiftHandOverSerializer,
)
class HandOverView(APIView):
    def get(self, request: Request) -> Response:
        """Tickets, machines out and back, incidents, and the notes to the next shift."""
        now = timezone.now()
        since = moment(request, "since", now - USUAL)
        if since < now - MOST:
            raise exceptions.ValidationError({"since": [f"At most {MOST.days} days back."]})
        sites = visible_sites(request_roles(request)).order_by("name")
        wanted = number(request, "site")
        site = (sites if wanted is None else sites.filter(pk=wanted)).first()
        if site is None:
            raise Http404("no such site")
        return Response(queries.hand_over(site.pk, since))


class ShiftNotesView(APIView):
    write_role = Role.TECHNICIAN

    @extend_schema(
        summary="Write to the next shift", request=NewShiftNoteSerializer, responses={201: ShiftNoteSerializer}
    )
    def post(self, request: Request) -> Response:
        """It stays on the hand-over page until somebody acknowledges it."""
        given = NewShiftNoteSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        site, roles = given.validated_data["site"], request_roles(request)
        if not visible_sites(roles).filter(pk=site).exists():
            raise exceptions.ValidationError({"site": ["There is no such site."]})
        if not allows(roles, site, self.write_role):
            raise exceptions.PermissionDenied
        row = services.write_note(site, text=given.validated_data["text"], by=_person(request))
        return Response(queries.note(row), status=201)


class AcknowledgeView(APIView):
    write_role = Role.TECHNICIAN

    @extend_schema(summary="Acknowledge a note of the last shift", request=None, responses=ShiftNoteSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Who was first stays in it."""
        roles = request_roles(request)
        row = limit_to_sites(ShiftNote.objects.all(), roles, "site_id").filter(pk=pk).first()
        if row is None:
            raise Http404
        if not allows(roles, row.site_id, self.write_role):
            raise exceptions.PermissionDenied
        return Response(queries.note(services.acknowledge(pk, by=_person(request))))


urlpatterns = [
    path("me/bookmarks/", BookmarksView.as_view(), name="bookmarks"),
    path("me/bookmarks/<int:pk>/", BookmarkView.as_view(), name="bookmark"),
    path("hand-over/", HandOverView.as_view(), name="hand-over"),
    path("hand-over/notes/", ShiftNotesView.as_view(), name="shift-notes"),
    path("hand-over/notes/<int:pk>/acknowledge/", AcknowledgeView.as_view(), name="acknowledge-shift-note"),
]
