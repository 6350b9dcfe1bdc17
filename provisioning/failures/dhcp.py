"""What dnsmasq's log says of a machine that asked for an address and never for its boot script. Pure.

Its lines are those of dnsmasq 2.80 to 2.90 with `log-dhcp`, as our configuration has them (`provisioning.boot.dhcp`):
`TIME dnsmasq-dhcp[PID]: XID DHCPACK(IF) ADDRESS MAC NAME`. Where the log says nothing there is no finding: a machine
that asked nothing and a log of another network look the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from ipaddress import IPv4Network, ip_address

from provisioning.steps import FailureClass

MOST_LINES = 200
AHEAD = timedelta(minutes=5)
"""So far may the clock of the DHCP server be ahead of ours, or behind the beginning of the attempt."""
WRONG_SERVER = "wrong server-ID"
"""dnsmasq's reason to refuse a request that names another server as the one whose offer was taken (with
`dhcp-authoritative`; without it, it says nothing)."""
_LINE = re.compile(r"(\S+T\S+|\w{3} [ \d]\d \d\d:\d\d:\d\d) (?:\S+ )?(dnsmasq(?:-dhcp|-tftp)?)\[\d+\]: (.*)")
_DHCP = re.compile(
    r"(?:(?P<xid>\d+) )?(?P<kind>DHCP[A-Z]+|BOOTP|PXE)\(\S+\) (?:(?P<address>\d+(?:\.\d+){3}) )?"
    r"(?P<mac>[0-9a-f]{2}(?::[0-9a-f]{2}){5}) ?(?P<text>.*)"
)
_FILE = re.compile(r"(?P<xid>\d+) (?:bootfile name: |sent size: +\d+ option: +67 bootfile-name +)(?P<file>\S+)")
_TFTP = re.compile(
    r"(?:(?P<sent>sent) \S+ to|(?:failed sending|error \d+ .* received from|file .* not found for|cannot access).*?)"
    r" ?(?P<address>\d+(?:\.\d+){3})$"
)


@dataclass(slots=True)
class Seen:
    """The way of one machine through DHCP and TFTP, as far as the log has it. `file`: what it was told to load last."""

    lines: list[str] = field(default_factory=list)
    asked: int = 0
    offered: str = ""
    requested: bool = False
    address: str = ""
    file: str = ""
    refused: str = ""
    no_offer: str = ""
    foreign: str = ""
    """The address that it requested of another server; empty again once it has ours."""
    sent: bool = False
    tftp_error: str = ""


def seen_of(lines: Iterable[str], mac: str, *, since: datetime, now: datetime, zone: tzinfo = UTC) -> Seen:
    """What these lines say of this machine from `since` on. `zone`: of times that tell none."""
    seen, transactions, mac = Seen(), set[str](), mac.lower()

    def may_concern(line: str) -> bool:
        """Asked of every line first: a log of hundreds of starts has few about one machine."""
        return mac in line or "bootfile" in line or (bool(seen.address) and seen.address in line)

    for line, text in _between(filter(may_concern, lines), since - AHEAD, now + AHEAD, zone):
        if found := _DHCP.fullmatch(text):
            if found["mac"] != mac:
                continue
            transactions.add(found["xid"] or "")
            _dhcp(seen, found)
        elif (found := _FILE.match(text)) and found["xid"] in transactions:
            seen.file = found["file"]
        elif (found := _TFTP.fullmatch(text)) and seen.address and found["address"] == seen.address:
            _tftp(seen, found, text)
        else:
            continue
        seen.lines.append(line)
    seen.lines = seen.lines[-MOST_LINES:]
    return seen


def _between(lines: Iterable[str], first: datetime, last: datetime, zone: tzinfo) -> Iterator[tuple[str, str]]:
    for line in lines:
        found = _LINE.fullmatch(line.rstrip())
        at = _time(found[1], last, zone) if found else None
        if found and at is not None and first <= at <= last:
            yield line.rstrip(), found[3].rstrip()


def _time(text: str, last: datetime, zone: tzinfo) -> datetime | None:
    """Syslog's own times have no year: it is the latest that is not after `last`."""
    try:
        if "T" in text:
            at = datetime.fromisoformat(text)
            return at if at.tzinfo else at.replace(tzinfo=zone)
        year = last.astimezone(zone).year
        for each in (year, year - 1):
            at = datetime.strptime(f"{each} {text}", "%Y %b %d %H:%M:%S").replace(tzinfo=zone)
            if at <= last:
                return at
    except ValueError:
        return None
    return None


