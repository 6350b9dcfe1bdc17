"""The machine's own side: it asks for its boot script, fetches its install data once, and phones home once."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

import asyncssh
import structlog
from django.conf import settings

from access.queries import ssh_targets
from access.services import install_host_key
from drivers.ssh import key_line, public_line
from inventory.models import Machine
from provisioning.boot import answers, disks, files, network
from provisioning.conf import Installer, config
from provisioning.models import BootToken, Run, RunMachine
from provisioning.queries import boot_disks, second_card
from provisioning.services.progress import Progress, changing
from provisioning.steps import ACCEPTANCE, BY_NAME, Failed, FailureClass, Heard, Status, StepName

log = structlog.get_logger(__name__)
HANDED_OUT = (StepName.POWER_ON, StepName.BOOT_SCRIPT, StepName.INSTALL_DATA)
INSTALLED = (StepName.PHONE_HOME, StepName.SSH, *ACCEPTANCE, StepName.CHECKS, StepName.READY)


class BootRefused(Exception):
    """The request gets nothing: no active run, a token that is used, dead or of another time, or wrong facts."""

    def __init__(self, reason: str, **facts: Any) -> None:
        super().__init__(reason)
        log.warning("boot_refused", reason=reason, **facts)


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def limit_of(step: StepName) -> timedelta:
    """A step's time."""
    return timedelta(seconds=BY_NAME[step].limit_s * config().time_scale)


# ---- boot script ----


def boot_script(mac: str, *, serial: str = "", address: str | None = None) -> str:
    """The boot script of the machine with this MAC address, or with this serial when the inventory has no MAC of it.

    Each call before the install data is fetched makes a new token and kills the one before. After it, the machine is
    told to boot from its disk. Raises BootRefused.
    """
    row_id = _waiting_for(mac, serial)
    if row_id is None:
        raise BootRefused("no active run for this machine", mac=mac, serial=serial, address=address)
    with changing(row_id, lock_run=False) as progress:
        answer = _boot_answer(progress, mac, serial, address)
        if answer is None:
            progress.log(f"A boot script was refused to {mac} (serial {serial or 'not given'}) at {address}")
    if answer is None:
        raise BootRefused("not expected in this step", mac=mac, serial=serial, address=address, run_machine=row_id)
    return answer


def _waiting_for(mac: str, serial: str) -> int | None:
    running = RunMachine.objects.filter(status=Status.RUNNING.value)
    found = running.filter(machine__boot_mac=mac).values_list("pk", flat=True).first()
    if found is None and serial:
        known = running.filter(machine__boot_mac="", machine__device__serial__iexact=serial)
        ids = list(known.values_list("pk", flat=True)[:2])
        found = ids[0] if len(ids) == 1 else None
    return found


def _boot_answer(progress: Progress, mac: str, serial: str, address: str | None) -> str | None:
    row, device = progress.row, progress.row.machine.device
    step = StepName(row.step)
    if row.status != Status.RUNNING or (serial and device.serial and serial.upper() != device.serial.upper()):
        return None
    if step in INSTALLED:
        progress.log("Asked for a boot script again: sent to boot from the disk")
        return files.LOCAL_BOOT
    if not progress.way.has(StepName.BOOT_SCRIPT):
        return None  # it is to start from its medium
    if step not in HANDED_OUT or (step is StepName.POWER_ON and progress.current.data.get("phase") != "on"):
        return None  # still running what was there before the restart
    progress.revoke_tokens()
    token = secrets.token_urlsafe(32)
    BootToken.objects.create(
        run_machine=row,
        mac=mac,
        token_hash=hash_of(token),
        client_address=address,
        expires_at=progress.now + limit_of(StepName.INSTALL_DATA),
    )
    if not progress.apply(Heard(StepName.BOOT_SCRIPT), f"{mac} at {address} has its boot script"):
        progress.log(f"Asked for its boot script again ({mac} at {address}): the token before is dead")
    system, installer = installer_of(progress.run)
    arguments = [installer.arguments, f"inst.repo={installer.tree}" if installer.tree else ""]
    return files.boot_script(
        system=system,
        title=f"run {row.run_id}, {device.name}",
        kernel_url=installer.kernel_url,
        initrd_url=installer.initrd_url,
        arguments=" ".join(each for each in arguments if each),
        seed_url=f"{settings.PUBLIC_URL}/boot/{token}/",
    )


