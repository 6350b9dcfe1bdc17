"""The routes of fit to start, under /api/runs/fit/: the verdict over a set of machines, and its launch check."""

from __future__ import annotations

from typing import Any

from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from core.accounts.scope import allows, limit_to_sites, request_roles
from core.errors import Conflict
from core.models import Role, User
from health.checks.parsers.images import LONGEST, reference_of
from health.diagnostics.services import ActiveRefused, ways_at_site
from health.diagnostics.ways import WayRefused
from health.machines.cells import CELLS
from health.machines.parameters import LARGEST_ID, SITE, number, scope_of
from health.monitoring.facts import FACTS
from inventory.models import Machine
from runs.fit import queries, selection
from runs.fit.facts import Facts, Floor
from runs.fit.verdict import choices_of, in_order, verdict_of
from runs.machines.hostlists import Host, compressed, forms
from runs.machines.spares import ORDER
from runs.services import launch_check

FORMS = ("slurm", "mpi", "torchrun", "json")
STATES = ("ok", "warn", "fail", "unknown", "not_asked", "not_run", "running")
SETS = ("hosts", "pool", "run", "job", "partition")


class FitSetSerializer(serializers.Serializer):
    site = serializers.IntegerField()
    title = serializers.CharField()
    hosts = serializers.CharField(help_text="All names, as Slurm lists them.")
    machines = serializers.ListField(child=serializers.IntegerField(), help_text="Ids, in the order of the host list.")
    count = serializers.IntegerField(help_text="With names that no machine has.")
    gpus = serializers.IntegerField()


class FitLineSerializer(serializers.Serializer):
    """One criterion over the set. `good` of `of` machines; null where machines are not counted."""

    id = serializers.CharField()
    title = serializers.CharField()
    state = serializers.ChoiceField(STATES)
    good = serializers.IntegerField(allow_null=True)
    of = serializers.IntegerField(allow_null=True)
    text = serializers.CharField(allow_blank=True)


class FitReasonSerializer(serializers.Serializer):
    criterion = serializers.CharField()
    text = serializers.CharField()


class FitMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    cell = serializers.ChoiceField(CELLS)
    leaf = serializers.CharField(allow_blank=True)


class FitOutSerializer(serializers.Serializer):
    """A machine to leave out; `machine` null: no machine has the name. `note`: why nothing nearer stands in."""

    name = serializers.CharField()
    machine = FitMachineSerializer(allow_null=True)
    reasons = FitReasonSerializer(many=True)
    replacement = FitMachineSerializer(allow_null=True)
    distance = serializers.ChoiceField(ORDER, allow_null=True)
    note = serializers.CharField(allow_blank=True)


class FitListsSerializer(serializers.Serializer):
    """The host list as launchers take it."""

    slurm = serializers.CharField(allow_blank=True)
    mpi = serializers.CharField(allow_blank=True)
    torchrun = serializers.CharField(allow_blank=True)
    json = serializers.CharField(allow_blank=True)


class FitChoiceSerializer(serializers.Serializer):
    """What to start with: the set as it is, with those that stand in, or without those left out."""

    id = serializers.ChoiceField(["whole", "replaced", "reduced"])
    count = serializers.IntegerField()
    gpus = serializers.IntegerField()
    lists = FitListsSerializer()


class FitMeasuredSerializer(serializers.Serializer):
    """`value` in GB/s of bus bandwidth, or microseconds; null where nothing was measured. `text` says what was expected
    and of whom."""

    id = serializers.ChoiceField([name for name, _, _ in queries.MEASURED])
    state = serializers.ChoiceField(STATES)
    text = serializers.CharField()
    value = serializers.FloatField(allow_null=True)


class FitLaunchSerializer(serializers.Serializer):
    """The newest launch check on exactly this set; `run` is that of /api/health/active-runs/."""

    run = serializers.IntegerField()
    state = serializers.ChoiceField(STATES)
    text = serializers.CharField()
    way = serializers.CharField(allow_blank=True, help_text="How it was launched.")
    measured = FitMeasuredSerializer(many=True)
    done = serializers.IntegerField()
    total = serializers.IntegerField(help_text="Tests of the rounds begun so far.")
    at = serializers.DateTimeField()


