"""The demo's warm hall, and what the service says of it, for stories of power and cooling.

Air takes minutes to warm up and meters wait for their turn. Neither is waited for: the hall's temperatures go on at
once, by its control interface, and every meter and machine is read now, over the network as always.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.browser.conftest import Demo, wait_for

READ = """
import time
from django.db.models import Q
from django.utils import timezone
from facility.meters import rounds
from facility.meters.models import Meter
begun, until = timezone.now(), time.monotonic() + 90
asked = Meter.objects.filter(kind__in=Meter.ASKED, enabled=True)
asked.update(tried_at=None)
while asked.filter(Q(tried_at=None) | Q(tried_at__lt=begun)).exists():
    assert time.monotonic() < until, "not every meter was read"
    rounds.read_due() or time.sleep(0.2)  # the demo's own workers read some of them
"""
LOOK = """
from django.utils import timezone
from facility.meters import machines
from health.models import MachineHealth
from health.monitoring.services.sweeps.observation import Watch
swept = MachineHealth.objects.exclude(state__in=["new", "retired"]).values_list("machine_id", flat=True)
for batch in Watch(list(swept)):
    machines.take([(each.observation.machine_id, timezone.now(), each.observation.measured) for each in batch])
"""
JUDGE = """
import time
from django.utils import timezone
from core.models import Site
from core.work.locks import only_here
from facility.overview import sums
site, done = Site.objects.get(), False
while not done:
    with only_here(sums.LOCK, site.pk) as here:
        if done := here:
            sums.add_up_site(site.pk, timezone.now())
    done or time.sleep(0.1)
"""


# ---- what happens in the hall ----


def provoke(demo: Demo, fault: str, target: str, **params: Any) -> None:
    demo.hall.call("POST", "/heat/faults", {"fault": fault, "target": target, "params": params})


def mend(demo: Demo, **of: str) -> None:
    """What is named by `fault` and `target`, or all of it."""
    demo.hall.call("DELETE", f"/heat/faults?{urlencode(of)}")


def mend_all(demo: Demo) -> None:
    """Everything but the work of machines."""
    for fault in demo.hall.call("GET", "/heat")["faults"]:
        if fault["fault"] != "load":
            mend(demo, fault=fault["fault"], target=fault["target"])


def go_on(demo: Demo, seconds: float) -> None:
    """Air, water and GPUs are where they would be after so much time."""
    demo.hall.call("POST", "/heat/go_on", {"seconds": seconds})


# ---- what the service says ----


def judged_now(demo: Demo, *, look: bool = True) -> None:
    """Read every meter, look at every machine and judge what they tell: it is done once a minute anyway."""
    demo.python(READ)
    if look:
        demo.python(LOOK)
    demo.python(JUDGE)


def until(demo: Demo, holds: Callable[[], Any], seconds: float, what: str) -> None:
    """Judge again and again: what was read a moment before the hall changed is put right by the next reading."""
    end = time.monotonic() + seconds
    judged_now(demo)
    while not holds():
        now = [f"{each['subject']['name']} {each['kind']}: {each['text']}" for each in findings(demo)]
        assert time.monotonic() < end, "\n".join([f"waited {seconds:.0f} s in vain for {what}", *now])
        judged_now(demo)


def meter(demo: Demo, name: str) -> dict[str, Any]:
    found = demo.api(f"/api/facility/meters/?site=1&search={name}&page_size=100")["results"]
    return next(dict(each) for each in found if each["name"] == name)


def findings(demo: Demo, **where: str) -> list[dict[str, Any]]:
    query = urlencode({"site": 1, "page_size": 200, **where})
    return list(demo.api(f"/api/facility/findings/?{query}")["results"])


def floor_of(demo: Demo) -> dict[str, Any]:
    return dict(demo.api("/api/facility/floor/?room=1"))


def rack_of(demo: Demo, name: str) -> int:
    return int(next(rack["id"] for rack in floor_of(demo)["racks"] if rack["name"] == name))


# ---- fixtures ----


@pytest.fixture(scope="module")
def measured(demo: Demo) -> Iterator[Demo]:
    """The demo with every rack measured, and two racks of machines at work."""
    names = [f"hgx-a0{rack}-0{machine}" for rack in (1, 2) for machine in range(1, 5)]
    for number, name in enumerate(names):
        provoke(demo, "load", name, share=(1.0, 0.9, 0.7, 0.95)[number % 4])
    go_on(demo, 900)
    judged_now(demo)

    def known() -> bool:
        told = floor_of(demo)
        return told["total_w"] is not None and not told["at_least"] and told["pue"] is not None

    wait_for(known, 90, "every rack to be measured")
    yield demo
    mend(demo)


@pytest.fixture
def mended(demo: Demo) -> Iterator[None]:
    """What a story provoked is mended, however it ends; machines go on with their work."""
    yield
    mend_all(demo)
