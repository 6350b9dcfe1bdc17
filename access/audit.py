"""What the audit log keeps of access: how machines are reached, and which identity of theirs was trusted by whom."""

from __future__ import annotations

from core.audit.tables import audited, left_out

audited("access.Endpoint", kind="endpoints", name=("machine", "kind"))
audited("access.KnownHost", kind="known-hosts", name=("machine", "fingerprint"))
audited("access.PinnedCertificate", kind="pinned-certificates", name=("machine", "fingerprint"))
audited(
    "access.IdentityChange",
    kind="identity-changes",
    name=("machine", "presented_fingerprint"),
    noise=("last_seen_at", "times_seen"),
)
left_out("access.BmcRefusal", "what a BMC answered to a login, measured again by every check")
