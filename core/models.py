"""Who may do what, and where: sites, users, roles, API tokens and encrypted credentials."""

from __future__ import annotations

from typing import ClassVar
from uuid import uuid4

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from knox.models import AbstractAuthToken

from core.audit.fields import JsonText
from core.outgoing.binding import Purpose


class Site(models.Model):
    """A place with its own rooms, staff and rights; every placed record reaches exactly one site."""

    slug = models.SlugField(unique=True)
    name = models.CharField(max_length=100)
    timezone = models.CharField(max_length=64, default="UTC")
    generated_until = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Of a demo: what happened before was made up."
    )

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class User(AbstractUser):  # type: ignore[django-manager-missing]  # knox names the relation of its tokens
    """A person or a script; rights come from `RoleGrant`, never from Django's own groups."""

    must_change_password = models.BooleanField(default=False, help_text="Set with a one-time password.")

    def display_name(self) -> str:
        return self.get_full_name() or self.username


class Role(models.TextChoices):
    VIEWER = "viewer"
    TECHNICIAN = "technician"
    OPERATOR = "operator"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        return list(Role).index(self)


class RoleGrant(models.Model):
    """A role of a user on one site, or on every site when `site` is empty."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="grants")
    site = models.ForeignKey(Site, on_delete=models.CASCADE, null=True, blank=True, related_name="grants")
    role = models.CharField(max_length=16, choices=Role.choices)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "site"], name="one_role_per_user_and_site", nulls_distinct=False),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="role_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.site or 'every site'}"


class ApiToken(AbstractAuthToken):
    """A token of a script: stored as a hash, may expire, may be limited to a role below its user's."""

    name = models.CharField(max_length=100, blank=True)
    role = models.CharField(max_length=16, choices=Role.choices, default=Role.ADMIN, help_text="Upper limit of rights.")

    class Meta:
        ordering: ClassVar = ["-created"]


class Pin(models.Model):
    """What a person types at a shared tablet; see `core.accounts.tablets`."""

    user = models.OneToOneField(User, on_delete=models.CASCADE, primary_key=True, related_name="pin")
    secret = models.BinaryField(
        editable=False, help_text="Its hash, encrypted: four digits are soon guessed from a hash."
    )
    misses = models.PositiveSmallIntegerField(default=0, help_text="Wrong ones since the last right one.")
    set_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"PIN of {self.user}"


