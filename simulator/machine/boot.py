"""A machine that boots from the network: it really asks for its script, follows it, installs and phones home.

What is real: the HTTP requests, the script and the autoinstall data, the keys it then has. What is not: the kernel
and the initial ramdisk are named by the script but not fetched, and installing is waiting.
"""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import aiohttp
import asyncssh
import yaml

from simulator.machine import installer

if TYPE_CHECKING:
    from simulator.hall import Hall
    from simulator.state import Machine

log = logging.getLogger("simulator.machine.boot")
ATTEMPTS = 5
RETRY_S = 1.0
REQUEST_TIMEOUT_S = 10
MOST_BYTES = 1 << 20


class BootError(Exception):
    """This boot ends here; the text is what a person would read on the console."""


@dataclass(frozen=True)
class BootScript:
    """What an iPXE script asks for. `kernel` is empty when it says to boot from the disk."""

    kernel: str = ""
    arguments: tuple[str, ...] = ()
    initrd: str = ""
    chain: str = ""

    def autoinstall_url(self) -> str:
        """Where the user-data is: `autoinstall=URL`, or cloud-init's `ds=nocloud;s=URL/`."""
        for word in self.arguments:
            if word.startswith("autoinstall="):
                return word.partition("=")[2].strip("\"'")
            if found := re.match(r"['\"]?ds=nocloud(?:-net)?;s=([^'\"]+)", word):
                return urljoin(found[1].rstrip("/") + "/", "user-data")
        return ""


@dataclass(frozen=True)
class Autoinstall:
    """What the installed machine is given by its user-data."""

    hostname: str = ""
    host_key: str = ""
    authorized_keys: tuple[str, ...] = ()
    phone_home_url: str = ""
    phone_home_post: tuple[str, ...] = field(default=("all",))
    report_url: str = ""
    log_url: str = ""


def parse_script(text: str, settings: dict[str, str]) -> BootScript:
    """Read an iPXE script; `${mac}` and the like are filled in from `settings`. Raises BootError."""
    lines = text.replace("\\\n", " ").splitlines()
    if not lines or lines[0].strip() != "#!ipxe":
        raise BootError("what came is not an iPXE script")
    known, kernel, initrd = dict(settings), "", ""
    arguments: tuple[str, ...] = ()
    for raw in lines[1:]:
        line = re.sub(r"\$\{([^}]+)\}", lambda found: known.get(found[1], ""), raw).strip()
        verb, _, rest = line.partition(" ")
        words = _operands(rest.split())
        if verb == "set" and words:
            known[words[0]] = " ".join(words[1:])
        elif verb in ("kernel", "linux") and words:
            kernel, arguments = words[0], tuple(words[1:])
        elif verb == "imgargs":
            arguments = tuple(words[1:])
        elif verb == "initrd" and words:
            initrd = words[0]
        elif verb == "chain" and words:
            return BootScript(chain=words[0])
        elif verb in ("sanboot", "exit"):
            return BootScript()
        elif verb == "boot":
            break
    return BootScript(kernel, arguments, initrd)


def _operands(words: list[str]) -> list[str]:
    """The words after iPXE's own options; those after the URI are the kernel's and stay."""
    while words and words[0].startswith("--"):
        words = words[2:] if words[0] in ("--name", "-n", "--timeout", "-t") else words[1:]
    return words


def parse_autoinstall(text: str) -> Autoinstall:
    """Read cloud-init user-data with an `autoinstall` part. Raises BootError when it is none."""
    if not text.startswith("#cloud-config"):
        raise BootError("the user-data does not begin with #cloud-config")
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BootError(f"the user-data is not YAML: {error}") from error
    if not isinstance(document, dict):
        raise BootError("the user-data is not a mapping")
    install = _mapping(document.get("autoinstall"))
    # First boot takes autoinstall's own user-data; what stands beside it is for the installer, and taken when alone.
    layers = [_mapping(install.get("user-data")), install, document]

    def first(key: str) -> Any:
        return next((layer[key] for layer in layers if layer.get(key)), None)

    keys = [*(_mapping(install.get("ssh")).get("authorized-keys") or ()), *(first("ssh_authorized_keys") or ())]
    for user in first("users") or ():
        keys.extend(_mapping(user).get("ssh_authorized_keys") or ())
    home = _mapping(first("phone_home"))
    post = home.get("post", "all")
    return Autoinstall(
        hostname=str(first("hostname") or _mapping(install.get("identity")).get("hostname") or ""),
        host_key=str(_mapping(first("ssh_keys")).get("ed25519_private") or ""),
        authorized_keys=tuple(dict.fromkeys(str(key).strip() for key in keys)),
        phone_home_url=str(home.get("url") or ""),
        phone_home_post=tuple(post) if isinstance(post, list) else (str(post),),
        report_url=next((str(each["endpoint"]) for each in _reporters(install) if each.get("type") == "webhook"), ""),
        log_url=_last_url(install.get("error-commands")),
    )


def _reporters(install: dict[str, Any]) -> list[dict[str, Any]]:
    return [_mapping(each) for each in _mapping(install.get("reporting")).values()]


