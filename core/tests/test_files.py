"""What may be attached, and what is left of it."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import ExifTags, Image

from core import files
from core.files import FileRefused, examine, safe_name

MIB = 2**20
SMALL_PDF = b"%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n"


def picture(format_: str = "JPEG", size: tuple[int, int] = (40, 20), **options: Any) -> bytes:
    image = Image.new("RGB", size, "white")
    image.paste("red", (0, 0, size[0] // 2, size[1]))  # the left half
    target = io.BytesIO()
    image.save(target, format_, **options)
    return target.getvalue()


def look(content: bytes, **options: Any) -> files.Examined:
    return examine(io.BytesIO(content), max_bytes=MIB, **options)


def from_telephone() -> bytes:
    """A picture held sideways, with the place it was taken at, a serial number and a comment."""
    exif = Image.Exif()
    exif[ExifTags.Base.Orientation] = 6  # turn right to see it upright
    exif[ExifTags.Base.Model] = "SECRETPHONE"
    gps = exif.get_ifd(ExifTags.IFD.GPSInfo)
    gps[ExifTags.GPS.GPSLatitudeRef] = "N"
    gps[ExifTags.GPS.GPSLatitude] = (52.0, 22.0, 12.5)
    return picture(exif=exif, comment=b"SECRETCOMMENT", xmp=b"<x:xmpmeta>SECRETXMP</x:xmpmeta>")


@pytest.mark.parametrize(("format_", "mime"), [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("WEBP", "image/webp")])
def test_a_picture_is_known_by_its_content(format_: str, mime: str) -> None:
    found = look(picture(format_))
    assert (found.mime, found.width, found.height) == (mime, 40, 20)
    assert Image.open(io.BytesIO(found.content)).format == format_


def test_a_picture_comes_out_upright_without_where_and_with_what_it_was_taken() -> None:
    before = from_telephone()
    assert Image.open(io.BytesIO(before)).getexif().get_ifd(ExifTags.IFD.GPSInfo)
    found = look(before)
    assert (found.width, found.height) == (20, 40)
    after = Image.open(io.BytesIO(found.content)).convert("RGB")
    top, bottom = after.getpixel((10, 3)), after.getpixel((10, 36))
    assert top[1] < 60 < 200 < bottom[1]  # the red half was on the left; turned right it is above
    for content in (found.content, found.thumbnail or b""):
        assert not Image.open(io.BytesIO(content)).getexif()
        for secret in (b"SECRET", b"Exif", b"GPS", b"xmpmeta"):
            assert secret not in content


@pytest.mark.parametrize("format_", ["PNG", "WEBP"])
def test_other_formats_lose_their_metadata_too(format_: str) -> None:
    exif = Image.Exif()
    exif[ExifTags.Base.Model] = "SECRETPHONE"
    options: dict[str, Any] = {"exif": exif} | ({"xmp": b"SECRETXMP"} if format_ == "WEBP" else {})
    before = picture(format_, **options)
    assert b"SECRET" in before
    assert b"SECRET" not in look(before).content


def test_a_photo_with_further_pictures_in_it_is_kept_as_a_jpeg_of_the_first() -> None:
    """Telephones write them (MPO), and call them JPEG."""
    content = picture("MPO", save_all=True, append_images=[Image.new("RGB", (40, 20), "blue")])
    kept = examine(io.BytesIO(content), max_bytes=10**6)
    assert kept.mime == "image/jpeg"
    assert Image.open(io.BytesIO(kept.content)).format == "JPEG"


def test_a_thumbnail_is_small_and_has_the_same_shape() -> None:
    found = look(picture(size=(1600, 400)))
    small = Image.open(io.BytesIO(found.thumbnail or b""))
    assert (small.format, small.size) == ("JPEG", (320, 80))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16", "CMYK"])
def test_every_kind_of_colour_is_taken(mode: str) -> None:
    target = io.BytesIO()
    format_ = "JPEG" if mode == "CMYK" else "PNG"
    Image.new(mode, (8, 8)).save(target, format_)
    found = look(target.getvalue())
    assert found.thumbnail and (found.width, found.height) == (8, 8)


def test_a_picture_that_would_unfold_beyond_the_limit_is_refused_before_it_is_unfolded() -> None:
    target = io.BytesIO()
    Image.new("1", (12_000, 12_000)).save(target, "PNG")
    assert len(target.getvalue()) < 100_000
    with pytest.raises(FileRefused, match="million pixels") as refusal:
        look(target.getvalue())
    assert refusal.value.too_large
    bomb = picture("PNG").replace((40).to_bytes(4, "big") + (20).to_bytes(4, "big"), b"\x7f\xff\xff\xff" * 2)
    with pytest.raises(FileRefused):
        look(bomb)


@pytest.mark.parametrize(
    "content",
    [
        picture()[:200],
        picture("PNG", size=(300, 300))[:-200],
        b"GIF89a" + bytes(40),
        b"PK\x03\x04" + bytes(100),
        b"\x7fELF" + bytes(100),
        b"%PDF-1.4\nno end",
        "grüße".encode("latin-1"),
        b"a\x00b",
        b"\x1b[2J\x07",
    ],
)
def test_what_is_broken_or_of_another_kind_is_refused_with_words(content: bytes) -> None:
    with pytest.raises(FileRefused) as refusal:
        look(content)
    assert len(str(refusal.value)) > 10


def test_a_heic_picture_is_refused_with_what_to_do() -> None:
    with pytest.raises(FileRefused, match="send it as JPEG"):
        look(b"\x00\x00\x00\x18ftypheic" + bytes(200))


def test_papers_and_logs_are_kept_as_they_are() -> None:
    assert look(SMALL_PDF).mime == "application/pdf" and look(SMALL_PDF).content == SMALL_PDF
    assert look("Xid 79 – grün\r\n\tline".encode()).mime == "text/plain"
    assert look(b"<script>alert(1)</script>").mime == "text/plain"  # served as such, never run


def test_a_file_over_the_limit_is_refused() -> None:
    with pytest.raises(FileRefused, match="larger than 1 MiB") as refusal:
        look(b"a" * (MIB + 1))
    assert refusal.value.too_large
    assert look(b"a" * MIB).mime == "text/plain"


@pytest.mark.parametrize(
    ("given", "mime", "name"),
    [
        ("../../etc/passwd", "text/plain", "passwd.txt"),
        ("C:\\photos\\rack.HEIC", "image/jpeg", "rack.HEIC.jpg"),
        ("photo.jpeg", "image/jpeg", "photo.jpeg"),
        ("evil.html", "text/plain", "evil.html.txt"),
        ("a\r\nSet-Cookie: x.png", "image/png", "aSet-Cookie: x.png"),
        ("\u202egnp.exe", "image/png", "gnp.exe.png"),
        ("", "application/pdf", "file.pdf"),
        ("dmesg.log", "text/plain", "dmesg.log"),
    ],
)
def test_a_name_is_only_a_name_and_ends_as_the_content_says(given: str, mime: str, name: str) -> None:
    assert safe_name(given, mime) == name
    assert len(safe_name(given * 200 + ".pdf", "application/pdf")) <= files.NAME_LETTERS


# ---- on disk ----


@pytest.fixture
def disk(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


@pytest.mark.django_db
def test_equal_content_is_on_disk_once(disk: Path) -> None:
    for _ in range(2):
        files.keep(look(SMALL_PDF))
    assert [path.read_bytes() for path in disk.glob("??/*")] == [SMALL_PDF]


@pytest.mark.django_db
def test_a_write_that_fails_leaves_nothing(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        files.keep(look(SMALL_PDF))
    assert not list(disk.glob("??/*")) and not list(disk.glob("??/.*"))


@pytest.mark.django_db
def test_a_file_without_a_row_goes_after_a_day_and_not_before(disk: Path) -> None:
    files.keep(look(picture()))
    assert len(list(disk.glob("??/*"))) == 2  # with its thumbnail
    assert files.remove_orphans(1_000_000.0) == 0
    assert files.remove_orphans(1_000_000.0 + 86_399) == 0
    (disk / "orphans.json").write_text("broken")
    assert files.remove_orphans(1_000_000.0 + 90_000) == 0  # a lost record starts the day again
    assert files.remove_orphans(1_000_000.0 + 90_000 + 86_400) == 2
    assert not list(disk.glob("??/*"))
