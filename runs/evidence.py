"""What the files of a run hold: each is told apart by its content, read alone, and put with the others.

Logs of ranks, flight-recorder dumps, stacks, `sacct --json`, `error.json` of torchelastic, events of machines as JSON
lines. A file that cannot be read is named and takes nothing else down.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from runs.causes.lines import Line, first_time
from runs.causes.log import MOST_STEPS, Log, Sighting, read_large_log, read_log
from runs.causes.origins import Origin, origin_of
from runs.causes.patterns import pattern_of
from runs.hangs import flight_recorder, kernel, ras, stacks
from runs.hangs.flight_recorder import Dump, Unreadable

HEAD = 1 << 16
READERS = 2
LARGE = 256 << 10
"""Bytes from which on a log is searched by grep, where there is one."""
LEAST_STEPS, ALL_STEPS = 30, 150_000
"""Steps kept of each log, and of all together, so that memory is bounded: the first logs fill it, ranks step alike."""
GREP = shutil.which("grep")


@dataclass
class Files:
    """What the files hold, by kind."""

    logs: dict[int, list[Log]] = field(default_factory=dict)
    """By attempt of the launcher."""
    dumps: dict[int, Dump] = field(default_factory=dict)
    unreadable_dumps: list[int] = field(default_factory=list)
    stacks: list[stacks.Stack] = field(default_factory=list)
    stuck: list[kernel.Stuck] = field(default_factory=list)
    ras: list[ras.Answer] = field(default_factory=list)
    ranks_at: dict[tuple[str, int], int] = field(default_factory=dict)
    """(machine, process id) to rank, where the processes were seen."""
    states: list[tuple[str, str, int]] = field(default_factory=list)
    """(state of the job, file, line) of sacct."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """(file, why it could not be read)."""
    origins: dict[str, Origin] = field(default_factory=dict)
    """By name of a log: what its path within the folder that was given says of it."""

    def add(self, other: Files) -> None:
        for attempt, logs in other.logs.items():
            self.logs.setdefault(attempt, []).extend(logs)
        for rank, dump in other.dumps.items():
            known = self.dumps.get(rank)  # of two the fuller one: a later dump may hold only what is still open
            if known is None or known.size < dump.size:
                self.dumps[rank] = dump
        self.unreadable_dumps += other.unreadable_dumps
        self.stacks += other.stacks
        self.stuck += other.stuck
        self.ras += other.ras
        self.ranks_at |= other.ranks_at
        self.states += other.states
        self.refused += other.refused
        self.origins |= other.origins

    def add_logs(self, other: Files) -> None:
        """Logs of the same run that were read elsewhere, but those that are here: the same file of the same rank."""
        known = {self._file(log) for logs in self.logs.values() for log in logs}
        for attempt, logs in other.logs.items():
            self.logs.setdefault(attempt, []).extend(log for log in logs if other._file(log) not in known)
        self.origins = other.origins | self.origins

    def _file(self, log: Log) -> tuple[str | None, int | None, str]:
        origin = self.origins[log.name]
        return origin.machine, origin.rank, log.name.rsplit("/", 1)[-1].rsplit(":", 1)[-1]


def read_files(paths: Sequence[Path]) -> Files:
    """Read files and folders, two at a time."""
    files = Files()
    left = ALL_STEPS

    def read(found: tuple[Path, Origin]) -> Files:
        nonlocal left
        alone = _read_alone(*found, min(MOST_STEPS, max(LEAST_STEPS, left)))
        left -= sum(len(log.steps) for of_attempt in alone.logs.values() for log in of_attempt)
        return alone

    with ThreadPoolExecutor(READERS) as readers:
        for found in readers.map(read, _walk(paths)):
            files.add(found)
    _give_times(files)
    _give_ranks(files)
    return files


def _give_times(files: Files) -> None:
    """A traceback has no time; torchelastic's error.json beside it tells when the same exception was raised."""
    logs = [log for of_attempt in files.logs.values() for log in of_attempt]
    for told in (log for log in logs if log.name.endswith("error.json") and log.sightings):
        beside = (log for log in logs if log is not told and Path(log.name).parent == Path(told.name).parent)
        name, at = told.sightings[0].pattern.name, told.sightings[0].at
        for log in beside:
            if any(one.pattern.name == name for one in log.sightings):
                log.sightings = [one._replace(at=at) if one.pattern.name == name else one for one in log.sightings]
                told.sightings = []


