from __future__ import annotations
from collections.abc import Iterator
from pathlib import Path
from typing import Any
import time
import pytest
from facility.tests.live_hall import LiveHall, findings, live_hall
from facility.meters.models import Meter

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.timeout(240)]

@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[LiveHall]:
    settings.LOCAL_ADDRESSES = True
    with live_hall(tmp_path, monkeypatch) as live:
        yield live

def show():
    for f in findings(): print("   ", f.kind, f.subject_name, f.part, "|", f.text, f.rack_id)

def test_x(hall: LiveHall) -> None:
    from health.monitoring.services.sweeps.observation import Watch
    from facility.meters import machines
    hall.go_on()
    hall.provoke("supply_warm", "cdu-a", celsius=20)
    for n in range(14):
        hall.ahead["s"] += 240
        t=time.time()
        seen = [each.observation for batch in Watch(list(hall.ids.values())) for each in batch]
        inl=[v for s in seen for p,nm,q,v in s.measured if (p,nm)==("sensor","inlet")]
        print(hall.ahead, [len(s.measured) for s in seen], inl[:4], time.time()-t, [f.message for f in seen[0].findings if f.verdict!="ok"][:3], seen[0].at, hall.now())
