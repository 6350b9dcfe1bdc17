"""What goes in and out of the routes of vendor cases."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers

from access.fields import checked_url
from core.outgoing.permits import permit_field
from drivers.ticket_systems.techdirect import ACCOUNT, ADDRESS
from tickets.vendors.letters import FORMS
from tickets.vendors.models import CaseBundle, CaseMessage, VendorContact
from tickets.vendors.services import SECRETS
from tickets.vendors.states import Event, State, Vendor

VENDORS = [each.value for each in Vendor]
STATES = [each.value for each in State]
EVENTS = [each.value for each in Event]
CHANNELS = VendorContact.Channel.values
LONGEST = max(form.text for form in FORMS.values())


# ---- in ----


class CaseVersionSerializer(serializers.Serializer):
    version = serializers.IntegerField(
        required=False, min_value=1, max_value=2**31 - 1, help_text="The version the caller saw."
    )


class NewVendorCaseSerializer(serializers.Serializer):
    """A draft for the part of a ticket."""

    ticket = serializers.CharField(max_length=30, help_text="Such as REP-2041.")
    vendor = serializers.ChoiceField(VENDORS, required=False, help_text="Without it, as the inventory has it.")
    symptom = serializers.CharField(max_length=4000, required=False, allow_blank=True, default="")


class VendorCaseEditSerializer(CaseVersionSerializer):
    title = serializers.CharField(max_length=200, required=False)
    symptom = serializers.CharField(max_length=4000, required=False)
    text = serializers.CharField(max_length=LONGEST, required=False, trim_whitespace=False)
    part = serializers.CharField(max_length=60, required=False, allow_blank=True)
    service_tag = serializers.CharField(max_length=64, required=False, allow_blank=True)
    old_serial = serializers.CharField(max_length=64, required=False, allow_blank=True)
    old_part_number = serializers.CharField(max_length=60, required=False, allow_blank=True)
    warranty_until = serializers.DateField(required=False, allow_null=True)
    rewrite = serializers.BooleanField(default=False, help_text="Title and text anew from the facts.")


class VendorCaseMoveSerializer(CaseVersionSerializer):
    """One event, why, and what it brings along."""

    event = serializers.ChoiceField(EVENTS)
    reason = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")
    number = serializers.CharField(max_length=60, required=False)
    dispatch = serializers.CharField(max_length=60, required=False)
    carrier = serializers.CharField(max_length=40, required=False, allow_blank=True)
    tracking = serializers.CharField(max_length=80, required=False, allow_blank=True)
    return_tracking = serializers.CharField(max_length=80, required=False, allow_blank=True)
    return_due = serializers.DateField(required=False)
    return_owed = serializers.BooleanField(required=False, allow_null=True, default=None)
    new_serial = serializers.CharField(max_length=64, required=False, allow_blank=True)
    new_part_number = serializers.CharField(max_length=60, required=False, allow_blank=True)
    storage = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1)
    cost = serializers.DecimalField(max_digits=12, decimal_places=2, required=False, min_value=0)
    currency = serializers.RegexField(r"^[A-Z]{3}$", required=False, help_text="ISO 4217, with a cost.")
    text = serializers.CharField(max_length=LONGEST, required=False, trim_whitespace=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("cost" in attrs) != ("currency" in attrs):
            raise serializers.ValidationError({"currency": ["Cost and currency are given together."]})
        if attrs.get("return_owed") is None:
            attrs.pop("return_owed", None)
        return attrs


class VendorAnswerSerializer(serializers.Serializer):
    """What a vendor's system says of a case, found by its own number."""

    vendor = serializers.ChoiceField(VENDORS)
    number = serializers.CharField(max_length=60)
    event = serializers.ChoiceField(["accept", "ship", "deny"], required=False)
    status = serializers.CharField(max_length=100, required=False, allow_blank=True, default="")
    text = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")
    dispatch = serializers.CharField(max_length=60, required=False, allow_blank=True)
    carrier = serializers.CharField(max_length=40, required=False, allow_blank=True)
    tracking = serializers.CharField(max_length=80, required=False, allow_blank=True)


# ---- out ----


class CaseMachineSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    name = serializers.CharField()


class VendorCaseItemSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    site = serializers.IntegerField()
    ticket = serializers.CharField(help_text="Its key.")
    machine = CaseMachineSerializer(allow_null=True)
    vendor = serializers.ChoiceField(VENDORS)
    state = serializers.ChoiceField(STATES)
    number = serializers.CharField(allow_blank=True, help_text="The vendor's.")
    title = serializers.CharField(allow_blank=True)
    part = serializers.CharField(allow_blank=True)
    service_tag = serializers.CharField(allow_blank=True)
    old_serial = serializers.CharField(allow_blank=True)
    old_part_number = serializers.CharField(allow_blank=True)
    new_serial = serializers.CharField(allow_blank=True)
    carrier = serializers.CharField(allow_blank=True)
    tracking = serializers.CharField(allow_blank=True)
    return_tracking = serializers.CharField(allow_blank=True)
    warranty_until = serializers.DateField(allow_null=True)
    cost = serializers.DecimalField(max_digits=12, decimal_places=2, allow_null=True)
    currency = serializers.CharField(allow_blank=True)
    return_due = serializers.DateField(allow_null=True)
    days_overdue = serializers.IntegerField(help_text="Days since the failed part should have gone back; 0: it is not.")
    vendor_return = serializers.IntegerField(allow_null=True, help_text="The request with many machines it is part of.")
    version = serializers.IntegerField()
    opened_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class CaseFormSerializer(serializers.Serializer):
    """What the vendor's form takes, in letters, and what its support asks for."""

    title = serializers.IntegerField()
    text = serializers.IntegerField()
    collection = serializers.CharField(allow_blank=True)


class CaseChangeSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    at = serializers.DateTimeField()
    actor = serializers.CharField()
    event = serializers.CharField(allow_blank=True)
    state = serializers.ChoiceField(STATES)
    text = serializers.CharField()


class BundleFileSerializer(serializers.Serializer):
    name = serializers.CharField()
    size = serializers.IntegerField(help_text="Bytes.")


class BundleMissingSerializer(serializers.Serializer):
    name = serializers.CharField()
    reason = serializers.CharField()


class BundleProgressSerializer(serializers.Serializer):
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    stage = serializers.CharField()


class CaseBundleSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    status = serializers.ChoiceField(CaseBundle.Status.values)
    progress = BundleProgressSerializer()
    message = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    created_by = serializers.CharField()
    finished_at = serializers.DateTimeField(allow_null=True)
    size = serializers.IntegerField(help_text="Bytes, unpacked.")
    files = BundleFileSerializer(many=True)
    missing = BundleMissingSerializer(many=True)


class CaseMessageSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    kind = serializers.ChoiceField(CaseMessage.Kind.values)
    channel = serializers.ChoiceField(CHANNELS)
    status = serializers.ChoiceField(CaseMessage.Status.values)
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)


class VendorCaseSerializer(VendorCaseItemSerializer):
    symptom = serializers.CharField(allow_blank=True)
    text = serializers.CharField(allow_blank=True)
    dispatch = serializers.CharField(allow_blank=True)
    raw_status = serializers.CharField(allow_blank=True)
    new_part_number = serializers.CharField(allow_blank=True)
    component = serializers.IntegerField(allow_null=True)
    new_component = serializers.IntegerField(allow_null=True)
    return_owed = serializers.BooleanField()
    denials = serializers.IntegerField()
    opened_by = serializers.CharField()
    form = CaseFormSerializer()
    missing = serializers.ListField(child=serializers.CharField(), help_text="What the vendor wants and nobody gave.")
    channel = serializers.ChoiceField(CHANNELS)
    sends = serializers.BooleanField(help_text="Sending goes over the channel; otherwise a person sends it by hand.")
    may = serializers.ListField(child=serializers.ChoiceField(EVENTS))
    may_edit = serializers.BooleanField()
    changes = CaseChangeSerializer(many=True)
    bundles = CaseBundleSerializer(many=True)
    messages = CaseMessageSerializer(many=True)


class StockAdviceSerializer(serializers.Serializer):
    """A part number at a site: what is there, what is coming, how often it failed, how many to order."""

    site = serializers.IntegerField()
    site_name = serializers.CharField(allow_blank=True)
    kind = serializers.CharField()
    vendor = serializers.CharField(allow_blank=True)
    part_number = serializers.CharField()
    have = serializers.IntegerField()
    coming = serializers.IntegerField(help_text="Shipped by a vendor, not here yet.")
    minimum = serializers.IntegerField(help_text="As people set it, all storage places together.")
    failures = serializers.IntegerField()
    days = serializers.IntegerField(help_text="The time in which so many failed.")
    lead_days = serializers.IntegerField()
    wanted = serializers.IntegerField()
    order = serializers.IntegerField()
    why = serializers.CharField()


WANTED = {
    "mail": ("mail_to",),
    "http": ("url", "secret"),
    "techdirect": ("url", "token_url", "secret", "login_secret"),
}
"""What each channel needs before it sends."""
KEPT = {secret: column for column, (_, secret) in SECRETS.items()}
"""Where a secret is kept that was given once."""


