"""Processes that the kernel holds (state D), and where in it they stand. Pure.

Read is what `runs.collection.script` prints of /proc/PID/task/TID/{status,wchan,stack}; stack needs root.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from runs.causes import classes

_HEAD = re.compile(r"process (\d+) thread (\d+)")
_FRAME = re.compile(r"\[<[0-9a-fx]+>\] ([\w.]+)")
FILE_SYSTEMS = ("nfs", "rpc_", "lustre", "ptlrpc", "ldlm", "gpfs", "fuse", "beegfs", "ceph", "wekafs")
HOLDERS = (
    (FILE_SYSTEMS, classes.STORAGE, "a file system"),
    (("nvidia", "nv_", "uvm_", "rm_", "os_acquire"), classes.HARDWARE, "the GPU's driver"),
    (("mlx5", "ib_", "rdma", "uverbs"), classes.NETWORK, "the network adapter's driver"),
    (("blk_", "io_schedule", "jbd2", "ext4", "xfs", "nvme", "md_"), classes.STORAGE, "a disk"),
)  # fmt: skip
"""By what names of functions begin with or hold: who is waited for."""
USUAL = ("wait_woken", "0", "")


class Stuck(NamedTuple):
    machine: str
    pid: int
    rank: int | None
    name: str
    place: str
    """The innermost function of the kernel."""
    frames: tuple[str, ...]

    @property
    def holder(self) -> tuple[str | None, str]:
        """(owner, in words) of what it waits for."""
        for marks, owner, words in HOLDERS:
            if any(
                frame.startswith(mark) or f"_{mark}" in frame for frame in (self.place, *self.frames) for mark in marks
            ):
                return owner, words
        return None, "the kernel"


def read_stuck(text: str, machine: str, ranks: Mapping[int, int]) -> list[Stuck]:
    """`ranks`: process id to rank. Threads of the kernel itself are left out."""
    found: list[Stuck] = []
    for part in re.split(r"^(?=process \d+ thread \d+$)", text, flags=re.MULTILINE):
        head = _HEAD.match(part)
        if head is None:
            continue
        told = dict(re.findall(r"^(\w+):[ \t]*(.*)$", part, re.MULTILINE))
        frames = tuple(_FRAME.findall(part))
        place = told.get("wchan", "").strip()
        if place in USUAL:
            place = frames[0] if frames else ""
        pid = int(head[1])
        if told.get("PPid", "").strip() != "2" and told.get("State", "D").startswith("D"):
            found.append(Stuck(machine, pid, ranks.get(pid), told.get("Name", "").strip(), place, frames))
    return found
