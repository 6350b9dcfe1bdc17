"""The routes of a run's pace: `/api/runs/N/pace/` and `/api/runs/N/compare/`. Mixed into the routes of runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from django.http import Http404
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from runs.models import TrainingRun
from runs.pace.attribution import Attribution
from runs.pace.meanings import MEANINGS
from runs.pace.readings import KINDS as KINDS_OF_READINGS
from runs.replacement.api import HandOverSerializer
from runs.slowness import queries, sides
from runs.slowness.changes import changes
from runs.slowness.comparison import Difference
from runs.slowness.outliers import outliers, without_readings

KINDS = ("fault", "link", "software", "part", "machine", "run")
REFERENCES = ("reported", "last_good_run", "own")
SUBJECTS = ("speed", "size", "machines", "software", "links", "faults", "settings")


class PaceCandidateSerializer(serializers.Serializer):
    """Something that changed when the pace did. It happened between `since` and `at`, when it was seen."""

    kind = serializers.ChoiceField(KINDS)
    since = serializers.DateTimeField()
    at = serializers.DateTimeField()
    text = serializers.CharField()
    machine = serializers.IntegerField(allow_null=True)
    machine_name = serializers.CharField()


class PaceOutlierSerializer(serializers.Serializer):
    """A rank whose GPU or link stands out from the run's."""

    kind = serializers.ChoiceField([*KINDS_OF_READINGS, "check"])
    rank = serializers.IntegerField()
    machine = serializers.IntegerField(allow_null=True)
    machine_name = serializers.CharField()
    slot_text = serializers.CharField()
    text = serializers.CharField()


class PaceSerializer(serializers.Serializer):
    """The shape of a run's curve, what it means and what to check first."""

    shape = serializers.ChoiceField(sorted(MEANINGS))
    title = serializers.CharField()
    says = serializers.CharField()
    checks = serializers.ListField(child=serializers.CharField(), help_text="What to check first, in this order.")
    alarm = serializers.BooleanField(help_text="False: normal.")
    at = serializers.DateTimeField(allow_null=True, help_text="Since when it is so; null: all along.")
    until = serializers.DateTimeField(allow_null=True, help_text="When it was right again; null: it goes on.")
    speed = serializers.FloatField(help_text="While it is so, as a share of what it should be.")
    period = serializers.FloatField(allow_null=True, help_text="Steps from one dip or tooth to the next.")
    reference = serializers.ChoiceField(REFERENCES, help_text="What the curve is measured by.")
    reference_s = serializers.FloatField(allow_null=True)
    reference_run = serializers.IntegerField(allow_null=True)
    tokens_per_s = serializers.FloatField(allow_null=True)
    utilisation = serializers.FloatField(allow_null=True, help_text="Model-FLOPs utilisation, 0 to 1.")
    sure = serializers.BooleanField(help_text="Exactly one thing changed when the pace did.")
    changes = PaceCandidateSerializer(many=True)
    outliers = PaceOutlierSerializer(many=True)
    unread_ranks = serializers.IntegerField(help_text="Of whose GPU neither clock nor power is known.")
    ranks = serializers.IntegerField()
    hand_overs = HandOverSerializer(many=True, help_text="Machines that were replaced, in the order of their moments.")


class RunReferenceSerializer(serializers.ModelSerializer[TrainingRun]):
    class Meta:
        model = TrainingRun
        fields = ("id", "key", "attempt", "name", "job", "state", "world_size", "started_at", "ended_at", "recent_s")


class RunDifferenceSerializer(serializers.Serializer):
    """`now` and `before` are empty where that run has nothing of it."""

    subject = serializers.ChoiceField(SUBJECTS)
    name = serializers.CharField()
    now = serializers.CharField()
    before = serializers.CharField()
    machines = serializers.ListField(child=serializers.CharField(), help_text="Whom it concerns, where not all.")


class RunComparisonSerializer(serializers.Serializer):
    run = RunReferenceSerializer()
    other = RunReferenceSerializer()
    differences = RunDifferenceSerializer(many=True)
    same = serializers.ListField(child=serializers.ChoiceField(SUBJECTS), help_text="In these the runs do not differ.")
    not_known = serializers.ListField(child=serializers.ChoiceField(SUBJECTS))


class Slowness:
    """Actions of the view set of runs."""

    @extend_schema(summary="Pace of a training run", responses={200: PaceSerializer}, filters=False)
    @action(detail=True, pagination_class=None, filterset_class=None, search_fields=())
    def pace(self, request: Request, pk: str) -> Response:
        """The shape of its curve, its meaning and first checks, what changed then, and ranks that stand out."""
        run: TrainingRun = self.get_object()  # type: ignore[attr-defined]  # of the view set
        reference = queries.reference_of(run)
        seen = queries.shape_of(run, reference)
        meaning, shape, rate = MEANINGS[seen.shape.name], seen.shape, queries.rate_of(run)
        unread, ranks = without_readings(run)
        change = Attribution(False)
        if shape.name in ("step", "oscillation") and seen.at is not None:
            change = changes(run, seen.at, seen.known_s)
        return Response(
            {
                "shape": shape.name,
                **meaning._asdict(),
                "at": seen.at,
                "until": seen.until,
                "speed": round(shape.speed, 3),
                "period": shape.period,
                "reference": reference.kind,
                "reference_s": reference.seconds,
                "reference_run": reference.run,
                "tokens_per_s": rate.tokens_per_s,
                "utilisation": rate.utilisation,
                "sure": change.sure,
                "changes": [
                    one._asdict() | {"since": _moment(one.since), "at": _moment(one.at)} for one in change.candidates
                ],
                "outliers": [one._asdict() for one in outliers(run)[:MOST_OUTLIERS]],
                "unread_ranks": unread,
                "ranks": ranks,
                "hand_overs": HandOverSerializer(run.hand_overs.order_by("at", "pk"), many=True).data,
            }
        )

    @extend_schema(
        summary="Compare two training runs",
        parameters=[OpenApiParameter("with", int, description="Another run; by default the last good one.")],
        responses={200: RunComparisonSerializer},
        filters=False,
    )
    @action(detail=True, pagination_class=None, filterset_class=None, search_fields=())
    def compare(self, request: Request, pk: str) -> Response:
        """What differs: machines, versions as they were then, links, faults, settings, size, speed."""
        run: TrainingRun = self.get_object()  # type: ignore[attr-defined]  # of the view set
        other = self._other(request, run)
        found, unknown = sides.compare(run, other)
        differ = {one.subject for one in found}
        return Response(
            {
                "run": RunReferenceSerializer(run).data,
                "other": RunReferenceSerializer(other).data,
                "differences": [_difference(one) for one in found],
                "same": [subject for subject in SUBJECTS if subject not in differ and subject not in unknown],
                "not_known": unknown,
            }
        )

    def _other(self, request: Request, run: TrainingRun) -> TrainingRun:
        """The run to compare with, among those that this user may see."""
        told = request.query_params.get("with", "")
        if not told:
            other = queries.last_good(run)
            if other is None:
                raise Http404("no earlier run of this name went at its own pace")
            return other
        if not told.isascii() or not told.isdecimal() or len(told) > 18:
            raise ValidationError({"with": ["The number of a run."]})
        found: TrainingRun | None = self.get_queryset().filter(pk=int(told)).first()  # type: ignore[attr-defined]
        if found is None:
            raise Http404("no such run")
        return found


MOST_OUTLIERS = 100


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _difference(one: Difference) -> dict[str, Any]:
    return one._asdict() | {"machines": list(one.machines)}
