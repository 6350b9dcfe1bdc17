"""The routes of the history: list, one change with all its rows, export, undo."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, cast

import orjson
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status, viewsets
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.routers import DefaultRouter

from core.accounts.scope import request_roles
from core.audit import queries, sentences, undo, undo_jobs
from core.audit.tables import by_kind
from core.errors import Conflict
from core.http.streams import streamed
from core.jobs.models import STATUSES, Job
from core.models import ApiToken, AuditChange, AuditEntry, Role, User
from core.openapi.schema import ErrorBodySerializer
from core.spreadsheets import safe_cell

COLUMNS = ("at", "change", "actor", "source", "request_id", "note", "site", "kind", "object", "name", "action", "field",
           "before", "after")  # fmt: skip


class FilterSerializer(serializers.Serializer):
    """What may stand in the query of the list and of the exports."""

    kind = serializers.CharField(required=False, help_text="Plural name, such as racks.")
    object = serializers.IntegerField(required=False, min_value=1, help_text="With kind: also what belongs to it.")
    actor = serializers.CharField(required=False)
    request_id = serializers.CharField(required=False)
    action = serializers.ChoiceField(choices=AuditEntry.Action.choices, required=False)
    since = serializers.DateTimeField(required=False)
    until = serializers.DateTimeField(required=False)
    site = serializers.IntegerField(required=False, min_value=1)
    search = serializers.CharField(required=False, help_text="In names, values, actor, source and note.")

    def validate_kind(self, kind: str) -> str:
        if kind not in by_kind():
            raise serializers.ValidationError("There is no such kind of record.")
        return kind

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        if "object" in data and "kind" not in data:
            raise serializers.ValidationError({"object": "Say of which kind it is."})
        return data


class FieldChangeSerializer(serializers.Serializer):
    """A field as it was and as it is; both as people read it, with the ids beside them where it names a record."""

    before = serializers.JSONField()
    after = serializers.JSONField()
    before_id = serializers.JSONField(required=False)
    after_id = serializers.JSONField(required=False)


@extend_schema_field(serializers.DictField(child=FieldChangeSerializer(), help_text="By the name of the field."))
class FieldChangesField(serializers.DictField):
    """Answered as they were made: ids only where there are any."""


class ChangedRowSerializer(serializers.Serializer):
    kind = serializers.CharField()
    object = serializers.IntegerField(allow_null=True)
    name = serializers.CharField(allow_blank=True)
    action = serializers.ChoiceField(choices=AuditEntry.Action.choices)
    fields = FieldChangesField()  # type: ignore[assignment]


class UndoingSerializer(serializers.Serializer):
    status = serializers.ChoiceField(STATUSES)
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    message = serializers.CharField(allow_blank=True)


class ChangeSerializer(serializers.Serializer):
    """One transaction of one actor."""

    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    actor_kind = serializers.CharField()
    who = serializers.CharField(help_text="The actor as one says it, such as `a sweep`.")
    did = serializers.CharField(allow_blank=True, help_text="What it did, in words: with `who` a sentence.")
    source = serializers.CharField(allow_blank=True)  # type: ignore[assignment]
    request_id = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    site = serializers.IntegerField(allow_null=True)
    entries = ChangedRowSerializer(many=True)
    more_entries = serializers.IntegerField()
    undoable = serializers.BooleanField()
    undo_refused = serializers.CharField(allow_blank=True, help_text="Why it cannot be undone.")
    undone_by = serializers.IntegerField(allow_null=True)
    undoes = serializers.IntegerField(allow_null=True)
    undoing = UndoingSerializer(
        allow_null=True, help_text="The background undo of it, of many rows, and how far it is."
    )


class DifferenceSerializer(serializers.Serializer):
    """What is no longer as the change left it, and the later change that did that, where it is known."""

    kind = serializers.CharField()
    object = serializers.IntegerField()
    name = serializers.CharField(allow_blank=True)
    field = serializers.CharField()
    expected = serializers.JSONField()
    current = serializers.JSONField()
    change = serializers.IntegerField(allow_null=True)
    by = serializers.CharField(allow_blank=True)
    at = serializers.DateTimeField(allow_null=True)


class UndoProgressSerializer(serializers.Serializer):
    done = serializers.IntegerField(help_text="Rows taken back; nothing is there to see before all are.")
    total = serializers.IntegerField()
    stage = serializers.CharField()


class UndoJobSerializer(serializers.Serializer):
    """The undo of a change of many rows, which runs in the background."""

    job = serializers.IntegerField()
    change = serializers.IntegerField()
    status = serializers.ChoiceField(
        STATUSES, help_text="refused: something stands in the way; failed: it broke off. Then nothing was changed."
    )
    progress = UndoProgressSerializer()
    message = serializers.CharField(allow_blank=True, help_text="Why it was refused, or failed.")
    differences = DifferenceSerializer(many=True)
    undone_by = serializers.IntegerField(allow_null=True, help_text="The change that took it back, once it is done.")
    actor = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class UndoRefusedBodySerializer(ErrorBodySerializer):
    current = DifferenceSerializer(many=True, required=False)  # type: ignore[assignment]


class UndoRefusedSerializer(serializers.Serializer):
    error = UndoRefusedBodySerializer()


FILTERS = [FilterSerializer]


class HistoryViewSet(viewsets.GenericViewSet):
    """Who changed what: changes of visible sites, the newest first."""

    queryset = AuditChange.objects.none()
    serializer_class = ChangeSerializer
    filter_backends = ()
    write_role = Role.OPERATOR
    lookup_value_regex = r"\d{1,18}"

    def filters(self) -> queries.Filters:
        serializer = FilterSerializer(data=self.request.query_params.dict())
        serializer.is_valid(raise_exception=True)
        return queries.Filters(**serializer.validated_data)

    @extend_schema(parameters=FILTERS)
    def list(self, request: Request) -> Response:
        """Changes that fit. With kind and object, of each change what belongs to that record."""
        filters, roles = self.filters(), request_roles(request)
        page = self.paginate_queryset(queries.changes(filters, roles))
        assert page is not None
        return self.get_paginated_response(represent(page, filters, roles))

    def retrieve(self, request: Request, pk: str) -> Response:
        """One change with the first rows of it."""
        roles = request_roles(request)
        return Response(represent([self.change(roles, pk)], queries.Filters(), roles)[0])

    @extend_schema(responses=ChangedRowSerializer(many=True))
    @action(detail=True, methods=["get"])
    def entries(self, request: Request, pk: str) -> Response:
        """Every row of one change, page by page, in the order in which they were written."""
        roles = request_roles(request)
        fitting = queries.entries(queries.Filters(), roles)
        change = self.change(roles, pk)
        rows: Any = Rows(queries.index(fitting, [change.pk])[change.pk])
        page: Any = self.paginate_queryset(rows)
        return self.get_paginated_response(queries.tell(page))

    def change(self, roles: queries.Roles, pk: str) -> AuditChange:
        found = queries.changes(queries.Filters(), roles).filter(pk=int(pk)).first()
        if found is None:
            raise NotFound
        return found

    @extend_schema(request=None, responses={200: ChangeSerializer, 202: UndoJobSerializer, 409: UndoRefusedSerializer})
    @action(detail=True, methods=["post"])
    def undo(self, request: Request, pk: str) -> Response:
        """Take the change back, where everything is still as it left it; returns the change that did.

        One of more than 5,000 rows is taken back in the background: 202, and a GET of this address tells how far it is.
        """
        roles = request_roles(request)
        change = self.change(roles, pk)
        try:
            if undo.rows_in(change) > undo.AT_ONCE:
                token = request.auth if isinstance(request.auth, ApiToken) else None
                job = undo_jobs.start(change, cast(User, request.user), token, roles)
                return Response(undo_jobs.told(job), status=status.HTTP_202_ACCEPTED)
            done = undo.undo(change, roles)
        except undo.UndoRefused as refused:
            raise Conflict(refused.reason, current=refused.differences or None) from refused
        return Response(represent([done], queries.Filters(), roles)[0])

    @extend_schema(summary="How far the undo of a large change is", responses=UndoJobSerializer)
    @undo.mapping.get
    def undo_progress(self, request: Request, pk: str) -> Response:
        """The latest background undo of the change; 404 where there was none."""
        change = self.change(request_roles(request), pk)
        job = undo_jobs.of_changes([change.pk]).get(change.pk)
        if job is None:
            raise NotFound
        return Response(undo_jobs.told(job))

    @extend_schema(parameters=FILTERS, responses={(200, "text/csv"): OpenApiTypes.STR})
    def export_csv(self, request: Request) -> StreamingHttpResponse:
        """One line for each field that changed."""
        return self.export(csv_lines, "text/csv", "history.csv")

    @extend_schema(parameters=FILTERS, responses={(200, "application/x-ndjson"): OpenApiTypes.STR})
    def export_jsonl(self, request: Request) -> StreamingHttpResponse:
        """One JSON object a line for each row that changed."""
        return self.export(json_lines, "application/x-ndjson", "history.jsonl")

    def export(self, lines: Any, content_type: str, filename: str) -> StreamingHttpResponse:
        filters, roles = self.filters(), request_roles(self.request)
        fitting = queries.entries(filters, roles)
        if filters != queries.Filters():
            fitting = fitting.filter(change_id__in=queries.changes(filters, roles).values("id"))
        return streamed(lines(told_lines(fitting, filters.subject)), content_type, filename)


class Rows:
    """All rows of some entries as a sequence, of which only the slice asked for is read."""

    ordered = True

    def __init__(self, entries: list[tuple[int, int, int | None]]) -> None:
        self.entries = entries

    def __len__(self) -> int:
        return sum(size for _, size, _ in self.entries)

    count = __len__

    def __getitem__(self, part: slice) -> list[queries.Row]:
        start, stop = part.start or 0, part.stop
        before, wanted, skipped = 0, [], None
        for pk, size, _ in self.entries:
            if before < stop and before + size > start:
                skipped = before if skipped is None else skipped
                wanted.append(pk)
            before += size
        rows = queries.rows_of(wanted)
        return rows[start - (skipped or 0) : stop - (skipped or 0)]


def represent(changes: list[AuditChange], filters: queries.Filters, roles: queries.Roles) -> list[dict[str, Any]]:
    """Changes with their first rows (of the record asked for) and whether they can be undone."""
    ids = [change.pk for change in changes]
    listed = queries.index(queries.entries(filters, roles), ids)
    rows: dict[int, list[queries.Row]] = {pk: [] for pk in ids}
    subject = filters.subject
    for row in queries.rows_of(first_entries(listed, whole=subject is not None), subject, queries.SHOWN):
        rows[row.change_id].append(row)
    sizes = queries.sizes(rows, listed, whole=subject is not None)
    shown = {pk: found[: queries.SHOWN] for pk, found in rows.items()}
    told = iter(queries.tell([row for pk in ids for row in shown[pk]]))
    undone = queries.undone_by(ids)
    refused = undo.refusals(ids, roles, undone)
    large = [pk for pk in ids if sum(size for _, size, _ in listed[pk]) > undo.AT_ONCE]
    jobs = undo_jobs.of_changes(large) if large else {}
    answer = []
    for change in changes:
        sites = {site for _, _, site in listed[change.pk]}
        total = len(rows[change.pk]) if subject else sum(size for _, size, _ in listed[change.pk])
        entries = [next(told) for _ in shown[change.pk]]
        said = [sentences.Told(row.table, entry) for row, entry in zip(shown[change.pk], entries, strict=True)]
        answer.append(
            {
                "id": change.pk,
                "at": change.at.isoformat().replace("+00:00", "Z"),
                "actor": change.actor,
                "actor_kind": change.kind,
                "who": sentences.who(change.actor, change.kind),
                "did": sentences.did(said, sizes[change.pk]),
                "source": change.source,
                "request_id": change.request_id,
                "note": change.note,
                "site": sites.pop() if len(sites) == 1 else None,
                "entries": entries,
                "more_entries": total - len(shown[change.pk]),
                "undoable": change.pk not in refused,
                "undo_refused": refused.get(change.pk, ""),
                "undone_by": undone.get(change.pk),
                "undoes": change.undoes_id,
                "undoing": undoing(jobs.get(change.pk)),
            }
        )
    return answer


def undoing(job: Job | None) -> dict[str, Any] | None:
    """What a list says of the background undo of a change; one that is done is told by `undone_by`."""
    if job is None or job.status == "done":
        return None
    return {"status": job.status, "done": job.progress["done"], "total": job.progress["total"], "message": job.message}


def first_entries(listed: dict[int, list[tuple[int, int, int | None]]], *, whole: bool) -> list[int]:
    """The entries whose rows are shown: all, or as many as hold the rows that a list shows."""
    wanted: list[int] = []
    for found in listed.values():
        rows = 0
        for pk, size, _ in found:
            if whole or rows < queries.SHOWN:
                wanted.append(pk)
            rows += size
    return wanted


# ---- exports ----
def told_lines(fitting: QuerySet[AuditEntry], subject: Any) -> Iterator[tuple[AuditChange, int | None, dict[str, Any]]]:
    """(change, site, row as told) of every row, the newest entry first."""
    for rows in queries.in_batches(fitting, subject):
        changes = AuditChange.objects.in_bulk({row.change_id for row in rows})
        for row, told in zip(rows, queries.tell(rows), strict=True):
            yield changes[row.change_id], row.site_id, told


def json_lines(rows: Iterator[tuple[AuditChange, int | None, dict[str, Any]]]) -> Iterator[bytes]:
    for change, site, told in rows:
        head = {"at": change.at, "change": change.pk, "actor": change.actor, "source": change.source,
                "request_id": change.request_id, "note": change.note, "site": site}  # fmt: skip
        yield orjson.dumps(head | told) + b"\n"


def csv_lines(rows: Iterator[tuple[AuditChange, int | None, dict[str, Any]]]) -> Iterator[bytes]:
    yield csv_line(COLUMNS)
    for change, site, told in rows:
        head = (change.at.isoformat(), change.pk, change.actor, change.source, change.request_id, change.note, site,
                told["kind"], told["object"], told["name"], told["action"])  # fmt: skip
        for name, line in told["fields"].items():
            yield csv_line((*head, name, line["before"], line["after"]))


def csv_line(cells: tuple[Any, ...]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow([cell(value) for value in cells])
    return line.getvalue().encode()


def cell(value: Any) -> str:
    """A value of a CSV: a text as it is, anything else as JSON. Numbers below zero are no formulas."""
    if value is None:
        return ""
    return safe_cell(value) if isinstance(value, str) else orjson.dumps(value).decode()


def register(router: DefaultRouter) -> None:
    router.register("history", HistoryViewSet, basename="history")


urlpatterns = [
    path("history/export.csv", HistoryViewSet.as_view({"get": "export_csv"}), name="history-export-csv"),
    path("history/export.jsonl", HistoryViewSet.as_view({"get": "export_jsonl"}), name="history-export-jsonl"),
]
