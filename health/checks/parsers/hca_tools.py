"""`hca_self_test.ofed`, `flint query` and `mst status`: what the card vendor's own tools say of the network cards."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from health.checks.parsers import LONGEST_LINE, ParseError

SELF_TEST = "hca_self_test.ofed"
FLINT = "flint query"
MST = "mst status"

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_ROW = re.compile(r"^(\S.*?)\s*\.{3,}\s*(.*?)\s*$")
_ON_CARD = re.compile(r"^(Firmware on|Firmware Check on|Error Counter Check on|Node GUID on) CA #(\d+)\b")
_PORT_STATE = re.compile(r"^Port State of Port #(\d+) on CA #(\d+)\b")
_STATE = re.compile(r"^(\w+)(?:\s+(\d+)X\s+([A-Z]DR(?:10)?))?(?:\s+\((\w+)\))?$")


@dataclass(frozen=True)
class TestedPort:
    """A port of the self test: UP, DOWN or INIT; width in lanes and speed name (NDR) when it is up."""

    number: int
    state: str
    width: int | None = None
    speed: str | None = None
    link_layer: str | None = None


@dataclass(frozen=True)
class TestedCard:
    """What the self test says of one card; None where it says nothing."""

    number: int
    firmware: str | None = None
    firmware_check: str | None = None
    error_counters: str | None = None
    node_guid: str | None = None
    ports: tuple[TestedPort, ...] = ()

    @property
    def checks(self) -> tuple[str | None, str | None]:
        return self.firmware_check, self.error_counters


@dataclass(frozen=True)
class SelfTest:
    """`results` are the machine's own rows (PASS, FAIL, versions) by label; `done`: it came to its end."""

    detected: int | None
    results: Mapping[str, str]
    cards: tuple[TestedCard, ...]
    done: bool

    def names_trouble(self) -> bool:
        """Whether the output itself says why the tool ended with an error."""
        checks = [*self.results.values(), *(each for card in self.cards for each in card.checks)]
        return "FAIL" in checks or any(port.state != "UP" for card in self.cards for port in card.ports)


def parse_self_test(text: str) -> SelfTest:
    results: dict[str, str] = {}
    cards: dict[int, dict[str, str]] = {}
    ports: dict[int, list[TestedPort]] = {}
    plain = _COLOUR.sub("", text)
    for line in plain.splitlines():
        row = _ROW.match(line.strip())
        if not row:
            continue
        label, value = row.group(1), row.group(2).strip('"')
        if port := _PORT_STATE.match(label):
            cards.setdefault(int(port.group(2)), {})
            ports.setdefault(int(port.group(2)), []).append(_port(int(port.group(1)), value))
        elif card := _ON_CARD.match(label):
            cards.setdefault(int(card.group(2)), {})[card.group(1)] = value
        else:
            results[label] = value
    if not results and not cards:
        first = next((line.strip() for line in plain.splitlines() if line.strip()), "no output")
        raise ParseError(SELF_TEST, f"no result in the output: {first[:200]}")
    detected = results.get("Number of CAs Detected", "")
    return SelfTest(
        detected=int(detected) if detected.isdecimal() else None,
        results=results,
        cards=tuple(_card(number, cards[number], ports.get(number, [])) for number in sorted(cards)),
        done=re.search(r"^-+ DONE -+\s*$", plain, re.MULTILINE) is not None,
    )


def _card(number: int, told: Mapping[str, str], ports: list[TestedPort]) -> TestedCard:
    return TestedCard(
        number,
        firmware=told.get("Firmware on", "").removeprefix("v") or None,
        firmware_check=told.get("Firmware Check on") or None,
        error_counters=told.get("Error Counter Check on") or None,
        node_guid=told.get("Node GUID on") or None,
        ports=tuple(ports),
    )


def _port(number: int, value: str) -> TestedPort:
    found = _STATE.match(value)
    if not found:
        return TestedPort(number, value)
    state, width, speed, layer = found.groups()
    return TestedPort(number, state.upper(), int(width) if width else None, speed, layer)


