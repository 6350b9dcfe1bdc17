"""What the readers share: bytes to text, GUIDs, names of speeds, and folding links told from both ends."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import Any, TypeVar

from core.counts import counted
from fabric.facts import Completeness, Problem, Seen, SeenLink, SeenPort

K = TypeVar("K")
V = TypeVar("V")
GZIP = b"\x1f\x8b"
MOST_TEXT = 512 * 1024 * 1024
"""Bytes of one unpacked file; a fabric of 300,000 links is about 130 MB as iblinkinfo writes it."""
PIECE = 1 << 16
"""Letters of a text, at least, that are cut into lines at once."""
MOST_PROBLEMS = 50
"""So many unreadable lines are told one by one."""


class Unreadable(ValueError):
    """The input is not what it was given for. `problems` says where and why; nothing of it may be used."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        super().__init__("; ".join(told(problem) for problem in problems[:5]))


def told(problem: Problem) -> str:
    """`plan.csv, line 12: port 3 of leaf-1 is in two cables`"""
    place = f"{problem.where}, line {problem.line}" if problem.line else problem.where
    return f"{place}: {problem.text}"


def text_of(data: bytes, where: str) -> str:
    """The text of a file, unpacked where it is gzipped. Raises Unreadable for broken gzip and for what is no text."""
    if data[:2] == GZIP:
        data = _unpacked(data, where)
    if b"\0" in data[:4096]:
        raise Unreadable([Problem(where, 0, "this is not a text file")])
    return data.decode("utf-8-sig", "replace")


def _unpacked(data: bytes, where: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=BytesIO(data)) as file:
            unpacked = file.read(MOST_TEXT + 1)
    except EOFError:
        raise Unreadable([Problem(where, 0, "the gzip file breaks off: it was not copied wholly")]) from None
    except (OSError, zlib.error) as error:
        raise Unreadable([Problem(where, 0, f"not a readable gzip file: {error}")]) from None
    if len(unpacked) > MOST_TEXT:
        raise Unreadable([Problem(where, 0, f"unpacks to more than {MOST_TEXT >> 20} MB")])
    return unpacked


def pieces_of(text: str) -> Iterator[str]:
    """The text in pieces of whole lines: all lines at once take more memory than what is read from them."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + PIECE) + 1 or len(text)
        yield text[start:end]
        start = end


def lines_of(text: str) -> Iterator[str]:
    """Its lines as `splitlines` has them."""
    for piece in pieces_of(text):
        yield from piece.splitlines()


def rows_of(lines: re.Pattern[str], piece: str) -> list[Any]:
    """What a pattern for one line after the other finds in a piece, a row for each line.

    Empty where it cannot tell the lines apart: where one ends with something else than `\\n`, or within quotes.
    """
    if not piece.isascii() or any(end in piece for end in "\r\v\f\x1c\x1d\x1e"):
        return []
    rows = lines.findall(piece)
    return rows if len(rows) == piece.count("\n") + (not piece.endswith("\n")) else []


class Met(dict[K, V]):
    """What was met, by how it is written: each is found once."""

    def __init__(self, find: Callable[[K], V]) -> None:
        super().__init__()
        self.find = find

    def __missing__(self, written: K) -> V:
        found = self[written] = self.find(written)
        return found


@lru_cache(maxsize=131072)
def padded(guid: str) -> str:
    """16 lower-case digits: tools drop leading zeros and write 0x or not."""
    return guid.lower().removeprefix("0x").rjust(16, "0")


def port(guid: str, number: int) -> SeenPort:
    return tuple.__new__(SeenPort, (guid, number))


SPEED_OF_LANE = {
    "2.5": "SDR",
    "5.0": "DDR",
    "10.0": "QDR",
    "10.3125": "FDR10",
    "14.0625": "FDR",
    "25.78125": "EDR",
    "26.5625": "HDR",  # as some versions write the lane of HDR100
    "53.125": "HDR",
    "106.25": "NDR",
    "212.5": "XDR",
}
"""Gb/s of one lane, as iblinkinfo prints it, to the name that ibnetdiscover prints."""
SPEEDS = ("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR")
"""From slow to fast."""
_RATE = re.compile(r"(\d+)[xX]([A-Z]+\d*)$")
_rates: dict[str, tuple[str, str]] = {}


def rate(word: str) -> tuple[str, str]:
    """`4xHDR` -> ("4x", "HDR"); ("", "") for anything else, `4x???` included."""
    known = _rates.get(word)
    if known is None:
        match = _RATE.match(word)
        known = _rates[word] = (f"{match[1]}x", match[2]) if match else ("", "")
    return known


Rate = tuple[str, str]
"""Width and speed, as `rate` has them."""


@dataclass(slots=True)
class Ends:
    """What each port says is at its other end, with width and speed; `fold` makes links of it.

    Nearly all ports of a fabric run alike: what the first tells is `usual`, and told only of those that do not.
    """

    where: str
    far: dict[SeenPort, SeenPort] = field(default_factory=dict)
    usual: Rate | None = None
    rates: dict[SeenPort, Rate] = field(default_factory=dict)
    repeated: list[SeenPort] = field(default_factory=list)  # told once more, with the same far end
    against: list[SeenLink] = field(default_factory=list)  # told once more, with another

    def add(self, near: SeenPort, far: SeenPort, rate: Rate) -> None:
        """`far` is an object of its own: it is what tells whether the port was told before."""
        if self.usual is None:
            self.usual = rate
        before = self.far.setdefault(near, far)
        if before is far:
            if rate != self.usual:
                self.rates[near] = rate
        elif before == far:
            self.repeated.append(near)
        else:
            self.against.append(SeenLink(min(near, far), max(near, far), *rate))

    def fold(self, seen: Seen) -> None:
        """Each link once into `seen.links`; those with ends that disagree, or told in two ways, into `seen.doubtful`.
        What repeats or contradicts itself is no whole look."""
        links, doubtful, ends, rates, new = seen.links, seen.doubtful, self.far, self.rates, tuple.__new__
        before = len(links)
        usual = self.usual or ("", "")
        for near, far in ends.items():
            if near < far and ends.get(far) == near:
                width, speed = usual
                if near in rates or far in rates:
                    (width, speed), back = rates.get(near, usual), rates.get(far, usual)
                    width, speed = width or back[0], speed or back[1]
                links.append(new(SeenLink, (near, far, width, speed)))
        if 2 * (len(links) - before) < len(ends):  # some end is in no link
            for near, far in ends.items():
                if ends.get(far) != near:
                    doubtful.append(SeenLink(min(near, far), max(near, far), *rates.get(near, usual)))
        doubtful += self.against  # and with them, see `net_of`, the links they contradict
        if self.against:
            lower(seen, Completeness.PARTIAL)
        if self.repeated:
            complain(
                seen,
                self.where,
                0,
                f"{counted(len(self.repeated), 'port is', 'ports are')} reported twice: "
                "does the file hold two discovery runs?",
            )
            lower(seen, Completeness.PARTIAL)


def lower(seen: Seen, state: Completeness) -> None:
    """Mark it as at most this complete; never better than it is."""
    order = (Completeness.COMPLETE, Completeness.PARTIAL, Completeness.TRUNCATED, Completeness.EMPTY)
    if order.index(state) > order.index(seen.completeness):
        seen.completeness = state


def complain(seen: Seen, where: str, line: int, text: str) -> None:
    """One more problem, of which only the first are kept one by one."""
    if len(seen.problems) < MOST_PROBLEMS:
        seen.problems.append(Problem(where, line, text))