def installer_of(run: Run) -> tuple[str, Installer]:
    """What a run installs by network boot; one of which the site took its setting away is the usual one again."""
    known = config().installers
    system = run.image if run.image in known else next(iter(known))
    return system, known[system]


# ---- install data ----


def find_token(token: str, address: str | None) -> BootToken:
    found = BootToken.objects.filter(token_hash=hash_of(token)).first()
    if found is None:
        raise BootRefused("unknown token", address=address)
    return found


def problem_of(progress: Progress, token: BootToken, step: StepName) -> str:
    """Why this token opens nothing now; empty when it does."""
    row = progress.row
    if token.revoked_at is not None or token.phoned_home_at is not None:
        return "the token is dead"
    if token.expires_at <= progress.now:
        return "the token is too old"
    if row.status != Status.RUNNING or row.step != step.value:
        return f"not expected in this step ({row.step}, {row.status})"
    if row.machine.boot_mac and row.machine.boot_mac != token.mac:
        return "the token was given to another MAC address"
    return ""


def meta_data(token: str, *, address: str | None = None) -> str:
    """Instance id and host name; no secret, any number of times while the token lives. Raises BootRefused."""
    found = find_token(token, address)
    with changing(found.run_machine_id, lock_run=False) as progress:
        found.refresh_from_db()
        problem = problem_of(progress, found, StepName(progress.row.step))
    if problem:
        raise BootRefused(problem, address=address, run_machine=found.run_machine_id)
    row = progress.row
    return files.meta_data(instance_id=instance_id(row), hostname=row.machine.device.name)


def instance_id(row: RunMachine) -> str:
    return f"rackside-{row.run_id}-{row.pk}-{row.attempt}"


def user_data(token: str, *, address: str | None = None) -> str:
    """The install data, once: it carries a new host key whose private half is never stored. Raises BootRefused."""
    found = find_token(token, address)
    with changing(found.run_machine_id, lock_run=False) as progress:
        found = BootToken.objects.select_for_update().get(pk=found.pk)
        problem = problem_of(progress, found, StepName.INSTALL_DATA)
        where = None if problem else boot_disks([progress.row.machine]).get(progress.row.machine_id)
        if problem:
            progress.log(f"Install data was refused to {address}: {problem}")
        elif isinstance(where, disks.NoDisk):
            problem = str(where)
            progress.apply(Failed(StepName.INSTALL_DATA, FailureClass.INSTALL_DISK), problem)
        else:
            try:
                text = _make_user_data(progress, found, token, address, where)
            except answers.BadTemplate as error:
                problem = f"the answer template: {error}"
                progress.apply(Failed(StepName.INSTALL_DATA, FailureClass.INSTALL_FAILED), problem)
    if problem:
        raise BootRefused(problem, address=address, run_machine=found.run_machine_id)
    return text


def _make_user_data(
    progress: Progress, found: BootToken, token: str, address: str | None, where: list[disks.Match] | None
) -> str:
    text = _answers(progress, installed(progress, token), where)
    found.user_data_at = progress.now
    found.expires_at = progress.now + limit_of(StepName.PHONE_HOME)
    found.save(update_fields=["user_data_at", "expires_at"])
    progress.apply(Heard(StepName.INSTALL_DATA), f"{address} has the install data")
    return text


def _answers(progress: Progress, who: files.Installed, where: list[disks.Match] | None) -> str:
    machine, chosen = progress.row.machine, config()
    system, installer = installer_of(progress.run)
    static = static_of(machine)
    if system == "debian":
        return answers.preseed(who, where or (), static, mirror=chosen.debian_mirror, template=chosen.preseed)
    if system == "rhel":
        return answers.kickstart(who, where or (), static, source=installer.tree, template=chosen.kickstart)
    return files.user_data(who, site_part(machine, where))


