"""What a site decides about provisioning, from environment variables (listed in docs/provisioning.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import environ
import yaml
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from provisioning.boot.network import BadNetwork, Network, networks_of

env = environ.Env()
LEASE_FOLDERS = ["/var/lib/misc", "/var/lib/dnsmasq", "/var/lib/kea"]
"""Where Debian, RHEL and Kea itself keep them."""


@dataclass(frozen=True, slots=True)
class Installer:
    """Kernel and initrd of an installer on a web server. `tree`: where RHEL's packages are."""

    kernel_url: str
    initrd_url: str
    arguments: str
    tree: str = ""


@dataclass(frozen=True, slots=True)
class ProvisioningConfig:
    """Where the installer is fetched from, and how patient runs are."""

    installers: dict[str, Installer]
    """What network boot installs, by name, the usual first."""
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
    dhcp_logs: tuple[Path, ...]
    """Logs of the DHCP servers of boot networks; empty: a machine's silence is explained by its BMC alone."""
    dhcp_log_zone: ZoneInfo
    """Of the times in these logs that tell none."""
    networks: tuple[Network, ...]
    """Networks whose machines get the address of the inventory; in others they ask by DHCP."""
    boot_images: Path | None
    """Where the boot images of virtual media are (`manage.py boot_image`); None: there are none."""
    media_arguments: str
    """Further arguments of the kernel of a boot medium."""
    debian_mirror: str
    preseed: str
    kickstart: str
    """The site's own templates of answers; empty: those that are shipped."""
    bmc_setup: bool
    """Whether runs set up BMCs: a password of its own, and the settings of the model's profile."""
    software: tuple[str, ...]
    gpu_tests: str
    fabric: bool
    """What a run does with installed machines before the checks, unless it says otherwise."""
    firmware_folder: Path | None
    """Images of firmware that are pushed to BMCs, by the names that baselines have; None: there are none."""
    software_roles: Path | None
    """The site's own Ansible roles, which replace shipped ones by name; None: only those that are shipped."""


def config() -> ProvisioningConfig:
    """Read the environment. Raises ImproperlyConfigured for an autoinstall file that is not a YAML mapping, and for a
    value that would be more than one line of a boot script."""
    return ProvisioningConfig(
        installers=_installers(f"{settings.PUBLIC_URL}/boot-images"),
        autoinstall=_autoinstall(env.str("RACKSIDE_AUTOINSTALL_FILE", default="")),
        time_scale=env.float("RACKSIDE_PROVISION_TIME_SCALE", default=1.0),
        limit_all_runs=env.int("RACKSIDE_PROVISION_LIMIT", default=64),
        limit_a_rack=env.int("RACKSIDE_PROVISION_RACK_LIMIT", default=4),
        lease_folders=tuple(env.list("RACKSIDE_LEASE_FOLDERS", default=LEASE_FOLDERS)),
        dhcp_logs=tuple(Path(path) for path in env.list("RACKSIDE_DHCP_LOGS", default=[])),
        dhcp_log_zone=_zone("RACKSIDE_DHCP_LOG_TIMEZONE"),
        networks=_networks(env.str("RACKSIDE_BOOT_NETWORKS_FILE", default="")),
        boot_images=_folder("RACKSIDE_BOOT_IMAGES"),
        media_arguments=_of_one_line("RACKSIDE_BOOT_MEDIA_ARGUMENTS", "", blanks=True),
        debian_mirror=_of_one_line("RACKSIDE_DEBIAN_MIRROR", "http://deb.debian.org/debian", blanks=False),
        preseed=_text("RACKSIDE_PRESEED_FILE"),
        kickstart=_text("RACKSIDE_KICKSTART_FILE"),
        bmc_setup=env.bool("RACKSIDE_BMC_SETUP", default=False),
        software=tuple(env.list("RACKSIDE_PROVISION_SOFTWARE", default=[])),
        gpu_tests=env.str("RACKSIDE_PROVISION_GPU_TESTS", default=""),
        fabric=env.bool("RACKSIDE_PROVISION_FABRIC", default=False),
        firmware_folder=_folder("RACKSIDE_FIRMWARE_FOLDER"),
        software_roles=_folder("RACKSIDE_SOFTWARE_ROLES"),
    )


def _installers(images: str) -> dict[str, Installer]:
    """Ubuntu's always; Debian's and RHEL's where the site names their kernel."""

    def word(name: str, usual: str = "") -> str:
        return _of_one_line(name, usual, blanks=False)

    ubuntu = Installer(
        word("RACKSIDE_BOOT_KERNEL_URL", f"{images}/vmlinuz"),
        word("RACKSIDE_BOOT_INITRD_URL", f"{images}/initrd"),
        _of_one_line("RACKSIDE_BOOT_KERNEL_ARGUMENTS", "ip=dhcp", blanks=True),
    )
    others = {
        name: Installer(
            word(f"RACKSIDE_{name.upper()}_KERNEL_URL"),
            word(f"RACKSIDE_{name.upper()}_INITRD_URL"),
            _of_one_line(f"RACKSIDE_{name.upper()}_KERNEL_ARGUMENTS", "", blanks=True),
            word(f"RACKSIDE_{name.upper()}_TREE_URL"),
        )
        for name in ("debian", "rhel")
    }
    missing = [name for name, each in others.items() if each.kernel_url and not each.initrd_url]
    if others["rhel"].kernel_url and not others["rhel"].tree:
        raise ImproperlyConfigured("RACKSIDE_RHEL_TREE_URL: where the packages of RHEL are")
    if missing:
        raise ImproperlyConfigured(f"RACKSIDE_{missing[0].upper()}_INITRD_URL: the initrd of that kernel")
    return {"ubuntu": ubuntu, **{name: each for name, each in others.items() if each.kernel_url}}


def _of_one_line(name: str, usual: str, *, blanks: bool) -> str:
    value = env.str(name, default=usual)
    if any(not letter.isprintable() or (letter == " " and not blanks) for letter in value):
        raise ImproperlyConfigured(f"{name} is one line{'' if blanks else ' without blanks'}")
    return str(value)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(env.str(name, default="UTC"))
    except (ValueError, ZoneInfoNotFoundError) as error:
        raise ImproperlyConfigured(f"{name}: there is no such time zone") from error


def _folder(name: str) -> Path | None:
    path = env.str(name, default="")
    if path and not Path(path).is_dir():
        raise ImproperlyConfigured(f"{name}: there is no folder {path}")
    return Path(path) if path else None


def _text(name: str) -> str:
    path = env.str(name, default="")
    try:
        return Path(path).read_text() if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error


def _networks(path: str) -> tuple[Network, ...]:
    try:
        return networks_of(yaml.safe_load(Path(path).read_text())) if path else ()
    except (OSError, yaml.YAMLError, BadNetwork) as error:
        raise ImproperlyConfigured(f"RACKSIDE_BOOT_NETWORKS_FILE: {error}") from error


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
