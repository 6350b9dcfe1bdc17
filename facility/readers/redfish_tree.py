"""The part of a Redfish service that measures, fetched within bounds: links by name, collections with their members.

    async with RedfishConnection(url, username, password, pinned) as service:
        tree = await fetched(service, SERVICE_ROOT, {"PowerEquipment": {"RackPDUs": {"Outlets": {}}}})
        outlets = tree.members(pdu, "Outlets")

A service with more than the bounds ends with an error and no tree: half of one would look like a device with half its
outlets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Any

from drivers.redfish_connection import RedfishConnection, RedfishError, RedfishStatus, link, members

MOST_RESOURCES = 600
"""Requests for one tree: a PDU with 48 outlets that gives its members one by one takes about 60."""
MOST_BYTES = 16 << 20
SENSORS = "Sensors"
NO_COLLECTIONS = ("PowerEquipment", "ThermalEquipment", "Metrics", "EnvironmentMetrics", "LeakDetection")
UNREAD = "it is listed and cannot be read"
Resource = Mapping[str, Any]
Plan = Mapping[str, "Plan"]
"""Names of links and what to follow behind each; `Links.X` is the list of that name under `Links`."""


class TooLarge(RedfishError):
    """It has more than is read."""


@dataclass(frozen=True)
class Tree:
    """Resources by their path. `clock`: the service's own time in seconds since 1970, where it tells one."""

    resources: Mapping[str, Resource] = field(default_factory=dict)
    clock: float | None = None

    def follow(self, resource: Resource, name: str) -> Resource:
        """What a link leads to; empty where there is none, or nothing behind it."""
        path = link(resource, name)
        return self.resources.get(_bare(path), {}) if path else {}

    def members(self, resource: Resource, name: str) -> list[Resource]:
        """The members of a collection; one that could not be read has its path and name alone."""
        collection = self.follow(resource, name)
        return [self.resources.get(_bare(path)) or untold(path) for path in members(collection)]

    def linked(self, resource: Resource, name: str) -> list[Resource]:
        """What the list of this name under `Links` leads to."""
        return [self.resources[path] for path in _links(resource, name) if path in self.resources]


async def fetched(service: RedfishConnection, start: str, plan: Plan) -> Tree:
    """Everything that a plan leads to from a resource on. Raises RedfishError's family; TooLarge beyond the bounds."""
    fetch = _Fetch(service)
    await fetch.follow(await fetch.get(start) or {}, plan)
    return Tree(fetch.found, _seconds(service.date))


def untold(path: str) -> dict[str, Any]:
    name = path.rstrip("/").rpartition("/")[2]
    return {"@odata.id": path, "Id": name, "Name": name, "Status": {"State": UNREAD}}


class _Fetch:
    def __init__(self, service: RedfishConnection) -> None:
        self.service = service
        self.found: dict[str, Resource] = {}
        self.asked = 0
        self.expands = True

    async def get(self, path: str) -> Resource | None:
        self._count()
        found = await self.service.get_or_none(path)
        if found is not None:
            self.found[_bare(path)] = {"@odata.id": _bare(path), **found}
        return self.found.get(_bare(path))

    async def follow(self, resource: Resource, plan: Plan) -> None:
        # Sensors come last: those whose readings stand elsewhere already need not be fetched one by one.
        for name, beyond in sorted(plan.items(), key=lambda each: each[0] == SENSORS):
            for path in _links(resource, name.removeprefix("Links.")) if "." in name else [link(resource, name)]:
                if path is not None:
                    await self._behind(name, path, beyond)

    async def _behind(self, name: str, path: str, plan: Plan) -> None:
        single = name in NO_COLLECTIONS or "." in name
        found = self.found.get(_bare(path)) or await (self.get(path) if single else self._collection(path))
        if found is None:
            return
        if "Members" not in found:
            await self.follow(found, plan)
            return
        skipped = self._told() if name == SENSORS else frozenset()
        for each in members(found):
            known = self.found.get(_bare(each))
            if known is None and _bare(each) not in skipped:
                known = await self.get(each)
            if known is not None:
                await self.follow(known, plan)

    async def _collection(self, path: str) -> Resource | None:
        """A resource; of a collection all pages, with its members where the service gives them in the same answer."""
        found = await self._expanded(path) if self.expands else None
        found = found or await self.get(path)
        rows = found.get("Members") if found else None
        if found is None or not isinstance(rows, list):
            return found
        listed = list(rows)
        page: Resource | None = found
        while page and isinstance(more := page.get("Members@odata.nextLink"), str):
            page = await self.get(more)
            rows = (page or {}).get("Members")
            listed += rows if isinstance(rows, list) else []
            self.found.pop(_bare(more), None)
        for row in listed:
            if isinstance(row, dict) and len(row) > 1 and isinstance(row.get("@odata.id"), str):
                self.found[_bare(row["@odata.id"])] = row
        self.found[_bare(path)] = {**found, "Members": listed}
        return self.found[_bare(path)]

    async def _expanded(self, path: str) -> Resource | None:
        try:
            self._count()
            found = await self.service.get(f"{path}?$expand=.($levels=1)")
        except RedfishStatus as error:  # a service that cannot expand says so in one of many ways
            self.expands = error.status == 404
            return None
        return {"@odata.id": _bare(path), **found}

    def _told(self) -> frozenset[str]:
        """Sensors whose reading stands in what was fetched."""
        return frozenset(
            _bare(uri)
            for resource in self.found.values()
            for excerpt in excerpts(resource)
            if isinstance(uri := excerpt.get("DataSourceUri"), str) and excerpt.get("Reading") is not None
        )

    def _count(self) -> None:
        self.asked += 1
        if self.asked > MOST_RESOURCES:
            raise TooLarge(f"it has more than {MOST_RESOURCES} resources of this kind")
        if self.service.received_bytes > MOST_BYTES:
            raise TooLarge(f"its resources are larger than {MOST_BYTES >> 20} MiB")


def excerpts(value: Any, depth: int = 4) -> Iterator[Resource]:
    """Every object in a resource that names the sensor it is of."""
    if isinstance(value, Mapping):
        if "DataSourceUri" in value:
            yield value
        inner: list[Any] = list(value.values())
    else:
        inner = value if isinstance(value, list) else []
    if depth:
        for each in inner:
            yield from excerpts(each, depth - 1)


def related(tree: Tree, resource: Resource) -> list[Resource]:
    """What a resource says that it is about."""
    paths = members({"Members": resource.get("RelatedItem")})
    return [tree.resources[_bare(path)] for path in paths if _bare(path) in tree.resources]


def _links(resource: Resource, name: str) -> list[str]:
    links = resource.get("Links")
    return members({"Members": links.get(name)}) if isinstance(links, Mapping) else []


def _bare(path: str) -> str:
    """Without a slash or a query at its end, so that a resource is known by one name."""
    return path.partition("?")[0].partition("#")[0].rstrip("/")


def _seconds(date: str) -> float | None:
    try:
        return parsedate_to_datetime(date).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
