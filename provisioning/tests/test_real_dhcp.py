"""Real dnsmasq by our configuration, a real DHCP and TFTP client, and a network that loses what it is told to lose."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from provisioning.boot.dhcp import Host, Wanted, dnsmasq
from provisioning.failures.dhcp import Seen, cause_of, seen_of

NEEDS = ("dnsmasq", "busybox", "iptables", "nsenter", "unshare")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.services,
    pytest.mark.timeout(180),
    pytest.mark.skipif(os.geteuid() != 0, reason="a network of its own needs root"),
    pytest.mark.skipif(any(shutil.which(name) is None for name in NEEDS), reason=f"needs {', '.join(NEEDS)}"),
]
MAC = "02:00:00:00:00:01"
LAB = Path(__file__).with_name("dhcp_lab.sh")
MANAGE = Path(__file__).parents[2] / "manage.py"
OTHER = "port=0\ninterface=eth0\nbind-interfaces\ndhcp-range=10.77.0.100,10.77.0.120,255.255.255.0\n"


def boot(folder: Path, kind: str, *command: str, known: bool = True) -> Seen:
    (folder / "tftp").mkdir()
    (folder / "tftp/ipxe.efi").write_bytes(os.urandom(50_000))
    wanted = Wanted("10.77.0.0/24", "http://10.77.0.1:8080", interface="boot0", tftp_root=str(folder / "tftp"),
                    log_file=str(folder / "own.log"))  # fmt: skip
    # busybox says no architecture, so it is told the file of a BIOS
    (folder / "tftp/undionly.kpxe").write_bytes(b"x")
    slow = "dhcp-reply-delay=1\n" if kind == "second" else ""  # the other one is quicker
    (folder / "own.conf").write_text(dnsmasq(wanted, [Host("gpu-001", MAC, "10.77.0.17")] if known else []) + slow)
    (folder / "other.conf").write_text(OTHER)
    began = datetime.now(UTC)
    done = subprocess.run(
        ["unshare", "--net", "sh", str(LAB), str(folder), kind, *command],
        capture_output=True, text=True, timeout=170, env={**os.environ, "TZ": "UTC"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (folder / "own.log").read_text().splitlines()
    return seen_of(lines, MAC, since=began, now=datetime.now(UTC) + timedelta(seconds=1))


def test_what_is_well_is_no_failure_of_dhcp_or_tftp(tmp_path: Path) -> None:
    seen = boot(tmp_path, "alone")
    assert seen.address == "10.77.0.17" and seen.sent, seen.lines
    assert (tmp_path / "loaded").stat().st_size == 50_000


def test_a_machine_that_the_server_does_not_know_gets_no_offer(tmp_path: Path) -> None:
    found = cause_of(boot(tmp_path, "alone", known=False))
    assert found is not None and found[0] == "dhcp_failed" and "no address available" in found[1]


def test_offers_that_are_lost_are_dhcp_and_not_tftp(tmp_path: Path) -> None:
    found = cause_of(boot(tmp_path, "no_offer"))
    assert found is not None and found[0] == "dhcp_failed" and "never requested it" in found[1]


def test_a_tftp_port_that_is_shut_is_named(tmp_path: Path) -> None:
    found = cause_of(boot(tmp_path, "tftp_shut"))
    assert found is not None and found[0] == "tftp_failed" and "never began to load" in found[1]


def test_packets_of_tftp_that_are_lost_are_named(tmp_path: Path) -> None:
    seen = boot(tmp_path, "tftp_loss")
    found = cause_of(seen)
    assert found is not None and found[0] == "tftp_failed", seen.lines


def test_a_second_dhcp_server_is_seen_in_our_log_and_by_asking(tmp_path: Path) -> None:
    ask = (sys.executable, str(MANAGE), "dhcp_servers", "boot0", "--seconds", "3")
    seen = boot(tmp_path, "second", *ask)
    found = cause_of(seen)
    assert found is not None and found[0] == "second_dhcp" and "it offered 10.77.0.1" in found[1], seen.lines
    said = (tmp_path / "said").read_text()
    assert "10.77.0.66 (foreign): offers 10.77.0.1" in said and "exit 1" in said, said


def test_without_a_second_server_nobody_answers_who_asks_as_a_stranger(tmp_path: Path) -> None:
    boot(tmp_path, "alone", sys.executable, str(MANAGE), "dhcp_servers", "boot0", "--seconds", "1")
    assert (tmp_path / "said").read_text() == "no other DHCP server answers\n"
