"""Power panels and feeds of NetBox, and which PDU hangs on which feed. Pure."""

from __future__ import annotations

import re
from collections import Counter

from inventory.netbox.findings import Findings
from inventory.netbox.mapping.devices import Devices
from inventory.netbox.mapping.labels import Labels
from inventory.netbox.mapping.places import Places
from inventory.netbox.snapshot import Mapped, Row, Snapshot, plain, remains, value_of

_SIDE = re.compile(r"(?:^|[\s_.-])([AB])\d*$", re.IGNORECASE)
USED = {
    "power_panel", "rack", "status", "type", "supply", "phase", "voltage", "amperage", "max_utilization",
    "description",
}  # fmt: skip


class Power:
    """`feeds` leads from a NetBox feed's id to (site, our name)."""

    def __init__(self, snapshot: Snapshot, findings: Findings, labels: Labels, places: Places) -> None:
        self.snapshot, self.findings, self.labels, self.places = snapshot, findings, labels, places
        self.feeds: dict[int, tuple[str, str]] = {}
        self._name_feeds()

    def _panel(self, feed: Row) -> Row | None:
        return self.snapshot.get("dcim/power-panels", feed["power_panel"])

    def _name_feeds(self) -> None:
        """Feeds are unique in a panel there and in a site here: where two share a name, the panel's goes before."""
        found = [(feed, panel) for feed in self.snapshot.rows("dcim/power-feeds") if (panel := self._panel(feed))]
        counts = Counter((panel["site"]["id"], feed["name"]) for feed, panel in found)
        for feed, panel in found:
            site, name = panel["site"]["id"], feed["name"]
            if counts[site, name] > 1:
                name = f"{panel['name']} {name}"
            self.feeds[feed["id"]] = (self.snapshot.site_slugs[site], plain(name, 60))

    def panels(self) -> list[Mapped]:
        made = []
        for row in self.snapshot.rows("dcim/power-panels"):
            fields = {
                "site": self.snapshot.site_slugs[row["site"]["id"]],
                "name": plain(row["name"], 60),
                "room": self.places.room(row),
            }
            made.append(Mapped("power-panels", "dcim/power-panels", row["id"], fields))
            self.labels.no_custom("dcim/power-panels", row)
            for name in remains(row, {"site", "location"}):
                self.findings.left("dcim/power-panels", row, "a panel has no such field here", name)
        return made

    def feed_rows(self) -> list[Mapped]:
        made = []
        for row in self.snapshot.rows("dcim/power-feeds"):
            if row["id"] not in self.feeds:
                continue
            site, name = self.feeds[row["id"]]
            if value_of(row.get("supply")) == "dc" or (row.get("voltage") or 0) < 0:
                self.findings.left("dcim/power-feeds", row, "feeds are of alternating current here", "supply")
            fields = {
                "site": site,
                "name": name,
                "panel": plain((self._panel(row) or {}).get("name"), 60),
                "voltage_v": abs(row["voltage"]) if row.get("voltage") else None,
                "current_a": row.get("amperage"),
                "phases": 3 if value_of(row.get("phase")) == "three-phase" else 1,
                "derating_percent": row.get("max_utilization") or 100,
            }
            made.append(Mapped("power-feeds", "dcim/power-feeds", row["id"], fields, {"side": self._side(row)}))
            if (status := value_of(row.get("status"))) not in ("active", None):
                self.findings.left("dcim/power-feeds", row, f"a feed has no state such as {status} here", "status")
            if row.get("rack"):
                self.findings.left("dcim/power-feeds", row, "the PDU that hangs on it says the rack", "rack")
            self.labels.no_custom("dcim/power-feeds", row)
            for field in remains(row, USED):
                self.findings.left("dcim/power-feeds", row, "a feed has no such field here", field)
        return made

    def _side(self, row: Row) -> str:
        """A or B: as its name or its panel's ends, else primary is A and redundant B."""
        for name in (row["name"], (self._panel(row) or {}).get("name", "")):
            if found := _SIDE.search(str(name)):
                return found[1].upper()
        return "B" if value_of(row.get("type")) == "redundant" else "A"

    def of_pdus(self, devices: Devices) -> tuple[dict[int, str], set[int]]:
        """PDU to the name of its feed, and the cables that say so."""
        found: dict[int, str] = {}
        cables: set[int] = set()
        for cable in self.snapshot.rows("dcim/cables"):
            ends = [*(cable.get("a_terminations") or []), *(cable.get("b_terminations") or [])]
            feeds = [end["object_id"] for end in ends if end["object_type"] == "dcim.powerfeed"]
            inlets = [end for end in ends if end["object_type"] == "dcim.powerport"]
            if not feeds or not inlets:
                continue
            inlet = self.snapshot.get("dcim/power-ports", inlets[0]["object_id"])
            device = inlet["device"]["id"] if inlet else 0
            if devices.kinds.get(device) == "pdu" and feeds[0] in self.feeds and device not in found:
                found[device] = self.feeds[feeds[0]][1]
                cables.add(cable["id"])
        return found, cables
