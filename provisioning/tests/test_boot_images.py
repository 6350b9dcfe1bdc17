"""Boot images: an ISO prepared once by xorriso, and what a machine reads of it."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest

from provisioning.media import images
from provisioning.media.images import GRUB, ISOLINUX, Card, ImageError

SLOTS = {GRUB: (1000, 50), ISOLINUX: (1050, 50), "/rackside/preseed.cfg": (3000, 200)}
CARD = Card("debian-12", "debian", "x.iso", 4096, SLOTS)
TEXTS = {GRUB: "menu", ISOLINUX: "other", "/rackside/preseed.cfg": "answers"}


def iso(folder: Path, *paths: str) -> Path:
    tree = folder / "tree"
    for path in ("README", *paths):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(f"this is {path}")
    subprocess.run(
        ["xorriso", "-as", "mkisofs", "-r", "-o", folder / "source.iso", tree], check=True, capture_output=True
    )
    return folder / "source.iso"


def extracted(image: Path, path: str, folder: Path) -> str:
    words: list[str | Path] = ["xorriso", "-osirrox", "on", "-indev", image, "-extract", path, folder / "out"]
    subprocess.run(words, check=True, capture_output=True)
    return (folder / "out").read_text()


def test_a_machines_image_has_its_own_menu_and_data_and_everything_else_as_it_was(tmp_path: Path) -> None:
    source = iso(tmp_path, "casper/vmlinuz", "casper/initrd", "boot/grub/grub.cfg")
    card = images.prepare(source, "ubuntu-24.04", tmp_path)
    assert images.card_of(tmp_path, "ubuntu-24.04") == card and images.names(tmp_path) == ["ubuntu-24.04"]
    texts = {**dict.fromkeys(card.layout.slots, "none"), **images.menus(card, "gpu-1", "console=ttyS0")}
    texts["/rackside/user-data"] = "#cloud-config\nautoinstall: {}\n"
    with (tmp_path / card.file).open("rb") as file:
        mine = tmp_path / "mine.iso"
        mine.write_bytes(b"".join(images.read(file, images.patches(card, texts), 0, card.size)))
    assert extracted(mine, "/rackside/user-data", tmp_path).rstrip("\n") == texts["/rackside/user-data"].rstrip("\n")
    menu = extracted(mine, GRUB, tmp_path)
    assert "ds=nocloud\\;s=/cdrom/rackside/" in menu and "console=ttyS0 ---" in menu
    assert extracted(mine, "/casper/vmlinuz", tmp_path) == "this is casper/vmlinuz"


def test_an_image_that_is_prepared_again_leaves_the_file_to_those_who_read_it(tmp_path: Path) -> None:
    source = iso(tmp_path, "install.amd/vmlinuz", "isolinux/isolinux.cfg")
    first = images.prepare(source, "debian-12", tmp_path)
    second = images.prepare(source, "debian-12", tmp_path)
    assert first.file != second.file and images.unused(tmp_path, [first.file]) == []
    assert images.unused(tmp_path, []) == [tmp_path / first.file]


@pytest.mark.parametrize(
    ("paths", "says"), [((), "no known installer"), (("casper/vmlinuz",), "no boot menu")], ids=["foreign", "no menu"]
)
def test_an_iso_of_which_nothing_is_known_is_refused_and_leaves_nothing(
    tmp_path: Path, paths: tuple[str, ...], says: str
) -> None:
    (tmp_path / "images").mkdir()
    with pytest.raises(ImageError, match=says):
        images.prepare(iso(tmp_path, *paths), "x", tmp_path / "images")
    assert list((tmp_path / "images").iterdir()) == []


def test_what_is_no_iso_and_what_is_no_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.iso").write_text("hello")
    with pytest.raises(ImageError):
        images.prepare(tmp_path / "text.iso", "x", tmp_path)
    with pytest.raises(ImageError, match="no file"):
        images.prepare(tmp_path / "none.iso", "x", tmp_path)
    with pytest.raises(ImageError, match="small letters"):
        images.prepare(tmp_path / "text.iso", "../x", tmp_path)


@pytest.mark.parametrize("piece", [1, 7, 64, 4096])
def test_any_cut_of_it_is_the_same_bytes(piece: int) -> None:
    base = bytes(range(256)) * 16
    made = images.patches(CARD, TEXTS)
    whole = b"".join(images.read(io.BytesIO(base), made, 0, 4096))
    assert whole[1000:1050] == b"menu" + b"\n" * 46 and whole[:1000] == base[:1000] and whole[3200:] == base[3200:]
    cuts = [b"".join(images.read(io.BytesIO(base), made, at, min(piece, 4096 - at))) for at in range(0, 4096, piece)]
    assert b"".join(cuts) == whole


def test_a_text_that_does_not_fit_or_is_missing_is_refused() -> None:
    with pytest.raises(ImageError, match=r"takes 50 bytes, these are 51"):
        images.patches(CARD, {**TEXTS, GRUB: "x" * 51})
    with pytest.raises(ImageError, match="preseed"):
        images.patches(CARD, {GRUB: "", ISOLINUX: ""})


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", None), ("bytes=0-99", (0, 100)), ("bytes=4000-", (4000, 96)), ("bytes=-100", (3996, 100)),
        ("bytes=4000-9999", (4000, 96)), ("bytes=-9999", (0, 4096)), ("bytes=5-4", None), ("bytes=-", None),
        ("bytes=0-1,5-6", None), ("items=0-1", None), ("bytes=a-b", None),
    ],
)  # fmt: skip
def test_a_range_is_read_as_rfc_9110_has_it(header: str, expected: tuple[int, int] | None) -> None:
    assert images.byte_range(header, 4096) == expected


@pytest.mark.parametrize("header", ["bytes=4096-", "bytes=9999-10000", "bytes=-0"])
def test_a_range_beyond_the_end_is_refused(header: str) -> None:
    with pytest.raises(ImageError):
        images.byte_range(header, 4096)


@pytest.mark.parametrize("word", ["a\nb", "it's", "a}", "$x", "a\\"])
def test_what_would_end_a_line_of_a_menu_is_refused(word: str) -> None:
    with pytest.raises(ImageError):
        images.menus(CARD, "gpu-1", word)
