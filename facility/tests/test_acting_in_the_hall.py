"""What a person approved is done to the machines of a hall, over SSH and by their BMCs, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from facility.findings.services import set_policy
from facility.meters.models import MeterState
from facility.proposals import services
from facility.proposals.models import Proposal
from facility.tests.live_hall import LiveHall, live_hall
from health.models import MachineHealth

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.services, pytest.mark.timeout(300)]


@pytest.fixture
def hall(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[LiveHall]:
    settings.LOCAL_ADDRESSES = True
    with live_hall(tmp_path, monkeypatch) as live:
        live.provoke("load", "hgx-a03-01", share=1.0)
        live.go_on()
        yield live


def step(action: str) -> dict[str, Any]:
    return next(dict(each) for each in Proposal.objects.get().steps if each["action"] == action)


def watts_of(machine: str) -> float:
    told = MeterState.objects.select_related("layout").get(meter__device__name=machine)
    value = told.values[told.layout.points.index(["machine", "", "power_w"])]
    assert value is not None
    return float(value)


def test_a_leak_limits_gpus_then_shuts_machines_down_in_order_and_all_of_it_is_taken_back(hall: LiveHall) -> None:
    set_policy(hall.site.pk, acting=True, emergency_gpu_percent=60, shut_down_at_once=4)
    before_w = watts_of("hgx-a03-01")
    hall.provoke("leak", "cdu-a", detector="A03")
    hall.go_on()
    row = services.approve(Proposal.objects.get(), by="olga", dry_run=False)
    services.carry_out(row.pk)
    assert step("stop_new_jobs")["state"] == "done"
    limit = step("limit_power")
    assert limit["state"] == "done", list(limit["progress"].values())[:2]
    assert (limit["state"], limit["text"]) == (
        "done",
        f"Limit the GPUs of {len(limit['machine_ids'])} machines to 420 W.",
    )
    machines = hall.hall.machines
    assert all(set(machines[name].state.gpu_limits_w.values()) == {420.0} for name in limit["machines"])
    hall.go_on(120)
    assert watts_of("hgx-a03-01") < before_w - 1_500, "eight GPUs of 700 W draw at most 420 W each"

    down = step("shut_down")
    services.begin_step(row, down["order"], by="olga")
    services.carry_out(row.pk)
    assert [name for name in down["machines"] if machines[name].state.power == "off"] == down["machines"][:4]
    while step("shut_down")["state"] == "doing":
        services.carry_out_left()
    assert step("shut_down")["state"] == "done", step("shut_down")
    assert all(machines[name].state.power == "off" for name in down["machines"])
    states = MachineHealth.objects.filter(pk__in=down["machine_ids"]).values_list("state", flat=True)
    assert set(states) == {"maintenance"}, "that they are silent is no fault of them"

    services.undo(row, by="olga")
    services.carry_out(row.pk)
    assert all(machines[name].state.power == "on" for name in down["machines"])
    assert step("limit_power")["state"] == "undoing", "they boot"
    hall.clock.ahead_s += 700
    hall.boot()
    services.carry_out_left()
    assert {each["action"]: each["state"] for each in Proposal.objects.get().steps if each["machine_ids"]} == {
        "close_valve": "by hand", "stop_new_jobs": "undone", "limit_power": "undone", "shut_down": "undone",
        "feed_off": "by hand",
    }  # fmt: skip
    hall.mend()
