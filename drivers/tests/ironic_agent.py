"""What stands in for Ironic's agent on a machine: its protocol, with a disk that is a file.

The agent itself writes to the disks of the machine that it runs on, and needs one to boot. This one does what it does
on the network: it looks itself up, sends heartbeats with its token, and carries out the commands that Ironic posts.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

VERSION = "11.0.0"
MICROVERSION = {"X-OpenStack-Ironic-API-Version": "1.72"}
MANAGER = {"generic_hardware_manager": "1.2"}
CLEAN_STEPS = [
    {"interface": "deploy", "step": step, "priority": priority, "reboot_requested": False, "abortable": True}
    for step, priority in (("erase_devices", 10), ("erase_devices_metadata", 99))
]
EVERY_S = 0.5


class Agent:
    """`disk` is what was written to it, `steps` the clean steps that ran, `drive` the config drive as it came."""

    def __init__(self, ironic: str, mac: str, disk: Path) -> None:
        self._ironic, self._mac, self.disk = ironic, mac, disk
        self.steps: list[str] = []
        self.commands: list[dict[str, Any]] = []
        self.drive = ""
        self._token = ""

    async def run(self, callback: str) -> None:
        """Look up and send heartbeats for ever; Ironic answers only while it waits for the agent."""
        async with aiohttp.ClientSession(headers=MICROVERSION) as session:
            uuid = ""
            while True:
                await asyncio.sleep(EVERY_S)
                if not uuid:
                    uuid = await self._looked_up(session)
                    continue
                told = {"callback_url": callback, "agent_version": VERSION, "agent_token": self._token}
                async with session.post(f"{self._ironic}/v1/heartbeat/{uuid}", json=told) as answer:
                    if answer.status == 400:  # a boot since: its token is a new one
                        uuid = ""

    async def _looked_up(self, session: aiohttp.ClientSession) -> str:
        async with session.get(f"{self._ironic}/v1/lookup", params={"addresses": self._mac}) as answer:
            if answer.status != 200:
                return ""
            told = await answer.json()
        token = told["config"]["agent_token"]
        if token != "******":
            self._token, self.commands = token, []
        return str(told["node"]["uuid"])

    async def listed(self, request: web.Request) -> web.Response:
        return web.json_response({"commands": self.commands})

    async def asked(self, request: web.Request) -> web.Response:
        if request.query.get("agent_token") != self._token:
            return web.json_response({"faultstring": "agent_token is wrong"}, status=401)
        body = await request.json()
        extension, _, name = body["name"].partition(".")
        error, result = None, {"result": None}
        try:
            result = await self._do(extension, name, body.get("params") or {})
        except ValueError as reason:
            error = {"type": "ImageError", "code": 500, "message": str(reason), "details": str(reason)}
        done = {
            "id": str(len(self.commands)), "command_name": name, "command_params": {}, "command_error": error,
            "command_status": "FAILED" if error else "SUCCEEDED", "command_result": result,
        }  # fmt: skip
        self.commands.append(done)
        return web.json_response(done)

    async def _do(self, extension: str, name: str, params: dict[str, Any]) -> dict[str, Any]:
        match name:
            case "get_clean_steps":
                return {"clean_steps": {"GenericHardwareManager": CLEAN_STEPS}, "hardware_manager_version": MANAGER}
            case "get_deploy_steps":
                return {"deploy_steps": {"GenericHardwareManager": []}, "hardware_manager_version": MANAGER}
            case "execute_clean_step":
                step = params["step"]
                self.steps.append(step["step"])
                self.disk.write_bytes(b"")
                return {"clean_result": None, "clean_step": step}
            case "execute_deploy_step":
                step = params["step"]
                if step["step"] == "write_image":
                    told = step.get("args") or {}
                    await self._write(told["image_info"])
                    self.drive = str(told.get("configdrive") or "")
                return {"deploy_result": None, "deploy_step": step}
            case "get_partition_uuids":
                return {}
        return {"result": f"{extension}.{name}"}

    async def _write(self, image: dict[str, Any]) -> None:
        """The image to the disk, if it is the one that was meant."""
        async with aiohttp.ClientSession() as session, session.get(image["urls"][0]) as answer:
            raw = await answer.read()
        algorithm = image.get("os_hash_algo") or "sha256"
        wanted = image.get("os_hash_value") or image.get("checksum")
        if hashlib.new(algorithm, raw).hexdigest() != wanted:
            raise ValueError(f"the image has another {algorithm} than {wanted}")
        self.disk.write_bytes(raw)


@asynccontextmanager
async def booted(ironic: str, mac: str, disk: Path) -> AsyncIterator[Agent]:
    """An agent on the machine with this MAC address, as long as the block runs."""
    agent = Agent(ironic, mac, disk)
    app = web.Application(client_max_size=64 << 20)
    app.router.add_get("/v1/commands/", agent.listed)
    app.router.add_get("/v1/commands", agent.listed)
    app.router.add_post("/v1/commands/", agent.asked)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    beats = asyncio.create_task(agent.run(f"http://127.0.0.1:{runner.addresses[0][1]}"))
    try:
        yield agent
    finally:
        beats.cancel()
        with suppress(asyncio.CancelledError):
            await beats
        await runner.cleanup()
