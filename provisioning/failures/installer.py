"""What an installer reports while it works, and which kind of failure it met. Pure.

The format is that of curtin's and cloud-init's webhook reporter (`curtin/reporter/events.py`): a JSON object with
`name` (a path such as `subiquity/Install/install/curtin_install`), `description`, `event_type` (`start` or `finish`),
`origin`, `timestamp` in seconds and, at a finish, `result` (`SUCCESS`, `WARN` or `FAIL`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from provisioning.steps import FailureClass

WHOLE = "subiquity/Install/install"
"""The event whose failure is the failure of the installation. Others may fail and the installation goes on: a look for
a newer installer without a way to the internet, for instance."""
TEXT_LENGTH = 300
MOST_FAILURES = 20

_NAMES = (
    (FailureClass.INSTALL_DISK, re.compile(r"partitioning|block-meta|formatting|/Filesystem|/Storage", re.I)),
    (FailureClass.INSTALL_PACKAGE, re.compile(r"configure_apt|/Mirror|curthooks|apt|install_package|/Package", re.I)),
    (FailureClass.INSTALL_NETWORK, re.compile(r"/Network|wait-for-network", re.I)),
)
# With a clock that is years off nothing can be fetched: TLS finds no certificate valid (in OpenSSL's words) and apt no
# Release file. A package that cannot be fetched because no name resolves is the network's fault. Those come first.
_LINES = (
    (
        FailureClass.CLOCK_WRONG,
        re.compile(r"certificate (?:is not yet valid|has expired)|Release file for \S+ is (?:not valid yet|expired)"),
    ),
    (
        FailureClass.INSTALL_NETWORK,
        re.compile(r"Temporary failure (?:in name resolution|resolving)|Network is unreachable|No route to host"),
    ),
    (
        FailureClass.INSTALL_DISK,
        re.compile(r"block-meta|no suitable disk|wipefs|sgdisk|I/O error|mdadm: .*fail|Device or resource busy", re.I),
    ),
    (
        FailureClass.INSTALL_PACKAGE,
        re.compile(r"^E: |Failed to fetch|Unable to locate package|Hash Sum mismatch|404 +Not Found", re.M),
    ),
)
_SECRETS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S)
_TOKENS = re.compile(r"(/boot/)[A-Za-z0-9_\-]{20,100}")


@dataclass(frozen=True, slots=True)
class Report:
    """One event. `failed`: it finished without what it was for."""

    name: str
    description: str
    failed: bool
    starts: bool

    @property
    def ends_all(self) -> bool:
        return self.failed and self.name == WHOLE

    @property
    def is_news(self) -> bool:
        """Whether people want to read it: the larger steps as they begin, and every failure."""
        return self.failed or (self.starts and self.name.count("/") <= 3)


def report_of(body: Mapping[str, Any]) -> Report | None:
    """None for what is no event of an installer."""
    name, kind = str(body.get("name") or ""), body.get("event_type")
    if not name or kind not in ("start", "finish"):
        return None
    failed = kind == "finish" and body.get("result") == "FAIL"
    return Report(
        _short(name), hidden(_short(str(body.get("description") or "")) or _short(name)), failed, kind == "start"
    )


def class_of(failed: Iterable[str], log: str = "") -> FailureClass:
    """By the names of the events that failed, the first first, then by what the log says."""
    names = [name for name in failed if name != WHOLE]
    if log and (found := _first(_LINES[:2], log)):
        return found
    for name in names:
        if found := _first(_NAMES, name):
            return found
    return _first(_LINES, log) or FailureClass.INSTALL_FAILED


def _first(table: Iterable[tuple[FailureClass, re.Pattern[str]]], text: str) -> FailureClass | None:
    return next((kind for kind, pattern in table if pattern.search(text)), None)


def hidden(text: str) -> str:
    """The text without private keys and boot tokens, which an installer may print."""
    return _TOKENS.sub(r"\1…", _SECRETS.sub("(private key)", text))


def last_words(log: str) -> str:
    """The last line of a log that says what went wrong, else its last line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    wrong = [line for line in lines if re.search(r"\berror\b|\bfail|^E: |exception", line, re.I)]
    return _short((wrong or lines or [""])[-1])


def _short(text: str) -> str:
    return " ".join(text.split())[:TEXT_LENGTH]