class Tablet(models.Model):
    """A device that the people of a site share: whoever stands before it signs in with a PIN, as a technician there."""

    site = models.ForeignKey(Site, on_delete=models.CASCADE, related_name="tablets")
    name = models.CharField(max_length=60)
    digest = models.CharField(max_length=64, unique=True, editable=False, help_text="SHA-256 of what its cookie holds.")
    shared_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    shared_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["site", "name"], name="one_tablet_of_a_name"),
            models.CheckConstraint(condition=~Q(name=""), name="tablet_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


def cipher() -> MultiFernet:
    """The keys of RACKSIDE_CREDENTIAL_KEYS: the first encrypts, all decrypt, so keys can be rotated."""
    if not settings.CREDENTIAL_KEYS:
        raise ImproperlyConfigured("RACKSIDE_CREDENTIAL_KEYS is not set: credentials cannot be read or written")
    return MultiFernet([Fernet(key) for key in settings.CREDENTIAL_KEYS])


class Credential(models.Model):
    """A secret that another service is reached with, bound to the kind of that service and to hosts.

    Only `access.logins` reads it, after `core.outgoing` said that the call may use it; no API ever shows it.
    """

    class Kind(models.TextChoices):
        SSH_KEY = "ssh_key"
        PASSWORD = "password"

    name = models.CharField(max_length=100, unique=True)
    kind = models.CharField(max_length=16, choices=Kind.choices)
    purpose = models.CharField(
        max_length=10,
        choices=[(each.value, each.words) for each in Purpose],
        blank=True,
        help_text="The kind of service it opens; without one it is not used.",
    )
    hosts = ArrayField(
        models.CharField(max_length=253),
        default=list,
        blank=True,
        help_text="Networks, addresses and names it may be sent to; empty: addresses of the inventory's devices.",
    )
    site = models.ForeignKey(
        Site,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="credentials",
        help_text="The site whose administrators may use it; empty: administrators of every site.",
    )
    username = models.CharField(max_length=100)
    secret = models.BinaryField(editable=False)
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(purpose__in=["", *(each.value for each in Purpose)]), name="credential_purpose_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.kind})"

    def set_secret(self, plain: str) -> None:
        self.secret = cipher().encrypt(plain.encode())

    def reveal(self) -> str:
        """The plain secret. Raises `cryptography.fernet.InvalidToken` when no configured key fits."""
        return cipher().decrypt(bytes(self.secret)).decode()


class AuditChange(models.Model):
    """What somebody did in one transaction. Written by the triggers of `core.audit`, never by Python, never changed."""

    at = models.DateTimeField(db_default=Now())
    actor = models.CharField(max_length=200, help_text="User name, or what acted: command:load_fleet, task:...")
    kind = models.CharField(max_length=20, help_text="person, token, machine, anonymous, command, task, database.")
    source = models.CharField(max_length=400, blank=True, help_text="Method and path, task name or command.")
    request_id = models.CharField(max_length=100, blank=True)
    note = models.CharField(max_length=500, blank=True)
    undoes_id = models.BigIntegerField(null=True, help_text="The change that this one took back.")

    class Meta:
        ordering: ClassVar = ["-id"]
        indexes: ClassVar = [
            models.Index(fields=["at"], name="audit_change_at"),
            models.Index(fields=["actor", "id"], name="audit_change_actor"),
            models.Index(fields=["request_id"], name="audit_change_request", condition=~Q(request_id="")),
            models.Index(fields=["undoes_id"], name="audit_change_undoes", condition=Q(undoes_id__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"change {self.pk} by {self.actor}"


class AuditEntry(models.Model):
    """Up to 500 rows of one table and one site that one statement wrote."""

    class Action(models.TextChoices):
        CREATED = "created"
        CHANGED = "changed"
        DELETED = "deleted"

    change = models.ForeignKey(AuditChange, on_delete=models.DO_NOTHING, related_name="entries", db_constraint=False)
    site_id = models.BigIntegerField(null=True, help_text="Without a foreign key: the log outlives its site.")
    table_name = models.CharField(max_length=63)
    action = models.CharField(max_length=7, choices=Action.choices)
    size = models.PositiveIntegerField(help_text="How many rows.")
    about = models.JSONField(help_text="Table name to the ids of the rows, and of the records they belong to.")
    rows = JsonText(help_text="[{id, is, before, after}]: of a changed row only the columns that changed.")

    class Meta:
        ordering: ClassVar = ["id"]
        verbose_name_plural = "audit entries"
        indexes: ClassVar = [
            GinIndex(fields=["about"], name="audit_entry_about", opclasses=["jsonb_path_ops"]),
            models.Index(fields=["table_name", "change"], name="audit_entry_table"),
            models.Index(fields=["site_id", "change"], name="audit_entry_site"),
        ]

    def __str__(self) -> str:
        return f"{self.size} rows of {self.table_name} {self.action}"


class InstanceState(models.Model):
    """Where this database is at home, and whether it is paused: one row. See `core.instance.state`."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    identity = models.UUIDField(default=uuid4, help_text="A new one with every take-over.")
    home = models.JSONField(default=dict, help_text="Cluster, database and place in which it may act.")
    paused_at = models.DateTimeField(null=True)
    paused_reason = models.CharField(max_length=300, blank=True)
    taken_over_at = models.DateTimeField(null=True)
    taken_over_by = models.CharField(max_length=150, blank=True)
    taken_over_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        verbose_name_plural = "state of the instance"
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(id=1), name="one_instance"),
            models.CheckConstraint(condition=Q(paused_at=None) | ~Q(paused_reason=""), name="paused_has_a_reason"),
            models.CheckConstraint(
                condition=Q(taken_over_at=None) | (~Q(taken_over_by="") & ~Q(taken_over_reason="")),
                name="taken_over_has_who_and_why",
            ),
        ]

    def __str__(self) -> str:
        return f"instance {self.identity}"
