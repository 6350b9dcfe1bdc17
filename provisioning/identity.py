"""Whether what a BMC or another system tells names a machine that is known. Pure."""

from __future__ import annotations

from uuid import UUID


def both_orders(uuid: UUID) -> tuple[UUID, UUID]:
    """A UUID as it was told, and with its first three fields in the other byte order, as some firmware prints them
    (SMBIOS 2.6, 7.2.1)."""
    return uuid, UUID(bytes=uuid.bytes_le)


def same_uuid(known: UUID, seen: str) -> bool:
    """Whether a text is this UUID in one of both orders; what is no UUID is not."""
    try:
        return known in both_orders(UUID(seen))
    except ValueError:
        return False
