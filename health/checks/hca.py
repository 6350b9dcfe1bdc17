"""Checks of network cards from `ibstat`: is it there, is its port up, is it the one, is its firmware right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from health.checks.card_kinds import is_needed, kind_of, said_of
from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.infiniband import IbDevice, IbPort, IbReport
from inventory.specs.device_model import Slot


@check(
    "ib.port",
    family="InfiniBand",
    title="Network ports of the rails are up at their rate",
    part="hca",
    needs="infiniband",
    classes=("hca.gone", "hca.link", "hca.rate", "hca.fabric", "hca.config"),
    source="device model; ibstat",
)
def port(slot: Slot, report: IbReport, x: Context, me: CheckDeclaration) -> Outcome:
    """A port that is needed is Active at its rate: those of rails and InfiniBand, and what the slot says (`required`).
    Initializing is the subnet manager's trouble, not the cable's; other Ethernet ports may be down."""
    device = report.device(slot.device or "")
    needed = is_needed(slot)
    if device is None:
        if slot.device in report.failed:
            return fail(f"{slot.device} cannot be read: {report.trouble}", "hca.gone", excerpt=report.trouble)
        if report.trouble:
            return unknown(f"{slot.device} is not listed, and the tool stopped early: {report.trouble}")
        if not needed:
            # ibstatus leaves out what has no port state; ibstat lists every card.
            say = warn if report.has_firmware else info
            return say(f"{slot.device} is not listed ({slot.pci})")
        shown = f"Listed: {', '.join(each.name for each in report.devices)}"
        return fail(f"{slot.device} is not listed: no card at {slot.pci}", "hca.gone", excerpt=shown)
    if not device.ports:
        return unknown(f"{device.name}: no port is reported")
    own, layers = device.ports[0], x.once(_layers_of_rails, lambda: _layers_of_rails(report, x))
    if not report.has_links and own.state is not None:
        if own.state == "Active":
            return info(f"{device.name} port {own.number}: Active; this tool reports no rate")
        own = replace(own, physical_state=own.physical_state or "physical state not reported")
    return _port(device, own, slot, needed=needed, spoken=own.link_layer in layers)


def _layers_of_rails(report: IbReport, x: Context) -> set[str | None]:
    """The link layers that rails of this machine are Active with."""
    rails = [report.device(slot.device or "") for slot in x.spec.slots_of("hca") if slot.rail is not None]
    ports = [device.ports[0] for device in rails if device and device.ports]
    return {each.link_layer for each in ports if each.state == "Active"}


def _port(device: IbDevice, port: IbPort, slot: Slot, *, needed: bool, spoken: bool) -> Outcome:
    """`spoken`: the port's link layer is that of the fabric, whatever the model says; then a port down is just down."""
    who, shown = f"{device.name} port {port.number}", _shown(port)
    if port.state is None or port.physical_state is None or port.link_layer is None:
        return unknown(f"{who}: its state is not reported", excerpt=shown)
    other_layer = bool(slot.link_layer) and port.link_layer != slot.link_layer and needed
    layers = f"link layer {port.link_layer}, the model has {slot.link_layer}"
    if other_layer and port.state != "Active" and not spoken:
        return fail(f"{who}: {port.state}, {port.physical_state}; {layers}", "hca.config", excerpt=shown)
    state = f"{who}: {port.state}, {port.physical_state}"
    if port.state != "Active":
        if not needed:
            return ok(f"{state}; this Ethernet port may be down")
        if port.state in ("Initializing", "Armed"):
            return fail(f"{state}: the link is up and waits for the subnet manager", "hca.fabric", excerpt=shown)
        if port.physical_state == "Disabled":
            return fail(f"{state}: switched off by hand", "hca.link", excerpt=shown,
                        action="Find out who disabled the port; enable it with ibportstate.")  # fmt: skip
        return fail(state, "hca.link", excerpt=shown)
    if port.physical_state != "LinkUp" and needed:
        return unknown(f"{state}: the two do not fit together", excerpt=shown)
    if port.rate_gbps is None:
        return unknown(f"{who}: its rate is not reported", excerpt=shown)
    if slot.speed_gbps and port.rate_gbps < slot.speed_gbps:
        said = f"{who}: {port.rate_gbps:g} Gb/s, the model has {slot.speed_gbps}"
        if needed:
            return fail(said, "hca.rate", excerpt=shown, value=port.rate_gbps)
        return warn(said, "hca.rate", excerpt=shown, value=port.rate_gbps)
    if other_layer:  # it is Active, so the switch speaks the same: a RoCE fabric, or the wrong model
        return warn(f"{who}: Active at {port.rate_gbps:g} Gb/s, but {layers}", "hca.config", excerpt=shown)
    return ok(f"{who}: Active at {port.rate_gbps:g} Gb/s", value=port.rate_gbps)


def _shown(port: IbPort) -> str:
    rate = None if port.rate_gbps is None else f"{port.rate_gbps:g}"
    lines = f"State: {port.state}", f"Physical state: {port.physical_state}", f"Rate: {rate}"
    return "\n".join((*lines, f"Link layer: {port.link_layer}"))


@check(
    "ib.firmware",
    family="InfiniBand",
    title="Firmware of the network cards",
    part="hca",
    needs="infiniband",
    classes=("hca.firmware",),
    source="device model; ibstat",
    fields=("firmware",),
)
def firmware(slot: Slot, report: IbReport, x: Context, me: CheckDeclaration) -> Outcome:
    """All cards of a kind off the model's version is drift and warns; one out of line with the others of its kind
    fails, or warns where the model says `firmware_out_of_line: warn`."""
    device = report.device(slot.device or "")
    if device is None or not device.firmware:
        return unknown(f"{slot.device}: its firmware is not reported")
    kind = kind_of(slot, x)
    versions = x.once((firmware, kind), lambda: _versions(report, kind, x))
    common = versions.most_common(1)[0][0]
    wanted = said_of(slot, "hca_firmware", x, firmware=device.firmware) or common
    said, seen = f"{device.name}: firmware {device.firmware}", {"firmware": device.firmware}
    if device.firmware == wanted:
        return ok(said)
    if versions[device.firmware] * 2 <= versions.total():
        return x.out_of_line(
            f"{said}, others have {wanted if wanted in versions else common}", "hca.firmware", observed=seen
        )
    return warn(f"{said}, the model has {wanted}", "hca.firmware", observed=seen)


def _versions(report: IbReport, kind: tuple[str | None, bool], x: Context) -> Counter[str]:
    """How many cards of one kind have which firmware."""
    kin = {slot.device for slot in x.spec.slots_of("hca") if kind_of(slot, x) == kind}
    return Counter(each.firmware for each in report.devices if each.name in kin and each.firmware)


@check(
    "hca.identity",
    family="InfiniBand",
    title="Each network card is the one installed",
    part="hca",
    needs="infiniband",
    source="inventory",
    fields=("firmware",),
)
def identity(slot: Slot, report: IbReport, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Another node GUID than the inventory's is to be accepted as a swap, or the inventory corrected."""
    device = report.device(slot.device or "")
    if device is None or not device.node_guid:
        yield unknown(f"{slot.device}: its GUID is not reported")
        return
    wanted, seen = x.component(slot.name).guid, {"guid": device.node_guid}
    if wanted and _guid(wanted) != _guid(device.node_guid):
        yield warn(f"{device.name}: GUID {device.node_guid}, installed is {wanted}", "hca.identity", observed=seen)
    yield ok(f"GUID {device.node_guid}", observed=seen)


def _guid(text: str) -> str:
    return text.lower().removeprefix("0x").replace(":", "").lstrip("0")
