"""Every call that this server makes: refused addresses, names that change, redirects; and every route to one.

The clients are real, the addresses are loopback's: 127.0.0.1 is what a call is permitted, 127.0.0.2 what it is not.
"""

from __future__ import annotations

import ast
import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from core.outgoing.gate import Gate
from core.webhooks.delivery import Letter, new_session, send
from drivers.eapi import EapiClient
from drivers.gate import path_of
from drivers.https import HttpsSession, Unreachable, trust_of
from drivers.ironic.client import IronicClient
from drivers.kubernetes.client import KubernetesScheduler
from drivers.maas.client import MaasClient
from drivers.netbox import NetBoxClient, NetBoxError
from drivers.nvue import NvueClient
from drivers.prometheus.client import PrometheusClient, basic
from drivers.redfish import RedfishClient, RedfishUnreachable
from drivers.registry.client import RegistryClient
from drivers.slurm.rest import SlurmRest
from drivers.ssh import SshTarget, run_one
from drivers.ticket_systems.jira import JiraClient
from drivers.ticket_systems.servicenow import ServiceNowClient
from drivers.ticket_systems.techdirect import TechDirect
from drivers.ufm import SignIn, UfmClient
from provisioning.mirrors import outside as mirrors
from tickets.messages.delivery import post_message
from tickets.messages.formats import Content

ROOT = Path(__file__).parent.parent
ROOMS = (
    "live", "core", "drivers", "inventory", "access", "health", "fabric", "facility", "provisioning", "runs", "tickets",
    "config",
)  # fmt: skip
SECRET = "s3cret-of-the-call"
REDIRECT = b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Listener:
    """Counts connections and what it is sent, answers each request with one text."""

    def __init__(self, address: str, port: int = 0, answer: bytes = b"") -> None:
        self.answer, self.heard, self.connections = answer, b"", 0
        self.socket = socket.create_server((address, port))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                connection.settimeout(0.5)
                try:
                    self.heard += connection.recv(65536)
                    connection.sendall(self.answer)
                except OSError:
                    pass


@pytest.fixture
def permitted() -> Iterator[Listener]:
    with_place = Listener("127.0.0.1")
    yield with_place
    with_place.socket.close()


@pytest.fixture
def trap(permitted: Listener) -> Iterator[Listener]:
    """Where nothing may ever be sent: the same port of another address."""
    listener = Listener("127.0.0.2", permitted.port)
    permitted.answer = REDIRECT % f"http://127.0.0.2:{permitted.port}/stolen".encode()
    yield listener
    listener.socket.close()


# ---- one entry for every kind of call ----


async def over_https(client: Any, ask: str) -> None:
    async with client as entered:
        await getattr(entered, ask)()


def call_redfish(host: str, port: int, gate: Gate) -> None:
    client = RedfishClient(f"http://{host}:{port}", "root", SECRET, timeout_s=10, gate=gate)
    asyncio.run(over_https(client, "report"))


def call_redfish_tls(host: str, port: int, gate: Gate) -> None:
    client = RedfishClient(f"https://{host}:{port}", "root", SECRET, timeout_s=10, gate=gate)
    asyncio.run(over_https(client, "report"))


def call_ufm(host: str, port: int, gate: Gate) -> None:
    client = UfmClient(f"http://{host}:{port}", SignIn.basic("admin", SECRET), timeout_s=10, total_s=10, gate=gate)
    asyncio.run(over_https(client, "systems"))


def call_ufm_session(host: str, port: int, gate: Gate) -> None:
    client = UfmClient(f"http://{host}:{port}", SignIn.session("admin", SECRET), timeout_s=10, total_s=10, gate=gate)
    asyncio.run(over_https(client, "systems"))


def call_eapi(host: str, port: int, gate: Gate) -> None:
    asyncio.run(over_https(EapiClient(f"http://{host}:{port}", "admin", SECRET, timeout_s=10, gate=gate), "capture"))


def call_nvue(host: str, port: int, gate: Gate) -> None:
    asyncio.run(over_https(NvueClient(f"http://{host}:{port}", "admin", SECRET, timeout_s=10, gate=gate), "capture"))


def call_slurm(host: str, port: int, gate: Gate) -> None:
    asyncio.run(SlurmRest(f"http://{host}:{port}", "root", f"a.{SECRET}.c", timeout_s=10, gate=gate).read())


def call_kubernetes_tls(host: str, port: int, gate: Gate) -> None:
    asyncio.run(KubernetesScheduler(f"https://{host}:{port}", f"a.{SECRET}.c", timeout_s=10, gate=gate).read())


def call_netbox(host: str, port: int, gate: Gate) -> None:
    with NetBoxClient(f"http://{host}:{port}", SECRET, retries=0, timeout_s=10, gate=gate) as netbox:
        netbox.status()


def call_netbox_tls(host: str, port: int, gate: Gate) -> None:
    with NetBoxClient(f"https://{host}:{port}", SECRET, retries=0, timeout_s=10, gate=gate) as netbox:
        netbox.status()


