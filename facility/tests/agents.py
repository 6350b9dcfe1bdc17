"""Walks of PDUs in the form that snmpsim serves, made here or recorded; and snmpsim itself, which is a real agent."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from drivers.meters.oids import Oid, Value, oid_of

USER, PASSWORD, PRIVACY = "rackside", "authpass-1", "privpass-1"
DESCR, OBJECT_ID, UPTIME = "1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.1.2.0", "1.3.6.1.2.1.1.3.0"
APC, RARITAN, SENTRY = "1.3.6.1.4.1.318.1.1.26", "1.3.6.1.4.1.13742.6", "1.3.6.1.4.1.1718.4.1"
EATON, VERTIV = "1.3.6.1.4.1.534.6.6.7", "1.3.6.1.4.1.21239.5.2"
Rows = dict[str, Value]


def table(entry: str, rows: Mapping[str, Mapping[int, Value]]) -> Rows:
    """Index to columns, as an agent has them: `ENTRY.COLUMN.INDEX`."""
    return {f"{entry}.{column}.{index}": value for index, row in rows.items() for column, value in row.items()}


def apc() -> Rows:
    """An AP8886: three phases, six banks, outlets; a temperature probe, and no humidity in it."""
    phases = {str(n): {2: 1, 3: n, 4: 2, 5: 83 + n, 6: 231, 7: 190 + n} for n in (1, 2, 3)}
    banks = {str(n): {2: 1, 3: n, 4: 2, 5: 40 + n} for n in range(1, 7)}
    outlets: dict[str, dict[int, Value]]
    outlets = {str(n): {2: 1, 3: f"Outlet {n}", 4: n, 5: 2, 6: 21, 7: 480 + n, 11: 70_000 + n} for n in range(1, 43)}
    return {
        DESCR: "APC Web/SNMP Management Card (MB:v4.1.0 PF:v6.5.6 PN:apc_hw05_aos_656.bin AF1:v6.5.6 MN:AP8886)",
        OBJECT_ID: "1.3.6.1.4.1.318.1.3.4.6",
        UPTIME: 123_456,
        **table(f"{APC}.4.3.1", {"1": {1: 1, 2: 1, 3: "pdu-d14-a", 5: 579, 9: 2_345_678}}),
        **table(f"{APC}.6.3.1", phases),
        **table(f"{APC}.8.3.1", banks),
        **table(f"{APC}.9.4.3.1", outlets),
        **table(f"{APC}.10.2.2.1", {"1": {2: 1, 3: "Top of D14", 7: 770, 8: 251, 10: -1}}),
    }


def apc_chain() -> Rows:
    """With a second one behind it, of one outlet, and a probe that is called as the first one's."""
    return {
        **apc(),
        **table(f"{APC}.4.3.1", {"2": {1: 2, 2: 2, 3: "pdu-d14-a2", 5: 100, 9: 1}}),
        **table(f"{APC}.9.4.3.1", {"43": {2: 2, 3: "Outlet 1", 4: 1, 5: 2, 6: 3, 7: 60, 11: 9}}),
        **table(f"{APC}.10.2.2.1", {"2": {2: 2, 3: "Top of D14", 7: 770, 8: 262, 10: -1}}),
    }


def raritan() -> Rows:
    """A PX3 with one inlet of three poles; currents in mA, a pole that tells nothing, an outlet whose sensor failed."""
    return {
        DESCR: "PX3 030600",
        OBJECT_ID: "1.3.6.1.4.1.13742.6",
        UPTIME: 99,
        **table(f"{RARITAN}.3.3.3.1", {"1.1": {2: "I1"}}),
        **table(f"{RARITAN}.3.3.4.1", {"1.1.1": {7: 3}, "1.1.4": {7: 0}, "1.1.5": {7: 0}, "1.1.8": {7: 0}}),
        **table(f"{RARITAN}.5.2.3.1", {
            "1.1.1": {2: 1, 3: 4, 4: 24_870}, "1.1.4": {2: 1, 3: 4, 4: 399}, "1.1.5": {2: 1, 3: 4, 4: 17_010},
            "1.1.8": {2: 1, 3: 4, 4: 123_456_789}, "1.1.7": {2: 1, 3: 4, 4: 98},
        }),
        **table(f"{RARITAN}.3.3.5.1", {f"1.1.{pole}": {2: pole} for pole in (1, 2, 3)}),
        **table(f"{RARITAN}.3.3.6.1", {f"1.1.{pole}.1": {7: 3} for pole in (1, 2, 3)}),
        **table(f"{RARITAN}.5.2.4.1", {
            "1.1.1.1": {2: 1, 3: 4, 4: 24_100}, "1.1.2.1": {2: 1, 3: 4, 4: 25_900}, "1.1.3.1": {2: 2, 3: -1, 4: 0},
        }),
        **table(f"{RARITAN}.3.4.3.1", {"1.1": {2: "C1"}}),
        **table(f"{RARITAN}.3.4.4.1", {"1.1.1": {7: 3}}),
        **table(f"{RARITAN}.5.3.3.1", {"1.1.1": {2: 1, 3: 4, 4: 8_400}}),
        **table(f"{RARITAN}.3.5.3.1", {f"1.{n}": {2: str(n)} for n in (1, 2, 3)}),
        **table(f"{RARITAN}.3.5.4.1", {f"1.{n}.5": {7: 0} for n in (1, 2)}),
        **table(f"{RARITAN}.5.4.3.1", {
            "1.1.5": {2: 1, 3: 4, 4: 1_150}, "1.2.5": {2: 1, 3: 14, 4: 0}, "1.3.5": {2: 1, 3: 4, 4: 12},
        }),
    }  # fmt: skip


