"""Container images of a fleet: which there are, and which machines have one."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from health.checks.parsers.images import LONGEST, reference_of
from health.machines.lifecycle import State
from health.machines.models.machines import MachineHealth
from health.machines.parameters import PAGE, SITE, asked_sites, page_of, paged
from health.monitoring.images import queries
from health.monitoring.images.models import MachineImage
from health.monitoring.images.states import ImageState, state_of, usual_of


class ImageSummarySerializer(serializers.Serializer):
    """One image: on how many machines, and on how many of them the name means another image than on most."""

    reference = serializers.CharField(help_text="With registry and tag; of Enroot the path of the file.")
    engines = serializers.ListField(child=serializers.ChoiceField(MachineImage.Engine.values))
    machines = serializers.IntegerField()
    another = serializers.IntegerField()
    read = serializers.IntegerField(help_text="Machines that tell their images.")
    size_bytes = serializers.IntegerField(allow_null=True)
    made_at = serializers.DateTimeField(allow_null=True, help_text="When it was built, as far as an engine says.")


class ImageMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    rack = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField([state.value for state in ImageState])
    identity = serializers.CharField(allow_blank=True, help_text="Digest or id, of a file its size.")
    text = serializers.CharField(allow_blank=True, help_text="Why it is not known.")


class ImageMachinesSerializer(serializers.Serializer):
    reference = serializers.CharField()
    usual = serializers.CharField(allow_blank=True, help_text="The digest or id that most of these machines have.")
    machines = ImageMachineSerializer(many=True)


@extend_schema(
    summary="Container images that lie on machines",
    parameters=[SITE, OpenApiParameter("q", str, description="Part of the name."), *PAGE],
    responses={200: page_of(ImageSummarySerializer, "PagedImages")},
)
@api_view(["GET"])
def images(request: Request) -> Response:
    """By name, as sweeps read them of Docker, containerd and the files of Enroot."""
    sites = asked_sites(request)
    read = queries.read_at(sites)
    rows = queries.summaries(sites, request.query_params.get("q", "").strip()[:LONGEST])
    return Response(paged(request, [{**row._asdict(), "read": read} for row in rows]))


@extend_schema(
    summary="Which machines have a container image",
    parameters=[
        SITE,
        OpenApiParameter(
            "image", str, required=True, description="As people write it: with a tag or a digest, or a file."
        ),
    ],
    responses={200: ImageMachinesSerializer},
    filters=False,
)
@api_view(["GET"])
def image_machines(request: Request) -> Response:
    """Every machine that is not retired, by rack: the same image as most, another of its name, missing, not known."""
    name = request.query_params.get("image", "").strip()[:LONGEST]
    reference = reference_of(name)
    if not reference:
        raise ValidationError({"image": ["Say which image, such as registry.example/team/torch:25.01."]})
    rows = MachineHealth.objects.filter(machine__device__site_id__in=asked_sites(request))
    columns = ("machine_id", "machine__device__name", "machine__device__placement__rack__name")
    machines = list(
        rows.exclude(state=State.RETIRED.value)
        .order_by("machine__device__placement__rack__name", "machine__device__name")
        .values_list(*columns)
    )
    held = queries.held_by([pk for pk, *_ in machines], name)
    usual = usual_of(each.identities for each in held.values())
    answer = {
        "reference": reference,
        "usual": usual,
        "machines": [_machine(pk, name, rack, held.get(pk), usual) for pk, name, rack in machines],
    }
    return Response(ImageMachinesSerializer(answer).data)


def _machine(pk: int, name: str, rack: str | None, held: queries.Held | None, usual: str) -> dict[str, Any]:
    identities = held.identities if held else ()
    own = usual if usual in identities else next(iter(identities), "")
    state = state_of(held, usual)
    text = held.trouble if held and state == ImageState.UNKNOWN else ""
    return {"id": pk, "name": name, "rack": rack or "", "state": state.value, "identity": own, "text": text}
