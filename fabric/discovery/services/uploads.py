"""Files that a person brings: saved outputs of the tools, told apart by what stands in them, and as-built plans."""

from __future__ import annotations

import re
from collections.abc import Iterable

from fabric import formats
from fabric.discovery.services.readers import FORMATS, Part

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
