"""Answer files of Debian and RHEL: what they say, read by the programs that read them where these are there."""

from __future__ import annotations

import base64
import ipaddress
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from provisioning.boot import answers
from provisioning.boot.files import Installed
from provisioning.boot.network import BadNetwork, Static, netplan, networks_of, static_of

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl'bnNz$aC1\n-----END OPENSSH PRIVATE KEY-----\n"
SEED = "http://rackside/boot/abcdefghijklmnopqrst/"
WHO = Installed("gpu-1", "rackside", "ssh-ed25519 AAAA rackside", KEY, "ssh-ed25519 BBBB gpu-1", SEED)
STATIC = Static("02:00:00:00:00:01", ipaddress.IPv4Interface("10.20.0.5/16"), "10.20.0.1", ("10.20.0.2",), 0)
PAIR = [{"serial": "*S1*"}, {"serial": "*S2*"}]
MIRROR = "http://deb.example/debian"
CASES = pytest.mark.parametrize(
    ("matches", "static"),
    [([], None), ([{"size": "smallest", "ssd": True}], STATIC), (PAIR, STATIC), (PAIR, Static(STATIC.mac, STATIC.address, "", (), 12))],  # noqa: E501
    ids=["nothing known", "one disk", "two disks", "a VLAN"],
)  # fmt: skip


def carried(text: str) -> str:
    """The script that a command carries in base64."""
    found = re.search(r"echo ([A-Za-z0-9+/=]+) \| base64 -d", text)
    assert found
    return base64.b64decode(found[1]).decode()


