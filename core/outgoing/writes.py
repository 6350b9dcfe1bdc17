"""Routes of records of a site that are asked with a login: who writes which of their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from rest_framework import mixins
from rest_framework.exceptions import PermissionDenied
from rest_framework.serializers import BaseSerializer

from core.models import Role
from core.outgoing import rights


class LoginWrites(mixins.CreateModelMixin, mixins.UpdateModelMixin, mixins.DestroyModelMixin):
    """Each write by its service. `where_a_login_goes`: the fields that decide which login is sent where."""

    write_role: Role
    may: Callable[[Role, int | None], bool]
    where_a_login_goes: ClassVar[tuple[str, ...]] = ()
    pins: ClassVar[tuple[str, ...]] = ("identity",)
    save_row: ClassVar[Callable[..., Any]]
    """Of a record (none: a new one) and its fields."""
    delete_row: ClassVar[Callable[..., None]]

    def check_reach(self, serializer: BaseSerializer[Any], site: int) -> None:
        """Without an address and a credential nothing goes anywhere."""
        data = serializer.validated_data
        credential = data.get("credential", getattr(serializer.instance, "credential", None))
        if credential is not None or data.get("address"):
            rights.check_reach(self, serializer, self.where_a_login_goes, credential, site)

    def perform_create(self, serializer: BaseSerializer[Any]) -> None:
        self._save(serializer)

    def perform_update(self, serializer: BaseSerializer[Any]) -> None:
        self._save(serializer)

    def _save(self, serializer: BaseSerializer[Any]) -> None:
        site = serializer.validated_data.get("site") or serializer.instance.site  # type: ignore[union-attr]  # one is there
        if not self.may(self.write_role, site.pk):
            raise PermissionDenied("Your role on that site does not allow this.")
        self.check_reach(serializer, site.pk)
        rights.check_pins(self, serializer, self.pins, site.pk)
        serializer.instance = self.save_row(serializer.instance, serializer.validated_data)

    def perform_destroy(self, instance: Any) -> None:
        self.delete_row(instance)
