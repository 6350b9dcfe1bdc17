"""Boot images of virtual media: a site's installer ISO with room for what differs from machine to machine.

Everything of such an ISO but a few small text files is the same for every machine. So it is made once per operating
system (`prepare`): xorriso adds those files, filled up to a fixed size, and keeps the installer's own way to boot. A
machine's ISO is that image with the bytes of those files replaced while it is read (`patches`, `read`): nothing is
built and nothing lies on a disk for a machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

SECTOR = 2048
"""Of ISO 9660; `report_lba` of xorriso counts in it."""
PIECE = 256 * 1024
FILE = "rackside.iso"
"""How the address of every medium ends: by it one of ours is known, whichever run inserted it."""
NAME = re.compile(r"[a-z0-9][a-z0-9.\-]{0,39}")
_LBA = re.compile(r"^File data lba:\s*0 ,\s*(\d+) ,\s*(\d+) ,\s*(\d+) , '(.+)'$", re.M)
Patch = tuple[int, bytes]


class ImageError(ValueError):
    """An image that cannot be made or used as it is asked for; the text says why."""


@dataclass(frozen=True, slots=True)
class Layout:
    """An installer's ISO: how it is known, what its kernel is started with, and the files that differ by machine.

    `slots`: paths with the bytes that are kept for each; those of boot menus only where the ISO has such a menu.
    """

    family: str
    marker: str
    kernel: str
    initrd: str
    arguments: str
    slots: Mapping[str, int]


GRUB, ISOLINUX = "/boot/grub/grub.cfg", "/isolinux/isolinux.cfg"
MENUS = (GRUB, ISOLINUX)
MENU_BYTES, DATA_BYTES, SMALL_BYTES = 8 * 1024, 96 * 1024, 8 * 1024
LAYOUTS = (
    # NoCloud from a folder of the medium, which casper mounts at /cdrom: subiquity's autoinstall reference.
    # `noprompt`: it does not wait for somebody to take the medium out; `fsck.mode=skip`: nor read all of it first.
    Layout(
        "ubuntu", "/casper/vmlinuz", "/casper/vmlinuz", "/casper/initrd",
        "autoinstall ds=nocloud;s=/cdrom/rackside/ noprompt fsck.mode=skip",
        {"/rackside/user-data": DATA_BYTES, "/rackside/meta-data": SMALL_BYTES, "/rackside/vendor-data": SMALL_BYTES,
         "/rackside/network-config": SMALL_BYTES},
    ),
    # The installation guide, appendix B: a preconfiguration file on the medium.
    Layout(
        "debian", "/install.amd/vmlinuz", "/install.amd/vmlinuz", "/install.amd/initrd.gz",
        "auto=true priority=critical file=/cdrom/rackside/preseed.cfg",
        {"/rackside/preseed.cfg": DATA_BYTES},
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Card:
    """What is known of a prepared image. `slots`: offset and length in the file, by path."""

    name: str
    family: str
    file: str
    size: int
    slots: Mapping[str, tuple[int, int]]

    @property
    def layout(self) -> Layout:
        return next(each for each in LAYOUTS if each.family == self.family)


def card_of(folder: Path | None, name: str) -> Card | None:
    """The image that was prepared under this name; None where there is none."""
    if folder is None or not NAME.fullmatch(name):
        return None
    try:
        told = json.loads((folder / f"{name}.json").read_text())
        slots = {path: (int(offset), int(length)) for path, (offset, length) in told.pop("slots").items()}
        return Card(**told, slots=slots)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def names(folder: Path | None) -> list[str]:
    """Images that are prepared, by name."""
    found = sorted(path.stem for path in folder.glob("*.json")) if folder else []
    return [name for name in found if card_of(folder, name) is not None]


# ---- made once ----


def prepare(source: Path, name: str, folder: Path) -> Card:
    """Make the image `name` of an installer's ISO. Takes as long as copying it. Raises ImageError.

    One that is there under this name is replaced; its file stays for the machines that read it (`unused`).
    """
    if not NAME.fullmatch(name):
        raise ImageError(f"{name!r}: want small letters, digits, . and -")
    there = _paths(source)
    layout = next((each for each in LAYOUTS if each.marker in there), None)
    if layout is None:
        raise ImageError(f"{source.name} has none of {', '.join(each.marker for each in LAYOUTS)}: no known installer")
    menus = [menu for menu in MENUS if menu in there]
    if not menus:
        raise ImageError(f"{source.name} has no boot menu at {' or '.join(MENUS)}")
    slots = {**dict.fromkeys(menus, MENU_BYTES), **layout.slots}
    with tempfile.TemporaryDirectory(dir=folder) as work:
        made, marks = _remastered(source, slots, Path(work))
        places = _places(made, marks)
        file = f"{name}-{_digest(made)[:12]}.iso"
        card = Card(name, layout.family, file, made.stat().st_size, places)
        os.replace(made, folder / file)
        told = Path(work) / "card.json"
        told.write_text(json.dumps(asdict(card), indent=1))
        os.replace(told, folder / f"{name}.json")
    return card


def unused(folder: Path, used: Sequence[str]) -> list[Path]:
    """Files of images that were replaced and that no machine reads any more."""
    kept = {*used, *(card.file for name in names(folder) if (card := card_of(folder, name)))}
    return [path for path in folder.glob("*-????????????.iso") if path.name not in kept]


def _paths(source: Path) -> frozenset[str]:
    if not source.is_file():
        raise ImageError(f"there is no file {source}")
    told = _xorriso("-indev", source, "-find", "/", "-type", "f")
    return frozenset(line.strip().strip("'") for line in told.splitlines())


def _remastered(source: Path, slots: Mapping[str, int], work: Path) -> tuple[Path, dict[str, bytes]]:
    """The ISO with a file of random bytes in each slot, by which it is found again.

    They are added behind what is there, so that its boot loaders, which know their places by block, stay as they are.
    """
    marks: dict[str, bytes] = {}
    maps: list[str | Path] = []
    made = work / "made.iso"
    for number, (path, length) in enumerate(slots.items()):
        marks[path] = secrets.token_bytes(length)
        (work / str(number)).write_bytes(marks[path])
        maps += ["-map", work / str(number), path]
    shutil.copyfile(source, made)
    _xorriso("-dev", made, "-boot_image", "any", "keep", *maps)
    return made, marks


def _places(made: Path, marks: Mapping[str, bytes]) -> dict[str, tuple[int, int]]:
    """Where the slots are in the file, each compared with what was put there."""
    found = {}
    with made.open("rb") as file:
        for path, mark in marks.items():
            told = _LBA.search(_xorriso("-indev", made, "-find", path, "-exec", "report_lba"))
            if told is None:
                raise ImageError(f"{path} is not one piece of the image")
            offset = int(told[1]) * SECTOR
            file.seek(offset)
            if file.read(len(mark)) != mark:
                raise ImageError(f"{path} is not where xorriso says that it is")
            found[path] = (offset, len(mark))
    return found


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _xorriso(*words: str | Path) -> str:
    try:
        done = subprocess.run(
            ["xorriso", "-no_rc", "-abort_on", "FAILURE", *map(str, words)], capture_output=True, text=True
        )
    except OSError as error:
        raise ImageError(f"xorriso does not start: {error}") from error
    if done.returncode != 0:
        raise ImageError(f"xorriso: {done.stderr.strip()[-500:]}")
    return done.stdout


# ---- read for a machine ----


def patches(card: Card, texts: Mapping[str, str]) -> list[Patch]:
    """The bytes of each slot, by offset: its text, and newlines up to its length. Raises ImageError."""
    if missing := set(card.slots) - set(texts):
        raise ImageError(f"nothing is said of {', '.join(sorted(missing))}")
    made = []
    for path, (offset, length) in card.slots.items():
        data = texts[path].encode()
        if len(data) > length:
            raise ImageError(f"{path} takes {length} bytes, these are {len(data)}")
        made.append((offset, data.ljust(length, b"\n")))
    return sorted(made)


def read(file: BinaryIO, made: Sequence[Patch], start: int, length: int) -> Iterator[bytes]:
    """So many bytes from `start` of the image with its patches, in pieces; closes the file."""
    with file:
        file.seek(start)
        end = start + length
        while start < end and (piece := file.read(min(PIECE, end - start))):
            yield _patched(piece, start, made)
            start += len(piece)


def _patched(piece: bytes, start: int, made: Sequence[Patch]) -> bytes:
    end, whole = start + len(piece), None
    for offset, data in made:
        low, high = max(start, offset), min(end, offset + len(data))
        if low < high:
            whole = whole or bytearray(piece)
            whole[low - start : high - start] = data[low - offset : high - offset]
    return piece if whole is None else bytes(whole)


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """Start and length of a `Range` (RFC 9110, 14.2) of one part; None: all of it. Raises ImageError where there is
    nothing of it. What is more than one part, or no range of bytes, may be answered with all."""
    if not (found := re.fullmatch(r"\s*bytes=(\d{0,18})-(\d{0,18})\s*", header)) or found[0].strip() == "bytes=-":
        return None
    first, last = found[1], found[2]
    if not first:
        start, end = max(0, size - int(last)), size
    else:
        start, end = int(first), min(size, int(last) + 1) if last else size
        if last and int(last) < start:
            return None
    if start >= end:
        raise ImageError("beyond its end")
    return start, end - start


# ---- its boot menu ----


def menus(card: Card, title: str, arguments: str = "") -> dict[str, str]:
    """Each boot menu of the image: one entry, which starts by itself. Raises ImageError for what is not one line."""
    words = f"{card.layout.arguments} {arguments}".strip()
    if not words.isprintable() or not title.isprintable() or re.search(r"['\"\\{}$]", title + words):
        raise ImageError("a boot menu takes one line without quotes, braces, $ and \\")
    shown = {GRUB: _grub, ISOLINUX: _isolinux}
    return {menu: shown[menu](card.layout, title, words) for menu in MENUS if menu in card.slots}


def _grub(layout: Layout, title: str, words: str) -> str:
    return (
        "set timeout=3\nset default=0\n"
        f"menuentry '{title}' {{\n"
        f"  linux {layout.kernel} {words.replace(';', chr(92) + ';')} ---\n"  # GRUB ends a command at a bare ;
        f"  initrd {layout.initrd}\n}}\n"
    )


def _isolinux(layout: Layout, title: str, words: str) -> str:
    return (
        "default rackside\ntimeout 30\nprompt 0\nlabel rackside\n"
        f"  menu label {title}\n  kernel {layout.kernel}\n  append initrd={layout.initrd} {words} ---\n"
    )
