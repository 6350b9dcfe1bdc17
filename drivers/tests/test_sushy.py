"""The Redfish client against servers nobody here wrote.

sushy-emulator keeps power and boot of several systems. sushy-static serves the resources that come with the sushy
library's own tests: a blade of DMTF's mockups, with its sensors and supplies, and a Dell system.
"""

from __future__ import annotations

import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import bcrypt
import pytest
import sushy

from drivers.redfish import MediaInUse, RedfishAuthError, RedfishClient, RedfishStatus
from drivers.tests.bmc import self_signed
from drivers.tests.ports import free_ports, listens, until

pytestmark = pytest.mark.asyncio
SYSTEMS = {"gpu0001": "6f0d6a1e-0000-4000-8000-000000000001", "gpu0002": "6f0d6a1e-0000-4000-8000-000000000002"}
# The emulator applies a change of power after 1 to 11 s, by chance; the shortest shows as much.
EMULATOR = "import random; random.randint = lambda low, high: low; from sushy_tools.emulator.main import main; main()"
STATIC = "from sushy_tools.static.main import main; main()"
SAMPLES = Path(sushy.__file__).parent / "tests"
BLADE = SAMPLES / "unit" / "json_samples"
DELL = SAMPLES / "oem" / "dell" / "unit" / "json_samples"

Serve = Callable[[str, list[str], int], None]


