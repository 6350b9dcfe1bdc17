"""Ironic over its REST API, standalone: without Keystone, by name and password (`http_basic`) or without (`noauth`).

    async with IronicClient("https://ironic.example:6385", "rackside", "...", trust=trust_of("")) as ironic:
        node = await ironic.node("gpu-001")
        await ironic.provision(node.uuid, Target.INSPECT)

What takes long is only begun by a call, and followed by reading the node again. Every request names its microversion:
without one Ironic answers as of 2014.
"""

from __future__ import annotations

import base64
import ssl
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Self
from urllib.parse import quote

from drivers.gate import Gate
from drivers.https import Answer, ApplianceError, BadStatus, HttpsSession, Later, NoSuchRecord, NotJson, sorted_out
from drivers.ironic import shapes
from drivers.ironic.shapes import Event, Hardware, Node

MICROVERSION = (1, 81)
"""Ironic 21.4 (2023.1): the first one that tells what an inspection read (`nodes/ID/inventory`)."""
MOST_BYTES = 64 << 20
PAGE = 500
MOST_PAGES = 200


class Target(StrEnum):
    """What may be wanted of a node: `target` of `states/provision`."""

    MANAGE = "manage"
    INSPECT = "inspect"
    PROVIDE = "provide"
    ACTIVE = "active"
    DELETED = "deleted"
    CLEAN = "clean"


