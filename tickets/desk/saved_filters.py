"""Lists of tickets that somebody wants again: their own, or shared with a site."""

from __future__ import annotations

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from rest_framework import serializers

from core.accounts.scope import visible_site_ids
from core.models import Role, User
from inventory.services import Refused
from tickets.desk.models import SavedFilter

MOST_OF_ONE = 100
MOST_PARAMETERS = 30
# What a list may be asked beside its filters, and a filter may so remember.
BESIDE = frozenset({"search", "ordering", "columns"})


class SavedFilterSerializer(serializers.Serializer):
    id = serializers.IntegerField(read_only=True)
    name = serializers.CharField(max_length=60)
    query = serializers.DictField(
        child=serializers.ListField(child=serializers.CharField(max_length=200), max_length=20),
        help_text="Parameters of /api/tickets/, each with its values.",
    )
    site = serializers.IntegerField(
        source="site_id", min_value=1, max_value=2**63 - 1, allow_null=True, required=False, default=None,
        help_text="Shared with this site; null: only yours.",
    )  # fmt: skip
    owner = serializers.SerializerMethodField()
    own = serializers.SerializerMethodField()

    def get_owner(self, row: SavedFilter) -> str:
        return row.owner.display_name()

    def get_own(self, row: SavedFilter) -> bool:
        return bool(row.owner_id == self.context["user"].pk)


def seen_by(user: User, roles: dict[int | None, Role]) -> QuerySet[SavedFilter]:
    """Their own, and those shared with the sites they see."""
    sites = visible_site_ids(roles)
    shared = Q(site__isnull=False) if sites is None else Q(site__in=sites)
    return SavedFilter.objects.filter(Q(owner=user) | shared).select_related("owner")


def check(query: dict[str, Any], known: frozenset[str]) -> None:
    """Raises Refused for parameters that no list of tickets knows."""
    strange = sorted(set(query) - known - BESIDE)
    if strange or len(query) > MOST_PARAMETERS:
        raise Refused("query", f"The list of tickets has no {', '.join(strange)}." if strange else "Too many.")


@transaction.atomic
def save(owner: User, *, name: str, query: dict[str, list[str]], site_id: int | None) -> SavedFilter:
    """Raises Refused for a name that is taken."""
    if SavedFilter.objects.filter(owner=owner).count() >= MOST_OF_ONE:
        raise Refused("name", f"You have {MOST_OF_ONE} filters, which is the most.")
    try:
        with transaction.atomic():
            return SavedFilter.objects.create(owner=owner, name=name, query=query, site_id=site_id)
    except IntegrityError as error:
        raise Refused("name", "You have a filter of this name.") from error


@transaction.atomic
def remove(row: SavedFilter) -> None:
    row.delete()
