"""Routes of view sets, with those for many records at once on the address of the list."""

from __future__ import annotations

from rest_framework.routers import DefaultRouter, Route

BULK = {"put": "bulk_put", "patch": "bulk_update", "delete": "bulk_destroy"}


class BulkRouter(DefaultRouter):
    """A view set with `bulk_update` takes PATCH with a list, and so on; others are as they were."""

    routes = [  # noqa: RUF012  (as DRF has it)
        route._replace(mapping=route.mapping | BULK)
        if isinstance(route, Route) and "list" in route.mapping.values()
        else route
        for route in DefaultRouter.routes
    ]
