"""The rows of a dump, and nothing else of it: no statement that stands in a backup is ever carried out.

A dump may have been written by a stranger, and PostgreSQL carries out what a dump says: functions, defaults and
programs of a COPY among it. So the schema comes from our own migrations. `pg_restore` only writes the dump out as text,
in which we look for blocks of rows, for the positions of sequences and for the bounds of partitions; statements are
then made by us from names that our schema has. Whatever else is in the rows' part refuses the whole file.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import psycopg
from psycopg import sql

from config.embedded.backups.archive import Malformed
from config.embedded.postgres import Postgres

NAME = r'"?([a-z_][a-z0-9_]{0,62})"?'
COPY = re.compile(rf"COPY public\.{NAME} \(([a-z0-9_\", ]+)\) FROM stdin;\n")
SEQUENCE = re.compile(rf"SELECT pg_catalog\.setval\('public\.{NAME}', (\d{{1,19}}), (true|false)\);\n")
HARMLESS = re.compile(
    r"\n|--.*\n|\\(?:un)?restrict [A-Za-z0-9]+\n|SET [a-z_]+ = [^;\n]*;\n"
    r"|SELECT pg_catalog\.set_config\('search_path', '', false\);\n"
)
TIME = r"'(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+00)'"
PARTITION = re.compile(
    rf"ALTER TABLE ONLY public\.{NAME} ATTACH PARTITION public\.{NAME} FOR VALUES FROM \({TIME}\) TO \({TIME}\);\n"
)
END = b"\\.\n"
LOADER = sql.Identifier("rackside_loader")
"""The role that rows are written as: nothing is its own, and all it may do is add rows to our tables."""
LONGEST_LINE = 2**30
Connection = psycopg.Connection[tuple[object, ...]]


class Partition(NamedTuple):
    """A partition by time that a dump has."""

    table: str
    name: str
    start: str
    end: str


@contextmanager
def as_text(postgres: Postgres, dump: Path, *options: str) -> Iterator[IO[bytes]]:
    """What `pg_restore` writes of a dump, without a database. It runs as PostgreSQL's account, not as root."""
    account = postgres.account
    command = [postgres.binary("pg_restore"), "--no-owner", "--no-privileges", *options, "-f", "-"]
    with dump.open("rb") as source, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command,
            cwd="/",
            env=postgres.environment(),
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=errors,
            user=account.uid if account else None,
            group=account.gid if account else None,
            extra_groups=[] if account else None,
        )
        assert process.stdout is not None
        try:
            yield process.stdout
            process.stdout.read()
            status = process.wait()
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
        if status != 0:
            errors.seek(0)
            words = errors.read().decode(errors="replace").strip().splitlines() or ["it gave no reason"]
            raise Malformed(f"has a database that cannot be read ({words[0][:200]})")


def applied_migrations(postgres: Postgres, dump: Path) -> list[tuple[str, str]]:
    """(app, name) of every migration the dumped database had."""
    found = []
    with as_text(postgres, dump, "--data-only", "--table=django_migrations") as text:
        for table, columns, rows in blocks(text):
            if table == "django_migrations" and {"app", "name"} <= set(columns):
                app, name = columns.index("app"), columns.index("name")
                for row in rows:
                    values = row.decode(errors="replace").rstrip("\n").split("\t")
                    if len(values) == len(columns):
                        found.append((values[app], values[name]))
    if not found:
        raise Malformed("has a database without a schema of Rackside")
    return found


def partitions(postgres: Postgres, dump: Path) -> list[Partition]:
    with as_text(postgres, dump, "--section=pre-data") as text:
        lines = (line.decode(errors="replace") for line in text)
        return [Partition(*found.groups()) for line in lines if (found := PARTITION.fullmatch(line))]


def blocks(text: IO[bytes], sequences: list[tuple[str, int, bool]] | None = None) -> Iterator[Any]:
    """(table, columns, its rows) of each COPY; positions of sequences go to `sequences`. Raises Malformed."""
    while line := text.readline(LONGEST_LINE):
        words = line.decode(errors="replace")
        if found := COPY.fullmatch(words):
            columns = [each.strip().strip('"') for each in found[2].split(",")]
            rows = _rows(text)
            yield found[1], columns, rows
            for _ in rows:  # what the caller left
                pass
        elif found := SEQUENCE.fullmatch(words):
            if sequences is not None:
                sequences.append((found[1], int(found[2]), found[3] == "true"))
        elif not HARMLESS.fullmatch(words):
            raise Malformed(f"has a database with more than rows in it: {words.strip()[:80]!r}")


def _rows(text: IO[bytes]) -> Iterator[bytes]:
    while line := text.readline(LONGEST_LINE):
        if line == END:
            return
        yield line
    raise Malformed("has a database that ends within a table")


# ---- loading ----


class Schema(NamedTuple):
    """What our migrations made, and what is taken away while rows come in."""

    columns: dict[str, set[str]]
    sequences: set[str]
    foreign_keys: list[tuple[str, str, str]]


