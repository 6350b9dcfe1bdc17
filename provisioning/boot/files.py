"""What a booting machine is given: its boot script and its install data. Pure text, no database."""

from __future__ import annotations

import re
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import yaml

LOCAL_BOOT = "#!ipxe\n# Rackside: already installed, boot from the disk\nexit\n"
INSTALLER_LOGS = ("subiquity-server-debug.log", "curtin-install.log")
"""The one that says most comes last: of what is too long, the end is kept."""
LOG_BYTES = 30_000
_MAC = re.compile(r"[0-9a-f]{12}")


def normal_mac(text: str) -> str | None:
    """`aa:bb:cc:dd:ee:ff` from any usual spelling; None when it is no MAC address."""
    digits = re.sub(r"[:\-.]", "", text.lower())
    if not _MAC.fullmatch(digits):
        return None
    return ":".join(digits[index : index + 2] for index in range(0, 12, 2))


ANSWERS = {
    "ubuntu": "autoinstall ds=nocloud-net;s={}",
    "debian": "auto=true priority=critical url={}preseed.cfg",
    "rhel": "inst.ks={}ks.cfg",
}
"""How each installer is told where its answers are: subiquity's, d-i's and anaconda's documentation."""


def boot_script(
    *, title: str, kernel_url: str, initrd_url: str, arguments: str, seed_url: str, system: str = "ubuntu"
) -> str:
    """An iPXE script that starts the installer with its data from `seed_url` (which ends in a slash).

    The kernel is told the initrd's name: a UEFI loader hands several files over and it has to find its own.
    """
    initrd = urlsplit(initrd_url).path.rpartition("/")[2] or "initrd"
    for told in (title, kernel_url, initrd_url, arguments, seed_url):
        if not told.isprintable():
            raise ValueError(f"{told[:60]!r} is more than one line of a boot script")
    words = [f"initrd={initrd}", ANSWERS[system].format(seed_url), arguments]
    return (
        f"#!ipxe\n# Rackside: {title}\nkernel {kernel_url} {' '.join(word for word in words if word)}\n"
        f"initrd {initrd_url}\nboot\n"
    )


def meta_data(*, instance_id: str, hostname: str) -> str:
    return yaml.safe_dump({"instance-id": instance_id, "local-hostname": hostname}, sort_keys=False)


def send_log(url: str, folder: str = "/var/log/installer") -> str:
    """A shell command that sends the ends of the installer's logs."""
    logs = " ".join(f"{folder}/{name}" for name in INSTALLER_LOGS)
    send = f"curl -fsS -m 30 -H 'Content-Type: text/plain' --data-binary @- {url}"
    return f"tail -q -c {LOG_BYTES} {logs} 2>/dev/null | {send}"


class _Literal(str):
    """A text that is written as a YAML block, as people expect of a key."""


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True  # installers' YAML readers need not know anchors


_Dumper.add_representer(
    _Literal, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
)


@dataclass(frozen=True, slots=True)
class Installed:
    """What makes an installed system ours. `seed_url` is where the machine reports; it ends in a slash."""

    hostname: str
    username: str
    authorized_key: str
    host_key_private: str
    host_key_public: str
    seed_url: str


def user_data(who: Installed, site_part: dict[str, Any]) -> str:
    """Autoinstall data: the installed system has this host key, lets this key in, and phones home at its first boot.

    While it works, the installer reports its steps (curtin's webhook reporter), and on a failure it sends the ends of
    its logs (`error-commands`, which subiquity runs then and only then). `site_part` is the site's own autoinstall
    mapping (storage, packages, ...). What identifies the machine is ours and replaces what the site wrote under the
    same key.
    """
    install = deepcopy(site_part)
    install["reporting"] = {
        **(install.get("reporting") or {}),
        "rackside": {"type": "webhook", "endpoint": f"{who.seed_url}report", "level": "INFO"},
    }
    install["error-commands"] = [*(install.get("error-commands") or []), send_log(f"{who.seed_url}log")]
    install["version"] = 1
    install["ssh"] = {**(install.get("ssh") or {}), "install-server": True, "allow-pw": False}
    install["ssh"]["authorized-keys"] = [who.authorized_key]
    install["user-data"] = _first_boot(who, install.get("user-data") or {})
    return _cloud_config({"autoinstall": install})


def first_boot_data(who: Installed, site_part: dict[str, Any]) -> str:
    """The same for a system that somebody else installs: cloud-init data of its first boot. `site_part` are the site's
    own keys of it."""
    return _cloud_config(_first_boot(who, deepcopy(site_part)))


def _first_boot(who: Installed, site_part: dict[str, Any]) -> dict[str, Any]:
    login: dict[str, Any] = {"name": who.username, "ssh_authorized_keys": [who.authorized_key], "lock_passwd": True}
    if who.username != "root":
        login |= {"shell": "/bin/bash", "sudo": "ALL=(ALL) NOPASSWD:ALL"}
    return {
        **site_part,
        "hostname": who.hostname,
        "disable_root": who.username != "root",
        "users": [login],
        "ssh_pwauth": False,
        "ssh_deletekeys": True,
        "ssh_genkeytypes": [],
        "ssh_keys": {"ed25519_private": _Literal(who.host_key_private), "ed25519_public": who.host_key_public},
        "phone_home": {
            "url": f"{who.seed_url}phone-home",
            "post": ["pub_key_ed25519", "instance_id", "hostname", "fqdn"],
            "tries": 10,
        },
    }


def _cloud_config(data: dict[str, Any]) -> str:
    return "#cloud-config\n" + yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=1000)
