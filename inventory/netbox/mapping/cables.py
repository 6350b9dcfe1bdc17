"""Cables of NetBox as cables. Pure.

NetBox joins lists of terminations. One on each side is a plain cable; as many on both sides are the strands of a twin
cable, paired in order; one against several is a breakout.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from inventory.device_types.words import METRES
from inventory.netbox.findings import Findings
from inventory.netbox.mapping.labels import Labels
from inventory.netbox.mapping.ports import PortName, Ports
from inventory.netbox.options import Options
from inventory.netbox.snapshot import Mapped, Row, Snapshot, plain, remains, value_of

TYPES = {
    "cat3": "Cat3", "cat5": "Cat5", "cat5e": "Cat5e", "cat6": "Cat6", "cat6a": "Cat6a", "cat7": "Cat7",
    "cat7a": "Cat7a", "cat8": "Cat8", "dac-active": "DAC active", "dac-passive": "DAC", "aoc": "AOC", "mmf": "MMF",
    "mmf-om1": "OM1", "mmf-om2": "OM2", "mmf-om3": "OM3", "mmf-om4": "OM4", "mmf-om5": "OM5", "smf": "SMF",
    "smf-os1": "OS1", "smf-os2": "OS2", "coaxial": "coaxial", "power": "power cord", "usb": "USB",
}  # fmt: skip
UNKNOWN_TYPE = "unknown"
STATUS = {"connected": "connected", "planned": "planned", "decommissioning": "to_move"}
COLOURS = {
    "aa1409": "dark red", "f44336": "red", "e91e63": "pink", "ffe4e1": "rose", "ff66ff": "fuchsia",
    "9c27b0": "purple", "673ab7": "dark purple", "3f51b5": "indigo", "2196f3": "blue", "03a9f4": "light blue",
    "00bcd4": "cyan", "009688": "teal", "00ffff": "aqua", "2f6a31": "dark green", "4caf50": "green",
    "8bc34a": "light green", "cddc39": "lime", "ffeb3b": "yellow", "ffc107": "amber", "ff9800": "orange",
    "ff5722": "dark orange", "795548": "brown", "c0c0c0": "light grey", "9e9e9e": "grey", "607d8b": "dark grey",
    "111111": "black", "ffffff": "white",
}  # fmt: skip
"""The colours NetBox offers, by their code."""
ENDS = {
    "dcim.interface": "dcim/interfaces",
    "dcim.powerport": "dcim/power-ports",
    "dcim.poweroutlet": "dcim/power-outlets",
    "dcim.frontport": "dcim/front-ports",
    "dcim.rearport": "dcim/rear-ports",
    "dcim.consoleport": "dcim/console-ports",
    "dcim.consoleserverport": "dcim/console-server-ports",
}
MAX_LABEL = 40
USED = {
    "type", "a_terminations", "b_terminations", "status", "label", "color", "length", "length_unit", "bundle",
    "profile", "description",
}  # fmt: skip


class Cables:
    def __init__(
        self, snapshot: Snapshot, options: Options, findings: Findings, labels: Labels, ports: Ports, done: set[int]
    ) -> None:
        """`done` are cables that another part of the import has taken, such as those from feeds to PDUs."""
        self.snapshot, self.options, self.findings = snapshot, options, findings
        self.labels, self.ports, self.done = labels, ports, done
        self._taken: set[tuple[str, str]] = set()

    def rows(self) -> list[Mapped]:
        found = []
        for row in self.snapshot.rows("dcim/cables"):
            if row["id"] in self.done:
                continue
            sides = self._sides(row)
            if sides is not None:
                found.append((row, sides))
        # A label that people gave goes before one that is made up.
        labels = {
            row["id"]: self._label(row, sides) for row, sides in sorted(found, key=lambda f: not f[0].get("label"))
        }
        return [self._cable(row, sides, labels[row["id"]]) for row, sides in found]

    def _sides(self, row: Row) -> tuple[list[PortName], list[PortName]] | None:
        """The ports of both sides, or None (told) when the cable is none of ours."""
        sides: list[list[PortName]] = []
        for name in ("a_terminations", "b_terminations"):
            ends = row.get(name) or []
            if not ends:
                self.findings.left("dcim/cables", row, f"nothing is at its side {name[0].upper()}", name)
                return None
            ports = []
            for end in ends:
                why = self._why_not(end)
                if why:
                    self.findings.left("dcim/cables", row, why, name)
                    return None
                ports.append(self.ports.names[ENDS[end["object_type"]], end["object_id"]])
            sides.append(ports)
        a, b = sides
        if len(a) > 1 and len(b) > 1 and len(a) != len(b):
            why = f"{len(a)} ends against {len(b)}: which strand goes where is not reported"
            self.findings.left("dcim/cables", row, why, "profile")
            return None
        if a[0].site != b[0].site:
            self.findings.left("dcim/cables", row, f"it leaves the site: {a[0].site} and {b[0].site}", "b_terminations")
            return None
        return (b, a) if len(a) > 1 and len(b) == 1 else (a, b)

    def _why_not(self, end: Row) -> str:
        kind = str(end["object_type"])
        if kind not in ENDS:
            return f"it ends at a {kind}, for which there is no port here"
        if (ENDS[kind], end["object_id"]) in self.ports.names:
            return ""
        said: Any = end.get("object") or {}
        device = (said.get("device") or {}).get("display") or "a device"
        return f"it ends at {said.get('display') or 'a port'} of {device}, which was not imported"

    def _label(self, row: Row, sides: tuple[list[PortName], list[PortName]]) -> str:
        site = sides[0][0].site
        said = plain(row.get("label"))
        label = said or self.options.cable_label.format(id=row["id"])
        if len(label) > MAX_LABEL or (site, label) in self._taken:
            why = "is taken" if len(label) <= MAX_LABEL else f"is longer than {MAX_LABEL} characters"
            label = f"{label[: MAX_LABEL - 13].rstrip()} ({row['id']})"
            self.findings.changed("dcim/cables", row, f"its label {why}: it became {label!r}", "label")
        self._taken.add((site, label))
        return label

    def _cable(self, row: Row, sides: tuple[list[PortName], list[PortName]], label: str) -> Mapped:
        a, b = sides
        fields: Row = {
            "site": a[0].site,
            "label": label,
            "type": self._type(row, a),
            "status": self._status(row),
            "length_m": self._length(row),
            "colour": colour(row.get("color")),
            "bundle": plain((row.get("bundle") or {}).get("name"), 60),
            "a": [{"device": port.device, "port": port.port} for port in a],
            "b": [{"device": port.device, "port": port.port} for port in b],
            **self.labels.of("cables", "dcim/cables", row),
        }
        if "shuffle" in str(value_of(row.get("profile"))):
            self.findings.changed("dcim/cables", row, "its strands are paired in order, not shuffled", "profile")
        if row.get("description"):
            self.findings.left("dcim/cables", row, "a cable has no such field here", "description")
        for name in remains(row, USED):
            self.findings.left("dcim/cables", row, "a cable has no such field here", name)
        return Mapped("cables", "dcim/cables", row["id"], fields)

    def _type(self, row: Row, ends: list[PortName]) -> str:
        word = str(value_of(row.get("type")) or "")
        if word:
            return TYPES.get(word, word[:30])
        return "power cord" if ends[0].kind in ("power_in", "power_outlet") else UNKNOWN_TYPE

    def _status(self, row: Row) -> str:
        status = str(value_of(row.get("status")) or "connected")
        ours = STATUS.get(status, "connected")
        if status not in ("connected", "planned"):
            self.findings.changed("dcim/cables", row, f"{status} became {ours}", "status")
        return ours

    def _length(self, row: Row) -> Decimal | None:
        scale = METRES.get(str(value_of(row.get("length_unit"))))
        if row.get("length") in (None, ""):
            return None
        if scale is None:
            self.findings.left("dcim/cables", row, "a length without a unit", "length")
            return None
        metres = Decimal(str(row["length"])) * Decimal(str(scale))
        return metres.quantize(Decimal("0.01"), ROUND_HALF_UP) or None


def colour(code: Any) -> str:
    text = str(code or "").lower().lstrip("#")
    return COLOURS.get(text, f"#{text}" if text else "")[:20]
