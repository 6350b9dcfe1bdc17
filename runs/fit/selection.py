"""Which machines are meant: names as Slurm lists them, a pool, the machines of a run or of a job, a partition."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.accounts.scope import limit_to_sites
from core.models import Role, Site
from drivers.scheduler import SchedulerError
from drivers.slurm.client import expand
from health.machines.models.machines import MachineHealth, Pool
from health.schedulers.models import SchedulerJob, SchedulerPartition
from inventory.models import Machine
from runs.models import RunRank, TrainingRun

MOST = 20_000
Roles = dict[int | None, Role]


class NotMeant(ValueError):
    """Nothing, or not one set, is meant; the message is for a person."""


@dataclass(frozen=True)
class Chosen:
    """Ids of machines of one site. `ordered`: the order means something, such as that of ranks. `lost` are names that
    no machine of the site has."""

    site: Site
    title: str
    ids: list[int]
    lost: tuple[str, ...] = ()
    ordered: bool = False
    run: str = "fit"
    """What torchrun's rendezvous is to be called."""


def by_hosts(text: str, site_id: int | None, roles: Roles) -> Chosen:
    """`hgx-a[01-08]-[01-04] hgx-b01-01`: names and host lists, with commas, blanks or lines between them."""
    try:
        names = sorted(expand(re.sub(r"\s+", ",", text.strip())))
    except SchedulerError as error:
        raise NotMeant(f"This is no list of machines: {error}") from error
    if len(names) > MOST:
        raise NotMeant(f"At most {MOST:,} machines.")
    rows = limit_to_sites(Machine.objects.filter(device__name__in=names), roles, "device__site_id")
    if site_id is not None:
        rows = rows.filter(device__site_id=site_id)
    found = list(rows.order_by("device__name").values_list("pk", "device__name", "device__site_id"))
    sites = {site for _, _, site in found}
    if not found:
        raise NotMeant("No machine has one of these names.")
    if len(sites) > 1:
        raise NotMeant("Machines of two sites: say at which site.")
    known = {name for _, name, _ in found}
    lost = tuple(name for name in names if name not in known)
    return Chosen(_site(sites.pop()), f"{len(names)} named", [pk for pk, _, _ in found], lost)


def by_pool(pool_id: int, roles: Roles) -> Chosen:
    pool = limit_to_sites(Pool.objects.filter(pk=pool_id), roles, "site_id").select_related("site", "model").first()
    if pool is None:
        raise NotMeant("There is no such pool.")
    return Chosen(pool.site, f"Pool {pool.role} · {pool.model.slug}", list(_in_use(pool)))


def _in_use(pool: Pool) -> list[int]:
    rows = MachineHealth.objects.filter(pool=pool).exclude(state__in=["new", "retired"])
    return list(rows.order_by("machine__device__name").values_list("pk", flat=True))


def by_run(run_id: int, roles: Roles) -> Chosen:
    """The machines of a training run, in the order of its ranks."""
    run = limit_to_sites(TrainingRun.objects.filter(pk=run_id), roles, "site_id").select_related("site").first()
    if run is None:
        raise NotMeant("There is no such run.")
    rows = list(RunRank.objects.filter(run=run).order_by("rank").values_list("machine_id", "machine_name"))
    ids = list(dict.fromkeys(pk for pk, _ in rows if pk is not None))
    lost = tuple(dict.fromkeys(name for pk, name in rows if pk is None))
    title = f"Machines of {run.name or run.key}, attempt {run.attempt}"
    return Chosen(run.site, title, ids, lost, ordered=True, run=_word(f"{run.key}-{run.attempt + 1}"))


def by_job(job: str, site_id: int | None, roles: Roles) -> Chosen:
    """The machines of a job of the scheduler, its newest run."""
    rows = limit_to_sites(SchedulerJob.objects.filter(job_id=job), roles, "source__site_id")
    if site_id is not None:
        rows = rows.filter(source__site_id=site_id)
    found = rows.select_related("source__site").order_by("-started_at").first()
    if found is None:
        raise NotMeant("The scheduler listed no such job.")
    return Chosen(found.source.site, f"Machines of job {job}", list(found.machine_ids), run=_word(job))


def by_partition(partition: str, site_id: int | None, roles: Roles) -> Chosen:
    """The machines of a partition as its scheduler listed them last; those that are not of the inventory are not told
    by name, only counted."""
    rows = limit_to_sites(SchedulerPartition.objects.filter(name=partition), roles, "source__site_id")
    if site_id is not None:
        rows = rows.filter(source__site_id=site_id)
    found = list(rows.select_related("source__site")[:2])
    if not found:
        raise NotMeant("No scheduler lists such a partition.")
    if len(found) > 1:
        raise NotMeant("Two schedulers have a partition of this name: say at which site, or give its host list.")
    (told,) = found
    title = f"Partition {partition}"
    if (others := told.machine_count - len(told.machine_ids)) > 0:
        title += f", {others} of its {told.machine_count} machines are not of the inventory"
    return Chosen(told.source.site, title, list(told.machine_ids))


def _site(pk: int) -> Site:
    return Site.objects.get(pk=pk)


def _word(text: str) -> str:
    """For a command line."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text) or "fit"
