"""Reads a NetBox list by list and keeps every page, so that a read that broke off continues after the last one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from django.db import transaction

from inventory.models import NetBoxRow, NetBoxRun
from inventory.netbox.options import Options, OptionsError
from inventory.netbox.snapshot import COUNTED, READINGS, Reading, Snapshot
from inventory.netbox.source import Source, SourceDenied

CHUNK = 80
"""Ids in the filter of one request: an address line stays well below what web servers take."""

Progress = Callable[[str, int, int], None]


def read(run: NetBoxRun, source: Source, options: Options, progress: Progress) -> Snapshot:
    """All rows of the chosen sites. Raises SourceError with everything read so far kept in `run`."""
    for reading in READINGS:
        for step, filters in _filters(run, reading, options):
            _read_list(run, source, reading, step, filters, progress)
        if reading.endpoint == "dcim/sites":
            _check_sites(run, options)
    counts = _count(run, source, progress)
    return snapshot(run, options, counts)


def snapshot(run: NetBoxRun, options: Options, counts: dict[str, int]) -> Snapshot:
    """What was read, as the mapping takes it: of the sites only those that were chosen."""
    tables: dict[str, dict[int, dict[str, Any]]] = {}
    for endpoint, pk, data in run.rows.order_by("netbox_id").values_list("endpoint", "netbox_id", "data").iterator():
        tables.setdefault(endpoint, {})[pk] = data
    if options.sites:
        sites = tables.get("dcim/sites", {})
        tables["dcim/sites"] = {pk: row for pk, row in sites.items() if row["slug"] in options.sites}
    steps = run.steps.get("read", {})
    return Snapshot(tables, counts, {step: state["denied"] for step, state in steps.items() if "denied" in state})


def _filters(run: NetBoxRun, reading: Reading, options: Options) -> Iterator[tuple[str, dict[str, Any]]]:
    """The requests for a list: one, or one for each bunch of ids it is limited to."""
    filters: dict[str, Any] = dict(reading.filters)
    if reading.fields:
        filters["fields"] = reading.fields
    if reading.by_site and options.sites:
        filters["site_id"] = sorted(_site_ids(run, options))
    if not reading.by_type:
        yield reading.endpoint, filters
        return
    types = _used_types(run)
    for at in range(0, len(types), CHUNK):
        yield f"{reading.endpoint} {at // CHUNK}", {**filters, reading.by_type: types[at : at + CHUNK]}


def _site_ids(run: NetBoxRun, options: Options) -> list[int]:
    rows = run.rows.filter(endpoint="dcim/sites", data__slug__in=options.sites)
    return list(rows.values_list("netbox_id", flat=True))


def _used_types(run: NetBoxRun) -> list[int]:
    """Device types that devices are of; a library of thousands is not read along."""
    rows = run.rows.filter(endpoint="dcim/devices").values_list("data__device_type__id", flat=True)
    return sorted(set(rows.distinct()))


def _check_sites(run: NetBoxRun, options: Options) -> None:
    known = set(run.rows.filter(endpoint="dcim/sites").values_list("data__slug", flat=True))
    lost = sorted(set(options.sites) - known)
    if lost:
        raise OptionsError(f"NetBox has no site {lost[0]!r}; it has {', '.join(sorted(known)[:20]) or 'none'}")


def _read_list(
    run: NetBoxRun, source: Source, reading: Reading, step: str, filters: dict[str, Any], progress: Progress
) -> None:
    state = run.steps.setdefault("read", {}).setdefault(step, {"last_id": 0, "rows": 0, "done": False})
    while not state["done"]:
        try:
            page = source.page(reading.endpoint, filters, state["last_id"])
        except SourceDenied as error:
            if not reading.optional:
                raise
            state |= {"done": True, "denied": str(error)}
            run.save(update_fields=["steps"])
            return
        rows = [NetBoxRow(run=run, endpoint=reading.endpoint, netbox_id=row["id"], data=row) for row in page.rows]
        with transaction.atomic():
            NetBoxRow.objects.bulk_create(rows, ignore_conflicts=True)
            state |= {"last_id": page.last_id, "rows": state["rows"] + len(rows)}
            state["done"] = page.remaining <= 0 or not page.rows
            run.save(update_fields=["steps"])
        progress(f"reading {reading.endpoint}", state["rows"], state["rows"] + max(page.remaining, 0))


def _count(run: NetBoxRun, source: Source, progress: Progress) -> dict[str, int]:
    """How much there is of what is not read at all. What may not be counted is -1."""
    counts: dict[str, int] = run.steps.setdefault("counted", {})
    for endpoint, (filters, _) in COUNTED.items():
        if endpoint in counts:
            continue
        try:
            counts[endpoint] = source.count(endpoint, filters)
        except SourceDenied:
            counts[endpoint] = -1
        run.save(update_fields=["steps"])
    progress("reading done", 1, 1)
    return counts
