"""What a real dnsmasq logged (2.90, `log-dhcp`) becomes how far a machine came and what stopped it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Network

import pytest

from provisioning.failures.dhcp import Seen, cause_of, is_foreign, seen_of

NOW = datetime(2026, 11, 28, 17, 30, tzinfo=UTC)
MAC = "02:00:00:00:00:01"
ASKED = f"7 DHCPDISCOVER(br0) {MAC} "
OFFERED = (ASKED, "7 tags: known, br0", f"7 DHCPOFFER(br0) 10.77.0.17 {MAC} ",
           "7 sent size:  9 option: 67 bootfile-name  ipxe.efi")  # fmt: skip
HAS_ADDRESS = (*OFFERED, f"7 DHCPREQUEST(br0) 10.77.0.17 {MAC} ", f"7 DHCPACK(br0) 10.77.0.17 {MAC} gpu-001",
               "7 sent size:  9 option: 67 bootfile-name  ipxe.efi")  # fmt: skip
FOREIGN = (f"7 DHCPREQUEST(br0) 10.77.0.111 {MAC} ", f"7 DHCPNAK(br0) 10.77.0.111 {MAC} wrong server-ID")
NOT_THERE = "T file /srv/tftp/ipxe.efi not found for 10.77.0.17"
ABORTED = (
    "T error 8 User aborted the transfer received from 10.77.0.17",
    "T failed sending /srv/tftp/ipxe.efi to 10.77.0.17",
)
SENT = "T sent /srv/tftp/ipxe.efi to 10.77.0.17"
IPXE = (
    f"8 DHCPREQUEST(br0) 10.77.0.17 {MAC} ",
    f"8 DHCPACK(br0) 10.77.0.17 {MAC} gpu-001",
    "8 bootfile name: http://rackside/boot/x",
)


def logged(*texts: str, time: str = "Nov 28 17:24:34", host: str = "") -> list[str]:
    return [
        f"{time} {host}dnsmasq-{'tftp' if text.startswith('T ') else 'dhcp'}[15698]: {text.removeprefix('T ')}"
        for text in texts
    ]


def seen(lines: list[str], mac: str = MAC) -> Seen:
    return seen_of(lines, mac, since=NOW - timedelta(minutes=10), now=NOW)


@pytest.mark.parametrize(
    ("texts", "expected", "words"),
    [
        ((f"7 DHCPDISCOVER(br0) {MAC} no address available",), "dhcp_failed", "offered nothing: no address available"),
        ((ASKED,), "dhcp_failed", "offered nothing"),
        (OFFERED, "dhcp_failed", "offered 10.77.0.17 and never requested it"),
        (HAS_ADDRESS[:-2], "dhcp_failed", "never confirmed it"),
        ((*OFFERED, f"7 DHCPNAK(br0) 10.77.0.9 {MAC} address in use"), "dhcp_failed", "address in use"),
        ((*OFFERED, *FOREIGN), "second_dhcp", "it offered 10.77.0.111"),
        ((*HAS_ADDRESS, *FOREIGN), "second_dhcp", "10.77.0.111"),
        ((*FOREIGN, *HAS_ADDRESS), "tftp_failed", "never began to load ipxe.efi"),
        ((*HAS_ADDRESS, NOT_THERE), "tftp_failed", "ipxe.efi not found"),
        ((*HAS_ADDRESS, *ABORTED), "tftp_failed", "User aborted the transfer"),
        ((*HAS_ADDRESS, *ABORTED, SENT), "no_pxe_request", "loaded ipxe.efi, which did not start"),
        ((*HAS_ADDRESS, SENT, *IPXE), "no_pxe_request", "never asked Rackside"),
    ],
)
def test_how_far_it_came(texts: tuple[str, ...], expected: str, words: str) -> None:
    found = cause_of(seen(logged(*texts)))
    assert found is not None and found[0] == expected and words in found[1], found


def test_another_machine_and_another_attempt_say_nothing() -> None:
    assert cause_of(seen(logged(*HAS_ADDRESS), "02:00:00:00:00:02")) is None
    assert cause_of(seen(logged(*HAS_ADDRESS, time="Nov 28 16:24:34"))) is None
    assert cause_of(seen(logged(*HAS_ADDRESS, time="Nov 28 18:24:34"))) is None
    assert cause_of(seen(["", "Nov 31 17:24:34 dnsmasq[1]: x", "x\0y", *logged("8 tags: known")])) is None


def test_only_the_lines_of_the_machine_are_kept() -> None:
    lines = seen(logged(*OFFERED, "9 DHCPDISCOVER(br0) 02:00:00:00:00:02 no address available", NOT_THERE)).lines
    assert len(lines) == 3 and not any("00:02" in line or "not found" in line for line in lines)


def test_times_of_a_log_server_and_the_turn_of_the_year_are_read() -> None:
    assert seen(logged(*OFFERED, time="2026-11-28T18:24:34.123456+01:00", host="boot ")).offered == "10.77.0.17"
    night = datetime(2027, 1, 1, 0, 2, tzinfo=UTC)
    lines = logged(*OFFERED, time="Dec 31 23:58:00")
    assert seen_of(lines, MAC, since=night - timedelta(minutes=10), now=night).offered == "10.77.0.17"


def test_an_address_of_no_network_of_the_site_is_foreign() -> None:
    networks = [IPv4Network("10.20.0.0/16"), IPv4Network("10.30.0.0/16")]
    assert is_foreign("192.168.1.20", "10.20.0.17", networks)
    assert not is_foreign("10.30.0.4", "10.20.0.17", networks)
    assert not is_foreign("192.168.1.20", "", networks) and not is_foreign("", "10.20.0.17", networks)
    assert not is_foreign("192.168.1.20", "10.20.0.17", []), "networks that nobody described exclude nothing"