@dataclass(frozen=True)
class FlintCard:
    """One card. `running` differs from `firmware` when an image was burnt and not started yet; `trouble` is the tool's
    own error. `optic` is the firmware of the transceiver in use; `asked_optic` says that it was asked for."""

    device: str
    image_type: str | None = None
    firmware: str | None = None
    running: str | None = None
    psid: str | None = None
    base_guid: str | None = None
    optic: str | None = None
    asked_optic: bool = False
    trouble: str = ""


@dataclass(frozen=True)
class FlintReport:
    """The cards asked, in order. `of_one_part`: one card was asked, so nothing is said of the others."""

    cards: tuple[FlintCard, ...]
    of_one_part: bool = False


_CARD = re.compile(r"^CARD: *(\S+)\s*$", re.MULTILINE)
_PAIR = re.compile(r"^\s*([A-Za-z][^:]*?)\s*:\s*(.*?)\s*$")
_OPTIC = "Downstream device ID"
_BANK = re.compile(r"FW image ([AB]) is present")


def parse_flint(text: str, command: str = "") -> FlintReport:
    """`flint query` of one card, or of several with a line `CARD: mlx5_0` before each."""
    pieces = _CARD.split(text)
    if len(pieces) > 1:
        cards = [_flint_card(name, body) for name, body in zip(pieces[1::2], pieces[2::2], strict=True)]
        return FlintReport(tuple(cards))
    if command.startswith("for "):
        raise ParseError(FLINT, "no card in the output")
    asked = re.search(r"(?:-d|--device)[= ](\S+)", command)
    return FlintReport((_flint_card(asked.group(1) if asked else "", text),), of_one_part=True)


def _flint_card(device: str, text: str) -> FlintCard:
    own, mark, behind = text.partition(_OPTIC)
    values: dict[str, str] = {}
    for line in own.splitlines():
        if pair := _pair(line[:LONGEST_LINE]):
            values.setdefault(*pair)
    error = next((line.strip() for line in text.splitlines() if line.startswith("-E-")), "")
    firmware = values.get("FW Version")
    if not firmware and not error and not device:
        raise ParseError(FLINT, "no firmware version in the output")
    return FlintCard(
        device,
        image_type=values.get("Image type"),
        firmware=firmware,
        running=values.get("FW Version(Running)") or firmware,
        psid=values.get("PSID"),
        base_guid=(values.get("Base GUID") or "").split()[0] if values.get("Base GUID") else None,
        optic=_optic(behind) if mark else None,
        asked_optic=bool(mark),
        trouble=error[:200],
    )


@lru_cache(maxsize=4096)
def _pair(line: str) -> tuple[str, str] | None:
    """Name and value of a line."""
    pair = _PAIR.match(line)
    return (pair.group(1), pair.group(2)) if pair else None


def _optic(text: str) -> str | None:
    """The version in the bank that is marked present."""
    bank = _BANK.search(text)
    found = re.search(rf"^FW {bank.group(1)} Version:\s*(\S+)\s*$", text, re.MULTILINE) if bank else None
    return found.group(1) if found else None


@dataclass(frozen=True)
class MstStatus:
    """Whether the tools' kernel part is loaded, and the PCI addresses of the devices it offers."""

    loaded: bool
    addresses: tuple[str, ...]


def parse_mst(text: str) -> MstStatus:
    if "MST modules" not in text:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "no output")
        raise ParseError(MST, f"no list of modules in the output: {first[:200]}")
    loaded = re.search(r"^\s*MST PCI (?:configuration )?module (?:is )?loaded", text, re.MULTILINE)
    if "MST devices" not in text and loaded:
        raise ParseError(MST, "the list of devices is missing: the output may be cut off")
    addresses = re.findall(r"domain:bus:dev\.fn=([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.\d)", text)
    return MstStatus(loaded is not None, tuple(dict.fromkeys(each.lower() for each in addresses)))
