"""A real Ironic 39 with SQLite, and sushy-tools' emulator as the BMCs, in processes of their own.

Ironic is no dependency of the service, so it has a virtual environment of its own, `.venv-ironic` beside `.venv`, made
at first use; by hand: `python3 -m venv .venv-ironic && .venv-ironic/bin/pip install ironic==39.0.0`. One process is API
and conductor, without Keystone and without a message bus. It makes config drives with `xorrisofs`.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import bcrypt
import pytest

from drivers.tests.bmc import self_signed
from drivers.tests.ports import free_ports, listens, until

PLACE = Path(__file__).resolve().parents[2] / ".venv-ironic"
PACKAGES = ("ironic==39.0.0",)
INSTALL_WITHIN_S = 300
STARTS_WITHIN_S = 90
USER, PASSWORD = "rackside", "ironicsecret"
BMC_USER, BMC_PASSWORD = "root", "calvin77"
# The emulator applies a change of power after 1 to 11 s, by chance; the shortest shows as much.
EMULATE = "import random; random.randint = lambda low, high: low; from sushy_tools.emulator.main import main; main()"
CONFIG = """
[DEFAULT]
auth_strategy = http_basic
http_basic_auth_user_file = {folder}/ironic.htpasswd
rpc_transport = none
host = conductor-1
my_ip = 127.0.0.1
tempdir = {folder}/tmp
enabled_hardware_types = fake-hardware,redfish
enabled_bios_interfaces = no-bios
enabled_boot_interfaces = fake,redfish-virtual-media
enabled_console_interfaces = no-console
enabled_deploy_interfaces = fake,ramdisk,direct
enabled_firmware_interfaces = no-firmware
enabled_inspect_interfaces = fake,redfish,no-inspect
enabled_management_interfaces = fake,redfish
enabled_network_interfaces = noop
enabled_power_interfaces = fake,redfish
enabled_raid_interfaces = no-raid
enabled_rescue_interfaces = no-rescue,fake
enabled_storage_interfaces = noop
enabled_vendor_interfaces = no-vendor
default_network_interface = noop
use_ipv6 = false
[agent]
require_tls = false
deploy_logs_collect = never
image_download_source = http
post_deploy_get_power_state_retries = 1
post_deploy_get_power_state_retry_interval = 1
[api]
host_ip = 127.0.0.1
port = {api}
api_workers = 1
[database]
connection = sqlite:///{folder}/ironic.sqlite
[conductor]
automated_clean = true
sync_power_state_interval = 5
[service_catalog]
endpoint_override = http://127.0.0.1:{api}
[deploy]
http_root = {folder}/http
http_url = http://127.0.0.1:{http}
[fake]
inspect_delay = 1
deploy_delay = 1
clean_delay = 1
[inventory]
data_backend = database
[oslo_concurrency]
lock_path = {folder}/locks
[redfish]
use_swift = false
"""

EMULATOR = """
SUSHY_EMULATOR_FAKE_DRIVER = True
SUSHY_EMULATOR_FAKE_SYSTEMS = {systems}
SUSHY_EMULATOR_LISTEN_IP = "127.0.0.1"
SUSHY_EMULATOR_LISTEN_PORT = {port}
SUSHY_EMULATOR_STATE_DIR = "{folder}/bmc"
SUSHY_EMULATOR_AUTH_FILE = "{folder}/bmc.htpasswd"
SUSHY_EMULATOR_SSL_CERT = SUSHY_EMULATOR_SSL_KEY = "{pem}"
"""


def skip(reason: str) -> None:
    """Nothing of the service is wrong then. An expected failure: a skip is a failure in CI, and this one is meant."""
    pytest.xfail(f"no Ironic to talk to: {reason}")


def installed() -> Path:
    """The folder of the programs of the environment with Ironic, made at first use."""
    if os.environ.get("RACKSIDE_TEST_IRONIC") == "0":
        skip("RACKSIDE_TEST_IRONIC is 0")
    if shutil.which("xorrisofs") is None:
        skip("xorriso is not installed")
    ready = PLACE / f"ready-{PACKAGES[0]}"
    PLACE.mkdir(exist_ok=True)
    with (PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists():
            try:
                subprocess.run([sys.executable, "-m", "venv", str(PLACE)], check=True, timeout=INSTALL_WITHIN_S)
                install = [str(PLACE / "bin" / "pip"), "install", "--quiet", *PACKAGES]
                subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_WITHIN_S)
            except (OSError, subprocess.SubprocessError) as error:
                skip(f"it cannot be installed ({type(error).__name__})")
            ready.touch()
    return PLACE / "bin"


@dataclass(frozen=True, slots=True)
class RealIronic:
    """`url` is the API, `bmc_port` the emulator's; `systems` are the UUIDs of its machines, each off at first.
    What lies in `folder / "http"` is served at `images`."""

    folder: Path
    url: str
    bmc_port: int
    systems: tuple[str, ...]
    images: str

    @property
    def log(self) -> str:
        return (self.folder / "ironic.log").read_text(errors="replace")


@contextmanager
def running(folder: Path, *, systems: int = 1) -> Iterator[RealIronic]:
    """Ironic and the BMCs, with nothing enrolled. Its state ends with it."""
    programs = installed()
    for name in ("tmp", "http", "locks", "bmc"):
        (folder / name).mkdir(parents=True)
    api, http, bmc = free_ports(3)
    uuids = tuple(f"4c4c4544-0042-4310-8031-b4c04f4e35{number:02d}" for number in range(1, systems + 1))
    config = folder / "ironic.conf"
    config.write_text(CONFIG.format(folder=folder, api=api, http=http))
    rows = [
        {"uuid": uuid, "name": f"gpu-{n}", "power_state": "Off", "external_notifier": False,
         "nics": [{"mac": f"02:00:00:00:00:{n:02x}", "ip": f"10.0.0.{n}"}]}
        for n, uuid in enumerate(uuids, 1)
    ]  # fmt: skip
    pem, _ = self_signed(folder)
    (folder / "emulator.py").write_text(EMULATOR.format(systems=rows, port=bmc, folder=folder, pem=pem))
    for file, user, password in (("ironic", USER, PASSWORD), ("bmc", BMC_USER, BMC_PASSWORD)):
        hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(4)).decode()
        (folder / f"{file}.htpasswd").write_text(f"{user}:{hashed}\n")
    schema = [str(programs / "ironic-dbsync"), "--config-file", str(config), "create_schema"]
    subprocess.run(schema, check=True, capture_output=True, timeout=STARTS_WITHIN_S)
    with ExitStack() as stack:
        emulator = (sys.executable, "-c", EMULATE, "--config", folder / "emulator.py")
        stack.enter_context(_process(folder / "bmc.log", *emulator))
        stack.enter_context(_process(folder / "ironic.log", programs / "ironic", "--config-file", config))
        stack.enter_context(_process(folder / "http.log", programs / "python", "-m", "http.server", str(http),
                                     "--bind", "127.0.0.1", "--directory", folder / "http"))  # fmt: skip
        for port in (bmc, api, http):
            until(lambda port=port: listens(port), STARTS_WITHIN_S, f"nothing listens: {folder}")  # type: ignore[misc]
        yield RealIronic(folder, f"http://127.0.0.1:{api}", bmc, uuids, f"http://127.0.0.1:{http}")


@contextmanager
def _process(log: Path, *command: str | Path) -> Iterator[None]:
    with log.open("w") as file:
        process = subprocess.Popen(
            [str(part) for part in command], stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            cwd=log.parent,
        )  # fmt: skip
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(10)
