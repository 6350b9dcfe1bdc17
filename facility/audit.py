"""What the audit log keeps of power and cooling: what people set. What was measured keeps its own times."""

from __future__ import annotations

from core.audit.sentences import works_as
from core.audit.tables import audited, left_out

audited("facility.Meter", kind="meters", noise=("state", "message", "tried_at", "lease_until"))
audited(
    "facility.Proposal",
    kind="power-proposals",
    name=("text",),
    belongs_to=(),
    noise=("seen_at", "steps", "machines", "text"),
)
audited("facility.Policy", kind="power-policies", name=("site",), belongs_to=())
left_out("facility.Layout", "what meters tell, in which order")
left_out("facility.MeterState", "measured")
left_out("facility.EnergyDay", "measured")
left_out("facility.Finding", "found in what was measured, each with its own times")
works_as("the reader of meters", "facility.meters.tasks.read_due")
