"""What a machine has under the name of a container image, beside what the others have. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from enum import StrEnum
from typing import NamedTuple


class Held(NamedTuple):
    """What lies on a machine under one name: the digests and ids of it, none where it is not there. `trouble` says why
    an engine of the machine did not tell."""

    identities: tuple[str, ...] = ()
    trouble: str = ""


class ImageState(StrEnum):
    SAME = "same"
    """The image that most have."""
    ANOTHER = "another"
    """Another image under the same name: a tag that was moved before or after this machine pulled it."""
    MISSING = "missing"
    UNKNOWN = "unknown"
    """An engine did not tell, and no other has it."""
    NOT_READ = "not_read"


def usual_of(held: Iterable[Collection[str]]) -> str:
    """The digest or id that most machines have; empty where none has any.

    An image that was pulled has a digest and an id, one that was loaded from a file its id alone: the id unites them.
    """
    counts = Counter(identity for identities in held for identity in set(identities))
    return min(counts, key=lambda identity: (-counts[identity], identity), default="")


def state_of(held: Held | None, usual: str) -> ImageState:
    """`held` is None where nobody reads the images of the machine."""
    if held is None:
        return ImageState.NOT_READ
    if not held.identities:
        return ImageState.UNKNOWN if held.trouble else ImageState.MISSING
    return ImageState.SAME if usual in held.identities else ImageState.ANOTHER


def short(identity: str) -> str:
    """As Docker shortens a digest."""
    return identity.removeprefix("sha256:")[:12]
