"""What the audit log keeps of provisioning: runs, their machines and boot tokens; not each step's look."""

from __future__ import annotations

from core.audit.sentences import works_as
from core.audit.tables import audited, left_out

audited("provisioning.Run", kind="runs")
audited(
    "provisioning.RunMachine",
    kind="run-machines",
    name=("run", "machine"),
    belongs_to=("run", "machine"),
    noise=("lease", "lease_until", "heartbeat_at", "next_at", "log_count", "attempt", "lost_workers"),
)
audited(
    "provisioning.BootToken",
    kind="boot-tokens",
    name=("mac",),
    belongs_to=("run_machine", "run_machine__machine"),
    hidden=("token_hash",),
)

audited("provisioning.Delivery", kind="vendor-deliveries", name=("order",))
audited(
    "provisioning.DeliveryItem",
    kind="vendor-delivery-items",
    name=("service_tag",),
    belongs_to=("delivery", "machine"),
)

audited("provisioning.VendorReturn", kind="vendor-returns", name=("vendor", "reference"))
audited(
    "provisioning.ReturnedMachine",
    kind="returned-machines",
    name=("serial",),
    belongs_to=("vendor_return", "machine"),
    noise=("evidence",),
)

audited("provisioning.ProvisioningLimits", kind="provisioning-limits", name=("site",))
audited(
    "provisioning.MaasRegion",
    kind="maas-regions",
    name=("site",),
    noise=("state", "message", "tried_at", "last_good_at", "last_event_id"),
)
audited(
    "provisioning.MaasWrite",
    kind="maas-writes",
    name=("kind", "machine"),
    belongs_to=("machine",),
    noise=("attempts", "next_try_at", "lease_until"),
)

audited(
    "provisioning.IronicServer",
    kind="ironic-servers",
    name=("site",),
    noise=("state", "message", "tried_at", "last_good_at"),
)
audited(
    "provisioning.IronicWrite",
    kind="ironic-writes",
    name=("kind", "machine"),
    belongs_to=("machine",),
    noise=("attempts", "next_try_at", "lease_until"),
)
left_out("provisioning.IronicNode", "what a site's Ironic has of a machine; read again and again")
left_out("provisioning.MaasMachine", "what a site's MAAS has of a machine; read again and again")
audited("provisioning.LeaseSource", kind="lease-sources", name=("name",))
audited(
    "provisioning.Discovery",
    kind="bmc-discoveries",
    name=("origin",),
    noise=("lease", "lease_until", "tries", "problems", "unread_lines", "leases_over", "read_at"),
)
left_out("provisioning.DiscoveredBmc", "what an address told; what is accepted of it changes the inventory's records")

audited("provisioning.SoftwareRun", kind="software-runs", noise=("turn_at", "attempts", "message"))

audited(
    "provisioning.ImagePlacement",
    kind="image-placements",
    name=("action", "reference"),
    noise=("attempts", "next_at", "lease", "lease_until", "message"),
)
audited(
    "provisioning.Mirror",
    kind="mirrors",
    name=("name",),
    noise=(
        "state", "message", "version", "certificate_until", "failures", "latencies", "asked_at", "good_at",
        "lease_until",
    ),
)  # fmt: skip

left_out("provisioning.BootMedium", "what the BMC of a machine of a run fetches; its run is in its own log")
left_out("provisioning.PlacedImage", "how far a machine of a placement is; reported by its workers")
left_out("provisioning.MachineSources", "where a machine fetches from, as it told last; read again and again")
audited("provisioning.BmcProfile", kind="bmc-profiles", name=("model",))
audited("provisioning.BmcRun", kind="bmc-runs", noise=("next_at", "message"))
audited(
    "provisioning.BmcPassword",
    kind="bmc-passwords",
    name=("machine",),
    belongs_to=("machine",),
    hidden=("candidate",),
    noise=("rounds", "next_try_at", "message"),
)
left_out("provisioning.BmcReading", "what a BMC reported; read again and again")
left_out("provisioning.BmcRunMachine", "how far a machine of a BMC run is; kept in its log")
left_out("provisioning.SoftwareMachine", "how far a machine of a software run is; reported by its tasks")
left_out("provisioning.SoftwareTask", "the log of a software run")
left_out("provisioning.Step", "how far a machine of a run is; reported by its log")
left_out("provisioning.LogLine", "the log of a run")
left_out("provisioning.FailureEvidence", "what was read of a failure; nobody edits it")

works_as("provisioning", "provisioning.tasks.look", "provisioning.tasks.fill", "provisioning.tasks.reap")
works_as("maas", "provisioning.tasks.follow_maas")
works_as("ironic", "provisioning.tasks.follow_ironic")
works_as("a discovery of BMCs", "provisioning.discovery.tasks.discover")
works_as("BMC set-up", "provisioning.bmc.tasks.advance", "provisioning.bmc.tasks.settle_password")
works_as("base software", "provisioning.software.tasks.advance")
works_as("images", "provisioning.images.tasks.advance")
works_as("mirrors", "provisioning.mirrors.tasks.watch", "provisioning.mirrors.tasks.ask_machines")
