"""Records of this room that routes name otherwise than by their id: pools by role and model, schedulers by site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.accounts.scope import limit_to_sites
from core.models import Role
from core.openapi.references import called, fits, the_one, words
from health.machines.models.machines import Pool
from health.schedulers.models import SchedulerSource

Roles = Mapping[int | None, Role]
Near = Mapping[str, Sequence[str]]


def pools(names: Sequence[str], roles: Roles, near: Near) -> list[int]:
    """`core.openapi.references.Find` for pools: `compute`, or with the model as a machine shows it."""
    seen = limit_to_sites(Pool.objects.all(), dict(roles), "site_id").order_by()
    rows = list(seen.values_list("pk", "role", "model__slug", "model_id", "site_id", "site__slug"))
    sites, models = near.get("site", ()), near.get("model", ())

    def those(name: str) -> list[int]:
        return [
            pk for pk, role, slug, model, *site in rows
            if name in (role, f"{role} {slug}", f"{role} · {slug}")
            and fits(site, sites) and fits((model, slug), models)
        ]  # fmt: skip

    return [the_one("pool", name, those(name), "site or model") for name in names]


def schedulers(names: Sequence[str], roles: Roles, near: Near) -> list[int]:
    """The same for schedulers: a site has one."""
    seen = limit_to_sites(SchedulerSource.objects.filter(site__slug__in=set(names)), dict(roles), "site_id")
    found = {slug: [pk] for pk, slug in seen.order_by().values_list("pk", "site__slug")}
    return [the_one("scheduler", name, found.get(name, []), "site") for name in names]


def register() -> None:
    """Safe to call again."""
    words["pool"], called["pool"] = pools, "role, also with its model (`compute dell-xe9680-h100`)"
    words["schedulers"], called["schedulers"] = schedulers, "slug of its site"