class FitSerializer(serializers.Serializer):
    chosen = FitSetSerializer()
    verdict = serializers.ChoiceField(["fit", "not_fit", "unknown"])
    sentence = serializers.CharField()
    criteria = FitLineSerializer(many=True)
    leave_out = FitOutSerializer(many=True)
    spares = serializers.IntegerField(help_text="Left after the replacements.")
    spares_wanted = serializers.ListField(child=serializers.IntegerField(), help_text="At least, and enough.")
    choices = FitChoiceSerializer(many=True)
    launch = FitLaunchSerializer(allow_null=True)
    ways = serializers.ListField(
        child=serializers.CharField(), help_text="How the site may launch; the first by default."
    )
    evaluated_at = serializers.DateTimeField()


class LaunchCheckSerializer(serializers.Serializer):
    machines = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=LARGEST_ID), min_length=2, max_length=selection.MOST
    )
    reason = serializers.CharField(max_length=300, required=False, allow_blank=True)
    way = serializers.CharField(max_length=60, required=False, allow_blank=True, help_text="One of `ways`.")


class LaunchCheckStartedSerializer(serializers.Serializer):
    run = serializers.IntegerField(help_text="Of /api/health/active-runs/.")


@extend_schema(
    summary="Fit to start: whether a set of machines may start a training run",
    parameters=[
        SITE,
        OpenApiParameter("hosts", str, description="Names and Slurm host lists, such as hgx-a[01-08]-[01-04]."),
        OpenApiParameter("pool", int, description="Id of a pool: all of its machines."),
        OpenApiParameter("run", int, description="A training run: its machines, in the order of its ranks."),
        OpenApiParameter("job", str, description="A job of the scheduler."),
        OpenApiParameter("partition", str, description="A partition of a scheduler."),
        OpenApiParameter(
            "image", str, description="The container image that must be there: name and tag or digest, or a file."
        ),
    ],
    responses={200: FitSerializer},
    filters=False,
    operation_id="runs_fit_retrieve",
)
@api_view(["GET"])
def fit(request: Request) -> Response:
    """Who must stay out and why, which golden machine nearest in the fabric stands in, and the host list."""
    chosen = _chosen(request)
    image = _image(request)
    found = queries.gather(chosen.site.pk, chosen.ids, image)
    machines = found.chosen if chosen.ordered else in_order(found.chosen, found.floor)
    now = timezone.now()
    verdict = verdict_of(
        machines, found.others, found.floor, now=now, titles=FACTS, lost=chosen.lost,
        image=image, launch=found.launch.said if found.launch else None,
    )  # fmt: skip
    left_out = [each.name for each in verdict.out]
    answer = {
        "chosen": {
            "site": chosen.site.pk,
            "title": chosen.title,
            "hosts": compressed([*(each.name for each in machines), *chosen.lost]),
            "machines": [each.id for each in machines],
            "count": len(machines) + len(chosen.lost),
            "gpus": sum(each.gpus for each in machines),
        },
        "verdict": verdict.state,
        "sentence": verdict.sentence,
        "criteria": [vars(line) for line in verdict.lines],
        "leave_out": [
            {
                "name": each.name,
                "machine": _machine(each.machine, found.floor),
                "reasons": [{"criterion": reason.criterion, "text": reason.text} for reason in each.reasons],
                "replacement": _machine(each.replacement, found.floor),
                "distance": each.distance or None,
                "note": each.note,
            }
            for each in verdict.out
        ],
        "spares": verdict.spares,
        "spares_wanted": list(verdict.wanted),
        "choices": [
            {
                "id": choice.id,
                "count": len(choice.machines),
                "gpus": sum(each.gpus for each in choice.machines),
                "lists": forms(
                    [Host(each.name, each.gpus, found.floor.leaf(each)) for each in choice.machines],
                    run=chosen.run, left_out=left_out,
                ),
            }
            for choice in choices_of(machines, verdict)
        ],
        "launch": _launch(found.launch),
        "ways": [way.name for way in ways_at_site(chosen.site.pk)],
        "evaluated_at": now,
    }  # fmt: skip
    return Response(FitSerializer(answer).data)


