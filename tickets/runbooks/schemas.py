"""What goes in and out of the routes of runbooks, and what a ticket shows of the one it follows."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from tickets.runbooks.document import ROLES, RUNS, SIGNS, SLUG, STEP_KINDS
from tickets.runbooks.language import STATES
from tickets.runbooks.models import ORIGINS, RUN_STATES, SIGN_KINDS, SLUG_LENGTH


def slug_field(**more: Any) -> serializers.RegexField:
    return serializers.RegexField(SLUG, max_length=SLUG_LENGTH, **more)


# ---- documents ----


class RunbookStepSerializer(serializers.Serializer):
    """One step of a document."""

    key = serializers.CharField()
    kind = serializers.ChoiceField(STEP_KINDS)
    title = serializers.CharField()
    text = serializers.CharField(help_text="Markdown, with {{ words }} and {% if states %}.")
    verifies = serializers.CharField(help_text="What shows that the step worked.")
    runs = serializers.ChoiceField(["", *RUNS], help_text="What the machine does itself.")
    needs_off = serializers.BooleanField(help_text="Hands go in: the machine must have been seen off.")
    sign = serializers.ChoiceField(SIGNS)
    role = serializers.ChoiceField(ROLES)


class RunbookDocumentSerializer(serializers.Serializer):
    """A whole runbook."""

    title = serializers.CharField()
    summary = serializers.CharField()
    role = serializers.ChoiceField(ROLES)
    minutes = serializers.IntegerField()
    people = serializers.IntegerField()
    safety = serializers.CharField(help_text="Markdown.")
    tools = serializers.ListField(child=serializers.CharField())
    parts = serializers.ListField(child=serializers.CharField())
    steps = RunbookStepSerializer(many=True)


# ---- in ----


class RunbookSiteSerializer(serializers.Serializer):
    site = serializers.IntegerField(min_value=1, max_value=2**63 - 1)


class RunbookDraftInSerializer(RunbookSiteSerializer):
    document = serializers.JSONField(help_text="May be wrong still; publishing refuses what is.")
    version = serializers.IntegerField(min_value=0, max_value=2**31 - 1, help_text="As it was read; 0 for a new draft.")


class RunbookDropSerializer(RunbookSiteSerializer):
    draft = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, default=0, help_text="The draft's version as it was read; 0: there was none."
    )


class RunbookPublishSerializer(RunbookDropSerializer):
    document = serializers.JSONField()
    note = serializers.CharField(max_length=300, help_text="Why it is changed.")
    number = serializers.IntegerField(
        min_value=0, max_value=2**31 - 1, allow_null=True, default=None,
        help_text="The site's own version as it was read, 0 for the shipped text. Without it any is replaced.",
    )  # fmt: skip


class RunbookRestoreSerializer(RunbookDropSerializer):
    note = serializers.CharField(max_length=300)


class RunbookPreviewInSerializer(serializers.Serializer):
    document = serializers.JSONField()
    states = serializers.DictField(
        child=serializers.BooleanField(allow_null=True), required=False, default=dict,
        help_text=f"What is so on the machine of the preview: {', '.join(STATES)}.",
    )  # fmt: skip


# ---- out ----


class RunbookItemSerializer(serializers.Serializer):
    slug = serializers.CharField()
    title = serializers.CharField()
    summary = serializers.CharField()
    role = serializers.ChoiceField(ROLES)
    minutes = serializers.IntegerField(allow_null=True)
    steps = serializers.IntegerField()
    origin = serializers.ChoiceField(ORIGINS)
    number = serializers.IntegerField(allow_null=True, help_text="Null: shipped, and no ticket followed it yet.")
    draft = serializers.BooleanField(help_text="Somebody edits it.")


class RunbookVersionItemSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    number = serializers.IntegerField()
    origin = serializers.ChoiceField(ORIGINS)
    title = serializers.CharField()
    note = serializers.CharField()
    published_by = serializers.CharField(allow_null=True)
    published_at = serializers.DateTimeField()


class RunbookDraftSerializer(serializers.Serializer):
    document = serializers.JSONField()
    version = serializers.IntegerField()
    saved_by = serializers.CharField()
    saved_at = serializers.DateTimeField()


class RunbookSerializer(RunbookItemSerializer):
    document = RunbookDocumentSerializer(allow_null=True)
    shipped = serializers.BooleanField(help_text="Rackside ships one of this name.")
    draft = RunbookDraftSerializer(allow_null=True)  # type: ignore[assignment]
    versions = RunbookVersionItemSerializer(many=True)


class RunbookDifferenceSerializer(serializers.Serializer):
    place = serializers.CharField()
    before = serializers.CharField()
    after = serializers.CharField()


class RunbookVersionSerializer(RunbookVersionItemSerializer):
    site = serializers.IntegerField()
    slug = serializers.CharField()
    document = RunbookDocumentSerializer()
    differences = RunbookDifferenceSerializer(many=True, help_text="To the version before it, or to `against`.")


class RunbookProblemSerializer(serializers.Serializer):
    place = serializers.CharField(help_text="Such as steps.2.text line 3, column 5.")
    reason = serializers.CharField()


class RunbookPreviewStepSerializer(serializers.Serializer):
    key = serializers.CharField()
    kind = serializers.ChoiceField(STEP_KINDS)
    title = serializers.CharField()
    html = serializers.CharField()
    verifies = serializers.CharField()
    runs = serializers.ChoiceField(["", *RUNS])
    needs_off = serializers.BooleanField()
    sign = serializers.ChoiceField(SIGNS)
    role = serializers.ChoiceField(ROLES)


class RunbookPreviewSerializer(serializers.Serializer):
    problems = RunbookProblemSerializer(many=True)
    safety = serializers.CharField(help_text="Safe HTML.")
    steps = RunbookPreviewStepSerializer(many=True)


class RunbookNameSerializer(serializers.Serializer):
    name = serializers.CharField()
    means = serializers.CharField()


class RunbookLanguageSerializer(serializers.Serializer):
    """What the texts of runbooks may use."""

    words = RunbookNameSerializer(many=True)
    states = RunbookNameSerializer(many=True)


class FailingStepSerializer(serializers.Serializer):
    """How often a step was done, passed over, opened again, and done before a verification that failed."""

    slug = serializers.CharField()
    step_key = serializers.CharField()
    done = serializers.IntegerField()
    skipped = serializers.IntegerField()
    undone = serializers.IntegerField()
    failed = serializers.IntegerField()


# ---- of a ticket ----


class TicketRunbookSerializer(serializers.Serializer):
    """The head of the runbook that a ticket follows, in the version it was opened with."""

    slug = serializers.CharField()
    number = serializers.IntegerField()
    newer = serializers.BooleanField(help_text="A newer version was published since.")
    title = serializers.CharField()
    role = serializers.ChoiceField(ROLES)
    minutes = serializers.IntegerField()
    people = serializers.IntegerField()
    safety = serializers.CharField(help_text="Safe HTML.")
    tools = serializers.ListField(child=serializers.CharField())
    parts = serializers.ListField(child=serializers.CharField())


class TicketStepRunSerializer(serializers.Serializer):
    """What the machine does itself at a step, and how far it is. `would`: what pressing it does."""

    runs = serializers.ChoiceField(RUNS)
    state = serializers.ChoiceField(["", *RUN_STATES])
    text = serializers.CharField()
    would = serializers.CharField()
    asked_by = serializers.CharField(allow_null=True)
    asked_at = serializers.DateTimeField(allow_null=True)
    may = serializers.BooleanField(help_text="Whether this person may press it.")


class TicketStepSignSerializer(serializers.Serializer):
    kind = serializers.ChoiceField(SIGN_KINDS)
    by = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField(allow_null=True)
    tag = serializers.CharField()
    missing = serializers.CharField(help_text="What stands between this person and the tick; empty: nothing.")


class TicketSignSerializer(serializers.Serializer):
    version = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    tag = serializers.CharField(max_length=60, required=False, allow_blank=True, default="")


class TicketUseRunbookSerializer(serializers.Serializer):
    version = serializers.IntegerField(required=False, min_value=1, max_value=2**31 - 1)
    slug = slug_field()