def shell_reads(script: str) -> None:
    done = subprocess.run(["sh", "-n"], input=script, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


@CASES
def test_debconf_reads_the_preseed(matches: list[dict[str, Any]], static: Static | None) -> None:
    text = answers.preseed(WHO, matches, static, mirror=MIRROR)
    done = subprocess.run(["debconf-set-selections", "-c"], input=text, text=True, capture_output=True)
    assert (done.returncode, done.stderr) == (0, "")
    early = re.search(r"^d-i partman/early_command string (.*)$", text, re.M)
    assert early and "\\" not in early[1]
    shell_reads(early[1])
    shell_reads(carried(text))
    assert f"{SEED}phone-home" in carried(text) and f"{SEED}report" in early[1]
    assert ("partman-auto/method string raid" in text) == (len(matches) == 2)
    assert ("netcfg/get_ipaddress string 10.20.0.5" in text) == (static is not None)


@CASES
def test_the_kickstart_says_the_same(matches: list[dict[str, Any]], static: Static | None, tmp_path: Path) -> None:
    text = answers.kickstart(WHO, matches, static, source="http://images/rhel9")
    for part in re.findall(r"^%(?:pre|post|onerror) .*?\n(.*?)^%end", text, re.M | re.S):
        shell_reads(part)
    assert ("--device=02:00:00:00:00:01 --ip=10.20.0.5" in text) == (static is not None)
    assert ("raid / --level=1" in text) == (len(matches) == 2) and f"{SEED}phone-home" in text
    disks = re.search(r"<<DISKS\n(.*?)\nDISKS$", text, re.M | re.S)
    assert disks
    if validator := shutil.which("ksvalidator"):
        named = (
            disks[1].replace("${2:+,$2}", ",sdb" if len(matches) == 2 else "").replace("$1", "sda").replace("$2", "sdb")
        )
        (tmp_path / "ks.cfg").write_text(text.replace(f"%include {answers.DISKS}", named))
        done = subprocess.run([validator, "-v", "RHEL9", tmp_path / "ks.cfg"], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_system_gets_its_key_its_user_and_its_name_whatever_quotes_are_in_them(tmp_path: Path) -> None:
    """The script itself, with its root in a folder and nothing of this machine changed."""
    root = tmp_path / "root"
    (root / "etc/ssh").mkdir(parents=True)
    (root / "etc/sudoers.d").mkdir()
    (root / "etc/systemd/system").mkdir(parents=True)
    (root / "home").mkdir()
    script = answers.finish(WHO)
    for place in ("/etc/", "/var/lib/"):
        script = script.replace(place, f"{root}{place}")
    stubs = (
        "id() { return 0; }\nchown() { :; }\nsystemctl() { echo $@; }\nrestorecon() { :; }\n"
        f"getent() {{ echo rackside:x:1:1::{root}/home:/bin/sh; }}\n"
    )
    done = subprocess.run(["sh"], input=stubs + script, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    key = root / "etc/ssh/ssh_host_ed25519_key"
    assert key.read_text() == KEY and key.stat().st_mode & 0o777 == 0o600
    assert (root / "home/.ssh/authorized_keys").read_text() == "ssh-ed25519 AAAA rackside\n"
    assert (root / "etc/hostname").read_text() == "gpu-1\n" and "enable rackside-phone-home" in done.stdout
    shell_reads((root / "var/lib/rackside/phone-home").read_text())


# ---- disks ----


def picked(tmp_path: Path, matches: list[dict[str, Any]], disks: dict[str, tuple[int, str, str]]) -> str:
    """What the script picks among disks of /sys: sectors, serial, and whether they turn."""
    for name, (sectors, serial, turns) in disks.items():
        folder = tmp_path / "block" / name
        (folder / "queue").mkdir(parents=True)
        (folder / "size").write_text(str(sectors))
        (folder / "removable").write_text("0")
        (folder / "queue/rotational").write_text(turns)
        (folder / "serial").write_text(serial)
    script = "\n".join(['fail() { echo "fail: $1"; exit; }', *answers.pick_disks(matches), "echo $picked"])
    script = script.replace("/sys/block", str(tmp_path / "block"))
    return subprocess.run(["sh"], input=script, text=True, capture_output=True).stdout.strip()


DISKS = {"nvme0n1": (4000, "S2", "0"), "nvme1n1": (1000, "S1", "0"), "sda": (500, "S3", "1"), "loop0": (1, "", "0")}


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        ([{"serial": "*S1*"}], "nvme1n1"),
        (PAIR, "nvme1n1 nvme0n1"),
        ([{"size": "smallest"}], "sda"),
        ([{"size": "smallest", "ssd": True}] * 2, "nvme1n1 nvme0n1"),
        ([{"size": "largest"}], "nvme0n1"),
        ([{"serial": "*S9*"}], "fail: no disk is: S9"),
        ([], "fail: there are several disks, and no rule says which"),
    ],
)
def test_a_disk_is_picked_by_the_rule_and_never_by_its_place(
    tmp_path: Path, matches: list[dict[str, Any]], expected: str
) -> None:
    assert picked(tmp_path, matches, DISKS) == expected


def test_without_a_rule_the_only_disk_is_taken(tmp_path: Path) -> None:
    assert picked(tmp_path, [], {"sda": (500, "S3", "1"), "loop0": (1, "", "0")}) == "sda"


# ---- a site's own template ----


def test_a_sites_own_template_gets_the_same_names_and_an_unknown_one_is_named() -> None:
    assert answers.preseed(WHO, [], None, mirror=MIRROR, template="$hostname") == "gpu-1"
    with pytest.raises(answers.BadTemplate, match=r"\$hostnme is none of"):
        answers.preseed(WHO, [], None, mirror=MIRROR, template="$hostnme")
    with pytest.raises(answers.BadTemplate):
        answers.kickstart(WHO, [], None, source="http://a b/")


# ---- its network ----


def test_an_address_in_a_described_network_is_fixed_and_any_other_asks() -> None:
    known = networks_of([{"network": "10.0.0.0/8"}, {"network": "10.20.0.0/16", "router": "10.20.0.1", "vlan": 12}])
    static = static_of("10.20.0.5", "02:00:00:00:00:01", known)
    assert static is not None and str(static.address) == "10.20.0.5/16", "the narrowest one"
    plan = netplan(static.mac, static)
    assert plan["vlans"]["boot.12"]["routes"] == [{"to": "default", "via": "10.20.0.1"}]
    assert "addresses" not in plan["ethernets"]["boot"]
    for address, mac in (("192.168.0.1", static.mac), (None, static.mac), ("10.20.0.5", "")):
        assert static_of(address, mac, known) is None
    assert netplan("", None)["ethernets"]["boot"]["dhcp4"] is True


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({}, "a list"), (["x"], "network 1: want a mapping"), ([{"network": "10.0.0.1/8"}], "network 1"),
        ([{"network": "10.0.0.0/8"}, {"network": "10.0.0.0/8", "router": "11.0.0.1"}], "network 2: router"),
        ([{"network": "10.0.0.0/8", "vlan": 4095}], "vlan"), ([{"network": "10.0.0.0/8", "dns": 1}], "want a mapping"),
        ([{"network": "10.0.0.0/8", "resolvers": ["x"]}], "network 1"),
    ],
)  # fmt: skip
def test_a_network_that_is_none_is_named(rows: object, says: str) -> None:
    with pytest.raises(BadNetwork, match=says):
        networks_of(rows)


