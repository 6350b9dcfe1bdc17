"""What the open faults of a machine ask for, kept with each fault: `health.checks.responses` decides, this stores.

It is worked out again whenever a fault of the machine is confirmed or cleared, before it is drained, and when somebody
changes the response of a class.
"""

from __future__ import annotations

from django.utils import timezone

from core.work.alone import alone
from health.checks.faults import FAULT_CLASSES
from health.checks.reported import PREFIX
from health.checks.responses import Response, Standing, hardest, respond
from health.machines.models.machines import Hold
from health.machines.services.changes import Change, changing
from health.monitoring import hooks
from health.monitoring.faults import event_data
from health.monitoring.models.faults import Fault
from health.monitoring.queries.responses import rules_at


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


def follow(fault_class: str, site_id: int | None) -> int:
    """Carry a changed decision to the machines whose confirmed faults it is about (of all sites: None); returns how
    many. What now takes a machine out asks the guards as ever; what no longer does lets go of its hold, and a person or
    a verification returns the machine. Safe to run twice."""
    about = Fault.objects.filter(status=Fault.Status.CONFIRMED, fault_class=fault_class)
    if site_id is not None:
        about = about.filter(machine__device__site_id=site_id)
    ids = sorted(set(about.values_list("machine_id", flat=True)))
    for machine_id in ids:
        with alone("response_not_followed", machine=machine_id):
            _follow_one(machine_id)
    return len(ids)


def _follow_one(machine_id: int) -> None:
    with changing(machine_id, actor="policy") as change:
        leaders = Fault.objects.filter(
            machine_id=machine_id, status=Fault.Status.CONFIRMED, led_by=None, announced_at__isnull=False
        )
        before = dict(leaders.values_list("pk", "response"))
        hooks.drains().take_out_if_allowed(change)
        for fault in leaders:
            if fault.response == before[fault.pk]:
                continue
            if not fault.takes_out:
                _let_go(fault)
            if Response(fault.response).opens_ticket:
                data = event_data(fault.pk, machine_id, fault.slot, fault.fault_class)
                change.later("fault.seen_again", f"fault:{fault.pk}", data)
        change.return_if_verified()


def _let_go(fault: Fault) -> None:
    Fault.objects.filter(pk=fault.pk).exclude(drain="").update(drain="")
    Hold.objects.filter(machine_id=fault.machine_id, owner=fault.hold_owner, lifted_at=None).update(
        lifted_at=timezone.now(), lifted_by="policy", lift_reason="its class leaves a machine in service now"
    )


def is_class(name: str) -> bool:
    """Whether there is such a class of fault, in the table or reported by another system."""
    return name in FAULT_CLASSES or name.startswith(PREFIX)
