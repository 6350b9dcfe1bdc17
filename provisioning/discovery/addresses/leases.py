"""Leases of DHCP servers: the files of dnsmasq and Kea, and answers of Kea's control API. Pure: text in, leases out.

What cannot be read is left out and named by its line; the rest is read all the same. A file that names no lease is not
the same as a file that nobody could read, and both are told.

Sources: dnsmasq `src/lease.c` (2.90), whose lines are EXPIRY MAC ADDRESS NAME CLIENT-ID with `*` for what is not known
and, below a line `duid ...`, EXPIRY IAID ADDRESS NAME DUID; Kea Administrator Reference Manual, "Memfile Backend" and
"lease_cmds", `src/lib/dhcpsrv/csv_lease_file4.h` and `csv_lease_file6.h` (2.2).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any, NamedTuple

from provisioning.boot.files import normal_mac

MOST_LEASES = 20_000
MOST_PROBLEMS = 200
FOR_EVER = 0xFFFFFFFF
"""A lifetime that does not end (RFC 2131, 3.3)."""
IN_USE = 0
"""Kea's states of a lease: 0 default, 1 declined, 2 expired and reclaimed, 3 released."""
_FIELDS = {
    "lease4": ("address", "hwaddr", "valid_lifetime", "expire", "hostname", "state"),
    "lease6": ("address", "duid", "valid_lifetime", "expire", "lease_type", "hostname", "hwaddr", "state"),
}
_ESCAPED = re.compile(r"&#x([0-9A-Fa-f]{2})")


class Problem(NamedTuple):
    """A line, from 1, that was not read. Line 0 is the file as a whole."""

    line: int
    reason: str


class Lease(NamedTuple):
    """Who has an address. `mac` is empty where the server knows only an identifier without one."""

    address: str
    mac: str = ""
    hostname: str = ""


@dataclass(frozen=True, slots=True)
class Leases:
    """What one text tells. `over`: expired, released or declined; `superseded`: an older row of an address."""

    leases: tuple[Lease, ...] = ()
    problems: tuple[Problem, ...] = ()
    unread: int = 0
    """How many lines could not be read; `problems` names the first MOST_PROBLEMS of them."""
    over: int = 0
    superseded: int = 0


class Unreadable(ValueError):
    """The text as a whole is no lease file, or no answer, of this kind."""


class _Told(NamedTuple):
    """A row as it stands: `used` is false for one that is over."""

    lease: Lease
    used: bool


def read_leases(text: str, *, now: float) -> Leases:
    """A lease file of dnsmasq or Kea, told apart by its first line. `now` in seconds since 1970.

    Raises Unreadable for text that is neither.
    """
    first = text.lstrip("\ufeff").partition("\n")[0].strip()
    return read_kea_csv(text, now=now) if first.startswith("address,") else read_dnsmasq(text, now=now)


# ---- dnsmasq ----


def read_dnsmasq(text: str, *, now: float) -> Leases:
    """Raises Unreadable when no line of a text that has some is a lease."""
    rows: list[_Told] = []
    problems: list[Problem] = []
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.split()
        if not words or words[0] == "duid":
            continue
        try:
            rows.append(_of_dnsmasq(words, now))
        except ValueError as error:
            problems.append(Problem(number, str(error)))
    if problems and not rows:
        raise Unreadable(f"no line is a lease of dnsmasq or Kea; line {problems[0].line}: {problems[0].reason}")
    return _leases(rows, problems)


def _of_dnsmasq(words: Sequence[str], now: float) -> _Told:
    """Raises ValueError with what is wrong with the line."""
    if len(words) < 5:
        raise ValueError(f"{len(words)} of 5 fields: the line breaks off")
    expiry, who, address, name, client = words[:5]
    if not expiry.isascii() or not expiry.isdigit():
        raise ValueError(f"{expiry[:40]!r} is not the time at which a lease ends")
    found = _address(address)
    mac = mac_of_duid(client) if ":" in found else _mac_of_hardware(who)
    used = int(expiry) == 0 or int(expiry) > now
    return _Told(Lease(found, mac, "" if name == "*" else name), used)


def _mac_of_hardware(text: str) -> str:
    """dnsmasq writes the type of hardware before the address where it is not Ethernet: `20-...`."""
    return normal_mac(text) or ""


# ---- Kea ----


def read_kea_csv(text: str, *, now: float) -> Leases:
    """A memfile: a row is appended at every change, so the last one of an address holds. Raises Unreadable."""
    lines = text.lstrip("\ufeff").split("\n")
    heading = [name.strip() for name in lines[0].strip().split(",")]
    kind = "lease6" if "duid" in heading else "lease4"
    lacking = [name for name in _FIELDS[kind] if name not in heading]
    if lacking:
        raise Unreadable(f"line 1: a heading of Kea's lease file has {', '.join(lacking)}")
    at = {name: heading.index(name) for name in _FIELDS[kind]}
    optional = {"user_context", "hwtype", "hwaddr_source", "pool_id"}
    least = max(index for index, name in enumerate(heading) if name not in optional) + 1
    rows: list[_Told] = []
    problems: list[Problem] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        try:
            cells = next(csv.reader([line.rstrip("\r")]), [])
            if len(cells) < least:
                raise ValueError(f"{len(cells)} of {len(heading)} fields: the line breaks off")
            told = _of_kea(kind, {name: cells[index] for name, index in at.items()}, now)
        except (ValueError, csv.Error) as error:
            problems.append(Problem(number, str(error)))
        else:
            rows += [told] if told else []
    return _leases(rows, problems)


