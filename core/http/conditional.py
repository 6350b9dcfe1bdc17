"""`If-Match` on PUT, PATCH and DELETE of one record: the write happens only to what the client saw.

The record's row is locked first, then what GET would answer is rendered and compared, then the view writes, all in one
transaction: nobody can change the record between the comparison and the write.
"""

from __future__ import annotations

import copy
from typing import Any

from django.db import IntegrityError, models, transaction
from django.http import HttpRequest, HttpResponseBase
from rest_framework import status
from rest_framework.exceptions import APIException
from rest_framework.request import Request, clone_request
from rest_framework.response import Response
from rest_framework.viewsets import GenericViewSet

from core.errors import Conflict
from core.http.etags import etag_of, match
from core.rest.renderers import JSONRenderer

GUARDED = ("update", "partial_update", "destroy")


class PreconditionFailed(APIException):
    """The record is no longer what `If-Match` names; `current` is what it is now."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_code = "precondition_failed"
    default_detail = "The record changed since you read it."

    def __init__(self, current: Any) -> None:
        super().__init__()
        self.current = current


class ConditionalWrites(GenericViewSet):
    """Gives a view set `If-Match`. The view set needs a `retrieve`: the tag is of what that answers."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method not in ("PUT", "PATCH", "DELETE") or "If-Match" not in request.headers:
            return super().dispatch(request, *args, **kwargs)
        try:
            with transaction.atomic():
                response = super().dispatch(request, *args, **kwargs)
                if response.status_code >= 500:
                    transaction.set_rollback(True)
                return response
        except IntegrityError as error:  # a constraint that is checked at the commit
            late = self.handle_exception(Conflict(f"The database refuses it: {error.args[0]}".splitlines()[0]))
            return self.finalize_response(self.request, late, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        wanted = request.headers.get("If-Match")
        if wanted is None or self.action not in GUARDED or not hasattr(self, "retrieve"):
            return
        self.lock_record(self.get_object())
        body, current = self.representation(*args, **kwargs)
        if not match(wanted, etag_of(body)):
            raise PreconditionFailed(current)

    def lock_record(self, record: models.Model) -> None:
        """Lock the record's row until the end of the transaction. A view set whose writes lock more, locks more."""
        list(type(record)._base_manager.select_for_update().filter(pk=record.pk).values_list("pk"))

    def representation(self, *args: Any, **kwargs: Any) -> tuple[bytes, Any]:
        """What GET at this address, query included, answers now: the rendered bytes and the data."""
        reader: Any = copy.copy(self)
        reader.action, reader.request = "retrieve", clone_request(self.request, "GET")
        answer: Response = reader.retrieve(reader.request, *args, **kwargs)
        renderer, media_type = JSONRenderer(), JSONRenderer.media_type
        if isinstance(getattr(self.request, "accepted_renderer", None), JSONRenderer):
            media_type = self.request.accepted_media_type
        body = renderer.render(answer.data, media_type, {**reader.get_renderer_context(), "response": answer})
        return bytes(body), answer.data

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """A conditional change answers with the new tag, so that the next change needs no GET between."""
        done = response.status_code == status.HTTP_200_OK and self.action in ("update", "partial_update")
        if done and "If-Match" in request.headers and hasattr(self, "retrieve"):
            response.headers["ETag"] = etag_of(self.representation(*args, **kwargs)[0])
        return super().finalize_response(request, response, *args, **kwargs)
