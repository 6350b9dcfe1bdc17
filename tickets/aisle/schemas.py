"""What goes in and out of the routes of the aisle."""

from __future__ import annotations

from rest_framework import serializers

from tickets.models import PRIORITIES
from tickets.workflow import Status


class TicketPhotoUploadSerializer(serializers.Serializer):
    file = serializers.FileField(allow_empty_file=True)
    step = serializers.IntegerField(min_value=1, max_value=999, required=False, allow_null=True)
    caption = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")


class LabelSerializer(serializers.Serializer):
    """A device near a repair, by what its label says."""

    name = serializers.CharField()
    serial = serializers.CharField(allow_blank=True)
    asset_tag = serializers.CharField(allow_blank=True)
    where = serializers.CharField(help_text="Where the right device is from there, such as `one below`.")


class TicketLabelsSerializer(serializers.Serializer):
    expected = serializers.ListField(child=serializers.CharField(), help_text="What the right label may say.")
    nearby = LabelSerializer(many=True, help_text="Of the same rack and of those beside it.")
    found = LabelSerializer(allow_null=True, help_text="Which device of the site has the label that was asked for.")


class RoundTicketSerializer(serializers.Serializer):
    key = serializers.CharField()
    title = serializers.CharField()
    priority = serializers.ChoiceField(PRIORITIES)
    status = serializers.ChoiceField([status.value for status in Status])
    name = serializers.CharField(help_text="What it is about.")


class RoundStopSerializer(serializers.Serializer):
    room = serializers.CharField()
    row = serializers.CharField(allow_blank=True)
    rack = serializers.CharField()
    rack_id = serializers.IntegerField()
    face = serializers.ChoiceField(["front", "rear"], help_text="The face one stands before.")
    way = serializers.CharField(help_text="From the stop before.")
    tickets = RoundTicketSerializer(many=True)


class RoundPartSerializer(serializers.Serializer):
    """A part that an open swap step needs."""

    ticket = serializers.CharField()
    vendor = serializers.CharField(allow_blank=True)
    part_number = serializers.CharField()


class RoundSpareSerializer(RoundPartSerializer):
    storage = serializers.CharField()
    room = serializers.CharField(allow_blank=True)
    have = serializers.IntegerField(help_text="Good ones that lie there.")


class RoundSerializer(serializers.Serializer):
    """Several tickets as one walk: what to fetch first, then where to go, in order."""

    fetch = RoundSpareSerializer(many=True)
    missing = RoundPartSerializer(many=True, help_text="Parts of which no good one lies in any storage place.")
    stops = RoundStopSerializer(many=True)
    nowhere = RoundTicketSerializer(many=True, help_text="Tickets about what stands in no rack.")
    distance_m = serializers.IntegerField(help_text="On foot, without the ways between rooms.")
