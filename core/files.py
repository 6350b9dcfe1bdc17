"""Files that people attach: looked into, cleaned, kept on disk under the hash of their content.

What a file is decides its content, never its name. Pictures are turned upright and written anew (`core.pictures`), so
that where and with what they were taken stays with the photographer. Rooms above add their own table of attachments: a
subclass of `StoredFile` with a foreign key to what it is attached to.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from django.conf import settings
from django.db import connection, models, transaction
from django.db.models import Func, Value
from django.db.models.functions import Now

from core.pictures import images
from core.pictures.images import MAX_PIXELS

HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
NAME_LETTERS = 120
LOCK_KEY = 0x5AC51DE  # of PostgreSQL's advisory lock between uploads and the removal of orphans
SEQUENCE = "inventory_attachment_number"


class FileRefused(ValueError):
    """The file cannot be attached; the text says why. `too_large` tells the HTTP edge which status that is."""

    def __init__(self, reason: str, *, too_large: bool = False) -> None:
        super().__init__(reason)
        self.too_large = too_large


@dataclass(frozen=True)
class Examined:
    """What is kept of a file: cleaned content, its type, its size in pixels, and a small picture of it."""

    content: bytes
    mime: str
    width: int | None = None
    height: int | None = None
    thumbnail: bytes | None = None

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


class StoredFile(models.Model):
    """One attachment. Equal content is on disk once, whatever it is attached to.

    Ids are drawn from one sequence for all tables of attachments, so that a number means one of them.
    """

    id = models.BigIntegerField(primary_key=True, editable=False, db_default=Func(Value(SEQUENCE), function="nextval"))
    filename = models.CharField(max_length=NAME_LETTERS)
    content_type = models.CharField(max_length=40)
    size = models.PositiveBigIntegerField(help_text="Bytes, as kept.")
    sha256 = models.CharField(max_length=64, db_index=True)
    width = models.PositiveIntegerField(null=True, blank=True)
    height = models.PositiveIntegerField(null=True, blank=True)
    has_thumbnail = models.BooleanField(default=False)
    caption = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    created_by = models.CharField(max_length=150)

    class Meta:
        abstract = True
        ordering: ClassVar = ["-id"]

    def __str__(self) -> str:
        return self.filename

    @property
    def path(self) -> Path:
        return content_path(self.sha256)

    @property
    def thumbnail_path(self) -> Path:
        return content_path(f"{self.sha256}.thumb")


# ---- looking into a file ----


def examine(stream: BinaryIO, *, max_bytes: int, max_pixels: int = MAX_PIXELS) -> Examined:
    """What a file is, cleaned. Raises FileRefused for what is too large, broken, or of a kind that is not kept, and
    Busy when too many pictures are being read."""
    content = stream.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise FileRefused(f"The file is larger than {max_bytes // 2**20} MiB.", too_large=True)
    if not content:
        raise FileRefused("The file is empty.")
    if content[4:8] == b"ftyp" and content[8:12] in HEIF_BRANDS:
        raise FileRefused("HEIC pictures cannot be read here: send it as JPEG (on the telephone: most compatible).")
    if content.startswith(b"%PDF-"):
        if b"%%EOF" not in content[-2048:]:
            raise FileRefused("The PDF ends before its end.")
        return Examined(content, "application/pdf")
    picture = _picture(content, max_pixels)
    if picture is not None:
        return picture
    if _is_text(content):
        return Examined(content, "text/plain")
    raise FileRefused("Only pictures (JPEG, PNG, WebP), PDF and plain text can be attached.")


def _picture(content: bytes, max_pixels: int) -> Examined | None:
    """The picture cleaned; None when it is no picture of a known format."""
    try:
        found = images.read(content, max_pixels)
    except images.PictureRefused as reason:
        raise FileRefused(str(reason), too_large=reason.too_large) from reason
    if found is None:
        return None
    return Examined(found.content, found.mime, found.width, found.height, found.thumbnail)


def _is_text(content: bytes) -> bool:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return False
    return not re.search(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]", text)


def safe_name(given: str, mime: str) -> str:
    """The name to show and to save under: without folders and control characters, ending as the content says."""
    name = unicodedata.normalize("NFC", given.replace("\\", "/").rpartition("/")[2])
    name = "".join(letter for letter in name if unicodedata.category(letter)[0] != "C").strip(" .")
    endings = {
        "image/jpeg": (".jpg", ".jpeg"),
        "image/png": (".png",),
        "image/webp": (".webp",),
        "application/pdf": (".pdf",),
        "text/plain": (".txt", ".log", ".csv", ".md", ".json", ".yaml", ".conf"),
    }[mime]
    if not name.lower().endswith(endings):
        name = (name or "file") + endings[0]
    stem, dot, ending = name.rpartition(".")
    return stem[: NAME_LETTERS - len(dot + ending)] + dot + ending


def numbers(count: int) -> list[int]:
    """Ids for new attachments, for those that are written together."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval(%s::regclass) FROM generate_series(1, %s)", [SEQUENCE, count])
        return [number for (number,) in cursor.fetchall()]


