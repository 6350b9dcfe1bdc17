"""Lease files of dnsmasq and Kea, answers of Kea's control API, and ranges of addresses. Pure."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from provisioning.discovery.addresses.leases import (
    Lease,
    Unreadable,
    inside,
    mac_of_duid,
    read_dnsmasq,
    read_kea_answer,
    read_kea_csv,
    read_leases,
    together,
)
from provisioning.discovery.addresses.ranges import RangeRefused, addresses_of

NOW = 1_700_000_000
DNSMASQ = f"""\
{NOW + 600} b8:3f:d2:00:00:01 10.0.4.11 idrac-4GMPN72 01:b8:3f:d2:00:00:01
0 b8:3f:d2:00:00:02 10.0.4.12 * *
{NOW - 1} b8:3f:d2:00:00:03 10.0.4.13 old *
duid 00:01:00:01:2b:54:77:04:52:54:00:12:34:56
{NOW + 600} 13398 fd00::11 idrac-6 00:03:00:01:b8:3f:d2:00:00:04
"""
LEASE4 = f"""\
address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context
10.0.4.11,b8:3f:d2:00:00:09,,3600,{NOW + 60},1,0,0,before,0,
10.0.4.11,b8:3f:d2:00:00:01,01:b8:3f:d2:00:00:01,3600,{NOW + 600},1,0,0,idrac-1&#x2c a.,0,
10.0.4.12,b8:3f:d2:00:00:02,,3600,{NOW - 1},1,0,0,,0,
10.0.4.13,b8:3f:d2:00:00:03,,3600,{NOW + 600},1,0,0,,1,
10.0.4.14,b8:3f:d2:00:00:04,,3600,{NOW + 600},1,0,0,,0,
10.0.4.14,b8:3f:d2:00:00:04,,0,{NOW + 600},1,0,0,,0,
10.0.4.15,b8:3f:d2:00:00:05,,4294967295,{NOW - 5},1,0,0,,0,{{ "a": 1 }}
10.0.4.16,b8:3f:d2:00
"""
LEASE6 = f"""\
address,duid,valid_lifetime,expire,subnet_id,pref_lifetime,lease_type,iaid,prefix_len,fqdn_fwd,fqdn_rev,hostname,hwaddr,state,user_context
fd00::1,00:03:00:01:b8:3f:d2:00:00:01,3600,{NOW + 600},1,1800,0,7,128,0,0,idrac-1,,0,
fd00:8::,00:03:00:01:b8:3f:d2:00:00:02,3600,{NOW + 600},1,1800,2,7,64,0,0,,,0,
"""


def test_a_lease_file_of_dnsmasq_tells_who_has_which_address_now() -> None:
    found = read_leases(DNSMASQ, now=NOW)
    assert found.leases == (
        Lease("10.0.4.11", "b8:3f:d2:00:00:01", "idrac-4GMPN72"),
        Lease("10.0.4.12", "b8:3f:d2:00:00:02"),
        Lease("fd00::11", "b8:3f:d2:00:00:04", "idrac-6"),
    )
    assert (found.over, found.superseded, found.unread) == (1, 0, 0)


def test_a_lease_file_of_kea_holds_by_the_last_row_of_each_address() -> None:
    found = read_leases(LEASE4, now=NOW)
    assert found.leases == (
        Lease("10.0.4.11", "b8:3f:d2:00:00:01", "idrac-1, a"),
        Lease("10.0.4.15", "b8:3f:d2:00:00:05"),
    )
    assert (found.over, found.superseded, found.unread) == (3, 2, 1), "expired, declined, released; two older rows"
    assert found.problems[0].line == 9 and "breaks off" in found.problems[0].reason


def test_a_lease_of_ipv6_has_the_mac_inside_its_identifier_and_a_prefix_is_no_address() -> None:
    assert read_leases(LEASE6, now=NOW).leases == (Lease("fd00::1", "b8:3f:d2:00:00:01", "idrac-1"),)
    assert mac_of_duid("00:01:00:01:2b:54:77:04:52:54:00:12:34:56") == "52:54:00:12:34:56"
    assert mac_of_duid("00:02:00:00:ab:11:12:34:56:78:9a:bc:de:f0") == ""


@pytest.mark.parametrize("keep", range(1, 60, 7))
def test_a_file_that_breaks_off_keeps_its_whole_lines_and_names_the_cut_one(keep: int) -> None:
    found = read_dnsmasq(DNSMASQ.splitlines(True)[0] + DNSMASQ.splitlines(True)[1][:keep], now=NOW)
    assert found.leases[0].address == "10.0.4.11"
    assert found.unread == (0 if keep >= 36 else 1) and all(p.line == 2 for p in found.problems)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tomorrow b8:3f:d2:00:00:01 10.0.4.11 * *", "not the time"),
        (f"{NOW} b8:3f:d2:00:00:01 10.0.4 * *", "is no address"),
        (f"{NOW} b8:3f:d2:00:00:01", "2 of 5 fields"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line: str, words: str) -> None:
    found = read_dnsmasq(DNSMASQ + line + "\n", now=NOW)
    assert (found.unread, found.problems[0].line) == (1, 6) and words in found.problems[0].reason


@pytest.mark.parametrize("text", ["hello\nworld\n", "address,hwaddr\n10.0.0.1,b8:3f:d2:00:00:01\n", "<html>"])
def test_a_text_that_is_no_lease_file_is_refused(text: str) -> None:
    with pytest.raises(Unreadable, match="line 1"):
        read_leases(text, now=NOW)


def test_an_empty_file_is_a_server_without_leases() -> None:
    assert read_leases("", now=NOW).leases == () and read_leases("\n", now=NOW).unread == 0


def test_answers_of_kea_are_read_as_its_file_is() -> None:
    lease = {"ip-address": "10.0.4.11", "hw-address": "b8:3f:d2:00:00:01", "cltt": NOW, "valid-lft": 60, "state": 0}
    told = [
        lease | {"hostname": "idrac-1."}, lease | {"ip-address": "10.0.4.12", "state": 2},
        lease | {"ip-address": "10.0.4.13", "cltt": NOW - 61}, {"hw-address": "b8:3f:d2:00:00:01"}, "x",
        lease | {"ip-address": "10.0.4.14", "cltt": "soon"},
    ]  # fmt: skip
    found = read_kea_answer(told, now=NOW)
    assert found.leases == (Lease("10.0.4.11", "b8:3f:d2:00:00:01", "idrac-1"),)
    assert (found.over, [problem.line for problem in found.problems]) == (2, [4, 5, 6])


def test_leases_of_two_servers_are_one_list_and_may_be_limited_to_a_network() -> None:
    both = together([read_leases(DNSMASQ, now=NOW), read_leases(LEASE4, now=NOW)])
    assert [lease.address for lease in both.leases] == ["10.0.4.11", "10.0.4.12", "fd00::11", "10.0.4.15"]
    assert [lease.address for lease in inside(both.leases, addresses_of("10.0.4.12-20"))] == ["10.0.4.12", "10.0.4.15"]
    assert len(list(inside(both.leases, []))) == 4


macs = st.binary(min_size=6, max_size=6).map(lambda six: six.hex(":"))
leases = st.lists(st.tuples(st.ip_addresses(v=4).map(str), macs), unique_by=lambda pair: pair[0], max_size=20)


@given(leases)
def test_what_a_server_writes_is_read_back(told: list[tuple[str, str]]) -> None:
    dnsmasq = "".join(f"{NOW + 9} {mac} {address} * 01:{mac}\n" for address, mac in told)
    kea = LEASE4.partition("\n")[0] + "\n" + "".join(f"{a},{m},,60,{NOW + 9},1,0,0,,0,\n" for a, m in told)
    answer = [{"ip-address": a, "hw-address": m, "cltt": NOW, "valid-lft": 60, "state": 0} for a, m in told]
    wanted = tuple(Lease(address, mac) for address, mac in told)
    assert read_leases(dnsmasq, now=NOW).leases == wanted
    assert read_kea_csv(kea, now=NOW).leases == wanted
    assert read_kea_answer(answer, now=NOW).leases == wanted


@given(st.text(max_size=300))
def test_any_text_is_leases_or_refused_and_every_line_is_accounted_for(text: str) -> None:
    with suppress(Unreadable):
        found = read_leases(text, now=NOW)
        assert len(found.leases) + found.over + found.superseded + found.unread <= text.count("\n") + 1
    whole = DNSMASQ + text
    found = read_dnsmasq(whole, now=NOW)
    lines = [line for line in whole.split("\n") if line.split() and line.split()[0] != "duid"]
    assert len(found.leases) + found.over + found.superseded + found.unread == len(lines)
    read_kea_csv(LEASE4 + text, now=NOW)


# ---- ranges ----
def test_addresses_are_named_as_people_write_them() -> None:
    assert addresses_of("10.0.4.7") == ["10.0.4.7"]
    assert addresses_of("10.0.4.0/30, 10.0.4.2 10.0.4.9 - 11") == [
        "10.0.4.1", "10.0.4.2", "10.0.4.9", "10.0.4.10", "10.0.4.11",
    ]  # fmt: skip
    assert addresses_of("10.0.4.254-10.0.5.1") == ["10.0.4.254", "10.0.4.255", "10.0.5.0", "10.0.5.1"]
    assert addresses_of("fd00::1-fd00::2;10.0.0.4/31") == ["fd00::1", "fd00::2", "10.0.0.4", "10.0.0.5"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (" ", "no address is named"), ("10.0.4", "is no address"), ("10.0.4.9-7", "comes before the first"),
        ("10.0.0.0/8", "more than 8,192"), ("10.0.4.0/19 10.1.0.0/19", "10.1.0.0/19: more than"),
        ("10.0.4.1-fd00::1", "comes before"), ("::/0", "more than"), ("10.0.4.1-x", "is no address"),
    ],
)  # fmt: skip
def test_a_range_that_names_none_or_too_many_is_refused_with_its_part(text: str, words: str) -> None:
    with pytest.raises(RangeRefused, match=words):
        addresses_of(text)


@given(st.text(max_size=60) | st.from_regex(r"[0-9a-f:./ -]{1,40}", fullmatch=True))
def test_any_text_names_a_bounded_number_of_addresses_or_is_refused(text: str) -> None:
    with suppress(RangeRefused):
        assert 0 < len(addresses_of(text, most=300)) <= 300
