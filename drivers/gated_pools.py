"""Connections of urllib3 that ask a gate: a name is resolved once, and the connection goes to what was asked about."""

from __future__ import annotations

import socket
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import LocationValueError, NameResolutionError

from drivers.gate import Gate


def gated_pools(gate: Gate) -> dict[str, type[HTTPConnectionPool]]:
    """Scheme to pool, for a pool manager's `pool_classes_by_scheme`."""

    def connected(connection: HTTPConnection, connect: Any) -> socket.socket:
        """`connect` with the checked address in place of the name, which stays for the certificate and `Host`."""
        name = connection._dns_host
        try:
            connection._dns_host = checked(name, connection.port or 0, gate)
            return connect()
        except socket.gaierror as error:
            raise NameResolutionError(name, connection, error) from error
        finally:
            connection._dns_host = name

    class Plain(HTTPConnection):
        def _new_conn(self) -> socket.socket:
            return connected(self, super()._new_conn)

    class Secure(HTTPSConnection):
        def _new_conn(self) -> socket.socket:
            return connected(self, super()._new_conn)

    class PlainPool(HTTPConnectionPool):
        ConnectionCls = Plain

    class SecurePool(HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


def checked(host: str, port: int, gate: Gate) -> str:
    """The first address of the host that the gate lets through. Raises LocationValueError, which is not retried."""
    refusal: OSError | None = None
    for _, _, _, _, where in socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM):
        try:
            gate.check(str(where[0]), port)
        except OSError as error:
            refusal = error
        else:
            return str(where[0])
    raise LocationValueError(str(refusal) if refusal else f"{host} has no address")