def _give_ranks(files: Files) -> None:
    """Launchers name folders and prefixes by local rank; a table of failures of the same machine says which that is."""
    logs = [log for of_attempt in files.logs.values() for log in of_attempt]

    def machine(log: Log) -> str:
        return files.origins[log.name].machine or Path(log.name).stem

    first = {machine(log): log.first_rank for log in logs if log.first_rank is not None}
    for log in logs:
        base = first.get(machine(log))
        if base is None:
            continue
        local = files.origins[log.name].local
        if local is not None:
            log.ranks_seen.add(base + local)
        log.sightings = [
            one._replace(rank=base + one.line.local) if one.rank is None and one.line.local is not None else one
            for one in log.sightings
        ]


def _walk(paths: Iterable[Path]) -> Iterator[tuple[Path, Origin]]:
    """Files with their origins; folders above those that were given say nothing of the run."""
    for path in paths:
        if not path.is_dir():
            yield path, origin_of(Path(path.name))
            continue
        found = (each for each in path.rglob("*") if each.is_file() and not each.name.startswith("."))
        for each in sorted(found, key=lambda each: [_natural(part) for part in each.parts]):
            yield each, origin_of(each.relative_to(path.parent))


def _natural(text: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", text)]


# ---- one file ----
def _read_alone(path: Path, origin: Origin, most_steps: int) -> Files:
    files = Files()
    try:
        _read(path, origin, most_steps, files)
    except OSError as error:
        files.refused.append((str(path), error.strerror or type(error).__name__))
    return files


def _read(path: Path, origin: Origin, most_steps: int, files: Files) -> None:
    with _opened(path) as stream:
        try:
            head = stream.read(HEAD)
            stream.seek(0)
            _read_kind(path, origin, most_steps, head, stream, files)
        except (EOFError, gzip.BadGzipFile) as error:
            files.refused.append((str(path), f"cut off or damaged: {error}"))


def _is_json(head: bytes) -> bool:
    """Whether the first line is an object of JSON; `{'loss': ..}` of a trainer is none."""
    try:
        return isinstance(json.loads(head.lstrip().split(b"\n", 1)[0]), dict)
    except ValueError:
        return False


def _opened(path: Path) -> BinaryIO:
    stream = path.open("rb")
    if stream.read(2) == b"\x1f\x8b":
        stream.close()
        return cast(BinaryIO, gzip.open(path, "rb"))
    stream.seek(0)
    return stream


def _read_kind(path: Path, origin: Origin, most_steps: int, head: bytes, stream: BinaryIO, files: Files) -> None:
    start = head.lstrip()[:1]
    if head[:1] == b"\x80" or (start == b"{" and b'"pg_config"' in head):
        _read_dump(path, stream.read(), origin, files)
    elif start == b"{" and b'"communicators"' in head:
        try:
            files.ras.append(ras.read_ras(stream.read().decode("utf-8", "replace")))
        except ras.NotReadable as error:
            files.refused.append((str(path), f"looks like an answer of NCCL's RAS client: {error}"))
    elif start == b"{" and b'"jobs"' in head:
        _read_jobs(path, stream.read(), files)
    elif start == b"{" and path.name == "error.json":
        _read_error(path, stream.read(), origin, files)
    elif start in (b"[", b"{") and b'"frames"' in head:
        files.stacks += stacks.read_stacks(stream.read().decode("utf-8", "replace"), str(path), origin.rank)
    elif start == b"{" and _is_json(head):
        _keep(_read_events(path, stream), origin, files)
    elif stacks.looks_like_stacks(head.decode("utf-8", "replace")):
        files.stacks += stacks.read_stacks(stream.read().decode("utf-8", "replace"), str(path), origin.rank)
    else:
        about = path.stat()
        year = datetime.fromtimestamp(about.st_mtime, UTC).year
        large = about.st_size > LARGE and not isinstance(stream, gzip.GzipFile)
        if large and GREP:
            log = read_large_log(path, year, most_steps)
        else:
            log = read_log(str(path), stream, year, most_steps)
        log.first_at = first_time(head)
        _keep(log, origin, files)


def give_rank(log: Log, origin: Origin) -> None:
    """Whose lines they are that do not say it themselves, by where the log lay."""
    if origin.rank is not None:
        log.sightings = [one if one.rank is not None else one._replace(rank=origin.rank) for one in log.sightings]
        log.ranks_seen.add(origin.rank)
    elif origin.local is not None:
        log.sightings = [
            one if one.line.local is not None else one._replace(line=one.line._replace(local=origin.local))
            for one in log.sightings
        ]


def _keep(log: Log, origin: Origin, files: Files) -> None:
    give_rank(log, origin)
    log.machine = origin.machine or log.machine
    if log.machine is not None:
        log.sightings = [
            one if one.line.machine is not None else one._replace(line=one.line._replace(machine=log.machine))
            for one in log.sightings
        ]
    files.origins[log.name] = origin
    files.logs.setdefault(origin.attempt, []).append(log)


def _read_dump(path: Path, data: bytes, origin: Origin, files: Files) -> None:
    if origin.rank is None:
        files.refused.append((str(path), "a flight-recorder dump whose name does not end with its rank"))
        return
    try:
        dump = flight_recorder.read_dump(data)
    except Unreadable as error:
        files.refused.append((str(path), str(error)))
        files.unreadable_dumps.append(origin.rank)
    else:
        files.dumps[origin.rank] = dump


def _read_jobs(path: Path, data: bytes, files: Files) -> None:
    try:
        said = json.loads(data)
        jobs = said["jobs"]
    except (ValueError, KeyError, TypeError):
        files.refused.append((str(path), "looks like sacct --json and cannot be read: cut off?"))
        return
    text = data.decode("utf-8", "replace")
    for job in jobs if isinstance(jobs, list) else ():
        state = job.get("state", job.get("job_state")) if isinstance(job, dict) else None
        current = state.get("current") if isinstance(state, dict) else state
        for name in current if isinstance(current, list) else [current]:
            if isinstance(name, str):
                at = text.find(f'"{name}"')
                files.states.append((name, str(path), text.count("\n", 0, max(at, 0)) + 1))


def _read_error(path: Path, data: bytes, origin: Origin, files: Files) -> None:
    """error.json of a function under torchelastic's @record: the exception, and when it was raised."""
    try:
        message = json.loads(data)["message"]
        text, extra = (message, {}) if isinstance(message, str) else (message["message"], message.get("extraInfo", {}))
        seconds = float(extra.get("timestamp", 0))
    except (ValueError, KeyError, TypeError, AttributeError):
        files.refused.append((str(path), "an error.json that cannot be read: cut off?"))
        return
    log = read_log(str(path), io.BytesIO(str(text).encode()), 1970)
    at = datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    log.sightings = [one._replace(at=at, line=one.line._replace(number=1)) for one in log.sightings]
    _keep(log, origin, files)


EVENT_TEXTS = ("text", "message", "line", "detail", "reason", "summary")
EVENT_MACHINES = ("machine", "host", "hostname", "node")
EVENT_TIMES = ("at", "time", "timestamp", "ts", "observed_at")


def _read_events(path: Path, stream: BinaryIO) -> Log:
    """Events of machines, one JSON object a line: what happened, on which machine, when."""
    log = Log(str(path))
    for number, data in enumerate(stream, 1):
        log.lines = number
        try:
            event = json.loads(data)
        except ValueError:
            continue
        if not isinstance(event, dict):
            continue
        text = next((str(event[key]) for key in EVENT_TEXTS if event.get(key)), "")
        if str(event.get("xid", "")).isdigit():
            text = f"NVRM: Xid (PCI:{event.get('pci', '0000:00:00')}): {event['xid']}, {text}"
        machine = next((str(event[key]) for key in EVENT_MACHINES if event.get(key)), None)
        if pattern := pattern_of(text):
            log.counts[pattern.name] += 1
            line = Line(number, text, text, machine=machine)
            log.sightings.append(Sighting(pattern, log.name, line, _event_time(event), event.get("rank")))
    return log


def _event_time(event: dict[str, Any]) -> datetime | None:
    said = next((event[key] for key in EVENT_TIMES if event.get(key)), None)
    try:
        if isinstance(said, (int, float)):
            return datetime.fromtimestamp(said, UTC)
        moment = datetime.fromisoformat(str(said))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
