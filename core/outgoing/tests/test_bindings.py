"""Which credential goes where, on plain values."""

from __future__ import annotations

import socket

import pytest

from core.outgoing.addresses import reason_against, reason_against_host, split
from core.outgoing.binding import Binding, Purpose, Refused, decide, hosts_from
from core.outgoing.gate import ForbiddenAddress, Gate, is_here

FORBIDDEN = [
    "127.0.0.1", "127.8.8.8", "0.0.0.0", "0.0.0.5", "::1", "::", "::ffff:127.0.0.1", "::127.0.0.1", "169.254.169.254",
    "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "100.100.100.200", "224.0.0.1", "ff02::1",
    "255.255.255.255", "64:ff9b::7f00:1", "2002:7f00:1::",
]  # fmt: skip


@pytest.mark.parametrize("address", FORBIDDEN)
def test_this_machine_its_link_and_metadata_services_are_refused(address: str) -> None:
    assert reason_against(address)


@pytest.mark.parametrize(
    "address", ["10.1.2.3", "192.168.1.1", "172.16.0.1", "8.8.8.8", "2001:4860:4860::8888", "fd12::1"]
)
def test_private_and_public_networks_are_allowed(address: str) -> None:
    assert not reason_against(address)


@pytest.mark.parametrize("address", FORBIDDEN)
def test_the_setting_for_demos_opens_loopback_and_nothing_else(address: str) -> None:
    loopback = address in ("127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1",
                           "2002:7f00:1::")  # fmt: skip
    assert (reason_against(address, local=True) == "") is loopback


def test_names_of_this_machine_are_refused_before_they_are_resolved() -> None:
    assert reason_against_host("localhost") and reason_against_host("db.localhost.")
    assert not reason_against_host("ufm.example.org")


@pytest.mark.parametrize(
    ("service", "address"),
    [("172.18.0.2", "::ffff:172.18.0.2"), ("fd00::2", "fd00:0:0:0:0:0:0:2"), ("fd00:0:0::2", "fd00::2")],
)
def test_a_service_of_this_server_is_refused_in_every_spelling_of_its_address(service: str, address: str) -> None:
    gate = Gate(services=((service, 5432),))
    with pytest.raises(ForbiddenAddress, match="a service of this server itself"):
        gate.check(address, 5432)
    gate.check(address, 443)


def test_a_credential_with_a_host_that_cannot_be_read_is_refused_with_the_reason() -> None:
    with pytest.raises(Refused, match=r"bmc has a host that cannot be read .*10\.0\.0\.0/33"):
        decide(Binding("bmc", "bmc", ("10.0.0.0/33",)), Purpose.BMC, "10.0.0.1", site=None)


BMC = Binding("bmc", "bmc", ("10.20.0.0/16", "*.oob.example.org"))


def test_a_credential_is_not_used_for_another_kind() -> None:
    with pytest.raises(Refused, match="The credential bmc is for BMCs, not for NetBox"):
        decide(BMC, Purpose.NETBOX, "10.20.0.1", site=None)


def test_a_credential_that_is_bound_to_nothing_is_not_used() -> None:
    with pytest.raises(Refused, match="bound to no kind"):
        decide(Binding("old", ""), Purpose.UFM, "10.20.0.1", site=1)


def test_a_credential_of_one_site_is_not_used_at_another_nor_for_all() -> None:
    own = Binding("bmc", "bmc", ("10.0.0.0/8",), site=1)
    assert decide(own, Purpose.BMC, "10.1.1.1", site=1)
    for site in (2, None):
        with pytest.raises(Refused, match="another site"):
            decide(own, Purpose.BMC, "10.1.1.1", site=site)


@pytest.mark.parametrize("host", ["10.21.0.1", "8.8.8.8", "fd00::1"])
def test_a_credential_is_not_sent_outside_its_hosts(host: str) -> None:
    with pytest.raises(Refused, match="its hosts are"):
        decide(BMC, Purpose.BMC, host, site=1, of_inventory=True)


