"""A whole site as one archive: a file for each kind of record, which go back in together, into any inventory.

The archive holds what the kinds declare. Comments, attachments, tickets and the history stay where they are.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from django.db import connection, transaction

from inventory.kinds import Kind, Report, Scope, write
from inventory.kinds.kind import in_order
from inventory.transfer.export import export
from inventory.transfer.imports import LOCK_WAIT_S, check_size, custom_columns, max_bytes
from inventory.transfer.problems import FileRefused, refused
from inventory.transfer.readers import FORMATS, format_of, read_rows

MOST_FILES_FULL = 8
"""Of all files together as many times what one may have."""
Files = Mapping[str, tuple[str, bytes]]  # kind to the name of its file and what is in it


def kinds() -> list[Kind]:
    """What an archive holds, in the order in which it goes back in."""
    return [kind for kind in in_order() if not kind.personal]


# ---- out ----


@contextmanager
def one_moment() -> Iterator[None]:
    """What is read inside is as it was at one moment, unless a transaction runs already."""
    nested = connection.in_atomic_block
    with transaction.atomic():
        if not nested:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


def files(visible: list[int] | None, file_format: str = "csv") -> Iterator[tuple[str, Iterator[bytes]]]:
    """A file for each kind that has records at these sites (None: at all): its name, and pieces of it."""
    for kind in kinds():
        rows = kind.limited(visible).order_by(*kind.order)
        if rows.exists():
            yield f"{kind.name}.{file_format}", export(kind, file_format, rows)


def write_zip(out: IO[bytes], visible: list[int] | None, file_format: str = "csv") -> list[str]:
    """Returns the names of the files in it."""
    names = []
    with one_moment(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, pieces in files(visible, file_format):
            names.append(name)
            with archive.open(name, "w") as member:
                for piece in pieces:
                    member.write(piece)
    return names


def write_folder(folder: Path, visible: list[int] | None, file_format: str = "csv") -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    with one_moment():
        for name, pieces in files(visible, file_format):
            names.append(name)
            with (folder / name).open("wb") as out:
                for piece in pieces:
                    out.write(piece)
    return names


# ---- in ----


def read_archive(path: Path) -> Files:
    """The files of a folder or a zip file by kind. Raises FileRefused for a file of no kind, and for one too large."""
    known = {kind.name for kind in in_order()}
    found: dict[str, tuple[str, bytes]] = {}
    total = 0
    for name, content in _members(path):  # each is judged before the next is unpacked: a zip can hold any number
        kind = PurePosixPath(name).stem
        if kind in found:
            raise refused(f"{found[kind][0]} and {name} are both {kind}", "duplicate")
        if kind not in known:
            raise refused(f"{name}: there is no kind {kind!r}, only {', '.join(sorted(known))}", "unknown_reference")
        total += len(content)
        if total > MOST_FILES_FULL * max_bytes():
            raise refused(f"{path.name} unpacks to more than {MOST_FILES_FULL * max_bytes() >> 20} MB", "too_large")
        found[kind] = (name, content)
    if not found:
        raise refused(f"no files of records such as racks.csv in {path}", "empty")
    return found


def _members(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in sorted(path.iterdir()):
            if _is_records(file.name):
                check_size(file.stat().st_size)
                yield file.name, file.read_bytes()
        return
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not _is_records(member.filename):
                    continue
                with archive.open(member) as packed:
                    content = packed.read(max_bytes() + 1)  # what the archive says of the size may be wrong
                check_size(len(content))
                yield PurePosixPath(member.filename).name, content
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:  # also: encrypted
        raise refused(f"{path.name}: not a folder and not a zip file ({error})", "syntax") from None


def _is_records(name: str) -> bool:
    path = PurePosixPath(name)
    return path.suffix.lstrip(".").lower() in (*FORMATS, "yml") and not path.name.startswith(".")


class _Undo(Exception):
    """Leaves the transaction; nothing of it is kept."""


def import_archive(
    archive: Files, *, scope: Scope, actor: str, mode: Any = "upsert", dry_run: bool = False
) -> list[Report]:
    """Write all files in one transaction, what is referred to first: all of them or, when a row is wrong, none.

    Returns a report a kind, up to the first that is refused. Raises FileRefused, named by the file. A dry run writes
    each file, so that the next ones find what they refer to, and takes everything back.
    """
    reports: list[Report] = []
    try:
        with transaction.atomic():
            for kind in in_order():
                if kind.name in archive:
                    reports.append(_write(kind, *archive[kind.name], scope=scope, actor=actor, mode=mode))
                    if not reports[-1].ok:
                        raise _Undo
            if dry_run:
                raise _Undo
    except _Undo:
        pass
    for report in reports:
        report.dry_run = dry_run
    return reports


def _write(kind: Kind, name: str, content: bytes, *, scope: Scope, actor: str, mode: Any) -> Report:
    try:
        rows = read_rows(kind, content, format_of(name), custom_columns(kind))
    except FileRefused as error:
        problems = [(row, problem._replace(reason=f"{name}: {problem.reason}")) for row, problem in error.problems]
        raise FileRefused(problems) from error
    return write(kind, rows, mode, scope=scope, actor=actor, lock_wait_s=LOCK_WAIT_S)
