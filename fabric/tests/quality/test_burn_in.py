"""A burn-in plan loads every link and none above its rate: checked on its own, path by path."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fabric.burn_in.plan import Adapter, BurnInPlan, Stage, plan
from fabric.facts import SeenPort
from fabric.quality.paths import Wire
from tests.effort import examples


class Clos:
    """A fat tree: pods of `leaves` per rail and `spines`, joined by cores when there are two pods or more."""

    def __init__(
        self, *, pods: int = 1, sus: int = 2, rails: int = 2, machines: int = 4, spines: int = 4, cores: int = 4
    ) -> None:
        self.wires: list[Wire] = []
        self.adapters: list[Adapter] = []
        self.used: Counter[str] = Counter()
        for pod in range(pods):
            for su in range(sus):
                for rail in range(rails):
                    leaf = f"leaf-{pod}-{su}-{rail}"
                    for number in range(machines):
                        hca = f"hca-{pod}-{su}-{number}-{rail}"
                        self.adapters.append(Adapter(f"m-{pod}-{su}-{number}", f"mlx5_{rail}", SeenPort(hca, 1)))
                        self.join(hca, leaf)
                    for spine in range(spines):
                        self.join(leaf, f"spine-{pod}-{spine}")
            if pods > 1:
                for spine in range(spines):
                    for up in range(sus * rails):
                        self.join(f"spine-{pod}-{spine}", f"core-{(spine * sus * rails + up) % cores}")

    def join(self, a: str, b: str, gbps: float = 400) -> None:
        ends = []
        for name in (a, b):
            self.used[name] += 1
            ends.append(SeenPort(name, self.used[name]))
        self.wires.append(Wire(ends[0], ends[1], gbps))


def paths(wires: list[Wire], start: str, to: str) -> Iterator[list[tuple[int, int]]]:
    """Every shortest path as (wire, direction); found by walking, without what the planner knows."""
    out = defaultdict(list)
    for number, wire in enumerate(wires):
        out[wire.a.guid].append((wire.b.guid, number, 0))
        out[wire.b.guid].append((wire.a.guid, number, 1))
    reached: list[tuple[str, list[tuple[int, int]]]] = [(start, [])]
    while reached:
        done = [path for here, path in reached if here == to]
        if done:
            yield from done
            return
        seen = {here for here, _ in reached}
        reached = [
            (there, [*path, (number, way)])
            for here, path in reached
            for there, number, way in out[here]
            if there not in seen and (there == to or not there.startswith("hca")) and len(path) < 30
        ]


def loads(found: BurnInPlan, stage: Stage) -> dict[tuple[int, int], float]:
    """Traffic of each direction of each wire when every stream is spread hop by hop over its shortest paths."""
    wires = list(found.wires)
    gbps = {end: wire.gbps for wire in wires for end in (wire.a, wire.b)}
    load: dict[tuple[int, int], float] = defaultdict(float)
    for stream in stage.streams:
        for start, to in ((stream.a, stream.b), (stream.b, stream.a)):
            ways = list(paths(wires, start.port.guid, to.port.guid))
            assert ways, "a stream without a path"
            for way in ways:
                share = min(gbps[start.port], gbps[to.port])
                for at in range(len(way)):  # at each hop the traffic divides evenly over the ways on
                    onward = {other[at] for other in ways if other[:at] == way[:at]}
                    share /= len(onward)
                for hop in way:
                    load[hop] += share
    return load


def check(found: BurnInPlan, share: float = 0.5) -> None:
    covered: set[int] = set()
    for stage in found.stages:
        used = [adapter.port for stream in stage.streams for adapter in stream]
        assert len(used) == len(set(used)), "an adapter twice in a stage"
        assert all(stream.a.name == stream.b.name for stream in stage.streams)
        load = loads(found, stage)
        for (number, _), amount in load.items():
            assert amount <= found.wires[number].gbps * 1.000001, found.wires[number]
        for number in stage.covers:
            assert min(load[number, 0], load[number, 1]) >= share * found.wires[number].gbps * 0.999999
        covered |= set(stage.covers)
    gaps = {gap.wire for gap in found.gaps}
    assert gaps == {wire for number, wire in enumerate(found.wires) if number not in covered}
    assert all(gap.reason for gap in found.gaps)


@pytest.mark.parametrize(
    "clos",
    [Clos(), Clos(sus=3), Clos(pods=2), Clos(pods=3, rails=1), Clos(pods=4, rails=1, machines=2, spines=2)],
    ids=["two units", "three units", "two pods", "three pods", "four pods"],
)
def test_every_link_of_a_whole_fabric_is_loaded_spine_to_core_too(clos: Clos) -> None:
    found = plan(clos.wires, clos.adapters)
    check(found)
    assert not found.gaps, found.gaps[:3]


def test_an_oversubscribed_leaf_is_never_loaded_above_its_uplinks() -> None:
    clos = Clos(machines=8, spines=2)
    found = plan(clos.wires, clos.adapters)
    check(found)
    assert not found.gaps, "what does not fit in one stage comes in the next"


def test_an_odd_number_of_machines_leaves_none_out() -> None:
    clos = Clos(sus=1, machines=5)
    spines = [wire for wire in clos.wires if "spine" in wire.b.guid]
    found = plan(clos.wires, clos.adapters)
    check(found)
    assert {gap.wire for gap in found.gaps} == set(spines), "one leaf per rail: nothing goes over a spine"
    assert "no shortest path" in found.gaps[0].reason


def test_links_of_machines_that_may_not_be_used_are_told_with_the_reason() -> None:
    clos = Clos()
    free = [adapter for adapter in clos.adapters if adapter.machine != "m-0-0-0"]
    found = plan(clos.wires, free)
    check(found)
    assert {gap.wire.a.guid for gap in found.gaps} == {"hca-0-0-0-0", "hca-0-0-0-1"}
    assert {gap.reason for gap in found.gaps} == {"behind it is no machine that may be used"}


def test_two_machines_are_not_enough_for_many_uplinks() -> None:
    clos = Clos(machines=4, spines=4)
    found = plan(clos.wires, [each for each in clos.adapters if each.machine in ("m-0-0-0", "m-0-1-0")])
    check(found)
    uplinks = [gap for gap in found.gaps if gap.wire.b.guid.startswith("spine")]
    assert len(uplinks) == 16 and "load it with 25% at most" in uplinks[0].reason


def test_no_machine_at_all_gives_no_stage_and_every_link_as_a_gap() -> None:
    found = plan(Clos().wires, [])
    assert not found.stages and len(found.gaps) == len(found.wires)


def test_nonsense_is_refused() -> None:
    clos = Clos()
    for wrong in (
        lambda: plan(clos.wires, clos.adapters, share=0),
        lambda: plan([*clos.wires, clos.wires[0]._replace(gbps=0)], clos.adapters),
        lambda: plan(clos.wires, [*clos.adapters, clos.adapters[0]]),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            wrong()


@settings(max_examples=examples(12), deadline=None)
@given(st.data())
def test_no_random_fabric_is_overloaded_or_left_with_an_untold_link(data: st.DataObject) -> None:
    clos = Clos(
        pods=data.draw(st.integers(1, 3), "pods"),
        sus=data.draw(st.integers(1, 3), "units"),
        rails=data.draw(st.integers(1, 2), "rails"),
        machines=data.draw(st.integers(1, 4), "machines"),
        spines=data.draw(st.integers(1, 3), "spines"),
        cores=data.draw(st.integers(1, 4), "cores"),
    )
    luck = random.Random(data.draw(st.integers(0, 2**16), "seed"))
    wires = [wire for wire in clos.wires if luck.random() > 0.1]
    wires = [wire._replace(gbps=luck.choice([400, 400, 400, 200])) for wire in wires]
    machines = {adapter.machine for adapter in clos.adapters if luck.random() > 0.3}
    check(plan(wires, [adapter for adapter in clos.adapters if adapter.machine in machines]))
