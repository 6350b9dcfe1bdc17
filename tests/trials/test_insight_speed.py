"""Ten thousand tickets are answered at once: measured alone, as all trials are."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest
from django.test import Client

from health.tests import factories as make
from tickets.insights.tests.past_tickets import make_closed
from tickets.tests.conftest import person

LIMIT_S = 0.3


@pytest.mark.slow
@pytest.mark.django_db
def test_ten_thousand_tickets_are_answered_within_300_ms() -> None:
    machine = make.make_machines(1)[0]
    make_closed(machine, 10_000, every=timedelta(minutes=12), took=timedelta(hours=6))
    client = Client()
    client.force_login(person("vera", "viewer"))
    taken = []
    for _ in range(5):
        began = time.perf_counter()
        body = client.get("/api/insight/", {"site": machine.device.site_id}).json()
        taken.append(time.perf_counter() - began)
    assert body["times"]["verified"]["n"] > 9_500
    assert min(taken) < LIMIT_S, taken
