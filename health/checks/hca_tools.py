"""Checks of network cards from the vendor's own tools: `hca_self_test.ofed`, `flint query`, `mst status`."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from core.counts import counted
from health.checks.card_kinds import family, said_of
from health.checks.context import Context
from health.checks.engine import lead
from health.checks.model import MACHINE, CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.parsers.hca_tools import FlintCard, FlintReport, MstStatus, SelfTest, TestedCard, TestedPort
from health.checks.parsers.infiniband import IbReport
from inventory.specs.device_model import Slot

# Gb/s of one lane by the name of its speed, in the round numbers that rates are sold in.
_LANE_GBPS = {"SDR": 2.5, "DDR": 5, "QDR": 10, "FDR10": 10, "FDR": 14, "EDR": 25, "HDR": 50, "NDR": 100, "XDR": 200}
_PASSED, _FAILED = "PASS", "FAIL"
_VENDOR_TOOLS = "NVIDIA firmware tools and OFED documentation"


def plain_guid(text: str | None) -> str:
    """A GUID without the decoration that each tool gives it."""
    return (text or "").lower().removeprefix("0x").replace(":", "").lstrip("0")


def card_slot(x: Context, *, device: str = "", guid: str | None = None) -> Slot | None:
    """The slot of a card that a tool calls by device name, PCI address or GUID."""
    slots = x.spec.slots_of("hca")
    if device and (slot := next((each for each in slots if each.device == device), None)):
        return slot
    if device and (slot := x.spec.slot_by_pci(device)) and slot.kind == "hca":
        return slot
    wanted = plain_guid(guid)
    return next((slot for slot in slots if wanted and wanted in _guids_of(slot, x)), None)


def _guids_of(slot: Slot, x: Context) -> set[str]:
    """What the inventory and the other outputs of this machine say the slot's GUID is."""
    found = {plain_guid(x.component(slot.name).guid)}
    reading = x.readings.get("infiniband")
    if reading and isinstance(reading.data, IbReport) and (device := reading.data.device(slot.device or "")):
        found.add(plain_guid(device.node_guid))
    reading = x.readings.get("flint")
    if reading and isinstance(reading.data, FlintReport):
        found |= {plain_guid(card.base_guid) for card in reading.data.cards if card.device == slot.device}
    return found - {""}


