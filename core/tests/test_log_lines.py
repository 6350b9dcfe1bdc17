"""What is left out of the log."""

from __future__ import annotations

import pytest
import structlog

from core.log_lines import leave_out_expired


def test_a_task_that_expired_in_its_queue_is_no_warning_and_one_that_was_revoked_is() -> None:
    with pytest.raises(structlog.DropEvent):
        leave_out_expired(None, "warning", {"event": "task_revoked", "expired": True})
    revoked = {"event": "task_revoked", "expired": False}
    assert leave_out_expired(None, "warning", revoked) is revoked
