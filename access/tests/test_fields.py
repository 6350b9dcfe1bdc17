"""What an API takes as certificates of authorities."""

from __future__ import annotations

import pytest
from rest_framework.serializers import ValidationError

from access.fields import checked_authorities


@pytest.mark.parametrize("text", ["nothing of the kind", "\u00e9", "-----BEGIN CERTIFICATE-----\n\U000b2c8c\n"])
def test_what_is_no_certificate_is_refused_whatever_its_letters(text: str) -> None:
    with pytest.raises(ValidationError, match="no certificates in PEM form"):
        checked_authorities(text)
