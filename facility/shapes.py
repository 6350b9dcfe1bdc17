"""The shapes of every answer about power and cooling. Null is: not known. Watts, °C and kWh; times in UTC."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from facility.judgement.gpus import BANDS
from inventory.shapes import NamedSerializer as Named

STATES = ("ok", "near", "over", "unknown")
SEVERITIES = ("info", "warn", "bad")
QUESTIONS = ("feed_off", "more_machines", "inlet", "full_load")
ROOM_BOUNDS = ("units", "rack", "pdu", "phase", "feed", "panel", "unknown")
ENERGY_BY = ("run", "group", "pool", "rack", "month", "idle")
METER_STATES = ("never", "ok", "partial", "late", "failed", "refused")
"""Of `Meter.State`, and late."""


def number(**options: Any) -> serializers.FloatField:
    return serializers.FloatField(allow_null=True, **options)


def numbers(**options: Any) -> serializers.ListField:
    return serializers.ListField(child=serializers.FloatField(allow_null=True), **options)


class HistorySerializer(serializers.Serializer):
    """Values at `begin`, `begin` + `step_s`, ..."""

    quantity = serializers.CharField()
    unit = serializers.CharField()
    begin = serializers.DateTimeField()
    end = serializers.DateTimeField()
    step_s = serializers.IntegerField()
    mean = numbers()
    low = numbers()
    high = numbers()


class MeterPlaceSerializer(serializers.Serializer):
    """What a meter measures, by name; a PDU stands in the rack of its device."""

    device = Named(allow_null=True)
    rack = Named(allow_null=True)
    room = Named(allow_null=True)


class MeterValueSerializer(serializers.Serializer):
    part = serializers.CharField()
    name = serializers.CharField()
    quantity = serializers.CharField()
    unit = serializers.CharField()
    value = number()
    reason = serializers.CharField(help_text="Why the value is not known.")


class MeterValuesSerializer(serializers.Serializer):
    meter = Named()
    description = serializers.CharField(help_text="What it says of itself.")
    read_at = serializers.DateTimeField(allow_null=True)
    values = MeterValueSerializer(many=True)


class PowerSubjectSerializer(Named):
    kind = serializers.CharField()


class MeasuredFindingSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    kind = serializers.CharField()
    title = serializers.CharField()
    severity = serializers.ChoiceField(SEVERITIES)
    subject = PowerSubjectSerializer()
    text = serializers.CharField()
    todo = serializers.CharField()
    rack = Named(allow_null=True)
    incident = serializers.CharField(help_text="The same for all findings that have one cause.")
    since = serializers.DateTimeField()


# ---- the floor ----


class FloorRackSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    row = serializers.CharField(allow_null=True)
    power_w = number()
    at_least = serializers.BooleanField(help_text="Not all of it is measured: it draws that or more.")
    known = serializers.IntegerField(help_text="How many of its machines and PDUs are measured.")
    of = serializers.IntegerField()
    peak_w = number(help_text="Of the last 24 hours.")
    peak_at = serializers.DateTimeField(allow_null=True)
    planned_w = number()
    limit_w = number()
    share = number(help_text="Power of its limit, from 0.")
    inlet_c = number(help_text="The highest of its machines.")
    delta_t_c = number()
    hottest_gpu_c = number()
    gpu_band = serializers.ChoiceField(BANDS, help_text="The worst that a GPU of it is in.")
    slowed = serializers.IntegerField(allow_null=True, help_text="GPUs whose clocks are held down now.")
    slowed_at_least = serializers.BooleanField(help_text="Of a machine with GPUs it is not known.")
    free_w = number(help_text="Until its limit, and no more than its feeds carry when one side fails.")
    state = serializers.ChoiceField(STATES)


class FloorRowSerializer(serializers.Serializer):
    name = serializers.CharField()
    power_w = number()
    at_least = serializers.BooleanField()


class GpuBandsSerializer(serializers.Serializer):
    """Up to `great` °C is great, below `good` good; `near` its slowdown, or nearer to the own limit of its model."""

    great = serializers.FloatField()
    good = serializers.FloatField()
    near = serializers.FloatField()


class PowerFloorSerializer(serializers.Serializer):
    room = Named()
    at = serializers.DateTimeField(allow_null=True)
    inlet_c_limit = serializers.FloatField()
    load_percent = serializers.IntegerField()
    gpu_bands_c = GpuBandsSerializer()
    racks = FloorRackSerializer(many=True)
    rows = FloorRowSerializer(many=True)
    total_w = number()
    at_least = serializers.BooleanField()
    peak_w = number(help_text="Of the room in the last 24 hours, where all of it was measured.")
    peak_at = serializers.DateTimeField(allow_null=True)
    planned_w = number()
    pue = number()
    pue_at = serializers.DateTimeField(allow_null=True)


# ---- a rack ----


class LoadedMachineSerializer(Named):
    watts = number()


class PhaseSerializer(serializers.Serializer):
    name = serializers.CharField()
    current_a = number()
    peak_a = number(help_text="Of the last 24 hours.")
    limit_a = number()
    reason = serializers.CharField()


class RackMeterSerializer(Named):
    state = serializers.ChoiceField(METER_STATES)
    message = serializers.CharField()
    read_at = serializers.DateTimeField(allow_null=True)


class RackStripSerializer(serializers.Serializer):
    feed = Named(allow_null=True)
    side = serializers.CharField()
    pdu = Named()
    meter = RackMeterSerializer(allow_null=True)
    now_w = number()
    peak_w = number(help_text="Of the last 24 hours, where all of it was measured.")
    planned_w = number()
    limit_w = number()
    capacity_w = number()
    share = number()
    machines = LoadedMachineSerializer(many=True)
    other_w = number()
    phases = PhaseSerializer(many=True)
    breakers = PhaseSerializer(many=True)
    carries_if_other_fails_w = number()
    holds = serializers.BooleanField(allow_null=True)


class HeightSerializer(serializers.Serializer):
    from_u = serializers.IntegerField()
    to_u = serializers.IntegerField()
    kind = serializers.ChoiceField(["machine", "switch", "other", "panel", "open"])
    device = Named(allow_null=True)
    inlet_c = number()
    exhaust_c = number()
    fan_rpm = number()
    hottest_gpu_c = number()
    gpu_band = serializers.ChoiceField(BANDS, allow_null=True, help_text="Null of what has no GPU that tells.")
    power_w = number()
    state = serializers.ChoiceField(["ok", "warn", "bad", "unknown"])


class ProfileSerializer(serializers.Serializer):
    u = serializers.FloatField()
    inlet_c = number()
    closed_c = number(help_text="With the gap closed that helps most.")


class OpenGapSerializer(serializers.Serializer):
    from_u = serializers.IntegerField()
    to_u = serializers.IntegerField()
    panel_u = serializers.IntegerField()
    benefit_c = serializers.FloatField()
    fan_w = number()
    machines = serializers.ListField(child=serializers.CharField())
    text = serializers.CharField()


class RackPlaceSerializer(Named):
    row = serializers.CharField(allow_null=True)
    room = Named()
    height_u = serializers.IntegerField()


class MeasuredRackSerializer(serializers.Serializer):
    rack = RackPlaceSerializer()
    now_w = number()
    at_least = serializers.BooleanField()
    known = serializers.IntegerField()
    of = serializers.IntegerField()
    peak_w = number()
    peak_at = serializers.DateTimeField(allow_null=True)
    planned_w = number()
    limit_w = number()
    share = number()
    method = serializers.ChoiceField(["pdu", "bmc", "mixed", "none"])
    feeds = RackStripSerializer(many=True)
    imbalance_percent = number()
    heights = HeightSerializer(many=True)
    profile = ProfileSerializer(many=True)
    inlet_recommended_c = serializers.FloatField()
    gaps = OpenGapSerializer(many=True)
    findings = MeasuredFindingSerializer(many=True)


# ---- a feed ----


class MeasuredFeedSerializer(Named):
    side = serializers.CharField()
    panel = Named(allow_null=True)
    now_w = number()
    at_least = serializers.BooleanField()
    limit_w = number()
    share = number()
    peak_w = number(help_text="Of the last 24 hours, where all of it was measured.")
    planned_w = number()
    state = serializers.ChoiceField(STATES)


class FeedFactsSerializer(Named):
    side = serializers.CharField()
    voltage_v = serializers.IntegerField(allow_null=True)
    current_a = serializers.IntegerField(allow_null=True)
    phases = serializers.IntegerField()


class FeedLinkSerializer(Named):
    id = serializers.IntegerField(allow_null=True)
    kind = serializers.ChoiceField(["panel", "feed", "pdu", "machines"])
    detail = serializers.CharField()
    now_w = number()
    limit_w = number()
    share = number()
    peak_w = number(help_text="Of the last 24 hours, where all of it was measured.")
    planned_w = number()
    state = serializers.ChoiceField(STATES)


class FeedMachineSerializer(PowerSubjectSerializer):
    now_w = number()


class FeedCarriesSerializer(Named):
    kind = serializers.CharField()
    carries_w = serializers.FloatField()
    limit_w = number()
    share = number()
    over = serializers.BooleanField(allow_null=True, help_text="Above what it may carry for long.")
    trips = serializers.BooleanField(allow_null=True, help_text="Above the size of its breaker.")


class FeedFailsSerializer(serializers.Serializer):
    text = serializers.CharField()
    carries = FeedCarriesSerializer(many=True)


class FeedDiagramSerializer(serializers.Serializer):
    feed = FeedFactsSerializer()
    links = FeedLinkSerializer(many=True)
    machines = FeedMachineSerializer(many=True)
    if_fails = FeedFailsSerializer()


# ---- energy ----


class EnergyRowSerializer(serializers.Serializer):
    key = serializers.CharField()
    name = serializers.CharField()
    machines = serializers.IntegerField()
    kwh = number()
    at_least = serializers.BooleanField()
    cost = number(help_text="In the site's currency; null: nothing was priced in it.")
    cost_at_least = serializers.BooleanField(help_text="Part of it was not measured, or had no price in this currency.")
    co2_kg = number()
    co2_at_least = serializers.BooleanField(help_text="Part of it was not measured, or the site had no factor then.")
    method = serializers.CharField()
    error_percent = number()
    unknown_share = serializers.FloatField(help_text="Of the time in which nothing was measured, 0 to 1.")


class SlowedHoursSerializer(serializers.Serializer):
    """GPU-hours with clocks held down; null: nothing was measured."""

    hot = number(help_text="By heat.")
    braked = number(help_text="By the power brake.")
    capped = number(help_text="At their power limit.")
    hot_at_least = serializers.BooleanField(help_text="Some GPUs, or some of the time, are not known.")
    braked_at_least = serializers.BooleanField()
    capped_at_least = serializers.BooleanField()


class EnergySerializer(serializers.Serializer):
    by = serializers.ChoiceField(ENERGY_BY)
    begin = serializers.DateField()
    end = serializers.DateField()
    currency = serializers.CharField()
    tariff_per_kwh = number()
    co2_g_per_kwh = number()
    rows = EnergyRowSerializer(many=True)
    total = EnergyRowSerializer()


class PueHourSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    site_w = number()
    it_w = number()
    pue = number()


class PueSerializer(serializers.Serializer):
    hours = PueHourSerializer(many=True)


class YearSerializer(serializers.Serializer):
    quantity = serializers.CharField()
    unit = serializers.CharField()
    first_day = serializers.DateField()
    days = serializers.ListField(child=numbers(allow_null=True), help_text="The means of 24 hours of each day.")
    low = number()
    high = number()


# ---- what if ----


class RoomInRackLeftSerializer(Named):
    fits = serializers.IntegerField(help_text="Of those that the racks of the room take together.")
    alone = serializers.IntegerField(allow_null=True, help_text="As if no other rack took any; null: not known.")
    free_w = number(help_text="What it may draw more, with any side dead.")
    redundant = serializers.BooleanField(help_text="It lives on when a side dies.")
    limited_by = serializers.ChoiceField(ROOM_BOUNDS, help_text="What stops the next one.")
    other_side = serializers.BooleanField(help_text="It is stopped by what is left when a side dies.")
    limit = serializers.CharField(help_text="In words.")


class RoomLeftSerializer(serializers.Serializer):
    model = serializers.CharField()
    draw_w = serializers.FloatField(help_text="What one is taken to draw: as planned, or as its others do at most.")
    fits = serializers.IntegerField()
    at_least = serializers.BooleanField(help_text="Of some racks it is not known.")
    text = serializers.CharField()
    racks = RoomInRackLeftSerializer(many=True, help_text="Those with free units.")


class WhatIfRackSerializer(Named):
    state = serializers.ChoiceField(STATES)
    state_before = serializers.ChoiceField(
        STATES, allow_null=True, help_text="Of its air and GPUs now; null in W, where it is that of its load."
    )
    before = number()
    after = number()


class WhatIfTripSerializer(Named):
    kind = serializers.CharField()
    carries_w = serializers.FloatField()
    limit_w = number()
    trips = serializers.BooleanField(help_text="Above the size of its breaker; otherwise it is over its limit alone.")


class WhatIfSerializer(serializers.Serializer):
    question = serializers.ChoiceField(QUESTIONS)
    text = serializers.CharField()
    unit = serializers.CharField()
    racks = WhatIfRackSerializer(many=True)
    trips = WhatIfTripSerializer(many=True)
    outside = Named(many=True, help_text="Machines whose inlet leaves the range that their ASHRAE class allows.")
    slowed = Named(many=True, help_text="Machines whose GPUs slow down.")
    lost = Named(many=True, help_text="Devices that go dark.")
    unknown = serializers.IntegerField(help_text="Devices of which nobody can tell.")
