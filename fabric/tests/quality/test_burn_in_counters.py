"""A stage of a burn-in stands between two readings of the counters, both taken for it."""

from __future__ import annotations

import asyncio
import shlex
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from access.queries import ssh_targets
from drivers.ssh import run_one
from fabric.burn_in.services import plans, runs
from fabric.discovery.services import discoveries
from fabric.models import BurnIn, BurnInStage, Discovery
from fabric.quality.services import rounds
from fabric.tests.live_hall import LiveHall, believed, live_hall
from health.models import MachineHealth
from health.services import sync_machines

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(120)]


def planned(hall: LiveHall, source: Any) -> BurnIn:
    rounds.record_discovery(believed(source).pk)
    sync_machines()
    MachineHealth.objects.update(state="ready", allocation="idle")
    run = plans.make_plan(plans.create(source, by="olga").pk)
    assert run is not None and run.status == "planned", run and run.message
    runs.start(run.pk, by="olga", for_real=True)
    return run


def worker(hall: LiveHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a stage waits, another worker does what is queued; time goes on meanwhile."""

    def sleep(seconds: float) -> None:
        hall.clock.go_on(timedelta(seconds=30))
        for pk in Discovery.objects.filter(status="queued").values_list("pk", flat=True):
            discoveries.run(pk)
            rounds.record_discovery(pk)

    monkeypatch.setattr("fabric.burn_in.services.runs.time.sleep", sleep)


@pytest.mark.slow
def test_counters_are_read_before_and_after_what_a_stage_does_to_a_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live_hall(tmp_path, monkeypatch) as hall:
        source = hall.ufm()
        run = planned(hall, source)
        assert run.covered + len(run.gaps) == run.links and all(gap["reason"] for gap in run.gaps)
        worker(hall, monkeypatch)
        end = hall.end("leaf-1", 1)

        def load(pairs: Any, settings: Any) -> dict[int, str]:
            hall.clock.go_on(timedelta(minutes=2))
            at = hall.clock.seconds()
            hall.change(lambda wiring: wiring.set_counter(end, "SymbolErrorCounter", 500, at))
            return {}

        monkeypatch.setattr(runs, "_run", load)
        runs.advance(run.pk)
        stage = BurnInStage.objects.get(burn_in=run, number=1)
        (key,) = (key for key in stage.covers if f"{end.guid}_{end.port}" in key.split(":"))
        before, after = stage.before[key], stage.after[key]
        assert stage.message == "" and before["at"] < after["at"]
        counts = [sum(side["counts"].get("symbol_errors", 0) for side in told["rates"].values())
                  for told in (before, after)]  # fmt: skip
        assert counts == [0, 500]


def test_a_source_that_does_not_answer_leaves_the_stage_without_fresh_counters_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with live_hall(tmp_path, monkeypatch) as hall:
        source = hall.ufm()
        run = planned(hall, source)
        worker(hall, monkeypatch)
        monkeypatch.setattr(runs, "_run", lambda pairs, settings: {})
        hall.let("ufm", "empty")
        runs.advance(run.pk)
        stage = BurnInStage.objects.get(burn_in=run, number=1)
        assert stage.status == "done" and stage.message.startswith("counters are older than the stage")


@pytest.mark.slow
def test_a_pair_runs_over_ssh_and_its_output_is_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with live_hall(tmp_path, monkeypatch) as hall:
        ids = {name: hall.site.devices.get(name=name).machine.pk for name in ("gpu-1", "gpu-5")}
        server, client = ssh_targets(ids.values())
        settings = plans.settings_of({"gpu_direct": False}) | {"stage_s": 1}
        tools = runs.bandwidth("mlx5_0", 0, settings), runs.latency("mlx5_0", 0, settings)

        async def pair() -> str:
            said = ""
            for tool in tools:
                waiting = asyncio.create_task(run_one(server, shlex.join(tool)))
                await asyncio.sleep(0.5)
                answer = await run_one(client, shlex.join([*tool, server.address]))
                assert answer.failure is None and (await waiting).exit_status == 0
                said += answer.stdout.decode()
            return said

        verdict, gbps, p99, words = runs.verdict(asyncio.run(pair()), settings)
        assert (verdict, words) == ("pass", "") and gbps is not None and 700 < gbps <= 800
        assert p99 is not None and p99 < 4.2
        end = hall.end("gpu-5 mlx5_0", 1)
        at = hall.clock.seconds()
        hall.change(lambda wiring: wiring.trouble(end, at, width="1x"))
        verdict, gbps, _, words = runs.verdict(asyncio.run(pair()), settings)
        assert verdict == "fail" and gbps is not None and gbps < 210 and "are wanted" in words
