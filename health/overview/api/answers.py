"""The shapes of machines: in a list, in full, what is said of them, and their past."""

from __future__ import annotations

from rest_framework import serializers

from health.machines.cells import CELLS
from health.machines.lifecycle import State
from health.machines.models.machines import VERDICTS, MachineHealth
from inventory.shapes import PlaceSerializer

STATES = [state.value for state in State]


# ---- a machine ----


class SiteOfMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    slug = serializers.CharField()
    name = serializers.CharField()


class ModelOfMachineSerializer(serializers.Serializer):
    slug = serializers.CharField()
    name = serializers.CharField()
    vendor = serializers.CharField()


class ConditionSerializer(serializers.Serializer):
    """What is known of a machine now."""

    cell = serializers.ChoiceField(CELLS, help_text="The word of the floor map.")
    state = serializers.ChoiceField(STATES)
    state_since = serializers.DateTimeField()
    worst = serializers.ChoiceField(VERDICTS)
    reachability = serializers.ChoiceField(MachineHealth.Reachability.values)
    last_seen_at = serializers.DateTimeField(allow_null=True)
    boot_id = serializers.CharField(allow_blank=True)
    power = serializers.ChoiceField(MachineHealth.Power.values)
    allocation = serializers.ChoiceField(MachineHealth.Allocation.values)
    faults = serializers.IntegerField(min_value=0, help_text="Leading faults, suspected or confirmed.")
    maintenance_until = serializers.DateTimeField(allow_null=True)


class HoldSerializer(serializers.Serializer):
    """A reason to keep a machine out of service."""

    owner = serializers.CharField(help_text="Such as fault:12 or person:NAME.")
    reason = serializers.CharField(allow_blank=True)
    placed_by = serializers.CharField(allow_blank=True)
    placed_at = serializers.DateTimeField()


class ConditionWithHoldsSerializer(ConditionSerializer):
    holds = HoldSerializer(many=True)


class AddressesSerializer(serializers.Serializer):
    """The planned ones."""

    primary_ip = serializers.IPAddressField(allow_null=True)
    bmc_ip = serializers.IPAddressField(allow_null=True)
    bmc_mac = serializers.CharField(allow_blank=True)
    boot_mac = serializers.CharField(allow_blank=True)


class TicketOfMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    key = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(["open", "in_work", "verifying", "closed"])


class SummarySerializer(serializers.Serializer):
    """What the list and the page of a machine share."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    site = SiteOfMachineSerializer()
    model = ModelOfMachineSerializer()
    serial = serializers.CharField(allow_blank=True)
    asset_tag = serializers.CharField(allow_blank=True)
    system_uuid = serializers.UUIDField(allow_null=True)
    pool = serializers.CharField(allow_null=True)
    place = PlaceSerializer(allow_null=True, help_text="Null for one that is not mounted.")
    ticket = serializers.CharField(allow_null=True, help_text="Key of its open ticket.")
    health = ConditionSerializer()


class MachineDetailSerializer(SummarySerializer):
    health = ConditionWithHoldsSerializer()
    addresses = AddressesSerializer()
    bmc = serializers.CharField(
        allow_null=True, help_text="What its BMC is, in the vendor's word, or that plain Redfish is spoken to it."
    )
    tickets = TicketOfMachineSerializer(many=True, help_text="The newest first, at most 100.")


# ---- what is done with one ----


class SweepStartedSerializer(serializers.Serializer):
    sweep = serializers.IntegerField(help_text="As in /api/sweeps/.")


class AcceptedPartSerializer(serializers.Serializer):
    """The part that counts as installed now."""

    slot = serializers.CharField()
    serial = serializers.CharField(allow_blank=True)
    part_number = serializers.CharField(allow_blank=True)
    vendor = serializers.CharField(allow_blank=True)
    installed_at = serializers.DateTimeField()


# ---- what the checks say ----


class VerdictEvidenceSerializer(serializers.Serializer):
    command = serializers.CharField(allow_blank=True)
    exit_status = serializers.IntegerField(allow_null=True)
    excerpt = serializers.CharField(allow_blank=True)


class VerdictSilenceSerializer(serializers.Serializer):
    """The silence that keeps a verdict quiet."""

    verdict = serializers.ChoiceField(VERDICTS, help_text="What it would be.")
    silence = serializers.IntegerField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)


class VerdictSerializer(serializers.Serializer):
    check_id = serializers.CharField()
    title = serializers.CharField()
    part = serializers.CharField(allow_blank=True)
    verdict = serializers.ChoiceField(VERDICTS)
    message = serializers.CharField(allow_blank=True)
    action = serializers.CharField(allow_blank=True)
    checked_at = serializers.DateTimeField(allow_null=True)
    changed_at = serializers.DateTimeField(allow_null=True, help_text="Null for what is ok.")
    evidence = VerdictEvidenceSerializer(allow_null=True)
    part_text = serializers.CharField(allow_blank=True, help_text="As people read it.")
    silenced = VerdictSilenceSerializer(allow_null=True)
    audit_mode = serializers.BooleanField(help_text="It opens no fault here.")

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"check_id": "check"}
        return {words.get(name, name): field for name, field in super().get_fields().items()}


class VerdictsSerializer(serializers.Serializer):
    checked_at = serializers.DateTimeField(allow_null=True, help_text="Null for a machine that was never checked.")
    results = VerdictSerializer(many=True, help_text="The worst first.")


# ---- its past ----


class CheckRunSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    worst = serializers.ChoiceField(VERDICTS)
    fail = serializers.IntegerField(min_value=0)  # type: ignore[assignment]  # a method of every serializer
    warn = serializers.IntegerField(min_value=0)
    unknown = serializers.IntegerField(min_value=0)


class VerdictChangeSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    check_id = serializers.CharField()
    part = serializers.CharField(allow_blank=True)
    part_text = serializers.CharField(allow_blank=True, help_text="As people read it.")
    before = serializers.ChoiceField(VERDICTS)
    after = serializers.ChoiceField(VERDICTS)
    message = serializers.CharField(allow_blank=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"check_id": "check", "before": "from", "after": "to"}
        return {words.get(name, name): field for name, field in super().get_fields().items()}


class StateChangeSerializer(serializers.Serializer):
    at = serializers.DateTimeField()
    before = serializers.ChoiceField(STATES)
    after = serializers.ChoiceField(STATES)
    actor = serializers.CharField()
    reason = serializers.CharField(allow_blank=True)

    def get_fields(self) -> dict[str, serializers.Field]:
        words = {"before": "from", "after": "to"}
        return {words.get(name, name): field for name, field in super().get_fields().items()}


class MachineHistorySerializer(serializers.Serializer):
    runs = CheckRunSerializer(many=True, help_text="Checks, the oldest first.")
    transitions = VerdictChangeSerializer(many=True, help_text="Changed verdicts, the newest first, at most 500.")
    lifecycle = StateChangeSerializer(many=True, help_text="The newest first.")
