"""Checks of the operating system and its drives, and whether the machine answered at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.counts import counted
from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, check, fail, info, ok, unknown, warn
from health.checks.other_disks import other_disk
from health.checks.parsers.disk_health import DiskHealth
from health.checks.parsers.disks import Mount, NvmeHealth
from health.checks.parsers.file_systems import MountedAt
from health.checks.parsers.nvme_list import NvmeDrive
from health.checks.parsers.services import Clock, DockerInfo
from health.checks.probes.script import needs_fabric_manager

# Always full by nature, or not the machine's own to fill.
_SKIPPED_SOURCES = ("squashfs", "efivarfs", "overlay", "devtmpfs", "udev")
_SKIPPED_PATHS = ("/snap/", "/sys/", "/proc/", "/var/lib/docker/overlay", "/var/lib/docker/zfs")
_DISCS = ("/dev/sr", "/dev/cdrom", "/dev/dvd")
_IMAGES = ("/dev/loop", *_DISCS)
_READ_ONLY_KINDS = frozenset({"iso9660", "udf", "squashfs", "cramfs", "erofs", "romfs"})
# What errno says of a mount whose far end is gone, of a drive that does not answer, of one that is others' own.
_MOUNT_GONE = ("stale file handle", "transport endpoint", "host is down", "no such device", "connection timed out")
_MOUNT_AGAIN = "Check that the server of this mount answers; unmount it (umount -l) and mount it again."
_DRIVE_ERRORS = ("input/output error", "structure needs cleaning", "corrupted")
_OTHERS_OWN = ("permission denied", "operation not permitted")


@check(
    "machine.reachable",
    family="machine",
    title="The machine answers",
    needs="reach",
    classes=("machine.unreachable",),
    source="SSH session of the sweep",
)
def reachable(reason: str | None, x: Context, me: CheckDeclaration) -> Outcome:
    """Fails when no probe could be run, with the reason the session gave."""
    if reason:
        return fail(reason, "machine.unreachable")
    return ok("answered the probe")


@check(
    "disk.space",
    family="disk space",
    title="File systems have room",
    part="mount",
    needs="mounts",
    each=False,
    classes=("disk.full", "disk.mount", "disk.error"),
    source="practice: 80 % is worth a look, at 95 % writes begin to fail",
    limits={"disk_warn_percent": 80, "disk_fail_percent": 95},
)
def space(mounts: Sequence[Mount], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Each mounted file system by how full it is; those without a percentage are left out, as are images, which are
    full by nature (ISO, squashfs, a loop device mounted read-only). One that df itself cannot ask fails by what it
    says."""
    yield from _filled(mounts, x, me, "full")


