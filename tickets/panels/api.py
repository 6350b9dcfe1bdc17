"""The route of work orders for open gaps."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.scope import allows, limit_to_sites, request_roles
from core.errors import Conflict
from core.models import Role, User
from core.openapi.schema import ErrorSerializer
from inventory.models import Rack
from tickets.panels import services
from tickets.services.changes import TicketConflict


class GapOrderSerializer(serializers.Serializer):
    """The units as the rack's answer lists them under `gaps`."""

    from_u = serializers.IntegerField(min_value=1, max_value=100)
    to_u = serializers.IntegerField(min_value=1, max_value=100)


class OrderedTicketSerializer(serializers.Serializer):
    number = serializers.IntegerField()
    key = serializers.CharField()


class GapTicketSerializer(serializers.Serializer):
    ticket = OrderedTicketSerializer()


class OrderPanel(APIView):
    """Orders for the gaps of one rack."""

    write_role = Role.TECHNICIAN

    @extend_schema(
        summary="Order a gap to be closed",
        request=GapOrderSerializer,
        responses={201: GapTicketSerializer, 409: ErrorSerializer},
    )
    def post(self, request: Request, pk: int) -> Response:
        """A ticket that says which units to close with blanking panels, with a picture. 409 when one is open."""
        roles = request_roles(request)
        racks = limit_to_sites(Rack.objects.select_related("room", "row"), roles, "room__site_id")
        rack = get_object_or_404(racks, pk=pk)
        if not allows(roles, rack.room.site_id, self.write_role):
            raise exceptions.PermissionDenied
        asked = GapOrderSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        user = request.user
        assert isinstance(user, User)  # the permission class lets nobody else in
        try:
            ticket = services.open_ticket_for_gap(rack, by=user, **asked.validated_data)
        except services.NoSuchGap as error:
            raise exceptions.ValidationError({"from_u": [str(error)]}) from error
        except TicketConflict as error:
            raise Conflict(error.reason, "refused") from error
        return Response({"ticket": {"number": ticket.number, "key": ticket.key}}, status=201)


urlpatterns = [path("facility/racks/<int:pk>/work-orders/", OrderPanel.as_view())]