def test_a_name_goes_through_by_its_pattern_or_by_the_address_it_becomes() -> None:
    assert decide(BMC, Purpose.BMC, "r1.oob.example.org", site=1).networks is None
    gate = decide(BMC, Purpose.BMC, "evil.example.com", site=1)
    gate.check("10.20.3.4", 443)
    with pytest.raises(ForbiddenAddress, match="outside the hosts"):
        gate.check("203.0.113.9", 443)
    with pytest.raises(Refused):
        decide(Binding("u", "ufm", ("ufm.example.org",)), Purpose.UFM, "ufm.example.org.evil.com", site=1)


def test_without_hosts_a_key_goes_to_addresses_of_the_inventory_only() -> None:
    plain = Binding("ssh", "ssh", key=True)
    assert decide(plain, Purpose.SSH, "10.20.0.1", site=1, of_inventory=True).networks is None
    with pytest.raises(Refused, match="addresses of the inventory only"):
        decide(plain, Purpose.SSH, "10.20.0.1", site=1)


def test_without_hosts_a_password_goes_nowhere() -> None:
    """Not even to a device's own address: every operator may write one, and who answers there would learn it."""
    with pytest.raises(Refused, match="has no hosts"):
        decide(Binding("bmc", "bmc"), Purpose.BMC, "10.20.0.1", site=1, of_inventory=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "localhost", "::ffff:127.0.0.1"])
def test_no_credential_and_no_hosts_open_an_address_that_nobody_connects_to(host: str) -> None:
    wide = Binding("bmc", "bmc", ("0.0.0.0/0", "::/0", "localhost"))
    for binding, purpose in ((wide, Purpose.BMC), (None, None)):
        with pytest.raises(Refused, match="refused"):
            decide(binding, purpose, host, site=1, of_inventory=True)


def test_the_gate_refuses_what_a_name_turns_out_to_be() -> None:
    gate = decide(None, None, "innocent.example.org", site=None)
    gate.check("8.8.8.8", 443)
    for address in ("127.0.0.1", "169.254.169.254", "nonsense"):
        with pytest.raises(ForbiddenAddress):
            gate.check(address, 443)


def test_services_of_this_server_are_refused_on_every_address_of_it() -> None:
    """Also where loopback is open: PostgreSQL and Valkey speak to anybody who gets through to them."""
    gate = Gate(local=True, services=(("10.9.9.9", 5432), ("localhost", 6379)))
    gate.check("127.0.0.1", 8443)
    gate.check("10.9.9.9", 443)
    for address, port in (("10.9.9.9", 5432), ("127.0.0.1", 6379), ("127.0.0.1", 5432)):
        with pytest.raises(ForbiddenAddress, match="a service of this server"):
            gate.check(address, port)


def test_addresses_of_this_machine_are_known_by_binding() -> None:
    assert is_here("127.0.0.1") and not is_here("192.0.2.1")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses the interface
        assert is_here(probe.getsockname()[0])


def test_patterns_of_hosts_are_kept_in_one_form() -> None:
    assert hosts_from(["10.1.2.3/8", "10.0.0.5", "UFM.Example.org.", "fd00::1", "10.0.0.5"]) == [
        "10.0.0.0/8", "10.0.0.5/32", "ufm.example.org", "fd00::1/128",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["", "*", "10.0.0.0/33", "a b", "http://x", "*.*.org", "1.2.3", "x/24", "-a.org", "a\0b"]
)
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a host"):
        hosts_from([text])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("login-1", ("login-1", 22)), ("login-1:2222", ("login-1", 2222)), ("[fd00::1]:22", ("fd00::1", 22)),
        ("fd00::1", ("fd00::1", 22)), ("https://10.0.0.5", ("10.0.0.5", 443)), ("http://x:81/y", ("x", 81)),
    ],
)  # fmt: skip
def test_an_address_names_host_and_port(text: str, found: tuple[str, int]) -> None:
    assert split(text, 22) == found


@pytest.mark.parametrize("text", ["login:port", "login:0", "login:99999", "https://u:p@x", "a b", "", "[::1", "x\0y"])
def test_an_address_that_names_no_machine_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"names no machine|is not an address"):
        split(text, 22)
