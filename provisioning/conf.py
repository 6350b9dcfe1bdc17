"""What a site decides about provisioning, from environment variables (listed in docs/provisioning.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import environ
import yaml
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()
LEASE_FOLDERS = ["/var/lib/misc", "/var/lib/dnsmasq", "/var/lib/kea"]
"""Where Debian, RHEL and Kea itself keep them."""


@dataclass(frozen=True, slots=True)
class ProvisioningConfig:
    """Where the installer is fetched from, and how patient runs are."""

    kernel_url: str
    initrd_url: str
    kernel_arguments: str
    autoinstall: dict[str, Any]
    """The site's own part of the autoinstall data (storage, packages, ...); what Rackside sets wins."""
    time_scale: float
    """Every step's time limit is multiplied by it: below 1 in a demo, above 1 for slow machines."""
    limit_all_runs: int
    """How many machines may run at once in all runs together."""
    limit_a_rack: int
    """How many of one rack, so that not all of them are switched on together."""
    lease_folders: tuple[str, ...]
    """Folders in which lease files of DHCP servers are read; a file anywhere else is not."""
    bmc_setup: bool
    """Whether runs set up BMCs: a password of its own, and the settings of the model's profile."""
    firmware_folder: Path | None
    """Images of firmware that are pushed to BMCs, by the names that baselines have; None: there are none."""
    software_roles: Path | None
    """The site's own Ansible roles, which replace shipped ones by name; None: only those that are shipped."""


def config() -> ProvisioningConfig:
    """Read the environment. Raises ImproperlyConfigured for an autoinstall file that is not a YAML mapping, and for a
    value that would be more than one line of a boot script."""
    images = f"{settings.PUBLIC_URL}/boot-images"
    return ProvisioningConfig(
        kernel_url=_of_one_line("RACKSIDE_BOOT_KERNEL_URL", f"{images}/vmlinuz", blanks=False),
        initrd_url=_of_one_line("RACKSIDE_BOOT_INITRD_URL", f"{images}/initrd", blanks=False),
        kernel_arguments=_of_one_line("RACKSIDE_BOOT_KERNEL_ARGUMENTS", "ip=dhcp", blanks=True),
        autoinstall=_autoinstall(env.str("RACKSIDE_AUTOINSTALL_FILE", default="")),
        time_scale=env.float("RACKSIDE_PROVISION_TIME_SCALE", default=1.0),
        limit_all_runs=env.int("RACKSIDE_PROVISION_LIMIT", default=64),
        limit_a_rack=env.int("RACKSIDE_PROVISION_RACK_LIMIT", default=4),
        lease_folders=tuple(env.list("RACKSIDE_LEASE_FOLDERS", default=LEASE_FOLDERS)),
        bmc_setup=env.bool("RACKSIDE_BMC_SETUP", default=False),
        firmware_folder=_folder("RACKSIDE_FIRMWARE_FOLDER"),
        software_roles=_folder("RACKSIDE_SOFTWARE_ROLES"),
    )


def _of_one_line(name: str, usual: str, *, blanks: bool) -> str:
    value = env.str(name, default=usual)
    if any(not letter.isprintable() or (letter == " " and not blanks) for letter in value):
        raise ImproperlyConfigured(f"{name} is one line{'' if blanks else ' without blanks'}")
    return str(value)


def _folder(name: str) -> Path | None:
    path = env.str(name, default="")
    if path and not Path(path).is_dir():
        raise ImproperlyConfigured(f"{name}: there is no folder {path}")
    return Path(path) if path else None


def _autoinstall(path: str) -> dict[str, Any]:
    if not path:
        return {}
    try:
        document = yaml.safe_load(Path(path).read_text())
    except (OSError, yaml.YAMLError) as error:
        raise ImproperlyConfigured(f"RACKSIDE_AUTOINSTALL_FILE: {error}") from error
    if isinstance(document, dict) and set(document) == {"autoinstall"}:
        document = document["autoinstall"]
    if not isinstance(document, dict):
        raise ImproperlyConfigured("RACKSIDE_AUTOINSTALL_FILE is not a YAML mapping")
    return document
