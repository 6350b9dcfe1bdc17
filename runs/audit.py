"""What the audit log keeps of training runs: nothing. What was reported keeps its own times, and nobody edits it."""

from __future__ import annotations

from core.audit.sentences import works_as
from core.audit.tables import audited, left_out

left_out("runs.TrainingRun", "reported by launchers")
left_out("runs.RunRank", "reported by launchers")
left_out("runs.StepPiece", "measured")
left_out("runs.HandOver", "a log itself: who replaced which machine, when")
left_out("runs.Collection", "fetched from machines; who asked stands in its row")
left_out("runs.CollectedMachine", "fetched from machines")
left_out("runs.GpuReading", "measured")
audited(
    "runs.MetricsSource",
    kind="metrics-sources",
    name=("site",),
    noise=("state", "message", "tried_at", "last_good_at", "gpus_message", "gpus_read_at"),
)
works_as("the reader of Prometheus", "runs.tasks.read_metrics_of", "runs.tasks.read_past_metrics")
