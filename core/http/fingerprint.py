"""What makes two requests the same: a hash of method, address, body and the rights they were sent with."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson
from django.http import HttpRequest

from core.models import Role

CHUNK = 1 << 20
MOST_BODY_BYTES = 64 << 20
FORM_TYPES = ("multipart/form-data", "application/x-www-form-urlencoded")


class BodyTooLarge(Exception):
    """The body is larger than what is kept in memory to be compared."""


def read_body(request: HttpRequest) -> bytes:
    """The whole body, left on the request for the view. Django's own limit is for forms: a bulk write is larger."""
    if not hasattr(request, "_body"):
        body = request.read(MOST_BODY_BYTES + 1)
        if len(body) > MOST_BODY_BYTES:
            raise BodyTooLarge
        request._body = body
    return bytes(request._body)


def fingerprint(request: HttpRequest, roles: dict[int | None, Role]) -> bytes:
    """32 bytes. A form is compared by its fields and files, because each try chooses another boundary.

    The rights are part of it: an answer given to an operator is not repeated to a viewer's token.
    Raises BodyTooLarge.
    """
    rights = sorted((site or 0, str(role)) for site, role in roles.items())
    digest = hashlib.blake2b(orjson.dumps([request.method, request.get_full_path(), rights]), digest_size=32)
    if (request.content_type or "") in FORM_TYPES:
        digest.update(orjson.dumps(sorted((name, values) for name, values in request.POST.lists())))
        for name, files in sorted(request.FILES.lists()):
            for file in files:
                _add_file(digest, name, file)
    else:
        digest.update(read_body(request))
    return digest.digest()


def _add_file(digest: Any, name: str, file: Any) -> None:
    digest.update(orjson.dumps([name, file.name, file.size]))
    for chunk in file.chunks(CHUNK):
        digest.update(chunk)
    file.seek(0)
