"""Files that say which cables are intended: our CSV, a contractor's as-built CSV, the NDT files of UFM's users.

Columns are found by their heading, in any order and case. Ours: `cable,a_device,a_port,b_device,b_port`; optional are
length_m, type, body, a_plug, b_plug, a_serial, b_serial, and for each end _room, _row, _rack, _u, _x, _y, _guid,
_feed (two with a + between).
Without a label a cable is called by its ends. How ports may be spelled is in `port_names`. A cable that is listed again
from its other end is one cable, and a host with its domain is the one without where only one has that name.
"""

from __future__ import annotations

import csv
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from io import StringIO
from itertools import chain
from operator import itemgetter
from typing import NamedTuple, Protocol

from fabric.facts import NOWHERE, DeviceRole, Place, Plan, PlannedCable, PlannedDevice, PlannedPort, Problem
from fabric.formats.common import Met, Unreadable, lines_of, padded, pieces_of
from fabric.formats.node_names import without_domain
from fabric.formats.port_names import Counting, Spelled, spelled

MOST_ERRORS = 50
MOST_PORTS = 10_000
LONGEST_LABEL, LONGEST_NAME = 60, 110
"""Letters of a label and of a name that can be stored."""

PER_END = ("room", "row", "rack", "u", "x", "y", "guid", "feed")
HEADINGS = {
    "cable": ("cable", "label", "cable_id", "cable_label", "cableid", "id"),
    "a_device": ("a_device", "startdevice", "source_device", "from_device", "a_name"),
    "a_port": ("a_port", "startport", "source_port", "from_port"),
    "b_device": ("b_device", "enddevice", "destination_device", "to_device", "b_name"),
    "b_port": ("b_port", "endport", "destination_port", "to_port"),
    "length_m": ("length_m", "length", "cable_length", "cable length"),
    "type": ("type", "linktype", "link_type", "cable_type"),
    "body": ("body",),
    "a_plug": ("a_plug",),
    "b_plug": ("b_plug",),
    "a_serial": ("a_serial", "serial", "cable_serial"),
    "b_serial": ("b_serial", "serial", "cable_serial"),
    **{f"{end}_{name}": (f"{end}_{name}",) for end in "ab" for name in PER_END},
}
NEEDED = ("a_device", "a_port", "b_device", "b_port")

ADAPTER = re.compile(
    r"(mlx\d+_\d+|HCA-\d+|ib[a-z]*\d\w*|hfi\d+_\d+|bnxt_re\d+|roce\w*\d+|en[opsx]\w*\d\w*)", re.IGNORECASE
)
"""Names that an adapter has behind its machine's."""
_BOARD = re.compile(r"(.+)/([LS]\d+)/(U\d+)", re.IGNORECASE)
_PLAIN = Counting()
_BLADE = re.compile(r"blade\s*(\d+)_port\s*(\d+)/(\d+)", re.IGNORECASE)
_METRES = re.compile(r"(\d+(?:\.\d+)?)\s*m?", re.IGNORECASE)
_NEW = tuple.__new__  # of a named tuple: a third of the cost of calling it
_BLANK = PlannedCable("", PlannedPort("", 0), PlannedPort("", 0))[3:-1]  # of a cable all but label, ends and line
_LABEL, _A, _B = itemgetter(0), itemgetter(1), itemgetter(2)


class _Rows(Protocol):
    """What `csv.reader` returns."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...


class PlanError(NamedTuple):
    line: int
    column: str
    reason: str


class PlanFileError(Unreadable):
    """The file is refused as a whole. `errors` has every place and reason, up to MOST_ERRORS."""

    def __init__(self, name: str, errors: list[PlanError]) -> None:
        self.errors = errors
        super().__init__(
            [Problem(name, e.line, f"column {e.column}: {e.reason}" if e.column else e.reason) for e in errors]
        )


def read_plan(text: str, name: str = "plan") -> Plan:
    """The plan of a file. Raises PlanFileError, with every line that is wrong."""
    try:
        return _Usual(name).read(text)
    except _Unusual:
        return read_row_by_row(text, name)


def read_row_by_row(text: str, name: str) -> Plan:
    """The same with all care for each row."""
    return _Reader(name).read(text)


def machine_and_adapter(device: str) -> tuple[str, str]:
    """`gpu-0001 mlx5_0` -> ("gpu-0001", "mlx5_0"); a device without an adapter's name behind it -> (device, "")."""
    machine, _, adapter = device.rpartition(" ")
    return (machine, adapter) if machine and _is_adapter(adapter) else (device, "")


@lru_cache(maxsize=4096)
def _is_adapter(name: str) -> bool:
    return ADAPTER.fullmatch(name) is not None


