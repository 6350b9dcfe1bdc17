from __future__ import annotations
from collections.abc import Iterator
from pathlib import Path
from typing import Any
import time
import pytest
from facility.tests.live_hall import LiveHall, findings, live_hall
from facility.meters.models import Meter

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.timeout(1500)]

@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[LiveHall]:
    settings.LOCAL_ADDRESSES = True
    with live_hall(tmp_path, monkeypatch) as live:
        yield live

def show():
    for f in findings(): print("   ", f.kind, f.subject_name, f.part, "|", f.text, f.rack_id)

def state():
    return {(f.kind, f.subject_name, f.part): f.text for f in findings()}

FAULTS = [("values_in_tenths", "pdu-a02-a", {}, 2),("feed_off", "a03-a", {}, 5),("pump_failed","cdu-a",{},1),("filter_dirty","cdu-a",{},1),("valve_closed","cdu-a",{},1),("meter_silent","pdu-a02-a",{},4),("meter_silent","cdu-a",{},4),("power_capped", "hgx-a01-01", {}, 2),("bank_tripped", "pdu-a01-a", {}, 2),]
OLD=[
 ("gap_open", "A02", dict(from_u=29, to_u=32), 3),
 ("feed_off", "a03-a", {}, 3),
 ("supply_idle", "hgx-a01-02", dict(supply="PSU 2"), 1),
 ("outlet_taken", "pdu-a04-b", dict(outlet="C13 20", watts=300), 1),
 ("valve_closed", "cdu-a", {}, 6),
 ("valve_closed", "cdu-a", dict(manifold="A02"), 6),
 ("leak", "cdu-a", {}, 1),
 ("leak", "cdu-a", dict(detector="A03"), 1),
 ("pump_failed", "cdu-a", {}, 1),
 ("filter_dirty", "cdu-a", {}, 1),
 ("supply_warm", "cdu-a", dict(celsius=9), 8),
 ("supply_warm", "cdu-a", dict(celsius=20), 8),
 ("power_brake", "hgx-a05-01", {}, 1),
 ("draws_more", "hgx-a01-01", {}, 1),
 ("fans_fast", "hgx-a01-01", {}, 2),
 ("power_capped", "hgx-a01-01", {}, 2),
 ("bank_tripped", "pdu-a01-a", {}, 2),
 ("values_in_tenths", "pdu-a02-a", {}, 2),
 ("counter_wraps", "pdu-a02-a", {}, 2),
 ("meter_silent", "pdu-a02-a", {}, 4),
 ("meter_silent", "cdu-a", {}, 4),
]
def test_x(hall: LiveHall) -> None:
    t=time.time(); 
    for n in range(3): hall.go_on()
    base = state(); print("BASE", time.time()-t, {k for k,*_ in base})
    for fault, target, params, rounds_ in FAULTS:
        t=time.time()
        hall.provoke(fault, target, **params)
        for _ in range(rounds_): hall.go_on()
        now = state()
        print(f"== {fault} {target} {params}  {time.time()-t:.1f}s")
        for key in now.keys() - base.keys(): print("   +", key, now[key])
        for key in base.keys() - now.keys(): print("   -", key)
        for m in Meter.objects.exclude(state="ok"): print("   meter", m.name, m.state, m.message[:150])
        from facility.proposals.models import Proposal
        for p in Proposal.objects.filter(state="proposed"): print("   proposal", p.incident, "|", p.text, [x["text"] for x in p.steps][:6])
        from facility.meters.models import MeterState
        if fault=="values_in_tenths":
            t=MeterState.objects.select_related("layout").get(meter__name=target)
            print([(t.layout.points[int(k)],v) for k,v in t.reasons.items()][:40]); print([(p,v) for p,v in zip(t.layout.points,t.values) if p[0]!="outlet"])
        m=MeterState.objects.filter(meter__kind="rack").values_list("meter__name","memory"); print("   racks",[(n,x["power_w"],x["at_least"],x["known"],x["of"]) for n,x in m])
        hall.mend()
        for n in range(12):
            hall.go_on(120)
            if state().keys() == base.keys(): break
        print("   closed after", n+1, {k: v for k,v in state().items() if k not in base})
