"""The five verdict words and their order."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """Worst first: a known failure is never hidden by what is unknown, and what is unknown is never ok."""

    FAIL = "fail"
    UNKNOWN = "unknown"
    WARN = "warn"
    INFO = "info"
    OK = "ok"

    @property
    def rank(self) -> int:
        """0 is the worst."""
        return _RANK[self]


_RANK = {verdict: rank for rank, verdict in enumerate(Verdict)}


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of them; of none at all it is unknown."""
    return min(verdicts, key=_RANK.__getitem__, default=Verdict.UNKNOWN)