class _Reader:
    def __init__(self, name: str) -> None:
        self.name = name
        self.errors: list[PlanError] = []
        self.columns: dict[str, int] = {}
        self.cells: dict[str, tuple[int, int]] = {}  # end -> columns of its device and its port
        self.spelled: dict[str, str] = {}
        self.known: dict[str, str] = {}  # device as written in its cell -> as it is called
        self.hosts: dict[str, str] = {}  # host as written, in lower case -> as it is called
        self.counting: dict[str, Counting] = {}  # by device as written, in lower case
        self.cables: list[PlannedCable] = []
        self.labels: dict[str, int] = {}
        self.taken: dict[PlannedPort, PlannedCable] = {}
        self.numbers: dict[str, int] = {}  # port as written in its cell -> its number, of plain numbers
        self.places: dict[str, Place] = {}
        self.guids: dict[str, str] = {}
        self.feeds: dict[str, tuple[str, ...]] = {}

    def read(self, text: str) -> Plan:
        rows = self._rows(text)
        if "\0" in text:
            self._wrong(text.count("\n", 0, text.index("\0")) + 1, "", "a character that is no text (NUL)")
            raise PlanFileError(self.name, self.errors)
        try:
            for line, row in rows:
                self._heading(line, row)
                break
            listed = list(rows) if self.columns else []
            if listed:
                self._learn([row for _, row in listed])
            for line, row in listed:
                self._row(line, row)
                if len(self.errors) >= MOST_ERRORS:
                    break
        except csv.Error as error:
            self._wrong(0, "", f"not a CSV file: {error}")
        if not self.errors and not self.columns:
            self._wrong(0, "", "the file is empty")
        elif not self.errors and not self.cables:
            self._wrong(0, "", "there is a heading, but no cable")
        if self.errors:
            raise PlanFileError(self.name, self.errors)
        return Plan(self._devices(), self.cables)

    def _rows(self, text: str) -> Iterator[tuple[int, list[str]]]:
        return self._filled(_rows(text))

    def _filled(self, rows: _Rows) -> Iterator[tuple[int, list[str]]]:
        """Rows that say something, with their lines; after the heading without comments."""
        for row in rows:
            filled = any(map(str.strip, row))
            if filled and (not self.columns or not row[0].startswith("#")):
                yield rows.line_num, row

    def _wrong(self, line: int, column: str, reason: str) -> None:
        self.errors.append(PlanError(line, column, reason))

    def _heading(self, line: int, row: list[str]) -> None:
        given = [re.sub(r"^#\s*(fields:)?", "", cell.strip().lower()).strip() for cell in row]
        for column, spellings in HEADINGS.items():
            at = next((given.index(spelling) for spelling in spellings if spelling in given), None)
            if at is not None:
                self.columns[column] = at
        missing = [column for column in NEEDED if column not in self.columns]
        if missing:
            self._wrong(line, "", f"the heading has no column {', '.join(missing)}")
            self.columns = self.columns or {"cable": 0}
            raise PlanFileError(self.name, self.errors)
        self.cells = {end: (self.columns[f"{end}_device"], self.columns[f"{end}_port"]) for end in "ab"}

    def _learn(self, rows: list[list[str]]) -> None:
        """What single rows do not tell: which hosts are written with and without their domain, and how each device
        counts its ports."""
        as_written: dict[str, set[str]] = {}  # device -> its ports that are no plain numbers
        for end in "ab":
            device, port = self.cells[end]
            last = max(device, port)
            told_ports = {(row[device], "" if row[port].isdecimal() else row[port]) for row in rows if len(row) > last}
            for raw, name in told_ports:
                names = as_written.setdefault(raw, set())
                if name:
                    names.add(name)
        told: dict[str, set[Spelled]] = {}
        for raw, ports in as_written.items():
            read = told.setdefault(" ".join(raw.split()).lower(), set())
            read.update(way for text in ports if (way := spelled(" ".join(text.split()))) is not None)
        self.counting = {device: Counting.of(names) for device, names in told.items() if names}
        self.hosts = _short_hosts(told)

    def _row(self, line: int, row: list[str]) -> None:
        before = len(self.errors)
        a = self._end(line, row, "a")
        b = self._end(line, row, "b")
        if a is None or b is None:
            return
        if a == b:
            self._wrong(line, "b_port", f"both ends are port {a.port} of {a.device}")
            return
        known = self.taken.get(a)
        if known is not None and known.a == b and known.b == a:
            return  # the same cable, listed from its other end
        label = self._cell(row, "cable") or _label(a, b)
        if len(label) > LONGEST_LABEL:
            self._wrong(line, "cable", f"a label of more than {LONGEST_LABEL} letters")
            return
        if label in self.labels:
            self._wrong(line, "cable", f"cable {label} is on line {self.labels[label]} already")
        for end, column in ((a, "a_port"), (b, "b_port")):
            if end in self.taken:
                other = self.taken[end]
                reason = f"port {end.port} of {end.device} is in cable {other.label} on line {other.line} already"
                self._wrong(line, column, reason)
        if len(self.errors) > before:
            return
        cable = PlannedCable(label, a, b, line=line)
        self.labels[label] = line
        self.taken[a] = self.taken[b] = cable
        self.cables.append(cable if len(self.columns) <= 5 else self._full(line, row, cable))

    def _full(self, line: int, row: list[str], cable: PlannedCable) -> PlannedCable:
        """The cable with what further columns tell."""
        length = self._cell(row, "length_m")
        metres = _METRES.fullmatch(length) if length else None
        if length and metres is None:
            self._wrong(line, "length_m", f"not a length in metres: {length[:40]}")
            return cable
        self._place(line, row, "a", cable.a.device)
        self._place(line, row, "b", cable.b.device)
        return cable._replace(
            body=self._cell(row, "body"),
            a_plug=self._cell(row, "a_plug"),
            b_plug=self._cell(row, "b_plug"),
            length_m=float(metres[1]) if metres else None,
            type=self._cell(row, "type"),
            serials=(self._cell(row, "a_serial"), self._cell(row, "b_serial")),
        )

    def _cell(self, row: list[str], column: str) -> str:
        at = self.columns.get(column)
        return " ".join(row[at].split()) if at is not None and at < len(row) else ""

    def _end(self, line: int, row: list[str], end: str) -> PlannedPort | None:
        at, where = self.cells[end]
        if len(row) > at and len(row) > where:  # nearly all: a device that was met before, and a plain number
            known, plain_number = self.known.get(row[at]), self.numbers.get(row[where])
            if known is not None and plain_number is not None:
                return PlannedPort(known, plain_number)
        device, told = self._cell(row, f"{end}_device"), self._cell(row, f"{end}_port")
        if not device or not told:
            column = f"{end}_device" if not device else f"{end}_port"
            self._wrong(line, column, "empty: the line breaks off" if len(row) <= self.columns[column] else "empty")
            return None
        is_plain = told.isdecimal() and len(told) < 5
        if is_plain:
            number = int(told)
        elif (name := spelled(told)) is not None:
            number = self.counting.get(device.lower(), _PLAIN).number(name)
        else:
            parsed = _port(device, told)
            if parsed is None:
                self._wrong(line, f"{end}_port", f"not a port: {told[:60]}")
                return None
            device, number = parsed
        if not number:
            self._wrong(line, f"{end}_port", "ports count from 1")
            return None
        if self.hosts:
            host, blank, rest = device.partition(" ")
            device = f"{self.hosts.get(host.lower(), host)}{blank}{rest}"
        if len(device) > LONGEST_NAME:
            self._wrong(line, f"{end}_device", f"a name of more than {LONGEST_NAME} letters")
            return None
        called = self.spelled.setdefault(device.lower(), device)
        if is_plain:  # else the port may have told the adapter
            self.known[row[at]], self.numbers[told] = called, number
        return PlannedPort(called, number)

    def _place(self, line: int, row: list[str], end: str, device: str) -> None:
        guid = self._cell(row, f"{end}_guid")
        if guid:
            if re.fullmatch(r"(0x)?[0-9a-fA-F]{1,16}", guid):
                self.guids[device] = padded(guid)
            else:
                self._wrong(line, f"{end}_guid", f"not a GUID: {guid[:40]}")
        if feed := self._cell(row, f"{end}_feed"):
            self.feeds[device] = tuple(name.strip() for name in feed.split("+") if name.strip())
        if device in self.places:
            return
        numbers: list[float | None] = []
        for name in ("u", "x", "y"):
            told = self._cell(row, f"{end}_{name}")
            try:
                numbers.append(float(told) if told else None)
            except ValueError:
                self._wrong(line, f"{end}_{name}", f"not a number: {told[:40]}")
                return
        room, row_name, rack = (self._cell(row, f"{end}_{name}") for name in ("room", "row", "rack"))
        place = Place(room, row_name, rack, *numbers)
        if place != NOWHERE:
            self.places[device] = place

    def _devices(self) -> dict[str, PlannedDevice]:
        ports = Counter([device for cable in self.cables for device in (cable.a.device, cable.b.device)])
        return {device: self._device(device, count) for device, count in ports.items()}

    def _device(self, name: str, ports: int) -> PlannedDevice:
        """A file does not tell what a device is: adapters are known by their names, else by having a port or two."""
        machine, adapter = machine_and_adapter(name)
        board = _BOARD.fullmatch(name) if "/" in name else None
        role = DeviceRole.ADAPTER if adapter or (ports <= 2 and not board) else DeviceRole.SWITCH
        group = machine if adapter else board[1] if board else name
        place, guid, feeds = self.places.get(name, NOWHERE), self.guids.get(name, ""), self.feeds.get(name, ())
        return PlannedDevice(name, role, group, "", None, place, guid, "", "", feeds)