def call_prometheus(host: str, port: int, gate: Gate) -> None:
    async def ask() -> None:
        signed, trust = basic("rackside", SECRET), trust_of("")
        url = f"http://{host}:{port}"
        async with PrometheusClient(url, authorization=signed, trust=trust, timeout_s=10, total_s=10, gate=gate) as one:
            await one.query_range("up", start=0, end=60, step_s=15)

    asyncio.run(ask())


def call_maas(host: str, port: int, gate: Gate) -> None:
    url, key = f"http://{host}:{port}/MAAS", f"a:b:{SECRET.replace('-', '')}"
    client = MaasClient(url, key, trust=trust_of(""), timeout_s=10, total_s=10, gate=gate)
    asyncio.run(over_https(client, "who"))


def call_ironic(host: str, port: int, gate: Gate) -> None:
    trust = trust_of("")
    client = IronicClient(f"http://{host}:{port}", "x", SECRET, trust=trust, timeout_s=10, total_s=10, gate=gate)
    asyncio.run(over_https(client, "drivers"))


def call_registry(host: str, port: int, gate: Gate) -> None:
    client = RegistryClient(f"http://{host}:{port}", username="x", password=SECRET, timeout_s=10, total_s=10, gate=gate)
    asyncio.run(over_https(client, "check"))


def call_mirror(host: str, port: int, gate: Gate) -> None:
    answered = asyncio.run(mirrors.ask("apt", f"http://{host}:{port}", gate=gate))
    raise OSError(answered.problem or "it answered")


def call_ssh(host: str, port: int, gate: Gate) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()
    result = asyncio.run(run_one(SshTarget(host, port, "root", key, gate=gate), "true"))
    raise OSError(str(result.failure))


