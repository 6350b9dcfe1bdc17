"""The modules of checks of the operating system and its hardware: importing them declares their checks."""

from __future__ import annotations

from health.checks import kernel_lines, processor, storage, system

MODULES = (kernel_lines, processor, storage, system)
