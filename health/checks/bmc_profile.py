"""Whether BIOS, BMC and firmware are as the profile of the model wants them, by what a BMC told last.

All attributes of a BIOS in every sweep would cost more than they tell: who owns the profiles reads them once a day, and
hands in what differs.
"""

from __future__ import annotations

from health.checks.bmc import not_heard
from health.checks.context import Context
from health.checks.model import CheckDeclaration, Outcome, ProfileRead, check, ok, unknown, warn

SHOWN = 3
MEND = "Apply the profile: a BMC run of settings or firmware, from the machine's BMC tab."


@check(
    "bmc.profile",
    family="BMC",
    title="BIOS, BMC and firmware are as the model's profile wants them",
    needs="bmc_profile",
    limits={"profile_stale_hours": 72},
    source="BMC profile of the device model; Redfish: Bios, ManagerNetworkProtocol, FirmwareInventory",
)
def profile(read: ProfileRead | None, x: Context, me: CheckDeclaration) -> Outcome:
    """Warns with what differs. Unknown where the BMC was never read, or too long ago; read once a day."""
    if x.bmc is None or (read is None and x.bmc.error):
        return not_heard(x.bmc, x)
    if read is None:
        return ok("its model has no BMC profile to compare with")
    why = f": {read.problem}" if read.problem else ""
    if read.age_s is None:
        return unknown(f"its settings and firmware were never read{why}")
    if read.age_s > x.limit(me, "profile_stale_hours") * 3600:
        return unknown(f"its settings and firmware were last read {read.age_s / 3600:.0f} h ago{why}")
    if not read.count:
        return ok("settings and firmware are as its profile wants them", value=0)
    more = read.count - SHOWN
    said = "; ".join(read.differences[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
    return warn(
        f"{read.count} not as its profile wants: {said}" if said else f"{read.count} not as its profile wants",
        action=MEND, value=read.count, excerpt="\n".join(read.differences),
    )  # fmt: skip
