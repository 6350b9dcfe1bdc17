"""What the view set of tickets can do with runbooks: have a step run, sign one, follow another runbook."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tickets.runbooks import actions
from tickets.runbooks.schemas import TicketSignSerializer, TicketUseRunbookSerializer
from tickets.schemas import TicketActionSerializer, TicketSerializer

KEY = OpenApiParameter("key", str, OpenApiParameter.PATH, description="Such as REP-2041.")


class RunbookActions:
    """Mixed into the view set of tickets, whose `act` answers with the ticket or with why not."""

    act: Any
    is_operator: Any

    @extend_schema(
        summary="Have the machine do a step", parameters=[KEY], request=TicketActionSerializer,
        responses={200: TicketSerializer},
    )  # fmt: skip
    @action(detail=True, methods=["post"], url_path=r"steps/(?P<step>[0-9]{1,3})/run")
    def run_step(self, request: Request, key: str, step: str) -> Response:
        """Power, light or drain; `run` of the step says how far it is until it was seen. Guards are asked now and right
        before the order is sent."""
        return self.act(actions.run_step, TicketActionSerializer, step=int(step), operator=self.is_operator())

    @extend_schema(
        summary="Sign a step", parameters=[KEY], request=TicketSignSerializer, responses={200: TicketSerializer}
    )
    @action(detail=True, methods=["post"], url_path=r"steps/(?P<step>[0-9]{1,3})/sign")
    def sign_step(self, request: Request, key: str, step: str) -> Response:
        """As its second person, who is not who works on the ticket, or for the lock at its cords, with its tag."""
        return self.act(actions.sign_step, TicketSignSerializer, step=int(step), operator=self.is_operator())

    @extend_schema(
        summary="Follow a runbook's newest version", parameters=[KEY], request=TicketUseRunbookSerializer,
        responses={200: TicketSerializer},
    )  # fmt: skip
    @action(detail=True, methods=["post"])
    def runbook(self, request: Request, key: str) -> Response:
        """Refused once a step of the present one is done."""
        return self.act(actions.use_runbook, TicketUseRunbookSerializer, operator=self.is_operator())
