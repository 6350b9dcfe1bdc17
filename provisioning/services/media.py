"""The boot medium of a machine: made for one attempt, read by its BMC, closed with the installation, taken out."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import structlog
import yaml
from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from core.models import cipher
from core.work.kinds import Lease, Work
from core.work.rules import Backoff
from provisioning.boot import answers as answer_files
from provisioning.boot import disks, files, network
from provisioning.conf import config
from provisioning.media import images
from provisioning.models import BootMedium, BootToken, RunMachine
from provisioning.queries import boot_disks, second_card
from provisioning.services.network_boot import (
    BootRefused,
    hash_of,
    installed,
    instance_id,
    limit_of,
    site_part,
    static_of,
)
from provisioning.services.progress import Progress, changing
from provisioning.steps import Status, StepName

log = structlog.get_logger(__name__)
MOST = 64
KNOWN_S = 5.0
"""So long a process serves a medium without asking the database again: a BMC reads it in thousands of small pieces."""
WAITS = (StepName.INSERT_MEDIA, StepName.POWER_ON, StepName.INSTALL_DATA, StepName.PHONE_HOME)
HELD = timedelta(days=1)
"""A run may be kept waiting between these steps, by the kill switch for instance; the token ends with the attempt."""


@dataclass(frozen=True, slots=True)
class Served:
    """What a process knows of a medium that it serves."""

    card: images.Card
    patches: list[images.Patch]
    known_at: float


_served: dict[str, Served] = {}


def make(run_machine_id: int, lease: UUID) -> str:
    """The address of this attempt's boot medium; the one that was made already, where the look before was lost.

    Raises BootRefused where the look is not ours any more, images.ImageError where the image does not take it.
    """
    with changing(run_machine_id) as progress:
        row = progress.row
        if row.lease != lease or row.status != Status.RUNNING or row.step != StepName.INSERT_MEDIA:
            raise BootRefused("no medium is being inserted", run_machine=run_machine_id)
        known = BootMedium.objects.filter(run_machine=row, closed_at=None).first()
        if known is not None:
            return str(json.loads(cipher().decrypt(bytes(known.content)))["address"])
        progress.revoke_tokens()
        chosen = config()
        card = images.card_of(chosen.boot_images, progress.run.image)
        if card is None:
            raise images.ImageError(f"there is no boot image {progress.run.image} any more")
        token, seed = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        BootToken.objects.create(
            run_machine=row,
            mac=row.machine.boot_mac,
            token_hash=hash_of(seed),
            user_data_at=progress.now,
            expires_at=progress.now + sum((limit_of(step) for step in WAITS), start=HELD),
        )
        texts = _texts(card, progress, seed)
        images.patches(card, texts)
        address = f"{settings.PUBLIC_URL}/boot/media/{token}/{images.FILE}"
        content = json.dumps({"address": address, "image": progress.run.image, "texts": texts})
        BootMedium.objects.create(
            run_machine=row, file=card.file, token_hash=hash_of(token), content=cipher().encrypt(content.encode())
        )
        return address


def _texts(card: images.Card, progress: Progress, seed: str) -> dict[str, str]:
    row, chosen = progress.row, config()
    where = boot_disks([row.machine]).get(row.machine_id)
    if isinstance(where, disks.NoDisk):
        raise images.ImageError(str(where))
    who = installed(progress, seed)
    static = static_of(row.machine)
    plan = network.netplan(row.machine.boot_mac, static, second_card(row.machine))
    title = f"Rackside, run {row.run_id}, {row.machine.device.name}"
    menus = images.menus(card, title, chosen.media_arguments)
    if card.family == "debian":
        answers = answer_files.preseed(who, where or (), static, mirror=chosen.debian_mirror, template=chosen.preseed)
        return {**menus, "/rackside/preseed.cfg": answers}
    return {
        **menus,
        "/rackside/user-data": files.user_data(who, site_part(row.machine, where)),
        "/rackside/meta-data": files.meta_data(instance_id=instance_id(row), hostname=who.hostname),
        "/rackside/vendor-data": "#cloud-config\n{}\n",
        "/rackside/network-config": yaml.safe_dump(plan, sort_keys=False),
    }


# ---- read by its BMC ----


def serve(token: str, *, address: str | None = None) -> Served:
    """The medium of this token. Raises BootRefused where none is open."""
    known, now = _served.get(token), time.monotonic()
    if known is not None and now - known.known_at < KNOWN_S:
        return known
    _served.pop(token, None)
    row = BootMedium.objects.filter(token_hash=hash_of(token), closed_at=None).first()
    if row is None:
        raise BootRefused("no open boot medium has this token", address=address)
    content = json.loads(cipher().decrypt(bytes(row.content)))
    card = images.card_of(config().boot_images, content["image"])
    if card is None or card.file != row.file:
        raise BootRefused("the boot image of this medium was replaced", address=address, medium=row.pk)
    BootMedium.objects.filter(pk=row.pk).update(read_at=timezone.now())
    for old in [each for each, served in _served.items() if now - served.known_at >= KNOWN_S]:
        _served.pop(old, None)
    _served[token] = Served(card, images.patches(card, content["texts"]), now)
    return _served[token]


def last_read(run_machine_id: int) -> str:
    """When the machine's open medium was read last, as ISO 8601; empty where it never was, or there is none."""
    row = BootMedium.objects.filter(run_machine=run_machine_id, closed_at=None).first()
    return row.read_at.isoformat() if row is not None and row.read_at is not None else ""


# ---- out of the BMCs of machines whose run has ended ----


def take_due() -> list[BootMedium]:
    """Lease closed media that may stand in their BMCs still, of machines that no run has; a few at once."""
    busy = RunMachine.objects.filter(status=Status.RUNNING.value).values("machine")
    rows = BootMedium.objects.exclude(run_machine__machine__in=busy).select_related("run_machine__run")
    return WORK.claim(rows, limit=MOST)


def ejected(medium: BootMedium) -> None:
    """It was seen to be out."""
    WORK.finish(medium, ended_at=timezone.now(), message="")


def _left_in(medium: BootMedium, reason: str) -> None:
    """After half a day of it the BMC is left to people, and the next run."""
    log.warning("boot_medium_left_in", medium=medium.pk, run_machine=medium.run_machine_id, reason=reason)
    WORK.finish(medium, ended_at=timezone.now(), message=reason[:300])


WORK = Work(
    name="boot medium left in a BMC",
    model=BootMedium,
    open=Q(closed_at__isnull=False, ended_at__isnull=True),
    hold=Lease(180),
    due="next_at",
    attempts="tries",
    most=12,
    retry=Backoff(60, 7200),
    reason="message",
    give_up=_left_in,
)
