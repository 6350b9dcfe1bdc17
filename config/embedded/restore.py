"""Reading a backup back into a stopped or fresh data folder: the old data goes only when the new is verified."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
from pathlib import Path, PurePosixPath
from typing import Any

from config.embedded.backup import FORMAT, SECRETS, count_rows, key_fingerprints, run_tool, unseal, version
from config.embedded.instance import Instance
from config.embedded.postgres import DATABASE, USER
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
    manifest = read_manifest(source)
    with instance.opened():
        refuse_full_database(instance, replace)
        arriving = instance.folder.path / "arriving"
        shutil.rmtree(arriving, ignore_errors=True)
        try:
            with instance.progress.step("Unpacking and checking"):
                unpack(source, manifest, arriving)
            secrets = choose_secrets(instance, manifest, arriving, passphrase, keys_from, new_keys)
            with instance.progress.step("Restoring the database") as step:
                rows = load_dump(instance, arriving / "database.dump", manifest["tables"])
                step.note(f"{rows} rows in {len(manifest['tables'])} tables, as counted in the backup")
            swap_in(instance, arriving, secrets, done=manifest["done"])
        finally:
            shutil.rmtree(arriving, ignore_errors=True)
    shutil.rmtree(instance.folder.valkey)  # queued tasks and stream positions belong to the old database
    instance.folder.valkey.mkdir(mode=0o700)
    return manifest


def read_manifest(source: Path) -> dict[str, Any]:
    """The manifest of a backup file; refuses what is not one, or is newer than we are."""
    try:
        with tarfile.open(source) as archive:
            member = archive.extractfile("manifest.json")
            manifest = json.load(member) if member else {}
    except (OSError, tarfile.TarError, KeyError, ValueError) as error:
        raise LaunchError(f"{source} cannot be read as a backup of Rackside: {error}.") from error
    if manifest.get("format") != FORMAT:
        raise LaunchError(f"{source} has backup format {manifest.get('format')}; this version reads {FORMAT}.")
    if as_numbers(manifest["rackside"]) > as_numbers(version()):
        raise LaunchError(
            f"{source} was made by Rackside {manifest['rackside']}; this is {version()}.", "Restore with that version."
        )
    return dict(manifest)


def as_numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".") if part.isdigit())


def refuse_full_database(instance: Instance, replace: bool) -> None:
    with instance.postgres.connect() as connection:
        row = connection.execute("SELECT count(*) FROM pg_class WHERE relname = 'django_migrations'").fetchone()
    if row and row[0] and not replace:
        raise LaunchError(
            f"{instance.folder.path} holds a database already.",
            "Give a new folder with --data, or add --replace to put the backup in its place.",
        )


def unpack(source: Path, manifest: dict[str, Any], target: Path) -> None:
    """Write the members below `target`, each checked against its checksum; nothing can land outside."""
    expected = dict(manifest["members"])
    with tarfile.open(source) as archive:
        for member in archive:
            path = PurePosixPath(member.name)
            if member.name == "manifest.json":
                continue
            if not member.isfile() or path.is_absolute() or ".." in path.parts or member.name not in expected:
                raise LaunchError(f"{source} contains {member.name!r}, which its manifest does not list.")
            content = archive.extractfile(member)
            place = target / path
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            digest = hashlib.sha256()
            with open(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as output:
                while content and (chunk := content.read(1 << 20)):
                    digest.update(chunk)
                    output.write(chunk)
            if digest.hexdigest() != expected.pop(member.name):
                raise LaunchError(f"{source} is damaged: {member.name} does not match its checksum.")
    if expected:
        raise LaunchError(f"{source} is incomplete: {', '.join(sorted(expected)[:5])} missing.")


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
        return dict(json.loads(unseal(sealed.read_bytes(), passphrase)))
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


def load_dump(instance: Instance, dump: Path, tables: dict[str, int]) -> int:
    """Load the dump into a database of its own and compare the rows of every table; returns how many there are."""
    postgres = instance.postgres
    with postgres.connect("postgres") as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{ARRIVING}"')
    postgres.create_database(ARRIVING)
    command = [postgres.binary("pg_restore"), "-h", str(instance.folder.sockets), "-U", USER, "-d", ARRIVING]
    run_tool(instance, [*command, "--no-owner", "--exit-on-error", "--single-transaction", str(dump)])
    with postgres.connect(ARRIVING) as connection:
        counted = count_rows(connection, instance.progress.tick)
        connection.execute("ANALYZE")
    for name in sorted(tables.keys() | counted.keys()):
        if tables.get(name) != counted.get(name):
            raise LaunchError(
                f"The restored table {name} has {counted.get(name)} rows, the backup has {tables.get(name)}.",
                "The data folder was left as it was.",
            )
    return sum(counted.values())


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
    folder.write_record("done", done)  # an older schema is migrated at the next start
    with instance.postgres.connect("postgres") as connection:
        connection.execute(f'DROP DATABASE "{OLD}"')