# ---- on disk ----


def folder() -> Path:
    return Path(settings.MEDIA_ROOT)


def content_path(name: str) -> Path:
    return folder() / name[:2] / name


def keep(examined: Examined) -> None:
    """Write the content and its small picture to disk. Call it in the transaction that writes the row.

    Until that transaction ends, the removal of orphans waits.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s)", [LOCK_KEY])
    _write(content_path(examined.sha256), examined.content)
    if examined.thumbnail is not None:
        _write(content_path(f"{examined.sha256}.thumb"), examined.thumbnail)


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all; what is there already has the same content."""
    if path.exists():
        return
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, unfinished = tempfile.mkstemp(dir=path.parent, prefix=".unfinished-")
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(content)
            target.flush()
            os.fsync(target.fileno())
        os.replace(unfinished, path)
    except BaseException:
        Path(unfinished).unlink(missing_ok=True)
        raise


# ---- which tables have attachments ----


Refuses = Callable[[Any, Any, dict[Any, Any]], str]
"""Of a person, a record and the person's roles."""


@dataclass(frozen=True)
class Subject:
    """Something to attach to: the attachment's foreign key, its model, and the path from there to the site's id.

    `refuses` says why a technician of its site may not add or change files of a record; it is empty for who may.
    """

    field: str
    model: type[models.Model]
    site_path: str
    attachments: type[StoredFile]
    refuses: Refuses | None = None


_subjects: dict[str, Subject] = {}


def register_subject(
    field: str,
    model: type[models.Model],
    site_path: str,
    attachments: type[StoredFile],
    refuses: Refuses | None = None,
) -> None:
    """Let files be attached to records of a model. Rooms do this at start-up."""
    _subjects[field] = Subject(field, model, site_path, attachments, refuses)


def subjects() -> dict[str, Subject]:
    return dict(_subjects)


def tables() -> list[type[StoredFile]]:
    return list(dict.fromkeys(subject.attachments for subject in _subjects.values()))


# ---- orphans ----

ORPHANS_KEPT_S = 86_400.0  # a backup that began before a removal still finds the files its dump names
_RECORD = "orphans.json"


@transaction.atomic
def remove_orphans(now_s: float) -> int:
    """Delete files that no row has named for a day; returns how many. `now_s` are seconds since 1970.

    What is seen without a row for the first time is only written down.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK_KEY])
    used = {sha256 for table in tables() for sha256 in table._default_manager.values_list("sha256", flat=True)}
    unused = [path for path in folder().glob("??/*") if path.name.partition(".")[0] not in used]
    seen = _read_record()
    since = {path.name: min(seen.get(path.name, now_s), now_s) for path in unused}
    gone = [path for path in unused if now_s - since[path.name] >= ORPHANS_KEPT_S]
    for path in gone:
        path.unlink(missing_ok=True)
        since.pop(path.name)
    if since or seen:
        _write_record(since)
    return len(gone)


def _read_record() -> dict[str, float]:
    try:
        record = json.loads((folder() / _RECORD).read_text())
        return {str(name): float(seen) for name, seen in record.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}  # the worst that a lost record does is to keep orphans a day longer


def _write_record(since: dict[str, float]) -> None:
    path = folder() / _RECORD
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json.dumps(since))
    os.replace(unfinished, path)
