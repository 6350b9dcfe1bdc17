"""Reads one picture and writes it anew, in a process of its own that may take so much memory and time and no more.

`images` starts it as a plain script: the picture comes on standard input; a line of JSON goes to standard output
and after it the picture and its small copy, as long as the line says. It knows nothing of Django and of this service.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from typing import Any

IMAGE_FORMATS = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
MODES = ("RGB", "RGBA", "L", "LA")
THUMBNAIL_PX = 320


class Refused(ValueError):
    """A picture that is not kept; the text says why."""

    def __init__(self, reason: str, *, too_large: bool = False) -> None:
        super().__init__(reason)
        self.too_large = too_large


def confine(memory_bytes: int, cpu_s: int) -> None:
    """What this process may take from here on; it writes no file and starts nothing."""
    for kind, limit in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (limit, limit))


def cleaned(content: bytes, max_pixels: int) -> dict[str, Any] | None:
    """The picture upright, without what its camera wrote into it; None when it is of no format that is kept.

    Of one that moves the first picture is kept. Its size is judged by its header, before anything is unfolded.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = None  # our own limit is the stricter one
    try:
        with Image.open(io.BytesIO(content), formats=list(IMAGE_FORMATS)) as opened:
            format_ = "JPEG" if opened.format == "MPO" else str(opened.format)  # a JPEG with further pictures in it
            most = max_pixels // 2 if format_ == "WEBP" else max_pixels  # its decoder keeps two canvases of its own
            if opened.width * opened.height > most:
                raise Refused(f"The picture has more than {most // 10**6} million pixels.", too_large=True)
            opened.load()
            profile = opened.info.get("icc_profile")
            if opened.mode not in MODES:
                clear = "transparency" in opened.info or opened.mode in ("PA", "RGBa", "La")
                image = opened.convert("RGBA" if clear else "RGB")
            else:
                image = opened
            ImageOps.exif_transpose(image, in_place=True)
            image.info.clear()  # EXIF with its GPS, XMP, comments
            return {
                "format": format_,
                "width": image.width,
                "height": image.height,
                "thumbnail": _thumbnail(image),
                "content": _encoded(image, format_, profile),
            }
    except Refused:
        raise
    except UnidentifiedImageError:
        return None
    except MemoryError as error:
        raise Refused("The picture takes too much memory to be read.", too_large=True) from error
    except (OSError, SyntaxError, ValueError, ArithmeticError) as error:  # what Pillow's decoders raise for broken data
        raise Refused("The picture is broken.") from error


def _encoded(image: Any, format_: str, profile: bytes | None) -> bytes:
    if format_ == "JPEG" and image.mode in ("RGBA", "LA"):
        image = image.convert("RGB")
    options: dict[str, Any] = {"JPEG": {"quality": 90}, "WEBP": {"quality": 90}, "PNG": {}}[format_]
    target = io.BytesIO()
    image.save(target, format_, icc_profile=profile, exif=b"", **options)
    return target.getvalue()


def _thumbnail(image: Any) -> bytes:
    """Made from strips of the picture, so that no second one of its size is needed."""
    from PIL import Image

    share = min(1.0, THUMBNAIL_PX / image.width, THUMBNAIL_PX / image.height)
    size = (max(1, round(image.width * share)), max(1, round(image.height * share)))
    small = image.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    if small.mode in ("RGBA", "LA"):
        ground = Image.new("RGBA", small.size, "white")
        ground.alpha_composite(small.convert("RGBA"))
        small = ground
    target = io.BytesIO()
    small.convert("RGB").save(target, "JPEG", quality=90, exif=b"")
    return target.getvalue()


def main() -> None:
    """MEMORY_BYTES CPU_SECONDS MAX_PIXELS on the command line."""
    memory_bytes, cpu_s, max_pixels = (int(word) for word in sys.argv[1:4])
    confine(memory_bytes, cpu_s)
    thumbnail = picture = b""
    told: dict[str, Any]
    try:
        found = cleaned(sys.stdin.buffer.read(), max_pixels)
        if found is None:
            told = {"known": False}
        else:
            thumbnail, picture = found.pop("thumbnail"), found.pop("content")
            told = {"known": True, **found, "thumbnail": len(thumbnail), "content": len(picture)}
    except Refused as refused:
        told = {"refused": str(refused), "too_large": refused.too_large}
    except MemoryError:
        told = {"refused": "The picture takes too much memory to be read.", "too_large": True}
    out = sys.stdout.buffer
    out.write(json.dumps(told).encode() + b"\n")
    out.write(thumbnail)
    out.write(picture)
    out.flush()


if __name__ == "__main__":
    main()