@pytest.fixture(scope="module")
def serve() -> Iterator[Serve]:
    """Start a server of this Python and wait until it listens; all end with the module."""
    running: list[subprocess.Popen[bytes]] = []

    def start(code: str, options: list[str], port: int) -> None:
        process = subprocess.Popen(
            [sys.executable, "-c", code, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        running.append(process)
        until(lambda: listens(port) or process.poll() is not None, 30, "the server does not listen")
        assert process.poll() is None, "the server ended"

    yield start
    for process in running:
        process.terminate()
        process.wait(10)


@pytest.fixture(scope="module")
def emulator(serve: Serve, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of two systems that are off, behind one password and a certificate of its own."""
    folder, port = tmp_path_factory.mktemp("emulator"), free_ports(1)[0]
    pem, _ = self_signed(folder)
    (folder / "users").write_text("root:" + bcrypt.hashpw(b"secret", bcrypt.gensalt(4)).decode() + "\n")
    systems = [
        {"uuid": uuid, "name": name, "power_state": "Off", "external_notifier": False, "nics": []}
        for name, uuid in SYSTEMS.items()
    ]
    settings = {
        "SUSHY_EMULATOR_FAKE_DRIVER": True,
        "SUSHY_EMULATOR_FAKE_SYSTEMS": systems,
        "SUSHY_EMULATOR_STATE_DIR": str(folder),
        "SUSHY_EMULATOR_AUTH_FILE": str(folder / "users"),
        "SUSHY_EMULATOR_LISTEN_IP": "127.0.0.1",
        "SUSHY_EMULATOR_LISTEN_PORT": port,
        "SUSHY_EMULATOR_SSL_CERT": str(pem),
        "SUSHY_EMULATOR_SSL_KEY": str(pem),
    }
    (folder / "settings.py").write_text("\n".join(f"{name} = {value!r}" for name, value in settings.items()))
    serve(EMULATOR, ["--config", str(folder / "settings.py")], port)
    return f"https://127.0.0.1:{port}"


def system(url: str, name: str, password: str = "secret") -> RedfishClient:
    path = f"/redfish/v1/Systems/{SYSTEMS[name]}"
    return RedfishClient(url, "root", password, timeout_s=10, system_path=path, poll_s=0.1)


@pytest.mark.slow
async def test_power_of_one_system_of_several_goes_on_cycles_and_off_and_leaves_the_other_alone(emulator: str) -> None:
    async with system(emulator, "gpu0001") as bmc, system(emulator, "gpu0002") as other:
        await bmc.power("on")
        await bmc.wait_for_power("on", 15)
        offered = (await bmc.system())["Actions"]["#ComputerSystem.Reset"]["ResetType@Redfish.AllowableValues"]
        assert "PowerCycle" not in offered, "otherwise the next step proves less than it says"
        await bmc.power("cycle", wait_s=15)
        await bmc.wait_for_power("on", 15)
        await bmc.power("graceful_off")
        await bmc.wait_for_power("off", 15)
        assert await other.power_state() == "off"
        await other.power("on")
        await other.wait_for_power("on", 15)
        assert await bmc.power_state() == "off"


async def test_the_next_start_is_from_the_network(emulator: str) -> None:
    async with system(emulator, "gpu0002") as bmc:
        await bmc.set_boot_once("Pxe")
        assert (await bmc.system())["Boot"]["BootSourceOverrideTarget"] == "Pxe"


async def test_an_image_is_inserted_booted_once_and_ejected(emulator: str, tmp_path: Path) -> None:
    (tmp_path / "rackside.iso").write_bytes(b"an image" * 1000)
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as files:
        threading.Thread(target=files.serve_forever, args=(0.02,), daemon=True).start()
        image = f"http://127.0.0.1:{files.server_port}/rackside.iso"
        async with system(emulator, "gpu0001") as bmc:
            await bmc.boot_from_media(image)
            assert [each["Image"] for each in await bmc.media() if each["Inserted"]] == [image]
            assert await bmc.boot_override() == "Cd"  # the emulator calls every override continuous
            with pytest.raises(MediaInUse):
                await _fill_and_insert(bmc, image)
            assert await bmc.eject_media(lambda media: str(media["Image"]).startswith(image)) == []
            assert not any(each["Inserted"] for each in await bmc.media())
        files.shutdown()


async def _fill_and_insert(bmc: RedfishClient, image: str) -> None:
    """As many images as there are virtual CDs, and one more."""
    for number in range(len(await bmc.media()) + 1):
        await bmc.insert_media(f"{image}?{number}", replaces=lambda media: False)


async def test_a_wrong_password_is_told_from_a_missing_system(emulator: str) -> None:
    async with system(emulator, "gpu0001", "wrong") as bmc:
        with pytest.raises(RedfishAuthError):
            await bmc.power_state()
    nowhere = RedfishClient(emulator, "root", "secret", system_path="/redfish/v1/Systems/nobody")
    async with nowhere as bmc:
        with pytest.raises(RedfishStatus) as error:
            await bmc.power_state()
    assert error.value.status == 404


def tree(folder: Path, *documents: dict[str, Any]) -> None:
    """Resources as files under their own paths, as sushy-static serves them."""
    for document in documents:
        place = folder / str(document["@odata.id"]).removeprefix("/redfish/v1").strip("/")
        place.mkdir(parents=True, exist_ok=True)
        (place / "index.json").write_text(json.dumps(document))


def sample(path: Path, **changes: object) -> dict[str, object]:
    return {**json.loads(path.read_text()), **changes}


async def test_what_the_checks_read_is_found_in_a_tree_of_others(serve: Serve, tmp_path: Path) -> None:
    system = sample(BLADE / "system.json")
    chassis_path = "/redfish/v1/Chassis/Blade1"
    links = dict(system["Links"]) | {"Chassis": [{"@odata.id": chassis_path}]}  # type: ignore[call-overload]
    power = sample(BLADE / "power.json", **{"@odata.id": f"{chassis_path}/Power"})
    chassis = sample(BLADE / "chassis.json", Power={"@odata.id": f"{chassis_path}/Power"})
    documents = [sample(BLADE / f"{name}.json") for name in ("root", "system_collection", "thermal", "manager")]
    tree(tmp_path, system | {"Links": links}, chassis, power, *documents)
    port = free_ports(1)[0]
    serve(STATIC, ["-i", "127.0.0.1", "-p", str(port), "-m", str(tmp_path)], port)
    async with RedfishClient(f"http://127.0.0.1:{port}", "root", "secret") as bmc:
        answers = await bmc.report()
    assert answers.system["SerialNumber"] == "437XR1138R2"
    assert answers.thermal is not None and answers.thermal["Temperatures"][0]["ReadingCelsius"] == 62
    assert answers.power is not None and len(answers.power["PowerSupplies"]) == 2
    assert answers.manager is not None and answers.manager["Id"] == "BMC"


async def test_a_dell_system_offers_a_power_cycle_and_its_service_tag(serve: Serve, tmp_path: Path) -> None:
    system = sample(DELL / "system.json")
    root = sample(DELL / "root.json")
    collection = {"@odata.id": "/redfish/v1/Systems", "Members": [{"@odata.id": system["@odata.id"]}]}
    tree(tmp_path, root, collection, system)
    pem, digest = self_signed(tmp_path)
    port = free_ports(1)[0]
    options = ["-i", "127.0.0.1", "-p", str(port), "-m", str(tmp_path), "-c", str(pem), "-k", str(pem)]
    serve(STATIC, options, port)
    async with RedfishClient(f"https://127.0.0.1:{port}", "root", "calvin") as bmc:
        assert await bmc.system_path() == "/redfish/v1/Systems/System.Embedded.1"
        assert (await bmc.system())["SKU"] == system["SKU"]
        await bmc.power("cycle")
        assert bmc.fingerprint == digest
