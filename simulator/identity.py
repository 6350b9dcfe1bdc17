"""Host keys and BMC certificates, made from the hall's seed when first needed: the same again after every restart."""

from __future__ import annotations

import hashlib
import os
import ssl
from datetime import UTC, datetime
from ipaddress import ip_address
from pathlib import Path

import asyncssh
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID

from simulator.plan import MachinePlan
from simulator.redfish.styles import style_of

_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def _derive(seed: str, what: str, name: str) -> bytes:
    return hashlib.sha256(f"{seed}/{what}/{name}".encode()).digest()


def host_key(seed: str, name: str) -> asyncssh.SSHKey:
    """The ed25519 host key of a machine, about 0.1 ms."""
    key = ed25519.Ed25519PrivateKey.from_private_bytes(_derive(seed, "ssh", name))
    return asyncssh.import_private_key(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.OpenSSH, serialization.NoEncryption())
    )


def certificate(seed: str, plan: MachinePlan) -> tuple[bytes, bytes]:
    """A BMC's self-signed P-256 certificate and key in PEM: the same bytes for the same seed."""
    secret = _derive(seed, "tls", plan.name), _derive(seed, "serial", plan.name)
    own = style_of(plan.facts.vendor)
    unit, host = ("Remote Access Group", "idrac") if own.root["Vendor"] == "Dell" else ("BMC", "bmc")
    names = (own.manufacturer, unit, f"{host}-{plan.serial}")
    return _self_signed(*secret, names, f"{host}-{plan.serial.lower()}", plan.address)


def _self_signed(
    secret: bytes, serial: bytes, names: tuple[str, str, str], host: str, address: str
) -> tuple[bytes, bytes]:
    number = int.from_bytes(secret, "big") % (_P256_ORDER - 1) + 1
    key = ec.derive_private_key(number, ec.SECP256R1())
    organisation, unit, common = names
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, organisation),
            x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, unit),
            x509.NameAttribute(NameOID.COMMON_NAME, common),
        ]
    )
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(int.from_bytes(serial[:8], "big") | 1)
        .not_valid_before(datetime(2024, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(2044, 1, 1, tzinfo=UTC))
        .add_extension(
            x509.SubjectAlternativeName([x509.DNSName(host), x509.IPAddress(ip_address(address))]),
            critical=False,
        )
        .sign(key, hashes.SHA256(), ecdsa_deterministic=True)
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return signed.public_bytes(serialization.Encoding.PEM), private


def appliance_context(seed: str, name: str, address: str, folder: Path) -> ssl.SSLContext:
    """TLS of UFM or a switch, with a self-signed certificate of its own."""
    secret = _derive(seed, "tls-appliance", name), _derive(seed, "serial-appliance", name)
    pair = _self_signed(*secret, ("NVIDIA", "Networking", name), name.lower(), address)
    return _context(folder / f".{name}.pem", *pair)


def _context(path: Path, public: bytes, private: bytes) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # OpenSSL loads keys from files only; this one lives for the length of the call.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(public + private)
    try:
        context.load_cert_chain(path)
    finally:
        path.unlink()
    return context


class Certificates:
    """TLS contexts by machine, made at the first connection and kept (about 1 ms and 4 kB each)."""

    def __init__(self, seed: str, folder: Path) -> None:
        self._seed = seed
        self._folder = folder
        self._contexts: dict[str, ssl.SSLContext] = {}

    def context(self, plan: MachinePlan) -> ssl.SSLContext:
        if plan.name not in self._contexts:
            self._contexts[plan.name] = _context(self._folder / f".{plan.name}.pem", *certificate(self._seed, plan))
        return self._contexts[plan.name]
