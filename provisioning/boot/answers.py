"""Answer files of installers other than Ubuntu's, as templates that hold no logic: Debian's preseed, RHEL's kickstart.

A template is text with `$name` (`string.Template`); a site may bring its own, which gets the same names. What must not
be left to a template is made here: who may log in, the host key, the phone-home, the disks and the network.
Sources: Debian 12 installation guide, appendix B; RHEL 9 kickstart references (automatically installing RHEL).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import urlsplit

from drivers import shell
from provisioning.boot.disks import Match
from provisioning.boot.files import LOG_BYTES, Installed
from provisioning.boot.network import Static
from provisioning.failures.installer import WHOLE

TEMPLATES = Path(__file__).with_name("templates")
PRESEED, KICKSTART, FINISH = "preseed.cfg", "kickstart.cfg", "finish.sh"
DISKS = "/tmp/rackside-disks.ks"
NETWORK = "/tmp/rackside-network.ks"
BOND_OPTIONS = {
    "active-backup": "mode=active-backup,miimon=100",
    "802.3ad": "mode=802.3ad,miimon=100,lacp_rate=fast,xmit_hash_policy=layer3+4",
}
_SIZES = {"largest": "sort -rn", "smallest": "sort -n"}


class BadTemplate(ValueError):
    """A template that names what does not exist, or a value that no answer file takes; the text says which."""


def shipped(name: str) -> str:
    return (TEMPLATES / name).read_text()


def filled(template: str, values: Mapping[str, str]) -> str:
    try:
        return Template(template).substitute(values)
    except KeyError as error:
        raise BadTemplate(f"${error.args[0]} is none of {', '.join(sorted(values))}") from error
    except ValueError as error:
        raise BadTemplate(str(error)) from error


def finish(who: Installed) -> str:
    """The shell script that makes the installed system ours."""
    values = {
        "username": who.username, "authorized_key": who.authorized_key, "hostname": who.hostname,
        "host_key_public": who.host_key_public, "phone_home": f"{who.seed_url}phone-home",
    }  # fmt: skip
    words = {name: shell.word(value) for name, value in values.items()}
    return filled(shipped(FINISH), {**words, "host_key_private": shell.literal(who.host_key_private)})


def _carried(script: str) -> str:
    """A command that runs a script whatever quotes and line ends it has."""
    return f"echo {base64.b64encode(script.encode()).decode()} | base64 -d | /bin/sh"


def report(name: str, description: str, *, failed: bool = False) -> dict[str, str]:
    """One event as curtin's reporter has them (`provisioning.failures.installer`)."""
    ends = {"event_type": "finish", "result": "FAIL"} if failed else {"event_type": "start"}
    return {"name": name, "description": description, "origin": "rackside", **ends}


# ---- disks ----


def pick_disks(matches: Sequence[Match]) -> list[str]:
    """Shell statements of one line each: the kernel's names of the disks of the rule in `$picked`; without one, `fail`.

    For `sh` of busybox (d-i) and of anaconda. A disk is known by serial, model and size, as in `disks.storage`; one
    that was picked is not picked again. Without a rule: the only disk there is; of several none is guessed.
    """
    statements = [
        "picked=''",
        "all() { for each in /sys/block/*; do "
        "case ${each##*/} in loop*|ram*|zram*|sr*|dm-*|md*|fd*) continue;; esac; "
        '[ "$(cat $each/removable)" = 0 ] || continue; echo "$(cat $each/size) ${each##*/}"; done; }',
        "says() { for each in device/serial serial device/model wwid device/wwid; do "
        "cat /sys/block/$1/$each 2>/dev/null || true; done; "
        """ls -l /dev/disk/by-id 2>/dev/null | grep "/$1"'$' || true; }""",
        # a word that it says, the order of sizes, and 0 for no spinning one, 1 for one
        "pick() { for disk in $(all | $2 | cut -d' ' -f2); do "
        'case " $picked " in *" $disk "*) continue;; esac; '
        '[ -z "$3" ] || [ "$(cat /sys/block/$disk/queue/rotational)" = "$3" ] || continue; '
        '[ -z "$1" ] || says $disk | grep -qF -- "$1" || continue; '
        'picked="$picked $disk"; return 0; done; fail "no disk is: $1"; }',
    ]
    if not matches:
        several = "there are several disks, and no rule says which"
        statements.append(f"""if [ "$(all | wc -l)" -gt 1 ]; then fail "{several}"; else pick '' cat ''; fi""")
    for match in matches:
        word = str(match.get("serial") or match.get("model") or "").strip("*")
        order = _SIZES.get(str(match.get("size", "")), "cat")
        spins = ("0" if match["ssd"] else "1") if "ssd" in match else ""
        statements.append(f"pick {shell.word(word)} {shell.word(order)} {shell.word(spins)}")
    return statements


