"""PyTorch's flight recorder: which rank is behind, at which collective of which group. Pure.

A dump holds the last collectives of one rank (pickle of plain containers, or JSON). Facts used here were read in
dumps of formats 2.9 (torch 2.8, NCCL) and 2.10 (torch 2.13, Gloo):

* groups are joined over ranks by name and members; `pg_id` and the keys of `pg_status` are numbers of one rank alone;
* without timing nothing ever shows as started, so only enqueued and finished are told apart;
* the ring overwrites: only numbers that both ranks still hold are compared.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

LARGEST = 256 << 20
"""Bytes of a dump that is still read; 20,000 entries with stacks take about 60 MB."""
LAST_DONE = 512
SIZES_MUST_AGREE = ("all_reduce", "broadcast", "reduce", "barrier", "all_gather", "reduce_scatter")
ANY_SIZES = ("all_to_all", "coalesced", "gather_v", "scatter_v")


GONE = "left no dump: its process is gone or stuck"
NEVER_CALLED = "never called it: its process stands elsewhere"
NOT_FINISHED = "called it, and its GPU does not finish what others have"


class Unreadable(Exception):
    """The file is no dump, or it was cut off."""


class Entry(NamedTuple):
    sequence: int
    operation: str
    sizes: str
    types: str
    done: bool


class Group(NamedTuple):
    """A process group, the same on all its ranks."""

    name: str
    description: str
    members: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.description or 'group'} ({self.name})"


class Dump(NamedTuple):
    version: str
    entries: dict[Group, list[Entry]]

    @property
    def size(self) -> int:
        return sum(map(len, self.entries.values()))


class Behind(NamedTuple):
    """A rank that the others of a group wait for."""

    rank: int
    group: Group
    collective: str
    why: str
    called: bool
    """Its host called the collective, and its GPU does not finish it."""


class Analysis(NamedTuple):
    behind: list[Behind]
    mismatches: list[Behind]
    """Ranks that called something else at the same place than most."""
    unreadable: list[int]
    missing: list[int]
    """Ranks of a waiting group that left no dump."""


class _Plain(pickle.Unpickler):
    """Reads containers, texts and numbers; whatever would import or run something is refused."""

    def find_class(self, module: str, name: str) -> Any:
        raise Unreadable(f"it names {module}.{name}: a dump holds plain values only, so it is not read")

    def persistent_load(self, pid: Any) -> Any:
        raise Unreadable("it refers to something outside of itself")


def read_dump(data: bytes) -> Dump:
    """Read a dump as torch writes it. Raises Unreadable; nothing in the file is executed."""
    if len(data) > LARGEST:
        raise Unreadable(f"{len(data) >> 20} MB; a dump of a full ring is smaller than {LARGEST >> 20} MB")
    try:
        said = json.loads(data) if data.lstrip()[:1] == b"{" else _Plain(io.BytesIO(data)).load()
    except Unreadable:
        raise
    except Exception as error:  # pickle raises almost anything on damaged input
        raise Unreadable(f"cut off or damaged: {type(error).__name__}") from error
    return _dump(said)


def _dump(said: Any) -> Dump:
    if not isinstance(said, dict) or not isinstance(said.get("entries"), list):
        raise Unreadable("it has no list of entries")
    config = said.get("pg_config")
    members = {str(name): _members(row) for name, row in config.items()} if isinstance(config, dict) else {}
    status: Any = said.get("pg_status")
    status = status if isinstance(status, dict) else {}
    entries: dict[Group, list[Entry]] = {}
    told: dict[str, str] = {}
    of_groups: dict[
        str, list[Entry]
    ] = {}  # by the text: hashing 4,000 members for each entry takes longer than reading it
    for row in said["entries"]:
        if isinstance(row, dict) and not row.get("is_p2p") and isinstance(row.get("collective_seq_id"), int):
            named = row.get("process_group")
            found = of_groups.get(repr(named))
            if found is None:
                found = of_groups[repr(named)] = entries.setdefault(_group(named, members), [])
            found.append(_entry(row, status, told))
    for name, ranks in members.items():  # groups without an entry: the rank belongs to them all the same
        row = config[name] if isinstance(config, dict) else {}
        group = Group(name, str(row.get("desc", "")) if isinstance(row, dict) else "", ranks)
        if name:
            entries.setdefault(group, [])
    entries = {group: _that_count(found) for group, found in entries.items()}
    return Dump(str(said.get("version", "?")), entries)


def _that_count(entries: list[Entry]) -> list[Entry]:
    """Those that are open, and the last ones that are done: what 4,000 ranks still hold is in memory together."""
    done = len(entries) - LAST_DONE
    return entries if done <= 0 else [entry for at, entry in enumerate(entries) if at >= done or not entry.done]


def _members(row: Any) -> tuple[int, ...]:
    ranks = row.get("ranks") if isinstance(row, dict) else None
    if isinstance(ranks, str):
        try:
            ranks = json.loads(ranks)
        except ValueError:
            return ()
    return tuple(rank for rank in ranks if isinstance(rank, int)) if isinstance(ranks, list) else ()


def _group(said: Any, members: Mapping[str, tuple[int, ...]]) -> Group:
    name, description = (str(said[0]), str(said[1])) if isinstance(said, (list, tuple)) and len(said) == 2 else ("", "")
    known = members.get(name)
    if known is None and len(members) == 1:  # Gloo names its only group '' in one place and '0' in the other
        known = next(iter(members.values()))
    return Group(name, description, known or ())


def _entry(row: dict[str, Any], status: Mapping[Any, Any], told: dict[str, str]) -> Entry:
    """`told`: texts that were made before; a ring repeats the same few calls."""
    sequence = row["collective_seq_id"]
    of_group = status.get(str(row.get("pg_id")), status.get(row.get("pg_id")))
    last_done = of_group.get("last_completed_collective") if isinstance(of_group, dict) else None
    done = row.get("state") == "completed" or row.get("time_discovered_completed_ns") is not None
    if not done and row.get("retired"):  # Gloo never marks an end; NCCL retires what timed out too
        done = not isinstance(last_done, int) or sequence <= last_done
    name = str(row.get("profiling_name", "?")).split(":", 1)[-1]
    sizes, types = _text(row.get("input_sizes"), told), _text(row.get("input_dtypes"), told)
    return Entry(sequence, told.setdefault(name, name), sizes, types, bool(done))


def _text(value: Any, told: dict[str, str]) -> str:
    key = repr(value)
    if key not in told:
        told[key] = json.dumps(value, default=str)
    return told[key]


def analyse(dumps: Mapping[int, Dump], unreadable: Iterable[int] = ()) -> Analysis:
    """Who is behind. A rank that only waits in one group for somebody else is not blamed for being late in another."""
    not_read = set(unreadable)
    groups: dict[Group, dict[int, list[Entry]]] = {}
    for rank, dump in dumps.items():
        for group, entries in dump.entries.items():
            groups.setdefault(group, {})[rank] = entries
    late: list[Behind] = []
    mismatches: list[Behind] = []
    missing: set[int] = set()
    waiting: dict[int, set[Group]] = {}
    for group, of_ranks in groups.items():
        found = _late(group, of_ranks, not_read)
        missing |= {one.rank for one in found if one.rank not in dumps}
        late += found
        mismatches += _mismatches(group, of_ranks)
        for rank, entries in of_ranks.items():
            if any(not entry.done for entry in entries):
                waiting.setdefault(rank, set()).add(group)
    return Analysis(_to_blame(late, waiting), mismatches, sorted(not_read), sorted(missing))


def _late(group: Group, of_ranks: Mapping[int, list[Entry]], not_read: set[int]) -> list[Behind]:
    open_of = {rank: [entry for entry in entries if not entry.done] for rank, entries in of_ranks.items()}
    if not any(open_of.values()):
        return []
    first = {rank: _first_open(entries, open_of[rank]) for rank, entries in of_ranks.items() if entries}
    front = max(first.values())
    open_at = {entry.sequence: entry for entries in open_of.values() for entry in entries}
    last_open = max(open_at)
    found = []
    for rank in sorted(set(group.members) | set(of_ranks)):
        if rank in not_read:
            continue
        at = first.get(rank, front)
        entry = open_at.get(at) or open_at[last_open]
        if rank not in of_ranks:
            found.append(Behind(rank, group, f"{entry.operation} {at}", GONE, False))
        elif not open_of[rank] and at <= last_open:
            found.append(Behind(rank, group, f"{entry.operation} {at}", NEVER_CALLED, False))
        elif open_of[rank] and at < front:
            found.append(Behind(rank, group, f"{entry.operation} {at}", NOT_FINISHED, True))
    return found


def _first_open(entries: list[Entry], still_open: list[Entry]) -> int:
    if still_open:
        return min(entry.sequence for entry in still_open)
    return max(entry.sequence for entry in entries) + 1


def _to_blame(late: list[Behind], waiting: Mapping[int, set[Group]]) -> list[Behind]:
    """One row a rank, its earliest; without those that wait in another group for somebody who is late there."""
    by_group: dict[Group, set[int]] = {}
    for one in late:
        by_group.setdefault(one.group, set()).add(one.rank)

    def excused(one: Behind) -> bool:
        held = (group for group in waiting.get(one.rank, ()) if group != one.group)
        return not one.called and any(by_group.get(group, set()) - {one.rank} for group in held)

    guilty = [one for one in late if not excused(one)] or late
    first: dict[int, Behind] = {}
    for one in guilty:
        first.setdefault(one.rank, one)
    return [first[rank] for rank in sorted(first)]


def _mismatches(group: Group, of_ranks: Mapping[int, list[Entry]]) -> list[Behind]:
    """The smaller party at the first number at which ranks called different things."""
    at: dict[int, dict[tuple[str, str, str], list[int]]] = {}
    for rank, entries in of_ranks.items():
        for entry in entries:
            sizes = entry.sizes if _sizes_agree(entry.operation) else ""
            at.setdefault(entry.sequence, {}).setdefault((entry.operation, entry.types, sizes), []).append(rank)
    for sequence in sorted(at):
        parties = at[sequence]
        if len(parties) < 2:
            continue
        (most, _), *others = sorted(parties.items(), key=lambda party: -len(party[1]))
        return [
            Behind(rank, group, f"{called[0]} {sequence}", f"the others call {_differs(most, called)}", True)
            for called, ranks in others
            for rank in sorted(ranks)
        ]
    return []


def _sizes_agree(operation: str) -> bool:
    return not any(name in operation for name in ANY_SIZES) and any(name in operation for name in SIZES_MUST_AGREE)


def _differs(most: tuple[str, str, str], called: tuple[str, str, str]) -> str:
    if most[0] != called[0]:
        return most[0]
    return f"it with {most[1]}" if most[1] != called[1] else f"it with size {most[2]}"
