"""Keeps what shows why a machine failed, beside its log."""

from __future__ import annotations

from provisioning.models import FailureEvidence
from provisioning.services.progress import Progress

MOST = 64 * 1024


def keep(progress: Progress, kind: FailureEvidence.Kind, text: str) -> None:
    """The text of this attempt; a later one of the same kind replaces it. Nothing for an empty one."""
    if text.strip():
        FailureEvidence.objects.update_or_create(
            run_machine=progress.row,
            attempt=progress.row.attempt,
            kind=kind,
            defaults={"text": text.replace("\0", "")[-MOST:]},
        )
