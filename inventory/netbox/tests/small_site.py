"""A small site as somebody keeps it in NetBox, with the odd things that real ones have."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from inventory.netbox.tests.content import Content, choice
from inventory.netbox.tests.fake_netbox import FakeNetBox, To


@dataclass
class SmallSite:
    """What the tests refer to, by a name."""

    content: Content
    site: To
    refs: dict[str, To] = field(default_factory=dict)

    def row(self, name: str) -> dict[str, Any]:
        return self.content.netbox.row(self.refs[name])


TOR = {
    "manufacturer": "Example", "model": "T48", "slug": "example-t48", "u_height": 1.0, "is_full_depth": False,
    "interfaces": [{"name": f"swp{n}", "type": "1000base-t"} for n in range(1, 25)],
    "console-ports": [{"name": "Console", "type": "rj-45"}],
    "power-ports": [{"name": "PSU1", "type": "iec-60320-c14", "maximum_draw": 150}],
}  # fmt: skip
BLADE = {
    "manufacturer": "Example", "model": "Blade 2", "slug": "example-blade-2", "u_height": 0.0, "is_full_depth": True,
    "subdevice_role": "child", "interfaces": [{"name": "eth0", "type": "10gbase-x-sfpp"}],
}  # fmt: skip


def small_site(netbox: FakeNetBox) -> SmallSite:
    """Two rooms, four racks, twelve devices of eight types, every sort of cable."""
    content = Content(netbox)
    north = content.site("North", slug="north_1", region=content.word("dcim/regions", "Europe"), facility="NL-7")
    made = SmallSite(content, north)
    _places(made)
    _words(made)
    _devices(made)
    _addresses(made)
    _power(made)
    _cables(made)
    _left_behind(made)
    return made


def _places(made: SmallSite) -> None:
    content, site, refs = made.content, made.site, made.refs
    building = content.location(site, "Building 1")
    refs["hall"] = content.location(site, "Hall 2", building)
    refs["empty hall"] = content.location(site, "Hall 3", building)
    row = content.word("dcim/rack-groups", "A")
    compute, net = content.word("dcim/rack-roles", "GPU compute"), content.word("dcim/rack-roles", "Network")
    refs["A1"] = content.rack(site, refs["hall"], "A1", group=row, role=compute, u_height=48, serial="R-1",
                              max_weight=3000, weight_unit=choice("lb"), outer_width=600, outer_depth=1200,
                              outer_unit=choice("mm"), asset_tag="AT-1")  # fmt: skip
    refs["A2"] = content.rack(site, refs["hall"], "A2", group=row, role=net, desc_units=True, facility_id="F-2")
    refs["A10"] = content.rack(site, refs["hall"], "A10", group=row, role=content.word("dcim/rack-roles", "Odd"))
    refs["loose"] = content.rack(site, None, "Loose", starting_unit=3, status=choice("planned"))
    user = content.netbox.add("users/users", username="jo")
    refs["reservation"] = content.netbox.add(
        "dcim/rack-reservations", rack=refs["A1"], units=[40, 41, 42, 45], user=user, tenant=None, tags=[],
        description="for the next\nrow", comments="", custom_fields={}, status=choice("active"),
    )  # fmt: skip


def _words(made: SmallSite) -> None:
    netbox, content, refs = made.content.netbox, made.content, made.refs
    refs["tag"] = content.word("extras/tags", "gold", color="ffc107")
    plain: dict[str, Any] = {
        "description": "", "required": False, "choice_set": None, "validation_minimum": None,
        "validation_maximum": None, "validation_regex": "", "group_name": "",
    }  # fmt: skip
    colours = netbox.add("extras/custom-field-choice-sets", name="Colours", base_choices=None,
                         extra_choices=[["red", "Red"], ["blue", "Blue"]])  # fmt: skip
    for name, type_, kinds, more in (
        ("owner_team", "text", ["dcim.device", "dcim.site"], {}),
        ("x_mm", "integer", ["dcim.rack"], {"validation_minimum": 0}),
        ("light", "select", ["dcim.device"], {"choice_set": colours}),
        ("lights", "multiselect", ["dcim.cable"], {"choice_set": colours}),
        ("blob", "json", ["dcim.device"], {}),
        ("since", "date", ["dcim.device"], {}),
        ("price", "decimal", ["dcim.device"], {}),
    ):
        netbox.add("extras/custom-fields", **plain | {
            "name": name, "label": "", "type": choice(type_), "object_types": kinds, **more,
        })  # fmt: skip
    contact = netbox.add("tenancy/contacts", name="Vendor desk", title="", email="help@example.org",
                         phone="+31 1", address="", description="", comments="", tags=[], custom_fields={})  # fmt: skip
    role = content.word("tenancy/contact-roles", "support")
    netbox.add("tenancy/contact-assignments", object_type="dcim.rack", object_id=refs["A1"].id, contact=contact,
               role=role, priority=None, tags=[], custom_fields={})  # fmt: skip


def _devices(made: SmallSite) -> None:
    content, site, refs = made.content, made.site, made.refs
    gpu, switch = content.type_file("Example/gx8-h100.yaml"), content.type_file("NVIDIA/qm-twin.yaml")
    panel, pdu = content.type_file("Example/patch-12.yaml"), content.type_file("Example/pdu.yaml")
    blades, blank = content.type_file("Example/blades.yaml"), content.type_file("Example/blank.yaml")
    tor, blade = content.device_type(TOR), content.device_type(BLADE)
    content.device_type({"manufacturer": "Unused", "model": "Never bought", "slug": "unused", "u_height": 1.0})
    refs["gpu1"] = content.device(
        "gpu 1", gpu, "GPU server", site, rack=refs["A1"], position=9.0, face="front", serial="S-1", asset_tag="X-1",
        tags=[refs["tag"]], comments="watch the fan",
        custom_fields={"owner_team": "ml", "light": "red", "blob": {"a": 1}, "since": "2026-01-02", "price": 12.5},
    )  # fmt: skip
    refs["gpu2"] = content.device(
        "gpu2", gpu, "GPU server", site, rack=refs["A1"], position=17.0, face="front", status=choice("offline")
    )
    refs["leaf"] = content.device("leaf-1", switch, "IB leaf", site, rack=refs["A2"], position=30.0, face="rear")
    refs["tor"] = content.device("tor-mgmt", tor, "Mgmt ToR", site, rack=refs["A2"], position=32.0, face="rear")
    refs["panel"] = content.device("pp-1", panel, "Patch panel", site, rack=refs["A2"], position=40.5, face="front")
    refs["panel2"] = content.device("pp-2", panel, "Patch panel", site, rack=refs["A2"], position=41.0, face="front")
    refs["pdu-a"] = content.device("A1 PDU A", pdu, "PDU", site, rack=refs["A1"])
    refs["pdu-b"] = content.device("A1 PDU B", pdu, "PDU", site, rack=refs["A1"])
    refs["chassis"] = content.device("blades-1", blades, "Chassis", site, rack=refs["A10"], position=1.0, face="front")
    refs["blade"] = content.device("blade-1", blade, "Hypervisor host", site, rack=refs["A10"])
    content.into_bay(refs["blade"], refs["chassis"], "Slot 1")
    refs["blank"] = content.device("blank", blank, "Blanking", site, rack=refs["A1"], position=20.0 + 3, face="front")
    refs["nameless"] = content.device(None, tor, "Mgmt ToR", site, rack=refs["loose"], position=5.0, face="front")
    refs["stored"] = content.device("in-the-cupboard", tor, "Mgmt ToR", site, status=choice("inventory"))
    content.module(refs["gpu1"], "NVMe 0", "Example", "NV 7", part_number="NV-7680", serial="D-1")
    made.content.netbox.row(content.port(refs["gpu1"], "GPU 0", "inventory-items"))["serial"] = "G-0"
    port = content.netbox.row(content.port(refs["leaf"], "mgmt0"))
    port["name"] = "eth-renamed"


def _addresses(made: SmallSite) -> None:
    content, refs = made.content, made.refs
    gpu = refs["gpu1"]
    vlan = content.netbox.add("ipam/vlans", vid=207, name="compute", description="")
    content.netbox.row(content.port(gpu, "eth0")).update(mac_address="AA:BB:CC:00:00:01", untagged_vlan=vlan)
    content.netbox.row(content.port(gpu, "osfp0")).update(speed=200_000_000, enabled=False, mtu=9000)
    content.netbox.row(content.port(gpu, "iDRAC")).update(mac_address="AA:BB:CC:00:00:02")
    content.netbox.row(content.port(gpu, "ib0")).update(wwn="00:11:22:33:44:55:66:77")
    primary = content.address("10.0.0.1/24", content.port(gpu, "eth0"), dns_name="gpu-1.example.org")
    content.netbox.row(gpu).update(primary_ip=primary, primary_ip4=primary)
    content.address("10.9.0.1/24", content.port(gpu, "iDRAC"))
    content.address("10.0.0.77/24", content.port(gpu, "eth0"), dns_name="data.example.org", role=choice("secondary"))
    tor = content.address("10.9.0.3/24", content.port(refs["tor"], "swp24"))
    content.netbox.row(refs["tor"]).update(primary_ip=tor, primary_ip4=tor)
    content.address("10.0.0.99/24")


def _power(made: SmallSite) -> None:
    content, refs = made.content, made.refs
    for side in ("A", "B"):
        panel = content.netbox.add("dcim/power-panels", site=made.site, location=refs["hall"], name=f"PP-{side}",
                                   description="", comments="", tags=[], custom_fields={})  # fmt: skip
        refs[f"feed {side}"] = content.feed(
            panel, "Feed 1", refs["A1"], type=choice("primary" if side == "A" else "redundant")
        )
        content.cable(content.port(refs[f"pdu-{side.lower()}"], "Input", "power-ports"), refs[f"feed {side}"])


def _cables(made: SmallSite) -> None:
    content, refs = made.content, made.refs
    port = content.port
    refs["ib"] = content.cable(
        port(refs["gpu1"], "ib0"), port(refs["leaf"], "P0.0"), type="smf-os2", label="IB-1", color="ffeb3b",
        length=33, length_unit="ft", custom_fields={"lights": ["red"]}, tags=[refs["tag"]],
    )  # fmt: skip
    refs["twin"] = content.cable(
        [port(refs["leaf"], "P1.0"), port(refs["leaf"], "P1.1")],
        [port(refs["gpu2"], "ib0"), port(refs["gpu2"], "ib1")],
        label="TWIN", type="dac-passive", profile=choice("single-1c2p"), length=250, length_unit="cm",
    )  # fmt: skip
    refs["fan-out"] = content.cable(
        [port(refs["leaf"], "P2.0")], [port(refs["gpu1"], "ib1"), port(refs["leaf"], "P3.0")],
        profile=choice("breakout-1c2p-2c1p"), status=choice("planned"),
    )  # fmt: skip
    refs["bmc"] = content.cable(port(refs["gpu1"], "iDRAC"), port(refs["tor"], "swp1"), type="cat6a", label="IB-1")
    refs["front"] = content.cable(
        port(refs["gpu1"], "eth0"), port(refs["panel"], "F3", "front-ports"), type="mmf-om4", label="P-1"
    )
    refs["trunk"] = content.cable(
        port(refs["panel"], "2", "rear-ports"), port(refs["panel2"], "2", "rear-ports"), type="smf-os2", label="P-2",
        status=choice("decommissioning"),
    )  # fmt: skip
    refs["power"] = content.cable(
        port(refs["gpu1"], "PSU1", "power-ports"), port(refs["pdu-a"], "Outlet 2", "power-outlets")
    )
    refs["console"] = content.cable(
        port(refs["tor"], "Console", "console-ports"), port(refs["tor"], "swp2"), label="CON"
    )


def _left_behind(made: SmallSite) -> None:
    content, refs, netbox = made.content, made.refs, made.content.netbox
    circuit = netbox.add("circuits/circuits", cid="C-1", description="", site=made.site)
    end = netbox.add("circuits/circuit-terminations", circuit=circuit, term_side="A", description="", cable=None)
    refs["to circuit"] = content.cable(content.port(refs["tor"], "swp23"), end, label="WAN")
    refs["to lag"] = content.cable(content.port(refs["gpu1"], "bond0"), content.port(refs["tor"], "swp22"))
    refs["uneven"] = content.cable(
        [content.port(refs["tor"], "swp3"), content.port(refs["tor"], "swp4")],
        [content.port(refs["tor"], f"swp{n}") for n in (5, 6, 7)],
    )
    refs["wrong"] = content.cable(content.port(refs["gpu2"], "eth0"), content.port(refs["leaf"], "P4.0"), label="BAD")
    netbox.add("extras/journal-entries", assigned_object_type="dcim.device", assigned_object_id=1, comments="fan")
    netbox.add("ipam/prefixes", prefix="10.0.0.0/8")
    netbox.add("virtualization/virtual-machines", name="vm")
