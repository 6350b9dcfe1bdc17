"""The triggers that keep the log: made from the models, compared with the database after every migration.

Each audited table has a function of its own, so that PostgreSQL keeps its plans, and four statement-level triggers.
A statement becomes one entry per site and 500 rows, whatever wrote it: ORM, bulk, COPY, raw SQL or a cascade.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.db import connection

from core.audit.tables import Table, by_name, column_of, table_of

CHUNK = 500
"""Rows of an entry: enough to compress well, few enough to show one without reading thousands."""

EVENTS = {
    "audit_insert": "AFTER INSERT ON {table} REFERENCING NEW TABLE AS new_rows",
    "audit_update": "AFTER UPDATE ON {table} REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows",
    "audit_delete": "AFTER DELETE ON {table} REFERENCING OLD TABLE AS old_rows",
    "audit_truncate": "BEFORE TRUNCATE ON {table}",
}

COMMON = {
    "core_audit_change": """
DECLARE
    actor text := nullif(current_setting('rackside.actor', true), '');
    context text := coalesce(current_setting('rackside.context', true), '');
    known text := coalesce(current_setting('rackside.change', true), '');
    mark text;
    told jsonb;
    change bigint;
BEGIN
    IF actor IS NULL THEN
        RAISE EXCEPTION 'nobody is named for this change of %', changed_table
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'In psql, say who you are first: SET rackside.actor = ''your name''; '
                         'in Python, write inside core.audit.actor.acting(Actor(...)).';
    END IF;
    -- One change per transaction and actor. The mark is undone with a savepoint exactly when its rows are.
    mark := pg_current_xact_id()::text || '|' || actor || '|' || context;
    IF known <> '' AND substr(known, strpos(known, '|') + 1) = mark THEN
        RETURN split_part(known, '|', 1)::bigint;
    END IF;
    told := coalesce(nullif(context, ''), '{}')::jsonb;
    INSERT INTO core_auditchange (actor, kind, source, request_id, note, undoes_id)
    VALUES (left(actor, 200), left(coalesce(told ->> 'kind', 'database'), 20),
            left(coalesce(told ->> 'source', ''), 400),
            left(coalesce(told ->> 'request', ''), 100), left(coalesce(told ->> 'note', ''), 500),
            (told ->> 'undoes')::bigint)
    RETURNING id INTO change;
    PERFORM set_config('rackside.change', change || '|' || mark, true);
    RETURN change;
END
""",
    "core_audit_keep": """