def sentry() -> Rows:
    """A PRO2 with a cord of three lines, two branches, three outlets; one probe in degrees Fahrenheit, one missing."""
    lines = {f"1.1.{n}": {4: f"AA:L{n}"} for n in (1, 2, 3)}
    return {
        DESCR: "Sentry Switched PDU",
        OBJECT_ID: "1.3.6.1.4.1.1718.4",
        UPTIME: 5,
        **table(f"{SENTRY}.3.2.1", {"1.1": {2: "AA", 3: "Master_Cord_A"}}),
        **table(f"{SENTRY}.3.3.1", {"1.1": {1: 1, 2: 0, 3: 16_240, 5: 16_900, 10: 893_700}}),
        **table(f"{SENTRY}.4.2.1", lines),
        **table(f"{SENTRY}.4.3.1", {f"1.1.{n}": {1: 1, 2: 0, 3: 2_300 + n} for n in (1, 2, 3)}),
        **table(f"{SENTRY}.5.2.1", {"1.1.1": {4: "AA:L1-L2"}}),
        **table(f"{SENTRY}.5.3.1", {"1.1.1": {1: 1, 2: 0, 3: 4_079, 6: 1_330, 8: 5_410}}),
        **table(f"{SENTRY}.6.2.1", {"1.1.1": {4: "AA:L1-BR1"}}),
        **table(f"{SENTRY}.6.3.1", {"1.1.1": {1: 0}}),
        **table(f"{SENTRY}.7.2.1", {"1.1.1": {4: "AA:BR1", 6: 20}, "1.1.2": {4: "AA:BR2", 6: 0}}),
        **table(f"{SENTRY}.7.3.1", {"1.1.1": {1: 1, 2: 0, 3: 812}, "1.1.2": {1: 1, 2: 0, 3: -1}}),
        **table(f"{SENTRY}.8.2.1", {f"1.1.{n}": {2: f"AA{n}"} for n in (1, 2, 3)}),
        **table(
            f"{SENTRY}.8.3.1", {f"1.1.{n}": {1: 1, 3: 480 + n, 7: 1_100 + n, 13: 2, 14: 500_000} for n in (1, 2, 3)}
        ),
        f"{SENTRY}.9.1.10.0": 1,
        **table(f"{SENTRY}.9.2.1", {"1.1": {2: "A1"}, "1.2": {2: "A2"}}),
        **table(f"{SENTRY}.9.3.1", {"1.1": {1: 770}, "1.2": {1: -410}}),
        **table(f"{SENTRY}.10.2.1", {"1.1": {2: "A1"}}),
        **table(f"{SENTRY}.10.3.1", {"1.1": {1: 41}}),
    }


def eaton() -> Rows:
    """A G3 with three poles, the whole input beside them, two groups and three outlets, one without a meter."""
    return {
        DESCR: "Eaton ePDU MA 3P IN:309 32A OUT:12xC13 12xC19",
        OBJECT_ID: "1.3.6.1.4.1.534.6.6.7",
        UPTIME: 7,
        **table(f"{EATON}.3.1.1", {"0.1": {10: "Feed A"}}),
        **table(f"{EATON}.3.2.1", {"0.1.1": {2: 2, 3: 231_300}, "0.1.2": {2: 5, 3: 400_100}}),
        **table(f"{EATON}.3.3.1", {"0.1.1": {2: 3, 4: 24_106}, "0.1.2": {2: 4, 4: 23_900}, "0.1.3": {2: 2, 4: 310}}),
        **table(
            f"{EATON}.3.4.1", {"0.1.1": {2: 1, 4: 5_560, 5: 19_891_138}, "0.1.4": {2: 4, 4: 16_480, 5: 59_000_000}}
        ),
        **table(f"{EATON}.5.1.1", {"0.1": {3: "Section A"}}),
        **table(f"{EATON}.5.3.1", {"0.1": {3: 8_200}, "0.2": {3: -1}}),
        **table(f"{EATON}.6.1.1", {"0.1": {6: "A1"}, "0.2": {6: "A2"}}),
        **table(f"{EATON}.6.4.1", {"0.1": {3: 4_950}, "0.2": {3: 0}}),
        **table(f"{EATON}.6.5.1", {"0.1": {3: 1_140, 4: 7_000}, "0.2": {3: 0, 4: 0}, "0.3": {3: 65, 4: 1}}),
    }