# ---- two cards ----

SECOND = "02:00:00:00:00:02"


def pair(bond: str, vlan: int = 0) -> Static:
    known = networks_of([{"network": "10.20.0.0/16", "router": "10.20.0.1", "bond": bond, "vlan": vlan}])
    static = static_of("10.20.0.5", STATIC.mac, known, SECOND)
    assert static is not None
    return static


@pytest.mark.parametrize("bond", ["active-backup", "802.3ad"])
def test_two_cards_are_a_bond_that_has_the_address(bond: str) -> None:
    plan = netplan(STATIC.mac, pair(bond))
    assert plan["ethernets"] == {
        "boot": {"match": {"macaddress": STATIC.mac}, "optional": True},
        "second": {"match": {"macaddress": SECOND}, "optional": True},
    }
    own = plan["bonds"]["bond0"]
    assert own["interfaces"] == ["boot", "second"] and own["addresses"] == ["10.20.0.5/16"]
    assert own["parameters"]["mode"] == bond and own["parameters"]["mii-monitor-interval"] == 100
    tagged = netplan(STATIC.mac, pair(bond, vlan=12))
    assert tagged["vlans"]["bond0.12"]["link"] == "bond0" and "addresses" not in tagged["bonds"]["bond0"]


def test_without_a_second_card_or_a_bond_there_is_none() -> None:
    known = networks_of([{"network": "10.20.0.0/16", "bond": "active-backup"}])
    alone = static_of("10.20.0.5", STATIC.mac, known)
    assert alone is not None and "bonds" not in netplan(STATIC.mac, alone)
    unbonded = static_of("10.20.0.5", STATIC.mac, networks_of([{"network": "10.20.0.0/16"}]), SECOND)
    assert unbonded is not None and "bonds" not in netplan(STATIC.mac, unbonded, SECOND)
    with pytest.raises(BadNetwork, match="bond balance is none of active-backup"):
        networks_of([{"network": "10.20.0.0/16", "bond": "balance"}])


def test_by_dhcp_either_card_asks_and_the_boot_card_is_preferred() -> None:
    plan = netplan(STATIC.mac, None, SECOND)["ethernets"]
    assert plan["boot"]["dhcp4"] is plan["second"]["dhcp4"] is True and plan["boot"]["optional"] is True
    assert plan["second"]["dhcp4-overrides"] == {"route-metric": 200}


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        (
            {"eno1": STATIC.mac, "eno2": SECOND},
            "--device=bond0 .*--bondslaves=eno1,eno2 --bondopts=mode=active-backup,",
        ),
        ({"lo": "00:00:00:00:00:00", "eno2": SECOND}, "--device=eno2 --ip=10.20.0.5"),
        ({"eno1": STATIC.mac}, "--device=eno1 --ip=10.20.0.5"),
    ],
)
def test_kickstart_finds_the_cards_of_a_bond_by_their_mac(cards: dict[str, str], expected: str, tmp_path: Path) -> None:
    text = answers.kickstart(WHO, [], pair("active-backup"), source="http://images/rhel9")
    assert f"%include {answers.NETWORK}" in text.splitlines()
    script = text.partition("%pre --interpreter=/bin/sh\n")[2].partition("\ncurl")[0]
    for name, mac in cards.items():
        (tmp_path / "net" / name).mkdir(parents=True)
        (tmp_path / "net" / name / "address").write_text(f"{mac}\n")
    script = script.replace("/sys/class/net", str(tmp_path / "net")).replace(answers.NETWORK, str(tmp_path / "out"))
    done = subprocess.run(["sh", "-eu"], input=script, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    line = (tmp_path / "out").read_text()
    assert re.search(expected, line), line
    if validator := shutil.which("ksvalidator"):
        checked = subprocess.run([validator, "-v", "RHEL9", tmp_path / "out"], capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout
