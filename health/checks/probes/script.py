"""One script per machine model that runs every command of the checks, and the reading of its one answer.

The script is POSIX sh and is sent as the command of one SSH session. After a prelude of functions it is one line per
command, `run SECONDS 'COMMAND'`, then `finish`; a command that holds a quote or a backslash stands there a second time
as the answer tells it. Whatever a device model says is one word of a command (`drivers.shell`). The script prints one
JSON document: each output gzipped and base64-encoded, its exit status and how long it took. A command over its seconds
gets exit 124 and the script goes on, even when the command cannot be killed (a driver call that never returns); an
output over 4 MB is cut, the kernel log at its front, everything else at its end.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from drivers import shell
from health.checks.per_model import per_model
from health.checks.probes.cards import card_commands, drive_number
from health.checks.probes.host import host_commands
from health.checks.probes.images import image_commands
from health.checks.probes.processes import process_commands
from health.checks.probes.site import amd_commands, site_commands
from health.checks.probes.state import state_commands
from inventory.specs.device_model import DeviceModelSpec

OUTPUT_CAP_BYTES = 4 * 1024 * 1024
ANSWER_CAP_BYTES = 32 * 1024 * 1024
MAX_OUTPUTS = 256
TIMED_OUT = 124
NOT_FOUND = 127

UPTIME = "cat /proc/uptime"
KERNEL_LOG = "dmesg --level=emerg,alert,crit,err,warn,notice"
FILE_SYSTEMS = "df -P -l -x tmpfs -x devtmpfs -x squashfs -x overlay -x efivarfs"
INODES = "df -P -l -i -x tmpfs -x devtmpfs -x squashfs -x overlay -x efivarfs -x vfat"

TIME_SERVICES = {
    "chrony": "chronyc -n tracking",
    "ntpd": "ntpq -pn",
    "timesyncd": "timedatectl timesync-status",
}

_PRELUDE = r"""
PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
LC_ALL=C
export PATH LC_ALL
as=
if [ "$(id -u)" != 0 ] && sudo -n true >/dev/null 2>&1; then as='sudo -n'; fi
# Not on the disk first: that it is full is one of the things to report.
for place in /dev/shm "${XDG_RUNTIME_DIR:-/dev/shm}" "${TMPDIR:-/tmp}" /var/tmp; do
  work=$(mktemp -d "$place/rackside.XXXXXX" 2>/dev/null) && break
done
[ -n "$work" ] || { echo 'rackside probe: no place for temporary files' >&2; exit 1; }
# Only this shell removes it. A child of bash that is signalled as it starts still has our traps, and would take the
# folder away under all commands to come.
trap 'read -r me rest </proc/self/stat; [ "$me" != $$ ] || rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
ticks() { read -r up rest </proc/uptime; echo $(( ${up%.*} * 100 + 1${up#*.} - 100 )); }
hung=' '
# timeout makes a group of processes of its own. It sends no KILL once the shell it started is gone; what that shell
# started may still be there, and would stay for ever.
bounded='timeout -k 1 "$0" sh -c "$1" & wait $! 2>/dev/null; ended=$?; kill -s KILL -- "-$!" 2>/dev/null; exit $ended'
run() {
  seconds=$1; command=$2; told=${3:-$2}; begin=$(ticks)
  rm -f "$work/status" "$work/out"
  case $command in dmesg*) keep='tail -c CAP' ;; *) keep='head -c CAP' ;; esac
  status=124
  case $hung in
    # A tool that hung will hang again, so its other commands are not worth their time.
    *" ${command%% *} "*) echo "not run: ${command%% *} hung before" >"$work/out" ;;
    *) attend ;;
  esac
  [ "$status" = 137 ] && status=124
  [ "$status" = 124 ] && hung="$hung${command%% *} "
  [ -e "$work/out" ] || : >"$work/out"
  took=$(( ($(ticks) - begin) * 10 ))
  printf '%s{"command": "%s", "exit": %s, "ms": %s, "out": "' "$comma" "$told" "$status" "$took"
  gzip -c <"$work/out" | base64 | tr -d '\n'
  printf '"}'
  comma=', '
}
attend() {
  (
    { $as sh -c "$bounded" "$seconds" "$command" </dev/null 2>&1; echo $? >"$work/status"; } | $keep >"$work/out"
  ) >/dev/null 2>&1 &  # a process that cannot be killed must not hold the session's own output open
  job=$!
  ( trap 'kill $nap 2>/dev/null; exit' TERM; sleep $((seconds + 3)) & nap=$!; wait $nap; kill -9 $job ) \
    >/dev/null 2>&1 </dev/null &
  guard=$!
  wait $job 2>/dev/null
  kill $guard 2>/dev/null; wait $guard 2>/dev/null
  [ -s "$work/status" ] && read -r status <"$work/status"
}
finish() {
  read -r boot </proc/sys/kernel/random/boot_id
  read -r up rest </proc/uptime
  printf '], "boot_id": "%s", "uptime_s": %s, "time": %s, "complete": true}\n' "$boot" "$up" "$(date +%s.%N)"
}
comma=
printf '{"rackside_probe": 1, "outputs": ['
"""

_BOOT_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")


class ProbeError(ValueError):
    """An answer that is no probe document; `reason` is short and fit to show."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class Output:
    """What one command printed (standard output and error together) and its exit status.

    `digest` is that of the packed text, without the time that gzip puts before it; empty where nobody asked for it.
    """

    command: str
    exit_status: int
    ms: int
    text: str
    digest: bytes = b""


