"""Who may change where a login is sent, and whose identity is trusted: shared by every route that stores either."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from rest_framework.exceptions import PermissionDenied
from rest_framework.serializers import BaseSerializer

from core.models import Credential, Role

PIN_REFUSAL = "Only an administrator of the site changes which certificate or host key is trusted."
REACH_REFUSAL = "Only an administrator of every site changes where a login is sent."


class Asker(Protocol):
    """A view that knows what the person who asks may do."""

    def may(self, role: Role, site_id: int | None) -> bool: ...


def changes(serializer: BaseSerializer[Any], names: Iterable[str]) -> list[str]:
    """Those of these fields that a request changes, emptied ones included; of a new record those that it fills."""
    data, row = serializer.validated_data, serializer.instance
    if row is None:
        return [name for name in names if data.get(name)]
    return [name for name in names if name in data and data[name] != getattr(row, name)]


def check_pins(view: Asker, serializer: BaseSerializer[Any], names: Iterable[str], site: int) -> None:
    """Setting, replacing and clearing a pin are one right: without a pin, whoever answers next is trusted."""
    if changes(serializer, names) and not view.may(Role.ADMIN, site):
        raise PermissionDenied(PIN_REFUSAL)


def check_reach(
    view: Asker, serializer: BaseSerializer[Any], names: Iterable[str], credential: Credential | None, site: int
) -> None:
    """A credential of one site is used by its administrators, one of every site by administrators of every site."""
    if changes(serializer, names) and not may_use(view, credential, site):
        raise PermissionDenied(REACH_REFUSAL)


def may_use(view: Asker, credential: Credential | None, site: int) -> bool:
    own = credential is not None and credential.site_id == site
    return view.may(Role.ADMIN, site if own else None)
