"""The configuration that a site's dnsmasq is given."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from core.models import Role
from provisioning.boot.dhcp import BadNetwork, Host, Mode, Wanted, dnsmasq
from provisioning.tests.test_api import sign_in
from provisioning.tests.world import bare

WANTED = Wanted("10.20.0.0/16", "http://rackside.example", router="10.20.0.1", resolver="10.20.0.2")
HOSTS = [Host("gpu-001", "aa:bb:cc:00:00:01", "10.20.0.17"), Host("gpu-002", "aa:bb:cc:00:00:02", "10.9.0.1"),
         Host("gpu-003", "aa:bb:cc:00:00:03", "")]  # fmt: skip
SCRIPT = "http://rackside.example/boot/${net0/mac:hexhyp}?serial=${serial}&uuid=${uuid}"


def changed(**fields: Any) -> Wanted:
    return replace(WANTED, **fields)


@pytest.mark.parametrize("mode", list(Mode))
def test_the_real_dnsmasq_takes_the_file(mode: Mode, tmp_path: Path) -> None:
    (tmp_path / "own.conf").write_text(dnsmasq(replace(WANTED, mode=mode, tftp_root=str(tmp_path)), HOSTS))
    done = subprocess.run(
        ["/usr/sbin/dnsmasq", "--test", "--conf-file=" + str(tmp_path / "own.conf")], capture_output=True, text=True
    )
    assert done.returncode == 0 and "syntax check OK" in done.stderr, done.stderr


def test_each_machine_has_its_address_and_who_has_none_in_the_network_is_named() -> None:
    text = dnsmasq(WANTED, HOSTS)
    assert "dhcp-host=aa:bb:cc:00:00:01,10.20.0.17,gpu-001" in text.splitlines()
    assert "# left out: gpu-002, 10.9.0.1 is not in 10.20.0.0/16" in text
    assert "# left out: gpu-003, no address" in text
    assert f"dhcp-boot=tag:ipxe,{SCRIPT}" in text.splitlines()


def test_beside_another_dhcp_server_no_address_is_given() -> None:
    text = dnsmasq(replace(WANTED, mode=Mode.PROXY), HOSTS)
    assert "dhcp-range=10.20.0.0,proxy,255.255.0.0" in text and "dhcp-host" not in text
    assert "dhcp-authoritative" not in text and "dhcp-option" not in text
    assert f'pxe-service=tag:ipxe,X86-64_EFI,"Rackside",{SCRIPT}' in text


@pytest.mark.parametrize(
    ("field", "value"),
    [("network", "10.20.0.7/16"), ("network", "x"), ("router", "10.20"), ("resolver", "a\nb"),
     ("tftp_root", "/srv/x\nport=53"), ("interface", "eth0 eth1"), ("boot_url", "http://x y")],
)  # fmt: skip
def test_a_value_that_dnsmasq_would_misread_is_refused_by_name(field: str, value: str) -> None:
    with pytest.raises(BadNetwork, match=f"^{field}: "):
        dnsmasq(changed(**{field: value}), [])


@given(st.text(max_size=30), st.sampled_from(["tftp_root", "interface", "boot_url", "router", "resolver", "network"]))
def test_no_value_adds_a_line_of_its_own(value: str, field: str) -> None:
    usual = len(dnsmasq(replace(WANTED, interface="eth0"), HOSTS).splitlines())
    try:
        text = dnsmasq(changed(**({"interface": "eth0"} | {field: value})), HOSTS)
    except BadNetwork:
        return
    assert len(text.splitlines()) in range(usual - 2, usual + 1)


@pytest.mark.django_db
def test_the_route_makes_it_from_the_inventory_of_the_sites_one_may_see(client: Client) -> None:
    bare("gpu-001", primary_ip="10.20.0.17", boot_mac="aa:bb:cc:00:00:01")
    path = "/api/provisioning/dnsmasq/?network=10.20.0.0/16"
    sign_in(client, Role.VIEWER, "north")
    answer = client.get(path)
    assert answer.status_code == 200 and b"dhcp-host=aa:bb:cc:00:00:01,10.20.0.17,gpu-001" in answer.content
    sign_in(client, Role.VIEWER, "south")
    assert b"dhcp-host" not in client.get(path).content
    assert client.get("/api/provisioning/dnsmasq/?network=x").status_code == 400
    assert client.get("/api/provisioning/dnsmasq/").status_code == 400
