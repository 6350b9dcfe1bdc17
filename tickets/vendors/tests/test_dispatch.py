"""What leaves: a mail through a real SMTP server, a signed POST, TechDirect's SOAP against exchanges in its form.

The desks are real servers on loopback with a state of their own; a worker that dies between sending and writing it down
is played by taking its record back.
"""

from __future__ import annotations

import json
import re
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from email import message_from_bytes
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from xml.etree.ElementTree import fromstring

import pytest
from django.utils import timezone

from core.models import User
from core.webhooks import signatures
from drivers.ticket_systems import techdirect
from tickets.vendors import dispatch, services
from tickets.vendors.models import CaseBundle, CaseChange, CaseMessage, VendorCase, VendorContact
from tickets.vendors.states import Event

pytestmark = pytest.mark.django_db
SECRET = "whsec_c2VjcmV0LW9mLXRoZS1jYWxs"
SOAP = '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>{}</s:Body></s:Envelope>'


class Desk:
    """TechDirect, and any receiver of a signed POST: it keeps what it was told and answers by its state."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, str], bytes]] = []
        self.dispatches: dict[str, dict[str, str]] = {}
        self.status, self.fails = "DSP", 0

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        self.asked.append((path, headers, body))
        if self.fails:
            self.fails -= 1
            return 503, b"try later"
        if path == "/token":
            return 200, b'{"access_token": "T0ken", "token_type": "Bearer", "expires_in": 3600}'
        if path == "/cases":
            return 200, b'{"number": "INC77"}'
        return 200, self._soap(headers["soapaction"].strip('"').rpartition("/")[2], body)

    def _soap(self, method: str, body: bytes) -> bytes:
        told = {each.tag.rpartition("}")[2]: each.text or "" for each in fromstring(body).iter()}
        if told["Password"] != "pass-of-tech":
            fault = "<s:Fault><faultcode>s:Client</faultcode><faultstring>Login failed</faultstring></s:Fault>"
            return SOAP.format(fault).encode()
        rows = []
        if method == "CreateDispatch":
            code = f"SR{len(self.dispatches) + 1}"
            self.dispatches[code] = {"ReferencePONumber": told["ReferencePONumber"], "ServiceTag": told["ServiceTag"]}
            rows = [code]
        elif method == "BulkDispatchesInquiry":
            rows = [code for code, row in self.dispatches.items() if row["ServiceTag"] == told["ServiceTag"]]
        else:
            rows = [told["DispatchCode"]]
        return SOAP.format(
            f'<{method}Response xmlns="http://api.dell.com">' + "".join(map(self._row, rows)) + f"</{method}Response>"
        ).encode()

    def _row(self, code: str) -> str:
        row = self.dispatches[code]
        denied = "<OrderDeniedReason>Part under test</OrderDeniedReason>" if "Denied" in self.status else ""
        shipped = "<Carrier>UPS</Carrier><TrackingNumber>1Z9</TrackingNumber>" if "Shipped" in self.status else ""
        return (
            f"<DispatchInfo><DispatchID>1</DispatchID><DispatchCode>{code}</DispatchCode><Status>{self.status}</Status>"
            f"<DPSNumber>DPS9</DPSNumber><ReferencePONumber>{row['ReferencePONumber']}</ReferencePONumber>"
            f"{denied}{shipped}</DispatchInfo>"
        )

    def calls(self) -> list[str]:
        return [
            headers["soapaction"].rpartition("/")[2].strip('"')
            for _, headers, _ in self.asked
            if "soapaction" in headers
        ]


@pytest.fixture
def desk() -> Iterator[Desk]:
    kept = Desk()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, answer = kept.answer(self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            self.send_response(status)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    kept.url = f"http://127.0.0.1:{server.server_port}"  # type: ignore[attr-defined]
    yield kept
    server.shutdown()
    server.server_close()


@contextmanager
def mail_server(settings: Any) -> Iterator[list[Message]]:
    """As much of SMTP as a client needs (RFC 5321), over a real socket."""
    got: list[Message] = []

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 desk.example\r\n")
            while line := self.rfile.readline():
                word = line.split(maxsplit=1)[0].upper() if line.strip() else b""
                if word == b"DATA":
                    self.wfile.write(b"354 go on\r\n")
                    lines: list[bytes] = []
                    while (each := self.rfile.readline()) != b".\r\n":
                        lines.append(each[1:] if each.startswith(b"..") else each)
                    got.append(message_from_bytes(b"".join(lines)))
                self.wfile.write(b"221 bye\r\n" if word == b"QUIT" else b"250 OK\r\n")

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    settings.EMAIL_BACKEND = "core.mail.UnlessPaused"
    settings.EMAIL_SENT_BY = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address[:2]
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    try:
        yield got
    finally:
        server.shutdown()
        server.server_close()


def sent(case: VendorCase, by: User) -> CaseMessage:
    """The message that sending the case wrote down; nothing has left yet."""
    services.move(case.pk, Event.SEND, by=by)
    return CaseMessage.objects.get(case=case, kind="open")


def lost(row: CaseMessage) -> None:
    """The worker died after sending and before it wrote that down."""
    CaseMessage.objects.filter(pk=row.pk).update(
        status="waiting", sent_at=None, answer={}, due_at=None, lease_until=timezone.now() - timedelta(seconds=1)
    )


def state(case: VendorCase) -> VendorCase:
    return VendorCase.objects.get(pk=case.pk)


# ---- mail ----


def by_mail(contact: VendorContact) -> None:
    services.save_contact(contact, {"channel": "mail", "mail_to": "support@vendor.example", "enabled": True})


def test_a_case_goes_out_as_a_mail_with_its_bundle(
    contact: VendorContact, case: VendorCase, olga: User, settings: Any
) -> None:
    by_mail(contact)
    bundle = CaseBundle.objects.create(case=case, status="done", created_by="olga", manifest={"files": []})
    bundle.files.create(name="machine.json", source="inventory", at=timezone.now(), content=b"{}")
    row = sent(case, olga)
    with mail_server(settings) as got:
        assert dispatch.send_message(row.pk) == "sent"
        assert dispatch.send_message(row.pk) == "busy"
    (mail,) = got
    assert mail["To"] == "support@vendor.example"
    assert mail["Reply-To"] == "olga@example.org"
    assert case.ticket.key in mail["Subject"]
    text, attached = (each for each in mail.walk() if not each.is_multipart())
    assert "7XK2Q34" in text.get_payload(decode=True).decode()  # type: ignore[union-attr]
    assert attached.get_content_type() == "application/zip"
    assert CaseChange.objects.filter(case=case, text="sent over mail").exists()


@pytest.mark.slow
def test_a_mail_that_may_have_left_is_sent_again_with_the_same_message_id(
    contact: VendorContact, case: VendorCase, olga: User, settings: Any
) -> None:
    by_mail(contact)
    row = sent(case, olga)
    with mail_server(settings) as got:
        dispatch.send_message(row.pk)
        lost(row)
        dispatch.send_message(row.pk)
    assert [mail["Message-ID"] for mail in got] == [f"<{row.message}@rackside>"] * 2


def test_a_mail_server_that_is_away_is_tried_later(
    contact: VendorContact, case: VendorCase, olga: User, settings: Any
) -> None:
    by_mail(contact)
    row = sent(case, olga)
    settings.EMAIL_BACKEND = "core.mail.UnlessPaused"
    settings.EMAIL_SENT_BY = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    assert dispatch.send_message(row.pk) == "later"
    row.refresh_from_db()
    assert row.status == "waiting"
    assert "mail server" in row.error


# ---- signed HTTP ----


def by_http(contact: VendorContact, desk: Any) -> None:
    fields = {"channel": "http", "url": f"{desk.url}/cases", "secret": SECRET, "username": "", "enabled": True}
    services.save_contact(contact, fields)


def test_a_signed_post_carries_the_case_and_its_answer_gives_the_number(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_http(contact, desk)
    row = sent(case, olga)
    assert not desk.asked
    assert dispatch.send_message(row.pk) == "sent"
    ((_, headers, body),) = desk.asked
    signature = signatures.sign(SECRET, headers["webhook-id"], int(headers["webhook-timestamp"]), body)
    assert headers["webhook-signature"] == signature
    assert json.loads(body)["reference"] == case.ticket.key
    assert not CaseMessage.objects.filter(kind="status").exists(), "only TechDirect can be asked how far it is"
    assert SECRET not in body.decode()
    assert (state(case).number, state(case).state) == ("INC77", "sent")


def test_a_post_that_may_have_arrived_carries_the_same_id(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_http(contact, desk)
    row = sent(case, olga)
    dispatch.send_message(row.pk)
    lost(row)
    assert dispatch.send_message(row.pk) == "sent"
    assert len({headers["webhook-id"] for _, headers, _ in desk.asked}) == 1


def test_a_channel_switched_off_meanwhile_sends_nothing_and_says_so(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_http(contact, desk)
    row = sent(case, olga)
    contact.refresh_from_db()
    services.save_contact(contact, {"enabled": False})
    assert dispatch.send_message(row.pk) == "failed"
    assert not desk.asked
    assert "by hand" in CaseChange.objects.filter(case=case).last().text  # type: ignore[union-attr]


# ---- TechDirect ----

ACCOUNT = {
    "TechEmail": "tech@example.org", "Branch": "B1", "Customer": "C1", "Track": "Server",
    "ship_to": {
        "CountryISOCode": "NL", "City": "Amsterdam", "ZipPostalCode": "1099", "AddressLine1": "Hall 1",
        "TimeZone": "CET",
    },
}  # fmt: skip


def by_techdirect(contact: VendorContact, desk: Any) -> None:
    services.save_contact(
        contact,
        {
            "channel": "techdirect", "url": f"{desk.url}/dispatch", "token_url": f"{desk.url}/token",
            "username": "client", "secret": "secret-of-client", "login_name": "tech", "login_secret": "pass-of-tech",
            "account": ACCOUNT,
            "enabled": True,
        },
    )  # fmt: skip


def test_a_dispatch_is_made_followed_and_ends_with_the_part_on_its_way(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_techdirect(contact, desk)
    row = sent(case, olga)
    assert dispatch.send_message(row.pk) == "sent"
    case = state(case)
    assert (case.state, case.number, case.dispatch, case.raw_status) == ("accepted", "SR1", "DPS9", "DSP")
    watch = CaseMessage.objects.get(case=case, kind="status")
    desk.status = "Shipped Parts"
    assert dispatch.send_message(watch.pk) == "asked"
    case = state(case)
    assert (case.state, case.carrier, case.tracking) == ("shipped", "UPS", "1Z9")
    assert desk.calls() == ["CreateDispatch", "GetDispatchStatus"]


def test_a_dispatch_whose_answer_was_lost_is_found_by_our_reference_and_not_made_twice(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_techdirect(contact, desk)
    row = sent(case, olga)
    dispatch.send_message(row.pk)
    VendorCase.objects.filter(pk=case.pk).update(state="sent", number="", dispatch="")
    lost(row)
    assert dispatch.send_message(row.pk) == "sent"
    assert len(desk.dispatches) == 1
    assert desk.calls() == ["CreateDispatch", "BulkDispatchesInquiry"]
    assert (state(case).number, state(case).state) == ("SR1", "accepted")


@pytest.mark.slow
def test_a_second_case_of_a_ticket_does_not_take_the_dispatch_of_the_first_for_its_own(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_techdirect(contact, desk)
    dispatch.send_message(sent(case, olga).pk)
    services.move(case.pk, Event.CLOSE, by=olga, reason="denied too often")
    second = services.open_case(case.ticket.number, by=olga)
    row = sent(second, olga)
    desk.fails = 1
    assert dispatch.send_message(row.pk) == "later"
    CaseMessage.objects.filter(pk=row.pk).update(due_at=None)
    assert dispatch.send_message(row.pk) == "sent"
    assert (len(desk.dispatches), state(second).number) == (2, "SR2")


@pytest.mark.slow
def test_following_a_dispatch_goes_on_after_the_channel_was_off_for_a_while(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_techdirect(contact, desk)
    dispatch.send_message(sent(case, olga).pk)
    watch = CaseMessage.objects.get(case=case, kind="status")
    VendorContact.objects.update(enabled=False)
    assert dispatch.send_message(watch.pk) == "later"
    VendorContact.objects.update(enabled=True)
    CaseMessage.objects.filter(pk=watch.pk).update(due_at=None)
    desk.status = "Shipped Parts"
    assert dispatch.send_message(watch.pk) == "asked"
    assert state(case).state == "shipped"


@pytest.mark.slow
def test_a_dispatch_that_is_denied_is_asked_for_again_with_the_new_text(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_techdirect(contact, desk)
    desk.status = "Dispatch Denied"
    dispatch.send_message(sent(case, olga).pk)
    case = state(case)
    assert (case.state, case.denials) == ("denied", 1)
    assert "Part under test" in CaseChange.objects.filter(case=case, event="deny").get().text
    services.edit(case.pk, by=olga, text="It failed in two slots.")
    services.move(case.pk, Event.ASK_AGAIN, by=olga, reason="tested in another slot")
    desk.status = "QUE"
    dispatch.send_message(CaseMessage.objects.get(case=case, kind="ask_again").pk)
    assert desk.calls()[-1] == "ResubmitDispatch"
    assert b"two slots" in desk.asked[-1][2]
    assert state(case).state == "accepted"


def test_an_interim_code_is_kept_and_means_under_review(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_techdirect(contact, desk)
    desk._row = lambda code: f"<D><DispatchCode>{code}</DispatchCode><Status>L2 Review</Status></D>"  # type: ignore[method-assign]
    dispatch.send_message(sent(case, olga).pk)
    assert (state(case).state, state(case).raw_status) == ("sent", "L2 Review")


def test_a_login_that_techdirect_refuses_is_told_and_not_tried_for_ever(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_techdirect(contact, desk)
    contact.refresh_from_db()
    services.save_contact(contact, {"login_name": "tech", "login_secret": "wrong"})
    row = sent(case, olga)
    assert dispatch.send_message(row.pk) == "failed"
    row.refresh_from_db()
    assert "Login failed" in row.error
    kept = str(CaseChange.objects.filter(case=case).values_list("text", "data")) + row.error + str(row.content)
    assert not re.search("wrong|secret-of-client|pass-of-tech", kept)


@pytest.mark.slow
def test_techdirect_that_is_away_is_tried_later(
    contact: VendorContact, case: VendorCase, olga: User, desk: Desk
) -> None:
    by_techdirect(contact, desk)
    desk.fails = 5
    row = sent(case, olga)
    assert dispatch.send_message(row.pk) in ("later", "failed")
    assert not desk.dispatches


def test_closing_a_case_withdraws_what_waits(contact: VendorContact, case: VendorCase, olga: User, desk: Desk) -> None:
    by_techdirect(contact, desk)
    row = sent(case, olga)
    services.move(case.pk, Event.CLOSE, by=olga, reason="repaired by ourselves")
    assert dispatch.send_message(row.pk) == "busy"
    assert not desk.asked


# ---- the SOAP, pure ----

ASKED = techdirect.Dispatch(
    service_tag="7XK2Q34", note="GPU off the bus", parts=[techdirect.Part("0R4WJK", "CN0R4WJK")],
    account=dict.fromkeys(techdirect.ACCOUNT, "x"), contact=("Olga", "1", "o@example.org"),
    address={"AddressBookName": "Hall 1"}, reference="REP-2041", attachments=[("b.zip", "application/zip", b"PK")],
)  # fmt: skip


def test_a_whole_dispatch_has_no_problems_and_each_gap_is_one() -> None:
    assert techdirect.problems(ASKED) == []
    empty = techdirect.Dispatch("", "x" * 1001, [], {}, ("", "", ""))
    assert len(techdirect.problems(empty)) == 4 + 5 + 3


def test_the_request_carries_what_the_facts_say_it_needs() -> None:
    root = fromstring(techdirect.create_body(ASKED, ("tech", "pw")))
    names = [each.tag.rpartition("}")[2] for each in root.iter()]
    for name in ("Login", "Password", "ServiceTag", "TroubleshootingNote", "ShipToAddress", "PartNumber", "PPID",
                 "Quanitity", "ReferencePONumber", "FileName", "MIMEType"):  # fmt: skip
        assert name in names


@pytest.mark.parametrize(
    ("status", "dps", "means"),
    [("DSP", "", "accepted"), ("QUE", "", "accepted"), ("Issues", "", "accepted"), ("Shipped Parts", "1", "shipped"),
     ("Dispatch Denied", "", "denied"), ("HOLD", "", ""), ("L2 Review", "", ""), ("", "", "")],
)  # fmt: skip
def test_what_a_status_means(status: str, dps: str, means: str) -> None:
    assert techdirect.meaning(techdirect.Stand("SR1", status, dps)) == means


@pytest.mark.parametrize("raw", [b"", b"<html>", b"{}", b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>", b"<x/>"])
def test_an_answer_that_cannot_be_read_is_an_error_of_the_family(raw: bytes) -> None:
    with pytest.raises(techdirect.ApplianceError):
        techdirect.stands(raw)
