"""What several answers of the fabric share: ports as a hand finds them, and moves."""

from __future__ import annotations

from rest_framework import serializers


class EndSerializer(serializers.Serializer):
    """A port: planned device and number, the inventory's ids where it knows them, cage and lane, and the place.

    `half` is the lane as a hand finds it: upper or lower of two, `lane 3` of more, empty of a cage with one port.
    """

    device = serializers.CharField()
    port = serializers.IntegerField()
    device_id = serializers.IntegerField(allow_null=True)
    port_id = serializers.IntegerField(allow_null=True)
    port_name = serializers.CharField(allow_blank=True)
    cage = serializers.IntegerField(allow_null=True)
    lane = serializers.IntegerField(allow_null=True)
    half = serializers.CharField(required=False, allow_blank=True)
    place = serializers.CharField(allow_blank=True)
    rack_id = serializers.IntegerField(allow_null=True)


class MoveSerializer(serializers.Serializer):
    """One step. Without `put_into`: pull the connector and let it hang; without `take_from`: insert the hanging one."""

    n = serializers.IntegerField()
    kind = serializers.CharField()
    cable = serializers.CharField(allow_blank=True)
    cables = serializers.ListField(child=serializers.CharField())
    printed = serializers.ListField(
        child=serializers.CharField(), required=False,
        help_text="What may be printed on the cable that is there now, the likeliest first.",
    )  # fmt: skip
    take_from = EndSerializer(allow_null=True)
    put_into = EndSerializer(allow_null=True)
    takes = EndSerializer(many=True)
    puts = EndSerializer(many=True)
    stays = EndSerializer()
    drains = serializers.ListField(child=EndSerializer(many=True))
    before = serializers.ListField(child=serializers.CharField(), help_text="What must carry no traffic before it.")
    text = serializers.CharField()