@check(
    "hca.self_test",
    family="InfiniBand",
    title="The network cards' self test passes",
    needs="self_test",
    each=False,
    optional=True,
    classes=("hca.gone", "hca.driver", "hca.link", "hca.rate", "hca.fabric"),
    source=f"{_VENDOR_TOOLS}; practice of a published 4,088-GPU cluster",
)
def self_test(found: SelfTest, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Cards there, driver started, every InfiniBand port up at its rate. Counters of a lifetime are told, no fault."""
    said: dict[str, list[Outcome]] = defaultdict(list)
    said[MACHINE].extend(_whole_test(found, x))
    for card in found.cards:
        slot = card_slot(x, guid=card.node_guid)
        part = slot.name if slot else MACHINE
        said[part].extend(_tested(card, slot, x))
    for part, outcomes in said.items():
        yield part, lead([*outcomes, ok(f"self test passed, {counted(len(found.cards), 'card')}")])


def _whole_test(found: SelfTest, x: Context) -> Iterator[Outcome]:
    if not found.done:
        yield unknown("the self test did not come to its end")
    for label, fault_class in (("PCI Device Check", "hca.gone"), ("Host Driver Initialization", "hca.driver")):
        result = found.results.get(label)
        if result == _FAILED:
            yield fail(f"{label}: {result}", fault_class)
        elif result != _PASSED:
            yield unknown(f"{label}: {result or 'not reported'}")
    for label in ("Host Driver RPM Check", "Kernel Syslog Check"):
        if found.results.get(label) == _FAILED:
            yield warn(f"{label}: {_FAILED}", "hca.driver")
    rails = [slot for slot in x.spec.slots_of("hca") if slot.rail is not None]
    ports = [port for card in found.cards for port in card.ports if port.link_layer != "Ethernet"]
    if len(ports) >= len(rails):
        return
    said = f"{counted(len(ports), 'InfiniBand port is', 'InfiniBand ports are')} reported, "
    said += f"the model has {counted(len(rails), 'rail')}"
    if found.done and found.detected is not None and found.detected < len(rails):
        yield fail(f"{said}; {found.detected} cards detected", "hca.gone")
    else:
        yield unknown(said)


def _tested(card: TestedCard, slot: Slot | None, x: Context) -> Iterator[Outcome]:
    who = f"CA #{card.number}{f' ({card.node_guid})' if card.node_guid else ''}"
    who = f"{slot.device} = {who}" if slot else who
    if not card.ports:
        yield unknown(f"{who}: no port state is reported")
    for port in card.ports:
        yield from _tested_port(f"{who} port {port.number}", port, slot, x)
    if card.firmware_check == _FAILED:
        yield warn(f"{who}: firmware check failed, it has {card.firmware}", "hca.firmware")
    if card.error_counters == _FAILED:
        yield warn(f"{who}: its error counters are over the tool's limits", "hca.link",
                   action="Check the rate of the counters: they count for the card's whole life.")  # fmt: skip


def _tested_port(who: str, port: TestedPort, slot: Slot | None, x: Context) -> Iterator[Outcome]:
    said = f"{who}: {port.state}"
    if port.link_layer is None:
        yield unknown(f"{said}, with no link layer reported")
    elif port.state == "DOWN" and port.link_layer == "Ethernet":
        yield info(f"{said}; this Ethernet port may be down")
    elif port.state == "DOWN" and slot and slot.link_layer != "InfiniBand" and slot.rail is None:
        yield info(f"{said}; the model does not need this port")
    elif port.state == "DOWN":
        yield fail(said, "hca.link")
    elif port.state in ("INIT", "ARMED"):
        yield fail(f"{said}: the link is up and waits for the subnet manager", "hca.fabric")
    elif port.state != "UP":
        yield unknown(said)
    elif port.link_layer == "InfiniBand":
        speeds = [each.speed_gbps for each in x.spec.slots_of("hca") if each.rail is not None and each.speed_gbps]
        wanted = slot.speed_gbps if slot else min(speeds, default=None)
        lane = _LANE_GBPS.get(port.speed or "")
        if lane is None or port.width is None:
            yield unknown(f"{said}, with no rate reported")
        elif wanted and lane * port.width < wanted:
            yield fail(f"{said} {port.width}X {port.speed}, the model has {wanted} Gb/s", "hca.rate")


@check(
    "flint.firmware",
    family="Flint",
    title="Firmware image of each network card (flint)",
    part="hca",
    needs="flint",
    each=False,
    classes=("hca.firmware",),
    source=_VENDOR_TOOLS,
)
def flint_firmware(found: FlintReport, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """One version and image type on all cards of a kind, the burnt image also the running one."""
    cards = _in_slots(found, x)
    kinds: dict[tuple[str | None, str], list[FlintCard]] = defaultdict(list)
    for slot, card in cards.values():
        kinds[_kind(slot, card)].append(card)
    kin = {kind: _Kin.of(alike) for kind, alike in kinds.items()}
    for part, (slot, card) in cards.items():
        said = _flint_card(card, slot, kin[_kind(slot, card)], x)
        yield part, lead([*said, ok(f"{card.device or part}: firmware {card.firmware}")])
    yield from _not_asked(found, cards, x)


@dataclass(frozen=True)
class _Kin:
    """How many of the cards of one kind have which value."""

    firmware: Counter[str]
    psid: Counter[str]
    image_type: Counter[str]

    @classmethod
    def of(cls, cards: Sequence[FlintCard]) -> _Kin:
        names = ("firmware", "psid", "image_type")
        return cls(*(Counter(told for card in cards if (told := getattr(card, name))) for name in names))


def _kind(slot: Slot | None, card: FlintCard) -> tuple[str | None, str]:
    """Cards to compare with each other: of one link layer, and of one family of firmware."""
    return slot.link_layer if slot else None, family(card.firmware or "")


def _in_slots(found: FlintReport, x: Context) -> dict[str, tuple[Slot | None, FlintCard]]:
    placed: dict[str, tuple[Slot | None, FlintCard]] = {}
    for card in found.cards:
        slot = card_slot(x, device=card.device, guid=card.base_guid)
        placed[slot.name if slot else card.device or MACHINE] = (slot, card)
    return placed


def _not_asked(found: FlintReport, told: Container[str], x: Context) -> Iterator[tuple[str, Outcome]]:
    """A list of cards may leave out the Ethernet ones, which carry no rail; a rail it leaves out is unknown."""
    for slot in x.spec.slots_of("hca") if not found.of_one_part else ():
        if slot.name not in told and slot.rail is None:
            yield slot.name, ok("no rail card: not asked")


def _flint_card(card: FlintCard, slot: Slot | None, kin: _Kin, x: Context) -> Iterator[Outcome]:
    who = card.device or (slot.name if slot else "the card")
    if card.trouble:
        yield unknown(f"{who}: {card.trouble}")
        return
    if card.firmware is None or card.image_type is None or card.psid is None:
        yield unknown(f"{who}: firmware, image type or PSID is not reported")
    if card.firmware and card.running != card.firmware:
        yield warn(f"{who}: {card.firmware} is burnt, {card.running} still runs", "hca.firmware",
                   action="Reset the card (mlxfwreset) or reboot when the machine is idle.")  # fmt: skip
    told = x.spec.expected.get("hca_firmware") or {}
    firmware = card.firmware or ""
    wanted = said_of(slot, "hca_firmware", x, firmware=firmware) if slot else None
    alike = [version for version in told.values() if family(str(version)) == family(firmware)]
    wanted = wanted or (str(alike[0]) if len(alike) == 1 else None)  # a card alone, or ibstat was not read
    yield from _beside(x, who, "firmware", card.firmware, kin.firmware, wanted)
    yield from _beside(x, who, "PSID", card.psid, kin.psid, None)
    yield from _beside(x, who, "image type", card.image_type, kin.image_type, None)


def _beside(
    x: Context, who: str, what: str, found: str | None, known: Counter[str], wanted: str | None
) -> Iterator[Outcome]:
    """One value beside others on the machine fails, or warns by the model's policy; all off the model's is drift."""
    common = known.most_common(1)[0][0] if known else None
    wanted = wanted or common
    if not found or found == wanted:
        return
    said = f"{who}: {what} {found}"
    if known[found] * 2 <= known.total():
        yield x.out_of_line(f"{said}, others have {wanted if wanted in known else common}", "hca.firmware")
    else:
        yield warn(f"{said}, the model has {wanted}", "hca.firmware")


@check(
    "flint.transceiver",
    family="Flint",
    title="Firmware of the transceivers (flint)",
    part="hca",
    needs="flint",
    each=False,
    source=f"{_VENDOR_TOOLS}; a transceiver with old firmware flaps",
)
def transceiver(found: FlintReport, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """The bank in use holds the model's `transceiver_firmware`, or what the other transceivers have."""
    cards = _in_slots(found, x)
    versions = Counter(card.optic for card in found.cards if card.optic)
    common = versions.most_common(1)[0][0] if versions else None
    wanted = x.spec.expected.get("transceiver_firmware") or common
    asked = any(card.asked_optic for card in found.cards)
    for part, (_, card) in cards.items():
        who = card.device or part
        if not asked and not x.spec.expected.get("transceiver_firmware"):
            yield part, info(f"{who}: its transceiver was not asked")
        elif card.optic is None:
            yield part, unknown(f"{who}: the firmware of its transceiver is not reported")
        elif card.optic != wanted:
            said = f"{who}: transceiver firmware {card.optic}, not {wanted}"
            yield part, warn(said, "hca.firmware", action="Burn the transceiver's firmware when the link is drained.")
        else:
            yield part, ok(f"{who}: transceiver firmware {card.optic}")
    yield from _not_asked(found, cards, x)


@check(
    "flint.mst",
    family="Flint",
    title="The firmware tools reach every network card",
    part="hca",
    needs="mst",
    each=False,
    optional=True,
    source=_VENDOR_TOOLS,
)
def mst(found: MstStatus, x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Their kernel part is loaded and lists the cards of the rails."""
    slots = x.spec.slots_of("hca")
    listed = {slot.name for each in found.addresses if (slot := x.spec.slot_by_pci(each))}
    shown = "\n".join(["Listed:", *found.addresses])
    if not found.loaded:
        for slot in slots:
            yield slot.name, unknown("the firmware tools are not started (mst start)")
    elif found.addresses and not listed:
        yield MACHINE, warn("no card is at an address of the model: is this the right model?",
                            action="Check the model's PCI addresses.", excerpt=shown)  # fmt: skip
        return
    for slot in slots if found.loaded else ():
        if slot.name in listed or slot.rail is None:
            yield slot.name, ok("reached" if slot.name in listed else "no rail card")
        else:
            said = f"{slot.pci or slot.text} is not listed"
            yield slot.name, warn(said, "hca.gone", action="See whether ibstat lists the card.", excerpt=shown)
