"""The shapes of what the routes of automation answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from health.checks.levels import Rung
from health.machines.lifecycle import State
from health.machines.limits import TABLE, Group, is_share, range_of
from health.machines.models.machines import Pool
from health.monitoring.models.faults import Fault
from health.remediation.models import AUTOMATIC_RUNGS, RemedySwitch
from health.remediation.remedies import BY_NAME
from health.remediation.services import by_hand
from health.remediation.types import Guard, Step

GUARDS = [str(guard) for guard in Guard]
REMEDY_NAMES = list(BY_NAME)


class BreakerCountsSerializer(serializers.Serializer):
    """Since it was last closed; null where it is not known."""

    refused_1h = serializers.IntegerField(min_value=0, allow_null=True)
    ambiguous = serializers.IntegerField(min_value=0, allow_null=True)
    failed_verifications = serializers.IntegerField(
        min_value=0, allow_null=True, help_text="Machines in a row whose verification failed, the newest first."
    )
    drained = serializers.IntegerField(
        min_value=0, allow_null=True, help_text="Machines that automation drained within its window."
    )
    size = serializers.IntegerField(min_value=0, allow_null=True, help_text="Machines of all pools of the site.")


class BreakerSerializer(serializers.Serializer):
    open = serializers.BooleanField()
    reason = serializers.CharField(allow_blank=True)
    opened_at = serializers.DateTimeField(allow_null=True)
    closed_by = serializers.CharField(allow_blank=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    close_reason = serializers.CharField(allow_blank=True)
    counts = BreakerCountsSerializer()


class BudgetSerializer(serializers.Serializer):
    pool = serializers.IntegerField()
    name = serializers.CharField()
    automation = serializers.ChoiceField(Pool.Automation.choices)
    size = serializers.IntegerField(min_value=0, allow_null=True)
    unavailable = serializers.IntegerField(min_value=0, allow_null=True)
    stale = serializers.BooleanField(
        allow_null=True, help_text="None of its machines was reachable for too long: it allows nothing."
    )
    share = serializers.FloatField(help_text="Of the pool that may be out, before rounding down.")
    by_share = serializers.IntegerField(min_value=0)
    min_unavailable = serializers.IntegerField(min_value=0, help_text="May be out however little the share is.")
    min_unavailable_from = serializers.IntegerField(min_value=0, help_text="In pools of that many machines or more.")
    max_unavailable = serializers.IntegerField(min_value=0, help_text="Machines that may be out at all.")
    remaining_budget = serializers.IntegerField(min_value=0)
    reason = serializers.CharField(help_text="How the numbers come about, in words.")
    drains_10min = serializers.IntegerField(min_value=0, allow_null=True)
    drains_1h = serializers.IntegerField(min_value=0, allow_null=True)


def limit_field(name: str, **said: Any) -> serializers.Field:
    """The field of a limit, with its range and what it is about."""
    about = range_of(name)
    words = f"{about.title} ({about.unit})."
    if is_share(name):
        return serializers.FloatField(min_value=about.low, max_value=about.high, help_text=words, **said)
    return serializers.IntegerField(min_value=int(about.low), max_value=int(about.high), help_text=words, **said)


class LimitsAnswerSerializer(serializers.Serializer):
    """Every limit by name."""

    def get_fields(self) -> dict[str, serializers.Field]:
        return {name: limit_field(name) for name in TABLE}


class LimitSerializer(serializers.Serializer):
    name = serializers.ChoiceField(list(TABLE))
    group = serializers.ChoiceField([str(group) for group in Group])
    title = serializers.CharField()
    unit = serializers.CharField(allow_blank=True)
    value = serializers.FloatField()
    default = serializers.FloatField()
    low = serializers.FloatField()
    high = serializers.FloatField()


class PowerActionsSerializer(serializers.Serializer):
    open = serializers.IntegerField(min_value=0)
    actions_1h = serializers.IntegerField(min_value=0)
    last_at = serializers.DateTimeField(allow_null=True)


class WaitingSerializer(serializers.Serializer):
    incident = serializers.IntegerField()
    machine = serializers.IntegerField()
    name = serializers.CharField()
    guard = serializers.ChoiceField(GUARDS)
    since = serializers.DateTimeField(allow_null=True)


@extend_schema_serializer(component_name="Automation")
class AutomationSerializer(serializers.Serializer):
    """What automation may do at a site."""

    site = serializers.IntegerField()
    killed = serializers.BooleanField()
    killed_by = serializers.CharField(allow_blank=True)
    killed_reason = serializers.CharField(allow_blank=True)
    killed_at = serializers.DateTimeField(allow_null=True)
    breaker = BreakerSerializer()
    budgets = BudgetSerializer(many=True)
    limits = LimitsAnswerSerializer()
    power = PowerActionsSerializer()
    waiting = WaitingSerializer(many=True, help_text="At most 200.")
    at = serializers.DateTimeField()


@extend_schema_serializer(component_name="Remedy")
class RemedySerializer(serializers.Serializer):
    name = serializers.ChoiceField(REMEDY_NAMES)
    level = serializers.ChoiceField(AUTOMATIC_RUNGS)
    title = serializers.CharField()
    preconditions = serializers.ListField(child=serializers.CharField())
    needs_drain = serializers.BooleanField()
    idempotent = serializers.BooleanField()
    intrusive = serializers.BooleanField()
    deadline_s = serializers.IntegerField(min_value=1)
    verification = serializers.CharField()
    next = serializers.CharField(help_text="The remediation level that follows when it does not help.")
    available = serializers.BooleanField(help_text="Something here can carry it out.")


@extend_schema_serializer(component_name="RemedyByHand")
class OfferSerializer(serializers.Serializer):
    """A remedy on one machine, as its page offers it."""

    remedy = serializers.ChoiceField(list(by_hand.BY_NAME))
    title = serializers.CharField()
    level = serializers.ChoiceField(AUTOMATIC_RUNGS)
    allowed = serializers.BooleanField()
    refused_by = serializers.ChoiceField(GUARDS, allow_null=True)
    refused_reason = serializers.CharField(allow_blank=True)
    frees = serializers.CharField(allow_blank=True, help_text="What would change the answer.")
    parts = serializers.ListField(
        child=serializers.CharField(), help_text="What it can be done to; empty: the machine itself."
    )
    suggested = serializers.ListField(
        child=serializers.CharField(), help_text="Those its faults point to, taken when no part is named."
    )
    dark = serializers.BooleanField(help_text="It takes the machine down for a while.")
    deadline_s = serializers.IntegerField(min_value=1)
    verification = serializers.CharField(help_text="What must pass afterwards.")


class PlanMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.ChoiceField([str(state) for state in State])


class PlanFaultSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    text = serializers.CharField()


class PlanRowSerializer(serializers.Serializer):
    machine = PlanMachineSerializer()
    incident = serializers.IntegerField(allow_null=True)
    fault = PlanFaultSerializer(allow_null=True)
    checks = serializers.ListField(child=serializers.CharField())
    step = serializers.ChoiceField([str(step) for step in Step], allow_null=True)
    remedy = serializers.ChoiceField(REMEDY_NAMES, allow_null=True)
    level = serializers.ChoiceField([rung.value for rung in Rung], allow_null=True)
    mode = serializers.ChoiceField(RemedySwitch.Mode.values, allow_null=True)
    reason = serializers.CharField(allow_blank=True)
    allowed = serializers.BooleanField()
    refused_by = serializers.ChoiceField(GUARDS, allow_null=True)
    refused_reason = serializers.CharField(allow_blank=True)
    frees = serializers.CharField(allow_blank=True, help_text="What would change the answer.")
    next = serializers.CharField(allow_null=True, help_text="The remedy after it, or `person`.")


class MachineNameSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class StuckSerializer(serializers.Serializer):
    machine = MachineNameSerializer()
    state = serializers.ChoiceField([str(state) for state in State])
    since = serializers.DateTimeField()
    limit_s = serializers.IntegerField(min_value=1)
    over_since = serializers.DateTimeField()


class IncidentFaultSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    machine = MachineNameSerializer()
    slot = serializers.CharField()
    slot_text = serializers.CharField()
    fault_class = serializers.CharField()
    message = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(Fault.Status.choices)
