"""Who writes: the roles by site, and the site of rows that do not name theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.accounts.scope import allows, request_roles, visible_site_ids
from core.models import Role


@dataclass(frozen=True)
class Scope:
    """`roles` as `core.accounts.scope` has them: site id (None: every site) to role."""

    roles: Mapping[int | None, Role]
    site: int | None = None

    @classmethod
    def of_request(cls, request: Any) -> Scope:
        return cls(request_roles(request))

    @classmethod
    def everything(cls, site: int | None = None) -> Scope:
        """For commands on the server itself."""
        return cls({None: Role.ADMIN}, site)

    def at(self, site: int | None) -> Scope:
        return replace(self, site=site)

    @property
    def visible(self) -> list[int] | None:
        """Ids of the sites that may be seen; None for all of them."""
        return visible_site_ids(dict(self.roles))

    def sees(self, site: int | None) -> bool:
        return site is None or None in self.roles or site in self.roles

    def may(self, role: Role, site: int | None) -> bool:
        return allows(dict(self.roles), site, role)
