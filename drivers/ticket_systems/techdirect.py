"""Dell TechDirect self-dispatch: ask for a part, ask how far it is, ask again.

Read in a public PowerShell module of 2019 and to be compared with the current developer guide: a token by OAuth2 client
credentials, then SOAP 1.1 (text/xml, SOAPAction, namespace api.dell.com, service v3), where each call carries the
technician's login and password besides. Sandbox and production have bases of their own, so both are settings. Element
names are matched without their namespace; the quantity is spelt as that module spells it.
"""

from __future__ import annotations

import base64
import json
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self
from xml.etree.ElementTree import Element, SubElement, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, fromstring

from drivers.gate import Gate
from drivers.https import ApplianceError, BadStatus, HttpsSession, NotJson, SignInRefused

ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
API = "http://api.dell.com"
MOST_PARTS = 4
MOST_NOTE = 1000
MOST_BYTES = 4 << 20
QUANTITY = "Quanitity"

ADDRESS = (
    "CountryISOCode",
    "City",
    "State",
    "ZipPostalCode",
    "AddressLine1",
    "AddressLine2",
    "AddressLine3",
    "TimeZone",
)
ACCOUNT = ("TechEmail", "Branch", "Customer", "Track")


class NotDispatched(ApplianceError):
    """TechDirect answered, and refuses; the text is its own."""


@dataclass(frozen=True, slots=True)
class Part:
    number: str
    ppid: str
    quantity: int = 1


@dataclass(frozen=True, slots=True)
class Dispatch:
    """What CreateDispatch is given. `reference`: ours, by which a dispatch is found whose answer got lost."""

    service_tag: str
    note: str
    parts: Sequence[Part]
    account: Mapping[str, str]
    contact: tuple[str, str, str]
    """Name, telephone, mail."""
    address: Mapping[str, str] = field(default_factory=dict)
    """Of `ADDRESS`, or an `AddressBookName`."""
    reference: str = ""
    onsite: bool = False
    attachments: Sequence[tuple[str, str, bytes]] = ()
    """Name, MIME type, content."""


@dataclass(frozen=True, slots=True)
class Stand:
    """A dispatch as TechDirect tells it. `code`: SR..; `dps`: the number of the order of the part."""

    code: str
    status: str
    dps: str = ""
    reason: str = ""
    carrier: str = ""
    tracking: str = ""
    reference: str = ""


# ---- pure ----


def problems(asked: Dispatch) -> list[str]:
    """Why it would be refused, in sentences."""
    found = [f"{name} of the account is missing" for name in ACCOUNT if not asked.account.get(name)]
    if not asked.address.get("AddressBookName"):
        needed = ("CountryISOCode", "City", "ZipPostalCode", "AddressLine1", "TimeZone")
        found += [f"{name} of the address is missing" for name in needed if not asked.address.get(name)]
    if not all(asked.contact):
        found.append("name, telephone and mail of the contact are needed")
    if not asked.note.strip() or len(asked.note) > MOST_NOTE:
        found.append(f"the note has 1 to {MOST_NOTE} letters")
    if not 1 <= len(asked.parts) <= MOST_PARTS or not all(part.number and part.ppid for part in asked.parts):
        found.append(f"1 to {MOST_PARTS} parts, each with part number and PPID")
    return found


def create_body(asked: Dispatch, login: tuple[str, str]) -> bytes:
    name, phone, mail = asked.contact
    address = [(key, asked.address[key]) for key in ("AddressBookName", *ADDRESS) if asked.address.get(key)]
    return _envelope(
        "CreateDispatch",
        login,
        [
            *((key, asked.account.get(key, "")) for key in ACCOUNT),
            ("ServiceTag", asked.service_tag),
            ("PrimaryContactName", name),
            ("PrimaryContactPhone", phone),
            ("PrimaryContactEmail", mail),
            ("ShipToAddress", address),
            ("RequestCompleteCare", "false"),
            ("RequestReturnToDepot", "false"),
            ("RequestOnSiteTechnician", "true" if asked.onsite else "false"),
            ("TroubleshootingNote", asked.note),
            (
                "Parts",
                [
                    ("PartInfo", [("PartNumber", p.number), ("PPID", p.ppid), (QUANTITY, str(p.quantity))])
                    for p in asked.parts
                ],
            ),
            *([("ReferencePONumber", asked.reference)] if asked.reference else []),
            *([("Attachments", [_attachment(each) for each in asked.attachments])] if asked.attachments else []),
        ],
    )


def _attachment(given: tuple[str, str, bytes]) -> tuple[str, Any]:
    name, mime, content = given
    rows = [("Description", name), ("FileName", name), ("MIMEType", mime), ("Data", base64.b64encode(content).decode())]
    return "AttachmentInfo", rows


def status_body(code: str, login: tuple[str, str]) -> bytes:
    return _envelope("GetDispatchStatus", login, [("DispatchCode", code)])


def inquiry_body(service_tag: str, login: tuple[str, str]) -> bytes:
    return _envelope("BulkDispatchesInquiry", login, [("ServiceTag", service_tag)])


def resubmit_body(code: str, note: str, parts: Sequence[Part], login: tuple[str, str]) -> bytes:
    rows = [("PartInfo", [("PartNumber", p.number), ("PPID", p.ppid), (QUANTITY, str(p.quantity))]) for p in parts]
    return _envelope(
        "ResubmitDispatch", login, [("DispatchCode", code), ("TroubleshootingNote", note), ("Parts", rows)]
    )


