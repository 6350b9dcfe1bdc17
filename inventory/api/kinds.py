"""One view set for every kind of record: read, filter, write one or many. A route is a line in `inventory.api`."""

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.filters import SearchFilter
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from core.accounts.scope import request_roles, visible_site_ids
from core.api import SiteScopedViewSet
from core.counts import counted
from core.errors import error_body
from core.http.parsers import JSONParser, refuse_large
from core.models import Role
from core.rest.fields import chosen
from core.rest.pagination import PagePagination
from inventory.api.filters import KindFilter, KindOrdering
from inventory.api.schema import KindSchema
from inventory.kinds import KINDS, Kind, Report, Scope, write
from inventory.kinds.values import (
    Values,
    all_names,
    columns_for,
    complete,
    names_on_request,
    presented,
    read,
    read_by_id,
    select,
)

MAX_ROWS = 20_000  # in one request; more is a file, which is read in the background
TOLD_ROWS = 500  # so many refused rows stand in one answer


class KindViewSet(SiteScopedViewSet):
    """Records of one kind. Reading needs viewer, writing the role the kind asks for, at the record's site."""

    kind: ClassVar[Kind]
    refuses_unknown_filters = True  # KindFilter knows those that a site added
    selects_fields = False  # an answer is made of the chosen fields in the first place
    filter_backends = (KindFilter, SearchFilter, KindOrdering)
    pagination_class = PagePagination
    parser_classes = (JSONParser,)
    serializer_class = Serializer  # only for the browsable page: a box for JSON, without fields of its own
    schema = KindSchema()
    lookup_value_regex = r"[0-9]{1,18}"
    http_method_names = ["get", "post", "put", "patch", "delete", "head", "options"]  # noqa: RUF012

    @property
    def search_fields(self) -> Sequence[str]:
        return self.kind.search

    @property
    def queryset(self) -> QuerySet:  # type: ignore[override]
        return self.kind.queryset()

    def get_queryset(self) -> QuerySet:
        if getattr(self, "swagger_fake_view", False):
            return self.kind.queryset().none()
        return self.kind.limited(visible_site_ids(request_roles(self.request)))

    def check_object_permissions(self, request: Request, obj: Any) -> None:
        """Rows of other sites are not found in the first place, and each write checks the site of its rows."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        refuse_large(request)
        super().initial(request, *args, **kwargs)

    # ---- reading ----

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        names = self.names()
        rows = self.filter_queryset(self.get_queryset())
        columns = columns_for(self.kind, names)
        page = self.paginate_queryset(select(self.kind, rows, columns)) or []
        found = [dict(zip(columns, values, strict=True)) for values in page]
        return self.get_paginated_response(presented(self.kind, complete(self.kind, found, names)))

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        names = self.names()
        rows = read(self.kind, self.get_queryset().filter(pk=self.wanted()).order_by(), names)
        if not rows:
            raise Http404
        return Response(presented(self.kind, rows)[0])

    def wanted(self) -> int:
        """The id in the address."""
        return int(self.kwargs["pk"])

    def names(self) -> builtins.list[str]:
        """The fields to answer with."""
        known, more = all_names(self.kind), names_on_request(self.kind)
        keep = chosen(self.request, [*known, *more])
        if keep is not None and "fields" in self.request.query_params:
            known += more
        return known if keep is None else [name for name in known if name in keep]

    def answers(self, ids: Sequence[int]) -> builtins.list[Values]:
        """Records that were written just now as answers have them, in the order of their ids."""
        names = self.names()
        rows = read_by_id(self.kind, ids, [*names, "id"])
        by_id = {row["id"]: row for row in presented(self.kind, rows)}
        found = [by_id[pk] for pk in ids if pk in by_id]
        return found if "id" in names else [{name: row[name] for name in names} for row in found]

    # ---- writing one ----

    def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One record, or a list of them: all or none."""
        if isinstance(request.data, list):
            return self.written(self.rows(), "create", status.HTTP_201_CREATED, many=True)
        return self.written([self.body()], "create", status.HTTP_201_CREATED)

    def update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Replace a record: what is not said is as in a new one."""
        return self.written([self.body() | {"id": self.wanted()}], "update", replace=True)

    def partial_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change the given fields and no others."""
        return self.written([self.body() | {"id": self.wanted()}], "update")

    def destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        return self.written([{"id": self.wanted()}], "delete", status.HTTP_204_NO_CONTENT)

    # ---- writing many ----

    def bulk_put(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Create or change records by their natural keys: all or none."""
        return self.written(self.rows(), "upsert", many=True)

    def bulk_update(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Change records by id or natural key, only the given fields: all or none."""
        return self.written(self.rows(), "update", many=True)

    def bulk_destroy(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """Remove records, a list of ids (or of natural keys): all or none."""
        rows = [{"id": row} if isinstance(row, int) and not isinstance(row, bool) else row for row in self.rows()]
        return self.written(rows, "delete", status.HTTP_204_NO_CONTENT, many=True)

    # ---- the work ----

    def body(self) -> dict[str, Any]:
        data = self.request.data
        if not isinstance(data, Mapping):
            raise exceptions.ValidationError({"body": ["A JSON object is needed."]})
        given = {name: data[name] for name in data}
        if "pk" in self.kwargs and given.pop("id", self.wanted()) != self.wanted():
            raise exceptions.ValidationError({"id": ["That is another record than the address says."]})
        return given

    def rows(self) -> builtins.list[Any]:
        data = self.request.data
        if not isinstance(data, list):
            raise exceptions.ValidationError({"body": ["A JSON list is needed."]})
        if len(data) > MAX_ROWS:
            raise exceptions.ValidationError(
                {"body": [f"At most {MAX_ROWS} rows in a request; import a file instead."]}
            )
        return data

    def written(
        self,
        rows: builtins.list[Any],
        mode: Any,
        code: int = status.HTTP_200_OK,
        *,
        many: bool = False,
        replace: bool = False,
    ) -> Response:
        dry_run = self.request.query_params.get("dry_run", "").lower() in ("true", "1", "yes")
        names = self.names()  # a wrong name is told before anything is written
        report = write(
            self.kind, rows, mode, scope=Scope.of_request(self.request), actor=self.actor, dry_run=dry_run,
            replace=replace,
        )  # fmt: skip
        if not report.ok:
            return refusal(report, many=many)
        if dry_run:
            return Response({"dry_run": True, "counts": report.counts, "rows": [row.as_dict() for row in report.rows]})
        if code == status.HTTP_204_NO_CONTENT:
            return Response(status=code)
        ids = [row.id for row in report.rows if row.id is not None]
        found = [{"id": pk} for pk in ids] if names == ["id"] else self.answers(ids)
        return Response(found if many else found[0], status=code)

    @property
    def actor(self) -> str:
        return str(self.request.user.get_username())


def refusal(report: Report, *, many: bool) -> Response:
    """A refused write: every bad row with its fields; for a single one also `fields` by themselves."""
    if report.code == "busy":
        body = error_body("busy", report.message)
        return Response(body, status.HTTP_409_CONFLICT, headers={"Retry-After": "1"})
    bad = report.errors()
    codes = {error.code for row in bad for error in row.errors}
    rows: list[dict[str, Any]] = [
        {
            "row": row.number,
            "key": row.key,
            "fields": {
                error.field: [
                    {"code": each.code, "reason": each.reason} for each in row.errors if each.field == error.field
                ]
                for error in row.errors
            },
        }
        for row in bad[:TOLD_ROWS]
    ]
    fields = {} if many else {name: [each["reason"] for each in each_of] for name, each_of in rows[0]["fields"].items()}
    if not many and codes == {"not_found"}:
        raise Http404
    code, http = top_code(codes)
    rows_were = counted(len(bad), "row was", "rows were")
    message = f"{rows_were} refused; see the rows." if many else "The request was refused; see the fields."
    more = {"more_rows": len(bad) - TOLD_ROWS} if len(bad) > TOLD_ROWS else {}
    return Response(error_body(code, message, fields, rows=rows, **more), http)


def top_code(codes: set[str]) -> tuple[str, int]:
    """The code and status of an answer whose rows have these codes."""
    if "permission_denied" in codes:
        return "permission_denied", status.HTTP_403_FORBIDDEN
    if codes and codes <= {"in_use", "conflict"}:
        return "conflict", status.HTTP_409_CONFLICT
    return "invalid", status.HTTP_400_BAD_REQUEST


def view_of(name: str, base: type[KindViewSet] = KindViewSet, **more: Any) -> type[KindViewSet]:
    """The view set of a kind."""
    kind = KINDS[name]
    return type(
        f"{kind.class_name}ViewSet", (base,),
        {"kind": kind, "write_role": kind.role, "__doc__": f"{kind.title.capitalize()}.", **more},
    )  # fmt: skip


__all__ = ["KindViewSet", "Role", "refusal", "view_of"]