class VendorContactSerializer(serializers.ModelSerializer[VendorContact]):
    """How a site reaches a vendor. Secrets are written and never told."""

    url = serializers.CharField(max_length=300, required=False, allow_blank=True)
    token_url = serializers.CharField(max_length=300, required=False, allow_blank=True)
    username = serializers.CharField(write_only=True, required=False, allow_blank=True, max_length=100)
    secret = serializers.CharField(
        write_only=True, required=False, max_length=4000, trim_whitespace=False,
        help_text="The signing secret (whsec_..), or that of the TechDirect client. Kept encrypted; never told.",
    )  # fmt: skip
    login_name = serializers.CharField(write_only=True, required=False, allow_blank=True, max_length=100)
    login_secret = serializers.CharField(
        write_only=True, required=False, max_length=4000, trim_whitespace=False,
        help_text="The password of the technician's login. Kept encrypted; never told.",
    )  # fmt: skip
    has_secret = serializers.SerializerMethodField()
    has_login = serializers.SerializerMethodField()

    class Meta:
        model = VendorContact
        fields: tuple[str, ...] = (
            "id", "site", "vendor", "channel", "enabled", "mail_to", "url", "token_url", "username", "secret",
            "login_name", "login_secret", "has_secret", "has_login", "person", "phone", "mail", "account",
            "return_days", "lead_days", "bundle_by_rule",
        )  # fmt: skip
        extra_kwargs: ClassVar = {
            "return_days": {"min_value": 1, "max_value": 365},
            "lead_days": {"min_value": 1, "max_value": 365},
        }

    def get_has_secret(self, row: VendorContact) -> bool:
        return row.credential_id is not None

    def get_has_login(self, row: VendorContact) -> bool:
        return row.login_id is not None

    def validate_url(self, text: str) -> str:
        return checked_url(text.strip(), such_as="https://service.example/cases", without="?#@") if text.strip() else ""

    def validate_token_url(self, text: str) -> str:
        return checked_url(text.strip(), such_as="https://service.example/token", without="?#@") if text.strip() else ""

    def validate_account(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict) or not set(value) <= {*ACCOUNT, "ship_to"}:
            raise serializers.ValidationError([f"An object with {', '.join(ACCOUNT)} and ship_to."])
        address = value.get("ship_to", {})
        if not isinstance(address, dict) or not set(address) <= {*ADDRESS, "AddressBookName"}:
            raise serializers.ValidationError([f"ship_to has AddressBookName, or {', '.join(ADDRESS)}."])
        texts = [each for each in (*value.values(), *address.values()) if not isinstance(each, dict)]
        if not all(isinstance(each, str) and len(each) <= 200 for each in texts):
            raise serializers.ValidationError(["Texts of at most 200 letters."])
        return value

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        site = attrs.get("site") or getattr(self.instance, "site", None)
        site_id = site.pk if site else None
        for name in ("url", "token_url"):
            if attrs.get(name):
                permit_field(name, None, None, attrs[name], site=site_id)
        moved = [name for name in ("url", "token_url") if name in attrs and attrs[name] != self._now({}, name)]
        if moved and self.instance is not None:
            used = WANTED.get(self._now(attrs, "channel"), ())
            for secret, kept in KEPT.items():
                if secret in used and getattr(self.instance, kept) is not None and secret not in attrs:
                    raise serializers.ValidationError({secret: ["Give it again: the one kept is for the host before."]})
        self._check_channel(attrs)
        return attrs

    def _check_channel(self, attrs: dict[str, Any]) -> None:
        """An enabled channel has all it needs."""
        if not self._now(attrs, "enabled"):
            return
        channel = self._now(attrs, "channel")
        wants = WANTED.get(channel)
        if wants is None:
            raise serializers.ValidationError(
                {"enabled": ["A case that a person sends by hand has no channel to enable."]}
            )
        if channel == "techdirect" and self._now(attrs, "vendor") != Vendor.DELL.value:
            raise serializers.ValidationError({"channel": ["TechDirect is Dell's."]})
        for name in wants:
            # A secret that is not given is the one that is kept.
            if not (attrs.get(name) or self._now({} if name in KEPT else attrs, KEPT.get(name, name))):
                raise serializers.ValidationError({name: ["Needed while the channel is enabled."]})

    def _now(self, attrs: dict[str, Any], name: str) -> Any:
        return attrs.get(name, getattr(self.instance, name, ""))
