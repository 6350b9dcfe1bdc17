"""The programs of a full stack, in the order in which they start (they stop in reverse)."""

from __future__ import annotations

import contextlib
import errno
import json
import socket
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from config import processes
from config.embedded.instance import ROOT, Instance
from config.embedded.programs.supervisor import Program
from config.embedded.progress import LaunchError

FIRST_SLICE, LAST_SLICE = 10, 250
WORKERS = ("default", "checks", "slow", "provision", "ingest,fabric", "webhooks")
"""The queues of each worker. Imports and looks at a fabric are rare, and one process does both most of the time."""
CHECK_PROCESSES = 2
ONLY_LOOK = ("checks", "slow")
"""The queues whose tasks change nothing outside: a stop ends them in the middle, and they are run again."""
LOOKS_PATIENCE_S = 1.0
DEMO_SITE = "north"
"""The site that the reference fleet describes."""


def pulsing(instance: Instance, name: str, command: Sequence[str]) -> Program:
    """A program that is ready with its first touch of its pulse file."""
    pulse: Path = instance.folder.path / "pulse" / name
    pulse.unlink(missing_ok=True)
    environment = instance.environment({"RACKSIDE_PULSE_FILE": str(pulse)})
    # Started again it must not inherit a sign of life.
    return Program(
        name,
        command,
        environment,
        ready=pulse.exists,
        directory=ROOT,
        forked=True,
        prepare=lambda: pulse.unlink(missing_ok=True),
    )


def web(instance: Instance) -> Program:
    return Program(
        "web",
        processes.web(instance.host, str(instance.port)),
        instance.environment({"RACKSIDE_DATABASE_POOL": "1"}),
        ready=instance.web_answers,
        directory=ROOT,
        forked=True,
    )


def workers(instance: Instance) -> list[Program]:
    """All workers; checks may use both cores."""

    def worker(queues: str) -> Program:
        command = processes.worker(queues, str(CHECK_PROCESSES if queues == "checks" else 1))
        program = pulsing(instance, f"worker-{queues.replace(',', '+')}", command)
        return replace(program, patience_s=LOOKS_PATIENCE_S) if queues in ONLY_LOOK else program

    return [worker(queues) for queues in WORKERS]


def beat(instance: Instance) -> Program:
    return pulsing(instance, "beat", processes.beat())


def start_programs(instance: Instance) -> None:
    """Web and relay, then the workers. They wait for nothing but what is in their queues."""
    instance.supervisor.start(web(instance), pulsing(instance, "relay", processes.relay()))
    instance.supervisor.start(*workers(instance))


def start_hall(instance: Instance, slice_number: int, faults_per_hour: float) -> None:
    """The virtual hall. It stops after the workers, whenever it came: they must not see machines vanish."""
    instance.supervisor.start(hall(instance, slice_number, faults_per_hour), stops_after="web")


def start_clock(instance: Instance) -> None:
    """Beat, from which all work comes, once everything else is up."""
    with instance.progress.step("Web server, relay, workers, beat"):
        instance.supervisor.wait_ready()
        instance.supervisor.start(beat(instance))
        instance.supervisor.wait_ready()


# ---- the virtual hall ----
def claim_slice(wanted: int | None) -> tuple[int, socket.socket]:
    """A slice of loopback (127.S.0.0/16) that no other instance of this machine uses, with the claim to hold on to.

    The claim is an abstract unix socket: it belongs to the network namespace as loopback does, and it goes with us.
    """
    for number in [*([wanted] if wanted else []), *range(FIRST_SLICE, LAST_SLICE + 1)]:
        claim = socket.socket(socket.AF_UNIX)
        try:
            claim.bind(f"\0rackside-hall-slice-{number}")
            return number, claim
        except OSError as error:
            claim.close()
            if error.errno != errno.EADDRINUSE:
                raise
    raise LaunchError("Every slice of loopback is taken by another virtual hall.", "Stop one of the other demos.")


def hall_control(instance: Instance) -> Path:
    """Where the hall writes the address and token of its control interface."""
    return instance.folder.path / "hall" / "control.json"


def hall(instance: Instance, slice_number: int, faults_per_hour: float) -> Program:
    """The virtual hall; ready when it wrote a new control file and answers there."""
    control = hall_control(instance)
    before = control.stat().st_mtime_ns if control.exists() else 0

    def answers() -> bool:
        if not control.exists() or control.stat().st_mtime_ns == before:
            return False
        with contextlib.suppress(OSError, ValueError):
            address = urlsplit(json.loads(control.read_text())["url"])
            socket.create_connection((address.hostname or "", address.port or 0), timeout=2).close()
            return True
        return False

    place = control.parent  # demo_setup left there whom the machines let in
    options = ["--site", DEMO_SITE, "--data", str(place), "--slice", str(slice_number)]
    options += ["--authorized-keys", str(place / "authorized_keys"), "--bmc-password-file", str(place / "bmc_password")]
    options += ["--fabric", "--ufm-password-file", str(place / "ufm_password")]
    options += ["--heat", "--meter-secret-file", str(place / "meter_secret")]
    if faults_per_hour > 0:
        options += ["--schedule-seed", "1", "--faults-per-hour", str(faults_per_hour), "--wiring-faults", "1"]
    return Program(
        "hall",
        processes.manage("hall", *options),
        instance.environment(),
        ready=answers,
        start_timeout_s=180,
        directory=ROOT,
        forked=True,
    )
