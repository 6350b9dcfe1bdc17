"""All rows of ours that one NetBox makes, in the order in which they can be written. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.counts import counted
from inventory.netbox.findings import Finding, Findings
from inventory.netbox.mapping.cables import Cables
from inventory.netbox.mapping.devices import Devices
from inventory.netbox.mapping.labels import Labels
from inventory.netbox.mapping.parts import Parts
from inventory.netbox.mapping.places import Places
from inventory.netbox.mapping.ports import Ports
from inventory.netbox.mapping.power import Power
from inventory.netbox.mapping.types import Types
from inventory.netbox.options import Options
from inventory.netbox.snapshot import COUNTED, Mapped, Snapshot


@dataclass
class Plan:
    """`steps` are (kind, rows): each is one write. `findings` are what the mapping could not do."""

    steps: list[tuple[str, list[Mapped]]] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    ports: Ports | None = None


def make_plan(snapshot: Snapshot, options: Options, taken: Mapping[str, Any]) -> Plan:
    """`taken` are device models (name to spec) that are here already and did not come from this NetBox."""
    findings = Findings()
    labels = Labels(snapshot, findings)
    places = Places(snapshot, options, findings, labels)
    types = Types(snapshot, options, findings, taken)
    plan = Plan(findings=findings)
    plan.steps += [
        ("sites", places.sites()),
        ("tags", labels.tags()),
        ("custom-fields", labels.custom_fields()),
        ("contacts", labels.contact_rows()),
        ("rooms", places.rooms()),
        ("rows", places.rows()),
        ("racks", places.rack_rows()),
    ]
    power = Power(snapshot, findings, labels, places)
    plan.steps += [("power-panels", power.panels()), ("power-feeds", power.feed_rows())]
    plan.steps.append(("device-models", types.models()))
    devices = Devices(snapshot, options, findings, labels, places, types)
    feeds, feed_cables = power.of_pdus(devices)
    ports = plan.ports = Ports(snapshot, findings, labels, devices)
    rows = devices.rows(feeds, ports.inlets_w)
    for mapped in rows:
        ports.complete(mapped)
    plan.steps += [
        ("devices", [mapped for mapped in rows if "parent" not in mapped.fields]),
        ("devices in bays", [mapped for mapped in rows if "parent" in mapped.fields]),
        ("reservations", devices.reservations()),
        ("ports", ports.rows()),
        ("pass-throughs", ports.pass_throughs()),
        ("ip-addresses", ports.addresses()),
        ("components", Parts(snapshot, findings, devices).rows()),
        ("cables", Cables(snapshot, options, findings, labels, ports, feed_cables).rows()),
    ]
    _tell_counts(snapshot, findings)
    return plan


def _tell_counts(snapshot: Snapshot, findings: Findings) -> None:
    for endpoint, (_, why) in COUNTED.items():
        number = snapshot.counts.get(endpoint, 0)
        if number > 0:
            findings.found.append(Finding("left", endpoint, 0, counted(number, "row"), "", why))
        elif number < 0:
            findings.found.append(Finding("left", endpoint, 0, "", "", "the token may not read this list"))
    for endpoint, why in snapshot.denied.items():
        findings.found.append(Finding("left", endpoint, 0, "", "", why))
    if not snapshot.tables.get("extras/journal-entries"):
        return
    for row in snapshot.rows("extras/journal-entries"):
        findings.left("extras/journal-entries", row, "journals are not moved; write a comment where it matters still")
