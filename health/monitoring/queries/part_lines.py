"""Faults in one line, with their part as people read it: what is printed on the chassis first."""

from __future__ import annotations

from collections.abc import Iterable

from health.monitoring.models.faults import Fault
from inventory.queries import printed_label
from inventory.slot_text import about, slot_text


def lines_of(faults: Iterable[Fault]) -> dict[int, str]:
    """Fault to `SXM 6 (GPU 5): no GPU at 4B:00.0`. One query."""
    given = list(faults)
    label = printed_label("machine__device__model__spec", "slot")
    labelled = Fault.objects.filter(pk__in=[fault.pk for fault in given]).annotate(label=label)
    labels = dict(labelled.values_list("pk", "label"))
    return {fault.pk: about(slot_text(fault.slot, labels.get(fault.pk, "")), fault.message) for fault in given}


def line_of(fault: Fault) -> str:
    """The same for one. One query."""
    return lines_of([fault])[fault.pk]