def _rows(text: str) -> _Rows:
    """All rows, cut at what the first line has most of."""
    first = next((line for line in lines_of(text) if line.strip()), "")
    lines = chain.from_iterable(StringIO(piece, newline="") for piece in pieces_of(text))
    return csv.reader(lines, delimiter=max(",;\t", key=first.count))


class _Unusual(Exception):
    """Some row asks for more care."""


class _Usual(_Reader):
    """Reads a file in which every port is a plain number, every host is written in one way, and no port and no label is
    there twice: as nearly all are, at a third of the cost. Raises _Unusual for any other, what is to be refused too."""

    def read(self, text: str) -> Plan:
        if "\0" in text:
            raise _Unusual
        rows = _rows(text)
        try:
            for line, row in self._filled(rows):
                self._heading(line, row)
                break
            if self.columns:
                self._all(rows)
        except (csv.Error, IndexError):  # IndexError: a line breaks off
            raise _Unusual from None
        cables = self.cables
        if not cables or self.errors or _short_hosts(self.spelled):
            raise _Unusual
        ports, labels = {*map(_A, cables), *map(_B, cables)}, set(map(_LABEL, cables))
        if not len(ports) == 2 * len(cables) == 2 * len(labels) or max(map(len, labels)) > LONGEST_LABEL:
            raise _Unusual
        return Plan(self._devices(), cables)

    def _all(self, rows: _Rows) -> None:
        """Every row: all but the label was met before in nearly all of them."""
        called, numbers = Met(self._device_called), Met(_number)
        (a_device, a_port), (b_device, b_port) = self.cells["a"], self.cells["b"]
        at, is_full = self.columns.get("cable"), len(self.columns) > 5
        add, new, blank = self.cables.append, _NEW, _BLANK
        for row in rows:
            if not row or row[0].startswith("#"):
                continue
            a = new(PlannedPort, (called[row[a_device]], numbers[row[a_port]]))
            b = new(PlannedPort, (called[row[b_device]], numbers[row[b_port]]))
            label = "" if at is None else " ".join(row[at].split())
            cable = new(PlannedCable, (label or _label(a, b), a, b, *blank, rows.line_num))
            add(self._full(cable.line, row, cable) if is_full else cable)

    def _device_called(self, cell: str) -> str:
        device = " ".join(cell.split())
        if not device or len(device) > LONGEST_NAME:
            raise _Unusual
        return self.spelled.setdefault(device.lower(), device)