# ---- Debian ----


def preseed(who: Installed, matches: Sequence[Match], static: Static | None, *, mirror: str, template: str = "") -> str:
    """Debian's answers. Raises BadTemplate."""
    address = urlsplit(mirror)
    values = {
        "title": f"for {who.hostname}",
        "hostname": _word(who.hostname),
        "network": _netcfg(static),
        "mirror_host": _word(address.netloc),
        "mirror_folder": _word(address.path or "/debian"),
        "disks": _partman(who, matches),
        "late": f"in-target /bin/sh -c '{_carried(finish(who))}'",
    }
    return filled(template or shipped(PRESEED), values)


def _netcfg(static: Static | None) -> str:
    if static is None:
        return "d-i netcfg/disable_autoconfig boolean false"
    lines = [
        "d-i netcfg/disable_autoconfig boolean true",
        f"d-i netcfg/get_ipaddress string {static.address.ip}",
        f"d-i netcfg/get_netmask string {static.address.netmask}",
        f"d-i netcfg/get_gateway string {static.router or 'none'}",
        f"d-i netcfg/get_nameservers string {' '.join(static.resolvers)}",
        "d-i netcfg/confirm_static boolean true",
    ]
    if static.vlan:
        lines += ["d-i netcfg/use_vlan boolean true", f"d-i netcfg/vlan_id string {static.vlan}"]
    return "\n".join(lines)


def _partman(who: Installed, matches: Sequence[Match]) -> str:
    """The disks are picked by a script right before partman asks for them; it also says that the installer works.

    In one line without `\\`: debconf's reader would take more for itself, and d-i has no base64.
    """
    failed = (
        report("partitioning", "Picking the disks", failed=True),
        report(WHOLE, "Debian's installer gives up", failed=True),
    )
    script = [
        _wget(who, report("d-i/install", "Debian's installer partitions the disks")),
        f"fail() {{ {'; '.join(_wget(who, each) for each in failed)}; sleep 86400; }}",
        *pick_disks(matches),
        "set -- $picked",
        'debconf-set partman-auto/disk "/dev/$1${2:+ /dev/$2}"',
        'debconf-set grub-installer/bootdev "/dev/$1${2:+ /dev/$2}"',
    ]
    if len(matches) == 2:
        script += [
            "part() { case $1 in *[0-9]) echo /dev/$1p$2;; *) echo /dev/$1$2;; esac; }",
            'debconf-set partman-auto-raid/recipe "1 2 0 ext4 / $(part $1 2)#$(part $2 2) ."',
        ]
    lines = [f"d-i partman/early_command string {'; '.join(script)}"]
    if len(matches) == 2:
        lines += [
            "d-i partman-auto/method string raid",
            "d-i partman-auto/expert_recipe string mirror :: 1024 1024 1024 free $iflabel{ gpt } "
            "method{ efi } format{ } . 4096 10000 -1 raid $primary{ } method{ raid } .",
        ]
    else:
        lines += ["d-i partman-auto/method string regular", "d-i partman-auto/choose_recipe select atomic"]
    return "\n".join(lines)


def _wget(who: Installed, event: Mapping[str, str]) -> str:
    said = shell.word(json.dumps(event).replace("'", ""))
    return (
        f"wget -q -O /dev/null --header=Content-Type:application/json --post-data={said} {who.seed_url}report || true"
    )


# ---- RHEL and its family ----


