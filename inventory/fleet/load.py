"""Load a fleet file: read, compare, refuse or write, and say what happened. All or nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from django.db import IntegrityError, transaction
from django.utils import timezone

from core.models import Site
from core.work.garbage import no_garbage_collection
from inventory.fleet import taken
from inventory.fleet.apply import Writer
from inventory.fleet.diff import TOLD, FleetDiff, compare, leaving
from inventory.fleet.expand import expand_file
from inventory.fleet.expansion import Expansion
from inventory.fleet.problems import FleetError, Origin
from inventory.fleet.rows import Owner, Stored
from inventory.fleet.store import known_components, owners_of_guids, owners_of_macs, read_site
from inventory.power import workstation
from live.events import emit

EXAMPLES = 3


@dataclass
class Report:
    """What a load did, or with `dry_run` would do."""

    site: str
    dry_run: bool
    prune: bool
    diff: FleetDiff
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        missing = self.prune and any(table.missing for table in self.diff.tables.values())
        return bool(missing) or not self.diff.empty

    def lines(self) -> Iterator[str]:
        for name, title in TOLD.items():
            table = self.diff.tables[name]
            counts = [f"{len(table.created)} new", f"{len(table.changed)} changed", f"{table.unchanged} unchanged"]
            if table.missing:
                counts.append(f"{len(table.missing)} {'removed' if self.prune else 'not in the file'}")
            examples = [("new", table.created), ("changed", table.changed), ("not in the file", table.missing)]
            told = [f"{word}: {_examples(keys)}" for word, keys in examples if keys and not _all_new(table)]
            yield f"  {title:14} {', '.join(counts)}" + (f"  ({'; '.join(told)})" if told else "")
        for item in self.diff.kept[:50]:
            since = f" on {item.since:%Y-%m-%d %H:%M}" if item.since else ""
            there = item.installed_serial or "what is there"
            yield (
                f"  kept {item.device} {item.slot}: {there} stays ({item.reason}{since}), "
                f"the file says {item.file_serial or 'no serial'}"
            )
        if len(self.diff.kept) > 50:
            yield f"  and {len(self.diff.kept) - 50} more kept"
        yield from (f"  warning: {warning}" for warning in self.warnings)
        verb = "no change"
        if self.changed:
            verb = "would change; nothing was written," if self.dry_run else "done"
        spent = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())
        yield f"site {self.site}: {verb} in {sum(self.seconds.values()):.1f} s ({spent})"


def load(
    path: Path,
    *,
    dry_run: bool = False,
    prune: bool = False,
    actor: str = "",
    when_read: Callable[[], None] = lambda: None,
    installed_at: datetime | None = None,
) -> list[Report]:
    """Make the database say what the file says, site by site. Raises FleetError, having changed nothing at all.

    `when_read` is called between reading the file and the first look at the database. `installed_at`: since when new
    parts sit where the file says, now without it.
    """
    try:
        with no_garbage_collection():
            started = time.monotonic()
            expansions = expand_file(path)
            read_s = (time.monotonic() - started) / len(expansions)
            when_read()
            with transaction.atomic():
                reports = [
                    _load_site(each, dry_run=dry_run, prune=prune, actor=actor, installed_at=installed_at)
                    for each in expansions
                ]
                if dry_run:
                    transaction.set_rollback(True)
    except IntegrityError as error:  # somebody wrote between our reading and our writing
        name = getattr(getattr(error.__cause__, "diag", None), "constraint_name", None) or error
        reason = f"somebody changed the inventory meanwhile ({name}): load the file again"
        raise FleetError([(Origin(str(path), 1), reason)]) from error
    for report in reports:
        report.seconds = {"read": read_s, **report.seconds}
    return reports


def _load_site(
    expansion: Expansion, *, dry_run: bool, prune: bool, actor: str, installed_at: datetime | None
) -> Report:
    started = time.monotonic()
    site = _locked_site(expansion)
    stored = read_site(site.pk)
    known = known_components(list(taken.identities(expansion.rows)))
    _refuse_what_is_taken(expansion, stored, known, prune=prune)
    diff = compare(expansion.rows, stored, known, prune=prune)
    report = Report(expansion.site.slug, dry_run, prune, diff)
    report.warnings = _warnings(expansion)
    compared = time.monotonic()
    report.seconds["compare"] = compared - started
    if not dry_run:
        _save_site(site, expansion)
        if report.changed:
            Writer(expansion.rows, stored, diff, timezone.now(), installed_at).write(prune=prune)
            _announce(site, report, actor)
        report.seconds["write"] = time.monotonic() - compared
    return report


def _warnings(expansion: Expansion) -> list[str]:
    """What is doubtful about the power inside the machines of the file; what is wrong refused the file."""
    return [
        f"device model {slug}: {finding.slot + ': ' if finding.slot else ''}{finding.reason}"
        for slug, spec in expansion.specs.items()
        for finding in workstation.check(spec)
    ]


def _locked_site(expansion: Expansion) -> Site:
    """The site's row, locked against another load but not against readers or sweeps."""
    section = expansion.site
    site, _ = Site.objects.get_or_create(
        slug=section.slug, defaults={"name": section.name, "timezone": section.timezone}
    )
    return Site.objects.select_for_update(no_key=True).get(pk=site.pk)


def _save_site(site: Site, expansion: Expansion) -> None:
    if (site.name, site.timezone) != (expansion.site.name, expansion.site.timezone):
        site.name, site.timezone = expansion.site.name, expansion.site.timezone
        site.save(update_fields=["name", "timezone"])


def _refuse_what_is_taken(
    expansion: Expansion, stored: Stored, known: dict[tuple[str, str, str], Owner], *, prune: bool
) -> None:
    rows = expansion.rows
    if not prune:
        taken.check_places(expansion, stored)
        taken.check_ports(expansion, stored)
    gone = leaving(rows, stored) if prune else set()
    for column, what in (("boot_mac", "boot MAC"), ("bmc_mac", "BMC MAC")):
        wanted = {name: value for name, row in rows.machines.items() if (value := getattr(row, column))}
        taken.check_identities(expansion, what, wanted, owners_of_macs(column, list(wanted.values())), gone)
    guids = {name: row.node_guid for name, row in rows.switches.items() if row.node_guid}
    taken.check_identities(expansion, "node GUID", guids, owners_of_guids(list(guids.values())), gone)
    taken.check_components(expansion, known)
    expansion.problems.stop_if_any()


def _announce(site: Site, report: Report, actor: str) -> None:
    tables = report.diff.tables
    emit(
        "inventory.reloaded",
        site_id=site.pk,
        subject=f"site:{site.pk}",
        actor=actor,
        data={
            "scope": {"site": site.pk, "slug": site.slug},
            "created_machines": len(tables["machines"].created),
            "retired_devices": len(tables["devices"].missing) if report.prune else 0,
            "created": {name: len(table.created) for name, table in tables.items() if table.created},
            "changed": {name: len(table.changed) for name, table in tables.items() if table.changed},
        },
    )


def _all_new(table: object) -> bool:
    created, changed, missing = (getattr(table, name) for name in ("created", "changed", "missing"))
    return bool(created) and not changed and not missing and not getattr(table, "unchanged", 0)


def _examples(keys: list[object]) -> str:
    texts = [" ".join(map(str, key)) if isinstance(key, tuple) else str(key) for key in keys[:EXAMPLES]]
    return ", ".join(texts) + (", .." if len(keys) > EXAMPLES else "")
