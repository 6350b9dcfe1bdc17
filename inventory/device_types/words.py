"""NetBox's words for interfaces, parts and kinds of devices, in ours. Pure tables and patterns."""

from __future__ import annotations

import re
from typing import NamedTuple

INFINIBAND_GBPS = {
    "sdr": 10,
    "ddr": 20,
    "qdr": 40,
    "fdr10": 40,
    "fdr": 56,
    "edr": 100,
    "hdr": 200,
    "ndr": 400,
    "xdr": 800,
}
"""Speed of a port of four lanes, as the whole industry counts it; NetBox names the lane."""

_ETHERNET = re.compile(r"^(?P<number>\d+(?:\.\d+)?)(?P<unit>[gt]?)base-(?:x-)?(?P<media>[a-z0-9-]+)$")
_NO_SOCKET = re.compile(r"^(virtual|bridge|lag)$")
_BMC = re.compile(r"\b(i?drac|ilo|bmc|ipmi|imm|xcc|xclarity|cimc|irmc|lom|redfish|mgmt|management|oob)", re.IGNORECASE)
# InfiniBand switches whose types say OSFP or QSFP Ethernet, as the library has them: Quantum and Switch-IB.
_INFINIBAND_SWITCH = re.compile(r"(?<![a-z0-9])(m?qm\d{4}|m?sb7\d{3}|q\d{4}-r[al]|quantum|switch-?ib)", re.IGNORECASE)


class Socket(NamedTuple):
    """What an interface type is for us. `speed_gbps` is None below 1 and between whole numbers."""

    kind: str
    speed_gbps: int | None
    connector: str


def socket_of(interface_type: str) -> Socket | str:
    """The kind of port an interface type is, or why it is none."""
    word = interface_type.strip().lower()
    if _NO_SOCKET.match(word):
        return f"{word} is no socket"
    if word.startswith("infiniband-") and (speed := INFINIBAND_GBPS.get(word.removeprefix("infiniband-"))):
        return Socket("infiniband", speed, "")
    found = _ETHERNET.match(word)
    if not found:
        return f"a port of type {word or 'unknown'} is neither Ethernet nor InfiniBand"
    scale = {"": 0.001, "g": 1, "t": 1000}[found["unit"]]
    gbps = float(found["number"]) * scale
    media = found["media"] if "-x-" in word else ("rj-45" if found["media"] in ("t", "tx", "t1") else "")
    return Socket("ethernet", int(gbps) if gbps >= 1 and gbps == int(gbps) else None, media)


def is_bmc_name(name: str) -> bool:
    return bool(_BMC.search(name))


def is_infiniband_switch(manufacturer: str, model: str) -> bool:
    return manufacturer.lower() in ("nvidia", "mellanox", "nvidia networking") and bool(
        _INFINIBAND_SWITCH.search(model)
    )


_SLOTS = (
    ("psu", r"\bpsu?\s?-?\d|\bpsus?\b|power.?suppl|power.?module|\bpem\b"),
    ("gpu", r"\bgpus?\b|\bgpu\d|\bsxm|\boam\b|accelerator"),
    ("dimm", r"dimm|\bmemory\b"),
    ("cpu", r"\bcpus?\b|\bcpu\d|processor"),
    ("fan", r"\bfans?\b|\bfan\d|fan.?(tray|module|unit)"),
    ("optic", r"q?sfp|\bosfp|transceiver|\boptic"),
    ("nvme", r"nvme|\bu\.[23]\b|\be[13]\.[sl]\b|\bm\.2\b|\bssd|\bhdd|\bdis[ck]|\bdrive"),
    ("hca", r"\bhca|connectx|mlx5|\bnic\b|\bocp\b|bluefield|\bdpu\b|infiniband"),
    ("board", r"board|\bhgx\b|\briser|line.?card|\bsupervisor"),
)
_SLOT_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _SLOTS)


def slot_kind(*texts: str) -> str:
    """The kind of part a bay or inventory item is for, from its name first, then label, role and description."""
    for text in texts:
        for kind, pattern in _SLOT_PATTERNS:
            if text and pattern.search(text):
                return kind
    return "other"


_ROLES = (
    ("pdu", r"\bpdus?\b|power.?distribution|\brpp\b|power.?strip"),
    ("panel", r"patch|\bpanel\b|cassette|\bodf\b|fib(er|re).?(box|shelf)|cable.?manage"),
    ("switch", r"switch|\bleaf\b|\bspine\b|\bcore\b|\btor\b|\baggregation|\bagg\b|router|firewall|gateway"),
    ("shelf", r"shelf|chassis|enclosure|\btray\b|blank"),
    (
        "machine",
        r"gpu|server|compute|\bnodes?\b|\bhosts?\b|machine|hypervisor|storage|\blogin\b|\bhead\b|\bdgx\b|\bhgx\b",
    ),
)
_ROLE_PATTERNS = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _ROLES)


def kind_of_role(role: str) -> str | None:
    """The kind of device a role's name speaks of, or None. A site's own table goes before this one."""
    text = role.replace("-", " ").replace("_", " ")
    return next((kind for kind, pattern in _ROLE_PATTERNS if pattern.search(text)), None)


KG = {"kg": 1.0, "g": 0.001, "lb": 0.45359237, "oz": 0.028349523125}
METRES = {"m": 1.0, "cm": 0.01, "km": 1000.0, "ft": 0.3048, "in": 0.0254, "mi": 1609.344}
