"""What the audit log keeps of the fabric: what people decide and findings' lives; what was seen keeps its own times."""

from __future__ import annotations

from core.audit.sentences import works_as
from core.audit.tables import audited, left_out

audited("fabric.FabricSource", kind="fabric-sources", noise=("state", "message", "tried_at", "last_good_at"))
audited(
    "fabric.Finding",
    kind="findings",
    name=("title",),
    belongs_to=("source",),
    noise=("last_seen_at", "last_discovery", "detail", "text"),
)
audited(
    "fabric.NameProposal",
    kind="name-proposals",
    name=("proposed",),
    belongs_to=("source", "device"),
    noise=("last_seen_at", "agreeing", "asked", "margin", "certain", "evidence"),
)
audited("fabric.AsBuiltPlan", kind="as-built-plans", hidden=("content",))
audited("fabric.ReservedPort", kind="reserved-ports", name=("port", "owner"), belongs_to=("port", "port__device"))
audited("fabric.LengthRule", kind="length-rules", name=("a_rack", "b_rack", "a_row", "b_row"), belongs_to=())
audited(
    "fabric.PortAction",
    kind="port-actions",
    name=("action", "link"),
    belongs_to=("a_port__device", "b_port__device"),
    noise=("attempts", "next_try_at", "lease_until", "message", "reminded_at"),
)
audited("fabric.PortPolicy", kind="port-policies", name=("site",), belongs_to=())
audited(
    "fabric.Incident",
    kind="fabric-incidents",
    name=("title",),
    belongs_to=("device",),
    noise=("title", "severity", "grave", "events_count", "last_at", "waits_for"),
)
audited("fabric.BurnIn", kind="burn-ins", name=("source", "created_at"), belongs_to=("source",))

left_out("fabric.Capture", "outputs as they were read, kept beside their discovery")
left_out("fabric.CapturePart", "outputs as they were read")
left_out("fabric.Discovery", "discovery runs, each kept with its result")
left_out("fabric.SeenNode", "what was seen, each row with its own time")
left_out("fabric.SeenLink", "what was seen, each row with its own time")
left_out("fabric.FabricLink", "links as they are now, derived from what was seen and the plan")
left_out("fabric.LinkQuality", "what the counters of links say now")
left_out("fabric.PortSample", "what the counters of ports said over time")
left_out("fabric.Round", "readings of counters")
left_out("fabric.Measurement", "links measured again, each with who asked and the result")
left_out("fabric.FabricEvent", "events as they were reported")
left_out("fabric.BurnInStage", "stages of burn-ins, each kept with its times and counters")
left_out("fabric.BurnInPair", "results of burn-ins, kept as they came")

works_as(
    "a discovery run",
    "fabric.discovery.tasks.discover",
    "fabric.discovery.tasks.start_due",
    "fabric.quality.tasks.record_counters",
    "fabric.quality.tasks.follow_quality",
)
