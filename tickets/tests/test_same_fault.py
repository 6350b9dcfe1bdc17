"""What two sources tell of one part, one of them without the part, is one ticket with the evidence of both."""

from __future__ import annotations

import pytest

from health.models import Fault
from health.monitoring.services.sweeps import observation_store
from health.tests import factories as make
from tickets.models import Ticket
from tickets.tests.conftest import ago

pytestmark = pytest.mark.django_db

KERNEL = make.Finding("memory.errors", "machine", "fail", "uncorrectable memory error", "", "memory.uncorrectable",
                      3, "event", "boot-a:5:UE:machine", 5)  # fmt: skip
MODULE = make.Finding("bmc.log", "DIMM A5", "fail", "Multi-bit memory error on DIMM_A5", "", "memory.uncorrectable", 3)
POOL = make.Finding("disk.zpool", "machine", "fail", "raid: nvme3n1 is FAULTED", "", "disk.pool", 3)
DRIVE = make.Finding("nvme.count", "NVMe 3", "fail", "/dev/nvme3 is not listed", "", "nvme.gone", 0)
SUMMARY = make.Finding("bmc.health", "machine", "fail", "system health Critical", "", "bmc.degraded", 3)
PAIRS = [(KERNEL, MODULE), (POOL, DRIVE), (SUMMARY, DRIVE)]


@pytest.mark.parametrize(("told", "cause"), PAIRS, ids=lambda each: each.check)
def test_both_in_one_look_are_a_ticket_about_the_part(told: make.Finding, cause: make.Finding) -> None:
    (machine,) = make.make_machines()
    for at in (60, 40):
        observation_store.record([make.look(machine, told, cause, at=ago(at))])
    ticket = Ticket.objects.get()
    assert (ticket.part, ticket.fault_class) == (cause.part, cause.fault_class)
    assert set(ticket.evidence.values_list("check_id", flat=True)) == {told.check, cause.check}
    assert Fault.objects.filter(led_by=None).count() == 1


@pytest.mark.parametrize(("told", "cause"), PAIRS, ids=lambda each: each.check)
def test_what_names_the_part_later_is_evidence_in_the_open_ticket(told: make.Finding, cause: make.Finding) -> None:
    (machine,) = make.make_machines()
    for at, found in ((300, (told,)), (280, (told,)), (200, (told, cause)), (180, (told, cause))):
        observation_store.record([make.look(machine, *found, at=ago(at))])
    ticket = Ticket.objects.get()
    assert ticket.part == "machine"
    assert set(ticket.evidence.values_list("check_id", flat=True)) == {told.check, cause.check}