def vertiv() -> Rows:
    """A Geist with three phases, breakers, outlets; one of its two probes was taken away."""
    metered: dict[str, dict[int, Value]]
    metered = {str(n): {2: f"Phase {n}", 3: "", 4: 2_301, 8: 2_410 + n, 12: 5_500 + n} for n in (1, 2, 3)}
    return {
        DESCR: "GU2 PDU",
        OBJECT_ID: "1.3.6.1.4.1.21239.42.1.53",
        UPTIME: 8,
        **table(f"{VERTIV}.3.1.1", {"1": {4: "PDU D14", 5: 1, 8: "Total", 9: 16_506}}),
        **table(f"{VERTIV}.3.2.1", metered),
        **table(f"{VERTIV}.3.3.1", {"1": {2: "Circuit 1", 3: "CB1", 4: 812}}),
        **table(f"{VERTIV}.3.6.1", {"1": {2: "Outlet 1", 3: "hgx-d14-01 PSU1", 4: 2_301, 8: 480, 12: 1_104}}),
        **table(f"{VERTIV}.9.1", {
            "1": {3: "Top front", 4: 1, 5: 248, 6: 41}, "2": {3: "Bottom front", 4: 0, 5: 0, 6: 0},
        }),
    }  # fmt: skip


def parsed(rows: Rows) -> list[tuple[Oid, Value]]:
    return [(oid_of(oid), value) for oid, value in rows.items()]


def recorded(rows: Rows) -> str:
    """As snmpsim reads it: object identifier, tag of the type, value; in the order of the identifiers."""
    lines = []
    for oid, value in sorted(parsed(rows)):
        name = ".".join(map(str, oid))
        tag = {DESCR: 4, OBJECT_ID: 6, UPTIME: 67}.get(name, 4 if isinstance(value, str) else 2)
        lines.append(f"{name}|{tag}|{value}")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Engine:
    """What version 3 sees of an agent. `boots`: how often it had started before; only one that is named counts them."""

    password: str = PASSWORD
    privacy: str = PRIVACY
    name: str = ""
    boots: int = 0


@contextmanager
def served(**communities: Rows | Path) -> Iterator[int]:
    """The port of an agent that answers each community (of version 3: each context) with its own rows, or with
    those of a file that was recorded."""
    with agent(communities, Engine()) as port:
        yield port


@contextmanager
def agent(communities: Mapping[str, Rows | Path], engine: Engine, port: int = 0) -> Iterator[int]:
    """The same with an engine of its own, at a port that is known."""
    folder = Path(tempfile.mkdtemp(prefix="snmpsim-"))
    data, cache = folder / "walks", folder / "cache"
    data.mkdir()
    cache.mkdir()
    for name, rows in communities.items():
        told = rows.read_text() if isinstance(rows, Path) else recorded(rows)
        (data / f"{name}.snmprec").write_text(told)
    if not port:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    if engine.name:
        kept = folder / "__pysnmp" / f"0x{engine.name}"
        kept.mkdir(parents=True)
        (kept / "boots").write_text(str(engine.boots))
    # Another user may not read the interpreter.
    other = ["--process-user=root", "--process-group=root"] if os.geteuid() == 0 else []
    log = folder / "log"
    running = subprocess.Popen(
        [
            Path(sys.executable).parent / "snmpsim-command-responder",
            f"--logging-method=file:{log}", "--log-level=info", f"--cache-dir={cache}", *other,
            f"--v3-engine-id={engine.name or 'auto'}", f"--data-dir={data}", f"--agent-udpv4-endpoint=127.0.0.1:{port}",
            f"--v3-user={USER}", f"--v3-auth-key={engine.password}", "--v3-auth-proto=SHA",
            f"--v3-priv-key={engine.privacy}", "--v3-priv-proto=AES",
        ],
        env=os.environ | {"TMPDIR": str(folder)},
    )  # fmt: skip
    try:
        while not (log.exists() and "Listening at" in log.read_text()):
            if running.poll() is not None:
                raise RuntimeError("snmpsim ended before it listened")
            time.sleep(0.02)
        yield port
    finally:
        running.terminate()
        running.wait(10)
        shutil.rmtree(folder)
