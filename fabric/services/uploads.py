"""Files that a person brings: saved outputs of the tools, told apart by what stands in them, and as-built plans."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from core.errors import Conflict
from core.models import Site
from fabric import formats
from fabric.formats.plan_files import PlanFileError, read_plan
from fabric.models import AsBuiltPlan
from fabric.services.reading import FORMATS, Part

MOST_BYTES = 64 * 1024 * 1024
MOST_FILES = 20
SIGNS = (
    ("perfquery", re.compile(r"^# (?:Port|Port extended) counters:", re.MULTILINE)),
    ("ibqueryerrors", re.compile(r"^(?:Errors for |## Summary:|\s*GUID 0x[0-9a-fA-F]+ port )", re.MULTILINE)),
    ("iblinkinfo", re.compile(r"==\(\s*(?:\d+[xX]|Down|\s)")),
    ("ibnetdiscover", re.compile(r'^(?:Switch|Ca|Rt)\s*\d+\s*"[SHR]-|^(?:SW|CA|RT)\s+\d+\s+\d+\s+0x', re.MULTILINE)),
    ("lldp", re.compile(r'"lldp"\s*:')),
    ("eapi", re.compile(r'"lldpNeighbors"\s*:')),
    ("nvue", re.compile(r'"swp\d+\w*"\s*:')),
    ("ufm", re.compile(r'"(?:source_guid|system_guid|node_description|systemID)"\s*:')),
)


class FileRefused(Exception):
    """The file cannot be used; nothing was changed. The message names it and says why."""


def parts_from(files: Iterable[tuple[str, bytes]], format_: str = "") -> list[Part]:
    """Files as the parts of a capture, unpacked where gzipped. Raises FileRefused."""
    parts = []
    for name, content in files:
        if len(content) > MOST_BYTES:
            raise FileRefused(f"{name} is larger than {MOST_BYTES // 2**20} MiB")
        try:
            text = formats.text_of(content, name)
        except formats.Unreadable as error:
            raise FileRefused(str(error)) from error
        parts.append(Part(name[:190], format_ or format_of(name, text), text.replace("\0", "�")))
    return parts


def format_of(name: str, text: str) -> str:
    """Which tool wrote a text: by its content, an empty one by its name. Raises FileRefused."""
    for format_, sign in SIGNS:
        if sign.search(text, 0, 200_000):
            return format_
    for format_ in FORMATS:
        if format_ in name.lower():
            return format_
    raise FileRefused(f"{name}: neither its content nor its name says which of {', '.join(FORMATS)} wrote it")


@transaction.atomic
def keep_plan(site: Site, *, name: str, filename: str, content: bytes, note: str, by: str) -> AsBuiltPlan:
    """Keep a contractor's list of cables. Raises FileRefused with the places that are wrong, Conflict for its name."""
    if len(content) > MOST_BYTES:
        raise FileRefused(f"{filename} is larger than {MOST_BYTES // 2**20} MiB")
    try:
        text = formats.text_of(content, filename)
        plan = read_plan(text, filename)
    except (PlanFileError, formats.Unreadable) as error:
        raise FileRefused(str(error)) from error
    if not plan.cables:
        raise FileRefused(f"{filename} has no cables")
    try:
        with transaction.atomic():
            return AsBuiltPlan.objects.create(
                site=site, name=name, filename=filename[:200], content=zlib.compress(text.encode(), 6),
                cables=len(plan.cables), devices=len(plan.devices), note=note, created_by=by,
            )  # fmt: skip
    except IntegrityError as error:
        raise Conflict(f"There is a plan called {name} already.", "duplicate") from error


@transaction.atomic
def remove_plan(plan: AsBuiltPlan) -> None:
    """Raises ValidationError while a source is held against it."""
    plan = AsBuiltPlan.objects.select_for_update().get(pk=plan.pk)
    names = list(plan.sources.values_list("name", flat=True))
    if names:
        raise ValidationError(f"The source {names[0]} is held against this plan.")
    plan.delete()
