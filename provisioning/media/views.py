"""Boot media as BMCs fetch them: without a login, by the token in the path, whole or in ranges of bytes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from core.http.streams import sent_in_pieces
from provisioning.boot.views import refusals_are_404
from provisioning.conf import config
from provisioning.media import images
from provisioning.services import media
from provisioning.services.network_boot import BootRefused


@require_safe
@refusals_are_404
def medium(request: HttpRequest, token: str) -> HttpResponseBase:
    served = media.serve(token, address=request.META.get("REMOTE_ADDR"))
    size = served.card.size
    try:
        part = images.byte_range(request.headers.get("Range", ""), size)
    except images.ImageError:
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}", "Accept-Ranges": "bytes"})
    start, length = part or (0, size)
    headers = {"Content-Length": str(length), "Accept-Ranges": "bytes", "ETag": f'"{served.card.file}"'}
    if part:
        headers["Content-Range"] = f"bytes {start}-{start + length - 1}/{size}"
    kind, status = "application/x-iso9660-image", 206 if part else 200
    if request.method == "HEAD":
        return HttpResponse(status=status, content_type=kind, headers=headers)
    folder = config().boot_images
    try:
        file = (folder / served.card.file).open("rb") if folder else None
    except OSError:
        file = None
    if file is None:
        raise BootRefused("the file of this boot image is gone", file=served.card.file)
    pieces = images.read(file, served.patches, start, length)
    return sent_in_pieces(pieces, kind, status=status, headers=headers, size=images.PIECE)