def call_webhook(host: str, port: int, gate: Gate) -> None:
    async def deliver() -> None:
        letter = Letter(1, 1, f"http://{host}:{port}/", "m", b"{}", ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",), 10, 1)
        async with new_session(gate) as session:
            raise OSError((await send(session, letter)).error)

    asyncio.run(deliver())


def call_message(host: str, port: int, gate: Gate) -> None:
    url, content = f"http://{host}:{port}/hook", Content("REP-1 P1 opened")
    raise OSError(asyncio.run(post_message("slack", url, content, "msg_1", gate=gate)).error)


def call_jira(host: str, port: int, gate: Gate) -> None:
    client = JiraClient(f"http://{host}:{port}", "x", SECRET, trust=trust_of(""), timeout_s=10, total_s=10, gate=gate)
    asyncio.run(over_https(client, "myself"))


def call_servicenow(host: str, port: int, gate: Gate) -> None:
    url, trust = f"http://{host}:{port}", trust_of("")
    client = ServiceNowClient(url, "x", SECRET, trust=trust, timeout_s=10, total_s=10, gate=gate)
    asyncio.run(over_https(client, "myself"))


def call_techdirect(host: str, port: int, gate: Gate) -> None:
    base = f"http://{host}:{port}"
    client = TechDirect(
        base, f"{base}/token", ("client", SECRET), ("tech", SECRET), timeout_s=10, total_s=10, gate=gate
    )

    async def asked() -> None:
        async with client:
            await client.status("SR1")

    asyncio.run(asked())


# Ten seconds: on a busy machine one had passed before the first connection.
CALLS: dict[str, Callable[[str, int, Gate], None]] = {
    name.removeprefix("call_"): value for name, value in dict(globals()).items() if name.startswith("call_")
}
REFUSED = "refused: address of this machine itself"
ONLY_ONE = Gate(networks=("127.0.0.1/32",), local=True)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
def test_no_call_connects_to_an_address_that_nobody_connects_to(name: str, host: str, permitted: Listener) -> None:
    host = host.strip("[]") if name == "ssh" else host
    with pytest.raises(Exception, match=REFUSED):
        CALLS[name](host, permitted.port, Gate())
    assert permitted.connections == 0


@pytest.mark.parametrize("name", CALLS)
def test_a_name_that_changes_its_address_between_two_questions_gains_nothing(
    name: str, permitted: Listener, trap: Listener, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = socket.getaddrinfo, []

    def lying(host: Any, port: Any, *args: Any, **more: Any) -> Any:
        if host not in ("rebind.test", b"rebind.test"):
            return real(host, port, *args, **more)
        asked.append(host)
        address = "127.0.0.1" if len(asked) % 2 else "127.0.0.2"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", lying)
    for _ in range(3):
        with pytest.raises(Exception, match=r"\w"):
            CALLS[name]("rebind.test", permitted.port, ONLY_ONE)
    assert asked and permitted.connections >= 1
    assert trap.connections == 0


@pytest.mark.parametrize("name", [name for name in CALLS if name != "ssh" and not name.endswith("_tls")])
def test_no_call_follows_a_redirect_with_its_secret(name: str, permitted: Listener, trap: Listener) -> None:
    with pytest.raises(Exception, match=r"\w"):
        CALLS[name]("127.0.0.1", permitted.port, Gate(local=True))
    assert permitted.connections >= 1 and trap.connections == 0


@pytest.mark.parametrize("path", ["@127.0.0.2/x", ".evil.example/x", ":81/x", "", "https://evil.example/x"])
def test_a_link_in_an_answer_does_not_change_the_host(path: str, trap: Listener, permitted: Listener) -> None:
    """`https://10.0.0.5` and `@evil.example/x` together are a request to evil.example with our password."""
    with pytest.raises(ValueError, match="not a path"):
        path_of(path)

    async def follow() -> None:
        async with HttpsSession(f"http://127.0.0.1:{permitted.port}", gate=Gate(local=True)) as session:
            await session.send("GET", path)

    async def follow_bmc() -> None:
        async with RedfishClient(f"http://127.0.0.1:{permitted.port}", "root", SECRET, gate=Gate(local=True)) as bmc:
            await bmc.get(path)

    for each, error in ((follow, Unreachable), (follow_bmc, RedfishUnreachable)):
        with pytest.raises(error, match="not a path"):
            asyncio.run(each())
    assert trap.connections == 0


def test_a_refused_address_is_not_tried_again_and_again(permitted: Listener) -> None:
    began = time.monotonic()
    client = NetBoxClient(f"http://127.0.0.1:{permitted.port}", SECRET, retries=5, backoff_s=5, gate=Gate())
    with client, pytest.raises(NetBoxError, match=REFUSED):
        client.status()
    assert time.monotonic() - began < 2


# ---- the list of them is complete ----

SPEAKS_TO_OTHERS = {
    "aiohttp",
    "requests",
    "urllib",
    "urllib3",
    "http",
    "asyncssh",
    "socket",
    "smtplib",
    "imapclient",
    "pysnmp",
    "pynetbox",
    "httpx",
    "kubernetes",
}
KNOWN_TO_SPEAK = {
    "core/outgoing/gate.py": "asks which addresses are this machine's",
    "core/webhooks/delivery.py": "webhooks",
    "drivers/gate.py": "makes the sockets that were checked",
    "drivers/gated_pools.py": "the same, of urllib3",
    "drivers/kept.py": "only sets options of sockets that were checked",
    "drivers/https.py": "UFM, eAPI, NVUE, slurmrestd, Prometheus, MAAS, Ironic, registries, Jira, ServiceNow, Dell",
    "drivers/kubernetes/api.py": "Kubernetes",
    "drivers/kubernetes/transport.py": "the same: its connections",
    "drivers/netbox.py": "NetBox",
    "drivers/redfish_connection.py": "BMCs",
    "drivers/bmc/firmware.py": "only makes a form that the connection to the BMC sends",
    "tickets/vendors/dispatch.py": "reads what a mail server's refusal is; Django sends the mail",
    "drivers/ssh.py": "SSH",
    "drivers/meters/snmp_engines.py": "SNMP agents of PDUs",
    "provisioning/mirrors/outside.py": "mirrors of packages",
    "tickets/messages/delivery.py": "only names the errors of SMTP; mail goes to the server of the settings",
    "tickets/messages/mail/mailbox.py": "reads the mailbox of the settings",
    "provisioning/boot/offers.py": "broadcasts on a card that root names at a terminal",
    "config/healthcheck.py": "asks this service itself, by its own port",
    "config/settings.py": "only names options of sockets to PostgreSQL and the broker",
}
CLIENTS = {"RedfishClient", "UfmClient", "EapiClient", "NvueClient", "SlurmRest", "NetBoxClient", "SshTarget",
           "KubernetesApi", "KubernetesScheduler", "HttpsSession", "BmcTarget", "PrometheusClient", "IronicClient",
           "MaasClient", "RegistryClient", "JiraClient", "ServiceNowClient", "TechDirect", "Address",
           "new_session"}  # fmt: skip
ONLY_READ_KEYS = {
    "provisioning/services/network_boot.py",
    "config/management/commands/demo_setup.py",
    "drivers/ssh_answers.py",
}


@cache
def sources() -> tuple[tuple[str, ast.Module], ...]:
    return tuple(_sources())


def _sources() -> Iterator[tuple[str, ast.Module]]:
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if "/tests/" not in name and "/migrations/" not in name and not name.startswith("config/embedded/"):
                yield name, ast.parse(path.read_text())


def imports(tree: ast.Module) -> set[str]:
    found = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    found |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name for name in found if name not in ("urllib.parse", "http")}


def test_every_module_that_can_connect_to_others_is_known_here() -> None:
    """A new one is added together with an entry in CALLS."""
    speaking = {
        name
        for name, tree in sources()
        if any(module.partition(".")[0] in SPEAKS_TO_OTHERS for module in imports(tree))
    }
    assert speaking - set(KNOWN_TO_SPEAK) == ONLY_READ_KEYS
    assert set(KNOWN_TO_SPEAK) <= speaking


def test_every_client_that_the_service_makes_is_given_a_gate() -> None:
    missing = []
    for name, tree in sources():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if called in CLIENTS and not any(word.arg == "gate" for word in node.keywords) and called != "new_session":
                missing.append(f"{name}:{node.lineno} {called}")
    assert not missing


def test_only_logins_reads_a_secret() -> None:
    reading = {
        name
        for name, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "reveal"
    }
    assert reading == {"access/logins.py", "config/management/commands/demo_setup.py"}