class PackedOutput(Output):
    """One that was unpacked before, as its digest says: it is unpacked again only when its text is asked for."""

    def __init__(self, command: str, exit_status: int, ms: int, raw: bytes, digest: bytes) -> None:
        told = {"command": command, "exit_status": exit_status, "ms": ms, "digest": digest, "_raw": raw}
        self.__dict__.update(told)

    @cached_property
    def text(self) -> str:  # type: ignore[override]
        return _unpack(self.command, self.__dict__["_raw"])


@dataclass(frozen=True)
class ProbeReport:
    """All outputs of one probe by command. `time` is the machine's clock, read last of all.

    `asked_at` and `received_at` are the collector's clock when the script was begun and when its last output was here,
    if it told.
    """

    boot_id: str
    uptime_s: float
    time: float
    outputs: Mapping[str, Output]
    received_at: float | None = None
    asked_at: float | None = None

    @property
    def clock_ahead_s(self) -> float | None:
        """Seconds the machine's clock is ahead of the collector's (negative: behind); None where nobody told.

        The script reads the clock after all its commands had their time and before its answer was here. A clock that
        tells a moment between the two is right, however long a command hung or the answer was on its way.
        """
        if self.received_at is None:
            return None
        spent_s = sum(max(0, output.ms) for output in self.outputs.values()) / 1000
        earliest = self.received_at if self.asked_at is None else min(self.asked_at + spent_s, self.received_at)
        return min(0.0, self.time - earliest) or max(0.0, self.time - self.received_at)


def probe_commands(spec: DeviceModelSpec) -> list[tuple[int, str]]:
    """(seconds, command) in order, for what a machine of this model has."""
    commands = [(3, UPTIME)]
    if spec.gpu and spec.gpu.is_amd:
        commands += amd_commands(spec)
    elif spec.gpu and spec.gpu.count:
        commands.append((20, "nvidia-smi -q -x"))
        if spec.gpu.nvlinks:
            commands += [(6, "nvidia-smi nvlink -s"), (6, "nvidia-smi nvlink -e")]
        if spec.gpu.count > 1:
            commands.append((6, "nvidia-smi topo -m"))
        if needs_fabric_manager(spec):
            commands.append((5, "systemctl is-active nvidia-fabricmanager"))
        commands += process_commands(spec)
    if any(slot.device for slot in spec.slots_of("hca")):
        commands.append((10, "ibstat"))
    commands += card_commands(spec)
    commands += [(10, KERNEL_LOG), (10, FILE_SYSTEMS), (10, INODES)]
    if spec.expected.get("docker"):
        commands.append((10, "docker info --format json"))
    commands.append((5, TIME_SERVICES.get(str(spec.expected.get("time_service")), TIME_SERVICES["chrony"])))
    commands += host_commands(spec)
    commands += state_commands(spec)
    commands += site_commands(spec)
    commands += image_commands(spec)
    drives = spec.slots_of("nvme")
    if drives:
        commands += [(10, "nvme list -o json"), (5, "lsblk -J -b")]
    commands += [(5, smart_command(slot.name)) for slot in drives if drive_number(slot.name) is not None]
    return commands


def smart_command(slot: str) -> str:
    """The health log of the drive in a slot that has a number."""
    return f"nvme smart-log -o json /dev/nvme{drive_number(slot)}"


def needs_fabric_manager(spec: DeviceModelSpec) -> bool:
    """GPUs behind NVSwitches (every link to every GPU) do nothing without it; a model may say otherwise."""
    told = spec.expected.get("fabric_manager")
    return bool(told) if told is not None else bool(spec.gpu and spec.gpu.count >= 8 and spec.gpu.gpu_nvlink)