class IronicClient:
    """One Ironic. Use as an async context manager. Every method raises ApplianceError's family, nothing else.

    `username` empty: it asks nobody who they are. `timeout_s` bounds the wait for each piece of an answer, `total_s`
    one whole request; `gate` decides about the address of every connection.
    """

    def __init__(
        self,
        url: str,
        username: str,
        password: str,
        *,
        trust: ssl.SSLContext,
        timeout_s: float = 8,
        total_s: float = 30,
        gate: Gate | None = None,
    ) -> None:
        headers = {"X-OpenStack-Ironic-API-Version": f"{MICROVERSION[0]}.{MICROVERSION[1]}"}
        if username:
            login = base64.b64encode(f"{username}:{password}".encode()).decode()
            headers["Authorization"] = f"Basic {login}"
        self._https = HttpsSession(
            url, headers=headers, trust=trust, timeout_s=timeout_s, total_s=total_s, most_bytes=MOST_BYTES, gate=gate
        )

    async def __aenter__(self) -> Self:
        await self._https.__aenter__()
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self._https.__aexit__(*exc_info)

    # ---- reading ----

    async def version(self) -> str:
        """Its newest microversion; it tells that to anybody. Raises NotJson for what is no Ironic, or too old."""
        try:
            found = shapes.newest_version((await self._send("GET", "/v1")).value)
        except NoSuchRecord as error:
            raise NotJson("there is no Ironic at this address") from error
        if found < MICROVERSION:
            raise NotJson(f"this Ironic speaks {found[0]}.{found[1]}; 1.81 (2023.1) or newer is needed")
        return f"{found[0]}.{found[1]}"

    async def drivers(self) -> list[str]:
        """The hardware types that its conductors serve; only whoever may ask is told."""
        said = (await self._send("GET", "/v1/drivers")).value
        rows = said.get("drivers") if isinstance(said, dict) else None
        if not isinstance(rows, list):
            raise NotJson("Ironic does not say which drivers it has")
        return sorted(str(each.get("name")) for each in rows if isinstance(each, dict))

    async def node(self, ident: str) -> Node:
        """By UUID or name. Raises NoSuchRecord."""
        return shapes.node_of((await self._send("GET", f"/v1/nodes/{_id(ident)}")).value)

    async def nodes(self) -> list[Node]:
        """All of them, by pages."""
        found: list[Node] = []
        for _ in range(MOST_PAGES):
            params = {"detail": "True", "limit": str(PAGE)} | ({"marker": found[-1].uuid} if found else {})
            page, more = shapes.nodes_of((await self._send("GET", "/v1/nodes", params=params)).value)
            found += page
            if not more or not page:
                return found
        raise NotJson(f"Ironic has more than {PAGE * MOST_PAGES} nodes")

    async def owners(self, mac: str) -> list[str]:
        """The UUIDs of the nodes with a port of this MAC address."""
        params = {"address": mac, "fields": "node_uuid"}
        return shapes.owners_of((await self._send("GET", "/v1/ports", params=params)).value)

    async def hardware(self, node: Node) -> Hardware:
        """What the last inspection of a node read; its properties when it left no inventory."""
        try:
            return shapes.hardware_of((await self._send("GET", f"/v1/nodes/{_id(node.uuid)}/inventory")).value)
        except NoSuchRecord:
            return shapes.of_properties(node)

    async def history(self, uuid: str) -> list[Event]:
        """The events of a node, oldest first."""
        said = await self._send("GET", f"/v1/nodes/{_id(uuid)}/history", params={"detail": "True"})
        return shapes.history_of(said.value)

    # ---- writing ----

    async def enroll(self, *, name: str, driver_info: Mapping[str, Any], more: Mapping[str, Any]) -> Node:
        """Make a node of the Redfish driver. `driver_info`: with `redfish_password`, which no error repeats."""
        body = {"name": name, "driver": "redfish", "driver_info": dict(driver_info), **more}
        try:
            return shapes.node_of((await self._send("POST", "/v1/nodes", body=body)).value)
        except ApplianceError as error:
            secret = str(driver_info.get("redfish_password") or "\0")
            raise type(error)(str(error).replace(secret, "***")) from None

    async def add_port(self, uuid: str, mac: str) -> None:
        await self._send("POST", "/v1/ports", body={"node_uuid": uuid, "address": mac, "pxe_enabled": True})

    async def change(self, uuid: str, fields: Mapping[str, Any]) -> None:
        """Set these: `name`, `instance_info`, `automated_clean`, ..."""
        patch = [{"op": "add", "path": f"/{name}", "value": value} for name, value in fields.items()]
        await self._send("PATCH", f"/v1/nodes/{_id(uuid)}", body=patch)

    async def provision(self, uuid: str, target: Target) -> None:
        """Begin to bring a node there."""
        await self._send("PUT", f"/v1/nodes/{_id(uuid)}/states/provision", body={"target": target.value})

    async def run_clean_steps(self, uuid: str, steps: Sequence[str]) -> None:
        """Begin these clean steps of its deploy interface on a manageable node, in their order."""
        told = [{"interface": "deploy", "step": step} for step in steps]
        body = {"target": Target.CLEAN.value, "clean_steps": told}
        await self._send("PUT", f"/v1/nodes/{_id(uuid)}/states/provision", body=body)

    async def deploy(self, uuid: str, *, user_data: str, meta_data: Mapping[str, Any]) -> None:
        """Begin to install what its `instance_info` says, with this cloud-init user-data on its config drive."""
        drive = {"user_data": user_data, "meta_data": dict(meta_data)}
        body = {"target": Target.ACTIVE.value, "configdrive": drive}
        await self._send("PUT", f"/v1/nodes/{_id(uuid)}/states/provision", body=body)

    async def set_maintenance(self, uuid: str, reason: str) -> None:
        await self._send("PUT", f"/v1/nodes/{_id(uuid)}/maintenance", body={"reason": reason})

    async def unset_maintenance(self, uuid: str) -> None:
        await self._send("DELETE", f"/v1/nodes/{_id(uuid)}/maintenance")

    async def _send(
        self, method: str, path: str, *, params: Mapping[str, str] | None = None, body: Any = None
    ) -> Answer:
        try:
            return await self._https.send(method, path, params=params, body=body)
        except BadStatus as error:
            if fault := shapes.fault_in(error.body):
                error = BadStatus(method, path, error.status, fault)
            raise sorted_out(error) from None


def _id(ident: str) -> str:
    """A part of a path: a UUID or a name, whose characters Ironic allows are those of a URL that need no quoting."""
    if not ident or quote(ident, safe="") != ident or ident.strip(".") == "":
        raise NotJson(f"{ident[:40]!r} is no node of Ironic")
    return ident


__all__ = ["IronicClient", "Later", "NoSuchRecord", "Target"]