def _envelope(method: str, login: tuple[str, str], rows: Sequence[tuple[str, Any]]) -> bytes:
    root = Element(f"{{{ENVELOPE}}}Envelope")
    call = SubElement(SubElement(root, f"{{{ENVELOPE}}}Body"), f"{{{API}}}{method}")
    request = SubElement(call, f"{{{API}}}request")
    _fill(request, [("Login", login[0]), ("Password", login[1]), *rows])
    return bytes(tostring(root, encoding="utf-8", xml_declaration=True))


def _fill(at: Element, rows: Sequence[tuple[str, Any]]) -> None:
    for name, value in rows:
        made = SubElement(at, f"{{{API}}}{name}")
        if isinstance(value, list):
            _fill(made, value)
        else:
            made.text = "".join(letter for letter in value if letter in "\t\n\r" or ord(letter) >= 32)


def stands(raw: bytes) -> list[Stand]:
    """The dispatches that an answer tells of. Raises NotDispatched for a fault, NotJson for what cannot be read."""
    try:
        root = fromstring(raw)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise NotJson("TechDirect's answer is not XML that can be read") from error
    fault = _first(root, "faultstring")
    if fault:
        raise NotDispatched(f"TechDirect refuses it: {fault}")
    found = [each for each in root.iter() if _text(each, "DispatchCode")]
    if not found:
        raise NotJson("TechDirect's answer names no dispatch")
    return [
        Stand(
            _text(each, "DispatchCode"), _text(each, "Status") or _text(each, "DispatchStatus"),
            _text(each, "DPSNumber"), _text(each, "OrderDeniedReason"), _text(each, "Carrier"),
            _text(each, "TrackingNumber") or _text(each, "Waybill"), _text(each, "ReferencePONumber"),
        )
        for each in found
    ]  # fmt: skip


def _name(each: Element) -> str:
    return str(each.tag).rpartition("}")[2]


def _text(at: Element, name: str) -> str:
    """Of a child, not of what lies deeper."""
    return next(((each.text or "").strip() for each in at if _name(each) == name), "")


def _first(root: Element, name: str) -> str:
    return next(((each.text or "").strip() for each in root.iter() if _name(each) == name), "")


APPROVED = ("DSP", "ISSUES", "QUE", "APPROVED")


def meaning(stand: Stand) -> str:
    """`accepted`, `shipped`, `denied`, or empty: under review, whatever the interim code (HOLD, PND, L2 Review ..)."""
    status = stand.status.strip().upper()
    if "DENIED" in status:
        return "denied"
    if "SHIPPED" in status:
        return "shipped"
    return "accepted" if status in APPROVED or stand.dps else ""


# ---- the client ----


class TechDirect:
    """One base. Use as an async context manager. Every method raises ApplianceError's family, nothing else."""

    def __init__(
        self, url: str, token_url: str, client: tuple[str, str], login: tuple[str, str], *, gate: Gate | None = None,
        trust: ssl.SSLContext | None = None, timeout_s: float = 10, total_s: float = 40,
    ) -> None:  # fmt: skip
        self._url, self._token_url, self._login = url, token_url, login
        self._client = "Basic " + base64.b64encode(":".join(client).encode()).decode()
        trust = trust or ssl.create_default_context()
        self._https = HttpsSession(
            url, gate=gate, trust=trust, timeout_s=timeout_s, total_s=total_s, most_bytes=MOST_BYTES
        )
        self._token = ""

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    async def create(self, asked: Dispatch) -> Stand:
        """A new dispatch. Raises NotDispatched before anything is sent where it would be refused."""
        wrong = problems(asked)
        if wrong:
            raise NotDispatched(f"{'; '.join(wrong)}.")
        return (await self._call("CreateDispatch", create_body(asked, self._login)))[0]

    async def find(self, service_tag: str, reference: str) -> Stand | None:
        """The dispatch of this tag that carries our reference, the newest first; None where there is none."""
        try:
            rows = await self._call("BulkDispatchesInquiry", inquiry_body(service_tag, self._login))
        except NotJson as error:
            if "names no dispatch" in str(error):
                return None
            raise
        return next((row for row in rows if row.reference == reference), None)

    async def status(self, code: str) -> Stand:
        return (await self._call("GetDispatchStatus", status_body(code, self._login)))[0]

    async def resubmit(self, code: str, note: str, parts: Sequence[Part]) -> Stand:
        return (await self._call("ResubmitDispatch", resubmit_body(code, note, parts, self._login)))[0]

    async def _call(self, method: str, body: bytes) -> list[Stand]:
        if not self._token:
            self._token = await self._sign_in()
        headers = {
            "Content-Type": "text/xml; charset=utf-8", "Accept": "text/xml", "SOAPAction": f'"{API}/{method}"',
            "Authorization": f"Bearer {self._token}",
        }  # fmt: skip
        raw = await self._https.post(self._url, body, headers)
        if raw.status in (401, 403):
            raise SignInRefused(f"{method}: TechDirect refused the token or the login ({raw.status})")
        if raw.status >= 400 and b"faultstring" not in raw.body:
            raise BadStatus("POST", method, raw.status, raw.body.decode(errors="replace"))
        return stands(raw.body)

    async def _sign_in(self) -> str:
        """OAuth2 client credentials (RFC 6749, 4.4)."""
        headers = {"Authorization": self._client, "Content-Type": "application/x-www-form-urlencoded"}
        raw = await self._https.post(self._token_url, b"grant_type=client_credentials", headers)
        if raw.status >= 400:
            raise SignInRefused(f"TechDirect refused the client's id and secret ({raw.status})")
        return _token_of(raw.body)


def _token_of(body: bytes) -> str:
    try:
        token = json.loads(body).get("access_token")
    except (ValueError, AttributeError, RecursionError) as error:
        raise NotJson("TechDirect's answer to the sign-in cannot be read") from error
    if not isinstance(token, str) or not token:
        raise NotJson("TechDirect's answer to the sign-in has no access_token")
    return token
