"""What Ansible is told of the machines: an inventory, and a known_hosts file. Pure.

Values of the inventory are given as `!unsafe`: Ansible takes none of them for a template, whatever a name contains.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

_SAFE_NAME = re.compile(r"(?!machine-\d+$)[A-Za-z0-9_][A-Za-z0-9_.-]*")


@dataclass(frozen=True, slots=True)
class Host:
    """One machine as a play needs it. `key` is the private key; it goes to a file and nowhere else."""

    machine_id: int
    name: str
    address: str
    port: int
    username: str
    known_host: str
    key: str = field(repr=False)
    variables: Mapping[str, Any] = field(default_factory=dict)


class _Unsafe(str):
    __slots__ = ()


class _Dumper(yaml.SafeDumper):
    """Without aliases, which `!unsafe` values would not survive."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Dumper.add_representer(_Unsafe, lambda dumper, value: dumper.represent_scalar("!unsafe", str(value), style='"'))


def unsafe(value: Any) -> Any:
    """Every text in it, keys of mappings left as they are, marked as no template."""
    if isinstance(value, str):
        return _Unsafe(value)
    if isinstance(value, Mapping):
        return {str(key): unsafe(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [unsafe(each) for each in value]
    return value


def alias_of(host: Host) -> str:
    """What the machine is called in the inventory: its name where that is a plain word, else by its id."""
    return host.name if _SAFE_NAME.fullmatch(host.name) else f"machine-{host.machine_id}"


def inventory_of(hosts: Sequence[Host], key_files: Mapping[str, str]) -> str:
    """The inventory as YAML; `key_files` is the path of each private key. Two machines of one name go by their ids."""
    return yaml.dump({"all": {"hosts": {alias: _host(host, key_files) for alias, host in aliases(hosts).items()}}},
                     Dumper=_Dumper, sort_keys=False, allow_unicode=True)  # fmt: skip


def aliases(hosts: Sequence[Host]) -> dict[str, Host]:
    """Each machine by its name in the inventory."""
    found: dict[str, Host] = {}
    for host in hosts:
        alias = alias_of(host)
        found[alias if alias not in found else f"machine-{host.machine_id}"] = host
    return found


def _host(host: Host, key_files: Mapping[str, str]) -> dict[str, Any]:
    own = {
        "ansible_host": host.address,
        "ansible_port": host.port,
        "ansible_user": host.username,
        "ansible_ssh_private_key_file": key_files[host.key],
        "ansible_become": host.username != "root",
    }
    return unsafe({**{f"rackside_{name}": value for name, value in host.variables.items()}, **own})  # type: ignore[no-any-return]


def known_hosts_of(hosts: Sequence[Host]) -> str:
    """One line a machine, by address and port, as `ssh` looks it up (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT)."""
    lines = [f"{_place(host)} {' '.join(host.known_host.split()[:2])}" for host in hosts]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def _place(host: Host) -> str:
    return host.address if host.port == 22 else f"[{host.address}]:{host.port}"
