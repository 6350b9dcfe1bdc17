"""What BMCs tell of settings and firmware: read once a day where the model has a profile, and when somebody asks."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.bmc import BmcResult, failed
from access.queries import BmcTarget, bmc_targets
from access.services import ask_bmcs_again, record_bmc_identities
from core.work.kinds import Lease, Work
from core.work.queue import after_commit
from drivers.bmc.firmware import read_firmware
from drivers.bmc.settings import read_settings
from drivers.redfish import CertificateChanged, RedfishAuthError, RedfishError
from health.checks.model import ProfileRead
from inventory.models import Machine
from live.events import emit
from provisioning.bmc.comparison import (
    Baseline,
    Component,
    FirmwareDifference,
    Setting,
    SettingDifference,
    firmware_beside,
    sentences,
    settings_beside,
)
from provisioning.bmc.looks import LOOK_S, REQUEST_S, Look, Told
from provisioning.bmc.models import BmcProfile, BmcReading
from provisioning.waves.fitness import GONE
from provisioning.waves.policy import MachineState

WORK = Work(
    name="BMC reading",
    model=BmcReading,
    open=Q(next_at__isnull=False),
    hold=Lease(300, column="lease_until"),
    due="next_at",
)
AT_ONCE = 128
CONCURRENCY = 32
COUNTED = ("settings_differ", "firmware_differ", "differences")
EVERY = timedelta(hours=24)
TASK = "provisioning.bmc.tasks.read_due"
ACTOR = "bmc set-up"


def read_due() -> int:
    """Read the BMCs that are due, so many at once; returns how many were asked."""
    _add_missing()
    rows = {row.machine_id: row for row in WORK.claim(limit=AT_ONCE)}
    if not rows:
        return 0
    targets = bmc_targets(rows)
    looks = asyncio.run(_read_all(targets))
    store(looks)
    profiled = profiles_of(rows)
    _tell(rows)
    for pk, row in rows.items():
        WORK.finish(row, next_at=timezone.now() + EVERY if pk in profiled else None)
    return len(rows)


@transaction.atomic
def _tell(machine_ids: Collection[int]) -> None:
    sites = Counter(Machine.objects.filter(pk__in=list(machine_ids)).values_list("device__site_id", flat=True))
    for site, count in sites.items():
        emit("bmc_reading.changed", site_id=site, subject=f"site:{site}", data={"machines": count}, actor=ACTOR)


def ask(machine_ids: Collection[int]) -> None:
    """Let these machines be read as soon as a worker has time, those too that refused our password."""
    now = timezone.now()
    ask_bmcs_again(machine_ids)
    BmcReading.objects.bulk_create([BmcReading(machine_id=pk) for pk in machine_ids], ignore_conflicts=True)
    BmcReading.objects.filter(machine_id__in=list(machine_ids)).update(next_at=now)
    after_commit(TASK, robust=True)


def _add_missing() -> None:
    """Machines whose model got a profile, or that came since."""
    rows = Machine.objects.filter(device__model__bmc_profile__isnull=False, bmc_reading=None)
    new = rows.exclude(health__state__in=[state.value for state in GONE]).values_list("pk", flat=True)
    now = timezone.now()
    BmcReading.objects.bulk_create([BmcReading(machine_id=pk, next_at=now) for pk in new], ignore_conflicts=True)


# ---- asking ----


async def _read_all(targets: Sequence[BmcTarget]) -> list[tuple[BmcTarget, Look]]:
    gate = asyncio.Semaphore(CONCURRENCY)

    async def one(target: BmcTarget) -> tuple[BmcTarget, Look]:
        async with gate:
            return target, await _read(target)

    return await asyncio.gather(*(one(target) for target in targets))


async def _read(target: BmcTarget) -> Look:
    if not target.address:
        return Look(MachineState.UNREACHABLE, "no BMC address is known for this machine")
    client = target.client(REQUEST_S)
    try:
        async with asyncio.timeout(LOOK_S), client:
            settings = await read_settings(client)
            firmware = await read_firmware(client)
    except (CertificateChanged, RedfishAuthError) as error:
        return Look(MachineState.FAILED, str(error), met=failed(target, client, error))
    except (RedfishError, TimeoutError) as error:
        return Look(MachineState.UNREACHABLE, str(error) or "no answer in time")
    components = tuple(Component(each.id, each.name, each.version, each.path) for each in firmware)
    met = BmcResult(target, fingerprint=client.fingerprint)
    return Look(MachineState.OK, "", told=Told(settings, components), met=met)


# ---- keeping ----


@transaction.atomic
def store(looks: Iterable[tuple[BmcTarget, Look]]) -> None:
    """Keep what was told, with how many settings and components differ from the profile of each machine's model.

    What a BMC did not tell stays as it was read last, beside why it is not known now.
    """
    looks = list(looks)
    ids = [target.machine_id for target, _ in looks]
    record_bmc_identities([look.met for _, look in looks if look.met is not None], actor=ACTOR)
    BmcReading.objects.bulk_create([BmcReading(machine_id=pk) for pk in ids], ignore_conflicts=True)
    rows = {row.machine_id: row for row in BmcReading.objects.select_for_update().filter(machine_id__in=ids)}
    profiles, now = profiles_of(ids), timezone.now()
    for target, look in looks:
        row, told = rows[target.machine_id], look.told
        if told.settings is not None:
            row.found, row.pending = told.settings.found, told.settings.pending
        if told.firmware is not None:
            row.firmware = [_stored(each) for each in told.firmware]
        if told.settings is not None or told.firmware is not None:
            row.read_at, row.problem = now, ""
        elif look.state in (MachineState.UNREACHABLE, MachineState.FAILED):
            row.problem = look.message[:500]
        count(row, profiles.get(target.machine_id))
    columns = ["found", "pending", "firmware", "problem", "read_at", *COUNTED]
    BmcReading.objects.bulk_update(rows.values(), columns)


def _stored(each: Component) -> dict[str, str]:
    return {"id": each.id, "name": each.name, "version": each.version, "path": each.path}


def count(row: BmcReading, profile: BmcProfile | None) -> None:
    """Set how many settings and components of a reading differ, and the first in words; none without a profile."""
    settings, firmware = beside(row, profile)
    row.differences = sentences(settings, firmware)
    row.settings_differ, row.firmware_differ = len(settings), len(firmware)


def beside(row: BmcReading, profile: BmcProfile | None) -> tuple[list[SettingDifference], list[FirmwareDifference]]:
    """The differences of settings and of firmware."""
    if profile is None or row.read_at is None:
        return [], []
    components = [Component(**each) for each in row.firmware]
    return (
        settings_beside(settings_of(profile), row.found, row.pending),
        firmware_beside(baselines_of(profile), components),
    )


def settings_of(profile: BmcProfile) -> tuple[Setting, ...]:
    return tuple(Setting(**row) for row in profile.settings)


def baselines_of(profile: BmcProfile) -> tuple[Baseline, ...]:
    return tuple(Baseline(**row) for row in profile.firmware)


def profiles_of(machine_ids: Iterable[int]) -> Mapping[int, BmcProfile]:
    """The profile of each machine's model, where it has one. Two statements."""
    models = dict(Machine.objects.filter(pk__in=list(machine_ids)).values_list("pk", "device__model_id"))
    profiles = {row.model_id: row for row in BmcProfile.objects.filter(model_id__in=set(models.values()))}
    return {pk: profiles[model] for pk, model in models.items() if model in profiles}


def recount(profile: BmcProfile) -> None:
    """The profile changed: what was read is compared with the new one, without asking anybody."""
    rows = list(BmcReading.objects.select_for_update().filter(machine__device__model_id=profile.model_id))
    for row in rows:
        count(row, profile)
    BmcReading.objects.bulk_update(rows, COUNTED, batch_size=500)


# ---- for the check bmc.profile ----


def beside_profiles(machine_ids: Collection[int]) -> dict[int, ProfileRead]:
    """What each BMC told last beside the profile of its model, where there is one. One statement."""
    rows = Machine.objects.filter(pk__in=list(machine_ids), device__model__bmc_profile__isnull=False)
    columns = ("read_at", "settings_differ", "firmware_differ", "differences", "problem")
    now = timezone.now()
    return {
        pk: ProfileRead(
            (now - read_at).total_seconds() if read_at else None, (settings or 0) + (firmware or 0),
            tuple(differences or ()), problem or "",
        )
        for pk, read_at, settings, firmware, differences, problem in rows.values_list(
            "pk", *(f"bmc_reading__{name}" for name in columns)
        )
    }  # fmt: skip