def _image(request: Request) -> str:
    image = request.query_params.get("image", "").strip()[:LONGEST]
    if image and not reference_of(image):
        raise ValidationError({"image": ["This is no name of an image, such as registry.example/team/torch:25.01."]})
    return image


def _chosen(request: Request) -> selection.Chosen:
    roles = request_roles(request)
    _, site = scope_of(request)
    told = [name for name in SETS if request.query_params.get(name, "").strip()]
    if len(told) != 1:
        raise ValidationError({"hosts": ["Say which machines: hosts, a pool, a run, a job or a partition."]})
    text = request.query_params[told[0]].strip()
    try:
        match told[0]:
            case "pool":
                return selection.by_pool(number(request, "pool") or 0, roles)
            case "run":
                return selection.by_run(number(request, "run") or 0, roles)
            case "job":
                return selection.by_job(text[:40], site, roles)
            case "partition":
                return selection.by_partition(text[:60], site, roles)
        return selection.by_hosts(text, site, roles)
    except selection.NotMeant as error:
        raise ValidationError({told[0]: [str(error)]}) from error


def _machine(machine: Facts | None, floor: Floor) -> dict[str, Any] | None:
    if machine is None:
        return None
    return {"id": machine.id, "name": machine.name, "cell": machine.cell, "leaf": floor.leaf(machine)}


def _launch(found: queries.LaunchCheck | None) -> dict[str, Any] | None:
    if found is None:
        return None
    at = found.run.finished_at or found.run.created_at
    return {
        "run": found.run.pk,
        "state": found.said.state,
        "text": found.said.text,
        "way": found.run.launch.get("name", ""),
        "measured": [each._asdict() for each in found.measured],
        "done": found.done,
        "total": found.total,
        "at": at,
    }


class LaunchCheckView(APIView):
    """An active check over groups of exactly these machines, with the guards of any other."""

    write_role = Role.OPERATOR

    @extend_schema(
        summary="Start the launch check: an all-reduce on exactly these machines",
        request=LaunchCheckSerializer,
        responses={201: LaunchCheckStartedSerializer},
    )
    def post(self, request: Request) -> Response:
        """Needs operator at the machines' site; refused where one of them may not be loaded now."""
        given = LaunchCheckSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        roles = request_roles(request)
        ids = set(given.validated_data["machines"])
        rows = limit_to_sites(Machine.objects.filter(pk__in=ids), roles, "device__site_id")
        sites = dict(rows.values_list("pk", "device__site_id"))
        if set(sites) != ids:
            raise ValidationError({"machines": ["There is no such machine."]})
        if len(set(sites.values())) > 1:
            raise ValidationError({"machines": ["Machines of two sites."]})
        site_id = next(iter(sites.values()))
        if not allows(roles, site_id, self.write_role):
            raise PermissionDenied
        assert isinstance(request.user, User)  # the permission class lets nobody else in
        said = {name: given.validated_data.get(name, "") for name in ("reason", "way")}
        try:
            run = launch_check.start(site_id, sorted(ids), by=request.user.get_username(), **said)
        except WayRefused as error:
            raise ValidationError({"way": [str(error)]}) from error
        except (launch_check.NotThisSet, ActiveRefused) as error:
            raise Conflict(str(error)) from error
        return Response(LaunchCheckStartedSerializer({"run": run.pk}).data, status=201)


urlpatterns = [
    path("runs/fit/", fit, name="fit-to-start"),
    path("runs/fit/launch/", LaunchCheckView.as_view(), name="launch-check"),
]
