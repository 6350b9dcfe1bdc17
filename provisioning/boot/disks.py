"""Which disks the system goes onto, and how they are laid out, as autoinstall's `storage`. Pure.

A disk is named by its serial, or by what it is, never by its place under /dev: that order changes from start to start.
The format is curtin's storage configuration, version 2, with subiquity's `match`
(https://canonical-subiquity.readthedocs-hosted.com/en/latest/reference/autoinstall-reference.html#storage).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Match = dict[str, Any]
ESP_SIZE = "1G"


class NoDisk(ValueError):
    """The rule of the device model names no disk of this machine; the text says why."""


def matches_of(rule: Mapping[str, Any], serials: Mapping[str, str]) -> list[Match]:
    """One match for each disk: one, or two that mirror each other.

    `rule` is `expected.boot_disks` of the device model, `serials` the recorded serial of each drive by its slot.
    Raises NoDisk where a slot of the rule has no drive with a serial.
    """
    if slots := rule.get("slots"):
        unknown = [slot for slot in slots if not serials.get(slot)]
        if unknown:
            raise NoDisk(f"no drive with a serial is recorded in {' and '.join(unknown)}")
        # udev puts the model before the serial of an NVMe drive, so the serial is looked for within.
        return [{"serial": f"*{serials[slot]}*"} for slot in slots]
    same = {key: rule[key] for key in ("model", "size", "ssd") if key in rule}
    return [dict(same) for _ in range(int(rule.get("count", 1)))]


def storage(matches: Sequence[Match]) -> dict[str, Any]:
    """The whole of one disk, or of two as RAID 1; an EFI system partition on each, so that either starts alone."""
    if len(matches) == 1:
        return {"layout": {"name": "direct", "match": matches[0]}}
    config: list[dict[str, Any]] = []
    for number, match in enumerate(matches):
        disk, esp = f"disk{number}", f"esp{number}"
        config += [
            {"type": "disk", "id": disk, "match": match, "ptable": "gpt", "wipe": "superblock-recursive",
             "preserve": False, "grub_device": False},
            {"type": "partition", "id": esp, "device": disk, "size": ESP_SIZE, "flag": "boot", "grub_device": True,
             "preserve": False},
            {"type": "format", "id": f"{esp}-fs", "volume": esp, "fstype": "fat32", "preserve": False},
            {"type": "partition", "id": f"half{number}", "device": disk, "size": -1, "preserve": False},
        ]  # fmt: skip
    config += [
        {"type": "raid", "id": "md0", "name": "md0", "raidlevel": "raid1", "preserve": False,
         "devices": [f"half{number}" for number in range(len(matches))]},
        {"type": "format", "id": "root-fs", "volume": "md0", "fstype": "ext4", "preserve": False},
        {"type": "mount", "id": "root", "device": "root-fs", "path": "/"},
        {"type": "mount", "id": "efi", "device": "esp0-fs", "path": "/boot/efi"},
    ]  # fmt: skip
    return {"version": 2, "config": config}
