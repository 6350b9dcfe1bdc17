"""Whom to ask over SSH, what came of it, and the keys of both sides. `drivers.ssh` does the asking."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from enum import StrEnum

import asyncssh

from drivers.gate import Gate

HOST_KEY_ALGORITHMS = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "rsa-sha2-512",
    "rsa-sha2-256",
)


class SshFailureKind(StrEnum):
    """Why a machine gave no usable answer."""

    REFUSED = "refused"
    TIMEOUT = "timeout"
    NO_BANNER = "no_banner"
    PROTOCOL = "protocol"
    AUTH_DENIED = "auth_denied"
    HOST_KEY_CHANGED = "host_key_changed"
    COMMAND_TIMEOUT = "command_timeout"
    OUTPUT_TOO_LARGE = "output_too_large"
    OTHER = "other"


class Phase(StrEnum):
    """How far a session had come when its time was over."""

    CONNECT = "connecting"
    BANNER = "waiting for the SSH banner"
    KEY_EXCHANGE = "exchanging keys"
    LOGIN = "logging in"
    FIRST_OUTPUT = "waiting for the first output"
    OUTPUT = "reading the output"


@dataclass(frozen=True, slots=True)
class SshFailure:
    """Why there is no usable answer. `timed_out` is set exactly when the machine kept us waiting, and says where."""

    kind: SshFailureKind
    message: str
    timed_out: Phase | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class SshTarget:
    """Where and as whom to log in. `private_key` is an OpenSSH or PEM private key; `known_host` one public key line."""

    address: str
    port: int
    username: str
    private_key: str = field(repr=False)
    known_host: str | None = None
    name: str = ""
    machine_id: int | None = None
    gate: Gate | None = None
    """Decides about the address of every connection."""


@dataclass(frozen=True, slots=True)
class SshResult:
    """What one machine answered. `failure` is None exactly when the script ran to its end."""

    target: SshTarget
    failure: SshFailure | None
    exit_status: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    presented_key: str | None = None
    """The public key line the machine presented, whenever the key exchange got that far."""
    elapsed_s: float = 0.0
    asked_at: float | None = None
    """Our clock (epoch seconds) when the command was begun; None when it never was."""
    answered_at: float | None = None
    """Our clock when the last output came: a session may stay open long after it."""

    @property
    def logged_in(self) -> bool:
        """The machine let us in, whatever became of the command."""
        return self.failure is None or self.failure.kind in (
            SshFailureKind.COMMAND_TIMEOUT,
            SshFailureKind.OUTPUT_TOO_LARGE,
        )

    @property
    def first_contact(self) -> bool:
        """No key was known and the machine let us in: its key should be recorded.

        A machine that denied the login is not recorded, because it may be another one at this address.
        """
        return self.target.known_host is None and self.presented_key is not None and self.logged_in


class SshRunError(Exception):
    """Raised inside one run and turned into its result; carries what to report."""

    def __init__(self, kind: SshFailureKind, message: str, timed_out: Phase | None = None) -> None:
        text = f"timed out {timed_out}: {message}" if timed_out else message
        super().__init__(text)
        self.failure = SshFailure(kind, text, timed_out)


@functools.lru_cache(maxsize=256)
def private_key(text: str) -> asyncssh.SSHKey:
    """Parse a private key once: a sweep logs in to every machine with the same few keys."""
    return asyncssh.import_private_key(text)


def public_line(private_key_text: str) -> str:
    """The `ssh-ed25519 AAAA...` line of a private key, without comment. Raises `asyncssh.KeyImportError`."""
    return key_line(private_key(private_key_text))


def key_line(key: asyncssh.SSHKey) -> str:
    """Algorithm and key of a public key line, without the comment."""
    return " ".join(key.export_public_key().decode().split()[:2])


def key_fingerprint(line: str) -> str:
    """`SHA256:...` of a public key line, as `ssh-keygen -l` prints it. Raises `asyncssh.KeyImportError`."""
    return asyncssh.import_public_key(line).get_fingerprint("sha256")


def host_key_algorithms(known_host: str | None) -> list[str]:
    """Ask for the kind of key we know first, so that a machine with several kinds presents the one on record."""
    if known_host is None:
        return list(HOST_KEY_ALGORITHMS)
    kind = known_host.split(maxsplit=1)[0]
    known = [name for name in HOST_KEY_ALGORITHMS if name == kind or (kind == "ssh-rsa" and name.startswith("rsa-"))]
    return known + [name for name in HOST_KEY_ALGORITHMS if name not in known]
