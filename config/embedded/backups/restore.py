"""Reading a backup back into a stopped or fresh data folder: the old data goes only when the new is verified."""

from __future__ import annotations

import contextlib
import json
import shutil
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from config.embedded.backups import rows
from config.embedded.backups.archive import Malformed, inspect, refusals, unpack
from config.embedded.backups.backup import SECRETS, count_rows, key_fingerprints, unseal
from config.embedded.instance import Instance
from config.embedded.postgres import DATABASE
from config.embedded.progress import LaunchError

ARRIVING = f"{DATABASE}_arriving"
OLD = f"{DATABASE}_old"


def restore(
    instance: Instance, source: Path, *, replace: bool, passphrase: str | None, keys_from: Path | None, new_keys: bool
) -> dict[str, Any]:
    """Restore a backup; returns its manifest.

    Raises LaunchError, having changed nothing, when the file is damaged, made by a newer version, meets a database that
    is not empty (without `replace`), or when the key of its credentials is not at hand (without `new_keys`).
    """
    manifest = inspect(source)
    with instance.opened():
        refuse_full_database(instance, replace)
        arriving = instance.folder.path / "arriving"
        shutil.rmtree(arriving, ignore_errors=True)
        try:
            with instance.progress.step("Unpacking and checking"):
                unpack(source, manifest, arriving)
            secrets = choose_secrets(instance, manifest, arriving, passphrase, keys_from, new_keys)
            with instance.progress.step("Restoring the database") as step:
                count = load_dump(instance, source, arriving, manifest)
                step.note(f"{count} rows in {len(manifest['tables'])} tables, as counted in the backup")
            # An older schema is migrated at the next start, which also puts the triggers of the history in place.
            done = {name: value for name, value in manifest["done"].items() if name != "migrate"}
            swap_in(instance, arriving, secrets, done=done)
        finally:
            shutil.rmtree(arriving, ignore_errors=True)
            with contextlib.suppress(psycopg.Error), instance.postgres.connect("postgres") as connection:
                connection.execute(f'DROP DATABASE IF EXISTS "{ARRIVING}"')
    shutil.rmtree(instance.folder.valkey)  # queued tasks and stream positions belong to the old database
    instance.folder.valkey.mkdir(mode=0o700)
    return manifest


def refuse_full_database(instance: Instance, replace: bool) -> None:
    with instance.postgres.connect() as connection:
        row = connection.execute("SELECT count(*) FROM pg_class WHERE relname = 'django_migrations'").fetchone()
    if row and row[0] and not replace:
        raise LaunchError(
            f"{instance.folder.path} holds a database already.",
            "Give a new folder with --data, or add --replace to put the backup in its place.",
        )


def choose_secrets(
    instance: Instance,
    manifest: dict[str, Any],
    arriving: Path,
    passphrase: str | None,
    keys_from: Path | None,
    new_keys: bool,
) -> dict[str, str]:
    """The secrets to go on with: sealed in the backup, from another folder, or those of the data folder itself."""
    wanted = set(manifest["key_fingerprints"])
    sealed = arriving / "keys.sealed"
    if passphrase and sealed.exists():
        opened = json.loads(unseal(sealed.read_bytes(), passphrase))
        return {name: str(opened[name]) for name in SECRETS}
    candidate = instance.folder.path / "secrets" if keys_from is None else keys_from
    found = {name: (candidate / name).read_text().strip() for name in SECRETS if (candidate / name).exists()}
    if wanted <= set(key_fingerprints(found.get("credential_keys", ""))):
        return found
    if new_keys:
        return {}
    hint = "give its passphrase" if sealed.exists() else "give --keys DIR, the folder `secrets` of the old data folder"
    raise LaunchError(
        "The key that the credentials in this backup were encrypted with is not here.",
        f"To restore, {hint}. With --new-keys all else is restored and the credentials are entered again.",
    )


def load_dump(instance: Instance, source: Path, arriving: Path, manifest: dict[str, Any]) -> int:
    """Load the rows into a database of its own with our schema and count those of every table; how many there are."""
    postgres, tables, dump = instance.postgres, manifest["tables"], arriving / "database.dump"
    with postgres.connect("postgres") as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{ARRIVING}"')
    postgres.create_database(ARRIVING)
    with refusals(source):
        applied = arriving / "applied.json"
        applied.write_text(json.dumps(rows.applied_migrations(postgres, dump)))
        build_schema(instance, applied)
        with postgres.connect(ARRIVING) as connection:
            rows.load(postgres, connection, dump)
            counted = count_rows(connection, instance.progress.tick)
            for name in sorted(tables.keys() | counted.keys()):
                if tables.get(name, 0) != counted.get(name, 0):
                    there, here = tables.get(name, 0), counted.get(name, 0)
                    raise Malformed(f"says that its table {name} has {there} rows, and it has {here}")
            connection.execute("ANALYZE")
            pause(connection, f"Restored from the backup of {manifest['written_at'][:40]}.")
    return sum(counted.values())


def build_schema(instance: Instance, applied: Path) -> None:
    """Let our migrations make the tables as they were when the backup was written. Raises Malformed."""
    environment = {"RACKSIDE_DATABASE_URL": instance.postgres.url_of(ARRIVING)}
    told = instance.manage("build-schema", "build_schema", str(applied), environment=environment)
    if reason := json.loads(told.strip().splitlines()[-1])["refused"]:
        raise Malformed(f"cannot be read by this version: {reason}")


def pause(connection: psycopg.Connection[tuple[object, ...]], reason: str) -> None:
    """The restored instance acts on nothing until somebody takes it over: see `core.instance.state`."""
    literal = sql.Literal(reason)
    connection.execute(
        sql.SQL("ALTER DATABASE {} SET {} = {}").format(
            sql.Identifier(ARRIVING), sql.Identifier("rackside", "restored"), literal
        )
    )
    found = connection.execute("SELECT to_regclass('core_instancestate')").fetchone()
    if found and found[0]:
        connection.execute("UPDATE core_instancestate SET paused_at = now(), paused_reason = %s", [reason])


def swap_in(instance: Instance, arriving: Path, secrets: dict[str, str], *, done: dict[str, str]) -> None:
    """Put the verified database, files and secrets in the place of the old ones; `done`: the steps it had behind it."""
    folder = instance.folder
    with instance.postgres.connect("postgres") as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{OLD}"')
        connection.execute(f'ALTER DATABASE "{DATABASE}" RENAME TO "{OLD}"')
        connection.execute(f'ALTER DATABASE "{ARRIVING}" RENAME TO "{DATABASE}"')
    for name, value in secrets.items():
        folder.write_secret(name, value)
    shutil.rmtree(folder.files)
    files = arriving / "files"
    files.mkdir(mode=0o700, exist_ok=True)
    files.rename(folder.files)
    folder.write_record("done", done)
    with instance.postgres.connect("postgres") as connection:
        connection.execute(f'DROP DATABASE "{OLD}"')
