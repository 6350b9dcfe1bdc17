"""A NetBox to test against: a small HTTP server that holds rows and answers as NetBox 4.6's REST API.

It knows lists with `count`, `next`, `previous` and `results`, paging by limit and offset, the filters the importer
uses, brief objects where a row refers to another, choices as `{value, label}`, `fields`, two forms of token, its 403
and 404. `fault()` makes it fail in chosen ways. It is read only over HTTP; tests change it through `add` and `rows`.

Source of the formats: NetBox's public REST API documentation and the serializers of its 4.6 release.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, urlencode, urlsplit

OLD_TOKEN = "0123456789abcdef0123456789abcdef01234567"
NEW_TOKEN = "nbt_k3y.s3cr3t"
STAMP = "2026-05-04T08:00:00.000000Z"

_BASE = ("id", "url", "display", "description")
BRIEF: dict[str, tuple[str, ...]] = {
    "dcim/sites": (*_BASE, "name", "slug"),
    "dcim/locations": (*_BASE, "name", "slug", "_depth"),
    "dcim/rack-groups": (*_BASE, "name", "slug"),
    "dcim/rack-roles": (*_BASE, "name", "slug"),
    "dcim/racks": (*_BASE, "name"),
    "dcim/manufacturers": (*_BASE, "name", "slug"),
    "dcim/device-types": (*_BASE, "manufacturer", "model", "slug"),
    "dcim/device-roles": (*_BASE, "name", "slug", "_depth"),
    "dcim/platforms": (*_BASE, "name", "slug"),
    "dcim/module-types": (*_BASE, "manufacturer", "model"),
    "dcim/power-panels": (*_BASE, "name"),
    "dcim/cables": (*_BASE, "label"),
    "ipam/ip-addresses": (*_BASE, "family", "address", "dns_name"),
    "ipam/vlans": (*_BASE, "vid", "name"),
    "extras/tags": (*_BASE, "name", "slug", "color"),
    "extras/custom-field-choice-sets": (*_BASE, "name", "choices_count"),
    "users/users": ("id", "url", "display", "username"),
    "tenancy/contacts": (*_BASE, "name"),
    "tenancy/contact-roles": (*_BASE, "name", "slug"),
    "circuits/circuits": (*_BASE, "cid"),
    "circuits/circuit-terminations": (*_BASE, "circuit", "term_side", "cable", "_occupied"),
}
_PORT = (*_BASE, "device", "name", "cable", "_occupied")
CONTENT_TYPES = {
    "dcim.interface": "dcim/interfaces",
    "dcim.powerport": "dcim/power-ports",
    "dcim.poweroutlet": "dcim/power-outlets",
    "dcim.powerfeed": "dcim/power-feeds",
    "dcim.frontport": "dcim/front-ports",
    "dcim.rearport": "dcim/rear-ports",
    "dcim.consoleport": "dcim/console-ports",
    "dcim.consoleserverport": "dcim/console-server-ports",
    "circuits.circuittermination": "circuits/circuit-terminations",
    "dcim.device": "dcim/devices",
    "dcim.rack": "dcim/racks",
    "dcim.site": "dcim/sites",
}
_IGNORED = {"limit", "offset", "ordering", "fields", "exclude", "omit", "brief"}


@dataclass(frozen=True)
class To:
    """A reference to a row; answered as its brief object."""

    endpoint: str
    id: int


@dataclass(frozen=True)
class Choice:
    value: Any
    label: str


@dataclass
class Fault:
    """What goes wrong at an endpoint, from its `page`-th answer on, `times` times."""

    endpoint: str
    kind: str  # a status as text, or: drop, hang, garbage
    page: int = 1
    times: int = 1
    headers: dict[str, str] = field(default_factory=dict)


class FakeNetBox:
    """`with FakeNetBox() as netbox:` serves at `netbox.url` until the block ends."""

    def __init__(self, version: str = "4.6.8", max_page_size: int = 1000, tls: ssl.SSLContext | None = None) -> None:
        self.version, self.max_page_size, self.tls = version, max_page_size, tls
        self.tables: dict[str, dict[int, dict[str, Any]]] = {}
        self.tokens = {f"Token {OLD_TOKEN}", f"Bearer {NEW_TOKEN}"}
        self.forbidden: set[str] = set()
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, dict[str, list[str]]]] = []
        self.hang_s = 30.0
        self._answers: dict[str, int] = {}
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"netbox": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        if self.tls:
            self._server.socket = self.tls.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        assert self._server
        self.hang_s = 0
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        assert self._server
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self._server.server_port}"

    # ---- content ----

    def add(self, endpoint: str, **fields: Any) -> To:
        """A new row with the next id; unknown fields are taken as they are."""
        table = self.tables.setdefault(endpoint, {})
        number = max(table, default=0) + 1
        table[number] = fields
        return To(endpoint, number)

    def row(self, ref: To) -> dict[str, Any]:
        return self.tables[ref.endpoint][ref.id]

    def fault(self, endpoint: str, kind: str, *, page: int = 1, times: int = 1, **headers: str) -> None:
        self.faults.append(Fault(endpoint, kind, page, times, headers))

    @contextmanager
    def counting(self) -> Iterator[list[tuple[str, dict[str, list[str]]]]]:
        """The requests that come in meanwhile."""
        seen: list[tuple[str, dict[str, list[str]]]] = []
        before = len(self.requests)
        yield seen
        seen.extend(self.requests[before:])

    # ---- answers ----

    def next_fault(self, endpoint: str) -> Fault | None:
        with self._lock:
            self._answers[endpoint] = self._answers.get(endpoint, 0) + 1
            for fault in self.faults:
                if fault.endpoint == endpoint and fault.times > 0 and self._answers[endpoint] >= fault.page:
                    fault.times -= 1
                    self._answers[endpoint] -= 1
                    return fault
        return None

    def answer(self, endpoint: str, query: dict[str, list[str]]) -> dict[str, Any]:
        table = self.tables.get(endpoint, {})
        ids = [number for number in table if self._matches(endpoint, number, query)]
        descending = query.get("ordering", ["id"])[0].startswith("-")
        ids.sort(reverse=descending)
        asked = int(query.get("limit", ["50"])[0])
        limit = min(asked or self.max_page_size, self.max_page_size)
        offset = int(query.get("offset", ["0"])[0])
        shown = ids[offset : offset + limit]
        wanted = [name for text in query.get("fields", []) for name in text.split(",")]
        results = [self.render(endpoint, number, wanted) for number in shown]
        return {
            "count": len(ids),
            "next": self._link(endpoint, query, limit, offset + limit) if offset + limit < len(ids) else None,
            "previous": self._link(endpoint, query, limit, max(0, offset - limit)) if offset else None,
            "results": results,
        }

    def _link(self, endpoint: str, query: dict[str, list[str]], limit: int, offset: int) -> str:
        pairs = {**query, "limit": [str(limit)], "offset": [str(offset)]}
        return f"{self.url}/api/{endpoint}/?{urlencode(pairs, doseq=True)}"

    def _matches(self, endpoint: str, number: int, query: dict[str, list[str]]) -> bool:
        row = self.tables[endpoint][number]
        for key, values in query.items():
            if key in _IGNORED:
                continue
            if key == "id":
                found = str(number) in values
            elif key == "id__gt":
                found = number > int(values[0])
            elif key in ("site", "site_id"):
                sites = self.sites_of(endpoint, number)
                names = {str(site) if key == "site_id" else self.tables["dcim/sites"][site]["slug"] for site in sites}
                found = bool(names & set(values))
            elif key == "assigned_to_interface":
                found = (row.get("assigned_object_type") == "dcim.interface") == (values[0] == "true")
            elif key.endswith("_id") and isinstance(row.get(key[:-3]), To):
                found = str(row[key[:-3]].id) in values
            else:
                continue  # NetBox leaves filters it does not know out of account
            if not found:
                return False
        return True

    def sites_of(self, endpoint: str, number: int) -> set[int]:
        row = self.tables[endpoint][number]
        if endpoint == "dcim/sites":
            return {number}
        if endpoint == "dcim/cables":
            ends = [end for side in ("a_terminations", "b_terminations") for end in row[side]]
            return {site for end in ends for site in self.sites_of(end.endpoint, end.id)}
        for name in ("site", "device", "rack", "power_panel", "circuit"):
            if isinstance(ref := row.get(name), To):
                return self.sites_of(ref.endpoint, ref.id)
        return set()

    def render(self, endpoint: str, number: int, wanted: list[str] | None = None) -> dict[str, Any]:
        row = self.tables[endpoint][number]
        whole = self._head(endpoint, number) | {name: self._value(value) for name, value in row.items()}
        whole |= {"created": STAMP, "last_updated": STAMP}
        if endpoint == "dcim/cables":
            for side in ("a_terminations", "b_terminations"):
                whole[side] = [self._termination(end) for end in row[side]]
        return {name: value for name, value in whole.items() if not wanted or name in wanted}

    def _head(self, endpoint: str, number: int) -> dict[str, Any]:
        row = self.tables[endpoint][number]
        display = row.get("display") or row.get("name") or row.get("model") or row.get("address") or f"#{number}"
        return {
            "id": number,
            "url": f"{self.url}/api/{endpoint}/{number}/",
            "display_url": f"{self.url}/{endpoint}/{number}/",
            "display": display,
        }

    def _termination(self, end: To) -> dict[str, Any]:
        (kind,) = (kind for kind, endpoint in CONTENT_TYPES.items() if endpoint == end.endpoint)
        return {"object_type": kind, "object_id": end.id, "object": self._value(end)}

    def _value(self, value: Any) -> Any:
        if isinstance(value, To):
            head = self._head(value.endpoint, value.id)
            row = self.tables[value.endpoint][value.id]
            names = BRIEF.get(value.endpoint, _PORT if "device" in row else (*_BASE, "name"))
            return {name: head[name] if name in head else self._value(row.get(name)) for name in names}
        if isinstance(value, Choice):
            return {"value": value.value, "label": value.label}
        if isinstance(value, list | tuple):
            return [self._value(each) for each in value]
        if isinstance(value, dict):
            return {key: self._value(each) for key, each in value.items()}
        return value


class _Handler(BaseHTTPRequestHandler):
    netbox: FakeNetBox
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # headers and body in one packet: two would wait for each other

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        endpoint = parts.path.removeprefix("/api/").strip("/")
        self.netbox.requests.append((endpoint, query))
        fault = self.netbox.next_fault(endpoint)
        if fault and self._fail(fault):
            return
        open_to_all = {None} if endpoint == "status" else set()
        if self.headers.get("Authorization") not in self.netbox.tokens | open_to_all:
            self._answer(403, {"detail": "Invalid token"})
        elif endpoint == "status":
            self._answer(200, {"netbox-version": self.netbox.version, "plugins": {}, "python-version": "3.12.1"})
        elif endpoint in self.netbox.forbidden:
            self._answer(403, {"detail": "You do not have permission to perform this action."})
        elif not parts.path.startswith("/api/") or endpoint.count("/") != 1:
            self._answer(404, {"detail": "Not found."})
        else:
            self._answer(200, self.netbox.answer(endpoint, query))

    def _fail(self, fault: Fault) -> bool:
        if fault.kind == "hang":
            until = time.monotonic() + self.netbox.hang_s
            while time.monotonic() < until and self.netbox.hang_s:
                time.sleep(0.02)
            return False
        if fault.kind == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return True
        if fault.kind == "garbage":
            self._send(200, b"<html>a page</html>", "text/html", {})
            return True
        headers = {name.replace("_", "-"): value for name, value in fault.headers.items()}
        self._answer(int(fault.kind), {"detail": f"made to answer {fault.kind}"}, headers)
        return True

    def _answer(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        self._send(status, json.dumps(body).encode(), "application/json", headers or {})

    def _send(self, status: int, body: bytes, kind: str, headers: dict[str, str]) -> None:
        try:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "API-Version": self.netbox.version[:3], **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):  # the client gave up waiting
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass
