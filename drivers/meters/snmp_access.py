"""What an SNMP agent lets somebody in with. Loads no library of the protocol."""

from __future__ import annotations

from dataclasses import dataclass, field

ALGORITHMS = ("sha", "sha256")


@dataclass(frozen=True)
class Community:
    """Version 2c: a word that goes over the wire in clear."""

    name: str = field(repr=False)


@dataclass(frozen=True)
class SnmpUser:
    """Version 3: signed with `password`, and encrypted by AES-128 where there is a `privacy` password. `context` is of
    agents that speak for several devices."""

    name: str
    password: str = field(default="", repr=False)
    privacy: str = field(default="", repr=False)
    algorithm: str = "sha"
    context: str = ""

    @property
    def level(self) -> str:
        """The security level, as RFC 3411 calls it."""
        return "authPriv" if self.privacy else "authNoPriv" if self.password else "noAuthNoPriv"


def check(access: Community | SnmpUser) -> None:
    """Raises ValueError for what version 3 cannot be."""
    if isinstance(access, Community):
        return
    if access.algorithm not in ALGORITHMS:
        raise ValueError(f"the algorithm is one of {', '.join(ALGORITHMS)}")
    if access.privacy and not access.password:
        raise ValueError("what is encrypted is signed, too: a password is missing")