def static_of(machine: Machine) -> network.Static | None:
    """The fixed address of a machine, with its second card where its network has bonds."""
    networks = config().networks
    second = second_card(machine) if any(each.bond for each in networks) else ""
    return network.static_of(machine.primary_ip, machine.boot_mac, networks, second)


def site_part(machine: Machine, where: list[disks.Match] | None) -> dict[str, Any]:
    """The site's own part of the autoinstall data, with this machine's disks and address where it says nothing else."""
    chosen = config()
    ours: dict[str, Any] = {"storage": disks.storage(where)} if where else {}
    if static := static_of(machine):
        ours["network"] = network.netplan(machine.boot_mac, static)
    return {**ours, **chosen.autoinstall}


def installed(progress: Progress, token: str) -> files.Installed:
    """What makes the installed system ours. Its host key is new, and the private half is kept nowhere."""
    row = progress.row
    name = row.machine.device.name
    host_key = asyncssh.generate_private_key("ssh-ed25519", comment=name)
    [target] = ssh_targets([row.machine_id])
    row.host_key = key_line(host_key)
    return files.Installed(
        hostname=name,
        username=target.username,
        authorized_key=f"{public_line(target.private_key)} rackside",
        host_key_private=host_key.export_private_key().decode(),
        host_key_public=f"{key_line(host_key)} {name}",
        seed_url=f"{settings.PUBLIC_URL}/boot/{token}/",
    )


def first_boot_data(run_machine_id: int, lease: UUID) -> str:
    """Cloud-init data for a machine that an engine has installed by others, with a token to phone home with.

    Made anew by each call, and the one before is dead. Raises BootRefused where the look is not ours any more.
    """
    with changing(run_machine_id) as progress:
        row = progress.row
        if row.lease != lease or row.status != Status.RUNNING or row.step != StepName.DEPLOY:
            raise BootRefused("no deployment is under way", run_machine=run_machine_id)
        progress.revoke_tokens()
        token = secrets.token_urlsafe(32)
        BootToken.objects.create(
            run_machine=row,
            mac=row.machine.boot_mac,
            token_hash=hash_of(token),
            user_data_at=progress.now,
            expires_at=progress.now + limit_of(StepName.DEPLOY) + limit_of(StepName.PHONE_HOME),
        )
        of_site = config().autoinstall.get("user-data") or {}
        return files.first_boot_data(installed(progress, token), of_site)


# ---- phone home ----


def phone_home(token: str, posted: Mapping[str, str], *, address: str | None = None) -> None:
    """The installed system reports: its host key becomes the known one in this transaction. Raises BootRefused."""
    found = find_token(token, address)
    with changing(found.run_machine_id, lock_run=False) as progress:
        row = progress.row
        found = BootToken.objects.select_for_update().get(pk=found.pk)
        # It may be quicker than whoever says that it is deployed, and an installer that reports nothing was not heard.
        early = progress.row.step in (StepName.DEPLOY, StepName.INSTALL_DATA) and found.user_data_at is not None
        problem = problem_of(progress, found, StepName(progress.row.step) if early else StepName.PHONE_HOME)
        presented = " ".join(str(posted.get("pub_key_ed25519", "")).split()[:2])
        if not problem and presented not in ("", "N/A", row.host_key):
            problem = "it has another host key than the one it was given"
        if problem:
            progress.log(f"A phone-home from {address} was refused: {problem}")
        else:
            found.phoned_home_at = progress.now
            found.save(update_fields=["phoned_home_at"])
            install_host_key(row.machine_id, row.host_key, actor=progress.actor)
            progress.close_media()
            progress.apply(Heard(StepName.PHONE_HOME), f"installed and started, called from {address}")
    if problem:
        raise BootRefused(problem, address=address, run_machine=found.run_machine_id)
