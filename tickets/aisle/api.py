"""Routes of the aisle, as part of those of tickets: labels that are near, photos at a step, the round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from core.accounts.scope import request_roles, visible_site_ids
from core.http.parsers import MultiPartParser, refuse_large
from core.models import User
from inventory.attachments import Upload, UploadsRefused
from inventory.attachments_api import FORM_OVERHEAD_BYTES, refused_uploads
from tickets import queries
from tickets.aisle.photos import add_photo
from tickets.aisle.queries import labels, round_of
from tickets.aisle.round import MOST_STOPS
from tickets.aisle.schemas import RoundSerializer, TicketLabelsSerializer, TicketPhotoUploadSerializer
from tickets.models import Ticket
from tickets.schemas import TicketSerializer
from tickets.workflow import ACTIVE_STATUSES

KEY = OpenApiParameter("key", str, OpenApiParameter.PATH, description="Such as REP-2041.")
LABEL = OpenApiParameter("label", str, description="What was read; which device of the site has it stands in `found`.")
LONGEST_LABEL = 64
CHOSEN = OpenApiParameter(
    "tickets", str, description=f"Keys with commas between, {MOST_STOPS} at most; without it, what I work on."
)


class AisleActions:
    """Mixed into the view set of tickets."""

    request: Any
    get_object: Callable[[], Ticket]
    get_queryset: Callable[[], QuerySet[Ticket]]
    act: Callable[..., Response]

    @extend_schema(summary="Labels near a repair", parameters=[KEY, LABEL], responses=TicketLabelsSerializer)
    @action(detail=True, methods=["get"])
    def labels(self, request: Request, key: str) -> Response:
        """What the right label says, and what those beside it say: a phone checks a scan by it without reception."""
        label = request.query_params.get("label", "")
        if len(label) > LONGEST_LABEL:
            raise exceptions.ValidationError({"label": [f"At most {LONGEST_LABEL} characters."]})
        return Response(labels(self.get_object(), label))

    @extend_schema(
        summary="Add a photo",
        parameters=[KEY],
        request={"multipart/form-data": TicketPhotoUploadSerializer},
        responses={200: TicketSerializer},
    )
    @action(detail=True, methods=["post"], parser_classes=(MultiPartParser,))
    def photos(self, request: Request, key: str) -> Response:
        """JPEG, PNG or WebP, of a step or of the whole. It is turned upright and loses where it was taken."""
        refuse_large(request, settings.ATTACHMENT_MAX_BYTES + FORM_OVERHEAD_BYTES)
        sent: list[Upload] = []

        def add(number: int, *, by: User, file: Any, step: int | None = None, caption: str) -> Ticket:
            sent.append(Upload(file.file, file.name, caption))
            return add_photo(number, by=by, upload=sent[0], step=step)

        try:
            return self.act(add, TicketPhotoUploadSerializer)
        except UploadsRefused as refused:
            return refused_uploads(sent, refused)

    @extend_schema(summary="Several tickets as one walk", parameters=[CHOSEN], responses=RoundSerializer)
    @action(detail=False, methods=["get"], pagination_class=None, filter_backends=())
    def round(self, request: Request) -> Response:
        """In the shortest order, with the spares to fetch first."""
        asked = [word for word in request.query_params.get("tickets", "").split(",") if word.strip()]
        numbers = [queries.number_of(word) for word in asked]
        if None in numbers or len(numbers) > MOST_STOPS:
            raise exceptions.ValidationError({"tickets": [f"Up to {MOST_STOPS} keys such as REP-2041."]})
        rows = self.get_queryset().filter(status__in=ACTIVE_STATUSES)
        mine: dict[str, Any] = {"number__in": numbers} if asked else {"assignee_id": request.user.pk}
        return Response(round_of(rows.filter(**mine), visible_site_ids(request_roles(request))))
