"""A bare machine asks a small web server of the test for its script, installs and comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import asyncssh
import pytest
import pytest_asyncio
import yaml
from aiohttp import web

from simulator.hall import Hall
from simulator.machine import boot
from simulator.machine.boot import Autoinstall, BootError, BootScript, parse_autoinstall, parse_script, phone_home_form
from simulator.plan import HallPlan
from simulator.tests.conftest import FAST

BARE = "gpu0003"


@dataclass
class Server:
    """What a provisioning service would serve, and what it was asked."""

    base: str = ""
    script: str = ""
    user_data: str = ""
    asked: list[str] = field(default_factory=list)
    homes: list[dict[str, Any]] = field(default_factory=list)

    async def boot(self, request: web.Request) -> web.Response:
        self.asked.append(str(request.rel_url))
        return web.Response(text=self.script.replace("BASE", self.base), status=200 if self.script else 404)

    async def data(self, request: web.Request) -> web.Response:
        self.asked.append(str(request.rel_url))
        return web.Response(text=self.user_data.replace("BASE", self.base))

    async def home(self, request: web.Request) -> web.Response:
        assert request.content_type == "application/x-www-form-urlencoded"
        self.homes.append(dict(await request.post()))
        return web.Response(text="welcome")


SCRIPT = """#!ipxe
# a comment
set base BASE/seed
kernel BASE/images/vmlinuz ip=dhcp autoinstall=${base}/user-data?mac=${net0/mac} ---
initrd BASE/images/initrd
boot
"""


@pytest.fixture
def new_key() -> asyncssh.SSHKey:
    return asyncssh.generate_private_key("ssh-ed25519")


@pytest_asyncio.fixture
async def server(new_key: asyncssh.SSHKey, user_key: asyncssh.SSHKey) -> AsyncIterator[Server]:
    serving = Server(script=SCRIPT)
    serving.user_data = "#cloud-config\n" + yaml.safe_dump({
        "autoinstall": {
            "version": 1,
            "identity": {"hostname": "node-7", "username": "ubuntu", "password": "!"},
            "ssh": {"install-server": True, "authorized-keys": [user_key.export_public_key().decode()]},
            "user-data": {
                "ssh_keys": {"ed25519_private": new_key.export_private_key("openssh").decode(),
                             "ed25519_public": new_key.export_public_key().decode()},
                "phone_home": {"url": "BASE/home/$INSTANCE_ID", "post": "all"},
            },
        }
    })  # fmt: skip
    app = web.Application()
    app.router.add_get("/boot/{mac}", serving.boot)
    app.router.add_get("/seed/user-data", serving.data)
    app.router.add_post("/home/{instance}", serving.home)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    serving.base = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield serving
    await runner.cleanup()


@pytest_asyncio.fixture
async def hall(plan: HallPlan, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Hall]:
    monkeypatch.setattr(boot, "RETRY_S", 0.01)
    running = Hall(plan, tmp_path / "hall", timing=FAST, boot_url=server.base + "/boot/{mac}?serial={serial}")
    await running.start()
    yield running
    await running.stop()


def power_on(hall: Hall, name: str = BARE, *, network: bool = True) -> None:
    machine = hall.machines[name]
    if network:
        machine.state.boot_override.enabled, machine.state.boot_override.target = "Once", "Pxe"
    hall.power(machine, "On" if machine.state.power == "off" else "PowerCycle")


async def until(condition: Any, seconds: float = 3.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


@pytest.mark.asyncio
async def test_a_bare_machine_fetches_its_script_installs_and_phones_home(
    hall: Hall, server: Server, new_key: asyncssh.SSHKey, user_key: asyncssh.SSHKey
) -> None:
    machine = hall.machines[BARE]
    plan = machine.plan
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(plan.address, machine.state.ssh_port)
    power_on(hall)
    assert machine.state.boot_override.enabled == "Disabled", "once is once"
    assert machine.phase(hall.clock()) == "installing"
    await until(lambda: server.homes)
    assert server.asked == [f"/boot/{plan.boot_mac}?serial={plan.serial}", f"/seed/user-data?mac={plan.boot_mac}"]
    assert server.homes[0] == {
        "pub_key_ed25519": new_key.export_public_key().decode().strip(),
        "instance_id": f"i-{plan.serial.lower()}",
        "hostname": "node-7",
        "fqdn": "node-7",
    }
    known = asyncssh.import_known_hosts(
        f"[{plan.address}]:{machine.state.ssh_port} " + server.homes[0]["pub_key_ed25519"]
    )
    async with asyncssh.connect(
        plan.address, machine.state.ssh_port, username="root", client_keys=[user_key], known_hosts=known, config=None
    ) as session:
        assert (await session.run("hostname")).stdout == "node-7\n"


@pytest.mark.asyncio
async def test_http_boot_asks_where_the_bmc_was_told(hall: Hall, server: Server) -> None:
    override = hall.machines[BARE].state.boot_override
    override.enabled, override.target, override.http_uri = "Once", "UefiHttp", server.base + "/boot/told?token=x"
    power_on(hall, network=False)
    await until(lambda: server.asked)
    assert server.asked[0] == "/boot/told?token=x"


@pytest.mark.asyncio
async def test_the_installed_machine_stays_installed(hall: Hall, server: Server, new_key: asyncssh.SSHKey) -> None:
    power_on(hall)
    await until(lambda: server.homes)
    asked = len(server.asked)
    hall.power(hall.machines[BARE], "PowerCycle")
    await until(lambda: hall.machines[BARE].phase(hall.clock()) == "up")
    assert len(server.asked) == asked, "from the disk this time"
    assert hall.host_key(hall.machines[BARE]).convert_to_public() == new_key.convert_to_public()


@pytest.mark.asyncio
async def test_without_network_boot_a_bare_machine_does_nothing(hall: Hall, server: Server) -> None:
    power_on(hall, network=False)
    await asyncio.sleep(FAST.boot_s + 0.1)
    assert hall.machines[BARE].phase(hall.clock()) == "no_os"
    assert not server.asked


@pytest.mark.asyncio
async def test_a_script_that_says_exit_boots_the_disk(hall: Hall, server: Server) -> None:
    server.script = "#!ipxe\nexit\n"
    power_on(hall, "gpu0001")
    await until(lambda: hall.machines["gpu0001"].phase(hall.clock()) == "up")
    assert len(server.asked) == 1


@pytest.mark.asyncio
async def test_an_unknown_machine_gets_404_and_falls_back_to_its_disk(hall: Hall, server: Server) -> None:
    server.script = ""
    power_on(hall, "gpu0001")
    power_on(hall)
    await until(lambda: hall.machines["gpu0001"].phase(hall.clock()) == "up")
    await until(lambda: hall.machines[BARE].phase(hall.clock()) == "no_os")
    assert len(server.asked) == 2 * boot.ATTEMPTS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "asks", "homes"),
    [("no_link", 0, 0), ("no_pxe_request", 0, 0), ("install_fails", 2, 0), ("no_ssh_after_install", 2, 1)],
)
@pytest.mark.asyncio
async def test_each_way_to_fail(hall: Hall, server: Server, fault: str, asks: int, homes: int) -> None:
    machine = hall.machines[BARE]
    hall.inject(machine, fault)
    power_on(hall)
    await asyncio.sleep(FAST.post_s + FAST.install_s + FAST.boot_s + 0.5)
    assert (len(server.asked), len(server.homes)) == (asks, homes)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(machine.plan.address, machine.state.ssh_port)


@pytest.mark.asyncio
async def test_a_failed_reinstallation_leaves_no_system(hall: Hall, server: Server) -> None:
    hall.inject(hall.machines["gpu0001"], "install_fails")
    power_on(hall, "gpu0001")
    await until(lambda: hall.machines["gpu0001"].phase(hall.clock()) == "no_os")


@pytest.mark.asyncio
async def test_power_off_in_the_middle_ends_the_installation(hall: Hall, server: Server) -> None:
    power_on(hall)
    await until(lambda: server.asked)
    hall.power(hall.machines[BARE], "ForceOff")
    await asyncio.sleep(FAST.install_s + FAST.boot_s + 0.4)
    assert hall.machines[BARE].phase(hall.clock()) == "off"
    assert not server.homes


@pytest.mark.asyncio
async def test_an_installation_goes_on_after_a_restart_of_the_hall(
    hall: Hall, plan: HallPlan, tmp_path: Path, server: Server
) -> None:
    power_on(hall)
    await until(lambda: len(server.asked) == 2)
    folder = hall.folder
    kept = folder.rename(tmp_path / "kept")
    again = Hall(
        HallPlan("x", tuple(machine for machine in plan.machines if machine.name == BARE)),
        kept, timing=FAST, boot_url=hall.boot_url,
    )  # fmt: skip
    for doors in (hall._ssh_doors, hall._redfish_doors):
        doors[BARE].set(False)
    hall._cancel_boot(hall.machines[BARE])
    await again.start()
    await until(lambda: server.homes)
    await again.stop()


def test_scripts_are_read_as_ipxe_reads_them() -> None:
    settings = {"mac": "b0:7b:25:00:00:01", "serial": "ABC1234"}
    text = (
        "#!ipxe\nset a http://x/${serial}\nkernel ${a}/k \\\n  quiet autoinstall=${a}/d\ninitrd --name i ${a}/i\nboot\n"
    )
    assert parse_script(text, settings) == BootScript(
        "http://x/ABC1234/k", ("quiet", "autoinstall=http://x/ABC1234/d"), "http://x/ABC1234/i"
    )
    assert parse_script("#!ipxe\nchain --autofree next.ipxe\n", settings) == BootScript(chain="next.ipxe")
    assert parse_script("#!ipxe\nsanboot --drive 0x80\n", settings) == BootScript()
    with pytest.raises(BootError, match="not an iPXE script"):
        parse_script("<html>", settings)


@pytest.mark.parametrize(
    "word", ["autoinstall=http://x/s/user-data", "ds=nocloud;s=http://x/s/", "ds=nocloud-net;s=http://x/s"]
)
def test_the_autoinstall_data_is_found_in_either_form(word: str) -> None:
    assert BootScript("k", ("autoinstall", word)).autoinstall_url() == "http://x/s/user-data"


def test_user_data_is_read_wherever_it_may_stand() -> None:
    text = "#cloud-config\nhostname: a\nssh_authorized_keys: [k1]\n"
    text += "users: [default, {name: r, ssh_authorized_keys: [k2]}]\n"
    text += "phone_home: {url: 'http://x', post: [hostname]}\nssh_keys: {ed25519_private: secret}\n"
    assert parse_autoinstall(text) == Autoinstall("a", "secret", ("k1", "k2"), "http://x", ("hostname",))
    for wrong in ("autoinstall: {}", "#cloud-config\n[1]", "#cloud-config\na: ["):
        with pytest.raises(BootError):
            parse_autoinstall(wrong)


def test_only_the_listed_fields_are_posted() -> None:
    data = Autoinstall(hostname="a", phone_home_post=("hostname", "pub_key_rsa"))
    assert phone_home_form("p", data, "ABC", "key") == {"hostname": "a", "pub_key_rsa": "N/A"}