COLUMNS = """
SELECT c.relname, array_agg(a.attname::text) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    AND a.attgenerated = '' GROUP BY c.relname"""
SEQUENCES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'"
FOREIGN_KEYS = """
SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace"""


def schema_of(connection: Connection) -> Schema:
    def rows(query: str) -> list[Any]:
        return connection.execute(query.encode()).fetchall()

    columns = {name: set(names) for name, names in rows(COLUMNS)}
    return Schema(columns, {name for (name,) in rows(SEQUENCES)}, rows(FOREIGN_KEYS))


def is_partition(table: str, name: str) -> bool:
    """Whether a partition of this table may be called so: by its month, its day or its hour."""
    return re.fullmatch(re.escape(table) + r"_\d{6}(\d\d){0,2}", name) is not None


def make_partitions(connection: Connection, wanted: list[Partition]) -> None:
    """Partitions by time, of tables of ours that have some. Raises Malformed."""
    query = "SELECT relname FROM pg_class WHERE relkind = 'p' AND relnamespace = 'public'::regnamespace"
    known = {name for (name,) in connection.execute(query).fetchall()}
    for table, name, start, end in wanted:
        if table not in known or not is_partition(table, name):
            raise Malformed(f"has a partition {name!r} that this version does not know")
        connection.execute(
            sql.SQL("CREATE TABLE IF NOT EXISTS {} PARTITION OF {} FOR VALUES FROM ({}) TO ({})").format(
                sql.Identifier(name), sql.Identifier(table), sql.Literal(start), sql.Literal(end)
            )
        )


def load(postgres: Postgres, connection: Connection, dump: Path) -> None:
    """Fill the empty schema of this database with the rows of a dump, in one transaction. Raises Malformed.

    Foreign keys are taken away meanwhile and checked as they come back; triggers do not fire. Rows that break any other
    constraint are refused as they come.
    """
    try:
        with connection.transaction():
            make_partitions(connection, partitions(postgres, dump))
            schema = schema_of(connection)
            _prepare(connection, schema)
            positions: list[tuple[str, int, bool]] = []
            with _as_loader(connection, schema), as_text(postgres, dump, "--data-only") as text:
                for table, columns, rows in blocks(text, positions):
                    _copy(connection, schema, table, columns, rows)
            _finish(connection, schema, positions)
    except psycopg.Error as error:
        words = (str(error).splitlines() or [type(error).__name__])[0]
        raise Malformed(f"has rows that this version refuses ({words[:200]})") from error


def _prepare(connection: Connection, schema: Schema) -> None:
    for table, name, _ in schema.foreign_keys:
        connection.execute(
            sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(sql.SQL(table), sql.Identifier(name))  # type: ignore[arg-type]
        )
    for table in schema.columns:
        connection.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(sql.Identifier(table)))
    tables = sql.SQL(", ").join(sql.Identifier(table) for table in sorted(schema.columns))
    connection.execute(sql.SQL("TRUNCATE {}").format(tables))  # what migrations wrote comes with the rows, too


@contextmanager
def _as_loader(connection: Connection, schema: Schema) -> Iterator[None]:
    """Go on as a role without rights but one, so that whatever a row might set off could do nothing else.

    It is made and dropped in the transaction of the caller: a restore that fails leaves none.
    """
    tables = sql.SQL(", ").join(map(sql.Identifier, sorted(schema.columns)))
    connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN NOSUPERUSER NOINHERIT").format(LOADER))
    connection.execute(sql.SQL("GRANT INSERT ON {} TO {}").format(tables, LOADER))
    connection.execute(sql.SQL("SET LOCAL ROLE {}").format(LOADER))
    yield
    connection.execute("RESET ROLE")
    connection.execute(sql.SQL("DROP OWNED BY {}").format(LOADER))
    connection.execute(sql.SQL("DROP ROLE {}").format(LOADER))


def _copy(connection: Connection, schema: Schema, table: str, columns: list[str], rows: Iterator[bytes]) -> None:
    if not set(columns) <= schema.columns.get(table, set()):
        raise Malformed(f"has a table {table!r} or columns of it that this version does not know")
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), names)
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write(row)


def _finish(connection: Connection, schema: Schema, positions: list[tuple[str, int, bool]]) -> None:
    for name, value, is_called in positions:
        if name not in schema.sequences:
            raise Malformed(f"has a sequence {name!r} that this version does not know")
        where = sql.Identifier(name).as_string(connection)
        connection.execute("SELECT setval(%s::regclass, %s, %s)", [where, value, is_called])
    connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    for table in schema.columns:
        connection.execute(sql.SQL("ALTER TABLE {} ENABLE TRIGGER USER").format(sql.Identifier(table)))
    for table, name, definition in schema.foreign_keys:
        connection.execute(
            sql.SQL("ALTER TABLE {} ADD CONSTRAINT {} {}").format(
                sql.SQL(table),
                sql.Identifier(name),
                sql.SQL(definition),  # type: ignore[arg-type]
            )
        )
