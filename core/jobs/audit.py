"""What the audit log keeps of this room: nothing. What a job writes is in the log itself."""

from __future__ import annotations

from core.audit.tables import left_out

left_out("core_jobs.Job", "who started it and what came of it stand in the job; what it wrote is in the log itself")
left_out("core_jobs.JobFile", "the uploaded file of a job, removed when its time is over")