def _of_kea(kind: str, told: Mapping[str, str], now: float) -> _Told | None:
    """None for a prefix, which is no address. Raises ValueError."""
    if kind == "lease6" and _number(told, "lease_type") == 2:
        return None
    lifetime, expire, state = (_number(told, name) for name in ("valid_lifetime", "expire", "state"))
    mac = normal_mac(told["hwaddr"]) or (mac_of_duid(told["duid"]) if kind == "lease6" else "")
    used = lifetime > 0 and state == IN_USE and (lifetime == FOR_EVER or expire > now)
    return _Told(Lease(_address(told["address"]), mac or "", _plain(told["hostname"])), used)


def _number(told: Mapping[str, str], name: str) -> int:
    text = told[name].strip()
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{name} is {text[:40]!r}, not a number")
    return int(text)


def _plain(text: str) -> str:
    """Kea writes a comma inside a field as `&#x2c`."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text).strip().rstrip(".")


def read_kea_answer(leases: Iterable[Any], *, now: float) -> Leases:
    """The `leases` of `lease4-get-all` and `-get-page`, or those of `lease6`, as JSON has them."""
    rows: list[_Told] = []
    problems: list[Problem] = []
    for number, told in enumerate(leases, start=1):
        try:
            row = _of_answer(told, now)
        except (ValueError, TypeError) as error:
            problems.append(Problem(number, str(error)))
        else:
            rows += [row] if row else []
    return _leases(rows, problems)


def _of_answer(told: Any, now: float) -> _Told | None:
    """`cltt` is when the client was last heard, `valid-lft` how long the lease holds from then. Raises ValueError."""
    if not isinstance(told, Mapping) or not isinstance(told.get("ip-address"), str):
        raise ValueError("a lease without ip-address")
    if told.get("type") == "IA_PD":
        return None
    numbers = [told.get(name, 0) for name in ("cltt", "valid-lft", "state")]
    if not all(isinstance(number, int) for number in numbers):
        raise ValueError("cltt, valid-lft and state are not all numbers")
    heard, lifetime, state = numbers
    mac = normal_mac(str(told.get("hw-address") or "")) or mac_of_duid(str(told.get("duid") or ""))
    used = state == IN_USE and lifetime > 0 and (lifetime == FOR_EVER or heard + lifetime > now)
    return _Told(Lease(_address(told["ip-address"]), mac, str(told.get("hostname") or "").rstrip(".")), used)


# ---- both ----


def _address(text: str) -> str:
    try:
        return str(ip_address(text.strip()))
    except ValueError:
        raise ValueError(f"{text[:60]!r} is no address") from None


def mac_of_duid(text: str) -> str:
    """The MAC inside a DUID of the kinds LLT and LL (RFC 8415, 11.2 and 11.4) of Ethernet; empty for another kind."""
    digits = re.sub(r"[:\-.]", "", text.lower())
    if len(digits) == 28 and digits.startswith("00010001"):
        return normal_mac(digits[16:]) or ""
    if len(digits) == 20 and digits.startswith("00030001"):
        return normal_mac(digits[8:]) or ""
    return ""


def _leases(rows: Sequence[_Told], problems: Sequence[Problem]) -> Leases:
    """The last row of each address holds, whether it says that the lease holds or that it is over."""
    last = {row.lease.address: row for row in rows}
    used = [row.lease for row in last.values() if row.used]
    return Leases(
        leases=tuple(used),
        problems=tuple(problems[:MOST_PROBLEMS]),
        unread=len(problems),
        over=len(last) - len(used),
        superseded=len(rows) - len(last),
    )


def together(parts: Iterable[Leases]) -> Leases:
    """Leases of several servers or pages as one; of an address that two tell, the first."""
    found: dict[str, Lease] = {}
    problems: list[Problem] = []
    unread = over = superseded = 0
    for part in parts:
        for lease in part.leases:
            found.setdefault(lease.address, lease)
        problems += part.problems
        unread, over, superseded = unread + part.unread, over + part.over, superseded + part.superseded
    return Leases(tuple(found.values()), tuple(problems[:MOST_PROBLEMS]), unread, over, superseded)


def inside(leases: Iterable[Lease], addresses: Iterable[str]) -> Iterator[Lease]:
    """Those whose address is one of these; all of them where none is named."""
    wanted = set(addresses)
    return (lease for lease in leases if not wanted or lease.address in wanted)
