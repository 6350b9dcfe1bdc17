"""Documents for other programs, from rows alone."""

from __future__ import annotations

import re

from inventory.papers.documents import ansible_inventory, node_name_map, prometheus_targets
from inventory.papers.tests.rows import device, switch

LABEL_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
GROUP_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


# ---- Prometheus ----


def test_a_target_says_where_the_machine_stands_and_what_it_is() -> None:
    (group,) = prometheus_targets([device(rails=[1, 2], tags=["burn-in", "loan"])], port=9100)
    assert group["targets"] == ["10.0.0.12:9100"]
    labels = group["labels"]
    assert labels["__meta_rackside_machine"] == "hgx-a17-03"
    assert {name.removeprefix("__meta_rackside_"): value for name, value in labels.items()}.items() >= {
        "site": "north", "room": "Hall 1", "row": "A", "rack": "A17", "u": "17", "model": "hgx-h100",
        "role": "compute", "pool": "north/compute/hgx-h100", "rails": ",1,2,", "tags": ",burn-in,loan,",
    }.items()  # fmt: skip


def test_every_label_is_a_text_under_a_name_that_prometheus_takes_and_never_empty() -> None:
    odd = {"cost-centre": 12, "on_loan": True, "colours": ["a", "b"], "ratio": 1.5}
    (group,) = prometheus_targets([device(custom=odd, serial="")], port=1)
    labels = group["labels"]
    assert all(LABEL_NAME.fullmatch(name) and isinstance(value, str) and value for name, value in labels.items())
    assert labels["__meta_rackside_custom_cost_centre"] == "12"
    assert labels["__meta_rackside_custom_on_loan"] == "true"
    assert labels["__meta_rackside_custom_colours"] == ",a,b,"


def test_addresses_are_as_asked_and_ipv6_stands_in_brackets() -> None:
    rows = [
        device(),
        device(name="six", primary_ip="fd00::5", bmc_ip=""),
        device(name="none", primary_ip="", bmc_ip=""),
    ]
    assert [group["targets"][0] for group in prometheus_targets(rows, port=9100)] == [
        "10.0.0.12:9100", "[fd00::5]:9100", "none:9100",
    ]  # fmt: skip
    assert [group["targets"][0] for group in prometheus_targets(rows, port=623, address="bmc")] == ["10.1.0.12:623"]
    assert prometheus_targets(rows, port=1, address="name")[0]["targets"] == ["hgx-a17-03:1"]
    assert prometheus_targets([], port=9100) == []


# ---- Ansible ----


def test_hosts_are_found_by_site_room_rack_model_role_tag_and_tier() -> None:
    found = ansible_inventory([device(tags=["burn-in"]), switch()])
    assert found["site_north"]["children"] == ["room_north_hall_1"]
    assert found["room_north_hall_1"]["children"] == ["rack_north_hall_1_a17", "rack_north_hall_1_n01"]
    for group in ("rack_north_hall_1_a17", "kind_machine", "model_hgx_h100", "role_compute", "tag_burn_in"):
        assert found[group]["hosts"] == ["hgx-a17-03"]
    assert found["tier_leaf"]["hosts"] == found["rack_north_hall_1_n01"]["hosts"] == ["leaf-1"]
    assert found["_meta"]["hostvars"]["hgx-a17-03"]["ansible_host"] == "10.0.0.12"
    assert found["_meta"]["hostvars"]["hgx-a17-03"]["rackside"]["u"] == 17
    assert "ansible_host" not in found["_meta"]["hostvars"]["leaf-1"]


def test_names_that_look_alike_stay_two_groups_and_two_hosts() -> None:
    rows = [
        device(id=1, name="n1", room="Hall 1"),
        device(id=2, name="n2", room="Hall-1"),
        device(id=3, name="n1", room="Hall 1", site="south"),
    ]
    found = ansible_inventory(rows)
    assert set(found["_meta"]["hostvars"]) == {"n1.north", "n2", "n1.south"}
    hosts = [group["hosts"] for name, group in found.items() if name.startswith("rack_")]
    assert sorted(map(tuple, hosts)) == [("n1.north",), ("n1.south",), ("n2",)]
    assert all(GROUP_NAME.fullmatch(name) for name in found if name != "_meta")


def test_a_device_that_is_not_mounted_is_in_its_sites_group() -> None:
    assert ansible_inventory([device(rack="", room="", row="")])["site_north"] == {"hosts": ["hgx-a17-03"]}


# ---- InfiniBand tools ----


def test_a_node_name_map_is_sorted_and_tells_which_switch_has_no_guid() -> None:
    rows = [
        switch(name="leaf-10", node_guid="0xB83FD20300ABCD0A"),
        switch(name="leaf-2", node_guid="0xb83fd20300abcd02"),
        switch(name="leaf-3"),
        switch(name='odd "name"\nhere', node_guid="0xb83fd20300abcd03"),
    ]
    adapters = [("0xb83fd20300ffff00", "hgx-a17-03 mlx5_0")]
    assert node_name_map(rows, adapters).splitlines() == [
        '0xb83fd20300ffff00 "hgx-a17-03 mlx5_0"',
        '0xb83fd20300abcd02 "leaf-2"',
        '0xb83fd20300abcd0a "leaf-10"',
        "0xb83fd20300abcd03 \"odd 'name' here\"",
        "# leaf-3: no GUID is known",
    ]
    assert node_name_map([]) == ""
