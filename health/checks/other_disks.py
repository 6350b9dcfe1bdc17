"""What `disk.nvme` says of a disk that is no NVMe drive: those of the system, on SATA or SAS."""

from __future__ import annotations

from collections.abc import Iterator

from health.checks.model import Outcome, fail, info, ok, unknown, warn
from health.checks.parsers.disk_health import DiskHealth


def other_disk(disk: DiskHealth) -> Iterator[Outcome]:
    """By the disk's own verdict, its attributes that fail now, and sectors that cannot be read."""
    if disk.passed is None:
        yield unknown("the disk's own verdict is not reported")
    elif not disk.passed:
        yield fail(f"the disk says that it fails: {disk.said}", "nvme.failing")
    for name in disk.failing:
        yield fail(f"{name} is under its threshold now", "nvme.failing")
    for count, what in disk.unreadable:
        yield warn(f"{count} {what}", "nvme.failing", value=count)
    if disk.grown_defects:
        yield info(f"{disk.grown_defects} grown defects")
    yield ok(f"the disk says that it is well ({disk.said})")
