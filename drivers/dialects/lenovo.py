"""Lenovo: the XClarity Controller (XCC) of ThinkSystem servers."""

from __future__ import annotations

from drivers.dialects.dialect import Dialect

LENOVO = Dialect(
    slug="lenovo",
    vendor="Lenovo",
    bmc="XCC",
    source="NVIDIA/libredfish tests/mockups/lenovo (XCC TGBT20E 1.40: no PowerCycle, no InsertMedia, PlatformLog); "
    "Lenovo XCC REST API guide (pubs.lenovo.com): PATCH inserts EXT{N}; RDOC{N} and Remote{N} take no such image",
    vendors=("lenovo",),
    names=((r"XClarity Controller (\d)", r"XCC \1"),),
    logs=(("system", "PlatformLog"), ("system", "StandardLog")),
    media_slot=r"EXT\d+",
)