def kickstart(
    who: Installed, matches: Sequence[Match], static: Static | None, *, source: str, template: str = ""
) -> str:
    """Anaconda's answers. `source`: the address of the installation tree; empty: that of its medium.

    Raises BadTemplate.
    """
    values = {
        "title": f"for {who.hostname}",
        "hostname": _word(who.hostname),
        "network": f"%include {NETWORK}" if static and static.bond else _network_line(who, static),
        "source": f"url --url={_word(source)}" if source else "cdrom",
        "pre": "\n".join((_pick_cards(who, static), _pre(who, matches))),
        "post": finish(who),
        "onerror": _curl_log(who),
    }
    return filled(template or shipped(KICKSTART), values)


def _pick_cards(who: Installed, static: Static | None) -> str:
    """Kickstart knows the cards of a bond by the kernel's names alone, so they are looked up by MAC address; a machine
    that has one of the two gets the address without a bond."""
    if static is None or not static.bond:
        return ""
    bonded = _network_line(who, static, "bond0")
    options = f"--bondslaves=$first,$second --bondopts={BOND_OPTIONS[static.bond]}"
    return "\n".join(
        (
            "card() { for each in /sys/class/net/*; do "
            'if [ "$(cat "$each/address")" = "$1" ]; then echo "${each##*/}"; fi; done; }',
            f"first=$(card {static.mac}); second=$(card {static.second})",
            f'if [ -n "$first" ] && [ -n "$second" ]; then echo "{bonded} {options}" > {NETWORK}',
            f'else echo "{_network_line(who, static, "${first:-${second:-link}}")}" > {NETWORK}; fi',
        )
    )


def _network_line(who: Installed, static: Static | None, device: str = "") -> str:
    name = f"--hostname={_word(who.hostname)}"
    if static is None:
        return f"network --bootproto=dhcp --device=link --activate {name}"
    words = [
        "network --bootproto=static", f"--device={device or static.mac}", f"--ip={static.address.ip}",
        f"--netmask={static.address.netmask}", "--activate", name,
    ]  # fmt: skip
    words += [f"--gateway={static.router}"] if static.router else []
    words += [f"--nameserver={','.join(static.resolvers)}"] if static.resolvers else ["--nodns"]
    words += [f"--vlanid={static.vlan}"] if static.vlan else []
    return " ".join(words)


def _pre(who: Installed, matches: Sequence[Match]) -> str:
    told = json.dumps(report("anaconda/install", "Anaconda picks the disks"))
    tell = f"curl -fsS -m 30 -H Content-Type:application/json -d {shell.word(told)} {who.seed_url}report || true"
    mirrored = len(matches) == 2
    parts = (
        "part raid.esp1 --size=1024 --ondisk=$1", "part raid.esp2 --size=1024 --ondisk=$2",
        "part raid.root1 --size=8192 --grow --ondisk=$1", "part raid.root2 --size=8192 --grow --ondisk=$2",
        "raid /boot/efi --level=1 --device=esp --fstype=efi raid.esp1 raid.esp2",
        "raid / --level=1 --device=root --fstype=xfs raid.root1 raid.root2",
    ) if mirrored else ("reqpart --add-boot", "part / --size=8192 --grow --ondisk=$1")  # fmt: skip
    return "\n".join(
        (
            tell,
            'fail() { echo "$1" >&2; exit 1; }',
            *pick_disks(matches),
            "set -- $picked",
            f"cat > {DISKS} <<DISKS",
            "ignoredisk --only-use=$1${2:+,$2}",
            "zerombr",
            "clearpart --all --initlabel --drives=$1${2:+,$2}",
            "bootloader --boot-drive=$1",
            *parts,
            "DISKS",
        )
    )


def _curl_log(who: Installed) -> str:
    send = f"curl -fsS -m 30 -H 'Content-Type: text/plain' --data-binary @- {who.seed_url}log"
    return f"tail -q -c {LOG_BYTES} /tmp/storage.log /tmp/packaging.log /tmp/anaconda.log 2>/dev/null | {send}"


def _word(text: Any) -> str:
    """One word that no answer file reads as more. Raises BadTemplate."""
    if not re.fullmatch(r"[A-Za-z0-9._:/\-\[\]]+", str(text)):
        raise BadTemplate(f"{text!r} is not one word")
    return str(text)