@check(
    "disk.inodes",
    family="disk space",
    title="File systems have inodes",
    part="mount",
    needs="inodes",
    each=False,
    classes=("disk.full", "disk.mount", "disk.error"),
    source="as disk.space",
    limits={"disk_warn_percent": 80, "disk_fail_percent": 95},
)
def inodes(mounts: Sequence[Mount], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """Many small files fill a file system that has room."""
    yield from _filled(mounts, x, me, "of the inodes used")


def _filled(mounts: Sequence[Mount], x: Context, me: CheckDeclaration, what: str) -> Iterator[tuple[str, Outcome]]:
    images = x.once("images", lambda: _images(x))
    for mount in mounts:
        if mount.error:
            yield mount.path, _refused(mount)
            continue
        if mount.percent is None or mount.source.startswith(_SKIPPED_SOURCES) or mount.path.startswith(_SKIPPED_PATHS):
            continue
        if mount.path in images or mount.source.startswith(_DISCS if images is not NOTHING_HELD else _IMAGES):
            continue
        said, used = f"{mount.path} ({mount.source}) is {mount.percent} % {what}", float(mount.percent)
        if mount.percent >= x.limit(me, "disk_fail_percent"):
            yield mount.path, fail(said, "disk.full", excerpt=said, value=used)
        elif mount.percent >= x.limit(me, "disk_warn_percent"):
            yield mount.path, warn(said, "disk.full", value=used)
        else:
            yield mount.path, ok(said, value=used)


NOTHING_HELD: frozenset[str] = frozenset({""})


def _images(x: Context) -> frozenset[str]:
    """Paths of what is mounted from an image, by the table of mounts; NOTHING_HELD where that was not read."""
    reading = x.readings.get("mount_table")
    if reading is None or not reading.data:
        return NOTHING_HELD
    return frozenset(mount.path for mount in reading.data if _is_image(mount))


def _is_image(mount: MountedAt) -> bool:
    read_only_loop = mount.source.startswith(_IMAGES) and "ro" in mount.options
    return mount.kind in _READ_ONLY_KINDS or read_only_loop


def _refused(mount: Mount) -> Outcome:
    said, lowered = f"{mount.path}: {mount.error}", mount.error.lower()
    if any(words in lowered for words in _MOUNT_GONE):
        return fail(said, "disk.mount", excerpt=said, action=_MOUNT_AGAIN)
    if any(words in lowered for words in _DRIVE_ERRORS):
        return fail(said, "disk.error", excerpt=said)
    return info(f"{said}: not the machine's own") if any(w in lowered for w in _OTHERS_OWN) else unknown(said)


_CRITICAL_BITS = {
    0x01: "the spare is used up",
    0x02: "over or under its temperature limits",
    0x04: "not reliable any more",
    0x08: "read-only",
    0x10: "its backup of volatile memory failed",
    0x20: "its persistent memory is read-only",
}
_HOT = 0x02


@check(
    "disk.nvme",
    family="disk",
    title="NVMe drives are well",
    part="nvme",
    needs="drive",
    classes=("nvme.failing", "nvme.hot"),
    source="NVM Express base specification, SMART / health log; smartctl(8) for its exit status",
    limits={"nvme_wear_warn_percent": 80, "nvme_wear_fail_percent": 100, "nvme_temperature_warn_c": 70},
)
def nvme(drive: NvmeHealth | DiskHealth, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """Read from the attributes, not from the drive's own verdict: a failing drive can say that it passed."""
    if isinstance(drive, DiskHealth):
        yield from other_disk(drive)
        return
    if drive.critical_warning is None or drive.spare_percent is None or drive.spare_threshold_percent is None:
        yield unknown("the critical warning or the spare is not reported")
    warned = drive.critical_warning or 0
    if warned & ~_HOT:
        why = ", ".join(words for bit, words in _CRITICAL_BITS.items() if warned & bit)
        yield fail(f"critical warning 0x{warned:02x}: {why or 'of no known meaning'}", "nvme.failing")
    if warned & _HOT:
        yield fail(f"critical warning 0x{warned:02x}: {_CRITICAL_BITS[_HOT]}", "nvme.hot", value=drive.temperature_c)
    if drive.spare_percent is not None and drive.spare_percent < (drive.spare_threshold_percent or 0):
        yield fail(
            f"spare {drive.spare_percent} % is under its threshold {drive.spare_threshold_percent} %", "nvme.failing"
        )
    if (drive.passed is False or drive.gone_bad) and not warned & _HOT:
        yield fail("the drive says that it fails", "nvme.failing")
    if drive.used_percent is None:
        yield unknown("the wear is not reported")
    elif drive.used_percent >= x.limit(me, "nvme_wear_fail_percent"):
        yield fail(f"{drive.used_percent} % of its life is used", "nvme.failing", value=drive.used_percent)
    elif drive.used_percent >= x.limit(me, "nvme_wear_warn_percent"):
        yield warn(f"{drive.used_percent} % of its life is used", "nvme.failing", value=drive.used_percent)
    if drive.media_errors is None:
        yield unknown("the media errors are not reported")
    elif drive.media_errors:
        yield warn(f"{drive.media_errors} media errors", "nvme.failing", value=drive.media_errors)
    if drive.data_units_written == 0 and (drive.host_writes or 0) > 100:
        yield fail(f"its counters are dead: nothing written in {drive.host_writes} writes", "nvme.failing")
    if drive.temperature_c is not None and drive.temperature_c >= x.limit(me, "nvme_temperature_warn_c"):
        yield warn(f"{drive.temperature_c} C", "nvme.hot", value=drive.temperature_c)
    yield ok(f"spare {drive.spare_percent} %, {drive.used_percent} % worn", value=drive.used_percent)


@check(
    "nvme.count",
    family="disk",
    title="Every NVMe drive of the model is there and is the one installed",
    part="nvme",
    needs="drives",
    each=False,
    classes=("nvme.gone",),
    source="device model; nvme list",
)
def drives(listed: Sequence[NvmeDrive], x: Context, me: CheckDeclaration) -> Iterator[tuple[str, Outcome]]:
    """A drive that is not listed is gone; another serial is to be accepted as a swap."""
    shown = "\n".join(["Listed:", *(f"{drive.device} {drive.serial or ''}".rstrip() for drive in listed)])
    by_number = {drive.number: drive for drive in listed}
    for slot in x.spec.slots_of("nvme"):
        number = slot.name.split()[-1]
        drive = by_number.get(int(number)) if number.isdecimal() else None
        wanted = x.component(slot.name).serial
        if drive is None:
            said = f"/dev/nvme{number} is not listed: {counted(len(listed), 'drive is', 'drives are')}"
            yield slot.name, fail(said, "nvme.gone", excerpt=shown)
        elif wanted and drive.serial and drive.serial != wanted:
            said = f"{drive.device}: serial {drive.serial}, installed is {wanted}"
            yield slot.name, warn(said, "nvme.identity", observed={"serial": drive.serial})
        elif wanted and not drive.serial:
            yield slot.name, unknown(f"{drive.device}: its serial is not reported")
        else:
            yield slot.name, ok(f"{drive.device}: {drive.model or 'drive'}, serial {drive.serial or 'not reported'}")


def _no_time_service(trouble: str, x: Context) -> Outcome | None:
    if any(sign in trouble for sign in _NO_TIME_SERVICE):
        return warn(f"nobody keeps the clock: {trouble}", "clock.skew", action=_START_TIME_SERVICE)
    return None


_NO_TIME_SERVICE = ("506 Cannot talk to daemon", "Connection refused")
_START_TIME_SERVICE = "Start the time service (chrony, ntpd or systemd-timesyncd) and read its log."


def _no_daemon(trouble: str, x: Context) -> Outcome | None:
    signs = ("Cannot connect to the Docker daemon", "error during connect", "docker.sock: connect: connection refused")
    if any(sign in trouble for sign in signs):
        return fail(f"docker does not answer: {trouble}", "docker.down")
    return None


@check(
    "docker.engine",
    family="Docker",
    title="Docker runs and can use GPUs",
    needs="docker",
    classes=("docker.down", "docker.runtime"),
    source="docker info",
    on_trouble=_no_daemon,
)
def docker(found: DockerInfo, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The daemon answers without errors and knows the NVIDIA runtime where the model has it."""
    refused = [error for error in found.errors if "permission denied" in error.lower()]
    if refused:
        yield unknown(f"the probe may not ask docker: {refused[0]}")
    elif found.errors:
        yield fail(f"docker: {found.errors[0]}", "docker.down", excerpt="\n".join(found.errors))
    if found.server_version is None and not found.errors:
        yield unknown("the daemon's version is not reported")
    if (x.spec.expected.get("docker") or {}).get("nvidia_runtime") and not found.errors:
        if found.runtimes is None:
            yield unknown("the runtimes are not reported")
        elif "nvidia" not in found.runtimes:
            yield fail(f"docker has no nvidia runtime, only {', '.join(sorted(found.runtimes))}", "docker.runtime")
    yield ok(f"docker {found.server_version}")


@check(
    "fabricmanager",
    family="NVLink",
    title="The fabric manager runs",
    needs="fabric_manager",
    classes=("fabricmanager.down",),
    source="NVIDIA fabric manager user guide",
)
def fabric_manager(state: str, x: Context, me: CheckDeclaration) -> Outcome:
    """GPUs behind NVSwitches start no work without it."""
    said = f"nvidia-fabricmanager is {state}"
    if state == "active":
        return ok(said)
    if not needs_fabric_manager(x.spec):
        return info(f"{said}; this model does without")
    if state in ("activating", "reloading"):
        return warn(said, "fabricmanager.down")
    return unknown(said) if state == "unknown" else fail(said, "fabricmanager.down")


@check(
    "clock.offset",
    family="clock",
    title="The clock is right",
    needs="clock",
    classes=("clock.skew",),
    source="logs and tickets of different machines must line up",
    limits={"clock_warn_s": 0.05, "clock_fail_s": 0.5, "clock_against_collector_fail_s": 10},
    on_trouble=_no_time_service,
)
def clock(found: Clock, x: Context, me: CheckDeclaration) -> Iterator[Outcome]:
    """The offset that chrony, ntpd or timesyncd tells, and the machine's time against the collector's, which sees what
    they cannot. `expected.time_service` says which of them the probe asks."""
    offset = found.offset_s
    if offset is None:
        if found.synchronised:
            yield info("kept in step; by how much it is off is not reported")
    elif abs(offset) >= x.limit(me, "clock_fail_s"):
        yield fail(f"the clock is {offset:+.3f} s off NTP time", "clock.skew", value=offset)
    elif abs(offset) >= x.limit(me, "clock_warn_s"):
        yield warn(f"the clock is {offset:+.3f} s off NTP time", "clock.skew", value=offset)
    if not found.synchronised:
        yield warn("the clock is not kept in step by any source", "clock.skew", value=offset)
    apart = x.clock_ahead_s
    if apart is not None and abs(apart) >= x.limit(me, "clock_against_collector_fail_s"):
        yield fail(f"the clock is {apart:+.0f} s off the collector's", "clock.skew", value=apart)
    yield ok(f"{offset or 0:+.6f} s off NTP time", value=offset)
