"""What the audit log keeps of this room: nothing."""

from __future__ import annotations

from core.audit.tables import left_out

left_out("core_http.IdempotencyKey", "answers kept for some days for a retry; what was written is in the log itself")
