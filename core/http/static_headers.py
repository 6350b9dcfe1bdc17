"""Headers of the two scripts of the dashboard that are no part of a page: each has a right that no page has."""

from __future__ import annotations

import re
from typing import Any

SERVICE_WORKER = "/static/sw.js"
DECODER = re.compile(r"^/static/assets/decode\.worker-[\w-]{8}\.js$")
DECODER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
"""The reader of bar codes is WebAssembly. It runs in a worker of its own, so that pages need not be allowed to."""
SERVICE_WORKER_POLICY = "default-src 'none'; connect-src 'self'"


def worker_headers(headers: Any, path: str, url: str) -> None:
    """Called by WhiteNoise for every file."""
    if url == SERVICE_WORKER:
        headers["Service-Worker-Allowed"] = "/"
        headers["Cache-Control"] = "no-cache"
        headers["Content-Security-Policy"] = SERVICE_WORKER_POLICY
    elif DECODER.match(url):
        headers["Content-Security-Policy"] = DECODER_POLICY