def _number(cell: str) -> int:
    """A port that is a plain number."""
    told = " ".join(cell.split())
    number = int(told) if told.isdecimal() and len(told) < 5 else 0
    if not number:
        raise _Unusual
    return number


def _short_hosts(devices: Iterable[str]) -> dict[str, str]:
    """Host with its domain -> without, where only one host of these devices has that name. All in lower case."""
    hosts = {device.partition(" ")[0] for device in devices}
    full: dict[str, list[str]] = {}
    for host in hosts:
        if "." in host and (short := without_domain(host)):
            full.setdefault(short, []).append(host)
    return {names[0]: short for short, names in full.items() if len(names) == 1 and short in hosts}


def _label(a: PlannedPort, b: PlannedPort) -> str:
    """What a cable without a label is called: its ends, with a digest in place of what would be too long."""
    ends = f"{a.device}[{a.port}]-{b.device}[{b.port}]"
    if len(ends) <= LONGEST_LABEL:
        return ends
    return f"{ends[: LONGEST_LABEL - 17]}~{hashlib.sha256(ends.encode()).hexdigest()[:16]}"


def _port(device: str, told: str) -> tuple[str, int] | None:
    """Device and number of a port that is named by its board or its adapter."""
    blade = _BLADE.fullmatch(told)
    if blade:  # board and chip of a director, as its descriptions count them
        return f"{device}/L{int(blade[1]):02d}/U{int(blade[2])}", int(blade[3])
    adapter, _, port = told.partition("/")
    if port and not port.isdigit():
        return None
    name = adapter.removeprefix(device).strip() if adapter.lower().startswith(device.lower()) else adapter
    machine, own = machine_and_adapter(name)
    if own:
        return name, int(port or 1)
    return (f"{device} {name}", int(port or 1)) if machine and ADAPTER.fullmatch(name) else None
