"""What a look saw of the container images on a machine, as it is kept. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from health.checks.parsers.images import ENGINES, ContainerImage
from health.checks.sources import Reading

MOST_IMAGES = 2_000
"""Images of a machine that are kept; nobody looks for one among more."""


@dataclass(frozen=True)
class ImagesSeen:
    """`engines` are those that were asked, and why one did not tell (empty: it told)."""

    engines: Mapping[str, str] = field(default_factory=dict)
    images: tuple[ContainerImage, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The same as long as nothing that is kept changes."""
        told = repr((sorted(self.engines.items()), self.images))
        return hashlib.blake2b(told.encode("utf-8", "replace"), digest_size=16).hexdigest()


NOTHING_ASKED = ImagesSeen()


def reading_of(engine: str) -> str:
    return f"{engine}_images"


def images_of(heard: Mapping[str, Reading]) -> ImagesSeen:
    engines: dict[str, str] = {}
    images: list[ContainerImage] = []
    for engine in ENGINES:
        reading = heard.get(reading_of(engine))
        if reading is None:
            continue
        engines[engine] = (reading.trouble or reading.doubt)[:300]
        if not engines[engine]:
            images += reading.data or ()
    return ImagesSeen(engines, tuple(images[:MOST_IMAGES])) if engines else NOTHING_ASKED