BEGIN
    IF TG_OP <> 'UPDATE' AND current_setting('rackside.prune', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege',
        HINT = 'manage.py prune_history removes what is older than you say.';
END
""",
}
SIGNATURES = {
    "core_audit_change": "core_audit_change(changed_table text) RETURNS bigint",
    "core_audit_keep": "core_audit_keep() RETURNS trigger",
}
KEPT = ("core_auditchange", "core_auditentry")
KEEP_TRIGGER = "audit_keep"


@dataclass
class Source:
    """A FROM list that starts at the rows of a statement and grows by the joins that paths need.

    Each join looks its row up by key (OFFSET 0 keeps it so). PostgreSQL keeps the plan that it made for the first
    statement of a session: one made for many rows would read a whole table for each single row later on.
    """

    rows: str
    table: Table

    def __post_init__(self) -> None:
        self.joins: dict[tuple[str, ...], str] = {}
        self.lines: list[str] = []

    def column(self, path: tuple[str, ...]) -> str:
        """SQL for the key at the end of a path of foreign keys; () is the row's own key."""
        if not path:
            return f"r.{quoted(self.table.pk)}"
        alias, model = "r", self.table.model
        for depth, name in enumerate(path):
            key: Any = model._meta.get_field(name)
            value = f"{alias}.{quoted(key.column)}"
            if depth == len(path) - 1:
                return value
            model = key.related_model
            alias = self._joined(path[: depth + 1], model, value)
        raise AssertionError("unreachable")

    def alias(self, path: tuple[str, ...]) -> str:
        """The alias of the record at the end of a path; `r` for the row itself."""
        if not path:
            return "r"
        value = self.column(path)
        model: Any = self.table.model
        for name in path:
            model = model._meta.get_field(name).related_model
        return self._joined(path, model, value)

    def _joined(self, path: tuple[str, ...], model: Any, value: str) -> str:
        if path not in self.joins:
            alias = self.joins[path] = f"j{len(self.joins) + 1}"
            meta = model._meta
            self.lines.append(
                f"LEFT JOIN LATERAL (SELECT * FROM {quoted(meta.db_table)} t "
                f"WHERE t.{quoted(meta.pk.column)} = {value} OFFSET 0) {alias} ON true"
            )
        return self.joins[path]

    def sql(self) -> str:
        return " ".join([f"FROM {self.rows} r", *self.lines])


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def function_name(table: str) -> str:
    return f"audit_{table}"[:63]


def target_of(table: Table, path: tuple[str, ...]) -> str:
    """The table whose ids stand at the end of a path; that of the device for a machine."""
    model: Any = table.model
    for name in path:
        model = model._meta.get_field(name).related_model
    return table_of(model).root


def read(table: Table, rows: str, *, identity: bool = False) -> str:
    """The SELECT that reads one side of a statement: id, site, what the rows belong to, and the rows."""
    source = Source(rows, table)
    site = "NULL::bigint" if table.site is None else source.column(table.site)
    columns = [f"r.{quoted(table.pk)} AS pk", f"{site} AS site"]
    columns += [f"{source.column(path)} AS b{n}" for n, path in enumerate(table.belongs_to)]
    if identity:
        columns += ["r AS image", f"to_jsonb(r) - {array(table.columns(table.noise))} AS j"]
        pairs = ", ".join(f"{text(column)}, r.{quoted(column)}" for column in shown_names(table))
        columns.append(f"jsonb_build_object({pairs}) AS called")
    else:
        columns.append("r AS r")
    return f"SELECT {', '.join(columns)} {source.sql()}"


HIDDEN = "(hidden)"
HIDDEN_JSON = f'"{HIDDEN}"'


def shown_names(table: Table) -> list[str]:
    """Columns that name a row or say what it belongs to, without secret ones."""
    names = [*table.names, *(path[0] for path in table.belongs_to if len(path) == 1)]
    return [column_of(table.model, name) for name in dict.fromkeys(names) if name not in table.hidden]


def far(table: Table) -> str:
    """SQL of a jsonb with the ids, by table, of what a row belongs to only over another record; "" for most tables."""
    pairs = [
        f"{text(target_of(table, path))}, b{number}" for number, path in enumerate(table.belongs_to) if len(path) > 1
    ]
    return f"jsonb_build_object({', '.join(pairs)})" if pairs else ""


def array(values: list[str]) -> str:
    return f"ARRAY[{', '.join(map(text, values))}]::text[]"


def about(table: Table, sides: tuple[str, ...]) -> str:
    """SQL of the entry's `about`: the ids of the rows and of what they belong to, by table."""
    wanted: dict[str, list[str]] = {}
    if table.has_id and table.declared.found_by_id:
        wanted[table.root] = ["x.pk"]
    for number, path in enumerate(table.belongs_to):
        columns = wanted.setdefault(target_of(table, path), [])
        columns += [f"x.{side}b{number}" for side in sides]
    parts = []
    for target, columns in wanted.items():
        if columns == ["x.pk"]:
            ids = "to_jsonb(array_agg(x.pk))"
        else:
            every = " || ".join(f"array_agg({column})" for column in columns)
            ids = (
                f"coalesce((SELECT jsonb_agg(DISTINCT v ORDER BY v) FROM unnest({every}) v WHERE v IS NOT NULL), '[]')"
            )
        parts.append(f"{text(target)}, {ids}")
    return f"jsonb_build_object({', '.join(parts)})"


def insert(table: Table, action: str, inner: str, row: str, sides: tuple[str, ...] = ("",)) -> str:
    """The INSERT of entries; `row` is SQL of the JSON text of one row: text costs a third of what jsonb does."""
    return f"""
        INSERT INTO core_auditentry (change_id, site_id, table_name, action, size, about, rows)
        SELECT core_audit_change({text(table.name)}), x.site, {text(table.name)}, {text(action)}, count(*),
               {about(table, sides)},
               ('[' || string_agg({row}, ', ') || ']')::json
        FROM (SELECT n.*, (n.number - 1) / {CHUNK} AS chunk
              FROM (SELECT s.*, row_number() OVER () AS number FROM ({inner}) s) n
              ORDER BY n.site, (n.number - 1) / {CHUNK}, n.number) x
        GROUP BY x.site, x.chunk ORDER BY x.site, x.chunk;"""


def whole_rows(table: Table, rows: str, action: str, side: str) -> str:
    whole = "row_to_json(x.r)::text"
    if table.hidden:
        mask = dict.fromkeys(table.columns(table.hidden), HIDDEN)
        whole = f"(to_jsonb(x.r) || {text(json.dumps(mask))}::jsonb)::text"
    key = "x.pk" if table.has_id else "'null'"
    of = f" || ', \"of\": ' || {far(table).replace(', b', ', x.b')}::text" if far(table) else ""
    row = f"""'{{"id": ' || {key} || ', "{side}": ' || {whole}{of} || '}}'"""
    return insert(table, action, read(table, rows), row)


# A row that went to another site is shown to neither: it tells of both, and to take it back needs rights at both.
SITE_OF_CHANGE = """CASE WHEN o.pk IS NULL THEN n.site WHEN n.pk IS NULL OR n.site IS NOT DISTINCT FROM o.site
                    THEN o.site END"""


def changed_rows(table: Table) -> str:
    masked = array(table.columns(table.hidden))
    sides = ", ".join(f"o.b{n} AS ob{n}, n.b{n} AS nb{n}" for n in range(len(table.belongs_to)))
    shown = "coalesce(n.pk, o.pk)" if table.has_id else "NULL"
    of = far(table)
    over = f", 'of', coalesce({of.replace(', b', ', n.b')}, {of.replace(', b', ', o.b')})" if of else ""
    value = f"CASE WHEN k.key = ANY({masked}) THEN {text(HIDDEN_JSON)}::jsonb ELSE {{side}}.j -> k.key END"
    inner = f"""
            SELECT coalesce(n.pk, o.pk) AS pk, {SITE_OF_CHANGE} AS site{", " + sides if sides else ""},
                   jsonb_build_object('id', {shown}, 'is', coalesce(n.called, o.called),
                                      'before', d.was, 'after', d.now{over})
                       AS told
            FROM ({read(table, "new_rows", identity=True)}) n
            FULL JOIN ({read(table, "old_rows", identity=True)}) o ON n.pk = o.pk
            CROSS JOIN LATERAL (
                SELECT jsonb_object_agg(k.key, {value.format(side="o")}) AS was,
                       jsonb_object_agg(k.key, {value.format(side="n")}) AS now
                FROM jsonb_object_keys(coalesce(n.j, o.j)) k(key)
                WHERE o.j -> k.key IS DISTINCT FROM n.j -> k.key) d
            WHERE (n.pk IS NULL OR o.pk IS NULL OR n.image *<> o.image) AND d.now IS NOT NULL"""
    return insert(table, "changed", inner, "x.told::text", sides=("o", "n"))


def body(table: Table) -> str:
    """The plpgsql of one table's function."""
    return f"""
BEGIN
    IF TG_OP = 'INSERT' THEN{whole_rows(table, "new_rows", "created", "after")}
    ELSIF TG_OP = 'UPDATE' THEN{changed_rows(table)}
    ELSIF TG_OP = 'DELETE' THEN{whole_rows(table, "old_rows", "deleted", "before")}
    ELSE{whole_rows(table, quoted(table.name), "deleted", "before")}
    END IF;
    RETURN NULL;
END
"""


def wanted() -> tuple[dict[str, str], dict[tuple[str, str], str]]:
    """Function name to its body, and (table, trigger) to the statement that makes the trigger."""
    functions = dict(COMMON)
    triggers: dict[tuple[str, str], str] = {}
    for table in by_name().values():
        function = function_name(table.name)
        functions[function] = body(table)
        for trigger, event in EVENTS.items():
            triggers[table.name, trigger] = (
                f"CREATE TRIGGER {trigger} {event.format(table=quoted(table.name))} "
                f"FOR EACH STATEMENT EXECUTE FUNCTION {quoted(function)}()"
            )
    for name in KEPT:
        triggers[name, KEEP_TRIGGER] = (
            f"CREATE TRIGGER {KEEP_TRIGGER} BEFORE UPDATE OR DELETE OR TRUNCATE ON {name} "
            "FOR EACH STATEMENT EXECUTE FUNCTION core_audit_keep()"
        )
    return functions, triggers


THERE = """
SELECT (SELECT coalesce(jsonb_agg(relname), '[]') FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')),
       (SELECT coalesce(jsonb_object_agg(proname, md5(prosrc)), '{}') FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND (proname LIKE 'audit\\_%' OR proname LIKE 'core\\_audit\\_%')),
       (SELECT coalesce(jsonb_agg(jsonb_build_array(c.relname, t.tgname, t.tgenabled = 'O')), '[]')
        FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        WHERE c.relnamespace = 'public'::regnamespace AND NOT t.tgisinternal AND t.tgname LIKE 'audit\\_%')
"""


def differences() -> list[str]:
    """The statements that make the database's triggers those of the models; empty when they are. One query."""
    with connection.cursor() as cursor:
        cursor.execute(THERE)
        tables, functions, triggers = (json.loads(value) for value in cursor.fetchone())
    if not set(KEPT) <= set(tables):
        return []  # migrated back to before the log, or not yet this far
    there = {(table, trigger): enabled for table, trigger, enabled in triggers}
    new_functions, new_triggers = wanted()
    statements = [
        f"DROP TRIGGER {quoted(trigger)} ON {quoted(table)}"
        for (table, trigger), enabled in there.items()
        if (table, trigger) not in new_triggers or not enabled
    ]
    for name, source in new_functions.items():
        if functions.get(name) != hashlib.md5(source.encode(), usedforsecurity=False).hexdigest():
            head = SIGNATURES.get(name, f"{quoted(name)}() RETURNS trigger")
            statements.append(f"CREATE OR REPLACE FUNCTION {head} LANGUAGE plpgsql AS $audit${source}$audit$")
    statements += [
        sql for (table, trigger), sql in new_triggers.items() if table in tables and not there.get((table, trigger))
    ]
    statements += [f"DROP FUNCTION {quoted(name)}()" for name in functions if name not in new_functions]
    return statements


def install(**_: Any) -> None:
    """Receiver of `post_migrate`: change what differs, in one message."""
    statements = differences()
    if statements:
        with connection.cursor() as cursor:
            cursor.execute("; ".join(statements))
