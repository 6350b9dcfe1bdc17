"""UFM over REST: systems, ports and links in one document. How to sign in is told in `ufm`."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from drivers.https import ApplianceError, CertificateChanged
from drivers.ufm import UfmClient
from fabric.discovery.models.sources import FabricSource
from fabric.discovery.services.readers import CaptureParts, Part, SourceUnreadable, SourceUntrusted
from fabric.discovery.services.ufm import client_of


def read_source(source: FabricSource) -> CaptureParts:
    """Raises SourceUnreadable when UFM gives no usable answer, SourceUntrusted when it is not what was pinned."""
    try:
        document, fingerprint = asyncio.run(_capture(client_of(source)))
    except CertificateChanged as error:
        raise SourceUntrusted(f"UFM: {error}") from error
    except ApplianceError as error:
        raise SourceUnreadable(f"UFM: {error}") from error
    empty = not any(document[name] for name in ("systems", "ports", "links"))
    text = "" if empty else json.dumps(document, separators=(",", ":"))
    return CaptureParts([Part("resources", "ufm", text)], "" if source.identity else fingerprint)


async def _capture(client: UfmClient) -> tuple[dict[str, Any], str]:
    async with client:
        document = await client.capture()
        return document, client.fingerprint.hex() if client.fingerprint else ""
