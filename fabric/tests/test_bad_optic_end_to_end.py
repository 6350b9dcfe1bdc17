"""The bad, hot optic that the demo begins with: two windows of the hall's own counters, and there is a ticket."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from fabric.models import FabricLink, LinkQuality
from fabric.quality.services import rounds
from fabric.tests.hall import CABLES
from fabric.tests.live_hall import LiveHall, believed, live_hall
from live.models import Event, HandlerFailure
from simulator.fabric.faults import begin_with_faults
from tickets.models import Ticket

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(180)]


def look(hall: LiveHall, *sources: object) -> None:
    for source in sources:
        rounds.record_discovery(believed(source).pk)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_demos_bad_optic_is_told_once_and_becomes_one_ticket(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live_hall(tmp_path, monkeypatch) as hall:
        at = hall.clock.seconds()
        done = hall.change(lambda wiring: begin_with_faults(wiring, 1, at))
        assert "a bad, hot optic" in done[-1]
        (label,) = (name for name, each in hall.wiring.changes.trouble.items() if each.errors_per_hour)
        ufm, diags = hall.ufm(), hall.ibdiags()
        for _ in range(3):
            look(hall, ufm, diags)
            assert hall.clock.ahead_s >= 300 or not Event.objects.filter(kind="link.bad").exists(), "once is no proof"
            hall.clock.go_on(timedelta(minutes=5, seconds=10))
        rows = LinkQuality.objects.filter(state="bad")
        assert {row.source_id for row in rows} == {ufm.pk, diags.pk}, "both sources count the errors"
        (told,) = rows.filter(source=ufm)
        assert told.link is not None and told.link.cable is not None and told.link.cable.label == label
        assert "symbol errors" in told.reason or "bit error rate" in told.reason
        assert told.max_c is not None and told.max_c >= 70
        assert not HandlerFailure.objects.exists(), HandlerFailure.objects.values_list("error")
        tickets = Ticket.objects.filter(source_ref__startswith="link:")
        assert tickets.count() == 1, "one cable is one ticket, however many sources see it"
        assert FabricLink.objects.filter(source=ufm).count() >= CABLES - 1