def _dhcp(seen: Seen, found: re.Match[str]) -> None:
    address, text = found["address"] or "", found["text"].strip()
    match found["kind"]:
        case "DHCPDISCOVER":
            seen.asked += 1
            seen.no_offer = text if text.startswith(("no address", "ignored", "disabled")) else ""
        case "DHCPOFFER":
            seen.offered, seen.no_offer = address, ""
        case "DHCPREQUEST":
            seen.asked, seen.requested = seen.asked + 1, True
        case "DHCPNAK" if text == WRONG_SERVER:
            seen.foreign, seen.address = address, ""
        case "DHCPNAK":
            seen.refused, seen.address = text or "without a reason", ""
        case "DHCPACK":
            seen.address, seen.refused, seen.foreign = address, "", ""
            seen.sent, seen.tftp_error = False, ""


def _tftp(seen: Seen, found: re.Match[str], text: str) -> None:
    # Firmware asks for the size first and breaks that transfer off: only what no later transfer makes good has failed.
    if found["sent"]:
        seen.sent, seen.tftp_error = True, ""
    else:
        seen.tftp_error = seen.tftp_error or text


def cause_of(seen: Seen) -> tuple[FailureClass, str] | None:
    """How far the machine came, and what stopped it; None where the log says nothing of it."""
    if seen.foreign:
        return (
            FailureClass.SECOND_DHCP,
            f"a second DHCP server answers on the boot network: it offered {seen.foreign}, and the machine took it",
        )
    if seen.address:
        return _with_address(seen)
    if not seen.asked:
        return None
    if seen.refused:
        return FailureClass.DHCP_FAILED, f"the DHCP server refused its request: {seen.refused}"
    if seen.offered and not seen.requested:
        return FailureClass.DHCP_FAILED, f"it was offered {seen.offered} and never requested it: no offer reaches it"
    if seen.offered:
        return FailureClass.DHCP_FAILED, f"it requested {seen.offered}, and the DHCP server never confirmed it"
    why = seen.no_offer or "without a reason"
    return FailureClass.DHCP_FAILED, f"it asked {seen.asked} times, and the DHCP server offered nothing: {why}"


def _with_address(seen: Seen) -> tuple[FailureClass, str]:
    has = f"it has the address {seen.address}"
    if seen.file.startswith(("http:", "https:")):
        return FailureClass.NO_PXE_REQUEST, f"{has} and was told to load {seen.file}, and never asked Rackside for it"
    if seen.sent:
        return FailureClass.NO_PXE_REQUEST, f"{has} and loaded {seen.file or 'its loader'}, which did not start"
    if seen.tftp_error:
        return FailureClass.TFTP_FAILED, f"{has}, and TFTP failed: {seen.tftp_error}"
    if not seen.file:
        return FailureClass.NO_PXE_REQUEST, f"{has}; what it was told to load is not in the log"
    return FailureClass.TFTP_FAILED, f"{has} and never began to load {seen.file} by TFTP"


def is_foreign(address: str, planned: str, networks: Sequence[IPv4Network]) -> bool:
    """Whether a machine asked from an address of none of the site's networks, though its planned one lies in one."""
    if not address or not planned:
        return False
    asked, mine = ip_address(address), ip_address(planned)
    return any(mine in each for each in networks) and not any(asked in each for each in networks)
