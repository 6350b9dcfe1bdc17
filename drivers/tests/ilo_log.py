"""The log of an HPE iLO 5 as Redfish tells it: fields, types and order as that BMC has them, values of our own.

Unlike an iDRAC's it is oldest first, comes without pages, and names no message ids; what became of a trouble stands in
the vendor's part of the entry.
"""

from __future__ import annotations

from typing import Any

SERVICE_PATH = "/redfish/v1/Systems/1/LogServices/IML"
ENTRIES_PATH = f"{SERVICE_PATH}/Entries"
SERVICE: dict[str, Any] = {
    "@odata.id": SERVICE_PATH,
    "@odata.type": "#LogService.v1_1_0.LogService",
    "Id": "IML",
    "Name": "Integrated Management Log",
    "DateTime": "2026-05-04T10:00:00Z",
    "DateTimeLocalOffset": "+00:00",
    "Entries": {"@odata.id": ENTRIES_PATH},
    "OverWritePolicy": "WrapsWhenFull",
    "ServiceEnabled": True,
    "Status": {"Health": "OK", "State": "Enabled"},
}
LINK = "The link of the adapter in slot 4, port 2, is "


def entry(number: int, at: str, message: str, *, repaired: bool, of: str = "Network") -> dict[str, Any]:
    """One entry. A trouble is Critical, its end a new entry that is OK."""
    vendor = {
        "@odata.type": "#HpeLogEntry.v2_4_0.HpeLogEntry",
        "Categories": ["Hardware"],
        "ClassDescription": of,
        "Count": 1,
        "EventNumber": 100 + number,
        "Repaired": repaired,
        "Severity": "Repaired" if repaired else "Critical",
        "Updated": at,
    }
    return {
        "@odata.id": f"{ENTRIES_PATH}/{number}",
        "@odata.type": "#LogEntry.v1_11_0.LogEntry",
        "Id": str(number),
        "Created": at,
        "EntryType": "Oem",
        "Message": message,
        "Name": "Integrated Management Log",
        "Oem": {"Hpe": vendor},
        "OemRecordFormat": "Hpe-IML",
        "Severity": "OK" if repaired else "Critical",
    }


def entries() -> list[dict[str, Any]]:
    """A link that goes down and comes back, three times; the last time it stays down."""
    days = [f"2026-05-0{day}T08:15:0{day}Z" for day in range(1, 7)]
    words = ("up again", "down")
    return [
        entry(number, at, LINK + words[number % 2 == 0], repaired=number % 2 == 1)
        for number, at in enumerate(days, start=1)
    ]


def later() -> dict[str, Any]:
    """An entry that came long after: too warm, and over by itself."""
    return entry(114, "2026-06-20T12:00:00Z", "The inlet was too warm: 43 degrees", repaired=True, of="Environment")


def collection(members: list[dict[str, Any]]) -> dict[str, Any]:
    return {"@odata.id": ENTRIES_PATH, "@odata.type": "#LogEntryCollection.LogEntryCollection", "Members": members}
