"""Machines, findings and observations for the tests of this room and of those above."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any
from unittest.mock import patch

from core.models import Site
from health.models import MachineHealth, Pool, SiteAutomation
from health.monitoring.services.sweeps.stored import Observation
from health.services import sync_machines
from inventory.models import Device, DeviceModel, Machine, Placement, Rack, Room
from inventory.specs.device_model import DeviceModelSpec

START = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
NO_SCHEDULER = {"no_scheduler": True, "no_scheduler_by": "ada", "no_scheduler_at": START}
"""What a pool says of itself when somebody declared that no scheduler runs it."""


@contextmanager
def trusted_checks() -> Iterator[None]:
    """Machines may fail alike in any number at once, so that only the cap decides."""
    with patch("health.remediation.causes.mass_failure", return_value=False):
        yield


@contextmanager
def clock_at(moment: datetime) -> Iterator[None]:
    """Both clocks, ours and the database's, stand at this moment for whoever compares them."""
    with (
        patch("django.utils.timezone.now", return_value=moment),
        patch("health.remediation.services.views.clock_step_s", return_value=0.0),
    ):
        yield


@dataclass(frozen=True)
class Finding:
    """The shape of a finding, so that the machinery is tested apart from the checks."""

    check: str
    part: str
    verdict: str = "ok"
    message: str = ""
    action: str = ""
    fault_class: str = ""
    precedence: int = 3
    kind: str = "level"
    event_key: str | None = None
    event_at_us: int | None = None
    value: float | None = None
    command: str = "nvidia-smi -q -x"
    exit_status: int | None = 0
    excerpt: str = ""
    observed: dict[str, Any] = field(default_factory=dict)
    start_rung: int = 0


@cache
def spec() -> DeviceModelSpec:
    return DeviceModelSpec.load("dell-xe9680-h100")


SLOTS = frozenset(slot.name for slot in spec().slots)
CHECKS = ("gpu.present", "gpu.ecc", "nvlink.links")
LAYOUT = (
    ("machine.reachable", "machine"),
    *((check, f"GPU {n}") for n in range(8) for check in CHECKS),
    *(("gpu.xid", f"GPU {n}") for n in range(8)),
    ("docker", "docker"),
)


def gone(gpu: int = 5) -> Finding:
    return Finding("gpu.present", f"GPU {gpu}", "fail", f"GPU {gpu} is missing", "reseat", "gpu.gone", 0)


def nvlink(gpu: int = 5) -> Finding:
    return Finding("nvlink.links", f"GPU {gpu}", "fail", f"18 links of GPU {gpu} are down", "", "nvlink.down", 2)


def xid(gpu: int = 5, at_us: int = 1000, code: int = 79) -> Finding:
    return Finding(
        "gpu.xid",
        f"GPU {gpu}",
        "fail",
        f"Xid {code} on GPU {gpu}",
        "",
        "gpu.bus",
        1,
        kind="event",
        event_key=f"boot-a:{at_us}:{code}",
        event_at_us=at_us,
        command="dmesg",
    )


def docker_down() -> Finding:
    return Finding("docker", "docker", "fail", "docker does not answer", "", "docker.down", 3)


def drive_failing() -> Finding:
    return Finding("disk.nvme", "NVMe 1", "fail", "critical warning 0x05", "", "nvme.failing", 3)


def report(*findings: Finding, unknown: tuple[tuple[str, str], ...] = ()) -> tuple[Finding, ...]:
    """A whole report: ok for every place of the layout that no finding is about."""
    said = {(f.check, f.part) for f in findings}
    quiet = [
        Finding(
            check, part, "unknown" if (check, part) in unknown else "ok", kind="event" if "xid" in check else "level"
        )
        for check, part in LAYOUT
        if (check, part) not in said
    ]
    return (*findings, *quiet)


def silent_report(reason: str = "port 22 refuses connections") -> tuple[Finding, ...]:
    """What the checks say of a machine that was not heard."""
    unreachable = Finding(
        "machine.reachable", "machine", "fail", f"not reached: {reason}", "", "machine.unreachable", 0
    )
    rest = [Finding(check, part, "unknown", "unreachable") for check, part in LAYOUT if check != "machine.reachable"]
    return (unreachable, *rest)


def look(
    machine: Machine | int,
    *findings: Finding,
    at: datetime | float = 0,
    heard: bool = True,
    boot_id: str = "boot-a",
    whole: bool = False,
    unknown: tuple[tuple[str, str], ...] = (),
) -> Observation:
    """One observation; `at` may be seconds after START, `whole` takes the findings as the whole report."""
    when = START + timedelta(seconds=at) if isinstance(at, int | float) else at
    if not heard:
        found, boot_id = (findings or silent_report()), ""
    else:
        found = findings if whole else report(*findings, unknown=unknown)
    return Observation(
        machine_id=machine if isinstance(machine, int) else machine.pk,
        at=when,
        heard=heard,
        boot_id=boot_id,
        findings=found,
        layout=LAYOUT,
        model="dell-xe9680-h100",
        checks_version="test",
        slots=SLOTS,
    )


def device_model() -> DeviceModel:
    model, _ = DeviceModel.objects.get_or_create(
        slug="dell-xe9680-h100",
        defaults={
            "vendor": "Dell",
            "name": "PowerEdge XE9680",
            "kind": "machine",
            "half_u_height": 12,
            "gpu_count": 8,
            "spec": spec().model_dump(mode="json"),
        },
    )
    return model


def make_machines(count: int = 1, *, site: str = "ams1", share: float = 1.0, automation: str = "on") -> list[Machine]:
    """Active machines in racks of four, taken into service; their pool drains by itself with room for all."""
    place, _ = Site.objects.get_or_create(slug=site, defaults={"name": site.upper()})
    room, _ = Room.objects.get_or_create(site=place, name="Hall 1", defaults={"width_mm": 20_000, "depth_mm": 20_000})
    model = device_model()
    first = Device.objects.filter(site=place).count()
    numbers = range(first, first + count)
    racks = {
        at: Rack.objects.get_or_create(room=room, name=f"R{at:02}", defaults={"x_mm": 600 * at, "y_mm": 0})[0]
        for at in sorted({number // 4 for number in numbers})
    }
    devices = Device.objects.bulk_create(
        Device(site=place, model=model, kind="machine", name=f"gpu-{site}-{number:04}", status="active")
        for number in numbers
    )
    Placement.objects.bulk_create(
        Placement(
            device=device,
            rack=racks[number // 4],
            rack_height_u=racks[number // 4].height_u,
            half_units=(low := 1 + 12 * (number % 4), low + 12),
            faces=(0, 2),
            columns=(0, 2),
        )
        for number, device in zip(numbers, devices, strict=True)
    )
    machines = Machine.objects.bulk_create(Machine(device=device) for device in devices)
    sync_machines()
    # What limits automation beside the cap is for the tests of remediation to turn down.
    SiteAutomation.objects.get_or_create(
        site=place,
        defaults={"cause_machines": 1000, "breaker_drained_share": 1.0, "drains_10min": 1000, "drains_1h": 10_000},
    )
    # No scheduler runs them, and somebody said so: where a test has one, that one's word goes before this.
    Pool.objects.filter(site=place).update(max_unavailable_share=share, automation=automation, **NO_SCHEDULER)
    return machines


def health(machine: Machine | int) -> MachineHealth:
    return MachineHealth.objects.get(pk=machine if isinstance(machine, int) else machine.pk)
