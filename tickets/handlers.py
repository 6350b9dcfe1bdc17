"""What this room does when health, the fabric or provisioning have news. Each runs in the transaction of that news."""

from __future__ import annotations

from health.machines.lifecycle import State
from live.events import on
from live.models import Event
from tickets import services
from tickets.models import Ticket
from tickets.services.changes import changing
from tickets.services.work import start_repair
from tickets.vendors.services import link_return
from tickets.workflow import Status


@on("fault.confirmed")
@on("fault.seen_again")
def fault_needs_a_ticket(event: Event) -> None:
    services.open_ticket_unless_automation_is_first(int(event.data["fault"]))


@on("remediation.needs_person")
def automation_leaves_a_fault_to_people(event: Event) -> None:
    services.automation_gave_up(int(event.data["fault"]), str(event.data["reason"]))


@on("incident.opened")
@on("incident.changed")
def machines_that_fail_alike_have_one_ticket(event: Event) -> None:
    if event.data["kind"] == "shared":
        services.follow_incident(int(event.data["incident"]))


@on("incident.closed")
def incident_is_over(event: Event) -> None:
    if event.data["kind"] == "shared":
        services.incident_is_over(int(event.data["incident"]))


@on("incident.still_failing")
def cause_was_not_mended(event: Event) -> None:
    services.machines_still_fail(int(event.data["incident"]))


@on("fault.cleared")
def fault_is_gone(event: Event) -> None:
    services.fault_cleared(int(event.data["fault"]))


@on("verification.finished")
def verification_has_an_outcome(event: Event) -> None:
    services.verification_finished(int(event.data["verification"]))


@on("run.machine_failed")
def machine_was_not_provisioned(event: Event) -> None:
    services.open_ticket_for_run_machine(int(event.data["run_machine"]))


@on("run.machine_evidence")
def failure_shows_more(event: Event) -> None:
    services.add_evidence_of_run_machine(int(event.data["run_machine"]))


@on("return.changed")
def vendor_has_the_machines(event: Event) -> None:
    services.note_return(event.data["machines"], str(event.data["text"]))
    link_return(event.data["machines"], int(event.data["id"]))


@on("run.machine_done")
def machine_was_provisioned(event: Event) -> None:
    services.run_machine_done(int(event.data["machine"]), int(event.data["run"]))


@on("machine.changed")
def machine_is_out_of_service_while_somebody_works_on_it(event: Event) -> None:
    """A machine that is drained after its ticket was taken (the cap was full before) is in repair at once."""
    if event.data.get("state") != State.DRAINED:
        return
    worked_on = Ticket.objects.filter(machine_id=event.data["id"], status=Status.IN_WORK.value)
    number = worked_on.order_by("number").values_list("number", flat=True).first()
    if number is not None:
        with changing(number, room="tickets") as change:
            start_repair(change)


@on("finding.opened")
def finding_needs_an_order(event: Event) -> None:
    services.open_order(int(event.data["finding"]))


@on("finding.changed")
def order_follows_its_finding(event: Event) -> None:
    services.finding_changed(int(event.data["finding"]))


@on("finding.closed")
def finding_is_right(event: Event) -> None:
    services.finding_closed(int(event.data["finding"]))


@on("discovery.finished")
def look_decides_the_orders_that_wait(event: Event) -> None:
    services.discovery_finished(int(event.data["discovery"]))


@on("link.bad")
def link_needs_a_ticket(event: Event) -> None:
    services.open_link_ticket(int(event.data["quality"]))


@on("link.good")
def link_is_good_again(event: Event) -> None:
    services.link_good(int(event.data["quality"]))


@on("link.measured")
def link_was_measured(event: Event) -> None:
    services.measurement_finished(int(event.data["measurement"]))