def _last_url(commands: Any) -> str:
    """Where the commands that run on a failure send something; the hall runs no shell."""
    found = re.findall(r"https?://\S+", " ".join(map(str, commands or ())))
    return found[-1] if found else ""


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def phone_home_form(plan_name: str, data: Autoinstall, serial: str, public_key: str) -> dict[str, str]:
    """The form cloud-init posts: every field for `all`, or those that are listed."""
    hostname = data.hostname or plan_name
    everything = {
        "pub_key_ed25519": public_key,
        "instance_id": f"i-{serial.lower()}",
        "hostname": hostname,
        "fqdn": hostname,
    }
    if "all" in data.phone_home_post:
        return everything
    return {key: everything.get(key, "N/A") for key in data.phone_home_post}


async def network_boot(hall: Hall, machine: Machine) -> None:
    """The whole way from power-on to the installed system; whatever fails leaves the machine as it then would be."""
    name = machine.plan.name
    try:
        await asyncio.sleep(hall.timing.post_s)
        data = await _ask(hall, machine)
        if data is None:
            log.info("%s: boots from its disk", name)
            hall.boot_disk(machine)
            return
        machine.state.installed = False  # from here on the disk is being written
        hall.settle(machine)
        await asyncio.sleep(hall.timing.install_s)
        if fault := machine.fault("install_fails"):
            await installer.give_up(fault.params["at"], data.report_url, data.log_url)
            raise BootError(f"the installation failed: {fault.params['at'] or 'it hangs'}")
        await _installed(hall, machine, data)
    except BootError as error:
        log.warning("%s: network boot: %s", name, error)
        machine.state.installing = False
        if machine.state.installed:
            hall.boot_disk(machine)
        else:
            machine.touch()
            hall.settle(machine)


async def _ask(hall: Hall, machine: Machine) -> Autoinstall | None:
    """Boot script and user-data over HTTP; None when the script says to boot from the disk. Raises BootError."""
    if machine.fault("no_link") or machine.fault("wrong_port"):
        raise BootError("no link on the boot port")
    if machine.fault("no_pxe_request"):
        raise BootError("the boot agent is switched off")
    plan, template = machine.plan, machine.state.boot_uri or hall.boot_url
    if not template:
        raise BootError("the hall was given no boot URL (--boot-url)")
    settings = {
        "mac": plan.boot_mac, "net0/mac": plan.boot_mac, "netX/mac": plan.boot_mac, "serial": plan.serial,
        "uuid": plan.system_uuid, "hostname": plan.name,
    }  # fmt: skip
    url = template
    for key in ("mac", "serial", "uuid", "hostname"):
        url = url.replace(f"{{{key}}}", settings[key])
    timeout = aiohttp.ClientTimeout(total=REQUEST_TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout, headers={"User-Agent": "iPXE/1.21.1"}) as client:
        script = parse_script(await _get(client, url), settings)
        for _ in range(3):
            if not script.chain:
                break
            url = urljoin(url, script.chain)
            script = parse_script(await _get(client, url), settings)
        if not script.kernel:
            return None
        if machine.fault("no_image"):
            raise BootError(f"{script.kernel}: the image server does not answer")
        user_data = script.autoinstall_url()
        if not user_data:
            raise BootError("the kernel line has no autoinstall data: the installer waits for a person")
        return parse_autoinstall(await _get(client, urljoin(url, user_data)))


async def _get(client: aiohttp.ClientSession, url: str) -> str:
    """GET with the few retries a boot agent makes."""
    problem = ""
    for attempt in range(ATTEMPTS):
        if attempt:
            await asyncio.sleep(RETRY_S)
        try:
            async with client.get(url) as answer:
                if answer.status == 200:
                    return (await answer.content.read(MOST_BYTES)).decode("utf-8", "replace")
                problem = f"HTTP {answer.status}"
        except (aiohttp.ClientError, TimeoutError) as error:
            problem = str(error) or type(error).__name__
    raise BootError(f"{url}: {problem}")


async def _installed(hall: Hall, machine: Machine, data: Autoinstall) -> None:
    """First boot from the disk with the keys that were given, then the phone-home."""
    state = machine.state
    if data.host_key:
        try:
            asyncssh.import_private_key(data.host_key)
        except asyncssh.KeyImportError as error:
            raise BootError(f"the host key in the user-data cannot be read: {error}") from error
    state.installed, state.hostname = True, data.hostname
    state.host_key, state.authorized_keys = data.host_key, list(data.authorized_keys)
    hall.boot_disk(machine)
    await asyncio.sleep(hall.timing.boot_s + 0.1)
    if not data.phone_home_url:
        return
    key = hall.host_key(machine).export_public_key().decode().strip()
    form = phone_home_form(machine.plan.name, data, machine.plan.serial, key)
    url = data.phone_home_url.replace("$INSTANCE_ID", form.get("instance_id", ""))
    timeout = aiohttp.ClientTimeout(total=REQUEST_TIMEOUT_S)
    async with aiohttp.ClientSession(timeout=timeout, headers={"User-Agent": "Cloud-Init/23.4"}) as client:
        for _ in range(ATTEMPTS):
            try:
                async with client.post(url, data=form) as answer:
                    if answer.status < 400:
                        return
                    log.warning("%s: phone home: HTTP %s", machine.plan.name, answer.status)
            except (aiohttp.ClientError, TimeoutError) as error:
                log.warning("%s: phone home: %s", machine.plan.name, error)
            await asyncio.sleep(RETRY_S)