@per_model
def probe_script(spec: DeviceModelSpec) -> str:
    """The script for a machine model. Raises UnsafeWord for a model that says what no command can hold."""
    lines = []
    for seconds, command in probe_commands(spec):
        told = shell.in_json(command)
        again = f" {shell.literal(told)}" if told != command else ""
        lines.append(f"run {seconds} {shell.literal(command)}{again}")
    return "\n".join([_PRELUDE.strip().replace("CAP", str(OUTPUT_CAP_BYTES)), *lines, "finish", ""])


def parse_probe(
    answer: bytes,
    *,
    received_at: float | None = None,
    asked_at: float | None = None,
    known: Mapping[str, bytes] | None = None,
) -> ProbeReport:
    """Read the script's answer. What stands before the document (a login banner) is skipped. Raises ProbeError.

    `known` are digests of outputs that were unpacked before, by command: the same ones are not unpacked again.
    """
    if len(answer) > ANSWER_CAP_BYTES:
        raise ProbeError(f"the answer is larger than {ANSWER_CAP_BYTES} bytes")
    start = answer.find(b'{"rackside_probe"')
    if start < 0:
        shown = " ".join(answer[:120].decode("utf-8", "replace").split())
        raise ProbeError(f"no probe document in the answer: {shown!r}" if answer.strip() else "the answer is empty")
    try:
        document = json.loads(answer[start:])
    except (ValueError, RecursionError) as error:
        raise ProbeError("the answer is cut off or not JSON") from error
    if document.get("rackside_probe") != 1:
        raise ProbeError(f"probe version {document.get('rackside_probe')!r} is not known")
    if document.get("complete") is not True:
        raise ProbeError("the probe did not finish")
    rows = document.get("outputs")
    if not isinstance(rows, list) or len(rows) > MAX_OUTPUTS:
        raise ProbeError("the document has no list of outputs")
    outputs = [_output(row, known) for row in rows]
    boot_id = document.get("boot_id")
    if not isinstance(boot_id, str) or not _BOOT_ID.fullmatch(boot_id):
        raise ProbeError("the document has no boot id")
    return ProbeReport(
        boot_id=boot_id,
        uptime_s=_seconds(document, "uptime_s"),
        time=_seconds(document, "time"),
        outputs={output.command: output for output in outputs},
        received_at=received_at,
        asked_at=asked_at,
    )


def _seconds(document: dict[str, Any], key: str) -> float:
    value = document.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e11:
        raise ProbeError(f"the document has no {key}")
    return float(value)


def _output(row: Any, known: Mapping[str, bytes] | None) -> Output:
    if not isinstance(row, dict):
        raise ProbeError("an output is not an object")
    command, status, took, packed = (row.get(key) for key in ("command", "exit", "ms", "out"))
    if not isinstance(command, str) or type(status) is not int or not isinstance(packed, str):
        raise ProbeError("an output lacks its command, exit status or text")
    if not -(2**31) <= status < 2**31:
        raise ProbeError(f"{command[:60]}: exit status out of range")
    ms = took if type(took) is int else 0
    try:
        raw = base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _not_packed(command) from error
    if known is None:
        return Output(command, status, ms, _unpack(command, raw))
    digest = _digest(raw)
    if known.get(command) == digest:
        return PackedOutput(command, status, ms, raw, digest)
    return Output(command, status, ms, _unpack(command, raw), digest)


def _digest(raw: bytes) -> bytes:
    """Of a gzipped text without its bytes 4 to 7, the time at which it was packed (RFC 1952)."""
    digest = hashlib.blake2b(raw[:4], digest_size=16)
    digest.update(memoryview(raw)[8:])
    return digest.digest()


def _unpack(command: str, raw: bytes) -> str:
    try:
        unpacker = zlib.decompressobj(31)
        text = unpacker.decompress(raw, OUTPUT_CAP_BYTES + 1)
    except zlib.error as error:
        raise _not_packed(command) from error
    if len(text) > OUTPUT_CAP_BYTES:
        raise ProbeError(f"{command[:60]}: the output is larger than {OUTPUT_CAP_BYTES} bytes")
    if not unpacker.eof:
        raise ProbeError(f"{command[:60]}: the output is cut off")
    return text.decode("utf-8", "replace")


def _not_packed(command: str) -> ProbeError:
    return ProbeError(f"{command[:60]}: the output is not gzip in base64")
