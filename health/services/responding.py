"""What the open faults of a machine ask for, kept with each fault: `health.responses` decides, this stores.

It is worked out again whenever a fault of the machine is confirmed or cleared, before it is drained, and when somebody
changes the response of a class.
"""

from __future__ import annotations

from health.models import Fault
from health.queries.responses import rules_at
from health.responses import Response, Standing, hardest, respond
from health.services.machines import Change


def refresh(change: Change) -> Response:
    """Store what each open fault of a locked machine asks for; returns the hardest of what is confirmed."""
    faults = list(Fault.objects.filter(machine_id=change.machine_id).exclude(status=Fault.Status.CLEARED))
    confirmed = [fault for fault in faults if fault.status == Fault.Status.CONFIRMED]
    if not confirmed:
        return Response.NOTE
    keys = {fault.pk: (fault.slot, fault.fault_class) for fault in faults}
    standing = [
        Standing(fault.slot, fault.fault_class, fault.status == Fault.Status.CONFIRMED, keys.get(fault.led_by_id or 0))
        for fault in faults
    ]
    found = respond(standing, rules_at(change.site_id))
    changed = [fault for fault in faults if fault.response != found[keys[fault.pk]]]
    for fault in changed:
        fault.response = found[keys[fault.pk]].value
    if changed:
        Fault.objects.bulk_update(changed, ["response"])
    return hardest(Response(fault.response) for fault in confirmed)
