"""The logs of a BMC over Redfish: system event log and lifecycle log, only what is new since the last read.

    reads = await read_logs(client, answers.manager, answers.system, cursors, wanted=(await client.dialect()).logs)

A cursor is the id of the newest entry that was read of a log, by the path of its entries; a log that was cleared since
starts again, so an unknown cursor means that all of it is new.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin

from drivers.redfish_connection import RedfishConnection, RedfishError, RedfishStatus, link, members

# What is asked of one log at most; with pages of 50 entries, as Dell's have them, 250 entries between two reads.
MAX_PAGES = 5
MAX_LOGS = 3
_WANTED = ("sel", "lclog", "log1", "event", "iml")


@dataclass(frozen=True)
class LogRead:
    """What one log had that is new, oldest first. `newest` is the next cursor. `cut`: there is more than was read."""

    path: str
    rows: tuple[Mapping[str, Any], ...]
    newest: str
    first: bool = False
    cut: bool = False


async def read_logs(
    client: RedfishConnection,
    manager: Mapping[str, Any] | None,
    system: Mapping[str, Any],
    cursors: Mapping[str, str],
    *,
    wanted: Sequence[tuple[str, str]] = (),
    boards: Sequence[str] = (),
) -> tuple[LogRead, ...]:
    """New entries of each log; an empty tuple where the BMC has none. Raises RedfishError.

    `wanted` are the logs of the BMC's dialect, `boards` the systems that `board` stands for in it. The paths of
    `cursors` are asked first and save looking for the logs; when one is gone, or none of them is wanted, they are
    looked for again.
    """
    if cursors and (not wanted or any(_is_wanted(path, wanted) for path in cursors)):
        try:
            return tuple([await _read(client, path, cursors) for path in sorted(cursors)])
        except RedfishStatus as error:
            if error.status != 404:
                raise
    paths = await _of_dialect(client, manager or {}, system, wanted, boards) if wanted else []
    if not paths:
        paths = await _by_name(client, manager or {}) or await _by_name(client, system)
    return tuple([await _read(client, path, cursors) for path in paths])


def _is_wanted(entries: str, wanted: Sequence[tuple[str, str]]) -> bool:
    """Whether the path of a log's entries is that of a wanted one, as far as the path alone tells."""
    return any(f"/LogServices/{name}/" in entries for _, name in wanted)


async def _of_dialect(
    client: RedfishConnection,
    manager: Mapping[str, Any],
    system: Mapping[str, Any],
    wanted: Sequence[tuple[str, str]],
    boards: Sequence[str],
) -> list[str]:
    """Where the entries of the dialect's logs are."""
    found: list[str] = []
    for whose in dict.fromkeys(owner for owner, _ in wanted):
        names = {name for owner, name in wanted if owner == whose}
        owners = [manager] if whose == "manager" else [system] if whose == "system" else []
        if whose == "board":
            owners = [await client.get(path) for path in boards]
        for owner in owners:
            services = [path for path in await _services(client, owner) if _name(path) in names]
            found += await _entries(client, services)
    return list(dict.fromkeys(found))


async def _by_name(client: RedfishConnection, owner: Mapping[str, Any]) -> list[str]:
    """Where the entries of an owner's logs are: of those known by name, else of the first few."""
    services = await _services(client, owner)
    named = [path for path in services if _name(path).lower() in _WANTED]
    return await _entries(client, (named or services)[:MAX_LOGS])


async def _services(client: RedfishConnection, owner: Mapping[str, Any]) -> list[str]:
    collection = link(owner, "LogServices")
    return members(await client.get(collection)) if collection else []


async def _entries(client: RedfishConnection, services: Sequence[str]) -> list[str]:
    found = [link(await client.get(path), "Entries") for path in services]
    return [path for path in found if path]


def _name(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


async def _read(client: RedfishConnection, path: str, cursors: Mapping[str, str]) -> LogRead:
    first, cursor = path not in cursors, cursors.get(path, "")
    rows: list[Mapping[str, Any]] = []
    url: str | None = path
    for _ in range(MAX_PAGES):
        page = await client.get(url or path)
        listed = page.get("Members")
        if not isinstance(listed, list):
            raise RedfishError(f"GET {url}: no list of entries in the answer")
        rows += [row for row in listed if isinstance(row, Mapping)]
        if rows and not any("Id" in row for row in rows):
            raise RedfishError(f"GET {url}: the entries are given as links only")
        url = _next(page, url or path)
        newest_first = _newest_first(rows)
        # The first read of a log starts at its newest page: what is older is history.
        if url is None or (newest_first and (first or _has(rows, cursor))):
            break
    ordered = rows[::-1] if newest_first else rows
    known = url is None or newest_first
    fresh = ordered if first else _after(ordered, cursor)
    return LogRead(
        path=path,
        rows=tuple(fresh),
        newest=_id(ordered[-1]) if ordered else "",
        first=first,
        cut=not known or (not first and url is not None and not _has(rows, cursor)),
    )


def _next(page: Mapping[str, Any], url: str) -> str | None:
    """The page after this one; some BMCs name it relative to this one. One at another address is never followed."""
    following = page.get("Members@odata.nextLink") or page.get("@odata.nextLink")
    place = urljoin(url, following) if isinstance(following, str) else ""
    return place if place.startswith("/") and not place.startswith("//") else None


def _newest_first(rows: Sequence[Mapping[str, Any]]) -> bool:
    """By time, else by number; one entry alone counts as newest first."""
    if len(rows) < 2:
        return True
    first, last = (str(row.get("Created") or "") for row in (rows[0], rows[-1]))
    if first != last:
        return first > last
    return _number(_id(rows[0])) >= _number(_id(rows[-1]))


def _has(rows: Sequence[Mapping[str, Any]], cursor: str) -> bool:
    return any(_id(row) == cursor for row in rows)


def _after(ordered: Sequence[Mapping[str, Any]], cursor: str) -> Sequence[Mapping[str, Any]]:
    """What comes after the entry of the cursor; everything when that entry is gone."""
    at = next((number for number, row in enumerate(ordered) if _id(row) == cursor), None)
    return ordered if at is None else ordered[at + 1 :]


def _id(row: Mapping[str, Any]) -> str:
    return str(row.get("Id") or "")


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 15 else 0
