"""What a machine printed for `script`: pieces, each with its result; and the pieces as files of a run. Pure.

Nothing in a piece is trusted: it is unpacked to a bound, read by the readers of `runs explain`, and a piece that cannot
be read is named and takes nothing else with it. An answer that breaks off is good to where it does.
"""

from __future__ import annotations

import io
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from runs.causes import lines
from runs.causes.log import Excerpt, Log, read_excerpts, read_log
from runs.causes.origins import Origin, origin_of
from runs.collection.script import HEAD, JOURNAL, MARK, TAIL
from runs.evidence import Files, give_rank
from runs.hangs import flight_recorder, kernel, ras, stacks
from runs.hangs.flight_recorder import Unreadable

LARGEST = 64 << 20
"""Bytes of an unpacked piece."""
WHOLE = "log.whole"
"""The piece of a log that was pushed: its text, and not what was found in it."""
OK, CUT, TOO_LARGE, REFUSED, MISSING, FAILED = "ok", "cut", "too_large", "refused", "missing", "failed"
_HEAD = re.compile(
    rb"== " + MARK.encode() + rb" ([a-z.]{1,16}) (-|\d{1,7}) ([a-z_]{1,12}) (\d{1,10}) ([^\n]{0,4096})\n"
)
_FOUND = re.compile(rb"(\d+)([:-])(\d+)\2(.*)", re.DOTALL)
_GZIP = 31


class Piece(NamedTuple):
    kind: str
    rank: int | None
    result: str
    name: str
    packed: bytes

    @property
    def data(self) -> bytes:
        """Unpacked, as far as it can be."""
        unpacker = zlib.decompressobj(_GZIP)
        try:
            return unpacker.decompress(self.packed, LARGEST)
        except zlib.error:
            return b""

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")


@dataclass
class Answer:
    pieces: list[Piece] = field(default_factory=list)
    whole: bool = False
    clock: float | None = None
    """The machine's, seconds since 1970, when it began to answer."""


def read(data: bytes) -> Answer:
    """Pieces in their order; what stands before the first (a login banner) is passed over."""
    found = Answer()
    at = data.find(f"== {MARK} ".encode())
    while at >= 0 and (head := _HEAD.match(data, at)):
        kind, rank, result, size, name = (group.decode("utf-8", "replace") for group in head.groups())
        end = head.end() + int(size)
        if kind == "end":
            found.whole = True
            break
        if kind == "clock":
            found.clock = _seconds(name)
        elif end > len(data):
            break
        else:
            number = int(rank) if rank != "-" else None
            found.pieces.append(Piece(kind, number, result, name, data[head.end() : end]))
        at = end + 1
    return found


def packed(pieces: Iterable[Piece]) -> bytes:
    """As it is kept; `read` reads it again."""
    out = io.BytesIO()
    for one in pieces:
        rank = "-" if one.rank is None else str(one.rank)
        out.write(f"== {MARK} {one.kind} {rank} {one.result} {len(one.packed)} {one.name}\n".encode())
        out.write(one.packed + b"\n")
    out.write(f"== {MARK} end - ok 0 -\n\n".encode())
    return out.getvalue()


