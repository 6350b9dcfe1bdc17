"""What is printed of a made fabric is read back as that fabric."""

from __future__ import annotations

import pytest

from fabric.facts import Seen
from fabric.formats import iblinkinfo, ibnetdiscover, ibqueryerrors, merge, plan_files
from fabric.tests import made_texts
from fabric.tests.made import Made, Shape, made
from fabric.tests.made_faults import inject_all


def troubled() -> Made:
    fabric = made(Shape(machines=60))
    kinds = ["swap", "missing", "stranger", "dead_machine", "slow_link", "narrow_link", "errors", "misnamed"]
    assert len(inject_all(fabric, kinds)) == len(kinds)
    return fabric


@pytest.mark.parametrize("offset", [0, 1])
def test_the_three_texts_together_give_what_was_seen(offset: int) -> None:
    seen = troubled().seen()
    read: Seen = merge(
        [
            ibnetdiscover.read(made_texts.ibnetdiscover(seen, offset)),
            iblinkinfo.read(made_texts.iblinkinfo(seen, offset)),
            ibqueryerrors.read(made_texts.ibqueryerrors(seen)),
        ]
    )
    assert read.problems == [] and read.completeness == seen.completeness
    assert sorted(read.links) == seen.links
    assert {guid: node.description for guid, node in read.nodes.items()} == {
        guid: node.description for guid, node in seen.nodes.items()
    }
    assert read.counters == seen.counters
    assert {port: (state.logical, state.physical) for port, state in read.states.items()} == {
        port: (state.logical, state.physical) for port, state in seen.states.items()
    }


def test_the_plan_is_read_back() -> None:
    plan = made(Shape(machines=40)).plan
    read = plan_files.read_plan(made_texts.plan_csv(plan), "plan.csv")
    assert [(cable.label, *cable.ends) for cable in read.cables] == [
        (cable.label, *cable.ends) for cable in plan.cables
    ]


def test_the_topology_of_the_simulator_has_every_lit_link_from_both_ends() -> None:
    fabric = troubled()
    text = made_texts.ibsim(fabric)
    ports = [line for line in text.splitlines() if line.startswith("[")]
    assert len(ports) == 2 * len(fabric.seen().links)
    assert sum(" w=1" in line for line in ports) == 2
