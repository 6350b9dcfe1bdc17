"""The shapes of what looks counted, and of a diagnosis that is derived again."""

from __future__ import annotations

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from fabric.discovery.models.sources import FabricSource
from fabric.reconcile.compared import LinkState
from fabric.reconcile.finding import Kind, Severity
from fabric.shapes import EndSerializer, MoveSerializer


class ProblemSerializer(serializers.Serializer):
    where = serializers.CharField()
    line = serializers.IntegerField()
    text = serializers.CharField()


class LinkStatesSerializer(serializers.Serializer):
    """Links by state."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {state.value: serializers.IntegerField(min_value=0) for state in LinkState}


class DiagnosisCountsSerializer(serializers.Serializer):
    """What was counted; nothing, where there was nothing to compare or the run is not trusted."""

    moves = serializers.IntegerField(min_value=0, required=False, help_text="Connector insertions.")
    unlit_links = serializers.IntegerField(min_value=0, required=False)
    unlit_links_at_dead_devices = serializers.IntegerField(min_value=0, required=False)
    unplanned_links = serializers.IntegerField(min_value=0, required=False)
    renames = serializers.IntegerField(min_value=0, required=False)
    planned = serializers.IntegerField(min_value=0, required=False, help_text="Cables of the plan.")
    nodes = serializers.IntegerField(min_value=0, required=False)
    links = serializers.IntegerField(min_value=0, required=False)
    states = LinkStatesSerializer(required=False)


class DiscoveryCountsSerializer(DiagnosisCountsSerializer):
    """With what the run changed, where it is trusted."""

    nodes_changed = serializers.IntegerField(min_value=0, required=False)
    links_changed = serializers.IntegerField(min_value=0, required=False)
    findings_new = serializers.IntegerField(min_value=0, required=False)
    findings_opened = serializers.IntegerField(min_value=0, required=False)
    findings_closed = serializers.IntegerField(min_value=0, required=False)


@extend_schema_field(DiscoveryCountsSerializer)
class DiscoveryCountsField(serializers.DictField):
    """Those that were stored, answered as they stand there."""


@extend_schema_field(
    {
        "type": "array",
        "prefixItems": [{"type": "string", "title": "device"}, {"type": "integer", "title": "port"}],
        "minItems": 2,
        "maxItems": 2,
    }
)
class PortPairField(serializers.ListField):
    """A planned device and the number of its port."""


def pair_of(child: serializers.Field) -> serializers.ListField:
    return serializers.ListField(child=child, min_length=2, max_length=2)


class KeptLinkSerializer(serializers.Serializer):
    """A link of a cable, both of its ends in the same order throughout."""

    ends = pair_of(PortPairField())
    body = serializers.CharField(allow_blank=True, help_text="Links of one body are lanes of one cable.")
    connectors = pair_of(serializers.CharField(allow_blank=True))
    serials = pair_of(serializers.CharField(allow_blank=True))
    type = serializers.CharField(allow_blank=True)
    length_m = serializers.FloatField(allow_null=True)


class KeptFoundSerializer(KeptLinkSerializer):
    id = serializers.CharField()
    label = serializers.CharField(allow_blank=True)  # type: ignore[assignment]  # DRF's fields have a label of their own
    live = serializers.BooleanField(help_text="Traffic may be on it.")


class KeptWantedSerializer(KeptLinkSerializer):
    label = serializers.CharField()  # type: ignore[assignment]  # DRF's fields have a label of their own


@extend_schema_field(
    {
        "type": "array",
        "prefixItems": [
            {"type": "integer", "title": "move"},
            {"type": "string", "title": "found"},
            {"type": "integer", "title": "connector"},
        ],
        "minItems": 3,
        "maxItems": 3,
    }
)
class MovedConnectorField(serializers.ListField):
    """Number of a move, the id of the cable in hand, and which of its connectors."""


class KeptCablingSerializer(serializers.Serializer):
    """The cables behind some moves, by which these can be planned again."""

    found = KeptFoundSerializer(many=True)
    wanted = KeptWantedSerializer(many=True)
    connectors = serializers.ListField(child=MovedConnectorField())


class DiagnosedFindingSerializer(serializers.Serializer):
    kind = serializers.ChoiceField([kind.value for kind in Kind])
    key = serializers.CharField()
    severity = serializers.ChoiceField([severity.value for severity in Severity])
    title = serializers.CharField()
    text = serializers.CharField()
    devices = serializers.ListField(child=serializers.CharField())
    cables = serializers.ListField(child=serializers.CharField())
    moves = MoveSerializer(many=True)
    cabling = KeptCablingSerializer()
    ports = EndSerializer(many=True)
    checks = serializers.ListField(child=serializers.CharField(), help_text="In the order to try.")
    evidence = serializers.DictField(help_text="What it was concluded from; each kind of finding has its own.")


class DiagnosisSerializer(serializers.Serializer):
    discovery = serializers.IntegerField()
    capture = serializers.IntegerField()
    captured_at = serializers.DateTimeField()
    state = serializers.ChoiceField(FabricSource.State.choices)
    held_back = serializers.CharField(allow_null=True, help_text="Why the guard would reject it.")
    problems = ProblemSerializer(many=True)
    counts = DiagnosisCountsSerializer()
    findings = DiagnosedFindingSerializer(many=True)
    moves = MoveSerializer(many=True)
    names = serializers.DictField(child=serializers.CharField(), help_text="GUID to the name of the planned device.")
