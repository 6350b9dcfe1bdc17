"""A stand-in for a Kubernetes API server: real HTTPS with an authority of its own, objects that keep their state.

No real one can be had as a package. It answers what this service asks in the API's form: pages, versions that collide,
patches, who set which field, refusals as Status objects. Sources: the API reference of v1.31, "API Concepts" and
"Server-Side Apply" (field management) of the Kubernetes documentation.
"""

from __future__ import annotations

import base64
import copy
import datetime
import ipaddress
import json
import re
import ssl
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self
from urllib.parse import parse_qs, unquote, urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from drivers.kubernetes.client import KubernetesScheduler
from drivers.tests import kubernetes_objects as objects
from drivers.tests.kubernetes_objects import Object

ACCOUNT = "system:serviceaccount:rackside:rackside"
LISTS = {"/api/v1/nodes": "nodes", "/api/v1/pods": "pods", "/apis/batch/v1/jobs": "jobs"}
KINDS = {"nodes": ("v1", "NodeList", ""), "pods": ("v1", "PodList", ""), "jobs": ("batch/v1", "JobList", "batch")}
PATCHES = ("application/strategic-merge-patch+json", "application/merge-patch+json")


class StandIn:
    """A running server. `names` are its nodes. What it shall refuse is set beforehand:

    `forbidden` pairs of verb and resource; `busy` how often it answers 429 first; `expires` how often a list that is
    continued is too old by then; `races` how often somebody else changes a node right before a write.
    """

    def __init__(self, names: list[str]) -> None:
        self.objects: dict[str, dict[str, Object]] = {"nodes": {}, "pods": {}, "jobs": {}}
        self.version, self.token = 1000, "eyJhbGciOiJSUzI1NiJ9.c3RhbmQtaW4.c2lnbmF0dXJl"
        self.forbidden: set[tuple[str, str]] = set()
        self.busy = self.expires = self.races = 0
        self.answer: bytes | None = None  # instead of everything else
        self.asked: list[str] = []
        self._lists: dict[str, list[Object]] = {}
        self.lock = threading.RLock()
        self.ca, context = _certificates()
        handler = type("Handler", (_Handler,), {"cluster": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        for name in names:
            self.add("nodes", objects.node(name))

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def scheduler(self, **options: Any) -> KubernetesScheduler:
        return KubernetesScheduler(self.url, self.token, **{"ca": self.ca, **options})

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    # ---- as others in the cluster ----

    def add(self, resource: str, made: Object) -> Object:
        """Store an object; what it becomes later is told by changing it and calling `touch`."""
        with self.lock:
            metadata = made["metadata"]
            self.objects[resource][metadata["name"] if resource == "nodes" else metadata["uid"]] = made
            self.touch(made)
        return made

    def touch(self, made: Object) -> None:
        with self.lock:
            self.version += 1
            made["metadata"]["resourceVersion"] = str(self.version)

    def remove(self, resource: str, made: Object) -> None:
        with self.lock:
            self.objects[resource].pop(made["metadata"]["name"] if resource == "nodes" else made["metadata"]["uid"])

    def run(self, name: str, on: str = "", **options: Any) -> Object:
        """A pod, on that node or waiting."""
        return self.add("pods", objects.pod(name, on, **options))

    def node(self, name: str) -> Object:
        return self.objects["nodes"][name]

    def cordon(self, name: str, by: str = "kubectl") -> None:
        self.patch(name, {"spec": {"unschedulable": True}}, by)

    def uncordon(self, name: str, by: str = "kubectl") -> None:
        self.patch(name, {"spec": {"unschedulable": None}}, by)

    def annotate(self, name: str, reason: str, by: str = "kubectl-annotate") -> None:
        self.patch(name, {"metadata": {"annotations": {"rackside.io/reason": reason}}}, by)

    def is_cordoned(self, name: str) -> bool:
        return bool(self.node(name)["spec"].get("unschedulable"))

    def reason(self, name: str) -> str:
        return str(self.node(name)["metadata"]["annotations"].get("rackside.io/reason", ""))

    def kubelet(self, name: str, status: str) -> None:
        """`True`: it is well, `False`: it says that the node is not ready, `Unknown`: nobody hears it."""
        ready = next(each for each in self.node(name)["status"]["conditions"] if each["type"] == "Ready")
        reason, message = {
            "True": ("KubeletReady", "kubelet is posting ready status"),
            "False": ("KubeletNotReady", "container runtime is down"),
            "Unknown": ("NodeStatusUnknown", "Kubelet stopped posting node status."),
        }[status]
        ready |= {"status": status, "reason": reason, "message": message, "lastTransitionTime": objects.stamp()}
        self.touch(self.node(name))

    def patch(self, name: str, change: Object, manager: str) -> Object:
        """Merge a change into a node, and write down who now owns the fields whose value it changed."""
        with self.lock:
            row = self.node(name)
            changed = _merge(row, change)
            book: list[Object] = row["metadata"].setdefault("managedFields", [])
            for path in changed:
                for entry in book:
                    _forget(entry["fieldsV1"], path)
            own = next((each for each in book if each["manager"] == manager), None)
            if own is None and changed:
                own = {"manager": manager, "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1",
                       "fieldsV1": {}}  # fmt: skip
                book.append(own)
            for path in changed:
                assert own is not None
                own["time"] = objects.stamp()
                if _value(row, path) is not None:
                    _own(own["fieldsV1"], path)
            row["metadata"]["managedFields"] = [each for each in book if each["fieldsV1"]]
            if changed:
                self.touch(row)
            return row

    # ---- answers ----

    def listed(self, resource: str, query: dict[str, str]) -> tuple[int, Object]:
        with self.lock:
            begin = 0
            if token := query.get("continue"):
                told = json.loads(base64.b64decode(token))
                if self.expires:
                    self.expires -= 1
                    return _status(410, "Expired", "The continue parameter is too old: begin the list again.")
                version, begin, rows = told["rv"], told["start"], self._lists[told["rv"]]
            else:
                version = str(self.version)
                rows = [copy.deepcopy(each) for each in self.objects[resource].values() if _selected(each, query)]
                self._lists[version] = rows
            limit = int(query.get("limit") or 0) or len(rows)
            page = rows[begin : begin + limit]
            metadata: Object = {"resourceVersion": version}
            if begin + limit < len(rows):
                following = json.dumps({"rv": version, "start": begin + limit}).encode()
                metadata |= {"continue": base64.b64encode(following).decode(),
                             "remainingItemCount": len(rows) - begin - limit}  # fmt: skip
            version_of, kind, _ = KINDS[resource]
            return 200, {"apiVersion": version_of, "kind": kind, "metadata": metadata, "items": page}

    def one(self, name: str) -> tuple[int, Object]:
        with self.lock:
            row = self.objects["nodes"].get(name)
            return _status(404, "NotFound", f'nodes "{name}" not found') if row is None else (200, copy.deepcopy(row))

    def patched(self, name: str, body: bytes, content_type: str, manager: str) -> tuple[int, Object]:
        if content_type not in PATCHES:
            return _status(
                415, "UnsupportedMediaType", f"the body of the request was in an unknown format: {content_type}"
            )
        with self.lock:
            if name not in self.objects["nodes"]:
                return _status(404, "NotFound", f'nodes "{name}" not found')
            if self.races:
                self.races -= 1
                self.patch(name, {"metadata": {"annotations": {"race": str(self.version)}}}, "somebody")
            change = json.loads(body)
            expected = change.get("metadata", {}).pop("resourceVersion", None)
            if expected is not None and expected != self.node(name)["metadata"]["resourceVersion"]:
                return _status(
                    409, "Conflict", f'Operation cannot be fulfilled on nodes "{name}": the object has been modified'
                )
            return 200, copy.deepcopy(self.patch(name, change, manager))


class _Handler(BaseHTTPRequestHandler):
    cluster: ClassVar[StandIn]
    protocol_version = "HTTP/1.1"
    timeout = 20
    wbufsize = -1  # head and body in one packet: two would wait for each other

    def do_GET(self) -> None:
        self._serve("get", b"")

    def do_PATCH(self) -> None:
        self._serve("patch", self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def _serve(self, verb: str, body: bytes) -> None:
        cluster, parts = self.cluster, urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        resource = LISTS.get(parts.path, "nodes")
        verb = "list" if parts.path in LISTS else verb
        cluster.asked.append(f"{verb} {parts.path}")
        if cluster.answer is not None:
            self.wfile.write(cluster.answer)
            self.close_connection = True
        elif self.headers.get("Authorization") != f"Bearer {cluster.token}":
            self._send(*_status(401, "Unauthorized", "Unauthorized"))
        elif (verb, resource) in cluster.forbidden:
            group = KINDS[resource][2]
            said = f'cannot {verb} resource "{resource}" in API group "{group}" at the cluster scope'
            self._send(*_status(403, "Forbidden", f'{resource} is forbidden: User "{ACCOUNT}" {said}'))
        elif cluster.busy:
            cluster.busy -= 1
            self._send(
                *_status(429, "TooManyRequests", "too many requests, please try again later"), {"Retry-After": "0"}
            )
        elif parts.path in LISTS:
            self._send(*cluster.listed(resource, query))
        elif found := re.fullmatch(r"/api/v1/nodes/([^/]+)", parts.path):
            name = unquote(found[1])
            manager = query.get("fieldManager") or self.headers.get("User-Agent", "").partition("/")[0]
            if verb == "patch":
                self._send(*cluster.patched(name, body, self.headers.get("Content-Type", ""), manager))
            else:
                self._send(*cluster.one(name))
        else:
            self._send(*_status(404, "NotFound", "the server could not find the requested resource"))

    def _send(self, status: int, answer: Object, headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(raw)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is printed."""


def _status(code: int, reason: str, message: str) -> tuple[int, Object]:
    return code, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
                  "reason": reason, "code": code}  # fmt: skip


def _selected(row: Object, query: dict[str, str]) -> bool:
    if (field := query.get("fieldSelector", "")).startswith("spec.nodeName="):
        return bool(row["spec"].get("nodeName") == field.partition("=")[2])
    labels = row["metadata"].get("labels", {})
    wanted = [each.partition("=") for each in query.get("labelSelector", "").split(",") if each]
    return all(labels.get(key) == value if sign else key in labels for key, sign, value in wanted)


# ---- patches, and who owns which field ----

Path_ = tuple[str, ...]


def _merge(row: Object, change: Object, at: Path_ = ()) -> list[Path_]:
    """Merge as RFC 7386 says; the paths whose value became another."""
    changed: list[Path_] = []
    for name, value in change.items():
        if isinstance(value, dict):
            changed += _merge(row.setdefault(name, {}), value, (*at, name))
        elif row.get(name) != value:
            changed.append((*at, name))
            if value is None:
                row.pop(name, None)
            else:
                row[name] = value
    return changed


def _value(row: Any, path: Path_) -> Any:
    for name in path:
        row = row.get(name) if isinstance(row, dict) else None
    return row


def _own(fields: Object, path: Path_) -> None:
    for name in path:
        fields = fields.setdefault(f"f:{name}", {})


def _forget(fields: Object, path: Path_) -> None:
    head, *rest = path
    below = fields.get(f"f:{head}")
    if below is None:
        return
    if rest:
        _forget(below, tuple(rest))
    if not rest or not below:
        del fields[f"f:{head}"]


# ---- certificates ----


def _certificates() -> tuple[str, ssl.SSLContext]:
    """An authority in PEM, and the server's side with a certificate that it signed for 127.0.0.1."""
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    ca_name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kubernetes")])
    ca = _signed(ca_name, ca_name, ca_key.public_key(), ca_key, x509.BasicConstraints(True, None))
    own = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kube-apiserver")])
    names = x509.SubjectAlternativeName(
        [x509.DNSName("kubernetes"), x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    )
    certificate = _signed(own, ca_name, key.public_key(), ca_key, names)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "server.pem"
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        file.write_bytes(private + certificate.public_bytes(Encoding.PEM))
        context.load_cert_chain(file)
    return ca.public_bytes(Encoding.PEM).decode(), context


def _signed(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    signer: ec.EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
    builder = builder.serial_number(x509.random_serial_number()).add_extension(extension, critical=False)
    builder = builder.not_valid_before(now - datetime.timedelta(days=1))
    return builder.not_valid_after(now + datetime.timedelta(days=1)).sign(signer, hashes.SHA256())


def other_ca() -> str:
    """An authority that signed nothing here."""
    return _certificates()[0]
