"""Reads of BMC set-up, each in a fixed number of statements."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import connection
from django.db.models import Count, F, Prefetch, Q, QuerySet

from inventory.models import Machine
from provisioning.bmc.models import BmcProfile, BmcRun, BmcRunMachine
from provisioning.waves.fitness import GONE


def runs() -> QuerySet[BmcRun]:
    """With the status of each machine as `statuses`."""
    rows = BmcRunMachine.objects.only("run_id", "status")
    return BmcRun.objects.prefetch_related(Prefetch("machines", queryset=rows, to_attr="statuses"))


def runs_with_machines() -> QuerySet[BmcRun]:
    """With each machine and its name as `statuses`."""
    rows = BmcRunMachine.objects.select_related("machine__device").order_by("pk")
    return BmcRun.objects.prefetch_related(Prefetch("machines", queryset=rows, to_attr="statuses"))


def machines(site_ids: Collection[int]) -> QuerySet[Machine]:
    """The machines that are here, with what is known of their BMCs, by name."""
    rows = Machine.objects.filter(device__site_id__in=site_ids)
    rows = rows.exclude(health__state__in=[state.value for state in GONE])
    return rows.select_related("device__model", "bmc_reading", "bmc_password").order_by("device__name")


NO_MACHINES = dict.fromkeys(
    ("machines", "read", "settings_differ", "firmware_differ", "own_password", "password_trouble"), 0
)


def models(site_ids: Collection[int]) -> list[dict[str, Any]]:
    """Every model that has machines at these sites: how many there are, were read, and differ. Two statements."""
    read = Q(bmc_reading__read_at__isnull=False)
    rows = (
        machines(site_ids)
        .order_by("device__model__slug")
        .values(slug=F("device__model__slug"), name=F("device__model__name"), vendor=F("device__model__vendor"))
        .annotate(
            machines=Count("pk"),
            read=Count("pk", filter=read),
            settings_differ=Count("pk", filter=Q(bmc_reading__settings_differ__gt=0)),
            firmware_differ=Count("pk", filter=Q(bmc_reading__firmware_differ__gt=0)),
            own_password=Count("pk", filter=Q(bmc_password__state="own")),
            password_trouble=Count("pk", filter=Q(bmc_password__state__in=["changing", "refused"])),
        )
    )
    profiles = {row.model.slug: row for row in BmcProfile.objects.select_related("model")}
    return [{**row, "profile": profiles.get(row["slug"])} for row in rows]


VERSIONS = """
    SELECT COALESCE(NULLIF(component ->> 'name', ''), component ->> 'id'), component ->> 'version',
           COUNT(DISTINCT machine_id)
      FROM provisioning_bmcreading, jsonb_array_elements(firmware) AS component
     WHERE machine_id = ANY(%s)
     GROUP BY 1, 2
     ORDER BY 1, 3 DESC, 2
"""


def versions(machine_ids: Iterable[int]) -> list[dict[str, Any]]:
    """Firmware of machines as a matrix: of each component by name, how many machines have which versions."""
    with connection.cursor() as cursor:
        cursor.execute(VERSIONS, [list(machine_ids)])
        rows = cursor.fetchall()
    return [
        {"component": name, "versions": [{"version": version, "machines": count} for _, version, count in group]}
        for name, group in groupby(rows, key=itemgetter(0))
    ]