def _seconds(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


# ---- what came of a machine ----
class Outcome(NamedTuple):
    result: str
    message: str


def outcome_of(pieces: Sequence[Piece]) -> Outcome:
    """One word for a machine's pieces: the worst that happened, as long as nothing better came.

    The kernel's log does not count: it says nothing of whether the run's own were found.
    """
    pieces = [one for one in pieces if one.name != JOURNAL]
    good = [one for one in pieces if one.result == OK]
    bad = [one for one in pieces if one.result not in (OK, MISSING)]
    absent = [one for one in pieces if one.result == MISSING]
    if bad:
        worst = Counter(one.result for one in bad).most_common(1)[0][0]
        one = next(one for one in bad if one.result == worst)
        said = f"{one.name}: {_first_line(one)}"[:300]
        return Outcome("partly" if good else worst, said)
    if good:
        return Outcome(OK, f"{absent[0].name}: {_first_line(absent[0])}"[:300] if absent else "")
    if absent:
        return Outcome("nothing", f"{absent[0].name}: {_first_line(absent[0])}"[:300])
    return Outcome("nothing", "no process of the run, and no log of it is known")


def _first_line(one: Piece) -> str:
    if one.result == CUT:
        return "only its end is kept" if one.kind == WHOLE else "cut off after its time"
    return next((line.strip() for line in one.text.splitlines() if line.strip()), one.result)


# ---- as files of the run ----
def files_of(machine: str, pieces: Sequence[Piece], pids: dict[int, int], clock_ahead_s: float | None) -> Files:
    """What the readers make of a machine's pieces. Times are set back by what the machine's clock is ahead.

    `pids`: process id to rank.
    """
    files = Files()
    ahead = timedelta(seconds=clock_ahead_s or 0.0)
    made: dict[str, Log] = {}
    for name, of_log in _logs(pieces):
        log = _log(f"{machine}:{name}", of_log, ahead)
        rank = next((one.rank for one in of_log), None)
        origin = origin_of_log(name, machine, rank)
        give_rank(log, origin)
        # Not of a log of all ranks: it may lie where every machine sees it.
        if rank is not None or origin.local is not None or name == JOURNAL:
            log.sightings = [
                one._replace(line=one.line._replace(machine=one.line.machine or machine)) for one in log.sightings
            ]
        files.logs.setdefault(0, []).append(log)
        files.origins[log.name] = origin
        made[name] = log
    _link(made)
    for one in pieces:
        source = f"{machine}:{one.name}"
        if one.kind == "dump" and one.result == OK and one.rank is not None:
            try:
                files.dumps[one.rank] = flight_recorder.read_dump(one.data)
            except Unreadable as error:
                files.refused.append((source, str(error)))
                files.unreadable_dumps.append(one.rank)
        elif one.kind == "stack" and one.result == OK:
            files.stacks += stacks.read_stacks(one.text, f"{machine}: process {one.name}", one.rank)
        elif one.kind == "kernel" and one.result == OK:
            files.stuck += kernel.read_stuck(one.text, machine, pids)
        elif one.kind == "ras" and one.result == OK:
            try:
                files.ras.append(ras.read_ras(one.text))
            except ras.NotReadable as error:
                files.refused.append((source, str(error)))
    return files


_ROTATED = re.compile(r"(.+?)(?:\.(\d{1,3}))?(\.gz)?")


def _link(logs: dict[str, Log]) -> None:
    """Say of the parts of each rotated log which goes on in which: `x.log.1.gz`, `x.log.1`, `x.log`."""
    parts: dict[str, list[tuple[int, bool, Log]]] = {}
    for name, log in logs.items():
        if (found := _ROTATED.fullmatch(name)) and found[1] in logs:
            parts.setdefault(found[1], []).append((int(found[2] or 0), bool(found[3]), log))
    for older in parts.values():
        for (*_, log), (*_, after) in pairwise(sorted(older, key=lambda part: part[:2], reverse=True)):
            log.goes_on = after


def origin_of_log(name: str, machine: str, rank: int | None) -> Origin:
    """Of which rank a log is: as it was asked for, else as its path says."""
    told = origin_of(PurePosixPath(name))
    return told._replace(machine=machine, rank=rank if rank is not None else told.rank, attempt=0)


def is_of_kernel(log: Log) -> bool:
    """Whether it is what the kernel of a machine said, and no log of ranks."""
    return log.name.endswith(f":{JOURNAL}")


def _logs(pieces: Sequence[Piece]) -> Iterator[tuple[str, list[Piece]]]:
    by_name: dict[str, list[Piece]] = {}
    for one in pieces:
        if one.kind.startswith("log.") and one.result in (OK, CUT):
            by_name.setdefault(one.name, []).append(one)
    yield from by_name.items()


def _log(name: str, of_log: Sequence[Piece], ahead: timedelta) -> Log:
    by_kind = {one.kind: one.data for one in of_log}
    stat = by_kind.get("log.stat", b"").split()
    size, written = (int(stat[0]), int(stat[1])) if len(stat) == 3 and b"".join(stat).isdigit() else (0, 0)
    year = datetime.fromtimestamp(written, UTC).year if 0 < written < 1 << 36 else datetime.now(UTC).year
    if (whole := by_kind.get(WHOLE)) is not None:
        log = read_log(name, io.BytesIO(whole), year)
        size, head, tail = len(whole), whole[:HEAD], whole[-TAIL:]
    else:
        excerpts = [*_excerpts(by_kind.get("log.found", b"")), *_excerpts(by_kind.get("log.steps", b""))]
        excerpts.sort(key=lambda one: (one.number, -len(one.before)))
        log = read_excerpts(name, excerpts, year)
        head, tail = by_kind.get("log.head", b""), by_kind.get("log.tail", b"")
        log.cut = bool(tail) and not tail.endswith(b"\n")
    log.size = size
    log.first_at = _moment(head, year)
    log.last_at = _moment(tail, year, last=True)
    if ahead:
        log.sightings = [one._replace(at=one.at - ahead if one.at else None) for one in log.sightings]
        times = (log.first_at, log.last_at, log.last_step_at)
        log.first_at, log.last_at, log.last_step_at = (at - ahead if at else None for at in times)
    return log


def _excerpts(data: bytes) -> Iterator[Excerpt]:
    """Lines as `grep -nb` prints them; those before a line that was found are its context."""
    before = b""
    for row in data.split(b"\n"):
        found = _FOUND.match(row)
        if found is None:
            continue
        if found[2] == b"-":
            before += found[4] + b"\n"
        else:
            yield Excerpt(int(found[1]), before, found[4])
            before = found[4] + b"\n"


def _moment(data: bytes, year: int, *, last: bool = False) -> datetime | None:
    rows = data.splitlines()
    for row in reversed(rows) if last else rows:
        if at := lines.time_of(lines.clean(row), year):
            return at
    return None
