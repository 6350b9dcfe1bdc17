"""What the settings of a server over HTTPS have in common, as an API checks them."""

from __future__ import annotations

from rest_framework.serializers import ValidationError

from drivers.https import trust_of


def checked_url(text: str, *, such_as: str, without: str = "?#") -> str:
    """The address without slashes at its end; empty stays empty. Raises ValidationError."""
    if text and (not text.startswith(("http://", "https://")) or set(text) & set(without)):
        raise ValidationError([f"An address such as {such_as}."])
    return text.rstrip("/")


def checked_authorities(text: str) -> str:
    """Certificates in PEM that a server is trusted by. Raises ValidationError."""
    try:
        trust_of(text)
    except ValueError as error:
        raise ValidationError([str(error)]) from error
    return text.strip()
