"""How an engine is given the login at a registry for one pull, so that neither the list of processes nor a log nor a
file that stays shows the password. Pure.

The password comes on the standard input of the script that begins the pull, into a file in memory that is root's alone
and goes with the pull (`health.diagnostics.jobs`). Docker and Enroot read such a file. `ctr` asks at a terminal, and
gets one (script(1)) that shows nothing of what is typed.
"""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass

from drivers import shell
from health.checks.parsers.images import CONTAINERD, DOCKER
from health.diagnostics import jobs
from health.diagnostics.commands import Command
from provisioning.images.commands import Image, Seat, Unplaceable, enroot_import, place
from provisioning.mirrors.registries import RegistryLogin

DOCKER_HUB = {"docker.io": "https://index.docker.io/v1/"}
"""Docker keeps the login of its own registry under this name."""
FILES = {DOCKER: "config.json", CONTAINERD: "password"}
ENROOT_FILE = ".credentials"
ASKS_WITHIN_S = 60
_NETRC = re.compile(r"[^\s$][^\s]*")
_ENROOT_USER = re.compile(r"[A-Za-z0-9_.!~*'()%;:&=+$,-]+")
_CTR_USER = re.compile(r"[^:\s][^:]*")


@dataclass(frozen=True, slots=True)
class Pull:
    """What begins a pull: the command of its job, and of a pull with a login the file that the secret goes to."""

    command: Command
    file: str = ""


def pull(image: Image, seat: Seat, job: str, username: str = "") -> Pull:
    """`username` empty: the registry asks nobody, or the machine has a login of its own. Raises Unplaceable."""
    line = place(image, seat, job)
    if not username:
        return Pull(Command(line, {}))
    folder = jobs.secrets_of(job)
    if seat.engine == DOCKER:
        words = ["docker", "--config", folder, "pull", image.by_digest]
        return Pull(Command(shell.line(words), {}), FILES[DOCKER])
    if seat.engine == CONTAINERD:
        script = _typed(f"{line} --user {shell.operand(username)}", f"{folder}/{FILES[CONTAINERD]}")
        return Pull(Command("sh pull.sh", {"pull.sh": script}), FILES[CONTAINERD])
    words = ["env", f"ENROOT_CONFIG_PATH={folder}", *enroot_import(image, seat, job, username)]
    return Pull(Command(shell.line(words), {}), ENROOT_FILE)


def secret(engine: str, image: Image, login: RegistryLogin) -> bytes:
    """What is sent on the standard input. Raises Unplaceable for a login that the engine cannot be given."""
    if engine == DOCKER:
        auth = base64.b64encode(f"{login.username}:{login.password}".encode()).decode()
        return json.dumps({"auths": {DOCKER_HUB.get(image.registry, image.registry): {"auth": auth}}}).encode()
    if engine == CONTAINERD:
        if not _CTR_USER.fullmatch(login.username):
            raise Unplaceable("ctr takes no user name with a colon")
        return f"{login.password}\n".encode()
    # Enroot runs a password that begins with $ as a command (its `evalnetrc`), and reads words.
    if not _NETRC.fullmatch(login.password) or not _ENROOT_USER.fullmatch(login.username):
        raise Unplaceable("Enroot takes no login with spaces, nor a password that begins with $")
    lines = [f"machine {host} login {login.username} password {login.password}\n" for host in login.hosts]
    return "".join(lines).encode()


def _typed(line: str, file: str) -> str:
    """A script that types the password when `ctr` asks for it, into a terminal that echoes nothing from its start."""
    file = shell.word(file)
    typed = f"stty -echo; {line}; s=$?; : >ended; exit $s"
    return (
        'told() {\n  n=0\n  until grep -q "^Password:" out; do\n'
        f"    [ -e ended ] || [ $n -ge {ASKS_WITHIN_S * 10} ] && return\n"
        f"    n=$((n + 1)); sleep 0.1\n  done\n  cat {file}; rm -f {file}\n"
        "  until [ -e ended ]; do sleep 0.2; done\n}\n"
        f"told | script --quiet --return --flush --command {shell.literal(typed)} /dev/null\n"
    )
